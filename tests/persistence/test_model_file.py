"""The model file: what is saved comes back bit for bit, and goes on as if it had never been away."""

from __future__ import annotations

import json
import os
import pickle
import stat
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from states import document, same, snapshot, state_of
from table import IN_PYTHON, each_class_in_python, each_native_pair, make, stream

from onlineboost import (
    AROW,
    NaiveBayes,
    OGBoostClassifier,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    Scaled,
    from_bytes,
    load,
)
from onlineboost.persistence import container, load_with_extra, save, to_bytes

pytestmark = [pytest.mark.engine, pytest.mark.quick]

# ---- the one table ---------------------------------------------------------------------------------------------


@each_native_pair
def test_a_saved_model_goes_on_as_if_it_had_never_been_away(booster, learner, tmp_path):
    X, y = stream(60)
    model = make(booster, learner).partial_fit(X[:30], y[:30])
    model.save(tmp_path / "model.ob")
    loaded = load(tmp_path / "model.ob")
    assert type(loaded) is type(model)
    assert same(snapshot(loaded), snapshot(model))
    assert same(snapshot(loaded), snapshot(pickle.loads(pickle.dumps(model))))
    assert loaded.to_bytes() == model.to_bytes() == (tmp_path / "model.ob").read_bytes()
    for one in (model, loaded):
        one.partial_fit(X[30:], y[30:])
    assert same(snapshot(loaded), snapshot(model))
    assert same(loaded.predict_proba(X), model.predict_proba(X))


@each_native_pair
def test_a_stream_of_dicts_can_be_saved_after_every_example(booster, learner):
    """Where a checkpoint was taken shows nowhere: neither in what is learned nor in the diagnostics."""
    X, y = stream(12, sparse=True)
    rows = [{f"f{j}": v for j, v in enumerate(x.tolist()) if v != 0} for x in X]
    more = {"fading": 5.0} if booster in {"osboost", "ocp", "eg", "experts"} else {}
    straight, saved = make(booster, learner, **more), make(booster, learner, **more)
    for x, label in zip(rows, y.tolist(), strict=True):
        straight.learn_one(x, label)
        saved = from_bytes(saved.to_bytes())
        saved.learn_one(x, label)
    assert same(snapshot(saved), snapshot(straight))
    if more:
        assert repr(saved.certificate()) == repr(straight.certificate())
        assert repr(saved.certificate(faded=True)) == repr(straight.certificate(faded=True))


@pytest.mark.parametrize("learner", list(IN_PYTHON))
@each_class_in_python
def test_learners_in_python_are_refused(booster, learner, tmp_path):
    X, y = stream(6)
    for model in (make(booster, learner), make(booster, learner).partial_fit(X, y)):
        before = snapshot(model)
        with pytest.raises(ValueError, match="save it with pickle, or with the persistence of the library"):
            model.save(tmp_path / "model.ob")
        assert same(snapshot(model), before)
    assert list(tmp_path.iterdir()) == []


# ---- labels, keys, parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], ["ja", "nein ☃"], [False, True], [0, 1], [-1, 7], [10**30, 3], [0.5, -1.25], [1e-300, 2.0]],
)
@pytest.mark.parametrize("first", [0, 1])
def test_labels_come_back_with_their_type(labels, first):
    model = make("osboost")
    model.learn_one({"a": 1.0}, labels[first])
    alone = from_bytes(model.to_bytes())
    assert alone.predict_one({"a": -1.0}) == labels[first]
    for one in (model, alone):
        one.learn_one({"a": -1.0}, labels[1 - first])
    both = from_bytes(model.to_bytes())
    assert same(snapshot(both), snapshot(model))
    assert same(snapshot(both), snapshot(alone))
    assert both.classes_.dtype == model.classes_.dtype
    assert [type(c) for c in both.predict_proba_one({"a": 1.0})] == [type(labels[0])] * 2


def test_a_label_of_an_own_type_is_refused():
    model = make("osboost")
    model.learn_one({"a": 1.0}, Fraction(1, 3))
    with pytest.raises(ValueError, match=r"Fraction.*cannot be saved"):
        model.to_bytes()


def test_a_label_that_was_only_declared():
    X, y = stream(10)
    model = make("osboost").partial_fit(X[:1], y[:1], classes=[0, 1])
    weightless = make("osboost").partial_fit(X[:2], y[:2], sample_weight=[0.0, 0.0])
    for one in (model, weightless):
        loaded = from_bytes(one.to_bytes())
        assert same(snapshot(loaded.partial_fit(X, y)), snapshot(one.partial_fit(X, y)))


@pytest.mark.parametrize("keys", [["a", "b ☃", "\ud800"], [0, 5, 2], ["a", 0, 2.5, "", True], [0, 3, "extra"]])
def test_keys_come_back(keys):
    model = make("osboost", "gradient")
    for k, key in enumerate(keys * 2):
        model.learn_one({keys[0]: 1.0, key: float(k)}, k % 2)
    loaded = from_bytes(model.to_bytes())
    assert same(snapshot(loaded), snapshot(model))
    for one in (model, loaded):
        one.learn_one({keys[-1]: 1.0, "new" if isinstance(keys[0], str) else 9: 2.0}, 0)
    assert same(snapshot(loaded), snapshot(model))


@pytest.mark.parametrize("key", [("pair", 1), 2**61, b"bytes"])
def test_a_key_that_json_cannot_hold_is_refused(key):
    model = make("osboost")
    model.learn_one({"a": 1.0, key: 1.0}, 0)
    with pytest.raises(ValueError, match="cannot be saved: use strings"):
        model.to_bytes()


def test_names_of_columns_come_back():
    X, y = stream(20)
    frame = pd.DataFrame(X, columns=["price", "size", "age", "a=b", "☃"])
    model = make("osboost").partial_fit(frame, y)
    loaded = from_bytes(model.to_bytes())
    assert same(snapshot(loaded), snapshot(model))
    assert loaded.predict_proba_one({"size": 2.0, "☃": -1.0}) == model.predict_proba_one({"size": 2.0, "☃": -1.0})
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"age": "years"}))


def test_numpy_scalars_become_plain_ones():
    X, y = stream(20)
    model = OSBoostClassifier(
        Perceptron(intercept=np.bool_(True)), np.int64(5), gamma=np.float32(0.1), random_state=np.uint8(3)
    ).fit(X, y)
    loaded = from_bytes(model.to_bytes())
    assert same(state_of(loaded), state_of(model))
    found = loaded.get_params()
    assert {type(found[name]) for name in ("n_learners", "random_state")} == {int}
    assert type(found["gamma"]) is float
    assert found["gamma"] == np.float32(0.1)
    assert found["learner__intercept"] is True


def test_every_parameter_comes_back():
    model = OGBoostClassifier(
        NaiveBayes(kind="gaussian", alpha=0.5, variance_floor=1e-3, intercept=False, unit_norm=False),
        6,
        n_candidates=2,
        loss="savage",
        shrinkage=0.3,
        forgetting=0.9,
        smallest_weight=1e-12,
        evaluate="before",
        shuffle=True,
        n_passes=2,
        random_state=2**70 + 1,
    )
    expected = {name: value for name, value in model.get_params().items() if name != "learner"}
    X, y = stream(20)
    for one in (model, clone(model).fit(X, y)):
        found = from_bytes(one.to_bytes()).get_params()
        assert {name: found[name] for name in expected} == expected


def test_a_parameter_that_json_cannot_hold_is_refused():
    with pytest.raises(ValueError, match=r"theta=.*cannot be saved"):
        OSBoostClassifier(Perceptron(), theta=Fraction(1, 30)).to_bytes()


def test_parameters_set_later_are_not_what_the_model_was_made_with():
    X, y = stream(40)
    model = make("osboost").partial_fit(X[:20], y[:20])
    model.set_params(gamma=0.3, n_learners=3, learner=NaiveBayes())
    loaded = from_bytes(model.to_bytes())
    assert same(loaded.get_params(deep=False) | {"learner": 0}, model.get_params(deep=False) | {"learner": 0})
    assert same(snapshot(loaded), snapshot(model))
    for one in (loaded, model):
        with pytest.raises(ValueError, match=r"was set to .* after learning with"):
            one.partial_fit(X[20:], y[20:])
    again = from_bytes(loaded.to_bytes()).set_params(gamma=0.1, n_learners=7, learner=Perceptron())
    twin = make("osboost").partial_fit(X, y)
    assert same(state_of(again.partial_fit(X[20:], y[20:])), state_of(twin))
    assert same(snapshot(loaded.fit(X, y)), snapshot(model.fit(X, y)))
    assert state_of(loaded)["weight_mass"].shape == (4,)


def test_parameters_of_a_learner_inside_set_later():
    X, y = stream(40)
    model = make("osboost", "scaled").partial_fit(X[:20], y[:20])
    model.set_params(learner__learner__covariance="full", learner__clip=2.0)
    loaded = from_bytes(model.to_bytes())
    assert loaded.learner.learner.covariance == "full"
    for one in (loaded, model):
        with pytest.raises(ValueError, match=r"^learner__(clip|learner__covariance) was set to"):
            one.partial_fit(X[20:], y[20:])
    assert same(state_of(loaded), state_of(model))
    assert same(snapshot(loaded.fit(X, y)), snapshot(model.fit(X, y)))


def test_wrappers_of_one_kind_in_each_other():
    X, y = stream(40)
    weak = Scaled(Scaled(RandomFourier(RandomFourier(AROW(), 5), 4), "maxabs"))
    model = OSBoostClassifier(weak, 9, random_state=0).partial_fit(X, y)
    loaded = from_bytes(model.to_bytes())
    assert repr(loaded) == repr(model)
    assert same(snapshot(loaded), snapshot(model))
    for _ in range(6):
        weak = Scaled(weak)
    with pytest.raises(ValueError, match="at most 8 wrappers"):
        OSBoostClassifier(weak).to_bytes()


def test_a_model_that_has_learned_nothing():
    model = OSBoostClassifier(NaiveBayes(alpha=1.0), 5, gamma=0.2, random_state=3)
    loaded = from_bytes(model.to_bytes())
    assert repr(loaded) == repr(model)
    with pytest.raises(NotFittedError):
        loaded.predict([[1.0]])
    X, y = stream(20)
    assert same(snapshot(loaded.fit(X, y)), snapshot(model.fit(X, y)))


def test_a_random_state_becomes_the_seed_that_was_drawn_from_it():
    X, y = stream(40)
    model = make("ozaboost", random_state=np.random.RandomState(5))  # scikit-learn's
    with pytest.raises(ValueError, match="give random_state an integer, or fit"):
        model.to_bytes()
    model.fit(X[:20], y[:20])
    loaded = from_bytes(model.to_bytes())
    assert loaded.random_state == document(model)["fitted"]["seed"]
    again = clone(loaded).fit(X[:20], y[:20])
    assert same(state_of(again), state_of(model))
    for one in (model, loaded):
        one.partial_fit(X[20:], y[20:])
    assert same(state_of(loaded), state_of(model))


def test_none_stays_none():
    X, y = stream(20)
    model = make("ozaboost", random_state=None).fit(X, y)
    loaded = from_bytes(model.to_bytes())
    assert loaded.random_state is None
    assert document(loaded) == document(model)


class Derived(OSBoostClassifier):
    """A user's own class."""


def test_a_class_of_ones_own_is_refused():
    with pytest.raises(ValueError, match="own estimators; Derived is not one: use pickle"):
        Derived(Perceptron()).to_bytes()


# ---- extra -----------------------------------------------------------------------------------------------------


def test_extra_comes_back(tmp_path):
    extra = {"position": {"bytes": 2**40, "rows": 3, "bad": 0}, "names": ["☃", None, 1.5, True]}
    save(make("osboost").saved_machine(), tmp_path / "a.ob", extra)
    make("osboost").save(tmp_path / "b.ob", extra=extra)
    assert (
        (tmp_path / "a.ob").read_bytes()
        == (tmp_path / "b.ob").read_bytes()
        == to_bytes(make("osboost").saved_machine(), extra)
    )
    assert load_with_extra(tmp_path / "a.ob")[1] == extra
    save(make("osboost").saved_machine(), tmp_path / "c.ob")
    assert load_with_extra(tmp_path / "c.ob")[1] is None


@pytest.mark.parametrize("extra", [{1, 2}, float("nan"), {"a": object()}, [b"bytes"]])
def test_extra_that_json_cannot_hold_is_refused(extra, tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        save(make("osboost").saved_machine(), tmp_path / "a.ob", extra)
    assert list(tmp_path.iterdir()) == []


def test_extra_that_is_too_large_is_refused(tmp_path):
    with pytest.raises(ValueError, match="extra is too large"):
        save(make("osboost").saved_machine(), tmp_path / "a.ob", "x" * 10_000_001)


# ---- files -----------------------------------------------------------------------------------------------------


def test_a_file_is_replaced_in_one_step(tmp_path, monkeypatch):
    X, y = stream(20)
    path = tmp_path / "model.ob"
    make("osboost").save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left")

    for function in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, fail)
            patch.setattr(Path, function, fail, raising=False)
            with pytest.raises(OSError, match="no space"):
                make("osboost").fit(X, y).save(path)
        assert [p.name for p in tmp_path.iterdir()] == ["model.ob"]
        assert path.read_bytes() == before


def test_a_new_file_has_the_permissions_of_the_process(tmp_path):
    old = os.umask(0o027)
    try:
        make("osboost").save(tmp_path / "model.ob")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "model.ob").stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.ob").symlink_to(tmp_path / "there" / "model.ob")
    make("osboost").save(tmp_path / "link.ob")
    assert (tmp_path / "link.ob").is_symlink()
    assert [p.name for p in (tmp_path / "there").iterdir()] == ["model.ob"]


def test_names_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("m" * 252 + ".ob")
    make("osboost").save(path)
    assert load(str(path)).n_learners == 7


def test_a_missing_folder_or_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        make("osboost").save(tmp_path / "nowhere" / "model.ob")
    with pytest.raises(FileNotFoundError, match=r"absent\.ob"):
        load(tmp_path / "absent.ob")


# ---- the file itself -------------------------------------------------------------------------------------------


def test_the_file_is_what_the_specification_says(tmp_path):
    """Read with nothing but the standard library, as docs/model-format.md describes it."""
    X, y = stream(20)
    model = make("osboost").fit(X, y)
    model.save(tmp_path / "model.ob", extra={"note": "hello"})
    data = (tmp_path / "model.ob").read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    document = json.loads(header.pop("__metadata__")["onlineboost"])
    assert set(document) == {
        *("format", "version", "estimator", "parameters", "learner", "learner_parameters", "fitted", "extra")
    }
    assert (document["format"], document["version"], document["extra"]) == ("onlineboost", 3, {"note": "hello"})
    state = state_of(model)
    assert set(header) == set(state)
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        array = np.frombuffer(data[8 + length :][first:last], {"F64": "<f8", "I64": "<i8"}[entry["dtype"]])
        assert np.array_equal(array.reshape(entry["shape"]), state[name])


def test_the_bytes_are_those_of_safetensors():
    arrays = {"b": np.arange(6.0).reshape(2, 3), "a": np.ones(1), "é": np.zeros((0, 7)), "A": np.arange(5, dtype="u1")}
    arrays |= {"z": np.arange(3), "c": np.arange(4, dtype=">i8"), "f": np.asfortranarray(np.arange(6.0).reshape(2, 3))}
    described = {"text": 'é"\\\x7f\n/', "number": 1.5}
    text = json.dumps(described, separators=(",", ":"), sort_keys=True)
    plain = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("=")) for name, array in arrays.items()}
    assert container.pack(described, arrays) == safetensors.numpy.save(plain, {"onlineboost": text})


def test_the_specification_names_every_field():
    text = (Path(__file__).parents[2] / "docs" / "model-format.md").read_text(encoding="utf-8")
    models = [
        make(b, l)
        for b in ("osboost", "ocp", "eg", "experts", "ozaboost", "ogboost", "bbm", "adaboost-ol", "defensive")
        for l in ("perceptron", "gradient")
    ]
    X, y = stream(20)
    fields = set()
    for model in [*models, make("osboost", "bayes-auto", fading=9)]:
        fields |= set(state_of(model.fit(X, y)))
    named = {field.removeprefix("faded_").replace("minus.", "plus.") for field in fields}
    assert [field for field in sorted(named) if f"`{field}`" not in text] == []
