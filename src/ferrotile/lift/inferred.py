"""Types that a reader and both compilers can infer: a `let` whose value says its type is written without it."""

from __future__ import annotations

import re

DETERMINED = frozenset(
    """
    absf absi add_at_masked add_to_elements add_wrapping addf andi arange arange_from as_column as_row atan2 below
    broadcast_scalar cast_for ceil cmpf cmpi constant constant_bf16 constant_f16 constant_f32 constant_for
    constant_i32 constant_i64 cos cosh divf divi divide_fast divide_full element eq_tile exp exp2 exp_fast
    exp_with_rounding floor floor_mod_tile fma ge_tile get_tensor_base gt_tile le_tile less_unsigned load load_nan
    load_neg_inf load_neg_zero load_permuted load_permuted_nan load_permuted_neg_inf load_permuted_neg_zero
    load_permuted_pos_inf load_permuted_zero load_pos_inf load_zero log log2 lt_tile mask_of max_tile maxf maxi
    min_tile minf mini mmaf mul_add mul_wrapping mulf ne_tile negate negf ori read_at read_at_latency_1
    read_at_masked read_at_masked_latency_1 remf remi rsqrt scan_sum select shift_left sin sinh spread sqrt
    sub_wrapping subf tan tanh tanh_fast tanh_with_rounding tile_of to_bf16 to_f16 to_f32 to_i32 to_i64 to_tf32
    wide widen xori
    """.split()
)
"""Functions whose result type follows from the types of their arguments."""

_ELEMENTS = re.compile(
    r"(addresses|gather|in_bounds)_\w*\dd|gather_(row|elements)\w*|(row|element)_(addresses|in_bounds)"
    r"|(sum|prod|max|min)_along_\d"
)
_LET = re.compile(r"let\s+(mut\s+)?(\w+)\s*:\s*(?:Tile|PointerTile)\s*<[^=;]*>\s*=\s*(?P<value>[^=].*;)\s*$")
_CALL = re.compile(r"(\w+)\s*(?:::\s*<[^>]*>\s*)?\(")
_NUMBERS = frozenset(
    "ceil_div extents floor_div floor_mod get_num_tile_blocks get_tile_block_id max min non_negative strides".split()
)
"""Functions of numbers; the compiler knows the type of what they give."""

_OPERATORS = frozenset("+-*/%&|^")
_COMPARED = re.compile(r"\btile_of\s*\([^()]*[<>=!]")
"""A number that says whether something holds: of it the compiler does not infer a tile."""
_METHODS = frozenset({"reshape", "broadcast", "offset_tile", "transpose"})


def without_types(line: str) -> str:
    """One line of statements; a `let` of a tile loses a type that its value says.

    Example:
        >>> without_types("let x: Tile<f32, { [16] }> = load(a, [i], shape![16]);")
        'let x = load(a, [i], shape![16]);'
        >>> without_types("let x: Tile<f32, { [] }> = reduce_sum(y, 0);")
        'let x: Tile<f32, { [] }> = reduce_sum(y, 0);'
    """
    found = _LET.match(line)
    if found is None or not says_its_type(found["value"]):
        return line
    return f"let {found[1] or ''}{found[2]} = {found['value']}"


def says_its_type(value: str) -> bool:
    """Whether an expression has a type that cutile 0.5.0 infers: operators, methods, and calls of `DETERMINED`.

    It does not infer that of a constant without a literal.
    """
    if _COMPARED.search(value) is not None:
        return False
    calls = [found for found in _CALL.finditer(value) if found[1] not in ("shape", "const_array", "Some")]
    names = [found[1] for found in calls]
    if not all(name in DETERMINED | _METHODS | _NUMBERS or _ELEMENTS.fullmatch(name) for name in names):
        return False
    arguments = [value[found.end() : _closing(value, found.end())] for found in calls]
    if any(_is_symbol(name, text) for name, text in zip(names, arguments, strict=True)):
        return False
    return bool(names) or any(letter in _OPERATORS for letter in value)


def _is_symbol(name: str, arguments: str) -> bool:
    """Whether this is a constant of a number that has a name, such as infinity."""
    return name == "constant" and not arguments.lstrip(" -")[:1].isdigit()


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed behind which `start` is."""
    depth = 1
    for index in range(start, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if not depth:
            return index
    return len(text)
