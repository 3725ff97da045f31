"""Our own methods on the paper's protocol."""

import numpy as np
import pytest

from onlineboost import datasets, prequential
from onlineboost.experiments import grid, own, paper
from onlineboost.experiments.store import Store

pytestmark = pytest.mark.quick


def test_rows_are_those_of_the_store(tmp_path):
    """A cell is the method on the trial's order; the paper's best is the least of its means here."""
    data = datasets.load("breast-cancer")
    hashes = {"breast-cancer": grid.fingerprint(data)}
    store = Store(tmp_path)
    cells = own.cells(hashes, 2) + grid.paper_grid(hashes, trials=2)
    assert len(grid.unique(cells)) == len(cells)
    fake = np.random.default_rng(0).uniform(0.1, 0.2, len(cells))
    for config, error in zip(cells, fake, strict=True):
        store.add(config, {"error": float(error)})
    (row,) = own.rows(store, hashes, 2)
    assert [one.error for one in row.own] == pytest.approx(fake[: 2 * len(own.METHODS)].reshape(-1, 2).mean(axis=1))
    means = fake[2 * len(own.METHODS) :].reshape(-1, 2).mean(axis=1)
    assert row.paper.error == pytest.approx(means.min())
    learner, algorithm = divmod(int(means.argmin()), len(paper.ALGORITHMS))
    assert row.best.endswith(paper.learner_title(paper.LEARNERS[learner]))
    assert paper.ALGORITHMS[algorithm] in (row.best, row.best.split(",")[0]) or row.best.startswith("one ")
    assert "breast-cancer" in own.markdown([row])
    method = "OSBoost over 30 Hoeffding trees"
    order = np.random.default_rng(1).permutation(len(data.y))
    expected = prequential(own.METHODS[method](1), data.X[order], data.y[order]).error
    assert grid.run_cell(grid.cell("breast-cancer", hashes["breast-cancer"], grid.OWN, method, 1))["error"] == expected
