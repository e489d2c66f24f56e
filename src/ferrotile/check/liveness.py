"""Which nodes and carried values matter: everything that an effect, or a decision about one, reads.

Law `dead-code`: a pure operation, a carried value or a result of an `if` that nothing live reads is left out.
"""

from __future__ import annotations

from ferrotile.check.kernel import Block, Kernel, Kind, Node


def mark_live(kernel: Kernel) -> None:
    """Set `live` on nodes and fill `live_values`. Linear in the number of uses."""
    _Marker(kernel).run()


class _Marker:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.work: list[int] = []

    def run(self) -> None:
        for node in self.kernel.nodes:
            if node.kind is Kind.EVENT or (node.name == "return" and node.parent is not None):
                self._need_node(node)
        while self.work:
            self._follow(self.work.pop())
        if any(not node.live and node.kind is not Kind.END for node in self.kernel.nodes):
            self.kernel.laws.add("dead-code")

    def _need(self, *values: int) -> None:
        for value in values:
            if value >= 0 and value not in self.kernel.live_values:
                self.kernel.live_values.add(value)
                self.work.append(value)

    def _need_node(self, node: Node | None) -> None:
        while node is not None and not node.live:
            node.live = True
            if node.name == "for":
                self._need(*node.operands[:3])
            elif node.name == "if":
                self._need(node.operands[0])
            elif node.kind not in (Kind.CONTROL, Kind.END):
                self._need(node.token, *node.operands)
            if node.kind is Kind.BODY:
                self._need(*_end_operands(node.blocks[0]))
            for site in (*node.sites, *node.breaks):
                self._need_node(site)
            node = node.parent

    def _follow(self, value: int) -> None:
        found = self.kernel.definitions[value]
        node = found.node
        if node is None:
            return
        self._need_node(node)
        if node.name == "if":
            for block in node.blocks:
                end = block.end
                if end is not None and end.name == "yield":
                    self._need(end.operands[found.index])
        elif node.name == "for":
            self._carried(node, found.index - (1 if found.is_argument else 0))
        elif node.name == "loop":
            if found.is_argument:
                self._carried(node, found.index)
            else:
                self._need(*(site.operands[found.index] for site in node.breaks))

    def _carried(self, node: Node, index: int) -> None:
        """Carried value `index` of a loop: its first value, and what each `continue` passes on."""
        if index < 0:
            return
        self._need(node.operands[index + (3 if node.name == "for" else 0)])
        self._need(*(site.operands[index] for site in node.sites))


def _end_operands(block: Block) -> tuple[int, ...]:
    return block.end.operands if block.end is not None else ()
