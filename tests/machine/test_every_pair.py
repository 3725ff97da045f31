"""Every booster over every weak learner, without exception: what a pair must do to be of use at all."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from states import same, state_of
from table import IN_PYTHON, each_booster, learners_of, make, stream

from onlineboost import from_bytes, prequential

pytestmark = pytest.mark.engine

X, Y = stream(40, 4)


@each_booster
def test_learns_tells_and_goes_on(booster):
    for learner in learners_of(booster):
        model = make(booster, learner)
        result = prequential(model, X[:30], Y[:30])
        assert (np.abs(result.margins) <= 1).all(), learner
        assert result.probabilities == pytest.approx(np.clip(result.probabilities, 0, 1)), learner
        assert (model.margin(X) != 0).any() or learner == "repeats", learner  # no row came twice
        twin = copy.deepcopy(model) if learner in IN_PYTHON else from_bytes(model.to_bytes())
        for one in (model, twin):
            one.learn_one(dict(enumerate(X[30])), Y[30])
            one.partial_fit(X[31:], Y[31:])
        assert same(state_of(twin), state_of(model)), learner
