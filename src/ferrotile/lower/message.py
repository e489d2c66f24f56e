"""Compiler messages made readable: one line, one sentence, no dumps of syntax trees."""

from __future__ import annotations

import re

_LONGEST = 300

# `Ident { sym: f33, span: bytes(3..6) }` and its multi-line form: the debug print of a name.
_IDENT = re.compile(r"Ident\s*\{\s*sym:\s*([^,\s]+),\s*span:\s*[^}]*\}|Ident\(\s*([^)\s]+?),?\s*\)")
_NODE = re.compile(r"#\s*\[__cutile_node_id = \d+\]\s*")
_SPAN = re.compile(r"\bbytes\(\d+\.\.\d+\)")
_FRAME = re.compile(r"\n\s*-->.*", re.DOTALL)


def one_sentence(message: str) -> str:
    """The message in one line without its trailing dot.

    Example:
        >>> one_sentence("Unable to use ident Ident {\\n    sym: f33,\\n    span: bytes(1..4),\\n}.")
        'unable to use ident `f33`'
    """
    text = _FRAME.sub("", message)
    text = _IDENT.sub(lambda found: f"`{found.group(1) or found.group(2)}`", text)
    text = " ".join(_NODE.sub("", _SPAN.sub("..", text)).split()).rstrip(".")
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(" ", 1)[0] + " ..."
    if len(text) > 1 and text[0].isupper() and text[1].islower():
        text = text[0].lower() + text[1:]
    return text
