"""Randomness as a pure function of (seed, purpose, a, b): nothing to store, nothing to advance.

The hash chains the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) three times, modulo 2^64:

    hash64 = mix(mix(mix(seed + G purpose) + G (a + 1)) + G (b + 1)),    G = 2^64 / golden ratio

| purpose | a       | b            | used for                                  |
|---------|---------|--------------|-------------------------------------------|
| START   | learner | feature id   | the random first hypothesis of a learner  |
| POISSON | learner | round        | OzaBoost's number of repetitions          |
| EXPERT  | 0       | round        | the expert that OSBoost.EXP follows       |
| PIVOT   | round   | step counter | the pivots of the linear-time projection  |
| PHASE   | component | 0          | the phase of a random Fourier feature     |
| RADIUS, ANGLE | component | feature id | its frequencies, by Box and Muller  |
| SUBSET  | group   | feature id   | the features that a group of learners sees |
| RESAMPLE | tree   | round        | the random weights of trees               |
| FEATURES | tree   | node, or 0   | the features that a tree or leaf may test |
| FEATURES | side   | 0            | those of a leaf below a split that is re-examined, whose own hash is the seed |
| SAMPLE  | learner | round        | whether AdaBoost.OL hands an example on   |
| SAMPLE  | tree    | class        | the side of a class in a window tree      |
| CLASS   | number  | 0            | the seed of a class of many               |
| MEMORY  | 0       | example      | the row that a full memory drops          |
| MEMBER  | number  | 0            | what is added to the seed of a member of IBoost |
"""

import math

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

START, POISSON, EXPERT, PIVOT = 1, 2, 3, 4
PHASE, RADIUS, ANGLE, SUBSET, RESAMPLE, FEATURES, SAMPLE, CLASS = 5, 6, 7, 8, 9, 10, 11, 12
MEMORY = 16
MEMBER = 17
INTERCEPT_ID = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def _word(value: int | Words) -> Words:
    return np.asarray(value % 2**64 if isinstance(value, int) else value, dtype=np.uint64)


def mix64(x: int | Words) -> Words:
    """The bijective finaliser of SplitMix64."""
    x = _word(x)
    with np.errstate(over="ignore"):
        x = (x ^ (x >> _word(30))) * _word(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> _word(27))) * _word(0x94D049BB133111EB)
        return x ^ (x >> _word(31))


def hash64(seed: int, purpose: int, a: int | Words, b: int | Words) -> Words:
    """64 hashed bits for every pair (a, b); arrays broadcast."""
    g, one = _word(GOLDEN), _word(1)
    with np.errstate(over="ignore"):
        x = mix64(seed + GOLDEN * purpose)
        x = mix64(x + g * (_word(a) + one))
        return mix64(x + g * (_word(b) + one))


def uniform(bits: Words) -> NDArray[np.float64]:
    """The upper 53 bits as a number in [0, 1)."""
    return np.asarray(bits >> _word(11), dtype=np.float64) * 2.0**-53


def start(seed: int, learner: int | Words, feature: int | Words) -> NDArray[np.float64]:
    """A first coordinate, of mean 0 and variance 1: the four 16-bit quarters of the hash, standardised."""
    bits = hash64(seed, START, learner, feature)
    total = sum((bits >> _word(16 * q)) & _word(0xFFFF) for q in range(4))
    return (np.asarray(total + _word(2), dtype=np.float64) / 65536 - 2) * math.sqrt(3)


def poisson(lam: float, seed: int, learner: int, round_: int, purpose: int = POISSON) -> int:
    """A Poisson(lam) draw by inversion, at most 1000.

    exp(-lam) underflows for a large rate, so the draw is a sum of pieces of rate at most 500. From a rate
    of 1500 on, a draw below the cap has a chance below 1e-40, and the cap is returned.
    """
    if lam <= 0:
        return 0
    if lam >= 1500:
        return 1000
    pieces = max(math.ceil(lam / 500), 1)
    rate = lam / pieces
    total = 0
    for j in range(pieces):
        u = float(uniform(hash64(seed, purpose + 256 * j, learner, round_)))
        k, p = 0, math.exp(-rate)
        cdf = p
        while u > cdf and k < 1000:
            k += 1
            p *= rate / k
            cdf += p
        total += k
    return min(total, 1000)
