"""Put the rooms together: translate, diff, trace, doctor, and what the table covers.

Non-goals: nothing is printed here, and no verdict is made here: check gives it, report shows it.
Names are loaded when first used: `doctor` must run where a package that the others need is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrotile.core import lazy

if TYPE_CHECKING:
    from ferrotile.workflow.batch import Progress, translate_all
    from ferrotile.workflow.benching import Packed, bench_pack, smallest_launch
    from ferrotile.workflow.comparison import Comparison, diff
    from ferrotile.workflow.covered import REQUIRED, Covered, coverage
    from ferrotile.workflow.crate_exporting import CrateOptions, ExportedCrate, export_crate
    from ferrotile.workflow.doctor import Finding, examine, is_ready
    from ferrotile.workflow.exporting import Exported, ExportOptions, export_c
    from ferrotile.workflow.filling import Filled, fill_analysis
    from ferrotile.workflow.forms import Form, trace
    from ferrotile.workflow.generalization import GenericKernel, Specialization, Variant, generalize
    from ferrotile.workflow.given import Bound, Given, bind
    from ferrotile.workflow.inputs import expand
    from ferrotile.workflow.interpretation import Interpretation, Launch, Watched, interpret
    from ferrotile.workflow.record import (
        EXIT_DIFFERS,
        EXIT_ENVIRONMENT,
        EXIT_OF_VERDICT,
        EXIT_OK,
        MachineResult,
        Options,
        Row,
        Task,
        blame_json,
        machine_json,
        worst,
    )
    from ferrotile.workflow.sample import Sample
    from ferrotile.workflow.side_by_side import Panel, Sided, SideOptions, Sides, sides_of
    from ferrotile.workflow.timed import Timed, Times, times_of
    from ferrotile.workflow.translation import translate
    from ferrotile.workflow.verification import exit_code_of, verify

_HOMES = {
    ".batch": ("Progress", "translate_all"),
    ".benching": ("Packed", "bench_pack", "smallest_launch"),
    ".comparison": ("Comparison", "diff"),
    ".covered": ("REQUIRED", "Covered", "coverage"),
    ".crate_exporting": ("CrateOptions", "ExportedCrate", "export_crate"),
    ".doctor": ("Finding", "examine", "is_ready"),
    ".exporting": ("ExportOptions", "Exported", "export_c"),
    ".filling": ("Filled", "fill_analysis"),
    ".forms": ("Form", "trace"),
    ".generalization": ("GenericKernel", "Specialization", "Variant", "generalize"),
    ".given": ("Bound", "Given", "bind"),
    ".inputs": ("expand",),
    ".interpretation": ("Interpretation", "Launch", "Watched", "interpret"),
    ".record": (
        "EXIT_DIFFERS", "EXIT_ENVIRONMENT", "EXIT_OF_VERDICT", "EXIT_OK",
        "MachineResult", "Options", "Row", "Task", "blame_json", "machine_json", "worst",
    ),
    ".sample": ("Sample",),
    ".side_by_side": ("Panel", "SideOptions", "Sided", "Sides", "sides_of"),
    ".timed": ("Timed", "Times", "times_of"),
    ".translation": ("translate",),
    ".verification": ("exit_code_of", "verify"),
}  # fmt: skip
__getattr__ = lazy.attributes(__name__, _HOMES)

__all__ = [
    "EXIT_DIFFERS",
    "EXIT_ENVIRONMENT",
    "EXIT_OF_VERDICT",
    "EXIT_OK",
    "REQUIRED",
    "Bound",
    "Comparison",
    "Covered",
    "CrateOptions",
    "ExportOptions",
    "Exported",
    "ExportedCrate",
    "Filled",
    "Finding",
    "Form",
    "GenericKernel",
    "Given",
    "Interpretation",
    "Launch",
    "MachineResult",
    "Options",
    "Packed",
    "Panel",
    "Progress",
    "Row",
    "Sample",
    "SideOptions",
    "Sided",
    "Sides",
    "Specialization",
    "Task",
    "Timed",
    "Times",
    "Variant",
    "Watched",
    "bench_pack",
    "bind",
    "blame_json",
    "coverage",
    "diff",
    "examine",
    "exit_code_of",
    "expand",
    "export_c",
    "export_crate",
    "fill_analysis",
    "generalize",
    "interpret",
    "is_ready",
    "machine_json",
    "sides_of",
    "smallest_launch",
    "times_of",
    "trace",
    "translate",
    "translate_all",
    "verify",
    "worst",
]
