"""The models that attacks are tried on: every declared learner, every declared booster, and a bank in Python."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import Bank, OneVsRest, OnlineBoostClassifier, OSBoostClassifier, OzaBoostClassifier, Perceptron
from onlineboost.estimators import ESTIMATORS
from onlineboost.learners import Learner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COLUMNS = 6
IN_PYTHON = "in Python"  # ends the names of models whose bank is, which no file can hold


class FragileBank(Bank):
    """Three learners in Python, one of which raises for a row whose first value is `POISON`, after others learned."""

    POISON = 77.0

    def __init__(self, n_learners: int) -> None:
        self.n_learners = n_learners
        self.weights = np.zeros((n_learners, COLUMNS))

    def predict(self, x: Any) -> Any:
        return np.tanh(self.weights @ x)

    def update(self, x: Any, y: float, w: Any) -> None:
        for i in range(self.n_learners):
            if x[0] == self.POISON and i == self.n_learners - 1:
                raise ZeroDivisionError("the bank broke")
            self.weights[i] += 0.1 * y * w[i] * x / (1 + x @ x)


class Fragile(Learner):
    """A learner in Python."""

    def make_bank(self, n_learners: int, n_features: int, seed: int) -> Bank:
        """The bank."""
        return FragileBank(n_learners)


def subjects() -> dict[str, Callable[[], Any]]:
    """A small model of every kind, made anew by each call."""
    made: dict[str, Callable[[], Any]] = {
        f"OSBoost over {name}": lambda kind=kind: OSBoostClassifier(kind(), 5, random_state=0)
        for name, kind in Learner.declared.items()
    }
    for name, kind in ESTIMATORS.items():
        one_label = not kind.booster_type.label_sets
        if one_label and "learner" in kind.booster_type.parameters and name != "OSBoostClassifier":
            more = {"n_learners": 5} if "n_learners" in kind.booster_type.parameters else {}
            made[name] = lambda kind=kind, more=more: kind(Perceptron(), random_state=0, **more)
    return made | {
        "OnlineBoostClassifier": lambda: OnlineBoostClassifier(random_state=0),
        "OneVsRest": lambda: OneVsRest(OSBoostClassifier(Perceptron(), 5, random_state=0)),
        "OSBoost, two threads": lambda: OSBoostClassifier(Perceptron(), 16, random_state=0, n_jobs=2),
        f"OSBoost {IN_PYTHON}": lambda: OSBoostClassifier(Fragile(), 3, random_state=0),
        f"OzaBoost {IN_PYTHON}": lambda: OzaBoostClassifier(Fragile(), 3, random_state=0),
        f"OneVsRest {IN_PYTHON}": lambda: OneVsRest(OSBoostClassifier(Fragile(), 3, random_state=0)),
    }


def takes_many_classes(model: Any) -> bool:
    """Whether a third label may come."""
    return bool(type(model).booster_type.many_classes)


def rows(model: Any, seed: int, count: int = 20) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows and labels that the model can learn; many classes where it takes them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, COLUMNS)).round(3)
    y = (X[:, 0] + 0.3 * rng.normal(size=count) > 0).astype(int)
    if takes_many_classes(model):
        y += (X[:, 1] > 0.5).astype(int)
    return X, y


def content(model: Any) -> Any:
    """What a model has learned, to be compared with another's."""
    machine = model.machine
    bank = machine.engine.bank.get("bank")
    state = {name: array.tobytes() for name, array in machine.engine.core.state().items()}
    banks = [bank] if bank is not None else []
    if hasattr(machine.engine, "classes"):
        banks = [spec["bank"] for spec, _ in machine.engine.classes if "bank" in spec]
    return (
        state,
        [one.bank.weights.tobytes() for one in banks],
        dict(machine.labels.begun),
        list(machine.features.numbers),
    )


@contextlib.contextmanager
def little_memory(extra: int) -> Iterator[None]:
    """At most so many bytes beyond what the process has."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
