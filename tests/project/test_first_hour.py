"""The first hour with the package: its commands print what the page shows."""

from pathlib import Path

import pytest
from run_page import run

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "first-hour.md"


def test_commands_print_what_the_page_shows(tmp_path):
    page = PAGE.read_text(encoding="utf8")
    assert page.count("```sh") == 4
    assert run(page, tmp_path) == page
    assert (tmp_path / "error.svg").stat().st_size > 1000
