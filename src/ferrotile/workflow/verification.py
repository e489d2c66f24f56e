"""Replay bundles: each folder that translate wrote, or a folder of such folders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ferrotile import bundle, lift
from ferrotile.core import InputError
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.inputs import python_file
from ferrotile.workflow.record import EXIT_DIFFERS, EXIT_ENVIRONMENT, EXIT_OK, Options

GENERIC = "generic.json"
"""What `generalize` writes beside the bundles of a kernel's specializations."""


def verify(folders: list[Path], options: Options, *, offline: bool) -> Iterator[bundle.Replay]:
    """The replay of each bundle; unless `offline`, both programs also run on the same inputs. Raises: FT610, FT803."""
    finder = lift.SourceFinder(list(options.source_map))
    for folder in folders:
        for one in bundles(folder):
            with guarded("verify"):
                yield bundle.replay(one, with_numbers=not offline, find_source=partial(python_file, finder=finder))


def bundles(folder: Path) -> list[Path]:
    """The folder itself if it has a proof or files of a bundle, else all bundles in it. Raises: FT610.

    What `generalize` wrote for one kernel is a folder of bundles, too.
    """
    is_whole_kernel = (folder / GENERIC).exists()
    if not is_whole_kernel and any((folder / name).exists() for name in (bundle.PROOF, *bundle.FILES)):
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{bundle.PROOF}"))
    if not found:
        raise InputError("FT610", f"`{folder}` holds no `{bundle.PROOF}`", hint="`ferrotile translate --out` writes it")
    return found


def exit_code_of(replay: bundle.Replay) -> int:
    """0 the bundle is what it says, 1 a claim is not true, 2 it is no bundle, 4 too little could be replayed."""
    if replay.fault is not None:
        return replay.fault.exit_code
    if not replay.holds:
        return EXIT_DIFFERS
    return EXIT_OK if replay.is_whole else EXIT_ENVIRONMENT
