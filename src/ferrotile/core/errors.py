"""The error classes: the class says who must act, the code says what happened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from ferrotile.core.codes import CODES
from ferrotile.core.place import Place


class FerrotileError(Exception):
    """Base of all our errors: a code of the table, one sentence, and where it happened.

    `at` is the place in the input (a Python line, or the Rust line for lower), `also` the other side's place.
    """

    exit_code: ClassVar[int] = 70

    def __init__(
        self, code: str, message: str, at: Place | None = None, hint: str | None = None, also: Place | None = None
    ) -> None:
        assert code in CODES, f"code `{code}` is not in core/codes.py"
        super().__init__(code, message, at, hint, also)
        self.code = code
        self.message = message
        self.at = at
        self.hint = hint
        self.also = also

    def __str__(self) -> str:
        place = f" (at {self.at})" if self.at else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.code}: {self.message}{place}{hint}"


class InputError(FerrotileError):
    """The input is wrong: the user must change it."""

    exit_code = 2


class Unsupported(FerrotileError):
    """A known gap of ours or of the target: a refusal, never a guess."""

    exit_code = 3


class EnvironmentFault(FerrotileError):
    """A tool, a driver or the machine is not as it must be."""

    exit_code = 4


class InternalError(FerrotileError):
    """A fault of ours."""

    exit_code = 70


@contextmanager
def at(place: Place | None) -> Iterator[None]:
    """Give errors raised inside, that have no place yet, this place."""
    try:
        yield
    except FerrotileError as error:
        if error.at is None and place is not None:
            error.at = place
        raise
