"""Memory of a loaded file is in proportion to its length, for every declared learner and booster."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from measure_reliability import forged, subjects

from onlineboost import OneVsRest, OSBoostClassifier, Perceptron

pytestmark = [pytest.mark.engine, pytest.mark.native_speed]  # a sanitizer's own memory cannot be limited so

NATIVE = {name: make for name, make in subjects.subjects().items() if not name.endswith(subjects.IN_PYTHON)}


def attack(make, seed=0):
    """What becomes of the forgeries of a model's file."""
    model = make()
    data = model.partial_fit(*subjects.rows(model, seed)).to_bytes()
    return {
        what: forged.loaded_within(file, forged.MARGIN + forged.PROPORTION * len(file))
        for what, file in forged.forgeries(data, 0, np.random.default_rng(seed), powers=False)
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork beside threads
@pytest.mark.parametrize("name", list(NATIVE))
def test_what_a_file_declares_takes_no_memory(name):
    assert {what: code for what, code in attack(NATIVE[name]).items() if code not in {0, 1}} == {}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_forgeries_take_memory_where_nothing_is_checked(monkeypatch):
    """So the test above can fail."""
    monkeypatch.setattr(sys.modules["onlineboost.persistence.restore"], "_check_size", lambda *_: None)
    found = attack(lambda: OneVsRest(OSBoostClassifier(Perceptron(), 100, random_state=0)))
    assert 2 in found.values()
