"""At which level the Rust of a kernel is written; at every level it is proved to be the reference's program."""

from enum import StrEnum


class Level(StrEnum):
    """From the text that keeps the reference's stores to the one that needs no `unsafe`."""

    FAITHFUL = "faithful"
    """Stores as the reference has them, each in an `unsafe` block with its reason."""

    SAFE = "safe"
    """No `unsafe` where the blocks of a launch are proved to keep apart, else faithful."""

    AUTO = "auto"
    """Safe where that gives the reference's machine code, else faithful."""
