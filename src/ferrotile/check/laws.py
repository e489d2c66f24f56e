"""The named laws: every way in which two different programs may be called equal. One row each.

A law is exact: it holds for every value, NaN and wrap-around included. For each row tests/pairs has a pair that needs
it, with a twin that it must not hide, and tests/check/test_laws.py a test that proves it by running programs or by all
small cases.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Law:
    """What may differ, and why that changes nothing."""

    statement: str
    reason: str


LAWS: dict[str, Law] = {
    "dead-code": Law(
        "a pure operation, carried value or branch result that nothing live reads is left out",
        "it has no effect; a loop without effects is taken to end",
    ),
    "weak-scope": Law(
        "the scope of a weak memory access is ignored", "a weak access is not ordered with other threads at all"
    ),
    "same-type": Law(
        "a bit cast to the same type, and a permutation that moves nothing, are their operand", "they change no bit"
    ),
    "constant-bits": Law("a bit cast of a constant is the constant of those bits", "it changes no bit"),
    "early-return": Law(
        "what follows a branch that returns is the rest of the other branch, and the end of the kernel is a return",
        "nothing else can run after the branch",
    ),
    "reshape-chain": Law(
        "a reshape of a reshape is one reshape; to the first shape it is nothing", "elements keep their linear order"
    ),
    "permute-chain": Law(
        "a permutation of a permutation is one permutation; back to the first order of axes it is nothing",
        "each element goes from place to place, and nothing else happens to it",
    ),
    "scan-axis": Law(
        "a scan of permuted tiles is the scan of the tiles along the axis that was moved, permuted",
        "a scan combines elements along one axis and leaves the others as they are",
    ),
    "packed-fold": Law(
        "a reduction or scan of words that hold one or two operands, exclusive or a constant, is that of the operands",
        "a word and its parts tell each other, and start, combination and result are those of the parts",
    ),
    "narrow-fold": Law(
        "the sum, product, maximum or minimum of widened integers, narrowed again, is that of the integers; scans too",
        "sums and products wrap around alike in any width, and widening keeps the order of integers",
    ),
    "broadcast-chain": Law(
        "a broadcast of a broadcast is one broadcast", "an axis of extent one is repeated either way"
    ),
    "splat": Law(
        "one element, or a tile of equal ones, brought to a shape is that element repeated, however it came there",
        "reshapes and broadcasts neither change nor choose among equal elements",
    ),
    "widening-moves": Law(
        "widening a reshaped or repeated integer tile is reshaping or repeating the widened one",
        "each element is widened by itself, wherever it stands",
    ),
    "integer-constants": Law(
        "integer arithmetic, comparison, widening or bitwise logic of constants is a constant, where it is defined",
        "they wrap around, and are exact for every value",
    ),
    "one-round": Law(
        "the index of a loop whose constant bounds allow one round is its first value",
        "the index takes no other value",
    ),
    "no-round": Law(
        "a loop whose constant bounds allow no round is its first values", "its body never runs, whatever it would do"
    ),
    "facts-are-a-set": Law(
        "assumptions on one value count as a set: order and repetition do not matter",
        "each is true or the program is undefined; together they say the least common multiple and the tightest bounds",
    ),
    "facts-of-parameters": Law(
        "an assumption at the top level on an entry parameter holds for all its uses",
        "the start of the kernel always passes it, and a parameter never changes",
    ),
    "implied-bounds": Law(
        "a bound that follows from what a value is says nothing",
        "block ids are at least 0, grid sizes at least 1, an extent that a type fixes is that number, and a loop index "
        "lies between the loop's constant bounds",
    ),
    "fixed-extents": Law(
        "an extent that the type of an array or of a partition fixes is that number",
        "the type says how many elements there are, and with the tile how many tiles",
    ),
    "negated-branch": Law(
        "a branch on a condition exclusive-or true is the branch on the condition, with its blocks exchanged",
        "the condition is one bit",
    ),
    "branch-taken": Law(
        "a branch on a constant is the block that it takes; nothing stands behind one that leaves",
        "the other block never runs, and control does not come behind an exit",
    ),
    "if-passes-through": Law(
        "a branch result that both branches give alike is that value; if one branch leaves, it is the other's value",
        "only one branch can have run to its end",
    ),
    "carried-values-by-use": Law(
        "the carried values of a loop have no order", "each is told by how it starts and how it goes on"
    ),
    "carried-constant": Law(
        "a carried value that never changes is its first value", "by induction over the iterations"
    ),
    "carried-twice": Law(
        "two carried values that start and go on alike are one", "by induction over the iterations, assumed for both"
    ),
    "invariant-result": Law(
        "a loop result that every break gives alike, and that no iteration changes, is that value",
        "the loop ends by one of its breaks",
    ),
    "never-reached": Law(
        "what stands behind a branch that leaves either way is not there", "control does not come to it"
    ),
    "order-is-transitive": Law(
        "an operation need not name what the operations that it names already come after",
        "token order is a partial order",
    ),
    "token-sets": Law(
        "a token stands for the set of operations behind it; none and a new token are the empty set",
        "tokens carry nothing but order",
    ),
}
"""By name, in the order in which verdicts list them."""
