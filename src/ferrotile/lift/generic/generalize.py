"""Several lifted kernels of one Python kernel as one generic text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ferrotile.core import tools
from ferrotile.core.rust_source import RustSource
from ferrotile.ir import Module
from ferrotile.lift.generic.arrange import arrange
from ferrotile.lift.generic.bind import CannotUnify, Merged, add_conversions, define_all
from ferrotile.lift.generic.merge import Node, merge, nodes_of, walk
from ferrotile.lift.generic.tokens import Kind, Token, value_of
from ferrotile.lift.generic.tree import Kernel, NotUnderstood, parse
from ferrotile.lift.generic.values import Generic, Generics, with_named_floats
from ferrotile.lift.generic.write import Writer, collect, written
from ferrotile.lift.kernel import MANY_ARGUMENTS
from ferrotile.lift.shortened import shortened
from ferrotile.lift.source import SourceFinder, annotate
from ferrotile.lift.source.symbol import ConstantParameter


@dataclass(frozen=True, slots=True)
class Specimen:
    """One specialization: its text, and the values of the Python kernel's `Constant` parameters by Rust name.

    `names` are the variables of its source.
    """

    source: RustSource
    constants: Mapping[str, object]
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Unified:
    """One generic kernel. `members`: which specimens it stands for; `sources`: what to lower for each of them."""

    text: str
    members: tuple[int, ...]
    generics: tuple[Generic, ...]
    sources: tuple[RustSource, ...]


def unify(specimens: Sequence[Specimen], members: Sequence[int], *, gathers: bool = False) -> Unified | None:
    """One generic kernel for these specimens; None where they have no common text.

    `gathers`: what reads extents stands in the branch that needs it, which is not always possible. Nothing is judged
    here: whether the text is each of the kernels must be shown by lowering it.
    """
    chosen = [specimens[member] for member in members]
    for exact in (False, True) if chosen else ():
        with suppress(NotUnderstood, CannotUnify, RecursionError):
            kernels = [parse(specimen.source.text, exact=exact) for specimen in chosen]
            return _unified(chosen, kernels, tuple(members), gathers=gathers)
    return None


def shapes(specimens: Sequence[Specimen]) -> list[list[int]]:
    """The specimens by structure, the largest group first: those whose texts differ in numbers and types only."""
    groups: dict[object, list[int]] = {}
    for index, specimen in enumerate(specimens):
        try:
            key: object = _shape(parse(specimen.source.text))
        except NotUnderstood:
            key = index
        groups.setdefault(key, []).append(index)
    return sorted(groups.values(), key=len, reverse=True)


def _shape(kernel: Kernel) -> object:
    return _key(kernel.parameters), _structure(nodes_of(kernel.body, 0)), tuple(_items(kernel))


def constants_of(module: Module, finder: SourceFinder | None = None) -> dict[str, object]:
    """The values of a kernel's Python `Constant` parameters, by their Rust names."""
    parameters = annotate(module.entries[0], finder).parameters
    return {p.rust: p.symbol.value for p in parameters if isinstance(p.symbol, ConstantParameter)}


def facts(specimens: Sequence[Specimen]) -> dict[str, tuple[object, ...]]:
    """What tells specializations apart: constants, then ranks, element types and known extents of the parameters.

    An extent that is known only at launch is -1; what a specialization does not have is None.
    """
    found: dict[str, list[object]] = {}
    for index, specimen in enumerate(specimens):
        own = dict(specimen.constants)
        with suppress(NotUnderstood):
            own |= _parameter_facts(parse(specimen.source.text).parameters)
        for name, value in own.items():
            found.setdefault(name, [None] * len(specimens))[index] = value
    order = sorted(found, key=lambda name: _plainness(name, found[name]))
    return {name: tuple(found[name]) for name in order}


def _plainness(name: str, column: Sequence[object]) -> int:
    """Flags first, then ranks, element types, numbers, and extents: the order in which a reader would ask."""
    if all(isinstance(value, bool) for value in column):
        return 0
    return next((1 + k for k, kind in enumerate(("rank(", "dtype(")) if name.startswith(kind)), 4 if "(" in name else 3)


def _parameter_facts(tokens: list[Token]) -> dict[str, object]:
    known: dict[str, object] = {}
    name, axis = "", 0
    for token in tokens:
        if token.kind is Kind.DEFINITION:
            name, axis = token.text, 0
        elif token.kind is Kind.ELEMENT:
            known[f"dtype({name})"] = token.text
        elif token.kind is Kind.INTEGER:
            known[f"extent({name}, {axis})"] = value_of(token.text)
            axis += 1
            known[f"rank({name})"] = axis
    return known


def _key(tokens: list[Token]) -> tuple[str, ...]:
    return tuple(token.text if token.kind is Kind.DEFINITION else token.key for token in tokens)


def _structure(nodes: list[Node]) -> tuple[object, ...]:
    """Everything but numbers, element types and names: words, which variable is read where, and what is converted."""
    return tuple(
        (
            bool(node.converts),
            tuple(
                _structure(piece)
                if isinstance(piece, list)
                else tuple((token.key, token.target if token.kind is Kind.USE else None) for token in piece[0])
                for piece in node.pieces
            ),
        )
        for node in nodes
    )


def _unified(
    chosen: list[Specimen], kernels: list[Kernel], members: tuple[int, ...], *, gathers: bool = False
) -> Unified:
    merged = _merged(kernels, gathers)
    generics = Generics(len(chosen), _columns(chosen), {t.text for n in walk(merged.body) for t in n.sample})
    declared = _parameters(merged, generics)
    collect(merged, generics)
    lines = Writer(merged, generics, facts(chosen)).body()
    used = set(re.findall(r"\w+", " ".join([declared, *lines])))
    made = [generic for generic in generics.made if generic.name in used]
    if all(generic.kind in ("element", "const") for generic in made):
        made += [generics.constant(name) for name in generics.differing() if name not in used]
    made = _in_order(made, generics)
    items = [f"const {name}: i32 = {value};" for name, value in generics.items.items() if name in used]
    lines, floats = with_named_floats(lines, generics.constants)
    items += floats
    names = frozenset[str]().union(*(specimen.names for specimen in chosen))
    lines = shortened(lines, names, declared, own=" ".join(kernels[0].before))
    text = tools.format_rust(_assembled(kernels, made, items, declared, lines))
    sources = tuple(
        _source(specimen, kernel, text, tuple(g.argument(i) for g in made), _shared_hints(kernels))
        for i, (specimen, kernel) in enumerate(zip(chosen, kernels, strict=True))
    )
    return Unified(text, members, tuple(made), sources)


def _merged(kernels: list[Kernel], gathers: bool) -> Merged:
    """The kernels laid over one another, one of each structure. Raises: CannotUnify."""
    if len({_key(kernel.parameters) for kernel in kernels}) > 1:
        raise CannotUnify("the kernels take other parameters")
    if len({tuple(_items(kernel)) for kernel in kernels}) > 1:
        raise CannotUnify("the kernels have other functions beside them")
    groups: dict[object, list[int]] = {}
    for index, kernel in enumerate(kernels):
        groups.setdefault(_shape(kernel), []).append(index)
    firsts = [kernels[group[0]] for group in groups.values()]
    body = nodes_of(firsts[0].body, 0)
    for number, kernel in enumerate(firsts[1:], start=1):
        body = merge(body, nodes_of(kernel.body, number))
    parameters = {number: kernel.parameters for number, kernel in enumerate(firsts)}
    merged = Merged(frozenset(parameters), parameters, body, groups=list(groups.values()), kernels=kernels)
    merged.gathers = gathers
    define_all(merged)
    add_conversions(merged)
    arrange(merged)
    return merged


def _items(kernel: Kernel) -> list[str]:
    """What stands before the entry, without imports and comments."""
    lines = [line.strip() for line in kernel.before]
    return [line for line in lines if line and not line.startswith(("use ", "//"))]


def _columns(chosen: list[Specimen]) -> dict[str, tuple[object, ...]]:
    """The constants that all have, a value for each."""
    names = [name for name in chosen[0].constants if all(name in specimen.constants for specimen in chosen)]
    return {name: tuple(specimen.constants[name] for specimen in chosen) for name in names}


def _parameters(merged: Merged, generics: Generics) -> str:
    """The entry's parameters; their element types and known extents give the first generics."""
    sample = merged.parameters[0]
    elements = [i for i, token in enumerate(sample) if token.kind is Kind.ELEMENT]
    columns = {i: merged.texts(merged.parameters, i) for i in elements}
    varying = {tuple(column.values()) for column in columns.values() if len(set(column.values())) > 1}
    words: list[str] = []
    name, axis = "", 0
    for index, token in enumerate(sample):
        if token.kind is Kind.DEFINITION:
            name, axis = token.text, 0
        if token.kind is Kind.ELEMENT:
            generics.element(columns[index], "Element" if len(varying) == 1 else f"Element{_camel(name)}")
        if token.kind is Kind.INTEGER:
            values = {k: value_of(text) for k, text in merged.texts(merged.parameters, index).items()}
            generics.number(values, f"{name.upper()}_EXTENT{axis}", "extent")
            axis += 1
        is_free = token.kind in (Kind.ELEMENT, Kind.INTEGER)
        words.append(written(merged, generics, merged.parameters, index) if is_free else token.text)
    return " ".join(words)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _in_order(made: list[Generic], generics: Generics) -> list[Generic]:
    """Element types, then constants as Python lists them, then the rest as they came."""
    names = list(generics.constants)
    kinds = ("element", "const", "derived", "extent", "given")
    return sorted(made, key=lambda g: (kinds.index(g.kind), names.index(g.name) if g.kind == "const" else 0))


def _shared_hints(kernels: list[Kernel]) -> str | None:
    """The hints of the entry where all have the same; else None, and each brings its own."""
    hints = {kernel.hints for kernel in kernels}
    return hints.pop() if len(hints) == 1 else None


def _assembled(kernels: list[Kernel], made: list[Generic], items: list[str], parameters: str, lines: list[str]) -> str:
    first = kernels[0]
    imports = sorted({line for kernel in kernels for line in kernel.before if line.strip().startswith("use ")})
    before = [line for line in first.before if not line.strip().startswith("use ")]
    while before and not before[-1].strip():
        before.pop()
    angle = f"<{', '.join(generic.declaration for generic in made)}>" if made else ""
    words = {word for line in lines if not line.startswith("//") for word in re.findall(r"\w+", line)}
    names = [token.text for token in first.parameters if token.kind is Kind.DEFINITION]
    allowed = [] if all(name in words for name in names) and not has_unused(lines) else ["unused_variables"]
    allowed += ["clippy::too_many_arguments"] if len(names) > MANY_ARGUMENTS else []
    return "\n".join(
        [
            *before,
            *imports,
            "",
            *items,
            *([""] if items else []),
            *first.documentation,
            f"#[cutile::entry({_shared_hints(kernels) or ''})]",
            *([f"#[allow({', '.join(allowed)})]"] if allowed else []),
            f"pub unsafe fn {first.name}{angle}({parameters}) {{",
            *lines,
            "}",
            "}",
            "",
        ]
    )


_LET = re.compile(r"let (?:mut )?(\w+)\b")


def has_unused(lines: Sequence[str]) -> bool:
    """Whether a variable is declared that no line behind it names before it is declared again."""
    for number, line in enumerate(lines):
        found = _LET.match(line.lstrip())
        if found is None or found[1].startswith("_") or line.endswith("{"):
            continue
        name = re.compile(rf"\b{found[1]}\b")
        again = re.compile(rf"let (?:mut )?{found[1]}\b")
        for other in lines[number + 1 :]:
            if other.startswith("//"):
                continue
            if name.search(again.sub("", other)) is not None:
                break
            if again.match(other.lstrip()) is not None:
                return True
        else:
            return True
    return False


_HINT = re.compile(r"(\w+)\s*=\s*(\d+)")


def _source(
    specimen: Specimen, kernel: Kernel, text: str, arguments: tuple[str, ...], shared: str | None
) -> RustSource:
    """What to lower for one member: the common text with its own arguments, and its hints if they are its own."""
    hints = {} if shared is not None else {name: int(value) for name, value in _HINT.findall(kernel.hints)}
    return replace(specimen.source, text=text, generics=arguments, **hints)
