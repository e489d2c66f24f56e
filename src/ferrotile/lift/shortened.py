"""Statements made short: values that stand where they are used.

A variable without a name of the source, used once and by a statement of the same block, stands in that statement, if
the statement then still is one line and computes tiles in the same order. Calls and types are those of `typed_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from ferrotile.lift.inferred import says_its_type
from ferrotile.lift.typed_calls import CLOSING, LET, OPENING, as_argument, respelled, spread

WIDTH = 100
INDENTATION = 4

_TOKEN = re.compile(
    r"""'[A-Za-z_]\w* | \d+(?:\.\d+)?(?:e[-+]?\d+)?(?:[iuf]\d+|bf16)? | [A-Za-z_]\w*
      | ::|->|=>|\.\.=|\.\.|==|!=|<=|>=|<<|>>|&&|\|\| | \S""",
    re.VERBOSE,
)
_ARRAY = re.compile(r"(\w+) : & Tensor < (\w+) ,")
_POINTER = re.compile(r"let (\w+) : PointerTile <")
"""Of a method on pointers the compiler sees the type on a variable only."""
_COMPARED = re.compile(r"(eq|ne|lt|le|gt|ge)_tile \(")
"""Of a comparison beside an operator the compiler does not see that it is a tile."""
_ON_VIEW = re.compile(r"\w \( & \w+ ,")
"""Beside a view the compiler does not see the type that a method gives."""
_GENERICS = re.compile(r" :: < [^>]* > ")
_OPERATORS = frozenset("+ - * / % & | ^ << >> == != < > <= >= && ||".split())


def shortened(lines: Iterable[str], names: Collection[str], parameters: str, *, own: str = "") -> list[str]:
    """Lines of statements in their short form.

    `names`: variables that the source names, which stay. `parameters`: those of the entry, as it declares them. `own`:
    functions that the kernel defines; one that reduces by its own `max` keeps cutile's call.
    """
    short = [line if _is_text(line) else _spaced(line) for line in lines]
    arrays = dict(_ARRAY.findall(_spaced(parameters)))
    pointers = {found[1] for line in short if (found := _POINTER.match(line)) is not None}
    short = [line if _is_text(line) else spread(line) for line in respelled(short, arrays, own)]
    return _folded(_without_results(short), names, pointers)


def _is_text(line: str) -> bool:
    """Whether a line is a comment or has text in quotes, whose spaces count."""
    return line.lstrip().startswith("//") or '"' in line


def _spaced(line: str) -> str:
    return " ".join(_TOKEN.findall(line))


def _without_results(lines: Sequence[str]) -> list[str]:
    """Blocks that give a value without the variable that is only given."""
    left: list[str] = []
    for index, line in enumerate(lines):
        found = LET.fullmatch(left[-1]) if left else None
        is_last = index + 1 < len(lines) and lines[index + 1].startswith("}")
        value = as_argument(found["value"]) if found is not None and not found["type"] else ""
        if is_last and found is not None and line == found["name"] and "(" in value and "constant (" not in value:
            left[-1] = value
        else:
            left.append(line)
    return left


def _folded(lines: Sequence[str], names: Collection[str], pointers: Collection[str]) -> list[str]:
    left = list(lines)
    index, depth = 0, 2
    while index < len(left):
        line = left[index]
        if line.startswith("//"):
            index += 1
            continue
        depth -= line.startswith("}")
        found = LET.fullmatch(line)
        stays = found is None or found["mut"] or found["type"] or (found["name"] in pointers and " . " in line)
        user = None if found is None or stays else _user(left, index, found["name"])
        joined = None if user is None or found is None else _joined(left, index, user, found, names)
        joined = joined and spread(joined)
        if joined is not None and user is not None and _is_shorter(left[user], joined, depth):
            left[user] = joined
            del left[index]
            continue
        depth += line.endswith("{")
        index += 1
    return left


def _is_shorter(alone: str, joined: str, depth: int) -> bool:
    """Whether a statement with a value in it is one line, or hardly longer than several lines were before."""
    room = WIDTH - INDENTATION * depth
    before, after = len(compact(alone)), len(compact(joined))
    return after <= room or (before > room and after <= before + INDENTATION)


def _joined(lines: Sequence[str], index: int, user: int, found: re.Match[str], names: Collection[str]) -> str | None:
    """The statement that uses a variable, with its value in place of it; None where the variable has to stay."""
    name, value = found["name"], found["value"]
    target = lines[user]
    is_named = name in names or re.sub(r"_\d+$", "", name) in names
    if is_named and not re.match(rf"let {name}\b", target):
        return None
    if not _may_move(value):
        return None
    words = target.split()
    at = words.index(name, _start(words))
    is_light = _is_light(_without_generics(value.split()))
    if not is_light and not all(_computes_nothing(line) for line in lines[index + 1 : user]):
        return None
    if is_light and not _is_unchanged(lines[index + 1 : user], value):
        return None
    before = _without_generics(words[_start(words) : at])
    if not _takes_value(words, at) or not (is_light or _is_first(before)):
        return None
    words = [*words, ";"] if target[-1] != ";" else words
    is_argument = words[at + 1] in (")", ",", ";") and words[at - 1] in ("(", ",", "=")
    if value.startswith("get_tensor_base") and words[at + 1] == ".":
        return None
    if words[at - 1] in ("(", ",") or words[at + 1] == ".":
        value = as_argument(value)
        if value.startswith("constant ("):
            return None
    if (_COMPARED.match(value) and not is_argument) or (" . " in value and _ON_VIEW.search(target)):
        return None
    words[at : at + 1] = [value if is_argument or not _has_operator(value) else f"( {value} )"]
    return " ".join(words if target[-1] == ";" else words[:-1])


def _computes_nothing(line: str) -> bool:
    found = LET.fullmatch(line)
    return line.startswith("//") or (found is not None and _is_light(_without_generics(found["value"].split())))


def _may_move(value: str) -> bool:
    """Whether a value is a tile that says its type wherever it stands."""
    return "unsafe" not in value and "(" in value and says_its_type(value)


def _user(lines: Sequence[str], index: int, name: str) -> int | None:
    """The one statement of the same block that reads a variable, once; None where there is no such statement."""
    found: int | None = None
    depth = 0
    for number in range(index + 1, len(lines)):
        line = lines[number]
        if line.startswith("//"):
            continue
        depth -= line.startswith("}")
        if depth < 0:
            break
        declares = re.match(rf"let (?:mut )?{name} ", line)
        count = line.split().count(name) - (declares is not None)
        if count:
            if found is not None or count > 1 or depth or " " not in line or line[0] == "}" or line[-1] == "{":
                return None
            found = number
        if declares and not depth:
            break
        depth += line.endswith("{")
    return found


def _is_unchanged(lines: Sequence[str], value: str) -> bool:
    """Whether no variable of a value is declared again or assigned by these statements, none of which has a block."""
    read = set(value.split())
    for line in lines:
        if line.startswith("//"):
            continue
        if line.startswith("}") or line.endswith("{"):
            return False
        words = line.split()
        stop = words.index("=") if "=" in words else 0
        if read & set(words[:stop]):
            return False
    return True


def _start(words: Sequence[str]) -> int:
    """Where the value of a statement starts: behind the name and the type of what it declares or assigns."""
    return words.index("=") + 1 if words[0] == "let" or words[1:2] == ["="] else 0


def _takes_value(words: Sequence[str], at: int) -> bool:
    """Whether a call may stand at a place; in a list, in `Some` and in a cast the compiler sees no type of it."""
    open_: list[str] = []
    for number, word in enumerate(words[:at]):
        if word in OPENING:
            open_.append("typed" if words[number - 1] in ("Some", "bitcast", "tile_to_scalar") else word)
        elif word in CLOSING and open_:
            open_.pop()
    return open_[-1:] not in (["["], ["typed"]) and words[at - 1] not in (".", "&", "<")


LIGHT = frozenset(
    """
    arange arange_from as_column as_row broadcast broadcast_scalar constant constant_bf16 constant_f16 constant_f32
    constant_for constant_i32 constant_i64 get_tensor_base get_tile_block_id reshape shape spread tile_of
    """.split()
)
"""Calls that compute no tile: a parameter, an index tile, one number in a tile, the same elements in another shape."""


def _is_light(words: Sequence[str]) -> bool:
    """Whether a value needs no place among other computations."""
    calls = {before for before, word in pairwise(words) if word == "(" and before not in _OPERATORS | OPENING}
    return calls <= LIGHT and not _has_tile_operator(words)


def _has_tile_operator(words: Sequence[str]) -> bool:
    """Whether there is an operator that is not among the numbers of a list or of `broadcast_scalar`."""
    open_: list[str] = []
    for number, word in enumerate(words):
        if word in OPENING:
            open_.append("number" if word == "[" or words[number - 1] in ("broadcast_scalar", "tile_of") else word)
        elif word in CLOSING and open_:
            open_.pop()
        elif word in _OPERATORS and "number" not in open_:
            return True
    return False


def _without_generics(words: Sequence[str]) -> list[str]:
    """The words without generic arguments, whose brackets are no comparisons."""
    return _GENERICS.sub(" ", f"{' '.join(words)} ").split()


def _is_first(words: Sequence[str]) -> bool:
    """Whether these words, up to a variable, hold no tile that is computed before the variable is read.

    Calls that are still open, names and numbers do not; nor does one operator, whose right side is still open.
    """
    parts: list[list[str]] = [[]]
    for number, word in enumerate(words):
        if word in OPENING:
            parts[-1].append(word)
            is_call = number > 0 and re.fullmatch(r"\w+", words[number - 1]) is not None and word == "("
            parts.append([words[number - 1]] if is_call else [])
            parts[-1].append(word)
        elif word in CLOSING:
            closed = parts.pop()
            if not parts or not _is_light([*closed, word]):
                return False
            parts[-1] += [*closed[closed.index({")": "(", "]": "[", "}": "{"}[word]) + 1 :], word]
        elif word == ",":
            if _has_tile_operator(parts[-1]):
                return False
            parts[-1].append(word)
        else:
            parts[-1].append(word)
    return all(sum(word in _OPERATORS for word in _outer(part)) <= 1 for part in parts)


def _outer(words: Sequence[str]) -> list[str]:
    """The words outside closed brackets."""
    depth, found = 0, list[str]()
    closed = sum(word in CLOSING for word in words)
    skip = sum(word in OPENING for word in words) - closed
    for word in words:
        depth += word in OPENING
        if depth <= skip:
            found.append(word)
        depth -= word in CLOSING
    return found


def _has_operator(value: str) -> bool:
    depth = 0
    for word in value.split():
        depth += (word in OPENING) - (word in CLOSING)
        if depth == 0 and word in _OPERATORS:
            return True
    return False


_NO_SPACE_BEFORE = frozenset([")", "]", ",", ";", ".", "::", "!", ":", "?"])
_NO_SPACE_BEHIND = frozenset(["(", "[", ".", "::", "!"])


def compact(line: str) -> str:
    """A line of tokens as rustfmt writes it, about."""
    text = ""
    before = ""
    for word in line.split():
        is_call = word in ("(", "[") and (re.fullmatch(r"\w+", before) is not None or before in (")", "]", ">"))
        is_call = is_call and before not in ("in", "if", "let", "else")
        glued = not text or word in _NO_SPACE_BEFORE or before in _NO_SPACE_BEHIND or is_call
        text += word if glued else f" {word}"
        before = word
    return text
