"""Files that declare more than they hold: loading takes memory in proportion to the file's length, or is refused.

Every number of every declaration is set to its largest and to powers of ten on the way, alone and all at once; so are
the features, the classes and the width that a file speaks of. Each is loaded in a forked child that may take `MARGIN`
bytes and `PROPORTION` bytes per byte of the file, and no more.
"""

from __future__ import annotations

import copy
import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
from measure_reliability import subjects

from onlineboost.boosters import Booster
from onlineboost.declarations import Integer
from onlineboost.learners import Learner
from onlineboost.persistence import ModelFileError, from_bytes
from onlineboost.persistence.container import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARGIN = 64 * 2**20
PROPORTION = 64
SECONDS = 20
Arrays = dict[str, np.ndarray[Any, Any]]


def forged(cases: int) -> tuple[int, list[str], str]:
    """At least so many files: after the systematic ones, several declarations at random."""
    failures: list[str] = []
    tried = refused = 0
    rng = np.random.default_rng(0)
    made = {name: make() for name, make in subjects.subjects().items() if not name.endswith(subjects.IN_PYTHON)}
    files = {name: model.partial_fit(*subjects.rows(model, 0)).to_bytes() for name, model in made.items()}
    share = max(1, cases // len(files))
    for name, data in files.items():
        for what, forgery in forgeries(data, share, rng):
            code = loaded_within(forgery, MARGIN + PROPORTION * len(forgery))
            tried += 1
            refused += code == 1
            if code not in {0, 1}:
                failures.append(f"{name}, {what}: {len(forgery):,} bytes, {_SAYS.get(code, code)}")
    said = f"{refused:,} refused with a sentence, {tried - refused:,} loaded"
    return tried, failures, f"{said}, each within 64 MB and {PROPORTION} times the file's length"


_SAYS = {2: "too much memory", 3: "another error", -signal.SIGALRM: "too long"}


def loaded_within(data: bytes, room: int) -> int:
    """Load in a child with so much memory: 0 it works, 1 refused, 2 no memory, 3 another error."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 3
    try:
        signal.alarm(SECONDS)
        with subjects.little_memory(room):
            try:
                from_bytes(data)
                code = 0
            except ModelFileError:
                code = 1
            except MemoryError:
                code = 2
    finally:
        os._exit(code)


def forgeries(data: bytes, share: int, rng: np.random.Generator, *, powers: bool = True) -> Iterator[tuple[str, bytes]]:
    """What is forged, and the file; without `powers`, all numbers at their largest only."""
    document, arrays = unpack(data)
    places = list(_integers(document))
    single = [
        (f"{key}={value}", [(path, key, value)]) for path, key, most in places for value in _sizes(most) if powers
    ]
    together = [("all at their largest", [(path, key, most) for path, key, most in places])]
    drawn = []
    for _ in range(max(0, share - len(single))):
        chosen = [place for place in places if rng.random() < 0.5]
        changes = [(path, key, int(min(most, 10 ** rng.uniform(0, 8)))) for path, key, most in chosen]
        drawn.append((", ".join(f"{key}={value}" for _, key, value in changes), changes))
    for what, changes in single + together + drawn:
        changed = copy.deepcopy(document)
        for path, key, value in changes:
            _at(changed, path)[key] = value
        yield what, pack(changed, arrays)
    for what, change in _SHAPES.items():
        changed, others = copy.deepcopy(document), dict(arrays)
        change(changed, others)
        yield what, pack(changed, others)


def _integers(document: dict[str, Any]) -> Iterator[tuple[list[Any], str, int]]:
    """Where the document has a declared whole number, its name, and the largest it may be."""
    kind = Booster.declared[document.get("booster", document["estimator"])]
    yield from _declared(kind, ["parameters"], document["parameters"])
    if "learner" not in document:  # window boosting grows trees of its own
        return
    if document["learner"] == "Families":
        for k, member in enumerate(document["learner_parameters"]["members"]):
            for path, key, most in _integers(member):
                yield ["learner_parameters", "members", k, *path], key, most
    else:
        yield from _of_learner(document, [])
    if "fitted" in document:
        yield ["fitted"], "start_features", 2**53


def _of_learner(document: dict[str, Any], path: list[Any]) -> Iterator[tuple[list[Any], str, int]]:
    given = document["learner_parameters"]
    yield from _declared(Learner.declared[document["learner"]], [*path, "learner_parameters"], given)
    if "learner" in given:
        yield from _of_learner(given["learner"], [*path, "learner_parameters", "learner"])


def _declared(kind: Any, path: list[Any], given: dict[str, Any]) -> Iterator[tuple[list[Any], str, int]]:
    for key, parameter in kind.parameters.items():
        if isinstance(parameter, Integer) and key in given:
            yield path, key, parameter.high


def _sizes(most: int) -> list[int]:
    return sorted({*(10**k for k in range(1, 8) if 10**k < most), most})


def _at(document: Any, path: list[Any]) -> Any:
    for key in path:
        document = document[key]
    return document


def _many_features(_: dict[str, Any], arrays: Arrays) -> None:
    for name in [name for name in arrays if name.split(".")[-1] == "features"]:
        arrays[name] = np.arange(6000)


def _scattered_features(_: dict[str, Any], arrays: Arrays) -> None:
    for name in [name for name in arrays if name.split(".")[-1] == "features"]:
        arrays[name] = np.arange(len(arrays[name])) * (2**31 // 16) + 60_000


def _many_classes(document: dict[str, Any], _: Arrays) -> None:
    document["fitted"]["labels"] = document["fitted"]["begun"] = list(range(10_000))


def _wide(document: dict[str, Any], _: Arrays) -> None:
    document["fitted"]["n_features_in"] = 2**53


def _empty_tables(_: dict[str, Any], arrays: Arrays) -> None:
    for name, array in list(arrays.items()):
        if array.ndim == 2:
            arrays[name] = np.zeros((0, 10**6))


_SHAPES: dict[str, Callable[[dict[str, Any], Arrays], None]] = {
    "6,000 features": _many_features,
    "features far apart": _scattered_features,
    "10,000 classes": _many_classes,
    "2^53 columns": _wide,
    "empty tables of a million columns": _empty_tables,
}
