"""What a kernel.rs may hold: one cuTile module of plain functions, and no way out of it.

Check judges the program that the entry lowers to; this looks at everything else that rustc would compile with it:
foreign functions, statics, macros, other crates, text taken from other files.
"""

from __future__ import annotations

import re

from ferrotile.core import InputError

_NOT_CODE = re.compile(
    r"""//[^\n]*
      | (?P<block>/\*)
      | b?r(?P<fence>\#*)".*?"(?P=fence)
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\.[^']*|[^\\'\n])'""",
    re.VERBOSE | re.DOTALL,
)
_HEAD = re.compile(r"\s*#\s*\[\s*cutile::module\s*\]\s*(?:pub\s+)?mod\s+\w+\s*\{")
_TOKEN = re.compile(r"\w+|::|\S")
MACROS = ("shape", "const_shape", "const_array", "array", "cuda_tile_assert", "cuda_tile_print")
ATTRIBUTES = ("cutile::entry", "allow", "inline")
USES = ("cutile::core::*", "cutile::tileir::*", "ferrotile_prelude::prelude::*")
FORBIDDEN = (
    "extern", "static", "mod", "macro_rules", "macro", "impl", "trait", "crate", "super", "asm", "global_asm", "link",
    "no_mangle", "export_name", "link_section", "std", "alloc", "union", "async", "build_script", "proc_macro",
)  # fmt: skip
"""Words that no kernel needs, and that lead out of one."""
ROOTS = ("core", "cutile", "ferrotile_prelude", "self", "Self")
"""Names that a path in a function may not begin with."""


def require_plain(text: str) -> None:
    """Refuse a text that is more than one module of kernel functions. Raises: FT826."""
    code = _without_comments(text)
    head = _HEAD.match(code)
    if head is None:
        raise _refusal("it does not begin with `#[cutile::module] mod`")
    end = _closing(code, head.end())
    if code[end:].strip():
        raise _refusal(f"`{code[end:].strip().split()[0]}` stands behind the module")
    body = code[head.end() : end - 1]
    for item in re.findall(r"\buse\s+([^;]*);", body):
        if (path := re.sub(r"\s+", "", item)) not in USES:
            raise _refusal(f"`use {path}` brings in more than the kernel language")
    body = _without_attributes(re.sub(r"\buse\s+[^;]*;", "", body))
    _require_plain_tokens(_TOKEN.findall(body))


def _require_plain_tokens(tokens: list[str]) -> None:
    for k, token in enumerate(tokens):
        following, before = tokens[k + 1 : k + 2], tokens[k - 1] if k else ""
        if token in FORBIDDEN:
            raise _refusal(f"`{token}` leads out of a kernel")
        if token in ROOTS and following == ["::"] and before != "::":
            raise _refusal(f"a path that begins with `{token}` leads out of a kernel")
        if token == "::" and not re.fullmatch(r"\w+|>", before):
            raise _refusal("a path that begins with `::` leads out of a kernel")
        is_macro = following == ["!"] and token.isidentifier() and tokens[k + 2 : k + 3] != ["="]
        if is_macro and token not in MACROS:
            raise _refusal(f"the macro `{token}!` is none of the kernel language")
        if token == "#":
            raise _refusal("a raw name or an attribute stands where none can be")


def _without_comments(text: str) -> str:
    """The text with comments as blanks, and what stands in quotes as `\"\"`. Raises: FT826."""
    parts: list[str] = []
    position = 0
    while (found := _NOT_CODE.search(text, position)) is not None:
        parts.append(text[position : found.start()])
        if found["block"]:
            position = _end_of_block(text, found.start())
            parts.append(" ")
            continue
        parts.append(" " if found.group().startswith("//") else '""')
        position = found.end()
    return "".join([*parts, text[position:]])


def _end_of_block(text: str, start: int) -> int:
    depth = 0
    for found in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    raise _refusal("a comment does not end")


def _closing(code: str, start: int) -> int:
    """Where the brace that was opened before `start` is closed."""
    depth = 1
    for found in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end()
    raise _refusal("the module is not closed")


def _without_attributes(body: str) -> str:
    """The body without its attributes, each of which must be a known one. Raises: FT826."""
    kept: list[str] = []
    position = 0
    for found in re.compile(r"#\s*!?\s*\[").finditer(body):
        if found.start() < position:
            continue
        depth, end = 1, found.end()
        while depth and end < len(body):
            depth += {"[": 1, "]": -1}.get(body[end], 0)
            end += 1
        name = re.match(r"\s*([\w:]+)", body[found.end() : end])
        if name is None or name[1] not in ATTRIBUTES:
            raise _refusal(f"the attribute `{body[found.start() : end][:60]}` is none of a kernel")
        kept.append(body[position : found.start()])
        position = end
    return " ".join([*kept, body[position:]])


def _refusal(why: str) -> InputError:
    return InputError("FT826", f"kernel.rs is more than a kernel: {why}")
