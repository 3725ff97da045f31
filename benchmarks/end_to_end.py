"""From a text file to a model file in a fresh process, beside Vowpal Wabbit: writes docs/results/end-to-end.md.

    python benchmarks/end_to_end.py [--repetitions 7] [--cache .venvs]

Both read adult as text, each in its own format, and write a model; they take turns, so that a slow minute of the
machine hits both. Ours is timed from the start of the process to its end. VW comes as a Python package, whose
imports are not its own work: it is timed both so and from the moment when it is given its options.
"""

from __future__ import annotations

import argparse
import lzma
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import environments

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

import results_page  # noqa: E402  # from the tools folder

PAGE = results_page.ROOT / "docs" / "results" / "end-to-end.md"
VW = """\
import sys, time
from vowpalwabbit import Workspace
start = time.perf_counter()
Workspace(arg_list=["--quiet", *sys.argv[1:]]).finish()
print(time.perf_counter() - start)
"""
ASKED = 5.0


@dataclass
class Seen:
    """The seconds of all repetitions: on the clock, and on the processor."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        middle, least, most = statistics.median(self.wall), min(self.wall), max(self.wall)
        return f"{middle:.3f} ({least:.3f} to {most:.3f}) | {statistics.median(self.cpu):.3f}"


def timed(command: list[str], seen: Seen) -> str:
    """One process; what it printed."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = (pipe.read().decode() for pipe in (process.stdout, process.stderr) if pipe is not None)
    _, status, usage = os.wait4(process.pid, 0)
    seen.wall.append(time.perf_counter() - began)
    seen.cpu.append(usage.ru_utime + usage.ru_stime)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{err[-2000:]}")
    return out


def make_texts(folder: Path) -> tuple[Path, Path, int]:
    """Adult as LIBSVM text, and the same as VW's."""
    data = results_page.data_folder()
    if data is None:
        raise RuntimeError("adult is not there: name the folder of the data sets with ONLINEBOOST_DATA.")
    text = "".join(
        lzma.decompress((Path(data) / "libsvm" / f"{name}.xz").read_bytes()).decode() for name in ("a9a", "a9a.t")
    )
    ours, theirs = folder / "adult.libsvm", folder / "adult.vw"
    ours.write_text(text)
    theirs.write_text(re.sub(r"(?m)^(\S+) ", r"\1 | ", text))
    return ours, theirs, text.count("\n")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--cache", type=Path, default=environments.DEFAULT_CACHE)
    arguments = parser.parse_args()
    vw = str(environments.python_of("vw", arguments.cache))
    names = ("train", "VW", "VW work", "numpy", "python")
    seen = {name: Seen() for name in names}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs, examples = make_texts(folder)
        train = [str(Path(sys.executable).with_name("onlineboost")), "train", str(ours), "--booster", "osboost"]
        train += ["--learner", "perceptron", "--n-learners", "100", "--model", str(folder / "m.ob")]
        boost = [vw, "-c", VW, "-d", str(theirs), "--boosting", "100", "--alg", "BBM", "-f", str(folder / "m.vw")]
        for k in range(arguments.repetitions + 1):
            if k == 1:  # the first round has warmed caches, files and compiled modules
                seen = {name: Seen() for name in names}
            timed(train, seen["train"])
            seen["VW work"].wall.append(float(timed(boost, seen["VW"])))
            seen["VW work"].cpu.append(float("nan"))
            timed([sys.executable, "-c", "import numpy"], seen["numpy"])
            timed([sys.executable, "-c", "pass"], seen["python"])
    work, whole, ours_s = (statistics.median(seen[name].wall) for name in ("VW work", "VW", "train"))
    lines = results_page.header("From text to a model file, beside Vowpal Wabbit", "python benchmarks/end_to_end.py")
    lines += [
        f"adult ({examples:,} examples) as text, 100 weak learners, one pass, a fresh process each time; median (least",
        f"to most) of {arguments.repetitions} interleaved repetitions, in seconds.",
        "",
        "| what | on the clock | on the processor |",
        "|---|---|---|",
        f"| `onlineboost train adult.libsvm --n-learners 100 --model m.ob`, start to end | {seen['train']} |",
        f"| of that: Python starts | {seen['python']} |",
        f"| of that: Python starts and imports NumPy | {seen['numpy']} |",
        f"| VW `-d adult.vw --boosting 100 --alg BBM -f m.vw`, start to end in its Python package | {seen['VW']} |",
        f"| the same without the imports of the package | {str(seen['VW work']).replace('nan', '–')} |",
        "",
        "| ratio | measured | asked |",
        "|---|---|---|",
        f"| VW without its imports, to ours with all of them | {work / ours_s:.1f} × | ≥ {ASKED:.0f} × |",
        f"| both from start to end | {whole / ours_s:.1f} × | |",
    ]
    results_page.write(PAGE, lines)


if __name__ == "__main__":
    main()
