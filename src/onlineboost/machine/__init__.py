"""The learning machine: engine, labels, features, lock and counters. Nothing here needs scikit-learn or SciPy."""

from onlineboost.machine.labels import LabelCodec
from onlineboost.machine.machine import Machine, NotLearnedError
from onlineboost.machine.report import LearnReport, Opinion
from onlineboost.machine.rows import DenseRows, Rows, SparseRows

__all__ = ["DenseRows", "LabelCodec", "LearnReport", "Machine", "NotLearnedError", "Opinion", "Rows", "SparseRows"]
