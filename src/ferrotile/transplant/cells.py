"""Run the four cells, each in a process of its own, and say what each came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ferrotile.core import EnvironmentFault, FerrotileError
from ferrotile.core.pool import run_all
from ferrotile.transplant.case import Case, read_case
from ferrotile.transplant.comparing import difference
from ferrotile.transplant.decision import CELLS, Cell, Decision, State, decide
from ferrotile.transplant.device import Device, TorchDevice
from ferrotile.transplant.launchers import LAUNCHERS, Bench, NotMade

LAUNCHES = 3
LIMIT_S = 300.0
NO_DEVICE, DRIVER = "FT642", "FT622"
Left = tuple[bytes, ...]
"""The bytes of every array after a launch."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a cell's process has to tell: what each launch left, or the state in which it ended, and why."""

    left: tuple[Left, ...] = ()
    state: State | None = None
    reason: str = ""
    code: str | None = None
    device: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A cell: its state, why in a sentence, the code of a refusal, and whether each launch was right."""

    cell: Cell
    state: State
    sentence: str
    code: str | None = None
    launches: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Transplant:
    """The 2 x 2 table of one case, and whom it names. `device`: the GPU's name."""

    folder: Path
    case: Case
    cells: tuple[Judged, ...]
    decision: Decision
    device: str


def transplant(
    folder: Path,
    make_device: Callable[[], Device] = TorchDevice,
    launches: int = LAUNCHES,
    limit_s: float = LIMIT_S,
) -> Transplant:
    """Run a case: both programs under both launchers, each `launches` times on the same bytes.

    Raises: FT640 a wrong case; FT642 there is no GPU, or one of another target.
    """
    read_case(folder)
    work = partial(attempt, make_device, folder, launches)
    attempts = dict(run_all(work, list(CELLS), len(CELLS), partial(dead, limit_s), limit_s))
    return conclude(folder, [attempts[number] for number in range(len(CELLS))])


def conclude(folder: Path, attempts: Sequence[Attempt]) -> Transplant:
    """What the attempts of all cells, in the order of the table, come to. Raises: FT640, FT642."""
    case = read_case(folder)
    for found in attempts:
        if found.code == NO_DEVICE:
            raise EnvironmentFault(NO_DEVICE, found.reason)
    files = [[_read(folder, name) for name in (array.before, array.after)] for array in case.arrays]
    oracle = _oracle(case, files, attempts[0])
    cells = tuple(judge(case, oracle, cell, found) for cell, found in zip(CELLS, attempts, strict=True))
    decision = decide({one.cell: one.state for one in cells})
    device = next((one.device for one in attempts if one.device), "")
    return Transplant(folder, case, cells, decision, device)


def attempt(make_device: Callable[[], Device], folder: Path, launches: int, cell: Cell) -> Attempt:
    """One cell, in this process. An error of a launch is told, not raised."""
    try:
        device = make_device()
        case = read_case(folder)
        if (target := device.driver.target()) != case.target:
            return Attempt(code=NO_DEVICE, reason=f"the GPU here is {target}, and the case is of {case.target}")
    except FerrotileError as error:
        return Attempt(code=NO_DEVICE, reason=error.message)
    except Exception as error:  # torch that does not load, say: nothing was launched, so it is no fault of a cell
        return Attempt(code=NO_DEVICE, reason=_words(error))
    told = partial(Attempt, device=device.about)
    before = [_read(folder, array.before) or b"" for array in case.arrays]
    left: list[Left] = []
    seen: dict[bytes, bytes] = {}  # what each launch leaves alike travels once
    try:
        arrays = [device.array(*pair) for pair in zip(case.arrays, before, strict=True)]
        launch = LAUNCHERS[cell.launcher](Bench(case, folder, device, arrays), cell.program)
        for _ in range(launches):
            for array, data in zip(arrays, before, strict=True):
                device.fill(array, data)
            device.wait()
            launch()
            device.wait()
            left.append(tuple(seen.setdefault(data, data) for data in map(device.bytes_of, arrays)))
    except NotMade as reason:
        return told(state=State.NOT_MADE, reason=str(reason))
    except Exception as error:  # a launcher, cuda.tile, torch and the driver raise errors of many classes
        return told(tuple(left), *_told(error))
    return told(tuple(left))


def _told(error: Exception) -> tuple[State, str, str | None]:
    """A refusal is known by its class: ours before a launch, or what cuda.tile raises for arguments."""
    if isinstance(error, FerrotileError):
        return (State.FAILED if error.code == DRIVER else State.REFUSED), error.message, error.code
    is_refusal = isinstance(error, TypeError | ValueError | OverflowError) or _is_of_tile(error)
    return (State.REFUSED if is_refusal else State.FAILED), _words(error), None


def _words(error: Exception) -> str:
    text = (str(error).splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {text}"


def _is_of_tile(error: Exception) -> bool:
    """Whether cuda.tile's front end refuses."""
    return type(error).__module__.startswith("cuda.tile")


def dead(limit_s: float, cell: Cell, exit_code: int | None) -> Attempt:
    """What a cell came to whose process died, or was ended."""
    how = f"not done after {limit_s:g} s" if exit_code is None else f"its process ended with exit code {exit_code}"
    return Attempt(state=State.CRASHED, reason=how)


def _read(folder: Path, name: str | None) -> bytes | None:
    return None if name is None else (folder / name).read_bytes()


def _oracle(case: Case, files: Sequence[Sequence[bytes | None]], first: Attempt) -> Left | None:
    """What is right: recorded, or what the reference left by its own launcher at its first launch; None: nothing is."""
    if case.oracle is not None:
        return tuple((before if after is None else after) or b"" for before, after in files)
    return first.left[0] if first.left and first.state is None else None


def judge(case: Case, oracle: Left | None, cell: Cell, found: Attempt) -> Judged:
    """What a cell came to."""
    if found.state is not None:
        after = f", at launch {len(found.left) + 1}" if found.left else ""
        return Judged(cell, found.state, f"{found.reason}{after}", found.code)
    if oracle is None:
        return Judged(cell, State.UNJUDGED, "it ran, and the reference by its own launcher, the oracle, did not")
    reasons = [difference(case.arrays, case.tolerances, oracle, left) for left in found.left]
    launches = tuple(reason is None for reason in reasons)
    count = len(set(found.left))
    if all(launches):
        own = " (it is the oracle)" if case.oracle is None and cell == CELLS[0] else ""
        bits = "the same bits each time" if count == 1 else f"{count} different sets of bits, all near enough"
        return Judged(cell, State.RIGHT, f"{len(launches)} launches, {bits}{own}", launches=launches)
    first = next(reason for reason in reasons if reason is not None)
    if count > 1:
        turns = ", ".join(State.RIGHT if is_right else State.WRONG for is_right in launches)
        return Judged(cell, State.VARIES, f"launches are {turns}, {count} sets of bits; {first}", launches=launches)
    return Judged(cell, State.WRONG, first, launches=launches)
