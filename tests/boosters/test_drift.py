"""OSBoost whose learners begin anew: resets as the reference has them, certificates exact through them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from states import state_of
from table import NATIVE, in_turn
from twins import TOLERANCE, ReferenceLearner, ScriptedLearner, Stream, run_native, run_reference

from onlineboost import (
    AROW,
    BOLEClassifier,
    HoeffdingTree,
    NaiveBayes,
    OSBoostClassifier,
    OzaBoostADWINClassifier,
    prequential,
    reference,
)
from onlineboost.drift import ADWIN
from onlineboost.merging import CannotMergeError, merge
from onlineboost.theory import sentences
from onlineboost.theory.runs import follow

pytestmark = [pytest.mark.quick, pytest.mark.engine]


def flipped(n, d=4, seed=0, noise=0.0):
    """A linear concept whose labels all change sign in the middle."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) > 0, 1, -1)
    y[n // 2 :] *= -1
    y[rng.random(n) < noise] *= -1
    return X, y


@in_turn("seed", range(5))
def test_adwin_is_the_reference(seed):
    rng = np.random.default_rng(seed)
    values = rng.random(900) < np.repeat([0.1, 0.4, 0.2], 300)
    native, twin = ADWIN(0.05, clock=7), reference.ADWIN(0.05, clock=7)
    cuts = 0
    for x in values:
        cut = native.update(x)
        assert cut == twin.update(float(x))
        assert not cut or native.rose == twin.rose
        assert native.width == sum(size for size, *_ in twin.buckets)
        cuts += cut
    assert cuts > 0


KINDS = ("adwin", "restart", "background")


@pytest.mark.parametrize(
    ("learner", "drift"),
    [
        pytest.param(learner, drift, marks=() if (i + k) % 3 == 0 else pytest.mark.slow)  # each learner once quickly
        for i, learner in enumerate(NATIVE)
        for k, drift in enumerate(KINDS)
    ],
)
def test_learners_that_begin_anew_are_as_if_untaught(learner, drift):
    """The twin repeats the whole stream without what a learner was taught before its reset."""
    quick = learner in {"perceptron", "tree", "PassiveAggressive"}  # to turn by themselves
    X, y = flipped(260 if quick else 160, d=3, seed=1)
    if quick:
        y[130:] = np.random.default_rng(1).choice([-1, 1], size=130)
    s = np.random.default_rng(2).uniform(0.5, 1.0, size=len(y))  # no ties
    delta = 0.99 if quick else 0.1
    model = OSBoostClassifier(clone(NATIVE[learner]), 3, random_state=7, gamma=0.2, drift=drift, drift_delta=delta)
    stream = Stream(X, y, s)
    got, wanted = run_native(model, stream), run_reference(clone(model), stream)
    np.testing.assert_allclose(got.margins, wanted.margins, atol=TOLERANCE)
    resets = model.machine.booster_state()["resets"]
    np.testing.assert_array_equal(resets, wanted.booster.resets)
    assert resets.max() > 0 or learner in {"LastLabel", "repeats"}, "they err as before"
    events = model.changes_
    assert len(events) == (resets[0] if drift == "restart" else resets.sum())
    assert quick or all(one.example > 80 for one in events)
    assert all((one.learner is None) == (drift == "restart") for one in events)


@pytest.mark.parametrize("vote", ["uniform", "ocp", "eg", "experts"])
@in_turn("learner", [AROW(), NaiveBayes(), HoeffdingTree(grace_period=20)])
def test_every_sentence_of_the_certificate_holds_through_resets(vote, learner):
    """Drawn streams with changes, resets and weights; each sentence is checked from the outputs, not from sums."""
    for seed in range(3):
        X, y = flipped(600, seed=seed, noise=0.1)
        s = np.random.default_rng(seed).exponential(size=600)
        drift = ("adwin", "background", "background")[seed]
        model = OSBoostClassifier(clone(learner), 12, vote=vote, random_state=0, drift=drift, drift_delta=0.3)
        run = follow(model, X, y, sample_weight=s)
        assert len(model.changes_) > 0
        certificate = model.certificate()
        checked = [one for one, _ in sentences.told(certificate) if one.chance == 0]
        assert len(checked) >= 4
        for one in checked:
            assert one.check(certificate, run) <= 1e-9, one.name
        np.testing.assert_allclose(certificate.observed_error, run.s @ (np.cumsum(run.m, axis=1) <= 0) / run.total)


def test_recovery_after_a_late_change():
    """AROW has no variance left after 20,000 examples; with resets it is right again after a few hundred."""
    X, y = flipped(40_000, d=8, seed=3)
    late = slice(20_400, 21_400)
    error = {}
    for drift in (None, "adwin", "restart", "background"):
        model = OSBoostClassifier(AROW(), 10, random_state=0, drift=drift)
        model.partial_fit(X[:20_000], y[:20_000])
        model.partial_fit(X[20_000:20_400], y[20_000:20_400])
        error[drift] = np.mean(model.predict(X[late]) != y[late])
    assert error[None] > 0.4
    assert error["adwin"] < 0.1
    assert error["restart"] < 0.1
    assert error["background"] < 0.1


def test_an_understudy_begins_at_the_warning():
    """Most learners are replaced by one that was taught since a warning, and none before the change."""
    X, y = flipped(4000, d=5, seed=3, noise=0.1)
    model = OSBoostClassifier(HoeffdingTree(), 10, random_state=0, drift="background", drift_delta=1e-5)
    changes = prequential(model, X, y).changes
    assert len(changes) == len(model.changes_) == state_of(model)["resets"].sum() >= 8
    assert min(example for example, _ in changes) > 2000
    assert state_of(model)["second_speaks"].sum() >= 5
    with pytest.raises(TypeError, match="native bank"):
        OSBoostClassifier(ReferenceLearner(AROW()), 3, drift="background").partial_fit(X[:5], y[:5])


def test_batches_pickles_and_files_make_no_difference():
    X, y = flipped(700, seed=5)
    for drift in ("adwin", "restart", "background"):
        whole = OSBoostClassifier(NaiveBayes(), 9, random_state=1, drift=drift, drift_delta=0.1).partial_fit(X, y)
        parts = OSBoostClassifier(NaiveBayes(), 9, random_state=1, drift=drift, drift_delta=0.1)
        for at in range(0, 700, 53):
            parts.partial_fit(X[at : at + 53], y[at : at + 53], classes=[-1, 1])
            parts = pickle.loads(pickle.dumps(parts))
        assert len(whole.changes_) > 0
        assert whole.changes_ == parts.changes_
        np.testing.assert_array_equal(whole.margin(X), parts.margin(X))


@pytest.mark.parametrize("drift", ["adwin", "background"])
@in_turn("learner", [AROW(), HoeffdingTree(grace_period=20)])
def test_many_classes(learner, drift):
    """Three classes whose names are turned round: learners are reset, and are right again soon after."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = np.argmax(X, axis=1)
    y[4000:] = (y[4000:] + 1) % 3
    model = OSBoostClassifier(learner, 8, random_state=0, drift=drift)
    model.partial_fit(X[:4000], y[:4000])
    before = len(model.changes_)
    model.partial_fit(X[4000:5000], y[4000:5000])
    assert before == 0
    assert len(model.changes_) >= 8
    resumed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(resumed.predict_proba(X), model.predict_proba(X))
    old = OSBoostClassifier(clone(learner), 8, random_state=0).partial_fit(X[:5000], y[:5000])
    errors = [np.mean(one.predict(X[5000:]) != y[5000:]) for one in (model, old)]
    assert errors[0] < 0.3
    assert errors[1] > 0.6


@pytest.mark.parametrize("native", [OSBoostClassifier, OzaBoostADWINClassifier, BOLEClassifier])
def test_banks_in_python_are_reset_as_native_ones(native):
    """The NumPy twin of a learner has no forget(): each reset learner goes on in a fresh bank."""
    X, y = flipped(200, d=3, seed=1)
    s = np.random.default_rng(2).uniform(0.5, 1.0, size=len(y))
    more = {"drift": "adwin"} if native is OSBoostClassifier else {}
    models = [native(one, 3, random_state=7, drift_delta=0.3, **more) for one in (AROW(), ReferenceLearner(AROW()))]
    margins = [run_native(model, Stream(X, y, s)).margins for model in models]
    np.testing.assert_allclose(*margins, atol=TOLERANCE)
    assert models[0].changes_ == models[1].changes_
    assert len(models[0].changes_) > 0
    resumed = pickle.loads(pickle.dumps(models[1]))
    np.testing.assert_array_equal(resumed.margin(X), models[1].margin(X))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [OzaBoostADWINClassifier, BOLEClassifier])
@in_turn("learner", ["arow", "bayes-gaussian", "tree"])
def test_peers_are_their_references(kind, learner):
    X, y = flipped(260, d=3, seed=4, noise=0.05)
    s = np.random.default_rng(3).uniform(0.5, 1.0, size=len(y))
    for update in ("poisson", "weight"):
        model = kind(clone(NATIVE[learner]), 4, random_state=7, drift_delta=0.5, update=update)
        if kind is BOLEClassifier and update == "weight":
            model.set_params(error_bound=0.6, weight_shift=0.5)
        got, wanted = run_native(model, Stream(X, y, s)), run_reference(clone(model), Stream(X, y, s))
        np.testing.assert_allclose(got.margins, wanted.margins, atol=TOLERANCE)
        np.testing.assert_array_equal(model.machine.booster_state()["resets"], wanted.booster.resets)
        assert len(model.changes_) > 0


def test_the_vote_by_fixed_share_follows_the_best_prefix_of_each_stretch():
    """The first learner is right, then the sum of all three: the bound holds in the part since, where it is tight."""
    n, rng = 3000, np.random.default_rng(0)
    y = rng.choice([-1, 1], size=n)
    h = np.where(np.arange(n)[:, None] < n // 2, [0.1, -0.5, -0.5], [-0.1, -0.5, 0.9]) * y[:, None]
    flips = rng.random(n) < 0.02
    h[flips] *= -1
    model = OSBoostClassifier(ScriptedLearner(), 3, vote="experts", expert_rate="share", random_state=0)
    model.partial_fit(h[: n // 2], y[: n // 2])
    earlier = model.certificate()
    run = follow(model, h[n // 2 :], y[n // 2 :])
    recent = model.certificate().since(earlier)
    assert recent.vote.mistakes == run.vote_mistakes()
    assert recent.vote.best_loss == run.mistakes().min() == flips[n // 2 :].sum()
    assert recent.vote.mistakes <= recent.vote.best_loss + 20  # Bayes' rule or halving would err 1,500 times
    assert recent.vote_error <= recent.certified_vote_error < 0.12
    assert recent.violations == 0


def test_what_cannot_be_is_refused():
    X, y = flipped(20)
    with pytest.raises(ValueError, match="drift must be"):
        OSBoostClassifier(drift="page-hinkley").partial_fit(X, y)
    models = [OSBoostClassifier(AROW(), 3, random_state=0, drift="adwin").partial_fit(X, y) for _ in range(2)]
    with pytest.raises(CannotMergeError, match="drift"):
        merge(models)
