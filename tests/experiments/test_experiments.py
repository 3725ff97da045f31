"""Grids, store, runner, statistics, tables and claims, on the embedded data sets."""

import csv
import io
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from onlineboost import datasets
from onlineboost.experiments import claims, grid, paper, runner, statistics, tables
from onlineboost.experiments.store import Store

pytestmark = pytest.mark.quick

DATA = "diabetes"


@pytest.fixture(scope="module")
def data_hash():
    return grid.fingerprint(datasets.load(DATA))


@pytest.fixture(scope="module")
def store(tmp_path_factory, data_hash):
    """Tables 1 to 4 for one data set, two trials."""
    filled = Store(tmp_path_factory.mktemp("out"))
    runner.run(grid.paper_grid({DATA: data_hash}, trials=2), filled, jobs=1)
    return filled


class TestPaper:
    def test_figures_are_the_printed_ones(self):
        assert len(paper.FIGURES) == 12 * 2 * 6
        assert paper.FIGURES["adult", "Perceptron", "OSBoost"] == 0.1994
        assert paper.FIGURES["web page", "NaiveBayes", "OSBoost.OCP"] == 0.0171
        assert paper.FIGURES["covertype", "NaiveBayes", "OSBoost.EXP"] == 0.3408
        assert list(paper.DATA_SETS) == datasets.names()

    def test_configurations_are_the_papers(self):
        config = grid.cell("heart", "", "NaiveBayes", "OSBoost.EXP", 3)
        model = paper.make(config)
        assert (model.n_learners, model.gamma, model.vote, model.expert_rate) == (100, 0.1, "experts", "paper")
        assert model.learner.kind == "gaussian"
        assert paper.make(grid.cell("adult", "", "NaiveBayes", "single", 0)).learner.kind == "bernoulli"


class TestGrid:
    def test_equal_work_has_equal_keys(self):
        assert grid.key(grid.cell("a", "h", "Perceptron", "single", 0)) == grid.key(
            grid.cell("a", "h", "Perceptron", "single", 0, n_learners=7, gamma=0.3)
        )
        sizes = grid.study_grid(grid.SIZE_STUDY, "a", "h", "Perceptron", 2)
        assert len(sizes) == 7 * 3 * 2
        assert len(grid.unique(sizes + grid.paper_grid({"a": "h"}, trials=2))) == (7 * 3 * 2 + 12 * 2 - 3 * 2)

    def test_key_depends_on_everything(self):
        base = grid.cell("a", "h", "Perceptron", "OSBoost", 0)
        others = [
            grid.cell("b", "h", "Perceptron", "OSBoost", 0),
            grid.cell("a", "g", "Perceptron", "OSBoost", 0),
            grid.cell("a", "h", "NaiveBayes", "OSBoost", 0),
            grid.cell("a", "h", "Perceptron", "OSBoost.OCP", 0),
            grid.cell("a", "h", "Perceptron", "OSBoost", 1),
            grid.cell("a", "h", "Perceptron", "OSBoost", 0, n_learners=7),
            grid.cell("a", "h", "Perceptron", "OSBoost", 0, gamma=0.2),
        ]
        assert len({grid.key(c) for c in [base, *others]}) == 8

    def test_cell_is_a_pure_function(self, data_hash):
        config = grid.cell(DATA, data_hash, "Perceptron", "OSBoost", 1)
        a, b = grid.run_cell(config), grid.run_cell(config)
        a.pop("seconds"), b.pop("seconds")
        assert a == b
        assert len(a["weight_mass"]) == 101
        assert a["curve"]["error"][-1] == pytest.approx(a["error"], abs=1e-6)

    def test_all_algorithms_see_the_same_order(self, data_hash, monkeypatch):
        seen = []

        def spy(model, X, y):
            seen.append((X.copy(), y.copy()))
            return original(model, X, y)

        original = grid.prequential
        monkeypatch.setattr(grid, "prequential", spy)
        for algorithm in ("single", "OzaBoost"):
            grid.run_cell(grid.cell(DATA, data_hash, "NaiveBayes", algorithm, 4))
        assert (seen[0][0] != seen[1][0]).nnz == 0
        assert np.array_equal(seen[0][1], seen[1][1])

    def test_fingerprint_sees_one_changed_number(self):
        data = datasets.load(DATA)
        X = data.X.copy()
        X.data[5] += 1e-9
        changed = type(data)(**{**{f: getattr(data, f) for f in data.__dataclass_fields__}, "X": X})
        assert grid.fingerprint(changed) != grid.fingerprint(data)


class TestStore:
    def test_survives_a_cut_line(self, tmp_path):
        config = [grid.cell("a", "h", "Perceptron", "OSBoost", t) for t in range(3)]
        first = Store(tmp_path)
        first.add(config[0], {"error": 0.1})
        first.add(config[1], {"error": 0.2})
        with first.path.open("rb+") as file:
            file.truncate(first.path.stat().st_size - 9)
        second = Store(tmp_path)
        assert config[0] in second
        assert config[1] not in second
        second.add(config[2], {"error": 0.3})
        third = Store(tmp_path)
        assert len(third) == 2
        assert third[config[2]] == {"error": 0.3}

    def test_ignores_foreign_lines(self, tmp_path):
        (tmp_path / "results.jsonl").write_text('[]\n{"key": 3}\nnot json\n\n{"other": 1}\n', encoding="utf8")
        assert len(Store(tmp_path)) == 0

    def test_shards_write_apart_and_read_together(self, tmp_path):
        configs = [grid.cell("a", "h", "Perceptron", "OSBoost", t) for t in range(5)]
        for i in (1, 2):
            mine = Store(tmp_path, (i, 2))
            for config in runner.shard_of(configs, (i, 2)):
                mine.add(config, {"error": float(config["trial"])})
        together = Store(tmp_path)
        assert [together[c]["error"] for c in configs] == [0, 1, 2, 3, 4]
        assert sorted(p.name for p in tmp_path.iterdir()) == ["results-1-of-2.jsonl", "results-2-of-2.jsonl"]


class TestRunner:
    def test_runs_only_what_is_missing(self, tmp_path, data_hash):
        configs = [grid.cell(DATA, data_hash, "Perceptron", "single", t) for t in range(3)]
        store = Store(tmp_path)
        store.add(configs[1], {"error": -1.0})
        done = []
        runner.run(configs, store, jobs=1, on_done=lambda config, _: done.append(config["trial"]))
        assert sorted(done) == [0, 2]
        assert store[configs[1]] == {"error": -1.0}

    @pytest.mark.slow
    def test_processes_give_the_results_of_one(self, tmp_path, data_hash):
        configs = [grid.cell(DATA, data_hash, "NaiveBayes", "OSBoost", t) for t in range(4)]
        one, two = Store(tmp_path / "one"), Store(tmp_path / "two")
        runner.run(configs, one, jobs=1)
        runner.run(configs, two, jobs=2)
        assert [one[c]["error"] for c in configs] == [two[c]["error"] for c in configs]

    @pytest.mark.slow
    def test_dask_cluster_gives_the_results_of_one(self, tmp_path, data_hash):
        distributed = pytest.importorskip("distributed")
        configs = [grid.cell(DATA, data_hash, "Perceptron", "OSBoost", t) for t in range(4)]
        here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
        runner.run(configs, here, jobs=1)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster:
            runner.run(configs, there, backend="dask", address=cluster.scheduler_address)
        assert [here[c]["error"] for c in configs] == [there[c]["error"] for c in configs]

    def test_lists_of_results_are_as_good(self, tmp_path, data_hash, monkeypatch):
        """What Ray's backend gets: several at a time."""
        monkeypatch.setattr(runner, "RAY_BATCH", 3)
        configs = [grid.cell(DATA, data_hash, "Perceptron", "single", t) for t in range(7)]
        ours = dict(runner._finished(configs, None, 1, one_by_one=False))
        assert sorted(ours) == list(range(7))
        assert ours[5]["error"] == grid.run_cell(configs[5])["error"]

    @pytest.mark.slow
    def test_ray_gives_the_results_of_one(self, tmp_path, data_hash):
        pytest.importorskip("ray")
        configs = [grid.cell(DATA, data_hash, "Perceptron", "OSBoost", t) for t in range(2)]
        code = (
            "import json, sys; from pathlib import Path\n"
            "from onlineboost.experiments import runner; from onlineboost.experiments.store import Store\n"
            "runner.run(json.loads(sys.argv[1]), Store(Path(sys.argv[2])), backend='ray')"
        )
        command = [sys.executable, "-c", code, json.dumps(configs), str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        there = Store(tmp_path)
        assert [there[c]["error"] for c in configs] == [grid.run_cell(c)["error"] for c in configs]

    def test_absent_backend_is_one_sentence(self, tmp_path, data_hash, monkeypatch):
        monkeypatch.setitem(sys.modules, "ray", None)
        monkeypatch.setitem(sys.modules, "dask.distributed", None)
        configs = [grid.cell(DATA, data_hash, "Perceptron", "single", 0)]
        for backend in ("ray", "dask"):
            with pytest.raises(ImportError, match=rf'pip install "onlineboost\[{backend}\]"'):
                runner.run(configs, Store(tmp_path), backend=backend)

    @pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/2/3", "-1/2", ""])
    def test_bad_shard(self, text):
        with pytest.raises(ValueError, match="for example 2/5"):
            runner.parse_shard(text)

    @given(st.integers(1, 40), st.integers(1, 9))
    def test_shards_are_a_partition(self, cells, n):
        configs = [{"trial": t} for t in range(cells)]
        parts = [runner.shard_of(configs, (i, n)) for i in range(1, n + 1)]
        assert sorted(c["trial"] for part in parts for c in part) == list(range(cells))


class TestStatistics:
    def test_mean_and_error(self):
        mean, error = statistics.mean_error([0.1, 0.2, 0.3])
        assert mean == pytest.approx(0.2)
        assert error == pytest.approx(0.1 / math.sqrt(3))
        assert statistics.mean_error([0.5]) == (0.5, 0.0)

    def test_difference_is_that_of_two_means(self):
        ours = [0.1, 0.2, 0.3, 0.4, 0.5]
        noise = np.std(ours, ddof=1) * math.sqrt(2 / 5)
        assert statistics.difference_in_errors(ours, 0.2, 5) == pytest.approx(0.1 / noise)
        assert math.isnan(statistics.difference_in_errors([0.1], 0.2, 5))

    def test_wilcoxon_of_five_clear_wins_is_one_in_sixteen(self):
        assert statistics.wilcoxon([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]) == pytest.approx(2 / 2**5)
        assert statistics.wilcoxon([1, 1], [1, 1]) == 1.0

    def test_nemenyi_is_demsars(self):
        """Demšar, JMLR 2006, Section 3.2: four classifiers on fourteen data sets, critical difference 1.25."""
        rng = np.random.default_rng(0)
        ranking = statistics.friedman("abcd", rng.random((14, 4)))
        assert ranking.critical_difference == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=2e-3)

    def test_ranks_and_groups(self):
        errors = np.array([[0.1, 0.2, 0.9]] * 12 + [[0.2, 0.1, 0.9]] * 12)
        ranking = statistics.friedman(("a", "b", "c"), errors)
        assert ranking.mean_ranks == (1.5, 1.5, 3.0)
        assert ranking.p_value < 1e-6
        assert ranking.p_value == pytest.approx(stats.friedmanchisquare(*errors.T).pvalue)
        assert ranking.groups() == [("a", "b")]

    def test_groups_are_maximal(self):
        ranking = statistics.Ranking(("a", "b", "c", "d"), (1.0, 1.8, 2.5, 4.0), 0.01, 1.0, 5)
        assert ranking.groups() == [("a", "b"), ("b", "c")]


class TestTables:
    def test_entries(self, store, data_hash):
        table = tables.fill(paper.TABLES[0], store, {DATA: data_hash}, 2, {DATA: ["without its last row"]})
        ((name, row),) = table.rows
        assert name == DATA
        assert [e.algorithm for e in row] == ["single", "OzaBoost", "OGBoost", "OSBoost"]
        errors = [store[grid.cell(DATA, data_hash, "Perceptron", "OSBoost", t)]["error"] for t in (0, 1)]
        assert row[3].error == pytest.approx(np.mean(errors))
        assert row[3].paper == 0.3185
        assert table.notes == ("without its last row",)

    @pytest.mark.parametrize(
        ("ours", "difference", "agrees"),
        [
            (0.20, 0.0, True),
            (0.23, 2.9, True),
            (0.23, 3.1, False),
            (0.2059, 99, True),
            (0.2061, 99, False),
            (0.3, math.nan, False),
        ],
    )
    def test_agreement(self, ours, difference, agrees):
        assert tables.Entry("d", "l", "a", 0.20, 5, ours, 0.01, difference).agrees is agrees

    def test_formats_hold_the_same_figures(self, store, data_hash):
        filled = [tables.fill(table, store, {DATA: data_hash}, 2) for table in paper.TABLES]
        rows = list(csv.DictReader(io.StringIO(tables.comma_separated(filled))))
        cells = [cell for table in json.loads(tables.as_json(filled)) for cell in table["cells"]]
        assert len(rows) == len(cells) == 4 + 4 + 3 + 3
        for row, cell, entry in zip(rows, cells, [e for f in filled for e in f.entries], strict=True):
            assert float(row["error"]) == cell["error"] == entry.error
        text = tables.markdown(filled[1])
        assert all(entry.ours in text for entry in filled[1].entries)
        assert text.count("\n| ") == 2
        latex = tables.latex(filled[1])
        assert latex.count("&") == 4 + 12
        assert latex.count(r"\textbf") == 2

    def test_disagreement_is_marked_everywhere(self):
        bad = tables.Entry("d", "Perceptron", "single", 0.2, 5, 0.4, 0.01, 9.0)
        filled = tables.FilledTable(paper.Table(1, "Perceptron", ("single",)), (("d", (bad,)),), ())
        assert "❗" in tables.markdown(filled)
        assert r"\,!" in tables.latex(filled)
        from rich.console import Console

        console = Console(file=io.StringIO(), width=100)
        console.print(tables.terminal(filled))
        assert "+9.0!" in console.file.getvalue()

    def test_osboost_counts_once(self, store, data_hash):
        filled = [tables.fill(table, store, {DATA: data_hash}, 2) for table in paper.TABLES]
        assert tables.agreement(filled, "Perceptron")[1] == 6
        assert tables.agreement(filled, "Perceptron", without=(DATA,)) == (0, 0)


def fabricated(errors, examples):
    """Results in which an algorithm has the same error in every trial."""
    full = {
        (data, learner, algorithm): [errors.get(algorithm, 0.3)] * 5
        for data in examples
        for learner in paper.LEARNERS
        for algorithm in paper.ALGORITHMS
    }
    return claims.Results(full, examples)


class TestClaims:
    """Verdicts follow the data: each is seen to go either way."""

    EXAMPLES = {"heart": 270, "german": 1000, "adult": 48842}

    @pytest.mark.slow
    def test_few_data_sets_agree_in_direction_only(self):
        twelve = dict.fromkeys(paper.DATA_SETS, 1000)
        for examples, verdict in ((twelve, claims.HOLDS), (self.EXAMPLES, claims.DIRECTION)):
            results = fabricated({"OSBoost": 0.2}, examples)
            assert claims.beats_weak_learner(results, "Perceptron").verdict == verdict
            assert claims.beats_others(results, "Perceptron").verdict == verdict

    @pytest.mark.parametrize(("osboost", "verdict"), [(0.2, claims.DIRECTION), (0.4, claims.FAILS)])
    def test_boosting_helps(self, osboost, verdict):
        claim = claims.beats_weak_learner(fabricated({"OSBoost": osboost}, self.EXAMPLES), "Perceptron")
        assert claim.verdict == verdict
        assert f"{'3' if osboost < 0.3 else '0'} of 3 data sets (paper: 3 of 3)" in claim.evidence[0]

    @pytest.mark.parametrize(
        ("errors", "verdict"),
        [
            ({"OSBoost": 0.2}, claims.DIRECTION),
            ({"OSBoost": 0.2, "OzaBoost": 0.1}, claims.PARTLY),
            ({"OSBoost": 0.4}, claims.FAILS),
        ],
    )
    def test_best_of_three(self, errors, verdict):
        assert claims.beats_others(fabricated(errors, self.EXAMPLES), "NaiveBayes").verdict == verdict

    @pytest.mark.parametrize(("exp", "verdict"), [(0.2, claims.HOLDS), (0.4, claims.FAILS)])
    def test_experts_on_small_sets(self, exp, verdict):
        results = fabricated({"OSBoost.EXP": exp}, self.EXAMPLES)
        claim = claims.combiner_helps(results, "OSBoost.EXP", large=False)
        assert claim.verdict == verdict
        assert len(claim.evidence) == 1 + 2 * 2

    def test_nothing_large_is_said_plainly(self):
        claim = claims.combiner_helps(fabricated({}, {"heart": 270}), "OSBoost.OCP", large=True)
        assert claim.verdict == claims.OPEN

    @pytest.mark.parametrize(("worst", "verdict"), [(0.31, claims.HOLDS), (0.4, claims.FAILS)])
    def test_stable_in_gamma(self, tmp_path, worst, verdict):
        store = Store(tmp_path)
        for gamma in grid.GAMMAS:
            store.add(
                grid.cell("a", "h", "Perceptron", "OSBoost", 0, gamma=gamma),
                {"error": worst if gamma == 0.4 else 0.3},
            )
        assert claims.stable_in_gamma(store, "a", "h", "Perceptron", 1).verdict == verdict

    def test_cost(self):
        linear = {"uniform": {10: 1e-6, 100: 1e-5, 1000: 1e-4}, "ocp": {10: 1e-6, 100: 1e-5, 1000: 1.5e-4}}
        assert claims.linear_cost(linear).verdict == claims.HOLDS
        assert claims.linear_cost({"uniform": {100: 1e-5, 1000: 1e-3}}).verdict == claims.FAILS

    def test_cost_is_measured(self):
        costs = claims.measure_cost(sizes=(10, 1000), seconds=0.01)
        assert set(costs) == {"uniform", "ocp", "experts"}
        assert all(by_n[1000] > by_n[10] > 0 for by_n in costs.values())
