"""A detector as PyOD and scikit-learn know them, on the couplings between causes and effects."""

import math
import os
import pathlib
import tempfile
from typing import Any, Mapping, Self, Sequence

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import training
from ._native import InputError
from .frame import Frame, chosen, frame_of
from .model import Explanation, Model, Result, Stream

Values = npt.NDArray[np.float64]


class CouplingDetector(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learns how effects follow their causes in healthy data, and tells where they no longer do.

    Rows of ``X`` are samples in order of time, one column per channel: a NumPy array, or a pandas data frame, whose
    index counts as time where it holds dates or seconds. NaN is an absent value.

    Parameters
    ----------
    causes : columns that drive the machine, by name or position. What drives what is the one thing that cannot be guessed.
    effects : columns that answer; None: all that are no causes.
    window : samples that are judged together.
    stride : samples from one window to the next; None: a quarter of the window.
    rate_hz : samples per second; None: by the index of ``X``, 1 where that holds no times.
    method : "cmr", "untrained" (no network: fits in seconds), or a rival: docs/baselines.md.
    false_alarms_per_day : promise that sets the alarm line; None: the line is the highest healthy score.
    settings : keys of a recipe, such as ``{"train.max_epochs": 20}``: recipes/template.toml.
    random_state : seed of weights, order and dropout; None: the recipe's first.
    verbose : show the progress of learning.

    Attributes
    ----------
    decision_scores_ : level of every row of the training data.
    threshold_ : 1: the level is in units of the alarm line.
    labels_ : 1 where a row of the training data is at it or above, 0 elsewhere.
    model_ : the :class:`Model`.
    n_features_in_, feature_names_in_ : of the training data.
    """

    threshold_ = 1.0

    def __init__(
        self,
        causes: Sequence[str | int] | None = None,
        effects: Sequence[str | int] | None = None,
        window: int = 256,
        stride: int | None = None,
        rate_hz: float | None = None,
        method: str = "cmr",
        false_alarms_per_day: float | None = None,
        settings: Mapping[str, Any] | None = None,
        random_state: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.causes = causes
        self.effects = effects
        self.window = window
        self.stride = stride
        self.rate_hz = rate_hz
        self.method = method
        self.false_alarms_per_day = false_alarms_per_day
        self.settings = settings
        self.random_state = random_state
        self.verbose = verbose

    # ---- learning ----

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from healthy rows; ``y`` is not looked at."""
        frame = frame_of(X)
        if self.causes is None:
            raise InputError("causes is None: name the columns that drive the machine")
        causes = chosen(frame.names, self.causes, "causes")
        rest = [name for name in frame.names if name not in causes]
        effects = rest if self.effects is None else chosen(frame.names, self.effects, "effects")
        if not causes or not effects:
            raise InputError(f"a cause and an effect are needed; X has {len(frame.names)} feature(s)")
        if len(frame.values) < self.window:
            raise InputError(f"X has {len(frame.values)} sample(s); a window has {self.window}")
        recipe = training.recipe_text(
            frame,
            causes=causes,
            effects=effects,
            rate_hz=self.rate_hz or frame.rate_hz(),
            window=self.window,
            stride=self.stride or max(1, self.window // 4),
            method=self.method,
        )
        with tempfile.TemporaryDirectory(prefix="cmr-") as name:
            file = training.fit(
                pathlib.Path(name),
                frame,
                recipe,
                settings=self.settings or {},
                seed=self.random_state,
                verbose=self.verbose,
            )
            if self.false_alarms_per_day is not None:
                training.calibrate(file, self.false_alarms_per_day)
            self._take(file.read_bytes())
        self.n_features_in_ = len(frame.names)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.asarray(frame.names, dtype=object)
        self.decision_scores_ = self._levels(frame)
        self.labels_ = self._labels(self.decision_scores_)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> npt.NDArray[np.int64]:
        """Labels of the data that it learns from."""
        return self.fit(X, y).labels_

    # ---- judging ----

    def decision_function(self, X: Any) -> Values:
        """The level of each row; 1 is the alarm line.

        A row has the level of the last window that ended with it or before, as a stream would have said at that moment;
        rows before the end of the first window have that of the first window. 0 where no window could be judged.
        """
        return self._levels(self._frame(X))

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """1 for rows at the alarm line or above, 0 for the others."""
        return self._labels(self.decision_function(X))

    def predict_proba(self, X: Any, method: str = "linear") -> Values:
        """Two columns, normal and not, made of the level as PyOD does: by the range of the training data ("linear"), or by
        their mean and deviation ("unify")."""
        levels = self.decision_function(X)
        if not hasattr(self, "decision_scores_"):
            raise InputError("a detector from a model file does not know the scores of its training data")
        healthy = self.decision_scores_
        if method == "linear":
            odd = (levels - healthy.min()) / max(healthy.max() - healthy.min(), np.finfo(float).tiny)
        elif method == "unify":
            scaled = (levels - healthy.mean()) / max(healthy.std() * math.sqrt(2), np.finfo(float).tiny)
            odd = np.array([math.erf(value) for value in scaled])
        else:
            raise InputError(f"method is '{method}', expected 'linear' or 'unify'")
        odd = np.clip(odd, 0, 1)
        return np.column_stack([1 - odd, odd])

    def windows(self, X: Any) -> list[Result]:
        """What is said of each window: the rows of ``cmr score``."""
        return self._judge(self._frame(X))[1]

    def explain(self, X: Any, at: int | None = None) -> Explanation:
        """Why a row is as it is; None: the row with the highest level."""
        frame = self._frame(X)
        if at is None:
            at = int(np.argmax(self._levels(frame)))
        if not 0 <= at < len(frame.values):
            raise InputError(f"at is {at}; X has {len(frame.values)} rows")
        upto = max(at + 1, self.model_.window)
        times = frame.times_s[:upto] if frame.times_s is not None else None
        stream, _ = self._judge(Frame(frame.names, frame.values[:upto], times))
        return stream.explain()

    # ---- row by row ----

    def push(self, row: Any, time_s: float | None = None) -> list[Result]:
        """Takes the next row of one machine: a value per column, or a mapping from column to value. Returns the windows
        that are judged by it, mostly none. Without a time it follows the row before."""
        check_is_fitted(self, "model_")
        if not hasattr(self, "_live"):
            self._live, self._rows, self._last_level = Stream(self.model_), 0, 0.0
        if isinstance(row, Mapping):
            if row and not any(name in row for name in self._columns()):
                raise InputError(f"the row has none of the columns {', '.join(self._columns())}; it has {', '.join(map(str, row))}")
            values = [math.nan if row.get(name) is None else float(row[name]) for name in self._columns()]
        else:
            values = [float(value) for value in row]
        if len(values) != len(self._columns()):
            raise InputError(f"a row of {len(values)} values; the detector knows {len(self._columns())} columns")
        time_s = self._rows / self.model_.rate_hz if time_s is None else time_s
        self._live.push(time_s, np.array(values)[self._order(self._columns())])
        self._rows += 1
        results = list(self._live.results())
        self._last_level = next((r.level for r in reversed(results) if r.judged), self._last_level)
        return results

    def score_one(self, x: Any) -> float:
        """As in River: takes the next row and returns the level after it; 0 before the first window."""
        self.push(x)
        return float(self._last_level)

    def learn_one(self, x: Any) -> Self:
        """As in River; nothing is learned from single rows: what is healthy was said to :meth:`fit`."""
        return self

    # ---- keeping ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which ``cmr score`` and :meth:`load` read."""
        check_is_fitted(self, "model_")
        part = pathlib.Path(path).with_name(f".cmr-{os.getpid()}-python.tmp")  # the old file stands until all is written
        try:
            part.write_bytes(self._bytes)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A detector of a model file, wherever that was fitted. It expects the columns of that data, by name or in order."""
        model = Model(path)  # where it cannot be read, the message names this file
        detector = cls()
        detector._take(pathlib.Path(path).read_bytes())
        detector.set_params(
            causes=tuple(c.name for c in model.channels if not c.effect),
            effects=tuple(c.name for c in model.channels if c.effect),
            window=model.window,
            stride=model.stride,
            rate_hz=model.rate_hz,
            false_alarms_per_day=model.false_alarms_per_day,
        )
        detector.n_features_in_ = len(model.channels)
        detector.feature_names_in_ = np.asarray([c.name for c in model.channels], dtype=object)
        return detector

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in super().__getstate__().items() if k not in ("model_", "_live", "_rows", "_last_level")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_bytes" in state:
            self._take(state["_bytes"])

    # ---- inside ----

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True}

    def _take(self, file: bytes) -> None:
        self._bytes = file
        with tempfile.NamedTemporaryFile(prefix="cmr-", suffix=".cmr") as copy:
            copy.write(file)
            copy.flush()
            self.model_ = Model(copy.name)
        if hasattr(self, "_live"):
            del self._live

    def _columns(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _frame(self, X: Any) -> Frame:
        check_is_fitted(self, "model_")
        frame = frame_of(X)
        if hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            return self._with_absent(frame)
        if len(frame.names) != self.n_features_in_:
            raise InputError(
                f"X has {len(frame.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )
        return Frame(self._columns(), frame.values, frame.times_s)

    def _with_absent(self, frame: Frame) -> Frame:
        """With a column of NaN for each effect, or channel that never moved, that is not there: as in a file."""
        absent = [c.name for c in self.model_.channels if (c.effect or not c.used) and c.name not in frame.names]
        if not any(c.effect and c.used and c.name in frame.names for c in self.model_.channels):
            raise InputError(f"X has none of the effects {', '.join(self.model_.effects)}; it has {', '.join(frame.names)}")
        values = np.column_stack([frame.values, np.full((len(frame.values), len(absent)), np.nan)])
        return Frame(frame.names + absent, values, frame.times_s)

    def _order(self, names: Sequence[str]) -> list[int]:
        """Where the model's channels stand among columns of these names."""
        return [names.index(name) for name in chosen(names, [c.name for c in self.model_.channels], "the model's channels")]

    def _judge(self, frame: Frame) -> tuple[Stream, list[Result]]:
        stream = Stream(self.model_)
        stream.push(frame.times(self.model_.rate_hz), frame.values[:, self._order(frame.names)])
        stream.end()
        return stream, list(stream.results())

    def _levels(self, frame: Frame) -> Values:
        times, (_, results) = frame.times(self.model_.rate_hz), self._judge(frame)
        judged = [result for result in results if result.judged]
        if not judged:
            return np.zeros(len(times))
        # A window ends one sample after its last one.
        last_s = np.array([result.end_s for result in judged]) - 1.5 / self.model_.rate_hz
        latest = np.searchsorted(last_s, times, side="right") - 1
        levels = np.array([result.level for result in judged])
        return np.asarray(levels[np.maximum(latest, 0)])

    @staticmethod
    def _labels(levels: Values) -> npt.NDArray[np.int64]:
        return (levels >= CouplingDetector.threshold_).astype(np.int64)
