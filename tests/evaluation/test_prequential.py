"""The result of a test-then-train pass against its definitions."""

import math

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.metrics import log_loss

from onlineboost import NaiveBayes, OnlineClassifier, OSBoostClassifier, Perceptron, PrequentialResult, prequential

pytestmark = pytest.mark.quick

mpl.use("Agg")


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return X, np.where(X[:, 0] + rng.normal(size=400) > 0, "yes", "no"), rng.integers(0, 4, 400).astype(float)


def loop(model, X, y, weights):
    """Predict, then learn, by hand."""
    labels, margins, probabilities = [], [], []
    for x, label, weight in zip(X, y, weights, strict=True):
        labels.append(model.predict(x[None])[0])
        margins.append(model.margin(x[None])[0])
        probabilities.append(model.predict_proba(x[None])[0, 1])
        model.partial_fit(x[None], [label], sample_weight=[weight])
    return labels, margins, probabilities


def test_equals_predicting_and_learning_by_hand(stream):
    X, y, weights = stream
    models = [
        OSBoostClassifier(Perceptron(), 9, random_state=1).partial_fit(X[:2], y[:2], classes=["no", "yes"])
        for _ in "ab"
    ]
    result = prequential(models[0], X[2:], y[2:], sample_weight=weights[2:])
    labels, margins, probabilities = loop(models[1], X[2:], y[2:], weights[2:])
    assert result.predictions.tolist() == labels
    assert result.margins.tolist() == margins
    assert result.probabilities.tolist() == probabilities
    wrong = result.predictions != y[2:]
    assert result.error == pytest.approx(wrong @ weights[2:] / weights[2:].sum())
    assert result.log_loss == pytest.approx(log_loss(y[2:] == "yes", probabilities, sample_weight=weights[2:]))


@pytest.mark.parametrize("positive_first", [True, False])
def test_margins_and_probabilities_speak_of_the_larger_label(stream, positive_first):
    X, y, _ = stream
    start = int(np.argmax((y == "yes") == positive_first))
    result = prequential(OSBoostClassifier(NaiveBayes(), 5), X[start:], y[start:])
    assert np.array_equal(result.predictions == "yes", result.probabilities > 0.5)
    by_vote = prequential(OSBoostClassifier(NaiveBayes(), 5, threshold="vote"), X[start:], y[start:])
    assert np.array_equal(by_vote.predictions == "yes", result.margins > 0)
    assert np.array_equal(by_vote.margins, result.margins)
    assert np.array_equal(result.positive, y[start:] == "yes")
    assert np.corrcoef(result.probabilities, result.positive)[0, 1] > 0.3


def test_expected_error_is_that_of_the_draws(stream):
    """The mean error over many sampled runs approaches the expected error of one run."""
    X, y, _ = stream

    def run(mode, seed):
        model = OSBoostClassifier(
            NaiveBayes(), 20, vote="experts", expert_rate="paper", expert_mode=mode, random_state=seed
        )
        return prequential(model, X, y)

    expected = run("expected", 0)
    assert set(np.unique(expected.losses)) > {0.0, 1.0}
    draws = np.array([run("sample", seed).losses for seed in range(300)])
    noise = math.sqrt(float(np.mean(expected.losses * (1 - expected.losses))) / (len(y) * 300))
    assert abs(draws.mean() - expected.error) < 4 * noise + 1e-12
    assert len({tuple(d) for d in draws}) > 1


def test_curve_ends_in_the_error(stream):
    X, y, weights = stream
    result = prequential(OnlineClassifier(NaiveBayes()), X, y, sample_weight=weights + 0.5)
    t, curve = result.curve(points=17)
    assert len(t) == 17
    assert (t[0], t[-1]) == (1, len(result))
    assert curve[-1] == pytest.approx(result.error)
    assert curve[5] == pytest.approx(np.average(result.losses[: t[5]], weights=(weights + 0.5)[: t[5]]))
    assert len(result.curve(10_000)[0]) == len(result)


def test_calibration_error_by_hand():
    result = PrequentialResult(
        predictions=np.array([0, 1, 1, 1]),
        margins=np.zeros(4),
        probabilities=np.array([0.1, 0.6, 0.62, 1.0]),
        losses=np.zeros(4),
        positive=np.array([False, True, False, True]),
        weights=np.array([1.0, 1.0, 2.0, 1.0]),
    )
    # bins of a tenth: {0.1}: 0.1 over; {0.6, 0.62}: (0.6 - 1) + 2 * 0.62; {1.0}: exact
    assert result.calibration_error(bins=10) == pytest.approx((0.1 + (0.6 - 1 + 2 * 0.62)) / 5)


def test_no_weight_at_all_is_not_a_number(stream):
    X, y, _ = stream
    model = OnlineClassifier(NaiveBayes()).partial_fit(X, y)
    result = prequential(model, X, y, sample_weight=np.zeros(len(y)))
    assert math.isnan(result.error)
    assert math.isnan(result.calibration_error())
    assert model.n_examples_ == len(y)


def test_one_class_only(stream):
    X, _, _ = stream
    result = prequential(OnlineClassifier(NaiveBayes()), X[:5], ["a"] * 5)
    assert result.predictions.tolist() == ["a"] * 5
    assert result.error == 0.0


def test_plot_and_repr(stream):
    X, y, _ = stream
    result = prequential(OnlineClassifier(Perceptron(), random_state=0), X, y)
    axes = result.plot(color="red")
    (line,) = axes.get_lines()
    assert line.get_ydata()[-1] == pytest.approx(result.error)
    assert result.plot(axes) is axes
    assert len(axes.get_lines()) == 2
    assert f"error {result.error:.4f}" in repr(result)
    mpl.pyplot.close("all")


def test_needs_an_estimator_of_ours(stream):
    with pytest.raises(TypeError, match="needs an estimator of onlineboost, not str"):
        prequential("model", *stream[:2])
