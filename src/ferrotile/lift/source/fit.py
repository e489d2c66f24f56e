"""Say whether a piece of Python syntax can be where an operation came from.

A source that was edited after the bytecode was written has other syntax at the operations' lines and columns. Each
mnemonic has a row: the operators and the functions of cuda.tile that emit it. What the front end inserts on its own
(conversions, broadcasts, constants, assumptions, tokens) may stand at any expression.
Source: facts/op-map.md sections 1-14, and the places of one specialization of each of 54 kernels, all of which fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from ferrotile.lift.source.syntax import Spot, Syntax

ANYWHERE = frozenset(
    """
    constant assume make_token join_tokens reshape broadcast exti trunci itof ftoi ftof bitcast yield continue break
    return entry make_tensor_view make_partition_view make_strided_view make_gather_scatter_view int_to_ptr ptr_to_int
    ptr_to_ptr global get_global assert print_tko
    """.split()
)
"""Operations that the front end puts at whatever expression or statement needs them."""

ADDRESSING = frozenset(
    """
    gather scatter load store slice load_offset store_offset load_advanced_indexing store_advanced_indexing tiled_view
    num_tiles atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas atomic_store_add
    atomic_store_max atomic_store_min atomic_store_and atomic_store_or atomic_store_xor atomic_add_offset
    atomic_max_offset atomic_min_offset atomic_and_offset atomic_or_offset atomic_xor_offset atomic_xchg_offset
    atomic_cas_offset
    """.split()
)
"""Functions whose recipe computes addresses and bounds masks."""

COMBINING = frozenset("reduce scan any all argmax argmin".split())
"""Functions with a body that combines two elements in whatever way."""

_SUMMING = frozenset("sum cumsum".split())
_MULTIPLYING = frozenset("prod cumprod".split())

_INTEGER = "addi subi muli divi remi cmpi andi ori xori shli shri maxi mini select absi negi".split()
_FLOAT = "addf subf mulf divf remf maxf minf cmpf fma select negf cmpi andi ori xori".split()
_INTEGER_RECIPES = frozenset({"%", "//", "[]", "for", "if", "range", "cdiv", "divmod", "mod", "floordiv"})

_ROWS: dict[str, str] = {
    "addi": "+ add arange",
    "addf": "+ add",
    "subi": "- sub",
    "subf": "- sub",
    "muli": "* mul arange",
    "mulf": "* mul",
    "fma": "+ - add sub fma",
    "divi": "// floordiv cdiv / truediv",
    "divf": "/ truediv // floordiv",
    "remi": "% mod",
    "remf": "% mod",
    "negi": "neg negative",
    "negf": "neg negative - sub",
    "absi": "abs",
    "absf": "abs",
    "andi": "& bitwise_and and",
    "ori": "| bitwise_or or",
    "xori": "^ bitwise_xor ~ bitwise_not not",
    "shli": "<< bitwise_lshift",
    "shri": ">> bitwise_rshift",
    "cmpi": "compare equal not_equal less less_equal greater greater_equal bool bool_ astype where not and or",
    "cmpf": "compare equal not_equal less less_equal greater greater_equal isnan",
    "select": "where",
    "maxi": "max maximum",
    "maxf": "max maximum",
    "mini": "min minimum",
    "minf": "min minimum",
    "exp": "exp",
    "exp2": "exp2",
    "log": "log",
    "log2": "log2",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "floor": "floor // floordiv",
    "ceil": "ceil",
    "fpowf": "** pow",
    "fpowi": "** pow",
    "atan2": "atan2",
    "mmaf": "mma matmul @",
    "mmai": "mma matmul @",
    "mmaf_scaled": "mma_scaled",
    "iota": "arange argmax argmin",
    "permute": "permute transpose",
    "cat": "cat astile",
    "extract": "extract item []",
    "insert": "insert",
    "pack": "pack_to_bytes bitcast",
    "unpack": "unpack_from_bytes bitcast",
    "get_tile_block_id": "bid",
    "get_num_tile_blocks": "num_blocks",
    "get_index_space_shape": "num_tiles",
    "reduce": "sum max min prod argmax argmin reduce any all",
    "scan": "cumsum cumprod scan",
    "load_view_tko": "load load_advanced_indexing []",
    "store_view_tko": "store store_advanced_indexing []",
    "load_ptr_tko": "gather load_offset load []",
    "store_ptr_tko": "scatter store_offset store []",
    "for": "for",
    "loop": "while def",
    "if": "if ifexp boolop compare while for def",
}
_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
ARITHMETIC = frozenset("+ - * / // % ** & | ^ << >> neg compare add sub mul truediv negative".split())
"""Tags of expressions whose value comes from an operation that has a row."""

_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "~", ast.Not: "not"}
_OTHERS = {
    ast.Subscript: ("[]",),
    ast.For: ("for",),
    ast.While: ("while",),
    ast.If: ("if",),
    ast.IfExp: ("if", "ifexp"),
    ast.Compare: ("compare",),
    ast.FunctionDef: ("def",),
}


def _accepted(mnemonic: str) -> frozenset[str]:
    accepted = set(_ROWS[mnemonic].split())
    if mnemonic in _INTEGER:
        accepted |= ADDRESSING | COMBINING | _INTEGER_RECIPES
    if mnemonic in _FLOAT:
        accepted |= COMBINING | {"%", "mod", "compare", "isnan"}
    if mnemonic in ("addi", "addf"):
        accepted |= _SUMMING
    if mnemonic in ("muli", "mulf"):
        accepted |= _MULTIPLYING
    return frozenset(accepted)


KNOWN = {mnemonic: _accepted(mnemonic) for mnemonic in _ROWS}
KNOWN["offset"] = ADDRESSING | {"[]"}
for _name in ("atomic_rmw_tko", "atomic_cas_tko", "atomic_red_view_tko"):
    KNOWN[_name] = frozenset(name for name in ADDRESSING if name.startswith("atomic"))
_FUNCTIONS = frozenset(name for names in KNOWN.values() for name in names if name.isidentifier()) - {
    *("for", "if", "ifexp", "boolop", "compare", "while", "def", "neg", "pos", "not", "and", "or")
}
"""The functions of cuda.tile that rows name; a call of any other name may emit anything."""


def called_name(call: ast.Call, syntax: Syntax) -> str:
    """The last name of what a call calls (`ct.exp` -> `exp`), through the module's `e = ct.exp` and imports `as`."""
    match call.func:
        case ast.Attribute(attr=name):
            return name
        case ast.Name(id=name):
            return syntax.aliases.get(name, name)
    return ""


def tags(node: ast.AST, syntax: Syntax) -> tuple[str, ...]:
    """The words by which rows know a node: `+`, `compare`, `exp`, `for` ..."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            return (_BINARY[type(op)],)
        case ast.UnaryOp(op=op):
            return (_UNARY[type(op)],)
        case ast.BoolOp(op=op):
            return ("boolop", "and" if isinstance(op, ast.And) else "or")
        case ast.Call():
            return (called_name(node, syntax),)
    return _OTHERS.get(type(node), ())


def fits(mnemonic: str, spots: Iterable[Spot], syntax: Syntax) -> bool:
    """Whether one of the nodes that start at the operation's place can have emitted it."""
    accepted = KNOWN.get(mnemonic)
    if mnemonic in ANYWHERE or accepted is None:
        return any(True for _ in spots)
    return any(node_fits(accepted, spot.node, syntax) for spot in spots)


def emitting_nodes(mnemonic: str, spots: Iterable[Spot], syntax: Syntax) -> int:
    """How many of the nodes can each have emitted an operation of this kind; 0 when it tells nothing."""
    accepted = KNOWN.get(mnemonic, frozenset())
    return sum(node_fits(accepted, spot.node, syntax) for spot in spots) if accepted else 0


def node_fits(accepted: frozenset[str], node: ast.AST, syntax: Syntax) -> bool:
    """Whether a node carries an accepted tag, or is a call of a function that no row names."""
    words = tags(node, syntax)
    if isinstance(node, ast.Call) and words and words[0] not in _FUNCTIONS:
        return True
    return not accepted.isdisjoint(words)


@dataclass(slots=True)
class FileFit:
    """How the located operations of one file agree with its syntax.

    `telling` are those that few kinds of syntax can emit: a constant fits everywhere and says little.
    """

    located: int = 0
    telling: int = 0
    misfits: int = 0
    first_misfit: str = ""

    def count(self, mnemonic: str, fitting: bool, where: str) -> None:
        """Count one operation; `where` describes its place in case it is the first that does not fit."""
        self.located += 1
        self.telling += mnemonic in KNOWN
        self.misfits += not fitting
        if not fitting and not self.first_misfit:
            self.first_misfit = f"{mnemonic} at {where}"

    @property
    def is_acceptable(self) -> bool:
        """At most one in thirty of the telling operations may stand where the table does not expect it."""
        return self.misfits * 30 <= self.telling
