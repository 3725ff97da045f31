"""The report: one HTML file with the verdicts, the tables, the figures and how they were made.

It loads nothing: pictures are inside it, and its Content-Security-Policy admits only the style and the script that it
was written with. The page itself is in `assets/`; what is filled in is built here, with every text escaped.
"""

from __future__ import annotations

import base64
import math
import struct
from html import escape
from string import Template
from typing import TYPE_CHECKING

from onlineboost.experiments import claims as checks
from onlineboost.experiments import paper, tables
from onlineboost.files import page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from onlineboost.experiments.claims import Claim
    from onlineboost.experiments.figures import SavedPicture
    from onlineboost.experiments.tables import Entry, FilledTable

TITLE = "Online boosting: the paper’s experiments, run again"
INCOMPLETE = "cod-rna"  # a part of the paper's stream is hard to come by
VERDICTS = {checks.HOLDS: ("holds", "✓"), checks.FAILS: ("fails", "✗"), checks.PARTLY: ("partly", "◐")}


def render(
    *,
    tables: Sequence[FilledTable],
    claims: Sequence[Claim],
    figures: Sequence[SavedPicture],
    environment: Mapping[str, str],
    command: str,
    notes: Sequence[str] = (),
) -> str:
    """The document as text; the same input gives the same text."""
    sections = {
        "Verdicts": "\n".join(map(_verdict, claims)),
        "Tables": _how_to_read() + "\n".join(map(_table, tables)) if tables else "",
        "Figures": "\n".join(map(_figure, figures)),
        "Notes on the data": _list(notes, "notes") if notes else "",
        "How this was made": _provenance(environment, command),
    }
    sections = {name: body for name, body in sections.items() if body}
    return page.fill(
        __package__,
        "report",
        script=page.asset(__package__, "report.js"),
        title=escape(TITLE),
        lede=_lede(tables),
        tiles="\n".join(_tiles(tables, claims)),
        navigation=_navigation(sections),
        sections="\n".join(
            f'<section aria-labelledby="{_anchor(name)}">\n<h2 id="{_anchor(name)}">{name}</h2>\n{body}\n</section>'
            for name, body in sections.items()
        ),
    )


# ---- frame -------------------------------------------------------------------------------------------------------


def _asset(name: str, **parts: str) -> str:
    """A piece of the page in `assets/`, filled in."""
    return Template(page.asset(__package__, f"{name}.html")).substitute(parts)


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _navigation(names: Iterable[str]) -> str:
    links = "".join(f'<li><a href="#{_anchor(name)}">{name}</a></li>' for name in names)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _prose(text: str) -> str:
    """Escaped, and without line breaks inside of formulas."""
    return escape(text).replace(" = ", "&nbsp;=&nbsp;").replace(" ± ", "&nbsp;±&nbsp;")


def _list(lines: Iterable[str], kind: str = "") -> str:
    """A list; lines that start with spaces are indented below the one before."""
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and items:
            items[-1][1].append(_prose(line.strip()))
        else:
            items.append((_prose(line.strip()), []))
    out = []
    for head, below in items:
        inner = "<ul>" + "".join(f"<li>{line}</li>" for line in below) + "</ul>" if below else ""
        out.append(f"<li>{head}{inner}</li>")
    return (f'<ul class="{kind}">' if kind else "<ul>") + "\n".join(out) + "</ul>"


# ---- summary and verdicts ----------------------------------------------------------------------------------------


def _lede(filled: Sequence[FilledTable]) -> str:
    names = list(dict.fromkeys(data for table in filled for data, _ in table.rows))
    trials = max((entry.trials for table in filled for entry in table.entries), default=0)
    orders = "one random order" if trials == 1 else f"{trials} random orders"
    return (
        "Chen, Lin and Lu, “An Online Boosting Algorithm with Theoretical Justifications” (ICML 2012), Section 5, on "
        f"{len(names)} of the paper’s {len(paper.DATA_SETS)} data sets, {orders} each."
    )


def _tiles(filled: Sequence[FilledTable], claims: Sequence[Claim]) -> list[str]:
    tiles = []
    for learner in dict.fromkeys(table.table.learner for table in filled):
        agree, cells = tables.agreement(filled, learner)
        text = f"cells agree with the paper, {paper.learner_title(learner)}" + (
            f" ({agree / cells:.0%})" if cells else ""
        )
        without = tables.agreement(filled, learner, without=(INCOMPLETE,))
        if without[1] < cells:
            text += f"; without {INCOMPLETE} {without[0]} of {without[1]}"
        tiles.append(_tile(agree, cells, text))
    if claims:
        counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in (*VERDICTS, checks.OPEN)}
        rest = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n and verdict != checks.HOLDS)
        tiles.append(
            _tile(counts[checks.HOLDS], len(claims), "of the paper’s claims hold" + (f"; {rest}" if rest else ""))
        )
    return tiles


def _tile(count: int, total: int, text: str) -> str:
    return f'<li><strong>{count} <span class="of">of {total}</span></strong> <small>{escape(text)}</small></li>'


def _verdict(claim: Claim) -> str:
    kind, mark = VERDICTS.get(claim.verdict, ("open", "○"))
    return (
        f'<details><summary><span class="verdict {kind}">{mark} {escape(claim.verdict)}</span> '
        f'<span class="name">{escape(claim.name)}</span></summary>\n'
        f"<p>{escape(claim.statement)}</p>\n{_list(claim.evidence)}</details>"
    )


# ---- tables ------------------------------------------------------------------------------------------------------

_PARTS = {"paper": "first paper", "ours": "ours", "diff.": "diff"}  # and their classes


def _how_to_read() -> str:
    return _asset("how_to_read", errors=f"{tables.STANDARD_ERRORS:g}", share=f"{tables.RELATIVE_TOLERANCE:.0%}")


def _table(filled: FilledTable) -> str:
    title = escape(filled.table.title)
    columns = list(map(paper.learner_title, filled.table.heads))
    groups = "".join(f'<th colspan="3" scope="colgroup" class="first">{escape(name)}</th>' for name in columns)
    heads = "".join(
        f'<th scope="col" class="{kind}" data-column="{1 + 3 * i + j}" data-label="{escape(name)}, {part}">{part}</th>'
        for i, name in enumerate(columns)
        for j, (part, kind) in enumerate(_PARTS.items())
    )
    rows = "\n".join(_row(data, row) for data, row in filled.rows)
    anchor = f"table-{filled.table.number}"
    notes = _list(filled.notes, "notes faint") if filled.notes else ""
    return _asset(
        "table",
        anchor=anchor,
        title=title,
        groups=groups,
        heads=heads,
        rows=rows,
        notes=notes,
        disagreements=_disagreements(filled, columns),
    )


def _row(data: str, row: Sequence[Entry]) -> str:
    cells = "".join(
        _cell(tables.short(entry.paper), entry.paper, "first paper", best=printed_best)
        + _cell(entry.ours, entry.error, "ours", best=best)
        + _difference(entry)
        for entry, best, printed_best in tables.with_best(row)
    )
    return f'<tr><th scope="row" data-value="{escape(data)}">{escape(data)}</th>{cells}</tr>'


def _cell(text: str, value: float, kind: str, *, best: bool = False) -> str:
    return f'<td class="{kind}{" best" if best else ""}" data-value="{value!r}">{text}</td>'


def _difference(entry: Entry) -> str:
    value = "" if math.isnan(entry.difference) else repr(entry.difference)
    off, mark = ("", "") if entry.agrees else (" off", ' !<span class="skip"> disagrees</span>')
    return f'<td class="diff{off}" data-value="{value}">{_minus(entry.difference_text)}{mark}</td>'


def _minus(number: str) -> str:
    """With a minus sign as wide as the plus."""
    return number.replace("-", "−")


def _disagreements(filled: FilledTable, columns: Sequence[str]) -> str:
    names = dict(zip(filled.table.algorithms, columns, strict=True))
    lines = [
        f"{entry.data}, {names[entry.algorithm]}: {entry.ours}, the paper {tables.short(entry.paper)} "
        f"({_minus(f'{entry.error / entry.paper - 1:+.1%}')}, {_minus(entry.difference_text)} standard errors)"
        for entry in filled.entries
        if not entry.agrees
    ]
    total = len(filled.entries)
    if not lines:
        return f'<p class="faint">All {total} cells agree with the paper.</p>'
    return (
        f"<details><summary>{len(lines)} of {total} cells disagree with the paper</summary>\n{_list(lines)}</details>"
    )


# ---- figures and provenance --------------------------------------------------------------------------------------


def _picture(path: Path) -> tuple[str, int, int]:
    """A PNG as a data URI, the sharper version where there is one, and its size in pixels of the page."""
    sharper = path.with_name(f"{path.stem}@2x{path.suffix}")
    scale = 2 if sharper.exists() else 1
    content = (sharper if scale == 2 else path).read_bytes()
    width, height = struct.unpack(">II", content[16:24])  # PNG: signature, length and "IHDR", then these
    return f"data:image/png;base64,{base64.b64encode(content).decode()}", width // scale, height // scale


def _figure(picture: SavedPicture) -> str:
    light, width, height = _picture(picture.light)
    dark, _, _ = _picture(picture.dark)
    texts = {"stem": escape(picture.stem), "title": escape(picture.title), "caption": _prose(picture.caption)}
    return _asset("figure", light=light, dark=dark, width=str(width), height=str(height), **texts)


def _provenance(environment: Mapping[str, str], command: str) -> str:
    pairs = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in environment.items())
    return f"<pre><code>{escape(command)}</code></pre>\n" + (f"<dl>\n{pairs}\n</dl>" if pairs else "")
