"""A model file, and machines that it watches: libcmr in Python's terms."""

import ctypes
import os
from ctypes import POINTER, byref, c_double, c_float, c_size_t, c_void_p
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Iterator, Self, Sequence

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import InputError, call, library, text

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """A column of the data: a cause or an effect. Unused is one that never moved in the healthy data."""

    name: str
    group: str
    effect: bool
    used: bool


@dataclass(frozen=True)
class Result:
    """One window. Where not enough was there to judge it by, its numbers are NaN and the alarm stays as it was.

    ``sensors`` says of each channel "well", or what is wrong with it; ``void_promise`` why the promise of false alarms
    does not hold now, else nothing; ``outside_range`` whether the causes are not those of the healthy data, so that no
    promise holds in this window.
    """

    first: int
    start_s: float
    end_s: float
    judged: bool
    alarm: bool
    raised: bool
    level: float
    p_value: float
    scores: dict[str, float]
    residuals: dict[str, float]
    sensors: dict[str, str]
    void_promise: str
    outside_range: bool


@dataclass(frozen=True)
class EffectEvidence:
    """What an effect contributes to an alarm, and how odd it is by itself, in healthy deviations."""

    name: str
    residual: float
    alone: float
    frozen: bool


@dataclass(frozen=True)
class CauseEvidence:
    """How much of the worst effect's unexplained part a cause accounts for."""

    name: str
    share: float


@dataclass(frozen=True)
class Explanation:
    """Why a window is as it is: the worst effect and the likeliest cause first."""

    verdict: str
    sentence: str
    at_s: float
    onset_s: float
    level: float
    p_value: float
    effects: tuple[EffectEvidence, ...]
    causes: tuple[CauseEvidence, ...]


@dataclass(frozen=True)
class Counts:
    """What a stream has seen; late and doubled readings were ignored."""

    readings: int
    rows: int
    late: int
    doubled: int
    gaps: int
    windows: int
    unjudged: int
    alarms: int


class Model:
    """A model file of ``cmr fit``. It never changes; many streams may share it.

    Raises :class:`InputError` where the file is damaged, of another schema, or no longer gives its own scores.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._handle = c_void_p()
        call("cmr_model_open", os.fsencode(path), byref(self._handle))
        about = library.cmr_model_describe(self._handle).contents
        self.version: str = text(about.version)
        self.recipe: str = text(about.recipe)
        self.rate_hz: float = about.rate_hz
        self.window: int = about.window
        self.stride: int = about.stride
        self.threshold: float = about.threshold
        #: What ``cmr calibrate`` promised; None before.
        self.false_alarms_per_day: float | None = None if np.isnan(about.false_alarms_per_day) else about.false_alarms_per_day
        self.channels: tuple[Channel, ...] = tuple(
            Channel(text(c.name), text(c.group), bool(c.effect), bool(c.used))
            for c in about.channels[: about.channel_count]
        )
        self.scores: tuple[str, ...] = tuple(text(name) for name in about.scores[: about.score_count])
        self.effects: tuple[str, ...] = tuple(text(name) for name in about.effects[: about.effect_count])

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.cmr_model_close(self._handle)

    @property
    def handle(self) -> c_void_p:
        return self._handle


class Stream:
    """One machine: rows in, judged windows out.

    Rows may come late by up to ``lateness_s`` seconds; a channel without news for ``stale_s`` is absent; windows begin
    every ``stride`` samples, if not as the recipe says.
    """

    def __init__(self, model: Model, *, lateness_s: float = 0, stale_s: float = 0, stride: int = 0) -> None:
        self.model = model
        self._names = [channel.name for channel in model.channels]
        self._handle = c_void_p()
        settings = _native.Settings(lateness_s, stale_s, stride)
        call("cmr_stream_open", model.handle, byref(settings), byref(self._handle))

    def close(self) -> None:
        """Frees what the stream holds; it cannot be used afterwards."""
        if getattr(self, "_handle", None):
            library.cmr_stream_close(self._handle)
            self._handle = c_void_p()

    __del__ = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, what: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def push(self, times_s: float | npt.ArrayLike, rows: npt.ArrayLike) -> None:
        """Takes one row at a time, or several: a value per channel in the model's order, NaN where there is none."""
        self._check_open()
        values = np.ascontiguousarray(np.atleast_2d(np.asarray(rows, dtype=np.float32)))
        times = np.ascontiguousarray(np.atleast_1d(np.asarray(times_s, dtype=np.float64)))
        if values.ndim != 2 or values.shape[1] != len(self._names):
            raise InputError(f"rows of {values.shape[-1]} values; the model has {len(self._names)} channels")
        if times.shape != (values.shape[0],):
            raise InputError(f"{times.size} times for {values.shape[0]} rows")
        call(
            "cmr_stream_push_rows",
            self._handle,
            values.shape[0],
            times.ctypes.data_as(POINTER(c_double)),
            values.ctypes.data_as(POINTER(c_float)),
        )

    def push_value(self, time_s: float, channel: str, value: float) -> None:
        """Takes the value of one channel, for sources that send each by itself."""
        self._check_open()
        if channel not in self._names:
            raise InputError(f"there is no channel '{channel}'; the model has {', '.join(self._names)}")
        call("cmr_stream_push_value", self._handle, time_s, self._names.index(channel), value)

    def end(self) -> None:
        """Nothing more comes: what was held back for late rows is judged."""
        self._check_open()
        call("cmr_stream_end", self._handle)

    def results(self) -> Iterator[Result]:
        """The windows that were judged since the last call, oldest first."""
        while (raw := self._next()) is not None:
            yield self._result(raw)

    def explain(self) -> Explanation:
        """Why the last judged window is as it is."""
        self._check_open()
        found = POINTER(_native.Explanation)()
        call("cmr_stream_explain", self._handle, byref(found))
        raw = found.contents
        return Explanation(
            text(raw.verdict),
            text(raw.sentence),
            raw.at_s,
            raw.onset_s,
            raw.level,
            raw.p_value,
            tuple(EffectEvidence(text(e.name), e.residual, e.alone, bool(e.frozen)) for e in raw.effects[: raw.effect_count]),
            tuple(CauseEvidence(text(c.name), c.share) for c in raw.causes[: raw.cause_count]),
        )

    def save(self) -> bytes:
        """The whole state, with which another stream of this model goes on as if it were this one."""
        self._check_open()
        at, size = c_void_p(), c_size_t()
        call("cmr_stream_save", self._handle, byref(at), byref(size))
        return ctypes.string_at(at.value or 0, size.value)

    def restore(self, state: bytes) -> None:
        """Goes on where a stream of the same model and settings was saved; InputError for any other state."""
        self._check_open()
        call("cmr_stream_restore", self._handle, state, len(state))

    def count(self) -> Counts:
        """What came in, and what became of it."""
        self._check_open()
        counts = POINTER(_native.Counts)()
        call("cmr_stream_count", self._handle, byref(counts))
        return Counts(*(getattr(counts.contents, name) for name, _ in _native.Counts._fields_))

    def _check_open(self) -> None:
        if not self._handle:
            raise InputError("the stream is closed")

    def _next(self) -> Any:
        self._check_open()
        found = POINTER(_native.Result)()
        call("cmr_stream_next", self._handle, byref(found))
        return found.contents if found else None

    def _result(self, raw: Any) -> Result:
        return Result(
            raw.first,
            raw.start_s,
            raw.end_s,
            bool(raw.judged),
            bool(raw.alarm),
            bool(raw.raised),
            raw.level,
            raw.p_value,
            _named(self.model.scores, raw.scores),
            _named(self.model.effects, raw.residuals),
            {name: text(raw.sensors[i]) for i, name in enumerate(self._names)},
            text(raw.void_promise),
            bool(raw.outside_range),
        )


def _named(names: Sequence[str], values: Any) -> dict[str, float]:
    return {name: float(values[i]) for i, name in enumerate(names)}
