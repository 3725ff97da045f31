"""Which rooms of the package may import scikit-learn and SciPy; the others work without them."""

from __future__ import annotations

import subprocess
import sys

import pytest

MAY = (
    *("estimators", "theory.smoothboost", "theory.hindsight", "datasets", "experiments", "reference", "keyed", "spark"),
    *("cli.datasets", "cli.reproduce"),
)

# A name that is None among the modules cannot be imported.
WALK = f"""
import importlib, pkgutil, sys
for name in ("sklearn", "scipy", "pandas", "river"):
    sys.modules[name] = None
import onlineboost
found = []
for module in pkgutil.walk_packages(onlineboost.__path__, "onlineboost."):
    if not module.name.removeprefix("onlineboost.").startswith({MAY!r}) and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        found.append(module.name)
print(*found)
"""

LEARN = """
import sys
for name in ("sklearn", "scipy", "pandas", "river"):
    sys.modules[name] = None
import numpy as np
from onlineboost.boosters import Mixture, OneVsRest, OSBoost
from onlineboost.learners import NaiveBayes
from onlineboost.machine import DenseRows, Machine
from onlineboost.machine.table import Table
from onlineboost.persistence import load_machine, save
X = np.random.default_rng(0).normal(size=(60, 3))
for recipe in (OSBoost(NaiveBayes(), 3, random_state=0), Mixture(random_state=0), OneVsRest(OSBoost(random_state=0))):
    machine = Machine(recipe)
    machine.learn(Table(DenseRows(X)), (X[:, 0] > 0).astype(int))
    save(machine, "model.ob")
    again = load_machine("model.ob")
    again = again[0] if isinstance(again, tuple) else again
    told = [one.opinion(Table(DenseRows(X))).probabilities.tobytes() for one in (machine, again)]
    assert told[0] == told[1]
print("fine")
"""


def run(program, folder):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


@pytest.mark.quick
def test_most_rooms_need_neither_scikit_learn_nor_scipy(tmp_path):
    found = {name.split(".")[1] for name in run(WALK, tmp_path)}
    assert found >= {
        *("machine", "boosters", "learners", "declarations", "persistence", "streams"),
        *("evaluation", "explanation", "cli", "files", "theory"),
    }


@pytest.mark.quick
def test_a_machine_learns_and_is_saved_without_them(tmp_path):
    assert run(LEARN, tmp_path) == ["fine"]
