"""The commands and their exit codes.

0 EQUAL or REFINES, 1 any DIFFERS, 2 the input is wrong, 3 refusals only, 4 environment, 5 UNPROVED, 70 our fault.
"""

from __future__ import annotations

import sys

import typer

from ferrotile.cli import (
    batch,
    bench,
    capture,
    export,
    generalize,
    inform,
    interpret,
    page,
    run,
    translate,
    transplant,
    verify,
)
from ferrotile.cli.console import version

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Translate cuTile Python kernels to cuTile Rust, and prove that nothing changed.",
    epilog="Exit codes: 0 EQUAL or REFINES, 1 DIFFERS, 2 your input, 3 refused, 4 environment, 5 UNPROVED, 70 ours.",
)
app.callback()(version)
app.command("capture", context_settings={"allow_interspersed_args": False})(capture.capture)
app.command("translate")(translate.translate)
app.command("generalize")(generalize.generalize)
app.command("diff")(translate.diff)
app.command("verify")(verify.verify)
app.command("transplant")(transplant.transplant)
app.command("run")(run.run)
app.command("accept")(run.accept)
app.command("batch")(batch.batch)
app.add_typer(export.app, name="export")
app.add_typer(bench.app, name="bench")
app.command("report")(page.report_page)
app.command("interpret")(interpret.interpret)
app.command("trace")(translate.trace)
app.command("doctor")(inform.doctor)
app.command("ops")(inform.ops)
app.command("explain")(inform.explain)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output went away
        sys.stderr.close()
        sys.exit(141)
