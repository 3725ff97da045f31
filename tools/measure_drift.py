"""The default on streams that change: writes docs/results/drift.md and its picture.

    python tools/measure_drift.py [--streams FOLDER] [--long] [--seeds N] [--keep FILE]

Generators need river alone; the table of streams that do not change needs the paper's data sets. FOLDER has CSV files
of real streams, `elec.csv.xz` and so on, with the label in the column `class`. `--long` adds the flip after 1,000,000
examples. Figures that FILE has are not measured again, so a run that was interrupted goes on. measure_drift_peers.py
has CapyMOA's ensembles.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import drift_bound
import drift_still
import numpy as np
import results_page
from drift_streams import DRAWN, MANY, MOST, REAL, STREAMS, flipped, linear, real_streams

from onlineboost import HoeffdingTree, OnlineBoostClassifier, OSBoostClassifier, prequential
from onlineboost.drift import ADWIN
from onlineboost.files.atomic import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from drift_streams import Data

LOOKED, LOOKED_MANY = 100_000, 25_000  # examples of a real stream whose intervals are looked at, at most
STEP = 100  # of a curve
MODELS: dict[str, Callable[[int], Any]] = {
    "default": lambda seed: OnlineBoostClassifier(random_state=seed),
    "`generations=0`": lambda seed: OnlineBoostClassifier(generations=0, random_state=seed),
    "OSBoost, 30 trees": lambda seed: OSBoostClassifier(HoeffdingTree(), 30, gamma=0.5, random_state=seed),
    'the same, `drift="adwin"`': lambda seed: OSBoostClassifier(
        HoeffdingTree(), 30, gamma=0.5, random_state=seed, drift="adwin"
    ),
}


class Figures:
    """What was measured, by name, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.found: dict[str, Any] = json.loads(path.read_text()) if path and path.exists() else {}

    def get(self, name: str, measure: Callable[[], Any]) -> Any:
        """Measured now, unless it was before."""
        if name not in self.found:
            self.found[name] = measure()
            print(name, json.dumps(self.found[name])[:120], flush=True)
            if self.path:
                lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in self.found.items()]
                write(self.path, "{\n" + ",\n".join(lines) + "\n}\n")
        return self.found[name]


def errors(model: Any, X: Any, y: Any) -> np.ndarray[Any, Any]:
    """Of a test-then-train pass, example by example."""
    return prequential(model, X, y).losses > 0.5


def bounds(figures: Figures, folder: Path | None) -> list[str]:
    """The certificate's bound on all dyadic intervals of every stream."""
    lines, intervals, violations = [], 0, 0
    real = {} if folder is None else real_streams(folder, REAL, LOOKED) | real_streams(folder, MANY, LOOKED_MANY)
    for name, make in (STREAMS | real).items():

        def look(make: Any = make) -> tuple[int, int, int, float]:
            X, y = make(0)
            return len(y), *drift_bound.broken(drift_bound.follow(X, y))

        rows, count, looked, least = figures.get(f"bound on {name}", look)
        lines.append(f"| {name} | {rows:,} | {looked:,} | {count} | {least:.1f} |")
        intervals, violations = intervals + looked, violations + count
    return [
        "## The bound on every interval",
        f"All dyadic intervals [k 2^j, (k+1) 2^j) of whole streams, of real ones up to {LOOKED:,} examples, or",
        f"{LOOKED_MANY:,} with more than two classes, in the life of each expert, families and stacks of all",
        "generations: on how many the mixture lost more than the certificate allows, as it stood at its end.",
        "*Slack*: the least, in nats.",
        "",
        "| stream | examples | intervals | violations | slack |",
        "|---|---|---|---|---|",
        *lines,
        "",
        f"{violations} violations on {intervals:,} intervals.",
        "",
    ]


def flip(age: int, seed: int) -> tuple[int | None, float, float | None]:
    """Examples until the model is right again, its error then, and that of one that does not adapt."""
    X, y = flipped(linear(age + 2500, seed), age)
    wrong = errors(MODELS["default"](0), X, y)[age:]
    sums = np.concatenate([[0], np.cumsum(wrong)])
    good = np.flatnonzero(sums[500:] - sums[:-500] < 0.08 * 500)
    static = None if age > 50_000 else float(errors(MODELS["`generations=0`"](0), X, y)[age:][300:800].mean())
    return int(good[0]) if len(good) else None, float(wrong[300:800].mean()), static


def flips(figures: Figures, seeds: int, *, long: bool) -> list[str]:
    """How soon the model is as good as a fresh one."""
    lines = [
        "## All labels flip",
        "A linear concept in 12 dimensions. *Recovered*: the first example after the change from which the next 500",
        "are predicted with an error below 8 %. *Window*: the error of examples 300 to 800 after the change.",
        "",
        "| examples before the change | seed | recovered | window | `generations=0`: window |",
        "|---|---|---|---|---|",
    ]
    for age in [10_000, 50_000, 200_000, *([1_000_000] if long else [])]:
        for seed in range(seeds if age < 500_000 else 1):
            found, window, static = figures.get(f"flip {age} {seed}", lambda age=age, seed=seed: flip(age, seed))
            shown = "–" if static is None else f"{static:.3f}"
            lines.append(f"| {age:,} | {seed} | {'never' if found is None else found} | {window:.3f} | {shown} |")
    return lines


def curve(wrong: np.ndarray[Any, Any]) -> list[float]:
    """Error over the last 500 examples, every so many."""
    sums = np.concatenate([[0], np.cumsum(wrong)])
    return [float(one) for one in (sums[500:] - sums[:-500])[::STEP] / 500]


def measured(make: Callable[[int], Any], drawn: list[Data]) -> dict[str, Any]:
    """Errors of one model on the draws of a stream."""
    begun = time.process_time()
    wrong = [errors(make(seed), X, y) for seed, (X, y) in enumerate(drawn)]
    return {
        "error": float(np.mean([one.mean() for one in wrong])),
        "seconds": time.process_time() - begun,
        "curve": curve(wrong[0]),
        "mistakes": np.add.reduceat(wrong[0], np.arange(0, len(wrong[0]), 1000)).tolist(),
    }


def streams(figures: Figures, folder: Path | None, seeds: int) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Errors on drawn and real streams."""
    found: dict[str, dict[str, Any]] = {}
    lines = [
        "## Errors",
        f"Test, then train, in the order of the stream; real streams up to {MOST:,} examples. Drawn streams: mean over",
        f"{seeds} draw{'s' * (seeds > 1)}. *Time*: of the default, of `generations=0`.",
        "",
        "| stream | no-change | " + " | ".join(MODELS) + " | time |",
        "|---|---|" + "---|" * len(MODELS) + "---|",
    ]
    for name, make in (STREAMS | ({} if folder is None else real_streams(folder, REAL))).items():
        loaded: list[Data] = []

        def drawn(name: str = name, make: Any = make, loaded: list[Data] = loaded) -> list[Data]:
            if not loaded:
                loaded.extend(make(seed) for seed in range(seeds if name in STREAMS else 1))
            return loaded

        found[name] = {
            model: figures.get(
                f"{model} on {name}",
                lambda m=m, drawn=drawn: measured(m, drawn()),
            )
            for model, m in MODELS.items()
        }
        change = figures.get(
            f"no-change on {name}",
            lambda drawn=drawn: float(np.mean([(y[1:] != y[:-1]).mean() for _, y in drawn()])),
        )
        factor = found[name]["default"]["seconds"] / found[name]["`generations=0`"]["seconds"]
        cells = " | ".join(f"{found[name][model]['error']:.4f}" for model in MODELS)
        lines.append(f"| {name} | {change:.4f} | {cells} | {factor:.2f} |")
    default = {name: found[name]["default"] for name in found}
    after = [sum(default[DRAWN[1]]["mistakes"][k : k + 4]) / 4000 for k in range(20, 40, 4)]
    back = default[DRAWN[2]]["mistakes"][5:55:5]
    lines += [
        "",
        f"Linear, then XOR, per 4,000 examples from the change on: {', '.join(f'{one:.4f}' for one in after)}.",
        f"Mistakes in the 1,000 examples after each of ten flips: {', '.join(map(str, back))}.",
    ]
    return lines, found


def many_classes(figures: Figures, folder: Path) -> list[str]:
    """Errors with more than two classes."""
    names = ("default", "`generations=0`")
    lines = [
        "## More than two classes",
        f"As above, up to {MOST:,} examples.",
        "",
        "| stream | examples | no-change | " + " | ".join(names) + " | time |",
        "|---|---|---|---|---|---|",
    ]
    for name, make in real_streams(folder, MANY).items():

        def measure(make: Any = make) -> dict[str, Any]:
            X, y = make(0)
            found = {model: measured(MODELS[model], [(X, y)]) for model in names}
            return {"no-change": float((y[1:] != y[:-1]).mean()), "rows": len(y)} | {
                model: {key: one[key] for key in ("error", "seconds")} for model, one in found.items()
            }

        found = figures.get(f"many classes of {name}", measure)
        ours, still = (found[model] for model in names)
        cells = " | ".join(f"{one:.4f}" for one in (found["no-change"], ours["error"], still["error"]))
        lines.append(f"| {name} | {found['rows']:,} | {cells} | {ours['seconds'] / still['seconds']:.2f} |")
    return [*lines, ""]


def false_alarms() -> list[str]:
    """ADWIN on values whose mean does not change."""
    lines = [
        "## False alarms of ADWIN",
        "Alarms per 100,000 independent values of 0 and 1 with a mean that does not change, over 400,000 of them. The",
        "mixture has δ = 0.3 and looks at every fourth example.",
        "",
        "| mean | δ = 0.002, every 32nd | δ = 0.05, every 4th | δ = 0.3, every 4th |",
        "|---|---|---|---|",
    ]
    rng = np.random.default_rng(0)
    for mean in (0.01, 0.1, 0.3):
        values = (rng.uniform(size=400_000) < mean).astype(float).tolist()
        counts = []
        for delta, clock in ((0.002, 32), (0.05, 4), (0.3, 4)):
            window = ADWIN(delta, clock)
            counts.append(sum(window.update(x) for x in values) / 4)
        lines.append(f"| {mean} | " + " | ".join(f"{one:.1f}" for one in counts) + " |")
    return lines


def draw(found: dict[str, dict[str, Any]], path: Path) -> None:
    """Error over the last 500 examples."""
    import matplotlib as mpl  # noqa: PLC0415  # only here

    mpl.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(2, 2, figsize=(10, 6), layout="constrained")
    for ax, name in zip(axes.flat, DRAWN, strict=True):
        for model, one in found[name].items():
            ax.plot(500 + STEP * np.arange(len(one["curve"])), one["curve"], label=model.replace("`", ""), lw=1)
        ax.set_title(name)
        ax.set_ylim(0, 0.6)
    axes[0, 0].legend()
    figure.supylabel("error over the last 500 examples")
    figure.savefig(path, dpi=90)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--streams", type=Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    options = " --streams FOLDER" * (given.streams is not None) + " --long" * given.long
    lines = results_page.header("Streams that change", f"python tools/measure_drift.py{options} --seeds {given.seeds}")
    figures = Figures(given.keep)
    found, curves = streams(figures, given.streams, given.seeds)
    lines += flips(figures, given.seeds, long=given.long)
    lines += ["", *found, "", "![Error over the last 500 examples of four streams](../images/drift.png)", ""]
    draw(curves, results_page.ROOT / "docs" / "images" / "drift.png")
    if given.streams is not None:
        lines += many_classes(figures, given.streams)
    lines += bounds(figures, given.streams)
    if results_page.data_folder() is not None:
        lines += drift_still.page(figures)
    lines += false_alarms()
    results_page.write(results_page.ROOT / "docs" / "results" / "drift.md", lines)


if __name__ == "__main__":
    main()
