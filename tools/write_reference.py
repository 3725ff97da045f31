"""Writes docs/reference, a page per public name, from declarations, signatures and docstrings.

    python tools/write_reference.py

Do not edit the pages: edit the docstring or the declaration, or the example in `reference_examples.py`.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from reference_examples import example

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
WIDTH = 120
ROOT = {  # the package's own names, by the room that they come from
    "estimators": "Boosters, as classifiers for scikit-learn and river",
    "learners": "Weak learners",
    "evaluation": "Evaluation",
    "explanation": "Explanation",
    "persistence": "Model files",
    "merging": "Merging models",
    "keyed": "A model per key",
}
ROOMS = {  # with names of their own
    "theory": "Theory: plans, certificates and streams that keep the assumption",
    "streams": "Streams from files and pipes",
    "datasets": "Data sets",
    "distributed": "Learning on many workers",
}
SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises)\n-+\n", re.MULTILINE)


class Entry(NamedTuple):
    """A public name: where it is imported from, what it is, and its page."""

    module: str
    name: str
    value: Any
    page: str
    room: str


def entries() -> list[Entry]:
    """Every public name, room by room."""
    root = import_module("onlineboost")
    found = []
    for room in ROOT:
        for name in sorted(import_module(f"onlineboost.{room}").__all__):
            module = "onlineboost" if name in root.__all__ else f"onlineboost.{room}"
            found.append(Entry(module, name, getattr(import_module(module), name), f"{name}.md", room))
    for room in ROOMS:
        module = import_module(f"onlineboost.{room}")
        folded = [name.lower() for name in module.__all__]
        for name in sorted(module.__all__):
            # Where file names know no case, plan and Plan would be one file.
            kind = "-function" if folded.count(name.lower()) > 1 and name.islower() else ""
            found.append(Entry(module.__name__, name, getattr(module, name), f"{room}/{name}{kind}.md", room))
    return [*found, Entry("onlineboost", "machine", import_module("onlineboost.machine"), "machine.md", "machine")]


def wrapped(text: str, first: str = "", then: str = "") -> str:
    """A paragraph in lines that fit."""
    whole = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=first, subsequent_indent=then, **whole)


def sections(doc: str | None) -> dict[str, str]:
    """A docstring's parts: "" is what comes before its first section."""
    parts = SECTION.split(inspect.cleandoc(doc or ""))
    return {"": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def items(section: str) -> Iterator[str]:
    """The `name : type` items of a section, as a list."""
    for item in re.split(r"\n(?=\S)", section.strip()):
        head, _, text = item.partition("\n")
        name, _, kind = head.partition(" : ")
        stop = "." if text.strip()[:1].isupper() and len(kind) < 80 else ""  # else the sentence goes on
        yield wrapped(f"- **`{name}`**: {kind}{stop} {text}".replace("**: . ", "**: "), "", "  ")


def signature(name: str, value: Any) -> str:
    """How it is called, without annotations; nothing where that says nothing."""
    words: list[str] = []
    for one in inspect.signature(value).parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        if one.name.strip("_") and one.name not in {"self", "cls"}:
            words.append(str(one.replace(annotation=one.empty)).replace("<factory>", "{}"))
    call = f"{name}({', '.join(words)})"
    if len(call) > WIDTH:
        call = f"{name}(\n    " + ",\n    ".join(words) + ",\n)"
    return f"```text\n{call}\n```"


def parameters(value: Any, parts: dict[str, str]) -> list[str]:
    """Declared ones with range, default and sentence; others as the docstring has them."""
    declared = getattr(getattr(value, "booster_type", value), "parameters", None)
    if isinstance(declared, dict) and declared:
        line = "- **`{name}`**: {one.range}, default `{one.default!r}`. {one.text}"
        return [wrapped(line.format(name=name, one=one), "", "  ") for name, one in declared.items()]
    return list(items(parts["Parameters"])) if "Parameters" in parts else []


def members(value: type, bases: tuple[type, ...]) -> list[tuple[str, Any]]:
    """Public methods and properties of this package's classes, but for those that a documented base has."""
    inherited = {name for base in bases for name in dir(base)}
    own = {name for kind in value.__mro__ if kind.__module__.startswith("onlineboost") for name in vars(kind)}
    return [pair for pair in inspect.getmembers_static(value) if pair[0][0] != "_" and pair[0] in own - inherited]


def field_texts(value: type) -> dict[str, str]:
    """The strings behind the fields of a dataclass."""
    pairs = itertools.pairwise(ast.parse(textwrap.dedent(inspect.getsource(value))).body[0].body)
    fields = (pair for pair in pairs if isinstance(pair[0], ast.AnnAssign))
    return {one.target.id: after.value.value for one, after in fields if isinstance(after, ast.Expr)}


def class_body(value: type, bases: tuple[type, ...]) -> list[str]:
    """Attributes and methods."""
    parts, methods = sections(value.__doc__), []
    attributes = list(items(parts["Attributes"])) if "Attributes" in parts else []
    told = {line.partition("`**")[0].removeprefix("- **`") for line in attributes}
    for name, field in getattr(value, "__dataclass_fields__", {}).items() if not told else ():
        text = field_texts(value).get(name, "")
        attributes.append(wrapped(f"- **`{name}`**: {field.type}{'. ' * bool(text)}{text}", "", "  "))
    for name, one in members(value, bases):
        if isinstance(one, property) and name not in told:
            attributes.append(wrapped(f"- **`{name}`**: {sections(one.__doc__)['']}", "", "  "))
        if isinstance(one, Callable | classmethod | staticmethod) and not isinstance(one, type):
            bound = getattr(value, name)
            inner = sections(bound.__doc__)
            methods += [f"### `{name}`", signature(name, bound), inner[""], "\n".join(parameters(None, inner))]
    listed = ["## Attributes", "\n".join(attributes)] if attributes else []
    return [*listed, *(["## Methods", *methods] if methods else [])]


def body(entry: Entry, documented: dict[Any, str]) -> list[str]:
    """The parts of a page."""
    value, parts = entry.value, sections(entry.value.__doc__)
    found = [f"# {entry.name}", f"`from {entry.module} import {entry.name}`"]
    if inspect.ismodule(value):
        own = [one for one in vars(value).values() if getattr(one, "__module__", "").startswith(value.__name__)]
        shown = [one for one in own if getattr(one, "__name__", "_")[0] != "_"]
        lines = [wrapped(f"- `{one.__name__}`: {sections(one.__doc__)['']}", "", "  ") for one in shown]
        return [*found, parts[""], "\n".join(lines)]
    if not callable(value):
        return [*found, f"```text\n{textwrap.fill(repr(value), WIDTH)}\n```"]
    found += [parts[""]]
    source = getattr(value, "booster_type", value)
    if name := getattr(source, "name", None):
        found.append(f"On the command line: `--{'learner' if source is value else 'booster'} {name}`.")
    bases = tuple(one for one in getattr(value, "__mro__", ())[1:] if one in documented)
    if not inspect.isclass(value) or not issubclass(value, Exception):
        listed = parameters(value, parts)
        found += [signature(entry.name, value), *(["## Parameters", "\n".join(listed)] if listed else [])]
    if inspect.isclass(value):
        found += class_body(value, bases)
        if bases:
            links = (f"[{one.__name__}]({'../' * entry.page.count('/')}{documented[one]})" for one in bases)
            found.append(f"The rest is that of {', '.join(links)}.")
    if getattr(source, "parameters", None) and not source.__module__.endswith(".base"):
        found += ["## Paper and variant", inspect.cleandoc(inspect.getmodule(source).__doc__ or "")]
    return found


def pages() -> dict[str, str]:
    """Every page by its path below docs/reference."""
    public = entries()
    documented = {one.value: one.page for one in public if inspect.isclass(one.value)}
    written = {}
    for entry in public:
        shown = ["## Example", f"```python\n{example(entry.module, entry.name).strip()}\n```"]
        written[entry.page] = "\n\n".join(part for part in [*body(entry, documented), *shown] if part) + "\n"
    index = ["# Reference", "A page per public name, by `python tools/write_reference.py`."]
    for room, title in (ROOT | ROOMS | {"machine": "The machine below the estimators"}).items():
        links = (f"[`{one.name}`]({one.page})" for one in public if one.room == room)
        index += [f"## {title}", wrapped(", ".join(links) + ".")]
    return {"README.md": "\n\n".join(index) + "\n", **written}


def main() -> None:
    """Write the pages, and remove those of names that are gone."""
    wanted = pages()
    for old in set(FOLDER.rglob("*.md")) - {FOLDER / name for name in wanted}:
        old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf8")
    print(f"wrote {len(wanted)} pages to {FOLDER.name}")


if __name__ == "__main__":
    main()
