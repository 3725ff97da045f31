"""Bad sets of labels, and what takes none: one sentence each, and nothing changes."""

from __future__ import annotations

import numpy as np
import pytest
from label_rows import NAMES, as_sets, dicts_of, stream
from states import pack, unpack
from table import make

from onlineboost import (
    CannotMergeError,
    KeyedClassifier,
    ModelFileError,
    MultiLabelClassifier,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OSBoostClassifier,
    Perceptron,
    compare,
    from_bytes,
    merge,
    prequential,
)
from onlineboost.cli import main

pytestmark = [pytest.mark.engine, pytest.mark.quick]


def relevance(learner=None):
    return MultiLabelClassifier(OSBoostClassifier(learner, 4, random_state=0))


BAD = {
    "one column of labels": (lambda Y: Y[:, 0], r"shape \(80,\)"),
    "another number": (lambda Y: 2 * Y, r"y\[0, 0\] is 2"),
    "nan": (lambda Y: np.where(Y, np.nan, 0.0), r"y\[0, 0\] is nan"),
    "text": (lambda Y: Y.astype(str), r"y\[0, 0\] is '1'"),
    "too few": (lambda Y: Y[:5], "80 rows but y has 5 sets"),
    "other columns": (lambda Y: Y[:, :3], "3 columns, and the model has 4"),
    "lists of numbers": (lambda _: [[0, 3]] * 80, r"y\[0, 1\] is 3"),
    "ragged": (lambda _: [[0], [0, 1]] * 40, "differ in length"),
    "a number beside sets": (lambda _: [{0}, 3] * 40, r"y\[1\] is 3"),
    "a label that is none": (lambda _: [{None}] * 80, "The label is None"),
    "a dict of numbers": (lambda _: [{0: 2}] * 80, r"y\[0\] is 2"),
    "another label": (lambda _: [{"war"}] * 80, "the label 'war', and the model has 4 columns"),
    "labels of two types": (lambda _: [{"war", 3}] * 80, "one type"),
    "nothing": (lambda _: None, "y to be passed"),
    "masked": (lambda Y: np.ma.masked_equal(Y, 1), "masked"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_labels_change_nothing(case):
    X, Y = stream()
    spoil, message = BAD[case]
    model = relevance(Perceptron()).partial_fit(X, Y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, spoil(Y))
    assert model.to_bytes() == before


def test_other_sentences():
    X, Y = stream()
    sets = relevance(Perceptron()).partial_fit(X, as_sets(Y), classes=NAMES)
    with pytest.raises(ValueError, match="not an indicator matrix"):
        sets.partial_fit(X, Y)
    with pytest.raises(ValueError, match="holds the label 'tax', which is not one of classes"):
        sets.partial_fit(X, [{"tax"}] * len(X))
    sets.learn_one(X[0], {"tax"})
    assert sets.classes_.tolist() == ["art", "news", "sport", "tax", "war"]
    with pytest.raises(ValueError, match="class_weight is for models of one label"):
        MultiLabelClassifier(OnlineBoostClassifier(class_weight="balanced")).fit(X, Y)
    with pytest.raises(ValueError, match="takes native learners"):
        MultiLabelClassifier(make("osboost", "own-bank")).fit(X, Y)
    with pytest.raises(TypeError, match="for two classes"):
        MultiLabelClassifier(OneVsRest()).fit(X, Y)
    with pytest.raises(ValueError, match="on arrays and frames"):
        prequential(relevance(), zip(dicts_of(X), as_sets(Y), strict=True))
    with pytest.raises(ValueError, match='by loss="error"'):
        compare(relevance(), relevance(), X, Y, loss="brier")
    with pytest.raises(TypeError, match="one label per example"):
        KeyedClassifier(relevance()).learn_one({"key": 1, "x": 1.0}, {"war"})
    with pytest.raises(CannotMergeError, match="MultiLabelClassifier cannot be merged"):
        merge([relevance().fit(X, Y)] * 2)


def test_the_command_line_says_that_labels_are_sets(tmp_path, capsys):
    path, rows = tmp_path / "model.ob", tmp_path / "rows.csv"
    rows.write_text("x0,label\n1,war\n")
    model = relevance(NaiveBayes())
    model.learn_one({"x0": 1.0}, {"war", "art"})
    model.save(path)
    assert main(["predict", str(path), str(rows), "--output", "label"]) == 0
    assert set(capsys.readouterr().out.split()[-1].strip('"').split(",")) == set(model.predict_one({"x0": 1.0}))
    assert main(["inspect", str(path)]) == 0
    assert "MultiLabelClassifier over 4 NaiveBayes learners" in " ".join(capsys.readouterr().out.split())


FORGED = {
    "form": ({"form": "letters"}, "form of the labels"),
    "columns": ({"labels": [0, 1, 2, 5]}, "columns of a matrix|label"),
    "one label fewer": ({"begun": [0, 2, 1]}, "another number"),
}


@pytest.mark.parametrize("case", list(FORGED))
def test_forged_files_are_refused(case):
    X, Y = stream()
    document, arrays = unpack(relevance(Perceptron()).partial_fit(X, Y).to_bytes())
    changes, message = FORGED[case]
    document["fitted"] |= changes
    with pytest.raises(ModelFileError, match=message):
        from_bytes(pack(document, arrays))
