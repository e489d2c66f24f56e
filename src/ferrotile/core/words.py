"""The words that verdicts use, shared by the rooms that give, carry and print them."""

from enum import StrEnum


class VerdictKind(StrEnum):
    """What a translation came to. REFUSED is a row's outcome, never an answer of check."""

    EQUAL = "EQUAL"
    REFINES = "REFINES"
    DIFFERS = "DIFFERS"
    UNPROVED = "UNPROVED"
    REFUSED = "REFUSED"


class MachineKind(StrEnum):
    """What the comparison of two cubins came to, or why there was none."""

    IDENTICAL = "identical"
    DEVICE_IDENTICAL = "device-identical"
    DIFFERS = "differs"
    SKIPPED = "skipped"
    REFERENCE_REFUSED = "reference-refused"
