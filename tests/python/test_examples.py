"""The examples run as their users run them: the adapters of two benchmarks, and the notebook."""

import json
import subprocess
import sys

import numpy as np
from conftest import SOURCE, rows

EXAMPLES = SOURCE / "python/examples"


def run(name, *arguments):
    return subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout


def labelled(healthy, faulty):
    values = np.vstack([rows(healthy, seed=1), rows(faulty, seed=2, faulty=True)])
    return values, np.repeat([0, 1], [healthy, faulty])


def test_tsb_ad(tmp_path):
    values, label = labelled(3000, 400)
    file = tmp_path / "001_Small_id_1_Plant_tr_2000_1st_3000.csv"
    table = np.column_stack([values, label])
    np.savetxt(file, table, delimiter=",", header="a,b,y,z,Label", comments="")
    said = run("tsb_ad.py", file, 0, 1).split()
    assert said[0] == "AUC-ROC" and float(said[1]) > 0.9


def test_timeeval(tmp_path):
    values, label = labelled(2000, 400)
    for name, part in (("train", slice(0, 2000)), ("test", slice(None))):
        stamps = np.arange(len(label))[part]
        table = np.column_stack([stamps, values[part], label[part]])
        header = "timestamp,a,b,y,z,is_anomaly"
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header=header, comments="")
    parameters = {"causes": [0, 1], "window": 32, "method": "untrained"}
    common = {"customParameters": parameters, "modelOutput": f"{tmp_path}/model", "modelInput": f"{tmp_path}/model"}
    scores = f"{tmp_path}/scores"
    for kind, data in (("train", "train"), ("execute", "test")):
        request = {"executionType": kind, "dataInput": f"{tmp_path}/{data}.csv", "dataOutput": scores, **common}
        run("timeeval.py", json.dumps(request))
    score = np.loadtxt(scores)
    assert score.shape == (2400,)
    assert np.median(score[:2000]) < 1 < np.median(score[2050:])


def test_the_notebook(tmp_path):
    said = run("plant.py", tmp_path)
    assert "flow" in said
    first = said.split("first alarm at ")[1][:5]
    assert "12:00" <= first <= "16:00"
    for figure in ("plant-level.png", "plant-effects.png"):
        assert (tmp_path / figure).stat().st_size > 10_000
