"""Every sentence that the product prints, tried on adversarial streams: writes docs/results/guarantees.md.

    python tools/measure_guarantees.py [--streams 10000]

A stream is made, a model learns it, and every sentence that can be printed about the model is checked from what the
learners and the vote said, example by example. Facts must hold on all streams; what holds with probability 1 - α may
fail on a share α of them. Then risk bounds are held against simulated streams whose true chances to err are known, and
every number in the formulas is changed to see that it is noticed.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import warnings
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import constant_mutants
import numpy as np
import results_page
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from onlineboost import (
    BBMClassifier,
    DefensiveClassifier,
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    Perceptron,
    StronglyAdaptiveSets,
    theory,
)
from onlineboost.theory import adversary, runs, sentences, smoothboost, statements, synthetic

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOM = 1e-9
VOTES: tuple[dict[str, Any], ...] = (
    {},
    {"vote": "ocp"},
    {"vote": "ocp", "eta0": "theory"},
    {"vote": "ocp", "schedule": "adaptive"},
    {"vote": "eg"},
    *({"vote": "experts", "expert_rate": rate} for rate in ("adahedge", "anytime", "paper", "share", 0.1, 2.0)),
)
Pair = tuple[Any, runs.Run]


def certificates(seed: int) -> Iterator[Pair]:
    """Of the whole stream, of its last part, fading; suggestions and checks."""
    rng = np.random.default_rng(seed)
    T, N = int(rng.integers(1, 90)), int(rng.integers(1, 13))
    gamma = float(rng.choice([0.02, 0.1, 0.3, 0.5]))
    kind = adversary.KINDS[seed // len(VOTES) % len(adversary.KINDS)]
    N = 80 if kind == "strong" and rng.random() < 0.5 else N
    options = VOTES[seed % len(VOTES)] | ({"theta": 0.0} if rng.random() < 0.1 else {})
    stream = adversary.scripted_stream(
        kind,
        T,
        N,
        theta=gamma / (2 + gamma),
        weights=str(rng.choice(adversary.WEIGHTS)),
        random_state=seed,
    )
    half = float(rng.integers(1, 50))
    model = OSBoostClassifier(adversary.ScriptedLearner(), N, gamma=gamma, fading=half, random_state=0, **options)
    cut = int(rng.integers(0, T))
    s = np.ones(T) if stream.sample_weight is None else stream.sample_weight
    parts = [slice(0, cut), slice(cut, T)] if cut else [slice(0, T)]
    found, earlier = [], None
    for part in parts:
        weights = None if stream.sample_weight is None else s[part]
        found.append(runs.follow(model, stream.X[part], stream.y[part], sample_weight=weights))
        if part.stop == cut:
            earlier = model.certificate()
    run = runs.joined(found, stream.chances)
    c = model.certificate()
    yield c, run
    yield theory.SetGuarantee.of(model.machine, float(rng.choice([0.05, 0.1, 0.3]))), run
    if seed % 5 == 0:
        sets = StronglyAdaptiveSets(None, float(rng.choice([0.05, 0.1, 0.3])))
        sets.learn_scores(1.0 - np.where(run.y > 0, run.plus, 1.0 - run.plus))
        yield sets.guarantee(), run
    suggestion = theory.suggest_gamma(c, float(rng.uniform(0.01, 1.0)))
    yield suggestion, run
    yield theory.WeakLearnerCheck(suggestion.gamma is not None, suggestion, c), run
    if earlier is not None:
        with contextlib.suppress(ValueError):  # a window beside which all else is too heavy is refused
            yield c.since(earlier), run.part(cut)
    yield model.certificate(faded=True), replace(run, s=run.s * 0.5 ** (np.arange(len(run.s))[::-1] / half))


def plans(seed: int) -> Iterator[Pair]:
    """Learners that keep the assumption, and err as much as that allows."""
    rng = np.random.default_rng(seed)
    gamma, delta = float(rng.choice([0.3, 0.4, 0.5])), float(rng.uniform(0.4, 1.0))
    options = VOTES[seed % len(VOTES)]
    if options.get("vote") == "ocp":
        options = {"vote": "ocp", "eta0": "theory"}
    mode = {"expert_mode": str(rng.choice(["vote", "expected"]))} if options.get("vote") == "experts" else {}
    asked = {k: v for k, v in (options | mode).items() if k != "eta0"}
    p = theory.plan(gamma, delta, **({"vote": "uniform"} | asked))
    wish = synthetic.WISHES[seed % 3]
    X, y = synthetic.reluctant_stream(wish, p.n_examples, p.n_learners, gamma=gamma, random_state=seed)
    learner = synthetic.ReluctantLearner(gamma)
    model = OSBoostClassifier(learner, p.n_learners, gamma=gamma, random_state=0, **options, **mode)
    yield p, runs.follow(model, X, y)


def mixtures(seed: int) -> Iterator[Pair]:
    """Families over a stream whose concept changes and comes back."""
    rng = np.random.default_rng(seed)
    T = int(rng.integers(5, 200))
    X, y = adversary.changing_stream(T, random_state=seed)
    s = adversary.sample_weights(str(rng.choice(adversary.WEIGHTS)), T, rng)
    families = [
        ("perceptron", OnlineClassifier(Perceptron())),
        ("naive bayes", OnlineClassifier(NaiveBayes())),
        ("boosted", OSBoostClassifier(OnlineGradient(), 3, gamma=0.3)),
    ]
    model = OnlineBoostClassifier(families[: int(rng.integers(1, 4))], random_state=0)
    run = runs.follow(model, X, y, sample_weight=None if s is None else np.minimum(s, 1e6))
    yield model.certificate(), run


def batches(seed: int) -> Iterator[Pair]:
    """SmoothBoost over trees."""
    rng = np.random.default_rng(seed)
    X, y = adversary.changing_stream(60, random_state=seed)
    if len(np.unique(y)) < 2:
        return
    tree = DecisionTreeClassifier(max_depth=int(rng.integers(1, 6)), random_state=0)
    gamma = float(rng.choice([0.1, 0.3, 0.5]))
    model = smoothboost.SmoothBoostClassifier(tree, gamma=gamma, kappa=float(rng.uniform(0.1, 0.9)), max_learners=25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    yield model.guarantee_, smoothboost.run_of(model, X, y)


def learners(seed: int) -> Iterator[Pair]:
    """Statements about learners and about the boosters that followed the paper."""
    rng = np.random.default_rng(seed)
    X, y = adversary.changing_stream(int(rng.integers(2, 120)), random_state=seed)
    s = None if rng.random() < 0.5 else rng.uniform(0.01, 1.0, len(y))
    restart = "clock" if seed % 2 else "never"
    boosted = OSBoostClassifier(OnlineGradient(restart=restart), 3, gamma=float(rng.choice([0.1, 0.5])), random_state=0)
    yield statements.Learner(boosted), runs.follow(boosted, X, y, sample_weight=s)
    bbm = BBMClassifier(Perceptron(), int(rng.integers(1, 12)), edge=float(rng.uniform(0.02, 0.4)), random_state=0)
    yield statements.Majority(bbm), runs.follow(bbm, X, y, sample_weight=s)
    defensive = DefensiveClassifier(OnlineGradient(), random_state=0)
    yield statements.Forecasts(defensive), runs.follow(defensive, X, y, sample_weight=s)


SOURCES = ((certificates, 1.0), (plans, 0.1), (mixtures, 0.1), (batches, 0.02), (learners, 0.1))


class Tally:
    """Per sentence: runs tried, and those that broke it."""

    def __init__(self) -> None:
        self.tried: dict[str, int] = defaultdict(int)
        self.broken: dict[str, int] = defaultdict(int)
        self.closest: dict[str, float] = defaultdict(lambda: -math.inf)
        self.worst: dict[str, int] = {}

    def add(self, about: Any, run: runs.Run, seed: int) -> None:
        """Check every sentence of an object that there is to print, and every statement that is not printed."""
        for sentence in sentences.declared(type(about).__name__):
            if sentence.words is not None and not sentence.words(about):
                continue
            off = sentence.check(about, run)
            if off == -math.inf:  # the run is not one that it speaks of
                continue
            self.tried[sentence.name] += 1
            self.closest[sentence.name] = max(self.closest[sentence.name], off)
            if not off <= ROOM:
                self.broken[sentence.name] += 1
                self.worst[sentence.name] = seed

    def row(self, one: sentences.Sentence) -> str:
        """Of the table."""
        broken, tried = self.broken[one.name], self.tried[one.name]
        told = (
            f"{broken}" if not one.chance else f"{broken} ({broken / max(tried, 1):.1%}; {one.chance:.0%} are allowed)"
        )
        link = f"[{one.proof.partition('#')[0]}](../{one.proof})"
        statement, assumes = (text.replace("|", "\\|") for text in (one.statement, one.assumes))
        check = f"`{one.check.__module__.rpartition('.')[2]}.{one.check.__name__}`"
        return f"| {one.of} | {one.name} | {statement} | {assumes} | {link} | {check} | {tried:,} | {told} |"


def search(n: int) -> Tally:
    """All sources, the first with n streams."""
    tally = Tally()
    for source, share in SOURCES:
        for seed in range(max(1, round(n * share))):
            for about, run in source(seed):
                tally.add(about, run, seed)
        print(source.__name__, dict(tally.broken), flush=True)
    return tally


def chances(kind: str, n: int, T: int, rng: Any) -> tuple[Any, Any]:
    """Chances to err, and losses 0 and 1, of n streams; those of the adversary depend on what happened so far."""
    if kind == "independent":
        mu = np.broadcast_to(rng.uniform(0, 0.5, size=(n, 1)), (n, T))
    elif kind == "drifting":
        mu = 0.25 + 0.2 * np.sin(rng.uniform(0, 6, size=(n, 1)) + np.arange(T) / 40)
    else:
        u, mu, lead = rng.random((n, T)), np.empty((n, T)), np.zeros(n)
        for t in range(T):  # it takes risks as long as it is lucky
            mu[:, t] = np.where(lead > -4, 0.4, 0.02)
            lead += (u[:, t] < mu[:, t]) - mu[:, t]
        return mu, (u < mu).astype(float)
    return mu, (rng.random((n, T)) < mu).astype(float)


def risk_rows(n: int, T: int, alpha: float) -> list[str]:
    """Streams on which the bound failed at some time."""
    rows, rng = [], np.random.default_rng(0)
    t = np.arange(1, T + 1)
    for kind, count in (("independent", n // 3), ("drifting", n // 3), ("adversarial", n - 2 * (n // 3))):
        upper = both = 0
        for part in np.array_split(np.arange(count), 20):
            mu, e = chances(kind, len(part), T, rng)
            mean, lost = np.cumsum(mu, axis=1) / t, np.cumsum(e, axis=1)
            upper += int((mean > theory.risk_bound(lost, t, alpha)).any(axis=1).sum())
            low, high = theory.risk_band(lost, t, alpha)
            both += int(((mean > high) | (mean < low)).any(axis=1).sum())
        rows.append(f"| {kind} | {count:,} | {T:,} | {upper} ({upper / count:.1%}) | {both} ({both / count:.1%}) |")
    return rows


def width_rows(T: int = 10_000, alpha: float = 0.05) -> list[str]:
    """The bound less the error, beside Clopper and Pearson's for one T."""
    rows = []
    for share in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        k = round(share * T)
        ours, exact = theory.risk_bound(k, T, alpha) - share, stats.beta.ppf(1 - alpha, k + 1, T - k) - share
        rows.append(f"| {share:g} | {ours:.4f} | {exact:.4f} | {ours / exact:.2f} |")
    return rows


def main() -> int:
    """Search and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=10_000, help="of the first kind; fewer write no page")
    n = parser.parse_args().streams
    tally = search(n)
    bad = [one.name for one in sentences.declared() if not one.chance and tally.broken[one.name]]
    mutated = [(what, noticed) for name in constant_mutants.PINS for what, noticed in constant_mutants.mutants(name)]
    left = [what for what, noticed in mutated if not noticed]
    streams = sum(max(1, round(n * share)) for _, share in SOURCES)
    print("broken:", {name: tally.worst[name] for name in bad}, "mutants left:", left)
    if n < 10_000:
        return int(bool(bad or left))
    facts = sum(tally.tried[one.name] for one in sentences.declared() if not one.chance)
    broken = sum(tally.broken[one.name] for one in sentences.declared() if not one.chance)
    lines = [
        *results_page.header("Guarantees, and streams that tried to break them", "python tools/measure_guarantees.py"),
        f"**{streams:,} adversarial streams, {facts:,} checks of facts, {broken} violations.** Below is every sentence",
        "that a `summary()` prints, and statements about learners and boosters that are documented. A check recomputes",
        "the statement from what learners and vote said before each label (`certificate_checks.py` and its like in",
        "[src/onlineboost/theory](../../src/onlineboost/theory)). Streams: outputs drawn, at -1, 0 and 1, right in",
        "turn, turning round, coming back, with margins of θ but for rounding; sample weights of 1, light, growing to",
        "10⁶ times, heavy-tailed; rows whose concept changes and returns; learners that err as much as the assumption",
        "allows. *Tried* counts the runs about which the sentence was printed. A printed sentence without a check",
        "fails [tests/theory/test_sentences.py](../../tests/theory/test_sentences.py); the streams that broke earlier",
        "wordings are in [tests/theory/test_counterexamples.py](../../tests/theory/test_counterexamples.py).",
        "",
        "| printed by | sentence | statement | assumes | proof | test | tried | violations |",
        "|---|---|---|---|---|---|---|---|",
        *(tally.row(one) for one in sentences.declared()),
        "",
        "## Risk at every time",
        "Simulated streams whose chances to err are known: constant; moving in waves; set by an adversary that takes",
        "risks as long as it is lucky. α = 0.05. A failure is a stream on which the mean chance to err was outside at",
        "*any* time.",
        "",
        "| stream | streams | length | failures of the bound | of the band |",
        "|---|---|---|---|---|",
        *risk_rows(2000, 2000, 0.05),
        "",
        "Width after 10,000 examples, beside the one-sided interval of Clopper and Pearson, which holds at one time:",
        "",
        "| error | bound less error | binomial | ratio |",
        "|---|---|---|---|",
        *width_rows(),
        "",
        "## Mutants of the constants",
        f"Every number in {', '.join(f'`{name}.py`' for name in constant_mutants.PINS)} was changed, one at a time:",
        f"{len(mutated)} mutants,",
        f"{len(mutated) - len(left)} noticed ([tools/constant_mutants.py](../../tools/constant_mutants.py)).",
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "guarantees.md", lines)
    return int(bool(bad or left))


if __name__ == "__main__":
    raise SystemExit(main())
