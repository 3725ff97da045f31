"""Prediction sets: the twin of the thresholds in NumPy, and coverage on every interval of hostile streams."""

import numpy as np
import pytest

import onlineboost
from onlineboost import NaiveBayes, OneVsRest, OnlineBoostClassifier, OSBoostClassifier, prequential, reference
from onlineboost.machine.summary import LEVELS
from onlineboost.theory import runs, sentences

pytestmark = [pytest.mark.quick, pytest.mark.engine]

ETA = 0.025


def stream(n_classes, n=1200, seed=0):
    """It changes in the middle, and its last part is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.minimum((X[:, 0] > 0) + (X[:, 1] > 0.5) * (n_classes > 2), n_classes - 1)
    y[n // 3 : 2 * n // 3] = n_classes - 1 - y[n // 3 : 2 * n // 3]
    y[2 * n // 3 :] = rng.integers(n_classes, size=n - 2 * n // 3)
    return X, y


def counted(model, y, weights):
    """What each example counts for in the sets: a mixture takes weights for targets."""
    if not isinstance(model, OnlineBoostClassifier):
        return np.minimum(weights, 1)
    effective = reference.EffectiveWeights()
    return np.minimum([s and effective.learn(label, s) for label, s in zip(y, weights, strict=True)], 1)


def models(n_classes):
    inner = OSBoostClassifier(NaiveBayes(), 5, random_state=0)
    return [inner, OnlineBoostClassifier(random_state=0)] if n_classes == 2 else [OneVsRest(inner)]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_thresholds_are_those_of_the_recursion(n_classes):
    X, y = stream(n_classes)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y))
    for model in models(n_classes):
        result = prequential(model, X, y, sample_weight=weights)
        P = result.probabilities if n_classes > 2 else np.column_stack([1 - result.probabilities, result.probabilities])
        given, seen = P[np.arange(len(y)), y], set()
        for alpha in (0.01, 0.1, 0.5):
            q, missed, steps = 1.0, 0.0, 0.0
            seen.clear()
            for p, s, label in zip(given, counted(model, y, weights), y, strict=True):
                if s > 0:
                    miss = 1 - (p if n_classes == 2 or label in seen else 0.0) > q
                    q += ETA * s * (miss - alpha)
                    missed, steps = missed + s * miss, steps + s
                    seen.add(label)
            found = model.machine.summary()
            assert found.threshold(alpha) == pytest.approx(q, abs=1e-12)
            guarantee = model.set_guarantee(alpha)
            assert guarantee.missed == pytest.approx(missed)
            assert guarantee.examples == pytest.approx(steps)
            assert guarantee.holds
            assert np.array_equal(model.predict_set(X, alpha), 1 - model.predict_proba(X) <= found.threshold(alpha))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_misses_of_every_interval_are_within_the_guarantee(n_classes):
    X, y = stream(n_classes)
    for model in models(n_classes)[:1]:
        model.partial_fit(X[:1], y[:1], classes=range(n_classes))
        missed = {0.05: [], 0.2: []}
        for x, label in zip(X[1:, None], y[1:], strict=True):
            for alpha, misses in missed.items():
                misses.append(not model.predict_set(x, alpha)[0, label])
            model.partial_fit(x, [label])
        for alpha, misses in missed.items():
            excess = np.concatenate([[0], np.cumsum(np.array(misses) - alpha)])
            assert excess.max() - excess.min() <= (1 + ETA) / ETA
            assert abs(excess[-1]) > 0


def test_files_batches_and_old_states_keep_them(tmp_path):
    X, y = stream(2)
    whole, parts = (OSBoostClassifier(NaiveBayes(), 5, random_state=0) for _ in "ab")
    whole.fit(X, y)
    parts.partial_fit(X[:500], y[:500]).save(tmp_path / "m.ob")
    parts = onlineboost.load(tmp_path / "m.ob")
    for x, label in zip(X[500:], y[500:], strict=True):
        parts.learn_one(x, label)
    assert parts.to_bytes() == whole.to_bytes()
    fields = whole.machine.engine.core.state()
    for name in ("set_thresholds", "set_steps", "feature_weight", "feature_sums", "feature_squares"):
        del fields[name]
    old = whole.machine.make_engine()
    old.core.load(fields)
    assert old.core.summary()["set_thresholds"].tolist() == [1.0] * len(LEVELS)


def test_moments_of_features():
    X, y = stream(2)
    X[:, 2] *= X[:, 2] > 0
    weights = np.random.default_rng(1).choice([0.0, 0.5, 3.0], len(y))
    rounds = np.cumsum(weights > 0)
    taken = weights * ((rounds <= 256) | (rounds % 16 == 0))  # the first examples, and a sixteenth of the others
    for model in (OSBoostClassifier(n_learners=3), OneVsRest(OSBoostClassifier(n_learners=3))):
        found = model.partial_fit(X, y, sample_weight=weights).machine.summary()
        mean = taken @ X / taken.sum()
        assert found.means[np.argsort(found.ids)] == pytest.approx(mean)
        spread = np.sqrt(taken @ (X - mean) ** 2 / taken.sum())
        assert found.deviations[np.argsort(found.ids)] == pytest.approx(spread)


def test_bad_alpha():
    X, y = stream(2, 60)
    model = OSBoostClassifier().fit(X, y)
    for alpha in (0.0, 0.009, 0.51, float("nan")):
        with pytest.raises(ValueError, match="alpha is the share of labels that sets may miss"):
            model.predict_set(X, alpha)
    assert "Sets for 90%: of 60 labels" in model.set_guarantee(0.105).summary()


# ---- strongly adaptive sets ------------------------------------------------------------------------------------------


def scores(n=700, seed=0):
    """Small, then large, then of two kinds."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.beta(1, 9, n // 3), rng.beta(9, 1, n // 3), rng.choice([0.0, 1.0], n - 2 * (n // 3))])


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_strongly_adaptive_thresholds_are_those_of_the_twin(alpha):
    given = np.clip(scores(300), 0.001, 0.999)  # thresholds are cut at 0 and 1, where the last bit would decide
    slow = reference.StronglyAdaptiveSets(alpha)
    used = onlineboost.StronglyAdaptiveSets(None, alpha).learn_scores(given)
    assert used == pytest.approx([slow.learn(float(one)) for one in given], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_strongly_adaptive_sets_on_every_interval(alpha, seed):
    given = scores(seed=seed)
    if seed == 2:  # an adversary that knows the threshold
        sets, hostile = onlineboost.StronglyAdaptiveSets(None, alpha), []
        for t in range(700):
            hostile.append(min(max(sets.threshold_ + (1e-6 if t % 20 < 10 else -1e-6), 0.0), 1.0))
            sets.learn_score(hostile[-1])
        given = np.array(hostile)
    sets = onlineboost.StronglyAdaptiveSets(None, alpha)
    used = sets.learn_scores(given)
    off = np.append(0.0, np.cumsum((given > used) - alpha))
    guarantee = sets.guarantee()
    assert np.ptp(off) <= guarantee.slack == pytest.approx(41)
    assert guarantee.missed == (given > used).sum()
    nothing = np.ones(len(given))
    run = runs.Run(nothing[:, None], nothing, nothing, nothing, nothing, 1 - given)
    for sentence in sentences.declared("AdaptiveSetGuarantee"):
        assert sentence.check(guarantee, run) <= 1e-9, sentence.name


def test_strongly_adaptive_sets_turn_sooner():
    """A threshold that was .1 for long has to be .9: fewer misses on the way than with one step size."""
    given = np.repeat([0.1, 0.9], [3000, 300])
    used = onlineboost.StronglyAdaptiveSets(None, 0.1).learn_scores(given)
    q, missed = 1.0, 0
    for t, score in enumerate(given):
        missed += t >= 3000 and score > q
        q += ETA * ((score > q) - 0.1)
    assert (given > used)[3000:].sum() < missed / 2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_strongly_adaptive_sets_of_a_model(n_classes):
    X, y = stream(n_classes)
    sets = onlineboost.StronglyAdaptiveSets(OSBoostClassifier(NaiveBayes(), 5, random_state=0), 0.2)
    sets.partial_fit(X[:1], y[:1], classes=range(n_classes))
    missed = 0
    for t in range(1, 300):
        missed += not sets.predict_set(X[t : t + 1])[0, y[t]]
        sets.partial_fit(X[t : t + 1], y[t : t + 1])
    whole = onlineboost.StronglyAdaptiveSets(OSBoostClassifier(NaiveBayes(), 5, random_state=0), 0.2)
    whole.partial_fit(X[:300], y[:300], classes=range(n_classes))
    assert whole.threshold_ == sets.threshold_
    assert abs(sets.missed_ - missed) <= 1, "the set of the first example is not asked for"
    assert "labels" in sets.guarantee().summary()
    with pytest.raises(ValueError, match="alpha"):
        onlineboost.StronglyAdaptiveSets(None, 1.0)
