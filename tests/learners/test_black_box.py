"""Classifiers of other libraries as weak learners."""

import pickle

import numpy as np
import pytest
from river import linear_model, naive_bayes
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from states import bank_of

from onlineboost import BlackBox, NaiveBayes, OnlineClassifier, OSBoostClassifier, OzaBoostClassifier, prequential


class VoteOnly:
    """A scikit-learn-like classifier with neither weights nor probabilities: the last label seen."""

    def __init__(self):
        self.seen = 0

    def get_params(self, deep=True):
        return {}

    def set_params(self):
        return self

    def partial_fit(self, X, y):
        self.last = y[0]
        self.seen += 1

    def predict(self, X):
        return np.full(len(X), self.last)


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, X[:, 0] - X[:, 1] > 0


@pytest.mark.parametrize(
    "classifier",
    [
        SGDClassifier(loss="log_loss"),
        SGDClassifier(loss="hinge"),  # decision_function only
        GaussianNB(),
        linear_model.LogisticRegression(),
        linear_model.PAClassifier(),  # votes only, and no weights
        linear_model.Perceptron(),
        naive_bayes.GaussianNB(),
    ],
    ids=lambda c: f"{type(c).__module__.partition('.')[0]}-{type(c).__name__}-{getattr(c, 'loss', '')}"[:40],
)
def test_learns(classifier, stream):
    X, y = stream
    model = OSBoostClassifier(BlackBox(classifier), 3, random_state=0)
    assert prequential(model, X[:150], y[:150]).error < 0.3


def test_gaussian_naive_bayes_agrees_with_scikit_learns(stream):
    """One black box, unboosted, is the classifier itself."""
    X, y = stream
    boxed = OnlineClassifier(BlackBox(GaussianNB())).partial_fit(X, y)
    plain = GaussianNB().fit(X, y)
    assert np.allclose(boxed.margin(X), 2 * plain.predict_proba(X)[:, 1] - 1, atol=1e-9)
    ours = OnlineClassifier(NaiveBayes(kind="gaussian", unit_norm=False, intercept=False)).partial_fit(X, y)
    assert np.allclose(ours.margin(X), boxed.margin(X), atol=1e-4)


def test_weights_become_repetitions_where_there_are_none():
    model = OnlineClassifier(BlackBox(VoteOnly()), random_state=0)
    model.partial_fit(np.ones((1000, 1)), [0, 1] * 500, sample_weight=np.full(1000, 0.25))
    (box,) = bank_of(model).models
    assert 180 < box.seen < 320
    model.partial_fit(np.ones((1, 1)), [1], sample_weight=[3.0])
    assert set(np.abs(model.margin(np.ones((1, 1))))) == {1.0}


def test_clones_have_seeds_of_their_own(stream):
    X, y = stream
    model = OSBoostClassifier(BlackBox(MLPClassifier((3,))), 3, random_state=5).partial_fit(X[:5], y[:5])
    boxes = bank_of(model).models
    assert len({box.random_state for box in boxes}) == 3
    assert not np.array_equal(boxes[0].coefs_[0], boxes[1].coefs_[0])


def test_copies_go_on_identically(stream):
    X, y = stream
    model = OzaBoostClassifier(BlackBox(linear_model.PAClassifier()), 3, random_state=0).partial_fit(X[:50], y[:50])
    twin = pickle.loads(pickle.dumps(model))
    for copy in (model, twin):
        copy.partial_fit(X[50:100], y[50:100])
    assert np.array_equal(model.margin(X), twin.margin(X))


@pytest.mark.parametrize("thing", [GaussianNB, object(), Pipeline([("nb", GaussianNB())]), 3])
def test_what_cannot_learn_online_is_refused(thing, stream):
    with pytest.raises(TypeError, match="BlackBox needs a classifier with partial_fit"):
        OSBoostClassifier(BlackBox(thing), 3).partial_fit(*stream)
