"""verify: replay what translate claimed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, checked_map, faults, out, print_json

BUNDLES = Annotated[list[Path], typer.Argument(metavar="BUNDLE...", help="Folders that `translate --out` wrote.")]
OFFLINE = Annotated[bool, typer.Option("--offline", help="Replay the claims only; do not run both programs on inputs.")]


def verify(
    bundles: BUNDLES,
    offline: OFFLINE = False,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    as_json: JSON = False,
) -> None:
    """Replay every claim of a bundle: digests, Rust text, verdict, machine code, and numbers by the interpreter.

    Exit codes: 0 all claims that could be replayed are true, 1 one is not, 2 no bundle, 4 what
    kernel.rs is or the verdict could not be replayed here. A true DIFFERS is 0.
    """
    codes = []
    with faults(as_json):
        options = workflow.Options(source_map=checked_map(source_map))
        for replay in workflow.verify(bundles, options, offline=offline):
            codes.append(workflow.exit_code_of(replay))
            if as_json:
                print_json(report.replay_json(replay))
            else:
                for line in report.replay_text(replay):
                    out.print(line, soft_wrap=True)
    raise typer.Exit(workflow.worst(codes))
