"""What the commands share: consoles, JSON lines, and how an error leaves."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console

import ferrotile
from ferrotile.core import FerrotileError, InputError, InternalError
from ferrotile.report import error_json, error_text
from ferrotile.report.text import print_all

_FILE_WIDTH = 160
out = Console(highlight=False, width=None if sys.stdout.isatty() else _FILE_WIDTH)
err = Console(stderr=True, highlight=False)


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on one line of stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


@contextmanager
def faults(as_json: bool, source_map: tuple[tuple[str, str], ...] = ()) -> Iterator[None]:
    """Print an error of ours and end with its exit code; anything else is our fault too."""
    try:
        yield
    except FerrotileError as error:
        _leave(error, as_json, source_map)
    except (OSError, RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        text = (str(error).splitlines() or [""])[0]
        _leave(InternalError("FT803", f"`{type(error).__name__}: {text}`"), as_json, source_map)


def _leave(error: FerrotileError, as_json: bool, source_map: tuple[tuple[str, str], ...]) -> None:
    if as_json:
        print_json(error_json(error))
    else:
        print_all(err, error_text(error, source_map))
    raise typer.Exit(error.exit_code)


def version(
    show: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False,
) -> None:
    """Options of the program itself."""
    if show:
        print(f"ferrotile {ferrotile.__version__}")
        raise typer.Exit


JSON = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]
TARGET = Annotated[str, typer.Option("--target", help="GPU architecture to translate for.")]
SOURCE_MAP = Annotated[
    list[str], typer.Option("--source-map", metavar="FROM=TO", help="Where Python sources moved to.")
]


def checked_map(entries: list[str]) -> tuple[tuple[str, str], ...]:
    """The pairs of `--source-map`. Raises: FT902."""
    pairs = [entry.partition("=") for entry in entries]
    for entry, (origin, separator, to) in zip(entries, pairs, strict=True):
        if not (origin and separator and to):
            raise InputError("FT902", f"`--source-map {entry}` is not of the form FROM=TO")
    return tuple((origin, to) for origin, _, to in pairs)
