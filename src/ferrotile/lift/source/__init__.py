"""What the Python source says about a kernel: names, parameters, comments, statements, named constants.

Non-goals: nothing here decides what the Rust means. A wrong or missing source costs names, never a wrong program.
"""

from ferrotile.lift.source.annotate import Annotations, annotate
from ferrotile.lift.source.constants import NamedConstant
from ferrotile.lift.source.fallback import argument_name, fallback_name
from ferrotile.lift.source.files import SourceFinder
from ferrotile.lift.source.locate import SourceReport
from ferrotile.lift.source.marks import marked
from ferrotile.lift.source.parameters import ParameterName
from ferrotile.lift.source.spelling import constant_name, function_name, rust_name, variable_name
from ferrotile.lift.source.statement import Statement
from ferrotile.lift.source.symbol import (
    ArrayParameter,
    ConstantParameter,
    DtypeName,
    EnumName,
    GroupParameter,
    KernelSymbol,
    ListParameter,
    ScalarParameter,
    parse_symbol,
)

__all__ = [
    "Annotations",
    "ArrayParameter",
    "ConstantParameter",
    "DtypeName",
    "EnumName",
    "GroupParameter",
    "KernelSymbol",
    "ListParameter",
    "NamedConstant",
    "ParameterName",
    "ScalarParameter",
    "SourceFinder",
    "SourceReport",
    "Statement",
    "annotate",
    "argument_name",
    "constant_name",
    "fallback_name",
    "function_name",
    "marked",
    "parse_symbol",
    "rust_name",
    "variable_name",
]
