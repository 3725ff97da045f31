"""Comparing two models while watching: coverage at all times at once, by simulation, and what is read off."""

import matplotlib as mpl
import numpy as np
import pytest

from onlineboost import ConfidenceSequence, NaiveBayes, OneVsRest, OSBoostClassifier, Perceptron, compare

pytestmark = pytest.mark.quick

mpl.use("Agg")


@pytest.mark.parametrize("kind", ["fair", "skewed", "drifting", "real"])
def test_the_mean_is_in_the_sequence_at_all_times_at_once(kind):
    rng = np.random.default_rng(0)
    runs, length, outside = 250, 1000, 0
    t = np.arange(length)
    chances = {"fair": np.full(length, 0.3), "skewed": np.full(length, 0.01), "drifting": 0.5 + 0.4 * np.sin(t / 90)}
    for _ in range(runs):
        if kind == "real":
            values, true = rng.beta(0.3, 0.3, length) * 2 - 1, np.zeros(length)
        else:
            true = chances[kind]
            values = (rng.random(length) < true).astype(float)
        _, lower, upper = ConfidenceSequence(0.05).add(values)
        mean = np.cumsum(true) / (t + 1)
        outside += bool(((mean < lower) | (mean > upper)).any())
    assert outside <= 0.05 * runs


def test_the_sequence_narrows_and_does_not_depend_on_batches():
    values = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], 20_000, p=[0.02, 0.95, 0.03])
    mean, lower, upper = ConfidenceSequence(0.05).add(values)
    assert upper[-1] - lower[-1] < 0.025
    parts = ConfidenceSequence(0.05)
    found = [parts.add(part) for part in np.split(values, [1, 3, 700, 19_000])]
    for k, whole in enumerate((mean, lower, upper)):
        assert np.array_equal(np.concatenate([part[k] for part in found]), whole)
    with pytest.raises(ValueError, match="alpha is the chance of an error"):
        ConfidenceSequence(1.5)


def test_a_better_model_is_found_and_equal_ones_are_not():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4))
    y = (X[:, 0] ** 2 > 0.5).astype(int)
    bayes, line = OSBoostClassifier(NaiveBayes(), 5, random_state=0), OSBoostClassifier(Perceptron(), 5, random_state=0)
    found = compare(line, bayes, X, y)
    assert found.better == "second"
    assert found.difference[-1] == pytest.approx(found.losses[0] - found.losses[1])
    assert found.lower[found.decided_at - 1] > 0 >= found.lower[found.decided_at - 2]
    assert "the second is better on this stream" in found.summary()
    frame = found.to_frame()
    assert frame.index[-1] == 3000
    assert (frame["lower"] <= frame["difference"]).all()
    same = compare(*(OSBoostClassifier(NaiveBayes(), 5, random_state=seed) for seed in (0, 1)), X, y, loss="brier")
    assert same.better is same.decided_at is None
    assert "cannot be told apart yet" in same.summary()
    assert len(found.plot().get_lines()) == 3
    mpl.pyplot.close("all")


def test_brier_of_many_classes_is_half_the_squared_distance():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.integers(3, size=200)
    models = [OneVsRest(OSBoostClassifier(n_learners=n, random_state=0)) for n in (3, 9)]
    found = compare(*models, X, y, loss="brier")
    assert all(0 < loss < 1 for loss in found.losses)
    with pytest.raises(ValueError, match="the interval needs a bounded loss"):
        compare(*models, X, y, loss="log_loss")
