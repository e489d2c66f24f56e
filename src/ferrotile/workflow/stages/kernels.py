"""What the variants of each kernel come to: constants, guards, and the rule for the grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ferrotile import capture, host, ir, lift
from ferrotile.lift.source import ConstantParameter, ParameterName, annotate
from ferrotile.workflow.grids import launches_of
from ferrotile.workflow.run.artifacts import Variant
from ferrotile.workflow.run.records import GridFormula, KernelFacts


def kernels_of(
    variants: Iterable[Variant],
    programs: Mapping[str, bytes],
    index: capture.Index | None,
    finder: lift.SourceFinder,
) -> tuple[KernelFacts, ...]:
    """The kernels in the order of their first variants. `programs`: bytecode by variant. Raises: FT2xx."""
    by_name: dict[str, list[Variant]] = {}
    for variant in variants:
        by_name.setdefault(variant.kernel, []).append(variant)
    return tuple(_kernel(name, found, programs, index, finder) for name, found in by_name.items())


def _kernel(
    name: str, variants: list[Variant], programs: Mapping[str, bytes], index: capture.Index | None,
    finder: lift.SourceFinder,
) -> KernelFacts:  # fmt: skip
    parameters = {one.name: annotate(ir.decode(programs[one.name]).entries[0], finder).parameters for one in variants}
    values: dict[str, dict[str, None]] = {}
    for found in parameters.values():
        for constant, value in _constants(found):
            values.setdefault(constant, {})[value] = None
    rule = _rule(name, [one.rust for one in parameters[variants[0].name]], index)
    return KernelFacts(
        name=name,
        variants=tuple(one.name for one in variants),
        constants={constant: tuple(seen) for constant, seen in values.items()},
        guards={one: " and ".join(f"{k} == {v}" for k, v in _constants(found)) for one, found in parameters.items()},
        dtypes=tuple(dict.fromkeys(dtype for one in variants for dtype in one.dtypes)),
        grid=_formula(rule) if isinstance(rule, host.GridRule) else None,
        why_no_grid=rule.why if isinstance(rule, host.NoRule) else None,
    )


def _constants(parameters: Iterable[ParameterName]) -> list[tuple[str, str]]:
    return [(one.rust, repr(one.symbol.value)) for one in parameters if isinstance(one.symbol, ConstantParameter)]


def _rule(kernel: str, names: list[str], index: capture.Index | None) -> host.GridRule | host.NoRule:
    return host.fit([] if index is None else launches_of(index, kernel, names))


def _formula(rule: host.GridRule) -> GridFormula:
    x, y, z = map(str, rule.axes)
    equal = tuple((str(left), str(right)) for left, right in rule.equal)
    return GridFormula(axes=(x, y, z), equal=equal, launches=rule.launches)
