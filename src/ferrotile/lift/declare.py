"""Functions that a kernel declares beside itself, each once."""

from __future__ import annotations

from ferrotile.lift.emit import Writer


def declared(writer: Writer, stem: str, text: str) -> str:
    """Declare a function, unless it is declared; its name, which `text` calls `{name}`."""
    for name, known in writer.functions.items():
        if known == text.replace("{name}", name):
            return name
    name = writer.names.fresh(stem)
    writer.functions[name] = text.replace("{name}", name)
    return name
