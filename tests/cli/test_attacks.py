"""What a hostile file, name or label could do to a terminal, a spreadsheet, the memory or the input: nothing."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
from command_line import libsvm_lines, run, write_csv

from onlineboost.cli import output, parser
from onlineboost.cli.predict import harmless

pytestmark = pytest.mark.quick

RED = "\x1b[31m"
NASTY = ("\x1b]0;title\x07", "\x9b31m", "a\u202eb", "a\rb", "\udcff")


def _process(*arguments, **options):
    order = [sys.executable, "-m", "onlineboost", *map(str, arguments)]
    return subprocess.run(order, stderr=subprocess.PIPE, text=True, check=False, timeout=60, **options)


def _one_sentence(text):
    assert text.startswith("onlineboost: ")
    assert text.count("\n") == 1


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "s.libsvm"
    path.write_text("\n".join(libsvm_lines(100)) + "\n")
    return path


@pytest.fixture
def model(stream, tmp_path):
    assert run("train", stream, "--n-learners", 2, "--model", tmp_path / "m.ob") == 0
    return tmp_path / "m.ob"


# ---- terminals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", NASTY)
def test_what_is_shown_is_printable(text):
    assert output.shown(text).isprintable()
    assert output.shown(f"{text}\n", keep="\n").endswith("\n")
    assert output.shown("Größe × 1") == "Größe × 1"
    assert len(output.shown(text * 50, 20)) == 20


def test_labels_and_names_reach_no_terminal_unescaped(tmp_path, capfd):
    """Every command, on a folder, labels and feature names that would colour the terminal."""
    folder = tmp_path / f"{RED}folder"
    folder.mkdir()
    rows = [{"label": f"{RED}x" if k % 2 else "=y", f"{RED}a": k % 3, "b": f"{RED}c"} for k in range(40)]
    table, bad, model = write_csv(folder / "t.csv", rows), folder / "bad.csv", folder / "m.ob"
    bad.write_text(f"label,{RED}a,b\n{RED}z,1,2\n{RED}malformed\n")
    learn = (table, "--learner", "naive-bayes", "--n-learners", 2)
    commands = [
        (0, "run", *learn),
        (0, "train", *learn, "--model", model),
        (0, "train", *learn, "--model", model, "--resume"),
        (0, "run", *learn, "--json", "-"),
        (0, "evaluate", model, table),
        (0, "evaluate", model, table, "--json", "-"),
        (2, "evaluate", model, bad),
        (0, "inspect", model),
        (0, "inspect", model, "--json"),
        (0, "certify", model),
        (0, "explain", model),
        (0, "convert", table, folder / "o.jsonl"),
        (2, "convert", table, folder / "o.libsvm"),
        (0, "predict", model, bad, "--out", folder / "scores.csv"),
        (2, "predict", folder / "absent.ob", table),
        (2, "train", folder / "absent.csv", "--model", model),
        (2, "train", table, "--model", folder / "no" / "m.ob"),
        (2, "run", table, "--param", f"{RED}=1"),
    ]
    for code, *command in commands:
        assert run(*command) == code, command
        said = capfd.readouterr()
        assert "\x1b" not in said.out + said.err, command
    with pytest.raises(SystemExit, match="2"):
        run("run", table, f"--{RED}")
    assert "\x1b" not in capfd.readouterr().err


def test_a_csv_on_a_terminal_is_escaped(tmp_path, monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    path = write_csv(tmp_path / "t.csv", [{"label": f"{RED}x" if k % 2 else "y", "a": k % 2} for k in range(40)])
    learn = ("--learner", "naive-bayes", "--n-learners", 2)
    assert run("train", path, *learn, "--model", tmp_path / "m.ob") == 0
    for command in (("predict", tmp_path / "m.ob", path), ("convert", path, "-", "--to", "jsonl")):
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", screen := Terminal())
            assert run(*command) == 0
        assert "[31mx" in screen.getvalue()
        assert "\x1b" not in screen.getvalue()
    capsys.readouterr()
    assert run("predict", tmp_path / "m.ob", path) == 0
    assert "\x1b[31mx" in capsys.readouterr().out  # a pipe gets the labels as they are


def test_a_name_that_is_no_unicode(stream, tmp_path, capfd):
    path = os.fsencode(tmp_path) + b"/\xff.libsvm"
    with open(path, "wb") as file:  # noqa: PTH123  # a Path holds text
        file.write(stream.read_bytes())
    page, data = tmp_path / "r.html", tmp_path / "r.json"
    assert run("run", os.fsdecode(path), "--n-learners", 2, "--html", page, "--json", data) == 0
    assert json.loads(data.read_text())["inputs"] == [os.fsdecode(path)]
    assert "udcff.libsvm" in page.read_text()
    assert run("train", os.fsdecode(path), "--n-learners", 2, "--model", os.fsdecode(path + b".ob")) == 0
    assert "udcff.libsvm.ob" in capfd.readouterr().out


def test_a_terminal_without_the_characters(stream):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = _process("run", stream, "--n-learners", 2, stdout=subprocess.PIPE, env=environment)
    assert done.returncode == 0, done.stderr
    assert "100 examples" in done.stdout


# ---- spreadsheets and pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "-1+2", "=cmd|' /C calc'!A0", "-inf"])
def test_formulas_are_made_harmless(label):
    assert harmless(label) == f"'{label}"


@pytest.mark.parametrize("label", ["x", "", "-1", "+1.5", "-2e-05", -1, -1.5, True, "'=1", "a=b", "1-2"])
def test_other_labels_stay_as_they_are(label):
    assert harmless(label) == str(label)


def test_predict_guards_spreadsheets_unless_told_otherwise(tmp_path, capsys):
    path = write_csv(tmp_path / "t.csv", [{"label": "=1+1" if k % 2 else "-x", "a": k % 2} for k in range(40)])
    assert run("train", path, "--learner", "naive-bayes", "--n-learners", 2, "--model", tmp_path / "m.ob") == 0
    for options, labels in (((), {"'=1+1", "'-x"}), (("--raw-labels",), {"=1+1", "-x"})):
        capsys.readouterr()
        assert run("predict", tmp_path / "m.ob", path, *options) == 0
        assert {row["label"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))} == labels


def test_the_page_runs_and_loads_nothing(tmp_path):
    """All of its style is admitted by hash, and no tag has a handler or a style of its own."""
    label = '"><img src=x onerror=alert(1)><style>*{}</style>'
    path = tmp_path / "t.csv"
    path.write_text("label,a\n" + "".join(f'"{label.replace(chr(34), chr(34) * 2)}",1\ny,2\n' for _ in range(20)))
    assert run("run", path, "--n-learners", 2, "--html", tmp_path / "r.html") == 0
    html = (tmp_path / "r.html").read_text()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    tags = re.findall(r"<[a-zA-Z!][^>]*>", html)
    assert {tag for tag in tags if tag.startswith(("<img", "<script", "<a ", "<link", "<style"))} == {"<style>"}
    assert not [tag for tag in tags if re.search(r"\s(on\w+|style|src|href)=", tag)]


# ---- memory and limits ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("room", [40, 200])  # megabytes beyond what the program takes at its start
def test_out_of_memory_is_one_sentence(tmp_path, room):
    rows = "\n".join(f"{k % 2} " + " ".join(f"{40 * k + j}:1" for j in range(1, 41)) for k in range(5000))
    (tmp_path / "wide.libsvm").write_text(f"{rows}\n")
    code = (
        "import resource, sys; from onlineboost import streams; from onlineboost.cli import main, session\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (used + {room} * 2**20,) * 2)\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    order = ["train", tmp_path / "wide.libsvm", "--n-learners", 20000, "--model", tmp_path / "m.ob"]
    done = subprocess.run([sys.executable, "-c", code, *map(str, order)], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr[-2000:]
    _one_sentence(done.stderr)
    assert "not enough memory" in done.stderr
    assert not (tmp_path / "m.ob").exists()


def test_a_checkpoint_without_memory_is_reported(stream, tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("onlineboost.cli.model_file.to_bytes", fail)
    assert run("train", stream, "--n-learners", 2, "--model", tmp_path / "m.ob", "--checkpoint", 50) == 2
    assert "cannot be written (Not enough memory)" in capsys.readouterr().err
    assert not (tmp_path / "m.ob").exists()


def test_limits_of_a_line(tmp_path, capsys):
    path = tmp_path / "s.libsvm"
    path.write_text("1 1:1 2:1 3:1\n0 1:1\n1 1:0.1234567890\n0 2:1\n")
    for options, left in (((), 4), (("--max-features", 2), 3), (("--max-line-bytes", 14), 3)):
        assert run("run", path, "--n-learners", 2, *options, "--json", "-") == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["examples"], found["malformed"]) == (left, 4 - left)
    for option in ("--max-features", "--max-line-bytes"):
        assert run("run", path, option, 0) == 2
        assert f"{option} must be 1 or more" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["libsvm", "csv"])
def test_a_limit_on_all_features(form, tmp_path, capsys):
    """A stream of ever new features stops with one sentence, not with the machine's memory."""
    path = tmp_path / f"s.{form}"
    lines = [f"{k % 2} {k + 1}:1" for k in range(6000)] if form == "libsvm" else ["label,w"]
    lines += [f"{k % 2},w{k}" for k in range(6000)] if form == "csv" else []
    path.write_text("\n".join(lines) + "\n")
    assert run("run", path, "--n-learners", 2) == 0
    capsys.readouterr()
    for command in (("run", path), ("train", path, "--model", tmp_path / "m.ob")):
        assert run(*command, "--n-learners", 2, "--max-model-features", 900) == 2
        said = capsys.readouterr().err
        assert "different features, more than 900: hash them" in said
        _one_sentence(said)
    assert run("run", path, "--max-model-features", 0) == 2
    assert "--max-model-features must be 1 or more" in capsys.readouterr().err


def test_help_has_the_limits(capsys):
    from onlineboost.streams import feed, text
    from onlineboost.streams import open as opening

    for command in ("run", "train", "predict", "evaluate", "convert"):
        with pytest.raises(SystemExit):
            parser().parse_args([command, "--help"])
        said = " ".join(capsys.readouterr().out.split())
        assert f"more features is malformed ({opening.MOST_FEATURES})" in said
        assert f"a longer line is malformed ({text.LONGEST_LINE})" in said
        assert (f"more features in all are an error ({feed.MOST_FEATURES})" in said) is (command in {"run", "train"})


# ---- files that are not what they seem -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["inspect", "predict"])
def test_a_pipe_is_no_model(command, stream, tmp_path, capsys):
    """Nobody writes to it, so opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.ob")
    inputs = [stream] if command in {"predict", "evaluate"} else []
    done = _process(command, tmp_path / "pipe.ob", *inputs)
    assert done.returncode == 2
    _one_sentence(done.stderr)
    assert "regular file" in done.stderr
    for path in ("/dev/zero", tmp_path):
        assert run(command, path, *inputs) == 2
        assert "regular file" in capsys.readouterr().err


def test_a_model_goes_to_a_file(stream, tmp_path):
    os.mkfifo(tmp_path / "pipe.ob")
    done = _process("train", stream, "--model", tmp_path / "pipe.ob", "--resume")
    assert done.returncode == 2
    _one_sentence(done.stderr)
    assert "name a file for the model" in done.stderr


def test_no_command_replaces_its_input(stream, model, tmp_path, capsys):
    (tmp_path / "link.libsvm").symlink_to(stream)
    (tmp_path / "link.ob").symlink_to(model)
    for name in ("m.ob.1", "m.ob.lock"):
        (tmp_path / name).write_bytes(stream.read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    libsvm = ("--format", "libsvm", "--n-learners", 2)
    commands = [
        ("train", stream, "--model", stream),
        ("train", tmp_path / "link.libsvm", "--model", stream),
        ("train", stream, "--model", tmp_path / "link.libsvm"),
        ("train", tmp_path / "m.ob.1", "--model", model, *libsvm),
        ("train", tmp_path / "m.ob.lock", "--model", model, *libsvm),
        ("train", tmp_path / "m.ob.1", "--model", tmp_path / "link.ob", *libsvm),
        ("train", stream, "--model", tmp_path / "n.ob", "--json", stream),
        ("train", stream, "--model", model, "--html", model),
        ("run", stream, "--html", stream),
        ("run", stream, "--json", tmp_path / "r", "--html", tmp_path / "r"),
        ("predict", model, stream, "--out", stream),
        ("predict", model, stream, "--out", model),
        ("evaluate", model, stream, "--json", model),
        ("certify", model, "--plot", model),
        ("convert", stream, stream),
        ("convert", stream, tmp_path / "o.libsvm", "--names", stream),
    ]
    for command in commands:
        capsys.readouterr()
        assert run(*command) == 2, command
        said = capsys.readouterr().err
        assert "would be" in said, command
        _one_sentence(said)
    with stream.open() as stdin:
        done = _process("train", "-", "--format", "libsvm", "--model", stream, stdin=stdin)
    assert done.returncode == 2
    assert "is the input, and would be lost" in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_kill_between_two_names_of_a_checkpoint_can_be_resumed(stream, model, tmp_path):
    """Then FILE and FILE.1 are one file, and that is no reason to refuse."""
    before = model.read_bytes()
    os.link(model, tmp_path / "m.ob.1")
    assert run("train", stream, "--n-learners", 2, "--model", model, "--resume") == 0
    assert model.read_bytes() == before


# ---- standard output and standard error ----------------------------------------------------------------------------


def _commands(stream, model):
    return {
        "run": ("run", stream, "--n-learners", 2),
        "train": ("train", stream, "--n-learners", 2, "--model", model.with_name("n.ob")),
        "predict": ("predict", model, stream),
        "evaluate": ("evaluate", model, stream),
        "inspect": ("inspect", model),
        "inspect-json": ("inspect", model, "--json"),
        "certify": ("certify", model),
        "convert": ("convert", stream, "-", "--to", "jsonl"),
        "datasets": ("datasets",),
        "run-json": ("run", stream, "--n-learners", 2, "--json", "-"),
    }


DATA = {"predict", "convert", "run-json", "inspect-json"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "predict", "inspect", "run-json"])
def test_standard_output_that_is_closed(name, stream, model):
    """Text for people is lost in silence; data is an error."""
    done = _process(*_commands(stream, model)[name], preexec_fn=lambda: os.close(1))
    if name in DATA:
        assert done.returncode == 2
        assert done.stderr == "onlineboost: Standard output is closed: open it, or name a file for the output.\n"
    else:
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["run", "predict", "certify", "convert"])
def test_standard_output_that_is_full(name, stream, model):
    with open("/dev/full", "w") as full:  # noqa: PTH123  # a device
        done = _process(*_commands(stream, model)[name], stdout=full)
    assert done.returncode == 2
    _one_sentence(done.stderr)
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("name", ["predict", "run"])
def test_a_reader_that_goes_away(name, stream, model):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        done = _process(*_commands(stream, model)[name], stdout=gone)
    assert (done.returncode, done.stderr) == (0, "")


def test_standard_error_that_is_closed_or_full(stream, model):
    """What was to be said there is not mixed into the data."""
    stream.write_text(stream.read_text() + "1 x:1\n")
    order = [sys.executable, "-m", "onlineboost", "predict", str(model), str(stream), "--output", "label"]
    closed = subprocess.run(order, stdout=subprocess.PIPE, text=True, check=False, preexec_fn=lambda: os.close(2))
    with open("/dev/full", "w") as full:  # noqa: PTH123  # a device
        unread = subprocess.run(order, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    for done in (closed, unread):
        assert done.returncode == 0
        assert set(done.stdout.splitlines()) == {"label", "-1", "1", ""}


# ---- nothing heavy is imported -------------------------------------------------------------------------------------


def test_no_command_imports_scikit_learn_or_scipy(stream, model, tmp_path):
    code = (
        "import json, sys; from onlineboost.cli import main\n"
        "for order in json.load(sys.stdin):\n"
        "    code = main(order)\n"
        "    assert code == 0, (order, code)\n"
        "    heavy = sorted({'sklearn', 'scipy', 'joblib', 'pandas', 'matplotlib'} & set(sys.modules))\n"
        "    assert not heavy, (order[0], heavy)\n"
    )
    table = write_csv(tmp_path / "t.csv", [{"label": "x" if k % 2 else "y", "a": k % 3} for k in range(40)])
    orders = [
        *(order for name, order in _commands(stream, model).items() if name != "datasets"),
        ("train", table, "--booster", "mixture", "--model", tmp_path / "mixture.ob", "--html", tmp_path / "r.html"),
        ("inspect", tmp_path / "mixture.ob"),
        ("certify", tmp_path / "mixture.ob"),
        ("evaluate", tmp_path / "mixture.ob", table),
        ("convert", table, tmp_path / "t.tsv"),
    ]
    text = json.dumps([[str(word) for word in order] for order in orders])
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
