"""The page of errors from made-up cells; what is measured is not tested here."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import run
from benchmarks.accuracy import plan, report, retraining, rows
from benchmarks.accuracy.measure import Cells
from scipy import stats

from onlineboost.evaluation.metrics.probabilities import calibration_error, log_loss
from onlineboost.evaluation.metrics.sums import Sums

pytest.importorskip("matplotlib", reason="the diagram needs matplotlib")


def made_up(error, order=0):
    return {
        "version": "1",
        "examples": 100,
        "error": error,
        "examples_per_second": 1000.0,
        "examples_per_cpu_second": 2000.0,
        "peak_mb": 50.0,
        "commit": "abc1234",
        "time": f"2026-01-0{order + 1}T00:00:00+00:00",
    }


@pytest.fixture
def cells(tmp_path):
    """The default errs half of the best figure, system k of the others k times the best, ± a tenth by the order."""
    found = Cells(tmp_path / "cells.json")
    for cell in plan.cells():
        k = list(plan.BY_NAME).index(cell.system)
        error = plan.DATA[cell.data].best * ((k + 1) if k else 0.5) * (1 + 0.1 * (-1) ** cell.order)
        found.found[cell.key] = made_up(error, cell.order)
    return found


def test_every_system_shares_its_rows_with_the_default():
    for data in plan.DATA:
        ours = {(cell.order, cell.rows) for cell in plan.shared(plan.DEFAULT, data)}
        for name, system in ((system.name, system) for system in plan.SYSTEMS):
            theirs = {(cell.order, cell.rows) for cell in plan.shared(name, data)}
            assert theirs == (set() if system.small and not plan.DATA[data].is_small else ours)
    assert len({cell.key for cell in plan.cells()}) == len(plan.cells())


def test_a_task_is_one_system_on_one_data_set_and_loses_no_cell():
    wanted = plan.cells()
    tasks = plan.tasks(wanted)
    assert [cell for task in tasks for cell in task] == wanted
    for task in tasks:
        assert len({(cell.system, cell.data, cell.rows) for cell in task}) == 1


def test_cells_are_read_back(cells):
    cells.duels.append({plan.DEFAULT: made_up(0.1), plan.ARF: made_up(0.2)})
    cells.write()
    again = Cells(cells.path)
    assert again.found == cells.found
    assert again.duels == cells.duels
    assert len(cells.path.read_text().splitlines()) == len(cells.found) + 1 + 6  # one line each, so that changes show
    assert Cells(cells.path.with_name("none.json")).found == {}


def test_ranks_and_critical_difference(cells):
    names = [system.name for system in plan.SYSTEMS if not system.small]
    ranking = report.ranking_of(cells, names, plan.shared)
    assert ranking is not None
    k, n = len(names), len(plan.DATA)
    assert ranking.mean_ranks == tuple(range(1, k + 1))  # as they were made up
    errors = [[np.mean(report.errors_of(cells, plan.shared(name, data))) for data in plan.DATA] for name in names]
    assert ranking.p_value == pytest.approx(stats.friedmanchisquare(*errors).pvalue)
    # With the same order on every data set Friedman's statistic is n (k - 1).
    assert ranking.p_value == pytest.approx(stats.chi2.sf(n * (k - 1), k - 1))
    four = report.ranking_of(cells, names[:4], plan.shared)
    assert four.critical_difference == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * n)), abs=2e-3)  # Demšar, Table 5


def test_a_data_set_with_a_gap_has_no_say_in_the_ranks(cells):
    del cells.found[plan.shared(plan.ARF, "covertype")[0].key]
    names = [system.name for system in plan.SYSTEMS if not system.small]
    assert report.ranking_of(cells, names, plan.shared).data_sets == len(plan.DATA) - 1


def test_the_page_says_what_was_reached(cells, tmp_path):
    image = tmp_path / "accuracy.png"
    cells.duels = [
        {plan.DEFAULT: made_up(0.1) | {"examples_per_cpu_second": 2000.0 * r}, plan.ARF: made_up(0.2)}
        for r in (5, 30, 40)
    ]
    text = "\n".join(report.lines_of(cells, image))
    assert image.read_bytes().startswith(b"\x89PNG")
    assert f"{len(plan.DATA)} of {len(plan.DATA)} | ≥ 8 of 12 | reached" in text
    assert "| 30.0 × | ≥ 20 × | reached |" in text
    assert "| 6.00 × (6.00, VW alone, over 1.00) | ≥ 1 × | reached |" in text
    # heart, five orders: 0.1837 / 2 times 1.1, 0.9, 1.1, 0.9, 1.1, whose mean is 1.02 and whose standard error 0.049
    assert "| heart | 5 | 0.0937 ± 0.0045 | 0.1837 | AROW, full | 0.510 | yes | yes |" in text
    assert "**0.0937 ± 0.0045**" in text
    assert "at commit abc1234" in text


def test_two_standard_errors_and_ten_percent(cells):
    """German: 1.05 times the best without any spread is near it, but not at it; 1.2 times with a large one is at it."""
    best = plan.DATA["german"].best

    def row(errors):
        for cell, error in zip(plan.whole(plan.DEFAULT, "german"), errors, strict=True):
            cells.found[cell.key] = made_up(error)
        return next(line for line in report.ceiling_table(cells)[0] if line.startswith("| german"))

    assert row([1.05 * best] * 5).endswith("| 1.050 | no | yes |")
    assert row([0.8 * best, 1.6 * best, 1.2 * best, 0.8 * best, 1.6 * best]).endswith("| 1.200 | yes | no |")


def test_an_empty_page_is_written(tmp_path):
    cells = Cells(tmp_path / "cells.json")
    cells.found["x"] = made_up(0.5)
    text = "\n".join(report.lines_of(cells, tmp_path / "none.png"))
    assert "Not measured yet." in text
    assert not (tmp_path / "none.png").exists()


def test_peers_get_scaled_rows_and_we_do_not(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = sp.csr_array(rng.integers(1, 5, (50, 3)).astype(float)), np.where(rng.random(50) > 0.5, 1, -1)
    monkeypatch.setattr(rows, "load", lambda *_: (X, y))
    streams = rows.Streams(tmp_path, None)
    order = np.random.default_rng(3).permutation(50)
    with np.load(streams.path(plan.Cell(plan.DEFAULT, "splice", 3))) as raw:
        assert np.array_equal(raw["data"].reshape(50, 3), X.toarray()[order])
        assert raw["order"] == 3
    with np.load(streams.path(plan.Cell(plan.ARF, "splice", 3, 20))) as scaled:
        assert np.array_equal(scaled["y"], y[order[:20]])
        dense = sp.csr_array((scaled["data"], scaled["indices"], scaled["indptr"]), shape=(20, 3)).toarray()
    np.testing.assert_allclose(dense, (2 * (X.toarray() - 1) / 3 - 1)[order[:20]])


def test_the_default_beside_retraining(cells, tmp_path):
    """Made up: LightGBM errs as the prototypes did, in half of our time; the default half as much but for one set."""
    for data in plan.DATA:
        for system in retraining.SYSTEMS[1:]:
            for cell in plan.retrained(system, data):
                cells.found[cell.key] = made_up(plan.DATA[data].best) | {"examples_per_cpu_second": 4000.0}
    del cells.found[plan.retrained("XGBoost", "adult")[0].key]
    cells.found[plan.retrained(plan.DEFAULT, "covertype")[0].key]["error"] = 0.5
    for system, error, loss in ((plan.DEFAULT, 0.1, 0.3), (plan.LIGHTGBM, 0.2, 0.2)):
        cells.found[plan.retrained(system, "elec")[0].key] = made_up(error) | {"log_loss": loss}
    for cell in plan.retrained(plan.LOW.name, "adult"):
        cells.found[cell.key] = made_up(0.16) | {"examples_per_cpu_second": 1e5}
    lines, marks = retraining.lines_of(cells, tmp_path / "picture.png")
    assert "| heart | **0.0937 ± 0.0045** | 0.1837 ± 0.0000 | 0.1837 ± 0.0000 |" in "\n".join(lines)
    assert "| heart | 0.1 s, 50 MB | 0.0 s, 50 MB |" in "\n".join(lines)
    assert next(line for line in lines if line.startswith("| adult")).endswith("| 0.1526 | – | 0.1526 | 0.1526 |")
    assert "| elec | 0.3000 | – | **0.2000** | – | – | – |" in lines
    assert [(mark.measured, mark.verdict) for mark in marks] == [
        (11, "missed by 8.3 %"),
        (pytest.approx((0.51**7 * 0.55**4 * 0.5 / 0.0944) ** (1 / 12)), "reached"),
        (pytest.approx(0.51 * 0.0649), "reached"),  # splice
        (pytest.approx(0.55 * 0.0191), "reached"),  # ijcnn1
        (pytest.approx(0.55 * 0.0366), "reached"),  # cod-rna
        (0.5, "missed by 615.3 %"),  # covertype
        (1, "reached"),  # elec
        (2, "missed by 100.0 %"),
        (100_000, "reached"),  # at low effort
        (0.16, "missed by 4.6 %"),
    ]
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert retraining.lines_of(Cells(), None)[1] == []


@pytest.mark.parametrize("classes", [2, 4])
def test_forecasts_are_scored_as_our_metrics_do(classes, monkeypatch):
    monkeypatch.syspath_prepend(str(run.PEERS))
    common = importlib.import_module("common")
    rng = np.random.default_rng(0)
    P, y = rng.dirichlet(np.ones(classes), 500), rng.integers(0, classes, 500)
    sums = Sums.of(y, P.argmax(axis=1), P, np.ones(500), classes, -1)
    assert common.forecast_scores(P, y) == pytest.approx(
        {"log_loss": log_loss(sums), "calibration_error": calibration_error(sums)}
    )
