"""What stands in for scikit-learn in the command line's process does what scikit-learn does."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets

from onlineboost import OSBoostClassifier, Perceptron, _stand_ins


def _example(base):
    class Example(base):
        def __init__(self, b=1, *, a="x", inner=None):
            self.b, self.a, self.inner = b, a, inner

    return Example


def test_parameters_are_scikit_learns():
    ours, theirs = _example(_stand_ins.BaseEstimator), _example(BaseEstimator)
    assert ours._get_param_names() == theirs._get_param_names()
    for deep in (True, False):
        found = ours(2, inner=ours(3)).get_params(deep=deep)
        wanted = theirs(2, inner=theirs(3)).get_params(deep=deep)
        assert set(found) == set(wanted)
        assert all(found[name] == wanted[name] for name in wanted if name != "inner")

    class Plain(_stand_ins.BaseEstimator):
        pass

    assert Plain().get_params() == {}


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [0.5, 1.5], ["a", "b"], [True, False], [0, 1, 2], [0.25]])
def test_labels_are_judged_as_by_scikit_learn(labels):
    y = np.array(labels)
    verdicts = []
    for check in (_stand_ins.check_classification_targets, check_classification_targets):
        try:
            check(y)
        except ValueError as error:
            verdicts.append(str(error)[:30])
        else:
            verdicts.append("")
    assert verdicts[0] == verdicts[1]


def test_the_rest():
    state = np.random.RandomState(3)
    assert _stand_ins.check_random_state(state) is state
    assert _stand_ins.check_random_state(3).randint(1000) == np.random.RandomState(3).randint(1000)
    assert _stand_ins.column_or_1d([1, 2]).tolist() == [1, 2]
    with pytest.raises(ValueError, match="1d array"):
        _stand_ins.column_or_1d([[1]])
    assert _stand_ins.sparse.issparse(sp.csr_array((1, 1)))
    assert _stand_ins.check_array([[1.0]]).shape == (1, 1)
    assert _stand_ins.clone(Perceptron()).init == "random"
    model = OSBoostClassifier(Perceptron())
    assert _stand_ins.validate_data(model, [[1.0, 2.0]]).shape == (1, 2)
    assert issubclass(_stand_ins.NotFittedError, ValueError)
