"""CouplingDetector: what PyOD expects of a detector, and the bytes of the command line."""

import csv
import math
import pickle
import subprocess

import cmr
import numpy as np
import pandas as pd
import pytest
from cmr import CouplingDetector
from conftest import rows


def score_file(detector, frame, folder, name="rows"):
    """What `cmr score` writes of the same rows: a list of rows by column."""
    detector.save(folder / "model.cmr")
    times = frame.index.to_numpy().astype(np.int64) / 1e9
    np.save(folder / f"{name}.npy", np.column_stack([times, frame.to_numpy()]))
    command = ["cmr", "score", folder / "model.cmr", folder / f"{name}.npy", "--out", folder / f"{name}.csv"]
    subprocess.run(command, check=True, capture_output=True)
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_a_broken_coupling_is_above_the_line_and_health_is_below(detector, faulty):
    level = detector.decision_function(faulty)
    assert level.shape == (600,) and level.dtype == np.float64
    assert np.median(level[:300]) < 1 < np.median(level[340:])
    assert detector.threshold_ == 1
    assert (detector.predict(faulty) == (level >= 1)).all()
    assert detector.predict(faulty)[340:].mean() > 0.9


def test_scores_are_those_of_the_command_line(detector, faulty, tmp_path):
    wanted = score_file(detector, faulty, tmp_path)
    windows = detector.windows(faulty)
    assert len(windows) == len(wanted) > 60
    for window, row in zip(windows, wanted):
        assert row["level"] == f"{window.level:.6g}"
        assert row["p_value"] == f"{window.p_value:.6g}"
        assert row["alarm"] == str(int(window.alarm))
        assert row["outside_range"] == str(int(window.outside_range))
        for name, value in window.scores.items():
            assert np.float32(row[name]) == np.float32(value), name
        for name, value in window.residuals.items():
            assert row[f"residual of {name}"] == f"{value:.4g}", name


def test_a_row_has_the_level_of_the_last_window_that_ended_by_then(detector, faulty):
    level, windows = detector.decision_function(faulty), detector.windows(faulty)
    for window in windows:
        last = window.first + 31  # of its 32 rows
        assert level[last] == window.level
        assert level[min(last + 7, 599)] == window.level  # the next one ends 8 rows later
    assert (level[:31] == windows[0].level).all()


def test_training_scores_are_those_of_the_training_data(detector, healthy):
    assert (detector.decision_scores_ == detector.decision_function(healthy)).all()
    assert (detector.labels_ == (detector.decision_scores_ >= 1)).all()
    assert detector.labels_.mean() < 0.05


def test_probabilities_are_made_as_pyod_makes_them(detector, faulty):
    level, healthy = detector.decision_function(faulty), detector.decision_scores_
    linear = detector.predict_proba(faulty)
    assert linear.shape == (600, 2)
    assert np.allclose(linear.sum(axis=1), 1)
    assert np.allclose(linear[:, 1], np.clip((level - healthy.min()) / (healthy.max() - healthy.min()), 0, 1))
    unify = detector.predict_proba(faulty, method="unify")[:, 1]
    erf = [math.erf((x - healthy.mean()) / (healthy.std() * math.sqrt(2))) for x in level]
    assert np.allclose(unify, np.clip(erf, 0, 1))
    with pytest.raises(cmr.InputError, match="linear"):
        detector.predict_proba(faulty, method="other")


def test_an_explanation_names_the_effect_that_broke(detector, faulty):
    why = detector.explain(faulty)
    assert why.effects[0].name == "y"
    assert "y" in why.sentence
    assert why.level == detector.decision_function(faulty).max()
    assert {cause.name for cause in why.causes} <= {"a", "b"}
    assert detector.explain(faulty, at=200).level == detector.decision_function(faulty)[200]


def test_columns_may_stand_in_any_order_if_they_have_names(detector, faulty):
    wanted = detector.decision_function(faulty)
    assert (detector.decision_function(faulty[["z", "y", "b", "a"]]) == wanted).all()
    with pytest.raises(cmr.InputError, match="no column 'a'"):
        detector.decision_function(faulty.rename(columns={"a": "A"}))
    with pytest.raises(ValueError, match="3 features.*expecting 4"):
        detector.decision_function(faulty.to_numpy()[:, :3])
    assert (detector.decision_function(faulty.assign(more=1)) == wanted).all()


def test_an_effect_that_is_not_there_stops_nothing(detector, healthy, faulty):
    lost = detector.windows(faulty.drop(columns="z"))
    assert {window.sensors["z"] for window in lost} == {"absent"}
    assert all(window.judged for window in lost)
    empty = detector.windows(faulty.assign(z=np.nan))
    assert [window.level for window in lost] == [window.level for window in empty]
    with pytest.raises(cmr.InputError, match="none of the effects y, z"):
        detector.decision_function(faulty[["a", "b"]])
    still = CouplingDetector(causes=["a", "b", "idle"], window=32, stride=8, method="untrained").fit(healthy.assign(idle=5))
    assert (still.decision_function(faulty) == still.decision_function(faulty.assign(idle=5))).all()


def test_times_that_cannot_be_are_refused(detector, faulty):
    with pytest.raises(cmr.InputError, match="go back after row 9"):
        detector.decision_function(pd.concat([faulty[:10], faulty[5:]]))
    with pytest.raises(cmr.InputError, match="10 s apart.*rows 1 s apart"):
        detector.decision_function(faulty.set_axis(pd.date_range("2026-03-03", periods=600, freq="10s")))


def test_dates_periods_and_zones_are_times(detector, faulty, recwarn):
    gap = faulty.drop(faulty.index[100:140])
    wanted = detector.decision_function(gap)
    for index in (gap.index.tz_localize("Europe/Berlin"), gap.index.to_period("s"), gap.index - gap.index[0]):
        assert (detector.decision_function(gap.set_axis(index)) == wanted).all()
    assert not recwarn.list


def test_arrays_are_judged_as_frames(detector, faulty):
    assert (detector.decision_function(faulty.to_numpy()) == detector.decision_function(faulty)).all()


def test_sick_sensors_are_named(detector, faulty):
    sick = faulty.copy()
    sick.iloc[100:200, 3] = sick.iloc[100, 3]  # z stands still
    sick.iloc[400:500, 2] = np.nan  # y is absent
    windows = {window.first: window for window in detector.windows(sick)}
    assert windows[40].sensors == {"a": "well", "b": "well", "y": "well", "z": "well"}
    assert windows[136].sensors["z"] == "frozen"
    assert windows[440].sensors["y"] == "absent" and windows[440].judged
    assert np.isnan(windows[440].residuals["y"]) and np.isfinite(windows[440].residuals["z"])


def test_windows_outside_the_learned_range_are_told_as_by_the_command_line(detector, faulty, tmp_path):
    new = faulty.copy()
    new.iloc[150:300, 0] += 30  # a cause where it never was
    windows, wanted = detector.windows(new), score_file(detector, new, tmp_path)
    assert [str(int(window.outside_range)) for window in windows] == [row["outside_range"] for row in wanted]
    assert {window.outside_range for window in windows if window.first >= 152 and window.first + 32 <= 300} == {True}
    assert not any(window.outside_range for window in windows if window.first + 32 <= 150)


def test_what_cannot_be_judged_leaves_the_level_as_it_was(detector, faulty):
    blind = faulty.copy()
    blind.iloc[100:180, :2] = np.nan  # without causes
    windows = [window for window in detector.windows(blind) if not window.judged]
    assert windows and all(np.isnan(window.level) for window in windows)
    level = detector.decision_function(blind)
    assert np.isfinite(level).all()
    assert len(set(level[100:180])) == 1


def test_no_window_spans_a_gap_in_time(detector, faulty):
    gap = faulty.drop(faulty.index[100:140])
    assert len(detector.decision_function(gap)) == 560
    before, after = faulty.index[99].timestamp(), faulty.index[140].timestamp()
    assert not any(w.start_s <= before and w.end_s > after for w in detector.windows(gap))


def test_rows_come_one_by_one_too(detector, faulty):
    batch = detector.windows(faulty)
    again = pickle.loads(pickle.dumps(detector))
    streamed = []
    for time, row in zip(faulty.index, faulty.to_numpy()):
        streamed += again.push(row, time.timestamp())
    assert streamed == batch


def test_river_asks_for_one_score_at_a_time(detector, faulty):
    again = pickle.loads(pickle.dumps(detector))
    level = detector.decision_function(faulty.reset_index(drop=True))
    scores = [again.learn_one(row).score_one(row) for row in faulty.to_dict("records")]
    assert scores[:31] == [0] * 31
    assert (np.array(scores[31:]) == level[31:]).all()


def test_a_saved_model_is_a_file_as_any_other(detector, tmp_path):
    (tmp_path / "plain").touch()
    detector.save(tmp_path / "plant.cmr")
    assert (tmp_path / "plant.cmr").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert {file.name for file in tmp_path.iterdir()} == {"plain", "plant.cmr"}
    with pytest.raises(cmr.InputError, match="plain: "):
        CouplingDetector.load(tmp_path / "plain")
    with pytest.raises((OSError, cmr.InputError), match="no-such.cmr"):
        CouplingDetector.load(tmp_path / "no-such.cmr")


def test_rows_of_other_names_are_refused_and_none_is_absent(detector, faulty):
    again = pickle.loads(pickle.dumps(detector))
    with pytest.raises(cmr.InputError, match="none of the columns a, b, y, z"):
        again.score_one({"speed": 1})
    for row in faulty[:40].to_dict("records"):
        again.score_one({**row, "z": None})
    assert again.score_one(faulty.iloc[40].to_dict()) > 0


def test_one_cause_may_be_a_name(healthy):
    model = CouplingDetector(causes="b", effects="y", window=32, method="untrained").fit(healthy).model_
    assert [(c.name, c.effect) for c in model.channels] == [("b", False), ("y", True)]


def test_a_detector_is_saved_loaded_and_pickled(detector, faulty, tmp_path):
    wanted = detector.decision_function(faulty)
    detector.save(tmp_path / "plant.cmr")
    loaded = CouplingDetector.load(tmp_path / "plant.cmr")
    assert (loaded.decision_function(faulty) == wanted).all()
    assert (loaded.causes, loaded.effects, loaded.window) == (("a", "b"), ("y", "z"), 32)
    with pytest.raises(cmr.InputError, match="training data"):
        loaded.predict_proba(faulty)
    again = pickle.loads(pickle.dumps(detector))
    assert (again.decision_function(faulty) == wanted).all()
    assert (again.decision_scores_ == detector.decision_scores_).all()


def test_learning_changes_no_parameter_and_judging_changes_nothing(healthy, faulty):
    given = dict(causes=("a", "b"), window=32, stride=32, method="untrained", settings={"score.lags": 2})
    detector = CouplingDetector(**given)
    assert detector.fit(healthy.astype(np.float32)) is detector
    assert {key: detector.get_params()[key] for key in given} == given
    before = {key: value for key, value in vars(detector).items() if key != "model_"}
    detector.decision_function(faulty), detector.predict(faulty), detector.predict_proba(faulty), detector.explain(faulty)
    after = {key: value for key, value in vars(detector).items() if key != "model_"}
    assert before.keys() == after.keys() and all(before[key] is after[key] for key in before)


def test_what_cannot_be_learned_says_why(healthy):
    with pytest.raises(cmr.InputError, match="causes is None"):
        CouplingDetector().fit(healthy)
    with pytest.raises(cmr.InputError, match="no column 'speed'"):
        CouplingDetector(causes=["speed"]).fit(healthy)
    with pytest.raises(cmr.InputError, match="train.max_epoch"):
        CouplingDetector(causes=["a"], settings={"train.max_epoch": 3}).fit(healthy)
    with pytest.raises(ValueError, match="infinity"):
        CouplingDetector(causes=["a"]).fit(healthy.replace(healthy.iloc[0, 0], np.inf))
    with pytest.raises(cmr.InputError):
        CouplingDetector(causes=["a"], window=32).fit(healthy[:20])


def test_every_parameter_changes_what_is_learned(healthy):
    """Each setting of the class arrives in the recipe of the model."""
    given = dict(causes=["b"], effects=["y"], window=64, stride=32, rate_hz=1.0, method="untrained", random_state=7)
    model = CouplingDetector(**given, settings={"score.lags": 5}).fit(healthy).model_
    assert [(c.name, c.effect) for c in model.channels] == [("b", False), ("y", True)]
    assert (model.window, model.stride, model.rate_hz) == (64, 32, 1.0)
    assert "lags = 5" in model.recipe and '"untrained"' in model.recipe


def test_a_network_learns_with_progress_and_keeps_a_promise(capfd):
    values = rows(3000, seed=5)
    small = {"model.width": 16, "model.layers": 1, "model.state": 4, "model.rank": 2, "train.max_epochs": 2,
             "train.warmup_epochs": 1, "train.batch": 8}  # fmt: skip
    detector = CouplingDetector(causes=[0, 1], window=32, stride=32, settings=small, verbose=True, rate_hz=0.1)
    detector.fit(values)
    shown = capfd.readouterr().err
    assert "epoch" in shown.lower()
    assert detector.model_.false_alarms_per_day is None
    assert detector.decision_function(rows(200, seed=6)).shape == (200,)


def test_a_promise_moves_the_line(tmp_path):
    values, at = rows(8000, seed=1), dict(causes=[0, 1], window=32, stride=32, rate_hz=0.01, method="untrained")
    promised = CouplingDetector(**at, false_alarms_per_day=2).fit(values)
    assert promised.model_.false_alarms_per_day == 2
    promised.save(file := tmp_path / "promised.cmr")
    assert CouplingDetector.load(file).false_alarms_per_day == 2


def test_seconds_as_index_are_times(detector, faulty):
    seconds = pd.DataFrame(faulty.to_numpy(), columns=faulty.columns, index=np.arange(600) + 0.5)
    assert detector.windows(seconds)[0].start_s == 0.5
