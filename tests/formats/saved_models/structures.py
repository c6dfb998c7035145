"""SavedModels of functions whose arguments and results are nested structures."""

from __future__ import annotations

import collections
from typing import Any

from tests.formats.saved_models.model import Models

STRUCTURES = Models("structures")

Point = collections.namedtuple("Point", ["x", "y"])


@STRUCTURES(
    dict_in=lambda tf, m: m.of_dict({"a": tf.constant(1.0), "b": tf.constant(2.0)}),
    dict_in_other_order=lambda tf, m: m.of_dict({"b": tf.constant(2.0), "a": tf.constant(1.0)}),
    list_in=lambda tf, m: m.of_list([tf.constant(1.0), tf.constant(2.0)]),
    tuple_for_list=lambda tf, m: m.of_list((tf.constant(1.0), tf.constant(2.0))),
    tuple_in=lambda tf, m: m.of_tuple((tf.constant(1.0), (tf.constant(2.0),))),
    point_in=lambda tf, m: m.of_point(Point(tf.constant(1.0), tf.constant(2.0))),
)
def structured_inputs(tf: Any) -> Any:
    root = tf.Module()
    spec = tf.TensorSpec([])
    root.of_dict = tf.function(lambda d: d["a"] - d["b"], input_signature=[{"a": spec, "b": spec}])
    root.of_list = tf.function(lambda items: items[0] - items[1], input_signature=[[spec, spec]])
    root.of_tuple = tf.function(lambda t: t[0] - t[1][0], input_signature=[(spec, (spec,))])
    root.of_point = tf.function(lambda p: p.x - p.y)
    root.of_point(Point(tf.constant(1.0), tf.constant(2.0)))
    return root


@STRUCTURES(
    as_dict=lambda tf, m: m.as_dict(tf.constant(1.0)),
    as_list=lambda tf, m: m.as_list(tf.constant(1.0)),
    as_tuple=lambda tf, m: m.as_tuple(tf.constant(1.0)),
    as_point=lambda tf, m: m.as_point(tf.constant(1.0)),
    fields=lambda tf, m: m.as_point(tf.constant(1.0)).y,
    nested=lambda tf, m: m.nested(tf.constant(1.0)),
    with_none=lambda tf, m: m.with_none(tf.constant(1.0)),
    empty=lambda tf, m: m.empty(tf.constant(1.0)),
)
def structured_outputs(tf: Any) -> Any:
    root = tf.Module()

    def of_number(f):
        return tf.function(f, input_signature=[tf.TensorSpec([])])

    root.as_dict = of_number(lambda x: {"b": x, "a": x + 1.0})
    root.as_list = of_number(lambda x: [x, x + 1.0])
    root.as_tuple = of_number(lambda x: (x, x + 1.0))
    root.as_point = of_number(lambda x: Point(x, x + 1.0))
    root.nested = of_number(lambda x: {"a": [x, (x, {"c": x + 2.0})], "p": Point([x], {"q": x})})
    root.with_none = of_number(lambda x: (x, None, [None]))
    root.empty = of_number(lambda x: {})
    return root


@STRUCTURES(
    both=lambda tf, m: m.f({"x": [tf.constant(1), tf.constant(2)]}, tf.constant(3), flag=True),
    other=lambda tf, m: m.f({"x": [tf.constant(1), tf.constant(2)]}, tf.constant(3)),
    wrong_structure=lambda tf, m: m.f({"y": [tf.constant(1)]}, tf.constant(3)),
)
def structures_with_python_values(tf: Any) -> Any:
    root = tf.Module()

    @tf.function
    def f(tree, z, flag=False):
        total = tf.add_n(tree["x"]) + z
        return {"total": total if flag else -total, "flag": [tree["x"][0], total]}

    root.f = f
    tree = {"x": [tf.constant(1), tf.constant(2)]}
    f(tree, tf.constant(3))
    f(tree, tf.constant(3), flag=True)
    return root


@STRUCTURES(
    nested_values=lambda tf, m: m.f(tf.constant(2.0), options={"depth": 2, "names": ["a", "b"]}),
    tuple_values=lambda tf, m: m.g(tf.constant(2.0), (1, "x", None)),
)
def nested_python_values(tf: Any) -> Any:
    root = tf.Module()

    @tf.function
    def f(x, options):
        return x * float(options["depth"] + len(options["names"]))

    @tf.function
    def g(x, triple):
        return x + float(triple[0])

    root.f, root.g = f, g
    f(tf.constant(1.0), options={"depth": 2, "names": ["a", "b"]})
    g(tf.constant(1.0), (1, "x", None))
    return root


@STRUCTURES(
    dtypes=lambda tf, m: m.f(tf.constant([1.5], tf.float64), tf.constant([1], tf.uint8), tf.constant([1j])),
    half=lambda tf, m: m.halves(tf.constant([1.5, 2.5], tf.float16), tf.cast([1.5, 2.5], tf.bfloat16)),
    empty=lambda tf, m: m.halves(tf.zeros([0], tf.float16), tf.zeros([0], tf.bfloat16)),
    small=lambda tf, m: m.small(tf.constant([1, -2], tf.int8), tf.constant([7], tf.uint16)),
)
def dtypes_of_arguments(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(
        lambda a, b, c: (a * 2.0, tf.cast(b, tf.int64) + 1, tf.math.conj(c)),
        input_signature=[
            tf.TensorSpec([None], tf.float64),
            tf.TensorSpec([None], tf.uint8),
            tf.TensorSpec([None], tf.complex128),
        ],
    )
    root.halves = tf.function(
        lambda a, b: (a + tf.constant(1, tf.float16), b + tf.constant(1, tf.bfloat16)),
        input_signature=[tf.TensorSpec([None], tf.float16), tf.TensorSpec([None], tf.bfloat16)],
    )
    root.small = tf.function(
        lambda a, b: (a + tf.constant(3, tf.int8), tf.bitwise.bitwise_or(b, tf.constant(8, tf.uint16))),
        input_signature=[tf.TensorSpec([None], tf.int8), tf.TensorSpec([None], tf.uint16)],
    )
    return root


@STRUCTURES(
    quantized=lambda tf, m: tf.quantization.dequantize(m.f(tf.constant([0.0, 0.5, 1.0])), 0.0, 1.0),
    fake=lambda tf, m: m.fake(tf.constant([-1.0, 0.3, 7.0])),
)
def quantized(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(
        lambda x: tf.quantization.quantize(x, 0.0, 1.0, tf.quint8).output, input_signature=[tf.TensorSpec([None])]
    )
    root.fake = tf.function(
        lambda x: tf.quantization.fake_quant_with_min_max_args(x, -2.0, 2.0), input_signature=[tf.TensorSpec([None])]
    )
    return root
