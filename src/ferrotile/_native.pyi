from collections.abc import Callable
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

class Mark:
    """Stands for a kernel with its hints; `declared`: which parameters are constants."""

    def __init__(self, number: int, declared: list[bool]) -> None: ...

class Tally:
    """Launches of one kernel; `last`: the number of its last launch among those of all kernels, from 1, or 0."""

    count: int
    last: int
    def add(self) -> None: ...
    def reset(self) -> None: ...

class Launches:
    """Launches that were prepared, by what their programs depend on; beyond `most` all are forgotten.

    `unchanging`: types whose objects are known by their address, as constants; `mark`: gives the mark of a kernel that
    has none yet, and leaves it there as `_ferrotile_mark`.
    """

    def __init__(self, unchanging: list[type], most: int, mark: Callable[[Any], Mark]) -> None: ...
    def __len__(self) -> int: ...
    def connect(self, addresses: tuple[int, int]) -> None:
        """Where the driver's `cuCtxGetCurrent` and `cuLaunchKernel` are."""

    def remember(
        self, context: int, mark: Mark, arguments: tuple[Any, ...], program: dict[str, Any], tally: Tally
    ) -> bool:
        """Keep how a launch was answered, for the next with the same key; False if that needs Python."""

class Chosen:
    """Whether the name that `asked` gives, or, if that is None, the one that `current` gives, is a certain name."""

    def __init__(self, asked: Callable[[], str | None], current: Callable[[], str], name: str) -> None: ...
    def __call__(self) -> bool: ...

class Hook:
    """Stands in the place of `cuda.tile.launch`: answers prepared launches, and has `prepare` answer the others."""

    def __init__(
        self, launches: Launches | None, original: Any, is_ours: Callable[[], bool] | None, prepare: Callable[..., Any]
    ) -> None: ...
    @property
    def launch(self) -> Callable[..., Any]:
        """The function (stream, grid, kernel, kernel_args, /, **options)."""
