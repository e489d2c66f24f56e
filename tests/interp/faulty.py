"""Kernels with one fault each, and the same kernel without it. The faulty line ends with `# fault`."""

import cuda.tile as ct


@ct.kernel
def copies_without_padding(x, y, T: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(T,))
    total = ct.sum(tile, axis=0, keepdims=True)
    ct.store(y, index=(ct.bid(0),), tile=total)  # fault


@ct.kernel
def copies_without_padding_mended(x, y, T: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    total = ct.sum(tile, axis=0, keepdims=True)
    ct.store(y, index=(ct.bid(0),), tile=total)


@ct.kernel
def every_block_writes_the_first_tile(x, y, T: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(0,), tile=tile)  # fault


@ct.kernel
def every_block_writes_the_first_tile_mended(x, y, T: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(ct.bid(0),), tile=tile)


@ct.kernel
def reads_what_the_next_block_writes(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    last = ct.num_blocks(0) - 1
    tile = ct.load(y, index=(min(block + 1, last),), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=tile)  # fault


@ct.kernel
def reads_what_the_next_block_writes_mended(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    last = ct.num_blocks(0) - 1
    tile = ct.load(x, index=(min(block + 1, last),), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=tile)


@ct.kernel
def scatters_without_bounds(x, y, T: ct.Constant[int]):
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    value = ct.gather(x, at, padding_value=0.0)
    ct.scatter(y, at, value, check_bounds=False)  # fault


@ct.kernel
def scatters_without_bounds_mended(x, y, T: ct.Constant[int]):
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    value = ct.gather(x, at, padding_value=0.0)
    ct.scatter(y, at, value)


@ct.kernel
def adds_to_what_nothing_wrote(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    before = ct.load(y, index=(block,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)  # fault
    tile = ct.load(x, index=(block,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=before + tile)


@ct.kernel
def adds_to_what_nothing_wrote_mended(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    tile = ct.load(x, index=(block,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=tile)


@ct.kernel
def counts_without_atomics(x, y, T: ct.Constant[int]):
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    value = ct.gather(x, at, padding_value=0.0)
    bucket = at % 4
    ct.scatter(y, bucket, value)  # fault


@ct.kernel
def counts_without_atomics_mended(x, y, T: ct.Constant[int]):
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    value = ct.gather(x, at, padding_value=0.0)
    bucket = at % 4
    ct.atomic_add(y, bucket, value)


@ct.kernel
def decides_by_an_undetermined_value(x, y, T: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(T,))
    largest = ct.max(tile)
    if largest > 0.0:  # fault
        ct.store(y, index=(ct.bid(0),), tile=ct.zeros((T,), dtype=ct.float32))
    else:
        ct.store(y, index=(ct.bid(0),), tile=ct.ones((T,), dtype=ct.float32))


@ct.kernel
def decides_by_an_undetermined_value_mended(x, y, T: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(T,), padding_mode=ct.PaddingMode.NEG_INF)
    largest = ct.max(tile)
    if largest > 0.0:
        ct.store(y, index=(ct.bid(0),), tile=ct.zeros((T,), dtype=ct.float32))
    else:
        ct.store(y, index=(ct.bid(0),), tile=ct.ones((T,), dtype=ct.float32))


@ct.kernel
def tile_outside_the_array(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    tile = ct.load(x, index=(block + 1,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)  # fault
    ct.store(y, index=(block,), tile=tile)


@ct.kernel
def tile_outside_the_array_mended(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    tile = ct.load(x, index=(block,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=tile)


@ct.kernel
def claims_more_than_is_true(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    ct.assert_(ct.num_blocks(0) > 3, "four blocks")  # fault
    tile = ct.load(x, index=(block,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=tile)


@ct.kernel
def claims_more_than_is_true_mended(x, y, T: ct.Constant[int]):
    block = ct.bid(0)
    ct.assert_(ct.num_blocks(0) > 2, "three blocks")
    tile = ct.load(x, index=(block,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(block,), tile=tile)
