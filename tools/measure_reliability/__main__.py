"""All trials of reliability, and the page about them.

    python tools/measure_reliability                     writes docs/results/reliability.md
    python tools/measure_reliability --scale 0.02        a quick look, nothing is written
    python tools/measure_reliability --sanitized PYTHON  damaged files with an interpreter that has a sanitized build

A build with the sanitizers is made as in .ci/run: pip install with cmake.define.ONLINEBOOST_SANITIZE=ON.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

sys.path[0] = str(Path(__file__).resolve().parents[1])

import results_page  # noqa: E402  # the folder of the tools has to be known first
from measure_reliability import attacks, damage, disk, kills, pipes  # noqa: E402  # as above
from measure_reliability.trial import Result  # noqa: E402  # as above

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = results_page.ROOT / "docs" / "results" / "reliability.md"
COMMAND = "python tools/measure_reliability"


def trials(scale: float, python: str | None) -> list[list[Callable[[Path], Result]]]:
    """Groups of trials: those of a group may run side by side."""

    def n(count: int) -> int:
        return max(1, round(count * scale))

    files: list[Callable[[Path], Result]] = [lambda _: damage.mutated_models(n(10_000), python)]
    files += [lambda _, kind=kind: damage.mutated_inputs(kind, n(10_000), python) for kind in damage.FORMATS]
    attacked = [
        [lambda _: attack("eight threads, every public verb, on every kind of model", "threads", n(100_000))],
        [lambda _: attack("memory runs out while new features come (RLIMIT_AS)", "memory", n(200))],
        [lambda _: attack("fork while another thread is in the engine", "forks", n(100))],
        [lambda _: attack("the interpreter ends while a daemon thread is in the engine", "exits", n(100))],
        [lambda _: attack(f"a soak of {n(3600):,} s, operations with faults injected", "soak", n(3600))],
    ]
    return [
        *attacked,
        [lambda folder: pipes.slow(folder, max(5.0, 20 * scale))],
        [lambda folder: pipes.bursty(folder, max(5.0, 20 * scale))],
        [lambda folder: pipes.long(folder, max(1_000_000, n(10_000_000)))],
        [lambda folder: kills.measure(folder, 2 * n(100), chains=2)],
        [
            lambda folder: kills.damaged(folder, n(20)),
            lambda folder: disk.limited(folder, n(20)),
            lambda folder: disk.tmpfs(folder, n(20)),
            lambda folder: disk.rivals(folder, n(20)),
            lambda _: damage.truncated(n(1000)),
            *files,
        ],
    ]


def attack(what: str, name: str, size: int) -> Result:
    """An attack on a living model, in a process of its own."""
    tried, failures = attacks.in_a_process(name, size)
    notes = {
        "threads": "nothing hung, every model stayed whole and savable",
        "memory": "one MemoryError; with memory again, the bytes of a twin that learned as much",
        "forks": "each child worked or was told in one sentence",
        "exits": "exit code 0, nothing on standard error",
        "soak": "answers equal to those of an undisturbed twin; resident memory flat",
    }
    return Result(what, tried, failures, notes[name])


def main() -> None:
    """Run everything; exit with 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="how much is tried; less than 1 writes no page")
    parser.add_argument("--sanitized", metavar="PYTHON", help="an interpreter with a sanitized build of the package")
    arguments = parser.parse_args()
    began = time.monotonic()
    results: list[Result] = []

    def run(one: Callable[[Path], Result]) -> Result:
        with tempfile.TemporaryDirectory() as folder:
            return one(Path(folder))

    with ThreadPoolExecutor(2) as pool:
        for group in trials(arguments.scale, arguments.sanitized):
            for result in pool.map(run, group):
                results.append(result)
                print(
                    f"{result.what}: {result.tried:,} tried, {len(result.failures):,} failed. {result.note}", flush=True
                )
                for failure in result.failures[:5]:
                    print(f"    {failure}", flush=True)
    if arguments.scale >= 1:
        write(results, time.monotonic() - began, sanitized=arguments.sanitized is not None)
    sys.exit(any(result.failures for result in results))


def write(results: list[Result], seconds: float, *, sanitized: bool) -> None:
    """The page."""
    lines = results_page.header("Reliability: what was done to it, and what broke", COMMAND)
    where = "under AddressSanitizer and UndefinedBehaviorSanitizer" if sanitized else "with the release build"
    lines += [
        f"All trials together took {seconds / 60:.0f} minutes. Damaged model files and inputs were read {where}.",
        "",
        "| what | tried | failed | notes |",
        "|---|---|---|---|",
        *(
            f"| {r.what} | {r.tried:,} | {len(r.failures):,} | {r.failures[0] if r.failures else r.note} |"
            for r in results
        ),
    ]
    results_page.write(PAGE, lines)


if __name__ == "__main__":
    main()
