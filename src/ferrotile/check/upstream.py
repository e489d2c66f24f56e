"""Who is at fault where two programs differ: the translation, or the compiler that made one of them.

The compiler is at fault where the Rust text asks for what the reference has, and the bytecode holds something else;
that is known of the places below only. The entries themselves, each with a minimal case, are those of FOUND.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.check.normal import splat_bytes
from ferrotile.check.rust_text import Call, call_at, encoded, literal, shapes
from ferrotile.check.verdict import Difference, Verdict
from ferrotile.core import Place, VerdictKind
from ferrotile.core.rust_source import RustSource
from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, RoundingMode
from ferrotile.ir.types import ScalarType, TileType

Owner = Literal["translation", "upstream"]
_CARRIERS = ("reshape", "broadcast", "assume", "bitcast")
"""Operations that bring a value to a type without changing its bits."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What stands at the first difference: operations of both sides, and the Rust text."""

    reference: tuple[Operation, ...]
    lowered: tuple[Operation, ...]
    source: RustSource

    def pairs(self, *names: str) -> Iterator[tuple[Operation, Operation, Call]]:
        """Operations of one name on both sides, with the call that the lowered one was written as."""
        for op in self.lowered:
            call = call_at(self.source, ir.place(op))
            if ir.row(op).name in names and call is not None:
                yield from ((mine, op, call) for mine in self.reference if mine.name == op.name)


@dataclass(frozen=True, slots=True)
class Fault:
    """A row: an entry of FOUND.md, what check sees of it, and what to write instead.

    `explains` says whether a difference is this fault; `refusal` is found in the message of the tool that gives up.
    """

    title: str
    difference: tuple[Difference, ...]
    operations: tuple[str, ...]
    workaround: str
    explains: Callable[[Sight], bool] = lambda sight: False
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Blame:
    """Whose fault it is; `fault` is the entry of FOUND.md, where there is one."""

    owner: Owner
    fault: str | None = None

    @property
    def sentence(self) -> str:
        """The blame in one sentence."""
        if self.owner == "translation":
            return "the Rust text asks for something else than the reference has"
        row = FAULTS.get(self.fault or "")
        return "the compiler broke off" if row is None else f"{self.fault} of FOUND.md: {row.title}; {row.workaround}"

    def to_json(self) -> dict[str, str | None]:
        """The blame as keys of a JSON line."""
        row = FAULTS.get(self.fault or "")
        return {"owner": self.owner, "upstream": self.fault, "workaround": row.workaround if row is not None else None}


def blame(verdict: Verdict, reference: ir.Module, lowered: ir.Module, source: RustSource | None) -> Blame | None:
    """Who is at fault for a DIFFERS; `None` for another verdict, or where the Rust text is not at hand."""
    if verdict.kind is not VerdictKind.DIFFERS or source is None:
        return None
    sight = Sight(_at(reference, verdict.reference_place), _at(lowered, verdict.lowered_place), source)
    for name, fault in FAULTS.items():
        if verdict.difference in fault.difference and fault.explains(sight):
            return Blame("upstream", name)
    return Blame("translation")


def blame_refusal(code: str, message: str) -> Blame | None:
    """Who is at fault for a refusal of the compilers: theirs where it is known, or where they broke off."""
    if code not in ("FT109", "FT404", "FT405"):
        return None
    known = next((name for name, row in FAULTS.items() if row.refusal and re.search(row.refusal, message)), None)
    return Blame("upstream", known) if known is not None or code != "FT404" else Blame("translation")


def _at(module: ir.Module, place: Place | None) -> tuple[Operation, ...]:
    """The operations at a place, and all of them where the module does not say where they came from."""
    ops = tuple(op for entry in module.entries for op in entry.walk())
    return tuple(op for op in ops if place is None or ir.place(op) == place)


def _constants(op: Operation) -> Iterator[Operation]:
    """The constants that an operation takes, however they were brought to its shape."""
    for operand in op.operands:
        owner = _root(operand).owner
        if isinstance(owner, Operation) and ir.row(owner).name == "constant":
            yield owner


def _root(value: SSAValue) -> SSAValue:
    """The value before it was brought to its type."""
    while isinstance(value.owner, Operation) and ir.row(value.owner).name in _CARRIERS:
        value = value.owner.operands[0]
    return value


def _held(op: Operation) -> tuple[ScalarType, bytes | None]:
    """The element type of a constant, and the bytes of the element that it repeats."""
    kind = op.results[0].type
    assert isinstance(kind, TileType) and isinstance(kind.element, ScalarType)
    return kind.element, splat_bytes(kind, ir.attribute(op, "value"))


def _literal_lost(is_of_kind: Callable[[str, ScalarType], bool]) -> Callable[[Sight], bool]:
    """Whether `constant(LITERAL, ..)` was written as another number than the literal is, and the reference has that."""

    def explains(sight: Sight) -> bool:
        wanted = {_held(found) for op in sight.reference for found in _constants(op)}
        for constant in (found for op in sight.lowered for found in _constants(op)):
            call = call_at(sight.source, ir.place(constant))
            element, written = _held(constant)
            if call is None or call.function != "constant" or not is_of_kind(call.arguments[0], element):
                continue
            number = literal(call.arguments[0])
            asked = None if number is None else encoded(number, element)
            if asked is not None and asked != written and (element, asked) in wanted:
                return True
        return False

    return explains


def _is_large(text: str, element: ScalarType) -> bool:
    number = literal(text)
    return element.is_integer and isinstance(number, int) and number >> (element.bits - 1) == 1


def _fold_changed(sight: Sight) -> bool:
    """Whether `dim` or `identity` of a fold was asked for as the reference has it, and written otherwise."""
    order = {"scan": (1, 3), "scan_sum": (1, 3), "reduce": (1, 2)}
    for mine, theirs, call in sight.pairs("scan", "reduce"):
        if call.function not in order or len(call.arguments) <= max(order[call.function]):
            continue
        axis, start = (literal(call.arguments[k]) for k in order[call.function])
        asked: dict[str, Any] = {"dim": axis, "identities": _identity(start, ir.attribute(mine, "identities"))}
        changed = [name for name in asked if ir.attribute(mine, name) != ir.attribute(theirs, name)]
        if changed and all(asked[name] == ir.attribute(mine, name) for name in changed):
            return True
    return False


def _identity(number: float | None, like: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The identity that a number asks for, in the type of the reference's."""
    if number is None or len(like) != 1 or not isinstance(like[0], ir.FloatAttr):
        return like if number is not None and len(like) == 1 and getattr(like[0], "value", None) == number else None
    data = encoded(number, like[0].type)  # type: ignore[arg-type]
    return None if data is None else (ir.FloatAttr(like[0].type, int.from_bytes(data, "little")),)


def _has(op: Operation, **attributes: object) -> bool:
    return all(ir.attribute(op, name) == value for name, value in attributes.items())


def _ordered(sight: Sight) -> bool:
    """Whether `ne_tile` became an ordered comparison."""
    differs = ComparisonPredicate.NOT_EQUAL
    return any(
        call.function == "ne_tile"
        and _has(mine, comparison_predicate=differs, comparison_ordering=ComparisonOrdering.UNORDERED)
        and _has(theirs, comparison_predicate=differs, comparison_ordering=ComparisonOrdering.ORDERED)
        for mine, theirs, call in sight.pairs("cmpf")
    )


def _approximate(sight: Sight) -> bool:
    """Whether `true_div` became an approximate division."""
    return any(
        call.function == "true_div"
        and _has(mine, rounding_mode=RoundingMode.NEAREST_EVEN, flush_to_zero=False)
        and _has(theirs, rounding_mode=RoundingMode.APPROX)
        for mine, theirs, call in sight.pairs("divf")
    )


def _divisor_moved(sight: Sight) -> bool:
    """Whether an axis is assumed to have the divisor that was asked for an axis before it."""
    sizes = shapes(sight.source)
    moved: set[int] = set()
    for name, spec in sight.source.specs:
        dynamic = [axis for axis, extent in enumerate(sizes.get(name, ())) if extent is None]
        pairs = [(spec.shape_div[position], spec.shape_div[axis]) for position, axis in enumerate(dynamic)]
        moved |= {got for got, asked in pairs if got != asked and got > 1}
    return bool(moved & (_divisors(sight.lowered) - _divisors(sight.reference)))


def _divisors(ops: tuple[Operation, ...]) -> set[int]:
    predicates = [ir.attribute(op, "predicate") for op in ops if ir.row(op).name == "assume"]
    return {predicate.divisor for predicate in predicates if isinstance(predicate, ir.DivBy)}


def _other_axis(sight: Sight) -> bool:
    """Whether an extent was asked for that the type says, and a parameter was read for it."""
    sizes = shapes(sight.source)
    asked: set[bytes] = set()
    for name, axis in re.findall(r"(\w+)\.shape\(\)\s*\[(\d+)\]", sight.source.text):
        extents = sizes.get(name, ())
        fixed = extents[int(axis)] if int(axis) < len(extents) else None
        if fixed is not None and None in extents:
            asked.add(fixed.to_bytes(4, "little"))
    pairs = [(mine, theirs) for theirs in sight.lowered for mine in sight.reference if mine.name == theirs.name]
    return any(
        isinstance(_root(other), BlockArgument) and _held_by(one) in asked
        for mine, theirs in pairs
        for one, other in zip(mine.operands, theirs.operands, strict=False)
    )


def _held_by(value: SSAValue) -> bytes | None:
    owner = _root(value).owner
    return _held(owner)[1] if isinstance(owner, Operation) and ir.row(owner).name == "constant" else None


def _option_lost(sight: Sight) -> bool:
    """Whether an access has no mask though its call names a variable for one, and the reference has it."""
    return any(
        ir.operand(mine, "mask") is not None
        and ir.operand(theirs, "mask") is None
        and any(text.isidentifier() and text != "None" for text in call.arguments[1:])
        for mine, theirs, call in sight.pairs("load_ptr_tko", "store_ptr_tko")
    )


FAULTS: dict[str, Fault] = {
    "F1": Fault(
        "`constant(false, shape)` is true", ("constant",), ("constant",), "write `constant(0, ..)`",
        _literal_lost(lambda text, element: text == "false"),
    ),
    "F2": Fault(
        "an integer literal with the top bit set is 0", ("constant",), ("constant",),
        "write the signed number and `bitcast`", _literal_lost(_is_large),
    ),
    "F3": Fault(
        "`i32::ONE` is 0, as are `u32::ONE`, `i64::ONE`, `u64::ONE`", ("constant",), ("constant",), "write `1`",
        _literal_lost(lambda text, element: element.is_integer and text.endswith("::ONE")),
    ),
    "F4": Fault(
        "named `bf16` constants have the wrong bits", ("constant",), ("constant",), "write the number",
        _literal_lost(lambda text, element: element.name == "bf16" and "::" in text),
    ),
    "F5": Fault(
        "a literal of an 8-bit float type is 0", ("constant",), ("constant",), "convert an `f32`",
        _literal_lost(lambda text, element: element.name.startswith("f8") and "::" not in text),
    ),
    "F6": Fault(
        "`scan`, `scan_sum` and `reduce` ignore `dim` and `identity`", ("attribute", "type"), ("scan", "reduce"),
        "write `reduce_sum` and its kin, which honour `dim`, or permute so that the axis is the first", _fold_changed,
    ),
    "F7": Fault(
        "the divisor of a fixed axis is assumed of the next dynamic axis", ("divisibility",), ("assume",),
        "list divisors by position among the dynamic axes", _divisor_moved,
    ),
    "F8": Fault(
        "some modes that the signatures allow cannot be written", (), ("addi", "subi", "muli", "shli", "divf"),
        "write the operator", refusal="missing attribute '(overflow|rounding_mode)'",
    ),
    "F9": Fault(
        "`ne_tile` is false for NaN", ("attribute",), ("cmpf",),
        "write `cmpf(.., predicate::NotEqual, cmp_ordering::Unordered)`", _ordered,
    ),
    "F10": Fault("`true_div` is approximate", ("attribute",), ("divf",), "write the operator `/`", _approximate),
    "F11": Fault(
        "`load_ptr_tko` of rank 2 with a padding value is refused", (), ("load_ptr_tko",),
        "flatten pointers and mask to rank 1", refusal=r"cuda_tile\.broadcast: incompatible source/result shapes",
    ),
    "F12": Fault(
        "`x.shape()[i]` counts the dynamic axes only", ("operand", "constant", "operation"), ("make_tensor_view",),
        "write the number that the type says", _other_axis,
        refusal=r"index \d+ out of bounds for shape of rank \d+",
    ),
    "F13": Fault(
        "a loop over literals that has no round is refused", (), ("for",), "leave the loop out",
        refusal="bounded endpoints must be ordered",
    ),
    "F14": Fault(
        "a partition that a branch assigns gives Tile IR that is not legal", (), ("if",),
        "load in either branch, and assign the tile",
    ),
    "F15": Fault(
        "`continue` and `break` give variables that the loop does not carry", (), ("continue", "break"),
        "declare the variable before the loop",
    ),
    "F16": Fault(
        "an `Option` that a function is given is `None` inside", ("operand", "operation"),
        ("load_ptr_tko", "store_ptr_tko"), "give the function a `Tile`, and write `Some(..)` inside", _option_lost,
    ),
    "F17": Fault(
        "a store does not wait for `load_tile_mut` of the same tile", (), ("store_view_tko",),
        "load through `tiles`, and `put_after` with the token of that load",
    ),
    "F18": Fault(
        "a part of an array with extents known at launch is the whole array", (), ("store_view_tko",),
        "write the extents of the part as numbers",
    ),
    "P2": Fault(
        "matrix product of a tile and a scalar breaks the front end", (), (), "multiply",
        refusal="tuple index out of range",
    ),
    "P3": Fault(
        "integer power breaks the front end", (), (), "multiply",
        refusal="Missing binary arithmetic implementation for pow, int",
    ),
    "P4": Fault(
        "ceiling division of floats breaks the front end", (), (), "divide and round up",
        refusal="Missing binary arithmetic implementation for cdiv, float",
    ),
}  # fmt: skip
"""What is known of compilers that change a program, by its entry in FOUND.md; `operations` are those it concerns."""
