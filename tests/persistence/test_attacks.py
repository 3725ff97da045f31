"""Model files that somebody damaged or made up: one kind of error, soon and in little memory, or a model that works."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from measure_reliability import model_files
from states import features_of, pack, text_array, unpack
from table import make, stream
from twins import SANITIZED

from onlineboost import (
    ModelFileError,
    NaiveBayes,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    from_bytes,
    load,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

GOLDEN = Path(__file__).parents[1] / "golden"
X, Y = stream(20)
NEW = (
    "averaged",
    "adagrad",
    "ftrl",
    "arow",
    "arow-full",
    "scw",
    "ridge",
    "logistic",
    "bayes-typed",
    "fourier",
    "subsets",
    "scaled",
)


def _file(booster="osboost", learner="perceptron"):
    return make(booster, learner).fit(X, Y).to_bytes()


def _forged(change, booster="osboost", learner="perceptron"):
    document, arrays = unpack(_file(booster, learner))
    change(document, arrays)
    return pack(document, arrays)


def _refused(data, match=None):
    with pytest.raises(ModelFileError, match=match) as caught:
        from_bytes(data)
    assert len(str(caught.value)) < 500


def test_cut_short_at_every_byte_of_the_header_and_after():
    data = _file()
    header = 8 + int.from_bytes(data[:8], "little")
    places = [*range(header + 1), *np.random.default_rng(0).integers(header, len(data), 200).tolist()]
    for place in places:
        _refused(data[:place])
    _refused(data + b"\0", "bytes")


def test_cut_short_on_disk(tmp_path):
    data = _file()
    for place in (0, 7, 8, 100, len(data) - 1):
        (tmp_path / "model.ob").write_bytes(data[:place])
        with pytest.raises(ModelFileError, match=r"model\.ob: "):
            load(tmp_path / "model.ob")


@pytest.mark.slow
def test_mutated_files():
    """The same cases by the thousand: tools/measure_reliability/model_files.py."""
    counts = model_files.measure(250 if SANITIZED else 400)
    assert counts.failures == []
    assert counts.tried == counts.loaded + counts.refused
    assert min(counts.loaded, counts.refused) > 10, "the cases are of both kinds"


@pytest.mark.slow
def test_what_counts_as_a_failure(monkeypatch):
    """The measurement can fail: a model that loads and then raises is counted."""
    monkeypatch.setattr(model_files, "from_bytes", lambda _: (_ for _ in ()).throw(MemoryError("too much")))
    assert model_files.run(0, 3).failed == 3


@pytest.mark.parametrize("file", ["", "a", "{", "\0" * 7, "\0" * 8, "\xff" * 8, "\xff" * 100, "PK\x03\x04" * 10])
def test_what_is_no_file_of_ours(file):
    _refused(file.encode("latin-1"))


def test_a_safetensors_file_of_somebody_else():
    header = json.dumps({"weight": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}).encode()
    _refused(len(header).to_bytes(8, "little") + header + b"\0" * 8, "Not a model of onlineboost")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes in its file system")
def test_a_file_that_is_not_regular(tmp_path):
    for path in ("/dev/zero", tmp_path):
        with pytest.raises((ModelFileError, IsADirectoryError)):
            load(path)


def test_a_huge_file_is_not_read(tmp_path):
    """A hole of a terabyte whose header is of another length."""
    with (tmp_path / "model.ob").open("wb") as file:
        file.write(_file())
        file.truncate(2**40)
    with pytest.raises(ModelFileError, match=r"1,099,511,627,776 bytes where its header wants"):
        load(tmp_path / "model.ob")
    with (tmp_path / "model.ob").open("wb") as file:
        file.write((2**39).to_bytes(8, "little"))
        file.truncate(2**40)
    with pytest.raises(ModelFileError, match="a header has at most"):
        load(tmp_path / "model.ob")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000, '"' + "\\ud800" * 10])
def test_json_that_is_hard_to_read(text):
    header = json.dumps({"__metadata__": {"onlineboost": text}}).encode()
    _refused(len(header).to_bytes(8, "little") + header)
    _refused(len(text).to_bytes(8, "little") + text.encode())


@pytest.mark.parametrize("booster", ["osboost", "ozaboost", "ogboost-k2"])
@pytest.mark.parametrize("learner", [*("perceptron", "gradient", "bayes-auto"), *NEW])
def test_a_million_learners_in_a_small_file(booster, learner):
    def change(document, _):
        document["parameters"]["n_learners"] = 10**6
        document["parameters"].pop("n_candidates", None)

    _refused(_forged(change, booster, learner), "1000000 learners are declared")


def _set(path, value):
    def change(document, _):
        *folders, last = path.split(".")
        for folder in folders:
            document = document[folder]
        document[last] = value

    return change


def _put(name, value, at=0):
    def change(_, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name].reshape(-1)[at] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        ("format", "pickle", "another format"),
        ("version", 0, "no version"),
        ("version", "1", "no version"),
        ("version", 4, r"version 4 .* install a newer one"),
        ("estimator", "os.system", "no estimator"),
        ("estimator", ["OSBoostClassifier"], "no estimator"),
        ("learner", "BlackBox", "no learner"),
        ("learner", None, "no learner"),
        ("parameters", [], "not an object"),
        ("parameters.n_jobs", 3, "no parameter 'n_jobs'"),
        ("parameters.learner", None, "no parameter 'learner'"),
        ("parameters.gamma", 0.7, "gamma must be"),
        ("parameters.gamma", [0.1], "no parameter 'gamma'"),
        ("parameters.n_learners", 0, "n_learners must be"),
        ("parameters.n_learners", 6, "another number"),
        ("parameters.vote", "x" * 10_000, "vote must be"),
        ("learner_parameters.init", "ones", "init must be"),
        ("fitted", [], "not an object"),
        ("fitted", None, "no arrays"),
        ("fitted.seed", -1, "seed"),
        ("fitted.seed", 2**64, "seed"),
        ("fitted.start_features", None, "start_features"),
        ("fitted.made_with", 3, "not an object"),
        ("fitted.labels", [], "labels"),
        ("fitted.labels", [0, 0.0], "twice"),
        ("fitted.labels", [0, "a"], "sorted"),
        ("fitted.labels", [None, 1], "labels"),
        ("fitted.labels", list(range(100_000)), "labels"),
        ("fitted.labels", ["a\0", "b"], "labels"),
        ("fitted.begun", None, "labels"),
        ("fitted.begun", [7], "is not known"),
        ("fitted.begun", [0, 0], "named twice"),
        ("fitted.begun", [None], "labels"),
        ("fitted.declared", 1, "declared"),
        ("fitted.keys_are", "none", "keys_are"),
        ("fitted.n_features_in", 0, "n_features_in"),
    ],
)
def test_a_description_that_is_wrong(path, value, match):
    _refused(_forged(_set(path, value)), match)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("fitted.plus", "maybe"),
        ("fitted.plus", None),
        ("fitted.plus_is_settled", 1),
        ("fitted.plus_is_settled", None),
        ("fitted.labels", None),
        ("fitted.labels", []),
        ("fitted.labels", ["no", "no"]),
        ("fitted.labels", ["no", "yes", "maybe"]),
    ],
)
def test_a_description_of_version_1_that_is_wrong(path, value):
    document, arrays = unpack((GOLDEN / "v1-osboost-perceptron.ob").read_bytes())
    assert document["version"] == 1
    _set(path, value)(document, arrays)
    _refused(pack(document, arrays), "label")


NOT_A_NUMBER = [(name, np.nan) for name in ("coordinates", "weight_mass", "calibration", "vote_mistakes")]


@pytest.mark.parametrize(
    ("booster", "learner", "name", "value"),
    [
        *(("osboost", "perceptron", *wrong) for wrong in NOT_A_NUMBER),
        ("osboost", "perceptron", "coordinates", 1e150),
        ("osboost", "perceptron", "squared_norms", np.inf),
        ("osboost", "perceptron", "rounds", -1),
        ("osboost", "perceptron", "features", -1),
        ("osboost", "perceptron", "features", 2**32),
        ("osboost", "perceptron", "features", 1),  # twice
        ("osboost", "perceptron", "weight_mass", -1e-9),
        ("osboost", "perceptron", "prefix_mistakes", -1.0),
        ("ocp", "perceptron", "alpha", 0.9),
        ("ocp", "perceptron", "alpha", -0.1),
        ("ocp", "perceptron", "ocp_rate", -1.0),
        ("eg", "perceptron", "eg_losses", np.nan),
        *(("eg", "perceptron", f"eg_{name}", -1.0) for name in ("squares", "loss", "rate", "path")),
        ("experts", "perceptron", "expert_losses", -1.0),
        ("experts", "perceptron", "mixability_gap", -1.0),
        ("experts", "perceptron", "expert_rounds", -5),
        ("ozaboost", "perceptron", "correct", -1.0),
        ("ogboost", "perceptron", "errors", -1.0),
        ("adaboost-ol-w", "perceptron", "alpha", 2.1),
        ("adaboost-ol-w", "perceptron", "alpha", np.nan),
        ("adaboost-ol-w", "perceptron", "weight_mass", -1.0),
        ("adaboost-ol-w", "perceptron", "expert_losses", -1.0),
        *(("defensive", "perceptron", name, value) for name in ("lambda", "theta") for value in (1.1, -1.1, np.nan)),
        *(
            ("defensive", "perceptron", name, -1.0)
            for name in ("lambda_squares", "theta_path", "squared_error", "count")
        ),
        ("bbm", "perceptron", "weight_mass", -1.0),
        ("bbm", "perceptron", "weighted_edges", np.nan),
        *(("bbm", "perceptron", name, -1.0) for name in ("count", "vote_mistakes", "majority_mistakes")),
        ("single", "gradient", "scales", 0.0),
        ("single", "gradient", "scales", -1.0),
        ("single", "gradient", "squared_norms", 2.0),
        ("single", "gradient", "squared_weights", -1.0),
        ("single", "bayes-bernoulli", "plus.counts", 1e6),  # more than the class has
        ("single", "bayes-bernoulli", "minus.totals", -1.0),
        ("single", "bayes-bernoulli", "places", 1),  # twice
        ("single", "bayes-bernoulli", "places", 10**9),
        ("single", "bayes-gaussian", "places", -1),  # the intercept's row
        ("single", "bayes-gaussian", "plus.squares", -1.0),
        ("single", "bayes-gaussian", "minus.means", 1e200),
        *(("single", "perceptron", "calibration", value) for value in (1e200, -1e200)),
    ],
)
def test_numbers_that_no_model_has(booster, learner, name, value):
    _refused(_forged(_put(name, value), booster, learner), f"'{name}'")


@pytest.mark.parametrize(("at", "value"), [(2, 5.0), (2, -1.0), (3, 3.0), (4, -0.1), (5, -1.0), (6, 0.0), (5, 1e9)])
def test_a_calibration_that_no_model_has(at, value):
    _refused(_forged(_put("calibration", value, at)), "'calibration'")


def test_arrays_of_another_shape_too_many_or_missing():
    def reshape(name, shape):
        return lambda _, arrays: arrays.update({name: arrays[name].reshape(shape)})

    _refused(_forged(reshape("coordinates", -1)), "wrong shape")
    _refused(_forged(reshape("coordinates", (7, -1))), "wrong shape")
    _refused(_forged(reshape("weight_mass", (1, -1))), "wrong shape")
    for name, kind in (("rounds", np.float64), ("features", np.uint8), ("weight_mass", np.int64)):
        changed = _forged(lambda _, arrays, name=name, kind=kind: arrays.update({name: arrays[name].astype(kind)}))
        _refused(changed, f"'{name}' is missing or of the wrong type")
    _refused(_forged(lambda _, arrays: arrays.pop("rounds")), "'rounds' is missing")
    _refused(_forged(lambda _, arrays: arrays.update(more=np.zeros(3))), "fields that such a model does not have")
    _refused(_forged(lambda _, arrays: arrays.update(more=np.zeros(3, np.float32))), "type F32")


@pytest.mark.parametrize(
    ("mode", "keys"),
    [
        ("names", ["a", "a"]),
        ("names", ["a", ["b"]]),
        ("names", {"a": 1}),
        ("names", [1, True]),
        ("columns only", ["a"]),
        ("names", [k * (2**61 - 1) for k in range(50_000)]),  # one hash for all: a dict of them takes hours
    ],
)
def test_keys_that_no_model_has(mode, keys):
    def change(document, arrays):
        document["fitted"]["keys_are"] = mode
        arrays["keys"] = text_array(keys)

    _refused(_forged(change), "keys")


def test_names_that_are_not_one_per_column():
    for names in (["a"], [1, 2, 3, 4, 5], "abcde"):
        _refused(
            _forged(lambda _, arrays, names=names: arrays.update(feature_names=text_array(names))), "feature_names"
        )


def test_features_that_would_fall_together_in_a_plain_hash_table():
    """Ids chosen for the product hash with the golden ratio: their places would be one run, searched from its start."""
    n, wanted = 60_000, 2**17
    ids = np.arange(2**16, 2**16 + 10_000_000, dtype=np.uint64)
    with np.errstate(over="ignore"):
        place = (ids * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & np.uint64(wanted - 1)
    chosen = ids[place < 800][:n].astype(np.int64)
    assert len(chosen) == n

    def change(_, arrays):
        arrays["features"] = chosen
        arrays["coordinates"] = np.zeros((n + 1, 1))
        arrays["feature_sums"] = arrays["feature_squares"] = np.zeros(n)

    assert features_of(from_bytes(_forged(change, "single"))) == n


def test_loading_runs_no_code():
    """The only names that are looked up are in two fixed tables; pickle is not even imported by the room."""
    for module in [m for name, m in sys.modules.items() if name.startswith("onlineboost.persistence")]:
        assert not {"pickle", "eval", "exec", "importlib"} & set(vars(module))


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        ("averaged", "clocks", -1.0),
        ("averaged", "timed_steps", 1e200),
        ("adagrad", "coordinate_squares", -1e-9),
        ("ftrl", "duals", 1e200),
        ("arow", "covariance", -1e-9),
        ("arow", "covariance", 1.1),
        ("arow-full", "covariance", -0.5),
        ("bayes-typed", "plus.totals", 1e36),
        ("bayes-typed", "minus.means", 1e130),
        ("bayes-typed", "minus.squares", -1.0),
        ("scaled", "scaled_rows", 0.0),
        ("scaled", "scaled_present", 1e6),
        ("scaled", "inner.covariance", 2.0),
        ("subsets", "subset1.covariance", -1.0),
    ],
)
def test_numbers_that_no_linear_learner_has(learner, name, value):
    _refused(_forged(_put(name, value), learner=learner), "that no model has")


@pytest.mark.parametrize(("name", "value"), [("values", 1e101), ("plus.counts", -1.0), ("minus.counts", 1e36)])
def test_numbers_that_no_categorical_feature_has(name, value):
    model = OSBoostClassifier(NaiveBayes(kind="typed"), 7, random_state=0).fit(np.sign(X), Y)
    document, arrays = unpack(model.to_bytes())
    _put(name, value)(document, arrays)
    _refused(pack(document, arrays), "that no model has")


def test_a_covariance_with_a_negative_direction():
    """Each number is one that a covariance may have; together they are not one."""

    def change(_, arrays):
        sigma = np.zeros_like(arrays["covariance"])
        d = arrays["coordinates"].shape[0]
        for f in range(d):
            sigma[f * (f + 1) // 2 : (f + 1) * (f + 2) // 2] = -0.5
            sigma[(f + 1) * (f + 2) // 2 - 1] = 1.0
        arrays["covariance"] = sigma

    _refused(_forged(change, learner="arow-full"), "covariance")


def test_wrappers_without_end():
    def change(document, _):
        inner = {"learner": document["learner"], "learner_parameters": document["learner_parameters"]}
        for _ in range(50):
            inner = {"learner": "Scaled", "learner_parameters": {"learner": inner}}
        document.update(inner)

    _refused(_forged(change), "more than 8 wrappers")


def test_a_wrapper_around_nothing():
    _refused(
        _forged(lambda document, _: document["learner_parameters"].pop("learner"), learner="scaled"), "not an object"
    )
    _refused(_forged(_set("learner_parameters.learner.learner", "BlackBox"), learner="scaled"), "no learner")


def test_random_features_that_no_number_in_the_file_stands_for():
    """Each of 100 groups would map its rows to 65,536 features."""
    weak = RandomSubsets(RandomFourier(Perceptron(), 4), group=1)
    document, arrays = unpack(OSBoostClassifier(weak, 100, random_state=0).fit(X, Y).to_bytes())
    document["learner_parameters"]["learner"]["learner_parameters"]["n_components"] = 65_536
    _refused(pack(document, arrays), "another number")


@pytest.mark.parametrize("count", [[2], [4], [3, 3], []])
def test_a_count_of_classes_that_is_not_that_of_the_labels(count):
    model = OSBoostClassifier(random_state=0).fit(X, np.arange(len(Y)) % 3)
    document, arrays = unpack(model.to_bytes())
    assert arrays["classes"].tolist() == [3]
    arrays["classes"] = np.array(count, arrays["classes"].dtype)
    _refused(pack(document, arrays), "another number of classes")
