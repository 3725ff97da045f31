"""The n-th allocation fails, n = 1, 2, 3, …: a row is learned whole or not at all."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from states import same
from table import BOOSTERS, NATIVE, cross, make, stream

from onlineboost import (
    AROW,
    AdaBoostOLMClassifier,
    HoeffdingTree,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    Scaled,
    _core,
    from_bytes,
)

fail = getattr(_core, "fail_allocation", None)
pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(
        fail is None, reason="the build has no hook: configure it with -DONLINEBOOST_FAIL_ALLOCATIONS=ON"
    ),
]


def families():
    """One small model of each kind that a mixture knows, one of which retires on the way."""
    return [
        ("trees", OSBoostClassifier(HoeffdingTree(grace_period=5, delta=0.1), 3)),
        ("typed", OSBoostClassifier(NaiveBayes(kind="typed", max_values=2), 2)),
        ("waves", OSBoostClassifier(Scaled(RandomFourier(Perceptron(), 5)), 2)),
        ("full", OnlineClassifier(AROW(covariance="full")), 6),
    ]


MORE = {
    "mixture": lambda: OnlineBoostClassifier(families(), random_state=0),
    "one-vs-rest": lambda: OneVsRest(OSBoostClassifier(Scaled(AROW()), 4, random_state=0)),
    "one-vs-rest-trees": lambda: OneVsRest(OSBoostClassifier(HoeffdingTree(grace_period=5), 3, random_state=0)),
    "adaboost-olm": lambda: AdaBoostOLMClassifier(Perceptron(), 5, random_state=0),
    "mbbm": lambda: OnlineMBBMClassifier(NaiveBayes(), 5, random_state=0),
}
CASES = {"-".join(pair): lambda pair=pair: make(*pair) for pair in cross(BOOSTERS, NATIVE, {"perceptron"})} | MORE


def rows():
    """Rows that bring features, values and, where there may be many, classes all along."""
    X, y = stream(26, 8, sparse=True)
    X[:16, 5:] = 0.0
    return X, y


def labels_of(make_model, y):
    """Three classes where the model takes them, the third late."""
    y = y.copy()
    if hasattr(make_model(), "n_classes") or make_model in list(MORE.values())[1:]:
        y[20] = y[24] = 2
    return y


def attempts(action, *, most=4000):
    """Run the action with the n-th allocation failing until none fails; yield after each failure."""
    for n in range(1, most):
        fail(n)
        try:
            action()
        except MemoryError:
            fail(0)
            yield n
        else:
            fail(0)  # none was left, or one was absorbed, as where no helper thread can be made: the action is done
            return
    raise AssertionError(f"{most} allocations were not enough")


def state(model):
    return model.machine.engine.core.state()


@pytest.mark.parametrize(
    ("case", "form"), [*((case, "dict") for case in CASES), *((case, "array") for case in list(CASES)[::5])]
)
def test_learning_one_row(case, form):
    """A row like those before it, two that bring features, and one that may bring a class."""
    X, y = rows()
    y = labels_of(CASES[case], y)
    as_given = (lambda x: x) if form == "array" else (lambda x: {f"f{j}": v for j, v in enumerate(x) if v})
    model, twin = CASES[case](), CASES[case]()
    for x, label in zip(X[:12], y[:12], strict=True):
        model.learn_one(as_given(x), int(label))
        twin.learn_one(as_given(x), int(label))
    failed = 0
    for x, label in ((X[k], y[k]) for k in (15, 16, 17, 20)):
        before = state(model)
        for _ in attempts(lambda x=x, label=label: model.learn_one(as_given(x), int(label))):
            failed += 1
            assert same(state(model), before)
        twin.learn_one(as_given(x), int(label))
        assert same(state(model), state(twin))
    assert failed > 3
    assert same(state(from_bytes(model.to_bytes())), state(twin))


@pytest.mark.parametrize("case", list(CASES))
def test_learning_a_batch(case):
    """The rows before the failure are learned, the rest is not; `rounds` says how many."""
    X, y = rows()
    y = labels_of(CASES[case], y)
    begun = CASES[case]().partial_fit(X[:14], y[:14])
    if len(np.unique(y)) > 2:
        begun.partial_fit(X[20:21], y[20:21])
    after = [state(begun)]
    twin = copy.deepcopy(begun)
    for r in range(15, 19):
        twin.partial_fit(X[r : r + 1], y[r : r + 1])
        after.append(state(twin))
    models = [copy.deepcopy(begun)]
    for _ in attempts(lambda: models[-1].partial_fit(X[15:19], y[15:19])):
        learned = models[-1].n_examples_ - begun.n_examples_
        assert same(state(models[-1]), after[learned])
        if learned < 4:
            models[-1].partial_fit(X[15 + learned : 19], y[15 + learned : 19])
        assert same(state(models[-1]), after[-1])
        models.append(copy.deepcopy(begun))
    assert len(models) > 3


@pytest.mark.parametrize("case", list(CASES))
def test_reading_saving_and_loading(case):
    X, y = rows()
    model = CASES[case]().partial_fit(X, labels_of(CASES[case], y))
    before, expected, data = state(model), model.predict_proba(X), model.to_bytes()
    for action in (
        lambda: model.predict_proba(X),
        lambda: model.predict_proba_one(X[0]),
        lambda: state(model),
        lambda: from_bytes(data),
    ):
        for _ in attempts(action):
            pass
        assert same(state(model), before)
        assert model.predict_proba(X).tobytes() == expected.tobytes()
    assert same(state(from_bytes(data)), before)
