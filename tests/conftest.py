"""What all tests share: their order, which of them are traced for coverage, and the bytecode of what they import."""

import collections
import os
import shutil
import signal
import sys
import tempfile

import pytest
from hypothesis import settings

MANY, TRACED, SANITIZED = 10, 8, 4
# A busy machine is no fault, and the same tests run every time.
settings.register_profile("tests", deadline=None, max_examples=40, derandomize=True, database=None)
settings.load_profile("tests")


def pytest_configure(config):
    """A module is quick as a whole, but for its slow tests. Where Python may keep no bytecode, pytest's cache has it.

    Many tests start processes, and three quarters of their time would go into compiling scikit-learn. Of collecting
    the tests, which each worker does, compiling is two thirds.
    """
    if config.option.markexpr == "quick":
        config.option.markexpr = "quick and not slow"
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode = False
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        if config.pluginmanager.has_plugin("cacheprovider"):
            folder = str(config.cache.mkdir("bytecode"))
        else:
            folder = tempfile.mkdtemp(prefix="bytecode-")
            config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = folder


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    """Of a test with many cases, one in eight is traced, and one in four runs under the sanitizers.

    The others run the same lines, in half the time untraced. The sanitizers see all cases of tests of the engine
    itself; tests of other rooms begin at different ones, so that each learner and booster has its turn.
    """
    # The slow ones first, so that no process is left with them at the end.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    cases = collections.defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    for number, of_one_test in enumerate(cases.values()):
        if len(of_one_test) > MANY:
            for turn, item in enumerate(of_one_test):
                if turn % TRACED:
                    item.add_marker(pytest.mark.untraced)
                if (turn + number) % SANITIZED and item.path.parent.name != "engine":
                    item.add_marker(pytest.mark.repeated)


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


@pytest.fixture
def control_c():
    """SIGINT raises KeyboardInterrupt, also where a shell has started the tests in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
