"""Measure, and write a results page each.

    python -m benchmarks            speed beside the peers: docs/results/speed.md
    python -m benchmarks latency    one example at a time:  docs/results/latency.md
    python -m benchmarks accuracy   errors on the twelve data sets: docs/results/accuracy.md
    python -m benchmarks retraining beside batch boosters that keep all rows: docs/results/retraining.md
    python -m benchmarks scale      learners, features, examples, threads: docs/results/scale.md

Run it from the root of the checkout, with the package installed, on a machine that does nothing else. The peers'
virtual environments are made on the first run. With --quick or --only the page is printed, not written.
"""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

from benchmarks import environments

MODULES = {
    "speed": "benchmarks.speed",
    "latency": "benchmarks.latency",
    "scale": "benchmarks.scale.report",
    "accuracy": "benchmarks.accuracy.report",
    "retraining": "benchmarks.accuracy.retraining",
}


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=tuple(MODULES), default="speed")
    parser.add_argument("--quick", action="store_true", help="few rows, one repetition: does it run?")
    parser.add_argument(
        "--only", action="append", choices=tuple(environments.REQUIREMENTS), help="these peers only (repeatable)"
    )
    parser.add_argument("--repetitions", type=int, help="interleaved repetitions (3)")
    parser.add_argument(
        "--cache", type=Path, default=environments.DEFAULT_CACHE, help="folder of the peers' environments (%(default)s)"
    )
    parser.add_argument("--data", type=Path, help="folder of the data sets ($ONLINEBOOST_DATA, or ../shared/data)")
    errors = parser.add_argument_group(
        "accuracy and retraining", "a run takes up where the last one stopped; --only says what to measure"
    )
    errors.add_argument("--cells", type=Path, metavar="FILE", help="what was measured (docs/results/WHAT.json)")
    errors.add_argument("--system", action="append", metavar="NAME", help="retraining: this one only (repeatable)")
    errors.add_argument("--again", action="store_true", help="measure cells again that are there")
    errors.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after as many minutes")
    arguments = parser.parse_args()
    arguments.repetitions = arguments.repetitions or (1 if arguments.quick else 3)
    if arguments.repetitions < 1:
        parser.error("--repetitions must be at least 1.")
    if arguments.data is not None and not arguments.data.is_dir():
        parser.error(f"--data {arguments.data} is not a folder.")
    start = time.perf_counter()
    importlib.import_module(MODULES[arguments.what]).main(arguments)
    print(f"took {(time.perf_counter() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
