"""The kinds of values by which the table of tapes differentiates: tensors, variables, and what holds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """A kind of value; each function but the first takes `tf` and a value."""

    leaf: Callable[[Any, float], Any]
    """Makes what is differentiated when the tape is outside."""
    wrap: Callable[[Any, Any], Any]
    """Makes the value of the leaf."""
    number: Callable[[Any, Any], Any]
    """Computes a number of the value."""
    sources: Callable[[Any, Any], Any]
    """Lists what of the value is differentiated when the tape is inside."""


def _module(tf: Any, start: float) -> Any:
    class Scale(tf.Module):
        def __init__(self):
            self.w = tf.Variable(start)

    return Scale()


def _table(tf: Any) -> Any:
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2], tf.int64), tf.constant([2.0, 3.0]))
    return tf.lookup.StaticHashTable(initializer, 0.0)


_EXTENSIONS: dict[str, Any] = {}


def _extension(tf: Any, annotation: str) -> Any:
    """Makes the extension type of one pair of fields, once for each library."""
    key = f"{tf.__name__} {annotation}"
    if key not in _EXTENSIONS:
        field = tf.Tensor if annotation == "tensor" else type(tf.Variable(1.0))
        _EXTENSIONS[key] = type(
            "Pair", (tf.experimental.ExtensionType,), {"__annotations__": {"a": field, "b": tf.Tensor}}
        )
    return _EXTENSIONS[key]


def _vector(tf: Any, start: float) -> Any:
    return tf.constant([start, 2.0, -1.0])


def _itself(tf: Any, value: Any) -> Any:
    return value


def _array_of(tf: Any, x: Any) -> Any:
    return tf.TensorArray(tf.float32, 3, clear_after_read=False, element_shape=[]).unstack(x)


KINDS: dict[str, Kind] = {
    "tensor": Kind(lambda tf, s: tf.constant(s), _itself, lambda tf, x: x * x * x, _itself),
    "variable": Kind(lambda tf, s: tf.Variable(s), _itself, lambda tf, v: v * v * v, _itself),
    "vector_variable": Kind(
        lambda tf, s: tf.Variable([s, 2.0]), _itself, lambda tf, v: tf.reduce_sum(v[0] * v * v), _itself
    ),
    "gathered_variable": Kind(
        lambda tf, s: tf.Variable([[s], [2.0]]),
        _itself,
        lambda tf, v: tf.reduce_sum(tf.gather(v, [1, 1, 0]) ** 3),
        _itself,
    ),
    "frozen_variable": Kind(lambda tf, s: tf.Variable(s, trainable=False), _itself, lambda tf, v: v * v * v, _itself),
    "variables": Kind(
        lambda tf, s: [tf.Variable(s), tf.Variable(2.0)], _itself, lambda tf, vs: vs[0] * vs[0] * vs[1] ** 2, _itself
    ),
    "module": Kind(_module, _itself, lambda tf, m: m.w * m.w * m.w, lambda tf, m: m.w),
    "table": Kind(
        lambda tf, s: tf.constant(s),
        lambda tf, x: (_table(tf), x),
        lambda tf, pair: pair[1] ** 3 * pair[0].lookup(tf.constant(1, tf.int64)),
        lambda tf, pair: pair[1],
    ),
    "array": Kind(_vector, _array_of, lambda tf, a: tf.reduce_sum(a.stack() ** 3), lambda tf, a: a.stack()),
    "ragged": Kind(
        _vector,
        lambda tf, x: tf.RaggedTensor.from_row_lengths(x, [2, 0, 1]),
        lambda tf, r: tf.reduce_sum(r * r * r),
        _itself,
    ),
    "sparse": Kind(
        _vector,
        lambda tf, x: tf.SparseTensor([[0, 1], [1, 0], [2, 2]], x, [3, 3]),
        lambda tf, s: tf.reduce_sum(tf.sparse.to_dense(s) ** 3),
        lambda tf, s: s.values,
    ),
    "slices": Kind(
        _vector,
        lambda tf, x: tf.IndexedSlices(x, tf.constant([0, 2, 0]), tf.constant([3])),
        lambda tf, s: tf.reduce_sum(tf.convert_to_tensor(s) ** 3),
        lambda tf, s: s.values,
    ),
    "extension": Kind(
        lambda tf, s: tf.constant(s),
        lambda tf, x: _extension(tf, "tensor")(x, 2.0),
        lambda tf, e: e.a * e.a * e.b,
        lambda tf, e: [e.a, e.b],
    ),
    "extension_of_variable": Kind(
        lambda tf, s: tf.Variable(s),
        lambda tf, v: _extension(tf, "variable")(v, 2.0),
        lambda tf, e: e.a * e.a * e.b,
        lambda tf, e: [e.a, e.b],
    ),
}
