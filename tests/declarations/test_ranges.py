"""Every declared parameter of every learner and booster, at both ends of its range; the cases are the declarations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from table import stream

from onlineboost import Perceptron, prequential
from onlineboost.boosters import Booster, OSBoost
from onlineboost.declarations import Choice, Flag, Integer, Object, Real
from onlineboost.estimators import ESTIMATORS, as_estimator
from onlineboost.learners import Learner
from onlineboost.machine import Machine

pytestmark = pytest.mark.quick

X, y = stream(12, d=5)
FIT_ONLY = {"shuffle", "n_passes", "verbose"}
CHEAP = 10_000  # a bank of more learners or components is not built here
WITH = {"theta": {"gamma": 0.5}, "estimates": {"kind": "gaussian"}}  # what else a value needs

each_kind = pytest.mark.parametrize(
    "kind", [*Booster.declared.values(), *Learner.declared.values()], ids=lambda kind: kind.__name__
)


def ranges(kind):
    """Names and declarations of the parameters that have a range."""
    return [(name, declared) for name, declared in kind.parameters.items() if not isinstance(declared, Object)]


def ends(declared):
    """The first and the last value of the range."""
    if isinstance(declared, Integer):
        return [declared.low, declared.high]
    low = math.nextafter(declared.low, math.inf) if declared.low_open else declared.low
    high = math.nextafter(declared.high, -math.inf) if declared.high_open else declared.high
    return [low, high]


def inside(declared):
    """Values that are allowed, those at the ends among them."""
    given = {
        Real: lambda: [*ends(declared), np.float64(ends(declared)[0])],
        Integer: lambda: [*ends(declared), np.int64(declared.low)],
        Choice: lambda: list(declared.of),
        Flag: lambda: [True, False, np.True_, 0, 1],
    }[type(declared)]()
    return [*given, *declared.words, *([None] if declared.optional else [])]


def outside(declared):
    """The nearest values that are not allowed, and values of another type."""
    given = ["no such word", [1], *([] if declared.optional else [None])]
    if isinstance(declared, Real):
        beyond = [
            declared.low if declared.low_open else math.nextafter(declared.low, -math.inf),
            declared.high if declared.high_open else math.nextafter(declared.high, math.inf),
        ]
        return [*beyond, math.nan, -math.inf, True, "0.1", 1j, *given]
    if isinstance(declared, Integer):
        return [declared.low - 1, declared.high + 1, float(declared.low), True, str(declared.low), math.nan, *given]
    if isinstance(declared, Choice):
        return [declared.of[0].swapcase(), "", 1, math.nan, *given]
    return ["yes", 0.5, math.nan, *given]


def model_with(kind, name, value):
    """An estimator that has the parameter, or whose learner has it."""
    given = {name: value} | WITH.get(name, {})
    if issubclass(kind, Booster):
        return as_estimator(kind(random_state=0, **given) if "random_state" in kind.parameters else kind(**given))
    inner = {"learner": Perceptron()} if "learner" in kind.parameters else {}
    return as_estimator(OSBoost(kind(**inner, **given), 1, random_state=0))


def refuses(model, match, *, everywhere=True):
    """Every way of starting says the same, and none of them starts."""
    before = dict(vars(model))
    labels, one = (np.eye(2)[y], {1}) if model.booster_type.label_sets else (y, 1)
    ways = [lambda: model.fit(X, labels)]
    if everywhere:
        ways += [
            lambda: model.partial_fit(X, labels),
            lambda: model.learn_one({"a": 1.0}, one),
            lambda: prequential(model, X, labels),
        ]
    for start in ways:
        with pytest.raises((ValueError, TypeError), match=match):
            start()
        assert vars(model) == before


@each_kind
def test_the_ends_of_a_range_are_allowed(kind):
    for name, declared in ranges(kind):
        for value in inside(declared):
            recipe = model_with(kind, name, value).recipe()
            recipe.check() if not isinstance(value, int) or value <= CHEAP else declared.check(name, value)
            plain = declared.check(name, value)
            assert plain == value, name
            assert type(plain) in {float, int, str, bool, type(None)}, name


@each_kind
def test_the_engine_builds_what_the_declaration_allows(kind):
    for name, declared in ranges(kind):
        for value in inside(declared):
            if not isinstance(value, int) or value <= CHEAP:
                Machine(model_with(kind, name, value).recipe()).make_engine()


@each_kind
def test_what_lies_outside_is_refused_by_name(kind):
    for name, declared in ranges(kind):
        for turn, value in enumerate(outside(declared)):
            match = f"^{name} must be .*not "
            refuses(model_with(kind, name, value), match, everywhere=turn == 0 and name not in FIT_ONLY)


@each_kind
def test_the_default_is_allowed_and_told(kind):
    for name, declared in ranges(kind):
        assert declared.check(name, declared.default) == declared.default
        assert declared.text.endswith((".", "…")), name
        assert declared.range in (kind.__doc__ or ""), name


def test_sentences():
    """As a user reads them."""
    for name, value, sentence in [
        ("eta0", 0, "eta0 must be a number in (0, inf) or 'theory', not 0."),
        ("theta", 0.5, "theta must be a number in [0, 0.5) or None, not 0.5."),
        ("n_learners", 2.0, "n_learners must be an integer from 1 to 1,000,000, not 2.0."),
        ("schedule", None, "schedule must be one of 'sqrt', 'adaptive', not None."),
    ]:
        with pytest.raises(ValueError) as raised:  # the whole sentence is compared
            as_estimator(OSBoost(**{name: value})).partial_fit(X, y)
        assert str(raised.value) == sentence
    with pytest.raises(ValueError, match=r"^shuffle must be True or False or None, not 'yes'\.$"):
        as_estimator(OSBoost(shuffle="yes")).fit(X, y)
    with pytest.raises(ValueError, match=r"^theta must be a number in \[0, 0\.1\), not 0\.1\.$"):
        as_estimator(OSBoost(theta=0.1)).fit(X, y)


def test_every_booster_has_its_estimator():
    assert {kind.booster_type for kind in ESTIMATORS.values()} == set(Booster.declared.values())
    assert set(ESTIMATORS) == set(Booster.declared)
