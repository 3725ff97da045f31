"""What a batch leaves of labels and names: those it declares, those that begin, and none if nothing was learned."""

from __future__ import annotations

import numpy as np
import pytest
from table import stream

from onlineboost import AdaBoostOLMClassifier, OneVsRest, OSBoostClassifier, Perceptron
from onlineboost.machine import Machine
from onlineboost.streams import Feed, open_stream

pytestmark = [pytest.mark.quick, pytest.mark.engine]

MODELS = {
    "two": lambda: OSBoostClassifier(Perceptron(), 3, random_state=0),
    "one-vs-rest": lambda: OneVsRest(OSBoostClassifier(Perceptron(), 3, random_state=0)),
    "olm": lambda: AdaBoostOLMClassifier(Perceptron(), 3, random_state=0),
}
each_model = pytest.mark.parametrize("kind", list(MODELS))
X, y = stream(20)


@each_model
def test_a_class_begins_with_its_first_row_of_any_weight(kind):
    labels = np.array(["a", "b"])[y]
    labels[:3], labels[3:6] = "b", "a"
    weights = np.ones(20)
    weights[:3] = 0.0
    model = MODELS[kind]().partial_fit(X, labels, sample_weight=weights)
    assert list(model.machine.labels.begun) == ["a", "b"]
    twin = MODELS[kind]().partial_fit(X[3:], labels[3:])
    np.testing.assert_array_equal(model.predict_proba(X), twin.predict_proba(X))


def test_three_declared_labels_are_all_there_are():
    """Of two, a third may come."""
    labels = np.array(["a", "b"])[y]
    model = MODELS["two"]().partial_fit(X, labels, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="'d'"):
        model.partial_fit(X, np.where(y, "d", "a"))
    assert model.classes_.tolist() == ["a", "b", "c"]
    model = MODELS["two"]().partial_fit(X, labels, classes=["a", "b"]).partial_fit(X, np.where(y, "d", "a"))
    assert model.classes_.tolist() == ["a", "b", "d"]


def test_labels_without_an_example_share_the_rest():
    model = MODELS["two"]().partial_fit(X, ["b"] * 20, classes=["a", "b", "c"])
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found[:, 0], found[:, 2])
    assert (found[:, 1] > found[:, 0]).all()


@each_model
def test_names_of_a_batch_that_is_not_learned_are_forgotten(kind, monkeypatch, tmp_path):
    (tmp_path / "rows.vw").write_text("1 | a:1\n-1 | b:2\n" + "1 | c:3\n-1 | a:1 d:2\n" + "1 | d:4\n-1 | e:1 c:2\n")
    first, second, third = open_stream(tmp_path / "rows.vw", batch_rows=2)
    model, twin = (MODELS[kind]() for _ in range(2))
    feed, undisturbed = Feed(model), Feed(twin)
    feed.learn(first)
    with monkeypatch.context() as patch:
        patch.setattr(Machine, "walk_rows", lambda *_, **__: (_ for _ in ()).throw(MemoryError()))
        with pytest.raises(MemoryError):
            feed.learn(second)
    feed.learn(third)
    undisturbed.learn(first)
    undisturbed.learn(third)
    assert model.to_bytes() == twin.to_bytes()
