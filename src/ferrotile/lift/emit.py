"""Write one entry: the state that all handlers share, and the rules for what becomes a variable.

A pure value with one use is written where it is used; a value that the source names, that is used more than once, or
whose type the compiler cannot see from inside an expression gets a `let`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from xdsl.ir import Block as IrBlock
from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported, at
from ferrotile.core.style import Style
from ferrotile.ir import Effect, Refusal, attribute, operand, operands, place, row
from ferrotile.ir.enums import Signedness
from ferrotile.lift.forms import ARITHMETIC, SHORT, Template, templates
from ferrotile.lift.limits import require_readable
from ferrotile.lift.liveness import Liveness, holds, is_nested, is_repeated
from ferrotile.lift.names import Names
from ferrotile.lift.parameters import Part
from ferrotile.lift.recipes import Recipes
from ferrotile.lift.rust import SIGNED, Block, Expr, Form, Level, RustType, rust_type, with_sign
from ferrotile.lift.source import Annotations

Handler = Callable[["Writer", Operation], bool | None]
HANDLERS: dict[str, Handler] = {}
"""What writes an operation that is more than an expression over its operands, by mnemonic."""

LONGEST_FOLD = 100
"""Characters after which a folded expression gets a variable of its own."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register a handler."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


class Writer:
    """Everything known while one entry is written."""

    def __init__(
        self,
        entry: Operation,
        annotations: Annotations,
        parts: Sequence[Part],
        reserved: Iterable[str],
        *,
        style: Style,
    ) -> None:
        self.annotations = annotations
        self.recipes = Recipes(entry, parts, enabled=not style.is_literal)
        self.live = Liveness(entry, self.recipes.operands_of)
        self.names = Names(reserved)
        self.values: dict[SSAValue, Expr] = {}
        self.tokens: dict[SSAValue, str | None] = {}
        self.targets: dict[SSAValue, str] = {}
        self.pending: dict[SSAValue, Expr] = {}
        self.passed: dict[SSAValue, SSAValue] = {}
        self.loops: list[tuple[list[SSAValue], list[str | None]]] = []
        self.branches: list[tuple[Operation, list[str | None]]] = []
        self.before_loops: list[dict[str, str]] = []
        """Declarations to stand before each loop that is being written, by variable."""
        self.block = Block()
        self.start_token: str | None = None
        self.imports = {"cutile::core::*", "ferrotile_prelude::prelude::*"}
        self.now = 0
        self.op: Operation | None = None
        self.until = float("inf")
        self.longest_fold = LONGEST_FOLD
        self.early: list[Operation] = []
        self.style = style
        self.unsafe_count = 0
        self.functions: dict[str, str] = {}
        self.shadowed = False
        """Whether the kernel defines a `max` or `min` of its own; then cutile's are not called by name."""

    # -- reading values -------------------------------------------------------------------------------------------

    def expr(self, value: SSAValue) -> Expr:
        """The expression that stands for a value here."""
        self.pending.pop(value, None)
        return self.values[value]

    def scalar(self, value: SSAValue) -> Expr:
        """A rank-0 value as a Rust number; one that is a tile gets a variable."""
        expr = self.expr(value)
        if expr.type.form is not Form.TILE:
            return expr
        type_ = RustType(Form.SCALAR, expr.type.element)
        until = max(min(self.live.last(value), self.until), self.now + 0.5)
        name = self.names.take(self.annotations.name(value), self.now, until)
        self.block.add(f"let {name}: {type_} = tile_to_scalar({self.named(expr, value).text});")
        self.values[value] = Expr(name, type_, reads=frozenset({name}))
        return self.values[value]

    def tile(self, value: SSAValue) -> Expr:
        """A value as a Rust tile."""
        expr = self.expr(value)
        if expr.type.form is not Form.SCALAR:
            return expr
        return Expr(f"tile_of({expr.text})", expr.type.as_tile(), reads=expr.reads)

    def signed(self, expr: Expr, unsigned: bool) -> Expr:
        """The same bits under the element of the wanted signedness."""
        element = with_sign(expr.type.element, unsigned)
        if element == expr.type.element:
            return expr
        type_ = expr.type.of(element)
        expr = self.stable(expr, stem="signless")
        name = self.names.take("bits", self.now, self.now + 1)
        if expr.type.form is Form.SCALAR:
            self.block.add(f"let {name}: {type_.as_tile()} = bitcast(tile_of({expr.text}));")
            self.block.add(f"let {name}: {type_} = tile_to_scalar({name});")
        else:
            self.block.add(f"let {name}: {type_} = bitcast({expr.text});")
        return Expr(name, type_, reads=frozenset({name}))

    def stable(self, expr: Expr, value: SSAValue | None = None, stem: str = "value") -> Expr:
        """The expression, with a variable of its own if the compiler cannot see its type from inside another one."""
        if not expr.opaque:
            return expr
        wanted = self.annotations.name(value) if value is not None else stem
        name = self.names.take(wanted, self.now, self.now + 1, reuse=self._reads_alone(value, wanted))
        self.block.add(f"let {name}: {expr.type} = {expr.text};")
        return Expr(name, expr.type, reads=frozenset({name}))

    def _reads_alone(self, value: SSAValue | None, name: str) -> bool:
        """Whether no other operand of the operation that is being written reads a variable; one given twice does."""
        if value is None or self.op is None:
            return False
        operands = list(self.recipes.operands_of(self.op))
        others = [self.values.get(other) for other in operands if other is not value]
        if operands.count(value) > 1:
            others.append(self.values.get(value))
        return not any(other is not None and name in other.reads for other in others)

    def named(self, expr: Expr, value: SSAValue | None = None, stem: str = "value") -> Expr:
        """The expression as a variable: inside `Some(..)` the compiler sees the type of nothing else."""
        if expr.text.isidentifier():
            return expr
        return self.stable(replace(expr, opaque=True), value, stem)

    # -- writing values -------------------------------------------------------------------------------------------

    def define(self, value: SSAValue, expr: Expr, op: Operation) -> None:
        """Give a pure value its expression: a variable now, or text at its only use."""
        if not self.live.is_used(value):
            return
        if self.due_in(value, expr.type) is None and self._folds(value, expr, op):
            self.values[value] = self.pending[value] = expr
            for name in expr.reads:
                self.names.hold(name, self.live.last(value))
            return
        self.let(value, expr)

    def let(self, value: SSAValue, expr: Expr, *, early: bool = False) -> None:
        """Write `let name: type = expr;` and let the value go by that name; `early`: before what is being written."""
        name = self.due_in(value, expr.type)
        if name is not None:
            self.assign(name, expr)
        else:
            wanted = self.annotations.name(value)
            name = self.names.take(wanted, self.now, self.live.last(value), reuse=not early)
            annotation = "" if expr.type.form is Form.SCALAR and not expr.opaque else f": {expr.type}"
            self.in_order()
            self.block.add(self.annotations.line(f"let {name}{annotation} = {expr.text};", value.owner))
        self.values[value] = Expr(name, expr.type, reads=frozenset({name}))

    def due_in(self, value: SSAValue, type_: RustType) -> str | None:
        """The carried variable that a value is computed into; one of another type takes it at the end of the round."""
        name = self.targets.get(value)
        if name is not None and self.names.mutable.get(name, type_) != type_:
            del self.targets[value]
            return None
        return name

    def alias(self, value: SSAValue, expr: Expr, op: Operation) -> None:
        """Let a value that `op` does not change go by the expression of its operand, for as long as it is needed.

        A variable that may be assigned in between gives its value to one of its own.
        """
        if expr.reads & self.names.mutable.keys() and self.live.is_used(value):
            self.let(value, expr)
        elif expr.text.isidentifier() or expr.cheap or not expr.reads:
            self.values[value] = expr
            for name in expr.reads:
                self.names.hold(name, self.live.last(value))
        else:
            self.define(value, expr, op)

    def in_order(self) -> None:
        """Write what waits and computes a tile: the compiler schedules by order, so the order of the source stays."""
        for value, expr in list(self.pending.items()):
            waits = expr.heavy and self.pending.pop(value, None) is not None
            if waits and self.live.last(value) >= self.now:
                self.let(value, expr, early=True)

    def assign(self, name: str, expr: Expr) -> None:
        """Write `name = expr;`, after giving a variable to waiting text that reads the old value."""
        self.settle({name}, keep=expr)
        self.in_order()
        if expr.text != name:
            self.block.add(f"{name} = {expr.text};")

    def may_go_on(self, name: str, value: SSAValue, result: SSAValue) -> bool:
        """Whether the variable of `value` may hold a result: no other round reads it, no other value is due in it."""
        op = result.owner
        assert isinstance(op, Operation)
        owners = [other.owner for other, target in self.targets.items() if target == name and other is not result]
        is_due = any(self.live.start[owner] >= self.live.start[op] for owner in owners if isinstance(owner, Operation))
        return not is_due and not is_repeated(op, value)

    def settle(self, names: set[str], keep: Expr | None = None) -> None:
        """Write what waits and reads one of `names`."""
        for value, expr in list(self.pending.items()):
            if expr is keep or not (expr.reads & names):
                continue
            if self.pending.pop(value, None) is not None and self.live.last(value) > self.now:
                self.let(value, expr, early=True)

    @contextmanager
    def nested(self, op: Operation) -> Iterator[Block]:
        """Write a block of `op`; what it binds is forgotten behind it, as Rust forgets its variables."""
        self._settle_around(op)
        outer = self.block, self.values, self.tokens, self.until
        waiting = self.pending
        self.block, self.until = Block(), self.live.end[op]
        self.values, self.tokens, self.pending = dict(self.values), dict(self.tokens), dict(waiting)
        yield self.block
        self.pending = {value: expr for value, expr in waiting.items() if value in self.pending}
        self.block, self.values, self.tokens, self.until = outer

    def _settle_around(self, op: Operation) -> None:
        """Write what waits, is read behind `op`, and reads a variable that `op` may assign."""
        for value, expr in list(self.pending.items()):
            is_outside = not all(holds(op, user) for user in self.live.users(value))
            if is_outside and expr.reads & self.names.mutable.keys() and self.pending.pop(value, None) is not None:
                self.let(value, expr, early=True)

    def _folds(self, value: SSAValue, expr: Expr, op: Operation) -> bool:
        if expr.cheap:
            return True
        users = self.live.users(value)
        home = op.parent_block()
        assert home is not None
        if len(users) != 1 or self.live.use_count(value) != 1:
            return False
        user = users[0]
        if row(user).name in ("for", "loop") and user.parent_block() is home and self._starts(value, user):
            return True
        if self.style.is_literal or (expr.opaque and not expr.is_operand) or value in self.annotations.names:
            return False
        return len(expr.text) <= self.longest_fold and not is_nested(user, home)

    @staticmethod
    def _starts(value: SSAValue, loop: Operation) -> bool:
        return any(value is start for start in operands(loop, "initValues"))

    def fresh_token(self) -> str:
        """The token that stands for no access; declared before all else, so by a name that nothing has had."""
        if self.start_token is None:
            self.start_token = self.names.fresh("start")
        return self.start_token

    # -- walking --------------------------------------------------------------------------------------------------

    def body(self, block: IrBlock, first: Operation | None = None) -> bool:
        """Write the operations of a block, from `first` on; true when one of them wrote what follows the block too."""
        op = first if first is not None else block.first_op
        while op is not None:
            self.now, self.op = self.live.start[op], op
            if self.operation(op):
                return True
            op = op.next_op
        return False

    def operation(self, op: Operation) -> bool:
        """Write one operation; true when it has written the rest of its block too."""
        spec = row(op)
        for line in self.annotations.comments_before(op):
            self.block.add(f"// {line}")
        pure = spec.effect in (Effect.PURE, Effect.ORDER)
        if pure and not any(self.live.is_used(result) for result in op.results):
            return False
        with at(place(op)), self.annotations.lines(self.block.items, op):
            return bool(HANDLERS.get(spec.name, Writer.plain)(self, op))

    def plain(self, op: Operation) -> None:
        """Write an operation that is an expression over its operands, from its row."""
        spec = row(op)
        if not isinstance(spec.rust, str | tuple):
            raise refused(op, spec.rust)
        require_readable(op)
        type_ = rust_type(op.results[0].type)  # pyright: ignore[reportArgumentType]
        attributes = {item.name: attribute(op, item.name) for item in spec.attributes} | {"element": type_.element}
        given = {slot.name: operand(op, slot.name) for slot in spec.operands}
        values = {name: value for name, value in given.items() if value is not None}
        is_scalar = type_.shape == () and all(self.values[v].type.form is Form.SCALAR for v in values.values())
        forms = templates(spec.rust)
        forms = [f for f in forms if (f.operator is None and f.on != "scalar") or not self._has(SHORT, values)]
        forms = [f for f in forms if not (self.shadowed and f.text.startswith(("max(", "min(")))]
        plain = [f for f in forms if f.operator not in ARITHMETIC or not self._has(("bool",), values)]
        form = next((f for f in plain if f.suits(attributes, True)), None) if is_scalar else None
        scalar = form is not None and (form.operator is not None or form.on == "scalar")
        if not scalar:
            form = next((f for f in forms if f.suits(attributes, False)), None)
        if form is None:
            raise Unsupported("FT302", f"`{spec.name}` has no Rust form with these attributes", at=place(op))
        self._keep_order(values.values())
        read = self.expr if scalar else self.tile
        exprs = {name: self._operand(read(value), value, form) for name, value in values.items()}
        is_either = form.text.startswith("less_unsigned")
        exprs = self._agree(exprs, None if is_either else attributes.get("signedness"))
        result = self._result_type(op, type_, exprs, scalar)
        expr = form.fill(exprs, attributes, result)
        beside_constant = any(operand_.opaque for operand_ in exprs.values())
        expr = replace(expr, heavy=result.form is Form.TILE, opaque=beside_constant, is_operand=beside_constant)
        self.unsafe_count += form.is_unsafe
        self.define(op.results[0], _opaque(expr, exprs, spec.name, form.operator), op)

    def _operand(self, expr: Expr, value: SSAValue, form: Template) -> Expr:
        """An operand of a form: a constant may stand beside an operator, elsewhere it needs a variable."""
        return expr if form.operator is not None and expr.is_operand else self.stable(expr, value)

    def _keep_order(self, values: Iterable[SSAValue]) -> None:
        """Give variables to waiting operands that the text would compute in another order."""
        waiting = [value for value in values if value in self.pending and self.pending[value].heavy]
        places = [self.live.start[value.owner] for value in waiting if isinstance(value.owner, Operation)]
        if places == sorted(places):
            return
        for _, value in sorted(zip(places, waiting, strict=True), key=lambda pair: pair[0]):
            expr = self.pending.pop(value, None)
            if expr is not None:
                self.let(value, expr, early=True)

    def _has(self, elements: Collection[str], values: dict[str, SSAValue]) -> bool:
        """Whether one of the operands has one of these element types."""
        return any(self.values[value].type.element in elements for value in values.values())

    def _agree(self, exprs: dict[str, Expr], signedness: object) -> dict[str, Expr]:
        """Integer operands under one signedness: the operation's, else the first operand's; a sum of products signed.

        cutile takes and gives such a sum as a signed number, whatever the factors are.
        """
        if "acc" in exprs:
            factors = {name: expr for name, expr in exprs.items() if name != "acc"}
            return {**exprs, **self._agree(factors, signedness), "acc": self.signed(exprs["acc"], unsigned=False)}
        elements = [expr.type.element for expr in exprs.values() if expr.type.element[0] in "iu"]
        if not elements or any(not element[1:].isdigit() for element in elements):
            return exprs
        unsigned = elements[0][0] == "u" if signedness is None else signedness is Signedness.Unsigned
        return {name: self.signed(expr, unsigned) for name, expr in exprs.items()}

    @staticmethod
    def _result_type(op: Operation, type_: RustType, exprs: dict[str, Expr], scalar: bool) -> RustType:
        """The operand's element where the result has the same one: its signedness goes on."""
        if row(op).name == "ftoi":
            unsigned = attribute(op, "signedness") is Signedness.Unsigned
            return type_.of(with_sign(type_.element, unsigned))
        for expr in reversed(exprs.values()):
            same = with_sign(expr.type.element, False) == type_.element
            if same and type_.element != "bool":
                type_ = type_.of(expr.type.element)
                break
        return RustType(Form.SCALAR, type_.element) if scalar else type_


ELEMENTWISE_OPAQUE = frozenset(
    """
    ftof ftoi itof exti trunci bitcast ptr_to_ptr int_to_ptr ptr_to_int offset permute cat extract pack unpack iota
    """.split()
)
"""Operations whose result type does not follow from their operands: the compiler wants it on a `let`."""


def _opaque(expr: Expr, operands_: dict[str, Expr], name: str, operator: str | None) -> Expr:
    if operator is not None or name not in ELEMENTWISE_OPAQUE:
        return expr
    return replace(expr, opaque=True)


def refused(op: Operation, reason: Refusal | str | tuple[str, ...] | None) -> Unsupported:
    """The refusal of an operation that has no Rust form."""
    name = row(op).name
    if isinstance(reason, Refusal):
        return Unsupported(reason.code, f"`{name}`: {reason.why}", at=place(op))
    return Unsupported("FT302", f"`{name}` has no Rust form yet", at=place(op))


__all__ = ["HANDLERS", "SIGNED", "Expr", "Level", "Writer", "handles", "refused"]
