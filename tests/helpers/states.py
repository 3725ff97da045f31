"""What a model holds, read as anybody may: from its model file (docs/model-format.md) or from its pickle."""

from __future__ import annotations

import copy
import json

import numpy as np
from safetensors.numpy import load, save

from onlineboost import _core

NOT_STATE = {"keys", "feature_names"}  # arrays of the file that are texts


def document(model):
    """The description in the model's file."""
    return _document(model.to_bytes())


def _pickled(model):
    """What the pickle of a model holds that no file can: its bank, a label or a key is a Python object."""
    try:
        model.to_bytes()
    except ValueError:
        return model.machine.__getstate__()
    return None


def _document(data):
    length = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["onlineboost"])


def state_of(model):
    """The engine's arrays by name; those of a bank in Python are in the bank itself."""
    if (pickled := _pickled(model)) is not None:
        return pickled["fields"]
    arrays = load(model.to_bytes())  # in any order
    return {name: arrays[name] for name in sorted(arrays) if name not in NOT_STATE}


def unpack(data):
    """The description and the arrays of a model file."""
    return _document(data), load(data)


def pack(described, arrays):
    """The bytes of a model file with this description and these arrays, whatever they are."""
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(arrays, {"onlineboost": json.dumps(described)})


def text_array(value):
    """A list as an array of the file: its JSON text."""
    return np.frombuffer(json.dumps(value).encode("ascii"), np.uint8)


def keys_of(model):
    """The keys of dicts that have got a number, in their order."""
    if (pickled := _pickled(model)) is not None:
        return list(pickled["features"].numbers)
    text = load(model.to_bytes()).get("keys")
    return [] if text is None else json.loads(text.tobytes())


def features_of(model):
    """How many features the engine has seen."""
    return len(state_of(model)["features"])


def bank_of(model):
    """The bank of a model over a learner in Python."""
    return model.machine.engine.bank["bank"].bank


def spec_of(model):
    """What the engine's booster was built from."""
    return model.machine.booster_spec


def fresh_engine(model):
    """The engine's model, as it was before it learned anything."""
    engine = model.machine.engine
    return _core.Model(engine.n_learners, engine.bank, engine.booster)


def plus_of(model):
    """The label that is +1 inside."""
    if (pickled := _pickled(model)) is not None:
        return next(iter(pickled["labels"].begun))
    return document(model)["fitted"]["begun"][0]


def begun_by(model):
    """The labels of a model of many classes, in the order of their first examples."""
    if (pickled := _pickled(model)) is not None:
        return list(pickled["labels"].begun)
    return document(model)["fitted"]["begun"]


def is_fitted(model):
    """Whether the model has learned anything."""
    return model.__sklearn_is_fitted__()


def snapshot(model):
    """All that a model has learned, apart from itself: comparable with `same`."""
    found = copy.deepcopy(model).__getstate__()
    if "_machine" in found:
        found["_machine"] = found["_machine"].__getstate__()
        labels = vars(found["_machine"]["labels"])
        found["_machine"]["labels"] = {name: labels[name] for name in ("known", "begun", "declared")}
    return found


def same(one, other):
    """Whether two snapshots hold the same bits."""
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and (one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes())
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.random.Generator):
        return same(one.bit_generator.state, other.bit_generator.state)
    if hasattr(one, "__dict__") and not isinstance(one, type):
        return same(vars(one), vars(other))
    if one is None or isinstance(one, type) or type(one).__eq__ is not object.__eq__:
        return bool(one == other)
    return same(one.__reduce__(), other.__reduce__())  # compiled, and without a notion of equality
