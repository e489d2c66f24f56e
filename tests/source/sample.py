"""Kernels for the tests of lift.source; each shows one way in which Python names values."""

import math

import cuda.tile as ct
from cuda.tile import exp as natural_exp

ConstInt = ct.Constant[int]
SCALE = 1.0 / math.log(2)
GROUP = 8
power = ct.exp2


# Softmax of one row.
# The maximum is taken out first.
@ct.kernel
def rows(
    x,
    y,
    temperature: float,  # divides the logits
    WIDTH: ct.Constant[int],
):
    """Write the softmax of row `bid(0)`.

    Padded lanes are minus infinity.
    """
    row = ct.bid(1)
    # Read the whole row
    # in one tile.
    logits = ct.load(x, index=(row, 0), shape=(1, WIDTH), padding_mode=ct.PaddingMode.NEG_INF)
    logits = logits / temperature  # (1, WIDTH)
    peak = ct.max(logits, axis=1, keepdims=True)
    weights = natural_exp(logits - peak)
    # ------------------------------------------------------------------
    total = ct.sum(weights, axis=1, keepdims=True)
    if WIDTH == 3:
        # never for this width
        total = total + 1.0
    weights /= total
    ct.store(y, index=(row, 0), tile=weights)


@ct.kernel
def loops(K, out, lengths, N: ConstInt, BLOCK: ConstInt):
    """Carry several variables through a loop, one of them by a plain copy."""
    m_i = ct.full((BLOCK,), -math.inf, dtype=ct.float32)
    acc = ct.zeros((BLOCK,), dtype=ct.float32)
    first, second = ct.bid(0), ct.bid(2)
    length = ct.gather(lengths, first)
    for step in range(first, N, GROUP):
        k = ct.load(K, index=(step,), shape=(BLOCK,))
        m_new = ct.maximum(m_i, k)
        alpha = power(m_i - m_new)
        acc = acc * alpha + k
        m_i = m_new
    for _ in range(length):
        acc += SCALE
    if length > 3:
        # a long one
        acc = acc * 2.0
        m_i = m_i + 1.0
    else:
        m_i = m_i * 3.0
    while length < 100:
        length = length * 2
    shift = acc if second > 1 else m_i
    ct.store(out, index=(first,), tile=acc + m_i + shift + length)


def sigmoid(v):
    """Logistic function."""
    return 1.0 / (1.0 + ct.exp(-v))


def centred(v, count):
    """Take out the mean.

    It is the plain one.
    """
    # the mean over all lanes
    mean = ct.sum(v, axis=0) / count
    row = v - mean
    return row


def pair(v, bound):
    low = ct.minimum(v, bound)
    high = ct.maximum(v, bound)
    return low, high


def body(x, y, WIDTH: ConstInt):
    """Do the work of two kernels."""
    row = ct.bid(0)
    M = x.shape[0]
    tile = ct.load(x, index=(row, 0), shape=(1, WIDTH)).reshape((WIDTH,)).astype(ct.float32)
    gate = sigmoid(tile)
    spread = centred(tile * gate, x.shape[1])
    lower, upper = pair(spread, M)
    ct.store(y, index=(row, 0), tile=ct.reshape(lower + upper, (1, WIDTH)).astype(y.dtype))


@ct.kernel
def helpers(x, y, WIDTH: ConstInt):
    """Leave everything to a helper."""
    body(x, y, WIDTH)


@ct.kernel
def _awkward(type, _, In, cos, TILE: ConstInt):
    fn = ct.load(type, index=(ct.bid(0),), shape=(TILE,))
    λ = ct.load(_, index=(ct.bid(0),), shape=(TILE,))
    exp = ct.exp(fn) * λ
    __hidden = ct.cos(exp)
    ct.store(In, index=(ct.bid(0),), tile=__hidden + ct.load(cos, index=(ct.bid(0),), shape=(TILE,)))


@ct.kernel
def starts(x, out, BLOCK: ConstInt):
    total = ct.zeros((BLOCK,), dtype=ct.float32)
    for i in range(4):
        part = ct.full((BLOCK,), 2.0, dtype=ct.float32)
        for half in ct.static_iter(range(2)):
            # twice, without a loop at run time
            part = part * ct.load(x, index=(i * 2 + half,), shape=(BLOCK,))
        total = total + part * part
    peak = ct.max(total.astype(ct.float16))
    ct.store(out, index=(0,), tile=(total - peak).astype(out.dtype))


def early(v, k):
    if k > 5:
        return v
    return v * 3.0


def make(scale):
    """Build a kernel in a function."""

    @ct.kernel
    def inner_kernel(x, bounds, out, B: ct.Constant[int] = 16):
        """Leave a loop early, and a helper too."""

        def double(v):
            # about the helper
            return v * 2.0

        a = ct.load(x, index=(ct.bid(0),), shape=(B,))
        c = (lambda v: v * v)(double(a)) + scale
        r = ct.reduce(c, 0, lambda p, q: p + q, 0.0)
        n = bounds[0] + bounds[1]
        i = 0
        while True:
            if i >= n:
                break
            i = i + 1
            if i == 3:
                continue
            c = c + r
        z = early(c, i)
        fused = (ct.min(z) + ct.max(z)) * z
        ct.store(out, (ct.bid(0),), fused + a)

    return inner_kernel


nested = make(1.5)
