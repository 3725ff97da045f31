"""A state that was tampered with is refused with a sentence, or is harmless: it never crashes the process."""

import numpy as np
import pytest
from states import fresh_engine, plus_of, state_of
from table import each_native_learner, make, stream

pytestmark = pytest.mark.engine

X, y = stream(30)
PROBE = np.vstack([X[:5], np.eye(5)])


def load(model, fields):
    """A fresh engine with these fields."""
    fresh = fresh_engine(model)
    fresh.load(fields)
    return fresh


def margins(engine):
    out = np.empty(len(PROBE))
    engine.predict_dense(PROBE, out)
    return out


@each_native_learner
def test_every_field_is_checked(learner):
    model = make("osboost", learner).partial_fit(X, y)
    state = state_of(model)
    sign = 1 if plus_of(model) == model.classes_[1] else -1
    np.testing.assert_array_equal(sign * margins(load(model, state)) + 0.0, model.margin(PROBE))
    for name, values in state.items():
        older = name == "set_thresholds"  # files of before have none of what goes with it
        if name not in {"calibration_bisects", "own_weights"}:  # nor these, which stand alone
            with pytest.raises(ValueError, match="the state has fields" if older else f"'{name}' is missing"):
                load(model, {k: v for k, v in state.items() if k != name})
        with pytest.raises(ValueError, match="state field"):
            load(
                model,
                {
                    **state,
                    name: np.append(values.ravel(), values.ravel()[:1] if values.size else 0).astype(values.dtype),
                },
            )
        if values.dtype == float and values.size:
            bad = values.copy()
            bad.flat[-1] = np.nan
            with pytest.raises(ValueError, match=f"'{name}' holds a number that no model has"):
                load(model, {**state, name: bad})


@each_native_learner
def test_other_numbers_in_a_field_do_not_crash(learner):
    model = make("osboost", learner).partial_fit(X, y)
    state = state_of(model)
    refused = 0
    for name, values in state.items():
        for other in (0, -1, 1, 3, 2**40, -(2**62)):
            for at in {0, max(0, values.size - 1)}:
                changed = values.copy()
                if changed.size == 0:
                    continue
                changed.flat[at] = other
                try:
                    engine = load(model, {**state, name: changed})
                except ValueError:
                    refused += 1
                    continue
                margins(engine)
                engine.learn_dense(PROBE, np.ones(len(PROBE)))
    assert refused > 0
