"""The pages that are written by hand: their code runs, and their lines fit."""

from pathlib import Path

import pytest
from page_blocks import python_blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
OF_FILES = {"first-hour"}  # its blocks are files, which a test of its own runs
WIDTH = 120
WIDER = ("|", "![", "http")  # a row of a table, an image and an address cannot be broken


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_blocks(page) and page.stem not in OF_FILES], ids=lambda page: page.stem
)
def test_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(python_blocks(page)), page.name, "exec"), {"__name__": page.stem})  # noqa: S102  # our own


def test_python_stands_in_python_blocks():
    """A block without a language would not be run."""
    for page in PAGES:
        openings = [line for line in page.read_text(encoding="utf8").splitlines() if line.startswith("```")][::2]
        unnamed = [line for line in openings if line == "```"]
        assert not unnamed or page.stem == "architecture", page.name  # that one is a drawing


def test_lines_fit():
    for page in {*ROOT.glob("*.md"), *PAGES, *(ROOT / "docs" / "reference").rglob("*.md")}:
        for number, line in enumerate(page.read_text(encoding="utf8").splitlines(), 1):
            drawn = "   " in line.strip()
            assert len(line) <= WIDTH or drawn or line.lstrip().startswith(WIDER), f"{page.name}, line {number}"
