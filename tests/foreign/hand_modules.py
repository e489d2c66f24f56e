"""Modules of another make: names, versions, hints, globals, several kernels."""

from __future__ import annotations

import struct

from hand import CASES, Hand, Kernel, hand
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.ir.access import wrap
from ferrotile.ir.debug import CompileUnit, File, Loc, Subprogram, locate
from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope, SymbolVisibility
from ferrotile.ir.types import ScalarType, TileType, TokenType


def doubled(k: Kernel) -> None:
    """A tile is loaded, doubled and stored."""
    value, _ = k.load(k.tiles(), [k.block_id()[0]])
    k.store(k.addf(value, value), k.tiles(), [k.block_id()[0]])


def halved(k: Kernel) -> None:
    """A tile is loaded, halved and stored."""
    value, _ = k.load(k.tiles(), [k.block_id()[0]])
    k.store(k.mulf(value, k.constant("16xf32", 0.5)), k.tiles(), [k.block_id()[0]])


def _named(symbol: str, name: str, special: str) -> None:
    def build(k: Kernel) -> None:
        doubled(k)

    build.__doc__ = special
    CASES[name] = Hand(name, {symbol: build})


_named("fn", "name_keyword", "The kernel's symbol is a Rust keyword")
_named("self", "name_self", "The kernel's symbol is a Rust keyword that cannot be written raw")
_named("load_tile", "name_prelude", "The kernel is called like a function of the prelude")
_named("core", "name_library", "The kernel is called like a module of cutile")
_named("ядро_π", "name_letters", "The kernel's symbol has letters beyond ASCII")
_named("a.b$c-d/e 0", "name_marks", "The kernel's symbol has dots, dashes, a slash and a space")
_named("_", "name_underscore", "The kernel's symbol is one underscore")
_named("x" * 3000, "name_long", "The kernel's symbol has 3,000 letters")

for _version in ((13, 1), (13, 2), (13, 3), (13, 5)):
    _name = "bytecode_{}_{}".format(*_version)

    def _build(k: Kernel) -> None:
        doubled(k)

    _build.__doc__ = "Bytecode {}.{}".format(*_version)
    CASES[_name] = Hand(_name, {"kernel": _build}, version=_version)


@hand(producer='made by "hand" 0.1')
def producer(k: Kernel) -> None:
    """The module names a producer that nobody knows."""
    doubled(k)


@hand(hints=(("sm_100", (("num_cta_in_cga", 2), ("occupancy", 4))), ("sm_80", (("occupancy", 2),))))
def hints_of_others(k: Kernel) -> None:
    """Hints for other targets only."""
    doubled(k)


@hand(hints=(("sm_100", (("num_cta_in_cga", 2), ("occupancy", 4))),), target="sm_100")
def only_for_sm_100(k: Kernel) -> None:
    """Hints for sm_100 alone, translated for sm_100."""
    doubled(k)


@hand(hints=(("default", (("shape_of_things", 3),)),))
def unknown_hint(k: Kernel) -> None:
    """A hint that no compiler knows."""
    doubled(k)


def _placed(k: Kernel, file: str, line: int, every: int) -> None:
    """Give every so many operations a place in a file."""
    unit = File(file, "")
    scope = Subprogram(unit, line, "strange", "kernel", CompileUnit(unit), line)
    k.place = Loc(scope, file, line, 0)
    for number, op in enumerate(k.entry.ops):
        locate(op, Loc(scope, file, line + number % 5, 1 << 20) if number % every == 0 else None)


@hand
def places_of_strangers(k: Kernel) -> None:
    """Debug places in a file of another language that is not there, with columns far to the right."""
    doubled(k)
    _placed(k, "no such folder/kernel.ttir", 7, 1)


@hand
def mixed_places(k: Kernel) -> None:
    """Every third operation has a place, in a file whose name is that of the Rust text."""
    doubled(k)
    _placed(k, "kernel.rs", 1, 3)


@hand(builds={"doubled": doubled, "halved": halved})
def two_kernels(k: Kernel) -> None:
    """Two kernels in one module."""


@hand(builds={"a/b": doubled, "a_b": halved, "fn": doubled})
def kernels_of_like_names(k: Kernel) -> None:
    """Three kernels whose names are one where only letters are kept."""


def _global(name: str, kind: TileType, value: bytes, *, constant: bool = False) -> Operation:
    op = ir.make("global", attributes={"sym_name": name})
    more = {"value": value, "alignment": 16, "constant": constant}
    more["symbol_visibility"] = SymbolVisibility.Private if constant else SymbolVisibility.Public
    op.properties.update({key: wrap(item) for key, item in more.items()})
    op.attributes["type"] = wrap(kind)
    return op


def _counter() -> list[Operation]:
    return [_global("counter", TileType(ScalarType("i32"), (1,)), struct.pack("<i", 7))]


def _table() -> list[Operation]:
    kind = TileType(ScalarType("f32"), (16,))
    return [_global("table", kind, struct.pack("<16f", *range(16)), constant=True), *_counter()]


@hand(globals=_counter)
def global_counter(k: Kernel) -> None:
    """A global that every block adds to."""
    (counter,) = k.any("get_global", {}, ["ptr<i32>"], name="counter")
    attributes = {
        "mode": AtomicRMWMode.ADD, "memory_ordering_semantics": MemoryOrderingSemantics.RELAXED,
        "memory_scope": MemoryScope.DEVICE,
    }  # fmt: skip
    values = {"pointers": counter, "arg": k.constant("i32", 1)}
    old, _ = k.any("atomic_rmw_tko", values, ["i32", TokenType()], **attributes)
    k.store(k.splat(old, (16,)), k.tiles("i32"), [k.block_id()[0]])


@hand(globals=_table)
def constant_table(k: Kernel) -> None:
    """A constant global that the kernel reads, beside one that it does not use."""
    (table,) = k.any("get_global", {}, ["ptr<f32>"], name="table")
    (arange,) = k.any("iota", {}, ["16xi32"])
    value, _ = k.load_pointers(k.offset(k.splat(table, (16,)), arange))
    k.store(value, k.tiles(), [k.block_id()[0]])


@hand(globals=_counter)
def unused_global(k: Kernel) -> None:
    """A global that no kernel uses."""
    doubled(k)


@hand
def local_memory(k: Kernel) -> None:
    """Memory that a block allocates for itself."""
    (base,) = k.any("alloca", {}, ["ptr<f32>"], num_elem=16, alignment=16)
    (arange,) = k.any("iota", {}, ["16xi32"])
    here = k.offset(k.splat(base, (16,)), arange)
    token = k.store_pointers(here, k.constant("16xf32", 1), token=k.token())
    value, _ = k.load_pointers(here, token=token)
    k.store(value, k.tiles(), [k.block_id()[0]])
