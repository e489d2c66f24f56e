"""Errors and their codes, places, verdict words, parameter maps, the file store and the tool runner.

Non-goals: nothing here knows Tile IR, Python kernels or Rust; this room imports nothing of ours.
Inner modules `tools` and `store` are used as modules (`from ferrotile.core import store, tools`).
"""

from ferrotile.core.codes import CODES, Code
from ferrotile.core.errors import (
    EnvironmentFault,
    FerrotileError,
    InputError,
    InternalError,
    Unsupported,
    at,
)
from ferrotile.core.level import Level
from ferrotile.core.parameters import ParameterMap, Role
from ferrotile.core.place import Place
from ferrotile.core.style import Style
from ferrotile.core.words import MachineKind, VerdictKind

__all__ = [
    "CODES",
    "Code",
    "EnvironmentFault",
    "FerrotileError",
    "InputError",
    "InternalError",
    "Level",
    "MachineKind",
    "ParameterMap",
    "Place",
    "Role",
    "Style",
    "Unsupported",
    "VerdictKind",
    "at",
]
