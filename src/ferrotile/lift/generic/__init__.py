"""From the texts of several specializations to one generic text, numbers and types as generics, the rest as `if`.

Non-goals: nothing is judged here; that the text is every one of the kernels is shown by lowering and checking it.
"""

from ferrotile.lift.generic.generalize import Specimen, Unified, constants_of, facts, shapes, unify
from ferrotile.lift.generic.guards import explain
from ferrotile.lift.generic.values import Generic

__all__ = ["Generic", "Specimen", "Unified", "constants_of", "explain", "facts", "shapes", "unify"]
