"""The judge: two bytecode files and a parameter map give a verdict.

Non-goals: it knows nothing of how either file was made, never searches for a map, and measures nothing.
"""

from ferrotile.check.compare import check, compare
from ferrotile.check.laws import LAWS, Law
from ferrotile.check.verdict import Difference, Verdict

__all__ = ["LAWS", "Difference", "Law", "Verdict", "check", "compare"]
