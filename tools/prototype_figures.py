"""Errors that an independent prototype measured with the paper's settings, to hold the library to.

(mean, standard error or None where it was not recorded, random orders). Perceptron, N = 100, γ = 0.1: single,
OzaBoost, OGBoost, OSBoost, OSBoost.OCP (η = 1/√t), OSBoost.EXP (β = 1/2). Naive Bayes: single, OzaBoost,
OGBoost, OSBoost; its Gaussian moments were proper ones, its Bernoulli counts all started at 10⁻¹⁶. The web page stream
is 8 × w8a, cod-rna its first two files.
"""

from __future__ import annotations

from typing import Any

ALGORITHMS = ("single", "OzaBoost", "OGBoost", "OSBoost", "OSBoost.OCP", "OSBoost.EXP")

PERCEPTRON: dict[str, tuple[int, tuple[float | None, ...], tuple[float | None, ...]]] = {
    "heart": (50, (0.2567, 0.2479, 0.2310, 0.2378, 0.2387, 0.2383), (0.0023, 0.0028, 0.0026, 0.0024, None, None)),
    "breast-cancer": (
        50,
        (0.0583, 0.0524, 0.0473, 0.0481, 0.0488, 0.0476),
        (0.0006, 0.0007, 0.0006, 0.0007, None, None),
    ),
    "australian": (
        50,
        (0.2056, 0.2020, 0.1922, 0.1903, 0.1925, 0.1895),
        (0.0014, 0.0016, 0.0016, 0.0015, None, None),
    ),
    "diabetes": (
        50,
        (0.3255, 0.3331, 0.3188, 0.3186, 0.3182, 0.3180),
        (0.0018, 0.0019, 0.0020, 0.0019, None, None),
    ),
    "german": (50, (0.3258, 0.3203, 0.3161, 0.3142, 0.3155, 0.3142), (0.0016, 0.0015, 0.0017, 0.0015, None, None)),
    "splice": (20, (0.2729, 0.2736, 0.2656, 0.2601, 0.2587, 0.2612), (0.0011, 0.0007, 0.0013, 0.0010, None, None)),
    "mushrooms": (20, (0.0143, 0.0096, 0.0071, 0.0066, 0.0068, 0.0066), (0.0002, 0.0002, None, None, None, None)),
    "adult": (1, (0.2084, 0.2033, 0.2082, 0.1992, 0.1995, 0.1999), (None,) * 6),
    "ijcnn1": (1, (0.1068, 0.1013, 0.1049, 0.0945, 0.0947, 0.0945), (None,) * 6),
    "web page": (1, (0.0225, 0.0204, 0.0207, 0.0181, 0.0181, 0.0182), (None,) * 6),
    "cod-rna": (1, (0.1983, 0.2029, 0.2108, 0.1970, None, None), (None,) * 6),
    "covertype": (1, (0.3443, 0.3440, 0.3486, 0.3333, 0.3334, 0.3334), (None,) * 6),
}

NAIVE_BAYES: dict[str, tuple[int, tuple[float | None, ...], tuple[float | None, ...]]] = {
    "heart": (50, (0.1904, 0.2652, 0.2667, 0.2074, None, None), (None,) * 6),
    "mushrooms": (20, (0.0076, 0.0046, 0.0224, 0.0030, None, None), (None,) * 6),
    "adult": (1, (0.1999, 0.2208, 0.1878, 0.1566, None, None), (None,) * 6),
    "web page": (1, (0.0354, None, 0.0188, 0.0186, None, None), (None,) * 6),
}

PARAMETERS: dict[tuple[str, str], dict[str, Any]] = {("NaiveBayes", "heart"): {"kind": "gaussian"}}
"""Where the prototype's learner is not the paper's: (learner, data set) to parameters."""
