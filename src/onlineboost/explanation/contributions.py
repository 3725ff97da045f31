"""How much each feature moved the margin of one example, and which features matter in all.

**One example.** The margin f is taken along a path from a reference to the example: the features change one after the
other, and each is given the change of f at its step. The steps telescope, so base + Σ contributions = f(x) exactly, for
every model. Two paths are averaged, one in the order of the features and one in the reverse. These are the Shapley
values (Štrumbelj and Kononenko 2014) of every f that is a sum of terms of one or two features: each pair's term goes
half to either. The reference is the mean of each feature over the stream. Models of more than 1,000 features change
only those that the example has; the others stay 0.

**In all.** Sobol's total effect in absolute terms: the mean of |f(z) - f(z')| over examples z drawn from the features'
means and deviations, z' with one feature drawn anew. A feature that was always 0 or 1 is drawn so; others are normal.
Divided by their sum.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.machine.features import NAMES
from onlineboost.machine.rows import LARGEST_VALUE, DenseRows, SparseRows

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from numpy.typing import NDArray

    from onlineboost.machine import Machine
    from onlineboost.machine.features import Features
    from onlineboost.machine.rows import Rows
    from onlineboost.machine.summary import Summary
    from onlineboost.machine.table import RowSource

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_OWN = 2**31  # feature numbers from here on are the engine's, or names beside columns
_FEW = 1000  # features of a model whose features all change
_MOST = 500  # features that get an importance
_PREDICTIONS = 20_000  # for the importances of a model
_CELLS = 1 << 21  # numbers in one batch of rows


@dataclass(frozen=True)
class FamilyVote:
    """What one family of a mixture says of an example."""

    name: str
    """Its name."""
    share: float
    """Its share of the prediction."""
    probability: float
    """The probability that it gives to the larger label."""


@dataclass(frozen=True)
class Explanation:
    """Why a model says what it says of one example."""

    features: list[Any]
    """The features, by name or column number."""
    values: NDArray[np.float64]
    """The value of each in the example; NaN where it was missing."""
    contributions: NDArray[np.float64]
    """How far each moved the margin; of many classes, a column per class."""
    base: Any
    """The margin of the reference, where every feature has its mean."""
    margin: Any
    """The margin of the example: base and all contributions."""
    classes: NDArray[Any]
    """The labels: a margin above 0 is for the last of two."""
    families: list[FamilyVote]
    """Of a mixture, what its families say; the heaviest first."""

    def ranked(self, label: Any = None) -> list[tuple[Any, float, float]]:
        """Feature, value and contribution, the largest contribution first.

        Parameters
        ----------
        label : label or None, default=None
            Of many classes, whose margin; None: the class with the largest one.

        """
        moved = self.contributions
        if moved.ndim == 2:
            column = int(np.argmax(self.margin)) if label is None else self.classes.tolist().index(label)
            moved = moved[:, column]
        order = np.argsort(-np.abs(moved), kind="stable")
        return [(self.features[k], float(self.values[k]), float(moved[k])) for k in order if moved[k] != 0]

    def to_frame(self) -> Any:
        """A row per feature, as a pandas data frame."""
        import pandas as pd  # noqa: PLC0415  # an extra, wanted only here

        columns = ["contribution"] if self.contributions.ndim == 1 else list(self.classes)
        frame = pd.DataFrame(self.contributions.reshape(len(self.values), -1), columns=columns)
        frame.insert(0, "value", self.values)
        return frame.set_axis(pd.Index(self.features, name="feature"))

    def plot(self, ax: Any = None, *, count: int = 10) -> Any:
        """Draw the largest contributions (needs matplotlib), and give the axes."""
        if ax is None:
            import matplotlib.pyplot as plt  # noqa: PLC0415  # an extra, wanted only here

            _, ax = plt.subplots(layout="constrained")
        top = self.ranked()[:count][::-1]
        ax.barh([f"{name} = {value:.4g}" for name, value, _ in top], [moved for *_, moved in top])
        ax.axvline(0.0, color="grey", linewidth=1)
        ax.set(xlabel=f"moved the margin{self._whose()}")
        return ax

    def _whose(self) -> str:
        if self.contributions.ndim == 1 and len(self.classes) < 2:
            return ""
        for_label = self.classes[-1] if self.contributions.ndim == 1 else self.classes[int(np.argmax(self.margin))]
        return f" towards {for_label}"

    def __str__(self) -> str:
        many = self.contributions.ndim == 2
        at = int(np.argmax(self.margin)) if many else None
        margin, base = (self.margin[at], self.base[at]) if many else (self.margin, self.base)
        lines = [f"margin {margin:+.4f}{self._whose()}: {base:+.4f} for the mean example, and"]
        lines += [f"  {moved:+.4f}  {name} = {value:.6g}" for name, value, moved in self.ranked()[:10]]
        lines += [f"  {one.share:6.1%}  {one.name} says {one.probability:.3f}" for one in self.families]
        return "\n".join(lines)


def explain(machine: Machine, source: RowSource) -> Explanation:
    """Why the machine says what it says of the one row of a source."""

    def read() -> Explanation:
        rows = source.read(machine.features, None, learn=False)[0]
        if rows.n_rows != 1:
            raise ValueError(f"One example is explained at a time, and there are {rows.n_rows} rows: pass one of them.")
        ids, values = cells(rows)
        names = names_of(machine)
        ids, x, reference = _changed(machine.summary(), names, ids, values)
        forward = _path(x, reference)
        backward = _path(x[::-1], reference[::-1])[:, ::-1]
        margins = [_margins(machine, path, ids) for path in (forward, backward)]
        moved = (np.diff(margins[0], axis=0) + np.diff(margins[1], axis=0)[::-1]) / 2.0
        return Explanation(
            [names.get(number, number) for number in ids.tolist()],
            x,
            moved,
            _plain(margins[0][0]),
            _plain(margins[0][-1]),
            machine.labels.classes,
            _families(machine, _rows(x[np.newaxis], ids)),
        )

    return machine.lock.read(read)


def importances(machine: Machine) -> dict[Any, float]:
    """The share of each feature in what moves the margin, by name or column number; they sum to 1."""

    def read() -> dict[Any, float]:
        summary, names = machine.summary(), names_of(machine)
        effects = _effects(machine, summary)
        total = float(effects.sum())
        shares = effects / total if total > 0 else np.full(len(effects), 1.0 / max(len(effects), 1))
        pairs = zip(summary.ids.tolist(), shares.tolist(), strict=True)
        return {names.get(k, k): share for k, share in pairs if not _says_missing(k, names)}

    return machine.lock.read(read)


def cells(rows: Rows) -> tuple[Numbers, Floats]:
    """The features of a single row, ascending, and their values."""
    if isinstance(rows, DenseRows):
        values = np.asarray(rows.X[0], np.float64)
        (ids,) = np.nonzero(values)
        return ids.astype(np.int64), values[ids]
    return np.asarray(rows.indices, np.int64), np.asarray(rows.data, np.float64)


def names_of(machine: Machine) -> dict[int, Any]:
    """Feature numbers to names or columns."""
    names: dict[int, Any] = {number: key for key, number in machine.features.numbers.items()}
    for column, name in enumerate(machine.features.column_names or ()):
        names.setdefault(column, name)
    return names


class DictRow:
    """One example given as a dict, as a source of rows; features that the model does not know are left out."""

    n_rows = 1
    schema = None

    def __init__(self, x: Mapping[Any, Any]) -> None:
        self._x = x

    def begin(self) -> Any:
        """Nothing begins with an example that is explained."""
        raise NotImplementedError

    def read(self, features: Features, *_: Any, **__: Any) -> tuple[Rows, list[Any]]:
        """The row by feature numbers."""
        known = {}
        for key, value in self._x.items():
            number = features.numbers.get(key, key if features.kind != NAMES and isinstance(key, int) else None)
            if number is not None and value:
                known[number] = float(value)
        ids = sorted(known)
        data = np.array([known[k] for k in ids], np.float64)
        return SparseRows(data, np.array(ids, np.int64), np.array([0, len(ids)], np.int64), 0), []


def by_column(found: dict[Any, float], names: list[str] | None, width: int) -> Floats:
    """Importances as an array over the columns; a category or a text is one column of many features."""
    made = np.zeros(width)
    at = {name: column for column, name in enumerate(names or ())}
    for name, share in found.items():
        made[at[column_of(name, at)] if at else name] += share
    return made


def column_of(name: Any, columns: Container[str]) -> Any:
    """The column that a feature comes from: `COLUMN`, `COLUMN=VALUE` or `COLUMN#BUCKET`; `#BUCKET` is of many."""
    text = str(name)
    cuts = (text[:k] for k in range(len(text), 0, -1) if k == len(text) or text[k] in "=#@")
    return next((cut for cut in cuts if cut in columns), re.split("[=#@]", text, maxsplit=1)[0] or text)


class _Given:
    """Rows that need no reading."""

    schema = None

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def n_rows(self) -> int:
        return self._rows.n_rows

    def begin(self) -> Any:
        raise NotImplementedError

    def read(self, *_: Any, **__: Any) -> tuple[Rows, list[Any]]:
        return self._rows, []


def _rows(X: Floats, ids: Numbers) -> SparseRows:
    """Every row with its features that are not 0, in ascending order."""
    rows, columns = np.nonzero(X)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(X)))))
    return SparseRows(X[rows, columns], ids[columns], starts, 0)


def _margins(machine: Machine, X: Floats, ids: Numbers) -> Floats:
    step = max(1, _CELLS // max(len(ids), 1))
    parts = [machine.opinion(_Given(_rows(X[k : k + step], ids))).decisions for k in range(0, len(X), step)]
    return np.concatenate(parts)


def _changed(summary: Summary, names: dict[int, Any], ids: Numbers, values: Floats) -> tuple[Numbers, Floats, Floats]:
    """The features that change between reference and example, ascending, with their values in both."""
    pairs = zip(summary.ids.tolist(), summary.means.tolist(), strict=True)
    means = {k: mean for k, mean in pairs if not _says_missing(k, names)}
    given = dict(zip(ids.tolist(), values.tolist(), strict=True))
    known = [k for k in given if k in means] if len(means) > _FEW else means
    all_ = sorted(known)
    return (
        np.array(all_, np.int64),
        np.array([given.get(k, 0.0) for k in all_]),
        np.array([means[k] for k in all_]),
    )


def _says_missing(number: int, names: dict[int, Any]) -> bool:
    """Whether a feature is the engine's own, which says that another is missing: its value follows from that one."""
    return number >= _OWN and number not in names


def _path(x: Floats, reference: Floats) -> Floats:
    """Row k has the first k features of x, and the others of the reference."""
    d = len(x)
    return np.where(np.arange(d) < np.arange(d + 1)[:, None], x, reference)


def _plain(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else value


def _families(machine: Machine, rows: SparseRows) -> list[FamilyVote]:
    """What the families of a mixture of two classes say."""
    if not hasattr(machine.engine, "outputs"):
        return []
    found = machine.recipe.certificate(machine, faded=False)
    if not hasattr(found, "families"):
        return []
    says = machine.engine.outputs(rows)[0].reshape(-1, len(found.families))
    order = sorted(found.generations, key=lambda one: (not one.leads, -one.weight))
    votes = []
    for k, one in enumerate(found.families):
        # The copy of the generation that leads; if that has retired, of the next that has one.
        said = next((says[g.place, k] for g in order if says[g.place, k] <= 1.0), None)
        if one.at_work and said is not None:
            votes.append(FamilyVote(one.name, one.carries, 0.5 + 0.5 * float(said) * machine.labels.orientation))
    return sorted(votes, key=lambda one: -one.share)


def _effects(machine: Machine, summary: Summary) -> Floats:
    """Mean |f(z) - f(z')| of each feature."""
    d = len(summary.ids)
    order = np.argsort(summary.ids)
    effects = np.zeros(d)
    if d == 0:
        return effects
    spread = summary.deviations[order]
    looked_at = np.sort(np.argsort(-spread, kind="stable")[:_MOST])
    names = names_of(machine)
    own = np.array([_says_missing(k, names) for k in summary.ids[order][looked_at].tolist()], bool)
    looked_at = looked_at[(spread[looked_at] > 0) & ~own]
    draws = int(np.clip(_PREDICTIONS // max(len(looked_at), 1), 16, 256))
    random = np.random.default_rng(0)
    ids = summary.ids[order][looked_at]
    z, anew = (_draw(random, summary, order[looked_at], draws) for _ in range(2))
    plain = _margins(machine, z, ids)
    feature, draw = np.nonzero((anew != z).T)  # most draws of a rare category are the same
    step, changes = max(1, _CELLS // max(len(ids), 1)), [np.zeros(0)]
    for start in range(0, len(draw), step):
        at, k = draw[start : start + step], feature[start : start + step]
        other = z[at]
        other[np.arange(len(at)), k] = anew[at, k]
        changes.append(np.abs(_margins(machine, other, ids) - plain[at]).reshape(len(at), -1).sum(axis=1))
    ends = np.cumsum(np.bincount(feature, minlength=len(ids)))
    for k, part in zip(looked_at, np.split(np.concatenate(changes), ends[:-1]), strict=False):  # of none, one part
        effects[order[k]] = math.fsum(part.tolist()) / draws
    return effects


def _draw(random: np.random.Generator, summary: Summary, at: NDArray[np.intp], draws: int) -> Floats:
    mean, spread = summary.means[at], summary.deviations[at]
    z = mean + spread * random.standard_normal((draws, len(at)))
    binary = np.isclose(mean * (1.0 - mean), spread**2, rtol=1e-6, atol=0.0)  # 0 or 1: the variance is that of a coin
    coins = (random.random((draws, len(at))) < mean).astype(np.float64)
    return np.asarray(np.where(binary, coins, np.clip(z, -LARGEST_VALUE, LARGEST_VALUE)))
