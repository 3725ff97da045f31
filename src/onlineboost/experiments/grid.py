"""A grid of experiments as plain data, and the pure function that runs one cell of it."""

from __future__ import annotations

import hashlib
import json
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import datasets
from onlineboost.evaluation import prequential
from onlineboost.experiments import paper

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 2  # raise it when a cell's result would differ for the same configuration
CURVE_POINTS = 200
OWN = "own"  # in place of a weak learner: `own.METHODS`


def fingerprint(data: datasets.Dataset) -> str:
    """A hash of the examples themselves, so results of different versions of a data set never mix."""
    digest = hashlib.sha256()
    for part in (data.X.data, data.X.indices.astype(np.int64), data.X.indptr.astype(np.int64), data.y.astype(np.int8)):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()[:16]


@lru_cache(maxsize=2)
def load(name: str, folder: str | None) -> datasets.Dataset:
    """A data set, kept for the next cells of the same process."""
    return datasets.load(name, data=folder)


def cell(
    data: str,
    data_hash: str,
    learner: str,
    algorithm: str,
    trial: int,
    *,
    n_learners: int = paper.N_LEARNERS,
    gamma: float = paper.GAMMA,
) -> dict[str, Any]:
    """One configuration. What it does not use is left at its default, so equal work has equal keys."""
    if learner == OWN:
        n_learners, gamma = 0, 0.0  # the method has its own
    elif algorithm == "single":
        n_learners = 1
    if learner != OWN and not algorithm.startswith("OSBoost"):
        gamma = paper.GAMMA
    return {
        "format": FORMAT,
        "data": data,
        "data_hash": data_hash,
        "learner": learner,
        "learner_parameters": paper.learner_parameters(learner, data),
        "algorithm": algorithm,
        "n_learners": n_learners,
        "gamma": gamma,
        "trial": trial,
    }


def key(config: dict[str, Any]) -> str:
    """The configuration's name in the store."""
    text = json.dumps(config, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def unique(configs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without repetitions, in order."""
    return list({key(config): config for config in configs}.values())


def run_cell(config: dict[str, Any], folder: str | None = None) -> dict[str, Any]:
    """Run one cell: test then train over the trial's random order.

    A pure function of the configuration, but for `seconds`. All algorithms see the same order in the same trial, so
    their errors can be compared in pairs.
    """
    data = load(config["data"], folder)
    order = np.random.default_rng(config["trial"]).permutation(len(data.y))
    model = _model(config)
    X, y = data.X[order], data.y[order]
    start = time.perf_counter()
    result: Any = prequential(model, X, y)
    seconds = time.perf_counter() - start
    t, curve = result.curve(CURVE_POINTS)
    record: dict[str, Any] = {
        "examples": len(result),
        "error": result.error,
        "log_loss": result.log_loss,
        "calibration_error": result.calibration_error(),
        "curve": {"t": t.tolist(), "error": [round(float(e), 6) for e in curve]},
        "seconds": round(seconds, 6),
    }
    if config["learner"] != OWN and config["algorithm"].startswith("OSBoost"):
        record["weight_mass"] = [round(float(m) / len(result), 6) for m in model.weight_mass_]
    return record


def _model(config: dict[str, Any]) -> Any:
    if config["learner"] != OWN:
        return paper.make(config)
    from onlineboost.experiments.own import METHODS  # noqa: PLC0415  # it makes cells

    return METHODS[config["algorithm"]](config["trial"])


def paper_grid(
    hashes: dict[str, str],
    learners: Iterable[str] = paper.LEARNERS,
    algorithms: Iterable[str] = paper.ALGORITHMS,
    trials: int = paper.TRIALS,
) -> list[dict[str, Any]]:
    """The cells of Tables 1 to 4 for the data sets given with their hashes."""
    return unique(
        cell(data, data_hash, learner, algorithm, trial)
        for data, data_hash in hashes.items()
        for learner in learners
        for algorithm in algorithms
        for trial in range(trials)
    )


VOTES = ("OSBoost", "OSBoost.OCP", "OSBoost.EXP")
SIZES = (1, 3, 10, 30, 100, 300, 1000)
GAMMAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
SIZE_STUDY = tuple({"n_learners": n} for n in SIZES)
GAMMA_STUDY = tuple({"gamma": gamma} for gamma in GAMMAS)


def study_grid(
    study: Iterable[dict[str, Any]], data: str, data_hash: str, learner: str, trials: int = paper.TRIALS
) -> list[dict[str, Any]]:
    """Error against one parameter, for the three votes: `study` is SIZE_STUDY or GAMMA_STUDY."""
    return unique(
        cell(data, data_hash, learner, vote, trial, **value)
        for value in study
        for vote in VOTES
        for trial in range(trials)
    )
