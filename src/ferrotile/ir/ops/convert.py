"""Changes of element type."""

from ferrotile.ir.fields import OVERFLOW, ROUNDING, SIGNEDNESS
from ferrotile.ir.spec import Field, Kind, op

SATURATING = Field("saturating", Kind.UNIT, since=(13, 4), default=False)

ROWS = (
    op("bitcast", 9, "source", "result"),
    op("exti", 37, "from", "to", [SIGNEDNESS]),
    op("ftof", 42, "from", "to", [ROUNDING]),
    op("ftoi", 43, "from", "to", [SIGNEDNESS, ROUNDING, SATURATING]),
    op("int_to_ptr", 51, "source", "result"),
    op("itof", 59, "from", "to", [SIGNEDNESS, ROUNDING]),
    op("pack", 111, "source", "result", since="13.3"),
    op("ptr_to_int", 86, "source", "result"),
    op("ptr_to_ptr", 87, "source", "result"),
    op("trunci", 107, "from", "to", [OVERFLOW]),
    op("unpack", 112, "source", "result", since="13.3"),
)  # fmt: skip
