"""A disk that is full while a checkpoint is written, and two processes that want one path."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from measure_reliability import trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def _halves(folder: Path, rows: int) -> tuple[list[str], bytes]:
    """Two files that are one stream, and the model of both."""
    text = trial.lines(rows)
    files = [folder / "1.libsvm", folder / "2.libsvm"]
    files[0].write_text("".join(text[: rows // 2]))
    files[1].write_text("".join(text[rows // 2 :]))
    whole = folder / "whole.ob"
    trial.run("train", *map(str, files), "--model", str(whole))
    return [str(file) for file in files], whole.read_bytes()


def _full(
    result: trial.Result, files: list[str], truth: bytes, place: Path, fill: Callable[[], Any], **options: Any
) -> None:
    """The first half is learned; then there is no room for the second; then there is."""
    for path in place.iterdir():
        path.unlink()
    model = place / "m.ob"
    base = ("--model", str(model), "--checkpoint", "300")
    trial.run("train", files[0], *base)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    undo = fill()
    done = trial.run("train", *files, *base, "--resume", **options)
    undo()
    after = {path.name: path.read_bytes() for path in place.iterdir()}
    result.tried += 1
    result.check(done.returncode == 2 and "cannot be written" in done.stderr, f"exit {done.returncode}: {done.stderr}")
    result.check("Traceback" not in done.stderr, done.stderr)
    result.check(before == after, f"the files were changed: {sorted(before)} became {sorted(after)}")
    trial.run("train", *files, *base, "--resume")
    result.check(model.read_bytes() == truth, "another model than undisturbed")


def limited(folder: Path, cases: int, rows: int = 4000) -> trial.Result:
    """Files may not grow beyond a limit (RLIMIT_FSIZE)."""
    result = trial.Result("no room for a checkpoint: RLIMIT_FSIZE, up to half of the model")
    files, truth = _halves(folder, rows)
    place = folder / "place"
    place.mkdir()
    for k in range(cases):
        size = k * (len(truth) // 2) // max(1, cases - 1)  # earlier checkpoints are a little smaller than the last

        def limit(size: int = size) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        _full(result, files, truth, place, lambda: lambda: None, preexec_fn=limit)  # one thread
    result.note = "one sentence, exit 2, both files as before, nothing half-written; with room again, the same bytes"
    return result


def tmpfs(folder: Path, cases: int, rows: int = 4000) -> trial.Result:
    """A small file system that is full to the last page."""
    result = trial.Result("no room for a checkpoint: a small tmpfs, filled up")
    files, truth = _halves(folder, rows)
    with _mounted(folder / "small", 8 * len(truth)) as place:
        if place is None:
            result.note = "not tried: mounting is not allowed here"
            return result
        for k in range(cases):

            def fill(left: int = k * len(truth) // (2 * cases)) -> Callable[[], Any]:
                ballast = place / "ballast"
                with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
                    while True:
                        file.write(bytes(512))
                os.truncate(ballast, max(0, ballast.stat().st_size - left))
                return ballast.unlink

            _full(result, files, truth, place, fill)
    result.note = "as above"
    return result


@contextlib.contextmanager
def _mounted(place: Path, size: int) -> Iterator[Path | None]:
    place.mkdir()
    mount = shutil.which("mount")
    mounted = mount is not None and os.geteuid() == 0
    if mounted:
        order = [str(mount), "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        mounted = subprocess.run(order, capture_output=True, check=False).returncode == 0
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)  # noqa: S607  # of the system


def rivals(folder: Path, cases: int, rows: int = 4000) -> trial.Result:
    """Three processes at once on one path: those that come too late say so, and the model is whole."""
    result = trial.Result("three processes on one `--model` at once")
    source, model = folder / "s.libsvm", folder / "m.ob"
    source.write_text("".join(trial.lines(rows)))
    trial.run("train", str(source), "--model", str(model))
    truth, refused = model.read_bytes(), 0
    order = trial.command("train", str(source), "--model", str(model), "--checkpoint", "100")
    for _ in range(cases):
        started = [subprocess.Popen(order, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
        said = [process.communicate()[1].decode() for process in started]
        result.tried += 1
        for process, text in zip(started, said, strict=True):
            late = process.returncode == 2 and "Another process is writing" in text and text.count("\n") == 1
            refused += late
            result.check(late or process.returncode == 0, f"exit {process.returncode}: {text}")
        result.check(any(process.returncode == 0 for process in started), "nobody got the path")
        result.check(model.read_bytes() == truth, "another model than undisturbed")
        result.check(trial.folder_holds(folder, "s.libsvm", "m.ob", "m.ob.1"), "something was left behind")
    result.note = f"{refused} processes were refused with one sentence"
    return result
