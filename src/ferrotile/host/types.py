"""How an argument is passed, in C and in Rust, and how it becomes the 8-byte word that the checks read."""

from __future__ import annotations

from dataclasses import dataclass

from ferrotile.host.declaration import Passed


@dataclass(frozen=True, slots=True)
class Spelled:
    """One way of passing: types in C and Rust, the kind that Rust reads a word as, and the word of `{}`."""

    c: str
    rust: str
    kind: str
    word: str


def _integer(c: str, rust: str) -> Spelled:
    if rust in ("i64", "u64"):
        return Spelled(c, rust, "Integer", "{}" if rust == "u64" else "{} as u64")
    word = "u64::from({})" if rust.startswith("u") else "i64::from({}) as u64"
    return Spelled(c, rust, "Integer", word)


SPELLED = {
    Passed.TENSOR: Spelled("const ft_tensor *", "*const Tensor", "Tensor", "{} as u64"),
    Passed.TEXT: Spelled("const char *", "*const c_char", "Text", "{} as u64"),
    Passed.BOOL: Spelled("uint8_t ", "u8", "Integer", "u64::from({} != 0)"),
    Passed.F32: Spelled("float ", "f32", "Float", "u64::from({}.to_bits())"),
    Passed.F64: Spelled("double ", "f64", "Float", "{}.to_bits()"),
    **{
        passed: _integer(f"{'u' * passed.startswith('u')}int{passed[1:]}_t ", passed.value)
        for passed in Passed
        if passed.value[0] in "iu"
    },
}
"""The C type ends where the name begins, with a space or a star."""

_TAKEN = frozenset(
    """grid_x grid_y grid_z context stream error auto break case char const continue default do double else enum extern
    float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool""".split()
)


def parameter_name(name: str) -> str:
    """The name of an argument in C and Rust: its own, unless C or the calling convention has taken it."""
    return f"{name}_" if name in _TAKEN else name
