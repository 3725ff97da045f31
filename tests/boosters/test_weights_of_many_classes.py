"""Weights, costs and metrics of many classes in the mixture, from two classes over the third on."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, f1_score
from states import pack, state_of, unpack

from onlineboost import (
    AROW,
    BayesianLogistic,
    BBMClassifier,
    HoeffdingTree,
    ModelFileError,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Scaled,
    from_bytes,
    prequential,
    reference,
)
from onlineboost.cli import main

pytestmark = [pytest.mark.engine, pytest.mark.quick]

SHARES = np.array([0.5, 0.3, 0.13, 0.07])


def small(**more):
    """Three families of different kinds."""
    families = [
        ("trees", OSBoostClassifier(HoeffdingTree(grace_period=10, delta=0.1), 3)),
        ("bayes", OnlineClassifier(NaiveBayes(kind="typed"))),
        ("logistic", OnlineClassifier(Scaled(BayesianLogistic()))),
    ]
    return OnlineBoostClassifier(families, **{"random_state": 0, **more})


def stream(n=400, seed=0, begins=(0, 0, 60, 120)):
    """Overlapping clusters, the later of which are rarer; the third class begins in the middle."""
    rng = np.random.default_rng(seed)
    y = np.minimum((rng.random((n, 1)) > np.cumsum(SHARES)).sum(axis=1), 3)
    X = np.array([[0, 0], [2, 0], [0, 2], [2, 2]])[y] + rng.normal(size=(n, 2))
    kept = np.arange(n) >= np.array(begins)[y]
    return X[kept], y[kept]


def normalised(P):
    return P / P.sum(axis=1, keepdims=True)


def from_the_second(y):
    """The rows before which at least two classes were seen."""
    return int(np.argmax(y != y[0])) + 1


def counts_before(y):
    """Of each class, a row per example; 1 where there is none."""
    seen = np.cumsum(np.eye(4)[y], axis=0) - np.eye(4)[y]
    return np.maximum(seen, 1)


@settings(max_examples=8)
@drawn(power=st.integers(-60, 40), seed=st.integers(0, 9), classes=st.sampled_from([2, 4]))
def test_a_common_factor_of_all_weights_changes_no_bit(power, seed, classes):
    X, y = stream(160, seed, begins=(0, 0, 30, 60))
    y = y % classes
    s = np.random.default_rng(seed).exponential(1.0, len(y)) + 0.01
    given = [{"metric": "f1"}, {"class_weight": "balanced"}, {"metric": "balanced_accuracy"}, {}][seed % 4]
    one, other = (prequential(small(**given), X, y, sample_weight=c * s) for c in (1.0, 2.0**power))
    assert np.array_equal(one.probabilities, other.probabilities)
    assert np.array_equal(one.predictions, other.predictions)
    assert np.array_equal(one.margins, other.margins)
    sets = [small(**given).fit(X, y, sample_weight=c * s).predict_set(X, 0.2) for c in (1.0, 2.0**power)]
    assert np.array_equal(*sets)


@pytest.mark.parametrize("factor", [3.0, 1e-9, 1e9])
@pytest.mark.parametrize("given", [{}, {"class_weight": "balanced"}, {"generations": 1}])
def test_factors_that_round_change_next_to_nothing(factor, given):
    X, y = stream()
    s = np.random.default_rng(1).exponential(1.0, len(y)) + 0.01
    one, other = (prequential(small(**given), X, y, sample_weight=c * s).probabilities for c in (1.0, factor))
    assert np.allclose(one, other, atol=1e-7)


@pytest.mark.parametrize("generations", [0, 3])
def test_the_bound_is_about_effective_examples(generations):
    X, y = stream()
    s = np.where(y == 3, 50.0, 1.0) * np.random.default_rng(1).uniform(0.2, 3, len(y))
    model = small(generations=generations, retire=False)
    shown = prequential(model, X, y, sample_weight=s)
    certificate = model.certificate()
    assert certificate.regret <= certificate.regret_bound + 1e-9
    assert certificate.log_loss < 2 * np.log(4), "per effective example"
    assert shown.probabilities.shape[1] == 4


@pytest.mark.parametrize("way", ["samples", "class_weight", "balanced"])
def test_weights_by_class_multiply_probabilities_and_teach_nothing(way):
    X, y = stream()
    plain = prequential(small(), X, y)
    by_class = np.array([1.0, 7.0, 20.0, 3.0])
    if way == "samples":
        told = prequential(small(), X, y, sample_weight=by_class[y])
    elif way == "class_weight":
        told = prequential(small(class_weight=dict(enumerate(by_class))), X, y)
    else:
        told, by_class = prequential(small(class_weight="balanced"), X, y), 1 / counts_before(y)
    expected = normalised(plain.probabilities * by_class)
    both = from_the_second(y)
    assert np.allclose(told.probabilities[both:], expected[both:], rtol=1e-11)
    assert np.array_equal(told.predictions[both:], expected[both:].argmax(axis=1))


def test_balanced_forecasts_are_of_classes_that_weigh_the_same():
    """Over the stream, each class is given about a quarter; without weights, its share."""
    X, y = stream(3000)
    seen = 500
    for way, s in (("balanced", 1 / np.bincount(y[seen:])[y[seen:]]), (None, np.full(len(y) - seen, 1.0))):
        P = prequential(small(class_weight=way), X, y).probabilities[seen:]
        given = (P * s[:, None]).sum(axis=0) / s.sum()
        expected = np.bincount(y[seen:], s) / s.sum()
        assert np.abs(given - expected).max() < 0.05


@pytest.mark.parametrize("labels", [("a", "b", "c", "d"), ("d", "c", "b", "a")])
def test_predict_takes_the_label_of_the_least_expected_cost(labels):
    X, numbers = stream()
    y = np.array(labels)[numbers]
    plain = prequential(small(), X, y).probabilities
    missing = np.array([2.0, 1.0, 5.0, 12.0])  # by the sorted labels
    matrix = np.where(np.eye(4) > 0, -1.0, np.random.default_rng(1).uniform(0.1, 8, size=(4, 4)))
    whole = int(np.argmax(numbers == 3)) + 1  # from here on a matrix counts
    for cost, C, since in (
        (dict(zip("abcd", missing, strict=True)), np.where(np.eye(4) > 0, 0, missing[:, None]), from_the_second(y)),
        (matrix, matrix, whole),
        (matrix.tolist(), matrix, whole),
    ):
        result = prequential(small(cost=cost), X, y)
        assert np.allclose(result.probabilities, plain, atol=1e-12), "costs move no probability"
        expected = np.array(list("abcd"))[(plain @ C).argmin(axis=1)]
        assert np.array_equal(result.predictions[since:], expected[since:])
        before = np.array(list("abcd"))[plain.argmax(axis=1)]
        if C is matrix:
            assert np.array_equal(result.predictions[from_the_second(y) : whole], before[from_the_second(y) : whole])
        assert (expected[whole:] != before[whole:]).mean() > 0.03, "or nothing was tested"
        model = small(cost=cost).fit(X, y)
        again = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), from_bytes(model.to_bytes())]
        chosen = np.array(list("abcd"))[(model.predict_proba(X) @ C).argmin(axis=1)]
        for one in (model, *again):
            assert np.array_equal(one.predict(X), chosen)
            assert [one.predict_one(x) for x in X[:30]] == chosen[:30].tolist()
            assert [one.predict_one(dict(enumerate(x))) for x in X[:30]] == chosen[:30].tolist()
            assert one.predict_many(pd.DataFrame(X)).tolist() == chosen.tolist()
            assert np.array_equal(one.classes_[one.decision_function(X).argmax(axis=1)], chosen)


def test_costs_and_class_weights_together():
    X, y = stream()
    weights, cost = {3: 4.0, 1: 0.5}, {2: 6.0}
    plain = small().fit(X, y).predict_proba(X)
    model = small(class_weight=weights, cost=cost).fit(X, y)
    meant = normalised(plain * [1, 0.5, 1, 4])
    assert np.allclose(model.predict_proba(X), meant, rtol=1e-12)
    assert np.array_equal(model.predict(X), (meant * [1, 1, 6, 1]).argmax(axis=1))


@pytest.mark.parametrize("size", [2, 3])
def test_a_label_beyond_the_matrix_is_refused_and_nothing_is_lost(size):
    X, y = stream()
    cost = (1 - np.eye(size)).tolist()
    first = np.argmax(y == size)
    model = small(cost=cost).partial_fit(X[:first], y[:first])
    before = model.to_bytes()
    for learn in (
        lambda: model.partial_fit(X[first:], y[first:]),
        lambda: model.learn_one(X[first], size),
        lambda: model.learn_one(dict(enumerate(X[first])), size),
        lambda: small(cost=cost).fit(X, y),
        lambda: small(cost=cost).partial_fit(X[:5], y[:5], classes=[0, 1, 2, 3]),
    ):
        with pytest.raises(ValueError, match=f"cost is a {size} × {size} matrix and there are"):
            learn()
    assert model.to_bytes() == before


def decided(metric, plain, y, s, third):
    """What the twins say before each row from the one that brings the third class on, given forecasts of examples."""
    two, twin, said = y[:third], reference.MacroMetric(metric), []
    meant, sums = [], reference.EffectiveWeights()
    for t in range(len(y)):
        begun = len(set(y[:t].tolist()))
        p = plain[t, :begun] if begun < 2 else sums.probabilities(plain[t, :begun])
        meant.append(p)
        if t >= third:
            said.append(int(np.argmax(twin.scores(p))))
            twin.learn(said[-1], int(y[t]), s[t])
        sums.learn(int(y[t]), s[t])
        if t == third - 1:  # as if the more probable one had been said, of +1 and -1
            for k in range(third):
                probable = 0 if begun_at(k, two) < 2 or meant[k][0] >= 0.5 else 1
                twin.learn(probable, int(y[k]), s[k])
    return np.array(said)


def begun_at(t, y):
    return len(set(y[:t].tolist()))


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy"])
@pytest.mark.parametrize("weighed", [False, True])
def test_metrics_decide_as_their_twin(metric, weighed):
    X, y = stream(500)
    order = list(dict.fromkeys(y.tolist()))  # the twin's classes are numbered as they begin
    y = np.array([order.index(one) for one in y])
    third = int(np.argmax(y == 2))
    rng = np.random.default_rng(2)
    s = np.where(y == 3, 9.0, 1.0) * rng.uniform(0.5, 2, len(y)) if weighed else np.ones(len(y))
    given = {"class_weight": {3: 7.0}} if weighed else {}  # which moves probabilities, and not what the metric prefers
    result = prequential(small(metric=metric, **given), X, y, sample_weight=s)
    shown = prequential(small(), X, y, sample_weight=s).probabilities
    # Back from the probabilities of the weights to those of the examples.
    plain, sums = shown.copy(), reference.EffectiveWeights()
    for t, label in enumerate(y):
        begun = begun_at(t, y)
        if begun > 1:
            ones = sums.probabilities(np.full(begun, 1 / begun))
            plain[t, :begun] = normalised((shown[t, :begun] / ones)[None])[0]
        sums.learn(int(label), s[t])
    said = decided(metric, plain, y, s, third)
    assert np.array_equal(result.predictions[third:], said)
    assert (said != shown[third:].argmax(axis=1)).mean() > 0.01


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy"])
def test_metrics_rise(metric):
    X, y = stream(3000, seed=3)
    plain, chosen = (prequential(small(**given), X, y) for given in ({}, {"metric": metric}))
    assert np.allclose(plain.probabilities, chosen.probabilities, atol=1e-12)
    late = slice(500, None)
    score = balanced_accuracy_score if metric == "balanced_accuracy" else lambda a, b: f1_score(a, b, average="macro")
    assert score(y[late], chosen.predictions[late]) > score(y[late], plain.predictions[late])


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"class_weight": "balanced"},
        {"metric": "f1"},
        {"metric": "balanced_accuracy", "class_weight": {2: 3.0, 0: 0.1, 1: 1.0, 3: 2.0}},
        {"cost": (5 - 4 * np.eye(4)).tolist()},
        {"metric": "f1", "weights": "repeats"},
    ],
)
def test_neither_batches_nor_checkpoints_change_a_bit(given):
    X, y = stream()
    s = np.random.default_rng(0).uniform(0.1, 5, len(y))
    whole = small(**given)
    result = prequential(whole, X, y, sample_weight=s)
    parts, predictions = small(**given), []
    for start in range(0, len(y), 37):
        rows = slice(start, start + 37)
        found = prequential(parts, X[rows], y[rows], sample_weight=s[rows])
        predictions.append(found.predictions)
        parts = from_bytes(parts.to_bytes()) if start % 2 else pickle.loads(pickle.dumps(parts))
    alone = small(**given)
    for x, label, w in zip(X, y, s, strict=True):
        alone.learn_one(x, label, w)
    assert whole.to_bytes() == parts.to_bytes() == alone.to_bytes()
    assert np.array_equal(np.concatenate(predictions)[37:], result.predictions[37:])
    P, D = whole.predict_proba(X), whole.decision_function(X)
    for k in range(0, len(X), 50):
        assert np.array_equal(whole.predict_proba(X[k : k + 1])[0], P[k])
        assert np.array_equal(whole.decision_function(X[k : k + 1])[0], D[k])
        assert list(whole.predict_proba_one(X[k]).values()) == P[k].tolist()
        assert whole.predict_one(X[k]) == whole.classes_[D[k].argmax()]


def test_a_state_of_many_classes_from_before_counts_weights_as_repeats():
    X, y = stream()
    s = np.random.default_rng(0).uniform(0.1, 5, len(y))
    model = small(weights="repeats").partial_fit(X[:200], y[:200])
    document, arrays = unpack(model.to_bytes())
    document["parameters"]["weights"] = "targets"  # which two classes had, and many had not
    older = from_bytes(pack(document, arrays))
    for one in (older, model):
        one.partial_fit(X[200:300], y[200:300], sample_weight=s[200:300])
    older = from_bytes(older.to_bytes()).partial_fit(X[300:], y[300:], sample_weight=s[300:])
    model.partial_fit(X[300:], y[300:], sample_weight=s[300:])
    assert np.array_equal(older.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", ["class_weight_sums", "metric_sums", "metric_examples"])
def test_damaged_sums_of_many_classes_are_refused(name):
    X, y = stream(200)
    model = small(metric="f1").fit(X, y)
    document, arrays = unpack(model.to_bytes())
    assert name in state_of(model)
    for damaged in (-arrays[name], arrays[name][:-1], arrays[name] * 0, np.full_like(arrays[name], np.inf)):
        if name == "class_weight_sums" and not damaged.any():
            continue  # nothing was seen
        with pytest.raises(ModelFileError, match=name):
            from_bytes(pack(document, arrays | {name: damaged}))


def test_costs_in_a_file_that_are_none_are_refused():
    X, y = stream(200)
    document, arrays = unpack(small(cost={0: 1.0, 1: 2.0, 2: 3.0}).fit(X, y).to_bytes())
    assert from_bytes(pack(document, arrays)).cost == {0: 1.0, 1: 2.0, 2: 3.0}
    for cost in ([], [[1, 0]], [[None, None], [1, 2, 3]], [[0, 1, 1]] * 2, [[None, None], [1, [2]]]):
        document["parameters"]["cost"] = cost
        with pytest.raises(ModelFileError):
            from_bytes(pack(document, arrays))


def test_families_of_two_classes_take_costs_and_no_more():
    """One model per class against the rest has probabilities to expect costs by, and no counts of all classes."""
    X, y = stream()
    families = [("bbm", BBMClassifier(AROW(), 3))]
    plain = OnlineBoostClassifier(families, random_state=0).fit(X, y).predict_proba(X)
    model = OnlineBoostClassifier(families, cost={3: 9.0}, random_state=0).fit(X, y)
    assert np.array_equal(model.predict(X), (plain * [1, 1, 1, 9]).argmax(axis=1))
    for given in ({"class_weight": "balanced"}, {"metric": "f1"}):
        with pytest.raises(ValueError, match="binary"):
            OnlineBoostClassifier(families, **given).fit(X, y)


def test_one_against_the_rest_takes_costs_and_weights_by_label():
    X, y = stream(200)
    plain = OneVsRest(small()).fit(X, y).predict_proba(X)
    model = OneVsRest(small(cost={3: 9.0}, class_weight={0: 2.0})).fit(X, y)
    meant = normalised(plain * [2, 1, 1, 1])
    assert np.allclose(model.predict_proba(X), meant, rtol=1e-12)
    assert np.array_equal(model.predict(X), (meant * [1, 1, 1, 9]).argmax(axis=1))
    assert model.predict_one(X[0]) == model.predict(X[:1])[0]


def test_on_the_command_line(tmp_path, capsys):
    X, y = stream(300)
    rows = "\n".join(f"{x[0]},{x[1]},{'abcd'[k]}" for x, k in zip(X, y, strict=True))
    (tmp_path / "s.csv").write_text("u,v,label\n" + rows + "\n")
    for given, same in (
        (("class_weight=balanced",), {"class_weight": "balanced"}),
        (("metric=balanced_accuracy",), {"metric": "balanced_accuracy"}),
    ):
        saved = str(tmp_path / "m.ob")
        more = [part for one in given for part in ("--param", one)]
        order = ["train", str(tmp_path / "s.csv"), "--label", "label", "--booster", "mixture", "--seed", "0"]
        assert main([*order, "--param", "effort=low", *more, "--model", saved]) == 0
        expected = OnlineBoostClassifier(effort="low", random_state=0, **same)
        frame = pd.DataFrame({"u": X[:, 0], "v": X[:, 1]})
        expected.partial_fit(frame, np.array(list("abcd"))[y])
        capsys.readouterr()
        assert main(["predict", saved, str(tmp_path / "s.csv"), "--label", "label"]) == 0
        said = [line.split("\t")[0].split(",")[0] for line in capsys.readouterr().out.splitlines()]
        assert said[-len(y) :] == expected.predict(frame).tolist()
