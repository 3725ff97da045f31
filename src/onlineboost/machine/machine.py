"""The learning machine: what every front of the package drives, and the only one that drives the engine.

A batch takes this way: rows and labels that were checked once → `Machine.learn` → codes and feature numbers → one
native call that tests and trains row by row → a report. `one_example` has the short way of one example, `encoding` the
way from frames and dicts to rows, and `commit` the rule for failures.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from onlineboost.declarations import checks
from onlineboost.machine.commit import commit
from onlineboost.machine.encoder import Encoders
from onlineboost.machine.features import COLUMNS_ONLY, Features
from onlineboost.machine.label_sets import SetCodec
from onlineboost.machine.labels import LabelCodec
from onlineboost.machine.lock import ModelLock
from onlineboost.machine.many_classes import ManyClasses
from onlineboost.machine.many_labels import ManyLabels
from onlineboost.machine.multiclass import Multiclass
from onlineboost.machine.parameters import seed_of, threads_of
from onlineboost.machine.report import LearnReport, Opinion, joined
from onlineboost.machine.schema import ColumnSchema, declared_columns
from onlineboost.machine.summary import Summary
from onlineboost.machine.two_classes import TwoClasses

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from onlineboost.boosters.base import Booster
    from onlineboost.machine.rows import Rows
    from onlineboost.machine.table import RowSource

    Walk = Callable[["Machine", Rows, NDArray[np.int64]], None]


MOST_BUCKETS = 2**30
_NAME_BYTES = 256  # of `#k`, its number and their places in tables


class NotLearnedError(ValueError):
    """The machine has learned nothing yet."""


class Machine:
    """Engine, codec of labels, table of features, lock and counters of one model.

    Parameters
    ----------
    recipe : Booster
        What it is made from; nobody may change it afterwards.

    """

    def __init__(self, recipe: Booster) -> None:
        self.recipe = recipe
        codec = SetCodec if recipe.label_sets else LabelCodec
        self.labels: LabelCodec = codec(recipe.most_classes(), strict=recipe.many_classes)
        self.lock = ModelLock()
        self.threads = 1
        self.features = Features(COLUMNS_ONLY)
        self.encoders = Encoders()
        self.seed: int | None = None
        self.start_features = 0
        self.engine: Any = None  # TwoClasses, Multiclass, ManyClasses or ManyLabels, once something was learned
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

        def read() -> dict[str, NDArray[Any]]:
            core = self.require_begun().core
            if not hasattr(core, "booster_state"):
                raise AttributeError(f"{self.recipe.estimator} keeps these sums for two classes only.")
            state: dict[str, NDArray[Any]] = core.booster_state()
            return state

        return self.lock.read(read)

    def summary(self) -> Summary:
        """What is kept of the stream: thresholds of prediction sets, and moments of the features."""

        def read() -> Summary:
            return Summary(self.require_begun().core.summary())

        return self.lock.read(read)

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
        walk: Walk | None = None,
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
        walk : callable or None
            What learns the rows with their class numbers in place of the engine; it may put another engine in place.

        """
        with self.lock.writer:
            labels = self.labels.copy()
            if classes is not None:
                labels.declare_classes(classes)
            declared, known = labels.copy(), labels.known
            codes = labels.encode(y, weights)
            if (labels.declared or classes is not None) and labels.known is not known and not grow:
                new = next(label for label in labels.known if label not in known)
                raise ValueError(
                    f"y holds the label {new!r}, which is not one of classes={known!r}: "
                    "declare all labels, or bring a new one by learn_one."
                )
            if report and len(labels.begun) > 2:
                self.recipe.check_draws()
            if self.begun:
                features, engine = self.features, self.engine_for(source.n_rows, labels)
            else:
                features, engine = self.first_engine(*source.begin())
            rows, fresh = source.read(features, weights, learn=True)
            schema = source.schema if features.n_columns is None else None  # columns of numbers have theirs already
            labels_after = partial(declared.encode_first, y, weights)
            with commit(self, engine, labels, features, fresh, rows.n_rows, labels_after, schema):
                if walk is None:
                    parts = self.walk_rows(rows, codes, weights, report=report, outputs=outputs)
                else:
                    walk(self, rows, codes)
            if not (report or outputs):
                return None
            true = labels.places(y)
            reports = [
                by.report(filled, labels, codes[part], true[part], None if weights is None else weights[part])
                for by, part, filled in parts
            ]
            weighing = self.recipe.weighing(labels)
            return joined(
                [
                    one if isinstance(by, TwoClasses) else replace(one, opinion=one.opinion.weighed(weighing))
                    for one, (by, _, _) in zip(reports, parts, strict=True)
                ]
            )

    def walk_rows(
        self,
        rows: Rows,
        codes: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        *,
        report: bool = False,
        outputs: bool = False,
    ) -> list[tuple[Any, slice, list[NDArray[np.float64]]]]:
        """Learn the rows, in two parts where a third class begins among them: engine, rows and tests of each."""
        parts: list[tuple[Any, slice, list[NDArray[np.float64]]]] = []
        start = 0
        while start < rows.n_rows or not parts:
            here = slice(start, start + self.engine.takes(codes[start:], None if weights is None else weights[start:]))
            if here.stop > start or rows.n_rows == 0:
                some = None if weights is None else weights[here]
                part = rows if here.stop - start == rows.n_rows else rows.part(start, here.stop)
                filled = self.engine.learn(part, codes[here], some, report=report, outputs=outputs)
                parts.append((self.engine, here, filled))
            if here.stop < rows.n_rows:
                self.widen()
            start = here.stop
        return parts

    def widen(self) -> None:
        """Go on with an engine of many classes, which takes over what the one of two has learned."""
        two, rest = self.engine, self.recipe.against_the_rest()
        if rest is None:
            wide = self.make_engine(two.bank, wide=True)
            wide.core.adopt(two.core.state())
        else:
            wide = ManyClasses.adopted(two, rest, self.start_features, self.fix_seed())
            wide.core.threads = self.threads
        wide.begin(len(self.labels.begun))
        self.engine = wide

    def opinion(self, source: RowSource) -> Opinion:
        """What the model says of rows; all of it read from one state."""

        def read() -> Opinion:
            engine = self.require_begun()
            found: Opinion = engine.opinion(source.read(self.features, None, learn=False)[0], self.labels)
            return found if isinstance(engine, TwoClasses) else found.weighed(self.recipe.weighing(self.labels))

        return self.lock.read(read)

    @property
    def declared(self) -> dict[str, str]:
        """The kinds of columns that the user gave."""
        return declared_columns(self.recipe.schema)

    @property
    def buckets(self) -> int:
        """Into how many features names are hashed; 0 if they are not."""
        given = self.recipe.max_features
        return 0 if given is None else checks.integer("max_features", given, 1, MOST_BUCKETS)

    @property
    def schema(self) -> ColumnSchema | None:
        """The kinds of the columns; None for a model of arrays without names, or of dicts with numbers only."""
        features = self.features
        if features.schema is None and features.column_names is not None:
            return ColumnSchema(dict.fromkeys(features.column_names, "number"))
        return features.schema

    @property
    def memory(self) -> int:
        """Bytes that the model holds: its numbers, the names of its features, and the tables that find them."""
        arrays = self.lock.read(self.require_begun().core.state)
        numbers = self.features.numbers
        held = sum(array.nbytes for array in arrays.values())
        names = sys.getsizeof(numbers) + sum(map(sys.getsizeof, numbers)) + sum(map(sys.getsizeof, numbers.values()))
        return int(held) + names + self.encoders.memory

    @property
    def memory_bound(self) -> int | None:
        """Bytes that it can come to hold with `max_features`, whatever names come; None without a bound.

        Arrays with a row per feature grow with the features up to the bound; trees have a bound of their own, which
        their learners state. Twice the bytes, because arrays are doubled when they grow.
        """
        if not self.buckets:
            return None
        arrays = self.lock.read(self.require_begun().core.state)
        seen = max(self.n_features, 1)
        per_feature = (
            sum(array.nbytes for array in arrays.values() if array.shape[:1] and array.shape[0] >= seen) / seen
        )
        fixed = sum(array.nbytes for array in arrays.values() if not array.shape[:1] or array.shape[0] < seen)
        return int(2 * (fixed + (per_feature + _NAME_BYTES) * (self.buckets + 1)))

    # ---- private ---------------------------------------------------------------------------------------------

    def first_engine(self, features: Features, n_features: int) -> tuple[Features, Any]:
        """The features and a fresh engine. Fixes the seed."""
        self.fix_seed()
        self.start_features = n_features
        return features, self.make_engine()

    def fix_seed(self) -> int:
        """The seed, drawn when it is first needed."""
        if self.seed is None:
            self.seed = seed_of(self.recipe.random_state)
        return self.seed

    def make_engine(self, bank: dict[str, Any] | None = None, *, wide: bool = False) -> Any:
        """An engine that has learned nothing; `wide`: of many classes."""
        arguments = self.recipe, self.start_features, self.fix_seed()
        engine: Any
        if self.recipe.label_sets:
            engine = ManyLabels(*arguments)
        elif self.recipe.many_classes:
            engine = ManyClasses(*arguments)
        elif not wide:
            engine = TwoClasses(*arguments, bank)
        elif (rest := self.recipe.against_the_rest()) is not None:
            engine = ManyClasses(rest, *arguments[1:], turned=True)
        else:
            engine = Multiclass(*arguments, bank)
        engine.core.threads = self.threads
        return engine

    def weigh(self, engine: Any, labels: LabelCodec) -> None:
        """Tell an engine of two classes how to weigh them; ValueError for labels that cannot be weighed."""
        if isinstance(engine, TwoClasses):
            engine.weigh(self.recipe.decision(labels))
        else:
            self.recipe.weighing(labels)

    def engine_for(self, n_rows: int, labels: LabelCodec) -> Any:
        """The engine, or its twin where a bank in Python may raise after a part of the batch."""
        engine = self.engine
        if not engine.in_python:
            return engine
        if n_rows == 1 and len(labels.begun) <= engine.n_begun:
            engine.prepare()
            return engine
        return engine.twin()

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.writer:
            state = {key: value for key, value in vars(self).items() if key not in {"lock", "engine", "encoders"}}
            if self.begun:
                state["bank"] = getattr(self.engine, "classes", None) or self.engine.bank
                state["fields"] = self.engine.core.state()
            state["features"] = replace(self.features, numbers=dict(self.features.numbers))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        fields, bank = state.pop("fields", None), state.pop("bank", None)
        vars(self).update(state, lock=ModelLock(), engine=None, encoders=Encoders())
        self.labels = self.labels.copy()
        if fields is not None:
            self.engine = self.make_engine(bank if isinstance(bank, dict) else None, wide=len(self.labels.begun) > 2)
            if isinstance(bank, list):
                self.engine.classes = bank
                for one in bank:
                    self.engine.core.add(*one)
            self.engine.core.load(fields)
            self.weigh(self.engine, self.labels)
