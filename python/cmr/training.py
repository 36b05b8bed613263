"""Learning: data and a recipe in a folder, and the program ``cmr`` that makes a model file of them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Mapping, Sequence

import numpy as np

from ._native import Bug, InputError, MachineError
from .frame import Frame

_KINDS = {1: Bug, 2: InputError, 3: MachineError}


def program() -> str:
    """The program that CMR_PROGRAM names, else the one in PATH."""
    found = os.environ.get("CMR_PROGRAM") or shutil.which("cmr")
    if not found:
        raise MachineError("the program cmr is not in PATH; on Debian it is in the packages cmr and cmr-train")
    return found


def run(arguments: Sequence[str], *, verbose: bool) -> dict[str, Any]:
    """Runs ``cmr`` and returns what it says as JSON. Its progress is shown where ``verbose``; its message is raised."""
    said = ""
    command = [program(), *arguments, "--json"]
    with tempfile.TemporaryFile("w+") as result:
        with subprocess.Popen(command, stdout=result, stderr=subprocess.PIPE, text=True, errors="replace") as child:
            assert child.stderr
            try:
                while piece := child.stderr.read(1 if verbose else -1):
                    said += piece
                    if verbose:
                        print(piece, end="", file=sys.stderr, flush=True)
            except BaseException:
                child.terminate()
                raise
        code = child.returncode
        result.seek(0)
        answer = result.read()
    if code:
        message = said.strip().splitlines()[-1] if said.strip() else f"cmr ended with code {code}"
        raise _KINDS.get(code, MachineError)(message.removeprefix("cmr: "))
    return dict(json.loads(answer))


def recipe_text(
    frame: Frame, *, causes: Sequence[str], effects: Sequence[str], rate_hz: float, window: int, stride: int, method: str
) -> str:
    """The recipe of an array: everything in it is healthy."""
    text = json.dumps  # a JSON text of printable characters is a TOML text
    timed = frame.times_s is not None
    names = ["cmr time", *frame.names] if timed else frame.names
    lines = [
        'name = "array"',
        'description = "Written by CouplingDetector"',
        f"data.rate_hz = {rate_hz!r}",
        'data.gaps = "drop-window"',
        f"data.read.names = {text(names)}",
        *(['data.time.column = "cmr time"'] if timed else []),
        f"window = {{ length = {window}, stride = {stride} }}",
        f"split.purge = {window}",
        f"model.method = {text(method)}",
        "[[data.part]]",
        'name = "healthy"',
        'files = "healthy.npy"',
        'state = "healthy"',
    ]
    for role, channels in (("cause", causes), ("effect", effects)):
        lines += ["[[channels]]", f'role = "{role}"', f'group = "{role}s"', f"names = {text(list(channels))}"]
    return "\n".join(lines) + "\n"


def write_data(frame: Frame, file: pathlib.Path) -> None:
    values = frame.values if frame.times_s is None else np.column_stack([frame.times_s, frame.values])
    np.save(file, np.ascontiguousarray(values))


def fit(
    folder: pathlib.Path, frame: Frame, recipe: str, *, settings: Mapping[str, Any], seed: int | None, verbose: bool
) -> pathlib.Path:
    """Writes data and recipe into a folder and learns; the model file lies there."""
    write_data(frame, folder / "healthy.npy")
    (folder / "array.toml").write_text(recipe)
    model = folder / "array.cmr"
    arguments = ["fit", str(folder / "array.toml"), "--data-root", str(folder), "--out", str(model)]
    if seed is not None:
        arguments += ["--seed", str(seed)]
    for key, value in settings.items():
        arguments += ["--set", f"{key}={json.dumps(value)}"]
    run(arguments, verbose=verbose)
    return model


def calibrate(model: pathlib.Path, false_alarms_per_day: float) -> None:
    """Sets the alarm line by a promise of false alarms."""
    run(["calibrate", str(model), "--false-alarms-per-day", repr(false_alarms_per_day)], verbose=False)
