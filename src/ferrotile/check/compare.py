"""Two programs in, one verdict out.

Equal roots of the two value graphs: EQUAL. Otherwise both are numbered again with memory order and load padding left
out. If the roots are equal then, these two are compared event by event: REFINES if the lowered side only adds. In
every other case DIFFERS, with the first place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ferrotile import ir
from ferrotile.check.difference import first_difference
from ferrotile.check.exits import settle_exits
from ferrotile.check.finding import Finding
from ferrotile.check.kernel import MAX_NESTING, Exhausted, Interner, Kernel
from ferrotile.check.launch import one_block, single_axes
from ferrotile.check.laws import LAWS
from ferrotile.check.liveness import mark_live
from ferrotile.check.numbering import Numbering
from ferrotile.check.refine import Refinement, refine
from ferrotile.check.taken import Sides, sides_taken, take
from ferrotile.check.verdict import Verdict
from ferrotile.core import InputError, ParameterMap, VerdictKind


def check(
    reference: bytes, lowered: bytes, parameters: ParameterMap | None, target: str, facts: Sequence[str] = ()
) -> Verdict:
    """Decide whether the lowered bytecode is the same program as the reference.

    `parameters` gives each entry parameter its role (by position without it); `target` resolves hint groups; `facts`
    may be assumed of a launch, such as `grid.y == 1`; if the answer needs them, they stand among its assumptions.
    Raises: FT2xx for bytecode that cannot be read or is malformed, FT501 for a map that does not fit, FT502 for
    a file with another number of kernels than one, FT503 for a fact of another kind.
    """
    single = single_axes(facts)
    if reference == lowered and (parameters is None or parameters.reference == parameters.lowered):
        return Verdict(VerdictKind.EQUAL, "bytes", "the two files are the same, byte for byte")
    modules = ir.decode(reference), ir.decode(lowered)
    for module in modules:
        ir.verify(module)
    verdict = compare(*modules, parameters, target)
    if verdict.holds or not single:
        return verdict
    assuming = compare(*modules, parameters, target, single)
    return assuming if assuming.holds else verdict


def compare(
    reference: ir.Module,
    lowered: ir.Module,
    parameters: ParameterMap | None,
    target: str,
    single: frozenset[int] = frozenset(),
) -> Verdict:
    """The graph step of `check`, on decoded modules that are well formed; `single`: axes of the grid with one block."""
    try:
        return _Comparison(reference, lowered, parameters, target, single).verdict()
    except Exhausted as reason:
        return Verdict(VerdictKind.UNPROVED, "graph", f"the comparison was given up: {reason}")
    except RecursionError:
        return Verdict(VerdictKind.UNPROVED, "graph", "the comparison was given up: operations are nested too deep")


@dataclass(frozen=True, slots=True)
class _Sides:
    """The value graphs of both sides, numbered with one interner."""

    reference: Numbering
    lowered: Numbering

    @property
    def equal(self) -> bool:
        return self.reference.root == self.lowered.root

    @property
    def shared(self) -> int:
        """How many numbers occur on both sides."""
        return len(set(self.reference.ids) & set(self.lowered.ids))


class _Comparison:
    def __init__(
        self,
        reference: ir.Module,
        lowered: ir.Module,
        parameters: ParameterMap | None,
        target: str,
        single: frozenset[int],
    ) -> None:
        self.symbols = Interner()
        self.single = single
        self.target = target
        self.modules = reference, lowered
        self.reference, self.lowered = self._kernels({}, {})
        self.roles = _roles(parameters, self.reference, self.lowered)

    def _kernels(self, *taken: Sides) -> tuple[Kernel, Kernel]:
        reference = self._kernel(self.modules[0], taken[0], "reference")
        return reference, self._kernel(self.modules[1], taken[1], "lowered program")

    def _kernel(self, module: ir.Module, taken: Sides, side: str) -> Kernel:
        entries = module.entries
        if len(entries) != 1:
            raise InputError("FT502", f"the {side} has {len(entries)} kernels, check compares one with one")
        kernel = Kernel(entries[0], self.symbols, self.target, _globals(module))
        take(kernel, taken)
        settle_exits(kernel)
        mark_live(kernel)
        return kernel

    def verdict(self) -> Verdict:
        if self._parameter_difference is not None:
            return self._verdict(VerdictKind.DIFFERS, self._parameter_difference)
        if self._taken().equal:
            return self._verdict(VerdictKind.EQUAL, "the value graphs are equal")
        sides = self._number(relaxed=True)
        if sides.equal:
            found = refine(sides.reference, sides.lowered)
            if isinstance(found, Refinement):
                sentence = "the lowered program does what the reference does, and " + " and ".join(found.kinds)
                return self._verdict(VerdictKind.REFINES, sentence, added=found.added)
            return self._verdict(VerdictKind.DIFFERS, found)
        other = self._number(relaxed=True, by_position=True)
        closest = max(sides, other, key=lambda pair: pair.shared)
        return self._verdict(VerdictKind.DIFFERS, first_difference(closest.reference, closest.lowered))

    @property
    def _parameter_difference(self) -> Finding | None:
        if self.roles is not None:
            return None
        counts = [len(side.body.arguments) for side in (self.reference, self.lowered)]
        sentence = "without a parameter map, the reference takes {} parameters and the lowered program {}".format(
            *counts
        )
        return Finding(-1, "entry", sentence, ir.place(self.reference.entry), ir.place(self.lowered.entry))

    def _taken(self) -> _Sides:
        """The value graphs; if they are not equal at once, with branches on constants as the block taken."""
        taken: list[dict[int, int]] = [{}, {}]
        for _ in range(MAX_NESTING):
            sides = self._number(relaxed=False)
            more = [sides_taken(graph) for graph in (sides.reference, sides.lowered)]
            if sides.equal or not any(more):
                return sides
            taken = [known | found for known, found in zip(taken, more, strict=True)]
            laws = self.reference.laws, self.lowered.laws
            self.reference, self.lowered = self._kernels(*taken)
            # Which block runs was found out by the laws of the graphs before.
            self.reference.laws |= laws[0]
            self.lowered.laws |= laws[1]
        raise Exhausted(f"more than {MAX_NESTING} rounds of branches on constants")

    def _number(self, *, relaxed: bool, by_position: bool = False) -> _Sides:
        assert self.roles is not None
        dropped = (frozenset[int](), frozenset[int]())
        while True:
            interner = Interner()
            graphs = [
                Numbering(
                    kernel,
                    interner,
                    roles,
                    relaxed=relaxed,
                    by_position=by_position,
                    dropped=known,
                    single=self.single,
                )
                for kernel, roles, known in zip((self.reference, self.lowered), self.roles, dropped, strict=True)
            ]
            sides = _Sides(*graphs)
            if sides.equal:
                return sides
            # How carried values are told apart may hang on others that turn out to be read by nothing.
            unread = (sides.reference.unread(), sides.lowered.unread())
            if unread == dropped:
                return sides
            dropped = unread

    def _verdict(self, kind: VerdictKind, found: Finding | str, added: tuple[str, ...] = ()) -> Verdict:
        used = self.reference.laws | self.lowered.laws
        assert used <= set(LAWS), f"laws without a row: {used - set(LAWS)}"
        laws = tuple(name for name in LAWS if name in used)
        assumed = (*_shared_roles(self.roles), *map(one_block, sorted(self.single)))
        if isinstance(found, str):
            return Verdict(kind, "graph", found, laws=laws, assumptions=assumed, added=added)
        places = found.reference_place, found.lowered_place
        return Verdict(kind, "graph", found.sentence, found.kind, *places, laws=laws, assumptions=assumed)


Roles = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]


def _roles(parameters: ParameterMap | None, reference: Kernel, lowered: Kernel) -> Roles | None:
    """The roles of both sides' entry parameters; `None` if there is no map and the numbers of parameters differ."""
    counts = len(reference.body.arguments), len(lowered.body.arguments)
    if parameters is None:
        if counts[0] != counts[1]:
            return None
        parameters = ParameterMap.by_position(counts[0])
    sides = parameters.reference, parameters.lowered
    for roles, count, side in zip(sides, counts, ("reference", "lowered program"), strict=True):
        if len(roles) != count:
            raise InputError("FT501", f"the parameter map names {len(roles)} parameters of the {side}, it has {count}")
    twice = [role for role, times in Counter(parameters.reference).items() if times > 1]
    if twice:
        raise InputError("FT501", f"two parameters of the reference have the role `{twice[0]}`")
    return sides


def _shared_roles(roles: Roles | None) -> tuple[str, ...]:
    """What a launch must keep to: lowered parameters with one role are given one value."""
    times = Counter(roles[1]) if roles is not None else Counter[Hashable]()
    return tuple(f"all lowered parameters for {role} are given the same value" for role, n in times.items() if n > 1)


def _globals(module: ir.Module) -> dict[str, Hashable]:
    """What each global holds; two alike are told apart by their order."""
    seen: Counter[Hashable] = Counter()
    found: dict[str, Hashable] = {}
    for op in module.globals:
        columns = [item.name for item in ir.row(op).attributes if item.name not in ("sym_name", "symbol_visibility")]
        content = ("global", *(_content(ir.attribute(op, name)) for name in columns))
        found[ir.attribute(op, "sym_name")] = (*content, seen[content])
        seen[content] += 1
    return found


def _content(value: object) -> Hashable:
    return value if isinstance(value, Hashable) else str(value)
