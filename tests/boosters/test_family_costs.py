"""Families that are not worth their cost retire, one by one; the twin's do so, too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from states import same, state_of

from onlineboost import (
    AROW,
    BayesianLogistic,
    HoeffdingTree,
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Scaled,
    from_bytes,
    prequential,
    reference,
    theory,
)
from onlineboost.boosters import Mixture

pytestmark = [pytest.mark.engine, pytest.mark.quick]

GOLDEN = 0x9E3779B97F4A7C15
ANY = 2**20
FAMILIES = [
    ("trees", OSBoostClassifier(HoeffdingTree(grace_period=10, delta=0.1), 3), ANY, 20),
    ("bayes", OSBoostClassifier(NaiveBayes(kind="typed"), 3), ANY, 5.0),
    ("linear", OnlineClassifier(Scaled(BayesianLogistic())), ANY, 10),
    ("arow", OnlineClassifier(AROW())),
]
K = len(FAMILIES)
PRICE, FIRST, EVERY, SLOW = 0.3, 40, 20, 120
RULE = reference.Rule(FIRST, price=PRICE, every=EVERY, costs=(20, 5, 10, 1), slow=(0,), slow_look=SLOW)


@pytest.fixture
def early_looks(monkeypatch):
    """Looks every few examples, at the first family later."""
    spec = Mixture.booster_spec
    more = {"every": EVERY, "slow": 1, "slow_look": SLOW, "first_birth": 60, "trial": 400}

    def early(self, seed):
        return spec(self, seed) | more | {"first_look": FIRST if self.retire else 0}

    monkeypatch.setattr(Mixture, "booster_spec", early)


def stream(n, classes=2, third=0):
    """Clusters of any number of classes, numbered in the order of their first example; the third begins late."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, n)
    y[:third] %= 2
    X = 1.2 * rng.normal(size=(classes, 4))[y] + rng.normal(size=(n, 4))
    order = list(dict.fromkeys(y.tolist()))
    return X, np.array([order.index(one) for one in y])


@pytest.mark.usefixtures("early_looks")
@pytest.mark.parametrize("generations", [0, 1])
def test_who_retires_and_when_is_up_to_the_twin(generations):
    X, y = stream(300)
    model = OnlineBoostClassifier(FAMILIES, price=PRICE, generations=generations, random_state=0)
    recording = theory.record(model, X, y)
    walk = 1e-4 if generations else 0.0
    slow = reference.Mixture(K, RULE, generations=generations, walk=walk)
    left = []
    for t, (h, label) in enumerate(zip(recording.h, recording.y, strict=True)):
        assert np.array_equal(h > 1, ~slow.present[0]), t
        left.append(slow.present[0].copy())
        slow.update(h, int(label), 1.0)
    retired = [int(np.argmin([one[k] for one in left])) for k in range(K) if not left[-1][k]]
    assert len(retired) >= 2
    assert len(set(retired)) == len(retired), "one at a time"
    assert all(t >= FIRST and t % EVERY == 0 for t in retired)
    assert not left[-1][0], "the one that learns slowly"
    assert left[SLOW - 1][0]


@pytest.mark.usefixtures("early_looks")
def test_of_many_classes_they_are_those_of_the_twin():
    X, y = stream(400, 3, third=30)
    third = int(np.argmax(y == 2))
    assert third < FIRST
    model = OnlineBoostClassifier(FAMILIES, price=PRICE, generations=0, random_state=0)
    recording = theory.record(model, X[:third], y[:third])
    two = reference.Mixture(K, RULE)
    for h, label in zip(recording.h, recording.y, strict=True):
        two.update(h, int(label), 1.0)
    losses = [state_of(model)[f"family{k}.calibration_losses"] for k in range(K)]
    slow = reference.MulticlassMixture(two, np.array(losses))
    said = []
    for k in range(K):
        alone = clone(FAMILIES[k][1]).set_params(random_state=k * GOLDEN % 2**64)
        result = prequential(alone, X, y)
        said.append(list(zip(result.margins, result.probabilities, strict=True)))
    for t in range(third, len(y)):
        assert np.array_equal(state_of(model)["families_present"] > 0, slow.present[0]), t
        votes = [(one[t][0][: slow.classes], one[t][1][: slow.classes]) for one in said]
        slow.update([vote if slow.present[0, k] else None for k, vote in enumerate(votes)], int(y[t]), 1.0)
        model.partial_fit(X[t : t + 1], y[t : t + 1])
    assert 1 <= slow.present.sum() <= K - 2


@pytest.mark.usefixtures("early_looks")
@pytest.mark.parametrize(("costs", "stays"), [((1, 50), "first"), ((50, 1), "second")])
def test_of_two_that_say_the_same_the_cheap_one_stays(costs, stays):
    X, y = stream(400)
    names = "first", "second"
    families = [(name, OnlineClassifier(AROW()), ANY, cost) for name, cost in zip(names, costs, strict=True)]
    model = OnlineBoostClassifier(families, price=0.9, generations=0, random_state=0).partial_fit(X, y)
    assert [one.name for one in model.certificate().families if one.at_work] == [stays]


@pytest.mark.usefixtures("early_looks")
def test_the_price_is_what_they_are_asked():
    """Nothing: all stay that carry something. Everything: one stays."""
    X, y = stream(400)
    left = {}
    for price in (1e-9, PRICE, 1.0):
        model = OnlineBoostClassifier(FAMILIES, price=price, generations=1, random_state=0).partial_fit(X, y)
        left[price] = sum(one.at_work for one in model.certificate().families)
    assert K == left[1e-9] > left[PRICE] >= left[1.0] >= 1


@pytest.mark.usefixtures("early_looks")
@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_that_was_saved_goes_on_identically(classes):
    """What was lost before a generation began is in the file, and what families cost."""
    X, y = stream(300, classes)
    model = OnlineBoostClassifier(FAMILIES, price=PRICE, random_state=0).partial_fit(X[:70], y[:70])
    again = from_bytes(model.to_bytes())
    assert [one[3:] for one in again.families] == [(20,), (5,), (10,), (1,)]
    for one in (model, again):
        one.partial_fit(X[70:], y[70:])
    assert same(state_of(again), state_of(model))
    assert state_of(model)["generation_losses"][1] > 0
    assert any(one.kind == "family retired" and one.example > 70 for one in model.changes_)


def test_without_an_alarm_a_young_generation_has_those_at_work(monkeypatch):
    spec = Mixture.booster_spec
    more = {"first_birth": 100, "trial": 40, "every": EVERY, "first_look": FIRST, "clock": 10_000}
    monkeypatch.setattr(Mixture, "booster_spec", lambda self, seed: spec(self, seed) | more)
    X, y = stream(101)
    made = {price: OnlineBoostClassifier(FAMILIES, price=price, random_state=0) for price in (0.0, PRICE)}
    for model in made.values():
        model.partial_fit(X, y)
    present = {price: state_of(one)["families_present"].reshape(3, K) > 0 for price, one in made.items()}
    assert present[0.0][1].all(), "as in older files"
    assert not present[PRICE][0].all()
    assert np.array_equal(present[PRICE][1], present[PRICE][0])


@pytest.mark.parametrize("cost", [0, -1.0, "dear", float("nan")])
def test_a_cost_is_a_number_above_0(cost):
    with pytest.raises((TypeError, ValueError), match="the cost of 'one'"):
        OnlineBoostClassifier([("one", OnlineClassifier(AROW()), ANY, cost)]).partial_fit([[1.0]], [0])
