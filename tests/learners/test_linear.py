"""What the papers and the textbooks say of the linear learners, checked without the NumPy twins."""

import math
from collections import defaultdict
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from states import same, snapshot, state_of
from twins import SEED, make_stream

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    AveragedPerceptron,
    NaiveBayes,
    OnlineClassifier,
    OnlineRidge,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    Scaled,
    prequential,
    reference,
)

pytestmark = pytest.mark.engine

RAW = {"intercept": False, "unit_norm": False}


def codes(stream):
    """Labels as the engine has them: the first one learned is +1."""
    return stream.y * stream.sign


def unpacked(triangle):
    """The symmetric matrix of a learner whose lower triangle is packed by rows."""
    d = int(math.sqrt(2 * len(triangle)))
    full = np.zeros((d, d))
    full[np.tril_indices(d)] = triangle
    return full + np.tril(full, -1).T


# ---- ridge regression --------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), a=st.floats(1e-3, 1e3), rows=st.integers(1, 300), columns=st.integers(2, 12))
def test_ridge_is_the_weighted_batch_solution(seed, a, rows, columns):
    stream = make_stream("gaussian", seed, rows, columns, weighted=True)
    model = OnlineClassifier(OnlineRidge(a=a, **RAW)).partial_fit(stream.X, stream.y, sample_weight=stream.s + 1e-3)
    W = np.diag(stream.s + 1e-3)
    A = a * np.eye(columns) + stream.X.T @ W @ stream.X
    first = stream.y * stream.y[0]
    state = state_of(model)
    learned = np.flatnonzero(np.any(stream.X != 0, axis=0))
    assert list(state["features"]) == list(learned)
    np.testing.assert_allclose(
        state["coordinates"][:, 0], np.linalg.solve(A, stream.X.T @ W @ first), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(unpacked(state["covariance"][:, 0]), np.linalg.inv(A), rtol=1e-9, atol=1e-9 / a)


def test_the_forward_forecast_counts_the_row_itself():
    stream = make_stream("gaussian", 4, 80, 5, weighted=False)
    model = OnlineClassifier(OnlineRidge(**RAW)).partial_fit(stream.X, codes(stream))
    for x in make_stream("gaussian", 5, 10, 5, weighted=False).X / 3:
        A = np.eye(5) + stream.X.T @ stream.X + np.outer(x, x)
        wanted = np.linalg.solve(A, stream.X.T @ codes(stream)) @ x
        assert model.margin([x])[0] == pytest.approx(np.clip(wanted, -1, 1), abs=1e-9)


# ---- AROW and SCW ------------------------------------------------------------------------------------------------


def test_arow_adds_up_confidence():
    """Woodbury: the inverse of Sigma is I plus x x' w / r over the rows that were needed."""
    stream = make_stream("gaussian", 6, 200, 4, weighted=True)
    model = OnlineClassifier(AROW(r=0.7, covariance="full", **RAW))
    inverse = np.eye(4)
    score = np.zeros(4)
    needed = 0
    for x, y, s in zip(stream.X, codes(stream), stream.s, strict=True):
        if s > 0 and y * (score @ x) < 1:
            inverse += np.outer(x, x) * s / 0.7
            needed += 1
        model.partial_fit([x], [y], classes=[-1, 1], sample_weight=[s])
        score = state_of(model)["coordinates"][:, 0] if model.n_examples_ else score
    assert 20 < needed < 200
    np.testing.assert_allclose(np.linalg.inv(unpacked(state_of(model)["covariance"][:, 0])), inverse, rtol=1e-8)


def test_arow_step_is_the_minimum_of_its_objective():
    """(u - u0)' Sigma^-1 (u - u0) / 2 + w (1 - y <u, x>)^2 / (2 r): the gradient is 0 at the new u."""
    stream = make_stream("gaussian", 7, 30, 4, weighted=False)
    model = OnlineClassifier(AROW(r=0.5, covariance="full", **RAW)).partial_fit(stream.X, codes(stream))
    before = state_of(model)
    x, w = np.array([0.2, -0.1, 0.3, 0.1]), 1.7
    model.partial_fit([x], [1], sample_weight=[w])
    after = state_of(model)["coordinates"][:, 0]
    pull = np.linalg.solve(unpacked(before["covariance"][:, 0]), after - before["coordinates"][:, 0])
    np.testing.assert_allclose(pull, w / 0.5 * (1 - after @ x) * x, rtol=1e-7)


@pytest.mark.parametrize("eta", [0.6, 0.9, 0.99])
def test_scw_meets_its_constraint_where_the_price_allows(eta):
    """Proposition 1 below C: the new Gaussian is right on the example with probability exactly eta."""
    stream = make_stream("gaussian", 8, 60, 4, weighted=False)
    model = OnlineClassifier(SCW(C=1e6, eta=eta, covariance="full", **RAW))
    phi = NormalDist().inv_cdf(eta)
    met = 0
    for x, y in zip(stream.X, codes(stream), strict=True):
        before = state_of(model)["coordinates"].copy() if met else None
        model.partial_fit([x], [y], classes=[-1, 1])
        state = state_of(model)
        margin = y * (state["coordinates"][:, 0] @ x)
        spread = math.sqrt(x @ unpacked(state["covariance"][:, 0]) @ x)
        assert margin >= phi * spread - 1e-8
        if before is None or not np.array_equal(before, state["coordinates"]):
            assert margin == pytest.approx(phi * spread, rel=1e-6, abs=1e-9)
            met += 1
    assert met > 5


@pytest.mark.parametrize("weight", [1e-6, 1e-3, 1.0])
def test_scw_pays_no_more_than_the_weight_allows(weight):
    """The first step from u = 0, Sigma = I is alpha y x: at most C w for SCW-I, 2 phi C w for SCW-II as w -> 0."""
    phi = NormalDist().inv_cdf(0.9)
    alpha = {}
    for variant in ("I", "II"):
        model = OnlineClassifier(SCW(C=0.5, eta=0.9, variant=variant, **RAW))
        model.partial_fit([[0.6, 0.8]], [1], sample_weight=[weight])
        alpha[variant] = state_of(model)["coordinates"][:, 0] @ [0.6, 0.8]
    assert alpha["I"] == pytest.approx(min(0.5 * weight, phi / math.sqrt(1 + phi**2)), rel=1e-9)
    if weight < 1e-5:
        assert alpha["II"] == pytest.approx(2 * phi * 0.5 * weight, rel=1e-4)


# ---- FTRL --------------------------------------------------------------------------------------------------------


def test_ftrl_is_the_box_of_the_paper():
    """Algorithm 1 of McMahan et al. 2013, coordinate by coordinate."""
    stream = make_stream("mixed", 9, 300, 6, weighted=True)
    alpha, beta, l1, l2 = 0.7, 1.3, 0.4, 0.2
    z, n, w = defaultdict(float), defaultdict(float), defaultdict(float)
    margins = []
    for x, label, s in zip(stream.X, codes(stream), stream.s, strict=True):
        active = np.flatnonzero(x)
        for i in active:
            w[i] = 0.0
            if abs(z[i]) > l1:
                w[i] = -(z[i] - math.copysign(l1, z[i])) / ((beta + math.sqrt(n[i])) / alpha + l2)
        p = 1 / (1 + math.exp(-sum(x[i] * w[i] for i in active)))
        margins.append(2 * p - 1)
        for i in active:
            g = s * (p - (label > 0)) * x[i]
            sigma = (math.sqrt(n[i] + g * g) - math.sqrt(n[i])) / alpha
            z[i] += g - sigma * w[i]
            n[i] += g * g
    model = OnlineClassifier(FTRL(alpha=alpha, beta=beta, l1=l1, l2=l2, **RAW))
    got = prequential(model, stream.X, stream.y, sample_weight=stream.s).margins
    np.testing.assert_allclose(got, np.array(margins) * stream.sign, rtol=0, atol=1e-9)


def test_ftrl_leaves_useless_features_at_zero():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=2000), *rng.normal(size=(30, 2000))])
    model = OnlineClassifier(FTRL(l1=40.0, **RAW)).partial_fit(X, X[:, 0] > 0)
    state = state_of(model)
    beyond = np.abs(state["duals"][:, 0]) > 40.0
    assert beyond[0]
    assert beyond[1:].sum() <= 3


# ---- AdaGrad -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1e-6, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e6])
def test_adagrad_follows_its_differential_equation(rate, weight):
    """The step on one row, integrated: du/dtau = rate w y sigma(-m) x / sqrt(G), G with the row counted already."""
    first, second = np.array([0.8, -0.5, 0.3]), np.array([0.7, 0.2, -0.9])
    model = OnlineClassifier(AdaGradLogistic(rate=rate, **RAW)).partial_fit([first], [1], classes=[-1, 1])
    u = state_of(model)["coordinates"][:, 0]
    G = state_of(model)["coordinate_squares"][:, 0].copy()
    for y in (1, -1):
        m = y * (u @ second)
        total = G + (weight / (1 + math.exp(m)) * second) ** 2
        direction = rate * weight * y * second / np.sqrt(total)
        path = solve_ivp(
            lambda _, v, y=y, d=direction: d / (1 + np.exp(np.clip(y * (v @ second), -700, 700))),
            (0, 1),
            u,
            method="LSODA",
            rtol=1e-12,
            atol=1e-14,
        )
        twin = OnlineClassifier(AdaGradLogistic(rate=rate, **RAW)).partial_fit([first], [1], classes=[-1, 1])
        twin.partial_fit([second], [y], sample_weight=[weight])
        got = state_of(twin)["coordinates"][:, 0]
        np.testing.assert_allclose(got - u, path.y[:, -1] - u, rtol=1e-6, atol=1e-12)
        if rate == 1e-6:
            np.testing.assert_allclose(got - u, direction / (1 + math.exp(m)), rtol=1e-5)


def test_adagrad_does_not_care_about_a_common_factor_of_all_weights():
    stream = make_stream("mixed", 10, 300, 5, weighted=True)
    margins = [
        prequential(
            OSBoostClassifier(AdaGradLogistic(), 5), stream.X, stream.y, sample_weight=stream.s * factor
        ).margins
        for factor in (1.0, 1e-9, 1e9)
    ]
    np.testing.assert_allclose(margins[1], margins[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(margins[2], margins[0], rtol=0, atol=1e-9)


# ---- averaged Perceptron -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("clock", ["weight", "rounds"])
def test_the_average_is_that_of_the_perceptron(clock):
    """The same Perceptron, its u written down after every example."""
    stream = make_stream("gaussian", 11, 200, 5, weighted=True)
    perceptron = OnlineClassifier(Perceptron(), random_state=SEED)
    averaged = OnlineClassifier(AveragedPerceptron(clock=clock), random_state=SEED)
    total, time = np.zeros(6), 0.0
    probe = make_stream("gaussian", 12, 20, 5, weighted=False).X
    for x, y, s in zip(stream.X, codes(stream), stream.s, strict=True):
        for model in (perceptron, averaged):
            model.partial_fit([x], [y], classes=[-1, 1], sample_weight=[s])
        lasts = s if clock == "weight" else float(s > 0)
        if lasts:
            total += lasts * state_of(perceptron)["coordinates"][:, 0]
            time += lasts
    mean = total / time
    rows = np.column_stack([np.ones(20), probe])
    wanted = rows @ mean / np.linalg.norm(rows, axis=1) / max(1, np.linalg.norm(mean))
    np.testing.assert_allclose(averaged.margin(probe), wanted, rtol=0, atol=1e-9)


# ---- changed rows ------------------------------------------------------------------------------------------------


def test_random_fourier_features_approximate_the_gaussian_kernel():
    rng = np.random.default_rng(0)
    D, scale = 20_000, 0.8
    bank = reference.RandomFourier(
        1, 4, make=lambda *_: None, n_components=D, scale=scale, seed=3, intercept=False, unit_norm=False
    )
    X = rng.normal(size=(12, 4)) * 0.7
    Z = np.array([bank._change(x) for x in X])
    distances = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    np.testing.assert_allclose(Z @ Z.T / D, np.exp(-distances / (2 * scale**2)), atol=5 / math.sqrt(D))


def test_learners_see_their_share_of_the_features():
    X = np.random.default_rng(0).normal(size=(3, 200))
    model = OSBoostClassifier(RandomSubsets(AROW(intercept=False), 0.3), 40, random_state=1).partial_fit(X, [0, 1, 0])
    seen = [len(state_of(model)[f"subset{g}.coordinates"]) for g in range(40)]
    assert np.mean(seen) == pytest.approx(60, abs=5)
    assert len(set(seen)) > 5


@pytest.mark.parametrize("learner", [OnlineRidge(), AROW(), RandomFourier(AdaGradLogistic(), 20)])
def test_scaled_learners_do_not_care_about_units(learner):
    """Standardised dense features: neither the unit nor the zero of a column matters; max-abs: not the unit."""
    stream = make_stream("gaussian", 13, 200, 4, weighted=False)
    units, zeros = np.array([1e-6, 3.0, 700.0, 1e9]), np.array([1e-5, -60.0, 5.0, 3e9])
    plain, moved = (
        prequential(OnlineClassifier(Scaled(learner), random_state=0), X, stream.y).margins
        for X in (stream.X, stream.X * units + zeros)
    )
    np.testing.assert_allclose(moved, plain, rtol=0, atol=1e-6)
    plain, moved = (
        prequential(OnlineClassifier(Scaled(learner, "maxabs"), random_state=0), X, stream.y).margins
        for X in (stream.X, stream.X * 2.0 ** np.array([-20, 3, 0, 40]))
    )
    np.testing.assert_array_equal(moved, plain)


# ---- typed Naive Bayes -------------------------------------------------------------------------------------------


def test_typed_bayes_agrees_with_sklearn():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(300, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=300) > 3).astype(int)
    s = rng.exponential(size=300)
    ours = OnlineClassifier(NaiveBayes(kind="typed", alpha=0.5)).partial_fit(X, y, sample_weight=s)
    theirs = CategoricalNB(alpha=0.5).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(ours.margin(X), 2 * theirs.predict_proba(X)[:, 1] - 1, rtol=0, atol=1e-9)
    X = rng.normal(size=(300, 5)) + y[:, None]
    ours = OnlineClassifier(NaiveBayes(kind="typed", variance_floor=1e-12)).partial_fit(X, y, sample_weight=s)
    theirs = GaussianNB(var_smoothing=0).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(ours.margin(X), 2 * theirs.predict_proba(X)[:, 1] - 1, rtol=0, atol=1e-9)


def test_typed_bayes_on_zeros_and_ones_is_bernoulli():
    stream = make_stream("binary", 14, 400, 6, weighted=True)
    X = np.vstack([np.zeros((2, 6)), np.ones((2, 6)), stream.X])
    y = np.append([1, -1, 1, -1], stream.y)
    typed, bernoulli = (OnlineClassifier(NaiveBayes(kind=kind, alpha=0.3)).fit(X, y) for kind in ("typed", "bernoulli"))
    np.testing.assert_allclose(typed.margin(X), bernoulli.margin(X), rtol=0, atol=1e-9)


# ---- the bound of a full covariance ------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [AROW(covariance="full"), OnlineRidge(), Scaled(SCW(covariance="full"))])
def test_too_many_features_for_a_matrix_are_refused_whole(learner):
    rng = np.random.default_rng(0)
    X = np.eye(520)[:515] + 0.0
    model = OnlineClassifier(learner).partial_fit(X[:500], rng.integers(0, 2, 500))
    before = snapshot(model)
    with pytest.raises(ValueError, match="at most 512 features"):
        model.partial_fit(X[500:], rng.integers(0, 2, 15))
    assert same(snapshot(model), before)
    of_dicts = OnlineClassifier(learner)
    for k in range(512):
        of_dicts.learn_one({f"f{k}": 1.0}, k % 2 == 0)
    before = snapshot(of_dicts)
    with pytest.raises(ValueError, match="at most 512 features"):
        of_dicts.learn_one({"more": 1.0}, y=True)
    assert same(snapshot(of_dicts), before)
    assert isinstance(of_dicts.predict_one({"more": 1.0}), bool)
