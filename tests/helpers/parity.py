"""The comparison of a native model with its twin in onlineboost.reference, on streams without ties."""

import numpy as np
import pytest
from sklearn.base import clone
from states import state_of
from twins import SANITIZED, SEED, TOLERANCE, assert_runs, run_native, run_reference

from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    BOLEClassifier,
    DefensiveClassifier,
    HoeffdingTree,
    NaiveBayes,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostADWINClassifier,
    OzaBoostClassifier,
    Perceptron,
)

KINDS = ("gaussian", "binary", "mixed")


def judges_outputs(booster):
    """Whether the sign of a learner's output is counted: by the algorithm, or by OSBoost's diagnostics."""
    judges = (OSBoostClassifier, BBMClassifier, AdaBoostOLClassifier, DefensiveClassifier)
    judges += (OzaBoostClassifier, OzaBoostADWINClassifier, BOLEClassifier)
    return isinstance(booster, judges) or getattr(booster, "n_candidates", 1) > 1


def build(booster, learner, n_learners, seed=SEED):
    learner = clone(learner)
    if judges_outputs(booster) and isinstance(learner, NaiveBayes):
        learner.set_params(alpha=max(learner.alpha, 0.5))
    if getattr(booster, "loss", "") in {"doom2", "savage"} and isinstance(learner, NaiveBayes):
        learner.set_params(alpha=max(learner.alpha, 1e-6))  # weights far below a count's rounding show beside 1e-16
    size = {} if isinstance(booster, OnlineClassifier | DefensiveClassifier) else {"n_learners": n_learners}
    return clone(booster).set_params(learner=learner, random_state=seed, **size)


def kinds_for(learner):
    return KINDS[:1] if getattr(learner, "init", None) == "zero" else KINDS


def needs_weights(booster, learner, kind):
    if isinstance(learner, HoeffdingTree):  # equal weights give leaves as many of one class as of the other
        return True
    if judges_outputs(booster) and getattr(learner, "init", None) == "zero" and learner.unit_norm:
        return True  # steps on one column, where every row is ±1, cancel but for rounding
    continuous = kind == "gaussian" and getattr(learner, "kind", None) != "bernoulli"
    return judges_outputs(booster) and not isinstance(learner, Perceptron) and not continuous


def assert_parity(model, stream, fresh, expected=None):
    """Margins before each update, the chance of an error, the mass of the weights, and predictions at the end."""
    if SANITIZED:
        assert_runs(model, stream, fresh)
        return
    expected = expected or run_reference(model, stream)
    after = np.array([expected.booster.margin(x) for x in fresh]) * stream.outside
    assert np.all(np.isfinite(expected.margins))
    for given_as in (stream, stream.csr()):
        got = run_native(clone(model), given_as)
        np.testing.assert_allclose(got.margins, expected.margins, rtol=0, atol=TOLERANCE)
        if expected.expected is not None and stream.two_labels:
            np.testing.assert_allclose(got.expected, expected.expected, rtol=0, atol=TOLERANCE)
        if isinstance(model, OSBoostClassifier):
            np.testing.assert_allclose(got.booster.weight_mass_, expected.booster.mass, rtol=TOLERANCE, atol=0)
            assert_same_sums(got.booster, expected, stream)
        if isinstance(model, BBMClassifier | AdaBoostOLClassifier):
            state = state_of(got.booster)
            total = TOLERANCE * float(len(stream.y) if stream.s is None else np.sum(stream.s))
            np.testing.assert_allclose(state["weight_mass"], expected.booster.mass, rtol=TOLERANCE, atol=total)
            np.testing.assert_allclose(state["weighted_edges"], expected.booster.edges, rtol=TOLERANCE, atol=total)
        if isinstance(model, DefensiveClassifier):
            state = state_of(got.booster)
            for name, short in (("lambda", "lam"), ("theta", "th")):
                assert state[name][0] == pytest.approx(expected.booster.v[short], abs=TOLERANCE)
                assert state[f"{name}_path"][0] == pytest.approx(expected.booster.path[short], rel=1e-6, abs=TOLERANCE)
        assert got.booster.n_examples_ == expected.booster.rounds
        np.testing.assert_allclose(got.booster.margin(fresh), after, rtol=0, atol=TOLERANCE)


SUMS = {
    "weight_squares": "squares",
    "weighted_edges": "edge",
    "margin_shortfalls": "shortfall",
    "margin_errors": "thin",
    "prefix_mistakes": "wrong",
}


def assert_same_sums(model, expected, stream):
    """The diagnostics, of the whole stream and of its recent part. Whether a tie is an error, rounding decides."""
    state, booster = state_of(model), expected.booster
    weight = max(float(booster.mass[0]), 1e-300)
    copies = [("", booster.sums)] + ([("faded_", booster.faded)] if booster.faded is not None else [])
    for prefix, sums in copies:
        for name, attribute in SUMS.items():
            largest = 1.0 if stream.s is None else float(stream.s.max())
            scale = weight * (largest if name == "weight_squares" else len(booster.alpha))
            slack = TOLERANCE * scale + (expected.ties if name == "prefix_mistakes" else 0.0)
            np.testing.assert_allclose(
                state[prefix + name], getattr(sums, attribute), rtol=TOLERANCE, atol=slack, err_msg=name
            )
    assert state["vote_mistakes"][0] == pytest.approx(booster.mistakes, abs=TOLERANCE * weight + expected.ties)
    if booster.vote in {"ocp", "eg"}:
        for name in (f"{booster.vote}_{what}" for what in ("loss", "rate", "path")):
            assert state[name][0] == pytest.approx(getattr(booster, name), rel=1e-6, abs=TOLERANCE * weight)
    if booster.vote == "experts":
        assert state["expected_mistakes"][0] == pytest.approx(booster.expected_mistakes, abs=TOLERANCE * weight)
