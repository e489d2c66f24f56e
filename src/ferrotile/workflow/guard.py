"""Keep foreign exceptions from leaving a step: they become our fault, with a code."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ferrotile.core import FerrotileError, InputError, InternalError


@contextmanager
def guarded(step: str, *, own_input: bool = False) -> Iterator[None]:
    """Turn exceptions that a step must not raise into our fault.

    With `own_input` the step works on text that we made ourselves: there an InputError is our fault too.
    Raises: FT803, or the step's own code.
    """
    try:
        yield
    except InputError as error:
        if not own_input:
            raise
        raise InternalError(error.code, f"{step}: {error.message}", error.at, error.hint, error.also) from error
    except FerrotileError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        text = (str(error).splitlines() or [""])[0][:200]
        raise InternalError("FT803", f"{step} raised `{type(error).__name__}: {text}` in {where}") from error
