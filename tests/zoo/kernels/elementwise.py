"""Arithmetic and functions on floats, each operation at least once."""

import math

import cuda.tile as ct


@ct.kernel
def unary(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.sin(a) + ct.cos(a) * ct.tan(a)
    b = b - ct.sinh(a) / ct.cosh(a)
    b = ct.maximum(b, ct.tanh(a))
    b = ct.minimum(b, ct.floor(a) + ct.ceil(a))
    b = b + ct.exp(a) + ct.exp2(a) + ct.log(a) + ct.log2(a)
    b = b + ct.sqrt(a) + ct.rsqrt(a) + ct.abs(a) + (-a)
    ct.store(y, (i,), b)


@ct.kernel
def binary(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.load(y, (i,), (N,))
    c = ct.atan2(a, b) + a**b + a**2
    c = c + a % b + a // b
    ct.store(y, (i,), c)


@ct.kernel
def rounding(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.add(a, 1.5, rounding_mode=ct.RoundingMode.RZ)
    b = ct.mul(b, a, rounding_mode=ct.RoundingMode.RP, flush_to_zero=True)
    b = ct.sub(b, a, rounding_mode=ct.RoundingMode.RM)
    b = ct.truediv(b, 3.0, rounding_mode=ct.RoundingMode.APPROX, flush_to_zero=True)
    b = ct.sqrt(b, rounding_mode=ct.RoundingMode.RZ)
    b = ct.exp2(b, flush_to_zero=True) + ct.rsqrt(a, flush_to_zero=True)
    b = ct.maximum(b, 0.5, flush_to_zero=True)
    ct.store(y, (i,), b)


@ct.kernel
def approximate(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.exp(a, rounding_mode=ct.RoundingMode.APPROX) + ct.tanh(a, rounding_mode=ct.RoundingMode.APPROX)
    b = b + ct.truediv(a, 3.0, rounding_mode=ct.RoundingMode.FULL)
    ct.store(y, (i,), b)


@ct.kernel
def nans(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    a = ct.where(ct.isnan(a), 0.0, a)
    a = ct.where(a != a, math.nan, a)
    a = ct.maximum(a, -1.0, propagate_nan=True)
    a = ct.minimum(a, math.inf)
    ct.store(y, (i,), a)


@ct.kernel
def compare(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.load(y, (i,), (N,))
    c = ((a < b) & (a <= 2.0)) | ((a > b) ^ (a >= 3.0)) | (a == b) | ~(a != 1.0)
    ct.store(y, (i,), ct.where(c, a, b))


@ct.kernel
def fused(x, y, scale, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = a * scale + 1.0
    c = a * b - b * scale
    d = 2.0 - a * c
    ct.store(y, (i,), b + c + d)


@ct.kernel
def constants(y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.full((N,), 0.1, y.dtype) + ct.ones((N,), y.dtype) - ct.zeros((N,), y.dtype)
    a = a + ct.full((N,), -0.0, y.dtype) + ct.full((N,), 1e-3, y.dtype)
    a = ct.where(a > ct.full((N,), math.inf, y.dtype), ct.full((N,), -math.inf, y.dtype), a)
    ct.store(y, (i,), a)
