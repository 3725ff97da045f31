"""The paper's tables over all data sets: runs `onlineboost reproduce` and writes docs/results/paper.md.

    python tools/measure_paper.py [--out reproduction] [--choices]

A run that was interrupted, or is already there, is resumed. `--choices` runs nothing and writes only the table of what
the paper leaves open into the page that is there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

import results_page

from onlineboost.cli import main as onlineboost

FIGURES = (
    "curves-adult-perceptron",
    "size-german-naivebayes",
    "gamma-adult-naivebayes",
    "mass-adult-perceptron",
    "ranks-perceptron",
)

# Cells that disagree with the paper, and what was tried to find out why. The first entry that fits is printed.
REMARKS: tuple[tuple[str, str, str, str], ...] = (
    ("cod-rna", "*", "*", "Two of the three files (331,152 of 488,565 examples), so the figures are not comparable."),
    (
        "*",
        "NaiveBayes",
        "OSBoost.OCP",
        (
            "On small sets the paper's OCP over Naive Bayes is far worse than OSBoost; steps η₀ from "
            "0.01 to 100, constant steps, outputs after the update, outputs as signs and an unweighted trigger, with "
            "either kind of moments, all stay near OSBoost."
        ),
    ),
    (
        "*",
        "NaiveBayes",
        "OzaBoost",
        (
            "Depends on whether a learner is judged before or after its update, on what a learner without examples "
            "says, and on Poisson or weighted updates (adult: .170 to .255)."
        ),
    ),
    (
        "*",
        "NaiveBayes",
        "OGBoost",
        (
            "Weights fall to e^-100, where pseudo-counts and the weight from which a class counts as seen decide "
            "(heart: .25 to .31; mushrooms: .004 to .026)."
        ),
    ),
    (
        "*",
        "NaiveBayes",
        "*",
        "The variance floor (10⁻⁹) or another detail that the paper does not give.",
    ),
    (
        "*",
        "Perceptron",
        "OzaBoost",
        (
            "Five-order means of a small set carry about three times the error shown; with 50 orders the "
            "prototype's figure is met (docs/results/errors.md)."
        ),
    ),
)


# What the paper prints, what was inferred, and where it shows.
CHOICES: tuple[tuple[str, str, str], ...] = (
    (
        "EXP's learning rate",
        '"weighted majority" with regret 2√(T ln N); no rate',
        (
            'Halving the weight of an expert that errs (`expert_rate="paper"`) reproduces its tables. It has no such '
            "regret ([theory.md](../theory.md#4-theorem-1)); the default, AdaHedge, has."
        ),
    ),
    (
        "EXP's prediction",
        "one expert is drawn per round",
        '`reproduce` reports the draw\'s exact expected error (`expert_mode="expected"`), which has no sampling noise.',
    ),
    ("OCP's step", "none", "η_t = 1/√t over all rounds reproduces Table 3."),
    (
        "Naive Bayes: which kind",
        "none",
        (
            "Bernoulli for data of zeros and ones, else Gaussian: one rule for all data sets, the one that agrees with "
            "most cells ([nb-variants.md](nb-variants.md))."
        ),
    ),
    (
        "Naive Bayes: estimates",
        "none",
        '`estimates="paper"`: moments over the weight of both classes, counts from 10⁻¹⁶. Inferred from single cells.',
    ),
    (
        "the first hypothesis",
        '"select a random h₁"',
        (
            "Perceptrons start at random, each elsewhere, without which boosting has no effect "
            "([theory.md](../theory.md#6-the-collapse-proposition)). Naive Bayes and OnlineGradient start at zero."
        ),
    ),
    ("rows", "none", "A constant feature is added and rows are divided by their length."),
    ("a tie", "none", "A margin of 0 is a mistake in every certificate; `predict` then returns the smaller label."),
    (
        "Lemma 2's index",
        "W_k certifies f_k",
        (
            "W_{k+1} certifies f_k: the printed index is false "
            "([theory.md](../theory.md#2-lemma-2-the-mass-certifies-the-vote))."
        ),
    ),
    (
        "the weak learner's step",
        "Zinkevich's, 1/√t",
        "√(2/Σw²\\|x\\|²): the printed one does not give inequality (1) under small weights.",
    ),
)
OPEN = "## What the paper leaves open, and what was chosen"


def choices() -> list[str]:
    """The table of choices, as lines."""
    rows = [f"| {what} | {printed} | {chosen} |" for what, printed, chosen in CHOICES]
    return [OPEN, "", "| | the paper prints | here |", "|---|---|---|", *rows, ""]


def rewrite_choices() -> int:
    """Put the table into the page that is there, in front of the claims or in its old place."""
    path = results_page.ROOT / "docs" / "results" / "paper.md"
    lines = path.read_text(encoding="utf8").splitlines()
    if OPEN in lines:
        start = lines.index(OPEN)
        after = next(k for k in range(start + 1, len(lines)) if lines[k].startswith("## "))
        del lines[start:after]
    at = lines.index("## The paper's claims")
    results_page.write(path, [*lines[:at], *choices(), *lines[at:]])
    return 0


def remark(data: str, learner: str, algorithm: str) -> str:
    """What is known about a cell that disagrees."""
    for d, l, a, text in REMARKS:
        if d in {data, "*"} and l in {learner, "*"} and a in {algorithm, "*"}:
            return text
    return "Not explained; with more orders see docs/results/errors.md."


def main() -> int:
    """Run and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("reproduction"))
    parser.add_argument("--choices", action="store_true", help="write only the table of what the paper leaves open")
    given = parser.parse_args()
    if given.choices:
        return rewrite_choices()
    out = given.out
    folder = results_page.data_folder()
    if folder is None:
        print("the data sets are not there: set ONLINEBOOST_DATA to their folder", file=sys.stderr)
        return 2
    start = time.perf_counter()
    code = onlineboost(["reproduce", "--data", folder, "--out", str(out)])
    if code:
        return code
    minutes = (time.perf_counter() - start) / 60
    tables = json.loads((out / "tables.json").read_text(encoding="utf8"))
    claims = json.loads((out / "claims.json").read_text(encoding="utf8"))
    lines = results_page.header("The paper's experiments, run again", "python tools/measure_paper.py")
    lines += [
        "`onlineboost reproduce --data DIR`: twelve data sets, 5 random orders, 2 weak learners × 6 algorithms,",
        f"N = 100, γ = 0.1, and the studies of N and γ; this run took {minutes:.1f} minutes for what the store lacked.",
        "Cells read: paper | ours ± standard error | difference in standard errors of the difference of two five-order",
        "means. ❗ marks more than 3 of them *and* more than 3 % of the paper's figure.",
        "",
    ]
    for learner in ("Perceptron", "NaiveBayes"):
        cells = {
            (c["data"], c["algorithm"]): c["agrees"] for t in tables for c in t["cells"] if c["learner"] == learner
        }
        kept = [agrees for (data, _), agrees in cells.items() if data != "cod-rna"]
        lines.append(
            f"- {learner}: {sum(kept)} of {len(kept)} cells agree ({sum(kept) / len(kept):.0%}), cod-rna left out."
        )
    lines += [
        "",
        "The aim was 90 % with the Perceptron and 60 % with Naive Bayes, which follows one rule for all data sets:",
        'Bernoulli for data of zeros and ones, else Gaussian on unit-norm rows, with `estimates="paper"`. That moments',
        "are taken over the weight of both classes was found in the single learner's column, and a port of the",
        "authors' code has it too; that counts start at 10⁻¹⁶ in mushrooms under OGBoost, the one cell that shows it.",
        "[nb-variants.md](nb-variants.md) has the count of every variant that was tried, the proper moments included.",
    ]
    lines += ["", (out / "tables.md").read_text(encoding="utf8")]
    lines += ["## Where they differ, and what was tried", "", "| cell | paper | ours | remark |", "|---|---|---|---|"]
    seen = set()
    for cell in (c for t in tables for c in t["cells"] if not c["agrees"]):
        name = f"{cell['data']}, {cell['learner']}, {cell['algorithm']}"
        if name not in seen:
            seen.add(name)
            text = remark(cell["data"], cell["learner"], cell["algorithm"])
            lines.append(
                f"| {name} | {cell['paper']:.4f} | {cell['error']:.4f} ± {cell['standard_error']:.4f} | {text} |"
            )
    lines += ["", *choices(), "## The paper's claims", ""]
    for claim in claims:
        lines += [f"- **{claim['verdict']}**: {claim['statement']} {claim['evidence'][0]}"]
    images = results_page.ROOT / "docs" / "images"
    lines += ["", "## Figures", ""]
    for stem in FIGURES:
        picture = out / "figures" / f"{stem}-light.png"
        if picture.is_file():
            shutil.copyfile(picture, images / f"{stem}.png")
            lines += [f"![{stem}](../images/{stem}.png)", ""]
    results_page.write(results_page.ROOT / "docs" / "results" / "paper.md", lines[:-1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
