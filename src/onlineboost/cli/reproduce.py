"""`onlineboost reproduce`: the paper's protocol, its tables with ours beside them, its claims checked, a report."""

from __future__ import annotations

import io
import json
import os
import platform
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onlineboost
from onlineboost import _core, datasets, files
from onlineboost.cli.output import shown
from onlineboost.experiments import claims, figures, grid, html_report, own, paper, runner, tables
from onlineboost.experiments.store import Store

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


NEEDS = ("rich", "matplotlib", "joblib")


@dataclass(frozen=True)
class Plan:
    """What to run: data sets with their hashes, and the cells of tables and figures."""

    loaded: dict[str, Any]
    hashes: dict[str, str]
    cells: list[dict[str, Any]]
    studies: list[tuple[str, str]]  # (data set, learner) with error against N and γ


def _require_extras() -> None:
    for name in NEEDS:
        try:
            import_module(name)
        except ImportError:
            raise RuntimeError(f'reproduce needs {name}: pip install "onlineboost[experiments]"') from None


def make_plan(arguments: argparse.Namespace) -> Plan:
    """Load what there is, and lay out the grid, the largest data sets first, which keeps all cores busy to the end."""
    wanted = [datasets.info(name).name for name in arguments.sets] if arguments.sets else datasets.names()
    loaded = {}
    for name in wanted:
        try:
            loaded[name] = datasets.load(name, data=arguments.data, download=arguments.download, progress=True)
        except FileNotFoundError:
            if arguments.sets or arguments.data:
                raise
    if not loaded:
        raise ValueError("none of the data sets was found: give --data DIR or --download")
    hashes = {name: grid.fingerprint(data) for name, data in loaded.items()}
    by_size = sorted(loaded, key=lambda name: -len(loaded[name].y))
    small = next((n for n in ("german", "diabetes", "heart") if n in loaded), by_size[-1])
    large = next((n for n in ("adult", "splice") if n in loaded), by_size[0])
    studies = [(data, learner) for data in dict.fromkeys((large, small)) for learner in paper.LEARNERS]
    cells = grid.paper_grid({name: hashes[name] for name in by_size}, trials=arguments.trials)
    for data, learner in studies:
        for study in (grid.SIZE_STUDY, grid.GAMMA_STUDY):
            cells += grid.study_grid(study, data, hashes[data], learner, arguments.trials)
    cells += own.cells({name: hashes[name] for name in by_size}, arguments.trials)
    return Plan(loaded, hashes, grid.unique(cells), studies)


def environment(plan: Plan, store: Store, trials: int) -> dict[str, str]:
    """What the figures were made with, when, and from which data."""
    packages = ("numpy", "scipy", "scikit-learn", "matplotlib")
    seconds = sum(store[config]["seconds"] for config in plan.cells)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "run time": f"{seconds:,.1f} s of learning in {len(plan.cells):,} cells, on one core",
        "seeds": f"0 to {trials - 1}: the random order and the learners of each trial",
        "data": "; ".join(f"{name} {plan.hashes[name]}" for name in plan.loaded),
        "onlineboost": f"{onlineboost.__version__}{_commit()}",
        **{name: metadata.version(name) for name in packages},
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "instruction set": _core.instruction_set(),
    }


def _commit() -> str:
    """The commit of a checkout; nothing elsewhere."""
    order = ["git", "-C", str(Path(onlineboost.__file__).parent), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(order, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603  # fixed words
    except (OSError, subprocess.SubprocessError):
        return ""
    return f", commit {done.stdout.strip()}"


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, then write and print everything."""
    _require_extras()
    from rich.console import Console  # noqa: PLC0415  # an extra

    if arguments.trials < 1:
        raise ValueError(f"--trials must be at least 1, not {arguments.trials}")
    shard = runner.parse_shard(arguments.shard) if arguments.shard else None
    console = Console(file=sys.stdout or io.StringIO(), highlight=False, markup=False)
    arguments.out.mkdir(parents=True, exist_ok=True)
    plan = make_plan(arguments)
    store = Store(arguments.out, shard)
    cells = runner.shard_of(plan.cells, shard)
    _run_cells(cells, store, arguments, console)
    if shard is not None:
        done = sum(config in store for config in plan.cells)
        place = shown(arguments.out)
        console.print(f"{done} of {len(plan.cells)} cells are in {place}; run without --shard for the tables")
        return 0
    _write(plan, store, arguments, console)
    return 0


def _run_cells(cells: Sequence[dict[str, Any]], store: Any, arguments: argparse.Namespace, console: Any) -> None:
    from rich import progress as bars  # noqa: PLC0415  # an extra

    known = sum(config in store for config in cells)
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("running", total=len(cells), completed=known)

        def advance(config: dict[str, Any], _: dict[str, Any]) -> None:
            text = f"{config['data']}, {config['algorithm']} × {config['learner']}"
            progress.update(bar, advance=1, description=text.ljust(44)[:44])

        runner.run(
            cells,
            store,
            folder=arguments.data,
            jobs=arguments.jobs,
            backend=arguments.backend,
            address=arguments.address,
            on_done=advance,
        )


def _write(plan: Plan, store: Any, arguments: argparse.Namespace, console: Any) -> None:

    notes = {name: data.notes for name, data in plan.loaded.items()}
    hashes = {name: plan.hashes[name] for name in plan.loaded}
    filled = [tables.fill(table, store, hashes, arguments.trials, notes) for table in paper.TABLES]
    for table in filled:
        console.print(tables.terminal(table))
    for note in filled[0].notes:
        console.print(f"  {shown(note)}")
    console.print(
        "\nours ± standard error; below, the paper's figure and the difference in standard errors. "
        "! marks more than 3 of them and more than 3 % of the paper's figure.\n"
    )
    costs = None if arguments.no_figures else claims.measure_cost()
    checked = claims.check_all(store, hashes, arguments.trials, plan.studies, costs)
    since = own.rows(store, hashes, arguments.trials)
    console.print("Our own methods on the same orders, beside the lowest error of the paper's", style="bold")
    for row in since:
        told = "; ".join(f"{name} {one.text}" for name, one in zip(own.METHODS, row.own, strict=True))
        console.print(f"{row.data}: {row.best} {row.paper.text}; {told}")
    console.print("\nThe paper's claims", style="bold")
    marks = {
        claims.HOLDS: ("✓", "green"),
        claims.FAILS: ("✗", "red"),
        claims.PARTLY: ("~", "yellow"),
        claims.DIRECTION: ("~", "yellow"),
    }
    for claim in checked:
        mark, colour = marks.get(claim.verdict, ("?", "dim"))
        console.print(f"{mark} {claim.verdict}", style=colour, end="")
        console.print(f": {claim.statement}")
        console.print(f"    {claim.evidence[0]}", style="dim")
    incomplete = [name for name, data in plan.loaded.items() if not data.complete]
    for learner in paper.LEARNERS:
        agreed, total = tables.agreement(filled, learner, without=incomplete)
        left = f"; not counted: {', '.join(incomplete)}, whose data differ" if incomplete else ""
        console.print(f"\n{learner}: {agreed} of {total} cells agree with the paper{left}.")

    out = arguments.out
    documents = {
        "tables.md": "\n".join([*(tables.markdown(table) for table in filled), own.markdown(since)]),
        "tables.tex": "\n".join(tables.latex(table) for table in filled),
        "tables.csv": tables.comma_separated(filled),
        "tables.json": tables.as_json(filled),
        "claims.json": json.dumps([asdict(claim) for claim in checked], indent=1, ensure_ascii=False) + "\n",
    }
    for name, text in documents.items():
        files.write(out / name, text)
    if not arguments.no_figures:
        _draw(plan, store, arguments, filled, checked, since)
    first = "" if arguments.no_figures else f"{shown(out / 'report.html')}, the figures, "
    console.print(f"\nwrote {first}tables (.md, .tex, .csv, .json) and claims.json in {shown(out)}")


def _draw(
    plan: Plan, store: Any, arguments: argparse.Namespace, filled: Any, checked: Any, since: list[own.OwnRow]
) -> None:

    large = plan.studies[0][0]
    pictures = figures.save_all(
        arguments.out / "figures",
        store,
        plan.hashes,
        arguments.trials,
        plan.loaded,
        curves=plan.studies,
        sizes=plan.studies,
        gammas=plan.studies,
        masses=[(large, learner) for learner in paper.LEARNERS],
    )
    report = html_report.render(
        tables=filled,
        claims=checked,
        figures=pictures,
        environment=environment(plan, store, arguments.trials),
        command=shlex.join(["onlineboost", *sys.argv[1:]]),
        notes=filled[0].notes,
        incomplete=[name for name, data in plan.loaded.items() if not data.complete],
        since=since,
    )
    files.write(arguments.out / "report.html", report)
