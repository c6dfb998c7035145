"""What compiled integers give where eager ones raise; orders that are functions of the input."""

from __future__ import annotations

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")


def _compiled(tf, call, *numbers):
    return tf.function(call, autograph=False, jit_compile=True)(*numbers)


def _signed(tf, dtype):
    dtype = tf.as_dtype(dtype)
    x = [5, 0, -5, dtype.min, dtype.max, dtype.min, -7, 7]
    return tf.constant(x, dtype), tf.constant([0, 0, 0, 0, 0, -1, 2, -2], dtype)


def prog_signed_quotients(tf, np):
    """`//` rounds down, -1 for a zero; truncation gives -1."""
    return [_compiled(tf, call, *_signed(tf, dtype)) for dtype in SIGNED for call in (tf.math.floordiv, tf.truncatediv)]


def prog_signed_remainders(tf, np):
    """The dividend, for a zero."""
    found = [_compiled(tf, tf.math.floormod, *_signed(tf, dtype)) for dtype in SIGNED]
    return [*found, *(_compiled(tf, tf.truncatemod, *_signed(tf, dtype)) for dtype in SIGNED[2:])]


def prog_unsigned_divisions(tf, np):
    """All bits for a zero."""
    calls = (tf.math.floordiv, tf.math.floormod, tf.truncatediv)
    return [
        _compiled(tf, call, tf.constant([5, 0, 7], dtype), tf.constant([0, 0, 2], dtype))
        for dtype in UNSIGNED
        for call in calls
    ]


def prog_constant_zero(tf, np):
    """A zero in the graph."""
    return [_compiled(tf, call, tf.constant([5, 0, -5])) for call in (lambda x: x // 0, lambda x: x % 0)]


def prog_negative_powers(tf, np):
    """What lies between -1 and 1 is 0."""
    x, y = [0, 1, -1, 2, -2, 5], [-1, -2, -3, 0, 3]
    return [_compiled(tf, tf.pow, tf.constant(x, dtype)[:, None], tf.constant(y, dtype)) for dtype in SIGNED]


def prog_least_integer_over_minus_one(tf, np):
    """Wraps, eagerly as well."""
    pairs = [(tf.constant(tf.as_dtype(dtype).min, dtype), tf.constant(-1, dtype)) for dtype in SIGNED]
    return [call(x, y) for x, y in pairs for call in (tf.math.floordiv, tf.math.floormod, tf.truncatediv)]


def prog_eigenvalues_of_complex_matrices(tf, np):
    """They ascend by modulus."""
    x = np.random.RandomState(3).randn(4, 4) + 1j * np.random.RandomState(4).randn(4, 4)
    e, v = tf.linalg.eig(x)
    rebuilt = v @ tf.linalg.diag(e) @ tf.linalg.inv(v)
    return [tf.linalg.eigvals(x), e, tf.reduce_max(tf.abs(rebuilt - x)) < 1e-6, tf.linalg.eigvals(tf.cast(x, "complex64"))]
