"""The words of a run: stages by their letters, verdict tokens, owners of a fault, and how a run ends."""

from __future__ import annotations

from enum import StrEnum


class Letter(StrEnum):
    """The stages. Preflight comes before all; C and F run only after a failure and never edit."""

    PREFLIGHT = "P"
    ANALYST = "A"
    AUTHOR = "B"
    IR_DIFF = "C"
    HOST = "D"
    PERFORMANCE = "E"
    RESIDUAL = "F"


class Word(StrEnum):
    """Verdict tokens; which letter may say which, the route table knows."""

    OK = "OK"
    NOT_OK = "NOT_OK"
    PASS = "PASS"
    PASS_WITH_NOTES = "PASS_WITH_NOTES"
    COMPILED = "COMPILED"
    ALL_PASS = "ALL_PASS"
    DONE = "DONE"
    INVESTIGATE = "INVESTIGATE"
    FIXABLE = "FIXABLE"
    ALIGNED = "ALIGNED"
    FAIL = "FAIL"
    FAIL_COMPILE = "FAIL_COMPILE"
    FAIL_FIXABLE = "FAIL_FIXABLE"
    FAIL_COMPILER_BUG = "FAIL_COMPILER_BUG"
    BLOCKED = "BLOCKED"
    MALFORMED = "MALFORMED"
    """No stage says this: it stands for a verdict that is missing, has a wrong form, or is not what the files give."""


class Owner(StrEnum):
    """Whose fault a failure is."""

    HOST = "host"
    KERNEL = "kernel"
    ENV = "env"


class End(StrEnum):
    """How a run ends: with everything shown, with a gap that is named, or stopped before there was a result."""

    COMPLETE = "COMPLETE"
    GAP = "GAP"
    STOP = "STOP"


STAGE_NAMES = {
    Letter.PREFLIGHT: "preflight",
    Letter.ANALYST: "analyst",
    Letter.AUTHOR: "author",
    Letter.IR_DIFF: "ir-diff",
    Letter.HOST: "host",
    Letter.PERFORMANCE: "performance",
    Letter.RESIDUAL: "residual",
}
"""The names that `--agent NAME=COMMAND` takes."""
