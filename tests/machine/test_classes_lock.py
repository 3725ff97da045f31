"""Models of many classes: no method waits for the engine's lock with the GIL held."""

from __future__ import annotations

import subprocess
import sys

# One thread predicts, another saves, a third one learns; a deadlock freezes the process.
PROGRAM = """
import faulthandler, threading, time
import numpy as np
from onlineboost import AdaBoostOLMClassifier, OneVsRest, OnlineMBBMClassifier, OSBoostClassifier, Perceptron
faulthandler.dump_traceback_later(60, exit=True)
X = np.random.default_rng(0).normal(size=(40, 5))
def loop(k, verb):
    while time.monotonic() < stop or calls[k] < 6:
        verb()
        calls[k] += 1
for m in (
    OneVsRest(OSBoostClassifier(Perceptron(), 10, random_state=0)),
    AdaBoostOLMClassifier(Perceptron(), 10, random_state=0),
    OnlineMBBMClassifier(Perceptron(), 10, random_state=0),
):
    m.partial_fit(X, np.arange(40) % 3)
    stop, calls = time.monotonic() + 0.4, [0, 0, 0]
    verbs = (lambda: m.predict_one(X[0]), m.to_bytes, lambda: m.learn_one(X[1], 1))
    threads = [threading.Thread(target=loop, args=(k, verb)) for k, verb in enumerate(verbs)]
    for t in threads: t.start()
    for t in threads: t.join()
    print("ended")
"""


def test_predicting_beside_saving_and_learning():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["ended"] * 3, done.stderr[-2000:]
