"""Test, then train, on anything that streams: the same numbers as on arrays, and by hand where labels are late."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import stream as river_stream

from onlineboost import NaiveBayes, OneVsRest, OSBoostClassifier, bootstrap, compare, prequential

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 3)).round(3)
Y = np.where(X[:, 0] + RNG.normal(size=700) > 0, "yes", "no")
FRAME = pd.DataFrame(X, columns=list("abc"))


def model():
    return OSBoostClassifier(NaiveBayes(), 5, random_state=0)


def learned(**options):
    made = model()
    return prequential(made, X, Y, window=100, **options), made


def streams():
    whole = FRAME.assign(label=Y)
    cuts = np.array_split(np.arange(700), [1, 40, 41, 300])
    return {
        "batches": (((X[part], Y[part]) for part in cuts), None),
        "rows": (zip(X, Y, strict=True), None),
        "rows and labels": (iter(X), Y),
        "frames": ((whole.iloc[part] for part in cuts), "label"),
        "frames of polars": ((pl.from_pandas(whole)[part.tolist()] for part in cuts), "label"),
        "frames as record batches": ((pa.RecordBatch.from_pandas(whole.iloc[part]) for part in cuts), "label"),
        "frames and labels": ((FRAME.iloc[part] for part in cuts), iter(Y)),
    }


@pytest.mark.parametrize("kind", streams())
def test_any_stream_gives_the_numbers_of_arrays(kind):
    wanted, first = learned()
    made = model()
    found = prequential(made, *streams()[kind], window=100)
    assert made.n_examples_ == 700
    for name in ("error", "log_loss", "f1", "kappa_temporal"):
        assert found.metrics[name] == wanted.metrics[name], name
    assert found.metrics.windows == wanted.metrics.windows
    assert np.array_equal(made.margin(X if "frames" not in kind else FRAME), first.margin(X))


def test_dicts_and_rivers_streams():
    records = FRAME.to_dict("records")
    by_hand, results = model(), []
    wrong = 0
    for row, label in zip(records, Y, strict=True):
        wrong += by_hand.predict_one(row) != label
        by_hand.learn_one(row, label)
    results = [
        prequential(model(), list(zip(records, Y.tolist(), strict=True))),
        prequential(model(), [row | {"label": label} for row, label in zip(records, Y.tolist(), strict=True)], "label"),
        prequential(model(), river_stream.iter_array(X, Y, feature_names=list("abc"))),
    ]
    assert [result.error for result in results] == pytest.approx([wrong / 700] * 3)
    assert f"error {wrong / 700:.4f}" in repr(results[0])
    assert len(results[0].to_frame()) == 1


def test_files(tmp_path):
    FRAME.assign(label=Y).to_csv(tmp_path / "s.csv", index=False)
    found = prequential(model(), tmp_path / "s.csv")
    assert len(found) == 700
    records = [{key: value for key, value in row.items() if value} for row in FRAME.to_dict("records")]
    assert found.error == pytest.approx(prequential(model(), list(zip(records, Y, strict=True))).error, abs=2 / 700)


def test_labels_that_come_for_a_part_only():
    some = Y.astype(object)
    some[RNG.random(700) < 0.4] = None
    there = np.array([label is not None for label in some])
    wanted = prequential(model(), X[there], Y[there], window=100)
    for rows, labels in ((X, some), (FRAME, pd.Series(some)), (zip(X, some, strict=True), None)):
        found = prequential(model(), rows, labels, window=100)
        assert found.error == wanted.error
    assert found.unlabelled == 700 - there.sum()


@pytest.mark.parametrize("by_time", [False, True])
def test_late_labels_are_tested_then_and_learned_later(by_time):
    by_hand, said = model(), []
    for t in range(300):
        if t >= 20:
            by_hand.learn_one(X[t - 20], Y[t - 20])
        said.append(by_hand.predict_one(X[t]))
    made = model()
    times = [datetime(2024, 1, 1) + timedelta(minutes=k) for k in range(300)] if by_time else None  # noqa: DTZ001
    delay = timedelta(minutes=20) if by_time else 20
    found = prequential(made, X[:300], Y[:300], delay=delay, times=times)
    assert found.error == pytest.approx(np.mean([a != b for a, b in zip(said, Y, strict=False)]))
    assert made.n_examples_ == 300
    streamed = prequential(model(), zip(X[:300], Y[:300], strict=True), delay=delay, times=times)
    assert streamed.error == found.error
    assert prequential(model(), X, Y, delay=0).error == pytest.approx(learned()[0].error, abs=2 / 700)


def test_several_models_over_one_pass():
    wanted = learned()[0]
    read = iter(zip(X, Y, strict=True))
    found = prequential({"bayes": model(), "many": OneVsRest(model())}, read, window=100)
    assert found["bayes"].error == pytest.approx(wanted.error)
    assert next(read, None) is None
    again = prequential({"bayes": model(), "many": OneVsRest(model())}, X, Y, window=100)
    assert again["many"].metrics["error"] == found["many"].error


def test_compare_on_a_stream_and_copies():
    models = [OSBoostClassifier(NaiveBayes(), n, random_state=0) for n in (5, 9)]
    on_arrays = compare(*(OSBoostClassifier(NaiveBayes(), n, random_state=0) for n in (5, 9)), X, Y)
    on_stream = compare(*models, zip(X, Y, strict=True))
    assert np.array_equal(on_stream.upper, on_arrays.upper)
    errors = bootstrap(model(), X, Y, copies=4)
    assert errors.shape == (4,)
    assert len(set(errors)) > 1
    assert abs(errors.mean() - learned()[0].error) < 0.05


def test_what_is_no_stream_gets_a_sentence():
    with pytest.raises(ValueError, match="is of pairs"):
        prequential(model(), iter(X))
    with pytest.raises(ValueError, match="names a column, and the stream has none"):
        prequential(model(), iter(X), "label")
    with pytest.raises(ValueError, match="it has both"):
        prequential(model(), [({"a": 1.0}, 0), (X[0], 1)])
