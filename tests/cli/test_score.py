"""The running score of the command line is `prequential`'s, whatever the batches are."""

import json

import numpy as np
import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st

from onlineboost import NaiveBayes, OnlineClassifier, OSBoostClassifier, OzaBoostClassifier, Perceptron, prequential
from onlineboost.cli.score import Score
from onlineboost.machine import LabelCodec, report
from onlineboost.persistence import load_with_extra

pytestmark = pytest.mark.quick

MODELS = {
    "osboost": (lambda: OSBoostClassifier(Perceptron(), 7, random_state=0), ["--n-learners", 7]),
    "experts": (
        lambda: OSBoostClassifier(Perceptron(), 5, vote="experts", expert_mode="expected", random_state=0),
        ["--n-learners", 5, "--param", "vote=experts", "--param", "expert_mode=expected"],
    ),
    "ozaboost": (
        lambda: OzaBoostClassifier(NaiveBayes(), 3, random_state=0),
        ["--booster", "ozaboost", "--learner", "naive-bayes", "--n-learners", 3],
    ),
    "single": (  # whose first margin is exactly 0
        lambda: OnlineClassifier(NaiveBayes(), random_state=0),
        ["--booster", "single", "--learner", "naive-bayes"],
    ),
}


def _score(path, options, batch_rows):
    """The record of `onlineboost train`, whose batches are no longer than the checkpoints are apart."""
    model = path.with_suffix(".ob")
    assert run("train", path, *options, "--model", model, "--checkpoint", batch_rows) == 0
    return Score.from_json(load_with_extra(model)[1]["progress"])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("first", [pytest.param(-1, marks=pytest.mark.slow), 1])
def test_score_is_that_of_prequential(tmp_path, model, first):
    """The first label comes alone for a while, and may be the larger one or the smaller one."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.3, -first, first)
    y[:40] = first
    X = rng.random((300, 3)) + 0.3 * (y[:, None] > 0)
    path = tmp_path / "s.libsvm"
    path.write_text(
        "".join(
            f"{label} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row)) + "\n"
            for label, row in zip(y.tolist(), X.tolist(), strict=True)
        )
    )
    make, options = MODELS[model]
    whole = _score(path, options, 1000)
    truth = prequential(make(), X, y)
    assert whole.error == pytest.approx(truth.error, rel=1e-12)
    ends, errors = whole.windows()
    assert ends == list(range(ends[0], 301, ends[0]))
    assert ends[0] >= 50
    assert errors == pytest.approx([truth.losses[end - ends[0] : end].mean() for end in ends], abs=1e-12)
    assert whole.log_loss == pytest.approx(truth.log_loss, rel=1e-12)
    assert whole.baseline == pytest.approx(min(np.mean(y == 1), np.mean(y == -1)))
    counts, errors = whole.points()
    mean = np.cumsum(truth.losses) / np.arange(1, 301)
    assert errors == pytest.approx([mean[t - 1] for t in counts], rel=1e-12)
    assert counts[-1] == 300
    assert len(counts) <= 257
    for batch_rows in (13, 40, 41, 257):
        assert _score(path, options, batch_rows).to_json() == whole.to_json()


@settings(max_examples=50)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.booleans())
def test_cuts_do_not_matter_and_json_goes_both_ways(cuts, weighted):
    n = sum(cuts)
    rng = np.random.default_rng(n)
    margins, plus = rng.normal(size=n), rng.random(n)
    codes = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    weights = rng.random(n) if weighted else None

    labels = LabelCodec(2)
    labels.declare([0, 1])
    labels.begin([1, 0])

    def add(score, a, b):
        part = None if weights is None else weights[a:b]
        tests = report.Tests(codes[a:b], margins[a:b], plus[a:b], plus[a:b])
        score.add_tests(labels, tests, part, vote=False, expected=False)

    whole, cut, at = Score(), Score(), 0
    add(whole, 0, n)
    for size in cuts:
        add(cut, at, at + size)
        at += size
        cut = Score.from_json(json.loads(json.dumps(cut.to_json())))
    assert cut.to_json() == whole.to_json()
    assert whole.step * len(whole.curve) <= n < whole.step * (len(whole.curve) + 1)


@pytest.mark.parametrize("change", [{"examples": -1}, {"undecided": [1.0]}, {"curve": [[1.0]]}, {"label_weights": []}])
def test_damaged_record_is_refused(change):
    score = Score()
    with pytest.raises(ValueError, match="record"):
        Score.from_json({**score.to_json(), **change})
    with pytest.raises(ValueError, match="no record"):
        Score.from_json({"examples": 1})
