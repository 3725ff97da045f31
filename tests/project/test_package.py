"""What a user gets from the wheel, and that the documents are true."""

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import python_blocks

import onlineboost

ROOT = Path(__file__).resolve().parents[2]


def test_version_is_one_number():
    assert importlib.metadata.version("onlineboost") == onlineboost.__version__
    assert f"version: {onlineboost.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf8")


def test_wheel_is_typed():
    files = importlib.resources.files("onlineboost")
    assert files.joinpath("py.typed").is_file()
    stub = files.joinpath("_core.pyi")
    if stub.is_file():  # the sanitizer build has none: generating it would run the instrumented module
        assert "class Model" in stub.read_text(encoding="utf8")
    else:
        pytest.skip("built without stubs")


def test_everything_exported_is_documented():
    for name in onlineboost.__all__:
        assert getattr(onlineboost, name).__doc__, name


@pytest.mark.parametrize("block", python_blocks(ROOT / "README.md"))
def test_readme_code_works_when_pasted(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "README"})  # noqa: S102  # our own
    assert capsys.readouterr().out


def test_readme_links_lead_somewhere():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf8")):
            if not target.startswith("https://"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_page_on_own_learners_shows_the_example_that_is_tested():
    example = (ROOT / "examples" / "own_learner.py").read_text(encoding="utf8").rstrip()
    assert example in (ROOT / "docs" / "your-own-learner.md").read_text(encoding="utf8")


def test_import_loads_no_extra():
    """Beyond what scikit-learn itself loads."""
    code = "import sys, sklearn.base; old = set(sys.modules); import onlineboost; print(*(set(sys.modules) - old))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    packages = {name.partition(".")[0] for name in done.stdout.split()}
    assert "onlineboost" in packages
    assert not packages & {"pandas", "polars", "river", "matplotlib", "pyarrow"}
