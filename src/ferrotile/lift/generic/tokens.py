"""Rust text of lifted kernels as tokens: what may become a generic, what is a variable, what must stay."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum

import ml_dtypes
import numpy as np

ELEMENTS = frozenset(
    "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 tf32 f8e4m3fn f8e5m2 f8e8m0fnu f8e5m3fnu f4e2m1fn i4".split()
)
"""Words that name element types."""

_TOKEN = re.compile(
    r"""//[^\n]*
      | "(?:[^"\\]|\\.)*"
      | '[A-Za-z_]\w*
      | \d+(?:i32)?@\w+
      | \d+(?:\.\d+)?(?:e[-+]?\d+)?(?:[iuf]\d+|bf16)?
      | [A-Za-z_]\w*
      | ::|->|=>|\.\.=|\.\.|==|!=|<=|>=|<<|>>|&&|\|\|
      | \S""",
    re.VERBOSE,
)
_INTEGER = re.compile(r"(\d+)(i32)?(?:@\w+)?")
_FLOAT = re.compile(r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(f32|f64)?")
_FILLS = ("constant", "constant_from")


class Kind(Enum):
    """What a token is to the unifier."""

    WORD = "word"
    INTEGER = "#"
    ELEMENT = "@"
    FILL = "fill"
    FLOAT = "float"
    DEFINITION = "$="
    USE = "$"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    `target`: for a use, the number of the definition that it means; for a definition, its own; for what may become a
    generic, its number among those of the kernel.
    """

    text: str
    kind: Kind = Kind.WORD
    target: int = -1

    @property
    def key(self) -> str:
        """What must agree for two tokens to be unified."""
        if self.kind is Kind.FLOAT:
            return "float" if _FLOAT.fullmatch(self.text) else "float type"
        return self.text if self.kind is Kind.WORD else self.kind.value


def value_of(text: str) -> int:
    """The number that an integer token writes."""
    found = _INTEGER.fullmatch(text.lstrip("-"))
    assert found is not None
    return -int(found[1]) if text.startswith("-") else int(found[1])


def without_mark(text: str) -> str:
    """A number without the parameter that it came from."""
    return text.partition("@")[0]


def mark_of(text: str) -> str:
    """The parameter that a number came from, as far as it is known."""
    return text.partition("@")[2]


def coarse(text: str) -> str:
    """A filling number as the coarsest element type holds it; the word of a type whose infinity it is goes."""
    found = _FLOAT.fullmatch(text)
    return "" if found is None else str(np.float32(found[1]).astype(ml_dtypes.bfloat16))


def common_number(texts: Collection[str]) -> str | None:
    """One number that every one of these is, each in its own element type; None without one.

    What has no suffix is of a 16-bit type.
    """
    found = [_FLOAT.fullmatch(text) for text in texts]
    if None in found or not found:
        return "f64"
    numbers = [(one[1], one[2]) for one in found if one is not None]
    best = max((number for number, _ in numbers), key=len)
    return best if all(_is_same(best, number, suffix) for number, suffix in numbers) else None


def _is_same(one: str, other: str, suffix: str | None) -> bool:
    types = {"f32": (np.float32,), "f64": (np.float64,)}.get(suffix or "", (np.float16, ml_dtypes.bfloat16))
    with np.errstate(over="ignore"):
        return any(np.float64(one).astype(type_) == np.float64(other).astype(type_) for type_ in types)


@dataclass(frozen=True, slots=True)
class Raw:
    """A token as it stands in the text, with its line."""

    text: str
    line: int


def split(text: str) -> list[Raw]:
    """The tokens of a text; a minus sign belongs to a number that stands first in a list.

    A comma before a closing bracket goes: whether there is one depends on the layout.
    """
    found = [
        Raw(item.group(), number)
        for number, line in enumerate(text.splitlines(), start=1)
        for item in _TOKEN.finditer(line)
    ]
    return list(_with_signs(found))


def _with_signs(raws: list[Raw]) -> Iterator[Raw]:
    index = 0
    while index < len(raws):
        raw = raws[index]
        before = raws[index - 1].text if index else ""
        behind = raws[index + 1].text if index + 1 < len(raws) else ""
        if raw.text == "," and behind in (")", "]", "}"):
            index += 1
        elif raw.text == "-" and before in ("[", ",", "(") and behind[:1].isdigit():
            yield Raw("-" + behind, raw.line)
            index += 2
        else:
            yield raw
            index += 1


def kinds(words: list[str]) -> list[Kind]:
    """Which tokens of one statement may become generics; variables are told apart later.

    A number stays where only a literal can stand: an index, an order of axes, an optional hint.
    """
    found: list[Kind] = []
    open_brackets: list[str] = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        found.append(_kind(word, before, words[index + 1] if index + 1 < len(words) else "", open_brackets))
        if word in ("(", "[", "{"):
            open_brackets.append(_context(words, index))
        elif word in (")", "]", "}") and open_brackets:
            open_brackets.pop()
    return found


FROZEN = frozenset({"index", "const_array", "Some"})


def _kind(word: str, before: str, behind: str, open_brackets: list[str]) -> Kind:
    if word in _FILLS and behind == "(":
        return Kind.FILL
    if open_brackets and open_brackets[-1] in _FILLS and before == "(" and _is_filling(word, behind):
        return Kind.FLOAT
    if word in ELEMENTS:
        return Kind.WORD if behind == "::" else Kind.ELEMENT
    if _INTEGER.fullmatch(word.lstrip("-")) is None or before == ".":
        return Kind.WORD
    context = open_brackets[-1] if open_brackets else ""
    return Kind.WORD if context in FROZEN else Kind.INTEGER


def _is_filling(word: str, behind: str) -> bool:
    """Whether this is a decimal, or the type whose infinity is named behind it."""
    is_decimal = _FLOAT.fullmatch(word) is not None and _INTEGER.fullmatch(word.lstrip("-")) is None
    return is_decimal or (behind == "::" and word in ELEMENTS)


def _context(words: list[str], index: int) -> str:
    """What a bracket belongs to: the function or macro before it, or `index` behind a value."""
    before = words[index - 1] if index else ""
    if before == "!":
        return words[index - 2]
    is_value = before in (")", "]") or (re.fullmatch(r"\w+", before) is not None and not before[0].isdigit())
    if words[index] == "[":
        return "index" if is_value and before not in ("mut", "in", "return") else ""
    return before if is_value and before not in (")", "]") else ""
