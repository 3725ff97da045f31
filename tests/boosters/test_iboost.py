"""IBoost: what must hold of its members and votes, beside the parity in the table of tests."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from states import pack, state_of, unpack
from table import Hebb
from twins import SEED, make_stream

from onlineboost import AROW, IBoostClassifier, ModelFileError, NaiveBayes, Perceptron, RandomFourier, from_bytes

pytestmark = [pytest.mark.engine, pytest.mark.quick]


def small(learner=None, **more):
    return IBoostClassifier(learner, **{"n_learners": 4, "window": 25, "every": 9, "random_state": SEED, **more})


def rows(n=120, d=4, seed=0):
    """Rows with gaps, and columns that come late."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (n, d)) / 4.0
    y = (X @ rng.normal(size=d) > 0).astype(int)
    X[: n // 2, -1] = 0.0
    X[n // 3 :: 7, 0] = np.nan
    return X, y, rng.choice([0.0, 0.5, 2.0], n)


@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 10**6), cut=st.integers(1, 119), learner=st.sampled_from([None, RandomFourier(n_components=9)])
)
def test_it_goes_on_from_anywhere(seed, cut, learner):
    """Batches, copies and files leave no trace, whether a member is being taught or not."""
    X, y, s = rows(seed=seed)
    whole = small(learner).partial_fit(X, y, sample_weight=s, classes=[0, 1])
    model = small(learner).partial_fit(X[:cut], y[:cut], sample_weight=s[:cut], classes=[0, 1])
    for again in (copy.deepcopy, lambda one: from_bytes(one.to_bytes())):
        loaded = again(model)
        assert np.array_equal(loaded.margin(X), model.margin(X))
        loaded.partial_fit(sp.csr_array(X[cut:]), y[cut:], sample_weight=s[cut:])
        assert loaded.to_bytes() == whole.to_bytes()


def test_a_common_factor_of_all_weights_changes_nothing():
    stream = make_stream("gaussian", 5, 150, 4, weighted=True)
    plain = small(NaiveBayes()).fit(stream.X, stream.y, sample_weight=stream.s)
    scaled = small(NaiveBayes()).fit(stream.X, stream.y, sample_weight=64 * stream.s)
    assert np.array_equal(plain.margin(stream.X), scaled.margin(stream.X))
    assert len(np.unique(plain.margin(stream.X))) > 5


def test_a_vote_is_where_the_loss_is_least():
    """With one member, its vote has R e^-a + W e^a + s̄ (e^-a + e^a) at its minimum, whatever the stream."""
    stream = make_stream("gaussian", 6, 140, 4, weighted=True)
    model = small(AROW(), n_learners=1).partial_fit(stream.X, stream.y, sample_weight=stream.s)
    state = state_of(model)
    kept = len(state["member_row_weights"])
    s, agrees = state["member_row_weights"][kept - 25 :], state["member_agrees"]
    own = s.mean()
    expected = np.log((s[agrees > 0].sum() + own) / (s[agrees < 0].sum() + own)) / 2
    assert state["member_votes"] == pytest.approx([expected], abs=1e-12)
    np.testing.assert_allclose(state["member_row_losses"][kept - 25 :], np.exp(-expected * agrees), rtol=1e-9)


def test_rows_are_bounded():
    """At most the window and `every` more, and N members, however long the stream."""
    stream = make_stream("gaussian", 6, 700, 4, weighted=False)
    sizes = []
    for _ in range(2):
        model = small().partial_fit(stream.X, stream.y)
        sizes.append(len(model.to_bytes()))
    assert sizes[0] == sizes[1] < 20_000
    state = state_of(model)
    assert len(state["member_row_weights"]) <= 25 + 9
    assert state["members"] == 4


def test_learners_in_python_are_refused():
    with pytest.raises(TypeError, match="needs a learner with a native bank"):
        IBoostClassifier(Hebb()).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("members", lambda a: a + 1),
        ("members", lambda a: a - 1),
        ("member_began", lambda a: a + 40),
        ("members_learned", lambda a: a + 2**59),
        ("members_born", lambda a: 0 * a),
        ("member_numbers", lambda a: a[::-1]),
        ("member_votes", lambda a: a + 200),
        ("member_agrees", lambda a: a * 3),
        ("member_agrees", lambda a: a[1:]),
        ("member_row_counts", lambda a: a[1:]),
        ("member_row_counts", lambda a: a + 1),
        ("member_row_features", lambda a: 0 * a),
        ("member_row_gaps", lambda a: a + 100),
        ("member_row_labels", lambda a: 0.5 * a),
        ("member_row_losses", lambda a: 0 * a),
        ("member_row_lessons", lambda a: a - 100),
        ("member0.features", lambda a: 0 * a),
    ],
)
def test_forged_states_are_refused(field, change):
    X, y, s = rows()
    document, arrays = unpack(small(Perceptron()).partial_fit(X, y, sample_weight=s).to_bytes())
    arrays[field] = change(arrays[field])
    with pytest.raises(ModelFileError):
        from_bytes(pack(document, arrays))
