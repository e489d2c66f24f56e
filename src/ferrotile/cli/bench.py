"""bench: device time of the reference and of ours, on a machine with a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile.bench.device import Timing
from ferrotile.bench.device import run as device
from ferrotile.cli.console import JSON, err, faults, out, print_json

app = typer.Typer(no_args_is_help=True, help="Measure device times of reference and ours in one process.")
CAPTURE = Annotated[Path, typer.Option("--capture", metavar="DIR", help="Folder that `ferrotile capture` wrote.")]
BUNDLES = Annotated[Path, typer.Argument(metavar="BUNDLES", help="Folder that `translate CAPTURE --out` wrote.")]
PACK = Annotated[Path, typer.Argument(metavar="PACK", help="Folder that `ferrotile bench pack` wrote.")]
TIMES = Annotated[Path, typer.Argument(metavar="TIMES", help="File that `ferrotile bench run` wrote.")]
BYTECODE = Annotated[bool, typer.Option("--bytecode", help="Pack bytecode; the GPU's machine compiles it.")]
QUADS = Annotated[int | None, typer.Option("--quads", min=1, help="Quads of launches, reference ours ours reference.")]
CSV = Annotated[Path | None, typer.Option("--csv", help="Write a line for each pair as CSV too.")]


@app.command("pack")
def pack(
    bundles: BUNDLES,
    recording: CAPTURE,
    folder: Annotated[Path, typer.Option("--out", help="Folder of the pack.")],
    as_bytecode: BYTECODE = False,
    as_json: JSON = False,
) -> None:
    """Write what the machine with the GPU needs: both programs of each translation, and a launch of it."""
    with faults(as_json):
        packed = workflow.bench_pack(recording, bundles, folder, as_bytecode=as_bytecode)
        if as_json:
            print_json(report.pack_json(packed))
        else:
            for line in report.pack_text(packed):
                out.print(line, markup=False, soft_wrap=True)


@app.command("run")
def run(
    folder: PACK,
    times: Annotated[Path, typer.Option("--out", help="Write a JSON line for each pair.")],
    quads: QUADS = None,
    as_json: JSON = False,
) -> None:
    """Measure a pack on this machine's GPU; first the harness itself, on kernels whose ratio is known."""
    with faults(as_json):
        timings = device.run_pack(folder, times, quads, lambda line: err.print(line, markup=False, highlight=False))
        _show(timings, None, as_json)


@app.command("table")
def table(file: TIMES, csv: CSV = None, as_json: JSON = False) -> None:
    """The table of a run: a line a kernel, the geometric mean, and what must be named."""
    with faults(as_json):
        _show(device.read_times(file), csv, as_json)


@app.command("fill")
def fill(
    file: TIMES,
    analysis: Annotated[Path, typer.Argument(metavar="ANALYSIS", help="The analysis.json of a run.")],
    filled: Annotated[Path, typer.Option("--out", help="Write the analysis with the times to this file.")],
    as_json: JSON = False,
) -> None:
    """Write the times of a run into a copy of an analysis.json: baseline and ours, for each variant."""
    with faults(as_json):
        done = workflow.fill_analysis(analysis, device.read_times(file), filled)
        if as_json:
            print_json({"file": str(done.file), "measured": list(done.measured), "missing": done.missing})
        else:
            out.print(f"{done.file}: times of {len(done.measured)} variants", markup=False, soft_wrap=True)
            for name, reason in done.missing.items():
                out.print(f"without: {name}: {reason}", markup=False, soft_wrap=True)


def _show(timings: list[Timing], csv: Path | None, as_json: bool) -> None:
    summary = device.summary_of(timings)
    if csv is not None:
        device.write_csv(timings, csv)
    if as_json:
        print_json(summary.to_json())
    else:
        out.print(report.times_table(summary))
        for line in report.times_text(summary):
            out.print(line, markup=False, highlight=False, soft_wrap=True)
