"""All metrics of a stream in one pass, whatever the batches: over all of it, over windows, and with fading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onlineboost.evaluation.metrics import counts, probabilities, ranking
from onlineboost.evaluation.metrics.sums import Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from onlineboost.evaluation.metrics.sums import Floats, Numbers

    Block = tuple[Numbers, Numbers, Floats | None, Floats]

_TABLE: dict[str, Callable[[Sums], Any]] = counts.TABLE | probabilities.TABLE | ranking.TABLE
_LOSSES = ("log_loss", "brier_score")
NAMES = (*_TABLE, *(f"neg_{name}" for name in _LOSSES))
_FEW = 100  # examples that say nothing of a model
SHOWN = ("error", "balanced_accuracy", "cohen_kappa", "kappa_temporal", "roc_auc", "log_loss")


class Metrics(Mapping[str, Any]):
    """All metrics of a stream in one pass, by scikit-learn's names.

    Examples are taken in blocks of `window`, so no number depends on how the stream was cut into batches.
    `metrics[name]` is about all examples; `recent(name)` fades; `windows` has both, and each window alone.

    Parameters
    ----------
    window : int, default=1000
        Examples in a window.
    half_life : int or None, default=None
        After so many examples an example counts half, for what fades; None: ten windows.
    exact : bool, default=False
        Keep the probabilities: `roc_auc` and `average_precision` are then exact, and memory grows with the stream.
        Otherwise they come from 8,192 bins, and `bound` says how far off the area can be.
    shown : sequence of str
        Metrics in `windows` and in the text.

    """

    def __init__(
        self, window: int = 1000, half_life: int | None = None, *, exact: bool = False, shown: Sequence[str] = SHOWN
    ) -> None:
        if window < 1 or (half_life is not None and half_life < 1):
            raise ValueError("window and half_life are numbers of examples: 1 or more.")
        for name in shown:
            _check(name)
        self.window, self.half_life = int(window), int(half_life or 10 * window)
        self.shown = tuple(shown)
        self.examples = 0
        self.classes: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._total, self._faded = Sums.none(0), Sums.none(0)
        self._kept: list[Block] | None = [] if exact else None
        self._waiting: list[Block] = []
        self._n_waiting = 0
        self._first: Any = None  # the label of the first example, its weight,
        self._first_weight = 0.0
        self._last: Any = None  # and the label of the newest
        self._before = -1  # the class before the window at hand
        self._rows: list[dict[str, Any]] = []
        self._read: tuple[int, tuple[Sums, Sums]] | None = None  # the sums after so many examples

    # ---- taking examples -------------------------------------------------------------------------------------

    def update(
        self, y_true: Any, y_pred: Any, probabilities: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Take examples, in the order of the stream.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Labels. A prediction of None is wrong.
        probabilities : array-like of shape (n_samples, n_classes) or None
            A column for each label in `classes`; of two classes, one number per row for the second is enough.
        classes : array-like or None
            The labels of the columns; None: those seen so far, sorted.
        sample_weight : array-like of shape (n_samples,) or None
            Weights.

        """
        true, predicted = np.asarray(y_true).tolist(), np.asarray(y_pred).tolist()
        if classes is not None:
            self._know(np.asarray(classes).tolist())
        self._know(true)
        self._know([label for label in predicted if label is not None])
        P = None
        if probabilities is not None:
            columns = sorted(self.classes) if classes is None else np.asarray(classes).tolist()
            P = np.asarray(probabilities, np.float64)
            P = np.column_stack([1.0 - P, P]) if P.ndim == 1 else P
            if P.shape != (len(true), len(columns)):
                raise ValueError(
                    f"probabilities has the shape {P.shape}, not one row for each of {len(true)} examples and one "
                    f"column for each of {len(columns)} classes."
                )
            if np.isnan(P).any():
                raise ValueError(f"probabilities, row {np.isnan(P).any(axis=1).argmax()}: NaN is not a probability.")
            P = self._columns(P, columns)
        codes = np.array([self._numbers[label] for label in true], np.intp)
        said = np.array([-1 if label is None else self._numbers[label] for label in predicted], np.intp)
        if len(codes) != len(said):
            raise ValueError(f"There are {len(codes)} labels but {len(said)} predictions.")
        self._take(codes, said, P, sample_weight)
        return self

    def update_numbers(
        self, true: Numbers, predicted: Numbers, P: Floats, classes: NDArray[Any], weights: Floats | None
    ) -> None:
        """The same by columns of `classes`; -1 is no prediction."""
        names = classes.tolist()
        if not self._numbers.keys() >= set(names):
            self._know([names[k] for k in dict.fromkeys(true.tolist())])  # labels in the order of their examples,
            self._know(names)  # then those that only the model knows
        at = np.array([*(self._numbers[name] for name in names), -1], np.intp)
        self._take(at[true], at[predicted], self._columns(P, names), weights)

    def _know(self, labels: list[Any]) -> None:
        for label in labels:
            if label not in self._numbers:
                self._numbers[label] = len(self.classes)
                self.classes.append(label)

    def _columns(self, P: Floats, names: list[Any]) -> Floats:
        """A copy with a column for each class: it is kept to the end of the window."""
        if names == self.classes:
            return P.copy()
        made = np.zeros((len(P), len(self.classes)))
        made[:, [self._numbers[name] for name in names]] = P
        return made

    def _take(self, true: Numbers, predicted: Numbers, P: Floats | None, sample_weight: Any) -> None:
        weights = np.ones(len(true)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if weights.shape != true.shape:
            raise ValueError(f"There are {len(true)} labels but {len(weights)} weights.")
        if len(true):
            if not self.examples:
                self._first, self._first_weight = self.classes[true[0]], float(weights[0])
            self._last = self.classes[true[-1]]
        done = 0
        while done < len(true):
            part = slice(done, done + self.window - self._n_waiting)
            block = true[part], predicted[part], None if P is None else P[part], weights[part]
            self._waiting.append(block)
            self._n_waiting += len(block[0])
            self.examples += len(block[0])
            done += len(block[0])
            if self._n_waiting == self.window:
                self._close()

    def _joined(self, blocks: list[Block]) -> Block:
        """Blocks as one, with a column for each class."""
        true, predicted = (np.concatenate([block[k] for block in blocks]) for k in (0, 1))
        weights = np.concatenate([block[3] for block in blocks])
        if any(block[2] is None for block in blocks):
            return true, predicted, None, weights
        P = np.zeros((len(true), len(self.classes)))
        row = 0
        for _, _, part, _ in blocks:
            assert part is not None  # noqa: S101  # for the type checker
            P[row : row + len(part), : part.shape[1]] = part
            row += len(part)
        return true, predicted, P, weights

    def _sums(self) -> Sums:
        """Of the window at hand."""
        if not self._waiting:
            return Sums.none(len(self.classes))
        return Sums.of(*self._joined(self._waiting), len(self.classes), self._before)

    def _close(self) -> None:
        sums = self._sums()
        self._total = self._total.plus(sums)
        self._faded = self._faded.plus(sums, 0.5 ** (self.window / self.half_life))
        self._before = int(self._waiting[-1][0][-1])
        if self._kept is not None:
            self._kept.append(self._joined(self._waiting))
        self._waiting, self._n_waiting = [], 0
        self._rows.append(self._row(sums, self._total, self._faded))

    def _row(self, window: Sums, total: Sums, faded: Sums) -> dict[str, Any]:
        row: dict[str, Any] = {"examples": self.examples}
        if not self.shown:
            return row
        for suffix, sums in (("", total), ("_window", window), ("_recent", faded)):
            ordered = self._sorted(sums)
            row |= {f"{name}{suffix}": _read(name, ordered) for name in self.shown}
        return row

    def merge(self, other: Metrics) -> Self:
        """Take what another `Metrics` has seen, as what came after; what was kept to be exact is dropped.

        Sums are those of the whole stream; the window at hand ends here.
        """
        self._close_early()
        self._know(other.classes)
        total, faded = (self._renumbered(sums, other.classes) for sums in other._whole())
        if self._last is not None and self._last == other._first:
            total.stayed += other._first_weight
        self._total = self._total.plus(total)
        self._faded = self._faded.plus(faded, 0.5 ** (other.examples / self.half_life))
        self._rows += [row | {"examples": row["examples"] + self.examples} for row in other._rows]
        self._kept = None
        if other.examples:
            self._first, self._first_weight = (
                (self._first, self._first_weight) if self.examples else (other._first, other._first_weight)
            )
            self._last = other._last
            self._before = self._numbers[self._last]
        self.examples += other.examples
        return self

    def _close_early(self) -> None:
        self._total, self._faded = self._whole()
        self._before = -1 if self._last is None else self._numbers[self._last]
        self._waiting, self._n_waiting = [], 0

    def _whole(self) -> tuple[Sums, Sums]:
        """The sums over all examples, and those that fade."""
        if not self._waiting:
            return self._total, self._faded
        if self._read is None or self._read[0] != self.examples:
            sums = self._sums()
            faded = self._faded.plus(sums, 0.5 ** (self._n_waiting / self.half_life))
            self._read = self.examples, (self._total.plus(sums), faded)
        return self._read[1]

    def _renumbered(self, sums: Sums, classes: list[Any]) -> Sums:
        """Sums over other class numbers in those of this object."""
        at = [self._numbers[label] for label in classes]
        rest = [k for k in range(len(self.classes)) if k not in at]
        return sums.widened(len(self.classes)).ordered(np.argsort([*at, *rest]))

    # ---- what is read off ------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        _check(name)
        return self._value(name, self._whole()[0], kept=True)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def losses(self, loss: str) -> Floats:
        """The loss of each example, "error" or "brier" (halved, in [0, 1]); where probabilities are kept."""
        if self._kept is None:
            raise ValueError("Losses of single examples are there with exact=True only.")
        if not self.examples:
            return np.zeros(0)
        true, predicted, P, _ = self._joined([*self._kept, *self._waiting])
        if loss == "error" or P is None:
            return np.asarray(true != predicted, np.float64)
        P[np.arange(len(true)), true] -= 1.0
        return np.asarray((P * P).sum(axis=1) / 2.0)

    def recent(self, name: str) -> Any:
        """A metric with fading: an example counts half after `half_life` more examples."""
        _check(name)
        return self._value(name, self._whole()[1])

    @property
    def bound(self) -> float:
        """How far `roc_auc` can be from the exact area; 0 where probabilities are kept."""
        return 0.0 if self._kept is not None else float(ranking.BOUND(self._sorted(self._whole()[0])))

    @property
    def windows(self) -> list[dict[str, Any]]:
        """A row at the end of each window, and one for what came since.

        `examples` seen, and each shown metric so far, of the window (`_window`) and with fading (`_recent`).
        """
        return [*self._rows, self._row(self._sums(), *self._whole())] if self._waiting else list(self._rows)

    def advice(self, otherwise: str = "OnlineBoostClassifier()") -> str:
        """What to try if the predictions are worse than a rule without a model; else nothing.

        Parameters
        ----------
        otherwise : str, default="OnlineBoostClassifier()"
            The model to try.

        """
        whole = self._whole()[0]
        error, majority, same = (self._value(name, whole) for name in ("error", "majority_error", "no_change_error"))
        if self.examples < _FEW or not error > min(majority, same):
            return ""
        if same < majority:
            rule, hint = f"saying the label before ({same:.4f})", "add the label before as a feature"
        else:
            rule, hint = f"always saying the most frequent label ({majority:.4f})", "check that a feature tells labels"
        return f"Worse than {rule}: try {otherwise}, or {hint}."

    def beside(self) -> str:
        """What an error is to be seen beside: that of saying the label before, and the kappa against it."""
        return f"no change {self['no_change_error']:.4f}, temporal kappa {self['kappa_temporal']:.4f}"

    def to_frame(self) -> Any:
        """`windows` as a pandas data frame."""
        import pandas as pd  # noqa: PLC0415  # an extra, wanted only here

        return pd.DataFrame(self.windows)

    def to_dict(self) -> dict[str, Any]:
        """Every metric over all examples, as plain data; what does not exist is None."""
        whole = self._whole()[0]
        found = {name: self._value(name, whole, kept=True) for name in _TABLE}
        found["confusion_matrix"] = found["confusion_matrix"].tolist()
        return {name: None if value != value else value for name, value in found.items()}  # noqa: PLR0124  # NaN

    def __repr__(self) -> str:
        whole = self._whole()[0]
        told = ", ".join(f"{name} {self._value(name, whole, kept=True):.4f}" for name in self.shown)
        return f"Metrics({self.examples:,} examples, {told})"

    def _value(self, name: str, sums: Sums, *, kept: bool = False) -> Any:
        if kept and self._kept is not None and name in ranking.CURVES and sums.forecast and self.examples:
            true, _, P, weights = self._joined([*self._kept, *self._waiting])
            assert P is not None  # noqa: S101  # for the type checker: all came with probabilities
            return ranking.exact(ranking.CURVES[name], np.argsort(self._order())[true], P[:, self._order()], weights)
        return _read(name, self._sorted(sums))

    def _order(self) -> Numbers:
        return np.array(sorted(range(len(self.classes)), key=lambda k: self.classes[k]), np.intp)

    def _sorted(self, sums: Sums) -> Sums:
        order = self._order()
        wide = sums.widened(len(order))
        return wide if np.array_equal(order, np.arange(len(order))) else wide.ordered(order)


def _read(name: str, sums: Sums) -> Any:
    return -_TABLE[name.removeprefix("neg_")](sums) if name.startswith("neg_") else _TABLE[name](sums)


def _check(name: str) -> None:
    if name not in NAMES:
        raise KeyError(f"There is no metric {name!r}; there are {', '.join(NAMES)}.")
