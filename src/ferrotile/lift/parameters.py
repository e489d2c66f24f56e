"""The Rust parameters of a kernel: which entry parameters make one `Tensor`, and what is known of them.

A cuTile Python symbol says it; without one, arrays are found by the views that the kernel makes of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile.core import ParameterMap, Role
from ferrotile.core.errors import Unsupported
from ferrotile.ir import Bounded, DivBy, attribute, operand, operands, place, row
from ferrotile.ir.types import PointerType, ScalarType, TensorViewType, TileType
from ferrotile.lift.rust import SIGNED, Form, RustType, with_sign
from ferrotile.lift.source import ArrayParameter, ParameterName, ScalarParameter


@dataclass(frozen=True, slots=True)
class Facts:
    """What `assume` operations say of one entry parameter; `is_plain`: nothing but these."""

    divisor: int = 1
    is_bounded: bool = False
    is_plain: bool = True


@dataclass(frozen=True, slots=True)
class Tensor:
    """A `Tensor` parameter: entry parameters `first` (pointer), extents, strides. `None`: known at launch.

    `is_lent`: borrowed mutably. Then cutile takes the extents and strides of a part of the array besides, and what the
    host lends is the whole of it.
    """

    name: str
    element: str
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    first: int
    is_lent: bool = False

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def type(self) -> RustType:
        """Its Rust type, without the `&`."""
        return RustType(Form.TENSOR, self.element, self.shape)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or a bare pointer parameter. `position`: which part it is of an array that is taken apart, from 0
    to `2 * rank`: the pointer, extents, strides.
    """

    name: str
    type: RustType
    first: int
    position: int | None = None
    rank: int = 0


Parameter = Tensor | Scalar
MOST_IN_A_TYPE = 2**31 - 1
"""An extent or a stride that a Rust type spells."""
_NUMBER = TileType(ScalarType("i32"), ())


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of which Rust parameter an entry parameter is."""

    parameter: Parameter
    role: Role


def root_of(value: SSAValue) -> SSAValue:
    """The value that assumptions were put on."""
    while isinstance(value.owner, Operation) and row(value.owner).name == "assume":
        source = operand(value.owner, "value")
        assert source is not None
        value = source
    return value


def facts_of(entry: Operation) -> dict[SSAValue, Facts]:
    """What is assumed of each entry parameter, wherever the kernel assumes it."""
    facts: dict[SSAValue, Facts] = {}
    for op in entry.regions[0].block.ops:
        if row(op).name != "assume":
            continue
        root, predicate = root_of(op.results[0]), attribute(op, "predicate")
        if not isinstance(root, BlockArgument):
            continue
        old = facts.get(root, Facts())
        if isinstance(predicate, DivBy) and predicate.every is None:
            facts[root] = replace(old, divisor=max(old.divisor, predicate.divisor))
        elif predicate == Bounded(0, None):
            facts[root] = replace(old, is_bounded=True)
        else:
            facts[root] = replace(old, is_plain=False)
    return facts


def parameters_of(entry: Operation, named: Sequence[ParameterName]) -> tuple[Parameter, ...]:
    """The Rust parameters, in order: as the symbol says, else as the kernel uses them."""
    if named:
        return tuple(_from_symbol(entry, named))
    return tuple(_from_use(entry))


def _from_symbol(entry: Operation, named: Sequence[ParameterName]) -> Iterator[Parameter]:
    arguments = entry.regions[0].block.args
    for parameter in named:
        symbol = parameter.symbol
        if parameter.is_constant:
            continue
        if isinstance(symbol, ArrayParameter) and symbol.index_dtype == "i32" and symbol.rank > 0:
            strides = tuple(1 if stride == 1 else None for stride in symbol.static_stride)
            yield Tensor(parameter.rust, symbol.dtype, symbol.static_shape, strides, parameter.first)
            continue
        dtype = symbol.dtype if isinstance(symbol, ScalarParameter) else None
        parts = zip(parameter.entry_names, parameter.entry_range, strict=True)
        for position, (name, index) in enumerate(parts):
            scalar = _scalar(name, arguments[index], index, dtype)
            is_part = isinstance(symbol, ArrayParameter)
            yield replace(scalar, position=position, rank=symbol.rank) if is_part else scalar


def _scalar(name: str, argument: SSAValue, index: int, dtype: str | None = None) -> Scalar:
    type_ = argument.type
    assert isinstance(type_, TileType)
    if isinstance(type_.element, PointerType):
        return Scalar(name, RustType(Form.POINTERS, SIGNED[type_.element.pointee.name]), index)
    return Scalar(name, RustType(Form.SCALAR, dtype or SIGNED[type_.element.name]), index)


def _from_use(entry: Operation) -> Iterator[Parameter]:
    """Arrays by `make_tensor_view` over consecutive entry parameters, all else as it stands."""
    arguments = entry.regions[0].block.args
    facts = facts_of(entry)
    bounded = {value for value, fact in facts.items() if fact.is_bounded and fact.is_plain}
    views = {found.first: found for op in entry.walk() if (found := _whole_view(op, arguments, bounded)) is not None}
    index, arrays, scalars = 0, 0, 0
    while index < len(arguments):
        view = views.get(index)
        if view is not None:
            yield Tensor(f"x{arrays}", view.element, view.shape, view.strides, index)
            index, arrays = index + 1 + 2 * view.rank, arrays + 1
            continue
        yield _scalar(f"n{scalars}", arguments[index], index)
        index, scalars = index + 1, scalars + 1


def _whole_view(op: Operation, arguments: Sequence[BlockArgument], bounded: Collection[SSAValue]) -> Tensor | None:
    """The array that a view is made of, if its parts are consecutive entry parameters, none of them negative."""
    if row(op).name != "make_tensor_view":
        return None
    base = operand(op, "base")
    root = root_of(base) if base is not None else None
    type_ = op.results[0].type
    if not isinstance(root, BlockArgument) or root not in arguments or not isinstance(type_, TensorViewType):
        return None
    rank = len(type_.shape)
    if not rank or any(stride not in (None, 1) for stride in type_.strides):
        return None
    first = root.index
    parts = [root_of(value) for name in ("dynamicShape", "dynamicStrides") for value in operands(op, name)]
    if not _spans(op, arguments, first, rank) or not all(part in bounded for part in parts):
        return None
    return Tensor("", SIGNED[type_.element.name], type_.shape, type_.strides, first)


def _spans(op: Operation, arguments: Sequence[BlockArgument], first: int, rank: int) -> bool:
    """Whether the extents and strides of a view are the parameters behind its pointer, as a `&Tensor` is flattened."""
    type_ = op.results[0].type
    assert isinstance(type_, TensorViewType)
    wanted = [first + 1 + axis for axis, extent in enumerate(type_.shape) if extent is None]
    wanted += [first + 1 + rank + axis for axis, stride in enumerate(type_.strides) if stride is None]
    given = [root_of(value) for name in ("dynamicShape", "dynamicStrides") for value in operands(op, name)]
    if [value.index if isinstance(value, BlockArgument) else -1 for value in given] != wanted:
        return False
    # A front end that is not cuTile Python's may leave out numbers that the type says.
    rest = arguments[first + 1 : first + 1 + 2 * rank]
    return len(rest) == 2 * rank and all(
        value.type == _NUMBER and (value.index in wanted or _is_idle(value)) for value in rest
    )


def _is_idle(value: SSAValue) -> bool:
    """Whether nothing is done with a value but to assume something of it."""
    users = [use.operation for use in value.uses]
    return all(row(user).name == "assume" and _is_idle(user.results[0]) for user in users)


def require_types(entry: Operation) -> None:
    """Refuse pointers to memory of a special kind, which Rust takes for pointers to any, and numbers in a type of which
    cutile 0.5.0 reads 32 bits. Raises: FT301.
    """
    values = [(entry, argument) for argument in entry.regions[0].block.args]
    values += [(op, value) for op in entry.walk() for value in op.results]
    for op, value in values:
        if isinstance(value.type, TileType) and getattr(value.type.element, "attribute", None) is not None:
            raise Unsupported("FT301", f"a value of type `{value.type}` has no Rust type", at=place(op))
        known = (*value.type.shape, *value.type.strides) if isinstance(value.type, TensorViewType) else ()
        if long := [number for number in known if number is not None and number > MOST_IN_A_TYPE]:
            said = f"an array has the extent or stride `{long[0]}` in its type, where cutile has up to {MOST_IN_A_TYPE}"
            raise Unsupported("FT301", said, at=place(op), hint="leave it to the launch: `_` in a spec file")


def parts_of(parameters: Sequence[Parameter], entry_count: int) -> list[Part]:
    """For each entry parameter, the Rust parameter it belongs to and its role."""
    parts: dict[int, Part] = {}
    arrays = scalars = 0
    for parameter in parameters:
        first, rank = parameter.first, parameter.rank
        if isinstance(parameter, Tensor):
            for position in range(1 + 2 * rank):
                parts[first + position] = Part(parameter, _role(arrays, position, rank))
        elif parameter.position is not None:
            parts[first] = Part(parameter, _role(arrays, parameter.position, rank))
        else:
            parts[first] = Part(parameter, Role.scalar(scalars))
            scalars += 1
        arrays += isinstance(parameter, Tensor) or parameter.position == 2 * rank
    return [parts[index] for index in range(entry_count)]


def _role(array: int, position: int, rank: int) -> Role:
    """The pointer, then extents, then strides."""
    if position == 0:
        return Role.pointer(array)
    return Role.shape(array, position - 1) if position <= rank else Role.stride(array, position - 1 - rank)


def parameter_map(parts: Sequence[Part]) -> ParameterMap:
    """Both sides take the same parts in the same order: a `&Tensor` is flattened as cuTile Python flattens an array.

    A `&mut Tensor` is followed by the extents and strides of what is lent, which are the array's own.
    """
    roles = tuple(part.role for part in parts)
    lowered: list[Role] = []
    for part in parts:
        lowered.append(part.role)
        tensor = part.parameter
        if (
            isinstance(tensor, Tensor)
            and tensor.is_lent
            and part.role == Role.stride(part.role.array or 0, tensor.rank - 1)
        ):
            lowered += lowered[-2 * tensor.rank :]
    return ParameterMap(roles, tuple(lowered))


def unsigned_of(element: str) -> str:
    """The unsigned element of the same width."""
    return with_sign(element, True)
