"""Normal numbers from uniform bits, with the same last bit everywhere.

Problem: the Box-Muller transform needs log, sin and cos, and the float32 versions of NumPy, XLA and the C library
differ in the last digit. TensorFlow's normals come from the C library's functions.

Idea: evaluate in float64 the short table and polynomials of the C library's `logf` and `sincosf`, and round once. The
polynomials are plain multiplications and additions, so every engine gives the same float32, bit for bit; and they are
faster than float64's own functions. Coefficients: ARM Optimized Routines (`logf`, `sincosf`; MIT licence).
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp

SMALLEST = 1.0e-7
"""The number that uniform numbers below it are raised to, so that the logarithm stays finite."""

LOG_ORIGIN = np.uint32(0x3F330000)
_LOG_EXPONENT_BITS = np.uint32(0xFF800000)
LN_2 = float.fromhex("0x1.62e42fefa39efp-1")
LOG_POLYNOMIAL = tuple(
    float.fromhex(c) for c in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")
)
_LOG_TABLE = """
0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2   0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2
0x1.49539f0f010bp+0  -0x1.01eae7f513a67p-2   0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3
0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3   0x1.25e227b0b8eap+0  -0x1.1aa2bc79c81p-3
0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4   0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4
0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5   0x1p+0               0x0p+0
0x1.e608cfd9a47acp-1 0x1.aa5aa5df25984p-5    0x1.ca4b31f026aap-1  0x1.c5e53aa362eb4p-4
0x1.b2036576afce6p-1 0x1.526e57720db08p-3    0x1.9c2d163a1aa2dp-1 0x1.bc2860d224770p-3
0x1.886e6037841edp-1 0x1.1058bc8a07ee1p-2    0x1.767dcf5534862p-1 0x1.4043057b6ee09p-2
""".split()
LOG_RECIPROCALS = np.array([float.fromhex(c) for c in _LOG_TABLE[0::2]])
LOG_LOGARITHMS = np.array([float.fromhex(c) for c in _LOG_TABLE[1::2]])

HALF_PI = float.fromhex("0x1.921FB54442D18p0")
_TWO_OVER_PI = float.fromhex("0x1.45F306DC9C883p+23")
"""2/pi, scaled by 2**24: the quadrant is the upper byte of the product."""
SIN = tuple(float.fromhex(c) for c in ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13"))
COS = tuple(
    float.fromhex(c)
    for c in ("-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16")
)


def log_float32(xp: Xp, x: Array) -> Array:
    """Computes the natural logarithm of positive normal float32 numbers, as the C library's `logf` rounds it."""
    bits = xp.bitcast(x, np.uint32)
    offset = bits - LOG_ORIGIN
    # x = 2**k * z with z in [0.7, 1.4): log(x) = k log 2 + log(c) + log(z / c), c from the table, z / c near 1.
    index = xp.astype((offset >> np.uint32(19)) & np.uint32(15), np.int32)
    k = xp.astype(xp.bitcast(offset, np.int32) >> np.int32(23), np.float64)
    z = xp.astype(xp.bitcast(bits - (offset & _LOG_EXPONENT_BITS), np.float32), np.float64)
    r = z * xp.take(xp.asarray(LOG_RECIPROCALS), index) - 1.0
    head = xp.take(xp.asarray(LOG_LOGARITHMS), index) + k * LN_2
    a, b, c = LOG_POLYNOMIAL
    square = r * r
    return xp.astype((a * square + (b * r + c)) * square + (head + r), np.float32)


def sincos_float32(xp: Xp, angle: Array) -> tuple[Array, Array]:
    """Computes sine and cosine of float32 angles in [0, 120), as the C library's `sincosf` rounds them."""
    x = xp.astype(angle, np.float64)
    quadrant = (xp.astype(x * _TWO_OVER_PI, np.int32) + np.int32(0x800000)) >> np.int32(24)
    x = x - xp.astype(quadrant, np.float64) * HALF_PI
    square = x * x
    cube, fourth = x * square, square * square
    sine = (x + cube * SIN[0]) + (cube * square) * (SIN[1] + square * SIN[2])
    cosine = ((1.0 + square * COS[0]) + fourth * COS[1]) + (fourth * square) * (COS[2] + square * COS[3])
    swap = (quadrant & np.int32(1)) != 0
    sine, cosine = xp.where(swap, cosine, sine), xp.where(swap, sine, cosine)
    sine = xp.where((quadrant & np.int32(2)) != 0, -sine, sine)
    cosine = xp.where(((quadrant + np.int32(1)) & np.int32(2)) != 0, -cosine, cosine)
    return xp.astype(sine, np.float32), xp.astype(cosine, np.float32)


def box_muller_float32(xp: Xp, radius_uniform: Array, angle_uniform: Array) -> tuple[Array, Array]:
    """Computes two independent standard normals for each pair of float32 uniforms."""
    u = xp.maximum(radius_uniform, np.float32(SMALLEST))
    angle = xp.astype(xp.astype(angle_uniform, np.float64) * (2.0 * np.pi), np.float32)
    radius = xp.sqrt(np.float32(-2.0) * log_float32(xp, u))
    sine, cosine = sincos_float32(xp, angle)
    return sine * radius, cosine * radius


def box_muller_float64(xp: Xp, radius_uniform: Array, angle_uniform: Array) -> tuple[Array, Array]:
    """Computes two independent standard normals for each pair of float64 uniforms, by the engine's functions."""
    angle = (2.0 * np.pi) * angle_uniform
    radius = xp.sqrt(-2.0 * xp.log(xp.maximum(radius_uniform, SMALLEST)))
    return xp.sin(angle) * radius, xp.cos(angle) * radius
