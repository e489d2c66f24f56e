"""Tile IR: the operation table, types, module, codec, verifier and generic text.

Non-goals: no optimisation, no reading of text; rows say what an operation means, interp runs whole kernels.
"""

from ferrotile.ir.access import attribute, is_address, leaving, operand, operands, result, row
from ferrotile.ir.attributes import (
    Bounded,
    DenseAttr,
    DictAttr,
    DivBy,
    FloatAttr,
    HintsAttr,
    IntAttr,
    PreviewInt,
    PreviewStr,
    PreviewType,
    SameElements,
)
from ferrotile.ir.debug import place
from ferrotile.ir.decode import decode
from ferrotile.ir.dialect import make
from ferrotile.ir.encode import encode
from ferrotile.ir.meaning import Call, Driven, Meaning, Spread
from ferrotile.ir.module import Module
from ferrotile.ir.ops import TABLE
from ferrotile.ir.printing import print_generic
from ferrotile.ir.several import alone, kernel_count, kernel_names
from ferrotile.ir.spec import Effect, OpRow, Refusal, refuse
from ferrotile.ir.verify import faults, verify


def table() -> tuple[OpRow, ...]:
    """Every operation of bytecode 13.1 to 13.5, one row each."""
    return TABLE


__all__ = [
    "Bounded",
    "Call",
    "DenseAttr",
    "DictAttr",
    "DivBy",
    "Driven",
    "Effect",
    "FloatAttr",
    "HintsAttr",
    "IntAttr",
    "Meaning",
    "Module",
    "OpRow",
    "PreviewInt",
    "PreviewStr",
    "PreviewType",
    "Refusal",
    "SameElements",
    "Spread",
    "alone",
    "attribute",
    "decode",
    "encode",
    "faults",
    "is_address",
    "kernel_count",
    "kernel_names",
    "leaving",
    "make",
    "operand",
    "operands",
    "place",
    "print_generic",
    "refuse",
    "result",
    "row",
    "table",
    "verify",
]
