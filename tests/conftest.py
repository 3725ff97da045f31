"""What all tests share: their order, and which of them are traced for coverage."""

import collections
import sys

import pytest

MANY, EVERY = 10, 8
# Tests that take seconds, mostly of waiting: first, so that no process is left with them at the end.
LONG = {
    "test_reproduce",
    "test_reliability",
    "test_commands",
    "test_train",
    "test_five_minutes",
    "test_experiments",
}


def pytest_collection_modifyitems(items):
    """Of a test with many cases, one in eight is traced: the others run the same lines, in half the time untraced."""
    items.sort(key=lambda item: item.path.stem not in LONG)
    cases = collections.defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    for of_one_test in cases.values():
        if len(of_one_test) > MANY:
            for turn, item in enumerate(of_one_test):
                if turn % EVERY:
                    item.add_marker(pytest.mark.untraced)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """pytest-cov's own mark stops one of the two tracers that a process of pytest-xdist has."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
