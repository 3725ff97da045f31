"""Models merged: exact where sums are exact, the same in any order, and certificates that always hold."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onlineboost
from onlineboost import (
    AROW,
    FTRL,
    SCW,
    AdaGradLogistic,
    AveragedPerceptron,
    BayesianLogistic,
    BBMClassifier,
    HoeffdingTree,
    MultiLabelClassifier,
    NaiveBayes,
    OneVsRest,
    OnlineBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OnlineRidge,
    OSBoostClassifier,
    OzaBoostClassifier,
    PassiveAggressive,
    Perceptron,
    RandomFourier,
    RandomSubsets,
    Scaled,
    merge,
)
from onlineboost.learners.base import Learner
from onlineboost.merging import CannotMergeError
from onlineboost.merging.banks import RULES

pytestmark = [pytest.mark.quick, pytest.mark.engine]

LEARNERS = [
    Perceptron(),
    AveragedPerceptron(),
    OnlineGradient(),
    PassiveAggressive(),
    AdaGradLogistic(),
    FTRL(l1=0.01),
    AROW(),
    AROW(covariance="full"),
    SCW(),
    OnlineRidge(),
    BayesianLogistic(),
    NaiveBayes(),
    NaiveBayes(kind="typed"),
    NaiveBayes(kind="gaussian"),
    Scaled(AdaGradLogistic()),
    RandomFourier(AdaGradLogistic(), 12),
    Scaled(RandomFourier(AveragedPerceptron(), 8)),
    RandomSubsets(AROW(), 0.6),
    RandomSubsets(NaiveBayes(), 0.6, group=2),
]


def stream(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 2:] = rng.integers(0, 2, size=(n, 2))
    return X, np.where(X[:, 0] + X[:, 2] > 0.3, "yes", "no")


def close(a, b, X, tolerance=1e-9):
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=0, atol=tolerance)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_merging_has_the_laws_of_sums(learner):
    """Commutative, associative, with a neutral element; copies of the base are the base."""
    X, y = stream(240)
    test = stream(50, seed=1)[0]
    base = OSBoostClassifier(learner, 3, random_state=0).partial_fit(X[:40], y[:40])
    shards = [copy.deepcopy(base).partial_fit(X[40 + k :: 3], y[40 + k :: 3]) for k in range(3)]
    merged = merge(shards, base)
    assert merged.n_examples_ == 240
    close(merge(shards[::-1], base), merged, test)
    close(merge([merge(shards[:2], base), shards[2]], base), merged, test)
    close(merge([*shards, base], base), merged, test)
    close(merge([base, copy.deepcopy(base)], base), base, test)
    np.testing.assert_allclose(merged.weight_mass_, sum(s.weight_mass_ for s in shards) - 2 * base.weight_mass_)
    merged.partial_fit(X[:20], y[:20])
    close(onlineboost.from_bytes(merged.to_bytes()), merged, test, 0)


def three_classes(n, seed=0):
    X, _ = stream(n, seed)
    return X, np.array(["a", "b", "c"])[np.clip(np.round(X[:, 0] + X[:, 2] + 0.5), 0, 2).astype(int)]


@pytest.mark.parametrize("kind", [OSBoostClassifier, OneVsRest, OzaBoostClassifier])
@pytest.mark.parametrize(
    ("learner", "begun"),
    [
        (AROW(), "a b"),
        (AROW(), "all"),
        (NaiveBayes(kind="typed"), "a b"),
        (Scaled(AdaGradLogistic()), "all"),
        (Perceptron(), "a b"),
        (RandomSubsets(AROW()), "a b"),
    ],
    ids=repr,
)
def test_many_classes_merge_class_by_class(kind, learner, begun):
    """The same laws, also where the base and a shard know two of the classes only."""
    X, y = three_classes(300)
    test = stream(40, seed=1)[0]
    early = np.flatnonzero(y != "c")[:30] if begun == "a b" else np.arange(30)
    if kind is OneVsRest:
        model = OneVsRest(OSBoostClassifier(learner, 3, random_state=0))
    else:
        model = kind(learner, 3, random_state=0)
    base = model.partial_fit(X[early], y[early])
    parts = [np.setdiff1d(np.arange(k, 300, 3), early) for k in range(3)]
    parts[0] = parts[0][y[parts[0]] != "c"] if begun == "a b" else parts[0]
    shards = [copy.deepcopy(base).partial_fit(X[part], y[part]) for part in parts]
    merged = merge(shards, base)
    assert merged.n_examples_ == sum(map(len, parts)) + 30
    assert merged.classes_.tolist() == ["a", "b", "c"]
    assert merged.score(X, y) > 0.4
    close(merge(shards[::-1], base), merged, test)
    close(merge([merge(shards[:2], base), shards[2]], base), merged, test)
    close(merge([*shards, base], base), merged, test)
    close(merge([base, copy.deepcopy(base)], base), base, test)
    merged.partial_fit(X[:20], y[:20])
    close(onlineboost.from_bytes(merged.to_bytes()), merged, test, 0)


def test_many_classes_from_nothing():
    """Shards begin classes in orders of their own; what is random by number then differs, and nothing else."""
    X, y = three_classes(240)
    order = np.concatenate([np.flatnonzero(y == label)[:1] for label in "cba"])
    X, y = np.concatenate([X[order], X, X[order[::-1]]]), np.concatenate([y[order], y, y[order[::-1]]])
    parts = [np.arange(123), np.arange(245, 122, -1)]
    shards = [OnlineClassifier(NaiveBayes(), random_state=0).partial_fit(X[part], y[part]) for part in parts]
    for merged in (merge(shards), merge(shards[::-1])):
        assert merged.n_examples_ == 246
        assert merged.score(X, y) > 0.7
    close(merge(shards), merge(shards[::-1]), X)
    apart = [OneVsRest(OSBoostClassifier(RandomSubsets(AROW()), 2, random_state=0)) for _ in range(2)]
    for one, rows in zip(apart, ([0, 1, 2], [2, 1, 0]), strict=True):
        one.partial_fit(X[rows], y[rows])
    with pytest.raises(CannotMergeError, match="in different orders"):
        merge(apart)


def test_names_in_other_orders_have_other_random_features():
    a, b = (OnlineClassifier(RandomFourier(AROW(), 4), random_state=0) for _ in range(2))
    a.learn_one({"x": 1.0, "y": 2.0}, 1)
    b.learn_one({"y": 2.0, "x": 1.0, "a": 3.0}, 0)
    with pytest.raises(CannotMergeError, match="in different orders"):
        merge([a, b])


def test_every_rule_is_tried():
    assert {type(one).__name__ for one in LEARNERS} == RULES.keys()


@pytest.mark.parametrize(
    "learner",
    [NaiveBayes(), NaiveBayes(kind="typed"), NaiveBayes(kind="gaussian"), OnlineRidge()],
    ids=repr,
)
def test_sums_merge_exactly(learner):
    """What one machine would have learned from the whole stream, whatever the shards have seen of it."""
    X, y = stream(300)
    X[:150, 3] = 0  # a feature that only one shard sees
    whole = OnlineClassifier(learner, random_state=0).fit(X, y)
    shards = [OnlineClassifier(learner, random_state=0).fit(X[part], y[part]) for part in (slice(150), slice(150, 300))]
    # The engine's first class differs between shards; margins are the learner's outputs.
    np.testing.assert_allclose(merge(shards).margin(X[:80]), whole.margin(X[:80]), rtol=0, atol=1e-8)


def test_precisions_add_as_in_the_closed_form():
    """Ridge regression of all rows: A = aI + Σ x x', u = A⁻¹ Σ y x."""
    X, y = stream(90)
    shards = [
        OnlineClassifier(OnlineRidge(unit_norm=False, forecast="ridge"), random_state=0).fit(X[k::3], y[k::3])
        for k in range(3)
    ]
    state = merge(shards).machine.engine.core.state()
    rows = np.hstack([np.ones((90, 1)), X[:, state["features"]]])
    signs = np.where(y == "no", 1.0, -1.0)
    expected = np.linalg.solve(np.eye(5) + rows.T @ rows, rows.T @ signs)
    np.testing.assert_allclose(state["coordinates"][:, 0], expected, atol=1e-10)


def test_averages_over_time_add():
    """The merged average is that of all weights that the shards had after each example."""
    X, y = stream(120)
    make = OnlineClassifier(AveragedPerceptron(unit_norm=False), random_state=0)
    base = copy.deepcopy(make).fit(X[:20], y[:20])
    shards = [copy.deepcopy(base).partial_fit(X[20:90], y[20:90]), copy.deepcopy(base).partial_fit(X[90:], y[90:])]

    def averages(model):
        state = model.machine.engine.core.state()
        return state["coordinates"] * state["clocks"] - state["timed_steps"]

    state = merge(shards, base).machine.engine.core.state()
    assert state["clocks"] == 120
    expected = sum(averages(one) for one in shards) - averages(base)
    np.testing.assert_allclose(state["coordinates"] - state["timed_steps"] / 120, expected / 120, atol=1e-12)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_certificates_of_a_fleet_hold_under_any_order_of_syncs(syncs, seed):
    """After each sync, some shards go on from the merged model and others from a stale one; no example counts twice."""
    rng = np.random.default_rng(seed)
    base, total = OSBoostClassifier(AROW(), 4, gamma=0.2, random_state=0), None
    for lost in syncs:
        shards = []
        for k in range(3):
            shard = copy.deepcopy(base)
            X = rng.normal(size=(8, 3))
            shard.partial_fit(X, (X[:, 0] * rng.choice([-1, 1]) > 0).astype(int), classes=[0, 1])
            if k != lost:
                shards.append(shard)
        base = merge(shards, base)
        certificate = base.certificate()
        assert certificate.n_examples == base.n_examples_
        assert (certificate.observed_error <= certificate.certified_error + 1e-12).all()
        total = certificate
    assert total is not None


def test_names_and_labels_are_matched():
    """Shards number names and classes as they come; the merged model knows them by name."""
    a = OSBoostClassifier(NaiveBayes(), 3, random_state=0)
    b = OSBoostClassifier(NaiveBayes(), 3, random_state=0)
    for _ in range(20):
        a.learn_one({"spam": 1.0}, "bad")
        a.learn_one({"hello": 1.0}, "good")
        b.learn_one({"hello": 1.0, "you": 1.0}, "good")
        b.learn_one({"win": 1.0}, "bad")
    for merged in (merge([a, b]), merge([b, a])):
        assert merged.predict_one({"win": 1.0}) == merged.predict_one({"spam": 1.0}) == "bad"
        assert merged.predict_one({"you": 1.0}) == "good"
        assert merged.classes_.tolist() == ["bad", "good"]


@pytest.mark.parametrize("kind", [OzaBoostClassifier, BBMClassifier])
def test_other_boosters(kind):
    X, y = stream(200)
    shards = [kind(NaiveBayes(), 5, random_state=0).fit(X[k::2], y[k::2]) for k in range(2)]
    assert merge(shards).score(X, y) > 0.85


@pytest.mark.parametrize("name", sorted(Learner.declared.keys() - RULES.keys()))
def test_learners_that_cannot_be_merged_say_so(name):
    X, y = stream(20)
    model = OSBoostClassifier(Learner.declared[name](), 2, random_state=0).fit(X, y)
    with pytest.raises(CannotMergeError, match=f"^{name} cannot be merged: .* average their probabilities"):
        merge([model, model])


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ([], "no models to merge"),
        ([OSBoostClassifier(AROW(), 2), OSBoostClassifier(AROW(), 3)], "differ in their parameters"),
    ],
)
def test_bad_groups(models, sentence):
    with pytest.raises(ValueError, match=sentence):
        merge(models)


def test_models_that_do_not_fit_together():
    X, y = stream(30)
    make = [OSBoostClassifier(AROW(), 2, random_state=seed).fit(X, y) for seed in (0, 1)]
    with pytest.raises(CannotMergeError, match=r"differ in their parameters|different seeds"):
        merge(make)
    narrow = OSBoostClassifier(AROW(), 2, random_state=0).fit(X[:, :3], y)
    with pytest.raises(CannotMergeError, match="same columns"):
        merge([make[0], narrow])
    with pytest.raises(CannotMergeError, match="its own vote"):
        merge([OSBoostClassifier(AROW(), 2, vote="ocp", random_state=0).fit(X, y)])
    sets = MultiLabelClassifier(OSBoostClassifier(AROW(), 2, random_state=0)).fit(X, X > 0)
    with pytest.raises(CannotMergeError, match="a booster for each label of a set"):
        merge([sets, sets])
    with pytest.raises(CannotMergeError, match=r"its families trees, .*neighbours.* are no sums"):
        merge([OnlineBoostClassifier(random_state=0)])
    with pytest.raises(CannotMergeError, match="HoeffdingTree cannot"):
        merge([OSBoostClassifier(HoeffdingTree(), 2, random_state=0).fit(X, y)])


@pytest.mark.parametrize(
    "made",
    [
        OSBoostClassifier(n_learners=2, random_state=0),
        OSBoostClassifier(RandomFourier(), 2, random_state=0, n_jobs=1),
        OneVsRest(OSBoostClassifier(n_learners=2, random_state=0)),
    ],
)
def test_defaults_by_their_names_are_the_same(made):
    """A model that was loaded has its default learner by its name."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    made.partial_fit(X[:20], y[:20])
    ones = [onlineboost.from_bytes(made.to_bytes()) for _ in range(2)]
    for k, one in enumerate(ones):
        one.partial_fit(X[20 + k :: 2], y[20 + k :: 2])
    assert merge(ones, made).n_examples_ == 60
    assert merge(ones, made).to_bytes() == merge(ones, onlineboost.from_bytes(made.to_bytes())).to_bytes()


def test_models_without_examples():
    fresh = OSBoostClassifier(AROW(), 2, random_state=0)
    X, y = stream(30)
    learned = OSBoostClassifier(AROW(), 2, random_state=0).fit(X, y)
    close(merge([fresh, learned]), learned, X)
    assert not merge([fresh, fresh]).machine_to_learn().begun


@pytest.mark.parametrize("vote", ["uniform", "ocp", "eg", "experts"])
def test_certificates_add(vote):
    """Those of shards are one of all examples, and its regret stays within its bound."""
    X, y = stream(300)
    shards = [OSBoostClassifier(Perceptron(), 5, vote=vote, random_state=0).fit(X[k::3], y[k::3]) for k in range(3)]
    parts = [one.certificate() for one in shards]
    whole = sum(parts)
    assert whole.n_examples == 300
    np.testing.assert_array_equal(whole.sums.mass, parts[0].sums.mass + parts[1].sums.mass + parts[2].sums.mass)
    assert (whole.observed_error <= whole.certified_error).all()
    assert vote == "uniform" or whole.vote.regret <= whole.vote.regret_bound
    assert "300 examples" in whole.summary()


def test_prediction_sets_go_on():
    """Thresholds are averaged by examples, and the sets of the merged model cover as those of the shards."""
    X, y = stream(600)
    shards = [OnlineClassifier(AROW(), random_state=0).fit(X[part], y[part]) for part in (slice(400), slice(400, 600))]
    merged = merge(shards)
    q = [one.machine.engine.core.summary()["set_thresholds"] for one in (*shards, merged)]
    np.testing.assert_allclose(q[2], (2 * q[0] + q[1]) / 3)
    assert merged.machine.engine.core.summary()["set_steps"] == [600]
    close(merge([merged, shards[0]], shards[0]), merge([shards[0], merged], shards[0]), X[:20])


def test_certificates_that_do_not_add():
    X, y = stream(30)
    one, other = (OSBoostClassifier(AROW(), 2, gamma=g, fading=10, random_state=0).fit(X, y) for g in (0.1, 0.2))
    with pytest.raises(ValueError, match="same learners, gamma"):
        one.certificate() + other.certificate()
    with pytest.raises(ValueError, match="clocks differ"):
        sum([one.certificate(faded=True), one.certificate(faded=True)])
