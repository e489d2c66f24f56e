from typing import Any, TypedDict

CUTILE_VERSION: str

class LowerError(RuntimeError):
    """Args: (kind, message, file, line, column); kind is `input`, `syntax`, `refused`, `panic` or `deep`."""

    args: tuple[str, str, str, int, int]

class _Reply(TypedDict):
    bytecode: bytes
    launch_checks: list[str]
    discharged: int
    hoisted: int
    in_place: int
    seconds_modules: float
    seconds_compile: float

def lower(request: dict[str, Any]) -> _Reply:
    """Lower one entry of a kernel text; the DSL modules are parsed once a process."""

def lower_as_launched(request: dict[str, Any]) -> _Reply:
    """As `lower`, but finds and parses the DSL modules afresh, as cutile does at a launch."""
