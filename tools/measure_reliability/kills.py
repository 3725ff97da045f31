"""kill -9 at random moments of a training run, and --resume: the end is the same, bit for bit."""

from __future__ import annotations

import gzip
import random
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from measure_reliability import trial

from onlineboost.persistence import ModelFileError, load_with_extra

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 20_000


class Run:
    """One way to train: a file, a compressed table, or a pipe."""

    def __init__(self, name: str, folder: Path, file: Path, options: list[str], *, pipe: bool, every: str) -> None:
        self.name = name
        self.file = file
        self.pipe = pipe
        self.model = folder / f"{name}.ob"
        self.options = [*options, "--model", str(self.model), "--checkpoint", every]

    def start(self, *, resume: bool) -> list[subprocess.Popen[bytes]]:
        """The process that learns, and the one that feeds it if there is one."""
        source = "-" if self.pipe else str(self.file)
        command = trial.command("train", source, *self.options, *(["--resume"] if resume else []))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        if not self.pipe:
            return [subprocess.Popen(command, **quiet)]
        feeder = subprocess.Popen(["cat", str(self.file)], stdout=subprocess.PIPE)  # noqa: S607  # of the system
        learner = subprocess.Popen(command, stdin=feeder.stdout, **quiet)
        assert feeder.stdout is not None  # noqa: S101  # a pipe was asked for
        feeder.stdout.close()
        return [learner, feeder]

    def learning(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the process has started to learn, or is over."""
        lock = self.model.with_name(f"{self.model.name}.lock")
        while process.poll() is None and not lock.exists():
            time.sleep(0.002)

    def finish(self, *, resume: bool) -> tuple[int, str]:
        """Learn to the end; exit code and what was said."""
        return self.wait(self.start(resume=resume))

    def wait(self, processes: list[subprocess.Popen[bytes]]) -> tuple[int, str]:
        """Wait for the learner, then for its feeder."""
        said = processes[0].communicate()[1].decode()
        for process in processes[1:]:
            process.wait()
        return processes[0].returncode, said

    def forget(self) -> None:
        """Remove the model, and the lock that a killed process leaves."""
        for path in self.model.parent.glob(f"*{self.model.name}*"):
            path.unlink()


def runs(folder: Path, rows: int = ROWS) -> list[Run]:
    """The ways to train that are tried."""
    text = trial.lines(rows)
    plain, packed = folder / "stream.libsvm", folder / "table.csv.gz"
    plain.write_text("".join(text))
    packed.write_bytes(gzip.compress(trial.as_csv(text).encode(), 1))
    table = ["--text", "words:8", "--learner", "naive-bayes", "--n-learners", "20"]
    return [
        Run("file", folder, plain, ["--seed", "1"], pipe=False, every="100"),
        Run("table", folder, packed, table, pipe=False, every="0.02s"),
        Run("pipe", folder, plain, ["--format", "libsvm", "--vote", "ocp"], pipe=True, every="0.01s"),
    ]


def measure(folder: Path, kills: int, rows: int = ROWS, chains: int = 1) -> trial.Result:
    """Kill and resume, again and again, until so many kills have hit a process; chains of them side by side."""
    result = trial.Result("kill -9 at a random moment of training, then `--resume`")
    places = [folder / str(seed) for seed in range(chains)]
    for place in places:
        place.mkdir()
    with ThreadPoolExecutor(chains) as pool:
        parts = list(pool.map(lambda place: _chain(place, kills // chains, rows, int(place.name)), places))
    for part, _, _ in parts:
        result.tried += part.tried
        result.failures += part.failures
    finished, saved = (sum(part[k] for part in parts) for k in (1, 2))
    result.note = (
        f"{finished} runs came to their end, each with the bytes of an undisturbed one; {saved} of the kills left a "
        "checkpoint, all of them whole; a file, a gzipped CSV table and a pipe by turns"
    )
    return result


def _chain(folder: Path, kills: int, rows: int, seed: int) -> tuple[trial.Result, int, int]:
    """Counts of kills, of runs that came to their end, and of kills that left a checkpoint."""
    result = trial.Result("")
    rng = random.Random(seed)  # noqa: S311  # not for secrets
    ways = runs(folder, rows)
    truth, durations, finished, saved = {}, {}, 0, 0
    for way in ways:
        began = time.monotonic()
        processes = way.start(resume=False)
        way.learning(processes[0])
        started = time.monotonic()
        code, said = way.wait(processes)
        durations[way.name] = (time.monotonic() - began, time.monotonic() - started)
        result.check(code == 0, f"{way.name}: exit {code}: {said}")
        truth[way.name] = way.model.read_bytes()
        way.forget()
    while result.tried < kills:
        way = ways[finished % len(ways)]
        processes = way.start(resume=True)
        early = rng.random() < 0.25  # even while the interpreter starts
        if not early:
            way.learning(processes[0])
        time.sleep(rng.uniform(0.0, durations[way.name][0 if early else 1]))
        processes[0].kill()
        code, said = way.wait(processes)
        if code == -9:
            result.tried += 1
            saved += way.model.exists()
            result.check(_whole(way.model), f"{way.name}: after a kill, a file that cannot be read")
            way.model.with_name(f"{way.model.name}.lock").unlink(missing_ok=True)  # so that the next one's is seen
            continue
        result.check(code == 0, f"{way.name}: exit {code}: {said}")
        finished += 1
        result.check(way.model.read_bytes() == truth[way.name], f"{way.name}: another model than undisturbed")
        way.forget()
    for way in ways:  # whatever the last kill left
        if way.model.exists():
            way.finish(resume=True)
            result.check(way.model.read_bytes() == truth[way.name], f"{way.name}: another model than undisturbed")
            finished += 1
            way.forget()
    return result, finished, saved


def _whole(model: Path) -> bool:
    for path in (model, model.with_name(model.name + ".1")):
        if path.exists():
            try:
                load_with_extra(path)
            except ModelFileError:
                return False
    return True


def damaged(folder: Path, cases: int, rows: int = 4000, seed: int = 0) -> trial.Result:
    """The newest checkpoint is cut short: --resume goes on from the one before, to the same end."""
    result = trial.Result("newest checkpoint cut short, then `--resume` from the one before")
    rng = random.Random(seed)  # noqa: S311  # not for secrets
    way = runs(folder, rows)[0]
    way.finish(resume=False)
    truth = way.model.read_bytes()
    before = way.model.with_name(way.model.name + ".1")
    kept = folder / "kept"
    shutil.copy(before, kept)
    for _ in range(cases):
        shutil.copy(kept, before)
        way.model.write_bytes(truth[: rng.randrange(len(truth))])
        code, said = way.finish(resume=True)
        result.tried += 1
        result.check(code == 0 and way.model.read_bytes() == truth, f"exit {code}: {said}")
    way.forget()
    return result
