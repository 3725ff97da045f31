"""The mixture: its NumPy twin, the regret bound, families that retire, and the contract that every estimator keeps."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from river import datasets
from river_checks import RIVER_CHECKS, RIVER_STREAM_CHECKS
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks
from states import pack, plus_of, same, state_of, unpack
from table import stream

from onlineboost import (
    AROW,
    BayesianLogistic,
    BlackBox,
    HoeffdingTree,
    ModelFileError,
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    Scaled,
    _core,
    from_bytes,
    prequential,
    reference,
    theory,
)
from onlineboost.boosters import Mixture
from onlineboost.boosters.mixture import default_families
from onlineboost.cli import main
from onlineboost.reference.mixture import TrackingStack

pytestmark = [pytest.mark.engine, pytest.mark.quick]

GOLDEN = 0x9E3779B97F4A7C15


def small(**more):
    """Four families of different kinds, cheap enough for a test."""
    families = [
        ("trees", OSBoostClassifier(HoeffdingTree(grace_period=10, delta=0.1), 3)),
        ("bayes", OSBoostClassifier(NaiveBayes(kind="typed"), 3)),
        ("linear", OnlineClassifier(Scaled(BayesianLogistic()))),
        ("features", OSBoostClassifier(RandomFourier(AROW(), 9), 2)),
    ]
    return OnlineBoostClassifier(families, **{"random_state": 0, **more})


def _failures(_):
    one_step = "an example of weight 2 is one step of twice the size, not two steps one after the other"
    return {
        "check_sample_weight_equivalence_on_dense_data": one_step,
        "check_sample_weight_equivalence_on_sparse_data": one_step,
    }


@pytest.mark.slow
@parametrize_with_checks([OnlineBoostClassifier(random_state=0)], expected_failed_checks=_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", list(RIVER_CHECKS))
def test_river_checks(check):
    RIVER_CHECKS[check](small())


@pytest.mark.parametrize("check", list(RIVER_STREAM_CHECKS))
@pytest.mark.parametrize("model", [small, OnlineBoostClassifier], ids=["small", "default"])
def test_river_checks_on_a_stream(model, check):
    RIVER_STREAM_CHECKS[check](model(random_state=0), list(datasets.Phishing().take(60)))


def _passed(model, X, y, **more):
    """Margins, probabilities and the families' outputs of a test-then-train pass."""
    result = prequential(copy.deepcopy(model), X, y, **more)
    recording = theory.record(model, X, y, **more)
    sign = 1 if plus_of(model) == model.classes_[1] else -1
    probabilities = result.probabilities if sign > 0 else 1 - result.probabilities
    return sign * result.margins, probabilities, recording.h, recording.y


@pytest.mark.parametrize("generations", [0, 1])
@pytest.mark.parametrize("weights", ["", "targets", "repeats"])
def test_the_mixture_is_its_numpy_twin(weights, generations):
    X, y = stream(400, seed=3)
    s = np.random.default_rng(0).uniform(0, 3, 400) if weights else np.ones(400)
    model = small(generations=generations, weights=weights or "targets")
    walk = 1e-4 if generations else 0.0
    margins, probabilities, outputs, codes = _passed(model, X, y, sample_weight=s if weights else None)
    slow = reference.Mixture(4, generations=generations, weights=weights or "targets", walk=walk)
    for t in range(400):
        assert margins[t] == pytest.approx(slow.predict(outputs[t]), abs=1e-9)
        slow.update(outputs[t], int(codes[t]), float(s[t]))
    assert np.allclose(probabilities, (1 + margins) / 2, atol=1e-15), "a mixture of probabilities is one"
    state = state_of(model)
    assert state["expert_losses"] == pytest.approx(slow.tracker.losses, rel=1e-9)
    assert state["stack_mean"] == pytest.approx(slow.stacks[0].still.m, abs=1e-6)
    if walk:
        assert state["moving.stack_mean"] == pytest.approx(slow.stacks[0].moving.m, abs=1e-6)
        assert state["moving.stack_weight"] == pytest.approx([slow.stacks[0].share.v], abs=1e-9)
    assert state["family_mistakes"] == pytest.approx(slow.mistakes, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_two_stacks_are_on_no_interval_far_behind_the_better_one(seed):
    """At most ln 2 + ln t up to example t, with weights of at most 1, also where the labels turn."""
    rng = np.random.default_rng(seed)
    n, stack = 120, TrackingStack(3, 0.1, 1e-2)
    lost = np.zeros((n + 1, 3))  # of the mixture, of the one that never forgets, of the other
    for t in range(n):
        y, s = rng.choice([-1, 1]), rng.choice([1.0, rng.uniform(0.01, 1)])
        logits = np.clip(rng.normal((-1) ** (t * 4 // n) * y, 3, 3), -12, 12)
        said = np.append(stack.probability(logits), stack.said(logits))
        lost[t + 1] = lost[t] - s * np.log(said if y > 0 else 1 - said)
        stack.learn(logits, int(y), s)
    first, last = np.triu_indices(n + 1, 1)
    behind = (lost[last, :1] - lost[first, :1]) - (lost[last, 1:] - lost[first, 1:])
    assert (behind.max(axis=1) <= np.log(2 * last) + 1e-9).all()
    assert behind.max() > 1, "a change costs something, or nothing was tested"


def test_heavy_examples_after_a_long_stream():
    """The odds of the stack that follows the stream, times those of an example of large weight, stay finite."""
    X = np.random.default_rng(0).normal(size=(12_000, 2))
    y = X[:, 0] > 0
    families = [("linear", OnlineClassifier(AROW())), ("bayes", OnlineClassifier(NaiveBayes(kind="typed")))]
    model = OnlineBoostClassifier(families, generations=1, weights="repeats", random_state=0).fit(X, y)
    model.partial_fit(X[:20], ~y[:20], sample_weight=np.full(20, 1e6))
    assert 0.9999 < state_of(model)["moving.stack_weight"][0] < 1


def test_a_family_says_what_it_would_alone():
    """Its margins are those of the model on its own; its probability is Bayes' rule over plain and calibrated."""
    X, y = stream(300, seed=5)
    model = small()
    _, _, outputs, codes = _passed(model, X, y)
    for k, (_, alone) in enumerate(model.families):
        result = prequential(clone(alone).set_params(random_state=k * GOLDEN % 2**64), X, y)
        orientation = 1 if plus_of(model) == model.classes_[1] else -1
        margins = result.margins * orientation
        calibrated = result.probabilities if orientation > 0 else 1 - result.probabilities
        both = np.clip(np.column_stack([(1 + margins) / 2, calibrated]), 1e-6, 1 - 1e-6)
        surprise = -np.log(np.where(codes[:, None] > 0, both, 1 - both))
        losses = np.vstack([np.zeros(2), np.cumsum(surprise, axis=0)[:-1]])
        weight = 1 / (1 + np.exp(losses[:, 0] - losses[:, 1]))
        expected = weight * both[:, 0] + (1 - weight) * both[:, 1]
        assert (1 + outputs[:, k]) / 2 == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@example(
    seed=6462, n=120, flip=1.0, largest=30.0, weights="repeats"
)  # an example that outweighs all before it comes late
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 120),
    flip=st.floats(0, 1),
    largest=st.sampled_from([0.5, 1.0, 30.0]),
    weights=st.sampled_from(["repeats", "targets"]),
)
def test_never_far_behind_the_best(seed, n, flip, largest, weights):
    """The log-loss of the mixture is at most that of any expert plus the bound, ln(2 (K + 1)) for weights up to 1."""
    rng = np.random.default_rng(seed)
    X, y = stream(n + 2, seed=seed, flip=flip)
    s = rng.uniform(0, largest, n + 2)
    families = [(str(learner), OnlineClassifier(learner)) for learner in (Perceptron(), NaiveBayes(), AROW())]
    model = OnlineBoostClassifier(families, retire=False, random_state=0, weights=weights)
    _, probabilities, outputs, codes = _passed(model, X, y, sample_weight=s)
    if weights == "targets":  # the bound is about effective examples
        effective = reference.EffectiveWeights()
        odds, s = np.transpose([(effective.odds(), effective.learn(int(c), w)) for c, w in zip(codes, s, strict=True)])
        probabilities = reference.tilted(probabilities, 1 / odds)
    true = np.where(codes > 0, probabilities, 1 - probabilities)
    # What is said is kept within a logit of 12.
    said = np.clip((1 + outputs[:, :3]) / 2, 1 / (1 + np.exp(12)), 1 / (1 + np.exp(-12)))
    families_true = np.where(codes[:, None] > 0, said, 1 - said)
    loss, losses = -(s @ np.log(true)), -(s @ np.log(families_true))
    certificate = model.certificate()
    slack = 1e-9 * (1 + losses.min())
    if s.max() <= 1:
        assert certificate.regret_bound == pytest.approx(np.log(2 * 4))
    assert loss <= losses.min() + certificate.regret_bound + slack
    assert certificate.regret <= certificate.regret_bound + slack
    assert sum(family.carries for family in certificate.families) == pytest.approx(1.0)


@pytest.mark.parametrize("largest", [1.0, 30.0])
def test_a_file_older_than_a_field_gives_a_bound_that_holds(largest):
    X, y = stream(80, seed=3)
    weights = np.random.default_rng(3).uniform(0, largest, 80)
    model = small(generations=0).partial_fit(X, y, sample_weight=weights)
    state = state_of(model)
    del state["rate_surprises"]
    older = copy.deepcopy(model)
    older.__setstate__(model.__getstate__() | {"_model": state})
    now, then = model.certificate(), older.certificate()
    assert then.regret == now.regret
    assert then.regret_bound == now.regret_bound if largest <= 1 else then.regret_bound >= now.regret_bound
    assert np.array_equal(older.margin(X), model.margin(X))


@pytest.mark.parametrize("sizes", [(1,), (7,), (300,)])
def test_bits_do_not_depend_on_the_batch(sizes):
    X, y = stream(300, seed=1)
    whole, parts = small(retire=True).partial_fit(X, y), small(retire=True)
    for start in range(0, 300, sizes[0]):
        rows = slice(start, start + sizes[0])
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert whole.to_bytes() == parts.to_bytes()


def test_bits_do_not_depend_on_the_instruction_set():
    X, y = stream(300, seed=2)
    used, found = _core.instruction_set(), []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            found.append(small().fit(X, y).to_bytes())
    finally:
        _core.use_instruction_set(used)
    assert len(set(found)) == 1


def test_copies_go_on_identically():
    X, y = stream(200, seed=4)
    model = small().fit(X[:100], y[:100])
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), from_bytes(model.to_bytes())]
    model.partial_fit(X[100:], y[100:])
    for other in copies:
        assert np.array_equal(other.partial_fit(X[100:], y[100:]).margin(X), model.margin(X))


def test_single_examples_and_dicts():
    X, y = stream(80, seed=6)
    whole, single, dicts = small().partial_fit(X, y, classes=[0, 1]), small(), small()
    for row, label in zip(X, y, strict=True):
        single.learn_one(row, label)
        dicts.learn_one({int(j): float(v) for j, v in enumerate(row)}, int(label))
    assert [single.predict_one(row) for row in X] == whole.predict(X).tolist()
    assert np.array_equal(single.margin(X), whole.margin(X))
    assert dicts.predict_proba_one({0: 1.0})[1] == pytest.approx(whole.predict_proba(np.eye(1, 5))[0, 1], abs=1e-12)


# ---- families that leave ---------------------------------------------------------------------------------------------


def test_a_family_of_no_use_retires_at_a_doubled_count():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16_000, 3))
    y = X[:, 0] * X[:, 1] > 0  # nothing for a linear learner
    families = [("trees", OSBoostClassifier(HoeffdingTree(), 3)), ("linear", OnlineClassifier(AROW()))]
    model = OnlineBoostClassifier(families, generations=1, random_state=0)
    model.partial_fit(X[:3999], y[:3999])
    assert [one.at_work for one in model.certificate().families] == [True, True]
    model.partial_fit(X[3999:], y[3999:])
    shares = model.certificate().families
    assert [one.at_work for one in shares] == [True, False]
    assert shares[1].carries == 0
    assert "linear: retired." in model.certificate().summary()
    assert not any(name.startswith("family1.") for name in state_of(model)), "its memory is free"
    kept = OnlineBoostClassifier(families, retire=False, generations=1, random_state=0).partial_fit(X, y)
    assert all(one.at_work for one in kept.certificate().families)
    again = from_bytes(model.to_bytes())
    assert same(state_of(again), state_of(model))


def test_retirement_is_that_of_the_twin(monkeypatch):
    X, y = stream(70, seed=9, flip=0.0)
    spec = Mixture(generations=0, price=0.0).booster_spec(0) | {
        "first_look": 8,
        "least_weight": 0.3,
        "least_share": 0.3,
    }
    monkeypatch.setattr(Mixture, "booster_spec", lambda *_: spec)
    model = small(generations=0)
    _, _, outputs, codes = _passed(model, X, y)
    slow = reference.Mixture(4, reference.Rule(first_look=8, least=(0.3, 0.3)))
    for t in range(70):
        assert np.array_equal(outputs[t] > 1, ~slow.present[0]), t
        slow.update(outputs[t], int(codes[t]), 1.0)
    assert 1 <= slow.present.sum() < 4


@pytest.mark.parametrize("limit", [2, 100])
def test_the_sentence_is_about_families_at_work(limit):
    """A family that has retired is not at work from the start on: the bound in all says nothing of it."""
    X, y = stream(60)
    families = [("any", OSBoostClassifier(Perceptron(), 3)), ("few", OnlineClassifier(AROW()), limit)]
    certificate = OnlineBoostClassifier(families, random_state=0).partial_fit(X, y).certificate()
    assert certificate.regret <= certificate.regret_bound
    assert all(one.at_work for one in certificate.families) is (limit == 100)
    assert ("of those at work from the start" in certificate.summary()) is (limit == 2)


def test_a_family_with_too_many_features_retires():
    rng = np.random.default_rng(0)
    families = [("wide", OnlineClassifier(AROW())), ("narrow", OnlineClassifier(AROW(covariance="full")), 6)]
    model = OnlineBoostClassifier(families, random_state=0)
    for t in range(40):
        model.learn_one({f"f{j}": rng.normal() for j in range(t // 3 + 1)}, bool(t % 2))
        assert sum(model.predict_proba_one({"f0": 1.0}).values()) == pytest.approx(1)
    assert [one.at_work for one in model.certificate().families] == [True, False]
    # More than any of them takes is refused, and changes nothing.
    narrow = OnlineBoostClassifier(families[1:], random_state=0)
    with pytest.raises(ValueError, match="at most 6 features"):
        narrow.fit(rng.normal(size=(2, 7)), [0, 1])
    narrow.learn_one({"a": 1.0, "b": 2.0}, 1)
    before = narrow.to_bytes()
    with pytest.raises(ValueError, match="at most 6 features"):
        narrow.learn_one(dict.fromkeys("bcdefgh", 1.0), 0)
    assert narrow.to_bytes() == before


# ---- what users see --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("families", "error", "match"),
    [
        ([], ValueError, "1 to 64"),
        ("trees", ValueError, "1 to 64"),
        ([("a",)], ValueError, "pair"),
        ([(1, OnlineClassifier(AROW()))], ValueError, "pair"),
        ([("a", AROW())], TypeError, "'a' must be an onlineboost classifier"),
        ([("a", OnlineBoostClassifier())], TypeError, "'a' must be an onlineboost classifier"),
        ([("a", OnlineClassifier(BlackBox(GaussianNB())))], TypeError, "native bank"),
        ([("a", OnlineClassifier(AROW()))] * 2, ValueError, "Two families are named 'a': names must be unique"),
        ([("a", OnlineClassifier(AROW()), 0)], ValueError, "limit of 'a'"),
        ([("a", OSBoostClassifier(AROW(), gamma=2.0))], ValueError, "gamma"),
    ],
)
def test_families_that_cannot_be(families, error, match):
    X, y = stream(10)
    with pytest.raises(error, match=match):
        OnlineBoostClassifier(families).fit(X, y)


@pytest.mark.parametrize(("effort", "names"), [("low", 4), ("high", 10)])
def test_effort_names_the_families(effort, names):
    X, y = stream(60, seed=1)
    model = OnlineBoostClassifier(effort=effort, memory=16, random_state=0).fit(X, y)
    assert len(model.certificate().families) == names
    loaded = from_bytes(model.to_bytes())
    assert loaded.effort == effort
    assert np.array_equal(loaded.partial_fit(X, y).predict_proba(X), model.partial_fit(X, y).predict_proba(X))


@pytest.mark.parametrize("effort", ["low", "default", "high"])
def test_trees_and_window_share_the_memory(effort):
    """Each keeps to its own limit (tests of trees and of window boosting)."""
    for memory, generations in ((16, 3), (256, 0), (1000, 8)):
        given = OnlineBoostClassifier(effort=effort, memory=memory, generations=generations).recipe().members()
        limits = [one.booster.max_bytes for one in given if one.name == "window trees"]
        limits += [one.booster.learner.max_bytes for one in given if one.name == "trees"]
        assert 0 < max(generations, 1) * sum(limits) <= memory * 2**20


def test_the_default_names_its_families():
    assert len({name for name, *_ in default_families()}) == len(default_families()) == 10
    X, y = stream(30)
    model = OnlineBoostClassifier(random_state=0).fit(X, y)
    certificate = model.certificate()
    assert [one.name for one in certificate.families] == [name for name, *_ in default_families()]
    assert certificate.to_dict()["heaviest"] == certificate.heaviest.name
    assert certificate.plot().get_xlabel().startswith("share of the prediction after 30")
    with pytest.raises(ValueError, match="recent"):
        model.certificate(faded=True)
    with pytest.raises(ValueError, match="retire"):
        OnlineBoostClassifier(retire="yes").fit(X, y)


def test_on_the_command_line(tmp_path, capsys):
    X, y = stream(60)
    rows = [" ".join([str(label), *(f"{j + 1}:{v}" for j, v in enumerate(x))]) for x, label in zip(X, y, strict=True)]
    (tmp_path / "s.libsvm").write_text("\n".join(rows))
    saved = str(tmp_path / "m.ob")
    assert main(["train", str(tmp_path / "s.libsvm"), "--booster", "mixture", "--model", saved]) == 0
    assert "a mixture of 10 families, 60 examples" in capsys.readouterr().out
    for order in (["inspect", saved], ["inspect", "--json", saved], ["certify", saved], ["certify", "--json", saved]):
        assert main(order) == 0
        shown = capsys.readouterr().out
        assert "carries" in shown
        assert "json" in str(order) or max(map(len, shown.splitlines())) <= 80
    assert main(["train", saved, "--booster", "mixture", "--learner", "arow", "--model", saved]) != 0
    assert "leave --learner out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("families_at_work", lambda a: a[:-1]),
        ("families_at_work", lambda a: a + 1),
        ("families_present", lambda a: a * 0.5),
        ("stack_covariance", lambda a: -a),
        ("stack_covariance", lambda a: a * 3),
        ("stack_mean", lambda a: a * np.nan),
        ("moving.stack_covariance", lambda a: -a),
        ("moving.stack_weight", lambda a: a * 0),
        ("moving.stack_steps", lambda a: a + 1e16),
        ("expert_losses", lambda a: a - 1e9),
        ("largest_weight", lambda a: a * 0),
    ],
)
def test_forged_states_are_refused(field, change):
    X, y = stream(30)
    document, arrays = unpack(small().fit(X, y).to_bytes())
    arrays[field] = np.ascontiguousarray(change(arrays[field]))
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(learner="Perceptron"),
        lambda d: d["learner_parameters"].update(members=None),
        lambda d: d["learner_parameters"]["members"].append(3),
        lambda d: d["learner_parameters"]["members"][0].update(estimator="OnlineBoostClassifier"),
        lambda d: d["learner_parameters"]["members"][0].update(name=3),
        lambda d: d["learner_parameters"]["members"][0].update(most_features=-1),
        lambda d: d["learner_parameters"]["members"][0]["parameters"].update(n_learners=10**6),
        lambda d: d["learner_parameters"]["members"].extend(d["learner_parameters"]["members"] * 40),
    ],
)
def test_forged_descriptions_are_refused(change):
    X, y = stream(30)
    document, arrays = unpack(small().fit(X, y).to_bytes())
    change(document)
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))
