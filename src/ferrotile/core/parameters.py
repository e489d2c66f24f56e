"""The parameter map: which entry parameter of either side is which part of which argument.

Both sides of a translation take the same arguments flattened to scalars and pointers, but in an order of
their own; the map gives each entry parameter its role, so that nobody ever has to guess a permutation.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import from_json

from ferrotile.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Role:
    """What one entry parameter carries: a part of the `array`-th array, or the `index`-th scalar."""

    kind: Literal["pointer", "shape", "stride", "scalar"]
    array: int | None = None
    axis: int | None = None
    index: int | None = None

    def __post_init__(self) -> None:
        present = tuple(part is not None for part in (self.array, self.axis, self.index))
        wanted = {"pointer": (True, False, False), "scalar": (False, False, True)}.get(self.kind, (True, True, False))
        if present != wanted:
            raise ValueError(f"a `{self.kind}` role does not have exactly its parts: {self}")

    @staticmethod
    def pointer(array: int) -> Role:
        """The base address of an array."""
        return Role("pointer", array=array)

    @staticmethod
    def shape(array: int, axis: int) -> Role:
        """The extent of an array along an axis."""
        return Role("shape", array=array, axis=axis)

    @staticmethod
    def stride(array: int, axis: int) -> Role:
        """The stride of an array along an axis."""
        return Role("stride", array=array, axis=axis)

    @staticmethod
    def scalar(index: int) -> Role:
        """A scalar argument."""
        return Role("scalar", index=index)

    def __str__(self) -> str:
        if self.kind == "scalar":
            return f"scalar {self.index}"
        axis = "" if self.axis is None else f" {self.axis}"
        return f"{self.kind}{axis} of array {self.array}"


@dataclass(frozen=True, slots=True)
class ParameterMap:
    """One role per entry parameter, in entry order, for each side; lowered parameters may share a role."""

    reference: tuple[Role, ...]
    lowered: tuple[Role, ...]

    @staticmethod
    def by_position(count: int) -> ParameterMap:
        """The map that pairs the k-th parameter of either side."""
        roles = tuple(Role.scalar(k) for k in range(count))
        return ParameterMap(roles, roles)

    @staticmethod
    def from_json(text: str | bytes) -> ParameterMap:
        """Read a map; a proof.json counts as the map in it. Raises: FT005 when the text is neither."""
        try:
            value = from_json(text)
            is_proof = isinstance(value, dict) and "parameters" in value
            return _ADAPTER.validate_python(value["parameters"] if is_proof else value)
        except ValueError as error:
            if isinstance(error, ValidationError):
                raise InputError("FT005", f"the parameter map is not valid: {_first_line(error)}") from None
            raise InputError("FT005", f"the parameter map is not JSON: {str(error).lower()}") from None

    def to_dict(self) -> dict[str, Any]:
        """The map as plain values for JSON; absent parts are left out."""
        return _ADAPTER.dump_python(self, mode="json", exclude_none=True)

    def to_json(self) -> str:
        """The map as JSON; absent parts are left out."""
        return _ADAPTER.dump_json(self, exclude_none=True).decode()


_ADAPTER = TypeAdapter(ParameterMap)


def _first_line(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "top level"
    return f"`{where}`: {first['msg'].lower()}"
