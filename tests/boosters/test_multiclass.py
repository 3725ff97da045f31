"""Many classes: the contract of the three estimators, whatever decides between the classes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from river import datasets
from river_checks import RIVER_STREAM_CHECKS
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks
from states import begun_by, pack, same, state_of, unpack
from table import BOOSTERS, IN_PYTHON, LEARNERS, NATIVE, make

from onlineboost import (
    AROW,
    AdaBoostOLMClassifier,
    ModelFileError,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    _core,
    from_bytes,
    prequential,
)
from onlineboost.cli import main

pytestmark = [pytest.mark.engine, pytest.mark.quick]

MANY = {
    "one-vs-rest": lambda learner, **more: OneVsRest(OSBoostClassifier(learner, 5, random_state=0, **more)),
    "olm": lambda learner, **more: AdaBoostOLMClassifier(learner, 5, random_state=0, **more),
    "mbbm": lambda learner, **more: OnlineMBBMClassifier(learner, 5, random_state=0, **more),
}
each_kind = pytest.mark.parametrize("kind", list(MANY))
WEIGHT = np.array([0.5, 1.0, 0.0, 2.0])
_ONE_STEP = "an example of weight 2 is one step of twice the size, not two steps one after the other"


def stream(n=80, d=4, classes=4, seed=0):
    """Rows around a centre per class; the classes appear one after the other."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[: n // 4] %= 2
    centres = rng.integers(-2, 3, size=(classes, d))
    X = centres[y] + rng.integers(-8, 9, size=(n, d)) / 8.0
    return X, y * 10


@pytest.mark.parametrize("check", list(RIVER_STREAM_CHECKS))
@each_kind
def test_river_checks_on_a_stream(kind, check):
    RIVER_STREAM_CHECKS[check](MANY[kind](Perceptron()), list(datasets.ImageSegments().take(60)))


def test_the_mixture_for_many_classes():
    X, y = stream(60)
    families = [("linear", OnlineClassifier(AROW())), ("bayes", OnlineClassifier(NaiveBayes()))]
    model = OneVsRest(OnlineBoostClassifier(families, random_state=0)).fit(X, y)
    again = from_bytes(model.to_bytes()).partial_fit(X, y)
    assert np.array_equal(again.predict_proba(X), model.partial_fit(X, y).predict_proba(X))
    assert model.score(X, y) > 0.8


def learned_by(model):
    return {**state_of(model), "classes": model.classes_, "begun": np.array(begun_by(model))}


def told(model, X):
    return [model.margin(X), model.predict_proba(X), model.predict(X)]


def _expected_failures(_):
    return dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), _ONE_STEP
    )


@pytest.mark.slow
@parametrize_with_checks(
    [make_one(Perceptron()) for make_one in MANY.values()],
    expected_failed_checks=_expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# ---- one against the rest is a binary model per class ----------------------------------------------------------


@pytest.mark.parametrize(
    ("booster", "learner"),
    [(booster, "perceptron") for booster in BOOSTERS] + [("osboost", learner) for learner in LEARNERS],
)
def test_a_class_is_the_binary_model_of_the_stream_from_its_first_example_on(booster, learner):
    X, y = stream(40 if learner in IN_PYTHON else 80)
    s = np.resize(WEIGHT, len(y))
    X[:, 3] *= np.arange(len(y)) > 50  # a feature that comes late
    model = OneVsRest(make(booster, learner)).partial_fit(X, y, sample_weight=s)
    D = model.margin(X)
    for k, label in enumerate(begun_by(model)):
        first = int(np.argmax((y == label) & (s > 0)))
        alone = make(booster, learner, random_state=_core.class_seed(0, k))
        alone.partial_fit(X[first:], (y == label)[first:], sample_weight=s[first:])
        assert D[:, model.classes_.tolist().index(label)].tobytes() == alone.margin(X).tobytes()


def test_probabilities_are_the_calibrated_ones_normalised():
    X, y = stream()
    model = MANY["one-vs-rest"](Perceptron()).fit(X, y)
    own = []
    for k, label in enumerate(begun_by(model)):
        first = int(np.argmax(y == label))
        alone = OSBoostClassifier(Perceptron(), 5, random_state=_core.class_seed(0, k))
        own.append(alone.fit(X[first:], (y == label)[first:]).predict_proba(X)[:, 1])
    P = np.column_stack([own[begun_by(model).index(label)] for label in model.classes_.tolist()])
    np.testing.assert_allclose(model.predict_proba(X), P / P.sum(axis=1, keepdims=True), rtol=1e-12)


# ---- the same bits, however the stream is cut and whatever was declared ----------------------------------------


@each_kind
@pytest.mark.parametrize("learner", ["perceptron", "bayes-auto", "tree", "scaled", "own-bank"])
def test_bits_depend_on_the_stream_alone(kind, learner):
    X, y = stream()
    s = np.resize(WEIGHT, len(y))
    new = MANY[kind]
    whole = new(LEARNERS[learner]).fit(X, y, s)
    batches, ones, declared, csr = (new(LEARNERS[learner]) for _ in range(4))
    for part in np.array_split(np.arange(len(y)), [1, 3, 20, 21, 60]):
        batches.partial_fit(X[part], y[part], sample_weight=s[part])
        declared.partial_fit(X[part], y[part], classes=[30, 20, 10, 0], sample_weight=s[part])
        csr.partial_fit(sp.csr_array(X[part].astype(np.float32)), y[part], sample_weight=s[part])
    for x, label, w in zip(X, y, s, strict=True):
        ones.learn_one(x, label, w)
    for other in (batches, ones, declared, csr, pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole)):
        assert same(learned_by(other), learned_by(whole))
        assert all(map(same, told(other, X), told(whole, X)))
        assert other.predict_one(X[0]) == whole.predict(X[:1])[0]
        assert list(other.predict_proba_one(X[0]).values()) == whole.predict_proba(X[:1])[0].tolist()


@each_kind
def test_dicts_and_new_features_and_classes(kind):
    X, y = stream()
    columns, names = MANY[kind](Perceptron()), MANY[kind](Perceptron())
    assert columns.predict_one({0: 1.0}) is None
    assert columns.predict_proba_one({0: 1.0}) == {}
    seen = set()
    for x, label in zip(X, y.tolist(), strict=True):
        columns.learn_one(dict(enumerate(x)), label)
        names.learn_one({f"f{j}": v for j, v in enumerate(x)}, f"c{label}")
        seen.add(label)
        assert set(columns.predict_proba_one(dict(enumerate(x)))) == seen
        assert sum(columns.predict_proba_one(dict(enumerate(x))).values()) == pytest.approx(1.0)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    assert same(columns.margin(X), names.margin(frame))
    assert names.predict(frame).tolist() == [f"c{label}" for label in columns.predict(X)]


@each_kind
def test_bits_do_not_depend_on_the_instruction_set(kind):
    X, y = stream()
    before, found = _core.instruction_set(), []
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            found.append(learned_by(MANY[kind](AROW()).fit(X, y)))
    finally:
        _core.use_instruction_set(before)
    assert all(same(one, found[0]) for one in found)


# ---- test, then train -------------------------------------------------------------------------------------------


@each_kind
def test_prequential_is_predict_before_learn(kind):
    X, y = stream()
    result = prequential(MANY[kind](Perceptron()), X, y)
    one_by_one = MANY[kind](Perceptron())
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if t:
            assert result.predictions[t] == one_by_one.predict_one(x)
            assert result.losses[t] == (one_by_one.predict_one(x) != label)
            given = one_by_one.predict_proba_one(x)
            assert [given.get(c, 0.0) for c in result.classes.tolist()] == result.probabilities[t].tolist()
        one_by_one.learn_one(x, label)
    assert result.losses[0] == 1.0
    assert result.error == pytest.approx(result.losses.mean())
    assert result.curve()[1][-1] == pytest.approx(result.error)
    assert (result.decisions[0] == -2).all()
    assert f"error {result.error:.4f}" in repr(result)
    assert result.log_loss > 0


@each_kind
def test_a_class_does_not_begin_with_an_example_that_teaches_nothing(kind):
    """A weight below 1e-100 is none, in a batch as one by one."""
    X, y, s = np.eye(3)[[0, 2, 1, 0]], ["a", "c", "b", "a"], [1.0, 1e-101, 1.0, 1.0]
    batch, ones = (MANY[kind](Perceptron()) for _ in range(2))
    batch.partial_fit(X, y, sample_weight=s)
    for x, label, weight in zip(X, y, s, strict=True):
        ones.learn_one(x, label, weight)
    assert begun_by(batch) == begun_by(ones) == ["a", "b"]
    assert batch.predict_proba(X).tobytes() == ones.predict_proba(X).tobytes()


@each_kind
@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_first_example_is_never_right(kind, first):
    """Nothing is known before it, whichever label it has."""
    X = np.eye(3)[[first, 0, 1, 2]]
    result = prequential(MANY[kind](Perceptron()), X, [first, 0, 1, 2], classes=[0, 1, 2])
    assert result.losses[0] == 1
    weighted = prequential(MANY[kind](Perceptron()), X, [first, 0, 1, 2], sample_weight=[2.0, 1.0, 1.0, 1.0])
    assert weighted.error == pytest.approx(np.average(weighted.losses, weights=[2, 1, 1, 1]))


@each_kind
@pytest.mark.parametrize("learner", [Perceptron, NaiveBayes, AROW])
def test_blobs_are_told_apart(kind, learner):
    X, y = make_blobs(600, 3, centers=5, cluster_std=0.5, random_state=1)
    model = MANY[kind](learner())
    assert prequential(model, X, np.array(list("abcde"))[y]).losses[300:].mean() < 0.1
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert (model.classes_[P.argmax(axis=1)] == np.array(list("abcde"))[y]).mean() > 0.85


def test_shuffled_passes_are_learned():
    X, y = stream()
    twice = [MANY["olm"](Perceptron(), shuffle=True, n_passes=2).fit(X, y) for _ in range(2)]
    assert same(*map(learned_by, twice))
    assert twice[0].n_examples_ == 2 * len(y)


# ---- labels -----------------------------------------------------------------------------------------------------


@each_kind
def test_two_classes_have_one_decision_and_one_class_has_none_to_make(kind):
    X, y = stream(classes=2)
    model = MANY[kind](Perceptron()).fit(X, y)
    decisions = model.decision_function(X)
    assert decisions.shape == (len(X),)
    assert (model.classes_[(decisions > 0).astype(int)] == model.predict(X)).all()
    assert model.margin(X).shape == (len(X), 2)
    single = MANY[kind](Perceptron()).fit(X, np.full(len(X), "only"))
    assert set(single.predict(X)) == {"only"}
    assert (single.predict_proba(X) == 1.0).all()


@each_kind
def test_a_declared_class_without_examples_is_never_predicted(kind):
    X, y = stream()
    model = MANY[kind](Perceptron()).partial_fit(X, y, classes=[-5, 0, 10, 20, 30])
    assert model.classes_.tolist() == [-5, 0, 10, 20, 30]
    assert (model.margin(X)[:, 0] == -2).all()
    assert (model.predict_proba(X)[:, 0] == 0).all()
    nothing = MANY[kind](Perceptron()).partial_fit(X, y, sample_weight=np.zeros(len(y)))
    assert (nothing.predict_proba(X) == 0.25).all()


@each_kind
def test_declared_labels_are_all_that_batches_may_bring(kind):
    X, y = stream()
    model = MANY[kind](Perceptron()).partial_fit(X[:20], y[:20], classes=[0, 10])
    before = learned_by(model)
    with pytest.raises(ValueError, match=r"y holds the label 20, which is not one of classes=\[0, 10\]"):
        model.partial_fit(X, np.where(y < 20, y, 20))
    assert same(learned_by(model), before)
    model.learn_one(X[0], 20)
    assert model.classes_.tolist() == [0, 10, 20]


@each_kind
def test_bad_input_changes_nothing(kind):
    X, y = stream()
    model = MANY[kind](AROW(covariance="full"))
    for wrong, message in [
        (lambda: model.fit(X, np.linspace(0, 1, len(y))), "Unknown label type"),
        (lambda: model.fit(X, y[:-1]), "80 rows but y has 79"),
        (lambda: model.learn_one(X[0], None), "a label is a string"),
        (lambda: model.learn_one(X[0], 1, w=-1), "weight must be"),
        (lambda: model.fit(X, np.arange(len(y)), sample_weight=np.zeros(len(y))), "nothing to learn"),
        (lambda: model.partial_fit(np.ones((10001, 1)), np.arange(10001)), "more than 10,000 different labels"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
        assert not model.__sklearn_is_fitted__()
    model.partial_fit(X, y)
    before = learned_by(model)
    wide = dict.fromkeys(range(5000), 1.0)
    for wrong in (lambda: model.learn_one([np.inf] * 4, 99), lambda: model.learn_one(wide, 99)):
        with pytest.raises(ValueError, match=r"infinity|full covariance"):
            wrong()
        assert same(learned_by(model), before)
    model.learn_one(X[0], 99)
    assert model.classes_.tolist() == [0, 10, 20, 30, 99]


def test_what_is_no_booster_for_two_classes_is_refused():
    X, y = stream()
    for wrong in (Perceptron(), MANY["olm"](Perceptron())):
        with pytest.raises(TypeError, match="booster must be an onlineboost estimator for two classes"):
            OneVsRest(wrong).fit(X, y)
    with pytest.raises(TypeError, match="learner must be an onlineboost learner"):
        AdaBoostOLMClassifier(3).fit(X, y)
    with pytest.raises(ValueError, match="n_learners must be"):
        OnlineMBBMClassifier(Perceptron(), 101).fit(X, y)
    with pytest.raises(ValueError, match="gamma must be"):
        OnlineMBBMClassifier(Perceptron(), gamma=1.0).fit(X, y)


# ---- parameters and files ---------------------------------------------------------------------------------------


@each_kind
def test_parameters_set_later_wait_for_fit(kind):
    X, y = stream()
    model, twin = (MANY[kind](Perceptron()).partial_fit(X[:20], y[:20]) for _ in range(2))
    path = "booster__" if kind == "one-vs-rest" else ""
    later = {f"{path}n_learners": 3, f"{path}learner__intercept": False}
    before = {name: model.get_params()[name] for name in later}
    model.set_params(**later)
    again = from_bytes(model.to_bytes())
    for one in (model, again):
        with pytest.raises(ValueError, match=r"was set to .* after learning with .*: call fit to start afresh, or set"):
            one.partial_fit(X[20:], y[20:])
        assert (one.predict_proba(X) == twin.predict_proba(X)).all()
        one.set_params(**before).partial_fit(X[20:], y[20:])
    twin.partial_fit(X[20:], y[20:])
    assert same(learned_by(model), learned_by(twin))
    assert same(learned_by(again), learned_by(twin))
    for one in (model, again):
        one.set_params(**later)
    assert same(learned_by(again.fit(X, y)), learned_by(model.fit(X, y)))
    assert not same(learned_by(model), learned_by(twin))


@each_kind
@pytest.mark.parametrize(
    "learner", [name for name in NATIVE if name in {"perceptron", "bayes-typed", "tree", "scaled-maxabs"}]
)
def test_a_file_holds_the_model(kind, learner):
    X, y = stream()
    model = MANY[kind](NATIVE[learner])
    assert not from_bytes(model.to_bytes()).__sklearn_is_fitted__()
    model.partial_fit(X[:50], y[:50], classes=[0, 10, 20, 30])
    data = model.to_bytes()
    again = from_bytes(data)
    assert again.to_bytes() == data
    for one in (model, again):
        one.partial_fit(X[50:], y[50:])
        one.learn_one(X[0], 77)
    assert again.to_bytes() == model.to_bytes()
    assert all(map(same, told(again, X), told(model, X)))


def test_a_forged_file_is_refused():
    X, y = stream()
    document, arrays = unpack(MANY["one-vs-rest"](Perceptron()).fit(X, y).to_bytes())
    fitted = document["fitted"]
    for change in (
        {"booster": "OneVsRest"},
        {"booster": 3},
        {"estimator": "AdaBoostOLMClassifier"},
        {"estimator": "OSBoostClassifier"},
        {"fitted": fitted | {"begun": fitted["begun"][:-1]}},
        {"fitted": fitted | {"begun": [*fitted["begun"], 99]}},
        {"fitted": fitted | {"begun": [0, 0, 0, 0]}},
        {"fitted": fitted | {"labels": fitted["labels"][:-1]}},
        {"fitted": fitted | {"labels": [*fitted["labels"], None]}},
        {"fitted": fitted | {"declared": 1}},
        {"parameters": document["parameters"] | {"n_learners": 6}},
    ):
        with pytest.raises(ModelFileError):
            from_bytes(pack(document | change, arrays))


def test_commands_on_a_model_of_arrays(tmp_path, capsys):
    X, y = stream()
    model = MANY["olm"](Perceptron()).fit(X, y)
    file, data = tmp_path / "many.ob", tmp_path / "rows.csv"
    model.save(file)
    data.write_text("label,a\n1,2\n")
    assert main(["inspect", str(file)]) == 0
    assert ", ".join(map(str, model.classes_)) in capsys.readouterr().out
    assert main(["certify", str(file)]) == 2
    assert "no certificate for AdaBoostOLMClassifier" in capsys.readouterr().err
    assert main(["evaluate", str(file), str(data)]) == 2
    assert "learned from arrays in Python" in capsys.readouterr().err
