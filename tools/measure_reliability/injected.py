"""Strings from data that want to be more: terminal escapes, formulas, markup, in labels, names, keys and file names.

Each goes through every command. On a terminal nothing arrives that is not printable; in a CSV no cell begins a formula;
in a page the string is text, and the page's content policy admits no script and no address.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
import tempfile
from pathlib import Path

from onlineboost.cli import main

STRINGS = (
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x1bP$q\x1b\\",
    "\b\b\bback",
    "a\rb",
    "\u202eevil",
    "\u2066x\u2069",
    "\x7f",
    "=1+1",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "\t=1",
    '"><img src=x onerror=alert(1)>',
    "<script>alert(1)</script>",
    "</style><script>",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "{{7*7}}",
    "%s%n",
)
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PROGRESS = "\r\x1b[K"  # our own: the line of progress is written anew
FORMULA = re.compile(r"^[\t\r]?[=+\-@](?!\d*\.?\d+(e[+-]?\d+)?$)", re.IGNORECASE)


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def injected(cases: int) -> tuple[int, list[str], str]:
    """So many strings, in turn, by themselves and inside one another."""
    failures: list[str] = []
    tried = 0
    for k in range(cases):
        text = STRINGS[k % len(STRINGS)]
        if k >= len(STRINGS):
            text += STRINGS[(k // len(STRINGS) + 7 * k) % len(STRINGS)]
        with tempfile.TemporaryDirectory() as folder:
            for command, wrong in _commands(Path(folder), text):
                tried += 1
                failures += [f"{command}, {text!r}: {wrong}"] if wrong else []
    return (
        tried,
        failures,
        f"{len(STRINGS)} strings through every command: escaped on a terminal, quoted in CSV, text in pages",
    )


def _commands(folder: Path, text: str) -> list[tuple[str, str | None]]:
    """Every command over data that holds the text everywhere, and what is wrong with its output."""
    name = re.sub(r"[/\0]", "_", text)[:60] or "x"
    table, model, page = folder / f"{name}.csv", folder / f"{name}.ob", folder / "r.html"
    with table.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", text, "word", "number"])
        writer.writerows([[text if k % 2 else "y", k % 3, text if k % 5 else "z", k % 2] for k in range(40)])
    bad = folder / f"{name}.libsvm"
    bad.write_text(f"1 1:1\n{text} x:{text}\n0 1:0.5\n", encoding="utf8")
    learn = ["--learner", "naive-bayes", "--n-learners", "2"]
    orders = {
        "run": ["run", str(table), *learn, "--html", str(page)],
        "train": ["train", str(table), *learn, "--model", str(model)],
        "evaluate": ["evaluate", str(model), str(table)],
        "inspect": ["inspect", str(model)],
        "explain": ["explain", str(model)],
        "predict": ["predict", str(model), str(table)],
        "predict to a file": ["predict", str(model), str(table), "--out", str(folder / "p.csv")],
        "convert": ["convert", str(table), "-", "--to", "jsonl"],
        "run, malformed": ["run", str(bad), "--n-learners", "2"],
        "run, absent": ["run", str(folder / f"{name}.absent")],
        "run, unknown parameter": ["run", str(table), "--param", f"{text}=1"],
    }
    found: list[tuple[str, str | None]] = []
    for command, order in orders.items():
        out, err = Terminal(), Terminal()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(order)
            except SystemExit as error:
                code = error.code if isinstance(error.code, int) else 2
        said = out.getvalue() + err.getvalue()
        unsafe = UNSAFE.search(said.replace(PROGRESS, "").replace("\t", " "))
        wrong = None
        if unsafe:
            wrong = f"{unsafe.group()!r} reached the terminal"
        elif "Traceback" in said or code not in {0, 2}:
            wrong = f"exit {code}: {said[-200:]}"
        found.append((command, wrong))
    if (folder / "p.csv").exists():
        found.append(("a CSV", _formula(folder / "p.csv")))
    if page.exists():
        found.append(("a page", _markup(page.read_text(encoding="utf8"))))
    return found


def _formula(path: Path) -> str | None:
    with path.open(encoding="utf8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    return next((f"the cell {cell!r} is a formula" for cell in cells if FORMULA.match(cell)), None)


def _markup(html: str) -> str | None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    if policy is None or "default-src 'none'" not in policy[1] or "unsafe" in policy[1]:
        return "the page has no strict content policy"
    tags = re.findall(r"<[a-zA-Z!/][^>]*>", html)
    bad = [tag for tag in tags if re.match(r"<(img|script|a |link|iframe)", tag) or re.search(r"\son\w+=", tag)]
    return f"the page holds {bad[0]!r}" if bad else None
