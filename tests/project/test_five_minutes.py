"""The page for newcomers: its commands print what it shows."""

from pathlib import Path

import pytest
from run_page import run

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "five-minutes.md"


def test_commands_print_what_the_page_shows(tmp_path):
    page = PAGE.read_text(encoding="utf8")
    assert page.count("```sh") == 7
    assert run(page, tmp_path) == page
    assert (tmp_path / "run.html").exists()
    assert len((tmp_path / "scores.csv").read_text().splitlines()) == 501
