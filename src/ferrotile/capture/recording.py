"""Run a command with the recorder in it, and keep what it launched."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ferrotile.capture.front_end import BYTECODE_VERSION
from ferrotile.capture.index import INDEX, Index, is_capture
from ferrotile.capture.rows import Rows, collect
from ferrotile.core import InputError, store, tools

RECORDER = Path(__file__).parent / "injected"
MULTIPROCESSORS = {80: 108, 86: 84, 89: 142, 90: 132, 100: 148, 103: 160, 120: 188, 121: 48}
"""Multiprocessors of a usual device of each compute capability; grids and tuning depend on the number."""
USUAL_MULTIPROCESSORS = 132


@dataclass(frozen=True)
class RecordOptions:
    """How to record. `pretend`: as if there was no GPU; `values`: pretended tensors hold numbers; `keep_going`: keep
    what was launched although the command failed; `quiet`: the command's output goes to stderr.
    """

    target: str = "sm_90"
    tune: str = "first"
    pretend: bool = False
    values: bool = False
    multiprocessors: int | None = None
    keep_going: bool = False
    quiet: bool = False


def record(command: Sequence[str], out: Path, options: RecordOptions) -> Index:
    """Run a command, and write the bytecode of every specialization that it launches, with an index, to a folder.

    The folder appears whole or not at all; one that holds an earlier capture is replaced.
    Raises: FT004, FT111 to FT115, FT117, FT902.
    """
    _require_options(options)
    _require_free(out)
    with store.scratch() as folder:
        code = tools.run_in_foreground(command, _variables(folder, options), quiet=options.quiet)
        rows = collect(folder)
        _require_launches(command, code, rows, options)
        index, files = rows.index(tuple(command), code, options.target, options.tune)
        if index.is_pretended:
            index = index.model_copy(update={"multiprocessors": _multiprocessors(options)})
        store.replace_folder(out, {**files, INDEX: index.to_text().encode()})
    return index


def exit_code_of(index: Index) -> int:
    """0, or the exit code of the worst refusal; what only a tuner tried does not count, since tuners skip it too."""
    launched = [one.fault().exit_code for one in index.unexported if one.via == "launch"]
    return min(launched, default=0)


def _require_options(options: RecordOptions) -> None:
    if re.fullmatch(r"sm_\d+[af]?", options.target) is None:
        raise InputError("FT111", f"`{options.target}` is not a target; targets look like `sm_90`")
    if options.tune not in ("first", "all"):
        raise InputError("FT902", f"`--tune {options.tune}` is neither `first` nor `all`")


def _variables(folder: Path, options: RecordOptions) -> dict[str, str]:
    """The environment of the command: what Python needs to find the recorder, and what that has to know."""
    settings = {
        "target": options.target,
        "bytecode_version": BYTECODE_VERSION,
        "tune": options.tune,
        "pretend": "always" if options.pretend else "auto",
        "values": options.values,
        "multiprocessors": _multiprocessors(options),
    }
    earlier = [path for path in [os.environ.get("PYTHONPATH")] if path]
    return {
        "PYTHONPATH": os.pathsep.join([str(RECORDER), *earlier]),
        "FERROTILE_CAPTURE": str(folder),
        "FERROTILE_CAPTURE_SETTINGS": json.dumps(settings),
    }


def _multiprocessors(options: RecordOptions) -> int:
    """Those of the pretended GPU: as asked for, else the target's."""
    number = int("".join(letter for letter in options.target if letter.isdigit()))
    return options.multiprocessors or MULTIPROCESSORS.get(number, USUAL_MULTIPROCESSORS)


def _require_free(out: Path) -> None:
    """Nothing but an earlier capture is ever replaced."""
    is_free = not out.exists() or (out.is_dir() and (is_capture(out) or not any(out.iterdir())))
    if not is_free:
        raise InputError("FT114", f"`{out}` is there already, and is no capture", hint="give --out a new folder")


def _require_launches(command: Sequence[str], code: int, rows: Rows, options: RecordOptions) -> None:
    title = f"`{command[0]}`"
    if code != 0 and not options.keep_going:
        end = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        found = f"; {rows.launch_count} launches had been recorded" if rows.launch_count else ""
        raise InputError(
            "FT112",
            f"the command {title} {end}{found}",
            hint="make it run by itself first; --keep-going keeps what was recorded until then",
        )
    if rows.process_count == 0:
        raise InputError(
            "FT113",
            f"the command {title} started no Python that loads the recorder",
            hint="Python's options -I, -E and -S keep it out, as does a program that clears PYTHONPATH",
        )
    if rows.cuda_tile is None:
        raise InputError("FT113", f"the command {title} never imported `cuda.tile`, so it launched nothing")
    if rows.launch_count == 0:
        raise InputError("FT113", f"the command {title} launched no kernel")
