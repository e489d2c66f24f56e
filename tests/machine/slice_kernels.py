"""One matrix product four times: only the bound of the slice that it reads differs.

The tiles are loaded through TMA descriptors, which the launch code in `.nv.host` builds; on such a kernel
the bound does not appear in the device code at all.
"""

import cuda.tile as ct


@ct.function
def product(x, w, y):
    total = ct.full((128, 128), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(128, 64))):
        a = ct.load(x, (ct.bid(0), k), shape=(128, 64), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(w, (k, ct.bid(1)), shape=(64, 128), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(a, b, total)
    ct.store(y, (ct.bid(0), ct.bid(1)), ct.astype(total, y.dtype))


@ct.kernel
def stop_at_n(x, w, y, n: int, m: int):
    product(x.slice(axis=0, start=0, stop=n), w, y)


@ct.kernel
def stop_at_m(x, w, y, n: int, m: int):
    product(x.slice(axis=0, start=0, stop=m), w, y)


@ct.kernel
def stop_at_n_plus_1(x, w, y, n: int, m: int):
    product(x.slice(axis=0, start=0, stop=n + 1), w, y)


@ct.kernel
def stop_at_n_times_m(x, w, y, n: int, m: int):
    product(x.slice(axis=0, start=0, stop=n * m), w, y)


KERNELS = {"n": stop_at_n, "m": stop_at_m, "n + 1": stop_at_n_plus_1, "n * m": stop_at_n_times_m}


@ct.kernel
def other_order(n: int, y, unused: float, w, m: int, x):
    product(x.slice(axis=0, start=0, stop=n), w, y)


@ct.kernel
def other_order_stop_at_m(n: int, y, unused: float, w, m: int, x):
    product(x.slice(axis=0, start=0, stop=m), w, y)
