"""The report: one HTML file with the verdicts, the tables, the figures and how they were made.

It loads nothing: pictures are inside it, and its Content-Security-Policy admits only the style and the script that it
was written with. The page itself is in `assets/`; what is filled in is built here, with every text escaped.
"""

from __future__ import annotations

import math
import struct
from html import escape
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

from onlineboost.experiments import claims as checks
from onlineboost.experiments import drawing, own, paper, tables
from onlineboost.files import page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from onlineboost.experiments.claims import Claim
    from onlineboost.experiments.figures import SavedPicture
    from onlineboost.experiments.own import OwnRow
    from onlineboost.experiments.tables import Entry, FilledTable

TITLE = "Online boosting: the paper’s experiments, run again"
PAPER = "https://arxiv.org/abs/1206.6422"
DOCUMENTS = ("tables.md", "tables.tex", "tables.csv", "tables.json", "claims.json")  # beside the report
VERDICTS = {
    checks.HOLDS: ("holds", "✓"),
    checks.DIRECTION: ("partly", "◐"),
    checks.FAILS: ("fails", "✗"),
    checks.PARTLY: ("partly", "◐"),
}


def render(
    *,
    tables: Sequence[FilledTable],
    claims: Sequence[Claim],
    figures: Sequence[SavedPicture],
    environment: Mapping[str, str],
    command: str,
    notes: Sequence[str] = (),
    incomplete: Sequence[str] = (),
    since: Sequence[OwnRow] = (),
) -> str:
    """The document as text; the same input gives the same text. Cells of `incomplete` data sets are not counted."""
    sections = {
        "Verdicts": "\n".join(map(_verdict, claims)),
        "Tables": _how_to_read() + "\n".join(map(_table, tables)) if tables else "",
        "Since 2012": _since(since) if since else "",
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
        tiles="\n".join(_tiles(tables, claims, incomplete)),
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
        f'Chen, Lin and Lu, <a href="{PAPER}">“An Online Boosting Algorithm with Theoretical Justifications”</a> (ICML '
        "2012), Section 5, on "
        f"{len(names)} of the paper’s {len(paper.DATA_SETS)} data sets, {orders} each."
    )


def _tiles(filled: Sequence[FilledTable], claims: Sequence[Claim], incomplete: Sequence[str]) -> list[str]:
    tiles = []
    for learner in dict.fromkeys(table.table.learner for table in filled):
        agree, cells = tables.agreement(filled, learner, without=incomplete)
        text = f"cells agree with the paper, {paper.learner_title(learner)}" + (
            f" ({agree / cells:.0%})" if cells else ""
        )
        if incomplete:
            text += f"; not counted: {', '.join(incomplete)}, whose data differ from the paper’s"
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
        _cell(tables.short(entry.paper), entry.paper, "first paper", best=printed_best, of=entry.algorithm)
        + _cell(entry.ours, entry.error, "ours", best=best)
        + _difference(entry)
        for entry, best, printed_best in tables.with_best(row)
    )
    return f'<tr><th scope="row" data-value="{escape(data)}">{escape(data)}</th>{cells}</tr>'


def _cell(text: str, value: float, kind: str, *, best: bool = False, of: str = "") -> str:
    name = f' data-of="{escape(of)}"' if of else ""
    return f'<td class="{kind}{" best" if best else ""}" data-value="{value!r}"{name}>{text}</td>'


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


def _since(rows: Sequence[OwnRow]) -> str:
    """Our own methods beside the best of the paper's."""
    heads = "".join(f'<th scope="col" class="first">{escape(name)}</th>' for name in ("the paper’s best", *own.METHODS))
    body = "\n".join(
        f'<tr><th scope="row">{escape(row.data)}</th>'
        + "".join(
            _cell(one.text, one.error, "first", best=one.error == row.least, of=name)
            for name, one in zip((f"best of the paper’s: {row.best}", *own.METHODS), (row.paper, *row.own), strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return _asset("since", heads=heads, rows=body)


# ---- figures and provenance --------------------------------------------------------------------------------------


def _figure(picture: SavedPicture) -> str:
    """The vectors inside the page: one picture that follows the reader's theme, or two."""
    width, height = struct.unpack(">II", picture.light.read_bytes()[16:24])  # of the PNG, behind its signature
    light, dark = (path.with_suffix(".svg").read_text(encoding="utf-8") for path in (picture.light, picture.dark))
    both = drawing.in_both_themes(light, dark)
    source = "" if both else f'<source media="screen and (prefers-color-scheme: dark)" srcset="{_inside(dark)}">\n'
    texts = {"stem": escape(picture.stem), "title": escape(picture.title), "caption": _prose(picture.caption)}
    return _asset("figure", dark=source, light=_inside(both or light), width=str(width), height=str(height), **texts)


def _inside(svg: str) -> str:
    """As a data URI, spelled out: shorter than base64."""
    text = " ".join(svg[svg.index("<svg") :].split()).replace('"', "'")
    return "data:image/svg+xml," + quote(text, safe=" !$'()*+,/:;=?@[]{}|~-._")


def _provenance(environment: Mapping[str, str], command: str) -> str:
    pairs = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in environment.items())
    links = ", ".join(f'<a href="{name}">{name}</a>' for name in DOCUMENTS)
    beside = f"<p>Beside this page: {links}.</p>\n"
    return f"<pre><code>{escape(command)}</code></pre>\n{beside}" + (f"<dl>\n{pairs}\n</dl>" if pairs else "")
