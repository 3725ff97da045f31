"""The default on streams that change: writes docs/results/drift.md and its picture.

    python tools/measure_drift.py [--streams FOLDER] [--long] [--seeds N] [--keep FILE]

Generators need river alone. FOLDER has CSV files of real streams, `elec.csv.xz` and so on, with the label in the column
`class`. `--long` adds the flip after 1,000,000 examples. Figures that FILE has are not measured again, so a run that
was interrupted goes on. measure_drift_peers.py has CapyMOA's ensembles.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import results_page
from drift_streams import DRAWN, MANY, MOST, STREAMS, all_streams, flipped, linear, real_streams

from onlineboost import HoeffdingTree, OnlineBoostClassifier, OSBoostClassifier, prequential, theory
from onlineboost.drift import ADWIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from drift_streams import Data

LOOKED = 10_000  # examples whose intervals are looked at
LOOKED_MANY = 2000  # of them with more than two classes
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
                self.path.write_text(json.dumps(self.found))
        return self.found[name]


def errors(model: Any, X: Any, y: Any) -> np.ndarray[Any, Any]:
    """Of a test-then-train pass, example by example."""
    return (prequential(model, X, y).probabilities > 0.5) != (y == 1)


def violations(X: Any, y: Any) -> tuple[int, int, float]:
    """Of the bound, in the life of each copy of a family of the default."""
    model = OnlineBoostClassifier(random_state=0)
    given = prequential(OnlineBoostClassifier(random_state=0), X, y).probabilities
    recording = theory.record(model, X, y)
    bound = model.certificate().interval_bound
    loss = -np.log(np.clip(np.where(y == 1, given, 1 - given), 1e-300, 1))
    said = np.clip((1 + recording.h) / 2, 1 / (1 + np.exp(12)), 1 / (1 + np.exp(-12)))
    own = -np.log(np.where(recording.y[:, None] > 0, said, 1 - said))
    return broken(loss, own, recording.h <= 1, bound)


def violations_of_many(X: Any, y: Any) -> tuple[int, int, float]:
    """The same with more than two classes, and for stacks, too: from the sums in the state after each example."""
    model = OnlineBoostClassifier(random_state=0).partial_fit(X[:1], y[:1], classes=np.unique(y))
    loss, own, alive = [], [], []
    before = model.machine.booster_state()
    for i in range(1, len(y)):
        after = model.partial_fit(X[i : i + 1], y[i : i + 1]).machine.booster_state()
        loss.append(float(np.sum(after["mixture_loss"] - before["mixture_loss"])))
        own.append(after["expert_losses"] - before["expert_losses"])
        alive.append((before["experts_alive"] > 0) & (after["experts_alive"] > 0))
        before = after
    return broken(np.array(loss), np.array(own), np.array(alive), model.certificate().interval_bound)


def broken(loss: Any, own: Any, alive: Any, bound: float) -> tuple[int, int, float]:
    """Of the dyadic intervals of experts' lives: how many break the bound, how many there are, the least slack."""
    sums = [np.vstack([np.zeros(own.shape[1]), np.cumsum(one, axis=0)]) for one in (loss[:, None] - own, alive)]
    count, looked, least = 0, 0, np.inf
    size = 1
    while size <= len(loss):
        starts = np.arange(0, len(loss) - size + 1, size)
        regret, lived = (one[starts + size] - one[starts] for one in sums)
        slack = bound - regret[lived == size]
        looked += slack.size
        count += int((slack < -1e-6).sum())
        least = min(least, float(slack.min(initial=np.inf)))
        size *= 2
    return count, looked, least


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
        f"{seeds} draw{'s' * (seeds > 1)}. *Bound*: dyadic intervals of the first {LOOKED:,} examples in the life of a",
        "family's copy on which the certificate's interval bound was broken, of all, and the least slack in nats.",
        "",
        "| stream | no-change | " + " | ".join(MODELS) + " | time, of `generations=0` | bound |",
        "|---|---|" + "---|" * len(MODELS) + "---|---|",
    ]
    for name, make in all_streams(folder).items():
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
        broken, looked, least = figures.get(
            f"bound on {name}", lambda drawn=drawn: violations(drawn()[0][0][:LOOKED], drawn()[0][1][:LOOKED])
        )
        factor = found[name]["default"]["seconds"] / found[name]["`generations=0`"]["seconds"]
        cells = " | ".join(f"{found[name][model]['error']:.4f}" for model in MODELS)
        lines.append(f"| {name} | {change:.4f} | {cells} | {factor:.2f} | {broken} of {looked:,}; {least:.1f} |")
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
    """Errors and the bound with more than two classes."""
    names = ("default", "`generations=0`")
    lines = [
        "## More than two classes",
        f"As above, on the first {LOOKED:,} examples of each stream; the bound on the first {LOOKED_MANY:,}, for",
        "stacks, too.",
        "",
        "| stream | no-change | " + " | ".join(names) + " | bound |",
        "|---|---|---|---|---|",
    ]
    for name, make in real_streams(folder, MANY).items():

        def measure(make: Any = make) -> dict[str, Any]:
            X, y = (one[:LOOKED] for one in make(0))
            errs = [float((prequential(MODELS[model](0), X, y).losses > 0.5).mean()) for model in names]
            found = violations_of_many(X[:LOOKED_MANY], y[:LOOKED_MANY])
            return {"errors": [float((y[1:] != y[:-1]).mean()), *errs], "bound": found}

        found = figures.get(f"many classes of {name}", measure)
        count, looked, least = found["bound"]
        cells = " | ".join(f"{one:.4f}" for one in found["errors"])
        lines.append(f"| {name} | {cells} | {count} of {looked:,}; {least:.1f} |")
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
    lines += false_alarms()
    results_page.write(results_page.ROOT / "docs" / "results" / "drift.md", lines)


if __name__ == "__main__":
    main()
