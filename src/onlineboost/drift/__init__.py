"""Detectors of change: a value goes in, whether the stream has changed comes out."""

from onlineboost.drift.adwin import ADWIN
from onlineboost.drift.e_detector import EDetector

__all__ = ["ADWIN", "EDetector"]
