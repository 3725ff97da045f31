"""Mixtures merged: log-losses add, families merge by their rules, and the bound on the regret holds for the fleet."""

import copy

import numpy as np
import pytest

import onlineboost
from onlineboost import (
    AROW,
    AdaGradLogistic,
    HoeffdingTree,
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    Scaled,
    merge,
)
from onlineboost.merging import CannotMergeError

pytestmark = [pytest.mark.quick, pytest.mark.engine]


def stream(n, seed=0, labels=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 2:] = rng.integers(0, 2, size=(n, 2))
    y = np.where(X[:, 0] + X[:, 2] + 0.5 * rng.normal(size=n) > 0.3, "yes", "no")
    return X, np.where(X[:, 1] > 0.5, "perhaps", y) if labels > 2 else y


def mixture(**given):
    families = [
        ("naive bayes", OnlineClassifier(NaiveBayes(kind="typed"))),
        ("arow", OSBoostClassifier(AROW(), 3)),
        ("adagrad", OSBoostClassifier(Scaled(AdaGradLogistic()), 2)),
        ("perceptron", OnlineClassifier(Perceptron())),
    ]
    return OnlineBoostClassifier(families, **{"generations": 0, "random_state": 0} | given)


def state_of(model):
    return model.machine.engine.core.state()


def close(a, b, X, tolerance=1e-7):
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        ({}, 2),
        ({"weights": "repeats"}, 2),
        ({"class_weight": "balanced"}, 2),
        ({}, 3),
        ({"class_weight": "balanced"}, 3),
    ],
    ids=str,
)
def test_merging_has_the_laws_of_sums(given, labels):
    X, y = stream(300, labels=labels)
    s = np.random.default_rng(1).uniform(0.5, 2, size=300)
    test = stream(50, seed=1)[0]
    base = mixture(**given).partial_fit(X[:60], y[:60], sample_weight=s[:60])
    parts = [slice(60 + k, None, 3) for k in range(3)]
    shards = [copy.deepcopy(base).partial_fit(X[one], y[one], sample_weight=s[one]) for one in parts]
    merged = merge(shards, base)
    assert merged.n_examples_ == 300
    close(merge(shards[::-1], base), merged, test)
    close(merge([merge(shards[:2], base), shards[2]], base), merged, test)
    close(merge([*shards, base], base), merged, test)
    close(merge([base, copy.deepcopy(base)], base), base, test)
    for name in {"expert_losses", "mixture_loss", "example_weight", "family_mistakes"} & state_of(merged).keys():
        expected = sum(state_of(one)[name] for one in shards) - 2 * state_of(base)[name]
        np.testing.assert_allclose(state_of(merged)[name], expected, rtol=1e-12)
    if given.get("weights") != "repeats":  # of each label, whatever its number in a shard
        expected = [[w.sum(), (w**2).sum(), len(w)] for w in (s[y == label] for label in np.unique(y))]
        sums = state_of(merged)["class_weight_sums"].reshape(-1, 3)
        order = list(merged.machine.labels.begun)
        rows = (
            [order.index(label) for label in np.unique(y)] if labels > 2 else [1 - order.index("no"), order.index("no")]
        )
        np.testing.assert_allclose(sums[rows], expected, rtol=1e-12)
    merged.partial_fit(X[:20], y[:20])
    close(onlineboost.from_bytes(merged.to_bytes()), merged, test, 0)


def test_labels_that_begin_in_other_orders():
    X, y = stream(200)
    first = np.flatnonzero(y == "yes")[:1], np.flatnonzero(y == "no")[:1]
    parts = [np.concatenate([one, np.arange(k, 200, 2)]) for k, one in enumerate(first)]
    shards = [mixture().partial_fit(X[part], y[part]) for part in parts]
    close(merge(shards), merge(shards[::-1]), X)
    assert merge(shards).score(X, y) > 0.8


def test_a_class_that_one_shard_has_not_met():
    """Labels that the base lacks too; in what order the shards meet them makes no difference."""
    X, y = stream(300, labels=3)
    base = mixture().partial_fit(X[y != "perhaps"][:40], y[y != "perhaps"][:40])
    shards = [copy.deepcopy(base).partial_fit(X[k::2], y[k::2]) for k in range(2)]
    shards.append(copy.deepcopy(base).partial_fit(X[y != "perhaps"], y[y != "perhaps"]))
    merged = merge(shards, base)
    close(merge(shards[::-1], base), merged, X)
    assert set(merged.classes_) == {"no", "perhaps", "yes"}
    assert merged.n_examples_ == 340 + np.count_nonzero(y != "perhaps")
    assert merged.score(X, y) > 0.7


@pytest.mark.parametrize("labels", [2, 3])
def test_the_bound_holds_for_a_fleet_in_rounds(labels):
    """Each shard alone must find out which expert is best; what that costs is part of the bound."""
    X, y = stream(1200, labels=labels)
    base = mixture()
    for start in range(0, 1200, 120):
        parts = [slice(start + k, start + 120, 4) for k in range(4)]
        base = merge([copy.deepcopy(base).partial_fit(X[one], y[one], classes=np.unique(y)) for one in parts], base)
        certificate = base.certificate()
        assert certificate.regret <= certificate.regret_bound + 1e-9
    assert labels > 2 or state_of(base)["rate_surprises"] > 0  # here many classes lose no more than Bayes' rule would
    assert base.score(X, y) > 0.8 * mixture().fit(X, y).score(X, y)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (mixture(generations=1), "use generations=0 and no metric"),
        (mixture(metric="f1"), "use generations=0 and no metric"),
        (
            OnlineBoostClassifier([("trees", OSBoostClassifier(HoeffdingTree()))], generations=0),
            "families trees are no",
        ),
    ],
    ids=range(3),
)
def test_mixtures_that_follow_one_stream_say_so(model, sentence):
    model.fit(*stream(30))
    with pytest.raises(CannotMergeError, match=sentence):
        merge([model, model])


@pytest.mark.parametrize("labels", [2, 3])
def test_a_family_that_has_retired_in_one_model_has_retired(labels):
    """And one that takes fewer features than the models have together; the others are as if it had never been."""
    families = [("naive bayes", OnlineClassifier(NaiveBayes()), 3), ("arow", OnlineClassifier(AROW()))]
    X, y = stream(120, labels=labels)
    rows = [{"a": one[0], "b": one[1], "c": one[2], "d": one[3]} for one in X.tolist()]

    def taught(number, columns):
        model = OnlineBoostClassifier(families[number:], generations=0, random_state=0)
        for row, label in zip(rows, y, strict=True):
            model.learn_one({name: row[name] for name in columns}, label)
        return model

    for left, right in (("abcd", "ab"), ("ab", "cd")):
        merged = merge([taught(0, left), taught(0, right)])
        assert state_of(merged)["families_present"].tolist() == [0.0, 1.0]
        alone = merge([taught(1, left), taught(1, right)])
        for name, array in state_of(alone).items():
            if name.startswith("family0.") and "coordinates" in name:
                np.testing.assert_array_equal(state_of(merged)[name.replace("family0", "family1")], array)
        for row, label in zip(rows, y, strict=True):
            merged.learn_one(row, label)
        assert merged.certificate().regret <= merged.certificate().regret_bound + 1e-9
        assert onlineboost.from_bytes(merged.to_bytes()).predict_proba_one(rows[0]) == merged.predict_proba_one(rows[0])
    small = [("naive bayes", OnlineClassifier(NaiveBayes()), 3)]
    a, b = (OnlineBoostClassifier(small, generations=0, random_state=0) for _ in range(2))
    for k in range(10):
        a.learn_one({"a": 1.0, "b": 1.0 * (k % 2)}, k % 2)
        b.learn_one({"c": 1.0, "d": 1.0 * (k % 2)}, k % 2)
    with pytest.raises(CannotMergeError, match="No family is at work in all models"):
        merge([a, b])
