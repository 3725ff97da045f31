"""The same seed gives the same bits: however the rows arrive, on every instruction set, copied, or in a thread."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from states import fresh_engine, state_of
from table import NATIVE, cross, make
from twins import SEED, make_stream

from onlineboost import (
    NaiveBayes,
    OnlineGradient,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    _core,
    prequential,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

N = 21  # two blocks of eight and a rest
BOOSTERS = [
    *("single", "osboost", "osboost-scaled", "ocp", "ocp-sort-sqrt-1.0", "ocp-pivot-adaptive-1.0", "eg", "experts"),
    *("experts-anytime-sample", "bbm", "bbm-real", "defensive", "adaboost-ol-sample-sign-adahedge-sample"),
    *("adaboost-ol-w", "ozaboost", "ogboost-k2", "gradient-boost"),
]
# Every bank swept as OSBoost does it, some asked one by one as OzaBoost does it; every booster over the Perceptron.
PAIRS = cross(BOOSTERS, NATIVE, {"perceptron"})
PAIRS += [("ozaboost", learner) for learner in ("bayes-auto", "averaged", "arow-full", "subsets", "tree")]
PAIRS += [("gradient-boost", "regression-tree"), ("ogboost-k2", "bayes-auto"), ("adaboost-ol-w", "tree")]
UNDRAWN = [(booster, learner) for booster, learner in PAIRS if not booster.endswith("-sample")]
pairs = pytest.mark.parametrize(("booster", "learner"), PAIRS, ids=map("-".join, PAIRS))


def build(booster, learner):
    return make(booster, learner, 11 if booster == "ogboost-k2" else N, random_state=SEED)


@pytest.fixture(scope="module")
def stream():
    """Continuous, 0/1 and constant columns, some of them met late; weights, some of them 0."""
    return make_stream("mixed", 31, 300, 9, weighted=True)


@pytest.fixture(scope="module")
def short():
    """The same in few rows, for what is done row by row."""
    return make_stream("mixed", 31, 60, 9, weighted=True)


def same_state(a, b):
    a, b = state_of(a), state_of(b)
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def same_model(a, b, X):
    same_state(a, b)
    np.testing.assert_array_equal(a.margin(X), b.margin(X))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


@pairs
def test_batch_size(booster, learner, short):
    whole = build(booster, learner)
    wanted = prequential(whole, short.X, short.y, sample_weight=short.s)
    for size in (1, 7):
        model, margins, probabilities = build(booster, learner), [], []
        for at in range(0, len(short.y), size):
            part = slice(at, at + size)
            result = prequential(model, short.X[part], short.y[part], classes=[-1, 1], sample_weight=short.s[part])
            margins.append(result.margins)
            probabilities.append(result.probabilities)
        np.testing.assert_array_equal(np.concatenate(margins), wanted.margins)
        np.testing.assert_array_equal(np.concatenate(probabilities), wanted.probabilities)
        same_model(model, whole, short.X)


@pytest.mark.slow
@pairs
def test_layout(booster, learner, short):
    """Dense in either order, strided, CSR with either index: the engine sees the same rows."""
    whole = build(booster, learner)
    wanted = prequential(whole, short.X, short.y, sample_weight=short.s).margins
    twice = np.zeros((120, 18))
    twice[::2, ::2] = short.X
    wide = sp.csr_array(short.X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for X in (np.asfortranarray(short.X), twice[::2, ::2], sp.csr_array(short.X), wide, sp.csc_array(short.X)):
        model = build(booster, learner)
        np.testing.assert_array_equal(prequential(model, X, short.y, sample_weight=short.s).margins, wanted)
        same_model(model, whole, short.X)
        np.testing.assert_array_equal(model.margin(X), whole.margin(short.X))


@pairs
def test_single_precision_rows(booster, learner, short):
    X = short.X.astype(np.float32)
    a, b = build(booster, learner), build(booster, learner)
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_array_equal(
            prequential(clone(a), rows, short.y).margins,
            prequential(clone(b), X.astype(np.float64), short.y).margins,
        )


@pytest.mark.skipif(len(_core.instruction_sets()) < 2, reason="this processor has one instruction set only")
@pairs
def test_instruction_set(booster, learner, stream):
    before = _core.instruction_set()
    models, margins = [], []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            models.append(build(booster, learner))
            margins.append(prequential(models[-1], stream.X, stream.y, sample_weight=stream.s).margins)
            models[-1].margin(stream.X)
    finally:
        _core.use_instruction_set(before)
    for other, margin in zip(models[1:], margins[1:], strict=True):
        np.testing.assert_array_equal(margin, margins[0])
        same_model(other, models[0], stream.X)


@pairs
def test_a_copy_goes_on_as_the_original_does(booster, learner, short):
    rng = np.random.default_rng(PAIRS.index((booster, learner)))
    for copied in (copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
        at = int(rng.integers(1, 59))
        model = build(booster, learner)
        model.partial_fit(short.X[:at], short.y[:at], classes=[-1, 1], sample_weight=short.s[:at])
        twin = copied(model)
        same_model(model, twin, short.X)
        rest = (short.X[at:], short.y[at:])
        a = prequential(model, *rest, sample_weight=short.s[at:])
        b = prequential(twin, *rest, sample_weight=short.s[at:])
        np.testing.assert_array_equal(a.margins, b.margins)
        np.testing.assert_array_equal(a.losses, b.losses)
        same_model(model, twin, short.X)


def test_a_copy_is_a_copy(stream):
    model = build("ocp", "perceptron").partial_fit(stream.X[:100], stream.y[:100])
    same_model(pickle.loads(pickle.dumps(model, 2)), model, stream.X)
    twin = copy.deepcopy(model)
    before = twin.margin(stream.X)
    model.partial_fit(stream.X[100:], stream.y[100:])
    np.testing.assert_array_equal(twin.margin(stream.X), before)
    assert not np.array_equal(model.margin(stream.X), before)


@pytest.mark.slow
@pytest.mark.parametrize(("booster", "learner"), UNDRAWN, ids=map("-".join, UNDRAWN))
def test_prequential_is_predict_then_learn(booster, learner, short):
    """Bit for bit, also where a row brings features that the model has not met."""
    wanted = prequential(build(booster, learner), short.X, short.y, sample_weight=short.s)
    model = build(booster, learner)
    for t, x in enumerate(short.X):
        row = x[np.newaxis]
        if t > 0:
            assert model.margin(row)[0] == wanted.margins[t]
            assert model.predict(row)[0] == wanted.predictions[t]
            assert model.predict_proba(row)[0, 1] == wanted.probabilities[t]
        model.partial_fit(row, [short.y[t]], classes=[-1, 1], sample_weight=[short.s[t]])


def test_predictions_change_nothing(short):
    for booster, learner in PAIRS:
        model = build(booster, learner).partial_fit(short.X[:50, :], short.y[:50])
        twin = copy.deepcopy(model)
        model.predict_proba(short.X)
        same_state(model, twin)


FIELDS = {
    "perceptron": ["coordinates", "squared_norms"],
    "bayes-auto": ["plus.counts", "plus.means", "minus.squares", "minus.totals"],
    "bayes-gaussian": ["plus.means", "plus.squares", "minus.means"],
    "gradient": ["coordinates", "scales", "squared_weights"],
    "averaged": ["coordinates", "timed_steps", "clocks", "products"],
    "adagrad": ["coordinates", "coordinate_squares"],
    "ftrl": ["duals", "coordinate_squares"],
    "arow": ["coordinates", "covariance"],
    "scw-full": ["coordinates", "covariance"],
    "ridge": ["coordinates", "covariance"],
    "logistic": ["coordinates", "covariance"],
    "bayes-typed": ["plus.counts", "plus.means", "minus.squares", "minus.totals"],
    "fourier": ["inner.coordinates", "inner.coordinate_squares"],
    "subsets": ["subset0.coordinates", "subset4.covariance"],
    "scaled": ["inner.coordinates", "inner.covariance"],
    "tree": ["tree_sizes", "node_features", "node_thresholds", "leaf_weights", "cell_weights"],  # tree after tree
    "regression-tree": ["tree_sizes", "node_features", "node_thresholds", "leaf_own", "cell_sums"],
}


@pytest.mark.parametrize("learner", FIELDS)
def test_more_learners_do_not_disturb_the_first(learner, stream):
    """A learner depends on those before it only."""
    few, many = (
        state_of(
            OSBoostClassifier(NATIVE[learner], n, random_state=SEED).partial_fit(
                stream.X, stream.y, sample_weight=stream.s
            )
        )
        for n in (10, 20)
    )
    if "tree" in learner:  # a node names its feature by the place in a list of all that the bank tests
        for state in (few, many):
            tests = state["node_tests"]
            state["node_features"] = np.where(tests >= 0, state["tree_tests"][np.maximum(tests, 0)], tests)
    for name in FIELDS[learner]:
        assert few[name].size > 0, name
        first = many[name][: len(few[name])] if "tree" in learner else many[name][..., :10]
        np.testing.assert_array_equal(few[name], first, err_msg=name)
    np.testing.assert_array_equal(few["weight_mass"], many["weight_mass"][:11])
    for name in ("weight_squares", "weighted_edges", "margin_shortfalls", "margin_errors", "prefix_mistakes"):
        np.testing.assert_array_equal(few[name], many[name][:10], err_msg=name)


@pytest.mark.parametrize("learner", FIELDS)
def test_more_learners_do_not_disturb_the_first_of_ozaboost(learner, stream):
    few, many = (
        state_of(
            OzaBoostClassifier(NATIVE[learner], n, random_state=SEED).partial_fit(
                stream.X, stream.y, sample_weight=stream.s
            )
        )
        for n in (10, 20)
    )
    for name in ("correct", "wrong"):
        np.testing.assert_array_equal(few[name], many[name][:10])


@pairs
def test_declared_classes_do_not_matter(booster, learner, short):
    margins = [
        prequential(build(booster, learner), short.X, short.y, classes=classes).margins
        for classes in (None, [-1, 1], [1, -1])
    ]
    np.testing.assert_array_equal(margins[0], margins[1])
    np.testing.assert_array_equal(margins[0], margins[2])


@pairs
def test_swapped_labels_negate_the_margins(booster, learner, short):
    a, b = build(booster, learner), build(booster, learner)
    plus = prequential(a, short.X, short.y)
    minus = prequential(b, short.X, -short.y)
    np.testing.assert_array_equal(plus.margins, -minus.margins)
    np.testing.assert_array_equal(plus.positive, ~minus.positive)
    np.testing.assert_array_equal(plus.losses[plus.margins != 0], minus.losses[plus.margins != 0])
    names = np.where(short.y > 0, "b", "a")
    np.testing.assert_array_equal(prequential(build(booster, learner), short.X, names).margins, plus.margins)


@pytest.mark.parametrize(
    "booster",
    ["single", "osboost", "ocp", "eg", "experts", "ogboost-k2", "bbm", "bbm-real", "adaboost-ol-w", "defensive"],
)
@pytest.mark.parametrize("learner", [Perceptron(init="zero"), OnlineGradient(), NaiveBayes(kind="gaussian")])
def test_the_algorithms_are_odd_in_the_label(booster, learner):
    """Inside, the first label is +1; this is no loss, because the other choice would give the negated margins.

    Two exceptions: a random start has a sign of its own, and OzaBoost's learners say -1 before their first example.
    Naive Bayes divides one class by the other, whose rounding is not odd, so the comparison is not one of bits.
    """
    stream = make_stream("gaussian", 5, 150, 6, weighted=True)
    model = make(booster, n_learners=N, random_state=SEED).set_params(learner=learner)
    model.partial_fit(stream.X, stream.y)
    margins = []
    for sign in (1.0, -1.0):
        out = np.empty(len(stream.y))
        fresh_engine(model).learn_dense(stream.X, sign * stream.y, stream.s, out)
        margins.append(out)
    # An output of exactly 0 votes for -1 on either side, as before anything is learned.
    decided = np.abs(margins[0]) + np.abs(margins[1]) > 0
    decided[: np.argmax(stream.s > 0) + 1] = False
    np.testing.assert_allclose(margins[0][decided], -margins[1][decided], rtol=0, atol=1e-9)


def test_seeds_differ(stream):
    a, b = (OSBoostClassifier(Perceptron(), 10, random_state=seed).partial_fit(stream.X, stream.y) for seed in (1, 2))
    assert not np.array_equal(a.margin(stream.X), b.margin(stream.X))


# ---- threads -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["perceptron", "bayes-auto", "tree", "scaled"])
def test_models_in_threads(learner, stream):
    def train(booster):
        model = build(booster, learner)
        for at in range(0, 300, 10):
            model.partial_fit(stream.X[at : at + 10], stream.y[at : at + 10], sample_weight=stream.s[at : at + 10])
        return model

    names = ["osboost", "ozaboost", "osboost", "ogboost-k2"]
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(train, names))
    for name, model in zip(names, threaded, strict=True):
        same_model(model, train(name), stream.X)


@pytest.mark.parametrize(
    "booster",
    ["osboost", "ocp", "eg", "experts", "ozaboost", "ogboost-k2", "bbm", "bbm-real", "adaboost-ol-w", "defensive"],
)
def test_predictions_while_a_batch_is_learned(booster):
    """A reader sees the model between two batches, never inside one."""
    stream = make_stream("gaussian", 8, 3000, 6, weighted=False)
    probe = make_stream("gaussian", 9, 400, 6, weighted=False).X
    size = 150
    model = build(booster, "perceptron")
    model.partial_fit(stream.X[:size], stream.y[:size])
    twin = copy.deepcopy(model)
    between = [twin.margin(probe)]
    for at in range(size, 3000, size):
        twin.partial_fit(stream.X[at : at + size], stream.y[at : at + size])
        between.append(twin.margin(probe))
    allowed = {margins.tobytes() for margins in between}
    assert len(allowed) == len(between)

    done = []

    def read():
        seen = []
        while not done:
            seen.append(model.margin(probe).tobytes())
        return seen

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for at in range(size, 3000, size):
                model.partial_fit(stream.X[at : at + size], stream.y[at : at + size])
        finally:
            done.append(True)
        seen = [margins for reader in readers for margins in reader.result()]
    assert seen
    assert set(seen) <= allowed
    np.testing.assert_array_equal(model.margin(probe), between[-1])


def test_copies_while_a_batch_is_learned(stream):
    """A pickle taken in the meantime is a whole model too."""
    model = build("osboost", "bayes-auto").partial_fit(stream.X[:20], stream.y[:20])
    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(lambda: [model.partial_fit(stream.X[20:], stream.y[20:]) for _ in range(20)])
        rounds = [pickle.loads(pickle.dumps(model)).n_examples_]
        while not writer.done():
            rounds.append(pickle.loads(pickle.dumps(model)).n_examples_)
    assert set(rounds) <= {20 + 280 * k for k in range(21)}
