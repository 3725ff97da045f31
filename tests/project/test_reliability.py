"""Trials of reliability, one or two of each; `python tools/measure_reliability` does many and writes the page.

Forks, exits, failing allocations and damaged model files are tried in engine/ and persistence/.
"""

import pytest
from measure_reliability import attacks, damage, disk, kills, pipes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "measure",
    [
        lambda folder: kills.measure(folder, 1, rows=800),
        lambda folder: kills.damaged(folder, 1, rows=400),
        lambda folder: disk.limited(folder, 1, rows=700),
        lambda folder: disk.rivals(folder, 1, rows=400),
        lambda folder: pipes.bursty(folder, 1.0),
        lambda folder: pipes.long(folder, 20_000),
        lambda _: damage.truncated(20, models=2),
        lambda _: damage.mutated_inputs("csv", 30),
    ],
    ids=["kill", "damaged", "limit", "rivals", "bursty", "long", "cut", "inputs"],
)
def test_trial(tmp_path, measure):
    result = measure(tmp_path)
    assert result.failures == []
    assert result.tried > 0 or "not tried" in result.note


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forks beside threads
@pytest.mark.parametrize(
    ("attack", "size"),
    [("threads", 300), ("memory", 1), ("injected", 3), ("soak", 1)],
)
def test_attack(attack, size):
    result = attacks.in_a_process(attack, size)
    assert result.failures == []
    assert result.tried > 0 or "not tried" in result.note
