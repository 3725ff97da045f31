"""What moved a margin adds up to it, for every model; importances find the features that matter."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_friedman1
from sklearn.feature_selection import RFE, SelectFromModel
from table import make, stream

import onlineboost
from onlineboost import (
    AROW,
    FTRL,
    GradientBoostClassifier,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    PassiveAggressive,
    Perceptron,
)

pytestmark = [pytest.mark.quick, pytest.mark.engine]

mpl.use("Agg")
X, Y = stream(120)
MODELS = [
    "perceptron",
    "arow",
    "bayes-auto",
    "bayes-typed",
    "tree",
    "regression-tree",
    "fourier",
    "scaled",
    "subsets",
    "neighbours",
]


@pytest.mark.parametrize("learner", MODELS)
@pytest.mark.parametrize("booster", ["osboost", "gradient-boost"])
def test_contributions_and_base_sum_to_the_margin(booster, learner):
    model = make(booster, learner).partial_fit(X, Y)
    for x in X[:5]:
        found = model.explain(x)
        assert found.base + found.contributions.sum() == pytest.approx(float(model.margin(x[None])[0]), abs=1e-9)
        assert found.margin == model.margin(x[None])[0]


def test_a_linear_margin_gives_each_feature_its_weight_times_its_distance_from_the_mean():
    model = OnlineClassifier(PassiveAggressive(unit_norm=False), random_state=0).fit(X / 50, Y)
    x = X[7] / 50
    found = model.explain(x)
    assert abs(found.margin) < 1
    assert found.contributions == pytest.approx(model.coef_[0] * (x - np.mean(X / 50, axis=0)), abs=1e-12)
    assert found.margin == pytest.approx(model.coef_[0] @ x + model.intercept_[0], abs=1e-12)


def test_pairs_share_their_term():
    """Two paths give Shapley values where terms have at most two features; here the model's own answers say so."""
    model = OSBoostClassifier(NaiveBayes(), 5, random_state=0).fit(X[:, :2], Y)
    mean, x = X[:, :2].mean(axis=0), X[3, :2]
    f00, f10, f01, f11 = model.margin(np.array([mean, [x[0], mean[1]], [mean[0], x[1]], x]))
    assert model.explain(x).contributions == pytest.approx(
        [((f10 - f00) + (f11 - f01)) / 2, ((f01 - f00) + (f11 - f10)) / 2]
    )


def test_a_mixture_and_many_classes():
    model = OnlineBoostClassifier(random_state=0).fit(X, Y)
    found = model.explain(X[0])
    assert found.base + found.contributions.sum() == pytest.approx(found.margin, abs=1e-9)
    assert sum(one.share for one in found.families) == pytest.approx(1)
    assert all(0 <= one.probability <= 1 for one in found.families)
    assert found.families[0].name in str(found)
    many = OneVsRest(OSBoostClassifier(n_learners=5, random_state=0)).fit(X, np.where(X[:, 0] > 1, 2, Y))
    found = many.explain(X[0])
    assert found.contributions.shape == (5, 3)
    assert found.base + found.contributions.sum(axis=0) == pytest.approx(many.margin(X[:1])[0], abs=1e-9)
    assert found.to_frame().shape == (5, 4)
    assert len(found.ranked(2)) <= 5
    assert not found.families
    assert found.plot().patches
    mpl.pyplot.close("all")


def test_dicts_frames_and_files(tmp_path):
    pd = pytest.importorskip("pandas")
    model = OSBoostClassifier(NaiveBayes(), 5, random_state=0)
    for k in range(60):
        model.learn_one({"word=free": 1} if k % 3 == 0 else {"word=noon": 1, "length": k / 10}, k % 3 == 0)
    model.save(tmp_path / "m.ob")
    model = onlineboost.load(tmp_path / "m.ob")
    found = model.explain({"word=free": 1, "unheard": 3})
    assert set(found.features) == {"word=free", "word=noon", "length"}
    assert sum(model.importances().values()) == pytest.approx(1)
    with pytest.raises(AttributeError, match="importances"):
        _ = model.feature_importances_
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = OSBoostClassifier(random_state=0).fit(frame, Y)
    assert model.explain(frame.iloc[[4]]).features == list("abcde")
    assert model.explain(frame.iloc[4]).margin == model.explain(frame.iloc[[4]]).margin == model.margin(frame)[4]
    with pytest.raises(ValueError, match="One example is explained at a time"):
        model.explain(frame)
    rows = sparse.csr_array(X)
    model = OSBoostClassifier(random_state=0).fit(rows, Y)
    assert model.explain(rows[[4]]).margin == model.explain(rows[4]).margin == model.margin(rows)[4]


def test_families_are_those_of_the_generation_that_leads():
    """After a flip a young generation leads: what is told is said by its families, not by those of the old concept."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3000, 4))
    labels = np.where(np.arange(3000) < 2000, rows[:, 0] > 0, rows[:, 0] < 0).astype(int)
    families = [("linear", OnlineClassifier(AROW())), ("bayes", OnlineClassifier(NaiveBayes()))]
    model = OnlineBoostClassifier(families, random_state=0).fit(rows, labels)
    leader = next(one for one in model.certificate().generations if one.leads)
    assert leader.since > 1990
    told = model.explain(np.array([[3.0, 0, 0, 0]]))
    assert told.margin < -0.9
    assert {one.name: one.probability < 0.1 for one in told.families} == {"linear": True, "bayes": True}
    assert sum(one.share for one in told.families) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "n"),
    [
        (OnlineBoostClassifier(random_state=0), 1500),
        (OSBoostClassifier(NaiveBayes(), 20, random_state=0), 4000),
        (GradientBoostClassifier(random_state=0), 1500),
    ],
    ids=lambda given: type(given).__name__,
)
def test_importances_find_the_informative_features(model, n):
    """Rows in a random order: shuffle=False, which keeps the informative columns in front, sorts them by class."""
    hits = []
    for seed in range(2):
        for clusters in (1, 2):
            rows, labels = make_classification(
                *(n, 20),
                n_informative=5,
                n_redundant=0,
                n_clusters_per_class=clusters,
                shuffle=False,
                random_state=seed,
            )
            order = np.random.default_rng(seed).permutation(n)
            found = model.fit(rows[order], labels[order]).feature_importances_
            hits.append(np.isin(np.argsort(-found)[:5], range(5)).mean())
        rows, values = make_friedman1(n, 15, noise=0.5, random_state=seed)
        found = model.fit(rows, values > np.median(values)).feature_importances_
        assert found.sum() == pytest.approx(1)
        hits.append(np.isin(np.argsort(-found)[:5], range(5)).mean())
    assert np.mean(hits) >= 0.9


def test_scikit_learns_selectors():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 6))
    labels = (rows[:, 1] - rows[:, 4] > 0).astype(int)
    for model in (OSBoostClassifier(FTRL(), 5, random_state=0), OSBoostClassifier(NaiveBayes(), 5, random_state=0)):
        assert SelectFromModel(model, max_features=2, threshold=-np.inf).fit(rows, labels).get_support().nonzero()[
            0
        ].tolist() == [1, 4]
        assert RFE(model, n_features_to_select=2).fit(rows, labels).support_.nonzero()[0].tolist() == [1, 4]
    assert hasattr(OSBoostClassifier(Perceptron()).fit(rows, labels), "coef_")
    assert not hasattr(OSBoostClassifier(NaiveBayes()).fit(rows, labels), "coef_")


def test_columns_of_any_kind_and_missing_values():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame["kind"] = np.where(Y[0] == Y, "x", np.where(X[:, 0] > 0, "y", "z"))
    frame.loc[::7, "a"] = np.nan
    model = OSBoostClassifier(NaiveBayes(), 5, random_state=0).fit(frame, Y)
    for k in (0, 1, 7):
        found = model.explain(frame.iloc[[k]])
        assert found.margin == pytest.approx(model.margin(frame.iloc[[k]])[0], abs=1e-12)
        assert found.base + found.contributions.sum() == pytest.approx(found.margin, abs=1e-9)
    assert model.feature_importances_.shape == (3,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 2


def test_importances_of_the_largest_numbers():
    rows = [{"a": -1e100, "b": 1.0}, {"a": 1e100, "b": 0.0}] * 10
    fitted = OSBoostClassifier(NaiveBayes(), 3, random_state=0).partial_fit(rows, [0, 1] * 10)
    assert all(np.isfinite(share) for share in fitted.importances().values())
