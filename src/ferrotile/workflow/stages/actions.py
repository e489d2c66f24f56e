"""What a specialist may ask of the author: a closer style, or a sentence to heed."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ferrotile.core import InputError, Style
from ferrotile.workflow.run.artifacts import Action

STYLES = {style.value for style in Style}


def require_sound(actions: Iterable[Action], names: Set[str]) -> None:
    """Refuse actions about variants that do not exist, and styles that do not exist. Raises: FT812."""
    for action in actions:
        if action.name not in names:
            raise InputError("FT812", f"an action is about `{action.name}`, which is no variant")
        if action.kind == "style" and action.value not in STYLES:
            raise InputError("FT812", f"an action asks for the style `{action.value}`, which does not exist")
        if not action.value.strip():
            raise InputError("FT812", f"an action about `{action.name}` asks for nothing")
