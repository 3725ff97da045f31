"""Instructions per example of the native engine, counted by callgrind and compared with benchmarks/instructions.json.

    python benchmarks/instructions.py            # compare: fails where a count grew by more than 3 %
    python benchmarks/instructions.py --update   # write the counts of this tree

Counts do not depend on how busy the machine is. They do depend on the compiler, so that they are compared only with
counts made by the same major version; valgrind knows no AVX-512, so AVX2 is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onlineboost.boosters import Mixture

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
STORED = HERE / "instructions.json"
ROWS = 300  # kCounted of native/instructions.cpp
ALLOWED = 0.03
INSTRUCTION_SET = "avx2"
SEED = 7
MODELS = (
    "uniform-perceptron",
    "ocp-perceptron",
    "eg-perceptron",
    "experts-perceptron",
    "bbm-perceptron",
    "adaboost_ol-perceptron",
    "uniform-bernoulli",
    "uniform-gaussian",
    "uniform-gradient",
    "ozaboost-perceptron",
    "ogboost-perceptron",
    "ozaboost-bernoulli",
    "ogboost-bernoulli",
    "mixture",
)


def run(*command: str) -> str:
    """What the command printed, both streams; an error says what it printed too."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def build(folder: Path, core: Path | None) -> tuple[str, str]:
    """Builds the driver, around `core` if given; gives its path and the compiler with its major version."""
    engine = f"-DONLINEBOOST_CORE={core.resolve() if core else ''}"
    run("cmake", "-S", str(HERE / "native"), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", engine)
    run("cmake", "--build", str(folder), "--target", "instructions", "--parallel", str(os.cpu_count() or 1))
    described = next(folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text(encoding="utf8")
    name, version = (re.search(rf'CMAKE_CXX_COMPILER_{field} "([^"]*)"', described) for field in ("ID", "VERSION"))
    if name is None or version is None:
        raise RuntimeError("CMake does not say which compiler it used")
    return str(folder / "instructions"), f"{name[1]} {version[1].split('.')[0]}"


def lines_of(parameters: dict[str, Any]) -> Iterator[str]:
    """The parameters as native/models.hpp reads them: without what the engine does not read."""
    types = {bool: "flag", int: "whole", float: "number", str: "text"}
    for name, value in parameters.items():
        if isinstance(value, dict):
            yield from (f"{name} {{", *lines_of(value), "}")
        elif isinstance(value, list):
            yield f"{name} ["
            for one in value:
                yield from ("{", *lines_of(one), "}")
            yield "]"
        elif type(value) in types:
            yield f"{name} {types[type(value)]} {value!r}".replace("'", "")


def mixture(folder: Path) -> str:
    """A file with the default mixture, as declared; of one generation: what an example costs where nothing changes."""
    declared = Mixture(generations=1)
    parameters = {
        "bank": declared.bank_spec(0, SEED),
        "booster": declared.booster_spec(SEED),
        "learners": len(declared.members()),
    }
    path = folder / "mixture.parameters"
    path.write_text("\n".join(lines_of(parameters)), encoding="utf8")
    return str(path)


def count(driver: str, model: str) -> int:
    """Instructions per example."""
    printed = run(
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=learn_counted",
        driver, model, INSTRUCTION_SET,
    )  # fmt: skip
    collected = re.search(r"Collected : (\d+)", printed)
    if collected is None:
        raise RuntimeError(f"callgrind printed no count:\n{printed}")
    return round(int(collected[1]) / ROWS)


def compare(counts: dict[str, int], stored: dict[str, int]) -> bool:
    """Prints the table; whether nothing grew beyond what is allowed."""
    fine = counts.keys() == stored.keys()
    for model, now in counts.items():
        before = stored.get(model)
        change = "new" if before is None else f"{now / before - 1:+.1%}"
        grown = before is not None and now > before * (1 + ALLOWED)
        fine = fine and not grown
        print(f"{model:22} {now:>8,} instructions per example  {change}{'  GREW' if grown else ''}")
    return fine


def main() -> int:
    """Measure, then compare or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the counts instead of comparing them")
    parser.add_argument("--build", type=Path, help="a folder that keeps the build")
    parser.add_argument("--core", type=Path, help="libcore.a of a build of this tree, instead of building the engine")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        driver, compiler = build(arguments.build or Path(temporary), arguments.core)
        given = [mixture(Path(temporary)) if model == "mixture" else model for model in MODELS]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = dict(zip(MODELS, pool.map(lambda model: count(driver, model), given), strict=True))
    stored = json.loads(STORED.read_text(encoding="utf8")) if STORED.is_file() else {"compiler": "", "counts": {}}
    fine = compare(counts, stored["counts"])
    if arguments.update:
        record = {"compiler": compiler, "instruction_set": INSTRUCTION_SET, "learners": 100, "counts": counts}
        STORED.write_text(json.dumps(record, indent=2) + "\n", encoding="utf8")
        print(f"wrote {STORED.name}")
        return 0
    if stored["compiler"] != compiler:
        print(f"Not compared: the stored counts are of {stored['compiler'] or 'no compiler'}, these are of {compiler}.")
        return 0
    if not fine:
        print(
            f"A count grew by more than {ALLOWED:.0%}, or the list of models changed. If that is meant, run\n"
            "    python benchmarks/instructions.py --update\n"
            "and commit benchmarks/instructions.json with the reason."
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
