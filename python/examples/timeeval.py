"""cmr as an algorithm of TimeEval: the program that its containers start, with one argument, a JSON object.

``executionType`` is ``train`` or ``execute``; data are CSV files with ``timestamp`` first and ``is_anomaly`` last;
training writes ``modelOutput``, execution reads ``modelInput`` and writes one score per row to ``dataOutput``.
``customParameters`` are parameters of ``CouplingDetector``: ``causes`` at least.
"""

import json
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from cmr import CouplingDetector


def read(file: str) -> npt.NDArray[np.float64]:
    """The channels, without time and label."""
    return np.genfromtxt(file, delimiter=",", skip_header=1)[:, 1:-1]


def main(request: dict[str, Any]) -> None:
    data = read(request["dataInput"])
    if request["executionType"] == "train":
        CouplingDetector(**request["customParameters"]).fit(data).save(request["modelOutput"])
    elif request["executionType"] == "execute":
        np.savetxt(request["dataOutput"], CouplingDetector.load(request["modelInput"]).decision_function(data))
    else:
        raise SystemExit(f"executionType is {request['executionType']}, expected train or execute")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
