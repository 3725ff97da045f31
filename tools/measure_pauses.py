"""How long `learn_one` takes at most: writes docs/results/pauses.md.

python tools/measure_pauses.py [--rows N] [--repetitions N]
"""

from __future__ import annotations

import argparse
import gc
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import results_page

from onlineboost import OnlineBoostClassifier, WindowBoostClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROWS, REPETITIONS, MOST = 100_000, 3, 5000.0
SHAPE = {"window": 200_000, "n_trees": 128, "visits": 192, "max_leaves": 255, "max_bins": 256}
MODELS: dict[str, Callable[[], Any]] = {
    "window trees of the default": lambda: WindowBoostClassifier(**SHAPE, random_state=0),
    "`OnlineBoostClassifier()`": lambda: OnlineBoostClassifier(random_state=0),
}
CONDITIONS = """\
Rows of covertype in a random order (`default_rng(0).permutation`), dense, one `learn_one` each: microseconds of a call,
in processor time of its thread. The stream is learned {} times: what the algorithm does takes long at the same example
every time, and what the system does in between at another, so each example counts with its fastest call. The collector
is off."""


def pauses(make: Callable[[], Any], X: Floats, y: list[int]) -> Floats:
    """Microseconds of each call."""
    model, found = make(), np.empty(len(y))
    model.partial_fit(X[:2], y[:2], classes=sorted(set(y)))
    clock = time.thread_time_ns
    gc.disable()
    try:
        for k, (x, label) in enumerate(zip(X, y, strict=True)):
            began = clock()
            model.learn_one(x, label)
            found[k] = clock() - began
    finally:
        gc.enable()
    return found / 1e3


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    given = parser.parse_args()
    X, y = results_page.load("covertype")
    order = np.random.default_rng(0).permutation(X.shape[0])[: given.rows]
    rows, labels = X[order].toarray(), np.asarray(y)[order].astype(int).tolist()
    lines = results_page.header("Pauses: the longest calls of `learn_one`", "python tools/measure_pauses.py")
    lines += [*CONDITIONS.format(given.repetitions).splitlines(), ""]
    lines += ["| model | median | 99 % | 99.9 % | longest | at example |", "|---|---|---|---|---|---|"]
    longest = 0.0
    for name, make in MODELS.items():
        found = np.min([pauses(make, rows, labels) for _ in range(given.repetitions)], axis=0)
        quantiles = [*np.quantile(found, [0.5, 0.99, 0.999]), found.max()]
        longest = max(longest, float(found.max()))
        lines.append(f"| {name} | {' | '.join(f'{q:,.0f}' for q in quantiles)} | {int(found.argmax()) + 1:,} |")
        print(lines[-1], flush=True)
    lines += ["", f"Asked: none above {MOST:,.0f} µs; {'reached' if longest <= MOST else 'missed'}."]
    page = results_page.ROOT / "docs" / "results" / "pauses.md"
    page.write_text("\n".join(lines) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
