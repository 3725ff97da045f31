"""What the paper claims of its experiments, as checks on ours: each with its evidence, and a verdict drawn from it.

The same rule is applied to the paper's printed figures, so a reader sees where the two runs differ.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from onlineboost.estimators import OSBoostClassifier
from onlineboost.experiments import grid, paper, statistics
from onlineboost.learners import Perceptron

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onlineboost.experiments.store import Store

HOLDS, FAILS, PARTLY, OPEN = "holds", "does not hold", "partly", "not tested"
DIRECTION = "direction agrees, not significant"
SIGNIFICANT = 0.05
LARGE = 10_000  # examples from which the paper's sets are "large": mushrooms is the last small one

STABLE = 0.10  # relative spread of the error over γ that still counts as stable
LINEAR = 1.15  # largest exponent of the measured cost in N that still counts as linear (times a logarithm)


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, what we saw, and what follows."""

    name: str
    statement: str
    verdict: str
    evidence: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Results:
    """All that the checks look at: the errors by (data set, learner, algorithm), trial by trial."""

    errors: Mapping[tuple[str, str, str], Sequence[float]]
    examples: Mapping[str, int]

    @property
    def data_sets(self) -> list[str]:
        return list(self.examples)

    def mean(self, data: str, learner: str, algorithm: str) -> float:
        return float(np.mean(self.errors[data, learner, algorithm]))


def collect(store: Store, hashes: Mapping[str, str], trials: int) -> Results:
    """From the store."""
    errors, examples = {}, {}
    for data, data_hash in hashes.items():
        for learner in paper.LEARNERS:
            for algorithm in paper.ALGORITHMS:
                cells = store.trials(trials, data, data_hash, learner, algorithm)
                errors[data, learner, algorithm] = [c["error"] for c in cells]
                examples[data] = int(cells[0]["examples"])
    return Results(errors, examples)


def _beats(results: Results, learner: str, better: str, worse: str) -> tuple[str, list[str]]:
    """Whether `better` has the smaller mean error on most sets, and the evidence in sentences."""
    wins, lines = 0, []
    for data in results.data_sets:
        a, b = results.errors[data, learner, better], results.errors[data, learner, worse]
        won = float(np.mean(a)) < float(np.mean(b))
        wins += won
        gain = 1 - float(np.mean(a)) / float(np.mean(b)) if np.mean(b) > 0 else 0.0
        pairs = sum(x < y for x, y in zip(a, b, strict=True))
        lines.append(
            f"{data}: {np.mean(a):.4f} against {np.mean(b):.4f} ({gain:+.1%} of the error saved, "
            f"better in {pairs} of {len(a)} orders, paired Wilcoxon p = {statistics.wilcoxon(a, b):.3f})"
        )
    n = len(results.data_sets)
    means = [(results.mean(d, learner, better), results.mean(d, learner, worse)) for d in results.data_sets]
    over_sets = statistics.wilcoxon([a for a, _ in means], [b for _, b in means])
    printed = sum(paper.FIGURES[d, learner, better] < paper.FIGURES[d, learner, worse] for d in results.data_sets)
    head = f"better on {wins} of {n} data sets (paper: {printed} of {n}); Wilcoxon over the sets p = {over_sets:.3f}"
    verdict = FAILS if 2 * wins <= n else HOLDS if over_sets <= SIGNIFICANT else DIRECTION
    return verdict, [head, *lines]


def beats_weak_learner(results: Results, learner: str) -> Claim:
    """OSBoost against the single weak learner."""
    name = paper.learner_title(learner)
    verdict, evidence = _beats(results, learner, "OSBoost", "single")
    statement = f"OSBoost beats a single {name} on most data sets."
    return Claim(f"boosting helps ({name})", statement, verdict, tuple(evidence))


def beats_others(results: Results, learner: str) -> Claim:
    """OSBoost against OzaBoost and OGBoost, with Friedman's test and Nemenyi's critical difference over all four."""
    verdicts, evidence = [], []
    for other in ("OzaBoost", "OGBoost"):
        found, lines = _beats(results, learner, "OSBoost", other)
        verdicts.append(found)
        evidence += [f"against {other}: {lines[0]}", *(f"  {line}" for line in lines[1:])]
    ranking = rank(results, learner, paper.ALGORITHMS[:4])
    ranks = ", ".join(f"{name} {r:.2f}" for name, r in zip(ranking.names, ranking.mean_ranks, strict=True))
    evidence.append(
        f"mean ranks: {ranks}; Friedman p = {ranking.p_value:.4f}; "
        f"Nemenyi's critical difference {ranking.critical_difference:.2f}"
    )
    if FAILS in verdicts:
        verdict = FAILS if set(verdicts) == {FAILS} else PARTLY
    else:
        verdict = DIRECTION if DIRECTION in verdicts else HOLDS
    name = paper.learner_title(learner)
    return Claim(
        f"OSBoost is the best of the three ({name})",
        f"With {name}, OSBoost beats OzaBoost and OGBoost on most data sets.",
        verdict,
        tuple(evidence),
    )


def rank(results: Results, learner: str, algorithms: Sequence[str]) -> statistics.Ranking:
    """Friedman's ranking over the data sets."""
    table = np.array([[results.mean(d, learner, a) for a in algorithms] for d in results.data_sets])
    return statistics.friedman(algorithms, table)


def combiner_helps(results: Results, algorithm: str, *, large: bool) -> Claim:
    """The paper's reading of its Tables 3 and 4: EXP gains on small sets, OCP on large ones."""
    kind = "large" if large else "small"
    chosen = [d for d, n in results.examples.items() if (n >= LARGE) == large]
    name = f"{algorithm} gains on {kind} sets"
    statement = (
        f"{algorithm} improves on OSBoost on {kind} data sets ({'at least' if large else 'below'} {LARGE:,} examples)."
    )
    if not chosen:
        return Claim(name, statement, OPEN, (f"none of the data sets of this run is {kind}",))
    gains, evidence, printed = [], [], 0
    for learner in paper.LEARNERS:
        for data in chosen:
            ours, base = results.mean(data, learner, algorithm), results.mean(data, learner, "OSBoost")
            gains.append(ours < base)
            printed += paper.FIGURES[data, learner, algorithm] < paper.FIGURES[data, learner, "OSBoost"]
            p = statistics.wilcoxon(results.errors[data, learner, algorithm], results.errors[data, learner, "OSBoost"])
            evidence.append(f"{data}, {paper.learner_title(learner)}: {ours:.4f} against {base:.4f} (p = {p:.3f})")
    wins = sum(gains)
    head = f"better in {wins} of {len(gains)} pairs of data set and learner (paper: {printed} of {len(gains)})"
    verdict = HOLDS if 2 * wins > len(gains) else PARTLY if wins else FAILS
    return Claim(name, statement, verdict, (head, *evidence))


def stable_in_gamma(store: Store, data: str, data_hash: str, learner: str, trials: int) -> Claim:
    """Error over γ from 0.01 to 0.4."""
    means = {}
    for gamma in grid.GAMMAS:
        means[gamma] = float(np.mean(store.errors(trials, data, data_hash, learner, "OSBoost", gamma=gamma)))
    spread = (max(means.values()) - min(means.values())) / means[paper.GAMMA]
    evidence = (
        f"{data}, {paper.learner_title(learner)}: "
        + ", ".join(f"γ = {gamma:g}: {error:.4f}" for gamma, error in means.items())
        + f"; the spread is {spread:.1%} of the error at γ = {paper.GAMMA:g}",
    )
    return Claim(
        f"stable in γ ({paper.learner_title(learner)}, {data})",
        "The error hardly depends on γ between 0.01 and 0.4.",
        HOLDS if spread <= STABLE else FAILS,
        evidence,
    )


def measure_cost(sizes: Sequence[int] = (10, 100, 1000, 10_000), seconds: float = 0.15) -> dict[str, dict[int, float]]:
    """Seconds per example by vote and N, on random labels, where OCP projects in nearly every round."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 10)), rng.integers(0, 2, 20_000)
    costs: dict[str, dict[int, float]] = {}
    for vote in ("uniform", "ocp", "experts"):
        costs[vote] = {}
        for n in sizes:
            model = OSBoostClassifier(Perceptron(), n, vote=vote, projection="sort", random_state=0)
            model.partial_fit(X[:100], y[:100])
            best, rows, spent = math.inf, max(50, 200_000 // n), 0.0
            while spent < seconds:
                start = time.perf_counter()
                model.partial_fit(X[:rows], y[:rows])
                took = time.perf_counter() - start
                best, spent = min(best, took / min(rows, len(X))), spent + took
            costs[vote][n] = best
    return costs


def linear_cost(costs: Mapping[str, Mapping[int, float]]) -> Claim:
    """The exponent of N between the two largest sizes, and all ratios."""
    verdicts, evidence = [], []
    for vote, by_n in costs.items():
        sizes = sorted(by_n)
        ratios = ", ".join(f"{b:,}/{a:,}: {by_n[b] / by_n[a]:.1f} ×" for a, b in itertools.pairwise(sizes))
        log_factor = math.log(sizes[-1]) / math.log(sizes[-2]) if vote == "ocp" else 1.0
        ratio = by_n[sizes[-1]] / by_n[sizes[-2]] / log_factor
        exponent = math.log(ratio) / math.log(sizes[-1] / sizes[-2])
        verdicts.append(exponent <= LINEAR)
        order = "N log N" if vote == "ocp" else "N"
        evidence.append(f"{vote}: {ratios}; exponent of {order} at the upper end {exponent:.2f}")
    return Claim(
        "cost per example",
        "An example costs O(N) beyond the weak learners, and O(N log N) with OCP's sorting projection.",
        HOLDS if all(verdicts) else FAILS,
        tuple(evidence),
    )


def check_all(
    store: Store,
    hashes: Mapping[str, str],
    trials: int,
    gamma_sets: Sequence[tuple[str, str]],
    costs: Mapping[str, Mapping[int, float]] | None,
) -> list[Claim]:
    """Every claim, in the order in which the paper makes them."""
    results = collect(store, hashes, trials)
    claims: list[Claim] = []
    claims += [beats_weak_learner(results, learner) for learner in paper.LEARNERS]
    claims += [beats_others(results, learner) for learner in paper.LEARNERS]
    claims.append(combiner_helps(results, "OSBoost.EXP", large=False))
    claims.append(combiner_helps(results, "OSBoost.OCP", large=True))
    claims += [stable_in_gamma(store, data, hashes[data], learner, trials) for data, learner in gamma_sets]
    if costs is not None:
        claims.append(linear_cost(costs))
    return claims
