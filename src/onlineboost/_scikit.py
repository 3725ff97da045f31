"""What the package uses of scikit-learn and SciPy: theirs, or in a process of the command line alone, stand-ins."""

from typing import TYPE_CHECKING

from onlineboost import _alone

if TYPE_CHECKING or not _alone.alone:
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClassifierMixin, clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_array, column_or_1d, validate_data
else:
    from onlineboost._stand_ins import (
        BaseEstimator,
        ClassifierMixin,
        NotFittedError,
        check_array,
        check_classification_targets,
        check_random_state,
        clone,
        column_or_1d,
        sparse,
        validate_data,
    )

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "NotFittedError",
    "check_array",
    "check_classification_targets",
    "check_random_state",
    "clone",
    "column_or_1d",
    "sparse",
    "validate_data",
]
