"""scikit-learn's own checks of an estimator. Those that cannot apply are listed with the reason; docs/python.md has the list
too. What they ask for is tested elsewhere on data that can be learned from."""

import re
import warnings

import pytest
from cmr import CouplingDetector
from conftest import SOURCE
from sklearn.utils.estimator_checks import check_estimator

FEW = "20 rows or so: too few to learn from and to hold some back"
ORDER = "rows are in order of time: another order, or a part of them, is other data"
NOT_APPLICABLE = {
    "check_dict_unchanged": FEW,
    "check_dont_overwrite_parameters": FEW,
    "check_estimators_dtypes": FEW,
    "check_estimators_fit_returns_self": FEW,
    "check_estimators_overwrite_params": FEW,
    "check_estimators_pickle": "every window has an absent value, so nothing can be learned",
    "check_fit2d_predict1d": FEW,
    "check_methods_sample_order_invariance": ORDER,
    "check_methods_subset_invariance": ORDER,
}

ESTIMATOR = CouplingDetector(
    causes=[0],
    window=4,
    stride=1,
    method="untrained",
    settings={"split.purge": 0, "split.train_fraction": 0.74, "score.blocks": 2},
)


def name_of(check):
    return getattr(check, "func", check).__name__


CHECKS = [check for _, check in check_estimator(ESTIMATOR, generate_only=True)]


@pytest.mark.parametrize("check", [c for c in CHECKS if name_of(c) not in NOT_APPLICABLE], ids=name_of)
def test_check(check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(ESTIMATOR)


def test_the_guide_lists_what_does_not_apply():
    assert set(NOT_APPLICABLE) <= {name_of(check) for check in CHECKS}
    listed = re.findall(r"\| `(check_\w+)` \| (.*) \|", (SOURCE / "docs/python.md").read_text())
    assert dict(listed) == NOT_APPLICABLE
