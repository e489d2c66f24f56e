"""Types that a reader and both compilers can infer: a `let` whose value says its type is written without it."""

from __future__ import annotations

import re

DETERMINED = frozenset(
    """
    absf absi add_at_masked add_wrapping addf andi atan2 below broadcast_scalar ceil cmpf cmpi constant cos cosh
    divf divi divide_fast divide_full eq_tile exp exp2 exp_with_rounding floor floor_mod_tile fma ge_tile gt_tile
    le_tile less_unsigned load load_nan load_neg_inf load_neg_zero load_permuted load_permuted_nan
    load_permuted_neg_inf load_permuted_neg_zero load_permuted_pos_inf load_permuted_zero load_pos_inf load_zero log
    log2 lt_tile mask_of max_tile maxf maxi min_tile minf mini mmaf mul_add mul_wrapping mulf ne_tile negate negf ori
    read_at read_at_latency_1 read_at_masked read_at_masked_latency_1 remf remi rsqrt select shift_left sin sinh sqrt
    sub_wrapping subf tan tanh tanh_with_rounding wide widen xori
    """.split()
)
"""Functions whose result type follows from the types of their arguments."""

_ELEMENTS = re.compile(
    r"(addresses|gather|in_bounds)_\w*\dd|gather_(row|elements)\w*|(row|element)_(addresses|in_bounds)"
)
_LET = re.compile(r"let\s+(mut\s+)?(\w+)\s*:\s*(?:Tile|PointerTile)\s*<[^=;]*>\s*=\s*(?P<value>[^=].*;)\s*$")
_CALL = re.compile(r"(\w+)\s*\(")
_OPERATORS = frozenset("+-*/%&|^")
_METHODS = frozenset({"reshape", "broadcast", "offset_tile"})


def without_types(line: str) -> str:
    """One line of statements; a `let` of a tile loses a type that its value says.

    Example:
        >>> without_types("let x: Tile<f32, { [16] }> = load(a, [i], shape![16]);")
        'let x = load(a, [i], shape![16]);'
        >>> without_types("let x: Tile<f32, { [] }> = reduce_sum(y, 0);")
        'let x: Tile<f32, { [] }> = reduce_sum(y, 0);'
    """
    found = _LET.match(line)
    if found is None or not _says_its_type(found["value"]):
        return line
    return f"let {found[1] or ''}{found[2]} = {found['value']}"


def _says_its_type(value: str) -> bool:
    """Whether an expression has a type that cutile 0.5.0 infers: operators, methods, and calls on variables only.

    It infers the result of a call that stands alone, not that of a call among the arguments of another one, nor that
    of a constant without a literal.
    """
    calls = list(_CALL.finditer(value))
    names = [found[1] for found in calls if found[1] not in ("shape", "const_array")]
    if not all(name in DETERMINED or name in _METHODS or _ELEMENTS.fullmatch(name) for name in names):
        return False
    arguments = [value[found.end() : _closing(value, found.end())] for found in calls]
    if any("(" in text for text in arguments) or any(
        _is_symbol(name, text) for name, text in zip(names, arguments, strict=True)
    ):
        return False
    return bool(names) or any(letter in _OPERATORS for letter in value)


def _is_symbol(name: str, arguments: str) -> bool:
    """Whether this is a constant of a number that has a name, such as infinity."""
    return name == "constant" and not arguments.strip()[:1].isdigit()


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed behind which `start` is."""
    depth = 1
    for index in range(start, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if not depth:
            return index
    return len(text)
