"""Model files and inputs that are damaged: each is refused with a sentence, or is whole."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

from measure_reliability import trial

HERE = Path(__file__).resolve().parent
FORMATS = ("libsvm", "vw", "csv", "tsv", "jsonl", "parquet", "arrow")


def truncated(cases: int, models: int = 12, seed: int = 0) -> trial.Result:
    """Model files cut at every byte of the header, and at random bytes behind it."""
    from measure_reliability.model_files import originals  # noqa: PLC0415  # it makes models

    from onlineboost import ModelFileError, from_bytes  # noqa: PLC0415  # as above

    result = trial.Result("model file cut at every byte of its header and at random bytes")
    rng = random.Random(seed)  # noqa: S311  # not for secrets
    for data in originals()[:: max(1, len(originals()) // models)]:
        header = 8 + int.from_bytes(data[:8], "little")
        cuts = [*range(min(header + 1, len(data))), *(rng.randrange(header, len(data)) for _ in range(cases))]
        for cut in cuts:
            result.tried += 1
            try:
                from_bytes(data[:cut])
            except ModelFileError:
                continue
            except Exception as error:  # noqa: BLE001  # whatever else comes out is what is looked for
                result.failures.append(f"cut at {cut}: {type(error).__name__}: {error}")
            else:
                result.failures.append(f"cut at {cut}: it loads")
    result.note = "each refused with one sentence"
    return result


def sanitizers(*, threads: bool = False) -> dict[str, str]:
    """What an interpreter with a sanitized build of the package is started with; `threads`: of ThreadSanitizer's."""
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607  # of the system
        for name in (("libtsan.so",) if threads else ("libasan.so", "libubsan.so"))
    ]
    return {
        "LD_PRELOAD": " ".join(libraries),
        "TSAN_OPTIONS": "halt_on_error=1:history_size=4",
        "ASAN_OPTIONS": "detect_leaks=0:strict_string_checks=1:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


def _script(name: str, arguments: list[str], python: str | None) -> subprocess.CompletedProcess[str]:
    extra = {} if python is None else sanitizers()
    order = [python or sys.executable, str(HERE / name), *arguments]
    return subprocess.run(order, capture_output=True, text=True, check=False, env={**os.environ, **extra})


def mutated_models(cases: int, python: str | None = None) -> trial.Result:
    """Model files with bytes changed, and forged ones; `python` has a sanitized build."""
    result = trial.Result("model files damaged or forged", cases)
    done = _script("model_files.py", ["--cases", str(cases)], python)
    counts = {name: re.search(rf'"{name}": (\d+)', done.stdout) for name in ("tried", "refused", "loaded", "failed")}
    if not all(counts.values()):
        result.failures.append(f"exit {done.returncode}: {done.stderr[-500:]}")
        return result
    numbers = {name: int(match[1]) for name, match in counts.items() if match}
    result.tried = numbers["tried"]
    result.failures += [done.stdout[-500:]] * numbers["failed"]
    result.note = f"{numbers['refused']:,} refused with a sentence, {numbers['loaded']:,} loaded, predicted and learned"
    return result


def mutated_inputs(kind: str, cases: int, python: str | None = None) -> trial.Result:
    """Inputs of a format with bytes changed; `python` has a sanitized build."""
    result = trial.Result(f"damaged inputs: {kind}", cases)
    done = _script("fuzz_streams.py", ["--cases", str(cases), kind], python)
    found = re.search(r": ([\d,]+) files, (.*), ([\d,]+) failed", done.stdout)
    if not found:
        result.failures.append(f"exit {done.returncode}: {done.stderr[-500:]}")
        return result
    result.tried = int(found[1].replace(",", ""))
    result.failures += [done.stdout[-500:]] * int(found[3].replace(",", ""))
    result.note = found[2]
    return result
