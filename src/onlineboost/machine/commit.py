"""One rule for failures: names, labels and classes that rows bring are in place before the engine learns the first.

If it learned none, they are taken back and the machine is as before. If it was stopped between two rows (Ctrl-C, no
memory left), what it learned stays, with its names and labels.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from onlineboost.machine.features import Features
    from onlineboost.machine.labels import LabelCodec
    from onlineboost.machine.machine import Machine
    from onlineboost.machine.schema import ColumnSchema


@contextmanager
def commit(
    machine: Machine,
    engine: Any,
    labels: LabelCodec,
    features: Features,
    fresh: list[Any] | None,
    n_rows: int,
    labels_after: Callable[[int], LabelCodec] | None = None,
    schema: ColumnSchema | None = None,
) -> Iterator[None]:
    """Labels, names and kinds in place while rows are learned; taken back if none was.

    `fresh` are the names that come with the rows; None where the engine finds them itself. `labels_after` gives
    the labels as so many of the examples leave them.
    """
    before = machine.engine, machine.labels, machine.features
    old_schema = features.schema
    n_known, n_begun, rounds = len(features.numbers), engine.n_begun, engine.core.rounds
    same_labels = labels.known is machine.labels.known and labels.begun is machine.labels.begun
    changes = n_rows > 1 or engine is not machine.engine or not same_labels or fresh is None or len(fresh) > 0
    changes = changes or (schema is not None and schema is not old_schema)
    with machine.lock.changing() if changes else nullcontext():
        try:
            engine.begin(len(labels.begun))
            features.add(fresh or [])
            features.schema = schema or old_schema
            machine.engine, machine.labels, machine.features = engine, labels, features
            machine.weigh(engine, labels)
            yield
        except BaseException as error:
            learned = machine.engine.core.rounds - rounds
            if learned == 0 or (engine.in_python and engine is not before[0]):  # a twin is dropped whole
                machine.engine, machine.labels, machine.features = before
                engine.drop(n_begun)
                features.forget(n_known)
                features.schema = old_schema
                raise
            if labels_after is not None:
                machine.labels = labels_after(learned)
                if len(machine.labels.begun) <= 2 and not machine.recipe.many_classes:  # the third class did not begin
                    machine.engine = engine
                machine.engine.drop(len(machine.labels.begun))
            if isinstance(error, (KeyboardInterrupt, MemoryError)):
                raise type(error)(f"Stopped after {learned:,} of {n_rows:,} rows; these stay learned.") from None
            raise
