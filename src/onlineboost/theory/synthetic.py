"""Streams on which weak learning holds by construction, with a γ that is known.

The paper's Assumption 1: whatever weights w_t ≤ 1 a booster chooses, each weak learner gets
Σ w_t y_t h_t(x_t) ≥ 2γ Σ w_t as soon as Σ w_t ≥ c/γ². Nobody can check this on real data; on these two it is a fact.

`ReluctantLearner` keeps Assumption 1, and no more. It is told the label and errs on purpose, whenever its account

    B = Σ w_t (y_t h_t - 2γ)     stays at least 0 after a mistake of weight 1, that is when B ≥ 1 + 2γ.

So B ≥ 0 after every example, for every choice of weights in [0, 1], without any luck: its advantage is at least 2γ.
Where it wishes to err on every example (`wish="always"`), B < 1 + 2γ + 1 - 2γ = 2, and the advantage exceeds 2γ by less
than 2/Σw; with other wishes B may grow. It learns nothing: it is the assumption itself, for testing the theorem.
`reluctant_stream` says on which examples it would like to err.

`linear_stream` is for the corollary: linear hypotheses with an advantage of 3γ *exist*, and OnlineGradient has to find
them. With a hidden unit vector u and a misleading one v, orthogonal to it, and noise e orthogonal to both, a row is

    x = y (a u ± b v) + c e       a² + b² + c² = 1       + for most rows, - for a minority

and a share ν of the labels is flipped afterwards. So y⟨u, x⟩ = a on the clean examples and -a on the flipped ones.
Weights of at most 1 that sum to at least δT put no more than νT on the latter, hence

    Σ w y⟨u, x⟩ ≥ a (Σw - 2νT) ≥ a (1 - 2ν/δ) Σw = 3γ Σw     for     ν = (1 - 3γ/a) δ/2.

This is where smooth weights matter: a booster that could concentrate on the flipped labels would lose the advantage.
The direction v is the better one for most rows, so one learner, unboosted, follows it and fails the minority.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.declarations import checks
from onlineboost.learners.base import Bank, Learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

WISHES = ("coins", "always", "hard")


class ReluctantBank(Bank):
    """N learners that err wherever they wish to and their advantage of 2γ permits it."""

    def __init__(self, n_learners: int, gamma: float) -> None:
        self.n_learners = n_learners
        self.gamma = gamma
        self.account = np.zeros(n_learners)
        self.weight = np.zeros(n_learners)

    def predict(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The label x[0], or its opposite where the learner wishes (x[1:], or x[1] for all) and can afford it."""
        errs = (x[1:] > 0) & (self.account >= 1.0 + 2.0 * self.gamma)
        votes: NDArray[np.float64] = np.where(errs, -x[0], x[0])
        return votes

    def update(self, x: NDArray[np.float64], y: float, w: NDArray[np.float64]) -> None:
        """Enter the example into the accounts."""
        if y != x[0]:
            raise ValueError(
                "A reluctant learner needs the label in x[0] as the booster knows it: the first one is +1."
            )
        self.account += w * (y * self.predict(x) - 2.0 * self.gamma)
        self.weight += w

    @property
    def advantages(self) -> NDArray[np.float64]:
        """Σ w y h / Σ w of each learner so far."""
        return 2.0 * self.gamma + self.account / self.weight


class ReluctantLearner(Learner):
    """A weak learner with an advantage of at least 2 gamma on any stream of `reluctant_stream`.

    Parameters
    ----------
    gamma : float in (0, 0.5], default=0.25
        Half the advantage.

    """

    def __init__(self, gamma: float = 0.25) -> None:
        self.gamma = gamma

    def make_bank(self, n_learners: int, n_features: int, seed: int) -> ReluctantBank:
        """A bank with empty accounts; `bank_` is the last one made, to be looked into."""
        self.bank_ = ReluctantBank(n_learners, checks.real("gamma", self.gamma, 0.0, 0.5, low_open=True))
        return self.bank_


def reluctant_stream(
    wish: str, n_examples: int, n_learners: int, *, gamma: float, hard: float = 0.25, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(X, y): labels in the first column of X, and in the others where each ReluctantLearner would like to err.

    Parameters
    ----------
    wish : {"coins", "always", "hard"}
        Coins: each learner on each example with chance 1/2 - gamma, independently. Always: wherever it can, so
        that all learners err on the same examples as long as their weights agree. Hard: on a share `hard` of the
        examples, the same ones for all learners, and never elsewhere.
    n_examples, n_learners : int
        The size.
    gamma : float
        The learners' gamma, for the coins.
    hard : float
        The share of hard examples.
    random_state : seed of numpy.random.default_rng
        Source of labels and wishes.

    """
    random = np.random.default_rng(random_state)
    wish = checks.choice("wish", wish, WISHES)
    y = random.choice([-1, 1], n_examples)
    y[:1] = 1  # boosters take the first label for +1, whatever it is called, and the learners speak their language
    if wish == "coins":
        wishes = random.random((n_examples, n_learners)) < 0.5 - gamma
    elif wish == "always":
        wishes = np.ones((n_examples, 1), bool)
    else:
        wishes = random.random((n_examples, 1)) < hard
    return np.hstack([y[:, None], wishes]).astype(np.float64), y


@dataclass(frozen=True)
class LinearStream:
    """Rows of length 1 with a hidden hyperplane of large margin, a misleading one, and a few flipped labels."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    u: NDArray[np.float64]
    """The hidden unit vector; y⟨u, x⟩ is a, or -a where the label is flipped."""
    minority: NDArray[np.bool_]
    """Where v misleads."""
    flipped: NDArray[np.bool_]
    """Where the label is the wrong one."""

    def advantage(self, weights: NDArray[np.float64]) -> float:
        """Of x ↦ ⟨u, x⟩ under these weights: at least 3γ if they are at most 1 and sum to at least δT."""
        return float(weights @ (self.y * (self.X @ self.u)) / weights.sum())


def linear_stream(
    n_examples: int,
    *,
    gamma: float,
    delta: float,
    minority: float = 0.25,
    n_features: int = 20,
    random_state: Any = None,
) -> LinearStream:
    """A stream on which a linear hypothesis has advantage 3γ under all weights up to 1 that sum to δT or more.

    Parameters
    ----------
    n_examples : int
        T.
    gamma : float in (0, 0.3]
        The advantage is 3 gamma.
    delta : float in (0, 1]
        How much weight it is promised for; the smaller, the fewer labels are flipped.
    minority : float in [0, 0.5]
        The share of examples on which the misleading direction is wrong.
    n_features : int, at least 3
        The dimension.
    random_state : seed of numpy.random.default_rng
        Source of everything.

    """
    gamma = checks.real("gamma", gamma, 0.0, 0.3, low_open=True)
    delta = checks.real("delta", delta, 0.0, 1.0, low_open=True)
    minority = checks.real("minority", minority, 0.0, 0.5)
    d = checks.integer("n_features", n_features, 3, 10**6)
    a = 3.3 * gamma
    b, c = math.sqrt(0.9 * (1.0 - a**2)), math.sqrt(0.1 * (1.0 - a**2))
    random = np.random.default_rng(random_state)
    u, v = np.linalg.qr(random.normal(size=(d, 2)))[0].T
    e = random.normal(size=(n_examples, d))
    e -= np.outer(e @ u, u) + np.outer(e @ v, v)
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    y = random.choice([-1, 1], n_examples)
    misled = random.random(n_examples) < minority
    X = a * np.outer(y, u) + b * np.outer(np.where(misled, -y, y), v) + c * e
    flipped = np.zeros(n_examples, bool)
    n_flipped = math.floor((1.0 - 3.0 * gamma / a) * delta / 2.0 * n_examples)
    flipped[random.choice(n_examples, n_flipped, replace=False)] = True
    return LinearStream(X, np.where(flipped, -y, y), u, misled, flipped)
