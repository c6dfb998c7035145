"""repr, str, tf.print and as_string of the same values, for many values, dtypes and shapes."""

from __future__ import annotations

from tests.oracle.support import attempt, printed

_FLOATS = {
    "simple": [0.0, 1.0, -2.5, 100.0],
    "small": [1e-3, 1.5e-5, 1e-7, 2.0],
    "large": [1e5, 1e6, 12345678.0, 1e15],
    "thirds": [1 / 3, 2 / 3, -1 / 3],
    "mixed": [1e-4, 1.0, 1e4],
    "mixed_wide": [1e-8, 1.0, 1e8],
    "special": [float("inf"), float("-inf"), float("nan"), 0.5],
    "nine_digits": [0.123456789, 1.23456789, 123456.789],
    "negatives": [-0.1, -10.25, -1000.125],
    "whole": [1.0, 20.0, 300.0],
    "one": [3.14159],
    "none": [],
}
_SHAPES = {"row": [1, 6], "column": [6, 1], "square": [2, 3], "cube": [1, 2, 3], "deep": [1, 1, 1, 6], "long": [6]}
_INTS = {"small": [1, 2, 3], "signs": [-1, 10, -100], "wide": [1, 1000000, 2000000000], "zeros": [0, 0]}


def _texts(tf, x):
    text = printed(lambda: [tf.print(x), tf.print(x, summarize=-1), tf.print("value:", x, "end")])
    return [repr(x), str(x), text["stderr"], attempt(lambda: tf.strings.as_string(x), words=0)]


def _floats(values):
    def program(tf, np):
        return [_texts(tf, tf.constant(values, dtype)) for dtype in ("float16", "bfloat16", "float32", "float64")]

    return program


def _scalars(values):
    def program(tf, np):
        return [_texts(tf, tf.constant(value, dtype)) for value in values for dtype in ("float16", "float32", "float64")]

    return program


def _ints(values):
    def program(tf, np):
        return [_texts(tf, tf.cast(tf.constant(values, tf.int64), dtype)) for dtype in ("int8", "uint8", "int16", "int32", "uint32", "int64")]

    return program


def _shaped(shape):
    def program(tf, np):
        numbers = tf.reshape(tf.range(6), shape)
        kinds = [numbers, tf.cast(numbers, tf.float32) / 4.0, numbers > 2, tf.strings.as_string(numbers)]
        return [_texts(tf, kind) for kind in kinds] + [repr(tf.cast(numbers, tf.complex64))]

    return program


def prog_strings(tf, np):
    """Quotes, escapes, unicode, bytes, widths."""
    values = ["a", "", "two words", "tab\t", 'quote"', "it's", "é日", b"\xff\x00", "back\\slash", "new\nline"]
    return [_texts(tf, tf.constant(v)) for v in values] + [_texts(tf, tf.constant(values))]


def prog_complex_numbers(tf, np):
    """Complex scalars and vectors."""
    values = [tf.constant(v, d) for v in (1 + 2j, [0j, -1.5j], [1 + 0j, 2.25 - 1j]) for d in ("complex64", "complex128")]
    return [[repr(x), str(x), tf.strings.as_string(x)] for x in values]


def prog_large_arrays(tf, np):
    """Arrays beyond NumPy's threshold and beyond the line width."""
    return [_texts(tf, x) for x in (tf.range(1001), tf.range(30), tf.cast(tf.range(25), tf.float32) / 7.0, tf.ones([3, 40]), tf.zeros([50, 50], tf.bool))]


globals().update(
    {
        **{f"prog_floats_{name}": _floats(values) for name, values in _FLOATS.items()},
        **{f"prog_scalars_{name}": _scalars(values) for name, values in _FLOATS.items() if values},
        **{f"prog_ints_{name}": _ints(values) for name, values in _INTS.items()},
        **{f"prog_shape_{name}": _shaped(shape) for name, shape in _SHAPES.items()},
    }
)
