"""The projections onto the simplex, native and in the reference: Newton, sorting, pivots (SPEC 2.4)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from onlineboost import _core, reference

pytestmark = pytest.mark.engine

EPS = np.finfo(float).eps


def native_newton(v):
    out = np.array(v, dtype=float)
    _core.project_simplex(out)
    return out


def native_sort(v):
    out = np.array(v, dtype=float)
    _core.project_simplex(out, "sort")
    return out


def native_pivot(v):
    out = np.array(v, dtype=float)
    _core.project_simplex(out, "pivot", 5)
    return out


def reference_newton(v):
    v = np.array(v, dtype=float)
    return reference.project_newton(v, v > 0)


def reference_sort(v):
    return reference.project_sort(np.array(v, dtype=float))


def reference_pivot(v):
    def choose(step):
        return float(reference.uniform(reference.hash64(5, 4, 0, step)))

    return reference.project_pivot(np.array(v, dtype=float), choose)


PROJECTIONS = [native_newton, native_sort, native_pivot, reference_newton, reference_sort, reference_pivot]
each = pytest.mark.parametrize("project", PROJECTIONS)
drawn = settings(max_examples=60)


def vectors(low=-10, high=10):
    """Continuous values, or halves, so that ties are frequent."""
    values = st.floats(low, high, allow_subnormal=False) | st.integers(2 * low, 2 * high).map(lambda k: k / 2)
    return st.integers(1, 40).flatmap(lambda n: arrays(np.float64, n, elements=values))


def rounding(v):
    """What n additions of numbers as large as those of v may lose."""
    return 8 * EPS * len(v) * (1 + np.abs(v).max())


@each
@pytest.mark.parametrize(
    ("v", "wanted"),
    [
        ((0.5, 0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)),
        ((2, 0, 0), (1, 0, 0)),
        ((5 / 6, -1 / 6, 1 / 3), (0.75, 0, 0.25)),
        ((-1, -1, -1), (1 / 3, 1 / 3, 1 / 3)),
        ((0.2, 0.3, 0.4), (0.7 / 3, 1 / 3, 1.3 / 3)),
        ((1, 1, 0), (0.5, 0.5, 0)),  # the tie is above the threshold
        ((1, 0, 0), (1, 0, 0)),  # and here exactly on it
    ],
)
def test_golden_vectors(project, v, wanted):
    np.testing.assert_allclose(project(v), wanted, rtol=0, atol=1e-15)


@each
@pytest.mark.parametrize("value", [-7.25, 0.0, 1.0, 3.0])
def test_one_learner_has_all_the_weight(project, value):
    assert project([value]) == [1.0]


@drawn
@given(v=vectors())
def test_a_point_of_the_simplex(v):
    for project in PROJECTIONS:
        out = project(v)
        assert (out >= 0).all(), project
        assert abs(out.sum() - 1) <= 4 * len(v) * EPS, project


@drawn
@given(v=vectors())
def test_the_nearest_point_by_its_conditions(v):
    """KKT: v - out is one number tau where out > 0, and at most tau elsewhere."""
    for project in PROJECTIONS:
        out = project(v)
        support = out > 0
        tau = np.median((v - out)[support])
        np.testing.assert_allclose((v - out)[support], tau, rtol=0, atol=rounding(v), err_msg=project.__name__)
        assert (v[~support] <= tau + rounding(v)).all(), project


@drawn
@given(v=vectors())
def test_idempotent(v):
    for project in PROJECTIONS:
        once = project(v)
        np.testing.assert_allclose(project(once), once, rtol=0, atol=rounding(v), err_msg=project.__name__)


@drawn
@given(v=vectors(), seed=st.integers(0, 2**32 - 1))
def test_permutation_equivariant(v, seed):
    order = np.random.default_rng(seed).permutation(len(v))
    for project in PROJECTIONS:
        moved, there = project(v[order]), project(v)[order]
        np.testing.assert_allclose(moved, there, rtol=0, atol=rounding(v), err_msg=project.__name__)


@drawn
@given(v=vectors(), c=st.floats(-5, 5))
def test_shift_invariant(v, c):
    """So a round in which all learners agree leaves OSBoost.OCP's alpha alone."""
    room = 2 * rounding(np.append(v, 15))
    for project in PROJECTIONS:
        np.testing.assert_allclose(project(v + c), project(v), rtol=0, atol=room, err_msg=project.__name__)


@drawn
@given(v=vectors(-1, 1) | vectors(-1000, 1000))
def test_all_agree(v):
    wanted = reference_sort(v)
    for project in PROJECTIONS:
        np.testing.assert_allclose(project(v), wanted, rtol=0, atol=rounding(v))


@drawn
@given(v=vectors(), seed=st.integers(0, 2**64 - 1))
def test_pivots_do_not_matter(v, seed):
    out = v.copy()
    _core.project_simplex(out, "pivot", seed)
    np.testing.assert_allclose(out, reference_sort(v), rtol=0, atol=rounding(v))


@each
def test_huge_steps(project):
    """A sample weight of 1e15 makes such steps; the result is on the simplex all the same."""
    v = 1e15 * np.random.default_rng(0).normal(size=9)
    np.testing.assert_array_equal(project(v), np.eye(9)[np.argmax(v)])
    v = 1e15 + np.array([0.25, 0.5, -1e14, 0.0])
    np.testing.assert_allclose(project(v), [1 / 3, 7 / 12, 0, 1 / 12], rtol=1e-15)


def test_many_equal_values():
    """The worst case of a partition: all in one group, or one in each."""
    for v in (np.full(3000, 0.25), np.arange(3000.0), -np.arange(3000.0)):
        for project in PROJECTIONS:
            np.testing.assert_allclose(project(v), reference_sort(v), rtol=0, atol=rounding(v))


def test_nothing_to_project():
    with pytest.raises(ValueError, match="must not be empty"):
        _core.project_simplex(np.empty(0))
