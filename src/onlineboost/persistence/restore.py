"""A model from what a file holds, which may be anything: everything is checked before it is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost import _check
from onlineboost._class_labels import ClassLabels
from onlineboost._labels import Labels
from onlineboost.boosters import OnlineBoostClassifier
from onlineboost.boosters.base import MOST_LEARNERS
from onlineboost.boosters.families import MOST_FAMILIES, Families
from onlineboost.boosters.multiclass import MulticlassEstimator
from onlineboost.boosters.one_vs_rest import OneVsRest
from onlineboost.boosters.origin import Origin
from onlineboost.persistence.container import array_text
from onlineboost.persistence.errors import ModelFileError
from onlineboost.persistence.tables import (
    DEEPEST,
    ESTIMATORS,
    FIRST_NAMED,
    FORMAT,
    KEY_MODES,
    KEYS,
    LEARNERS,
    NAMES,
    VERSION,
    WRAPPERS,
    is_key,
    is_scalar,
)

if TYPE_CHECKING:
    from onlineboost.boosters.base import OnlineEstimator


MOST_RETIRED = 10_000  # learners of a family that has retired
FEW_COMPONENTS = (
    2**21
)  # of all random Fourier features: their memory is given without a number in the file to back each


def restore(document: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> tuple[OnlineEstimator, Any]:
    """The model and its extra; ModelFileError if they are not a model's."""
    if document.get("format") != FORMAT:
        raise ModelFileError("Not a model of onlineboost: its description is of another format.")
    version = document.get("version")
    if type(version) is not int or not 1 <= version < 10**6:
        raise ModelFileError("Damaged: the file has no version.")
    if version > VERSION:
        raise ModelFileError(
            f"The file has version {version} of the format and this onlineboost reads {VERSION}: install a newer one."
        )
    name = document.get("estimator")
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise ModelFileError("Damaged: it names no estimator of onlineboost.")
    try:
        model = _estimator(ESTIMATORS[name], document)
        fitted = document.get("fitted")
        if fitted is not None:
            _refit(model, _object(fitted, "fitted"), arrays, document)
    except ModelFileError:
        raise
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        raise ModelFileError(f"Damaged: {str(error)[:300]}") from None
    if arrays and fitted is None:
        raise ModelFileError("Damaged: a model that is not fitted has no arrays.")
    return model, document.get("extra")


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFileError(f"Damaged: {name!r} is not an object.")
    return value


def _estimator(kind: type[OnlineEstimator], document: dict[str, Any]) -> OnlineEstimator:
    if issubclass(kind, OneVsRest):
        name = document.get("booster")
        booster = ESTIMATORS.get(name) if isinstance(name, str) else None
        if booster is None or issubclass(booster, MulticlassEstimator):
            raise ModelFileError("Damaged: it names no booster for two classes.")
        return kind(_estimator(booster, document))
    given = _object(document.get("parameters"), "parameters")
    if kind is OnlineBoostClassifier:
        return kind(families=_families(document), **_arguments(kind, given))
    return kind(learner=_learner(document, DEEPEST), **_arguments(kind, given))


def _families(document: dict[str, Any]) -> list[Any]:
    members = _object(document.get("learner_parameters"), "learner_parameters").get("members")
    if document.get("learner") != "Families" or not isinstance(members, list):
        raise ModelFileError("Damaged: it names no families.")
    families = []
    for member in members[: MOST_FAMILIES + 1]:
        name = _object(member, "members").get("estimator")
        if not isinstance(name, str) or name not in ESTIMATORS or ESTIMATORS[name] is OnlineBoostClassifier:
            raise ModelFileError("Damaged: a family names no estimator that it can be.")
        families.append((member.get("name"), _estimator(ESTIMATORS[name], member), member.get("most_features")))
    return families


def _learner(document: dict[str, Any], deepest: int) -> Any:
    name = document.get("learner")
    if not isinstance(name, str) or name not in LEARNERS:
        raise ModelFileError("Damaged: it names no learner that a file can hold.")
    given = dict(_object(document.get("learner_parameters"), "learner_parameters"))
    inside: dict[str, Any] = {}
    if name in WRAPPERS:
        if deepest == 0:
            raise ModelFileError(f"Damaged: it has more than {DEEPEST} wrappers around a learner.")
        inside["learner"] = _learner(_object(given.pop("learner", None), "learner"), deepest - 1)
    return LEARNERS[name][0](**inside, **_arguments(LEARNERS[name][0], given))


def _arguments(kind: Any, given: dict[str, Any]) -> dict[str, Any]:
    known = set(kind._get_param_names()) - {"learner", "families", "n_jobs"}
    for key, value in given.items():
        if key not in known or not is_scalar(value):
            raise ModelFileError(f"Damaged: {kind.__name__} has no parameter {key[:40]!r} with such a value.")
    return given


def _refit(
    model: OnlineEstimator, fitted: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]], document: dict[str, Any]
) -> None:
    arrays = dict(arrays)
    keys = array_text(arrays.pop(KEYS)) if KEYS in arrays else []
    names = array_text(arrays.pop(NAMES)) if NAMES in arrays else None
    made = _estimator(type(model), _object(fitted.get("made_with", document), "made_with"))
    seed = _check.integer("the seed", fitted.get("seed"), 0, 2**64 - 1)
    start = _check.integer("start_features", fitted.get("start_features"), 0, 2**53)
    n_learners = _declared(made)
    labels = _class_labels(fitted) if isinstance(model, MulticlassEstimator) else _labels(fitted)
    if isinstance(model, MulticlassEstimator) and isinstance(labels, ClassLabels):
        _check_size(made.learner, n_learners, arrays, [f"class{k}." for k in range(len(labels.begun))])
        model._seed = seed
        model._start(made._subject(), n_learners, start, len(labels.begun))
    else:
        _check_size(made.learner, n_learners, arrays, [""])
        model._seed, model._origin = seed, Origin.of(made, start)
        model._spec = (n_learners, _bank(made, n_learners, start, arrays, seed), made._booster_spec(seed))
    core = model._built()
    core.load(arrays)
    mode = KEY_MODES.index(_check.choice("keys_are", fitted.get("keys_are"), KEY_MODES))
    if "n_features_in" in fitted:
        model.n_features_in_ = _check.integer("n_features_in", fitted["n_features_in"], 1, 2**53)
    if names is not None:
        model.feature_names_in_ = _names(names, fitted)
    model._key_mode = mode
    model._keys = _numbered(keys, mode)
    model._settle(core, labels)


def _check_size(learner: Any, n_learners: int, arrays: dict[str, np.ndarray[Any, Any]], prefixes: list[str]) -> None:
    """Refuse learners and components without numbers in the file to back them."""
    size = sum(array.size for array in arrays.values())
    if size < n_learners * len(prefixes):
        raise _another_number(n_learners)
    if sum(_components(learner, prefix, n_learners, arrays) for prefix in prefixes) > max(size, FEW_COMPONENTS):
        raise _another_number(n_learners)


def _components(learner: Any, prefix: str, n_learners: int, arrays: dict[str, np.ndarray[Any, Any]]) -> int:
    """The random Fourier features of all banks of these learners, each of which has arrays for its learners."""
    name = type(learner).__name__
    if name == "Families":
        retired = _retired(arrays, prefix)
        # Of many classes, a family that has retired from one is made and thrown away.
        if prefix and any(_declared(learner.members[k][1]) > MOST_RETIRED for k in retired if k < len(learner.members)):
            raise _another_number(n_learners)
        return sum(
            _components(estimator.learner, f"{prefix}family{k}.", _declared(estimator), arrays)
            for k, (_, estimator, _) in enumerate(learner.members)
            if k not in retired
        )
    if name == "RandomSubsets":
        group = _check.integer("group", learner.group, 1, 1_000_000)
        sizes = [min(group, n_learners - first) for first in range(0, n_learners, group)]
        return sum(_components(learner.learner, f"{prefix}subset{g}.", n, arrays) for g, n in enumerate(sizes))
    if name in WRAPPERS:
        inside = _components(learner.learner, f"{prefix}inner.", n_learners, arrays)
        own = learner.n_components if name == "RandomFourier" else 0
        return inside + _check.integer("n_components", own, 0, 65_536)
    witness = arrays.get(prefix + LEARNERS[name][1])
    if witness is None or not witness.ndim or witness.shape[-1] != n_learners:
        raise _another_number(n_learners)
    return 0


def _declared(estimator: OnlineEstimator) -> int:
    return _check.integer("the number of weak learners", estimator._n_learners(), 1, MOST_LEARNERS)


def _bank(
    made: OnlineEstimator, n_learners: int, start: int, arrays: dict[str, np.ndarray[Any, Any]], seed: int
) -> dict[str, Any]:
    learner = made.learner
    if isinstance(learner, Families):
        return learner.spec(start, seed, _retired(arrays))
    spec: dict[str, Any] = learner._bank_spec(n_learners, start, seed)
    return spec


def _retired(arrays: dict[str, np.ndarray[Any, Any]], prefix: str = "") -> set[int]:
    at_work = arrays.get(f"{prefix}families_at_work")
    return set() if at_work is None else {k for k, one in enumerate(at_work.ravel().tolist()) if one == 0}


def _another_number(n_learners: int) -> ModelFileError:
    return ModelFileError(f"Damaged: {n_learners} learners are declared, and the arrays are for another number.")


def _names(names: Any, fitted: dict[str, Any]) -> np.ndarray[Any, Any]:
    good = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not good or len(names) != fitted.get("n_features_in"):
        raise ModelFileError("Damaged: 'feature_names' is not one name per column.")
    return np.array(names, dtype=object)


def _numbered(keys: Any, mode: int) -> dict[Any, int]:
    if not isinstance(keys, list) or not all(map(is_key, keys)):
        raise ModelFileError("Damaged: 'keys' is not a list of names and numbers.")
    if mode == 2 and keys:
        raise ModelFileError("Damaged: a model whose features are columns has no keys.")
    first = FIRST_NAMED if mode == 1 else 0
    numbered = {key: first + k for k, key in enumerate(keys)}
    if len(numbered) < len(keys) or first + len(keys) >= 2**32 - 1:
        raise ModelFileError("Damaged: 'keys' names a feature twice, or too many.")
    return numbered


def _labels(fitted: dict[str, Any]) -> Labels:
    known, plus, settled = fitted.get("labels"), fitted.get("plus"), fitted.get("plus_is_settled")
    if not isinstance(known, list) or not _are_labels(known) or not 1 <= len(known) <= 2:
        raise ModelFileError("Damaged: the labels are not two strings, bools or numbers.")
    if type(settled) is not bool or not (plus in known or (plus is None and not settled)):
        raise ModelFileError("Damaged: the label that counts as +1 is none of the labels.")
    labels = Labels()
    labels.declare(known)
    if len(labels.known) != len(known):
        raise ModelFileError("Damaged: a label is named twice.")
    labels.plus, labels.learned = plus, settled
    return labels


def _are_labels(values: list[Any]) -> bool:
    return None not in values and all(map(is_scalar, values))


def _class_labels(fitted: dict[str, Any]) -> ClassLabels:
    known, begun, declared = fitted.get("labels"), fitted.get("begun"), fitted.get("declared")
    if not isinstance(known, list) or not isinstance(begun, list) or not known or not _are_labels([*known, *begun]):
        raise ModelFileError("Damaged: the labels are not strings, bools or numbers.")
    labels = ClassLabels()
    labels.declare(known)
    labels.begun = {label: k for k, label in enumerate(begun)}
    if len(labels.known) != len(known) or len(labels.begun) != len(begun) or not set(begun) <= set(known):
        raise ModelFileError("Damaged: a label is named twice, or has a class and is not known.")
    if type(declared) is not bool:
        raise ModelFileError("Damaged: it does not say whether the labels were declared.")
    labels.declared = declared
    return labels
