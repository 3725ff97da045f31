"""The result of a test-then-train pass against its definitions."""

import math
from functools import partial

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.metrics import log_loss

from onlineboost import (
    MulticlassPrequentialResult,
    NaiveBayes,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    PrequentialResult,
    prequential,
)

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
        true=np.array([0, 1, 0, 1]),
        classes=np.array([0, 1]),
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
    line, window, no_change, majority = axes.get_lines()
    assert line.get_ydata()[-1] == pytest.approx(result.error)
    assert window.get_ydata().tolist() == [row["error_window"] for row in result.metrics.windows]
    assert no_change.get_ydata()[-1] == pytest.approx(1 - np.mean(y[1:] == y[:-1]) * (399 / 400))
    assert majority.get_ydata()[0] == pytest.approx(min(np.mean(y == "yes"), np.mean(y == "no")))
    assert result.plot(axes, metric="roc_auc", marks=[100, 200]) is axes
    assert len(axes.get_lines()) == 8
    with pytest.raises(ValueError, match="f1 was not followed: name it in metrics="):
        result.plot(metric="f1")
    assert f"error {result.error:.4f}" in repr(result)
    mpl.pyplot.close("all")


def test_needs_an_estimator_of_ours(stream):
    with pytest.raises(TypeError, match="needs an estimator of onlineboost, not str"):
        prequential("model", *stream[:2])


@pytest.mark.parametrize("classes", [2, 4])
def test_one_result_for_two_classes_and_many(classes):
    """scikit-learn's log-loss, and the calibration error by its definition."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=300)
    X = rng.normal(size=(300, 3)) + y[:, None]
    result = prequential(OSBoostClassifier(NaiveBayes(), 3, random_state=0), X, y)
    assert type(result) is PrequentialResult is MulticlassPrequentialResult
    P = result.probabilities if classes > 2 else np.column_stack([1 - result.probabilities, result.probabilities])
    assert np.array_equal(result.classes[result.true], y)
    seen = P[np.arange(300), y] > 0  # a new label has probability 0
    assert result.log_loss * 300 == pytest.approx(
        log_loss(y[seen], P[seen], labels=range(classes), normalize=False) - np.log(1e-15) * np.sum(~seen)
    )
    columns = range(classes) if classes > 2 else [1]
    gaps = []
    for k in columns:
        place = np.minimum(np.floor(P[:, k] * 20), 19)
        gaps.append(sum(abs(np.sum((P[:, k] - (y == k))[place == b])) for b in range(20)) / 300)
    assert result.calibration_error() == pytest.approx(np.mean(gaps))


def test_expert_mode_with_more_than_two_classes():
    """Expected: the share of the experts that err, where the vote is theirs; a draw is for two classes."""
    rng = np.random.default_rng(1)
    y = np.minimum(np.arange(400) // 20, rng.integers(4, size=400))
    X = rng.normal(size=(400, 2)) + y[:, None]
    make = partial(OSBoostClassifier, NaiveBayes(), 5, vote="experts", random_state=0)
    vote, chance = prequential(make(), X, y), prequential(make(expert_mode="expected"), X, y)
    assert np.array_equal(vote.margins, chance.margins)
    third = int(np.argmax(y == 2))
    share = np.maximum(vote.margins[np.arange(400), y], 0)  # -2 for a new class
    assert chance.losses[third:] == pytest.approx(1 - share[third:], abs=1e-12)
    assert np.array_equal(chance.losses[:third], prequential(make(expert_mode="expected"), X[:third], y[:third]).losses)
    assert 0 < chance.error < 1
    model = make(expert_mode="sample")
    with pytest.raises(ValueError, match="judges two classes only"):
        prequential(model, X, y)
    assert not hasattr(model, "classes_")
    assert model.fit(X, y).predict(X).shape == (400,)
