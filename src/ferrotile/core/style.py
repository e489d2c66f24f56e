"""How closely the text keeps to the operations of the reference; every style says the same program."""

from enum import Enum


class Style(Enum):
    """From the text to read to the text to compare.

    The device compiler schedules by order and by assumptions: where the fluent text gets other machine code, a closer
    one gets the same.
    """

    FLUENT = "fluent"
    """Expressions folded, gathers, scatters and loads as one call each."""

    EXACT_LOOPS = "exact-loops"
    """As fluent, but loop bounds are numbers of which cutile assumes nothing."""

    LITERAL = "literal"
    """Every operation where the reference has it, one variable each."""

    @property
    def assumes_nothing(self) -> bool:
        """Whether loop bounds are kept from the compiler's own conclusions."""
        return self is not Style.FLUENT

    @property
    def is_literal(self) -> bool:
        """Whether every operation stays where it is."""
        return self is Style.LITERAL
