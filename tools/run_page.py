"""Pages whose commands are run: each `sh` block, and behind it a `text` block with what it prints.

    python tools/run_page.py docs/five-minutes.md      runs the blocks and writes what they print into the page

A `python` block whose first line is `# FILE` is written to that file first. The tests run the same blocks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"```(sh|text|python)\n(.*?)```", re.DOTALL)


def run(page: str, folder: Path) -> str:
    """The page with what its commands printed in the folder."""
    printed: str | None = None
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "80"}

    def replace(block: re.Match[str]) -> str:
        nonlocal printed
        kind, text = block.groups()
        if kind == "python":
            (folder / text.splitlines()[0].removeprefix("# ")).write_text(text)
        elif kind == "sh":
            order = ["bash", "-e", "-c", f"exec 2>&1\n{text}"]
            done = subprocess.run(order, capture_output=True, text=True, check=False, cwd=folder, env=environment)
            if done.returncode:
                raise RuntimeError(f"exit {done.returncode}:\n{text}\n{done.stdout}")
            printed = done.stdout
        elif printed is not None:
            block_text, printed = f"```text\n{printed}```", None
            return block_text
        return block[0]

    return BLOCK.sub(replace, page)


def main() -> None:
    """Fill the pages that are named."""
    for name in sys.argv[1:]:
        page = Path(name)
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(run(page.read_text(encoding="utf8"), Path(folder)), encoding="utf8")
        print(f"filled {page}")


if __name__ == "__main__":
    main()
