"""Many keys on one machine: examples a second and bytes per key in `KeyedClassifier`, with two labels and with three.

    python tools/measure_keys.py [SECONDS]

Writes docs/results/keys.md. Keys are drawn uniformly, so every one of them is about as rare as can be; the store is
written at the end, in one step. Each number of labels has a process of its own.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import results_page

from onlineboost import AROW, KeyedClassifier, OnlineClassifier

KEYS, BATCH, FEATURES, MOST = 100_000, 50_000, 5, 10_000_000


def batch(number: int, labels: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows whose rule depends on the key."""
    rng = np.random.default_rng(number)
    X = pd.DataFrame(rng.normal(size=(BATCH, FEATURES)), columns=list("abcde")[:FEATURES])
    X["key"] = rng.integers(0, KEYS, BATCH)
    y = np.where(X["key"] % 2, -1, 1) * X["a"].to_numpy() > 0
    return X, y if labels == 2 else np.where(X["b"] > 0.5, 2, y)


def _row(*values: float) -> str:
    return "| " + " | ".join(f"{value:,.0f}" for value in values) + " |"


def measured(labels: int, seconds: float) -> str:
    """A line of the table."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "models.db"
        model = KeyedClassifier(OnlineClassifier(AROW(), random_state=0), max_models=KEYS, store=store)
        learned, spent = 0, 0.0
        while spent < seconds and learned < MOST:
            X, y = batch(learned // BATCH, labels)
            start = time.process_time()
            model.learn_many(X, y)
            spent += time.process_time() - start
            learned += BATCH
        start = time.process_time()
        model.save(learned)
        saving = time.process_time() - start
        n_keys, on_disk = len(model.keys_), store.stat().st_size
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return _row(labels, n_keys, learned, spent, learned / spent, saving, grown / n_keys, on_disk / n_keys)


def main() -> None:
    """Learn for so many seconds, save, and write the page."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 300.0
    rows = []
    for labels in (2, 3):
        with multiprocessing.get_context("spawn").Pool(1) as process:
            rows.append(process.apply(measured, (labels, seconds)))
        print(rows[-1], flush=True)
    lines = results_page.header("Keys", f"python tools/measure_keys.py {seconds:g}")
    lines += [
        f"AROW alone over {FEATURES} features, {KEYS:,} keys drawn uniformly, all models in memory; seconds are of the",
        "processor, on one core, so other work on the machine counts for little. Learning stopped after",
        f"{MOST:,} examples or the seconds given. With two labels a model is the bytes of its state, with three an",
        "estimator.",
        "",
        "| labels | keys | examples | seconds | examples/s | seconds to save all | bytes per key in memory | on disk |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "keys.md", lines)


if __name__ == "__main__":
    main()
