"""Changes of element type."""

from ferrotile.ir import integers, rearrange
from ferrotile.ir.enums import RoundingMode
from ferrotile.ir.fields import OVERFLOW, ROUNDING, SIGNEDNESS
from ferrotile.ir.meaning import Meaning, Spread, lanes, moves
from ferrotile.ir.rules import ONLY_NEAREST, Parts, element, one_of, same_shape, tile, when
from ferrotile.ir.spec import Field, Kind, example, op
from ferrotile.ir.types import ScalarType, TileType

SATURATING = Field("saturating", Kind.UNIT, since=(13, 4), default=False)
ARITHMETIC = (
    RoundingMode.NEAREST_EVEN, RoundingMode.ZERO, RoundingMode.NEGATIVE_INF, RoundingMode.POSITIVE_INF,
    RoundingMode.NEAREST_AWAY,
)  # fmt: skip
FROM_TO = same_shape("from to")
SOURCE_RESULT = same_shape("source result")


def _bits(parts: Parts, name: str) -> int:
    return ScalarType(element(parts, name)).bits if element(parts, name) else 0


def _size(parts: Parts, name: str) -> int:
    kind = parts.one(name)
    return _bits(parts, name) * kind.shape[0] if isinstance(kind, TileType) and len(kind.shape) == 1 else -1


WIDER = when("`to`: wider than `from`", "to", lambda parts: _bits(parts, "to") > _bits(parts, "from"))
NARROWER = when("`to`: narrower than `from`", "to", lambda parts: _bits(parts, "to") < _bits(parts, "from"))
SAME_WIDTH = when(
    "`result`: as wide as `source`", "result", lambda parts: _bits(parts, "source") == _bits(parts, "result")
)
CHANGES = when("`to`: another type than `from`", "to", lambda parts: parts.one("from") != parts.one("to"))
SAME_SIZE = when(
    "`result`: the bits of `source`, of another width", "result",
    lambda parts: _size(parts, "source") == _size(parts, "result") > 0
    and _bits(parts, "source") != _bits(parts, "result"),
)  # fmt: skip
TO_E8M0 = when(
    "`rounding_mode`: zero or positive_inf to f8E8M0FNU, a mode of arithmetic to others", "rounding_mode",
    lambda parts: parts.attribute("rounding_mode")
    in ((RoundingMode.ZERO, RoundingMode.POSITIVE_INF) if element(parts, "to") == "f8E8M0FNU" else ARITHMETIC),
)  # fmt: skip
TOWARDS_ZERO = one_of("rounding_mode", RoundingMode.NEAREST_INT_TO_ZERO)

ROWS = (
    op(
        "bitcast",
        9,
        "source",
        "result",
        rules=(tile("source result", "number"), SOURCE_RESULT, SAME_WIDTH),
        example=example("source: 4xf32; result: 4xi32"),
        evaluate=lanes(rearrange.bitcast),
        rust="bitcast({source})",
    ),
    op(
        "exti",
        37,
        "from",
        "to",
        [SIGNEDNESS],
        rules=(tile("from to", "any int"), FROM_TO, WIDER),
        example=example("from: 4xi32; to: 4xi64"),
        evaluate=lanes(integers.extend),
        rust="exti({from})",
    ),
    op(
        "ftof",
        42,
        "from",
        "to",
        [ROUNDING],
        rules=(tile("from to", "any float"), FROM_TO, CHANGES, TO_E8M0),
        example=example("from: 4xf32; to: 4xf16"),
        evaluate=lanes(integers.to_other_float),
        rust="ftof({from}, {rounding_mode})",
    ),
    op(
        "ftoi",
        43,
        "from",
        "to",
        [SIGNEDNESS, ROUNDING, SATURATING],
        rules=(tile("from", "any float"), tile("to", "int"), FROM_TO, TOWARDS_ZERO),
        example=example("from: 4xf32; to: 4xi32", rounding_mode=RoundingMode.NEAREST_INT_TO_ZERO),
        evaluate=lanes(integers.from_float),
        rust=(
            "ftoi({from}, {rounding_mode}) when saturating=False",
            "unsafe ftoi_saturating({from}, {saturating})",
        ),
    ),
    op(
        "int_to_ptr",
        51,
        "source",
        "result",
        rules=(tile("source", "i64"), tile("result", "pointer"), SOURCE_RESULT),
        example=example("source: 4xi64; result: 4xptr<f32>"),
        evaluate=moves(lambda v: v.source),
        rust="int_to_ptr({source})",
    ),
    op(
        "itof",
        59,
        "from",
        "to",
        [SIGNEDNESS, ROUNDING],
        rules=(tile("from", "int"), tile("to", "any float"), FROM_TO, ONLY_NEAREST),
        example=example("from: 4xi32; to: 4xf32"),
        evaluate=lanes(integers.to_float),
        rust="itof({from}, {rounding_mode})",
    ),
    op(
        "pack",
        111,
        "source",
        "result",
        since="13.3",
        rules=(tile("source", "number", 1), tile("result", "i8", 1), SAME_SIZE),
        example=example("source: 4xi32; result: 16xi8"),
        evaluate=Meaning(rearrange.pack, Spread.WHOLE),
        rust="pack({source})",
    ),
    op(
        "ptr_to_int",
        86,
        "source",
        "result",
        rules=(tile("source", "pointer"), tile("result", "i64"), SOURCE_RESULT),
        example=example("source: 4xptr<f32>; result: 4xi64"),
        evaluate=moves(lambda v: v.source),
        rust="ptr_to_int({source})",
    ),
    op(
        "ptr_to_ptr",
        87,
        "source",
        "result",
        rules=(tile("source result", "pointer"), SOURCE_RESULT),
        example=example("source: 4xptr<f32>; result: 4xptr<i32>"),
        evaluate=moves(lambda v: v.source),
        rust="ptr_to_ptr({source})",
    ),
    op(
        "trunci",
        107,
        "from",
        "to",
        [OVERFLOW],
        rules=(tile("from to", "any int"), FROM_TO, NARROWER),
        example=example("from: 4xi64; to: 4xi32"),
        evaluate=lanes(integers.truncate),
        rust=("narrow({from}) when overflow=NONE", "trunci({from}, {overflow})"),
    ),
    op(
        "unpack",
        112,
        "source",
        "result",
        since="13.3",
        rules=(tile("source", "i8", 1), tile("result", "number", 1), SAME_SIZE),
        example=example("source: 16xi8; result: 4xi32"),
        evaluate=Meaning(rearrange.unpack, Spread.WHOLE),
        rust="unpack({source})",
    ),
)
