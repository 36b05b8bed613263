"""Arrays and data frames as cmr sees them: named channels, one row per moment, perhaps with times."""

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array

from ._native import InputError


@dataclass(frozen=True)
class Frame:
    """Rows of all channels. ``times_s`` are seconds (since 1970 where they are dates), or None where rows have none."""

    names: list[str]
    values: npt.NDArray[np.float64]
    times_s: npt.NDArray[np.float64] | None

    def times(self, rate_hz: float) -> npt.NDArray[np.float64]:
        """Times of all rows; where they have none, one after the other. Refuses times that go back, or are of another rate."""
        if self.times_s is None:
            return np.arange(len(self.values)) / rate_hz
        steps_s = np.diff(self.times_s)
        if (steps_s < 0).any():
            raise InputError(f"the times of the rows go back after row {int(np.argmax(steps_s < 0))}: sort them by time")
        if len(steps_s) >= 3 and abs(float(np.median(steps_s)) * rate_hz - 1) > 0.1:
            raise InputError(f"the rows are {np.median(steps_s):g} s apart; the model was fitted on rows {1 / rate_hz:g} s apart")
        return self.times_s

    def rate_hz(self) -> float:
        """Rows per second, by the middle step in time; 1 where rows have no times."""
        if self.times_s is None or len(self.times_s) < 2:
            return 1.0
        step = float(np.median(np.diff(self.times_s)))
        if not step > 0:
            raise InputError("the times of the rows do not go forward")
        return 1 / step


def frame_of(X: Any) -> Frame:
    """Of an array (channels are x0, x1, …) or of a data frame, whose index counts as time where it is dates, periods or
    floating-point seconds; whole numbers count rows.

    NaN is an absent value. Anything infinite, sparse, complex or not two-dimensional is refused.
    """
    values = check_array(X, dtype=np.float64, force_all_finite="allow-nan", ensure_min_samples=1)
    columns = getattr(X, "columns", None)
    names = [str(name) for name in columns] if columns is not None else [f"x{i}" for i in range(values.shape[1])]
    if len(set(names)) != len(names):
        raise InputError("two columns have the same name")
    return Frame(names, values, _times_of(getattr(X, "index", None)))


def _times_of(index: Any) -> npt.NDArray[np.float64] | None:
    if index is None or type(index).__name__ == "RangeIndex":
        return None
    if type(index).__name__ == "PeriodIndex":
        index = index.to_timestamp()
    if type(index).__name__ == "DatetimeIndex":
        index = index if index.tz is None else index.tz_convert(None)
        return np.asarray(index.to_numpy().astype("datetime64[ns]").astype(np.int64) / 1e9)
    if type(index).__name__ == "TimedeltaIndex":
        return np.asarray(index.total_seconds(), dtype=np.float64)
    if np.asarray(index).dtype.kind == "f":
        return np.asarray(index, dtype=np.float64)
    return None


def chosen(names: Sequence[str], wanted: Sequence[str | int], what: str) -> list[str]:
    """Names of channels that are given by name or position; a single name is a list of one."""
    out = []
    for one in [wanted] if isinstance(wanted, str) else wanted:
        if isinstance(one, (int, np.integer)):
            if not -len(names) <= one < len(names):
                raise InputError(f"{what}: there is no column {one}; X has {len(names)} feature(s)")
            out.append(names[one])
        elif one in names:
            out.append(str(one))
        else:
            raise InputError(f"{what}: there is no column '{one}'; X has {', '.join(names)}")
    return out
