"""Linear learners, learners on changed rows and Naive Bayes, alone and boosted: writes docs/results/linear.md.

    python tools/measure_linear.py

Test-then-train errors in one pass over random orders: five on the small sets, one on the large ones. No parameter
depends on the data set. Rates, bandwidth, scaling and pseudo-counts were looked at beforehand, on other orders of the
small sets and on 15,000 rows each of ijcnn1, adult, cod-rna and covertype; w8a had no say.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import results_page
from joblib import Parallel, delayed

from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    AveragedPerceptron,
    NaiveBayes,
    OnlineClassifier,
    OnlineRidge,
    OSBoostClassifier,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    Scaled,
    datasets,
    prequential,
)

SMALL = ("heart", "breast-cancer", "australian", "diabetes", "german", "splice", "mushrooms")
# Rows of a random order: all of w8a once, prefixes where a pass would take long.
LARGE = {"adult": 48_842, "ijcnn1": 141_691, "w8a": 49_749, "cod-rna": 100_000, "covertype": 100_000}
FIRST_ORDER = 1000  # orders that nothing was looked at on
# The best that a prototype found with linear learners, on features as they are or random Fourier ones, in hindsight.
CEILING = {
    "heart": (0.1837, "AROW full"),
    "breast-cancer": (0.0337, "Fourier"),
    "australian": (0.1354, "Bernoulli NB"),
    "diabetes": (0.2331, "Fourier"),
    "german": (0.2512, "AROW full"),
    "splice": (0.0814, "one-hot, boosted NB"),
    "mushrooms": (0.0021, "AROW full"),
    "adult": (0.1526, "AROW full"),
    "ijcnn1": (0.0273, "Fourier, 1000, SCW"),
    "w8a": (0.0152, "SCW"),
    "cod-rna": (0.0383, "Fourier, 1000, all rows"),
    "covertype": (0.2021, "Fourier, 700, all rows"),
}
RAW = {"unit_norm": False}
LEARNERS: dict[str, Any] = {
    "Perceptron": Perceptron(),
    "AveragedPerceptron": AveragedPerceptron(),
    "AdaGradLogistic": AdaGradLogistic(),
    "FTRL": FTRL(),
    "AROW": AROW(),
    "AROW, full": AROW(covariance="full"),
    "SCW": SCW(),
    "SCW, full": SCW(covariance="full"),
    "OnlineRidge": OnlineRidge(),
    "Scaled AveragedPerceptron": Scaled(AveragedPerceptron()),
    "Scaled AdaGradLogistic, rate 0.5": Scaled(AdaGradLogistic(rate=0.5)),
    "Scaled SCW, eta 0.75": Scaled(SCW(eta=0.75)),
    "Scaled AROW, full, r 1": Scaled(AROW(r=1.0, covariance="full")),
    "Scaled RandomSubsets 0.5 AdaGradLogistic, rate 0.5": Scaled(RandomSubsets(AdaGradLogistic(rate=0.5))),
    "RandomFourier 150, scale 1, OnlineRidge": RandomFourier(OnlineRidge(), 150, 1.0),
    "Scaled RandomFourier 300 AveragedPerceptron": Scaled(RandomFourier(AveragedPerceptron(**RAW), 300)),
    "Scaled RandomFourier 1000 SCW, C 0.1, eta 0.75": Scaled(RandomFourier(SCW(C=0.1, eta=0.75, **RAW), 1000)),
    "NaiveBayes auto": NaiveBayes(),
    "NaiveBayes typed, alpha 0.001": NaiveBayes(kind="typed", alpha=1e-3),
}
BOOSTED = {  # and how many of them
    "AveragedPerceptron": 100,
    "AdaGradLogistic": 100,
    "AROW": 100,
    "AROW, full": 10,
    "SCW": 100,
    "OnlineRidge": 10,
    "Scaled AveragedPerceptron": 100,
    "Scaled AdaGradLogistic, rate 0.5": 100,
    "Scaled SCW, eta 0.75": 100,
    "Scaled RandomSubsets 0.5 AdaGradLogistic, rate 0.5": 100,
    "Scaled RandomFourier 300 AveragedPerceptron": 30,
    "NaiveBayes typed, alpha 0.001": 100,
}
SLOW = ("RandomFourier 150, scale 1, OnlineRidge",)  # a matrix of 150 x 150: small sets only
SLOW_BOOSTED = (
    "AROW, full",
    "OnlineRidge",
    "Scaled RandomSubsets 0.5 AdaGradLogistic, rate 0.5",
)
CHOSEN_ON = ("heart", "diabetes", "splice", "adult", "ijcnn1", "covertype")
MOST_FAMILIES = 4


def rows_of(data: str) -> tuple[Any, Any]:
    """X and y; w8a is the first copy in the paper's stream."""
    loaded = datasets.load("web page" if data == "w8a" else data, data=results_page.data_folder())
    return (loaded.X[: LARGE["w8a"]], loaded.y[: LARGE["w8a"]]) if data == "w8a" else (loaded.X, loaded.y)


def measure(data: str, jobs: list[tuple[str, str]]) -> dict[tuple[str, str, str], list[float]]:
    """Errors of (learner, booster) pairs over the orders of one data set."""
    X, y = rows_of(data)
    orders = 5 if data in SMALL else 1
    found: dict[tuple[str, str, str], list[float]] = {}
    for learner, booster in jobs:
        errors = []
        for order in range(FIRST_ORDER, FIRST_ORDER + orders):
            rows = np.random.default_rng(order).permutation(len(y))[: LARGE.get(data)]
            model: Any = OnlineClassifier(LEARNERS[learner], random_state=order)
            if booster != "single":
                model = OSBoostClassifier(LEARNERS[learner], BOOSTED[learner], vote=booster, random_state=order)
            errors.append(prequential(model, X[rows], y[rows]).error)
        found[learner, booster, data] = errors
    return found


def jobs_for(data: str) -> list[tuple[str, str]]:
    """All pairs that are affordable there."""
    single = [(learner, "single") for learner in LEARNERS if data in SMALL or learner not in SLOW]
    boosted = [name for name in BOOSTED if data in SMALL or name not in SLOW_BOOSTED]
    return single + list(itertools.product(boosted, ("uniform", "ocp")))


def cell(errors: list[float] | None) -> str:
    """Mean and standard error."""
    if not errors:
        return "–"
    mean = f"{np.mean(errors):.4f}"
    return mean if len(errors) == 1 else f"{mean} ± {np.std(errors, ddof=1) / np.sqrt(len(errors)):.4f}"


def table(found: dict[tuple[str, str, str], list[float]], booster: str, names: tuple[str, ...]) -> list[str]:
    """A row per learner; the least error of a column in bold."""
    learners = [name for name in LEARNERS if any((name, booster, data) in found for data in names)]
    lines = ["| learner | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for name in learners:
        cells = []
        for data in names:
            errors = found.get((name, booster, data))
            least = min(np.mean(e) for (_, b, d), e in found.items() if b == booster and d == data)
            cells.append(f"**{cell(errors)}**" if errors and np.mean(errors) == least else cell(errors))
        count = "" if booster == "single" else f" × {BOOSTED[name]}"
        lines.append(f"| {name}{count} | " + " | ".join(cells) + " |")
    return lines


def choose(found: dict[tuple[str, str, str], list[float]]) -> list[str]:
    """Families for a mixture, picked one by one on half of the data sets, and what they give on the other half."""
    names = (*SMALL, *LARGE)
    pairs = sorted({(learner, booster) for learner, booster, _ in found})
    pairs = [pair for pair in pairs if all((*pair, data) in found for data in names)]
    means = {pair: np.array([np.mean(found[(*pair, data)]) for data in names]) for pair in pairs}
    best = np.array([min(np.mean(e) for (_, _, d), e in found.items() if d == data) for data in names])
    on = np.array([data in CHOSEN_ON for data in names])

    def excess(chosen: list[tuple[str, str]], where: Any) -> float:
        return float(np.mean((np.min([means[p] for p in chosen], axis=0) / best)[where]) - 1)

    chosen: list[tuple[str, str]] = []
    lines = ["| added | excess error, chosen on | excess error, checked on |", "|---|---|---|"]
    for _ in range(MOST_FAMILIES):
        chosen.append(min((p for p in pairs if p not in chosen), key=lambda p: excess([*chosen, p], on)))
        label = f"{chosen[-1][0]}, {chosen[-1][1]}"
        lines.append(f"| {label} | {100 * excess(chosen, on):.1f} % | {100 * excess(chosen, ~on):.1f} % |")
    return lines


def main() -> None:
    """Measure and write."""
    started = time.process_time()
    names = (*LARGE, *SMALL)
    tasks = [(data, jobs_for(data)[k::4]) for data in names for k in range(4)]
    found: dict[tuple[str, str, str], list[float]] = {}
    for part in Parallel(n_jobs=2, return_as="generator_unordered")(delayed(measure)(*task) for task in tasks):
        found.update(part)
        print(f"{next(iter(part))[2]}: {len(found)} cells", flush=True)
    lines = results_page.header("Linear learners and Naive Bayes", "python tools/measure_linear.py")
    lines += [*(__doc__ or "").split("\n\n")[2].strip().split("\n"), ""]
    lines += [f"Rows of a random order: {', '.join(f'{d} {n:,}' for d, n in LARGE.items())}. Features as in the files."]
    headings = {"single": "One learner", "uniform": "OSBoost, uniform vote", "ocp": "OSBoost.OCP"}
    for booster, heading in headings.items():
        for kind, data in (("small sets, 5 orders", SMALL), ("large sets, 1 order", tuple(LARGE))):
            lines += ["", f"## {heading}: {kind}", "", *table(found, booster, data)]
    lines += ["", "## Against a prototype", "", "Its figures are the best of a grid in hindsight, per data set.", ""]
    lines += ["| data set | prototype | best here | by |", "|---|---|---|---|"]
    for data in (*SMALL, *LARGE):
        key = min((k for k in found if k[2] == data), key=lambda k: float(np.mean(found[k])))
        figure, by = CEILING[data]
        lines.append(f"| {data} | {figure:.4f} {by} | {cell(found[key])} | {key[0]}, {key[1]} |")
    lines += ["", "## Families for a mixture", ""]
    lines += [
        "Picked one by one such that the best of those picked is least worse than the best of all, on average over",
        f"{', '.join(CHOSEN_ON)}; checked on the other data sets.",
        "A mixture comes close to the best of its members, not to the best of all.",
        "",
        *choose(found),
    ]
    results_page.write(results_page.ROOT / "docs" / "results" / "linear.md", lines)
    print(f"{time.process_time() - started:.0f} s in this process")


if __name__ == "__main__":
    main()
