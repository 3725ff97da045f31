"""The default beside CapyMOA's adaptive ensembles on streams that change: writes docs/results/drift-peers.md.

    python tools/measure_drift_peers.py --streams FOLDER --peers ARF SRP LevBag SGBT HAT SAMkNN [--minutes 20]
    python tools/measure_drift_peers.py --streams FOLDER [--anew]

The first command measures peers, which takes hours, and keeps their figures in docs/results/drift-peers.json or the
file that `--keep` names; figures that it has are not measured again, so a run that was interrupted goes on, and a peer
that takes more minutes of processor time on a stream is stopped. It needs capymoa and Java. The second measures the
default on as many rows of the streams that the file has, unless the file has that, too, and writes the page; `--anew`
measures it in any case. FOLDER has CSV files of real streams, `elec.csv.xz` and so on, with the label in the column
`class`. Of each stream come the first 50,000 rows, or `--rows`, and fewer of those that take longest; `--only` chooses
streams.
"""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import drift_peers
import numpy as np
import results_page
import retrained
from drift_streams import DRAWN, FEWER, MANY, MOST, REAL, SPARSE, STREAMS, beside_peers, one_hot
from measure_drift import STEP, Figures, curve

from onlineboost import OnlineBoostClassifier, prequential

if TYPE_CHECKING:
    from collections.abc import Sequence

FLIP, AFTER = 10_000, 2000  # of the RBF stream
KEPT = results_page.ROOT / "docs" / "results" / "drift-peers.json"


def mistakes(name: str, given: Any, minutes: float) -> np.ndarray[Any, Any]:
    """Of a test-then-train pass of the default, of a peer, of LightGBM retrained, or of saying the label before."""
    if name == "no-change":
        return np.append(True, given[1][1:] != given[1][:-1])
    if name == "default":
        return prequential(OnlineBoostClassifier(random_state=0), *one_hot(given)).losses > 0.5
    if name == "LightGBM":
        return retrained.mistakes(*one_hot(given))
    return drift_peers.mistakes(name, given, minutes)


def measured(name: str, given: Any, minutes: float = np.inf) -> dict[str, Any]:
    """Error, processor time and curve of one method on a stream; or where it was when its minutes were over."""
    begun = time.process_time()
    wrong = mistakes(name, given, minutes)
    seconds = time.process_time() - begun
    if len(wrong) < len(given[1]):
        return {"stopped": len(wrong), "seconds": seconds, "rows": len(given[1])}
    after = float(wrong[FLIP : FLIP + AFTER].mean()) if len(wrong) >= FLIP + AFTER else None
    return {
        "error": float(wrong.mean()),
        "seconds": seconds,
        "curve": curve(wrong),
        "after": after,
        "rows": len(wrong),
        "classes": len(np.unique(given[1])),
        "commit": results_page.commit(),
    }


def measure(
    figures: Figures, names: list[str], streams: list[str], folder: Path, most: int | None, minutes: float = np.inf
) -> None:
    """What the file does not have yet; without `most`, on as many rows as peers had, and nothing beside them."""
    for stream in streams:
        kept = [figures.found[key] for peer in drift_peers.NAMES if (key := f"{peer} on {stream}") in figures.found]
        if most is None and not kept:
            continue
        rows = kept[0]["rows"] if kept else min(most or MOST, FEWER.get(stream, MOST))
        if stream not in SPARSE:
            on_stream(figures, names, folder, stream, rows, minutes)


def on_stream(
    figures: Figures, names: list[str], folder: Path, stream: str, rows: int, minutes: float = np.inf
) -> dict[str, dict[str, Any]]:
    """Figures of some methods on the first rows of a stream, which is read if one of them is not there yet."""
    given = functools.cache(lambda: beside_peers(folder, stream, rows))
    return {
        name: figures.get(f"{name} on {stream}", lambda name=name: measured(name, given(), minutes)) for name in names
    }


def mean_ranks(names: Sequence[str], found: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Of methods that have run on all of these streams; those with the same error share ranks."""
    errors = np.array([[ones[name]["error"] for name in names] for ones in found.values()])
    below = (errors[:, None, :] < errors[:, :, None]).sum(axis=2)
    same = (errors[:, None, :] == errors[:, :, None]).sum(axis=2)
    ranks: np.ndarray[Any, Any] = (below + (same + 1) / 2).mean(axis=0)
    return ranks


def page(figures: Figures, streams: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Errors on every stream and the mean ranks; and the curves."""
    names = ("default", *drift_peers.NAMES)
    ran = {
        stream: {name: one for name in ("no-change", *names) if (one := figures.found.get(f"{name} on {stream}"))}
        for stream in streams
    }
    stopped = [
        f"{name} on {stream} at row {one['stopped']:,}"
        for stream, ones in ran.items()
        for name, one in ones.items()
        if "stopped" in one
    ]
    found = {stream: {name: one for name, one in ones.items() if "error" in one} for stream, ones in ran.items()}
    found = {stream: ones for stream, ones in found.items() if set(ones) - {"no-change", "default"}}
    commits = sorted({one["default"]["commit"] for one in found.values() if "commit" in one["default"]})
    complete = [name for name in names if all(name in ones for ones in found.values())]
    lines = [
        "## Errors",
        "Test, then train, in the order of the stream: its first rows, as many as the table says. The ensembles of",
        f"CapyMOA {drift_peers.VERSION} have {drift_peers.TREES} trees; for them nominal columns are nominal, and",
        "one-hot for the default. *No-change* says the label before, and has no rank; a dash: not measured, or stopped",
        f"for its time. Mean ranks are of those that have run on all {len(found)} streams. The peers take dense rows:",
        "spam-corpus with its 39,916 columns is not here. All figures, with curves and times, are in",
        "[drift-peers.json](drift-peers.json).",
        f"The default was measured at commit {' and '.join(commits)}.",
        "",
        "| stream | rows | classes | no-change | " + " | ".join(names) + " |",
        "|---|---|---|---|" + "---|" * len(names),
    ]
    for stream, ones in found.items():
        values = [ones[name]["error"] if name in ones else np.inf for name in names]
        cells = ["–" if np.isinf(one) else f"**{one:.4f}**" if one == min(values) else f"{one:.4f}" for one in values]
        row = [stream, f"{ones['default']['rows']:,}", str(ones["default"]["classes"])]
        lines.append("| " + " | ".join([*row, f"{ones['no-change']['error']:.4f}", *cells]) + " |")
    whole = {stream: ones for stream, ones in found.items() if all(name in ones for name in names)}
    rows = [("**mean rank**", complete, found)]
    if len(whole) < len(found):
        rows.append((f"**mean rank on the {len(whole)} streams of all**", list(names), whole))
    for words, which, over in rows:
        ranks = dict(zip(which, mean_ranks(which, over), strict=True)) if over else {}
        lines.append(f"| {words} | | | | " + " | ".join(f"{ranks[n]:.2f}" if n in ranks else "–" for n in names) + " |")
    timed = [ones for ones in found.values() if all(ones[name]["seconds"] for name in complete)]
    seconds = {name: sum(ones[name]["seconds"] for ones in timed) for name in complete}
    cells = [f"{seconds[name]:.0f}" if name in seconds else "–" for name in names]
    if timed:
        lines.append(f"| processor seconds, {len(timed)} streams | | | | " + " | ".join(cells) + " |")
    if stopped:
        lines += ["", f"Stopped: {', '.join(stopped)}."]
    flip = found.get(DRAWN[0], {})
    if "ARF" in flip:
        ours, arf = flip["default"]["after"], flip["ARF"]["after"]
        lines += [
            "",
            "## All labels of an RBF stream flip",
            f"Error over the {AFTER:,} examples after the flip at {FLIP:,}: default {ours:.4f}, ARF {arf:.4f}, a ratio",
            f"of {ours / arf:.2f}.",
        ]
    return lines, found


def draw(found: dict[str, Any], path: Path) -> None:
    """Error over the last 500 examples, a picture per stream that is long enough."""
    import matplotlib as mpl  # noqa: PLC0415  # only here

    mpl.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    long = [stream for stream in found if len(found[stream]["default"]["curve"]) > 5]
    rows = -(-(len(long) + 1) // 3)  # the last one is the legend's
    figure, axes = plt.subplots(rows, 3, figsize=(12, 2.6 * rows), layout="constrained", squeeze=False)
    colours = {name: f"C{k}" for k, name in enumerate(("default", *drift_peers.NAMES))} | {"no-change": "grey"}
    for ax, stream in zip(axes.flat, long, strict=False):
        drawn = {name: one for name, one in found[stream].items() if one["curve"]}
        for name, one in drawn.items():
            style = {"no-change": {"ls": ":"}, "default": {"lw": 2, "zorder": 9}}.get(name, {"lw": 0.8})
            ax.plot(500 + STEP * np.arange(len(one["curve"])), one["curve"], color=colours[name], label=name, **style)
        most = max(np.quantile(one["curve"], 0.98) for name, one in drawn.items() if name != "no-change")
        ax.set_ylim(0, 1.1 * most)
        ax.set_title(stream)
    for ax in axes.flat[len(long) :]:
        ax.set_axis_off()
    lines = {line.get_label(): line for ax in axes.flat for line in ax.get_lines()}
    axes.flat[-1].legend(lines.values(), lines.keys(), loc="center")
    figure.supylabel("error over the last 500 examples")
    figure.savefig(path, dpi=80)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--streams", type=Path, required=True)
    parser.add_argument("--keep", type=Path, default=KEPT)
    parser.add_argument("--peers", nargs="+", choices=drift_peers.NAMES)
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--minutes", type=float, default=np.inf)
    parser.add_argument("--rows", type=int, default=MOST)
    parser.add_argument("--only", nargs="+")
    given = parser.parse_args()
    figures, streams = Figures(given.keep), given.only or [*REAL, *MANY, *STREAMS]
    if given.peers:
        measure(figures, given.peers, streams, given.streams, given.rows, given.minutes)
        return
    if given.anew:
        figures.found = {key: one for key, one in figures.found.items() if not key.startswith("default on ")}
    measure(figures, ["no-change", "default"], streams, given.streams, None)
    lines, found = page(figures, streams)
    draw(found, results_page.ROOT / "docs" / "images" / "drift-peers.png")
    command = "python tools/measure_drift_peers.py --streams FOLDER" + " --anew" * given.anew
    command += "".join(f" {one}" for one in ["--only", *given.only]) if given.only else ""
    header = results_page.header("Streams that change, beside peers", command)
    picture = ["", "![Error over the last 500 examples](../images/drift-peers.png)"]
    results_page.write(results_page.ROOT / "docs" / "results" / "drift-peers.md", header + lines + picture)


if __name__ == "__main__":
    main()
