"""Files of version 1, made once and kept: every later version loads them, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import make_golden_files
import pytest

from onlineboost.persistence import load_with_extra

FOLDER = Path(__file__).parents[1] / "golden"
EXPECTED = json.loads((FOLDER / "predictions.json").read_text(encoding="ascii"))


def test_there_is_a_file_for_every_pair():
    pairs = {f"v1-{booster}-{learner}.ob" for booster, learner in make_golden_files.PAIRS}
    assert {path.name for path in FOLDER.glob("*.ob")} == set(EXPECTED) == pairs


@pytest.mark.parametrize("name", list(EXPECTED))
def test_a_file_of_version_1(name):
    model, extra = load_with_extra(FOLDER / name)
    rows, labels = make_golden_files.rows()
    assert extra == {"position": {"rows": 24}}
    assert model.n_examples_ == 24
    assert make_golden_files.predictions(model) == EXPECTED[name]["loaded"]
    for x, y in zip(rows, labels, strict=True):
        model.learn_one(x, y)
    assert make_golden_files.predictions(model) == EXPECTED[name]["after another pass"]
