"""Trials of reliability, a few of each; `python tools/measure_reliability` does many and writes the page."""

import pytest
from measure_reliability import attacks, damage, disk, kills, pipes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "measure",
    [
        lambda folder: kills.measure(folder, 2, rows=2000),
        lambda folder: kills.damaged(folder, 1, rows=600),
        lambda folder: disk.limited(folder, 1, rows=800),
        lambda folder: disk.tmpfs(folder, 1, rows=800),
        lambda folder: disk.rivals(folder, 1, rows=800),
        lambda folder: pipes.slow(folder, 2.0),
        lambda folder: pipes.bursty(folder, 2.0),
        lambda folder: pipes.long(folder, 60_000),
        lambda _: damage.truncated(20, models=2),
        lambda _: damage.mutated_models(30),
        lambda _: damage.mutated_inputs("csv", 30),
    ],
    ids=["kill", "damaged", "limit", "tmpfs", "rivals", "slow", "bursty", "long", "cut", "models", "inputs"],
)
def test_trial(tmp_path, measure):
    result = measure(tmp_path)
    assert result.failures == []
    assert result.tried > 0 or "not tried" in result.note


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forks beside threads
@pytest.mark.parametrize(
    ("attack", "size"),
    [("threads", 600), ("memory", 1), ("allocations", 2), ("forks", 2), ("exits", 2), ("injected", 3), ("soak", 3)],
)
def test_attack(attack, size):
    result = attacks.in_a_process(attack, size)
    assert result.failures == []
    assert result.tried > 0 or "not tried" in result.note
