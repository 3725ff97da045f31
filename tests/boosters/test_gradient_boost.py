"""Gradient boosting and its regression trees: the reference, Hoeffding trees, chance, and what theory promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity import assert_parity, build
from sklearn.base import clone
from states import bank_of, fresh_engine, state_of
from table import BOOSTERS, NATIVE
from twins import SEED, ReferenceLearner, ScriptedLearner, Stream, make_stream, run_native

from onlineboost import (
    GradientBoostClassifier,
    HoeffdingTree,
    OnlineClassifier,
    OSBoostClassifier,
    RandomSubsets,
    RegressionTree,
    Scaled,
    prequential,
)
from onlineboost.theory import record
from onlineboost.theory.synthetic import WISHES, ReluctantLearner, reluctant_stream

pytestmark = pytest.mark.engine

EAGER = {"grace_period": 5, "delta": 0.3}


def fresh(seed, columns):
    return make_stream("mixed", seed, 5, columns, weighted=False).X


# ---- the reference -----------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    learner=st.builds(
        RegressionTree,
        leaf=st.sampled_from(["adaptive", "mean"]),
        max_features=st.none() | st.floats(0.1, 1),
        subset=st.sampled_from(["leaf", "tree"]),
        grace_period=st.integers(1, 20),
        delta=st.sampled_from([1e-3, 0.1, 0.5]),
        regularization=st.sampled_from([0.0, 0.1, 1.0]),
        bins=st.integers(1, 12),
        max_depth=st.none() | st.integers(1, 4),
        max_leaves=st.none() | st.integers(1, 8),
    ),
    booster=st.builds(
        GradientBoostClassifier, st.none(), learning_rate=st.floats(0.01, 1), order=st.sampled_from(["first", "second"])
    ),
    n_learners=st.integers(1, 12),
    kind=st.sampled_from(["binary", "gaussian", "mixed"]),
    rows=st.integers(1, 80),
    columns=st.integers(1, 8),
    seed=st.integers(0, 2**32 - 1),
)
def test_drawn_trees(learner, booster, n_learners, kind, rows, columns, seed):
    stream = make_stream(kind, seed, rows, columns, weighted=True)
    assert_parity(build(booster, learner, n_learners, seed), stream, fresh(seed % 1000, columns))


@pytest.mark.parametrize("booster", [name for name in BOOSTERS if name != "gradient-boost"])
def test_regression_trees_in_every_booster(booster):
    stream = make_stream("mixed", 31, 150, 5, weighted=True)
    assert_parity(build(BOOSTERS[booster], RegressionTree(**EAGER), 5), stream, fresh(32, 5))


@pytest.mark.parametrize("learner", ["perceptron", "bayes-auto", "gradient", "tree"])
def test_learners_of_labels(learner):
    stream = make_stream("mixed", 33, 80, 5, weighted=True)
    booster = GradientBoostClassifier(None, learning_rate=0.3)
    assert_parity(build(booster, NATIVE[learner], 9), stream, fresh(34, 5))


WAYS = {
    "protocol": ReferenceLearner,
    "maxabs": lambda learner: Scaled(learner, "maxabs"),
    "subsets": lambda learner: RandomSubsets(learner, 1.0, group=2),
}


@pytest.mark.parametrize("order", ["first", "second"])
@pytest.mark.parametrize("way", WAYS)
def test_targets_come_through(order, way):
    """To a bank in Python, and through wrappers that leave rows of -1, 0 and 1 as they are."""
    stream = make_stream("gaussian", 35, 300, 5, weighted=True)
    stream = Stream(np.sign(stream.X) * (np.abs(stream.X) > 0.3), stream.y, stream.s)
    learner = RegressionTree(**EAGER, max_features=None)
    plain, other = (
        run_native(GradientBoostClassifier(given, 5, order=order, random_state=SEED), stream)
        for given in (learner, WAYS[way](learner))
    )
    np.testing.assert_allclose(other.margins, plain.margins, rtol=0, atol=1e-9)


def test_learners_of_labels_get_the_size_of_the_residual():
    rng = np.random.default_rng(0)
    X, y, s = rng.uniform(-1, 1, (40, 6)), rng.choice([-1, 1], 40), rng.exponential(size=40)
    model = GradientBoostClassifier(ScriptedLearner(), 6, learning_rate=0.7).partial_fit(X, y, sample_weight=s)
    f = 0.7 * np.pad(np.cumsum(X, axis=1)[:, :-1], ((0, 0), (1, 0)))
    inside = y * y[0]  # the first label is +1 inside
    wanted = s[:, None] / (1 + np.exp(2 * inside[:, None] * f))
    np.testing.assert_allclose(bank_of(model).weights, wanted, rtol=1e-12)


# ---- trees -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["binary", "gaussian", "mixed"])
def test_on_labels_of_equal_weight_the_tree_is_a_hoeffding_tree(kind):
    """Without a prior the gain is that of the Gini index, and the rule Pearson's test."""
    stream = make_stream(kind, 41, 1200, 6, weighted=False)
    same = {"grace_period": 20, "delta": 0.1, "max_features": 0.8}
    ours = RegressionTree(leaf="mean", regularization=0.0, **same)
    theirs = HoeffdingTree(leaf="majority", resample=None, criterion="gini", rule="evidence", **same)
    states = [state_of(OnlineClassifier(tree, random_state=SEED).fit(stream.X, stream.y)) for tree in (ours, theirs)]
    for name in ("tree_tests", "node_tests", "node_lefts", "node_thresholds", "leaf_features", "cell_borders"):
        np.testing.assert_array_equal(states[0][name], states[1][name])
    assert states[0]["tree_sizes"][0] > 10
    stumps = [OnlineClassifier(tree.set_params(max_depth=1), random_state=SEED) for tree in (ours, theirs)]
    margins = [prequential(stump, stream.X, stream.y).margins for stump in stumps]
    np.testing.assert_allclose(*margins, rtol=0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1.0])
def test_chance_does_not_split(scale):
    """One test of noise with weights of any scale: χ² of one degree passes 2 ln(1/0.05) in 1.4 of 100 cases."""
    rng, splits = np.random.default_rng(1), 0
    learner = RegressionTree(grace_period=100, delta=0.05, regularization=0.0, max_features=None)
    model = OnlineClassifier(learner, random_state=SEED).partial_fit([[1.0]], [1])
    for _ in range(600):
        tree = fresh_engine(model)
        X, y, w = rng.integers(0, 2, (100, 1)) * 1.0, rng.choice([-1.0, 1.0], 100), rng.exponential(size=100)
        tree.learn_dense(X, y, scale * w, np.empty(100))
        splits += tree.state()["tree_sizes"][0] > 1
    assert 0.003 < splits / 600 < 0.03


@pytest.mark.parametrize("unit", [1e-30, 1000.0, 1e30])
def test_lines_in_other_units(unit):
    """A feature's unit changes nothing but roundings, whatever the weights."""
    stream = make_stream("mixed", 44, 600, 5, weighted=True)
    units = unit ** np.array([1, 0, -1, 1, 0])
    model = GradientBoostClassifier(RegressionTree(max_depth=2, **EAGER), 5, random_state=SEED)
    margins = [
        prequential(clone(model), X, stream.y, sample_weight=stream.s).margins for X in (stream.X, stream.X * units)
    ]
    np.testing.assert_allclose(*margins, rtol=0, atol=1e-9)


def test_a_line_is_least_squares():
    """Of one feature in one leaf, whose mean over all rows is 0 after each pair of them: ridge regression."""
    rng = np.random.default_rng(6)
    x = np.repeat(rng.normal(size=1500), 2) * np.tile([1.0, -1.0], 1500)
    y = np.where(x + 0.3 * np.repeat(rng.normal(size=1500), 2) * np.tile([1, -1], 1500) > 0, 1, -1)
    tree = RegressionTree(max_features=None, max_leaves=1)
    state = state_of(OnlineClassifier(tree, random_state=SEED).fit(x[:, None], y))
    excess, slope, squares = state["leaf_lines"]
    assert excess < 0
    assert slope * y[0] == pytest.approx(x @ y / (x @ x), rel=0.02)
    assert squares == pytest.approx(x @ x, rel=0.01)
    unit = make_stream("gaussian", 45, 800, 4, weighted=False)
    noise = OnlineClassifier(tree, random_state=SEED).fit(unit.X, rng.choice([-1, 1], 800))
    assert state_of(noise)["leaf_lines"][0] > 0
    flat = OnlineClassifier(RegressionTree(leaf="mean", max_leaves=1), random_state=SEED)
    state = state_of(noise)
    mean = (state["leaf_before"] + state["leaf_own"])[0] / ((state["leaf_before"] + state["leaf_own"])[1] + 1)
    np.testing.assert_allclose(np.abs(noise.margin(unit.X)), abs(mean), rtol=1e-12)
    assert "leaf_lines" not in state_of(flat.fit(unit.X, unit.y))


def test_lines_take_part_of_the_memory():
    """Leaves of many features: lines and splits keep within the half of it, and learning goes on."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(3000, 60))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, 1, -1)
    for most in (5_000, 200_000):
        model = GradientBoostClassifier(RegressionTree(max_bytes=most, **EAGER), 5, random_state=SEED).fit(X, y)
        state = state_of(model)
        assert 240 * len(state["node_tests"]) + 16 * len(state["leaf_lines"]) <= most / 2
        assert (len(state["leaf_lines"]) > 0) == (most > 5_000)
    assert model.score(X, y) > 0.6


def test_bounds_of_a_tree():
    stream = make_stream("gaussian", 42, 2000, 6, weighted=False)
    for limits, most in (({"max_leaves": 5}, 9), ({"max_depth": 3}, 15), ({"max_bytes": 20_000}, 2 * 20_000 // 240)):
        model = GradientBoostClassifier(RegressionTree(**EAGER, **limits), 3, random_state=SEED)
        state = state_of(model.fit(stream.X, stream.y))
        assert (state["tree_sizes"] <= most).all()
        assert (state["leaf_features"] == -1).any()
        assert model.score(stream.X, stream.y) > 0.6


def test_a_damaged_state_is_refused_or_harmless():
    stream = make_stream("mixed", 43, 200, 5, weighted=True)
    model = GradientBoostClassifier(RegressionTree(bins=5, **EAGER), 3, random_state=SEED)
    state = state_of(model.partial_fit(stream.X, stream.y, sample_weight=stream.s))
    rng, refused = np.random.default_rng(2), 0
    fields = ["leaf_before", "leaf_own", "leaf_squares", "leaf_tried", "cell_sums", "tree_sizes"]
    fields += ["line_sizes", "leaf_lines", "line_moments"]
    for turn in range(300):
        name = fields[turn % len(fields)]
        damaged = {key: value.copy() for key, value in state.items()}
        damaged[name][rng.integers(len(damaged[name]))] = rng.choice([-(2**62), -7, -1, 0, 2, 100, 2**62])
        twin = fresh_engine(model)
        try:
            twin.load(damaged)
        except ValueError as error:
            assert "state field" in str(error)  # noqa: PT017  # some pass
            refused += 1
            continue
        margins = np.empty(len(stream.y))
        twin.learn_dense(stream.X, stream.y.astype(float), None, margins)
        assert (np.abs(margins) <= 1).all()
    assert refused > 60


# ---- theory ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("gamma", [0.1, 0.3])
def test_a_weak_edge_makes_few_mistakes(wish, gamma):
    """Learners whose advantage is 2γ and hardly more: the loss falls, and prefixes err as seldom as is promised."""
    n, rounds = 50, 3000
    eta = math.sqrt(2 * math.log(2) / n)
    X, y = reluctant_stream(wish, rounds, n, gamma=gamma, random_state=3)
    model = GradientBoostClassifier(ReluctantLearner(gamma), n, learning_rate=eta, random_state=SEED)
    h = record(model, X, y).h
    inside = np.where(y == y[0], 1.0, -1.0)[:, None]
    f = eta * np.pad(np.cumsum(h, axis=1), ((0, 0), (1, 0)))
    u = 1 / (1 + np.exp(2 * inside * f))
    losses = np.log1p(np.exp(-2 * inside * f)).sum(axis=0) / 2
    bank = bank_of(model)
    np.testing.assert_allclose(bank.weight, u[:, :n].sum(axis=0), rtol=1e-9)
    assert (bank.advantages >= 2 * gamma - 1e-9).all()
    assert (losses[1:] <= losses[:-1] - 2 * eta * gamma * bank.weight + eta**2 * rounds / 4 + 1e-6).all()
    mistakes = (inside * f[:, :n] <= 0).sum(axis=0)
    assert (mistakes <= 2 * bank.weight + 1e-9).all()
    assert mistakes[1:].mean() <= rounds * (math.log(2) / (eta * n) + eta / 2) / (2 * gamma)


def test_boosted_trees_beat_bagged_ones_and_a_single_one():
    """Products of two signs in noise: deep interactions that no single small tree holds."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(6000, 6))
    y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=6000) > 0).astype(int)
    boosted = prequential(GradientBoostClassifier(RegressionTree(), 30, random_state=SEED), X, y).error
    bagged = prequential(OSBoostClassifier(RegressionTree(), 30, gamma=1e-6, random_state=SEED), X, y).error
    single = prequential(OnlineClassifier(RegressionTree(), random_state=SEED), X, y).error
    assert boosted < bagged < single
