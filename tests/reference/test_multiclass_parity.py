"""Many classes: the native engine against onlineboost.reference, and both against the theory."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from states import state_of
from twins import TOLERANCE, reference_bank, reference_of

from onlineboost import (
    AdaBoostOLClassifier,
    AdaBoostOLMClassifier,
    BBMClassifier,
    GradientBoostClassifier,
    NaiveBayes,
    OneVsRest,
    OnlineGradient,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    RegressionTree,
    _core,
    prequential,
    reference,
)
from onlineboost.reference.multiclass import logistic_loss

pytestmark = pytest.mark.engine

SEED = 7
N = 6
LEARNERS = {
    "perceptron": Perceptron(),
    "gradient": OnlineGradient(),
    "bayes": NaiveBayes(kind="gaussian", variance_floor=1e-2),
}


def rows(n, classes, seed=0, d=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[: n // 5] %= 2
    X = rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d))
    return X, y, rng.exponential(size=n)


def twin(model, d):
    """The reference of an estimator of many classes."""
    if isinstance(model, OneVsRest):
        booster = model.booster

        def make(k):
            return reference_of(type(booster)(**{**booster.get_params(deep=False), "random_state": seed(k)}), d)

        return reference.OneVsRest(make)

    def bank(k):
        return reference_bank(model.learner, N, d, seed(k))

    if isinstance(model, AdaBoostOLMClassifier):
        return reference.AdaBoostOLM(bank, N)
    return reference.MBBM(bank, N, model.gamma)


def seed(k):
    assert reference.class_seed(SEED, k) == _core.class_seed(SEED, k)
    return reference.class_seed(SEED, k)


def run(model, X, y, s):
    """Reference decisions, in the columns of the labels, and the number of each label's class."""
    booster, numbers = twin(model, X.shape[1]), {}
    D = np.full((len(y), len(set(y))), -2.0)
    for t, (x, label, w) in enumerate(zip(X, y.tolist(), s, strict=True)):
        if numbers:
            D[t, list(numbers)] = booster.decide(x)
        booster.learn(x, numbers.setdefault(label, len(numbers)), w)
    return D, booster, numbers


MODELS = {
    "osboost": lambda learner: OneVsRest(OSBoostClassifier(learner, N, random_state=SEED)),
    "ozaboost": lambda learner: OneVsRest(OzaBoostClassifier(learner, N, random_state=SEED)),
    "olm": lambda learner: AdaBoostOLMClassifier(learner, N, random_state=SEED),
    "mbbm": lambda learner: OnlineMBBMClassifier(learner, N, gamma=0.2, random_state=SEED),
}


@pytest.mark.parametrize("learner", list(LEARNERS))
@pytest.mark.parametrize("name", list(MODELS))
def test_native_is_the_reference(name, learner):
    X, y, s = rows(120, 3)
    result = prequential(MODELS[name](LEARNERS[learner]), X, y, sample_weight=s)
    D, booster, numbers = run(MODELS[name](LEARNERS[learner]), X, y, s)
    np.testing.assert_allclose(result.decisions, D, atol=TOLERANCE)
    if name == "olm":
        model = MODELS[name](LEARNERS[learner]).fit(X, y, s)
        fields = state_of(model)
        np.testing.assert_allclose(fields["alpha"], booster.alpha, atol=TOLERANCE)
        np.testing.assert_allclose(fields["expert_losses"], booster.losses, atol=TOLERANCE)
        P = np.array([booster.probabilities(x) for x in X])
        np.testing.assert_allclose(model.predict_proba(X)[:, list(numbers)], P, atol=TOLERANCE)


TURNING = {
    "adaboost-ol": lambda learner: AdaBoostOLClassifier(learner, N, random_state=SEED),
    "bbm": lambda learner: BBMClassifier(learner, N, edge=0.1, random_state=SEED),
    "gradient": lambda learner: GradientBoostClassifier(learner, N, random_state=SEED),
    "gradient, first": lambda learner: GradientBoostClassifier(learner, N, order="first", random_state=SEED),
}


@pytest.mark.parametrize("learner", [*LEARNERS, "tree"])
@pytest.mark.parametrize("name", list(TURNING))
def test_the_third_label_turns_two_classes_into_many(name, learner):
    """AdaBoost.OL into Adaboost.OLM, BBM into OnlineMBBM, the logistic loss into the softmax: nothing is lost."""
    learner = LEARNERS.get(learner) or RegressionTree(grace_period=10)
    X, y, s = rows(120, 4)
    model = TURNING[name](learner)
    result = prequential(model, X, y, sample_weight=s)
    third = int(np.argmax(y > 1))
    numbers = dict.fromkeys(y[:third].tolist())
    two, (first, second) = reference_of(model, X.shape[1]), numbers
    for x, label, w in zip(X[:third], y, s, strict=False):
        two.learn(x, 1 if label == first else -1, w)

    def bank(k):
        return reference_bank(learner, N, X.shape[1], seed(k))

    if name == "bbm":
        many = reference.MBBM(bank, N, 0.2)
    elif name == "adaboost-ol":
        many = reference.AdaBoostOLM(bank, N)
        many.alpha, many.losses = two.alpha.copy(), two.L.copy()
    else:
        many = reference.SoftmaxBoost(bank, N, order=model.order)
    many.banks, many.rounds = [two.bank, reference.Turned(two.bank)], two.rounds
    before = two.margin(X[third])
    numbers = {first: 0, second: 1}
    D = np.full((len(y), 4), -2.0)
    for t in range(third, len(y)):
        D[t, list(numbers)] = many.decide(X[t])
        many.learn(X[t], numbers.setdefault(int(y[t]), len(numbers)), s[t])
    np.testing.assert_allclose(result.margins[third:], D[third:], atol=TOLERANCE)
    if name == "bbm" or name.startswith("gradient"):  # the vote of two classes is that of the first against the second
        assert D[third, first] == pytest.approx(before)
        assert D[third, second] == pytest.approx(-before)


def test_boost_by_majority_of_many_learners_goes_one_against_the_rest():
    X, y, _ = rows(60, 3)
    few, more = (BBMClassifier(Perceptron(), n, random_state=0).fit(X, y) for n in (20, 21))
    assert few.machine.engine.booster["kind"] == "mbbm"
    assert more.machine.engine.booster["kind"] == "one_vs_rest"
    with pytest.raises(AttributeError, match="two classes only"):
        _ = few.advantage_


# ---- Adaboost.OLM: what the proof of its bound rests on --------------------------------------------------------


def losses(booster, X, y, s, numbers):
    """For each learner: the summed loss with its own alpha, and with every alpha of a grid in its place."""
    grid = np.linspace(-2, 2, 41)
    own, fixed = np.zeros(N), np.zeros((N, len(grid)))
    rates, squares = np.zeros(N), np.zeros(N)
    for x, label, w in zip(X, y.tolist(), s, strict=True):
        if label in numbers and len(numbers) > 1:
            k, t = len(booster.banks), booster.rounds + 1
            eta = 2 * np.sqrt(2) / ((k - 1) * np.sqrt(t))
            said, sums = booster.said(x), np.zeros(k)
            for i, l in enumerate(said):
                unit = np.eye(k)[l]
                fixed[i] += [w * logistic_loss(sums + a * unit, numbers[label]) for a in grid]
                sums = sums + booster.alpha[i] * unit
                own[i] += w * logistic_loss(sums, numbers[label])
                c = booster._costs(sums, numbers[label])
                slope = -np.sum(c) if l == numbers[label] else c[l]
                squares[i] += eta * (w * slope) ** 2
                rates[i] = eta
        booster.learn(x, numbers.setdefault(label, len(numbers)), w)
    return own, fixed, rates, squares


@pytest.mark.parametrize("seed", range(3))
def test_the_regret_of_alpha_is_that_of_online_gradient_descent(seed):
    """sum L(alpha_t) - sum L(alpha) <= D^2/(2 eta_T) + sum eta_t g_t^2/2 for each alpha in [-2, 2], D = 4."""
    X, y, _ = rows(150, 3, seed)
    booster = twin(MODELS["olm"](Perceptron()), X.shape[1])
    own, fixed, rates, squares = losses(booster, X, y, np.ones(len(y)), {})
    bound = 4**2 / (2 * rates) + squares / 2
    regret = own - fixed.min(axis=1)
    assert (regret <= bound + 1e-9).all()
    assert (regret > 0).any(), "the bound is on something"


def test_weights_are_at_least_half_where_the_prefix_errs():
    """(k - 1) w_{i+1} >= 1/2 where s after learner i does not lead to y: the step from weights to mistakes."""
    X, y, _ = rows(150, 4)
    booster = twin(MODELS["olm"](Perceptron()), X.shape[1])
    numbers, seen = {}, 0
    for x, label in zip(X, y.tolist(), strict=True):
        if label in numbers and len(numbers) > 1:
            said, sums = booster.said(x), np.zeros(len(numbers))
            wrong = []
            for i, l in enumerate(said):
                sums[l] += booster.alpha[i]
                wrong.append(np.argmax(sums) != numbers[label])
            w = _frozen(booster).weights(said, numbers[label], 1.0)
            seen += sum(wrong[:-1])
            assert all((len(numbers) - 1) * w[i + 1] >= 0.5 - 1e-12 for i in range(N - 1) if wrong[i])
        booster.learn(x, numbers.setdefault(label, len(numbers)), 1.0)
    assert seen > 20


def _frozen(booster):
    """A copy whose weights may be asked for without teaching it."""
    frozen = reference.AdaBoostOLM(booster.make, N)
    frozen.banks, frozen.rounds = booster.banks, booster.rounds
    frozen.alpha, frozen.losses = booster.alpha.copy(), booster.losses.copy()
    return frozen


# ---- OnlineMBBM: the potential ---------------------------------------------------------------------------------


def enumerated(n, leads, gamma):
    """The potential by all k^n sequences of votes."""
    k = len(leads) + 1
    chance = np.full(k, (1 - gamma) / k)
    chance[0] += gamma
    lost = 0.0
    for votes in itertools.product(range(k), repeat=n):
        counts = np.bincount(votes, minlength=k)
        if (counts[0] + np.array(leads) - counts[1:] <= 0).any():
            lost += float(np.prod(chance[list(votes)]))
    return lost


@settings(max_examples=60)
@given(st.integers(0, 5), st.lists(st.integers(-6, 6), min_size=1, max_size=3), st.floats(0.01, 0.9))
def test_the_potential_is_the_chance_of_not_leading(n, leads, gamma):
    exact = enumerated(n, leads, gamma)
    assert _core.potential(gamma, n, leads) == pytest.approx(exact, abs=1e-12)
    assert reference.potential(n, tuple(sorted(leads)), gamma) == pytest.approx(exact, abs=1e-12)


@settings(max_examples=60)
@given(st.integers(1, 60), st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.floats(0.01, 0.5))
def test_the_potential_is_the_mean_of_the_next(n, leads, gamma):
    q = (1 - gamma) / (len(leads) + 1)
    mean = (q + gamma) * _core.potential(gamma, n - 1, [lead + 1 for lead in leads])
    for l in range(len(leads)):
        mean += q * _core.potential(gamma, n - 1, [lead - (j == l) for j, lead in enumerate(leads)])
    assert _core.potential(gamma, n, leads) == pytest.approx(mean, abs=1e-11)


def test_mistakes_telescope_to_the_potential_at_the_start():
    """1{y does not lead} = phi_N(0) + sum_i (phi_{N-i}(s + e_l) - sum_l u_l phi_{N-i}(s + e_l)), whatever is voted."""
    rng = np.random.default_rng(0)
    k, n, gamma = 4, 8, 0.3
    u = np.full(k, (1 - gamma) / k) + gamma * (np.arange(k) == 0)
    for _ in range(50):
        s, total = np.zeros(k, int), _core.potential(gamma, n, [0] * (k - 1))
        for i in range(n):
            cost = [_core.potential(gamma, n - 1 - i, _leads(s + np.eye(k, dtype=int)[l])) for l in range(k)]
            vote = rng.choice(k, p=[0.4, 0.2, 0.2, 0.2])
            total += cost[vote] - u @ cost
            s[vote] += 1
        assert total == pytest.approx(float((s[0] <= s[1:]).any()), abs=1e-11)


def _leads(s):
    return (s[0] - s[1:]).tolist()
