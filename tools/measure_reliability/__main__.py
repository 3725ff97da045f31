"""All trials of reliability, and the page about them.

    python tools/measure_reliability                     writes docs/results/reliability.md
    python tools/measure_reliability --scale 0.02 --soak 60             a quick look, nothing is written
    python tools/measure_reliability --scale 0.02 --soak 60 --page FILE  the same, as a page
    python tools/measure_reliability --results FILE      keeps each result there, and goes on with those it finds
    python tools/measure_reliability --sanitized PYTHON  damaged files with an interpreter that has a sanitized build

A build with the sanitizers is made as in .ci/run: pip install with cmake.define.ONLINEBOOST_SANITIZE=ON. It also tries
the failing allocations. One with ONLINEBOOST_SANITIZE=thread (--thread-sanitized PYTHON) looks for races. The soak
takes an hour, or `--soak` seconds, beside which the others run; its faults include failing allocations if the package
is built with their hook (cmake.define.ONLINEBOOST_FAIL_ALLOCATIONS=ON). The page says what was run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

import results_page  # noqa: E402  # the folder of the tools has to be known first
from measure_reliability import attacks, damage, disk, kills, pipes  # noqa: E402  # as above
from measure_reliability.trial import Result  # noqa: E402  # as above

PAGE = results_page.ROOT / "docs" / "results" / "reliability.md"
COMMAND = "python tools/measure_reliability"
SOAK = 3600  # seconds


Trial = Callable[[Path], Result]


def trials(scale: float, python: str | None, racing: str | None) -> list[dict[str, Trial]]:
    """Groups of trials by name: those of a group may run side by side."""

    def n(count: int) -> int:
        return max(1, round(count * scale))

    def attack(name: str, size: int, python: str | None = None) -> dict[str, Trial]:
        return {name: lambda _: attacks.in_a_process(name, n(size), python)}

    def damaged(kind: str) -> Trial:
        return lambda _: damage.mutated_inputs(kind, n(10_000), python)

    return [
        attack("threads", 100_000),
        {"races": lambda _: under_thread_sanitizer(n(10_000), racing)},
        attack("memory", 200),
        attack("allocations", 3, python),
        attack("forks", 100),
        attack("exits", 100),
        attack("forged", 2_000),
        attack("injected", 220),
        {"slow": lambda folder: pipes.slow(folder, max(5.0, 20 * scale))},
        {"bursty": lambda folder: pipes.bursty(folder, max(5.0, 20 * scale))},
        {"long": lambda folder: pipes.long(folder, max(1_000_000, n(10_000_000)))},
        {"kills": lambda folder: kills.measure(folder, 2 * n(100), chains=2)},
        {
            "damaged": lambda folder: kills.damaged(folder, n(20)),
            "limited": lambda folder: disk.limited(folder, n(20)),
            "tmpfs": lambda folder: disk.tmpfs(folder, n(20)),
            "rivals": lambda folder: disk.rivals(folder, n(20)),
            "truncated": lambda _: damage.truncated(n(1000)),
            "models": lambda _: damage.mutated_models(n(10_000), python),
            **{kind: damaged(kind) for kind in damage.FORMATS},
        },
    ]


def under_thread_sanitizer(size: int, python: str | None) -> Result:
    """The threads' attack with a build that sees races in the native part."""
    if python is None:
        return Result("the same under ThreadSanitizer", note="not tried: --thread-sanitized PYTHON")
    result = attacks.in_a_process("threads", size, python, races=True)
    result.note = "no race was reported"
    return result


def main() -> None:
    """Run everything; exit with 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of what is tried; below 1, --page says where")
    parser.add_argument(
        "--soak", type=int, default=SOAK, metavar="SECONDS", help=f"length of the soak (default: {SOAK})"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="where to write the page")
    parser.add_argument("--sanitized", metavar="PYTHON", help="an interpreter with a sanitized build of the package")
    parser.add_argument("--thread-sanitized", metavar="PYTHON", help="one with a build for ThreadSanitizer")
    parser.add_argument("--remark", default="", help="a sentence for the page, where its rows were measured in parts")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keeps results, and takes those that are there")
    arguments = parser.parse_args()
    results = read(arguments.results)

    def run(name: str, one: Trial) -> None:
        if name in results:
            return
        with tempfile.TemporaryDirectory() as folder:
            result = results[name] = one(Path(folder))
        if arguments.results:
            arguments.results.write_text(json.dumps({key: asdict(value) for key, value in results.items()}))
        print(f"{result.what}: {result.tried:,} tried, {len(result.failures):,} failed. {result.note}", flush=True)
        for failure in result.failures[:5]:
            print(f"    {failure}", flush=True)

    groups = trials(arguments.scale, arguments.sanitized, arguments.thread_sanitized)
    with ThreadPoolExecutor(2) as pool, ThreadPoolExecutor(1) as beside:
        soaked = beside.submit(run, "soak", lambda _: attacks.in_a_process("soak", max(1, arguments.soak)))
        for group in groups:
            list(pool.map(run, group.keys(), group.values()))
        soaked.result()
    in_order = [results[name] for group in groups for name in group] + [results["soak"]]
    page = arguments.page or (PAGE if arguments.scale >= 1 else None)
    if page:
        write(page, in_order, arguments)
    sys.exit(any(result.failures for result in in_order))


def read(path: Path | None) -> dict[str, Result]:
    """The results that are there already."""
    if path is None or not path.exists():
        return {}
    return {name: Result(**found) for name, found in json.loads(path.read_text()).items()}


def command(arguments: argparse.Namespace) -> str:
    """What was run, but for the places of interpreters and files."""
    words = [COMMAND]
    words += [f"--scale {arguments.scale:g}"] if arguments.scale != 1 else []
    words += [f"--soak {arguments.soak}"] if arguments.soak != SOAK else []
    words += ["--sanitized PYTHON"] if arguments.sanitized else []
    words += ["--thread-sanitized PYTHON"] if arguments.thread_sanitized else []
    return " ".join(words)


def write(page: Path, results: list[Result], arguments: argparse.Namespace) -> None:
    """The page."""
    lines = results_page.header("Reliability: what was done to it, and what broke", command(arguments))
    sanitized = arguments.sanitized is not None
    where = "under AddressSanitizer and UndefinedBehaviorSanitizer" if sanitized else "with the release build"
    lines += [
        f"Damaged model files and inputs were read {where}. {arguments.remark}".rstrip(),
        "",
        "| what | tried | failed | notes |",
        "|---|---|---|---|",
        *(
            f"| {r.what} | {r.tried:,} | {len(r.failures):,} | {r.failures[0] if r.failures else r.note} |"
            for r in results
        ),
    ]
    results_page.write(page, lines)


if __name__ == "__main__":
    main()
