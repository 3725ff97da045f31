"""Generations of a mixture: born when the stream changes, fresh as a new model, and covered by the interval bound."""

from __future__ import annotations

import copy
import math
import re

import numpy as np
import pytest
from sklearn.base import clone
from states import pack, plus_of, same, state_of, unpack

from onlineboost import (
    AROW,
    BayesianLogistic,
    HoeffdingTree,
    LastLabel,
    ModelFileError,
    NaiveBayes,
    Neighbours,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Scaled,
    WindowBoostClassifier,
    from_bytes,
    prequential,
    reference,
    theory,
)
from onlineboost.boosters import Mixture

pytestmark = [pytest.mark.engine, pytest.mark.quick]

GOLDEN = 0x9E3779B97F4A7C15
FAMILIES = [
    ("trees", OSBoostClassifier(HoeffdingTree(grace_period=30), 3)),
    ("bayes", OSBoostClassifier(NaiveBayes(kind="typed"), 3)),
    ("linear", OnlineClassifier(Scaled(BayesianLogistic()))),
    ("narrow", OnlineClassifier(AROW(covariance="full")), 6),
]


def small(**more):
    """Families of different kinds, cheap enough for a test."""
    return OnlineBoostClassifier(FAMILIES, **{"random_state": 0, **more})


def flips(n, every, d=4, noise=0.0, seed=0):
    """A linear concept whose labels flip again and again."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) > 0) ^ (np.arange(n) // every % 2 == 1) ^ (rng.uniform(size=n) < noise)
    return X, y.astype(int)


def errors(model, X, y):
    """Of a test-then-train pass, example by example."""
    return (prequential(model, X, y).probabilities > 0.5) != y


@pytest.fixture
def quick_births(monkeypatch):
    """Births every few examples, so that a short stream has many."""
    spec = Mixture.booster_spec

    def often(self, seed):
        first_look = 64 if self.retire else 0
        return spec(self, seed) | {"first_birth": 100, "trial": 40, "rest": 150, "first_look": first_look}

    monkeypatch.setattr(Mixture, "booster_spec", often)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_after_a_flip_the_model_is_as_good_as_a_fresh_one(seed):
    X, y = flips(6000, 3900, d=12, seed=seed)
    model = OnlineBoostClassifier(random_state=0)
    wrong = errors(model, X, y)
    assert wrong[4200:4700].mean() < 0.08
    kinds = "alarm", "young generation leads"
    alarm, young = (next(one for one in model.changes_ if one.kind == kind) for kind in kinds)
    assert 3900 < alarm.example < 3950
    assert alarm.example < young.example < 4100
    certificate = model.certificate()
    assert certificate.last_change in model.changes_
    assert [one.leads for one in certificate.generations if one.since > 3900] == [True]
    assert f"example {certificate.last_change.example:,}" in certificate.summary()
    static = errors(OnlineBoostClassifier(generations=0, random_state=0), X, y)
    assert static[4000:4500].mean() > 2 * wrong[4000:4500].mean(), "what it is for"


def test_a_concept_that_comes_back_is_remembered():
    X, y = flips(11_000, 1000, d=5)
    model = small()
    wrong = errors(model, X, y)
    costs = [int(wrong[start : start + 300].sum()) for start in range(1000, 11_000, 1000)]
    assert costs[-1] < costs[0] / 2
    assert sum(one.kind == "earlier generation leads" for one in model.changes_) >= 5


def test_a_family_that_retired_comes_back():
    """XOR is nothing for a linear learner, which retires; then the concept is linear."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = np.where(np.arange(6000) < 4500, X[:, 0] * X[:, 1] > 0, X[:, 0] + X[:, 1] > 0).astype(int)
    families = [("trees", OSBoostClassifier(HoeffdingTree(), 5)), ("linear", OnlineClassifier(AROW()))]
    model = OnlineBoostClassifier(families, price=0.005, random_state=0)
    wrong = errors(model, X, y)
    assert any(one.kind == "family retired" and one.family == "linear" for one in model.changes_)
    assert wrong[5000:].mean() < 0.06
    assert model.certificate().families[1].at_work


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize("generations", [1, 2, 3])
def test_no_more_generations_than_the_budget(generations):
    """However often the stream changes: neither at work, nor in the file."""
    X, y = flips(900, 70)
    model, most = small(generations=generations), 0
    for start in range(0, len(y), 10):
        arrays = state_of(model.partial_fit(X[start : start + 10], y[start : start + 10]))
        places = {name.split(".")[0] for name in arrays if re.match(r"family\d+\.", name)}
        at_work = {int(place.removeprefix("family")) // len(FAMILIES) for place in places}
        most = max(most, len(at_work))
        assert len(model.certificate().generations) <= generations
    assert most == generations


@pytest.mark.slow
def test_all_generations_together_keep_to_the_memory():
    """Trees of many features, in as many copies as there may be; their quarter of the budget is full."""
    X, y = flips(4000, 1300, d=200)
    y ^= X[:, 0] * X[:, 1] > 0
    taken = {}
    for memory in (16, 2000):
        model, copies, taken[memory] = OnlineBoostClassifier(effort="low", memory=memory, random_state=0), 0, 0
        for start in range(0, len(y), 250):
            arrays = state_of(model.partial_fit(X[start : start + 250], y[start : start + 250]))
            trees = [arrays[name].nbytes for name in arrays if name.startswith(("family0.", "family4.", "family8."))]
            copies = max(copies, len(model.certificate().generations))
            taken[memory] = max(taken[memory], sum(trees))
        assert copies > 1
    assert taken[16] < 2**22 < taken[2000]


@pytest.mark.usefixtures("quick_births")
def test_window_trees_that_rest_keep_no_rows():
    """Rows that a resting generation only meets are not kept: the model can be loaded, and goes on identically."""
    X, y = flips(900, 300)
    families = [("window", WindowBoostClassifier(200, random_state=0)), ("linear", OnlineClassifier(AROW()))]
    model = OnlineBoostClassifier(families, random_state=0).partial_fit(X[:700], y[:700])
    assert any(one.status == "rests" for one in model.certificate().generations)
    again = from_bytes(model.to_bytes())
    assert np.array_equal(model.partial_fit(X[700:], y[700:]).margin(X), again.partial_fit(X[700:], y[700:]).margin(X))


@pytest.mark.usefixtures("quick_births")
def test_what_rests_forgets_nothing():
    """Neighbours, scales and counts of a generation that rests are as they were, whatever rows pass by."""
    X, y = flips(760, 300)
    X = np.column_stack([X, np.where(np.arange(760) > 680, X[:, 0], 0.0)])  # a feature that is new to what rests
    families = [
        ("near", OnlineClassifier(Scaled(Neighbours(3, memory=50)))),
        ("bayes", OnlineClassifier(NaiveBayes(kind="typed", half_life=50.0))),
        ("linear", OnlineClassifier(AROW(half_life=50.0))),
    ]
    model = OnlineBoostClassifier(families, random_state=0, retire=False, stack="fixed").partial_fit(X[:660], y[:660])
    before = state_of(model)
    after = state_of(model.partial_fit(X[660:710], y[660:710]))
    resting = np.flatnonzero(before["families_resting"] & after["families_resting"])
    assert set(resting % 3) == {0, 1, 2}
    for k in resting:
        for name in before:
            grown = ("kinds", "features", "neighbour_features", "values")
            if name.startswith(f"family{k}.") and not name.endswith(grown) and before[name].shape == after[name].shape:
                np.testing.assert_array_equal(before[name], after[name], err_msg=name)
    again = from_bytes(model.to_bytes())
    assert np.array_equal(model.partial_fit(X[:90], y[:90]).margin(X), again.partial_fit(X[:90], y[:90]).margin(X))


@pytest.mark.usefixtures("quick_births")
def test_the_label_before_is_a_family():
    """Labels in runs, and rows that say nothing: with persistence the mixture repeats labels, at rest as well."""
    rng = np.random.default_rng(0)
    y = np.cumsum(rng.random(1500) < 0.1) % 2
    X = rng.normal(size=(1500, 4))
    model = small(persistence=True)
    wrong = errors(model, X, y)
    assert wrong[500:].mean() == pytest.approx(np.mean(y[500:] != y[499:-1]), abs=0.01)
    assert errors(small(), X, y)[500:].mean() > 0.3
    certificate = model.certificate()
    assert certificate.heaviest.name == "last label"
    classes = np.cumsum(rng.integers(1, 3, size=1500) * (rng.random(1500) < 0.1)) % 3
    many = prequential(small(persistence=True), X, classes)
    assert many.losses[500:].mean() < 0.15


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize("classes", [2, 3])
def test_what_rests_hears_the_labels(classes):
    X, y = permuted(900, 300, classes)
    families = [("bayes", OnlineClassifier(NaiveBayes(kind="typed"))), ("last", OnlineClassifier(LastLabel()))]
    model, looked = OnlineBoostClassifier(families, random_state=0), 0
    for start in range(0, len(y), 25):
        arrays = state_of(model.partial_fit(X[start : start + 25], y[start : start + 25], classes=np.unique(y)))
        last = list(dict.fromkeys(y)).index(y[: start + 25][-1])
        true = np.array([1.0 if last == 0 else -1.0]) if classes == 2 else np.where(np.arange(3) == last, 1.0, -1.0)
        first = model.certificate().generations[0]
        if first.since == 0 and first.status == "rests":
            signs, looked = np.ravel(arrays.get("family1.class_signs", 1)), looked + 1
            said = [
                one.flat[0] for name, one in arrays.items() if name.startswith("family1.") and "label_counts" in name
            ]
            np.testing.assert_array_equal(said * signs, true)
    assert looked > 5


@pytest.mark.usefixtures("quick_births")
def test_weights_are_those_of_the_twin():
    """Births and deaths are read off what speaks; weights, stacks and who leads follow."""
    X, y = flips(700, 230, noise=0.05)
    model = small(retire=False)
    result = prequential(copy.deepcopy(model), X, y)
    recording = theory.record(model, X, y)
    sign = 1 if plus_of(model) == model.classes_[1] else -1
    slow = reference.Mixture(4, reference.Rule(first_look=0), generations=3, walk=1e-4)
    began = 0
    for h, label, margin in zip(recording.h, recording.y, sign * result.margins, strict=True):
        before = slow.present.any(axis=1).sum()
        assert margin == pytest.approx(slow.predict(h), abs=1e-7)
        began += slow.present.any(axis=1).sum() > before
        slow.update(h, int(label), 1.0)
    assert began >= 4
    state = state_of(model)
    assert state["share_doubt"] == pytest.approx(slow.tracker.doubt, rel=1e-6)
    assert state["family_mistakes"] == pytest.approx(slow.mistakes), "of the families as the leader has them"


@pytest.mark.usefixtures("quick_births")
def test_a_young_copy_is_a_fresh_model():
    """From its second example on it says what a model says that began with its first."""
    X, y = flips(300, 1000)
    y[100] = y[0]  # so that both count the same label as +1
    model = small(retire=False)
    outputs = theory.record(model, X, y).h
    first = int(np.flatnonzero(outputs[:, 4:8].min(axis=1) <= 1)[0])
    gone = np.flatnonzero(outputs[first:, 4] > 1)
    stop = first + int(gone[0]) if len(gone) else 300
    begins = first - 1
    assert begins == 100
    for k, (_, alone, *_) in enumerate(FAMILIES):
        fresh = OnlineBoostClassifier([("one", clone(alone))], random_state=k * GOLDEN % 2**64)
        expected = theory.record(fresh, X[begins:stop], y[begins:stop]).h
        assert np.array_equal(outputs[first:stop, 4 + k], expected[1:, 0]), "to the last bit"


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_bound_holds_on_every_interval_of_every_life(noise):
    """By brute force, over all intervals in which a family's copy lived."""
    X, y = flips(900, 140, noise=noise)
    model = small()
    losses, bounds = [], []
    recording = theory.record(copy.deepcopy(model), X, y)
    for row, label in zip(X, y, strict=True):
        p = model.predict_proba_one(row).get(label, 0.5) if losses else 0.5
        losses.append(-math.log(p))
        model.learn_one(row, label)
        bounds.append(model.certificate().interval_bound if len(losses) % 50 == 0 else math.nan)
    bounds = np.array(bounds)
    last = np.flatnonzero(~np.isnan(bounds))
    said = np.clip((1 + recording.h) / 2, 1 / (1 + np.exp(12)), 1 / (1 + np.exp(-12)))
    alive = recording.h <= 1
    own = -np.log(np.where(recording.y[:, None] > 0, said, 1 - said))
    worst = -math.inf
    for place in range(alive.shape[1]):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], alive[:, place].astype(int), [0]])))
        for first, stop in edges.reshape(-1, 2):
            regret = np.cumsum(np.array(losses)[first:stop] - own[first:stop, place])
            start = np.minimum.accumulate(np.concatenate([[0.0], regret]))[:-1]
            ends = last[(last >= first) & (last < stop)]
            if len(ends):
                worst = max(worst, float((regret - start)[ends - first].max() - bounds[ends].min()))
    assert -30 < worst <= 0


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize("size", [1, 7])
def test_bits_depend_neither_on_batches_nor_on_checkpoints(size):
    X, y = flips(260, 90)
    late = np.arange(260)[:, None]
    X = np.column_stack([X, (late > 150) * X[:, :2], (late > 200) * X[:, :1]])
    whole, parts = small().partial_fit(X, y, classes=[0, 1]), small()
    for start in range(0, 260, size):
        parts.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
        if start % 5 == 0:
            parts = from_bytes(parts.to_bytes())
    assert whole.to_bytes() == parts.to_bytes()
    assert len(whole.certificate().generations) > 1
    again = from_bytes(whole.to_bytes())
    assert same(state_of(again), state_of(whole))
    assert again.changes_ == whole.changes_


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("generations", lambda a: a[:-1]),
        ("generations", lambda a: a + 5),
        ("events", lambda a: np.append(a, [-1, -1, -1])),
        ("adwin_counts", lambda a: a + 9),
        ("adwin_sums", lambda a: a - 1),
        ("experts_alive", lambda a: 1 - a),
        ("families_at_work", lambda a: a + 3),
    ],
)
def test_forged_states_are_refused(field, change):
    X, y = flips(100, 50)
    document, arrays = unpack(small().fit(X, y).to_bytes())
    arrays[field] = np.ascontiguousarray(change(arrays[field]))
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))


def permuted(n, every, classes=5, d=4, seed=0):
    """Clusters whose labels are permuted again and again; the last class comes late."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = 2 * rng.normal(size=(classes, d))[y] + 0.5 * rng.normal(size=(n, d))
    y = (y + np.arange(n) // every) % classes
    late = (y == classes - 1) & (np.arange(n) < n // 3)
    return X[~late], y[~late]


@pytest.mark.usefixtures("quick_births")
def test_the_bound_of_many_classes_holds_on_every_interval_of_every_life():
    """By brute force, from the sums of losses after each example: every expert, the stacks as well."""
    X, y = permuted(700, 150)
    model = small().partial_fit(X[:20], y[:20])
    before = model.machine.booster_state()
    places = len(before["expert_losses"])
    since = np.zeros(places)  # the most by which the mixture lost to an expert, over the intervals that end here
    worst, lives = -math.inf, set()
    for t in range(20, len(y)):
        model.partial_fit(X[t : t + 1], y[t : t + 1])
        after = model.machine.booster_state()
        own = after["expert_losses"] - before["expert_losses"]
        lived = (before["experts_alive"] > 0) & (after["experts_alive"] > 0) & (own > 0)
        since = np.where(lived, np.maximum(since, 0.0) + (after["mixture_loss"] - before["mixture_loss"]) - own, 0.0)
        lives |= set(np.flatnonzero(lived).tolist())
        if t % 10 == 0:
            worst = max(worst, float(since.max() - model.certificate().interval_bound))
        before = after
    assert len(lives) == places, "every generation lived"
    assert -30 < worst <= 0


@pytest.mark.usefixtures("quick_births")
def test_generations_of_many_classes_adapt():
    """After a permutation of the labels a young generation leads."""
    X, y = permuted(1500, 750)
    model = small()
    result = prequential(model, X, y)
    wrong = result.predictions != y
    change = len(y) - 750
    assert wrong[change : change + 30].mean() > 0.5
    assert wrong[change + 250 :].mean() < 0.1
    assert any(one.kind == "young generation leads" and change < one.example < change + 200 for one in model.changes_)
    certificate = model.certificate()
    assert [one.leads for one in certificate.generations if one.since > change].count(True) == 1
    assert certificate.interval_bound < 60
    assert sum(one.carries for one in certificate.families) == pytest.approx(1)
    static = prequential(small(generations=0), X, y).predictions != y
    assert wrong[change:].mean() < 0.7 * static[change:].mean(), "what it is for"


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize("size", [1, 7])
def test_bits_of_many_classes_depend_neither_on_batches_nor_on_checkpoints(size):
    """Generations are born, rest and leave before and after the third class, which a young one has not seen."""
    X, y = permuted(330, 110)
    y[:60] %= 2
    X = np.column_stack([X, (np.arange(len(X)) > 200)[:, None] * X[:, :3]])
    whole, parts = small().partial_fit(X, y), small()
    for start in range(0, len(y), size):
        parts.partial_fit(X[start : start + size], y[start : start + size])
        if start % 5 == 0:
            parts = from_bytes(parts.to_bytes())
    assert whole.to_bytes() == parts.to_bytes()
    assert len(whole.certificate().generations) > 1
    assert from_bytes(whole.to_bytes()).changes_ == whole.changes_


@pytest.mark.usefixtures("quick_births")
def test_window_trees_of_a_generation_that_has_seen_one_class():
    """Where labels come in long runs, a tree begins before a second class does."""
    X, y = np.random.default_rng(0).normal(size=(300, 3)), np.where(np.arange(300) < 60, np.arange(300) % 3, 0)
    families = [("window", WindowBoostClassifier(200, random_state=0)), ("linear", OnlineClassifier(AROW()))]
    state = state_of(OnlineBoostClassifier(families, random_state=0).partial_fit(X, y))
    assert state["generation_examples"][state["generation_classes"] == 1].tolist() == [200]


@pytest.mark.usefixtures("quick_births")
@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("generation_classes", lambda a: a + 9),
        ("generation_class_order", lambda a: 0 * a),
        ("generation_examples", lambda a: a - 10**6),
        ("families_at_work", lambda a: a + 4),
        ("stack_precision", lambda a: -a),
    ],
)
def test_forged_states_of_many_classes_are_refused(field, change):
    X, y = permuted(260, 110)
    document, arrays = unpack(small().partial_fit(X, y).to_bytes())
    arrays[field] = np.ascontiguousarray(change(arrays[field]))
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))
