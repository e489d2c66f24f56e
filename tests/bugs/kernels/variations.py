"""Faults of the same kinds in other clothes; `# wrong` marks where `interpret` must point."""

import cuda.tile as ct


@ct.kernel
def stencil_in_place(x, TILE: ct.Constant[int]):
    """Add to each element its right neighbour, which another block may have changed already."""
    places = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    total = ct.gather(x, places) + ct.gather(x, places + 1)
    ct.scatter(x, places, total)  # wrong


@ct.kernel
def promised_store(x, TILE: ct.Constant[int]):
    """Store a tile that hangs over the end, and promise that it does not."""
    ct.store(x, index=(ct.bid(0),), tile=ct.ones((TILE,), dtype=ct.float32), check_bounds=False)  # wrong


@ct.kernel
def beyond_the_last_tile(x, TILE: ct.Constant[int]):
    """Store a tile that lies wholly behind the end."""
    ct.store(x, index=(ct.bid(0) + 1,), tile=ct.ones((TILE,), dtype=ct.float32))  # wrong


@ct.kernel
def branch_on_padding(x, TILE: ct.Constant[int]):
    """Store where the largest element of a tile, padding included, is positive."""
    value = ct.load(x, index=(ct.bid(0),), shape=(TILE,))  # wrong
    if ct.max(value).item() > 0.0:
        ct.store(x, index=(0,), tile=1.0)


@ct.kernel
def sum_into_nothing(x, TILE: ct.Constant[int]):
    """Add atomically to an array that nothing has set to zero."""
    ct.atomic_add(x, ct.bid(0) + ct.arange(TILE, dtype=ct.int32), 1.0)  # wrong


@ct.kernel
def lanes_collide(x, TILE: ct.Constant[int]):
    """Store two lanes at one place."""
    lanes = ct.arange(TILE, dtype=ct.int32)
    ct.scatter(x, ct.bid(0) * TILE + lanes // 2, lanes.astype(ct.float32))  # wrong


@ct.kernel
def behind_the_end(x, TILE: ct.Constant[int]):
    """Store behind the end of an array that is part of a larger one."""
    places = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(x, places, 1.0, check_bounds=False)  # wrong


@ct.kernel
def after_the_release(x, TILE: ct.Constant[int]):
    """Write plainly what other blocks add to, after the last atomic operation that orders blocks."""
    ct.atomic_add(x, 0, 1.0)
    ct.scatter(x, 0, 2.0)  # wrong
