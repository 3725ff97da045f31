"""One stream dealt to many machines: error and certificate against the shards and the interval between merges.

    python tools/measure_shards.py [DATA SET …]

Writes docs/results/shards.md. All shards run in this process, one after the other; the result is that of any engine.
Errors are test-then-train: each example is judged by the model of the shard that sees it. Three random orders. Without
names, adult with all learners, and ijcnn1 and covertype with two.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import results_page

from onlineboost import AROW, AdaGradLogistic, NaiveBayes, OSBoostClassifier, Perceptron
from onlineboost.distributed import array_shards, train_shards

LEARNERS: dict[str, Any] = {
    "Perceptron": Perceptron(),
    "AdaGradLogistic": AdaGradLogistic(),
    "AROW": AROW(),
    "NaiveBayes": NaiveBayes(),
}
N, GAMMA, ORDERS = 20, 0.1, 3
SHARDS = (1, 2, 4, 8, 16, 64, 256, 1024)
INTERVALS: tuple[tuple[int | None, int | None], ...] = ((1000, 10), (1000, None), (100, None), (None, None))
ROWS = 40_000
EVERYTHING = "adult"  # others: two learners, and the default rounds
FEWER = ("AROW", "NaiveBayes")


def errors(X: Any, y: Any, learner: Any, shards: int, rounds: tuple[int | None, int | None]) -> tuple[float, float]:
    """The vote's error, and the least certified error of a prefix, over the whole fleet."""
    model = OSBoostClassifier(learner, N, gamma=GAMMA, random_state=0)
    every, warm_up = rounds
    parts = array_shards(X, y, shards)
    trained = train_shards(model, parts, every=every, warm_up=warm_up, n_jobs=1, classes=np.unique(y))
    found = trained.certificate()
    if (found.observed_error > found.certified_error).any():
        raise SystemExit("a certificate is violated")
    return found.vote.mistakes / found.weight, float(found.certified_error.min())


def told(values: list[float]) -> str:
    """Mean and standard error."""
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / math.sqrt(len(values)):.4f}"


def tried(name: str, shards: int) -> list[tuple[int | None, int | None]]:
    """The rounds to measure: all of them for some, else the default and a single merge; few rows are merged once."""
    if shards == 1 or shards * 300 > ROWS:
        return [(None, None)]
    some = name != EVERYTHING or shards not in {8, 64}
    return [rounds for rounds in INTERVALS if not some or rounds in {INTERVALS[0], INTERVALS[-1]}]


def words(rounds: tuple[int | None, int | None]) -> str:
    """The column of the table."""
    every, warm_up = rounds
    if every is None:
        return "at the end"
    return f"{every:,}" if warm_up is None else f"{warm_up}, growing to {every:,}"


def table(name: str) -> list[str]:
    """One data set."""
    X, y = results_page.load(name)
    lines = [f"## {name}", "", f"{min(ROWS, len(y)):,} examples of a random order, {ORDERS} orders.", ""]
    lines += ["| learner | shards | rows between merges | error | certified error | error / one machine's |"]
    lines += ["|---|---|---|---|---|---|"]
    for word, learner in LEARNERS.items():
        if name != EVERYTHING and word not in FEWER:
            continue
        alone = 0.0
        for shards in SHARDS:
            for rounds in tried(name, shards):
                pairs = []
                for order in range(ORDERS):
                    rows = np.random.default_rng(2000 + order).permutation(len(y))[:ROWS]
                    pairs.append(errors(X[rows], y[rows], learner, shards, rounds))
                found, certified = (list(part) for part in zip(*pairs, strict=True))
                alone = alone or float(np.mean(found))
                interval = "–" if shards == 1 else words(rounds)
                lines.append(
                    f"| {word} | {shards:,} | {interval} | {told(found)} | {told(certified)} | "
                    f"{np.mean(found) / alone:.3f} |"
                )
                print(lines[-1], flush=True)
    return [*lines, ""]


def main() -> None:
    """Write the page."""
    lines = results_page.header("Shards", "python tools/measure_shards.py")
    lines += [
        f"OSBoost, N = {N}, γ = {GAMMA}, over shards that begin with nothing, merged after so many rows of each. The",
        "certified error is the least over prefixes, summed over the fleet. No certificate was violated.",
        "",
    ]
    for name in sys.argv[1:] or ("adult", "ijcnn1", "covertype"):
        lines += table(name)
    results_page.write(results_page.ROOT / "docs" / "results" / "shards.md", lines)


if __name__ == "__main__":
    main()
