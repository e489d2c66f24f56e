"""`python -m ferrotile.host.render_codes FILE`: the tables of the ABI as the Rust file runtime/launch/src/codes.rs."""

from __future__ import annotations

import sys
from pathlib import Path

from ferrotile.core import store, tools
from ferrotile.host.abi import DTYPES
from ferrotile.host.templating import render


def codes_rust() -> str:
    """The text of codes.rs. Raises: FT001, FT002, FT003."""
    by_size: dict[int, list[int]] = {}
    for dtype in DTYPES:
        by_size.setdefault(dtype.size_bytes, []).append(dtype.number)
    sizes = [(size, numbers) for size, numbers in sorted(by_size.items()) if size != 1]
    return tools.format_rust(render("codes.rs.j2", sizes=sizes), edition="2021", layout="")


if __name__ == "__main__":
    store.write_text(Path(sys.argv[1]), codes_rust())
