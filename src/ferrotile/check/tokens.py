"""Memory order as sets: a token stands for the operations after which its reader comes.

Law `token-sets`: `make_token` and an absent token are the empty set, `join_tokens` is the union. Law
`order-is-transitive`: token order is a partial order (Tile IR: a token's reader comes after the operation that made
the token, and so after whatever that one came after), so a set keeps only its latest operations.
Atoms are events of the same block, carried tokens, and tokens that an `if` or a loop gives back.
"""

from __future__ import annotations

from ferrotile.check.kernel import Interner

Atoms = frozenset[int]
NOTHING: Atoms = frozenset()


class Order:
    """The token sets of one kernel, and for each atom which atoms it comes after."""

    def __init__(self, interner: Interner, laws: set[str]) -> None:
        self.interner = interner
        self.laws = laws
        self.bits: dict[int, int] = {}
        self.earlier: dict[int, int] = {}

    def number(self, atoms: Atoms) -> int:
        """The number of a token value."""
        return self.interner.intern(("order", atoms))

    def atoms(self, number: int) -> Atoms:
        """The set behind the number of a token value."""
        return self.interner.keys[number][1]

    def latest(self, atoms: Atoms) -> Atoms:
        """The set without atoms that another one already comes after."""
        if len(atoms) < 2:
            return atoms
        passed = 0
        for atom in atoms:
            passed |= self.earlier.get(atom, 0)
        if not passed:
            return atoms
        rest = frozenset(atom for atom in atoms if not self._bit(atom) & passed)
        if len(rest) < len(atoms):
            self.laws.add("order-is-transitive")
        return rest

    def add(self, atom: int, before: Atoms) -> None:
        """Record that an event comes after some atoms."""
        passed = 0
        for other in before:
            passed |= self._bit(other) | self.earlier.get(other, 0)
        self.earlier[atom] = passed

    def missing(self, larger: Atoms, smaller: Atoms) -> Atoms:
        """The atoms of `smaller` that coming after `larger` does not imply."""
        passed = 0
        for atom in larger:
            passed |= self._bit(atom) | self.earlier.get(atom, 0)
        return frozenset(atom for atom in smaller if not self.bits.get(atom, 0) & passed)

    def knows(self, atom: int) -> bool:
        """Whether an atom is one of this kernel's."""
        return atom in self.bits

    def _bit(self, atom: int) -> int:
        bit = self.bits.get(atom)
        if bit is None:
            bit = self.bits[atom] = 1 << len(self.bits)
        return bit
