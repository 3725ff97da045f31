"""`onlineboost reproduce`: killed, in shards, with bad input, and as a process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onlineboost import cli, datasets

pytestmark = pytest.mark.slow

COMMAND = [
    sys.executable,
    "-m",
    "onlineboost",
    "reproduce",
    "--sets",
    "diabetes",
    "--trials",
    "1",
    "--no-figures",
]


def reproduce(out, *more):
    return subprocess.run(
        [*COMMAND, "--out", str(out), *more],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )


def in_this_process(out, *more):
    return cli.main([*COMMAND[3:], "--jobs", "1", "--out", str(out), *more])


class TestCommand:
    def test_shards_and_a_run_that_was_killed_give_the_same_tables(self, tmp_path, capsys):
        assert in_this_process(tmp_path / "a") == 0
        printed = capsys.readouterr().out
        assert "Table 4" in printed
        assert "holds" in printed
        out = tmp_path / "b"
        process = subprocess.Popen(
            [*COMMAND, "--shard", "1/2", "--out", str(out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        results = out / "results-1-of-2.jsonl"
        for _ in range(3000):
            if results.exists() and results.stat().st_size > 10_000:
                break
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        begun = len(results.read_bytes().splitlines())
        for i in (1, 2):
            assert in_this_process(out, "--shard", f"{i}/2") == 0
            assert not (out / "tables.md").exists()
        assert begun < len(results.read_bytes().splitlines())  # it was killed on the way
        assert in_this_process(out) == 0
        assert not (out / "results.jsonl").exists()  # nothing was left to run
        for name in ("tables.md", "tables.tex", "tables.csv", "tables.json"):
            assert (tmp_path / "a" / name).read_bytes() == (out / name).read_bytes()

    def test_bad_input_is_one_sentence_and_exit_code_2(self, tmp_path):
        """Each kind of it is in test_commands.py, in one process."""
        done = reproduce(tmp_path / "out", "--data", "/nowhere/at/all")
        assert done.returncode == 2
        assert "/nowhere/at/all" in done.stderr
        assert done.stderr.count("\n") == 1
        assert "Traceback" not in done.stderr

    def test_datasets_lists_all(self):
        done = subprocess.run(
            [sys.executable, "-m", "onlineboost", "datasets"], capture_output=True, text=True, check=True
        )
        for name in datasets.names():
            assert f"\n{name} " in done.stdout

    def test_base_install_names_the_extra(self):
        code = "import sys; sys.modules['rich'] = None\nfrom onlineboost.cli import main; sys.exit(main(['reproduce']))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == 'onlineboost: reproduce needs rich: pip install "onlineboost[experiments]"\n'

    def test_help_has_examples(self):
        done = subprocess.run(
            [sys.executable, "-m", "onlineboost", "reproduce", "--help"], capture_output=True, text=True, check=True
        )
        assert "onlineboost reproduce --data DIR               all data sets in a folder" in done.stdout

    def test_entry_point(self):
        script = Path(sys.executable).parent / "onlineboost"
        done = subprocess.run([str(script), "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("onlineboost 0.")
