"""Metrics of streams against scikit-learn's and river's, whatever the batches."""

import warnings

import numpy as np
import pytest
from river import metrics as river_metrics
from sklearn import metrics as sk

from onlineboost import Metrics, OneVsRest, OSBoostClassifier, prequential

pytestmark = pytest.mark.quick


def stream(n_classes, n=1500, seed=0):
    """Labels, predictions, probabilities with ties, and weights."""
    rng = np.random.default_rng(seed)
    names = np.array(["b", "a", "d", "c", "e"][:n_classes])
    true = rng.integers(n_classes, size=n)
    P = rng.dirichlet(np.ones(n_classes), n)
    P[np.arange(n), true] += rng.random(n)
    P = np.round(P / P.sum(axis=1, keepdims=True), 3)
    P[:, -1] = 1 - P[:, :-1].sum(axis=1)
    order = np.argsort(names)
    P, classes = P[:, order], names[order]
    return names[true], classes[P.argmax(axis=1)], np.clip(P, 0, 1), classes, rng.integers(1, 4, n).astype(float)


def expected(name, y, said, P, classes, w):
    """What scikit-learn says."""
    two, kwargs = len(classes) == 2, {"sample_weight": w}
    base, _, average = name.partition("_")
    if base in {"precision", "recall", "f1"}:
        kind = {"average": average or "macro"}
        if two and not average:
            kind = {"average": "binary", "pos_label": classes[1]}
        score = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}[base]
        return score(y, said, zero_division=0, **kind, **kwargs)
    hit = (y[:, None] == classes).astype(float)
    functions = {
        "accuracy": lambda: sk.accuracy_score(y, said, **kwargs),
        "error": lambda: sk.zero_one_loss(y, said, **kwargs),
        "balanced_accuracy": lambda: sk.balanced_accuracy_score(y, said, **kwargs),
        "cohen_kappa": lambda: sk.cohen_kappa_score(y, said, **kwargs),
        "matthews_corrcoef": lambda: sk.matthews_corrcoef(y, said, **kwargs),
        "confusion_matrix": lambda: sk.confusion_matrix(y, said, labels=classes, **kwargs),
        "log_loss": lambda: sk.log_loss(y, P, labels=classes, **kwargs),
        "brier_score": lambda: sk.brier_score_loss(
            y,
            P[:, 1] if two else P,
            pos_label=classes[1] if two else None,
            **({} if two else {"labels": classes}),
            **kwargs,
        ),
        "roc_auc": lambda: sk.roc_auc_score(hit[:, 1:] if two else hit, P[:, 1:] if two else P, **kwargs),
        "average_precision": lambda: sk.average_precision_score(
            hit[:, 1:] if two else hit, P[:, 1:] if two else P, **kwargs
        ),
    }
    functions["roc_auc_ovr"] = functions["roc_auc"]
    return functions[name]()


OURS_ALONE = {"majority_error", "no_change_error", "kappa_temporal", "calibration_error"}


@pytest.mark.parametrize("n_classes", [2, 5])
def test_every_metric_is_scikit_learns(n_classes):
    y, said, P, classes, w = stream(n_classes)
    P = np.clip(P, 1e-3, 1)
    P /= P.sum(axis=1, keepdims=True)
    found = Metrics(100, exact=True).update(y, said, P, classes, w)
    for name in set(found) - OURS_ALONE:
        wanted = expected(name.removeprefix("neg_"), y, said, P, classes, w) * (-1 if name.startswith("neg_") else 1)
        np.testing.assert_allclose(found[name], wanted, rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_no_number_depends_on_the_batches(n_classes):
    y, said, P, classes, w = stream(n_classes)
    w = w / 3
    whole = Metrics(100, 250).update(y, said, P, classes, w)
    for cuts in ([1, 2, 99, 100, 101, 700], list(range(0, 1500, 7))):
        parts = Metrics(100, 250)
        for rows in np.split(np.arange(1500), cuts):
            parts.update(y[rows], said[rows], P[rows], classes, w[rows])
        assert parts.to_dict() == whole.to_dict()
        assert parts.windows == whole.windows
        assert parts.recent("roc_auc") == whole.recent("roc_auc")


def test_a_class_that_comes_late_had_probability_0():
    y, said, P, classes, w = stream(3)
    early = y[:40] != classes[2]
    y, said, w = (np.concatenate([a[:40][early], a[40:]]) for a in (y, said, w))
    P = np.concatenate([P[:40][early], P[40:]])
    n = int(early.sum())
    P[:n, 2], said[:n] = 0.0, classes[0]
    one, two = Metrics(16).update(y, said, P, classes, w), Metrics(16)
    two.update(y[:n], said[:n], P[:n, :2], classes[:2], w[:n]).update(y[n:], said[n:], P[n:], classes, w[n:])
    assert one.to_dict() == two.to_dict()


def test_parts_of_a_stream_merge():
    y, said, P, classes, w = stream(3)
    whole, merged = Metrics(100).update(y, said, P, classes, w), Metrics(100)
    for rows in np.array_split(np.arange(1500), 4):
        part = slice(None, None, -1 if rows[0] else 1)  # another order of the columns
        merged.merge(Metrics(100).update(y[rows], said[rows], P[rows][:, part], classes[part], w[rows]))
    for name, value in whole.to_dict().items():
        np.testing.assert_allclose(merged.to_dict()[name], value, rtol=1e-12, err_msg=name)
    assert merged.examples == 1500


def test_windows_and_fading_by_definition():
    y, said, P, classes, w = stream(2)
    found = Metrics(100, 200, shown=("accuracy", "roc_auc")).update(y, said, P, classes, w)
    rows = found.windows
    assert [row["examples"] for row in rows] == list(range(100, 1501, 100))
    right = (y == said).astype(float)
    window, before = slice(700, 800), slice(0, 800)
    assert rows[7]["accuracy_window"] == pytest.approx(right[window] @ w[window] / w[window].sum())
    assert rows[7]["accuracy"] == pytest.approx(right[before] @ w[before] / w[before].sum())
    assert rows[7]["roc_auc_window"] == pytest.approx(
        sk.roc_auc_score(y[window] == "b", P[window, 1], sample_weight=w[window]), abs=2e-3
    )
    faded = w[before] * np.repeat(0.5 ** (np.arange(7, -1, -1) / 2), 100)
    assert rows[7]["accuracy_recent"] == pytest.approx(right[before] @ faded / faded.sum())
    assert found.to_frame().shape == (15, 7)


def test_the_area_from_bins_is_within_its_bound():
    for seed in range(5):
        y, said, P, classes, w = stream(2, seed=seed)
        P = P**4 / (P**4).sum(axis=1, keepdims=True)
        exact = Metrics(exact=True).update(y, said, P, classes, w)
        binned = Metrics().update(y, said, P, classes, w)
        assert exact.bound == 0
        assert abs(binned["roc_auc"] - exact["roc_auc"]) <= binned.bound < 0.002
        assert binned["average_precision"] == pytest.approx(exact["average_precision"], abs=0.01)


def test_rivers_figures():
    y, said, P, classes, _ = stream(2)
    found = Metrics().update(y, said, P, classes)
    theirs = {
        "accuracy": river_metrics.Accuracy(),
        "balanced_accuracy": river_metrics.BalancedAccuracy(),
        "f1": river_metrics.F1(),
        "precision": river_metrics.Precision(),
        "recall": river_metrics.Recall(),
        "cohen_kappa": river_metrics.CohenKappa(),
        "matthews_corrcoef": river_metrics.MCC(),
        "log_loss": river_metrics.LogLoss(),
    }
    for true, label, p in zip(y, said, P[:, 1], strict=True):
        for name, metric in theirs.items():
            if name == "log_loss":
                metric.update(true == "b", float(p))
            else:
                metric.update(true == "b", label == "b")
    for name, metric in theirs.items():
        assert found[name] == pytest.approx(metric.get(), abs=1e-9), name


def test_baselines_of_streams():
    y = np.array(list("aaabbbbbaa"))
    found = Metrics().update(y, np.full(10, "a"))
    assert found["majority_error"] == 0.5
    assert found["no_change_error"] == pytest.approx(0.3)  # the first, and two changes
    assert found["kappa_temporal"] == pytest.approx(1 - 0.5 / 0.3)
    assert np.isnan(found["log_loss"])
    assert np.isnan(found["roc_auc"])


def test_calibration_error_by_definition():
    y, said, P, classes, w = stream(2)
    found = Metrics().update(y, said, P, classes, w)["calibration_error"]
    place = np.minimum((P[:, 1] * 20).astype(int), 19)
    wanted = sum(abs(w[place == b] @ (P[place == b, 1] - (y[place == b] == "b"))) for b in range(20)) / w.sum()
    assert found == pytest.approx(wanted)


def test_bad_arguments():
    with pytest.raises(KeyError, match="There is no metric 'auc'"):
        Metrics()["auc"]
    with pytest.raises(KeyError, match="There is no metric 'auc'"):
        prequential(OSBoostClassifier(), np.eye(4), [0, 1, 0, 1], metrics=["auc"])
    with pytest.raises(ValueError, match="1 or more"):
        Metrics(0)
    with pytest.raises(ValueError, match="shape"):
        Metrics().update([0, 1], [0, 1], [[1.0], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="3 labels but 2 predictions"):
        Metrics().update([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="probabilities, row 1: NaN is not a probability"):
        Metrics().update([0, 1], [0, 1], [0.5, np.nan])


def test_what_was_taken_no_longer_belongs_to_the_caller():
    """Probabilities wait for the end of a window, where the caller may have written over them."""
    P = np.array([[0.9, 0.1], [0.4, 0.6]])
    taken = Metrics().update([0, 1], [0, 1], P)
    P[:] = 0.5
    assert taken["log_loss"] == pytest.approx(-np.log([0.9, 0.6]).mean())


@pytest.mark.parametrize("many", [False, True])
def test_prequential_has_them(many):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4))
    y = np.where(X[:, 0] > 0.5, "x", np.where(X[:, 1] > 0, "y", "z")) if many else (X[:, 0] > X[:, 1])
    model = OneVsRest(OSBoostClassifier(n_learners=5)) if many else OSBoostClassifier(n_learners=5)
    result = prequential(model, X, y, metrics=["f1", "roc_auc"], window=150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert result.metrics["accuracy"] == pytest.approx(1 - result.error)
    P = result.probabilities if many else np.column_stack([1 - result.probabilities, result.probabilities])
    assert result.metrics["log_loss"] == pytest.approx(result.log_loss)
    hit = y[:, None] == model.classes_
    assert result.metrics["roc_auc"] == pytest.approx(sk.roc_auc_score(hit, P), abs=1e-9)
    frame = result.to_frame()
    assert frame["examples"].tolist() == [150, 300, 450, 600]
    assert {"f1", "roc_auc_window", "error_recent", "no_change_error"} <= set(frame.columns)
