"""Names from the IR alone, for values that no Python variable held: by what the operation does."""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile.ir.types import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    ScalarType,
    StridedViewType,
    TensorViewType,
    TileType,
    TokenType,
)
from ferrotile.lift.source.spelling import suffixed
from ferrotile.lift.source.splat import splat_value

_BY_MNEMONIC = {
    "iota": "offsets",
    "load_ptr_tko": "gathered",
    "store_view_tko": "stored",
    "get_index_space_shape": "tile_count",
    "offset": "pointers",
    "mmaf": "acc",
    "mmai": "acc",
    "mmaf_scaled": "acc",
    "cmpi": "mask",
    "cmpf": "mask",
    "andi": "mask",
    "ori": "mask",
    "xori": "mask",
    "select": "chosen",
    "exp": "exponential",
    "exp2": "exponential",
    "log": "logarithm",
    "log2": "logarithm",
    "sqrt": "root",
    "rsqrt": "inverse_root",
    "sin": "sine",
    "cos": "cosine",
    "tanh": "tangent",
    "maxf": "larger",
    "maxi": "larger",
    "minf": "smaller",
    "mini": "smaller",
    "addf": "added",
    "addi": "index",
    "subf": "difference",
    "subi": "difference",
    "mulf": "product",
    "muli": "product",
    "divf": "quotient",
    "divi": "quotient",
    "remi": "remainder",
    "remf": "remainder",
    "negf": "negated",
    "negi": "negated",
    "absf": "magnitude",
    "absi": "magnitude",
    "permute": "permuted",
    "cat": "joined",
    "extract": "part",
    "insert": "changed",
    "scan": "running",
    "atomic_rmw_tko": "previous",
    "atomic_cas_tko": "previous",
    "if": "result",
    "loop": "result",
    "for": "result",
    "int_to_ptr": "pointer",
    "make_token": "token",
    "join_tokens": "token",
}
_OF_ARRAY = {
    "make_tensor_view": "view",
    "make_partition_view": "tiles",
    "make_strided_view": "tiles",
    "make_gather_scatter_view": "rows",
    "load_view_tko": "tile",
}
"""Suffix to the array's name for operations on an array."""

_ALONE = {"tiles": "parts"}
"""The suffix as a name where no array is known; `tiles` is a function of the prelude."""

_AXES = "xyz"
_ARITHMETIC = frozenset("addf subf mulf divf fma select maxf minf".split())
_REDUCED = {"addf": "sum", "addi": "sum", "mulf": "product", "muli": "product", "andi": "all", "ori": "any"}
_REDUCED |= {"maxf": "maximum", "maxi": "maximum", "minf": "minimum", "mini": "minimum"}
_KEEPS_NAME = frozenset("assume reshape broadcast exti trunci itof ftoi ftof bitcast ptr_to_ptr".split())
"""Operations whose result is their operand in another form."""

_VIEWS = (
    TensorViewType,
    PartitionViewType,
    StridedViewType,
    GatherScatterViewType,
)
_CONVERTS = frozenset("exti trunci itof ftoi ftof bitcast".split())
_MOST_STEPS = 32


def fallback_name(op: Operation, index: int = 0, known: dict[SSAValue, str] | None = None) -> str:
    """A name for a result by mnemonic and role; a conversion or reshape is named like what it changes.

    `known` are names already given. The names are stems: equal ones are for the caller to number.
    """
    mnemonic = _mnemonic(op)
    if index < len(op.results) and isinstance(op.results[index].type, TokenType):
        return "token"
    if mnemonic in ("get_tile_block_id", "get_num_tile_blocks"):
        stem = "block" if mnemonic == "get_tile_block_id" else "grid"
        return f"{stem}_{_AXES[index]}" if index < len(_AXES) else stem
    if mnemonic == "constant":
        return _constant_stem(op)
    if mnemonic in _ARITHMETIC:
        return _by_use(op, known or {}) or _arithmetic(op)
    if mnemonic == "reduce":
        return _reduced(op)
    if mnemonic in _OF_ARRAY and op.operands:
        return _array_part(op, _OF_ARRAY[mnemonic], known or {})
    if mnemonic == "if" and _is_mask(op, index):
        return "condition"
    if mnemonic in _KEEPS_NAME and op.operands and op.results:
        return _source_name(op, known or {})
    if mnemonic in ("andi", "ori", "xori") and not _is_mask(op, index):
        return "bits"
    return _BY_MNEMONIC.get(mnemonic, "value")


def argument_name(argument: BlockArgument) -> str:
    """A name for a block argument: loop variable, carried value, or one side of a reduction."""
    if isinstance(argument.type, TokenType):
        return "token"
    owner = argument.owner.parent_op()
    match _mnemonic(owner) if owner is not None else "":
        case "for" if argument.index == 0:
            return "i"
        case "for" | "loop":
            return _carried(argument)
        case "reduce" | "scan":
            return ("left", "right")[argument.index % 2]
        case "entry":
            return "parameter"
    return "carried"


_CARRIED = {"mmaf": "acc", "mmai": "acc", "addf": "acc", "fma": "acc", "addi": "count", "subi": "count"}
_CARRIED |= {"maxf": "largest", "maxi": "largest", "minf": "smallest", "mini": "smallest", "mulf": "product"}


def _carried(argument: BlockArgument) -> str:
    """What a loop carries, by the operation that makes the next value of it."""
    last = argument.owner.last_op
    position = argument.index - (len(argument.owner.args) - len(last.operands)) if last is not None else -1
    if last is None or not 0 <= position < len(last.operands):
        return "carried"
    maker = last.operands[position].owner
    return _CARRIED.get(_mnemonic(maker), "carried") if isinstance(maker, Operation) else "carried"


def _mnemonic(op: Operation) -> str:
    return op.name.rpartition(".")[2]


def _source_name(op: Operation, known: dict[SSAValue, str]) -> str:
    """The name of the value that a chain of conversions and reshapes starts from, and what became of it."""
    value, suffix = op.operands[0], _form_suffix(op)
    for _ in range(_MOST_STEPS):
        owner = value.owner
        if value in known:
            return _with_form(known[value], suffix)
        if not isinstance(owner, Operation) or _mnemonic(owner) not in _KEEPS_NAME or not owner.operands:
            break
        suffix = suffix or _form_suffix(owner)
        value = owner.operands[0]
    if isinstance(value, BlockArgument):
        stem = argument_name(value)
    else:
        owner = value.owner
        assert isinstance(owner, Operation)
        stem = fallback_name(owner, next(i for i, result in enumerate(owner.results) if result is value), known)
    return _with_form(stem, suffix)


def _with_form(stem: str, suffix: str) -> str:
    if suffix == "tile" and stem.endswith("_tile"):
        suffix = "wide"
    return suffixed(stem, suffix) if suffix else stem


def _form_suffix(op: Operation) -> str:
    """`f16` for a conversion to f16, `tile` for a number spread over a tile, `wide` for a tile made wider."""
    mnemonic = _mnemonic(op)
    after = op.results[0].type
    if mnemonic in _CONVERTS and isinstance(after, TileType):
        return after.element.name.lower() if isinstance(after.element, ScalarType) else ""
    if mnemonic != "broadcast" or not isinstance(after, TileType):
        return ""
    before = op.operands[0].type
    return "tile" if isinstance(before, TileType) and all(extent == 1 for extent in before.shape) else "wide"


def _array_part(op: Operation, suffix: str, known: dict[SSAValue, str]) -> str:
    """`x_tile` for a tile of array x, through the views and assumptions that lie between."""
    here = op
    for _ in range(_MOST_STEPS):
        value = next((value for value in here.operands if _leads_to_array(value)), None)
        if value is None:
            return _ALONE.get(suffix, suffix)
        if value in known and not isinstance(value.type, _VIEWS):
            return suffixed(known[value].removesuffix("_ptr").removesuffix("_base"), suffix)
        if not isinstance(value.owner, Operation):
            return _ALONE.get(suffix, suffix)
        here = value.owner
    return _ALONE.get(suffix, suffix)


def _leads_to_array(value: SSAValue) -> bool:
    """A view, or a pointer."""
    return isinstance(value.type, _VIEWS) or isinstance(getattr(value.type, "element", None), PointerType)


def _by_use(op: Operation, known: dict[SSAValue, str]) -> str:
    """What a value is for, if its only use tells: an exponent, or the tile that an array gets."""
    uses = list(op.results[0].uses)
    user = uses[0].operation if len(uses) == 1 else None
    match _mnemonic(user) if user is not None else "":
        case "exp" | "exp2":
            return "exponent"
        case "store_view_tko" if user is not None:
            return _array_part(user, "tile", known)
    return ""


def _arithmetic(op: Operation) -> str:
    """What an operation did; a fused one counts as the sum or difference that it ends in."""
    if _mnemonic(op) != "fma":
        return _BY_MNEMONIC[_mnemonic(op)]
    last = op.operands[2].owner
    return "difference" if isinstance(last, Operation) and _mnemonic(last) == "negf" else "added"


def _reduced(op: Operation) -> str:
    body = op.regions[0].block if op.regions else None
    names = [_REDUCED[_mnemonic(inner)] for inner in body.ops if _mnemonic(inner) in _REDUCED] if body else []
    return names[0] if len(names) == 1 else "reduced"


def _is_mask(op: Operation, index: int) -> bool:
    element = getattr(op.results[index].type, "element", None)
    return isinstance(element, ScalarType) and element.name == "i1"


def _constant_stem(op: Operation) -> str:
    number = splat_value(op)
    if number is None:
        return "constant_value"
    if number == float("inf"):
        return "infinity"
    if number == float("-inf"):
        return "minus_infinity"
    if isinstance(number, int) and number > 1:
        return f"c{number}"
    return {0: "zero", 1: "one", 0.5: "half"}.get(number, "constant_value")
