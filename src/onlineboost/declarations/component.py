"""A thing with declared parameters: what learners and boosters are on the Python side.

    class Perceptron(Learner, name="perceptron"):
        '''Perceptron with example weights.'''

        intercept = Flag(default=True, text="Add a feature that is always 1.")

The constructor, its signature, `get_params` and `set_params` (scikit-learn's), the parameters' part of the docstring
and the checks are made from the declarations. A subclass with a constructor of its own is described by its signature.
"""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from typing import Any, ClassVar, Self

from onlineboost.declarations.parameters import Parameter

_WIDTH = 110


class Component:
    """Base of everything that is declared."""

    parameters: ClassVar[dict[str, Parameter]] = {}
    name: ClassVar[str | None] = None  # on the command line

    def __init_subclass__(cls, *, name: str | None = None, **rest: Any) -> None:
        """Collect the declarations, inherited ones last; a class drops one by giving its name another meaning.

        Parameters that may be given by position come first.
        """
        super().__init_subclass__(**rest)
        cls.name = name
        own = {key: value for key, value in vars(cls).items() if isinstance(value, Parameter)}
        inherited = {key: one for key, one in cls.parameters.items() if key in own or getattr(cls, key) is one}
        by_position = {key: own.get(key, one) for key, one in inherited.items() if one.positional}
        rest = own | {key: one for key, one in inherited.items() if key not in own}
        cls.parameters = by_position | dict(sorted(rest.items(), key=lambda item: not item[1].positional))
        if "__init__" not in vars(cls) and cls.parameters:
            cls.__init__ = constructor(cls.parameters)  # type: ignore[method-assign]  # made from the declarations
        if cls.__doc__ and cls.parameters and "Parameters\n" not in cls.__doc__:
            cls.__doc__ = documented(cls.__doc__, cls.parameters)

    def __init__(self, *_: Any, **__: Any) -> None:
        """Made anew for every class that declares parameters."""

    @classmethod
    @cache
    def defaults(cls) -> dict[str, Any]:
        """What the constructor takes a parameter for that is not given, by name, sorted."""
        variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
        given = sorted(inspect.signature(cls).parameters.items())
        return {name: one.default for name, one in given if one.kind not in variable}

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Sorted."""
        return tuple(cls.defaults())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep`, those of components inside as outer__inner."""
        found = {name: getattr(self, name) for name in self.parameter_names()}
        for name, value in list(found.items()) if deep else ():
            if hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{inner}": one for inner, one in value.get_params().items()}
        return found

    def set_params(self, **given: Any) -> Self:
        """Set parameters by name, those of components inside as outer__inner."""
        names = self.parameter_names()
        for name, value in given.items():
            outer, _, inner = name.partition("__")
            if outer not in names:
                raise ValueError(f"{type(self).__name__} has no parameter {outer!r}; it has {', '.join(names)}.")
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def checked(self) -> dict[str, Any]:
        """The declared parameters' values, each in its range; ValueError for the first that is not."""
        return {name: one.check(name, getattr(self, name)) for name, one in self.parameters.items()}

    def __repr__(self) -> str:
        """As it is written, defaults left out."""
        default = self.defaults()
        values = self.get_params(deep=False)
        told = [f"{name}={value!r}" for name, value in values.items() if not _same(value, default[name])]
        return f"{type(self).__name__}({', '.join(told)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def constructor(parameters: dict[str, Parameter]) -> Any:
    """An __init__ that stores the parameters as they are given."""
    signature = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD if one.positional else inspect.Parameter.KEYWORD_ONLY,
                default=one.default,
            )
            for name, one in parameters.items()
        ]
    )

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it becomes the method
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    with_self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    vars(__init__)["__signature__"] = signature.replace(parameters=[with_self, *signature.parameters.values()])
    return __init__


def documented(doc: str, parameters: dict[str, Parameter]) -> str:
    """The docstring with a section on the parameters, in front of its other sections."""
    text = inspect.cleandoc(doc)
    head, underlined, tail = text.partition("\n\nAttributes\n---")
    lines = [head, "", "Parameters", "----------"]
    for name, one in parameters.items():
        lines.append(f"{name} : {one.range}, default={one.default!r}")
        lines += textwrap.wrap(one.text, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) + (underlined + tail if underlined else "\n")
