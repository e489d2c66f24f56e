"""What is right after a launch: what interpretation leaves, or what somebody else recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ferrotile import ir
from ferrotile.core import InputError, Unsupported
from ferrotile.interp import Options, interpret
from ferrotile.ir.formats import Array as Numbers
from ferrotile.transplant.arguments import Arguments, Laid
from ferrotile.transplant.case import Near

GRIDS = ((2, 2, 1), (4, 1, 1), (2, 1, 1), (1, 1, 1))
"""Where nobody says how many blocks to launch: the first of these that goes well, else the last."""
LIMITS = Options(round_limit=100_000)
INTERPRETER, USER = "the interpreter", "the arrays given as expected"
APPROXIMATE = {"f32": 2e-3, "f64": 1e-9, "f16": 5e-3, "bf16": 4e-2, "f8e4m3fn": 0.13, "f8e5m2": 0.25}
"""How far a device may be from the interpreter, relative to 1 and the number: it sums in another order, and has
approximate functions.
"""


@dataclass(frozen=True, slots=True)
class Right:
    """Who says what is right. `expected`: .npy files by array name; without them the interpreter, if `use_interpreter`,
    else what the reference leaves by its own launcher. `tolerances`: by dtype; None: those of the oracle.
    """

    expected: Mapping[str, str] = field(default_factory=dict)
    use_interpreter: bool = True
    tolerances: Mapping[str, Near] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Oracle:
    """What each array holds after a right launch, None: what it held before. `by` is None where nothing is known of
    that, and `note` says why. `tolerances` by dtype.
    """

    grid: tuple[int, ...]
    by: str | None
    after: tuple[Numbers | None, ...]
    tolerances: Mapping[str, Near]
    note: str = ""


def oracle_of(module: ir.Module, arguments: Arguments, right: Right) -> Oracle:
    """The oracle of a launch, and its grid where nobody said one. Raises: FT806 an expected array does not fit."""
    nothing = tuple(None for _ in arguments.arrays)
    found, grid, note = None, arguments.grid or GRIDS[-1], ""
    for tried in (arguments.grid,) if arguments.grid else GRIDS:
        found, why = _interpreted(module, arguments, tried)
        if found is not None:
            grid = tried
            break
        note = note or why
    given = {} if right.tolerances is None else right.tolerances
    if right.expected:
        return Oracle(grid, USER, tuple(_expected(arguments.arrays, right.expected)), given or _usual())
    if not right.use_interpreter or found is None:
        return Oracle(grid, None, nothing, given, "" if found is not None else f"no oracle: {note}")
    return Oracle(grid, INTERPRETER, found, _usual() if right.tolerances is None else given)


def _usual() -> dict[str, Near]:
    return {name: Near(atol=near, rtol=near) for name, near in APPROXIMATE.items()}


def _interpreted(
    module: ir.Module, arguments: Arguments, grid: tuple[int, ...]
) -> tuple[tuple[Numbers, ...] | None, str]:
    """What interpretation leaves, or why that says nothing."""
    try:
        with np.errstate(all="ignore"):
            result = interpret(module, list(arguments.values), grid, options=LIMITS)
    except (InputError, Unsupported) as error:
        return None, error.message
    if result.findings:
        return None, f"the interpreter finds `{result.findings[0].kind}` with {grid} blocks"
    if any(missing.any() for missing in (*result.undetermined, *(missing for _, missing in result.listed))):
        return None, f"the kernel leaves what is not determined with {grid} blocks"
    return (*result.arrays, *(after for after, _ in result.listed)), ""


def _expected(arrays: Sequence[Laid], expected: Mapping[str, str]) -> Iterator[Numbers | None]:
    """Arrays that are not named must stay as they are. Raises: FT806."""
    if unknown := sorted(set(expected) - {array.name for array in arrays}):
        raise InputError("FT806", f"there is no array `{unknown[0]}` to expect anything of")
    for array in arrays:
        yield _loaded(array, expected[array.name]) if array.name in expected else None


def _loaded(array: Laid, path: str) -> Numbers:
    try:
        value = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise InputError("FT806", f"`{path}` for `{array.name}` is no .npy file of numbers") from None
    if value.shape != array.data.shape or value.dtype.itemsize != array.data.dtype.itemsize:
        wanted = f"{array.data.dtype}{list(array.data.shape)}"
        raise InputError("FT806", f"`{path}` is {value.dtype}{list(value.shape)}, and `{array.name}` is {wanted}")
    return np.ascontiguousarray(value).view(array.data.dtype)
