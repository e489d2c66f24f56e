"""Checks of conversions between types."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import exact
import numpy as np
from elementwise import faults, read
from harness import ALL_FLOATS, FLOATS, INTS, WIDTHS, check, plain, run_op, stored
from numbers_of import floats, ints, padded

from ferrotile.ir.enums import IntegerOverflow, RoundingMode, Signedness

SIGNS = ("Signed", "Unsigned")


def _float_to_float(source: str, target: str, mode: str) -> None:
    @check("ftof", source, f"to {target} {mode.lower()}")
    def run() -> Iterable[str]:
        rows = padded([(value,) for value in floats(source, 60)])
        want = [_as(value, target, mode) for (value,) in rows]
        yield from faults("ftof", rows, (source,), target, want, rounding_mode=RoundingMode[mode])


def _as(value: float, target: str, mode: str) -> float | None:
    """A number in another format; `None` where the format has no number for it."""
    kind = exact.KINDS[target]
    if math.isnan(value):
        return math.nan if kind.nan else float(kind.largest)
    if value < 0 and not kind.signed:
        return None
    if target.startswith(("f8", "f4")):
        value = max(-float(kind.largest), min(float(kind.largest), value))
    if math.isinf(value):
        return value
    found = exact.rounded(Fraction(value), target, mode)
    if found == 0 and target == "f8E8M0FNU":
        return None
    return math.copysign(found, value) if kind.signed and not math.isnan(found) else abs(found)


def _int_to_float(source: str, target: str, signedness: str) -> None:
    @check("itof", source, f"{signedness.lower()} to {target}")
    def run() -> Iterable[str]:
        rows = padded([(value,) for value in ints(source, 60)])
        want = [exact.rounded(Fraction(read(value, source, signedness)), target) for (value,) in rows]
        more = {"signedness": Signedness[signedness], "rounding_mode": RoundingMode.NEAREST_EVEN}
        yield from faults("itof", rows, (source,), target, want, **more)


def _float_to_int(source: str, target: str, signedness: str, saturating: bool) -> None:
    @check("ftoi", source, f"{signedness.lower()} to {target}{' saturating' if saturating else ''}")
    def run() -> Iterable[str]:
        bits = WIDTHS[target]
        near = [x for x in (2.0 ** (bits - 1), 2.0**bits, 2.0 ** (bits - 1) - 1, 0.99, 1.99, 100.5) if x < 2.0**15]
        near = [exact.rounded(Fraction(x), source) for x in near]
        rows = padded([(value,) for value in [*floats(source, 60), *near, *(-x for x in near)]])
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signedness == "Signed" else (0, (1 << bits) - 1)
        want = [_whole(value, low, high, bits, saturating) for (value,) in rows]
        more = {"signedness": Signedness[signedness], "rounding_mode": RoundingMode.NEAREST_INT_TO_ZERO}
        yield from faults("ftoi", rows, (source,), target, want, saturating=saturating, **more)


def _whole(value: float, low: int, high: int, bits: int, saturating: bool) -> int | None:
    if math.isnan(value):
        return 0 if saturating else None
    if math.isinf(value):
        return exact.signed(high if value > 0 else low, bits) if saturating else None
    whole = math.trunc(value)
    if low <= whole <= high:
        return exact.signed(whole, bits)
    return exact.signed(max(low, min(high, whole)), bits) if saturating else None


def _resize(source: str, target: str) -> None:
    if WIDTHS[target] > WIDTHS[source]:
        for signedness in SIGNS:

            @check("exti", source, f"{signedness.lower()} to {target}")
            def run(signedness: str = signedness) -> Iterable[str]:
                rows = padded([(value,) for value in ints(source, 20)])
                want = [exact.signed(read(value, source, signedness), WIDTHS[target]) for (value,) in rows]
                yield from faults("exti", rows, (source,), target, want, signedness=Signedness[signedness])

        return

    for flag in ("NONE", "NSW", "NUW", "NW"):

        @check("trunci", source, f"to {target} overflow {flag.lower()}")
        def shrink(flag: str = flag) -> Iterable[str]:
            rows = padded([(value,) for value in ints(source, 20)])
            want = [_kept(value, source, target, flag) for (value,) in rows]
            yield from faults("trunci", rows, (source,), target, want, overflow=IntegerOverflow[flag])


def _kept(value: int, source: str, target: str, flag: str) -> int | None:
    bits = WIDTHS[target]
    for reading, flags in ((exact.signed, ("NSW", "NW")), (exact.unsigned, ("NUW", "NW"))):
        if flag in flags and reading(value, bits) != reading(value, WIDTHS[source]):
            return None
    return exact.signed(value, bits)


FORMS = {"f16": "<e", "f32": "<f", "f64": "<d", "i16": "<h", "i32": "<i", "i64": "<q", "i8": "<b"}


def bits_of(value: float, name: str) -> bytes:
    """The bytes of a number, made without NumPy's types for the small formats."""
    if name == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack(FORMS[name], value)


def _bitcast(source: str, target: str) -> None:
    @check("bitcast", source, f"to {target}")
    def run() -> Iterable[str]:
        values: list[Any] = list(floats(source, 20)) if source in exact.KINDS else list(ints(source, 20))
        rows = padded([(value,) for value in values if value == value])
        tile = run_op(
            "bitcast", [(stored([r[0] for r in rows], source), f"{len(rows)}x{source}")], f"{len(rows)}x{target}"
        )
        got = np.ascontiguousarray(tile.data).view(np.uint8).reshape(len(rows), -1)
        for (value,), raw in zip(rows, got, strict=True):
            if raw.tobytes() != bits_of(value, source):
                yield f"{value} becomes {raw.tobytes().hex()}, not {bits_of(value, source).hex()}"


def _packing(name: str) -> None:
    @check("pack", name, "bytes, and back by unpack")
    def run() -> Iterable[str]:
        values = [row[0] for row in padded([(value,) for value in ints(name, 20)])]
        size = WIDTHS[name] // 8
        packed = run_op("pack", [(stored(values, name), f"{len(values)}x{name}")], f"{len(values) * size}xi8")
        raw = packed.data.tobytes()
        want = b"".join(value.to_bytes(size, "little", signed=True) for value in values)
        if raw != want:
            yield f"{values} becomes {raw.hex()}, not {want.hex()}"
        back = run_op("unpack", [(packed.data, f"{len(raw)}xi8")], f"{len(values)}x{name}")
        if plain(back, name) != values:
            yield f"{values} comes back as {plain(back, name)}"


@check("pack", "f4E2M1FN", "two numbers a byte, low end first")
def _pack_small() -> Iterable[str]:
    values = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.5, -1.0, -6.0, 0.0, 1.0, 2.0, 3.0, -3.0, 0.5]
    codes = [[0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0].index(abs(x)) | (8 if x < 0 else 0) for x in values]
    want = bytes(codes[i] | codes[i + 1] << 4 for i in range(0, 16, 2))
    got = run_op("pack", [(stored(values, "f4E2M1FN"), "16xf4E2M1FN")], "8xi8").data
    if got.tobytes() != want:
        yield f"{values} becomes {got.tobytes().hex()}, not {want.hex()}"
    back = plain(run_op("unpack", [(got, "8xi8")], "16xf4E2M1FN"), "f4E2M1FN")
    if back != values:
        yield f"{values} comes back as {back}"


def _register_floats() -> None:
    for source, target in itertools.permutations(ALL_FLOATS, 2):
        modes = ("ZERO", "POSITIVE_INF") if target == "f8E8M0FNU" else exact.MODES
        for mode in modes if source in FLOATS else modes[:1]:
            _float_to_float(source, target, mode)


def _register_ints() -> None:
    for whole, name, signedness in itertools.product(INTS, FLOATS, SIGNS):
        _int_to_float(whole, name, signedness)
        _float_to_int(name, whole, signedness, False)
        _float_to_int(name, whole, signedness, True)
    for source, target in itertools.permutations(("i1", "i4", *INTS), 2):
        _resize(source, target)


def _register_bits() -> None:
    for pair in (("f16", "i16"), ("bf16", "i16"), ("f32", "i32"), ("f64", "i64"), ("f16", "bf16")):
        _bitcast(*pair)
        _bitcast(*reversed(pair))
    for name in ("i16", "i32", "i64"):
        _packing(name)


_register_floats()
_register_ints()
_register_bits()
