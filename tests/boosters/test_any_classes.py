"""Any number of labels in the estimators for two: the third goes on with what was learned from the first two."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from table import BOOSTERS, NATIVE, Hebb, make

from onlineboost import (
    AROW,
    HoeffdingTree,
    Neighbours,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    Repeats,
    from_bytes,
    prequential,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

NAMES = np.array(["d", "b", "a", "c", "e"])
VOTES = ("uniform", "ocp", "eg", "experts")


def stream(n=90, d=4, classes=4, seed=0):
    """Rows around a centre per class; two classes at first, and the last one near the end."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[: n // 3] %= 2
    y[n // 3 : n - 10] %= classes - 1
    centres = rng.integers(-2, 3, size=(classes, d))
    X = centres[y] + rng.integers(-8, 9, size=(n, d)) / 8.0
    return X, NAMES[y]


def _check_batches_and_files(build):
    X, y = stream()
    whole = build()
    result = prequential(whole, X, y)
    parts = build()
    for rows in np.array_split(np.arange(len(y)), 23):
        parts.partial_fit(X[rows], y[rows])
    assert result.probabilities.shape == (len(y), 4)
    assert np.allclose(result.probabilities.sum(axis=1)[2:], 1.0)
    assert whole.classes_.tolist() == ["a", "b", "c", "d"]
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))
    copied = pickle.loads(pickle.dumps(whole))
    one_by_one = copy.deepcopy(whole)
    for model in (whole, copied):
        model.partial_fit(X, np.where(y == "a", "e", y))
    for x, label in zip(X, np.where(y == "a", "e", y), strict=True):
        one_by_one.learn_one(x, str(label))
    assert np.array_equal(whole.predict_proba(X), copied.predict_proba(X))
    assert np.array_equal(whole.predict_proba(X), one_by_one.predict_proba(X))
    assert (whole.predict(X) == whole.classes_[whole.predict_proba(X).argmax(axis=1)]).all()
    return whole, parts


@pytest.mark.parametrize("learner", list(NATIVE))
def test_learners_do_not_depend_on_batches_and_files(learner):
    whole, parts = _check_batches_and_files(lambda: OSBoostClassifier(NATIVE[learner], 5, random_state=0))
    loaded = from_bytes(parts.to_bytes())
    X, y = stream()
    loaded.partial_fit(X, np.where(y == "a", "e", y))
    assert loaded.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("booster", list(BOOSTERS))
def test_boosters_do_not_depend_on_batches_and_files(booster):
    whole, _ = _check_batches_and_files(lambda: make(booster))
    assert from_bytes(whole.to_bytes()).to_bytes() == whole.to_bytes()


def test_learners_in_python_go_one_against_the_rest():
    _check_batches_and_files(lambda: OSBoostClassifier(Hebb(), 3, random_state=0))


@pytest.mark.parametrize("vote", VOTES)
def test_votes(vote):
    whole, _ = _check_batches_and_files(lambda: OSBoostClassifier(HoeffdingTree(), 7, vote=vote, random_state=0))
    assert from_bytes(whole.to_bytes()).to_bytes() == whole.to_bytes()


def test_the_mixture():
    whole, parts = _check_batches_and_files(lambda: OnlineBoostClassifier(random_state=0))
    loaded = from_bytes(parts.to_bytes())
    X, y = stream()
    loaded.partial_fit(X, np.where(y == "a", "e", y))
    assert loaded.to_bytes() == whole.to_bytes()


def test_the_mixture_is_as_good_as_the_best_of_its_experts():
    """Its log-loss from the third class on is at most that of any expert there from the start plus ln(F + 1) + ln 2."""
    X, y = stream(300)
    y = np.where(y == "a", "c", y)
    y[:3] = ["a", "b", "c"]
    model = OnlineBoostClassifier(
        [("trees", OSBoostClassifier(HoeffdingTree(), 3)), ("arow", OnlineClassifier(AROW()))], random_state=0
    )
    model.partial_fit(X[:100], y[:100])
    model.partial_fit(X[100:], y[100:])
    state = model.machine.booster_state()
    fresh = 2 * np.log(1e6)  # two labels that no expert knew count for the mixture alone
    assert state["mixture_loss"] <= state["expert_losses"][:3].min() + np.log(3) + np.log(2) + fresh


def test_declared_labels_have_columns_from_the_start():
    X, y = stream()
    model = OSBoostClassifier(Perceptron(), 4, random_state=0).partial_fit(X[:20], y[:20], classes=["a", "b", "c", "d"])
    P = model.predict_proba(X)
    assert P.shape == (len(X), 4)
    assert (P[:, [0, 2]] == 0).all()
    with pytest.raises(ValueError, match="'e', which is not one of classes"):
        model.partial_fit(X[:2], ["e", "a"])
    plain = OSBoostClassifier(Perceptron(), 4, random_state=0).partial_fit(X, y)
    assert np.array_equal(model.partial_fit(X[20:], y[20:]).predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_mass_bounds_the_mistakes(vote, scale):
    """Lemma 2 for many classes: on every stream, for every prefix."""
    for seed in range(3):
        X, y = stream(150, seed=seed)
        model = OSBoostClassifier(
            HoeffdingTree(grace_period=5), 6, gamma=0.3, vote=vote, margin_scale=scale, threshold="vote", random_state=0
        )
        result = prequential(model, X, y)
        state = model.machine.booster_state()
        assert (state["prefix_mistakes"] <= state["margin_errors"]).all()
        assert (state["margin_errors"] <= state["weight_mass"][1:] * (1 + 1e-12)).all()
        assert state["weight_mass"][0] == len(y)
        if vote == "uniform":  # the whole ensemble is the last prefix
            assert result.losses[30:].sum() <= state["weight_mass"][-1]
        assert model.certificate() is not None


def test_a_class_that_comes_late_costs_the_others_nothing():
    """Rows of weight 0 are as if they were not there, new labels among them too."""
    X, y = stream()
    w = (y != "a").astype(float)
    some = OSBoostClassifier(HoeffdingTree(), 5, random_state=0).partial_fit(X, y, sample_weight=w)
    without = OSBoostClassifier(HoeffdingTree(), 5, random_state=0).partial_fit(X[w > 0], y[w > 0])
    assert np.array_equal(some.predict_proba(X)[:, 1:], without.predict_proba(X))


def test_the_mixture_keeps_its_weights_at_the_third_class_and_certifies_the_whole_stream():
    """The losses are counted again from the probabilities; a class that begins counts as one in a million."""
    X, y = stream(400, classes=5, seed=3)
    third = next(t for t in range(len(y)) if len(set(y[: t + 1])) == 3)
    model = OnlineBoostClassifier(random_state=0)
    first = prequential(model, X[:third], y[:third])
    before = model.certificate()
    rest = [prequential(model, X[third : third + 1], y[third : third + 1])]
    after = model.certificate()
    assert all(one.at_work for one in after.families)
    old, new = (np.array([c.stack_weight, *(one.weight for one in c.families)]) for c in (before, after))
    assert np.abs(new - old).sum() < 0.05  # the share moves them a little
    assert new[0] > 0.5  # if they began afresh they would be equal
    rest.append(prequential(model, X[third + 1 :], y[third + 1 :]))
    certificate = model.certificate()
    lost = 0.0
    for result, labels in ((first, y[:third]), (rest[0], y[third : third + 1]), (rest[1], y[third + 1 :])):
        P = result.probabilities
        P = np.column_stack([1 - P, P]) if P.ndim == 1 else P
        p = P[np.arange(len(labels)), np.searchsorted(result.classes, labels)]
        lost -= np.log(np.where(p > 0, p, 1e-6)).sum()
    assert certificate.log_loss * len(y) == pytest.approx(lost, rel=1e-6)
    born = model.machine.booster_state()["experts_born"][0]  # with those of young generations
    assert certificate.regret <= certificate.regret_bound == pytest.approx(np.log(born) + np.log(2))
    assert "never above" in certificate.summary()


def test_neighbours_of_many_classes_against_brute_force():
    """P(k): the share of class k among the nearest, by nearness, drawn to equal shares by one that has no label."""
    X, y = stream(60, seed=1)
    model = OnlineClassifier(Neighbours(3, 1000), threshold="vote", random_state=0)
    found = prequential(model, X, y).decisions
    order = list(dict.fromkeys(y))
    for t in range(next(k for k in range(len(y)) if len(set(y[:k])) == 3), len(y)):
        begun = [label for label in order if label in y[:t]]
        d = np.maximum(((X[:t] - X[t]) ** 2).sum(axis=1), 1e-12 * ((X[:t] ** 2).sum(axis=1) + (X[t] ** 2).sum()))
        nearest = np.lexsort((np.arange(t), d.round(9)))[:3]
        near = d[nearest[0]] / d[nearest]
        known = near.sum() / (near.sum() + 1)
        for label in begun:
            share = near[y[nearest] == label].sum() / near.sum()
            column = np.searchsorted(sorted(set(y)), label)
            assert found[t, column] == pytest.approx(known * share + (1 - known) / len(begun), abs=1e-6)


def test_repeats_of_many_classes_by_majority_vote():
    """Of rows 0 … 5, each many times: the label that leads, and by how much, as Boyer and Moore count."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 6, 80)[:, None] * 1.0, np.append([0, 1, 2], rng.integers(0, 3, 77))
    found = prequential(OnlineClassifier(Repeats(), threshold="vote", random_state=0), X, y).decisions
    kept = {}
    for t, (x, label) in enumerate(zip(X[:, 0], y, strict=True)):
        leader, c = kept.get(x, (0, 0))
        if t >= 3:
            expected = np.full(3, 1 / (3 * (c + 1))) + (np.arange(3) == leader) * c / (c + 1)
            assert found[t] == pytest.approx(expected, abs=1e-9)
        c += 1 if leader == label else -1
        kept[x] = (leader, c) if c >= 0 else (label, -c)


@pytest.mark.slow
def test_the_fiftieth_class_comes_late():
    rng = np.random.default_rng(0)
    y = np.minimum(rng.integers(0, 60, 1200), 48)
    y[-20::4] = 49
    X = rng.integers(-3, 4, size=(50, 6))[y] + rng.integers(-8, 9, size=(1200, 6)) / 8.0
    whole = OnlineBoostClassifier(random_state=0).partial_fit(X, y)
    parts = OnlineBoostClassifier(random_state=0)
    for rows in np.array_split(np.arange(len(y)), 7):
        parts.partial_fit(X[rows], y[rows])
        parts = from_bytes(parts.to_bytes())
    assert whole.classes_.tolist() == list(range(50))
    assert whole.to_bytes() == parts.to_bytes()
    assert (whole.predict(X[y == 49]) == 49).mean() >= 0.8


def test_the_second_class_is_calibrated_as_the_first_one_mirrored():
    """At the third label; the intercept and its covariance with the slope change their signs."""
    X, y = stream(60, classes=2)
    model = OSBoostClassifier(Perceptron(), 5, random_state=0).partial_fit(X, y)
    model.learn_one(X[0], "third", 1e-9)
    state = model.machine.engine.core.state()
    first, second = (state[f"calibration{k}.calibration"] for k in range(2))
    assert second == pytest.approx(first * [1, -1, 1, -1, 1, 1, 1], rel=1e-3)
    assert (first[[1, 3]] != 0).all()
