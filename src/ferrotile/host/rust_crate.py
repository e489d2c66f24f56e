"""A plain Rust crate of kernels: a module and a safe function for each, machine code inside, tests and an example.

The checks are those of the C ABI: the same declaration, rendered by the same template, over the same runtime.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ferrotile.core import InputError
from ferrotile.host import crate_cases
from ferrotile.host.crate_cases import Recorded
from ferrotile.host.declaration import Argument, ArrayFacts, AxisFacts, ConstantFacts, Facts, Kernel, Passed, Variant
from ferrotile.host.grid_rules import (
    Ceiling,
    Extent,
    Formula,
    Given,
    GridRule,
    Least,
    Multiprocessors,
    NoRule,
    Number,
    Observed,
    Product,
)
from ferrotile.host.rust_names import is_optional, is_written, rust_parameter
from ferrotile.host.templating import render
from ferrotile.host.types import SPELLED
from ferrotile.host.unsafe_reasons import may_leave_arrays
from ferrotile.host.writing import (
    RUNTIME,
    copy_runtime,
    declaration_values,
    features,
    file_stem,
    render_rust,
    write,
    write_bytes,
    write_code,
)


@dataclass(frozen=True, slots=True)
class Crate:
    """What goes into a crate. `texts`: kernel.rs by `file_stem`; `rules` and `launches` by kernel."""

    kernels: tuple[Kernel, ...]
    texts: Mapping[str, str]
    rules: Mapping[str, GridRule | NoRule] = field(default_factory=dict)
    launches: Mapping[str, Sequence[Observed]] = field(default_factory=dict)
    recorded: Sequence[Recorded] = ()


def write_crate(crate: Crate, folder: Path, tree: Path, name: str) -> None:
    """Write the crate; files that would not change keep their time stamps.

    Raises: FT601 no kernel, or no name of a crate; FT606 no runtime; FT630 `unsafe` without a reason; FT004.
    """
    if not crate.kernels:
        raise InputError("FT601", "there is nothing to export")
    if re.fullmatch(r"[a-z][a-z0-9_-]*", name) is None:
        raise InputError("FT601", f"`{name}` is no name of a crate: small letters, digits, `-` and `_`")
    copy_runtime(tree / RUNTIME, folder / "launch")
    files = crate_cases.files(crate.recorded, crate.kernels)
    values = {"name": name, "crate": name.replace("-", "_"), "kernels": crate.kernels, "text": json.dumps,
              "targets": _targets, "cases": files.cases, **_of_all(crate)}  # fmt: skip
    write(folder / "Cargo.toml", render("crate.toml.j2", **values))
    write(folder / "README.md", render("crate_readme.md.j2", **values))
    write(folder / "src" / "lib.rs", render_rust("crate_lib.rs.j2", **values))
    for kernel in crate.kernels:
        _write_operator(crate, kernel, folder)
    tests = {"cases/mod.rs": "cases", "device/mod.rs": "device", "numbers/mod.rs": "numbers", "recorded.rs": "recorded"}
    for path, template in tests.items():
        write(folder / "tests" / path, render_rust(f"crate_{template}.rs.j2", **values))
    for path, data in files.data.items():
        write_bytes(folder / "tests" / "cases" / path, data)
    rows = crate_cases.grid_rows(crate.kernels, crate.rules, crate.launches)
    uses_mut = any(array["is_mut"] for _, launches in rows for row in launches for array in row["arrays"])
    total = sum(len(launches) for _, launches in rows)
    write(folder / "tests" / "grids.rs",
          render_rust("crate_grids.rs.j2", launches=rows, uses_mut=uses_mut, total=total, **values))  # fmt: skip
    write(folder / "examples" / "launch.rs", render_rust("crate_example.rs.j2", **values))


_RAW = "Indices and lengths in memory must lie inside the arrays: nothing proves that the kernel stays inside them"


def _of_all(crate: Crate) -> dict[str, Any]:
    """Features; rules, reasons for none, and reasons for `unsafe`, by kernel."""
    rules = {kernel.name: _rule(crate, kernel) for kernel in crate.kernels}
    whys = {name: rule.why for name, rule in rules.items() if isinstance(rule, NoRule)}
    return {
        "rules": {name: rule if isinstance(rule, GridRule) else None for name, rule in rules.items()},
        "whys": whys,
        "features": features(crate.kernels),
        "raws": {kernel.name: ", ".join(_raw(crate, kernel)) for kernel in crate.kernels},
    }


def _rule(crate: Crate, kernel: Kernel) -> GridRule | NoRule:
    return crate.rules.get(kernel.name, NoRule("no launch was recorded"))


def _raw(crate: Crate, kernel: Kernel) -> tuple[str, ...]:
    """For which reasons a call may touch memory beyond the arrays."""
    return tuple(dict.fromkeys(why for one in kernel.variants for why in may_leave_arrays(crate.texts[file_stem(one)])))


def _write_operator(crate: Crate, kernel: Kernel, folder: Path) -> None:
    for variant in kernel.variants:
        write(folder / "kernels" / f"{file_stem(variant)}.rs", crate.texts[file_stem(variant)])
    write_code(kernel, folder / "cubins" / kernel.name, folder / "programs" / kernel.name)
    rule, document = _rule(crate, kernel), _document(crate.texts[file_stem(kernel.variants[0])])
    raw = ", ".join(_raw(crate, kernel))
    values = {
        "rule": rule if isinstance(rule, GridRule) else None,
        "why": rule.why if isinstance(rule, NoRule) else "",
        "counts": isinstance(rule, GridRule) and any(map(_counts, rule.axes)),
        "raw": f"{_RAW} ({raw})." if raw else "",
        "document": document,
        "summary": next(iter(document), ""),
        "label_texts": lambda variant: f"{file_stem(variant)}.rs",
        "formula": lambda formula: _formula(formula, kernel),
        "needs": lambda variant: _needs(kernel, variant),
        **_spelled(kernel),
        "features": features(crate.kernels),
        **declaration_values(kernel, f"../{{}}/{kernel.name}"),
    }
    text = render_rust("crate_operator.rs.j2", kernel=kernel, **values)
    write(folder / "src" / f"{kernel.name}.rs", text)


def _spelled(kernel: Kernel) -> dict[str, list[str]]:
    """The arguments in each way in which the text needs them; `lent`: for `grid`, which changes nothing."""
    each = kernel.arguments
    return {
        "parameters": [_parameter(argument, kernel) for argument in each],
        "lent_parameters": [_lent_parameter(argument, kernel) for argument in each],
        "names": [rust_parameter(argument.name) for argument in each],
        "lent": [_lent(argument, kernel) for argument in each],
        "words": [_word(argument, kernel) for argument in each],
    }


def _document(rust: str) -> list[str]:
    """The documentation of the kernel, as its Rust text carries it from Python."""
    head = rust.partition("#[cutile::entry")[0]
    return [line.strip()[3:].strip() for line in head.splitlines() if line.strip().startswith("///")]


def _targets(kernel: Kernel) -> str:
    return ", ".join(dict.fromkeys(variant.runs_on for variant in kernel.variants))


def _counts(formula: Formula) -> bool:
    """Whether a formula asks for the number of multiprocessors."""
    match formula:
        case Multiprocessors():
            return True
        case Ceiling(left, right) | Least(left, right):
            return _counts(left) or _counts(right)
        case Product(factors):
            return any(map(_counts, factors))
    return False


def _formula(formula: Formula, kernel: Kernel) -> str:
    """A formula as Rust, of type i64."""
    match formula:
        case Number(value):
            return str(value)
        case Multiprocessors():
            return "multiprocessors"
        case Given(name):
            return _integer(next(argument for argument in kernel.arguments if argument.name == name))
        case Extent(name, axis):
            one = rust_parameter(name)
            argument = next(argument for argument in kernel.arguments if argument.name == name)
            return (
                f"{one}.map_or(1, |x| x.extent({axis}))" if is_optional(argument, kernel) else f"{one}.extent({axis})"
            )
        case Ceiling(number, divisor):
            return f"ceiling({_formula(number, kernel)}, {_formula(divisor, kernel)})"
        case Least(left, right):
            return f"{_formula(left, kernel)}.min({_formula(right, kernel)})"
        case Product((first, *rest)):
            factors = "".join(f".saturating_mul({_formula(factor, kernel)})" for factor in rest)
            return _receiver(first, kernel) + factors
    raise AssertionError(formula)


def _integer(argument: Argument) -> str:
    name = rust_parameter(argument.name)
    if argument.passed is Passed.I64:
        return name
    return f"{name} as i64" if argument.passed is Passed.U64 else f"i64::from({name})"


def _receiver(formula: Formula, kernel: Kernel) -> str:
    text = _formula(formula, kernel)
    return f"{text}_i64" if isinstance(formula, Number) else text


def _parameter(argument: Argument, kernel: Kernel) -> str:
    return f"{rust_parameter(argument.name)}: {_type(argument, kernel, is_lent=False)}"


def _lent_parameter(argument: Argument, kernel: Kernel) -> str:
    return f"{rust_parameter(argument.name)}: {_type(argument, kernel, is_lent=True)}"


def _type(argument: Argument, kernel: Kernel, *, is_lent: bool) -> str:
    match argument.passed:
        case Passed.TEXT:
            return "&CStr"
        case Passed.BOOL:
            return "bool"
        case Passed.TENSOR:
            written = is_written(argument, kernel)
            view = f"&{'mut ' if written and not is_lent else ''}{'ViewMut' if written else 'View'}"
            return f"Option<{view}>" if is_optional(argument, kernel) else view
    return SPELLED[argument.passed].rust


def _lent(argument: Argument, kernel: Kernel) -> str:
    """An argument of `launch`, lent to `grid`."""
    name = rust_parameter(argument.name)
    if argument.passed is Passed.TENSOR and is_written(argument, kernel):
        return f"{name}.as_deref()" if is_optional(argument, kernel) else f"&*{name}"
    return name


def _word(argument: Argument, kernel: Kernel) -> str:
    name = rust_parameter(argument.name)
    match argument.passed:
        case Passed.TENSOR:
            given = (
                f"{name}.as_ref().map(|x| x.tensor())" if is_optional(argument, kernel) else f"Some({name}.tensor())"
            )
            return f"word({given})"
        case Passed.TEXT:
            return f"{name}.as_ptr() as u64"
        case Passed.BOOL:
            return f"u64::from({name})"
    return SPELLED[argument.passed].word.format(name)


def _needs(kernel: Kernel, variant: Variant) -> list[str]:
    """What a specialization needs of each argument, as lines of documentation."""
    lines = [f"`{one.name}`: {told}" for one in kernel.arguments if (told := _need(variant.facts[one.name]))]
    return [*lines, *(f"the launch: {relation.text}" for relation in variant.relations)]


def _need(facts: Facts) -> str:
    match facts:
        case ConstantFacts(None):
            return "none"
        case ConstantFacts(value):
            return json.dumps(value)
        case ArrayFacts():
            axes = ", ".join(map(_axis, facts.axes))
            aligned = f", at a multiple of {facts.align} bytes" if facts.align > 1 else ""
            return f"{facts.dtype}, axes ({axes}){aligned}{', written' if facts.is_written else ''}"
    told = f", a multiple of {facts.divisor}" if facts.divisor > 1 else ""
    return f"{facts.type}{told}{', not negative' if facts.is_not_negative else ''}"


def _axis(axis: AxisFacts) -> str:
    extent = "any" if axis.extent_divisor == 1 else f"multiple of {axis.extent_divisor}"
    extent = extent if axis.extent is None else str(axis.extent)
    stride = f" by a multiple of {axis.stride_divisor}" if axis.stride_divisor > 1 else ""
    return extent + (stride if axis.stride is None else f" by {axis.stride}")
