"""The reference: a page per public name, as the generator writes it, with an example that runs."""

from importlib import import_module

import pytest
from write_reference import FOLDER, entries, pages

import onlineboost

ENTRIES = entries()


def names_of(module):
    return {entry.name for entry in ENTRIES if entry.module == module}


def test_every_public_name_has_a_page():
    assert set(onlineboost.__all__) <= names_of("onlineboost")
    for room in ("theory", "streams", "datasets"):
        assert set(import_module(f"onlineboost.{room}").__all__) == names_of(f"onlineboost.{room}")
    assert all((FOLDER / entry.page).is_file() for entry in ENTRIES)


def test_pages_differ_where_file_names_know_no_case():
    assert len({entry.page.lower() for entry in ENTRIES}) == len(ENTRIES)


def test_pages_are_what_the_generator_writes():
    """If not: python tools/write_reference.py."""
    written = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf8") for path in FOLDER.rglob("*.md")}
    wanted = pages()
    assert written.keys() == wanted.keys()
    assert [name for name in wanted if written[name] != wanted[name]] == []


def test_declared_parameters_are_on_the_page():
    for entry in ENTRIES:
        declared = getattr(getattr(entry.value, "booster_type", entry.value), "parameters", None)
        page = (FOLDER / entry.page).read_text(encoding="utf8")
        for name, one in declared.items() if isinstance(declared, dict) else ():
            assert f"- **`{name}`**: {one.range}, default `{one.default!r}`" in " ".join(page.split())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.module}.{entry.name}")
def test_example_runs(entry, tmp_path, monkeypatch, capsys):
    page = (FOLDER / entry.page).read_text(encoding="utf8")
    (code,) = [block.partition("```")[0] for block in page.partition("## Example\n")[2].split("```python\n")[1:]]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONLINEBOOST_CACHE", str(tmp_path / "cache"))
    exec(compile(code, entry.page, "exec"), {"__name__": "__main__"})  # noqa: S102  # our own page
    assert capsys.readouterr().out.strip(), "an example prints something"
