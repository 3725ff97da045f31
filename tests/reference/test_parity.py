"""The native engine against onlineboost.reference, pair by pair.

A comparison to 1e-9 is fair only where the algorithm is continuous. Three things are not: the mistake test of a
Perceptron, the right-or-wrong of an output (OzaBoost, the candidates of OGBoost, the experts of OSBoost.EXP),
and the trigger y f < theta of OSBoost.OCP. At an exact tie there, both sides are right and the last bit of a sum
decides. So the streams are drawn such that no tie occurs:

* a Perceptron that starts at 0 gets continuous features (one that starts at random has no ties);
* where outputs are judged, 0/1 events come with continuous sample weights, for with equal weights the products
  of small counts, or the inner products of 0/1 rows, are often exactly balanced;
* where votes of AdaBoost.OL that are equal after the first few examples cancel, a drawn stream is not used;
* there too, Bernoulli features have a pseudo-count of 1/2: with 1e-16, a feature that only one class has
  and one that only the other has cancel to an odds of exactly 1, whatever the weights.

A fourth thing is continuous but steep: a Gaussian feature of variance 1e-9, the default floor, adds up to 1e9 to
the log-odds, so that 1e-9 cannot be asked for where such terms cancel, as they may on the first few examples of a
class. The variants and the drawn streams have a higher floor, the long streams the default.
"""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from parity import assert_parity, build, judges_outputs, kinds_for, needs_weights
from sklearn.base import clone
from states import state_of
from table import BOOSTER_VARIANTS, BOOSTERS, EVERY_PAIR, LEARNER_VARIANTS, NATIVE, NATIVE_ONLY, cross
from twins import (
    SANITIZED,
    TOLERANCE,
    ReferenceLearner,
    Stream,
    cancels,
    make_stream,
    run_native,
    run_reference,
)

from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    HoeffdingTree,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

pytestmark = [pytest.mark.engine, pytest.mark.quick]

PLAIN_BOOSTERS = {name: booster for name, booster in BOOSTERS.items() if name != "gradient-boost"}
PLAIN_LEARNERS = {name: NATIVE[name] for name in ("perceptron", "bayes-auto", "gradient", "tree")}
SIZES = (1, 2, 3, 5, 7, 8, 9, 13, 16, 20)  # around the blocks of eight, and inside them


def pairs_of_variants():
    """Every variant of a booster over two kinds of learners, and every variant of a learner under four boosters.

    The other side changes from pair to pair; test_drawn_streams_and_parameters draws any of both. With the
    environment variable ONLINEBOOST_EVERY_PAIR, over each kind and under each booster.
    """
    kinds = {}
    for name, learner in LEARNER_VARIANTS.items():
        kinds.setdefault(type(learner), []).append(name)
    found = {
        (b, names[k % len(names)]): None
        for k, b in enumerate(BOOSTER_VARIANTS)
        for turn, names in enumerate(kinds.values())
        if EVERY_PAIR or (k + turn) % 2 == 0
    }
    found |= {
        (b, l): None
        for (turn, b), (k, l) in itertools.product(enumerate(PLAIN_BOOSTERS), enumerate(LEARNER_VARIANTS))
        if EVERY_PAIR or (turn + k) % 4 == 0
    }
    # An output that is 0 but for rounding is right in one and wrong in the other. Counts that all start at alpha give
    # such outputs for any weights: after one example, each feature in which a row differs from it cancels a factor of
    # the prior.
    boosters = BOOSTER_VARIANTS | PLAIN_BOOSTERS
    return [(b, l) for b, l in found if l != "naive_bayes-paper-bernoulli" or not judges_outputs(boosters[b])]


PAIRS = pairs_of_variants()
IN_TURN = [
    pytest.param(*pair, id="-".join(pair), marks=pytest.mark.slow if turn % 2 else ())  # half of them are quick
    for turn, pair in enumerate(PAIRS)
]


@pytest.mark.parametrize(("booster", "learner"), IN_TURN)
def test_every_variant(booster, learner):
    turn = PAIRS.index((booster, learner))  # walks through sizes, kinds of features and weights
    learner, booster = LEARNER_VARIANTS[learner], (BOOSTER_VARIANTS | PLAIN_BOOSTERS)[booster]
    kinds = kinds_for(learner)
    kind = kinds[turn % len(kinds)]
    model = build(booster, learner, SIZES[turn % len(SIZES)])
    weighted = needs_weights(booster, learner, kind) or turn % 2 == 0
    stream = make_stream(kind, turn, 30, 6, weighted=weighted)
    assert_parity(model, stream, make_stream(kind, turn + 1, 5, 6, weighted=False).X)


LONG = dict.fromkeys(itertools.product(PLAIN_BOOSTERS, ["bayes-auto"]))
SWEPT = PLAIN_BOOSTERS if EVERY_PAIR else ["osboost", "ozaboost"]
LONG |= dict.fromkeys(itertools.product(SWEPT, [*PLAIN_LEARNERS, "bayes-gaussian"]))


@pytest.mark.slow
@pytest.mark.untraced  # the reference is covered by the short streams, and twice as fast untraced
@pytest.mark.parametrize(("booster", "learner"), LONG, ids=map("-".join, LONG))
def test_long_streams(booster, learner):
    """Rounding must not build up over hundreds of examples, in a booster or in a bank."""
    learner, booster = NATIVE[learner], PLAIN_BOOSTERS[booster]
    weighted = needs_weights(booster, learner, "mixed")
    slow = isinstance(learner, HoeffdingTree)  # in NumPy
    stream = make_stream("mixed", 11, 150 if slow else 400, 7, weighted=weighted)
    assert_parity(build(booster, learner, 3 if slow else 5), stream, make_stream("mixed", 12, 20, 7, weighted=False).X)


@pytest.mark.slow
@pytest.mark.untraced  # as above
@pytest.mark.parametrize(
    ("booster", "learner"),
    cross(
        ["osboost", "ocp", "eg", "experts", "ogboost", "bbm", "bbm-real", "adaboost-ol-w"],
        PLAIN_LEARNERS,
        {"perceptron"},
    ),
)
def test_a_hundred_learners_on_many_features(booster, learner):
    """Several blocks of learners and of features, and more than one product per Naive Bayes score."""
    learner, booster = PLAIN_LEARNERS[learner], PLAIN_BOOSTERS[booster]
    slow = isinstance(learner, HoeffdingTree)  # in NumPy
    n_rows = 20 if slow or isinstance(booster, OGBoostClassifier) else 60
    stream = make_stream("mixed", 3, n_rows, 150, weighted=True)
    assert_parity(
        build(booster, learner, 20 if slow else 100), stream, make_stream("mixed", 4, 10, 150, weighted=False).X
    )


@pytest.mark.parametrize("learner", [Perceptron(), OnlineGradient()])
def test_large_feature_ids(learner):
    """Columns from 65,536 on are found by hashing."""
    columns = 66_000
    rng = np.random.default_rng(5)
    X = np.zeros((60, columns))
    for row in X:
        row[rng.choice(columns, 5)] = rng.normal(size=5)
        row[65_500 + rng.choice(500, 10)] = rng.normal(size=10)
    y = np.where(rng.random(60) < 0.5, 1, -1)
    assert_parity(build(OSBoostClassifier(None), learner, 3), Stream(X, y), X[:5])


def test_naive_bayes_with_evidence_beyond_the_range_of_numbers():
    """31 features that only one class has and 30 that only the other has, in one row: 10^±500, multiplied out."""
    X = np.repeat([[1.0] * 31 + [0.0] * 30, [0.0] * 31 + [1.0] * 30], 10, axis=0)
    stream = Stream(X, np.repeat([1, -1], 10), np.random.default_rng(0).exponential(size=20))
    for booster in (OnlineClassifier(None), OSBoostClassifier(None)):
        model = build(booster, NaiveBayes(), 9).set_params(learner__alpha=1e-16)
        assert_parity(model, stream, np.ones((1, 61)))
        assert run_native(model, stream).booster.margin(np.ones((1, 61))) > 0.99


def test_online_gradient_that_is_projected_for_ever():
    """u is kept as scale * V; growing weights drive the scale below 1e-100, where V is multiplied out."""
    rng = np.random.default_rng(2)
    X = 1 + 0.1 * rng.normal(size=(620, 3))
    s = 10.0 ** np.linspace(-15, 15, len(X))
    model = build(OSBoostClassifier(None), OnlineGradient(), 3)
    half = state_of(clone(model).partial_fit(X[:400], np.ones(400), sample_weight=s[:400]))["scales"]
    whole = state_of(clone(model).partial_fit(X, np.ones(620), sample_weight=s))["scales"]
    assert half.max() < 1e-30
    assert (half < 1e-100).sum() == 0
    assert whole.max() > half.max(), "the scale should have been reset on the way"
    assert_parity(model, Stream(X, np.ones(620, dtype=int), s), X[:10])


BOOSTER_STRATEGIES = {
    "defensive": st.just(DefensiveClassifier(None)),
    "single": st.just(OnlineClassifier(None)),
    "osboost": st.builds(
        lambda gamma, share, **rest: OSBoostClassifier(None, gamma=gamma, theta=share and gamma * share, **rest),
        gamma=st.floats(0.001, 0.5),
        share=st.none() | st.floats(0.01, 0.99),  # of gamma
        vote=st.sampled_from(["uniform", "ocp", "eg", "experts"]),
        eta0=st.just("theory") | st.floats(0.01, 10),
        schedule=st.sampled_from(["sqrt", "adaptive"]),
        projection=st.sampled_from(["newton", "sort", "pivot"]),
        expert_rate=st.sampled_from(["adahedge", "anytime", "paper"]) | st.floats(0.01, 5),
        expert_mode=st.sampled_from(["vote", "sample", "expected"]),
        margin_scale=st.sampled_from([1.0, 1.0, 0.5, 3.0]),
        fading=st.sampled_from([None, 1.0, 20.0]),
    ),
    "ozaboost": st.builds(
        OzaBoostClassifier,
        st.none(),
        update=st.sampled_from(["poisson", "weight"]),
        evaluate=st.sampled_from(["after", "before"]),
        denominator=st.sampled_from(["weights", "count"]),
    ),
    "bbm": st.builds(
        BBMClassifier,
        st.none(),
        edge=st.floats(0.001, 0.49),
        weights=st.sampled_from(["relative", "absolute"]),
        output=st.sampled_from(["sign", "real"]),
    ),
    "adaboost-ol": st.builds(
        AdaBoostOLClassifier,
        st.none(),
        update=st.sampled_from(["weight", "sample"]),
        output=st.sampled_from(["sign", "real"]),
        expert_rate=st.sampled_from(["adahedge", "anytime", "paper"]) | st.floats(0.01, 5),
        expert_mode=st.sampled_from(["vote", "sample", "expected"]),
    ),
    "ogboost": st.builds(
        OGBoostClassifier,
        st.none(),
        n_candidates=st.integers(1, 4),
        loss=st.sampled_from(["logit", "exp", "doom2", "savage"]),
        shrinkage=st.floats(0.05, 1),
        forgetting=st.floats(0.5, 1),
        smallest_weight=st.sampled_from([0.0, 0.01, 0.3]),
        evaluate=st.sampled_from(["after", "before"]),
    ),
}
LEARNER_STRATEGIES = {
    "perceptron": st.builds(
        Perceptron, intercept=st.booleans(), unit_norm=st.booleans(), init=st.sampled_from(["random", "zero"])
    ),
    "naive_bayes": st.builds(
        NaiveBayes,
        kind=st.sampled_from(["auto", "bernoulli", "gaussian"]),
        alpha=st.sampled_from([1e-16, 1e-3, 1.0]),
        variance_floor=st.sampled_from([1e-4, 0.1]),
        intercept=st.booleans(),
        unit_norm=st.booleans(),
    ),
    "online_gradient": st.builds(OnlineGradient, intercept=st.booleans(), unit_norm=st.booleans()),
    "tree": st.builds(
        HoeffdingTree,
        leaf=st.sampled_from(["majority", "naive_bayes", "adaptive"]),
        max_features=st.none() | st.just("sqrt") | st.floats(0.1, 1),
        subset=st.sampled_from(["leaf", "tree"]),
        resample=st.none() | st.floats(0.5, 8),
        criterion=st.sampled_from(["gain", "gini"]),
        rule=st.sampled_from(["hoeffding", "evidence"]),
        grace_period=st.floats(1, 20),
        delta=st.sampled_from([1e-7, 0.1, 0.5]),
        tie_threshold=st.floats(0.1, 1),
        bins=st.integers(1, 12),
        max_depth=st.none() | st.integers(1, 4),
        max_leaves=st.none() | st.integers(1, 8),
    ),
}


@pytest.mark.slow
@pytest.mark.untraced  # as above
@pytest.mark.parametrize("learners", LEARNER_STRATEGIES)
@pytest.mark.parametrize("boosters", BOOSTER_STRATEGIES)
def test_drawn_streams_and_parameters(boosters, learners):
    @settings(max_examples=100 if EVERY_PAIR else 10)
    @given(
        booster=BOOSTER_STRATEGIES[boosters],
        learner=LEARNER_STRATEGIES[learners],
        n_learners=st.integers(1, 20),
        rows=st.integers(1, 40),
        columns=st.integers(1, 12),
        weighted=st.booleans(),
        seed=st.integers(0, 2**64 - 1),
        one_label=st.sampled_from([False, False, False, True]),
        data=st.data(),
    )
    def holds(booster, learner, n_learners, rows, columns, weighted, seed, one_label, data):
        kind = data.draw(st.sampled_from(kinds_for(learner)))
        weighted = weighted or needs_weights(booster, learner, kind)
        stream = make_stream(kind, seed % 2**32, rows, columns, weighted=weighted)
        if one_label:
            stream = Stream(stream.X, np.full(rows, -1), stream.s)
        fresh = make_stream(kind, seed % 2**31 + 1, 3, columns, weighted=False).X
        model = build(booster, learner, n_learners, seed)
        expected = None if SANITIZED else run_reference(model, stream)
        if expected and isinstance(booster, AdaBoostOLClassifier):
            assume(not expected.ties and not any(cancels(expected.booster, x) for x in fresh))
        assert_parity(model, stream, fresh, expected)

    holds()


@pytest.mark.parametrize("learner", PLAIN_LEARNERS)
@pytest.mark.parametrize("booster", [name for name in PLAIN_BOOSTERS if name not in NATIVE_ONLY])
def test_reference_banks_through_the_protocol(booster, learner):
    """A bank in Python gets what a native bank gets: the same rows, weights, repetitions and order of calls."""
    learner, booster = PLAIN_LEARNERS[learner], PLAIN_BOOSTERS[booster]
    stream = make_stream("mixed", 21, 50, 6, weighted=True)
    fresh = make_stream("mixed", 22, 10, 6, weighted=False).X
    native = build(booster, learner, 5)
    python = clone(native).set_params(learner=ReferenceLearner(native.learner))
    a, b = run_native(native, stream), run_native(python, stream.csr())
    np.testing.assert_allclose(a.margins, b.margins, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(native.predict_proba(fresh), python.predict_proba(fresh), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(native.margin(fresh), python.margin(fresh), rtol=0, atol=TOLERANCE)


# ---- numbers at the edge of their range --------------------------------------------------------------------------

EDGES = [1e-320, 1e-101, 1e-99, 1e15]


@pytest.mark.slow
@pytest.mark.parametrize("weight", EDGES)
@pytest.mark.parametrize("learner", ["perceptron-random-00", *PLAIN_LEARNERS, "online_gradient-00"])
def test_no_weight_is_too_small_or_too_large(learner, weight):
    """Margins stay in [-1, 1] and states finite; with 900 learners OGBoost's own weights reach 1e-300."""
    learner = {**LEARNER_VARIANTS, **PLAIN_LEARNERS}[learner]
    stream = make_stream("gaussian", 1, 50, 4, weighted=False)
    for booster, scale in itertools.product(PLAIN_BOOSTERS.values(), (1.0, 1e-160, 1e99)):
        model = build(booster, learner, 900 if isinstance(booster, OGBoostClassifier) and not SANITIZED else 9)
        result = prequential(model, stream.X * scale, stream.y, sample_weight=np.full(50, weight))
        assert (np.abs(result.margins) <= 1).all()
        assert ((result.probabilities >= 0) & (result.probabilities <= 1)).all()
        copied = pickle.loads(pickle.dumps(model))  # refuses numbers that are not finite
        np.testing.assert_array_equal(copied.margin(stream.X), model.margin(stream.X))


@pytest.mark.parametrize("booster", PLAIN_BOOSTERS)
@pytest.mark.parametrize("learner", PLAIN_LEARNERS)
def test_a_negligible_weight_is_no_weight(booster, learner):
    """Below 1e-100 a row is as if it were not there, in the engine as in the reference."""
    booster, learner = PLAIN_BOOSTERS[booster], PLAIN_LEARNERS[learner]
    stream = make_stream("gaussian", 2, 24, 5, weighted=True)
    s = np.where(np.arange(24) % 3 == 0, 1e-101, stream.s + 0.1)
    s[0] = 1.0
    assert_parity(build(booster, learner, 5), Stream(stream.X, stream.y, s), stream.X[:5])


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian", "auto"])
@pytest.mark.parametrize("columns", [255, 256, 257, 700])
def test_naive_bayes_on_wide_rows(kind, columns):
    """Around the sizes at which products are normalised, and beyond them."""
    stream = make_stream("binary" if kind == "bernoulli" else "mixed", columns, 30, columns, weighted=True)
    model = build(OSBoostClassifier(None), NaiveBayes(kind=kind, alpha=0.5), 9)
    assert_parity(model, stream, stream.X[:5])


@pytest.mark.parametrize("update", ["poisson", "weight"])
def test_ozaboost_with_more_learners_than_halvings(update):
    """The first example halves lambda from learner to learner: 1100 halvings leave no number above 0."""
    booster = OzaBoostClassifier(None, update=update)
    stream = make_stream("gaussian", 3, 6, 3, weighted=False)
    assert_parity(build(booster, Perceptron(), 1100), stream, stream.X)


def test_ocp_with_huge_weights():
    """A step of 1e15 along the outputs: alpha goes to the best learner and stays on the simplex."""
    stream = make_stream("gaussian", 4, 60, 4, weighted=False)
    for projection in ("newton", "sort", "pivot"):
        model = build(OSBoostClassifier(None, vote="ocp", projection=projection), NaiveBayes(), 9)
        model.partial_fit(stream.X, stream.y, sample_weight=np.full(60, 1e15))
        assert state_of(model)["alpha"].sum() == pytest.approx(1, abs=1e-14)
