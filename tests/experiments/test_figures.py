"""The figures show the store's numbers, in both themes, and nothing in them overlaps or is cut off."""

import itertools
import struct
import sys
from xml.etree import ElementTree as ET

import invented_results
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_results import EXAMPLES, HASHES, TRIALS

from onlineboost import prequential
from onlineboost.declarations.extras import MissingExtraError
from onlineboost.experiments import drawing, figures, grid, paper
from onlineboost.experiments.statistics import Ranking, mean_error
from onlineboost.experiments.store import Store

mpl = pytest.importorskip("matplotlib", reason="figures need matplotlib")

themes = pytest.mark.parametrize("theme", drawing.THEMES, ids=lambda theme: theme.name)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return invented_results.store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def pictures(store):
    ranking = Ranking(("one Naive Bayes", "OzaBoost", "OGBoost", "OSBoost"), (2.9, 2.6, 2.6, 1.9), 0.03, 0.95, 12)
    return {
        "curves": figures.learning_curves(store, HASHES, "german", "Perceptron", TRIALS),
        "steep curves": figures.learning_curves(store, HASHES, "mushrooms", "NaiveBayes", TRIALS),
        "size": figures.error_against_n(store, "german", HASHES["german"], "NaiveBayes", TRIALS),
        "gamma": figures.error_against_gamma(store, "german", HASHES["german"], "Perceptron", TRIALS),
        "mass": figures.weight_mass(invented_results.data(), "Perceptron"),
        "ranks": figures.critical_difference(ranking, "mean ranks over 12 data sets"),
    }


every = pytest.mark.parametrize("kind", ["curves", "steep curves", "size", "gamma", "mass", "ranks"])


def lines(figure):
    """The named lines of the only axes."""
    (ax,) = figure.axes
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def texts(figure):
    """Every visible text of the figure with its box in pixels."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    (ax,) = figure.axes
    found = [figure._suptitle, *ax.texts]
    if ax.axison:
        low, high = sorted(ax.get_xlim())
        found += [ax.xaxis.label, ax.yaxis.label]
        found += [tick.label1 for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        low, high = sorted(ax.get_ylim())
        found += [tick.label1 for tick in ax.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    found = [text for text in found if text.get_text()]
    # An annotation's own extent includes its leader; the words are what must not collide.
    return [(text.get_text(), mpl.text.Text.get_window_extent(text, renderer)) for text in found]


def check_layout(figure):
    boxes = texts(figure)
    width, height = figure.canvas.get_width_height()
    for name, box in boxes:
        assert box.x0 >= 0, f"{name!r} is cut off"
        assert box.y0 >= 0, f"{name!r} is cut off"
        assert box.x1 <= width, f"{name!r} is cut off"
        assert box.y1 <= height, f"{name!r} is cut off"
    for (a, first), (b, second) in itertools.combinations(boxes, 2):
        assert not first.padded(-1).overlaps(second.padded(-1)), f"{a!r} overlaps {b!r}"


def errors(store, data, learner, algorithm, **parameters):
    return [
        store[grid.cell(data, HASHES[data], learner, algorithm, trial, **parameters)]["error"]
        for trial in range(TRIALS)
    ]


# ---- what is drawn -----------------------------------------------------------------------------------------------


@themes
def test_learning_curves_end_at_the_mean_errors(store, pictures, theme):
    figure = pictures["curves"].draw(theme)
    drawn = lines(figure)
    assert set(drawn) == set(paper.ALGORITHMS)
    assert len(figure.axes[0].collections) == len(paper.ALGORITHMS)  # the bands
    for (name, line), band in zip(drawn.items(), figure.axes[0].collections, strict=True):
        mean, error = mean_error(errors(store, "german", "Perceptron", name))
        t, y = line.get_data()
        assert t[-1] == EXAMPLES
        assert t[0] >= figures.SETTLED * EXAMPLES
        assert y[-1] == pytest.approx(mean)
        edge = band.get_paths()[0].vertices
        at_end = edge[edge[:, 0] == EXAMPLES][:, 1]
        assert (at_end.min(), at_end.max()) == pytest.approx((mean - 2 * error, mean + 2 * error))


@pytest.mark.parametrize(
    ("kind", "learner", "parameter", "values"),
    [("size", "NaiveBayes", "n_learners", grid.SIZES), ("gamma", "Perceptron", "gamma", grid.GAMMAS)],
)
def test_votes_against_a_parameter(store, pictures, kind, learner, parameter, values):
    drawn = lines(pictures[kind].draw(drawing.LIGHT))
    assert tuple(drawn) == grid.VOTES
    for vote, line in drawn.items():
        expected = [np.mean(errors(store, "german", learner, vote, **{parameter: value})) for value in values]
        assert list(line.get_xdata()) == list(values)
        assert line.get_ydata() == pytest.approx(expected)


def test_the_mass_is_that_of_a_model_trained_at_once(pictures):
    data = invented_results.data()
    order = np.random.default_rng(0).permutation(len(data.y))
    model = paper.make(grid.cell("german", "", "Perceptron", "OSBoost", 0))
    error = prequential(model, data.X[order], data.y[order]).error
    *curves, level = pictures["mass"].draw(drawing.LIGHT).axes[0].lines
    assert len(curves) == figures.MASS_STEPS
    np.testing.assert_allclose(curves[-1].get_ydata(), model.weight_mass_ / len(order))
    assert level.get_ydata()[0] == pytest.approx(error)
    assert error <= curves[-1].get_ydata()[-1]
    assert f"{error:.4f}".removeprefix("0") in pictures["mass"].caption


def test_errors_that_differ_manifold_get_a_logarithmic_axis(pictures):
    assert pictures["curves"].draw(drawing.LIGHT).axes[0].get_yscale() == "linear"
    assert pictures["steep curves"].draw(drawing.LIGHT).axes[0].get_yscale() == "log"


def test_one_trial_is_drawn_without_a_band(store):
    picture = figures.learning_curves(store, HASHES, "heart", "Perceptron", 1)
    check_layout(picture.draw(drawing.LIGHT))
    assert "one random order" in picture.caption


# ---- captions ----------------------------------------------------------------------------------------------------


def test_captions_follow_the_data(tmp_path):
    """The sentences name whoever is best in the store, here OGBoost, and for the uniform vote the largest N."""
    rng = np.random.default_rng(0)
    store = Store(tmp_path)
    for n, vote in itertools.product(grid.SIZES, grid.VOTES):
        store.add(
            grid.cell("heart", "h", "Perceptron", vote, 0, n_learners=n), invented_results.result(1 / (n + 1), rng)
        )
    caption = figures.error_against_n(store, "heart", "h", "Perceptron", 1).caption
    assert f"errs least with N = {grid.SIZES[-1]:,}: .0010" in caption
    for algorithm, error in zip(paper.ALGORITHMS, (0.25, 0.25, 0.125, 0.5, 0.25, 0.25), strict=True):
        store.add(grid.cell("heart", "h", "Perceptron", algorithm, 0), invented_results.result(error, rng))
    caption = figures.learning_curves(store, {"heart": "h"}, "heart", "Perceptron", 1).caption
    assert "from .1250 ± .0000 (OGBoost) to .5000 ± .0000 (OSBoost)" in caption
    assert "OSBoost is 100.0% above that of one Perceptron" in caption


def test_caption_of_the_ranks(pictures):
    caption = pictures["ranks"].caption
    for fact in (
        "12 data sets",
        "OSBoost has the best mean rank, 1.90",
        "one Naive Bayes the worst, 2.90",
        "p = 0.0300",
    ):
        assert fact in caption
    assert "OSBoost, OzaBoost, OGBoost; OzaBoost, OGBoost, one Naive Bayes." in caption


# ---- how it looks ------------------------------------------------------------------------------------------------


@every
@themes
def test_nothing_overlaps_or_is_cut_off(pictures, kind, theme):
    check_layout(pictures[kind].draw(theme))


@pytest.mark.parametrize("k", [2, 4, 9, 14])
@pytest.mark.parametrize("ranks", ["spread", "tied", "random"])
@pytest.mark.parametrize("critical", [0.3, 20.0])
def test_rank_diagrams_of_any_size(k, ranks, critical):
    values = {
        "spread": np.arange(1, k + 1, dtype=float),
        "tied": np.full(k, (k + 1) / 2),
        "random": np.random.default_rng(k).uniform(1, k, k),
    }[ranks]
    names = tuple(f"algorithm {letter}" for letter in "ABCDEFGHIJKLMN"[:k])
    picture = figures.critical_difference(Ranking(names, tuple(values), float("nan"), critical, 5), "ranks")
    figure = picture.draw(drawing.DARK)
    check_layout(figure)
    shown = " ".join(text for text, _ in texts(figure))
    assert all(name in shown for name in names)
    assert "Friedman" not in picture.caption


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8),
    st.floats(0.01, 0.1),
)
def test_spread_moves_as_little_as_it_must(wanted, gap):
    placed = drawing.spread(wanted, gap, 0.0, 1.0)
    order = np.argsort(wanted, kind="stable")
    assert np.all(np.diff(placed[order]) >= gap - 1e-9)
    assert placed.min() >= -1e-9
    assert placed.max() <= 1 + 1e-9
    if np.all(np.diff(np.sort(wanted)) >= gap):
        np.testing.assert_allclose(placed, wanted, atol=1e-9)


# ---- files -------------------------------------------------------------------------------------------------------


def size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def test_files(store, tmp_path):
    """One of each: sizes, themes, determinism, and no trace in Matplotlib's global state."""
    chosen = {
        "curves": [("web page", "Perceptron")],
        "sizes": [("german", "NaiveBayes")],
        "gammas": [("german", "Perceptron")],
        "masses": [("german", "NaiveBayes")],
        "learners": ["Perceptron"],
    }
    before = dict(mpl.rcParams)
    open_before = sys.modules["matplotlib.pyplot"].get_fignums() if "matplotlib.pyplot" in sys.modules else []
    saved = figures.save_all(tmp_path, store, HASHES, TRIALS, {"german": invented_results.data()}, **chosen)
    assert dict(mpl.rcParams) == before
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == open_before
    stems = ["curves-web-page-perceptron", "size-german-naivebayes", "gamma-german-perceptron"]
    assert [picture.stem for picture in saved] == [*stems, "mass-german-naivebayes", "ranks-perceptron"]
    assert len(list(tmp_path.iterdir())) == 4 * len(saved)
    for picture in saved:
        width, height = size(picture.light)
        assert width == 800
        assert size(picture.dark) == (width, height)
        for path in (picture.light, picture.dark):
            drawn = ET.parse(path.with_suffix(".svg")).getroot()  # noqa: S314  # our own file
            assert [float(one) for one in drawn.get("viewBox").split()[2:]] == pytest.approx(
                [0.72 * width, 0.72 * height]
            )
        assert picture.light.read_bytes() != picture.dark.read_bytes()
        assert picture.title
        assert any(character.isdigit() for character in picture.caption)


def test_the_same_bytes_whatever_the_users_settings_are(pictures, tmp_path):
    first = pictures["gamma"].save(tmp_path / "a")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "savefig.dpi": 20}):
        second = pictures["gamma"].save(tmp_path / "b")
    assert first.light.read_bytes() == second.light.read_bytes()
    assert first.dark.read_bytes() == second.dark.read_bytes()


def test_without_matplotlib_a_sentence(pictures, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"onlineboost\[experiments\]"):
        pictures["gamma"].draw(drawing.LIGHT)
