"""The mixture of many classes is its NumPy twin, from two classes over the third on."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.base import clone
from states import pack, state_of, unpack

from onlineboost import (
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
    theory,
)
from onlineboost.boosters import Mixture

pytestmark = [pytest.mark.engine, pytest.mark.quick]

GOLDEN = 0x9E3779B97F4A7C15
FAMILIES = [
    ("trees", OSBoostClassifier(HoeffdingTree(grace_period=10, delta=0.1), 3)),
    ("bayes", OSBoostClassifier(NaiveBayes(kind="typed"), 3)),
    ("linear", OnlineClassifier(Scaled(BayesianLogistic()))),
]
K = len(FAMILIES)
NEWTON = 2e-6  # the engine's steps end at 1e-12 of the stack's objective


def stream(n, every, third=100, fourth=200, seed=0):
    """Clusters whose labels are permuted again and again; of two classes at first.

    Classes are numbered in the order of their first example.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    X = 1.5 * rng.normal(size=(4, 4))[y] + rng.normal(size=(n, 4))
    y = (y + np.arange(n) // every) % 4
    kept = np.arange(n) >= np.array([0, 0, third, fourth])[y]
    X, y = X[kept], y[kept]
    order = list(dict.fromkeys(y.tolist()))
    return X, np.array([order.index(one) for one in y])


def _of_two(model, X, y, slow, s=None):
    """The twin of the model after its rows of two classes, from what the families said."""
    recording = theory.record(model, X, y, sample_weight=s)
    assert np.array_equal(recording.y, np.where(y == 0, 1, -1))
    for t, (h, label) in enumerate(zip(recording.h, recording.y, strict=True)):
        slow.predict(h)
        slow.update(h, int(label), 1.0 if s is None else float(s[t]))
    state, n = state_of(model), recording.h.shape[1]
    losses = [state.get(f"family{i}.calibration_losses", np.full(2, np.nan)) for i in range(n)]
    forgetting = 3e-4 if slow.tracker.shares else 0.0
    return reference.MulticlassMixture(slow, np.array(losses), forgetting=forgetting)


def _votes_alone(k, X, y, s):
    """What a family says of each row as a model on its own: its vote as it is, and calibrated."""
    alone = clone(FAMILIES[k][1]).set_params(random_state=k * GOLDEN % 2**64)
    result = prequential(alone, X, y, sample_weight=s)
    begun = [int(y[:t].max()) + 1 if t else 0 for t in range(len(y))]
    return [(f[:n], p[:n]) for f, p, n in zip(result.margins, result.probabilities, begun, strict=True)]


@pytest.mark.parametrize(("generations", "weights"), [(0, "targets"), (1, "targets"), (1, "repeats")])
def test_the_mixture_of_many_classes_is_its_numpy_twin(generations, weights):
    """From families as they are alone: their shares, the stack, the weights; classes begin late."""
    X, y = stream(400, 1000)
    third = int(np.argmax(y == 2))
    s = np.random.default_rng(0).uniform(0.1, 3, len(y))
    model = OnlineBoostClassifier(FAMILIES, generations=generations, retire=False, weights=weights, random_state=0)
    walk = 1e-4 if generations else 0.0
    two = reference.Mixture(K, reference.Rule(first_look=0), generations=generations, walk=walk, weights=weights)
    slow = _of_two(model, X[:third], y[:third], two, s[:third])
    effective = reference.EffectiveWeights()
    r = s if weights == "repeats" else np.array([effective.learn(int(k), w) for k, w in zip(y, s, strict=True)])
    said = [_votes_alone(k, X, y, r) for k in range(K)]
    result = prequential(model, X[third:], y[third:], sample_weight=s[third:])
    for t in range(third, len(y)):
        votes = [one[t] for one in said]
        p = slow.predict(votes)
        assert result.probabilities[t - third, : len(p)] == pytest.approx(p, abs=NEWTON), t
        slow.update(votes, int(y[t]), float(s[t]))
    state = state_of(model)
    assert state["expert_losses"] == pytest.approx(slow.tracker.losses, rel=NEWTON)
    both = slow.stacks[0]
    for prefix, stack in (("", both.still), ("moving.", both.moving))[: 1 + generations]:
        assert state[f"{prefix}stack_mean"] == pytest.approx(stack.m, abs=NEWTON)
        assert state[f"{prefix}stack_precision"] == pytest.approx(stack.L.ravel(), rel=2 * NEWTON, abs=1e-5)
        assert state[f"{prefix}logit_squares"] == pytest.approx(stack.squares, rel=NEWTON)
    if generations:
        assert state["moving.stack_weight"] == pytest.approx([both.share.v], abs=NEWTON)
        assert state["moving.stack_steps"] == both.share.steps
    assert np.array([state[f"family{k}.calibration_losses"] for k in range(K)]) == pytest.approx(slow.losses, rel=1e-9)


@pytest.fixture
def quick_births(monkeypatch):
    """Births every few examples, so that a short stream has many."""
    spec = Mixture.booster_spec
    more = {"first_birth": 60, "trial": 40, "rest": 100, "first_look": 0}
    monkeypatch.setattr(Mixture, "booster_spec", lambda self, seed: spec(self, seed) | more)


def _state(model):
    return model.machine.__getstate__()["fields"]


def _asked(model, x, slow):
    """The shares of classes that the families give for a row, and their votes, read off what they lose by each label.

    What rests, or leaves with this row, shows its share alone, not its two ways.
    """
    before = _state(model)
    after = [_state(copy.deepcopy(model).partial_fit(x[None], [label])) for label in range(slow.classes)]
    shares = np.exp([before["expert_losses"] - one["expert_losses"] for one in after]).reshape(slow.classes, -1, K + 1)
    shares = shares[:, :, 1:].reshape(slow.classes, -1).T
    present = before["families_present"] > 0
    slow.follow(present)
    votes = []
    for i in range(len(present)):
        order, name = slow.orders[i // K], f"family{i}.calibration_losses"
        if not present[i]:
            votes.append(None)
        elif slow.rests[i // K] or not all(name in one for one in after):
            votes.append((shares[i, order] / shares[i, order].sum(),) * 2)
        else:
            lost = [one[name] - before[name] for one in after]
            assert not any(lost[label].any() for label in range(slow.classes) if label not in order)
            votes.append(tuple(np.exp(-np.array(lost)[order].T)))
    return shares[present], present, votes


@pytest.mark.slow
@pytest.mark.usefixtures("quick_births")
def test_generations_of_many_classes_are_those_of_the_twin():
    """Born before the third class and after it; a young one gives classes that it has not learned 1/(n + K)."""
    X, y = stream(460, 130, third=300, fourth=370)
    third = int(np.argmax(y == 2))
    model = OnlineBoostClassifier(FAMILIES, retire=False, random_state=0)
    two = reference.Mixture(K, reference.Rule(first_look=0), generations=3, walk=1e-4)
    slow = _of_two(model, X[:third], y[:third], two)
    led, unknown, rested = [slow.leads], 0, 0
    for t in range(third, len(y)):
        shares, present, votes = _asked(model, X[t], slow)
        assert slow.shares(votes)[present] == pytest.approx(shares, rel=1e-5, abs=1e-9), t
        p = prequential(model, X[t : t + 1], y[t : t + 1]).probabilities[0]
        assert p[: slow.classes] == pytest.approx(slow.predict(votes), abs=NEWTON), t
        slow.update(votes, int(y[t]), 1.0)
        led += [slow.leads] if slow.leads != led[-1] else []
        unknown += any(len(slow.orders[i // K]) < slow.classes for i in np.flatnonzero(present))
        rested += any(slow.rests[i // K] for i in np.flatnonzero(present))
    assert set(slow.born[slow.born > 0] > third) == {False, True}
    assert len(led) > 2
    assert min(unknown, rested) > 10
    state = state_of(model)
    assert state["share_doubt"] == pytest.approx(slow.tracker.doubt, rel=NEWTON)
    assert state["share_posterior"] == pytest.approx(slow.tracker.posterior, abs=NEWTON)
    for g in range(3):
        if slow.present[g].any():
            assert state["stack_mean"].reshape(3, K)[g] == pytest.approx(slow.stacks[g].still.m, abs=NEWTON)
            assert state["moving.stack_mean"].reshape(3, K)[g] == pytest.approx(slow.stacks[g].moving.m, abs=NEWTON)
            assert state["generation_examples"][g] == slow.examples[g]


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("moving.stack_precision", lambda a: -a),
        ("moving.stack_precision", lambda a: a[:-1]),
        ("moving.stack_weight", lambda a: a * 0),
        ("moving.stack_steps", lambda a: a + 1e16),
    ],
)
def test_forged_stacks_of_many_classes_are_refused(field, change):
    X, y = stream(200, 1000, third=20, fourth=40)
    document, arrays = unpack(OnlineBoostClassifier(FAMILIES, random_state=0).fit(X, y).to_bytes())
    arrays[field] = np.ascontiguousarray(change(arrays[field]))
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))


@pytest.mark.usefixtures("quick_births")
def test_older_files_of_many_classes_go_on_without_the_second_stack():
    """Whose fields they lack, as those of a model with stack="fixed" do."""
    X, y = stream(500, 130, third=100, fourth=200)
    model = OnlineBoostClassifier(FAMILIES, stack="fixed", random_state=0).partial_fit(X[:300], y[:300])
    document, arrays = unpack(model.to_bytes())
    document["parameters"]["stack"] = "tracking"
    older = from_bytes(pack(document, arrays)).partial_fit(X[300:400], y[300:400])
    older = from_bytes(older.to_bytes()).partial_fit(X[400:], y[400:])
    fixed = model.partial_fit(X[300:], y[300:])
    assert np.array_equal(older.predict_proba(X), fixed.predict_proba(X))
    newer = OnlineBoostClassifier(FAMILIES, random_state=0).partial_fit(X, y)
    assert not np.array_equal(newer.predict_proba(X), fixed.predict_proba(X))
