"""Draw whole kernels: parameters, helpers, body, launch and spec."""

from __future__ import annotations

import pprint
from typing import Any

from hypothesis import strategies as st

from fuzzing import access, expressions, shapes, statements, windows
from fuzzing.forms import FORMS, tile
from fuzzing.kinds import BOOL, E4M3, E5M2, F32, FLOATS, I32, I64, INTS, U32, Kind
from fuzzing.program import KERNEL, Program
from fuzzing.scope import ArrayName, Helper, Name, Scope

_COMMON = (
    expressions.choice, expressions.converted, expressions.same_bits, expressions.called, access.gathered,
    windows.picked, *shapes.SHAPES,
)  # fmt: skip
_BINARY, _FOLD = expressions.binary, shapes.folded
FORMS.update({
    "int": (
        _BINARY, _BINARY, _BINARY, expressions.divided, expressions.divided, expressions.extreme, expressions.unary,
        _FOLD, shapes.running, expressions.product, shapes.counted, *_COMMON,
    ),
    "float": (
        _BINARY, _BINARY, expressions.product_sum, expressions.product_sum, expressions.extreme, expressions.unary,
        expressions.rounded, _FOLD, _FOLD, shapes.running, expressions.product, *_COMMON,
    ),
    "bool": (
        expressions.compared, expressions.compared, expressions.compared, expressions.logical, expressions.logical,
        expressions.choice, expressions.converted, expressions.called, access.gathered, *shapes.SHAPES,
    ),
    "narrow": (expressions.converted, expressions.converted, *shapes.SHAPES),
    "leaf": (access.loaded,),
})  # fmt: skip
"""The grammar: which forms give a type; one that stands twice is drawn twice as often. The first is the simplest."""

ARRAY_KINDS = (F32, I32, *FLOATS, *INTS, F32, I32, BOOL, E4M3, E5M2)
EXTENTS = (8, 16, 12, 5, 32, 17, 1, 24, 3)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Kernels with the launch and the spec that they are for."""
    author = _Author(Scope(draw))
    return author.write()


class _Author:
    """One kernel in the making: `given` says what the launch passes, `spec` what the front end is told."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.given: dict[str, Any] = {}
        self.spec: dict[str, str] = {}
        self.signature: list[str] = []
        self.aliased = False

    def write(self) -> Program:
        """All of it."""
        scope = self.scope
        scope.grid = (1 + scope.upto(2), *((1 + scope.upto(1),) if scope.one_in(3) else ()))
        self.aliased = scope.one_in(10)
        for number in range(2 + scope.upto(1)):
            self.array(f"x{number}", first=number == 0)
        for number in range(scope.upto(2)):
            self.scalar(f"s{number}")
        if scope.one_in(3):
            self.constant("N")
        scope.budget = 6 + scope.upto(18)
        head = [line for _ in range(scope.upto(1)) for line in self.helper()]
        scope.lines, scope.depth = ["    i = ct.bid(0)"], 1
        scope.names.append(Name("i", I32, (), fixed=True))
        statements.assigned(scope)
        statements.block(scope, 6)
        self.close()
        return self.program(head)

    def array(self, text: str, *, first: bool) -> None:
        """An array parameter and what is known of it beforehand."""
        scope = self.scope
        kind = scope.pick(ARRAY_KINDS)
        rank = 1 if first else 1 + scope.upto(2)
        shape = tuple(scope.pick(EXTENTS if rank < 3 else EXTENTS[:4]) for _ in range(rank))
        fixed = tuple(scope.one_in(5) for _ in shape)
        layout = "column" if rank > 1 and scope.one_in(6) else "row"
        index = I64 if scope.one_in(16) else I32
        words = [self.extent(extent, is_fixed) for extent, is_fixed in zip(shape, fixed, strict=True)]
        spec = f'"{kind.name}[{", ".join(words)}]"'
        group = ', alias_groups = ["g"]' if self.aliased else ""
        if layout == "column" or index != I32 or group or scope.one_in(8):
            strides = ["1"] + ['"_"'] * (rank - 1) if layout == "column" else ['"_"'] * (rank - 1) + ["1"]
            quoted = [word if word.isdigit() else f'"{word}"' for word in words]
            more = group + (f', index = "{index.name}"' if index != I32 else "")
            spec = f'{{ dtype = "{kind.name}", shape = [{", ".join(quoted)}], stride = [{", ".join(strides)}]{more} }}'
        holds = "places" if kind.group == "int" and scope.one_in(3) else "values"
        self.given[text] = {"kind": kind.name, "shape": shape, "layout": layout, "holds": holds, "index": index.name}
        self.spec[text] = spec
        self.signature.append(text)
        scope.arrays.append(ArrayName(text, kind, shape, tuple(not is_fixed for is_fixed in fixed), index))

    def extent(self, extent: int, is_fixed: bool) -> str:
        """What the spec says of an extent."""
        if is_fixed:
            return str(extent)
        factors = [f"*{factor}" for factor in (16, 8, 4) if extent % factor == 0]
        return self.scope.pick(["_", *factors])

    def scalar(self, text: str) -> None:
        """A number that is given at launch."""
        scope = self.scope
        kind: Kind = scope.pick([I32, I32, F32, I32, I64, U32, BOOL])
        value: Any = scope.upto(4)
        value = bool(value % 2) if kind == BOOL else value * 0.5 if kind == F32 else value
        self.given[text], self.spec[text] = (kind.name, value), f'"{kind.name}"'
        self.signature.append(text)
        scope.names.append(Name(text, kind, (), fixed=True))

    def constant(self, text: str) -> None:
        """A constant parameter."""
        value = self.scope.pick([4, 8, 2, 16])
        self.given[text], self.spec[text] = value, str(value)
        self.signature.append(f"{text}: ct.Constant[int]")
        self.scope.constants[text] = value

    def helper(self) -> list[str]:
        """A function that the kernel calls; it may return early."""
        outer = self.scope
        kind, shape = outer.pick([F32, I32, *FLOATS]), outer.pick([(8,), (4,), (4, 8), ()])
        given = [(kind, shape), *((outer.pick([(kind, shape), (I32, ()), (BOOL, ())]),) * outer.upto(1))]
        names = [Name("abc"[number], *parameter) for number, parameter in enumerate(given)]
        inner = Scope(outer.draw, names=list(names), in_helper=True, budget=6)
        text = outer.new("helper")
        lines = [f"def {text}({', '.join(name.text for name in names)}):"]
        if outer.one_in(3):
            lines += [f"    if {tile(inner, BOOL, ())}:", f"        return {tile(inner, kind, shape)}"]
        lines += [f"    return {tile(inner, kind, shape)}", "", ""]
        outer.helpers.append(Helper(text, tuple(given), kind, shape))
        return lines

    def close(self) -> None:
        """Store what was computed, so that it matters."""
        scope = self.scope
        for name in [name for name in reversed(scope.names) if not name.fixed][:3]:
            array = scope.pick([array for array in scope.arrays if array.text.startswith("x")])
            shape = access.fitted(name.shape, array.rank)
            assert shape is not None
            text = name.text
            if name.kind != array.kind:
                via = F32 if {name.kind, array.kind} & {E4M3, E5M2} or array.kind == BOOL else None
                text += f".astype({via})" if via not in (None, name.kind) and name.kind not in FLOATS else ""
                text = f"({text} > 0)" if array.kind == BOOL else f"{text}.astype({array.kind})"
            text += f".reshape({scope.tuple(shape)})" if shape != name.shape else ""
            scope.write(access.stored(scope, array, text, shape))

    def program(self, head: list[str]) -> Program:
        """The two texts."""
        launch = {"grid": self.scope.grid, "parameters": self.given, "seed": self.scope.upto(1000)}
        body = "\n".join(self.scope.lines)
        start = "import cuda.tile as ct\n\nLAUNCH = " + pprint.pformat(launch, width=110, sort_dicts=False)
        text = "\n".join([start, "", "", *head, "@ct.kernel", f"def {KERNEL}({', '.join(self.signature)}):", body, ""])
        rows = "\n".join(f"{name} = {word}" for name, word in self.spec.items())
        return Program(text, f'[[specialization]]\nkernel = "{KERNEL}"\n[specialization.parameters]\n{rows}\n')
