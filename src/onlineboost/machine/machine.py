"""The learning machine: what every front of the package drives, and the only one that drives the engine.

A batch takes this way: rows and labels that were checked once → `Machine.learn` → codes and feature numbers → one
native call that tests and trains row by row → a report. One rule for failures: names, labels and classes that a batch
brings are in place before the engine learns its first row. If it learned none, they are taken back and the machine is
as before. If it was stopped between two rows (Ctrl-C, no memory left), what it learned stays, with its names and
labels.
"""

from __future__ import annotations

import numbers
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from onlineboost import _core
from onlineboost.declarations import checks
from onlineboost.machine.features import COLUMNS, COLUMNS_ONLY, Features
from onlineboost.machine.labels import MOST_CLASSES, LabelCodec
from onlineboost.machine.lock import ModelLock
from onlineboost.machine.many_classes import ManyClasses
from onlineboost.machine.rows import LARGEST_WEIGHT
from onlineboost.machine.two_classes import TwoClasses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from onlineboost.boosters.base import Booster
    from onlineboost.machine.report import LearnReport, Opinion
    from onlineboost.machine.rows import Rows


class NotLearnedError(ValueError):
    """The machine has learned nothing yet."""


class RowSource(Protocol):
    """Rows that were checked, and how their columns are identified."""

    @property
    def n_rows(self) -> int:
        """How many."""

    def begin(self) -> tuple[Features, int]:
        """The features of a machine that begins with these rows, and how many it starts with."""

    def read(self, features: Features, weights: NDArray[np.float64] | None, *, learn: bool) -> tuple[Rows, list[Any]]:
        """The rows by feature numbers, and the names that learning them would add."""


class Machine:
    """Engine, codec of labels, table of features, lock and counters of one model.

    Parameters
    ----------
    recipe : Booster
        What it is made from; nobody may change it afterwards.

    """

    def __init__(self, recipe: Booster) -> None:
        self.recipe = recipe
        self.labels = LabelCodec(MOST_CLASSES if recipe.many_classes else 2)
        self.lock = ModelLock()
        self.threads = 1
        self.features = Features(COLUMNS_ONLY)
        self.seed: int | None = None
        self.start_features = 0
        self.engine: Any = None  # TwoClasses or ManyClasses, once something was learned
        self.set_jobs(getattr(recipe, "n_jobs", None))

    # ---- what it is ------------------------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether it has an engine, and so has seen rows."""
        return self.engine is not None

    def require_begun(self) -> Any:
        """The engine; an error says that there is none."""
        engine = self.engine
        if engine is None:
            raise NotLearnedError(
                f"This {self.recipe.estimator} has learned nothing yet. Call fit, partial_fit or learn_one first."
            )
        return engine

    @property
    def n_examples(self) -> int:
        """Examples learned."""
        return int(self.require_begun().core.rounds)

    @property
    def n_features(self) -> int:
        """Features seen."""
        return int(self.require_begun().core.features)

    @property
    def booster_spec(self) -> dict[str, Any]:
        """What the engine's booster was built from."""
        spec: dict[str, Any] = self.require_begun().booster
        return spec

    def booster_state(self) -> dict[str, NDArray[Any]]:
        """The booster's part of the state, and the rounds: small, however many features there are."""
        state: dict[str, NDArray[Any]] = self.require_begun().core.booster_state()
        return state

    def set_jobs(self, n_jobs: Any) -> None:
        """Among how many threads a sweep may be split: None is 1, and -1 all cores; no result depends on it."""
        self.threads = threads_of(n_jobs)
        if self.begun:
            self.engine.core.threads = self.threads

    # ---- batches ---------------------------------------------------------------------------------------------

    def learn(
        self,
        source: RowSource,
        y: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
        *,
        classes: Any = None,
        report: bool = False,
        outputs: bool = False,
        grow: bool = False,
    ) -> LearnReport | None:
        """Learn a batch row by row, each tested before; the report on the tests where one is asked for.

        Parameters
        ----------
        source : RowSource
            Checked rows.
        y : ndarray
            A label per row, from `tidy_labels`.
        weights : ndarray or None
            A weight per row; None: all are 1.
        classes : array-like or None
            All labels that batches will have.
        report, outputs : bool
            Whether to report the tests, and every learner's outputs.
        grow : bool
            Whether a label beyond the declared ones is welcome.

        """
        with self.lock.writer:
            labels = self.labels.copy()
            if classes is not None:
                labels.declare_classes(classes)
            known = labels.known
            codes = labels.encode(y, weights)
            if self.recipe.many_classes and labels.declared and labels.known is not known and not grow:
                new = next(label for label in labels.known if label not in known)
                raise ValueError(
                    f"y holds the label {new!r}, which is not one of classes={known!r}: "
                    "declare all labels, or bring a new one by learn_one."
                )
            if self.begun:
                features, engine = self.features, self._engine_for(source.n_rows, labels)
            else:
                features, engine = self._first_engine(*source.begin())
            rows, fresh = source.read(features, weights, learn=True)
            filled = self._commit(
                engine,
                labels,
                features,
                fresh,
                lambda: engine.learn(rows, codes, weights, report=report, outputs=outputs),
                rows.n_rows,
            )
            if not filled:
                return None
            true = np.searchsorted(labels.classes, y)
            found: LearnReport = engine.report(filled, labels, codes, true, weights)
            return found

    def opinion(self, source: RowSource) -> Opinion:
        """What the model says of rows; all of it read from one state."""

        def read() -> Opinion:
            engine = self.require_begun()
            found: Opinion = engine.opinion(source.read(self.features, None, learn=False)[0], self.labels)
            return found

        return self.lock.read(read)

    # ---- one example -----------------------------------------------------------------------------------------

    def learn_dict(self, x: Mapping[Any, Any], y: Any, weight: float) -> None:
        """Learn one example given as a dict."""
        with self.lock.writer:
            engine = self.engine
            number = self.labels.number_of(y)
            if number is not None and self.features.knows(x):
                engine.core.learn_dict(dict(x), self.features.numbers, self.features.kind, engine.code(number), weight)
                return
            labels = self.labels.copy()
            number = labels.encode_one(y, weight)
            features = self.features
            if engine is None:
                features, engine = self._first_engine(Features.of_dict(x), len(x))
            else:
                engine = self._engine_for(1, labels)
            arguments = dict(x), features.numbers, features.kind, engine.code(number), weight
            self._commit(engine, labels, features, None, lambda: engine.core.learn_dict(*arguments), 1)

    def learn_row(self, row: NDArray[Any], y: Any, weight: float) -> bool:
        """Learn one plain row in one native call, if neither it nor its label needs the checks of a batch.

        Otherwise nothing is done, and False returned: the batch checks are slower but produce the error message.
        """
        with self.lock.writer:
            number = self.labels.number_of(y)
            if number is None or self.features.kind != COLUMNS_ONLY:
                return False
            engine = self.engine
            learned: bool = engine.core.learn_row(row, self.features.n_columns, engine.code(number), weight)
        return learned

    def opinion_of_one(self, x: Any, *, is_dict: bool) -> tuple[NDArray[Any], list[float], int, int] | None:
        """Labels, probabilities, and the columns that these and the vote prefer; None before anything was learned."""

        def read() -> tuple[NDArray[Any], list[float], int, int] | None:
            engine, features = self.engine, self.features
            if engine is None:
                return None
            if is_dict:
                found = engine.core.predict_dict(dict(x), features.numbers, features.kind)
            else:
                found = features.kind == COLUMNS_ONLY and engine.core.predict_row(x, features.n_columns)
                if not found:
                    raise NotPlainError
            return (self.labels.classes, *engine.opinion_of_one(found, self.labels))

        return self.lock.read(read)

    # ---- private ---------------------------------------------------------------------------------------------

    def _first_engine(self, features: Features, n_features: int) -> tuple[Features, Any]:
        """The features and a fresh engine. Fixes the seed."""
        self.fix_seed()
        self.start_features = n_features
        return features, self.make_engine()

    def fix_seed(self) -> int:
        """The seed, drawn when it is first needed."""
        if self.seed is None:
            self.seed = seed_of(self.recipe.random_state)
        return self.seed

    def make_engine(self, bank: dict[str, Any] | None = None) -> Any:
        """An engine that has learned nothing."""
        arguments = self.recipe, self.start_features, self.fix_seed()
        engine = ManyClasses(*arguments) if self.recipe.many_classes else TwoClasses(*arguments, bank)
        engine.core.threads = self.threads
        return engine

    def _engine_for(self, n_rows: int, labels: LabelCodec) -> Any:
        """The engine, or its twin where a bank in Python may raise after a part of the batch."""
        engine = self.engine
        if not engine.in_python or (n_rows == 1 and len(labels.begun) <= engine.n_begun):
            return engine
        return engine.twin()

    def _commit(
        self, engine: Any, labels: LabelCodec, features: Features, fresh: list[Any] | None, learn: Any, n_rows: int
    ) -> Any:
        """Put labels and names in place, then learn; take them back if nothing was learned.

        `fresh` are the names that come with the rows; None where the engine finds them itself.
        """
        before = self.engine, self.labels, self.features
        n_known, n_begun, rounds = len(features.numbers), engine.n_begun, engine.core.rounds
        same_labels = labels.known is self.labels.known and labels.begun is self.labels.begun
        changes = engine is not self.engine or not same_labels or fresh is None or len(fresh) > 0
        with self.lock.changing() if changes else nullcontext():
            try:
                engine.begin(len(labels.begun))
                features.add(fresh or [])
                self.engine, self.labels, self.features = engine, labels, features
                return learn()
            except BaseException as error:
                learned = engine.core.rounds - rounds
                if learned == 0 or (engine.in_python and engine is not before[0]):  # a twin is dropped whole
                    self.engine, self.labels, self.features = before
                    engine.drop(n_begun)
                    features.forget(n_known)
                elif isinstance(error, (KeyboardInterrupt, MemoryError)):
                    raise type(error)(f"Stopped after {learned:,} of {n_rows:,} rows; these stay learned.") from None
                raise

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.writer:
            state = {key: value for key, value in vars(self).items() if key not in {"lock", "engine"}}
            if self.begun:
                state["bank"] = getattr(self.engine, "classes", None) or self.engine.bank
                state["fields"] = self.engine.core.state()
            state["features"] = Features(
                self.features.kind, dict(self.features.numbers), self.features.n_columns, self.features.column_names
            )
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        fields, bank = state.pop("fields", None), state.pop("bank", None)
        vars(self).update(state, lock=ModelLock(), engine=None)
        self.labels = self.labels.copy()
        if fields is not None:
            self.engine = self.make_engine(bank if isinstance(bank, dict) else None)
            if isinstance(bank, list):
                self.engine.classes = bank
                for one in bank:
                    self.engine.core.add(*one)
            self.engine.core.load(fields)


class NotPlainError(Exception):
    """The row needs the checks of a batch."""


class Table:
    """Checked rows of an array or a data frame, for a machine."""

    def __init__(self, rows: Rows, names: list[str] | None = None) -> None:
        self.rows = rows
        self.names = names

    @property
    def n_rows(self) -> int:
        """How many."""
        return self.rows.n_rows

    def begin(self) -> tuple[Features, int]:
        """Columns, with their names where there are any."""
        return Features.of_columns(self.rows.width, self.names), self.rows.width

    def read(self, features: Features, _: NDArray[np.float64] | None, *, learn: bool) -> tuple[Rows, list[Any]]:
        """The rows as they are, or by name for a model that identifies features by name."""
        if features.n_columns is not None or features.kind == COLUMNS:
            return self.rows, []
        if self.names is None:
            raise ValueError("This model has learned from dicts with names: pass dicts, or a data frame with names.")
        ids, unknown = features.numbers_of(self.names)
        return self.rows.renumbered(ids), unknown if learn else []


def seed_of(random_state: Any) -> int:
    """The seed that a `random_state` stands for, as scikit-learn reads it."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state) % 2**64
    if random_state is None:
        return int(np.random.randint(2**31 - 1))  # noqa: NPY002  # NumPy's global generator, as scikit-learn has it
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(f"random_state must be an integer, a RandomState or None, not {random_state!r}.")


def threads_of(n_jobs: Any) -> int:
    """The number that `n_jobs` stands for: None is 1, and -1 as many as there are cores for this process."""
    if n_jobs is None:
        return 1
    if checks.integer("n_jobs", n_jobs, -1, _core.MOST_THREADS) > 0:
        return int(n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs must be None, -1 for all cores, or a number of threads; not 0.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _core.MOST_THREADS)


def check_weight(w: Any) -> None:
    """Refuse what is not the weight of one example."""
    number: Any = w if type(w) is float or isinstance(w, numbers.Real) else -1
    if not 0 <= number <= LARGEST_WEIGHT:
        raise ValueError(f"The weight must be a number from 0 to {LARGEST_WEIGHT:g}, not {w!r}.")
