"""A machine from what a file holds, which may be anything: everything is checked before it is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onlineboost.boosters import Booster, IBoost, Mixture, OneVsRest, OSBoost, WindowBoost
from onlineboost.boosters.base import MOST_LEARNERS
from onlineboost.boosters.mixture import MOST_FAMILIES
from onlineboost.declarations import checks
from onlineboost.learners import RandomFourier, RandomSubsets
from onlineboost.learners.base import Learner, inner_learner
from onlineboost.machine import Machine
from onlineboost.machine.features import COLUMNS, COLUMNS_ONLY, KINDS, Features
from onlineboost.machine.features import NAMES as NAMED
from onlineboost.machine.label_sets import FORMS, SetCodec
from onlineboost.machine.labels import is_label
from onlineboost.machine.schema import ColumnSchema, declared_columns
from onlineboost.persistence.container import array_text
from onlineboost.persistence.describe import (
    DEEPEST,
    ELSEWHERE,
    FORMAT,
    KEYS,
    NAMES,
    VERSION,
    WEIGHED,
    is_key,
    is_scalar,
)
from onlineboost.persistence.errors import ModelFileError

if TYPE_CHECKING:
    import numpy as np

    from onlineboost.machine import LabelCodec

    Arrays = dict[str, np.ndarray[Any, Any]]

FIRST_NAMED = 2**31  # as in the bindings: the id of the first key beside column numbers
# What parameters are in a file from before there were these.
OLDER: dict[str, dict[str, Any]] = {
    "Mixture": {"generations": 0, "weights": "repeats", "stack": "fixed", "price": 0.0},
    "WindowBoost": {"coupling": "rest", "missing": "mean", "probabilities": "calibrated"},
    "RegressionTree": {"leaf": "mean"},
}
EARLY = 4  # classes that have all their learners, where later ones have few
MOST_RETIRED = 10_000  # learners of a family that has retired
FEW_COMPONENTS = 2**21  # random Fourier features: their memory is given without a number in the file to back each


def restore(document: dict[str, Any], arrays: Arrays) -> tuple[Machine, Booster, Any]:
    """The machine, the parameters as they were set last, and its extra; ModelFileError if they are no model's."""
    if document.get("format") != FORMAT:
        raise ModelFileError("Not a model of onlineboost: its description is of another format.")
    version = document.get("version")
    if type(version) is not int or not 1 <= version < 10**6:
        raise ModelFileError("Damaged: the file has no version.")
    if version > VERSION:
        raise ModelFileError(
            f"The file has version {version} of the format and this onlineboost reads up to {VERSION}: install a newer "
            "one."
        )
    name = document.get("estimator")
    if not isinstance(name, str) or name not in Booster.declared:
        raise ModelFileError("Damaged: it names no estimator of onlineboost.")
    try:
        recipe = _recipe(Booster.declared[name], document)
        fitted = document.get("fitted")
        if fitted is None:
            machine = Machine(recipe)
        else:
            machine = _machine(type(recipe), _object(fitted, "fitted"), arrays, document, version)
    except ModelFileError:
        raise
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        raise ModelFileError(f"Damaged: {str(error)[:300]}") from None
    if arrays and fitted is None:
        raise ModelFileError("Damaged: a model that is not fitted has no arrays.")
    return machine, recipe, document.get("extra")


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFileError(f"Damaged: {name!r} is not an object.")
    return value


def _recipe(kind: type[Booster], document: dict[str, Any]) -> Booster:
    if issubclass(kind, OneVsRest):
        name = document.get("booster")
        pattern = Booster.declared.get(name) if isinstance(name, str) else None
        if pattern is None or pattern.many_classes:
            raise ModelFileError("Damaged: it names no booster for two classes.")
        return kind(_recipe(pattern, document))
    given = _object(document.get("parameters"), "parameters")
    if kind is Mixture:
        return kind(families=_families(document), **_arguments(kind, given))
    inside = {"learner": _learner(document, DEEPEST)} if "learner" in kind.parameters else {}
    return kind(**inside, **_arguments(kind, given))


def _families(document: dict[str, Any]) -> list[Any]:
    members = _object(document.get("learner_parameters"), "learner_parameters").get("members")
    if document.get("learner") != "Families" or not isinstance(members, list):
        raise ModelFileError("Damaged: it names no families.")
    families = []
    for member in members[: MOST_FAMILIES + 1]:
        name = _object(member, "members").get("estimator")
        if not isinstance(name, str) or name not in Booster.declared or Booster.declared[name] is Mixture:
            raise ModelFileError("Damaged: a family names no estimator that it can be.")
        given = member.get("name"), _recipe(Booster.declared[name], member), member.get("most_features")
        families.append((*given, member.get("cost", 1.0)))
    return families


def _learner(document: dict[str, Any], deepest: int) -> Learner:
    name = document.get("learner")
    if not isinstance(name, str) or name not in Learner.declared:
        raise ModelFileError("Damaged: it names no learner that a file can hold.")
    kind = Learner.declared[name]
    given = dict(_object(document.get("learner_parameters"), "learner_parameters"))
    inside: dict[str, Any] = {}
    if "learner" in kind.parameters:
        if deepest == 0:
            raise ModelFileError(f"Damaged: it has more than {DEEPEST} wrappers around a learner.")
        inside["learner"] = _learner(_object(given.pop("learner", None), "learner"), deepest - 1)
    return kind(**inside, **_arguments(kind, given))


def _arguments(kind: type[Booster | Learner], given: dict[str, Any]) -> dict[str, Any]:
    known = kind.parameters.keys() - ELSEWHERE
    for key, value in given.items():
        if key == "schema" and isinstance(value, dict):
            declared_columns(value)
        elif key in WEIGHED and isinstance(value, list):
            given = given | {key: _weighed(value)}
        elif key not in known or not is_scalar(value):
            raise ModelFileError(f"Damaged: {kind.__name__} has no parameter {key[:40]!r} with such a value.")
    return OLDER.get(kind.__name__, {}) | given


def _weighed(value: list[Any]) -> Any:
    """A class weight or a cost: a matrix, or a dict from pairs of label and number."""
    by_label = value[:1] == [[None, None]]
    width = 2 if by_label else len(value)
    if not value or not all(isinstance(one, list) and len(one) == width and all(map(is_scalar, one)) for one in value):
        raise ModelFileError("Damaged: the weights or costs of the classes are not numbers.")
    return dict(value[1:]) if by_label else value


def _machine(
    kind: type[Booster], fitted: dict[str, Any], arrays: Arrays, document: dict[str, Any], version: int
) -> Machine:
    arrays = dict(arrays)
    keys = array_text(arrays.pop(KEYS)) if KEYS in arrays else []
    names = array_text(arrays.pop(NAMES)) if NAMES in arrays else None
    machine = Machine(_recipe(kind, _object(fitted.get("made_with", document), "made_with")))
    machine.seed = checks.integer("the seed", fitted.get("seed"), 0, 2**64 - 1)
    machine.start_features = checks.integer("start_features", fitted.get("start_features"), 0, 2**53)
    _read_labels(machine.labels, _of_version_2(fitted) if version == 1 and not kind.many_classes else fitted)
    n_learners = _declared(machine.recipe)
    n_begun = len(machine.labels.begun)
    wide = n_begun > 2 and not kind.many_classes
    per_class = kind.many_classes or (wide and machine.recipe.against_the_rest() is not None)
    prefixes = [f"class{k}." for k in range(n_begun)] if per_class else [""]
    if kind.label_sets:
        prefixes = [f"label{k}." for k in range(n_begun + 1)]
    if wide and not per_class and (arrays.get("classes") is None or arrays["classes"].ravel().tolist() != [n_begun]):
        raise ModelFileError("Damaged: the arrays are for another number of classes.")
    _check_size(machine.recipe, n_learners, arrays, prefixes, n_begun if wide and not per_class else 0)
    retired = (
        machine.recipe.bank_spec(machine.start_features, machine.seed, _retired(arrays)) if kind is Mixture else None
    )
    engine = machine.make_engine(retired, wide=wide)
    engine.begin(n_begun)
    engine.core.load(arrays)
    if engine.n_begun != n_begun and (per_class or wide):
        raise ModelFileError("Damaged: the arrays are for another number of classes.")
    machine.weigh(engine, machine.labels)
    machine.features = _features(fitted, keys, names)
    machine.engine = engine
    return machine


def _of_version_2(fitted: dict[str, Any]) -> dict[str, Any]:
    """The labels of a file of version 1, which knew the label that counts as +1 in place of the classes begun."""
    known, plus, settled = fitted.get("labels"), fitted.get("plus"), fitted.get("plus_is_settled")
    if not isinstance(known, list) or not 1 <= len(known) <= 2:
        raise ModelFileError("Damaged: the labels are not two strings, bools or numbers.")
    if type(settled) is not bool or not (plus in known or (plus is None and not settled)):
        raise ModelFileError("Damaged: the label that counts as +1 is none of the labels.")
    begun = [plus, *(label for label in known if label != plus)] if settled else []
    return {"labels": known, "begun": begun, "declared": False}


def _read_labels(labels: LabelCodec, fitted: dict[str, Any]) -> None:
    known, begun, declared = fitted.get("labels"), fitted.get("begun"), fitted.get("declared")
    empty = known == [] and not isinstance(labels, SetCodec)
    if not isinstance(known, list) or not isinstance(begun, list) or empty or not _are_labels([*known, *begun]):
        raise ModelFileError("Damaged: the labels are not strings, bools or numbers.")
    labels.declare(known)
    if isinstance(labels, SetCodec):
        labels.form = checks.choice("the form of the labels", fitted.get("form"), FORMS)
        if labels.form == "matrix" and known != list(range(len(known))):
            raise ModelFileError("Damaged: the labels are not the columns of a matrix.")
    labels.begin(begun)
    if len(labels.known) != len(known) or len(labels.begun) != len(begun) or not set(begun) <= set(known):
        raise ModelFileError("Damaged: a label is named twice, or has a class and is not known.")
    if type(declared) is not bool:
        raise ModelFileError("Damaged: it does not say whether the labels were declared.")
    labels.declared = declared


def _are_labels(values: list[Any]) -> bool:
    return all(is_scalar(value) and is_label(value) for value in values)


def _features(fitted: dict[str, Any], keys: Any, names: Any) -> Features:
    kind = KINDS.index(checks.choice("keys_are", fitted.get("keys_are"), KINDS))
    width = fitted.get("n_features_in")
    if width is not None:
        checks.integer("n_features_in", width, 1, 2**53)
    if names is not None:
        good = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not good or len(names) != width:
            raise ModelFileError("Damaged: 'feature_names' is not one name per column.")
    schema = ColumnSchema.from_json(fitted["schema"]) if fitted.get("schema") is not None else None
    if schema is not None and (kind != NAMED or width is not None):
        raise ModelFileError("Damaged: a model whose features are columns has no schema.")
    numbers = _numbered(keys, kind)
    if schema is not None and not schema.closed:  # the file lacks numbers that the names of features tell
        schema = schema.with_numbers(numbers)
    return Features(kind, numbers, width, names, schema)


def _numbered(keys: Any, kind: int) -> dict[Any, int]:
    if not isinstance(keys, list) or not all(map(is_key, keys)):
        raise ModelFileError("Damaged: 'keys' is not a list of names and numbers.")
    if kind == COLUMNS_ONLY and keys:
        raise ModelFileError("Damaged: a model whose features are columns has no keys.")
    first = FIRST_NAMED if kind == COLUMNS else 0
    numbered = {key: first + k for k, key in enumerate(keys)}
    if len(numbered) < len(keys) or first + len(keys) >= 2**32 - 1:
        raise ModelFileError("Damaged: 'keys' names a feature twice, or too many.")
    return numbered


# ---- sizes: memory follows the length of the file ------------------------------------------------------------


def _check_size(recipe: Booster, n_learners: int, arrays: Arrays, prefixes: list[str], n_classes: int) -> None:
    """Refuse learners and components without numbers in the file to back them."""
    size = sum(array.size for array in arrays.values())
    if size < n_learners * len(prefixes):
        raise _another_number(n_learners)
    if sum(_components_of(recipe, prefix, arrays, n_classes) for prefix in prefixes) > max(size, FEW_COMPONENTS):
        raise _another_number(n_learners)


def _components_of(recipe: Booster, prefix: str, arrays: Arrays, n_classes: int) -> int:
    """The random Fourier features of all banks of a booster, each of which has arrays for its learners.

    `n_classes` is 0 for a bank of two classes.
    """
    if isinstance(recipe, OneVsRest):
        return _components_of(recipe.pattern(), prefix, arrays, n_classes)
    if isinstance(recipe, WindowBoost):
        sizes = arrays.get(f"{prefix}window_tree_sizes")
        if sizes is None or sizes.size != _declared(recipe) + 1:
            raise _another_number(_declared(recipe))
        return 0
    if isinstance(recipe, IBoost):
        count = arrays.get(f"{prefix}members")
        if count is None or count.size != 1 or not 0 <= int(count.ravel()[0]) <= _declared(recipe):
            raise _another_number(_declared(recipe))
        learner = recipe.weak_learner()
        taught = sum(_components(learner, f"{prefix}member{j}.", 1, arrays, 0) for j in range(int(count.ravel()[0])))
        return taught + 2 * _fourier_features(learner)  # of the next member, and of the pattern of all
    if not isinstance(recipe, Mixture):
        twice = isinstance(recipe, OSBoost) and recipe.checked()["drift"] == "background"
        inside, size = ("inner.", 2) if twice else ("", 1)
        n_learners = size * _declared(recipe)
        late = recipe.checked()["late_learners"] if isinstance(recipe, OSBoost) else None
        return _components(recipe.weak_learner(), prefix + inside, n_learners, arrays, n_classes, late)
    retired, members = _retired(arrays, prefix), recipe.members()
    # A family that has retired is made again when it is needed.
    if any(_declared(members[k].booster) > MOST_RETIRED for k in retired if k < len(members)):
        raise _another_number(len(members))
    places = arrays.get(f"{prefix}families_at_work")  # of many classes, those of one generation
    at_work = [k for k in range(recipe.size() if places is None else places.size) if k not in retired]
    counts = arrays.get(f"{prefix}generation_classes")  # that each generation of many classes has learned
    known = [n_classes] if counts is None or not n_classes else counts.ravel().tolist()
    return sum(
        _components_of(
            members[k % len(members)].booster,
            f"{prefix}family{k}.",
            arrays,
            int(known[min(k // len(members), len(known) - 1)]),
        )
        for k in at_work
    )


def _components(
    learner: Learner, prefix: str, n_learners: int, arrays: Arrays, n_classes: int, few: int | None = None
) -> int:
    """The random Fourier features of a bank; of classes from `EARLY` on, with `few` learners each."""
    if isinstance(learner, RandomSubsets):
        inner = inner_learner(learner)
        sizes = learner.group_sizes(n_learners)
        return sum(_components(inner, f"{prefix}subset{g}.", n, arrays, n_classes) for g, n in enumerate(sizes))
    if "learner" in learner.parameters:
        inside = _components(inner_learner(learner), f"{prefix}inner.", n_learners, arrays, n_classes, few)
        return inside + (learner.checked()["n_components"] if isinstance(learner, RandomFourier) else 0)
    one_per_class = n_classes > 0 and not learner.knows_classes
    for k, part in enumerate([f"class{k}." for k in range(n_classes)] if one_per_class else [""]):
        witness = arrays.get(prefix + part + learner.witness_of())
        own = n_learners if few is None or k < EARLY else min(few, n_learners)
        if witness is None or not witness.ndim or witness.shape[-1] != own:
            raise _another_number(n_learners)
    return 0


def _fourier_features(learner: Learner) -> int:
    if "learner" not in learner.parameters:
        return 0
    own = learner.checked()["n_components"] if isinstance(learner, RandomFourier) else 0
    return int(own) + _fourier_features(inner_learner(learner))


def _declared(recipe: Booster) -> int:
    return checks.integer("the number of weak learners", recipe.size(), 1, MOST_LEARNERS)


def _retired(arrays: Arrays, prefix: str = "") -> set[int]:
    at_work = arrays.get(f"{prefix}families_at_work")
    return set() if at_work is None else {k for k, one in enumerate(at_work.ravel().tolist()) if one not in {1, 3}}


def _another_number(n_learners: int) -> ModelFileError:
    return ModelFileError(f"Damaged: {n_learners} learners are declared, and the arrays are for another number.")
