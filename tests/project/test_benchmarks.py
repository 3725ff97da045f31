"""The arithmetic of the benchmarks; what they measure is not tested here."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import jobs, streams
from benchmarks.marks import Mark, table


@pytest.fixture
def common(monkeypatch):
    """The module that the peers' scripts share, imported as they import it."""
    monkeypatch.syspath_prepend(str(Path(jobs.__file__).parent / "peers"))
    import common

    yield common
    sys.modules.pop("common")


@pytest.mark.parametrize(
    ("mark", "verdict"),
    [
        (Mark("rate", 25.0, least=25), "reached"),
        (Mark("rate", 20.0, least=25), "missed by 20.0 %"),
        (Mark("time", 12.0, most=12), "reached"),
        (Mark("time", 15.0, most=12), "missed by 25.0 %"),
        (Mark("time", 12.0000001, most=12), "missed by 0.1 %"),
    ],
)
def test_a_mark_says_by_how_much_it_was_missed(mark, verdict):
    assert mark.verdict == verdict
    assert verdict in mark.line()


def test_the_table_of_marks_counts():
    marks = [Mark("one", 1.0, least=2), Mark("two", 3.0, least=2)]
    assert table(marks)[-2:] == ["1 of 2 marks are reached:", "- one: missed by 50.0 %."]
    assert table(marks[1:])[-1] == "1 of 1 marks are reached."


def test_a_mark_needs_a_bound():
    with pytest.raises(ValueError, match="needs a bound"):
        _ = Mark("nothing", 1.0).verdict


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("only", [None, ["vw"], ["river", "sklearn"]])
def test_every_peer_has_a_partner_on_as_many_rows(only, quick):
    every, singles = jobs.chosen(only, quick)
    found = {job.name: job for job in (*every, *jobs.partners(every))}
    compared = [job for job in every if job.against is not None]
    assert compared
    for job in compared:
        partner = found[jobs.partner_of(job, every)]
        assert (partner.peer, partner.stream, partner.limit) == ("ours", job.stream, job.limit)
        assert partner.options == found[job.against].options
    assert {job.peer for job in (*every, *singles)} <= {"ours", *(only or jobs.SCRIPTS)}
    assert len({job.name for job in (*every, *singles)}) == len(every) + len(singles)


@pytest.mark.parametrize(("name", "features", "per_row"), [("adult", 123, 14), ("covertype", 54, 12)])
def test_synthetic_rows_have_the_shape_of_the_data_set(name, features, per_row):
    shape = streams.SHAPES[name]
    X, y = streams.synthetic(streams.Shape(500, shape.dense, shape.groups))
    assert X.shape == (500, features)
    assert X.nnz == 500 * per_row
    assert set(y.tolist()) == {-1, 1}
    assert 0.3 < (y > 0).mean() < 0.7


def test_a_stored_stream_is_read_back_and_cut(common, tmp_path):
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 2, (9, 4)) * rng.random((9, 4))
    X, y = sp.csr_array(dense), np.where(rng.random(9) > 0.5, 1, -1)
    path = tmp_path / "stream.npz"
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, n_features=4, y=y)
    for limit in (None, 5, 100):
        stream = common.read(path, limit)
        assert np.array_equal(common.dense(stream), dense[:limit])
        assert np.array_equal(stream["y"], y[:limit])
        assert len(stream["data"]) == X[:limit].nnz
    assert np.array_equal(common.dense(stream, extra=2)[:, 4:], np.zeros((9, 2)))
