"""A virtual environment for each peer, made once under a cache folder and pinned.

From a script: ``python_of("vw", cache)`` gives the path of the peer's Python.
By hand: ``python -m benchmarks.environments vw capymoa --cache .venvs``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

DEFAULT_CACHE = Path(".venvs")

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "vw": ("vowpalwabbit==9.11.9", "numpy"),
    "capymoa": ("capymoa==0.15.1",),
    "river": ("river==0.26.1",),
    "sklearn": ("scikit-learn==1.9.1",),
    "batch": ("lightgbm==4.7.0", "xgboost==3.2.0", "catboost==1.2.10", "scikit-learn==1.9.1"),
}


def _install(python: Path, packages: tuple[str, ...]) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pip could not install {' '.join(packages)}:\n{done.stderr.strip()}")


def python_of(peer: str, cache: Path = DEFAULT_CACHE) -> Path:
    """The Python of the peer's environment, which is made, or made anew if its pins changed."""
    packages = REQUIREMENTS[peer]
    folder = cache.absolute() / peer
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "installed.txt"  # written last, so a broken install is never taken for a whole one
    wanted = "\n".join((f"python {sys.version_info.major}.{sys.version_info.minor}", *packages)) + "\n"
    if not stamp.is_file() or stamp.read_text() != wanted:
        venv.create(folder, clear=True, with_pip=True)
        _install(python, packages)
        stamp.write_text(wanted)
    return python


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the peers' environments and print their Pythons.")
    parser.add_argument("peers", nargs="*", help=f"from {', '.join(REQUIREMENTS)}; all if none is named")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, help="folder that holds them (%(default)s)")
    arguments = parser.parse_args()
    unknown = set(arguments.peers) - set(REQUIREMENTS)
    if unknown:
        parser.error(f"unknown peer: {', '.join(sorted(unknown))}")
    for peer in arguments.peers or REQUIREMENTS:
        print(peer, python_of(peer, arguments.cache), flush=True)


if __name__ == "__main__":
    main()
