"""The default beside LightGBM retrained and CapyMOA's ensembles on data of many classes, for measure_classes.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import drift_peers
import retrained
from drift_streams import FEWER, LOADED, MANY, MOST, SHUFFLED
from measure_drift_peers import on_stream

if TYPE_CHECKING:
    from pathlib import Path

    from measure_drift import Figures

SETS = (*LOADED, *MANY, SHUFFLED)
OURS, LIGHTGBM = "default", "LightGBM"

CONDITIONS = f"""\
`OnlineBoostClassifier()` beside LightGBM retrained on all rows so far whenever they have grown by 25 %, from
{retrained.FIRST} rows on (200 trees of 31 leaves, rate 0.1, else its defaults), which predicts in between, and beside
CapyMOA's ensembles of {drift_peers.TREES} trees. Streams in their own order, their first rows where there are more;
covtype also in the order of `default_rng(0).permutation`, as scikit-learn's three. Categories are one column per value,
for CapyMOA nominal. No change: the label before. Prequential error, and processor seconds on one core; a dash: not
measured."""


def table(folder: Path, figures: Figures) -> list[str]:
    """The rows of the table, with how many sets the default wins at the end."""
    peers = [name for name in drift_peers.NAMES if any(f"{name} on {data}" in figures.found for data in SETS)]
    names = [OURS, LIGHTGBM, *peers]
    heads = ["data set", "rows", "classes", *names, "no change", f"{OURS}, s", f"{LIGHTGBM}, s"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    wins, sets, all_of = dict.fromkeys(names[1:], 0), dict.fromkeys(names[1:], 0), 0
    for data in SETS:
        rows = FEWER.get(data, MOST)
        found = on_stream(figures, ["no-change", LIGHTGBM, OURS], folder, data, rows)
        found |= {name: figures.found[key] for name in peers if (key := f"{name} on {data}") in figures.found}
        ours = found[OURS]
        found = {name: one for name, one in found.items() if one["rows"] == ours["rows"]}
        least = min(found[name]["error"] for name in names if name in found)
        cells = [_error(found[name]["error"], least) if name in found else "–" for name in names]
        lines.append(
            f"| {data} | {ours['rows']:,} | {ours['classes']} | {' | '.join(cells)} | "
            f"{found['no-change']['error']:.4f} | {ours['seconds']:.1f} | {found[LIGHTGBM]['seconds']:.1f} |"
        )
        print(lines[-1], flush=True)
        better = {name: ours["error"] <= found[name]["error"] for name in names[1:] if name in found}
        for name, won in better.items():
            wins[name], sets[name] = wins[name] + won, sets[name] + 1
        all_of += all(better.values())
    told = ", ".join(f"{name} on {wins[name]} of {sets[name]}" for name in wins)
    return [*lines, "", f"The default is at or below {told}; at or below all that were measured on {all_of}."]


def _error(error: float, least: float) -> str:
    return f"**{error:.4f}**" if error == least else f"{error:.4f}"
