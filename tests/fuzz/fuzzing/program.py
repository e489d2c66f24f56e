"""A generated kernel as two texts: the Python file, whose `LAUNCH` says how to run it, and the spec file beside it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzing.kinds import BOOL, BY_NAME, Array, Kind
from fuzzing.lanes import literal
from fuzzing.memory import Memory

KERNEL = "fuzzed"
VARIANTS = ("exact", "special")
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-7, 65504.0, 3e38)


@dataclass(frozen=True, slots=True)
class Program:
    """What is drawn, judged, saved and replayed. `text` is a Python file with the kernel `fuzzed`, `spec` is TOML."""

    text: str
    spec: str

    def launch(self) -> dict[str, Any]:
        """`LAUNCH` of the text: grid, arrays, scalars and constants by parameter name, seed."""
        for node in ast.parse(self.text).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LAUNCH":
                return ast.literal_eval(node.value)
        raise ValueError("the text has no LAUNCH")


@dataclass(frozen=True)
class Inputs:
    """The arguments of one launch: `arguments` for the interpreter in order, `plain` by name for `plain.run`."""

    arguments: list[Any]
    plain: dict[str, Any]

    def memories(self) -> list[Memory]:
        """The arrays of `plain`, in the order of the array arguments."""
        return [value for value in self.plain.values() if isinstance(value, Memory)]


def inputs(launch: dict[str, Any], variant: str) -> Inputs:
    """Arguments for a launch: small exact numbers, or special ones."""
    rng = np.random.default_rng([launch["seed"], VARIANTS.index(variant)])
    arguments: list[Any] = []
    plain: dict[str, Any] = {}
    for name, given in launch["parameters"].items():
        if isinstance(given, dict):
            data = _array(given, variant, rng)
            arguments.append(data)
            kind = BY_NAME[given["kind"]]
            index = BY_NAME[given.get("index", "int32")]
            plain[name] = Memory(kind, data.astype(kind.lanes), np.ones(data.shape, np.bool_), index)
        elif isinstance(given, tuple):
            kind, value = BY_NAME[given[0]], given[1]
            arguments.append(value)
            plain[name] = literal(value, kind)
        else:
            plain[name] = given
    return Inputs(arguments, plain)


def _array(given: dict[str, Any], variant: str, rng: np.random.Generator) -> Array:
    """An array in the layout that is asked for: row-major, or `column`: axes backwards in memory."""
    kind, shape = BY_NAME[given["kind"]], tuple(given["shape"])
    values = _values(kind, shape, given["holds"], variant, rng)
    with np.errstate(all="ignore"):
        data = np.asarray(values).astype(kind.storage)
    return np.asfortranarray(data) if given["layout"] == "column" else np.ascontiguousarray(data)


def _values(kind: Kind, shape: tuple[int, ...], holds: str, variant: str, rng: np.random.Generator) -> Array:
    if kind == BOOL:
        return rng.random(shape) < 0.5
    if holds == "places":
        return rng.integers(0 if not kind.signed else -2, 24, shape)
    if not kind.is_float:
        limits = np.iinfo(kind.storage)
        near = rng.integers(max(limits.min, -9), 10, shape)
        far = rng.integers(limits.min, limits.max, shape, dtype=kind.storage, endpoint=True)
        return np.where(rng.random(shape) < 0.6, near.astype(kind.storage), far)
    small = rng.integers(-8, 9, shape) * rng.choice([0.5, 1.0, 2.0])
    if variant == "exact":
        return small
    values = rng.standard_normal(shape) * rng.choice([1e-3, 1.0, 1e3])
    return np.where(rng.random(shape) < 1 / 8, rng.choice(np.array(SPECIAL), shape), values)
