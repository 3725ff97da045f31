"""What is declared is in the tests' table, among the golden files, on the command line and among the exports."""

from __future__ import annotations

from pathlib import Path

import make_golden_files as golden
import pytest
import table
from states import unpack

import onlineboost
from onlineboost.boosters import Booster
from onlineboost.cli import options
from onlineboost.learners import Learner

pytestmark = pytest.mark.quick

FOLDER = Path(__file__).parents[1] / "golden"


def names_in(described):
    """The names of classes in a model file's description."""
    if isinstance(described, dict):
        return set().union(*map(names_in, described.values()))
    if isinstance(described, list):
        return set().union(*map(names_in, described))
    return {described} if isinstance(described, str) else set()


@pytest.fixture(scope="module")
def kept():
    """The classes of which there are golden files."""
    return set().union(*(names_in(unpack(path.read_bytes())[0]) for path in FOLDER.glob("*.ob")))


@pytest.mark.parametrize("name", [*Booster.declared, *Learner.declared])
def test_what_is_declared_has_golden_files_and_a_name(name, kept):
    assert name in kept, "write its files with tools/make_golden_files.py"
    assert name in onlineboost.__all__


def test_the_table_has_every_learner_and_booster():
    assert {type(one).__name__ for one in table.NATIVE.values()} == set(Learner.declared)
    binary = {type(one).__name__ for one in table.BOOSTERS.values()}
    kinds = golden.MANY_CLASSES | golden.LABEL_SETS
    other = {type(make(table.NATIVE["perceptron"])).__name__ for make in kinds.values()}
    assert binary | other | {"OnlineBoostClassifier", "WindowBoostClassifier"} == set(Booster.declared)


def test_the_command_line_has_every_learner_and_booster():
    """But for wrappers, which take a learner themselves, and boosters of many classes."""
    learners = [one for one in Learner.declared.values() if "learner" not in one.parameters]
    boosters = [one for one in Booster.declared.values() if not one.many_classes]
    assert {one.name for one in learners} <= set(options.LEARNERS)
    assert {one.name for one in boosters} <= set(options.BOOSTERS)
    named = [one.name for one in (*Learner.declared.values(), *Booster.declared.values()) if one.name]
    assert len(set(named)) == len(named)
