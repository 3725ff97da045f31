"""Observed against certified error on the paper's data sets: writes docs/results/theory.md.

    python tools/measure_theory.py [--quick]

Every vote learns every data set in a random order, in twenty parts. After each part the certificate is read, and what
it says is held against what happened: the mistakes and the margin errors of all 100 prefixes, the error of the vote
itself as `prequential` counted it, and the inequality of Lemma 3.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import results_page

from onlineboost import NaiveBayes, OSBoostClassifier, Perceptron, datasets, prequential

N = 100
PARTS = 20
HEAD = (
    "data set | examples | learner | vote | best prefix | observed | margin ≤ θ | certified | "
    "vote: error / certified | vote: regret / bound | comparisons | violations"
)
LEARNERS = {"Perceptron": Perceptron, "NaiveBayes": NaiveBayes}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "uniform": {},
    "ocp": {"vote": "ocp"},
    "experts": {"vote": "experts"},
    "uniform, margin_scale 8": {"margin_scale": 8.0},
}


def follow(model: Any, X: Any, y: Any) -> tuple[int, int, Any]:
    """Comparisons made, how many failed, and the last certificate."""
    compared = failed = 0
    wrong = 0.0
    for rows in np.array_split(np.arange(len(y)), PARTS):
        result = prequential(model, X[rows[0] : rows[-1] + 1], y[rows])
        wrong += float(result.error * len(rows))
        c = model.certificate()
        checks = [
            c.observed_error <= c.certified_error,
            c.margin_error <= c.certified_error,
            c.observed_error <= c.margin_error,
            c.slack >= -1e-9 * c.constants.ceiling,
            np.array([c.vote_error <= c.certified_vote_error + 1e-12]),
            # Labels are judged here, and a tie may be a right label; the theory counts it as a mistake.
            np.array([wrong / c.n_examples <= c.certified_vote_error + 1e-12]),
            np.array([not c.vote.regret > c.vote.regret_bound]),
        ]
        compared += sum(len(check) for check in checks)
        failed += sum(int(np.count_nonzero(~check)) for check in checks)
    return compared, failed, c


def row(name: str, learner: str, what: str, found: tuple[int, int, Any]) -> str:
    """A row of the table."""
    compared, failed, c = found
    k = c.best_prefix
    vote = "" if c.vote.kind == "uniform" else f"{c.vote_error:.4f} / {c.certified_vote_error:.4f}"
    regret = "" if c.vote.kind == "uniform" else f"{c.vote.regret:,.1f} / {c.vote.regret_bound:,.1f}"
    errors = " | ".join(f"{e[k - 1]:.4f}" for e in (c.observed_error, c.margin_error, c.certified_error))
    what = f"{name} | {c.n_examples:,} | {learner} | {what} | {k}"
    return f"| {what} | {errors} | {vote} | {regret} | {compared:,} | {failed} |"


def seconds_for_a_certificate(examples: int) -> tuple[float, int]:
    """The median over 20 certificates of a model that has learned so many examples."""
    X = np.random.default_rng(0).normal(size=(100_000, 50))
    y = X[:, 0] > 0
    model = OSBoostClassifier(Perceptron(), N, random_state=0)
    for _ in range(0, examples, len(y)):
        model.partial_fit(X, y)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        model.certificate().summary()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), model.n_examples_


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="at most 20,000 examples each, and no page is written")
    quick = parser.parse_args().quick
    rows, total, failures = [], 0, 0
    for name in datasets.names():
        try:
            X, y = results_page.load(name)
        except FileNotFoundError:
            rows.append(f"| {name} | not found |" + "  |" * 10)
            continue
        order = np.random.default_rng(0).permutation(len(y))[: 20_000 if quick else None]
        X, y = X[order], y[order]
        for learner, make in LEARNERS.items():
            for what, options in CONFIGURATIONS.items():
                if learner != "Perceptron" and "margin_scale" in options:
                    continue
                model = OSBoostClassifier(make(), N, random_state=0, **options)
                found = follow(model, X, y)
                rows.append(row(name, learner, what, found))
                total, failures = total + found[0], failures + found[1]
                print(rows[-1], flush=True)
    seconds, examples = seconds_for_a_certificate(100_000 if quick else 1_000_000)
    text = f"""
**{total:,} comparisons, {failures} violations.** N = {N}, γ = 0.1, one random order, read at {PARTS} points each.
Compared are, for each of the first i learners: mistakes ≤ examples with a margin of at most θ ≤ certified mass, and
Lemma 3; for the vote: its error, by margins and by labels, against its certificate, and its regret against the bound.

`certificate().summary()` with {N} learners after {examples:,} examples: {1000 * seconds:.2f} ms (median of 20).

The columns are those at the end of the stream, for the prefix with the best certificate; the vote's own error and
regret (in hinge loss for OCP, in expected mistakes for the experts) stand beside what is certified for them. A
certificate of 1 for the vote says nothing: for OCP every loss counts 1/θ = 21 times, for the experts the certified
mass of the best prefix counts twice.

| {HEAD} |
|---|---|---|---|---|---|---|---|---|---|---|---|"""
    lines = [
        *results_page.header("Observed and certified error", "python tools/measure_theory.py")[:-1],
        *text.split("\n"),
    ]
    lines += rows
    print(f"{total} comparisons, {failures} violations, {1000 * seconds:.2f} ms")
    if not quick:
        results_page.write(results_page.ROOT / "docs" / "results" / "theory.md", lines)


if __name__ == "__main__":
    main()
