"""The report: the tables' numbers, nothing from outside, every text escaped, and it behaves in a browser."""

import html
import json
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import invented_results
import pytest
from invented_results import HASHES, TRIALS

from onlineboost.experiments import claims, figures, html_report, paper, tables

pytest.importorskip("matplotlib", reason="the report's figures need matplotlib")

HOSTILE = "\"><script>alert('x')</script><img src=x onerror=alert(1)>&amp;$policy"
COMMAND = "onlineboost reproduce --out 'my results' && echo <done>"
ENVIRONMENT = {"onlineboost": "0.1.0", "Python": "3.11.2", "processor": "a" * 120}
NOTES = ["web page: 8 × w8a.t is missing", "cod-rna: " + "averylongword" * 20]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """What a run hands over."""
    folder = tmp_path_factory.mktemp("run")
    store = invented_results.store(folder)
    notes = {"web page": ["8 × w8a.t is missing"]}
    filled = [tables.fill(table, store, HASHES, TRIALS, notes) for table in paper.TABLES]
    checked = claims.check_all(store, HASHES, TRIALS, [("german", "Perceptron")], None)
    checked.append(claims.Claim("untested", "No one looked.", claims.OPEN))
    pictures = figures.save_all(folder / "figures", store, HASHES, TRIALS, {}, curves=[("german", "Perceptron")])
    return {
        "tables": filled,
        "claims": checked,
        "figures": pictures,
        "environment": ENVIRONMENT,
        "command": COMMAND,
        "notes": NOTES,
    }


@pytest.fixture(scope="module")
def written(content, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html_report.render(**content), encoding="utf-8")
    return path


VOID = {"meta", "img", "source", "br"}


class Page(HTMLParser):
    """Checks that tags nest, and collects elements, ids, and the cells of the tables."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.elements, self.ids, self.tables, self.links = [], Counter(), [], [], []
        self.text = []
        self.feed(text)
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements[tag] += 1
        if tag not in VOID:
            self.stack.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [value for name, value in attrs.items() if name in {"src", "href", "srcset", "action", "data"}]
        assert not any(name.startswith("on") or name == "style" for name in attrs)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.stack and {"td", "th"} & set(self.stack):
            self.tables[-1][-1][-1] += data


# ---- what it says ------------------------------------------------------------------------------------------------


def test_the_tables_hold_our_numbers(content, written):
    page = Page(written.read_text(encoding="utf-8"))
    assert len(page.tables) == len(content["tables"])
    for shown, filled in zip(page.tables, content["tables"], strict=True):
        rows = shown[2:]  # below the two rows of heads
        assert [row[0] for row in rows] == list(HASHES)
        for row, (_, entries) in zip(rows, filled.rows, strict=True):
            expected = []
            for entry in entries:
                difference = entry.difference_text.replace("-", "−") + ("" if entry.agrees else " ! disagrees")
                expected += [f"{entry.paper:.4f}".removeprefix("0"), entry.ours, difference]
            assert row[1:] == expected


def test_summary_verdicts_and_provenance(content, written):
    text = html.unescape(written.read_text(encoding="utf-8")).replace("\xa0", " ")
    for learner in paper.LEARNERS:
        agree, cells = tables.agreement(content["tables"], learner)
        assert f'<strong>{agree} <span class="of">of {cells}</span>' in text
    holding = sum(claim.verdict == claims.HOLDS for claim in content["claims"])
    assert f'<strong>{holding} <span class="of">of {len(content["claims"])}</span>' in text
    for claim in content["claims"]:
        assert claim.name in text
        assert claim.statement in text
        assert all(line.strip() in text for line in claim.evidence)
    disagreeing = [entry for entry in content["tables"][0].entries if not entry.agrees]
    assert disagreeing, "the fabricated results should disagree somewhere"
    assert f"{len(disagreeing)} of {len(content['tables'][0].entries)} cells disagree" in text
    for expected in [COMMAND, *ENVIRONMENT.values(), *NOTES, content["figures"][0].caption]:
        assert expected in text


def test_well_formed_and_self_contained(written):
    page = Page(written.read_text(encoding="utf-8"))
    assert len(page.ids) == len(set(page.ids))
    assert page.elements["script"] == page.elements["style"] == page.elements["h1"] == page.elements["main"] == 1
    for link in page.links:
        beside = link in {html_report.PAPER, *html_report.DOCUMENTS}
        assert beside or link.startswith("data:image/svg+xml,") or link.removeprefix("#") in page.ids
    text = written.read_text(encoding="utf-8").replace(f'<a href="{html_report.PAPER}">', "")
    pictures = [unquote(one) for one in re.findall(r'"data:image/svg\+xml,([^"]*)"', text)]
    assert pictures
    for one in pictures:  # they name their vocabulary, and point into themselves
        assert not re.search(r"@import|url\((?!#)|href='(?!#)", one)
        assert set(re.findall(r"https?://[^']*", one)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    text = re.sub(r'"data:image/svg\+xml,[^"]*"', "", text)
    assert not re.search(r"https?://|@import|url\(", text)


def test_hostile_text_stays_text(content, tmp_path):
    path = tmp_path / "report.html"
    filled = content["tables"][0]
    rows = tuple((HOSTILE, row) for _, row in filled.rows)
    report = html_report.render(
        tables=[replace(filled, rows=rows, notes=(HOSTILE,))],
        claims=[claims.Claim(HOSTILE, HOSTILE, HOSTILE, (HOSTILE, f"  {HOSTILE}"))],
        figures=[replace(content["figures"][0], title=HOSTILE, caption=HOSTILE)],
        environment={HOSTILE: HOSTILE},
        command=HOSTILE,
        notes=[HOSTILE],
    )
    path.write_text(report, encoding="utf-8")
    page = Page(path.read_text(encoding="utf-8"))
    assert (page.elements["script"], page.elements["img"]) == (1, 1)
    assert page.tables[0][2][0] == HOSTILE
    assert "".join(page.text).count(HOSTILE) == len(rows) + 1 + 5 + 1 + 2 + 1 + 1


def test_an_empty_run_still_gives_a_page():
    page = Page(html_report.render(tables=[], claims=[], figures=[], environment={}, command="onlineboost"))
    assert page.elements["section"] == 1


# ---- the file ----------------------------------------------------------------------------------------------------


def test_the_same_text_again(content, written):
    assert html_report.render(**content) == written.read_text(encoding="utf-8")


# ---- in a browser ------------------------------------------------------------------------------------------------

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: chromium)")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--window-size=1400,900",
)


def browse(path, profile, *more):
    """The document after its scripts ran, and what the console said."""
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *more, "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return done.stdout.decode(), done.stderr.decode(errors="replace")


def probe(path, folder, widths, script):
    """Run a function of a report's window and document in frames of the given widths, and give its answers."""
    frames = "".join(
        f'<iframe width="{width}" height="800" srcdoc="{html.escape(path.read_text(encoding="utf-8"))}"></iframe>'
        for width in widths
    )
    harness = f"""<!DOCTYPE html><meta charset="utf-8"><body>{frames}<script>
        addEventListener("load", () => {{
            const run = (window, document) => {{ {script} }};
            const answers = [...document.querySelectorAll("iframe")].map(f => run(f.contentWindow, f.contentDocument));
            document.body.innerHTML = "<pre id=answers></pre>";
            document.getElementById("answers").textContent = JSON.stringify(answers);
        }});</script>"""
    (folder / "harness.html").write_text(harness, encoding="utf-8")
    dom, _ = browse(folder / "harness.html", folder / "profile")
    return json.loads(html.unescape(re.search(r'<pre id="answers">(.*?)</pre>', dom, re.DOTALL).group(1)))


@in_browser
def test_the_page_never_scrolls_sideways(written, tmp_path):
    """Also with everything unfolded; wide tables scroll in their own boxes, which the keyboard can reach."""
    script = """
        document.querySelectorAll("details").forEach(d => d.open = true);
        const boxes = [...document.querySelectorAll(".scroll")].filter(b => b.scrollWidth > b.clientWidth);
        return {width: window.innerWidth, page: document.documentElement.scrollWidth,
                wide: boxes.length, reachable: boxes.filter(b => b.tabIndex == 0).length};"""
    phone, tablet, desktop = probe(written, tmp_path, (375, 768, 1280), script)
    for shown, width in ((phone, 375), (tablet, 768), (desktop, 1280)):
        assert shown["width"] == width
        assert shown["page"] <= width
        assert shown["wide"] == shown["reachable"]
    assert phone["wide"] >= len(paper.TABLES)
    assert desktop["wide"] == 0


@in_browser
def test_column_heads_sort(content, written, tmp_path):
    """By number, both ways, with aria-sort; rows stay whole; by name too; what has no number comes last."""
    script = """
        const table = document.querySelector("table"), heads = [...table.querySelectorAll("th[data-column]")];
        const rows = () => [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent));
        const state = () => heads.map(h => h.getAttribute("aria-sort")).filter(s => s);
        const button = column => heads.find(h => h.dataset.column == column).querySelector("button");
        const out = {before: rows(), buttons: table.querySelectorAll("th button").length, label: button(3).ariaLabel};
        button(3).click(); out.up = rows(); out.upState = state();
        button(3).click(); out.down = rows(); out.downState = state();
        button(0).click(); out.byName = rows(); out.nameState = state();
        const values = ["10", "", "-9", "2e-5"];
        [...table.tBodies[0].rows].forEach((row, i) => { row.cells[2].dataset.value = values[i]; });
        const column = () => [...table.tBodies[0].rows].map(row => row.cells[2].dataset.value);
        button(2).click(); out.valuesUp = column();
        button(2).click(); out.valuesDown = column();
        return out;"""
    (seen,) = probe(written, tmp_path, (1280,), script)
    filled = content["tables"][0]
    order = [data for data, _ in sorted(filled.rows, key=lambda row: row[1][0].difference)]
    assert order != list(HASHES), "the fabricated order should not be sorted already"
    assert [row[0] for row in seen["before"]] == list(HASHES)
    assert [row[0] for row in seen["up"]] == order
    assert [row[0] for row in seen["down"]] == order[::-1]
    assert [row[0] for row in seen["byName"]] == sorted(HASHES)
    for state in ("up", "down", "byName"):
        assert sorted(seen[state]) == sorted(seen["before"])
    assert seen["buttons"] == 1 + 3 * len(filled.table.algorithms)
    assert seen["label"] == "Perceptron, diff.: sort"
    assert (seen["upState"], seen["downState"], seen["nameState"]) == (["ascending"], ["descending"], ["ascending"])
    assert seen["valuesUp"] == ["-9", "2e-5", "10", ""]
    assert seen["valuesDown"] == ["10", "2e-5", "-9", ""]


@in_browser
def test_the_policy_admits_our_script_and_no_other(written, tmp_path):
    dom, console = browse(written, tmp_path / "a")
    assert dom.count("<button") == sum(1 + 3 * len(table.algorithms) for table in paper.TABLES)
    assert "Content Security Policy" not in console
    foreign = "<script>document.title = 'changed'</script><img src='http://127.0.0.1:9/x.png'></body>"
    changed = tmp_path / "changed.html"
    changed.write_text(written.read_text(encoding="utf-8").replace("</body>", foreign), encoding="utf-8")
    dom, console = browse(changed, tmp_path / "b")
    assert "<title>changed" not in dom
    assert console.count("Content Security Policy") >= 2
