"""The linear learners, the ones on changed rows and the typed Naive Bayes, native against onlineboost.reference.

A booster asks a bank for an update of all learners or for steps of one, so that a few boosters are enough here. Streams
as in test_reference_parity, whose remarks on ties hold: where outputs are judged, 0/1 events come with continuous
weights.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from twins import SANITIZED, SEED, TOLERANCE, Stream, assert_runs, make_stream, run_native, run_reference

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    Scaled,
    prequential,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

LINEAR = {
    "averaged": AveragedPerceptron(),
    "averaged-rounds-00": AveragedPerceptron(clock="rounds", intercept=False, unit_norm=False),
    "adagrad": AdaGradLogistic(),
    "adagrad-00": AdaGradLogistic(rate=0.3, intercept=False, unit_norm=False),
    "ftrl": FTRL(),
    "ftrl-l1-l2": FTRL(alpha=2.0, beta=0.5, l1=0.3, l2=0.2, unit_norm=False),
    "arow": AROW(),
    "arow-00": AROW(r=2.0, intercept=False, unit_norm=False),
    "arow-full": AROW(covariance="full"),
    "scw": SCW(),
    "scw-10": SCW(C=0.3, eta=0.75, unit_norm=False),
    "scw-full": SCW(covariance="full", intercept=False),
    "scw2": SCW(variant="II", C=2.0),
    "scw2-full": SCW(variant="II", covariance="full"),
    "ridge": OnlineRidge(),
    "logistic": BayesianLogistic(),
    "logistic-diagonal": BayesianLogistic(variance=2.0, covariance="diagonal", intercept=False, unit_norm=True),
    "ridge-00": OnlineRidge(a=0.5, forecast="ridge", intercept=False, unit_norm=False),
}
CHANGED = {
    "fourier": RandomFourier(AROW(), 20),
    "fourier-00": RandomFourier(OnlineRidge(), 9, 2.0, intercept=False, unit_norm=False),
    "subsets": RandomSubsets(AveragedPerceptron(), 0.7),
    "subsets-group": RandomSubsets(Perceptron(), 0.6, group=3),
    "subsets-bayes": RandomSubsets(NaiveBayes(alpha=0.5, variance_floor=1e-2), 0.8),
    "scaled": Scaled(AROW()),
    "scaled-clip": Scaled(FTRL(), clip=0.8),
    "scaled-maxabs": Scaled(AdaGradLogistic(), "maxabs"),
    "nested": Scaled(RandomFourier(RandomSubsets(SCW(), 0.5, group=2), 10)),
    "nested-subsets": Scaled(RandomSubsets(OnlineRidge(), 0.8)),
}
TYPED = {
    "typed": NaiveBayes(kind="typed", alpha=0.5, variance_floor=1e-3),
    "typed-3": NaiveBayes(kind="typed", alpha=1e-3, variance_floor=1e-3, max_values=3),
    "typed-1": NaiveBayes(kind="typed", variance_floor=1e-2, max_values=1),
}
LEARNERS = LINEAR | CHANGED | TYPED
BOOSTERS = {
    "single": OnlineClassifier(None),
    "osboost": OSBoostClassifier(None, 9),
    "ocp": OSBoostClassifier(None, 5, vote="ocp"),
    "ozaboost": OzaBoostClassifier(None, 7),
    "ogboost": OGBoostClassifier(None, 2, n_candidates=2),
}
KINDS = ("gaussian", "mixed", "binary")


def with_few_values(stream):
    """Some columns rounded, so that they have few values for a while or for ever."""
    X = stream.X.copy()
    X[:, 1] = np.round(2 * X[:, 1])
    X[:, 4] = np.clip(np.round(X[:, 4]), -1, 2)
    return Stream(X, stream.y, stream.s)


def assert_parity(model, stream, fresh):
    if SANITIZED:
        assert_runs(model, stream, fresh)
        return
    expected = run_reference(model, stream)
    after = np.array([expected.booster.margin(x) for x in fresh]) * stream.outside
    assert np.all(np.isfinite(expected.margins))
    for given_as in (stream, stream.csr()):
        got = run_native(clone(model), given_as)
        np.testing.assert_allclose(got.margins, expected.margins, rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(got.booster.margin(fresh), after, rtol=0, atol=TOLERANCE)


def build(booster, learner):
    return clone(BOOSTERS[booster]).set_params(learner=clone(LEARNERS[learner]), random_state=SEED)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("also", [False, True])
def test_parity(also, learner):
    """Under OSBoost, and under another booster that changes from learner to learner."""
    others = [name for name in BOOSTERS if name != "osboost"]
    booster = others[list(LEARNERS).index(learner) % len(others)] if also else "osboost"
    turn = len(booster) + list(LEARNERS).index(learner)
    kind = KINDS[turn % 2] if learner.startswith("subsets-group") else KINDS[turn % 3]
    stream = make_stream(kind, turn, 40, 6, weighted=True)
    fresh = make_stream(kind, turn + 1, 5, 6, weighted=False).X
    assert_parity(build(booster, learner), with_few_values(stream) if learner in TYPED else stream, fresh)


@pytest.mark.slow
@pytest.mark.untraced  # the reference is covered by the short streams
@pytest.mark.parametrize("learner", LINEAR)
def test_long_streams(learner):
    """Rounding must not build up over hundreds of examples."""
    stream = make_stream("mixed", 11, 400, 7, weighted=True)
    model = OSBoostClassifier(clone(LEARNERS[learner]), 3, random_state=SEED)
    assert_parity(model, stream, make_stream("mixed", 12, 20, 7, weighted=False).X)


@pytest.mark.parametrize(
    "learner", ["averaged", "adagrad", "ftrl", "arow", "scw", "ridge", "fourier", "scaled", "typed"]
)
def test_many_learners_on_many_features(learner):
    """Several blocks of learners, and features that appear all the time."""
    stream = make_stream("mixed", 3, 25, 40, weighted=True)
    model = OSBoostClassifier(clone(LEARNERS[learner]), 21, random_state=SEED)
    assert_parity(model, stream, make_stream("mixed", 4, 5, 40, weighted=False).X)


STRATEGIES = st.one_of(
    st.builds(AveragedPerceptron, intercept=st.booleans(), clock=st.sampled_from(["weight", "rounds"])),
    st.builds(AdaGradLogistic, rate=st.floats(0.01, 10), unit_norm=st.booleans()),
    st.builds(FTRL, alpha=st.floats(0.01, 10), beta=st.floats(0.1, 3), l1=st.floats(0, 1), l2=st.floats(0, 1)),
    st.builds(AROW, r=st.floats(0.01, 10), covariance=st.sampled_from(["diagonal", "full"]), intercept=st.booleans()),
    st.builds(
        SCW,
        C=st.floats(0.01, 10),
        eta=st.floats(0.55, 0.99),
        variant=st.sampled_from(["I", "II"]),
        covariance=st.sampled_from(["diagonal", "full"]),
    ),
    st.builds(
        BayesianLogistic,
        variance=st.floats(0.01, 100),
        covariance=st.sampled_from(["full", "diagonal"]),
        unit_norm=st.booleans(),
    ),
    st.builds(OnlineRidge, a=st.floats(0.01, 100), forecast=st.sampled_from(["vaw", "ridge"]), unit_norm=st.booleans()),
    st.builds(
        NaiveBayes,
        kind=st.just("typed"),
        alpha=st.sampled_from([1e-3, 1.0]),
        variance_floor=st.just(0.1),
        max_values=st.integers(1, 12),
    ),
)


@settings(max_examples=40)
@given(
    learner=STRATEGIES, booster=st.sampled_from(list(BOOSTERS)), seed=st.integers(0, 2**32), kind=st.sampled_from(KINDS)
)
def test_any_parameters(learner, booster, seed, kind):
    model = clone(BOOSTERS[booster]).set_params(learner=learner, random_state=seed)
    assert_parity(model, with_few_values(make_stream(kind, seed, 20, 5, weighted=True)), np.ones((1, 5)))


@pytest.mark.slow
@pytest.mark.parametrize("weight", [1e-160, 1e-101, 1e-99, 1e15])  # on either side of what teaches nothing
@pytest.mark.parametrize("learner", LEARNERS)
def test_no_weight_is_too_small_or_too_large(learner, weight):
    """Margins stay in [-1, 1] and states finite, on rows of any size."""
    stream = make_stream("gaussian", 1, 30, 4, weighted=False)
    for booster in ("osboost", "ozaboost"):
        for scale in (1.0, 1e-160, 1e99):
            model = build(booster, learner)
            result = prequential(model, stream.X * scale, stream.y, sample_weight=np.full(30, weight))
            assert (np.abs(result.margins) <= 1).all()
            copied = pickle.loads(pickle.dumps(model))  # refuses numbers that are not finite
            np.testing.assert_array_equal(copied.margin(stream.X), model.margin(stream.X))
