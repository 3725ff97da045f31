"""Hoeffding trees against closed forms, scikit-learn's splits, river's stump, and what must hold for any stream."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from river import tree as river_tree
from sklearn.tree import DecisionTreeClassifier
from states import fresh_engine, state_of
from twins import SEED, make_stream

from onlineboost import (
    HoeffdingTree,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    datasets,
    from_bytes,
    prequential,
    reference,
)
from onlineboost.reference import rng as reference_rng

pytestmark = pytest.mark.engine

PLAIN = {"rule": "hoeffding", "criterion": "gain", "max_features": None, "resample": None}  # VFDT
EAGER = {**PLAIN, "grace_period": 5, "tie_threshold": 0.5, "delta": 0.1}


def leaves_of(model):
    """Per tree, an array of (before -, before +, own -, own +, right by majority, by Naive Bayes, tried) per leaf."""
    state = state_of(model)
    ends = np.cumsum((state["tree_sizes"] + 1) // 2)[:-1]
    return np.split(state["leaf_weights"].reshape(-1, 7), ends)


def bytes_of(model):
    """What the trees take at least."""
    state = state_of(model)
    return 16 * len(state["node_tests"]) + 56 * len(state["leaf_features"]) + 24 * len(state["cell_borders"])


streams = st.builds(
    make_stream,
    st.sampled_from(["binary", "gaussian", "mixed"]),
    st.integers(0, 10**6),
    st.integers(1, 150),
    st.integers(1, 8),
    weighted=st.booleans(),
)


@settings(max_examples=60)
@given(stream=streams, n=st.integers(1, 9), leaf=st.sampled_from(["majority", "naive_bayes", "adaptive"]))
def test_no_weight_is_lost(stream, n, leaf):
    """However trees grow, the class weights of their leaves are those of the stream."""
    model = OSBoostClassifier(HoeffdingTree(leaf=leaf, **EAGER), n, random_state=SEED)
    model.partial_fit(stream.X, stream.y, classes=[-1, 1], sample_weight=stream.s)
    s = np.ones(len(stream.y)) if stream.s is None else stream.s
    first = leaves_of(model)[0]  # the first learner of OSBoost gets every example with its whole weight
    got = first[:, :2].sum(axis=0) + first[:, 2:4].sum(axis=0)
    wanted = [s[stream.y != stream.y[np.argmax(s > 0)]].sum(), s[stream.y == stream.y[np.argmax(s > 0)]].sum()]
    np.testing.assert_allclose(got, wanted, rtol=1e-9)
    mass = state_of(model)["weight_mass"][:n]
    np.testing.assert_allclose([tree[:, :4].sum() for tree in leaves_of(model)], mass, rtol=1e-9)
    assert (np.concatenate(leaves_of(model)) >= 0).all()


def test_random_weights_are_those_of_the_reference():
    stream = make_stream("gaussian", 1, 300, 4, weighted=True)
    model = OSBoostClassifier(HoeffdingTree(max_features=None), 3, random_state=SEED, gamma=1e-9)
    model.partial_fit(stream.X, stream.y, sample_weight=stream.s)
    rows = np.flatnonzero(stream.s > 0)
    for i, tree in enumerate(leaves_of(model)):
        draws = [reference.poisson(6.0, SEED, i, t, reference_rng.RESAMPLE) for t in range(len(rows))]
        assert np.mean(draws) == pytest.approx(6, abs=4 * math.sqrt(6 / len(rows)))
        np.testing.assert_allclose(tree[:, :4].sum(), stream.s[rows] @ draws, rtol=1e-6)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("subset", ["leaf", "tree"])
def test_the_share_of_features(share, subset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    model = OSBoostClassifier(HoeffdingTree(max_features=share, subset=subset, grace_period=1e9), 20, random_state=SEED)
    counts = state_of(model.partial_fit(X, rng.integers(0, 2, 60)))["leaf_features"]
    assert len(counts) == 20
    assert counts.mean() == pytest.approx(200 * share, abs=4 * math.sqrt(200 * share * (1 - share) / 20))
    assert len(np.unique(counts)) > 3


def test_a_subset_of_the_tree_is_that_of_all_its_leaves():
    stream = make_stream("gaussian", 2, 600, 12, weighted=False)
    sizes = {}
    for subset in ("leaf", "tree"):
        learner = HoeffdingTree(**{**EAGER, "max_features": 0.4}, subset=subset)
        state = state_of(OnlineClassifier(learner, random_state=SEED).fit(stream.X, stream.y))
        assert state["tree_sizes"][0] > 20
        sizes[subset] = len(np.unique(state["feature_slots"]))
    assert sizes["tree"] < 9 < sizes["leaf"]


# ---- the split ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [(0, 1), (0, -1), (-1, 1), (1, 2), (-2, -1), (0, 1e-9), (-3, 0.5)])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_stump_tells_two_values_apart(values, sparse):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([rng.normal(size=400), np.array(values, dtype=float)[y], rng.normal(size=400)])
    stump = HoeffdingTree(max_depth=1, leaf="majority", delta=1e-7, grace_period=200, **PLAIN)
    model = OnlineClassifier(stump, threshold="vote")
    errors = prequential(model, sp.csr_array(X) if sparse else X, y).losses
    state = state_of(model)
    assert state["tree_sizes"][0] == 3
    assert state["features"][state["tree_tests"][0]] == 1
    assert errors[200:].sum() == 0
    np.testing.assert_array_equal(np.abs(model.margin(X)), 1.0)


@pytest.mark.parametrize("border", [-0.7, 0.0, 0.3])
def test_a_stump_finds_a_border(border):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 3))
    y = X[:, 2] > border
    model = OnlineClassifier(
        HoeffdingTree(max_depth=1, leaf="majority", bins=64, delta=1e-7, grace_period=200, **PLAIN)
    ).fit(X, y)
    threshold = state_of(model)["node_thresholds"][0]
    assert threshold == pytest.approx(border, abs=0.15)
    assert np.mean(model.predict(X) != y) < 0.06


@pytest.mark.parametrize("criterion", ["gain", "gini"])
@pytest.mark.parametrize("kind", ["binary", "gaussian", "mixed"])
@pytest.mark.parametrize("seed", range(5))
def test_the_split_is_the_one_of_scikit_learn(criterion, kind, seed):
    """With a cell per value the first split is the best of all splits of the rows so far, weights included."""
    rows = 60
    stream = make_stream(kind, seed, rows, 5, weighted=True)
    s = stream.s + 0.1
    learner = HoeffdingTree(
        **{**PLAIN, "criterion": criterion},
        max_depth=1,
        leaf="majority",
        bins=rows,
        grace_period=s.sum() - 1e-9,
        tie_threshold=1.0,
        delta=0.1,
    )
    state = state_of(OnlineClassifier(learner).fit(stream.X, stream.y, sample_weight=s))
    peer = DecisionTreeClassifier(
        criterion={"gain": "entropy"}.get(criterion, criterion), max_depth=1, min_weight_fraction_leaf=0.01
    ).fit(stream.X, stream.y, sample_weight=s)
    column = state["features"][state["tree_tests"][0]]
    left = stream.X[:, column] < state["node_thresholds"][0]
    wanted = stream.X[:, peer.tree_.feature[0]] <= peer.tree_.threshold[0]
    # Another feature may divide the rows alike, and an equal gain may come from another division.
    gains = []
    for side in (left, wanted):
        parts = [(s[mask & (stream.y > 0)].sum(), s[mask].sum()) for mask in (side, ~side)]
        share = [plus / n for plus, n in parts]
        if criterion == "gini":
            impurity = [p * (1 - p) for p in share]
        else:
            impurity = [-sum(q * math.log(q) for q in (p, 1 - p) if q > 0) for p in share]
        gains.append(sum(n * v for (_, n), v in zip(parts, impurity, strict=True)))
    assert gains[0] == pytest.approx(gains[1], rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_stump_of_river(seed):
    """On 0/1 features river's stump splits at the same example and gives the same probabilities ever after."""
    rng = np.random.default_rng(seed)
    X = (rng.random((1500, 4)) < 0.4).astype(float)
    y = (rng.random(1500) < 0.25 + 0.5 * X[:, 2]).astype(int)
    peer = river_tree.HoeffdingTreeClassifier(
        grace_period=100, delta=1e-4, tau=0.05, leaf_prediction="mc", split_criterion="info_gain",
        nominal_attributes=list(range(4)), max_depth=1, merit_preprune=False,
    )  # fmt: skip
    model = OnlineClassifier(HoeffdingTree(max_depth=1, leaf="majority", grace_period=100, delta=1e-4, **PLAIN))
    ours = prequential(model, X, y).margins
    theirs = []
    for x, label in zip(X, y, strict=True):
        row = dict(enumerate(x))
        p = peer.predict_proba_one(row)
        theirs.append(p.get(1, 0.0) - p.get(0, 0.0))
        peer.learn_one(row, label)
    assert len(np.unique(np.round(ours[-300:], 1))) > 1, "the stump should have split"
    np.testing.assert_allclose(ours[2:], theirs[2:], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["splice", "german", "breast-cancer"])
def test_errors_beside_the_trees_of_river(name):
    """Other observers of numbers, other inheritance: no worse, to the noise of a stream of this length."""
    data = datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[rows].toarray() if sp.issparse(data.X) else data.X[rows], data.y[rows]
    peer, wrong = river_tree.HoeffdingTreeClassifier(grace_period=100, delta=1e-3), 0
    for x, label in zip(X, y, strict=True):
        row = dict(enumerate(x.tolist()))
        wrong += peer.predict_one(row) != label
        peer.learn_one(row, label)
    ours = prequential(OnlineClassifier(HoeffdingTree(grace_period=100, delta=1e-3, **PLAIN)), X, y).error
    assert ours < wrong / len(y) + 2 * math.sqrt(0.25 / len(y))


# ---- splits that are re-examined ---------------------------------------------------------------------------------


def changing(rows=2000):
    """The first third of the labels follows one feature, the rest another."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(rows, 4)).round(2)
    y = np.where(np.arange(rows) < rows // 3, X[:, 0], X[:, 1])
    return X, np.where(y > 0, 1, -1), rng.random(rows) + 0.1


def nested(X):
    return np.where(X[:, 0] > 0, X[:, 1] > 0.3, X[:, 2] > -0.3)


def root_test(model):
    state = state_of(model)
    return state["features"][state["tree_tests"][state["node_tests"][0]]]


def test_a_split_that_became_wrong_is_replaced():
    X, y, _ = changing(6000)
    for reexamine, wanted in ((None, 0), (200, 1)):
        model = OnlineClassifier(HoeffdingTree(**PLAIN, delta=1e-3, reexamine=reexamine))
        assert root_test(model.partial_fit(X[:2000], y[:2000])) == 0
        assert root_test(model.partial_fit(X[2000:], y[2000:])) == wanted


def test_without_a_change_every_split_stays():
    X, _, _ = changing()
    y = np.where(X[:, 0] > 0, X[:, 1] > 0.3, X[:, 2] > -0.3)
    states = [
        state_of(OnlineClassifier(HoeffdingTree(**PLAIN, delta=1e-3, reexamine=every)).fit(X, y))
        for every in (None, 50)
    ]
    assert states[0]["tree_sizes"][0] > 5
    for name in ("tree_tests", "node_tests", "node_lefts", "node_thresholds"):
        np.testing.assert_array_equal(states[0][name], states[1][name])


@pytest.mark.parametrize(
    "options",
    [
        {"max_features": 0.9},
        {"subset": "tree", "max_features": 0.9, "delta": 1e-3},
        {**PLAIN, "leaf": "majority", "delta": 0.5, "max_leaves": 7},
    ],
)
def test_replaced_splits_beside_the_reference(options):
    """Whole subtrees go; leaves keep all the weight; batches, copies and files go on with the same bits."""
    X, y, s = changing()
    learner = HoeffdingTree(**options, reexamine=100)
    model = OnlineClassifier(learner, random_state=SEED)
    got = prequential(model, X, y, sample_weight=s).margins
    twin = reference.HoeffdingTree(1, X.shape[1], seed=SEED, reexamine=100, **options)
    wanted, smaller, weight = [], 0, 0.0
    for t, (x, label, w) in enumerate(zip(X, y * y[0], s, strict=True)):
        wanted.append(twin.predict(x)[0])
        twin.meet(x)
        before = twin.sizes[0]
        twin.update(x, label, np.array([w]))
        smaller += twin.sizes[0] < before
        draw = reference.poisson(6.0, SEED, 0, t, reference_rng.RESAMPLE) if learner.resample else 1
        weight += w * draw
    assert smaller > 0
    np.testing.assert_allclose(got, np.array(wanted) * y[0], rtol=0, atol=1e-9)
    state = state_of(model)
    assert state["tree_sizes"][0] == twin.sizes[0]
    records = state["leaf_weights"].reshape(-1, 7)
    leaves = (twin.sizes[0] + 1) // 2
    assert len(records) == twin.sizes[0]
    np.testing.assert_allclose(records[:leaves, :4].sum(), weight, rtol=1e-9)
    again = OnlineClassifier(learner, random_state=SEED)
    for at in range(0, len(y), 171):
        rows = slice(at, at + 171)
        np.testing.assert_array_equal(prequential(again, X[rows], y[rows], sample_weight=s[rows]).margins, got[rows])
        again = from_bytes(again.to_bytes())
    assert again.to_bytes() == model.to_bytes()


# ---- bounds ------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(stream=streams, depth=st.integers(1, 5), leaves=st.integers(1, 9))
def test_depth_and_leaves_are_bounded(stream, depth, leaves):
    learner = HoeffdingTree(max_depth=depth, max_leaves=leaves, **EAGER)
    model = OSBoostClassifier(learner, 3, random_state=SEED).partial_fit(stream.X, stream.y, sample_weight=stream.s)
    state = state_of(model)
    assert (state["tree_sizes"] <= min(2 * leaves - 1, 2 ** (depth + 1) - 1)).all()
    root, lefts, tests = 0, state["node_lefts"], state["node_tests"]
    for size in state["tree_sizes"]:
        depths = np.zeros(size, dtype=int)
        for node in range(size):
            if tests[root + node] >= 0:
                depths[lefts[root + node] : lefts[root + node] + 2] = depths[node] + 1
        assert depths.max() <= depth
        root += size


@pytest.mark.parametrize(
    ("leaf", "reexamine", "max_bytes"),
    [(leaf, None, most) for leaf in ("majority", "adaptive") for most in (100_000, 200_000)]
    + [("adaptive", 500, 200_000)],
)
def test_memory_is_bounded(leaf, reexamine, max_bytes):
    """At no time do the trees take more; leaves lose their statistics and some get new ones; learning goes on."""
    stream = make_stream("gaussian", 5, 9000, 6, weighted=False)
    learner = HoeffdingTree(leaf=leaf, max_bytes=max_bytes, grace_period=60, delta=1e-3, reexamine=reexamine)
    model, without, grown = OSBoostClassifier(learner, 3, random_state=SEED), [], []
    for at in range(0, 9000, 300):
        model.partial_fit(stream.X[at : at + 300], stream.y[at : at + 300])
        assert bytes_of(model) <= max_bytes
        without.append(state_of(model)["leaf_features"] < 0)
        grown.append(len(without[-1]))
    assert max(w.mean() for w in without) > 0.2
    assert grown[-1] > grown[2]
    free = OSBoostClassifier(learner.set_params(max_bytes=2**30), 3, random_state=SEED)
    assert bytes_of(free.partial_fit(stream.X, stream.y)) > 3 * max_bytes
    assert model.score(stream.X, stream.y) > 0.7


def test_a_leaf_gets_its_statistics_back():
    """A leaf that had to give them up, and in which the lesser class then gathers more weight than elsewhere."""
    stream = make_stream("gaussian", 6, 20_000, 6, weighted=False)
    learner = HoeffdingTree(max_bytes=60_000, delta=1e-3)
    model, back = OSBoostClassifier(learner, 2, random_state=SEED), 0
    before = None
    for at in range(0, 20_000, 500):
        model.partial_fit(stream.X[at : at + 500], stream.y[at : at + 500])
        state = state_of(model)
        if before is not None and len(before["leaf_features"]) == len(state["leaf_features"]):
            back += ((before["leaf_features"] < 0) & (state["leaf_features"] >= 0)).sum()
        before = state
    assert back > 0


def test_a_copy_under_short_memory_goes_on_as_the_original():
    stream = make_stream("mixed", 7, 5000, 8, weighted=True)
    for at in (700, 2300):
        model = OSBoostClassifier(HoeffdingTree(max_bytes=25_000, **EAGER), 5, random_state=SEED)
        model.partial_fit(stream.X[:at], stream.y[:at], sample_weight=stream.s[:at])
        assert (state_of(model)["leaf_features"] < 0).any()
        for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            goes_on = copy.deepcopy(model)
            a = prequential(twin, stream.X[at:], stream.y[at:], sample_weight=stream.s[at:])
            b = prequential(goes_on, stream.X[at:], stream.y[at:], sample_weight=stream.s[at:])
            np.testing.assert_array_equal(a.margins, b.margins)
        whole = OSBoostClassifier(HoeffdingTree(max_bytes=25_000, **EAGER), 5, random_state=SEED)
        whole.partial_fit(stream.X, stream.y, sample_weight=stream.s)
        np.testing.assert_array_equal(whole.margin(stream.X), twin.margin(stream.X))


def test_a_million_sparse_features():
    """Columns moved apart, in their order, change nothing; leaves know the features that they met, and no others."""
    rng = np.random.default_rng(8)
    X = (rng.random((400, 300)) < 0.05) * rng.normal(size=(400, 300))
    y = (X[:, :40].sum(axis=1) > 0).astype(int)
    columns = np.sort(rng.choice(1_000_000, 300, replace=False))
    rows, at = np.nonzero(X)
    wide = sp.csr_array((X[rows, at], (rows, columns[at])), shape=(400, 1_000_000))
    results = []
    for given_as in (X, wide):
        model = OSBoostClassifier(HoeffdingTree(**{**EAGER, "resample": 1.0}), 7, random_state=SEED)
        results.append(prequential(model, given_as, y).margins)
    np.testing.assert_array_equal(*results)
    state = state_of(model)
    assert len(state["features"]) == (X != 0).any(axis=0).sum()
    assert len(state["feature_slots"]) <= 7 * np.count_nonzero(X)


@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
def test_naive_bayes_over_rows_of_many_features(weight):
    """The products over 3,000 features are far below and above what a double holds; their ratio is the reference's."""
    rng = np.random.default_rng(11)
    X = (rng.random((30, 3000)) < np.linspace(0.9, 1.0, 30)[:, None]).astype(float)
    y = np.where(rng.random(30) < 0.5, 1, -1)
    options = {**PLAIN, "leaf": "naive_bayes", "grace_period": 1e15}
    model = OnlineClassifier(HoeffdingTree(**options), random_state=SEED)
    twin = reference.HoeffdingTree(1, 3000, **options)
    for x, label in zip(X, y, strict=True):
        if hasattr(model, "classes_") and len(model.classes_) == 2:
            expected = float(twin.predict(x)[0])
            assert model.margin([x])[0] == pytest.approx(expected, rel=1e-6, abs=1e-12)
        model.partial_fit([x], [label], sample_weight=[weight])
        twin.meet(x)
        twin.update(x, int(label), np.array([weight]))


# ---- state -------------------------------------------------------------------------------------------------------


def test_a_damaged_state_is_refused_or_harmless():
    """Whatever number of the trees' state is changed, loading says so, or the model still works."""
    stream = make_stream("mixed", 9, 300, 5, weighted=True)
    model = OSBoostClassifier(HoeffdingTree(bins=5, **{**EAGER, "max_features": 0.8}), 3, random_state=SEED)
    model.partial_fit(stream.X, stream.y, sample_weight=stream.s)
    state = state_of(model)
    fields = [
        "tree_tests", "tree_sizes", "node_tests", "node_lefts", "node_thresholds", "leaf_weights", "leaf_features",
        "feature_slots", "feature_cells", "cell_borders", "cell_weights", "tree_rounds", "tree_memory_short",
    ]  # fmt: skip
    rng = np.random.default_rng(10)
    refused = 0
    for turn in range(1500):
        name = fields[turn % len(fields)]
        damaged = {key: value.copy() for key, value in state.items()}
        array = damaged[name]
        if turn % 7 == 0:
            damaged[name] = array[: rng.integers(0, len(array))] if rng.random() < 0.5 else np.repeat(array, 2)
        else:
            array[rng.integers(len(array))] = rng.choice([-(2**62), -7, -1, 0, 1, 2, 3, 8, 100, 2**31, 2**62])
        fresh = fresh_engine(model)
        try:
            fresh.load(damaged)
        except ValueError as error:
            assert name in str(error) or "state field" in str(error)  # noqa: PT017  # most are refused, some may pass
            refused += 1
            continue
        margins = np.empty(len(stream.y))
        fresh.learn_dense(stream.X, stream.y.astype(float), None, margins)
        assert (np.abs(margins) <= 1).all()
    assert refused > 700


def test_ozaboost_sees_the_output_after_a_split():
    """The example that makes a tree split is judged by the leaf that it falls into then."""
    X = np.tile([[1.0], [0.0]], (10, 1))
    y = np.tile([1, -1], 10)
    learner = HoeffdingTree(max_depth=1, leaf="majority", grace_period=20, tie_threshold=1.0, **PLAIN)
    model = OzaBoostClassifier(learner, 1, update="weight").partial_fit(X[:19], y[:19])
    before = state_of(model)
    model.partial_fit(X[19:], y[19:])
    after = state_of(model)
    assert before["tree_sizes"][0] == 1
    assert after["tree_sizes"][0] == 3
    assert after["correct"][0] == before["correct"][0] + 1
