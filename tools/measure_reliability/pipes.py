"""Slow, bursty and long pipes: checkpoints come on time, and memory does not grow."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from pathlib import Path

from measure_reliability import trial

from onlineboost.persistence import ModelFileError, load_with_extra

EVERY = 0.5  # seconds between checkpoints
LATEST = EVERY + 1.5  # a busy machine may be late
_MEGABYTE = 1e6


def _watched(folder: Path, batches: list[tuple[float, list[str]]]) -> tuple[float, int, int, str]:
    """Feed a pipe by the clock: the oldest example that was not in a checkpoint yet, checkpoints seen, exit, words."""
    model = folder / "m.ob"
    order = trial.command("train", "-", "--format", "libsvm", "--model", str(model), "--checkpoint", f"{EVERY}s")
    process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stdin is not None  # noqa: S101  # a pipe was asked for
    assert process.stderr is not None  # noqa: S101  # a pipe was asked for
    sent: list[float] = []
    oldest, seen = 0.0, {0}

    def look() -> None:
        nonlocal oldest
        try:
            learned = load_with_extra(model)[1]["progress"]["examples"]
        except (OSError, ModelFileError):
            return
        if learned < len(sent):
            oldest = max(oldest, time.monotonic() - sent[learned])
        seen.add(learned)

    for pause, text in batches:
        process.stdin.write("".join(text).encode())
        process.stdin.flush()
        sent += [time.monotonic()] * len(text)
        end = time.monotonic() + pause
        while time.monotonic() < end:
            time.sleep(min(0.05, pause))
            look()
        if len(seen) == 1:  # the clock starts when the process has
            sent = [time.monotonic()] * len(sent)
    process.stdin.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    return oldest, len(seen) - 1, process.wait(), said


def slow(folder: Path, seconds: float) -> trial.Result:
    """A line now and then."""
    text = trial.lines(max(1, int(seconds / 0.1)))
    return _timely(folder, f"a slow pipe: ten lines a second, a checkpoint each {EVERY} s", [(0.1, [x]) for x in text])


def bursty(folder: Path, seconds: float) -> trial.Result:
    """Many lines at once, then nothing for a while."""
    rng = random.Random(0)  # noqa: S311  # not for secrets
    batches, spent = [], 0.0
    while spent < seconds:
        pause = rng.uniform(0.2, 2.0)
        batches.append((pause, trial.lines(rng.randrange(1, 3000), seed=len(batches))))
        spent += pause
    return _timely(folder, f"a bursty pipe: up to 3,000 lines, then silence, a checkpoint each {EVERY} s", batches)


def _timely(folder: Path, what: str, batches: list[tuple[float, list[str]]]) -> trial.Result:
    result = trial.Result(what)
    oldest, seen, code, said = _watched(folder, batches)
    result.tried = max(seen, 1)
    result.check(code == 0, f"exit {code}: {said}")
    result.check(seen > 0, "there was no checkpoint")
    result.check(oldest <= LATEST, f"an example waited {oldest:.2f} s for a checkpoint")
    source = folder / "all.libsvm"
    source.write_text("".join(line for _, text in batches for line in text))
    trial.run("train", str(source), "--model", str(folder / "all.ob"))
    same = (folder / "all.ob").read_bytes() == (folder / "m.ob").read_bytes()
    result.check(same, "another model than from a file")
    result.note = f"no example waited longer than {oldest:.2f} s for a checkpoint; the model is that of a file"
    return result


def _peak(pid: int) -> float:
    """The most memory that a process ever held, in MB. (What wait4 tells includes the process it was forked from.)"""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) * 1024 / _MEGABYTE if found else 0.0


def long(folder: Path, lines: int) -> trial.Result:
    """Many lines through a pipe; the peak of memory, beside that of a hundredth of them."""
    result = trial.Result(f"{lines:,} lines through a pipe at constant memory")
    block = folder / "block.libsvm"
    block.write_text("".join(trial.lines(10_000, cells=4)))
    peaks = []
    for many in (max(1, lines // 1_000_000), max(1, lines // 10_000)):
        feed = "import sys; b = open(sys.argv[1], 'rb').read(); n = int(sys.argv[2])\n"
        feed += "for _ in range(n): sys.stdout.buffer.write(b)"
        feeder = subprocess.Popen([sys.executable, "-c", feed, str(block), str(many)], stdout=subprocess.PIPE)
        order = trial.command("train", "-", "--format", "libsvm", "--n-learners", "10", "--model", str(folder / "m.ob"))
        order += ["--checkpoint", "1s"]
        learner = subprocess.Popen(order, stdin=feeder.stdout, stdout=subprocess.DEVNULL)
        assert feeder.stdout is not None  # noqa: S101  # a pipe was asked for
        feeder.stdout.close()
        peak = 0.0
        while learner.poll() is None:
            peak = max(peak, _peak(learner.pid))
            time.sleep(0.02)
        feeder.wait()
        result.tried += 1
        result.check(learner.returncode == 0, f"exit {learner.returncode}")
        learned = load_with_extra(folder / "m.ob")[1]["progress"]["examples"]
        result.check(learned == many * 10_000, f"{learned} examples instead of {many * 10_000}")
        peaks.append(peak)
    result.check(peaks[1] < peaks[0] + 20, f"the peak grew from {peaks[0]:.0f} to {peaks[1]:.0f} MB")
    result.note = f"peak resident memory {peaks[1]:.0f} MB; with a hundredth of the lines, {peaks[0]:.0f} MB"
    return result
