"""ADWIN beside river's, and the e-detector's rate of false alarms by simulation."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from river import drift as river_drift

from onlineboost.drift import ADWIN, EDetector

pytestmark = [pytest.mark.quick, pytest.mark.engine]


def alarms(detector, values):
    """Counts of values at which it found a change."""
    return [t for t, x in enumerate(values, 1) if detector.update(float(x))]


def river_alarms(values, **more):
    detector = river_drift.ADWIN(**more)
    found = []
    for t, x in enumerate(values, 1):
        detector.update(float(x))
        if detector.drift_detected:
            found.append(t)
    return found


@pytest.mark.parametrize(("before", "after"), [(0.1, 0.6), (0.5, 0.1), (0.02, 0.2)])
@pytest.mark.parametrize("seed", range(3))
def test_adwin_finds_what_river_finds(before, after, seed):
    rng = np.random.default_rng(seed)
    values = rng.uniform(size=3000) < np.repeat([before, after], [2000, 1000])
    ours, theirs = alarms(ADWIN(), values), river_alarms(values)
    first, other = (next(t for t in found if t > 2000) for found in (ours, theirs))
    assert abs(first - other) <= 64
    assert [t for t in ours if t <= 2000] == []


def test_the_window_is_the_recent_past():
    rng = np.random.default_rng(0)
    detector = ADWIN(clock=1)
    values = rng.uniform(size=6000) < np.repeat([0.1, 0.7], [5000, 1000])
    for x in values[:5000]:
        detector.update(x)
    assert detector.mean == pytest.approx(values[5000 - detector.width : 5000].mean())
    for x in values[5000:]:
        detector.update(x)
    assert detector.rose
    assert 900 < detector.width < 1100
    assert detector.mean == pytest.approx(values[-detector.width :].mean())


def test_no_change_means_no_alarm_and_a_fall_is_no_rise():
    rng = np.random.default_rng(1)
    assert alarms(ADWIN(), rng.uniform(size=20_000) < 0.2) == []
    falling = ADWIN()
    assert alarms(falling, rng.uniform(size=2000) < np.repeat([0.6, 0.1], 1000))
    assert not falling.rose


def test_adwin_resumes_from_a_pickle():
    rng = np.random.default_rng(2)
    values = rng.uniform(size=800) < np.repeat([0.1, 0.5], 400)
    whole, parts = ADWIN(clock=3), ADWIN(clock=3)
    for x in values:
        assert whole.update(x) == parts.update(x)
        parts = pickle.loads(pickle.dumps(parts))
    assert whole.width == parts.width


@pytest.mark.parametrize("mean", [0.05, 0.4])
def test_the_e_detector_keeps_its_run_length(mean):
    """Worst case of the class: values of 0 and 1 with the mean itself. The mean time to an alarm is at least A."""
    rng = np.random.default_rng(3)
    times = []
    for _ in range(150):
        detector, t = EDetector(mean, 100), 0
        while True:
            t += 1
            if detector.update(float(rng.uniform() < mean)):
                break
        times.append(t)
    assert np.mean(times) + 3 * np.std(times) / len(times) ** 0.5 >= 100


@pytest.mark.parametrize(("mean", "risen", "within"), [(0.05, 0.9, 10), (0.1, 0.2, 400), (0.4, 0.6, 300)])
def test_the_e_detector_finds_a_rise(mean, risen, within):
    rng = np.random.default_rng(4)
    detector = EDetector(mean, 10_000)
    alarms(detector, rng.uniform(size=500) < mean)
    assert alarms(detector, rng.uniform(size=within) < risen)
    assert detector.evidence < 10_000


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: ADWIN(delta=0), "delta"),
        (lambda: ADWIN(clock=0), "clock"),
        (lambda: ADWIN().update(1.5), "x"),
        (lambda: EDetector(1.0), "mean"),
        (lambda: EDetector(0.1, 0.5), "run_length"),
        (lambda: EDetector(0.1).update(float("nan")), "x"),
    ],
)
def test_values_that_cannot_be(make, match):
    with pytest.raises(ValueError, match=match):
        make()
