"""River's tools around our estimators, and our estimators as weak learners of our own boosters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from river import drift, ensemble, multiclass
from states import bank_of
from table import stream

from onlineboost import (
    AdaBoostOLMClassifier,
    BlackBox,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

pytestmark = pytest.mark.quick

WRAPPERS = {
    "drift retraining": lambda model: drift.DriftRetrainingClassifier(model, drift.binary.DDM()),
    "ADWIN bagging": lambda model: ensemble.ADWINBaggingClassifier(model, n_models=3, seed=0),
    "one against the rest": multiclass.OneVsRestClassifier,
    "random patches": lambda model: ensemble.SRPClassifier(model, n_models=3, seed=0),
    "bagging": lambda model: ensemble.BaggingClassifier(model, n_models=3, seed=0),
}
MODELS = {
    "osboost": lambda: OSBoostClassifier(Perceptron(), 5, random_state=0),
    "ozaboost": lambda: OzaBoostClassifier(NaiveBayes(), 3, random_state=0),
    "mixture": lambda: OnlineBoostClassifier([("bayes", OSBoostClassifier(NaiveBayes(), 3))], random_state=0),
    "classes": lambda: AdaBoostOLMClassifier(Perceptron(), 5, random_state=0),
}


def dicts(X):
    return [{f"f{j}": float(value) for j, value in enumerate(x)} for x in X]


def share_right(model, rows, labels, start):
    """Of test-then-train, from row `start` on."""
    right = 0
    for t, (x, label) in enumerate(zip(rows, labels, strict=True)):
        right += t >= start and model.predict_one(x) == label
        model.learn_one(x, label)
    return right / (len(rows) - start)


@pytest.mark.parametrize("kind", list(MODELS))
@pytest.mark.parametrize("wrapper", list(WRAPPERS))
def test_wrappers_of_river(wrapper, kind):
    X, y = stream(200, flip=0.0)
    model = WRAPPERS[wrapper](MODELS[kind]())
    assert share_right(model, dicts(X), y.astype(bool).tolist(), 60) > 0.75
    told = model.predict_proba_one(dicts(X)[0])
    assert set(told) == {False, True}
    assert sum(told.values()) == pytest.approx(1.0)


def test_three_classes_by_river():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    labels = np.array(["a", "b", "c"])[X.argmax(axis=1)].tolist()
    model = multiclass.OneVsRestClassifier(OSBoostClassifier(NaiveBayes(kind="gaussian"), 3, random_state=0))
    assert share_right(model, dicts(X), labels, 100) > 0.6


def test_a_model_is_made_anew_after_a_drift():
    """The labels turn round; the old model alone has to unlearn what it knows."""
    X, y = stream(1200, flip=0.0)
    labels = np.where(np.arange(1200) < 800, y, 1 - y).astype(bool).tolist()
    alone = OSBoostClassifier(NaiveBayes(), 3, random_state=0)
    renewed = WRAPPERS["drift retraining"](OSBoostClassifier(NaiveBayes(), 3, random_state=0))
    assert share_right(renewed, dicts(X), labels, 900) > 0.7 > share_right(alone, dicts(X), labels, 900) + 0.1


def test_verbs_of_river_for_many_rows():
    X, y = stream(60)
    frame, labels = pd.DataFrame(X, columns=list("abcde"), index=range(100, 160)), pd.Series(y)
    model, twin = (OSBoostClassifier(Perceptron(), 5, random_state=0) for _ in range(2))
    model.learn_many(frame, labels)
    twin.partial_fit(frame, labels)
    predicted, chances = model.predict_many(frame), model.predict_proba_many(frame)
    assert predicted.index.tolist() == chances.index.tolist() == list(range(100, 160))
    assert (predicted.to_numpy() == twin.predict(frame)).all()
    assert chances.columns.tolist() == [0, 1]
    assert (chances.to_numpy() == twin.predict_proba(frame)).all()


def test_many_rows_may_bring_a_class():
    X, y = stream(60)
    model = AdaBoostOLMClassifier(Perceptron(), 3, random_state=0).partial_fit(X, y, classes=[0, 1])
    model.learn_many(X, y + 1)
    assert model.classes_.tolist() == [0, 1, 2]


def test_memory_is_told():
    X, y = stream(60)
    small, large = (OSBoostClassifier(Perceptron(), n, random_state=0).fit(X, y) for n in (5, 500))
    assert large._raw_memory_usage > small._raw_memory_usage > 0
    assert small._memory_usage.endswith("KiB")


# ---- our estimators inside BlackBox ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inner",
    [OSBoostClassifier(Perceptron(), 5), OneVsRest(OSBoostClassifier(Perceptron(), 5)), OnlineClassifier(NaiveBayes())],
    ids=["osboost", "one-vs-rest", "single"],
)
def test_one_black_box_unboosted_is_the_model_itself(inner):
    X, y = stream(40)
    boxed = OnlineClassifier(BlackBox(inner), random_state=3).partial_fit(X, y)
    seed = "booster__random_state" if isinstance(inner, OneVsRest) else "random_state"
    plain = inner.clone().set_params(**{seed: 3})
    codes = np.where(y == y[0], 1, -1)  # as a bank gets them
    for x, code in zip(X, codes, strict=True):
        plain.partial_fit(x[np.newaxis], [code], classes=[-1, 1])
    turned = 1.0 if y[0] == 1 else -1.0
    assert (boxed.margin(X) == turned * (2 * plain.predict_proba(X)[:, 1] - 1)).all()


def test_boosted_boosters():
    X, y = stream(150, flip=0.0)
    model = OSBoostClassifier(BlackBox(OSBoostClassifier(NaiveBayes(), 3)), 3, random_state=0)
    assert prequential(model, X, y).error < 0.3
    assert len({one.random_state for one in bank_of(model).models}) == 3
