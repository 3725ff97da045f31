"""The model file: what is saved comes back bit for bit, and goes on as if it had never been away."""

from __future__ import annotations

import pickle

from table import each_booster, each_native_learner, make, same, snapshot, stream

from onlineboost import load


@each_native_learner
@each_booster
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
