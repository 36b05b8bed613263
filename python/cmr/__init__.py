"""cmr tells that a machine no longer answers its causes the way it did when healthy.

:class:`CouplingDetector` learns from arrays and data frames and scores them. :class:`Model` and :class:`Stream` are the
library beneath it: a model file, and one machine that is watched sample by sample.
"""

from ._native import Bug, InputError, MachineError, library_version
from ._version import __version__
from .detector import CouplingDetector
from .model import CauseEvidence, Channel, Counts, EffectEvidence, Explanation, Model, Result, Stream

__all__ = [
    "Bug",
    "CauseEvidence",
    "Channel",
    "Counts",
    "CouplingDetector",
    "EffectEvidence",
    "Explanation",
    "InputError",
    "MachineError",
    "Model",
    "Result",
    "Stream",
    "__version__",
    "library_version",
]
