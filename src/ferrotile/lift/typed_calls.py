"""Calls that say their type, in place of others and of types on variables.

A text is first written with a type on every variable, for merging and for compilers. Here a conversion, an index tile,
a reduction or a constant becomes a call of the prelude that says its type, such as `to_f32(x)`. Lines are tokens with a
space between any two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ferrotile.lift.inferred import says_its_type, without_types

LET = re.compile(r"let (?P<mut>mut )?(?P<name>\w+) (?:: (?P<type>[^=]*) )?= (?P<value>[^=].*) ;")
_TILE = re.compile(r"Tile < (?P<element>\w+) , \{ \[ ?(?P<shape>[^\]]*?) ?\] \} >")
_CALL = re.compile(r"(?P<function>\w+) \( (?P<arguments>.*) \)")
_REDUCTION = re.compile(r"reduce_(?P<how>sum|prod|max|min) \( (?P<value>.*) , (?P<axis>\d) \)")
_CONVERSION = re.compile(r"convert_tile \( (?P<value>.*) \)|ftof \( (?P<rounded>.*) , rounding :: NearestEven \)")
_CONSTANT = re.compile(r"^constant \( ((?:- )?[\d.e+-]+)(f32|i32|i64) ,")
_RANGE = re.compile(
    r"((?:=|,|\() )broadcast_scalar \( ([^()\[\]]*(?:\( \) [^()\[\]]*)?) , (shape ! \[ [^\]]* \]) \)"
    r" \+ arange \( \3 \)(?= (?:;|,|\)))"
)
_SPREAD = re.compile(
    r"\. reshape \( shape ! \[ (?P<first>[^\]]+) \] \) \. broadcast \( shape ! \[ (?P<second>[^\]]+) \] \)"
)
_VIEW = re.compile(r"Partition < .* > = (tiles|\w+ \. partition(_permuted)?) \(")
_STORED = re.compile(r"unsafe \{ \w+ \( (\w+) ,")

FLOATS = frozenset({"f32", "f16", "bf16"})
"""Element types that the prelude has constants of."""

CASTS = FLOATS | {"tf32"}
"""Element types that the prelude converts to."""

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


def respelled(lines: Sequence[str], arrays: Mapping[str, str], own: str) -> list[str]:
    """Tiles without their types, where the value says it or has a form that does."""
    left: list[str] = []
    for index, line in enumerate(lines):
        found = LET.fullmatch(line)
        tile = _TILE.fullmatch(found["type"]) if found is not None and found["type"] else None
        if found is None or tile is None:
            is_view = found is not None and _VIEW.match(f"{found['type']} = {found['value']}") is not None
            left.append(f"let {found['name']} = {found['value']} ;" if found and is_view else without_types(line))
            continue
        behind = next((other for other in lines[index + 1 :] if not other.startswith("//")), "")
        value = _typed_call(found["value"], tile["element"], tile["shape"], own)
        value = _cast_for_array(value, tile["element"], arrays, behind)
        value = _typed_constants(value, tile["element"], arrays)
        is_plain = says_its_type(value)
        left.append(f"let {found['mut'] or ''}{found['name']} = {value} ;" if is_plain else line)
    return left


def _cast_for_array(value: str, element: str, arrays: Mapping[str, str], behind: str) -> str:
    """A conversion to the element type of an array, that which the next statement stores to before any other."""
    converted = _CONVERSION.fullmatch(value)
    stored = _STORED.match(behind)
    candidates = [name for name, own in arrays.items() if own == element]
    argument = None if converted is None else converted["value"] or converted["rounded"]
    if argument is None or not _is_whole(argument) or not candidates:
        return value
    array = stored[1] if stored is not None and stored[1] in candidates else candidates[0]
    return f"cast_for ( {array} , {argument} )"


def _typed_call(value: str, element: str, shape: str, own: str) -> str:
    """The same value as a call that says its type; unchanged where there is none."""
    if value == f"iota ( shape ! [ {shape} ] )" and element == "i32":
        return f"arange ( shape ! [ {shape} ] )"
    reduction = _REDUCTION.fullmatch(value)
    if reduction is not None and _is_whole(reduction["value"]) and f"fn {reduction['how']}" not in own:
        dims = f"[ {shape} ]" if shape else "[ ]"
        return f"{reduction['how']}_along_{reduction['axis']} ( {reduction['value']} , shape ! {dims} )"
    call = _CALL.fullmatch(value)
    if call is None or not _is_whole(call["arguments"]):
        return value
    argument = call["arguments"].removesuffix(", rounding :: NearestEven").strip()
    is_rounded = argument != call["arguments"]
    if (call["function"] == "ftof" and is_rounded) or call["function"] == "convert_tile":
        return f"to_{element} ( {argument} )" if element in CASTS else value
    if call["function"] == "ftoi" and element == "i32" and call["arguments"].endswith(", rounding :: NearestIntToZero"):
        return f"to_i32 ( {call['arguments'].removesuffix(', rounding :: NearestIntToZero').strip()} )"
    if call["function"] == "exti" and element == "i64":
        return f"to_i64 ( {argument} )"
    return value


def _typed_constants(value: str, element: str, arrays: Mapping[str, str]) -> str:
    """The same value with constants that say their type: those that have the type of the whole, beside operators."""
    array = next((name for name, own in arrays.items() if own == element), None)
    function = f"constant_{element} (" if element in FLOATS else f"constant_for ( {array} ," if array else None
    if function is None or not re.search(r"\bconstant_from \(|\bconstant \( \w+ ::", value):
        return value
    words: list[str] = []
    open_: list[str] = []
    for word in value.split():
        before = words[-1] if words else ""
        if word in OPENING:
            is_own = before in ("constant_from", "constant") and "call" not in open_
            open_.append("call" if re.fullmatch(r"\w+", before) else word)
            words.append(word)
            if is_own:
                words[-2:] = function.split() if before == "constant_from" else [before, word]
        elif word in CLOSING:
            open_.pop()
            words.append(word)
        else:
            words.append(word)
    text = " ".join(words)
    if element in FLOATS:
        text = re.sub(r"^constant \( \w+ :: ((?:NEG_)?INFINITY) ,", rf"{function} f64 :: \1 ,", text)
    return text


def _is_whole(text: str) -> bool:
    """Whether brackets are closed in it that are opened in it, and no others."""
    depth = 0
    for word in text.split():
        depth += (word in OPENING) - (word in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def as_argument(value: str) -> str:
    """A constant whose type a call sees that it is given to."""
    return _CONSTANT.sub(lambda found: f"constant_{found[2]} ( {found[1]} ,", value)


def spread(line: str) -> str:
    """Elements that are repeated along an axis, and numbers from a start on, as one call."""
    line = _RANGE.sub(r"\1arange_from ( \2 , \3 )", line)
    words = line.split()
    at = 0
    while True:
        at = next((k for k in range(at, len(words)) if words[k : k + 3] == [".", "reshape", "("]), len(words))
        if at == len(words):
            return " ".join(words)
        found = _SPREAD.match(" ".join(words[at:]))
        start = _receiver(words, at)
        function = None if found is None else _spreading(found["first"].split(" , "), found["second"].split(" , "))
        if found is None or function is None or start is None:
            at += 1
            continue
        stop = at + len(found[0].split())
        receiver = words[start + 1 : at - 1] if words[start] == "(" else words[start:at]
        call = [function, "(", *receiver, ",", *f"shape ! [ {found['second']} ] )".split()]
        words[start:stop] = call
        at = start


def _spreading(first: Sequence[str], second: Sequence[str]) -> str | None:
    """The prelude's name for bringing elements to the first shape and repeating them to the second."""
    if set(first) == {"1"} and len(first) == len(second):
        return "spread"
    if len(first) == len(second) == 2 and first[0] == second[0] and first[1] == "1":
        return "as_column"
    if len(first) == len(second) == 2 and first[1] == second[1] and first[0] == "1":
        return "as_row"
    return None


def _receiver(words: Sequence[str], dot: int) -> int | None:
    """Where the value starts that a method is called on: a variable or one call; None for anything else."""
    at = dot - 1
    if words[at] == ")":
        depth = 0
        while at >= 0:
            depth += (words[at] in CLOSING) - (words[at] in OPENING)
            if depth == 0:
                break
            at -= 1
        at -= re.fullmatch(r"\w+", words[at - 1]) is not None
    is_plain = re.fullmatch(r"[A-Za-z_(]\w*", words[at]) is not None and words[at - 1] not in (".", "::")
    return at if is_plain else None
