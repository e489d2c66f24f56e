"""Rust text of lifted kernels as tokens: what may become a generic, what is a variable, what must stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

ELEMENTS = frozenset(
    "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 tf32 f8e4m3fn f8e5m2 f8e8m0fnu f8e5m3fnu f4e2m1fn i4".split()
)
"""Words that name element types."""

_TOKEN = re.compile(
    r"""//[^\n]*
      | "(?:[^"\\]|\\.)*"
      | '[A-Za-z_]\w*
      | \d+(?:\.\d+)?(?:e[-+]?\d+)?(?:[iuf]\d+|bf16)?
      | [A-Za-z_]\w*
      | ::|->|=>|\.\.=|\.\.|==|!=|<=|>=|<<|>>|&&|\|\|
      | \S""",
    re.VERBOSE,
)
_INTEGER = re.compile(r"(\d+)(i32)?")


class Kind(Enum):
    """What a token is to the unifier."""

    WORD = "word"
    INTEGER = "#"
    ELEMENT = "@"
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
        return self.text if self.kind is Kind.WORD else self.kind.value


def value_of(text: str) -> int:
    """The number that an integer token writes."""
    found = _INTEGER.fullmatch(text.lstrip("-"))
    assert found is not None
    return -int(found[1]) if text.startswith("-") else int(found[1])


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
    if word in ELEMENTS:
        return Kind.WORD if behind == "::" else Kind.ELEMENT
    if _INTEGER.fullmatch(word.lstrip("-")) is None or before == ".":
        return Kind.WORD
    context = open_brackets[-1] if open_brackets else ""
    return Kind.WORD if context in FROZEN else Kind.INTEGER


def _context(words: list[str], index: int) -> str:
    """What a bracket belongs to: the function or macro before it, or `index` behind a value."""
    before = words[index - 1] if index else ""
    if before == "!":
        return words[index - 2]
    is_value = before in (")", "]") or (re.fullmatch(r"\w+", before) is not None and not before[0].isdigit())
    if words[index] == "[":
        return "index" if is_value and before not in ("mut", "in", "return") else ""
    return before if is_value and before not in (")", "]") else ""
