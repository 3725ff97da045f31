"""The main job in a few lines: boost weak learners on a stream, testing on each example before learning it.

The data come with scikit-learn: 569 tumours, 30 measurements each. Every figure is the mean of 20 random orders.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from onlineboost import (
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
    prequential,
)

ORDERS = 20

BOOSTERS = {
    "alone": OnlineClassifier,
    "OzaBoost": OzaBoostClassifier,
    "OGBoost": OGBoostClassifier,
    "OSBoost": OSBoostClassifier,
    "OSBoost.OCP": lambda *args, **kwargs: OSBoostClassifier(*args, vote="ocp", **kwargs),
    "OSBoost.EXP": lambda *args, **kwargs: OSBoostClassifier(*args, vote="experts", **kwargs),
}


def main():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    print(f"Error over one pass, mean ± standard error of {ORDERS} random orders, 100 weak learners\n")
    print(f"{'':12}{'Perceptron':>18}{'Naive Bayes':>18}")
    for name, booster in BOOSTERS.items():
        cells = []
        for learner in (Perceptron(), NaiveBayes()):
            errors = []
            for seed in range(ORDERS):
                order = np.random.default_rng(seed).permutation(len(y))
                errors.append(prequential(booster(learner, random_state=seed), X[order], y[order]).error)
            cells.append(f"{np.mean(errors):.4f} ± {np.std(errors, ddof=1) / np.sqrt(ORDERS):.4f}")
        print(f"{name:12}{cells[0]:>18}{cells[1]:>18}")


if __name__ == "__main__":
    main()
