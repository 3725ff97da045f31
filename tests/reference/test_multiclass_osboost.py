"""OSBoost of many classes: the engine is its NumPy twin, and no stream breaks the lemmas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from onlineboost import (
    AROW,
    HoeffdingTree,
    NaiveBayes,
    OSBoostClassifier,
    PassiveAggressive,
    Scaled,
    from_bytes,
    prequential,
    reference,
)
from onlineboost.reference import smooth_weights
from onlineboost.reference.multiclass_osboost import EARLY, MulticlassOSBoost, PerClass, class_margins
from onlineboost.theory.constants import constants

pytestmark = [pytest.mark.engine, pytest.mark.quick]

N, GAMMA = 7, 0.2


def rows(n=140, d=4, classes=5):
    """Two classes first, the last one late."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    y[:40] %= 2
    y[40:-30] %= classes - 1
    y[:2], y[-30] = [0, 1], classes - 1
    y[40 : 37 + classes] = np.arange(2, classes - 1)  # classes begin in the order of their numbers
    return rng.integers(-2, 3, (classes, d))[y] + rng.integers(-8, 9, (n, d)) / 8.0, y


LEARNERS = {
    "passive-aggressive": (PassiveAggressive(), lambda d, n=N: reference.PassiveAggressive(n, d)),
    "arow": (AROW(), lambda d, n=N: reference.AROW(n, d)),
    "naive bayes": (  # with the default floor a row may be impossible for all classes: few digits are left of shares
        NaiveBayes(kind="gaussian", variance_floor=1e-3),
        lambda d, n=N: reference.NaiveBayes(n, d, kind="gaussian", variance_floor=1e-3),
    ),
}
RATES = [{}, {"expert_rate": "anytime"}, {"expert_rate": "share"}]


def _check(model, booster, X, y, atol):
    """Both say the same of every row once there are three classes; the weights, and what they say."""
    s = np.tile([1.0, 0.5, 0.25], len(y))[: len(y)]
    found = prequential(model, X, y, sample_weight=s).decisions
    for t, (x, label, w) in enumerate(zip(X, y, s, strict=True)):
        f = booster.decide(x)
        if len(f) > 2:
            np.testing.assert_allclose(found[t, : len(f)], f, atol=atol)
        booster.learn(x, int(label), float(w))
    assert len(f) == y.max() + 1
    return s, found


@pytest.mark.parametrize(
    ("learner", "vote", "rate"),
    [(learner, vote, {}) for learner in LEARNERS for vote in ("uniform", "ocp", "eg")]
    + [(learner, "experts", rate) for learner, rate in zip(LEARNERS, RATES, strict=True)],
)
def test_native_is_the_reference(learner, vote, rate):
    X, y = rows()
    native, twin = LEARNERS[learner]
    model = OSBoostClassifier(native, N, gamma=GAMMA, vote=vote, projection="sort", random_state=0, **rate)
    booster = MulticlassOSBoost(PerClass(lambda _: twin(X.shape[1])), N, GAMMA, vote, **rate)
    _check(model, booster, X, y, 1e-7)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("late", [1, 3, N + 1])
def test_late_classes_have_fewer_learners(learner, late):
    X, y = rows(classes=11)
    native, twin = LEARNERS[learner]
    model = OSBoostClassifier(native, N, gamma=GAMMA, vote="ocp", projection="sort", random_state=0, late_learners=late)
    bank = PerClass(lambda k: twin(X.shape[1], N if k < EARLY else min(late, N)), late)
    _check(model, MulticlassOSBoost(bank, N, GAMMA, "ocp"), X, y, 1e-7)


def test_fewer_learners_leave_no_trace_of_batches_and_files():
    X, y = rows(300, classes=11)
    for learner in (Scaled(AROW()), NaiveBayes(kind="gaussian")):
        model = OSBoostClassifier(learner, N, late_learners=3, drift="adwin", random_state=0)
        whole = clone(model).partial_fit(X, y)
        for part in np.split(np.arange(300), [41, 45, 275]):
            model = from_bytes(model.partial_fit(X[part], y[part]).to_bytes())
        assert model.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize(
    ("vote", "rate"),
    [("ocp", {}), ("experts", {}), ("experts", {"expert_rate": "share"})],
    ids=["ocp", "hedge", "share"],
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rule": "hoeffding", "delta": 0.1, "tie_threshold": 0.3, "leaf": "naive_bayes", "max_features": None},
        {"criterion": "gain", "leaf": "majority", "bins": 3, "subset": "tree", "max_leaves": 6},
        {"rule": "hoeffding", "criterion": "gain", "delta": 0.1, "tie_threshold": 0.2, "bins": 2, "max_depth": 3},
        {"resample": None, "max_features": "sqrt", "delta": 0.5, "bins": 1},
    ],
)
def test_trees_are_the_reference(options, vote, rate):
    X, y = rows(500)
    options = {"grace_period": 10, "delta": 1e-3} | options
    trees = HoeffdingTree(**options)
    model = OSBoostClassifier(trees, N, gamma=GAMMA, vote=vote, projection="sort", random_state=0, **rate)
    twins = reference.HoeffdingClassTree(N, X.shape[1], seed=0, **options)
    _check(model, MulticlassOSBoost(twins, N, GAMMA, vote, **rate), X, y, 1e-5)
    assert max(twins.sizes) > 5


@pytest.mark.parametrize("scale", [1.0, 0.5, 7.0])
@pytest.mark.parametrize("vote", ["uniform", "experts"])
def test_the_certificate_has_the_sums_of_the_reference(vote, scale):
    X, y = rows()
    native, twin = LEARNERS["arow"]
    model = OSBoostClassifier(native, N, gamma=GAMMA, vote=vote, margin_scale=scale, random_state=0)
    booster = MulticlassOSBoost(PerClass(lambda _: twin(X.shape[1])), N, GAMMA, vote, margin_scale=scale)
    s, f = _check(model, booster, X, y, 1e-7)
    found, expected = model.certificate(), booster.sums
    names = {"mass": "mass", "squares": "squares", "edges": "edge", "shortfalls": "shortfall"}
    for name, twins in names.items() | {("margin_errors", "thin"), ("mistakes", "wrong")}:
        np.testing.assert_allclose(getattr(found.sums, name), getattr(expected, twins), rtol=1e-7)
    own = f[np.arange(len(y)), y]
    rivals = np.where(np.arange(5) == y[:, None], -np.inf, f).max(axis=1)
    assert found.vote.mistakes == pytest.approx(s @ (own <= rivals))


def _check_lemmas(shares, labels, s, gamma):
    """Lemma 2' for every prefix, and Lemma 3' in total (I5), counted from the distributions alone."""
    c = constants(gamma)
    margins = np.array([class_margins(one, label) for one, label in zip(shares, labels, strict=True)])
    w = np.array([smooth_weights(m, gamma, c.theta)[0] for m in margins])
    for i in range(1, margins.shape[1] + 1):
        f = shares[:, :, :i].sum(axis=2)
        own = f[np.arange(len(f)), labels]
        f[np.arange(len(f)), labels] = -np.inf
        assert (w[own <= f.max(axis=1) - 1e-12, i] == 1.0).all()
    mass = s @ w[:, :-1]
    assert (s[:, None] * w[:, :-1] * margins).sum() - c.gamma_hat * mass.sum() <= s.sum() / c.beta + 1e-9


@given(st.integers(0, 2**32), st.integers(2, 12), st.sampled_from([0.05, 0.2, 0.45]))
def test_no_drawn_stream_breaks_the_lemmas(seed, classes, gamma):
    rng = np.random.default_rng(seed)
    sharpness = rng.choice([0.05, 1.0, 20.0])
    shares = rng.dirichlet(np.full(classes, sharpness), (20, 15)).transpose(0, 2, 1)
    _check_lemmas(shares, rng.integers(0, classes, 20), rng.random(20) + 0.01, gamma)


@pytest.mark.parametrize("classes", [3, 10])
@pytest.mark.parametrize("gamma", [0.1, 0.45])
def test_the_worst_learners_do_not_break_the_lemmas(classes, gamma):
    """Learners that tie the label with one rival or another, or give it all where their weight is largest."""
    tie, right, wrong = np.zeros((3, classes))
    tie[:2], right[0], wrong[1] = 0.5, 1.0, 1.0
    other = np.roll(tie, 1) * 0
    other[[0, classes - 1]] = 0.5
    for pattern in ([tie, other], [right, wrong], [right, wrong, wrong], [right], [wrong], [tie, right, wrong, other]):
        shares = np.array([[pattern[(i + t) % len(pattern)] for i in range(30)] for t in range(12)])
        _check_lemmas(shares.transpose(0, 2, 1), np.zeros(12, dtype=int), np.ones(12), gamma)
