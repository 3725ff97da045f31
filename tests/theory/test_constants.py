"""Every number in the formulas of the theory is pinned: change it, and a value is not what it was by other means."""

from importlib import import_module

import constant_mutants
import pytest

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", constant_mutants.PINS)
def test_every_mutant_of_a_constant_is_noticed(name):
    assert constant_mutants.holds(name, import_module(f"onlineboost.theory.{name}"))
    tried = list(constant_mutants.mutants(name))
    assert len(tried) > 10
    assert not [what for what, noticed in tried if not noticed]
