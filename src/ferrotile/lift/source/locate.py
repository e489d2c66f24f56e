"""Tie each operation to the Python syntax at its place, and judge whether a file still is what was compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.core import Place
from ferrotile.lift.source.files import SourceFinder
from ferrotile.lift.source.fit import FileFit, fits
from ferrotile.lift.source.syntax import Spot, Syntax


@dataclass(frozen=True, slots=True)
class SourceReport:
    """Which source files gave names and comments, and which did not, with the reason."""

    used: tuple[str, ...] = ()
    rejected: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    operations: int = 0
    located: int = 0

    def sentences(self) -> tuple[str, ...]:
        """What the output says about sources, one sentence a file that is not used."""
        missing = (f"no source found for `{file}`; map it with `--source-map FROM=TO`" for file in self.missing)
        rejected = (f"source `{file}` is not used: {reason}" for file, reason in self.rejected.items())
        return (*missing, *rejected)


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A place in the user's code, and the nodes that start there, outermost first."""

    place: Place
    syntax: Syntax
    spots: tuple[Spot, ...]

    @property
    def expression(self) -> Spot | None:
        """The outermost expression that starts here and computes something: of a bare tuple its first element."""
        return next((spot for spot in self.spots if spot.is_expression), None)

    @property
    def statement(self) -> Spot | None:
        """The outermost statement that starts here."""
        return next((spot for spot in self.spots if isinstance(spot.node, ast.stmt)), None)


@dataclass(slots=True)
class Sites:
    """The sites of one entry, by operation and by place; empty where no source is used."""

    of_op: dict[Operation, Site] = field(default_factory=dict)
    groups: dict[Place, list[Operation]] = field(default_factory=dict)
    by_place: dict[Place, Site] = field(default_factory=dict)
    report: SourceReport = field(default_factory=SourceReport)

    def at(self, place: Place | None) -> Site | None:
        """The site of a place that some operation, or an inlined call, has."""
        return None if place is None else self.by_place.get(place)


def is_library(file: str) -> bool:
    """A file of cuda.tile itself: what it inlines belongs to the expression that called it."""
    return "/cuda/tile/" in file.replace("\\", "/")


def locate(operations: Iterable[Operation], finder: SourceFinder | None) -> Sites:
    """Sites of operations. A file in which too many operations do not fit is not used at all."""
    finder = finder or SourceFinder()
    search = _Search(finder)
    placed = [(op, search.outside_library(place)) for op in operations if (place := ir.place(op)) is not None]
    for op, place in placed:
        search.judge(op, place)
    sites = Sites()
    for op, place in placed:
        site = search.site(place)
        if site is not None:
            sites.of_op[op] = site
            sites.groups.setdefault(site.place, []).append(op)
    sites.by_place = {place: site for place, site in search.sites.items() if site is not None}
    sites.report = search.report(len(placed), len(sites.of_op))
    return sites


class _Search:
    """Looks places up once each and counts, per file, the operations that fit."""

    def __init__(self, finder: SourceFinder) -> None:
        self.finder = finder
        self.fit: dict[str, FileFit] = {}
        self.spots: dict[tuple[str, int, int], tuple[Spot, ...]] = {}
        self.sites: dict[Place, Site | None] = {}
        self.files: dict[str, None] = {}

    def outside_library(self, place: Place) -> Place:
        """The innermost place of the chain that is in the user's code."""
        here = place
        while is_library(here.file) and here.caller is not None:
            here = here.caller
        return here

    def judge(self, op: Operation, place: Place) -> None:
        """Count whether the operation fits what stands at its place."""
        self.files[place.file] = None
        syntax = self.finder.find(place.file)
        if syntax is None:
            return
        spots = self.spots_at(place, syntax)
        mnemonic = op.name.rpartition(".")[2]
        fitting = in_function(place, spots) and fits(mnemonic, spots, syntax)
        counted = self.fit.setdefault(place.file, FileFit())
        counted.count(mnemonic, fitting, f"line {place.line}, column {place.column}")

    def spots_at(self, place: Place, syntax: Syntax) -> tuple[Spot, ...]:
        key = (place.file, place.line, place.column)
        if key not in self.spots:
            self.spots[key] = syntax.spots(place.line, place.column)
        return self.spots[key]

    def site(self, place: Place) -> Site | None:
        """The site of the first place of the chain whose file is used; sites of its callers are made too."""
        if place in self.sites:
            return self.sites[place]
        caller = self.site(place.caller) if place.caller is not None else None
        self.sites[place] = None
        syntax = self.finder.find(place.file) if self.is_used(place.file) else None
        if syntax is not None and (spots := self.spots_at(place, syntax)):
            self.sites[place] = Site(place, syntax, spots)
        elif not self.is_used(place.file):
            self.sites[place] = caller
        return self.sites[place]

    def is_used(self, file: str) -> bool:
        if is_library(file) or self.finder.find(file) is None:
            return False
        return file not in self.fit or self.fit[file].is_acceptable

    def report(self, operations: int, located: int) -> SourceReport:
        missing = [file for file in self.files if self.finder.find(file) is None]
        rejected = [file for file, fit in self.fit.items() if not fit.is_acceptable]
        return SourceReport(
            used=tuple(file for file in self.fit if file not in rejected),
            rejected={file: _reason(self.fit[file]) for file in rejected}
            | {file: why for file in missing if (why := self.finder.why_not(file)) != "not found"},
            missing=tuple(file for file in missing if self.finder.why_not(file) == "not found"),
            operations=operations,
            located=located,
        )


def in_function(place: Place, spots: tuple[Spot, ...]) -> bool:
    """Whether the place's function name is that of a function around the nodes (lambdas have none)."""
    if not place.function or not spots:
        return bool(spots)
    around = (spots[0], *spots[0].ancestors())
    names = {getattr(spot.node, "name", "<lambda>") for spot in around if spot.function is spot.node}
    return "<lambda>" in names or place.function.rpartition(".")[2] in names


def _reason(fit: FileFit) -> str:
    first = f"first `{fit.first_misfit}`"
    return f"it changed since it was compiled ({fit.misfits} of {fit.located} operations do not fit, {first})"
