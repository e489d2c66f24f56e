"""Lift one module: parameters, body, header, and the record that goes with the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from ferrotile.core import Level, ParameterMap, tools
from ferrotile.core.errors import InputError, Unsupported
from ferrotile.core.rust_source import RustSource, TensorSpec
from ferrotile.core.style import Style
from ferrotile.ir import Module, attribute, place
from ferrotile.lift import branches, elements, leaves, loops, messages, shapes, tiles, tokens, views  # noqa: F401
from ferrotile.lift import folds as reductions
from ferrotile.lift.emit import LONGEST_FOLD, Writer
from ferrotile.lift.holes import Hole, HoleWriter
from ferrotile.lift.inferred import without_types
from ferrotile.lift.parameters import (
    Facts,
    Parameter,
    Scalar,
    Tensor,
    facts_of,
    parameter_map,
    parameters_of,
    parts_of,
    require_types,
)
from ferrotile.lift.raising import raised
from ferrotile.lift.rust import Form
from ferrotile.lift.shortened import shortened
from ferrotile.lift.source import Annotations, ArrayParameter, SourceFinder, annotate, function_name, marked

MANY_ARGUMENTS = 7
"""How many arguments a function may have before clippy complains."""
HINTS = ("num_cta_in_cga", "occupancy", "num_worker_warps_per_cta")


@dataclass(frozen=True, slots=True)
class RustKernel:
    """A lifted kernel: its text, what to lower it with, and how its parameters map to the reference's.

    `names_from` is `source` or `ir`; `notes` say what of the source was not used. `typed` is the text as it is before
    layout, with the types that readers and compilers can infer, and `@NAME` behind numbers of `Constant` parameters.
    `names` are the variables of the source.
    """

    source: RustSource
    parameters: ParameterMap
    unsafe_count: int
    names_from: str
    notes: tuple[str, ...]
    line_count: int
    typed: str = ""
    holes: tuple[Hole, ...] = ()
    names: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The whole of kernel.rs."""
        return self.source.text


def lift(
    module: Module,
    sources: SourceFinder | None = None,
    *,
    target: str = "sm_90",
    style: Style = Style.FLUENT,
    level: Level = Level.FAITHFUL,
    holes: bool = False,
    folds: bool = True,
) -> RustKernel:
    """Write a module's kernel as Rust.

    `target` chooses among hints by architecture; `style` says how closely the text keeps to the reference's
    operations. `level` SAFE: arrays are borrowed mutably and stores need no `unsafe`, if that can be said of all of
    them; whether it is right is for check to prove. `holes`: what is refused and may be a function is left to be filled
    in. Without `folds` every value that computes has a statement of its own, by which texts are easier to merge.

    Raises: FT3xx where an operation has no exact Rust form; FT206 when the module has not exactly one kernel.
    """
    if len(module.entries) != 1:
        raise InputError("FT206", f"the module has {len(module.entries)} kernels, lift takes one")
    entry = module.entries[0]
    annotations = annotate(entry, sources)
    parameters = _parameters(entry, annotations, is_safe=level is Level.SAFE and not style.is_literal)
    parts = parts_of(parameters, len(entry.regions[0].block.args))
    name = function_name(annotations.kernel)
    reserved = {name, *(parameter.name for parameter in parameters)}
    writer = (HoleWriter if holes else Writer)(entry, annotations, parts, reserved, style=style)
    writer.shadowed = reductions.shadows(entry)
    writer.longest_fold = LONGEST_FOLD if folds else 0
    leaves.bind_parameters(writer, entry.regions[0].block.args, parts)
    writer.body(entry.regions[0].block)
    require_types(entry)
    hints, own = entry_hints(entry, target), " ".join(writer.functions.values())
    start = [] if writer.start_token is None else [f"let {writer.start_token}: Token = new_token_unordered();"]
    body = [*start, *writer.block.items]
    typed = _assemble(name, parameters, hints, writer, map(marked, body))
    names = _names_of(annotations, entry, parameters)
    declared = ", ".join(map(_declaration, parameters))
    short = list(map(without_types, body)) if style.is_literal else shortened(body, names, declared, own=own)
    text = tools.format_rust(_assemble(name, parameters, hints, writer, short))
    source = _source(text, name, parameters, facts_of(entry), entry)
    lines = sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))
    notes = annotations.report.sentences()
    made = writer.holes if isinstance(writer, HoleWriter) else ()
    facts = (writer.unsafe_count, annotations.names_from, notes, lines)
    return RustKernel(source, parameter_map(parts), *facts, typed=typed, holes=made, names=names)


def _parameters(entry: Operation, annotations: Annotations, *, is_safe: bool) -> tuple[Parameter, ...]:
    parameters = parameters_of(entry, annotations.parameters)
    if not is_safe or any(_may_overlap(parameter.symbol) for parameter in annotations.parameters):
        return parameters
    return raised(entry, parameters, parts_of(parameters, len(entry.regions[0].block.args)))


def _may_overlap(symbol: object) -> bool:
    """Whether a parameter is an array that shares elements with another, or has one at two places: tiles that are
    apart by their indices may be the same memory then.
    """
    return isinstance(symbol, ArrayParameter) and (bool(symbol.alias_groups) or symbol.overlaps_itself)


def entry_hints(entry: Operation, target: str) -> dict[str, int]:
    """The entry's hints for a target: its own where it has one, else those for any.

    Raises: FT302 for a hint that cutile does not know.
    """
    groups = {arch: dict(entries) for arch, entries in attribute(entry, "optimization_hints") or ()}
    hints = {**groups.get("default", {}), **groups.get(target, {})}
    unknown = set(hints) - set(HINTS)
    if unknown:
        raise Unsupported("FT302", f"the kernel hint `{sorted(unknown)[0]}` has no Rust form", at=place(entry))
    return {key: value for key, value in hints.items() if isinstance(value, int)}


def _names_of(annotations: Annotations, entry: Operation, parameters: Sequence[Parameter]) -> frozenset[str]:
    """The variables that the source names; the parts of an array parameter have names of ours."""
    parts = {annotations.names.get(part) for part in entry.regions[0].block.args}
    named = {name for name in annotations.names.values() if name not in parts}
    return frozenset(named | {parameter.name for parameter in parameters})


def _assemble(
    name: str, parameters: Sequence[Parameter], hints: dict[str, int], writer: Writer, body: Iterable[str]
) -> str:
    annotations = writer.annotations
    lines = [f"// {line}".rstrip() for line in annotations.header]
    lines += [
        "#[cutile::module]",
        f"pub mod {name} {{",
        *(f"use {path};" for path in sorted(writer.imports)),
        "",
        *(f"{function}\n" for function in writer.functions.values()),
    ]
    lines += [f"/// {line}".rstrip() for line in (annotations.docstring or "").splitlines()]
    groups = "".join(f"{key} = {value}," for key, value in hints.items())
    lines.append(f"#[cutile::entry(optimization_hints = (default = ({groups}),))]" if hints else "#[cutile::entry()]")
    body = list(body)
    allowed = _allowed(parameters, body)
    lines += [f"#[allow({', '.join(allowed)})]"] if allowed else []
    arguments = ", ".join(_declaration(parameter) for parameter in parameters)
    is_safe = not writer.unsafe_count and any(isinstance(one, Tensor) and one.is_lent for one in parameters)
    lines += [f"pub {'' if is_safe else 'unsafe '}fn {name}({arguments}) {{", *body, "}", "}", ""]
    return "\n".join(lines)


def _allowed(parameters: Sequence[Parameter], body: Sequence[str]) -> list[str]:
    """Lints that an entry breaks: a parameter that the Python kernel does not use stays, for the launch gives it."""
    words = {word for line in body if not line.startswith("//") for word in re.findall(r"\w+", line)}
    unused = [] if all(parameter.name in words for parameter in parameters) else ["unused_variables"]
    return [*unused, *(["clippy::too_many_arguments"] if len(parameters) > MANY_ARGUMENTS else [])]


def _declaration(parameter: Parameter) -> str:
    if isinstance(parameter, Tensor):
        return f"{parameter.name}: &{'mut ' if parameter.is_lent else ''}{parameter.type}"
    if parameter.type.form is Form.POINTERS:
        return f"{parameter.name}: *mut {parameter.type.element}"
    return f"{parameter.name}: {parameter.type}"


def _source(text: str, name: str, parameters: Sequence[Parameter], facts: dict, entry: Operation) -> RustSource:
    arguments = entry.regions[0].block.args
    tensors = [p for p in parameters if isinstance(p, Tensor)]
    specs = tuple(
        (t.name, _spec(t, [facts.get(arguments[i], Facts()) for i in range(t.first, t.first + 1 + 2 * t.rank)]))
        for t in tensors
    )
    strides = tuple((t.name, tuple(-1 if s is None else s for s in t.strides)) for t in tensors)
    scalars = tuple(
        (p.name, facts[arguments[p.first]].divisor)
        for p in parameters
        if isinstance(p, Scalar) and facts.get(arguments[p.first], Facts()).divisor > 1
    )
    return RustSource(text, "kernel.rs", name, name, (), strides, specs, scalars)


def _spec(tensor: Tensor, facts: Sequence[Facts]) -> TensorSpec:
    """Divisibility of a parameter.

    cutile 0.5.0 looks a dynamic axis' fact up by its position among the dynamic axes, so they are listed that way.
    """
    rank = tensor.rank
    shape = [facts[1 + axis].divisor for axis in range(rank) if tensor.shape[axis] is None]
    steps = [facts[1 + rank + axis].divisor for axis in range(rank) if tensor.strides[axis] is None]
    pad = lambda known: tuple(known + [1] * (rank - len(known)))  # noqa: E731
    one = tuple(stride == 1 for stride in tensor.strides)
    return TensorSpec(pad(shape), pad(steps), one, facts[0].divisor)
