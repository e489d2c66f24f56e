"""The table of error codes: one row each, never reused; `ferrotile explain CODE` prints a row.

A room appends rows to its own block: FT0xx core, FT1xx capture, FT2xx ir, FT3xx lift, FT4xx lower,
FT5xx check, FT6xx host, FT7xx bench, FT8xx workflow, FT9xx report and cli.
"""
# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One row: what went wrong in general, and what cures it."""

    code: str
    title: str
    meaning: str
    cure: str


CODES: dict[str, Code] = {}


def _row(code: str, title: str, meaning: str, cure: str) -> None:
    assert code not in CODES, f"code `{code}` declared twice"
    CODES[code] = Code(code, title, meaning, cure)


# fmt: off
# FT0xx core (tools, store, parameters)
_row("FT001", "tool missing", "A tool that this step needs was not found.", "Run `ferrotile doctor`; it prints the command that installs it.")
_row("FT002", "tool timed out", "A tool did not finish within its time limit.", "Try again on a quieter machine, or leave out `--sass`.")
_row("FT003", "tool failed", "A tool ended with an error on input that it should accept.", "Run `ferrotile doctor`; if all is well there, report the printed first line.")
_row("FT004", "cannot write", "A file or folder could not be written.", "Check that the folder exists, is writable, and the disk is not full.")
_row("FT005", "bad parameter map", "The parameter map is not valid JSON of the documented form.", "Compare it with the `parameters` entry of a proof.json that translate wrote.")
_row("FT006", "bad cubin", "A file that should be a cubin is not a 64-bit ELF file, or is cut short.", "Clear the cubin cache and run again; if it stays, report it.")
_row("FT007", "assembler refused", "tileiras refused a Tile IR program.", "Read its first line; a reference that is refused for one target may pass for another (`--target`).")

# FT1xx capture

# FT2xx ir

# FT3xx lift

# FT4xx lower

# FT5xx check

# FT6xx host

# FT7xx bench

# FT8xx workflow
_row("FT801", "no such input", "An input path does not exist, or a folder holds no `.tileirbc` file.", "Check the path; a kernel in Python is written `file.py::kernel`.")
_row("FT802", "worker died", "The process that translated this input ended without an answer.", "Run this input alone with `--jobs 1`; report it with the input file.")
_row("FT803", "unexpected exception", "A part of ferrotile raised an exception that it should not.", "Report it with the input file and the printed exception.")

# FT9xx report and cli
_row("FT901", "unknown code", "`explain` was asked for a code that is not in the table.", "Run `ferrotile explain` without a code for the list.")
