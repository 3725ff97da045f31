"""The default beside CapyMOA's adaptive ensembles on streams that change: writes docs/results/drift-peers.md.

    python tools/measure_drift_peers.py --streams FOLDER [--rows N] [--cells N] [--only NAME …] [--keep FILE]

Needs capymoa, Java and river. FOLDER has CSV files of real streams, `elec.csv.xz` and so on, with the label in the
column `class`. Of each stream come the first N rows, 50,000 unless told otherwise, and no more than `--cells` divided
by its columns: peers take long on wide rows. Figures that FILE has are not measured again, so a run that was
interrupted goes on.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import drift_peers
import numpy as np
import results_page
from drift_streams import DRAWN, MANY, MOST, STREAMS, real_streams
from measure_drift import Figures, curve

from onlineboost import OnlineBoostClassifier, prequential

FLIP, AFTER = 10_000, 2000  # of the RBF stream


def ours(X: Any, y: Any) -> np.ndarray[Any, Any]:
    """Mistakes of the default in a test-then-train pass."""
    return prequential(OnlineBoostClassifier(random_state=0), X, y).losses > 0.5


def no_change(_: Any, y: Any) -> np.ndarray[Any, Any]:
    """Mistakes of saying the label before."""
    return np.append(True, y[1:] != y[:-1])


def measured(name: str, X: Any, y: Any) -> dict[str, Any]:
    """Error, processor time and curve of one method on a stream."""
    begun = time.process_time()
    rules = {"default": ours, "no-change": no_change}
    wrong = rules[name](X, y) if name in rules else drift_peers.mistakes(name, (X, y))
    seconds = time.process_time() - begun
    after = float(wrong[FLIP : FLIP + AFTER].mean()) if len(wrong) >= FLIP + AFTER else None
    return {"error": float(wrong.mean()), "seconds": seconds, "curve": curve(wrong), "after": after}


def table(figures: Figures, chosen: dict[str, Any], given: argparse.Namespace) -> tuple[list[str], dict[str, Any]]:
    """Errors on every stream and the mean ranks; and the curves."""
    names = ("default", *drift_peers.NAMES)
    lines = [
        "## Errors",
        f"Test, then train, in the order of the stream: the first {given.rows:,} rows of each at most"
        + (f", and {given.cells:,} numbers. " if math.isfinite(given.cells) else ". ")
        + f"CapyMOA's ensembles have {drift_peers.TREES} trees;",
        "nominal columns are one-hot for all. *No-change* says the label before, and has no rank.",
        "",
        "| stream | rows | classes | no-change | " + " | ".join(names) + " |",
        "|---|---|---|---|" + "---|" * len(names),
    ]
    ranks, found = [], {}
    for stream, make in chosen.items():
        loaded: list[Any] = []

        def part(make: Any = make, loaded: list[Any] = loaded) -> tuple[Any, Any]:
            if not loaded:
                X, y = make(0)
                n = int(min(given.rows, given.cells // X.shape[1]))
                loaded.extend((X[:n], y[:n]))
            return loaded[0], loaded[1]

        rows, classes = figures.get(f"size of {stream}", lambda part=part: (len(part()[1]), len(np.unique(part()[1]))))
        found[stream] = {
            name: figures.get(f"{name} on {stream}", lambda name=name, part=part: measured(name, *part()))
            for name in ("no-change", *names)
        }
        values = np.array([found[stream][name]["error"] for name in names])
        ranks.append([(values < one).sum() + ((values == one).sum() + 1) / 2 for one in values])
        cells = " | ".join(f"**{one:.4f}**" if one == values.min() else f"{one:.4f}" for one in values)
        lines.append(f"| {stream} | {rows:,} | {classes} | {found[stream]['no-change']['error']:.4f} | {cells} |")
    lines.append("| **mean rank** | | | | " + " | ".join(f"{one:.2f}" for one in np.mean(ranks, axis=0)) + " |")
    seconds = [sum(found[stream][name]["seconds"] for stream in found) for name in names]
    lines.append("| processor seconds | | | | " + " | ".join(f"{one:.0f}" for one in seconds) + " |")
    return lines, found


def flip(figures: Figures) -> list[str]:
    """The default and ARF after all labels of an RBF stream flip."""
    X, y = STREAMS[DRAWN[0]](0)
    data = X[: FLIP + AFTER], y[: FLIP + AFTER]
    after = [
        figures.get(f"{name} after the flip", lambda name=name: measured(name, *data))["after"]
        for name in ("default", "ARF")
    ]
    return [
        "## All labels of an RBF stream flip",
        f"Error over the {AFTER:,} examples after the flip at {FLIP:,}: default {after[0]:.4f}, ARF {after[1]:.4f},",
        f"a ratio of {after[0] / after[1]:.2f}.",
    ]


def draw(found: dict[str, Any], path: Path) -> None:
    """Error over the last 500 examples, a picture per stream that is long enough."""
    import matplotlib as mpl  # noqa: PLC0415  # only here

    mpl.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    long = [stream for stream in found if len(found[stream]["default"]["curve"]) > 5]
    rows = -(-len(long) // 3)
    figure, axes = plt.subplots(rows, 3, figsize=(12, 2.6 * rows), layout="constrained", squeeze=False)
    for ax in axes.flat[len(long) :]:
        ax.set_axis_off()
    for ax, stream in zip(axes.flat, long, strict=False):
        for name, one in found[stream].items():
            style = {"color": "grey", "ls": ":"} if name == "no-change" else {"lw": 2 if name == "default" else 0.8}
            ax.plot(500 + 100 * np.arange(len(one["curve"])), one["curve"], label=name, **style)
        ax.set_title(stream)
    axes[0, 0].legend(fontsize=7)
    figure.supylabel("error over the last 500 examples")
    figure.savefig(path, dpi=80)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--streams", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=MOST)
    parser.add_argument("--cells", type=float, default=math.inf)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    chosen = STREAMS | real_streams(given.streams) | real_streams(given.streams, MANY)
    options = " --streams FOLDER" + f" --rows {given.rows}" * (given.rows != MOST)
    options += f" --cells {given.cells:.0f}" * math.isfinite(given.cells)
    if given.only:
        chosen = {name: chosen[name] for name in given.only}
        options += " --only " + " ".join(f'"{name}"' if " " in name else name for name in given.only)
    figures = Figures(given.keep)
    lines, found = table(figures, chosen, given)
    lines += ["", "![Error over the last 500 examples](../images/drift-peers.png)", "", *flip(figures)]
    draw(found, results_page.ROOT / "docs" / "images" / "drift-peers.png")
    header = results_page.header("Streams that change, beside peers", f"python tools/measure_drift_peers.py{options}")
    results_page.write(results_page.ROOT / "docs" / "results" / "drift-peers.md", header + lines)


if __name__ == "__main__":
    main()
