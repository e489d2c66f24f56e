"""Each fault of cutile twice: as anyone would write it, and as it must be written to mean that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ferrotile import ir
from ferrotile.ir.access import wrap
from ferrotile.ir.types import ScalarType
from ferrotile.lower import RustSource, TensorSpec, lower

RUST = """\
#[cutile::module]
pub mod found {{
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn found(x: &Tensor<f32, {{ {x} }}>, y: &mut Tensor<f32, {{ {y} }}>) {{
        {body}
    }}
}}
"""
VECTOR = "let t = x.partition(const_shape![16]).load([0i32]);\n        "
MATRIX = "let t = x.partition(const_shape![4, 8]).load([0i32, 0i32]);\n        "
LANES = "let i: Tile<i32, { [16] }> = iota(const_shape![16]);\n        "
ADDED = "let r: Tile<f32, { [16] }> = itof(i + c, rounding::NearestEven);\n        y.store(r);"


@dataclass(frozen=True)
class Pair:
    """A naive body and one that says the same and comes out right, with the shapes of `x` and `y`."""

    naive: str
    right: str
    x: str = "[-1]"
    y: str = "[16]"
    spec: TensorSpec | None = None
    right_spec: TensorSpec | None = None
    mend: Callable[[ir.Module], None] | None = None

    def source(self, *, naive: bool) -> RustSource:
        """The request for one of the two."""
        body = self.naive if naive else self.right
        text = RUST.format(body=body, x=self.x, y=self.y)
        ranks = {"x": self.x.count(",") + 1, "y": self.y.count(",") + 1}
        strides = tuple((name, (-1,) * (rank - 1) + (1,)) for name, rank in ranks.items())
        spec = self.spec if naive else self.right_spec
        specs = (("x", spec or TensorSpec.unknown(ranks["x"])), ("y", TensorSpec.unknown(ranks["y"])))
        return RustSource(text, "kernel.rs", "found", "found", strides=strides, specs=specs)

    def bytes(self, *, naive: bool) -> bytes:
        """One of the two as bytecode."""
        data = lower(self.source(naive=naive), "sm_90").bytecode
        if naive or self.mend is None:
            return data
        module = ir.decode(data)
        self.mend(module)
        return ir.encode(module)


def _constant(element: str, literal: str, right: str, before: str = "") -> Pair:
    """A number that is added to lane numbers."""
    body = f"{LANES.replace('i32', element)}{before}let c: Tile<{element}, {{ [16] }}> = @;\n        {ADDED}"
    return Pair(body.replace("@", f"constant({literal}, const_shape![16])"), body.replace("@", right))


def _float(element: str, literal: str, right: str) -> Pair:
    """A number of a narrow type that is widened and added."""
    body = f"{VECTOR}let c: Tile<{element}, {{ [16] }}> = constant(@, const_shape![16]);\n        "
    body += "let r: Tile<f32, { [16] }> = convert_tile(c);\n        y.store(t + r);"
    return Pair(body.replace("@", literal), body.replace("@", right))


def _either(body: str, naive: str, right: str, **more: Any) -> Pair:
    return Pair(body.replace("@", naive), body.replace("@", right), **more)


def _folded(call: str, **attributes: object) -> Pair:
    """A reduction or scan; what is right cannot be written, so the bytecode is mended."""

    def mend(module: ir.Module) -> None:
        (op,) = [op for op in module.entries[0].walk() if op.name in ("cuda_tile.scan", "cuda_tile.reduce")]
        op.properties.update({name: wrap(value) for name, value in attributes.items()})

    if call.startswith("scan"):
        body = f"{MATRIX}let r: Tile<f32, {{ [4, 8] }}> = {call};\n        y.store(r);"
        return Pair(body, body, "[-1, -1]", "[4, 8]", mend=mend)
    body = f"{VECTOR}let r: Tile<f32, {{ [] }}> = {call};\n        "
    body += "y.store(r.reshape(const_shape![1]).broadcast(const_shape![16]));"
    return Pair(body, body, mend=mend)


ONE = (ir.FloatAttr(ScalarType("f32"), 0x3F800000),)
ROW = VECTOR.replace("16", "1, 16").replace("[0i32]", "[0i32, 0i32]")
MASK = VECTOR + "let m: Tile<bool, { [16] }> = @;\n        y.store(select(m, t, t + t));"
QUOTIENT = VECTOR + "let r: Tile<f32, { [16] }> = @;\n        y.store(r);"
EXTENT = ROW + (
    "let n: i32 = @;\n        let n: Tile<f32, { [] }> = itof(scalar_to_tile(n), rounding::NearestEven);\n"
    "        y.store(t + n.reshape(const_shape![1, 1]).broadcast(const_shape![1, 16]));"
)
FIXED: Any = {"x": "[64, -1]", "y": "[1, 16]"}
SIXTEEN = "constant(@, const_shape![16])"
SIGNED = "let s: Tile<i32, { [16] }> = constant(-2147483648i32, const_shape![16]);\n        "
POINTERS = """let p: *mut f32 = x.as_ptr();
        let p: PointerTile<*mut f32, { [] }> = pointer_to_tile(p);
        let p: PointerTile<*mut f32, { [1] }> = p.reshape(const_shape![1]);
        let p: PointerTile<*mut f32, { [16] }> = p.broadcast(const_shape![16]);
        let i: Tile<i32, { [16] }> = iota(const_shape![16]);
        let n: Tile<i32, { [16] }> = constant(7i32, const_shape![16]);
        let m: Tile<bool, { [16] }> = lt_tile(i, n);
        let p: PointerTile<*mut f32, { [16] }> = p.offset_tile(i);
        let r: Tile<f32, { [16] }> = read(p, @);
        y.store(r);
    }

    fn read(p: PointerTile<*mut f32, { [16] }>, m: #) -> Tile<f32, { [16] }> {
        let r: (Tile<f32, { [16] }>, Token) =
            load_ptr_tko(p, ordering::Weak, None::<scope::TileBlock>, ~, None, None, Latency::<0>);
        r.0"""


def _given(given: str, kind: str, used: str) -> str:
    return POINTERS.replace("@", given).replace("#", kind).replace("~", used)


MASKED = "Tile<bool, { [16] }>"
PAIRS: dict[str, Pair] = {
    "F16": Pair(_given("Some(m)", f"Option<{MASKED}>", "m"), _given("m", MASKED, "Some(m)")),
    "F1": _either(MASK.replace("@", SIXTEEN), "false", "0"),
    "F2": _constant("u32", "2147483648u32", "bitcast(s)", SIGNED),
    "F3": _constant("i32", "i32::ONE", "constant(1i32, const_shape![16])"),
    "F4": _float("bf16", "bf16::ONE", "1.0"),
    "F5": _float("f8e4m3fn", "1.0", "f8e4m3fn::ONE"),
    "F6-start": _folded("scan(t, 0i32, reverse::Forward, 1.0f32, |a, b| a * b)", identities=ONE),
    "F6-axis": _folded("scan_sum(t, 1i32, reverse::Forward, 0.0f32)", dim=1),
    "F6-reduce": _folded("reduce(t, 0i32, 1.0f32, |a, b| a * b)", identities=ONE),
    "F7": Pair(
        ROW + "y.store(t);",
        ROW + "y.store(t);",
        **FIXED,
        spec=TensorSpec((64, 1), (1, 1), (False, True)),
        right_spec=TensorSpec((1, 1), (1, 1), (False, True)),
    ),
    "F9": _either(MASK, "ne_tile(t, t)", "cmpf(t, t, predicate::NotEqual, cmp_ordering::Unordered)"),
    "F10": _either(QUOTIENT, "true_div(t, t)", "t / t"),
    "F12": _either(EXTENT, "x.shape()[0]", "64i32", **FIXED),
}

OWN: dict[str, Pair] = {
    "F1": _either(MASK.replace("@", SIXTEEN), "true", "0"),
    "F2": _constant("u32", "0u32", "bitcast(s)", SIGNED),
    "F3": _constant("i32", "0i32", "constant(1i32, const_shape![16])"),
    "F4": _float("bf16", "1.875", "1.0"),
    "F5": _float("f8e4m3fn", "f8e4m3fn::ZERO", "f8e4m3fn::ONE"),
    "F6-start": _folded("scan(t, 0i32, reverse::Forward, 0.0f32, |a, b| a * b)", identities=ONE),
    "F6-axis": _folded("scan_sum(t, 0i32, reverse::Forward, 0.0f32)", dim=1),
    "F6-reduce": _folded("reduce(t, 0i32, 2.0f32, |a, b| a * b)", identities=ONE),
    "F7": Pair(
        ROW + "y.store(t);",
        ROW + "y.store(t);",
        x="[-1, -1]",
        y="[1, 16]",
        spec=TensorSpec((1, 64), (1, 1), (False, True)),
        right_spec=TensorSpec((1, 1), (1, 1), (False, True)),
    ),
    "F9": _either(
        MASK,
        "cmpf(t, t, predicate::NotEqual, cmp_ordering::Ordered)",
        "cmpf(t, t, predicate::NotEqual, cmp_ordering::Unordered)",
    ),
    "F9-elsewhere": Pair(
        MASK.replace("@", "ne_tile(t, t)").replace("t + t", "t - t"),
        MASK.replace("@", "ne_tile(t, t)"),
    ),
    "F10": _either(QUOTIENT, "divf(t, t, rounding::Approx, ftz::Enabled)", "t / t"),
    "F12": Pair(EXTENT.replace("@", "x.shape()[0]"), EXTENT.replace("@", "64i32"), x="[-1, -1]", y="[1, 16]"),
}
"""What looks like a fault of the compiler, but is what the Rust text asks for."""
