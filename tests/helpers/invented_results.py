"""Results that no one measured: a store with every cell that figures and report look at, and no data set needed."""

from types import SimpleNamespace
from unittest import mock

import numpy as np
import scipy.sparse as sp

from onlineboost.experiments import grid, paper
from onlineboost.experiments.store import Store

DATA_SETS = ("heart", "german", "mushrooms", "web page")
HASHES = {name: f"{number:016x}" for number, name in enumerate(DATA_SETS)}
TRIALS = 3
EXAMPLES = 12_345


def result(error, rng):
    """A cell's record with this error at the end of its curve."""
    t = np.unique(np.linspace(1, EXAMPLES, 60).round().astype(int))
    noise = rng.normal(0, 0.02, len(t)) * error * np.sqrt(1 / t.astype(float)) * 10
    curve = error * (1 + 4 * np.exp(-t / 600)) + noise
    curve[-1] = error
    return {"examples": EXAMPLES, "error": error, "curve": {"t": t.tolist(), "error": curve.tolist()}, "seconds": 0.1}


def store(folder, trials=TRIALS):
    """Tables 1 to 4, and for german the sizes and the values of γ."""
    rng = np.random.default_rng(7)
    results = Store(folder)
    cells = grid.paper_grid(HASHES, trials=trials)
    for learner in paper.LEARNERS:
        for study in (grid.SIZE_STUDY, grid.GAMMA_STUDY):
            cells += grid.study_grid(study, "german", HASHES["german"], learner, trials)
    with mock.patch("os.fsync"):  # durability takes seconds here and is not what is tested
        for cell in grid.unique(cells):
            printed = paper.FIGURES[cell["data"], cell["learner"], cell["algorithm"]]
            factor = 1 + rng.normal(0, 0.02) + 0.05 * np.log10(cell["n_learners"] / 100) ** 2
            results.add(cell, result(float(printed * factor), rng))
    return results


def data(name="german", rows=300):
    """A data set of that name."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 6))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=rows) > 0, 1, -1)
    return SimpleNamespace(name=name, X=sp.csr_array(X), y=y, notes=())
