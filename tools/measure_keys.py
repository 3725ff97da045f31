"""Many keys on one machine: examples a second and bytes per key in `KeyedClassifier`.

    python tools/measure_keys.py [SECONDS]

Writes docs/results/keys.md. Keys are drawn uniformly, so every one of them is about as rare as can be; the store is
written at the end, in one step.
"""

from __future__ import annotations

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


def batch(number: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows whose rule depends on the key."""
    rng = np.random.default_rng(number)
    X = pd.DataFrame(rng.normal(size=(BATCH, FEATURES)), columns=list("abcde")[:FEATURES])
    X["key"] = rng.integers(0, KEYS, BATCH)
    return X, np.where(X["key"] % 2, -1, 1) * X["a"].to_numpy() > 0


def _row(*values: float) -> str:
    return "| " + " | ".join(f"{value:,.0f}" for value in values) + " |"


def main() -> None:
    """Learn for so many seconds, save, and write the page."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 300.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "models.db"
        model = KeyedClassifier(OnlineClassifier(AROW(), random_state=0), max_models=KEYS, store=store)
        learned, spent = 0, 0.0
        while spent < seconds and learned < MOST:
            X, y = batch(learned // BATCH)
            start = time.process_time()
            model.learn_many(X, y)
            spent += time.process_time() - start
            learned += BATCH
        start = time.process_time()
        model.save(learned)
        saving = time.process_time() - start
        n_keys, on_disk = len(model.keys_), store.stat().st_size
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    lines = results_page.header("Keys", f"python tools/measure_keys.py {seconds:g}")
    lines += [
        f"AROW alone over {FEATURES} features, {KEYS:,} keys drawn uniformly, all models in memory; seconds are of the",
        "processor, on one core, so other work on the machine counts for little. Learning stopped after",
        f"{MOST:,} examples or the seconds given.",
        "",
        "| keys | examples | seconds | examples/s | seconds to save all | bytes per key in memory | on disk |",
        "|---|---|---|---|---|---|---|",
        _row(n_keys, learned, spent, learned / spent, saving, grown / n_keys, on_disk / n_keys),
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "keys.md", lines)


if __name__ == "__main__":
    main()
