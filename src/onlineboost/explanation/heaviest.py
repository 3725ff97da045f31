"""Which features weigh most in a model, read off its state: for looking at, not for deciding.

Learners count by their share of the vote, v_i ≥ 0 with Σ v_i = 1. A feature of

    a linear learner             Σ_i v_i |u_i| , u_i its weight in the hypothesis of learner i as it is used
    NaiveBayes, Bernoulli        Σ_i v_i p_i |log-odds of its presence|, p_i the share of the weight with it present
    NaiveBayes, Gaussian         Σ_i v_i (μ₊ - μ₋)² (1/σ₊² + 1/σ₋²)/4: half the log-odds from one mean to the other
    Hoeffding, RegressionTree    Σ_i v_i times the share of the weight that meets a test of it on the way to its leaf

Lines in the leaves of RegressionTree do not count. Not available for typed Naive Bayes, wrapped learners, members of
IBoost or OnlineGradient with restarts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onlineboost.machine import Machine

    Floats = NDArray[np.float64]

_LINEAR = "mean absolute weight, learners by their share of the vote"
_OTHERS = {
    "naive_bayes": "mean absolute log-odds, learners by their share of the vote",
    "regression_tree": "tests passed on the way to a leaf, without its line, trees by their share of the vote",
    "hoeffding_tree": "tests passed on the way to a leaf, trees by their share of the vote",
}


def meaning(bank: dict[str, Any]) -> str | None:
    """What a weight means, by what the bank is built from; None where features have no weights of their own."""
    changed = "inner" in bank or bank["kind"] in {"families", "python", "typed_bayes", "online_gradient_clock"}
    return None if changed else _OTHERS.get(bank["kind"], _LINEAR if "intercept" in bank else None)


@dataclass(frozen=True)
class Heavy:
    """A feature, how much it weighs, and the label that it speaks for (None: it depends on its value)."""

    feature: Any
    weight: float
    towards: Any


def heaviest(model: Any, count: int = 10) -> list[Heavy]:
    """The features of most weight in an estimator or machine, heaviest first; only for learners with a native bank."""
    machine: Machine = getattr(model, "machine", model)
    engine = machine.require_begun()
    n_learners, bank, booster = engine.n_learners, engine.bank, engine.booster
    if meaning(bank) is None:
        return []
    state = engine.core.state()
    share = vote_shares(state, booster, n_learners)
    if bank["kind"] == "naive_bayes":
        weight, direction = _bayes(state, bank, share)
    elif bank["kind"] in {"hoeffding_tree", "regression_tree"}:
        weight, direction = _trees(state, share)
    else:
        weight, direction = _linear(state, bank, share)
    order = np.argsort(-weight, kind="stable")[:count]
    names = {number: key for key, number in machine.features.numbers.items()}
    labels = machine.labels.classes.tolist()
    orientation = machine.labels.orientation
    ids = state["features"]
    return [
        Heavy(
            machine.features.key_of(int(ids[k]), names),
            float(weight[k]),
            labels[int(direction[k] * orientation > 0)] if direction[k] != 0 and len(labels) == 2 else None,
        )
        for k in order
        if weight[k] > 0
    ]


def linear_weights(machine: Machine) -> tuple[Floats, Floats]:
    """Weights of the columns and the intercept, where linear learners vote on plain columns; else AttributeError."""
    engine = machine.require_begun()
    width = machine.features.n_columns
    if meaning(engine.bank) != _LINEAR or machine.recipe.many_classes or len(machine.labels.begun) > 2 or width is None:
        raise AttributeError(f"{machine.recipe.estimator} has no coef_: its margin is not linear in plain columns.")
    state = engine.core.state()
    u = _hypotheses(state, engine.bank) @ vote_shares(state, engine.booster, engine.n_learners)
    u *= machine.labels.orientation
    first = 1 if engine.bank["intercept"] else 0
    coefficients = np.zeros((1, width))
    coefficients[0, state["features"]] = u[first:]
    return coefficients, u[:1] if first else np.zeros(1)


def vote_shares(state: dict[str, Any], booster: dict[str, Any], n: int) -> Floats:
    """How much of the vote each learner has; sums to 1."""
    uniform = np.full(n, 1.0 / n)
    if booster["kind"] == "ozaboost":
        right, wrong = state["correct"], state["wrong"]
        total = right + wrong
        error = np.clip(np.divide(wrong, total, out=np.full(n, 0.5), where=total > 0), 1e-10, 1 - 1e-10)
        votes = np.where(error < 0.5, np.log((1 - error) / error), 0.0)
        return votes / votes.sum() if votes.sum() > 0 else uniform
    if booster["kind"] == "ogboost":
        chosen = np.zeros((n // booster["candidates"], booster["candidates"]))
        chosen[np.arange(len(chosen)), state["errors"].reshape(chosen.shape).argmin(axis=1)] = 1.0
        return chosen.ravel() / len(chosen)
    if booster["kind"] == "adaboost_ol":
        size = np.abs(state["alpha"])
        up_to = np.cumsum(size)
        prefix = np.divide(_expert_weights(state, booster, n), up_to, out=np.zeros(n), where=up_to > 0)
        votes = size * np.cumsum(prefix[::-1])[::-1]
        return np.asarray(votes / votes.sum()) if votes.sum() > 0 else uniform
    if booster["kind"] == "osboost" and booster["vote"] == "ocp":
        return np.asarray(state["alpha"])
    if booster["kind"] == "osboost" and booster["vote"] == "eg":
        losses = state["eg_losses"] - state["eg_losses"].min()
        weights = np.exp(-math.sqrt(math.log(n) / (1.0 + float(state["eg_squares"][0]))) * losses)
        return np.asarray(weights / weights.sum())
    if booster["kind"] == "osboost" and booster["vote"] == "experts":
        prefix = _expert_weights(state, booster, n) / np.arange(1, n + 1)  # expert k is the mean of k learners
        return np.cumsum(prefix[::-1])[::-1]
    return uniform


def _expert_weights(state: dict[str, Any], booster: dict[str, Any], n: int) -> Floats:
    if booster["expert_rate"] == "share":
        return np.asarray(state["expert_shares"] / state["expert_shares"].sum())
    losses = state["expert_losses"] - state["expert_losses"].min()
    gap, rounds = float(state["mixability_gap"][0]), int(state["expert_rounds"][0])
    rates = {
        "fixed": booster["expert_eta"],
        "anytime": 2.0 * math.sqrt(math.log(n) / (rounds + 1)),
        "adahedge": math.log(n) / gap if gap > 1e-300 else math.inf,
    }
    rate = rates[booster["expert_rate"]]
    weights = np.where(losses == 0, 1.0, 0.0) if math.isinf(rate) else np.exp(-rate * losses)
    return np.asarray(weights / weights.sum())


def _linear(state: dict[str, Any], bank: dict[str, Any], share: Floats) -> tuple[Floats, Floats]:
    u = _hypotheses(state, bank)[1 if bank["intercept"] else 0 :]
    return np.abs(u) @ share, u @ share


def _hypotheses(state: dict[str, Any], bank: dict[str, Any]) -> Floats:
    """A row per coordinate, a column per learner."""
    kind = bank["kind"]
    if kind == "ftrl" and "coordinates" not in state:
        z, squares = state["duals"], state["coordinate_squares"]
        size = np.maximum(np.abs(z) - bank["l1"], 0.0)
        return np.asarray(-np.sign(z) * size / ((bank["beta"] + np.sqrt(squares)) / bank["alpha"] + bank["l2"]))
    u: Floats = state["coordinates"]
    if kind == "perceptron":
        return np.asarray(u / np.sqrt(np.maximum(state["squared_norms"], 1.0)))
    if kind == "online_gradient":
        return np.asarray(u * state["scales"])
    if kind == "averaged_perceptron":
        clock = state["clocks"]
        u = u - state["timed_steps"] * np.divide(1.0, clock, out=np.zeros_like(clock), where=clock > 0)
        return np.asarray(u / np.maximum(np.linalg.norm(u, axis=0), 1.0))
    return u


def _bayes(state: dict[str, Any], bank: dict[str, Any], share: Floats) -> tuple[Floats, Floats]:
    places, sides = state["places"], ("minus", "plus")
    weight, direction = np.zeros(len(places)), np.zeros(len(places))
    binary, alpha = places >= 0, bank["alpha"]
    counts = [state[f"{side}.counts"] for side in sides]
    n = [_row_weights(state, side, "counts") for side in sides]
    odds = np.log((counts[1] + alpha) / (n[1] + 2 * alpha)) - np.log((counts[0] + alpha) / (n[0] + 2 * alpha))
    odds *= (counts[0] + counts[1]) / np.maximum(n[0] + n[1], 1e-300)
    weight[binary], direction[binary] = (np.abs(odds) @ share)[places[binary]], (odds @ share)[places[binary]]
    means, n = [state[f"{side}.means"] for side in sides], [_row_weights(state, side, "means") for side in sides]
    spread = [state[f"{side}.squares"] / np.maximum(t, 1e-300) for side, t in zip(sides, n, strict=True)]
    precision = sum(1.0 / (variance + bank["variance_floor"]) for variance in spread)
    swing = (means[1] - means[0]) ** 2 * precision / 4.0
    swing[(n[0] == 0) | (n[1] == 0)] = 0.0
    weight[~binary] = (swing @ share)[-1 - places[~binary]]
    return weight, direction


def _row_weights(state: dict[str, Any], side: str, table: str) -> Floats:
    """The weight behind each row of counts or of moments: the class's, or that of the rows that had the feature."""
    found: Floats = np.tile(state[f"{side}.totals"], (len(state[f"{side}.{table}"]), 1))
    slots = state.get("own_weights", np.zeros(0, np.int64))
    rows = state["places"][slots] if table == "counts" else -1 - state["places"][slots]
    if len(slots):
        found[rows[rows >= 0]] = state[f"{side}.own_totals"][rows >= 0]
    return found


def _trees(state: dict[str, Any], share: Floats) -> tuple[Floats, Floats]:
    weight = np.zeros(len(state["features"]))
    if "leaf_weights" in state:
        in_leaf = state["leaf_weights"].reshape(-1, 7)[:, :4].sum(axis=1)
    else:
        in_leaf = state["leaf_before"][1::2] + state["leaf_own"][1::2]
    node, leaf = 0, 0
    for part, size in zip(share.tolist(), state["tree_sizes"].tolist(), strict=True):
        tests, lefts = (state[name][node : node + size].tolist() for name in ("node_tests", "node_lefts"))
        below = [0.0] * size
        for k in range(size - 1, -1, -1):  # children come after their node
            test = tests[k]
            below[k] = below[lefts[k]] + below[lefts[k] + 1] if test >= 0 else float(in_leaf[leaf - 1 - test])
        for k, test in enumerate(tests):
            if test >= 0 and below[0] > 0:
                weight[state["tree_tests"][test]] += part * below[k] / below[0]
        node, leaf = node + size, leaf + (size + 1) // 2
    return weight, np.zeros(len(weight))
