"""Weights and rare classes in the mixture: weights move targets, costs and metrics move decisions, nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score
from states import state_of

from onlineboost import (
    AROW,
    BayesianLogistic,
    HoeffdingTree,
    ModelFileError,
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Scaled,
    from_bytes,
    prequential,
    reference,
)
from onlineboost.persistence import container

pytestmark = [pytest.mark.engine, pytest.mark.quick]


def small(**more):
    """Four families of different kinds."""
    families = [
        ("trees", OSBoostClassifier(HoeffdingTree(grace_period=10, delta=0.1), 3)),
        ("bayes", OSBoostClassifier(NaiveBayes(kind="typed"), 3)),
        ("logistic", OnlineClassifier(Scaled(BayesianLogistic()))),
        ("arow", OnlineClassifier(AROW())),
    ]
    return OnlineBoostClassifier(families, **{"random_state": 0, **more})


def rare(n=600, seed=0, share=0.1):
    """Two overlapping classes, the second of which is rare."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 4)) + 1.2 * y[:, None], y


def tilted(p, odds):
    return p * odds / (p * odds + 1 - p)


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**7, 3.0, 1e-9, 1e9])
def test_a_common_factor_of_all_weights_changes_nothing(factor):
    X, y = rare()
    s = np.random.default_rng(1).exponential(1.0, len(y))
    one, other = (prequential(small(), X, y, sample_weight=c * s).probabilities for c in (1.0, factor))
    exact = np.log2(factor) % 1 == 0  # otherwise the products are rounded
    assert np.array_equal(one, other) if exact else np.allclose(one, other, atol=1e-9)


def test_weights_by_class_multiply_the_odds_and_teach_nothing():
    X, y = rare()
    plain = prequential(small(), X, y).probabilities
    weighted = prequential(small(), X, y, sample_weight=np.where(y == 1, 99.0, 1.0)).probabilities
    both = np.flatnonzero(np.minimum.accumulate(y) != np.maximum.accumulate(y))[0] + 1  # once both classes are there
    assert np.allclose(weighted[both:], tilted(plain[both:], 99.0), rtol=1e-12)
    assert np.array_equal(weighted[: both - 1], plain[: both - 1])


def test_class_weights_are_sample_weights():
    X, y = rare()
    by_class = prequential(small(class_weight={1: 8.0, 0: 2.0}), X, y).probabilities
    by_example = prequential(small(), X, y, sample_weight=np.where(y == 1, 8.0, 2.0)).probabilities
    both = np.flatnonzero(np.minimum.accumulate(y) != np.maximum.accumulate(y))[0] + 1
    assert np.allclose(by_class[both:], by_example[both:], rtol=1e-12)
    balanced = prequential(small(class_weight="balanced"), X, y).probabilities
    plain = prequential(small(), X, y).probabilities
    ones = np.cumsum(y) - y
    counts = np.maximum(np.arange(len(y)) - ones, 1) / np.maximum(ones, 1)
    assert np.allclose(balanced[both:], tilted(plain, counts)[both:], rtol=1e-12)


@pytest.mark.parametrize("labels", [("no", "yes"), ("yes", "maybe")])
def test_costs_move_the_decision_only(labels):
    X, y = rare()
    named = np.array(labels)[y]
    plain = small().fit(X, named)
    p = plain.predict_proba(X)[:, list(plain.classes_).index(labels[1])]
    expected = np.where(p * 7.0 > (1 - p) * 2.0, labels[1], labels[0])
    costs = {labels[1]: 7.0, labels[0]: 2.0}
    order = [costs[label] for label in plain.classes_]
    for cost in (costs, [[-1.0, order[0] - 1.0], [order[1], 0.0]], np.array([[0.0, order[0]], [order[1], 0.0]])):
        model = small(cost=cost).fit(X, named)
        assert np.allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-12)
        assert np.array_equal(model.predict(X), expected)
        assert np.array_equal(model.predict(X), model.classes_[(model.decision_function(X) > 0).astype(int)])
        assert model.predict_one(X[0]) == expected[0]


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy"])
def test_the_cut_for_a_metric_is_the_reference_one(metric):
    X, y = rare(300)
    plain = prequential(small(), X, y).probabilities
    result = prequential(small(metric=metric), X, y)
    assert np.allclose(result.probabilities, plain, atol=1e-12)
    codes, s = np.where(y == 1, 1, -1), np.ones(len(y))
    for t in range(0, 300, 13):
        cut = reference.best_cut(plain[:t], codes[:t], s[:t], metric)
        assert (result.margins[t] > 0) == (plain[t] > cut)
    score = f1_score if metric == "f1" else balanced_accuracy_score
    assert score(y, result.predictions) > score(y, plain > 0.5)


def test_a_model_file_keeps_how_classes_are_weighed():
    X, y = rare(200)
    for given in ({"cost": {1: 5.0}}, {"cost": [[0, 1], [5, 0]]}, {"metric": "f1"}, {"class_weight": {0: 3, 1: 4}}):
        model = small(**given).partial_fit(X[:100], y[:100])
        resumed = from_bytes(model.to_bytes()).partial_fit(X[100:], y[100:])
        whole = model.partial_fit(X[100:], y[100:])
        assert np.array_equal(resumed.predict_proba(X), whole.predict_proba(X))
        assert np.array_equal(resumed.predict(X), whole.predict(X))
        assert resumed.get_params()[next(iter(given))] == next(iter(given.values()))
        assert resumed.to_bytes() == whole.to_bytes()


def test_a_file_from_before_counts_weights_as_repeats():
    X, y = rare(100)
    model = small(weights="repeats").partial_fit(X, y)
    document, arrays = container.unpack(model.to_bytes())
    for name in ("weights", "class_weight", "cost", "metric"):
        del document["parameters"][name]
    older = from_bytes(container.pack(document, arrays))
    assert older.weights == "repeats"
    s = np.random.default_rng(0).uniform(0, 3, len(y))
    after = [one.partial_fit(X, y, sample_weight=s).predict_proba(X) for one in (older, model)]
    assert np.array_equal(*after)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"class_weight": "even"}, "class_weight must be a dict"),
        ({"class_weight": {1: 0}}, "above 0"),
        ({"class_weight": {}}, "a number for each label"),
        ({"class_weight": "balanced", "weights": "repeats"}, "targets"),
        ({"cost": [[0, 1]]}, "square matrix"),
        ({"cost": [[0, 1, 1], [1, 0, 1], [1, 1, 1]]}, "larger for a wrong prediction"),
        ({"cost": [[1, 0], [1, 0]]}, "larger for a wrong prediction"),
        ({"cost": {1: 2}, "metric": "f1"}, "not both"),
        ({"metric": "auc"}, "metric must be"),
    ],
)
def test_bad_weights_and_costs_are_named(given, words):
    X, y = rare(20)
    with pytest.raises(ValueError, match=words):
        small(**given).fit(X, y)


def test_damaged_sums_of_weights_are_refused():
    X, y = rare(50)
    model = small(metric="f1").fit(X, y)
    document, arrays = container.unpack(model.to_bytes())
    assert {"class_weight_sums", "operating_counts"} <= state_of(model).keys()
    for name in ("class_weight_sums", "operating_counts"):
        damaged = {**arrays, name: -arrays[name]}
        with pytest.raises(ModelFileError, match=name):
            from_bytes(container.pack(document, damaged))
