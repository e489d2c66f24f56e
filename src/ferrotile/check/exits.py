"""Where control leaves a block early: returns are taken out where they can be, the rest is marked.

Law `early-return`. Before: `if c { return } else { .. }; rest; return`. After: `if c { } else { ..; rest }; return`.
A branch of the last `if` of a kernel that ends with `return` and one that ends with `yield` mean the same.
"""

from __future__ import annotations

from ferrotile.check.kernel import MAX_NESTING, Block, Exhausted, Kernel, Kind, Node


def settle_exits(kernel: Kernel) -> None:
    """Apply the law, then tell loops of their exits and mark what control may leave through."""
    _settle(kernel, kernel.body)
    if "early-return" in kernel.laws:
        kernel.nodes = kernel.body.all_nodes()
    for node in kernel.nodes:
        if node.kind is Kind.END:
            _mark(node)


def _settle(kernel: Kernel, block: Block) -> None:
    """Settle a block after which the kernel ends."""
    for _ in range(MAX_NESTING):
        place = next((k for k, node in enumerate(block.nodes) if _may_return(node)), None)
        if place is None:
            return
        node, rest = block.nodes[place], block.nodes[place + 1 : -1]
        ends = [inner.end.name if inner.end is not None else "yield" for inner in node.blocks]
        if "return" not in ends and rest:
            return
        kernel.laws.add("early-return")
        del block.nodes[place + 1 : -1]
        for inner, end in zip(node.blocks, ends, strict=True):
            if end == "yield":
                _append(kernel, node, inner, rest)
            _drop_return(inner)
        following = [inner for inner, end in zip(node.blocks, ends, strict=True) if end == "yield"]
        for inner in node.blocks:
            if inner not in following[:1]:
                _settle(kernel, inner)
        if not following:
            return
        block = following[0]
    raise Exhausted(f"more than {MAX_NESTING} early returns")


def _may_return(node: Node) -> bool:
    """Whether a node is an `if` that may return, or a last one without results."""
    if node.name != "if":
        return False
    return any(_returns(block) for block in node.blocks)


def _returns(block: Block) -> bool:
    """Whether a block, or a branch in it, ends with `return`."""
    end = block.end
    if end is not None and end.name == "return":
        return True
    return any(_may_return(node) for node in block.nodes)


def _append(kernel: Kernel, node: Node, block: Block, rest: list[Node]) -> None:
    """Move the rest of the outer block to the end of a branch; results of the `if` become what the branch yields."""
    end = block.end
    given = dict(zip(node.results, end.operands, strict=False)) if end is not None else {}
    if end is not None and rest:
        end.operands = ()
    position = len(block.nodes) - (end is not None)
    block.nodes[position:position] = rest
    for moved in rest:
        moved.parent = node
    if given:
        _replace(rest, given)


def _replace(nodes: list[Node], values: dict[int, int]) -> None:
    for node in nodes:
        node.operands = tuple(values.get(value, value) for value in node.operands)
        node.token = values.get(node.token, node.token)
        for block in node.blocks:
            _replace(block.nodes, values)


def _drop_return(block: Block) -> None:
    end = block.end
    if end is not None and end.name == "return":
        end.name, end.operands = "yield", ()


def always_leaves(node: Node) -> bool:
    """Whether control never comes behind an `if`: it leaves by either branch."""
    return node.name == "if" and node.exits and all(map(_leaves, node.blocks))


def _leaves(block: Block) -> bool:
    is_left = block.end is not None and block.end.name in ("break", "continue", "return")
    return is_left or any(map(always_leaves, block.nodes))


def _mark(node: Node) -> None:
    """Tell the loop that a `continue` or `break` belongs to, and mark the nodes between."""
    if node.name not in ("continue", "break", "return") or node.parent is None:
        return
    target = node.parent
    while node.name != "return" and target is not None and target.name not in ("for", "loop"):
        target = target.parent
    if node.name == "return":
        target = None
    if target is not None:
        (target.sites if node.name == "continue" else target.breaks).append(node)
    above: Node | None = node.parent
    while above is not None and above is not target:
        above.exits = True
        above = above.parent
