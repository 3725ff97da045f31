"""Strongly adaptive thresholds of prediction sets, written out: every expert is a block that remembers its own past."""

from dataclasses import dataclass, field

LEVELS, RATES, STEP = 20, 11, 0.05


@dataclass
class Block:
    """The expert of one block of one level, and a weight per rate."""

    level: int
    number: int
    u: float
    slopes: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        k, b = self.level, self.number
        entry = (b + 1) * (b + 2) * (k + 1) * (k + 2)
        self.weights = [1 / (entry * j * (j + 1)) for j in range(1, RATES + 1)]

    def pull(self) -> float:
        """Σ p η."""
        return sum(weight * 2.0**-j for j, weight in enumerate(self.weights, 1))

    def learn(self, score: float, mixed: float, alpha: float) -> None:
        """Weights by what the mixture lost against it, then its own step."""
        gain = (alpha - (score > mixed)) * (mixed - self.u)
        self.weights = [weight * (1 + 2.0**-j * gain) for j, weight in enumerate(self.weights, 1)]
        self.slopes.append(alpha - (score > self.u))
        size = sum(slope**2 for slope in self.slopes)
        self.u = min(max(self.u - self.slopes[-1] / (2 * size) ** 0.5, 0.0), 1.0)


class StronglyAdaptiveSets:
    """q = u + c; see `onlineboost.evaluation.adaptive_sets`."""

    def __init__(self, alpha: float) -> None:
        self.alpha, self.t, self.c = alpha, 0, 0.0
        self.blocks = [Block(k, 0, 1.0) for k in range(LEVELS)]

    def mixed(self) -> float:
        """Mean of the experts by their pulls."""
        pulls = [one.pull() for one in self.blocks]
        return sum(pull * one.u for pull, one in zip(pulls, self.blocks, strict=True)) / sum(pulls)

    def learn(self, score: float) -> float:
        """The threshold that was used."""
        u = self.mixed()
        used = u + self.c
        for one in self.blocks:
            one.learn(score, u, self.alpha)
        self.c += STEP * ((score > used) - self.alpha)
        self.t += 1
        u = self.mixed()
        self.blocks = [
            Block(one.level, self.t // 2**one.level, u) if self.t % 2**one.level == 0 else one for one in self.blocks
        ]
        return used
