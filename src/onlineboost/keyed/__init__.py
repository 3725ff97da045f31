"""A model per key: customers, devices, shops."""

from onlineboost.keyed.classifier import KeyedClassifier

__all__ = ["KeyedClassifier"]
