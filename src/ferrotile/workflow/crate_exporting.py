"""Export proved translations as a Rust crate: grids from recorded launches, and calls recorded by interpretation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import ferrotile
from ferrotile import capture, host, ir, lift
from ferrotile.bundle import Call, Like, recorded_call
from ferrotile.core import InputError
from ferrotile.workflow.exporting import Proved, proved
from ferrotile.workflow.grids import fitting, observed
from ferrotile.workflow.guard import guarded

GRIDS = ((2, 1, 1), (1, 1, 1))
"""Of calls that no recorded launch is like, the first that goes well."""


@dataclass(frozen=True, slots=True)
class CrateOptions:
    """How to export. `launches`: a capture, from which grids are fitted; `records`: interpret a call of each kernel."""

    name: str = "cutile-operators"
    targets: tuple[str, ...] = ()
    launches: Path | None = None
    tree: Path | None = None
    builds: bool = True
    records: bool = True
    source_map: tuple[tuple[str, str], ...] = ()
    progress: Callable[[str], None] = lambda _: None
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class ExportedCrate:
    """What was written: the folder, its kernels, the rule for each grid, and how many calls were recorded."""

    folder: Path
    kernels: tuple[host.Kernel, ...]
    rules: dict[str, host.GridRule | host.NoRule]
    recorded_count: int
    is_built: bool


def export_crate(folders: list[Path], out: Path, options: CrateOptions) -> ExportedCrate:
    """Write a crate of all bundles in the folders, and let cargo check it.

    Raises: what `export_c` raises; FT116 the launches are no capture; FT630 `unsafe` without a reason.
    """
    with guarded("export"):
        index = None if options.launches is None else capture.read_index(options.launches)
        found = proved(folders, options.targets, is_late=options.is_late)
        if not found:
            raise InputError("FT601", "there is nothing to export")
        finder = lift.SourceFinder(list(options.source_map))
        variants = [host.specialization(one.translated, finder) for one in found]
        kernels = host.kernels_of(variants)
        launches = {} if index is None else {kernel.name: observed(index, kernel) for kernel in kernels}
        rules = {name: host.fit(list(seen)) for name, seen in launches.items()}
        pairs = list(zip(found, variants, strict=True)) if options.records else []
        recorded = list(_calls(pairs, index, options.progress))
        texts = {host.file_stem(variant): one.rust for one, variant in zip(found, variants, strict=True)}
        crate = host.Crate(kernels, texts, rules, launches, recorded)
        host.write_crate(crate, out, options.tree or Path(ferrotile.__file__).parents[2], options.name)
        if options.builds:
            options.progress("cargo check")
            host.check_crate(out)
        every = {kernel.name: rules.get(kernel.name, host.NoRule("no launch was recorded")) for kernel in kernels}
        return ExportedCrate(out, kernels, every, len(recorded), options.builds)


def _calls(
    found: Sequence[tuple[Proved, host.Variant]], index: capture.Index | None, progress: Callable[[str], None]
) -> Iterator[host.Recorded]:
    """A call of each specialization that one can be made for, and whose results are all determined.

    Like the smallest recorded launch where one fits the specialization; the numbers in its arrays are our own.
    """
    for one, variant in found:
        progress(f"recording a call of {variant.label}")
        module = ir.decode(one.translated.reference)
        likes = [] if index is None else fitting(index, variant)[:1]
        tries: list[tuple[tuple[int, int, int], Like | None]] = [(grid, like) for grid, like in likes]
        for grid, like in [*tries, *((grid, None) for grid in GRIDS)]:
            if (call := recorded_call(module, grid, like)) is not None:
                yield _recorded(variant, grid, call)
                break


def _recorded(variant: host.Variant, grid: tuple[int, int, int], call: Call) -> host.Recorded:
    names = [name for name, facts in variant.facts.items() if not isinstance(facts, host.ConstantFacts)]
    values = {
        name: value if isinstance(value, int | float) else host.RecordedArray(*value)
        for name, value in zip(names, call, strict=True)
    }
    return host.Recorded(host.file_stem(variant), grid, values)
