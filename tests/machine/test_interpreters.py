"""Interpreters that the engine does not work in are told so when they import it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAMS = {
    "works in the main interpreter only": "import _xxsubinterpreters as s; s.run_string(s.create(), '{}')",
    "needs the GIL": "import sys; sys._is_gil_enabled = lambda: False; {}",
}
OLD = sys.version_info < (3, 13)  # newer ones have another name for the module, and keep what was raised


@pytest.mark.parametrize("words", [words for words in PROGRAMS if OLD or "main" not in words])
def test_an_interpreter_that_is_refused(words):
    program = PROGRAMS[words].format("from onlineboost import _core")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"onlineboost {words}: " in done.stderr
