"""The C interface of libcmr (cmr/cmr.h) by ctypes: its structs, its functions, and its failures as exceptions."""

import ctypes
import os
import pathlib
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p
from typing import Any


class InputError(ValueError):
    """Something in the input needs mending."""


class MachineError(OSError):
    """The machine would not: memory, disk, a program that is not there."""


class Bug(RuntimeError):
    """A promise of the library to itself is broken."""


class Error(Structure):
    _fields_ = [("status", c_int32), ("message", c_char * 1024)]


class Channel(Structure):
    _fields_ = [("name", c_char_p), ("group", c_char_p), ("effect", c_int32), ("used", c_int32)]


class Description(Structure):
    _fields_ = [
        ("version", c_char_p),
        ("recipe", c_char_p),
        ("rate_hz", c_double),
        ("window", c_int64),
        ("stride", c_int64),
        ("channel_count", c_int64),
        ("channels", POINTER(Channel)),
        ("score_count", c_int64),
        ("scores", POINTER(c_char_p)),
        ("effect_count", c_int64),
        ("effects", POINTER(c_char_p)),
        ("threshold", c_double),
        ("false_alarms_per_day", c_double),
    ]


class Settings(Structure):
    _fields_ = [("lateness_s", c_double), ("stale_s", c_double), ("stride", c_int64)]


class Result(Structure):
    _fields_ = [
        ("first", c_int64),
        ("start_s", c_double),
        ("end_s", c_double),
        ("judged", c_int32),
        ("alarm", c_int32),
        ("raised", c_int32),
        ("level", c_double),
        ("p_value", c_double),
        ("scores", POINTER(c_float)),
        ("residuals", POINTER(c_float)),
        ("sensors", POINTER(c_char_p)),
        ("void_promise", c_char_p),
        ("outside_range", c_int32),
    ]


class EffectEvidence(Structure):
    _fields_ = [("name", c_char_p), ("residual", c_double), ("alone", c_double), ("frozen", c_int32)]


class CauseEvidence(Structure):
    _fields_ = [("name", c_char_p), ("share", c_double)]


class Explanation(Structure):
    _fields_ = [
        ("verdict", c_char_p),
        ("sentence", c_char_p),
        ("at_s", c_double),
        ("onset_s", c_double),
        ("level", c_double),
        ("p_value", c_double),
        ("effect_count", c_int64),
        ("effects", POINTER(EffectEvidence)),
        ("cause_count", c_int64),
        ("causes", POINTER(CauseEvidence)),
    ]


class Counts(Structure):
    _fields_ = [
        (name, c_int64) for name in ("readings", "rows", "late", "doubled", "gaps", "windows", "unjudged", "alarms")
    ]


# The arguments of each function that can fail, without the error that all of them have last.
_FUNCTIONS: dict[str, list[Any]] = {
    "cmr_model_open": [c_char_p, POINTER(c_void_p)],
    "cmr_stream_open": [c_void_p, POINTER(Settings), POINTER(c_void_p)],
    "cmr_stream_push": [c_void_p, c_double, POINTER(c_float)],
    "cmr_stream_push_rows": [c_void_p, c_int64, POINTER(c_double), POINTER(c_float)],
    "cmr_stream_push_value": [c_void_p, c_double, c_int64, c_float],
    "cmr_stream_end": [c_void_p],
    "cmr_stream_next": [c_void_p, POINTER(POINTER(Result))],
    "cmr_stream_explain": [c_void_p, POINTER(POINTER(Explanation))],
    "cmr_stream_save": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "cmr_stream_restore": [c_void_p, c_char_p, c_size_t],
    "cmr_stream_count": [c_void_p, POINTER(POINTER(Counts))],
}


def _load() -> ctypes.CDLL:
    """The library that CMR_LIBRARY names, else the one that a wheel carries, else the system's."""
    carried = pathlib.Path(__file__).with_name("libcmr.so.0")
    name = os.environ.get("CMR_LIBRARY") or (str(carried) if carried.exists() else "libcmr.so.0")
    try:
        library = ctypes.CDLL(name)
    except OSError as reason:
        raise MachineError(f"libcmr cannot be loaded: {reason}; on Debian it is in the package libcmr0") from reason
    for function, arguments in _FUNCTIONS.items():
        getattr(library, function).argtypes = [*arguments, POINTER(Error)]
        getattr(library, function).restype = c_int32
    library.cmr_version.restype = c_char_p
    library.cmr_model_describe.argtypes = [c_void_p]
    library.cmr_model_describe.restype = POINTER(Description)
    for close in (library.cmr_model_close, library.cmr_stream_close):
        close.argtypes = [c_void_p]
        close.restype = None
    return library


library = _load()
_KINDS = {1: Bug, 2: InputError, 3: MachineError}


def call(function: str, *arguments: Any) -> None:
    """Calls a function of the library; what it returns as an error is raised."""
    error = Error()
    status = getattr(library, function)(*arguments, ctypes.byref(error))
    if status:
        raise _KINDS[status](error.message.decode(errors="replace"))


def text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")


def library_version() -> str:
    """Release and commit of libcmr."""
    return text(library.cmr_version())
