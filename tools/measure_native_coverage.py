"""Which lines of the native engine the tests that feed it run: writes docs/results/native-coverage.md.

    python tools/measure_native_coverage.py        (needs: pip install gcovr ".[test]")

Builds the package with gcov's counters into a temporary folder, runs the tests that are marked `engine` against it, and
lists the lines that no test reached.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import results_page


def run(*command: str, **more: object) -> None:
    """Run a command; its output is shown only if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def main() -> None:
    """Measure and write."""
    root = results_page.ROOT
    run(sys.executable, "-m", "gcovr", "--version")
    with tempfile.TemporaryDirectory() as folder:
        site, build = Path(folder) / "site", Path(folder) / "build"
        run(
            *(sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(site)),
            *(
                f"--config-settings=build-dir={build}",
                "--config-settings=cmake.define.ONLINEBOOST_COVERAGE=ON",
                str(root),
            ),
        )
        tests = ["-m", "engine", str(root / "tests")]
        environment = {**os.environ, "PYTHONPATH": str(site)}
        run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=folder, env=environment)
        report = Path(folder) / "coverage.json"
        run(sys.executable, "-m", "gcovr", "--root", str(root / "src" / "native"), "--json", str(report), str(build))
        files = json.loads(report.read_text(encoding="utf8"))["files"]

    lines = results_page.header("Native lines run by the tests", "python tools/measure_native_coverage.py")
    lines += ["| file | lines | run | not run |", "|---|---|---|---|"]
    total = hit = 0
    for file in sorted(files, key=lambda f: f["file"]):
        counts: dict[int, int] = {}
        for line in file["lines"]:  # a template or a per-instruction-set copy counts once
            counts[line["line_number"]] = max(counts.get(line["line_number"], 0), line["count"])
        missed = sorted(number for number, count in counts.items() if count == 0)
        total += len(counts)
        hit += len(counts) - len(missed)
        lines.append(
            f"| {file['file']} | {len(counts)} | {len(counts) - len(missed)} | {', '.join(map(str, missed))} |"
        )
    lines.append(f"| **all** | {total} | {hit} ({hit / total:.1%}) | |")
    results_page.write(root / "docs" / "results" / "native-coverage.md", lines)


if __name__ == "__main__":
    main()
