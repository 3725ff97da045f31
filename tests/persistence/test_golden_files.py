"""Files of version 1, made once and kept: every later version loads them, to the last bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import make_golden_files as golden
import pytest
from sklearn.exceptions import NotFittedError

from onlineboost import load
from onlineboost.persistence import load_with_extra

FOLDER = Path(__file__).parents[1] / "golden"
EXPECTED = json.loads((FOLDER / "predictions.json").read_text(encoding="ascii"))
LEARNED = [name for name in EXPECTED if name not in {golden.TRAINED, golden.UNFITTED}]

pytestmark = [pytest.mark.quick, pytest.mark.engine]


def test_there_is_a_file_for_every_pair():
    """A new learner or booster gets its files by tools/make_golden_files.py."""
    assert {path.name for path in FOLDER.glob("*.ob")} == set(EXPECTED)
    assert set(golden.makers()) <= set(EXPECTED)


@pytest.mark.parametrize("name", LEARNED)
def test_a_file_of_version_1(name):
    model, extra = load_with_extra(FOLDER / name)
    assert extra == golden.EXTRA
    assert model.n_examples_ == 24
    assert golden.predictions(model) == EXPECTED[name]["loaded"]
    assert golden.predictions(golden.learn(model, name)) == EXPECTED[name]["after another pass"]


def test_a_checkpoint_of_version_1_is_resumed(tmp_path):
    """It was made from the first 60 rows of a CSV file; going on needs its record beside the model."""
    shutil.copy(FOLDER / golden.TRAINED, tmp_path)
    model, extra = load_with_extra(tmp_path / golden.TRAINED)
    assert model.n_examples_ == 60
    assert extra["format"] == "csv"
    assert golden.table_predictions(tmp_path / golden.TRAINED, tmp_path) == EXPECTED[golden.TRAINED]["loaded"]
    path = golden.train(tmp_path, 90)
    assert load(path).n_examples_ == 90
    assert golden.table_predictions(path, tmp_path) == EXPECTED[golden.TRAINED]["after another pass"]


def test_a_model_of_version_1_that_has_learned_nothing():
    model = load(FOLDER / golden.UNFITTED)
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    assert golden.predictions(golden.learn(model, golden.UNFITTED)) == EXPECTED[golden.UNFITTED]["after another pass"]
