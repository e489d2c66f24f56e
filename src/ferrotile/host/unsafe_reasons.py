"""Why a kernel's text says `unsafe`: a closed list, read from the function that each block calls.

The list is closed: a block that calls anything else has no reason, and `reasons` refuses it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ferrotile.core import InternalError


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason. `functions` is a pattern for the whole name; `may_leave`: memory beyond the arrays can be touched."""

    name: str
    meaning: str
    functions: str
    may_leave: bool = False


_COMPUTED = "addresses are computed; no proof that they lie in an array"

REASONS = (
    Reason("disjointness unproven", "no proof that blocks store to different tiles",
           r"store(_after|_ahead|_view_raw|_without_tma)?"),
    Reason("element store", "no proof that lanes and blocks write different elements; indices outside are dropped",
           r"scatter_(within_)?(masked_)?(after_)?\dd|scatter_(row|elements)(_masked)?(_after)?|write_element(_after)?"),
    Reason("ordered load", "the load waits for a token, or has an ordering that the safe form lacks", r"load_view_raw"),
    Reason("pointer load", _COMPUTED, r"load_ptr_(padded|tko)|read(_at\w*|_padded)?",
           True),
    Reason("pointer store", _COMPUTED, r"store_ptr_tko|write(_at\w*|_after)?", True),
    Reason("atomic by pointer", _COMPUTED,
           r"atomic_(rmw|cas)_tko|add_at_masked|add_to_elements", True),
    Reason("atomic on a view", "other blocks may read the elements meanwhile", r"atomic_red_view_raw"),
    Reason("view of an address", "extents and strides of a view that are no array's own are taken on trust",
           r"make_tensor_view", True),
    Reason("kind of view", "the crate has no safe form of this view",
           r"make_gather_scatter_view|make_strided_view"),
    Reason("assumption", "a fact about a value that the compiler takes on trust", r"assume_\w+|element"),
    Reason("memory order", "a fence, or a wait for another kernel", r"memory_fence_alias_tko|gdc_\w+"),
    Reason("form of an operation", "the crate offers this form of the operation without checks",
           r"insert|\w+_with_rounding|fpowi|ftoi_saturating|mmaf_with_fast_acc|\w*print\w*|\w*assert\w*"),
)  # fmt: skip

_BLOCK = re.compile(r"unsafe\s*\{\s*(?:let\s[^=]*=\s*)?(\w+)")


def reasons(rust: str) -> Counter[str]:
    """How often a kernel's text is `unsafe` for which reason. Raises: FT630 for a reason that is not in the list."""
    found: Counter[str] = Counter()
    for function in _functions(rust):
        found[_reason_of(function).name] += 1
    return found


def may_leave_arrays(rust: str) -> tuple[str, ...]:
    """The reasons for which a kernel may touch memory beyond its arrays, whatever the host has checked."""
    found = dict.fromkeys(_reason_of(function) for function in _functions(rust))
    return tuple(reason.name for reason in found if reason.may_leave)


def _functions(rust: str) -> list[str]:
    code = "\n".join(line.partition("//")[0] for line in rust.splitlines())
    return _BLOCK.findall(code)


def _reason_of(function: str) -> Reason:
    for reason in REASONS:
        if re.fullmatch(reason.functions, function):
            return reason
    raise InternalError("FT630", f"`{function}` is unsafe for a reason that is not in the list")
