"""G1: bounds on the mean chance to err, at every time; from the formula, against simulated streams, and its width."""

import copy
import math

import numpy as np
import pytest
from scipy import stats

from onlineboost import (
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    prequential,
    theory,
)
from onlineboost.theory import family_risk, risk_band, risk_bound

pytestmark = pytest.mark.quick


def test_the_formula_by_hand():
    """T = 100, 7 mistakes, α = 0.05: λ = 1 is the best rate."""
    by_hand = [
        (1 - math.exp(-(2 ** (1 - j) * 7 + math.log(j * (j + 1) / 0.05)) / 100)) / (1 - math.exp(-(2 ** (1 - j))))
        for j in range(1, 30)
    ]
    assert risk_bound(7, 100) == pytest.approx(min(by_hand), rel=1e-12)
    assert min(by_hand) == by_hand[0] == pytest.approx(0.1604, abs=1e-4)
    assert risk_bound(7, 100, among=3) > risk_bound(7, 100)
    assert risk_bound(7, 100, alpha=0.05 / 3) == pytest.approx(risk_bound(7, 100, among=3))
    low, high = risk_band([7, 70], [100, 1000])
    assert (low < 0.07).all()
    assert (high > 0.07).all()
    assert high[1] - low[1] < high[0] - low[0]
    assert risk_bound(0, 0) == risk_bound(5, 5) == 1
    with pytest.raises(ValueError, match="alpha"):
        risk_bound(1, 10, 0)


def streams(kind, n, T, rng):
    """Chances to err μ (n, T) of losses 0 and 1, and the losses; adversarial ones follow what happened so far."""
    if kind == "iid":
        mu = np.broadcast_to(rng.uniform(0, 0.5, size=(n, 1)), (n, T))
    elif kind == "drifting":
        mu = 0.25 + 0.2 * np.sin(rng.uniform(0, 6, size=(n, 1)) + np.arange(T) / 40)
    else:
        u, mu, lead = rng.random((n, T)), np.empty((n, T)), np.zeros(n)
        for t in range(T):  # as long as it is lucky it takes risks
            mu[:, t] = np.where(lead > -4, 0.4, 0.02)
            lead += (u[:, t] < mu[:, t]) - mu[:, t]
        return mu, (u < mu).astype(float)
    return mu, (rng.random((n, T)) < mu).astype(float)


@pytest.mark.parametrize("kind", ["iid", "drifting", "adversarial"])
def test_holds_at_every_time_on_all_but_a_few_streams(kind):
    n, T, alpha = 400, 600, 0.1
    mu, e = streams(kind, n, T, np.random.default_rng(1))
    t = np.arange(1, T + 1)
    mean = np.cumsum(mu, axis=1) / t
    bound = risk_bound(np.cumsum(e, axis=1), t, alpha)
    failed = (mean > bound).any(axis=1).mean()
    assert failed <= alpha
    low, high = risk_band(np.cumsum(e, axis=1), t, alpha)
    assert ((mean > high) | (mean < low)).any(axis=1).mean() <= alpha


def test_the_check_can_fail():
    """A tenth of ln(1/α): the supermartingale is no longer below it."""
    mu, e = streams("iid", 400, 600, np.random.default_rng(1))
    t = np.arange(1, 601)
    assert (np.cumsum(mu, axis=1) / t > risk_bound(np.cumsum(e, axis=1), t, 0.99)).any(axis=1).mean() > 0.1


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.25, 0.4, 0.5])
def test_is_within_three_times_the_width_of_a_binomial_interval(share):
    T = 10_000
    k = int(share * T)
    exact = stats.beta.ppf(0.95, k + 1, T - k)  # Clopper and Pearson, one-sided, for one T fixed beforehand
    assert risk_bound(k, T) - share <= 3 * (exact - share)


def test_of_a_prequential_result():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    y = X[:, 0] + rng.normal(size=800) > 0
    model = OSBoostClassifier(NaiveBayes(), 5, threshold="vote", random_state=0)
    result = prequential(model, X, y)
    assert result.risk_bound() == pytest.approx(risk_bound(result.losses.sum(), 800))
    c = model.certificate()
    assert c.vote_risk() == pytest.approx(risk_bound(c.vote.mistakes, 800))
    assert c.prefix_risk()[-1] == pytest.approx(risk_bound(c.sums.mistakes[-1], 800, among=5))
    t, low, high = result.band(10)
    np.testing.assert_allclose(high, risk_band(np.cumsum(result.losses)[t - 1], t)[1])
    assert ((low <= result.curve(10)[1]) & (result.curve(10)[1] <= high)).all()
    axes = result.plot()
    assert len(axes.collections) == 1
    assert not result.plot(alpha=None).collections


def test_weights_are_divided_by_the_largest():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.choice([0, 1], size=300)
    s = rng.choice([0.0, 1.0, 4.0], size=300)
    result = prequential(OSBoostClassifier(NaiveBayes(), 3, random_state=0), X, y, sample_weight=s)
    n = np.count_nonzero(s)
    assert result.risk_bound() == pytest.approx(min(1, risk_bound(result.losses @ s / 4, n) * n * 4 / s.sum()))
    assert result.risk_bound() > result.error
    weighted = OSBoostClassifier(NaiveBayes(), 3, random_state=0).partial_fit(X, y, sample_weight=s).certificate()
    assert math.isnan(weighted.vote_risk())
    assert np.isnan(weighted.prefix_risk()).all()
    assert "confidence" not in weighted.summary()


def mixture_of_two(n=500):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + rng.normal(size=n) > 0
    families = [("one", OnlineClassifier(Perceptron())), ("two", OnlineClassifier(NaiveBayes()))]
    return OnlineBoostClassifier(families, random_state=0), X, y


def test_of_a_mixture_and_its_families():
    """Mistakes are counted again from what the families said; three at once."""
    model, X, y = mixture_of_two()
    result = prequential(copy.deepcopy(model), X, y)
    recording = theory.record(model, X, y)
    wrong = ((recording.h[:, :2] > 0) != (recording.y > 0)[:, None]).sum(axis=0)
    assert result.members == {"one": wrong[0], "two": wrong[1]}
    bounds = risk_bound([result.losses.sum(), *wrong], 500, among=3)
    assert list(family_risk(model).values()) == pytest.approx(bounds)
    c = model.certificate()
    assert [c.error, *(one.error for one in c.families)] == pytest.approx([result.error, *(wrong / 500)])
    assert [c.risk, *(one.risk for one in c.families)] == pytest.approx(bounds)
    assert result.member_risk()["two"] == pytest.approx(risk_bound(wrong[1], 500, among=2))
    assert f"at most {c.risk:.1%} on average" in c.summary()
    more = prequential(model, X[:100], y[:100])
    assert more.members["one"] == model.certificate().families[0].error * 600 - wrong[0], "of this pass alone"


def test_log_losses_of_a_mixture_and_its_families():
    """In nats, for losses of at most ln(1 + e^12); three at once, begun at the first example."""
    model, X, y = mixture_of_two()
    log_loss = prequential(model, X, y).log_loss
    found = family_risk(model, loss="log")
    most = math.log1p(math.exp(12))
    assert found.keys() == {"mixture", "one", "two"}
    assert found["mixture"] == pytest.approx(most * risk_bound(500 * log_loss / most, 500, among=6), rel=1e-6)
    for share in model.certificate().families:
        assert share.log_loss < found[share.name] < most
    model.partial_fit(X[:1], y[:1], sample_weight=[0.5])
    assert all(math.isnan(value) for loss in ("log", "error") for value in family_risk(model, loss=loss).values())
    assert "confidence" not in model.certificate().summary()


def test_prefixes_of_a_pass():
    _, X, y = mixture_of_two()
    model = OSBoostClassifier(Perceptron(), 4, random_state=0).partial_fit(X[:100], y[:100])
    early = model.certificate().sums.mistakes
    result = prequential(model, X[100:], y[100:])
    made = model.certificate().sums.mistakes - early
    assert list(result.members.values()) == made.tolist()
    assert result.member_risk()["first 4"] == pytest.approx(risk_bound(made[3], 400, among=4))
    weighted = prequential(model, X, y, sample_weight=np.full(500, 0.5))
    assert weighted.member_risk() == {}
    dicts = [({"a": float(row[0])}, bool(label)) for row, label in zip(X, y, strict=True)]
    stream = prequential(OSBoostClassifier(Perceptron(), 4, random_state=0), dicts)
    assert stream.risk_bound() == pytest.approx(risk_bound(stream.error * 500, 500))
