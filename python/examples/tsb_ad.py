"""cmr as a method of the benchmark TSB-AD, in the form of its ``benchmark_exp/Run_Custom_Detector.py``.

A file of TSB-AD-M has a column per channel and ``Label`` last, and its name says how many rows at its beginning are for
training: ``…_tr_1000_1st_1500.csv``. Run alone, this scores one: ``python3 tsb_ad.py FILE CAUSE…``. With the package
TSB_AD installed, hand ``run_CMR`` to its evaluation.
"""

import pathlib
import re
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from cmr import CouplingDetector
from sklearn.preprocessing import MinMaxScaler

Custom_AD_HP: dict[str, Any] = {"window": 128}


def run_CMR(data_train: npt.NDArray[np.float64], data_test: npt.NDArray[np.float64], **HP: Any) -> npt.NDArray[np.float64]:
    """Scores between 0 and 1 of every row of the test data, as TSB-AD's wrappers return them."""
    detector = CouplingDetector(**{**Custom_AD_HP, **HP}).fit(data_train)
    levels = detector.decision_function(data_test)
    return np.asarray(MinMaxScaler().fit_transform(levels.reshape(-1, 1)).ravel())


def read(file: pathlib.Path) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], int]:
    """Channels, labels, and how many rows are for training."""
    train = re.search(r"_tr_(\d+)_", file.name)
    if train is None:
        raise SystemExit(f"{file}: the name does not say how many rows are for training (_tr_1000_)")
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    return rows[:, :-1], rows[:, -1].astype(np.int64), int(train[1])


if __name__ == "__main__":
    from sklearn.metrics import average_precision_score, roc_auc_score

    data, label, train = read(pathlib.Path(sys.argv[1]))
    score = run_CMR(data[:train], data, causes=[int(column) for column in sys.argv[2:]], method="untrained")
    print(f"AUC-ROC {roc_auc_score(label, score):.3f}  AUC-PR {average_precision_score(label, score):.3f}")
