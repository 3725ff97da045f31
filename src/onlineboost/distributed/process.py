"""A worker process of this machine, asked and answering over its pipes.

It holds one worker, and ends when the driver does, as its pipe ends then.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onlineboost.distributed.learning import Learned, Worker


class ProcessLostError(RuntimeError):
    """A worker process has ended before its answer."""

    def __init__(self) -> None:
        super().__init__("A worker process has ended again and again: it may lack memory. Use fewer workers.")


class Process:
    """The driver's side: start it, give it a worker, ask it for a round, and take the answer."""

    def __init__(self) -> None:
        call = [sys.executable, "-c", "from onlineboost.distributed.process import serve; serve()"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(call, stdin=pipe, stdout=pipe, env=environment)  # noqa: S603  # our own code

    def hold(self, worker: Worker) -> None:
        """Give it a worker."""
        self._send(pickle.dumps(worker))

    def ask(self, base: bytes, start: int, stop: int) -> None:
        """Ask it for a round."""
        self._send((base, start, stop))

    def _send(self, message: Any) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101  # it was asked for
        try:
            pickle.dump(message, pipe)
            pipe.flush()
        except BrokenPipeError:
            pass  # the answer tells

    def answer(self) -> list[Learned]:
        """The answer to the last question."""
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101  # it was asked for
        try:
            found = pickle.load(pipe)  # noqa: S301  # from a process of our own
        except (EOFError, pickle.UnpicklingError):
            raise ProcessLostError from None
        if isinstance(found, BaseException):
            raise found
        learned: list[Learned] = found
        return learned

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """The worker's side: learn what is asked for, until the driver is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver's to handle
    asked, told = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    worker: Any = None
    while True:
        try:
            message = pickle.load(asked)  # noqa: S301  # from the driver
        except (EOFError, pickle.UnpicklingError):  # the driver is gone, perhaps in the middle of a message
            return
        try:
            if isinstance(message, bytes):
                worker = pickle.loads(message)  # noqa: S301  # as above
                continue
            found = worker.learn(*message)
        except Exception as error:  # noqa: BLE001  # the driver raises it
            found = error
            if isinstance(message, bytes):
                worker = _Unreadable(error)
                continue
        try:
            told.write(pickle.dumps(found))
            told.flush()
        except BrokenPipeError:
            return


class _Unreadable:
    """Stands for a worker that could not be read; the first round says why."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def learn(self, *_: Any) -> None:
        raise self._error
