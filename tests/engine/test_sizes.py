"""Every number of learners from 1 to 136: blocks of registers, their rests and the padding behind the last learner."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from table import NATIVE, make, stream

from onlineboost import OSBoostClassifier, _core, prequential, theory

pytestmark = [pytest.mark.quick, pytest.mark.engine]

X, Y = stream(14, d=3, seed=5)
MOST = 136  # one block of sixteen registers of AVX-512, and one more of eight
SIZES = range(1, MOST + 1)
SOME = [*range(1, 18), 31, 32, 33, 40, 63, 64, 65, 96, *range(111, MOST + 1)]
IN_FULL = {"perceptron", "bayes-auto"}  # the others go by the same blocks
BANKS = (
    "perceptron",
    "bayes-auto",
    "bayes-gaussian",
    "gradient",
    "averaged",
    "adagrad",
    "ftrl",
    "arow",
    "scw",
    "ridge",
)


@contextmanager
def instruction_set(name):
    before = _core.instruction_set()
    _core.use_instruction_set(name)
    try:
        yield
    finally:
        _core.use_instruction_set(before)


@pytest.mark.parametrize("name", _core.instruction_sets())
@pytest.mark.parametrize("learner", BANKS)
def test_a_bank_of_any_size_is_the_beginning_of_a_larger_one(learner, name):
    """Learner i depends on those before it only, so that its outputs are those of the largest model, bit for bit."""

    def outputs(n):
        return theory.record(OSBoostClassifier(NATIVE[learner], n, random_state=3), X, Y).h

    with instruction_set(_core.instruction_sets()[0]):
        largest = outputs(MOST)
    assert np.abs(largest[-1]).min() > 0
    with instruction_set(name):
        for n in SIZES if learner in IN_FULL else SOME:
            np.testing.assert_array_equal(outputs(n), largest[:, :n], err_msg=f"{n} learners")


@pytest.mark.parametrize("name", _core.instruction_sets())
def test_sums_of_any_size_are_the_beginning_of_those_of_a_larger_model(name):
    """The whole stream's and the fading ones, the mass behind the last learner included."""

    def sums(n):
        model = OSBoostClassifier(NATIVE["perceptron"], n, fading=5.0, random_state=3).partial_fit(X, Y)
        return model.certificate(), model.certificate(faded=True)

    with instruction_set(_core.instruction_sets()[0]):
        largest = sums(MOST)
    with instruction_set(name):
        for n in SOME:
            for got, whole in zip(sums(n), largest, strict=True):
                for field in ("certified_error", "observed_error", "margin_error", "advantage", "effective_examples"):
                    np.testing.assert_array_equal(
                        getattr(got, field), getattr(whole, field)[:n], err_msg=f"{field} {n}"
                    )


@pytest.mark.skipif(len(_core.instruction_sets()) < 2, reason="this processor has one instruction set only")
@pytest.mark.parametrize("booster", ["osboost", "ocp", "eg", "experts", "ozaboost", "ogboost", "bbm", "adaboost-ol-w"])
def test_a_booster_of_any_size_gives_the_same_bits_on_every_instruction_set(booster):
    for n in range(1, 34):  # their sums go by blocks of eight
        margins = []
        for name in _core.instruction_sets():
            with instruction_set(name):
                margins.append(prequential(make(booster, "perceptron", n), X, Y).margins)
        for other in margins[1:]:
            np.testing.assert_array_equal(other, margins[0], err_msg=f"{n} learners")
