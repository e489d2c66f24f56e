"""An artifact that says what is not so."""

from __future__ import annotations

from ferrotile.core import InputError


def require_equal(what: str, claimed: object, found: object) -> None:
    """Refuse a claim that is not what was found again. Raises: FT812."""
    if claimed != found:
        raise InputError("FT812", f"{what} is not what the files give: {_first(claimed, found)}")


def _first(claimed: object, found: object) -> str:
    """The first place where they differ, briefly."""
    if isinstance(claimed, tuple) and isinstance(found, tuple) and len(claimed) == len(found):
        return next(_first(a, b) for a, b in zip(claimed, found, strict=True) if a != b)
    fields = getattr(type(found), "model_fields", None)
    if fields and type(claimed) is type(found):
        name = next(name for name in fields if getattr(claimed, name) != getattr(found, name))
        return f"`{name}`: {_first(getattr(claimed, name), getattr(found, name))}"
    return f"it says `{_brief(claimed)}`, and they give `{_brief(found)}`"


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
