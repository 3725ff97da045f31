"""What the paper proves, on streams that obey no assumption (SPEC 6.7: I1, I2, I3, I12)."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.base import clone
from states import bank_of, state_of
from twins import SEED, ScriptedLearner, make_stream, reference_bank

from onlineboost import (
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
    reference,
)

drawn = settings(max_examples=40)
PLAIN = {"perceptron": Perceptron(), "naive_bayes": NaiveBayes(), "online_gradient": OnlineGradient()}

margin_values = st.floats(-1, 1, allow_subnormal=False) | st.sampled_from([-1.0, 0.0, 1.0])
gammas = st.floats(1e-3, 0.5) | st.sampled_from([0.1, 0.5])


@st.composite
def margins_and_parameters(draw):
    """T rounds of N margins, gamma, and theta from 0 to just below gamma; some margins are exactly theta."""
    shape = (draw(st.integers(1, 25)), draw(st.integers(1, 25)))
    gamma = draw(gammas)
    theta = gamma * draw(st.floats(0, 0.999) | st.just(0.0))
    m = draw(arrays(np.float64, shape, elements=margin_values | st.just(theta)))
    return m, gamma, theta


# ---- I1, I2, I3 --------------------------------------------------------------------------------------------------


@drawn
@given(margins_and_parameters())
def test_weights_are_smooth(case):
    """I1: the first weight is 1, none is above 1 or 0, 1 where z <= 0, and neighbours are close. I2: what z is."""
    m, gamma, theta = case
    beta = -math.log1p(-gamma) / 2
    for margins in m:
        w, z = reference.smooth_weights(margins, gamma, theta)
        assert w[0] == 1
        assert (w > 0).all()
        assert (w <= 1).all()
        assert (w[1:][z <= 0] == 1).all()
        assert (w[1:][beta * z > 1e-15] < 1).all()
        ratio = w[1:] / w[:-1]
        assert (ratio >= math.exp(-beta * (1 - theta)) * (1 - 1e-12)).all()
        assert (ratio <= math.exp(beta * (1 + theta)) * (1 + 1e-12)).all()
        i = np.arange(1, len(z) + 1)
        np.testing.assert_allclose(z, i * (np.cumsum(margins) / i - theta), rtol=0, atol=1e-12)


@drawn
@given(margins_and_parameters(), st.integers(0, 2**32 - 1), st.booleans())
def test_mass_bounds_the_mistakes_of_every_prefix_on_scripted_outputs(case, seed, weighted):
    """I3, in the engine, for any outputs at all: #{t: y f_i <= theta} <= W_{i+1}, after every round."""
    m, gamma, theta = case
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(len(m)) < 0.5, 1, -1)
    s = rng.exponential(size=len(m)) if weighted else np.ones(len(m))
    model = OSBoostClassifier(ScriptedLearner(), m.shape[1], gamma=gamma, theta=theta, random_state=0)
    mistakes, thin = np.zeros((2, m.shape[1]))
    # The engine's +1 is the first label, so its outputs are the margins times the label in its eyes.
    codes = y * y[0]
    for t, margins in enumerate(m):
        model.partial_fit((margins * codes[t])[np.newaxis], [y[t]], sample_weight=[s[t]])
        i = np.arange(1, len(margins) + 1)
        mistakes += s[t] * (np.cumsum(margins) <= 0)
        thin += s[t] * (np.cumsum(margins) / i <= theta - 1e-12)  # the tie is the rounding's
        mass = model.weight_mass_
        assert mass[0] == pytest.approx(s[: t + 1].sum())
        assert (thin <= mass[1:] * (1 + 1e-9)).all()
        if theta > 1e-12:
            assert (mistakes <= mass[1:] * (1 + 1e-9)).all()
    wanted = [reference.smooth_weights(margins, gamma, theta)[0] for margins in m]
    np.testing.assert_allclose(model.weight_mass_, s @ np.array(wanted), rtol=1e-12)
    np.testing.assert_allclose(bank_of(model).weights, s[:, None] * np.array(wanted)[:, :-1], rtol=1e-12)


@pytest.mark.parametrize("learner", PLAIN)
def test_mass_bounds_the_mistakes_of_every_prefix_of_the_reference(learner):
    """I3 with margins by z itself, the number that the weight used: exact, without any tolerance."""
    stream = make_stream("mixed", 1, 200, 6, weighted=False)
    N = 8
    booster = reference.OSBoost(reference_bank(PLAIN[learner], N, 6, SEED))
    mistakes, thin = np.zeros((2, N))
    for x, y in zip(stream.X, stream.y, strict=True):
        h = booster.bank.predict(x)
        _, z = reference.smooth_weights(y * h, booster.gamma, booster.theta)
        thin += z <= 0
        mistakes += y * np.cumsum(h) <= 0
        booster.learn(x, int(y))
        assert (thin <= booster.mass[1:]).all()
        assert (mistakes <= booster.mass[1:]).all()


@pytest.mark.parametrize("learner", PLAIN)
@pytest.mark.parametrize("weighted", [False, True])
def test_mass_bounds_the_mistakes_of_the_native_ensemble(learner, weighted):
    """I3 for real learners: the error of the whole ensemble, and of every smaller one, as the prefixes are."""
    stream = make_stream("gaussian", 2, 600, 6, weighted=weighted)
    whole = OSBoostClassifier(PLAIN[learner], 12, random_state=SEED)
    prequential(whole, stream.X, stream.y, sample_weight=stream.s)
    weights = np.ones(600) if stream.s is None else stream.s
    for n in (1, 2, 5, 11, 12):
        model = OSBoostClassifier(PLAIN[learner], n, random_state=SEED)
        result = prequential(model, stream.X, stream.y, sample_weight=stream.s)
        wrong = weights @ (result.margins * stream.y <= 0)
        assert 0 < wrong <= model.weight_mass_[n] * (1 + 1e-12)
        np.testing.assert_array_equal(model.weight_mass_, whole.weight_mass_[: n + 1])


def test_the_index_of_lemma_2():
    """Two learners that always disagree: W_2 < 0.96 T certifies the first alone, not the average of both."""
    T = 50
    X = np.tile([1.0, -1.0], (T, 1))
    model = OSBoostClassifier(ScriptedLearner(), 2, gamma=0.1, random_state=0)
    result = prequential(model, X, np.ones(T))
    assert model.weight_mass_[1] < 0.96 * T
    assert model.weight_mass_[2] == T
    assert (result.margins == 0).all()


# ---- I12: equal Perceptrons stay equal ---------------------------------------------------------------------------


@drawn
@given(
    kind=st.sampled_from(["gaussian", "binary", "mixed"]),
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 20),
    rows=st.integers(1, 80),
    vote=st.sampled_from(["uniform", "ocp", "eg", "experts"]),
    gamma=gammas,
    intercept=st.booleans(),
    unit_norm=st.booleans(),
)
def test_collapse(kind, seed, n, rows, vote, gamma, intercept, unit_norm):
    """OSBoost over Perceptrons that start at 0 is one Perceptron.

    The learners are equal bit for bit: on a mistake every margin is at most 0 and so every weight exactly 1, and
    otherwise nobody moves. The margin is a mean of equal numbers: equal to 1e-12, and bit for bit where N is
    a power of 2, whose division is exact. Experts give the sign, so there the labels are compared.
    """
    stream = make_stream(kind, seed, rows, 5, weighted=False)
    learner = Perceptron(init="zero", intercept=intercept, unit_norm=unit_norm)
    one = OnlineClassifier(learner, random_state=SEED)
    many = OSBoostClassifier(learner, n, gamma=gamma, vote=vote, random_state=SEED)
    a = prequential(one, stream.X, stream.y)
    b = prequential(many, stream.X, stream.y)
    if vote == "experts":
        np.testing.assert_array_equal(np.sign(a.margins)[a.margins != 0], np.sign(b.margins)[a.margins != 0])
    else:
        np.testing.assert_allclose(a.margins, b.margins, rtol=0, atol=1e-12)
    if vote == "uniform" and n in {2, 4, 8, 16}:
        np.testing.assert_array_equal(a.margins, b.margins)
    u, U = (state_of(model)["coordinates"] for model in (one, many))
    np.testing.assert_array_equal(U, np.broadcast_to(u, U.shape))


def test_a_random_start_does_not_collapse():
    stream = make_stream("gaussian", 3, 300, 5, weighted=False)
    model = OSBoostClassifier(Perceptron(), 6, random_state=SEED).partial_fit(stream.X, stream.y)
    U = state_of(model)["coordinates"]
    assert np.linalg.matrix_rank(U - U[:, :1]) > 1


# ---- the random start --------------------------------------------------------------------------------------------


def test_moments_of_the_start():
    """Mean 0 and variance 1, near to a Gaussian, and no correlation between learners or features."""
    n = 300
    learners, features = np.arange(n, dtype=np.uint64), np.arange(n, dtype=np.uint64)[:, None]
    u = reference.start(SEED, learners, features)
    assert abs(u.mean()) < 4 / n
    assert abs(u.var() - 1) < 4 * math.sqrt(2) / n
    assert abs(stats.skew(u.ravel())) < 0.05
    assert abs(u).max() <= 2 * math.sqrt(3)
    for correlations in (np.corrcoef(u), np.corrcoef(u.T)):
        off = correlations[~np.eye(n, dtype=bool)]
        assert abs(off).max() < 6 / math.sqrt(n)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_start_has_norm_one(intercept):
    """Variance 1 / width, the width counting the intercept."""
    n, columns = 400, 49
    model = OSBoostClassifier(Perceptron(intercept=intercept), n, random_state=SEED)
    model.partial_fit(np.ones((1, columns)), [0], sample_weight=[1e-99])  # meets the features and hardly moves
    U = state_of(model)["coordinates"]
    width = columns + intercept
    assert U.shape == (width, n)
    assert abs(U.mean()) < 4 / math.sqrt(width * n * width)
    assert U.var() * width == pytest.approx(1, abs=4 * math.sqrt(2 / U.size))
    np.testing.assert_allclose(state_of(model)["squared_norms"], (U**2).sum(axis=0))
    assert (U**2).sum(axis=0).mean() == pytest.approx(1, abs=0.05)


# ---- one learner, one class --------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [*PLAIN.values(), Perceptron(init="zero"), NaiveBayes(kind="gaussian")])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_boosted_learner_is_the_learner(learner, weighted):
    """Bit for bit with the uniform vote and with OCP, whose simplex is a point; by its sign with experts."""
    stream = make_stream("mixed", 4, 200, 6, weighted=weighted)
    single = prequential(OnlineClassifier(learner, random_state=SEED), stream.X, stream.y, sample_weight=stream.s)
    for vote, projection in itertools.product(["uniform", "ocp", "eg", "experts"], ["newton", "sort", "pivot"]):
        model = OSBoostClassifier(learner, 1, vote=vote, projection=projection, random_state=SEED)
        boosted = prequential(model, stream.X, stream.y, sample_weight=stream.s)
        if vote == "experts":
            decided = single.margins != 0
            np.testing.assert_array_equal(np.sign(boosted.margins)[decided], np.sign(single.margins)[decided])
        else:
            np.testing.assert_array_equal(boosted.margins, single.margins)


BOOSTERS = [
    OnlineClassifier(None),
    OSBoostClassifier(None, 10),
    OSBoostClassifier(None, 10, vote="ocp"),
    OSBoostClassifier(None, 10, vote="experts"),
    OzaBoostClassifier(None, 10),
    OGBoostClassifier(None, 10),
]


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("learner", PLAIN)
@pytest.mark.parametrize("label", [-1, 1])
def test_a_stream_of_one_class(booster, learner, label):
    """There is one label to predict; the margins learn it, and the other label may still come."""
    X = make_stream("gaussian", 6, 300, 5, weighted=False).X
    model = clone(booster).set_params(learner=PLAIN[learner], random_state=SEED)
    result = prequential(model, X, np.full(300, label))
    assert model.classes_.tolist() == [label]
    assert result.error == 0
    assert (result.predictions == label).all()
    assert (model.predict(X) == label).all()
    assert (result.margins[150:] > 0).mean() > 0.9, "the engine's +1 is the label seen"
    model.partial_fit(X[:1], [-label])
    assert model.classes_.tolist() == [-1, 1]
    assert (model.predict(X) == label).mean() > 0.5
