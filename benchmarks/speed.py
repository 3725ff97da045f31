"""Our speed beside the peers': the same rows in the same order, one thread each; writes docs/results/speed.md."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import jobs, latency, page, run, streams
from benchmarks.marks import Mark, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from benchmarks.run import Result

SETTINGS = """\
Every process is held to one core, with all of its threads. Every system has the settings that are best for it:

- **onlineboost**: the defaults (γ = 0.1), CSR float64, `prequential`. A pass is short, so fresh models repeat it for
  half a second and the median pass counts.
- **Vowpal Wabbit**: `--boosting 100 --alg BBM` and otherwise its defaults (adaptive, normalised, invariant updates);
  with `--sgd` as well, which is faster and errs more. Examples are parsed beforehand, features are numbers, so that
  nothing is hashed; only calls of `learn` are timed, which predict, too.
- **CapyMOA**: MOA's own learners, called without CapyMOA's wrapping, on dense Java instances built beforehand; features
  that are only 0 or 1 are nominal, which is faster and better. The JVM has CapyMOA's options. Where the row says "all
  cores", its compiler and its collector have a core of their own; the mark counts the row without.
- **river**: dicts built beforehand, without zeros. Boosters with 100 models, Perceptron or BernoulliNB.
- **scikit-learn** (single learners): `partial_fit` on CSR batches cut beforehand, or on single dense rows.

Peers that are slow get the first rows only, as the column *rows* says. "ours ÷ this" is our rate on the same rows over
the peer's, and "our error" is that on the same rows.
"""


def startups(python: Mapping[str, str], repetitions: int) -> dict[str, dict[str, float]]:
    """Median milliseconds of the import, and from nothing to the first prediction."""
    seen: dict[str, list[dict[str, float]]] = {peer: [] for peer in python}
    for _ in range(repetitions):
        for peer, runs in seen.items():
            runs.append(run.process(python[peer], "startup.py", peer))
    return {peer: {key: statistics.median(r[key] for r in runs) for key in runs[0]} for peer, runs in seen.items()}


def import_milliseconds() -> float:
    """Median time that importing the package adds to scikit-learn's, in fresh processes."""
    code = "import sklearn, time; t = time.perf_counter(); from onlineboost import OSBoostClassifier; "
    code += "print((time.perf_counter() - t) * 1e3)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7)]
    return statistics.median(float(done.stdout) for done in runs)


def rows_of(wanted: list[jobs.Job], found: Mapping[str, Result], every: list[jobs.Job]) -> list[str]:
    """The table of systems; with our ratio to each where something is compared."""
    compared = any(job.against is not None for job in wanted)
    titles = ["system", "configuration", "stream", "rows", "examples/s (least to most)", "error", "peak MB"]
    titles += ["ours ÷ this", "our error"] if compared else []
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for job in wanted:
        result = found[job.name]
        cells = [
            ("**{}** {}" if job.peer == "ours" else "{} {}").format(result["system"], result["version"]),
            result["config"] if job.one_core else f"{result['config']}, all cores",
            job.stream,
            f"{result['examples']:,}",
            f"{result.rate:,.0f} ({min(result.rates):,.0f} to {max(result.rates):,.0f})",
            f"{result['error']:.4f}",
            f"{result['peak_mb']:.0f}",
        ]
        if job.against is not None:
            ours = found[jobs.partner_of(job, every)]
            cells += [f"{ours.rate / result.rate:,.1f}", f"{ours['error']:.4f}"]
        elif compared:
            cells += ["", ""]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def marks_of(found: Mapping[str, Result], every: list[jobs.Job]) -> list[Mark]:
    """What is asked of the boosters."""
    by_name = {job.name: job for job in every}

    def over(name: str) -> float:
        return found[jobs.partner_of(by_name[name], every)].rate / found[name].rate

    def slower(name: str) -> float:
        return found[jobs.PERCEPTRON].rate / found[name].rate

    asked = [
        ("vw bbm", "100 Perceptrons, adult: ratio to VW BBM", 25),
        ("capymoa perceptron", "100 Perceptrons, adult: ratio to CapyMOA OnlineSmoothBoost + perceptron", 150),
        ("river perceptron", "100 Perceptrons, adult: ratio to river AdaBoost + Perceptron", 500),
        ("capymoa bayes", "100 Naive Bayes, adult: ratio to CapyMOA OnlineSmoothBoost + Naive Bayes", 100),
        ("capymoa trees", "100 Hoeffding trees, adult: ratio to CapyMOA OnlineSmoothBoost + HoeffdingTree", 50),
        ("vw covertype", "100 Perceptrons, covertype: ratio to VW BBM", 20),
    ]
    return [
        *(Mark(words, over(name), least=least) for name, words, least in asked if name in found),
        Mark("time of OCP over uniform, N = 100", slower("ocp"), most=1.5, digits=2),
        Mark("time of experts over uniform, N = 100", slower("experts"), most=1.5, digits=2),
        *(
            Mark(f"time of {words} over OSBoost, N = 100", slower(name), most=1.5, digits=2)
            for name, words in (
                ("bbm", "Online BBM"),
                ("adaboost.ol", "AdaBoost.OL"),
                ("adaboost.ol.w", "AdaBoost.OL.W"),
            )
        ),
        Mark("time of N = 1000 over N = 100", slower("1000 perceptrons"), most=12),
    ]


def small_marks() -> list[Mark]:
    """What is asked of the import and of memory."""
    marks = [Mark("`import onlineboost` after `import sklearn`", import_milliseconds(), most=50, unit="ms", digits=0)]
    for kind in ("dense", "sparse"):
        at = run.process(sys.executable, "copies.py", kind)
        more = f" ({at['added_mb']:.0f} of {at['input_mb']:.0f} MB; the outputs are {at['outputs_mb']:.0f})"
        what = f"memory added by a pass: no copy of the input, {kind}"
        marks.append(Mark(what, 100 * at["added_mb"] / at["input_mb"], most=50, unit="%", digits=0, more=more))
    return marks


def main(arguments: argparse.Namespace) -> None:
    """Measure and write."""
    every, singles = jobs.chosen(arguments.only, arguments.quick)
    partners = jobs.partners(every)
    python = run.pythons({job.peer for job in (*every, *singles)}, arguments.cache)
    data = streams.data_folder(arguments.data)
    with tempfile.TemporaryDirectory() as folder:
        stored = {name: streams.store(name, Path(folder), data) for name in streams.SHAPES}
        found = run.interleaved([*every, *partners, *singles], stored, python, arguments.repetitions)
    lines = page.header("Speed beside the peers", "python -m benchmarks")
    lines += [f"- {name}: {stream.words}." for name, stream in stored.items()]
    lines += [
        "",
        f"Test, then train, held to one core; repetitions in turns: {arguments.repetitions}, of which the median.",
        "",
    ]
    if not arguments.quick:
        lines += ["## Asked and measured", "", *table(_all_marks(found, every, arguments)), ""]
    lines += ["## Boosters", "", *rows_of(every, found, every), "", SETTINGS]
    if singles:
        lines += ["## Single learners, for orientation", "", *rows_of(singles, found, every), ""]
    lines += ["## From nothing to the first prediction", "", *_startup_rows(startups(python, 5), found, every)]
    page.write("speed.md", lines, keep=not (arguments.quick or arguments.only))


def _all_marks(found: Mapping[str, Result], every: list[jobs.Job], arguments: argparse.Namespace) -> list[Mark]:
    cases = [latency.ARRAYS, latency.DICTS]
    alone = latency.measure(cases, {"ours": sys.executable}, arguments.repetitions)
    return [*marks_of(found, every), *latency.marks_of(alone), *small_marks()]


def _startup_rows(times: Mapping[str, dict[str, Any]], found: Mapping[str, Result], every: list[jobs.Job]) -> list[str]:
    names = {job.peer: found[job.name]["system"] for job in every} | {"sklearn": "scikit-learn"}
    lines = [
        "Milliseconds in a fresh process after Python's own start, files in the system's cache; medians of five.",
        "Ours runs where this command runs, and scikit-learn imports pandas where it finds it.",
    ]
    lines += ["", "| system | import | first prediction, import and all |", "|---|---|---|"]
    return lines + [f"| {names[peer]} | {at['import_ms']:.0f} | {at['first_ms']:.0f} |" for peer, at in times.items()]
