"""Metrics of a stream in one pass: cumulative, over windows and with fading."""

from onlineboost.evaluation.metrics.metrics import NAMES, Metrics

__all__ = ["NAMES", "Metrics"]
