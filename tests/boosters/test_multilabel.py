"""Sets of labels: each label against its binary twin, every form of y, what is predicted, and bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from label_rows import NAMES, as_dicts, as_sets, dicts_of, stream
from river import evaluate, metrics
from sklearn import metrics as of_sklearn
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from table import BOOSTERS, NATIVE, in_turn, make

from onlineboost import (
    AdaOLMRClassifier,
    MultiLabelClassifier,
    NaiveBayes,
    OnlineBMRClassifier,
    OnlineBoostClassifier,
    OSBoostClassifier,
    Perceptron,
    StronglyAdaptiveSets,
    _core,
    compare,
    from_bytes,
    prequential,
)
from onlineboost.evaluation.multilabel import rank_losses
from onlineboost.machine.progress import watched_by

pytestmark = [pytest.mark.engine, pytest.mark.quick]

WEIGHT = np.array([0.5, 1.0, 0.0, 2.0])


def relevance(learner=None, **more):
    return MultiLabelClassifier(OSBoostClassifier(learner, 4, random_state=0, **more))


KINDS = {
    "relevance": relevance,
    "olmr": lambda learner, **more: AdaOLMRClassifier(learner, 4, random_state=0, **more),
    "bmr": lambda learner, **more: OnlineBMRClassifier(learner, 4, random_state=0, **more),
}
each_kind = pytest.mark.parametrize("kind", list(KINDS))


# ---- binary relevance is a binary model per label --------------------------------------------------------------


@pytest.mark.parametrize(
    ("booster", "learner"),
    [(booster, "perceptron") for booster in BOOSTERS] + [("osboost", learner) for learner in NATIVE],
)
def test_a_label_is_the_binary_model_of_its_column(booster, learner):
    X, Y = stream()
    s = np.resize(WEIGHT, len(Y))
    model = MultiLabelClassifier(make(booster, learner)).partial_fit(X, Y, sample_weight=s)
    for k in range(Y.shape[1]):
        alone = make(booster, learner).partial_fit(X, Y[:, k], sample_weight=s)
        assert np.array_equal(model.margin(X)[:, k], alone.margin(X))  # a vote of 0 may have either sign
        assert model.predict_proba(X)[:, k].tobytes() == alone.predict_proba(X)[:, 1].tobytes()


@in_turn("threshold", ["calibrated", "vote"])
def test_it_agrees_with_scikit_learn_around_the_binary_model(threshold):
    X, Y = stream()
    inner = OSBoostClassifier(NaiveBayes(), 4, threshold=threshold, random_state=0)
    ours, theirs = MultiLabelClassifier(inner), MultiOutputClassifier(inner)
    for part in (slice(0, 30), slice(30, 80)):
        ours.partial_fit(X[part], Y[part])
        theirs.partial_fit(X[part], Y[part], classes=[[0, 1]] * Y.shape[1])
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert (ours.predict_proba(X) == np.column_stack([p[:, 1] for p in theirs.predict_proba(X)])).all()
    assert ((ours.decision_function(X) > 0) == ours.predict(X)).all()
    assert ours.score(X, Y) == of_sklearn.accuracy_score(Y, theirs.predict(X))


def test_the_mixture_for_label_sets():
    X, Y = stream()
    model = MultiLabelClassifier(OnlineBoostClassifier(random_state=0)).partial_fit(X, Y)
    alone = OnlineBoostClassifier(random_state=0).partial_fit(X, Y[:, 3])
    assert (model.predict_proba(X)[:, 3] == alone.predict_proba(X)[:, 1]).all()
    assert (from_bytes(model.to_bytes()).predict_proba(X) == model.predict_proba(X)).all()


# ---- the same bits, whatever the batches and however labels are given ------------------------------------------


@each_kind
@pytest.mark.parametrize("learner", ["perceptron", "bayes-auto", "tree", "scaled"])
def test_bits_depend_on_the_stream_alone(kind, learner):
    X, Y = stream()
    new = lambda: KINDS[kind](clone(NATIVE[learner]))  # noqa: E731
    whole = new().partial_fit(X, Y)
    wanted = whole.predict_proba(X)
    for size in (1, 7):
        parts = new()
        for start in range(0, len(X), size):
            parts.partial_fit(sp.csr_array(X[start : start + size]), Y[start : start + size])
        assert parts.to_bytes() == whole.to_bytes()
    order = [NAMES.tolist().index(name) for name in sorted(NAMES)]
    for sets in (as_sets(Y), as_dicts(Y), [tuple(sorted(one)) for one in as_sets(Y)]):
        given = new().partial_fit(X, sets)
        assert given.classes_.tolist() == sorted(NAMES)
        assert (given.predict_proba(X) == wanted[:, order]).all()
    declared = new().partial_fit(X[:5], as_sets(Y[:5]), classes=NAMES)
    assert declared.predict_proba(X[:5]).shape == (5, 4)
    assert (declared.partial_fit(X[5:], as_sets(Y[5:])).predict_proba(X) == wanted[:, order]).all()


@each_kind
def test_one_example_at_a_time(kind):
    X, Y = stream()
    by_name, by_column = KINDS[kind](NaiveBayes()), KINDS[kind](NaiveBayes())
    for x, row, labels, flags in zip(dicts_of(X), X, as_sets(Y), Y, strict=True):
        by_name.learn_one(x, labels)
        by_column.learn_one(row, flags)
    batch = KINDS[kind](NaiveBayes()).partial_fit(X, Y)
    assert (by_column.predict_proba(X) == batch.predict_proba(X)).all()
    for x, row, P, found in zip(dicts_of(X), X, batch.predict_proba(X), batch.predict(X), strict=True):
        told = by_name.predict_proba_one(x)
        assert [told[name] for name in NAMES] == P.tolist()
        assert by_name.predict_one(x) == set(NAMES[found.astype(bool)].tolist())
        assert by_column.predict_one(row) == set(np.flatnonzero(found).tolist())


@each_kind
def test_copies_files_and_pickles_go_on_identically(kind):
    X, Y = stream()
    sets = as_sets(Y)
    model = KINDS[kind](Perceptron()).partial_fit(X[:30], sets[:30])
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), from_bytes(model.to_bytes())]
    model.partial_fit(X[30:], sets[30:])
    for one in copies:
        assert one.partial_fit(X[30:], sets[30:]).to_bytes() == model.to_bytes()
        assert one.predict(X) == model.predict(X)


@each_kind
def test_a_row_of_weight_0_teaches_nothing(kind):
    X, Y = stream()
    s = np.resize(WEIGHT, len(Y))
    model = KINDS[kind](Perceptron()).partial_fit(X, Y, sample_weight=s)
    without = KINDS[kind](Perceptron()).partial_fit(X[s > 0], Y[s > 0], sample_weight=s[s > 0])
    assert model.to_bytes() == without.to_bytes()


@each_kind
def test_labels_that_come_after_rows_without_any(kind):
    """A label begins with what was learned of rows that did not have it."""
    X, Y = stream()
    none = [set()] * 40
    model = KINDS[kind](NaiveBayes()).partial_fit(X[:40], none)
    assert model.predict(X[:2]) == [set(), set()]
    assert (
        from_bytes(model.to_bytes()).partial_fit(X, as_sets(Y)).to_bytes()
        == model.partial_fit(X, as_sets(Y)).to_bytes()
    )
    assert model.n_examples_ == 120


# ---- test, then train ------------------------------------------------------------------------------------------


@each_kind
def test_the_metrics_are_those_of_scikit_learn(kind):
    X, Y = stream()
    s = np.resize([0.5, 1.0, 3.0], len(Y))
    result = prequential(KINDS[kind](NaiveBayes()), X, Y, sample_weight=s)
    model = KINDS[kind](NaiveBayes())
    P = []
    for x, y, weight in zip(X, Y, s, strict=True):
        P.append(model.predict_proba([x])[0] if P else result.probabilities[0])
        model.partial_fit([x], [y], sample_weight=[weight])
    assert (result.probabilities == P).all()
    assert (result.predictions == (np.array(P) > 0.5)).all()
    about = {"sample_weight": s}
    assert np.isclose(result.hamming_loss, of_sklearn.hamming_loss(Y, result.predictions, **about))
    assert np.isclose(result.subset_accuracy, of_sklearn.accuracy_score(Y, result.predictions, **about))
    assert np.isclose(result.f1_micro, of_sklearn.f1_score(Y, result.predictions, average="micro", **about))
    own = [of_sklearn.log_loss(Y[:, k], result.probabilities[:, k], **about) for k in range(4)]
    assert np.isclose(result.log_loss, np.mean(own))
    assert np.isclose(result.curve()[1][-1], result.error)


def test_rank_loss_counts_pairs():
    true = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]], bool)
    scores = np.array([[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 6.0]])
    assert rank_losses(true, scores).tolist() == [0.5, 0.0, 0.0, 2 / 3]
    rng = np.random.default_rng(0)
    true, scores = rng.random((50, 6)) < 0.4, rng.normal(size=(50, 6))
    assert np.isclose(rank_losses(true, scores).mean(), of_sklearn.label_ranking_loss(true, scores))


@each_kind
def test_sets_miss_a_label_as_often_as_they_may(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(1500, 3)) > 0.5).astype(int)
    model, missed = KINDS[kind](NaiveBayes()).partial_fit(X[:1], Y[:1]), 0
    for start in range(1, 1500, 50):
        part = slice(start, start + 50)
        missed += int((~model.predict_set(X[part], 0.2) & Y[part].astype(bool)).any(axis=1).sum())
        model.partial_fit(X[part], Y[part])
    assert abs(model.machine.summary().missed(0.2) - 0.2 * 1500) <= 41
    assert abs(missed - 0.2 * 1499) <= 41 + 0.05 * 1499  # by batches, the threshold is a little older


# ---- scikit-learn's and river's conventions --------------------------------------------------------------------


def test_scikit_learn_tools():
    X, Y = stream()
    model = relevance(NaiveBayes())
    tags = get_tags(model)
    assert is_classifier(model)
    assert tags.classifier_tags.multi_label
    assert tags.target_tags.multi_output
    frame = pd.DataFrame(Y, columns=NAMES)
    for y in (Y, Y.tolist(), Y.astype(bool), Y.astype(float), sp.csr_array(Y), frame):
        fitted = clone(model).fit(X, y)
        assert of_sklearn.f1_score(Y, fitted.predict(X), average="micro") > 0.4
        assert fitted.classes_.tolist() == [0, 1, 2, 3]
    scores = cross_val_score(model, X, Y, cv=3, scoring="f1_micro", error_score="raise")
    assert (scores > 0).all()


ONE_LABEL = {  # checks that give every row one label, as a vector or as a matrix of one column of any numbers
    *("check_classifier_data_not_an_array", "check_classifier_not_supporting_multiclass", "check_classifiers_classes"),
    *("check_classifiers_one_label", "check_classifiers_one_label_sample_weights", "check_classifiers_train"),
    *("check_classifiers_regression_target", "check_decision_proba_consistency", "check_estimator_sparse_array"),
    *("check_estimator_sparse_matrix", "check_estimators_dtypes", "check_estimators_partial_fit_n_features"),
    *("check_fit2d_1feature", "check_n_features_in_after_fitting", "check_sample_weights_not_an_array"),
    *("check_sample_weights_not_overwritten", "check_sample_weights_pandas_series", "check_sample_weights_shape"),
}
ONE_STEP = {  # an example of weight 2 is one step of twice the size
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def test_scikit_learn_checks():
    found = check_estimator(relevance(), on_fail=None, on_skip=None)
    assert {one["check_name"] for one in found if one["status"] == "failed"} <= ONE_LABEL | ONE_STEP
    assert sum(one["status"] == "passed" for one in found) > 40


def test_river_conventions():
    X, Y = stream()
    model = relevance(NaiveBayes())
    measured = evaluate.progressive_val_score(
        zip(dicts_of(X)[1:], as_dicts(Y)[1:], strict=True),
        _after(model, dicts_of(X)[0], as_dicts(Y)[0]),
        metrics.multioutput.MicroAverage(metrics.F1()),
    )
    assert 0.2 < measured.get() <= 1.0
    x = dicts_of(X)[0]
    assert model.predict_one(x).keys() == set(NAMES)
    told = model.predict_proba_one(x)
    assert all(np.isclose(one[True] + one[False], 1.0) for one in told.values())
    assert model.predict_many(pd.DataFrame([x])).columns.tolist() == sorted(NAMES)


def _after(model, x, y):
    model.learn_one(x, y)
    return model


# ---- what else drives a model ----------------------------------------------------------------------------------


def test_an_interrupted_batch_keeps_the_labels_that_it_showed():
    X, Y = stream()
    sets, stopped = as_sets(Y), relevance(Perceptron())

    def stop(done, *_):
        if done > 20:
            raise KeyboardInterrupt

    _core.set_slice_seconds(1e-9)
    try:
        with pytest.raises(KeyboardInterrupt, match="Stopped after"), watched_by(stop):
            stopped.partial_fit(X, [*sets[:-1], {"tax"}])
    finally:
        _core.set_slice_seconds(0.05)
    learned = stopped.n_examples_
    assert 20 < learned < 40
    assert stopped.to_bytes() == relevance(Perceptron()).partial_fit(X[:learned], sets[:learned]).to_bytes()


def test_comparisons_and_strongly_adaptive_sets():
    X, Y = stream()
    found = compare(relevance(NaiveBayes()), KINDS["olmr"](NaiveBayes()), X, Y)
    alone = [prequential(make(NaiveBayes()), X, Y).hamming_loss for make in (relevance, KINDS["olmr"])]
    assert np.allclose(found.losses, alone)
    sets = StronglyAdaptiveSets(relevance(NaiveBayes()), 0.2).partial_fit(X, Y)
    result = prequential(relevance(NaiveBayes()), X, Y)
    least = np.where(result.true, result.probabilities, 1.0).min(axis=1)
    twin = StronglyAdaptiveSets(relevance(NaiveBayes()), 0.2)
    twin.learn_scores(1.0 - least)
    assert sets.threshold_ == twin.threshold_
