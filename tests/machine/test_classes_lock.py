"""Models of many classes: no method waits for the engine's lock with the GIL held."""

from __future__ import annotations

import subprocess
import sys

import pytest

# One thread predicts while another saves; a deadlock freezes the process.
PROGRAM = """
import faulthandler, threading, time
import numpy as np
from onlineboost import AdaBoostOLMClassifier, OneVsRest, OnlineMBBMClassifier, OSBoostClassifier, Perceptron
faulthandler.dump_traceback_later(60, exit=True)
m = {model}
X = np.random.default_rng(0).normal(size=(40, 5))
m.partial_fit(X, np.arange(40) % 3)
stop = time.monotonic() + 0.5
calls = [0, 0]
def loop(k, f):
    while time.monotonic() < stop:
        f()
        calls[k] += 1
verbs = [lambda: m.predict_one(X[0]), m.to_bytes]
threads = [threading.Thread(target=loop, args=(k, verb)) for k, verb in enumerate(verbs)]
for t in threads: t.start()
for t in threads: t.join()
assert min(calls) > 5, calls
print("fine")
"""


@pytest.mark.parametrize(
    "model",
    [
        "OneVsRest(OSBoostClassifier(Perceptron(), 10, random_state=0))",
        "AdaBoostOLMClassifier(Perceptron(), 10, random_state=0)",
        "OnlineMBBMClassifier(Perceptron(), 10, random_state=0)",
    ],
)
def test_predict_one_beside_to_bytes(model):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(model=model)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "fine", done.stderr[-2000:]
