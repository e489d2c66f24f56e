"""The judge: two bytecode files and a parameter map give a verdict.

Non-goals: it knows nothing of how either file was made, never searches for a map, and measures nothing.
"""

from ferrotile.check.compare import check, compare
from ferrotile.check.exclusive import Exclusive, prove_exclusive
from ferrotile.check.launch import is_assumable
from ferrotile.check.laws import LAWS, Law
from ferrotile.check.upstream import FAULTS, Blame, Fault, blame, blame_refusal
from ferrotile.check.verdict import Difference, Verdict

__all__ = [
    "FAULTS",
    "LAWS",
    "Blame",
    "Difference",
    "Exclusive",
    "Fault",
    "Law",
    "Verdict",
    "blame",
    "blame_refusal",
    "check",
    "compare",
    "is_assumable",
    "prove_exclusive",
]
