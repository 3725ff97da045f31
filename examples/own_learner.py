"""A weak learner of your own: delta-rule units on random halves of the features."""

import numpy as np

from onlineboost import Bank, Learner, OSBoostClassifier, prequential


class DeltaRuleBank(Bank):
    """h(x) = tanh(<u, x>), u += rate * w * (y - h) * x, on the features in each learner's mask."""

    def __init__(self, n_learners, n_features, rate, seed):
        self.n_learners = n_learners
        self.rate = rate
        self.mask = np.random.default_rng(seed).random((n_learners, n_features)) < 0.5
        self.u = np.zeros((n_learners, n_features))

    def predict(self, x):
        return np.tanh(self.u @ x)

    def update(self, x, y, w):
        step = self.rate * w * (y - self.predict(x))
        self.u += step[:, None] * (self.mask * x)


class DeltaRule(Learner):
    """Parameters live here, so `clone` and `GridSearchCV` work: OSBoostClassifier(DeltaRule(rate=0.1))."""

    def __init__(self, rate=0.05):
        self.rate = rate

    def make_bank(self, n_learners, n_features, seed):
        return DeltaRuleBank(n_learners, n_features, self.rate, seed)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 50))
    y = X @ rng.normal(size=50) + rng.normal(size=20_000) > 0
    print(prequential(OSBoostClassifier(DeltaRule(), random_state=0), X, y))
