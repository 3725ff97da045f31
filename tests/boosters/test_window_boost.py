"""Window boosting against its twin, scikit-learn's trees, and what must hold for any stream."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from states import pack, state_of, unpack
from twins import SEED, TOLERANCE, make_stream, run_native

from onlineboost import (
    ModelFileError,
    OnlineBoostClassifier,
    OnlineClassifier,
    Perceptron,
    WindowBoostClassifier,
    _core,
    from_bytes,
    prequential,
    reference,
)
from onlineboost.reference import missing

pytestmark = [pytest.mark.engine, pytest.mark.quick]

SMALL = {"window": 50, "n_trees": 9, "max_leaves": 6, "random_state": SEED}


def twin_margins(model, stream):
    known = inspect.signature(reference.WindowBoost).parameters
    given = {name: value for name, value in model.get_params(deep=False).items() if name in known}
    booster = reference.WindowBoost(seed=model.random_state, **given)
    weights = np.ones(len(stream.y)) if stream.s is None else stream.s
    margins = []
    for x, y, s in zip(stream.X, stream.y, weights, strict=True):
        margins.append(booster.margin(x))
        booster.learn(x, int(y * stream.sign), s)
    return np.array(margins) * stream.outside


@pytest.mark.parametrize(
    ("kind", "every", "weighted", "bins"),
    [("gaussian", 7, False, 256), ("binary", None, True, 64), ("mixed", 3, True, 4)],
)
def test_parity(kind, every, weighted, bins):
    """Whatever the pieces that the work is done in, the trees are those that are grown at once."""
    stream = make_stream(kind, 3, 130, 5, weighted=weighted)
    model = WindowBoostClassifier(every=every, least_curvature=0.5, max_bins=bins, **SMALL)
    expected = twin_margins(model, stream)
    assert len(np.unique(expected)) > 20
    for given_as in (stream, stream.csr()):
        np.testing.assert_allclose(run_native(clone(model), given_as).margins, expected, rtol=0, atol=TOLERANCE)


def with_gaps(stream, seed=0):
    """A fifth is missing: of column 0 mostly where the label is +1, of column 1 never in the first half."""
    rng = np.random.default_rng(seed)
    gaps = rng.random(stream.X.shape) < 0.2
    gaps[:, 0] = rng.random(len(stream.y)) < np.where(stream.y > 0, 0.7, 0.1)
    gaps[: len(stream.y) // 2, 1] = gaps[0] = False
    return dataclasses.replace(stream, X=np.where(gaps, np.nan, stream.X))


@pytest.mark.parametrize(
    ("kind", "rows", "columns", "every", "bins", "window", "max_bytes"),
    [
        ("gaussian", 130, 5, 7, 64, 50, 2**28),
        ("mixed", 130, 5, 3, 4, 50, 2**28),
        ("gaussian", 560, 5, 20, 8, 400, 2**16),
        ("gaussian", 520, 2, 16, 256, 256, 2**28),  # so many edges that gaps which are news have no bin of their own
    ],
)
def test_parity_of_gaps(kind, rows, columns, every, bins, window, max_bytes):
    """Rows that lack a feature go to the side that gains more, also where gaps are news since bins were chosen."""
    stream = with_gaps(make_stream(kind, 3, rows, columns, weighted=columns > 2))
    given = SMALL | {"window": window, "max_bytes": max_bytes, "max_bins": bins}
    model = WindowBoostClassifier(every=every, least_curvature=0.5, **given)
    expected = twin_margins(model, stream)
    for given_as in (stream, stream.csr()):
        np.testing.assert_allclose(run_native(clone(model), given_as).margins, expected, rtol=0, atol=TOLERANCE)


def test_a_gap_may_be_all_there_is_to_know():
    """Of a column that is 5 or missing, and of one whose gaps carry the label among its numbers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    for column in (np.full(600, 5.0), rng.normal(size=600)):
        X = np.column_stack([np.where(y == 1, np.nan, column), rng.normal(size=600)])
        found = prequential(WindowBoostClassifier(100, 20, every=10, random_state=0), X, y)
        assert (found.predictions[100:] == y[100:]).all()


def test_models_of_earlier_files_keep_the_mean():
    """A gap is the mean and an indicator; a file says which, and one that does not say has the mean."""
    stream = with_gaps(make_stream("gaussian", 3, 150, 5, weighted=False))
    filled = dataclasses.replace(stream, X=missing.filled(stream.X))
    model = WindowBoostClassifier(every=7, missing="mean", least_curvature=0.5, **SMALL)
    expected = twin_margins(model, filled)
    found = run_native(model, stream)
    np.testing.assert_allclose(found.margins, expected, rtol=0, atol=TOLERANCE)
    document, arrays = unpack(model.to_bytes())
    assert document["parameters"].pop("missing") == "mean"
    older = from_bytes(pack(document, arrays))
    assert older.missing == "mean"
    assert np.array_equal(older.margin(stream.X), model.margin(stream.X))
    sides = run_native(clone(model).set_params(missing="sides"), stream)
    assert not np.allclose(sides.margins, found.margins)


@pytest.mark.parametrize("threshold", ["calibrated", "vote"])
def test_probabilities_are_weighed_by_what_they_lost(threshold):
    """Bayes' rule over p and its calibration, also after a file; the better one is lost sight of by ln 2 at most."""
    stream = make_stream("gaussian", 3, 300, 4, weighted=False)
    given = SMALL | {"every": 10, "threshold": threshold}
    calibrated = prequential(WindowBoostClassifier(**given, probabilities="calibrated"), stream.X, stream.y)
    model = WindowBoostClassifier(**given)
    halves = [prequential(model, stream.X[:140], stream.y[:140])]
    model = from_bytes(model.to_bytes())
    halves.append(prequential(model, stream.X[140:], stream.y[140:]))
    found = np.concatenate([half.probabilities for half in halves])
    assert np.array_equal(np.concatenate([half.margins for half in halves]), calibrated.margins)
    experts = np.clip([(1 + calibrated.margins) / 2, calibrated.probabilities], 1e-6, 1 - 1e-6)
    seen = np.maximum.accumulate(np.arange(300) > np.argmax(stream.y != stream.y[0]))  # both labels are known
    losses = -np.log(np.where(stream.y == 1, experts, 1 - experts))
    weights = np.exp(-(np.cumsum(losses, axis=1) - losses))
    expected = (weights * experts).sum(axis=0) / weights.sum(axis=0)
    np.testing.assert_allclose(found[seen], expected[seen], rtol=0, atol=TOLERANCE)
    lost = -np.log(np.where(stream.y == 1, expected, 1 - expected)).sum()
    assert lost <= losses.sum(axis=1).min() + np.log(2)
    assert abs(losses[0].sum() - losses[1].sum()) > 2, "they differ"


def test_a_window_keeps_within_its_bytes():
    """It ends to grow where its rows would take more; the twin counts the same bytes."""
    stream = make_stream("gaussian", 3, 420, 5, weighted=False)
    given = {**SMALL, "window": 10_000, "visits": 5, "max_bytes": 2**16}
    model = WindowBoostClassifier(least_curvature=0.5, **given)
    expected = twin_margins(model, stream)
    np.testing.assert_allclose(run_native(model, stream).margins, expected, rtol=0, atol=TOLERANCE)
    (rows,) = state_of(model)["window_rows"]
    each = 104 + 5 + SMALL["n_trees"] + 16 * 5
    assert 2**16 <= rows * each < 2**16 + each
    resumed = from_bytes(model.to_bytes())
    for one in (model, resumed):
        one.partial_fit(stream.X, stream.y)
    assert np.array_equal(model.predict_proba(stream.X), resumed.predict_proba(stream.X))


def classes(n=200, d=5, k=4, seed=0):
    """Two classes at first, the third at row 30, and one more among the last."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k - 1, n)
    y[:30] %= 2
    y[[0, 1, 30]], y[-40::3] = [0, 1, 2], k - 1
    X = rng.integers(-2, 3, (k, d))[y] + rng.integers(-8, 9, (n, d)) / 4.0
    X[1:] *= rng.random((n - 1, d)) < 0.7
    X[0] += 5  # no zeros: the twin takes features in the order of columns, the engine as they appear
    return X, y, rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.05, 0.2, 0.7, 0.05])


@pytest.mark.parametrize(("every", "max_bytes", "crowd"), [(7, 2**28, 3), (None, 2**28, None), (1, 2**16, None)])
def test_parity_of_many_classes(every, max_bytes, crowd):
    """From the third class on, probabilities are the twin's; up to it, those of two classes."""
    X, y, s = classes(160 if crowd else 140)
    X = np.where(X == 0, 0.0, X + np.arange(len(X))[:, None] / 1024) if crowd else X  # more values than bins
    s[[0, 1, 30, -40]] = 1.0
    given = {
        **SMALL,
        "every": every,
        "crowd": crowd,
        "least_curvature": 0.1,
        "max_bytes": max_bytes,
        "learning_rate": 0.5,
    }
    model = WindowBoostClassifier(**given, threshold="vote")
    found = prequential(model, X, y, sample_weight=s)
    assert np.array_equal(found.classes, range(4))
    given.pop("random_state")
    twin = reference.WindowBoost(**given, seed=SEED)
    for t, (x, label, weight) in enumerate(zip(X, y, s, strict=True)):
        if t == 30:
            before = 1 / (1 + np.exp(-twin._score(x)))
            twin = reference.WindowClasses(twin)
            assert twin.probabilities(x)[0] == pytest.approx(before, abs=1e-12), "it says what it said"
        if t > 30:
            p = twin.probabilities(x)
            np.testing.assert_allclose(found.decisions[t, : len(p)], p, rtol=0, atol=TOLERANCE)
        twin.learn(x, (1 - 2 * label) if t < 30 else label, weight)
    assert len(twin.trees) == 9
    assert len(np.unique(found.decisions[-30:, 3])) > 10
    assert crowd is None or max(map(len, twin.edges)) < 32 < len(np.unique(X[-50:, 0]))


@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), cut=st.integers(1, 199), every=st.sampled_from([None, 1, 40]))
def test_many_classes_go_on_from_anywhere(seed, cut, every):
    """Batches, copies and files leave no trace, whether the cut is before or after a class begins."""
    X, y, s = classes(seed=seed)
    make = {**SMALL, "every": every}
    whole = WindowBoostClassifier(**make).partial_fit(X, y, sample_weight=s)
    model = WindowBoostClassifier(**make).partial_fit(X[:cut], y[:cut], sample_weight=s[:cut])
    for again in (copy.deepcopy, lambda one: from_bytes(one.to_bytes())):
        loaded = again(model)
        assert np.array_equal(loaded.margin(X), model.margin(X))
        loaded.partial_fit(sp.csr_array(X[cut:]), y[cut:], sample_weight=s[cut:])
        assert loaded.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("k", [3, 11])
def test_bits_of_many_classes_do_not_depend_on_the_instruction_set(k):
    """Rows lie in lanes: classes and rows are no multiples of these."""
    X, y, s = classes(k=k)
    before, found = _core.instruction_set(), set()
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            model = WindowBoostClassifier(**SMALL, least_curvature=0.1, every=3)
            found.add(model.partial_fit(X, y, sample_weight=s).to_bytes())
    finally:
        _core.use_instruction_set(before)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("window_tree_classes", lambda a: a + 9),
        ("window_present_classes", lambda a: a + 9),
        ("window_first_scores", lambda a: a + 1),
        ("window_labels", lambda a: a + 0.5),
        ("class2.window_steps", lambda a: a[:-1]),
        ("class3.window_scores", lambda a: a * np.inf),
    ],
)
def test_forged_states_of_many_classes_are_refused(field, change):
    X, y, _ = classes()
    document, arrays = unpack(WindowBoostClassifier(**SMALL).fit(X, y).to_bytes())
    arrays[field] = change(arrays[field])
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_with_more_leaves_than_tests_make_are_refused(n_classes):
    X, y, _ = classes()
    document, arrays = unpack(WindowBoostClassifier(**SMALL).fit(X, y % n_classes).to_bytes())
    size = int(arrays["window_tree_sizes"][0])
    assert size > 3
    arrays["window_tests"][:size], arrays["window_lefts"][:size] = -1, 0
    arrays["window_tests"][0], arrays["window_lefts"][0] = 0, size - 2
    with pytest.raises(ModelFileError, match="window_tests"):
        from_bytes(pack(document, arrays))


@pytest.mark.parametrize("field", ["window_gaps", "window_gaps_left"])
@pytest.mark.parametrize("change", [lambda a: a + 10**6, lambda a: a[::-1], lambda a: a - 10**6, lambda a: a[[0, 0]]])
def test_forged_gaps_are_refused(field, change):
    stream = with_gaps(make_stream("gaussian", 3, 150, 5, weighted=False))
    document, arrays = unpack(WindowBoostClassifier(**SMALL).fit(stream.X, stream.y).to_bytes())
    arrays[field] = change(arrays[field])
    with pytest.raises(ModelFileError, match=field):
        from_bytes(pack(document, arrays))


def test_memory_is_bounded_as_classes_come():
    """Classes that begin take their memory from the rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), rng.integers(0, 2, 600)
    model = WindowBoostClassifier(1000, 3, every=50, max_bytes=2**17, random_state=0).partial_fit(X, y)
    (before,) = state_of(model)["window_rows"]
    model.partial_fit(X, np.arange(600) % 300)
    (after,) = state_of(model)["window_rows"]
    assert (after - 1) * (144 + 3 + 36 + 16 * 300) <= 2**17 < before * (144 + 3 + 36 + 16 * 300)
    assert from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


@settings(max_examples=10, deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 10**6),
    cut=st.integers(1, 149),
    every=st.sampled_from([None, 1, 5, 40]),
    window=st.sampled_from([16, 50, 1000]),
    gaps=st.booleans(),
)
def test_a_model_goes_on_from_anywhere(seed, cut, every, window, gaps):
    """Batches, copies and files leave no trace, with a tree half grown and rows that wait, with gaps or without."""
    stream = make_stream("mixed", seed, 150, 6, weighted=True)
    if gaps:
        stream = with_gaps(stream)
    make = {**SMALL, "window": window, "every": every}
    whole = WindowBoostClassifier(**make).partial_fit(stream.X, stream.y, sample_weight=stream.s)
    model = WindowBoostClassifier(**make)
    model.partial_fit(stream.X[:cut], stream.y[:cut], classes=[-1, 1], sample_weight=stream.s[:cut])
    for again in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: from_bytes(one.to_bytes())):
        loaded = again(model)
        assert np.array_equal(loaded.margin(stream.X), model.margin(stream.X))
        loaded.partial_fit(sp.csr_array(stream.X[cut:]), stream.y[cut:], sample_weight=stream.s[cut:])
        for name, part in state_of(whole).items():
            assert np.array_equal(state_of(loaded)[name], part), name


def grown(n_classes, n_jobs):
    """The bytes of a model at several points: batches, single rows, copies, with trees large enough for a thread."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3600, 10))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:2800, 9] = 0.0  # a feature that is news
    z = np.nan_to_num(X)
    y = ((z[:, 0] * z[:, 1] + z[:, 2] > 0) + (z[:, 3] > 1) * (n_classes - 2)).astype(int)
    model = WindowBoostClassifier(1500, 12, 70, n_jobs=n_jobs, random_state=0)
    model.partial_fit(X[:2500], y[:2500], classes=range(n_classes))
    yield model.to_bytes()
    model.partial_fit(X[2500:2533], y[2500:2533])
    yield copy.deepcopy(model).partial_fit(X[2533:3000], y[2533:3000]).to_bytes()
    for k in range(2533, 2800):
        model.learn_one(X[k], y[k])
    model.predict_proba(X[:5])
    yield model
    model.partial_fit(X[2800:], y[2800:])
    yield model.to_bytes()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_thread_changes_no_bit(n_classes):
    """Wherever it has got to when a model is saved, copied or given new features."""
    for alone, beside in zip(grown(n_classes, 1), grown(n_classes, 2), strict=True):
        if isinstance(alone, bytes):
            assert alone == beside


@pytest.mark.slow
def test_a_forked_child_grows_its_tree_again():
    """It has no thread, and a tree that one was growing."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3100, 20)), rng.integers(0, 2, 3100)
    model = WindowBoostClassifier(3000, 4, 4, n_jobs=2, random_state=0).partial_fit(X[:3000], y[:3000])
    expected = clone(model).set_params(n_jobs=1).partial_fit(X, y).margin(X)
    for t in range(3000, 3020):
        model.learn_one(X[t], y[t])
        child = os.fork()
        if child == 0:
            os._exit(int(not np.array_equal(model.partial_fit(X[t + 1 :], y[t + 1 :]).margin(X), expected)))
        assert os.waitpid(child, 0)[1] == 0


def test_scaling_the_weights_changes_nothing():
    stream = make_stream("gaussian", 1, 200, 5, weighted=True)
    one, other = WindowBoostClassifier(**SMALL), WindowBoostClassifier(**SMALL)
    one.partial_fit(stream.X, stream.y, sample_weight=stream.s)
    other.partial_fit(stream.X, stream.y, sample_weight=1024 * stream.s)
    assert np.array_equal(one.margin(stream.X), other.margin(stream.X))


def test_late_features_and_memory():
    """The window never has more rows than it may, and features may come at any time."""
    rng = np.random.default_rng(0)
    model = WindowBoostClassifier(**SMALL, every=10)
    for t in range(300):
        x = {f"f{k}": float(v) for k, v in enumerate(rng.normal(size=1 + t // 50))}
        model.learn_one(x, bool(x[f"f{t // 50}"] > 0))
    state = state_of(model)
    assert state["window_rows"][0] == 50
    assert len(state["window_labels"]) - 50 < 10


@pytest.mark.slow
def test_beside_batch_boosting():
    """On a boundary that no line sees, about as good as scikit-learn's boosting on all rows before the last third."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = (np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    result = prequential(WindowBoostClassifier(random_state=0), X, y)
    batch = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(X[:2000], y[:2000])
    assert np.mean(result.predictions[2000:] != y[2000:]) < 1.15 * (1 - batch.score(X[2000:], y[2000:]))


def test_as_a_family():
    stream = make_stream("gaussian", 5, 150, 4, weighted=False)
    model = OnlineBoostClassifier(
        [("window", WindowBoostClassifier(60, 9)), ("line", OnlineClassifier(Perceptron()))], random_state=0
    )
    model.partial_fit(stream.X, stream.y)
    again = from_bytes(model.to_bytes())
    assert np.array_equal(again.predict_proba(stream.X), model.predict_proba(stream.X))


def test_bad_parameters():
    for name, value in (("window", 3), ("n_trees", 0), ("every", 0), ("learning_rate", 0.0), ("max_leaves", 1)):
        with pytest.raises(ValueError, match=f"{name} must be"):
            WindowBoostClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])
