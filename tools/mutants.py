"""Breaks one line at a time, and counts how many of the faults the tests notice.

    python tools/mutants.py [--match TEXT] [--install COMMAND]

Works in a copy of the tree that is installed in place into this environment: make one for it. Needs the build
requirements of pyproject.toml there. A fault of the engine is compiled, one in Python is read as it is. The quick tests
nearest to a fault are run first, then all quick ones (`-m quick`), then the other ones that are nearest.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Mutant(NamedTuple):
    """A line of a file, what it becomes, and the tests that are nearest."""

    file: str
    line: str
    becomes: str
    nearest: str


MUTANTS = [
    Mutant(
        "native/kernels/weights.hpp",
        "slide<1>(last, next) * s",
        "next * s",
        "reference/test_parity.py",
    ),
    Mutant("native/kernels/weights.hpp", "if (n % 8 == 0)\n", "if (n % 16 == 0)\n", "engine/test_kernels.py"),
    Mutant(
        "native/boosters/bbm.cpp",
        "mistakes_ += y * vote <= 0.0",
        "mistakes_ += y * vote < 0.0",
        "theory/test_later_boosters.py",
    ),
    Mutant(
        "native/boosters/ozaboost.cpp", "kSmallestLambda, kLargestLambda);", "0.0, 1e300);", "reference/test_parity.py"
    ),
    Mutant(
        "native/boosters/multiclass_osboost.cpp",
        "if (k == label) continue;",
        "if (k == rival) continue;",
        "reference/test_multiclass_osboost.py",
    ),
    Mutant(
        "native/boosters/multiclass_osboost.cpp",
        "smooth_.count(margin, s);",
        "smooth_.count(margin, 1.0);",
        "reference/test_multiclass_osboost.py",
    ),
    Mutant(
        "native/boosters/multiclass_osboost.cpp",
        "1.0 - scale * (most - row[i])",
        "1.0 - scale * most + row[i]",
        "reference/test_multiclass_osboost.py",
    ),
    Mutant(
        "native/boosters/multiclass_osboost.cpp",
        "if (sums[i] >= own[i])",
        "if (sums[i] > own[i])",
        "reference/test_multiclass_osboost.py",
    ),
    Mutant(
        "native/boosters/expert_tracker.cpp",
        "(rounds_) + 1.0);",
        "(rounds_) + 2.0);",
        "boosters/test_expert_tracker.py",
    ),
    Mutant(
        "native/boosters/expert_tracker.cpp",
        "surprises_ += s *",
        "surprises_ += 0.5 *",
        "boosters/test_expert_tracker.py",
    ),
    Mutant(
        "native/learners/hoeffding_tree.cpp",
        "leaf.more[1] > leaf.more[0]",
        "leaf.more[1] >= leaf.more[0]",
        "reference/test_parity.py",
    ),
    Mutant("native/engine/calibration.hpp", "        pab_ = -pab_;\n", "", "boosters/test_any_classes.py"),
    Mutant(
        "native/engine/model.cpp",
        "        features_.forget(met);\n        before",
        "        before",
        "engine/test_python_banks.py",
    ),
    Mutant("native/drift/adwin.cpp", "2.0 / 3.0 * inverse", "1.0 / 3.0 * inverse", "boosters/test_drift.py"),
    Mutant(
        "native/text/delimited.cpp", "while (to > from && is_space(text[to - 1])) --to;", "", "streams/test_tables.py"
    ),
    Mutant("native/learners/neighbours.cpp", "(seen / (seen + 1.0))", "(seen / (seen + 2.0))", "reference"),
    Mutant(
        "onlineboost/machine/labels.py", "else inverse[weights >= NEGLIGIBLE]", "else inverse", "machine/test_commit.py"
    ),
    Mutant(
        "onlineboost/machine/labels.py",
        "self.strict or len(self.known) > 2",
        "self.strict or len(self.known) > 3",
        "machine/test_commit.py",
    ),
    Mutant("onlineboost/machine/commit.py", "                features.forget(n_known)\n", "", "machine/test_commit.py"),
    Mutant(
        "onlineboost/machine/machine.py",
        "if here.stop - start == rows.n_rows",
        "if here.stop == rows.n_rows",
        "boosters/test_any_classes.py",
    ),
    Mutant(
        "onlineboost/machine/two_classes.py",
        "if len(columns) < 2:",
        "if len(columns) < 1:",
        "machine/test_commit.py",
    ),
    Mutant("onlineboost/cli/inputs.py", "max(0, self._max_bad - self.position.bad)", "self._max_bad", "cli"),
    Mutant("onlineboost/cli/inputs.py", "sha256(head[:size])", "sha256(head)", "cli"),
    Mutant("onlineboost/theory/certificate.py", ">= 2.0 * self.constants.gamma", ">= self.constants.gamma", "theory"),
    Mutant(
        "onlineboost/theory/certificate.py",
        "self.sums.mass[1:] / self.weight",
        "self.sums.mass[:-1] / self.weight",
        "theory",
    ),
    Mutant("onlineboost/persistence/restore.py", "!= [n_begun]", "== []", "persistence/test_attacks.py"),
]


def killed(mutant: Mutant, tree: Path, install: list[str]) -> tuple[str, str]:
    """Which tests noticed it, quick ones or others, and the first that failed; empty if none did."""
    file = tree / "src" / mutant.file
    before = file.read_text()
    if before.count(mutant.line) != 1:
        raise SystemExit(f"{mutant.file} has {before.count(mutant.line)} times: {mutant.line!r}")
    file.write_text(before.replace(mutant.line, mutant.becomes))
    native = mutant.file.startswith("native/")
    try:
        if native:
            subprocess.run(install, cwd=tree, check=True, capture_output=True)
        nearest = f"tests/{mutant.nearest}"
        for which, where in (
            ("quick", [nearest, "-m", "quick"]),
            ("quick", ["-m", "quick"]),
            ("other", [nearest, "-m", "not quick and not slow"]),
        ):
            found = _first_failure(where, tree)
            if found:
                return which, found
        return "", ""
    finally:
        file.write_text(before)


def _first_failure(where: list[str], tree: Path) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *where]
    tests = subprocess.run(command, cwd=tree, check=False, capture_output=True, text=True)
    if tests.returncode in {0, 5}:  # 5: no tests of that kind are there
        return ""
    if tests.returncode not in {1, 2}:  # 2: xdist was stopped by the first failure
        raise SystemExit(tests.stdout + tests.stderr)
    found = [line for line in tests.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return found[0].split()[1] if found else "a worker that died"


def main() -> None:
    """Print a row per mutant, then the count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--install", default=f"{sys.executable} -m pip install -q --no-build-isolation --no-deps -e .")
    parser.add_argument("--match", default="", metavar="TEXT", help="only mutants of files with TEXT in their path")
    arguments = parser.parse_args()
    install = shlex.split(arguments.install)
    mutants = [mutant for mutant in MUTANTS if arguments.match in mutant.file]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", ".*_cache"))
        os.environ["SKBUILD_BUILD_DIR"] = str(Path(folder) / "build")
        subprocess.run(install, cwd=tree, check=True, capture_output=True)
        counts = {"quick": 0, "other": 0, "": 0}
        changed = False
        for mutant in mutants:
            if changed and not mutant.file.startswith("native/"):
                subprocess.run(install, cwd=tree, check=True, capture_output=True)
            changed = mutant.file.startswith("native/")
            which, by = killed(mutant, tree, install)
            counts[which] += 1
            print(f"| {mutant.file} | `{mutant.line.strip()}` | {which or '**survived**'} | {by} |", flush=True)
    print(f"Of {len(mutants)}, quick tests noticed {counts['quick']}, others {counts['other']}.")


if __name__ == "__main__":
    main()
