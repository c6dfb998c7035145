"""Composite functions node for node: attributes, constants and branches, for other shapes and dtypes than graph_matrix.

Each program traces a function of one or two arguments and returns its GraphDef as lines of text.
"""

from __future__ import annotations

import re

from tests.oracle.support import attempt

_SERIAL = re.compile(r"_(true|false|branch\d)_\d+")


def _value(np, attribute):
    kind = attribute.WhichOneof("value")
    if kind == "func":
        return _SERIAL.sub(r"_\1_N", attribute.func.name)
    if kind == "shape":
        return "?" if attribute.shape.unknown_rank else [dim.size for dim in attribute.shape.dim]
    if kind == "list" and attribute.list.func:
        return [_SERIAL.sub(r"_\1_N", function.name) for function in attribute.list.func]
    if kind == "list":
        return [list(values) for _, values in attribute.list.ListFields() if len(values)]
    return getattr(attribute, kind)


def _line(tf, np, node):
    if node.op == "Const":
        array = tf.make_ndarray(node.attr["value"].tensor)
        return f"{node.name} = {array.dtype} {array.tolist()}"
    given = {k: v for k, v in sorted(node.attr.items()) if not k.startswith("_") or k == "_class"}
    attributes = ", ".join(f"{k}={_value(np, v)}" for k, v in given.items() if k != "output_shapes")
    return f"{node.name} = {node.op}[{attributes}]({', '.join(node.input)})"


def _described(tf, np, graph):
    definition = graph.as_graph_def()
    functions = {_SERIAL.sub(r"_\1_N", f.signature.name): f for f in definition.library.function}
    return {
        "nodes": [_line(tf, np, node) for node in definition.node],
        "functions": {
            name: [[_line(tf, np, node) for node in functions[name].node_def], sorted(functions[name].control_ret)]
            for name in sorted(functions)
        },
    }


def _stop_if(tf, condition, data, **options):
    tf.debugging.Assert(condition, data, **options)


# name: (function of tf and the arguments, [(shape, dtype) of each argument])
_FUNCTIONS = {
    "assert_message": (
        lambda tf, x: tf.debugging.assert_positive(x, message="hi", summarize=5),
        [([None, 3], "float32")],
    ),
    "assert_many_kinds": (
        lambda tf, x: _stop_if(tf, x[0] > 0, [x, "a", 1, 2.5], summarize=7, name="foo"),
        [([3], "float32")],
    ),
    "assert_of_text": (lambda tf, x: _stop_if(tf, x[0] > 0, ["a", 3]), [([3], "float32")]),
    "assert_of_python_bool": (lambda tf, x: _stop_if(tf, True, [x]), [([3], "float32")]),
    "assert_of_int64": (lambda tf, x: tf.debugging.assert_equal(x, tf.constant(1, tf.int64)), [([], "int64")]),
    "assert_of_int32": (lambda tf, x: tf.debugging.assert_less(x, x), [([None], "int32")]),
    "assert_near": (lambda tf, x: tf.debugging.assert_near(x, 1.0), [([3], "float32")]),
    "assert_rank": (lambda tf, x: tf.debugging.assert_rank(x, 2), [(None, "float32")]),
    "asserts_in_order": (
        lambda tf, x: (tf.debugging.assert_positive(x), tf.print("q"), tf.debugging.assert_positive(x * 2.0)),
        [([3], "float32")],
    ),
    "cond_of_operations": (lambda tf, x: tf.cond(x > 0, lambda: tf.print("a"), lambda: tf.no_op()), [([], "float32")]),
    "cond_of_operation_and_tensor": (
        lambda tf, x: tf.cond(x > 0, lambda: (tf.print("a"), x), lambda: (tf.no_op(), x + 1.0)),
        [([], "float32")],
    ),
    "switch_of_operations": (
        lambda tf, x: tf.switch_case(tf.cast(x, tf.int32), [lambda: tf.print("a"), lambda: tf.no_op()]),
        [([], "float32")],
    ),
    "prints_and_random_numbers": (
        lambda tf, x: (tf.print("a"), tf.random.uniform([3], seed=1), tf.print("b"), tf.random.normal([3], seed=2)),
        [([3], "float32")],
    ),
    "timestamps": (lambda tf, x: (tf.timestamp(), tf.print("a"), tf.timestamp()), [([3], "float32")]),
    "confusion_matrix": (lambda tf, i: tf.math.confusion_matrix(i, i), [([4], "int32")]),
    "confusion_matrix_weights": (
        lambda tf, i: tf.math.confusion_matrix(i, i, 3, weights=tf.cast(i, tf.float32), dtype=tf.float64),
        [([None], "int64")],
    ),
    "confusion_matrix_column": (lambda tf, i: tf.math.confusion_matrix(i, i[:, None], 3), [([4], "int32")]),
    "confusion_matrix_classes": (
        lambda tf, i: tf.math.confusion_matrix(i, [0, 1, 2], tf.reduce_max(i) + 1),
        [([None], "int32")],
    ),
    "clip_by_norm_unknown": (lambda tf, x: tf.clip_by_norm(x, 1.0), [(None, "float32")]),
    "clip_by_norm_axes": (lambda tf, x: tf.clip_by_norm(x, -1.0, axes=[1], name="n"), [([None, 3], "float64")]),
    "clip_by_norm_tensor": (lambda tf, x: tf.clip_by_norm(x, tf.constant(1.0)), [([2, 3], "float32")]),
    "clip_by_global_norm_scope": (
        lambda tf, x: tf.clip_by_global_norm([x, None, [1.0]], 1.0, use_norm=x[0], name="n"),
        [([3], "float32")],
    ),
    "clip_by_average_norm": (lambda tf, x: tf.compat.v1.clip_by_average_norm(x, 1.0), [([None, 3], "float32")]),
    "ones_like_v1": (lambda tf, x: tf.compat.v1.ones_like(x), [([None, 3], "float32")]),
    "ones_like_v1_static": (
        lambda tf, x: (tf.compat.v1.ones_like(x), tf.compat.v1.ones_like(x, tf.int32, optimize=False)),
        [([2, 3], "float32")],
    ),
    "zeros_like_v1": (lambda tf, x: tf.compat.v1.zeros_like(x, optimize=False), [([2, 3], "float32")]),
    "matvec_of_lists": (lambda tf, x: tf.linalg.matvec([[1.0, 2.0]], [1.0, 2.0]), [([], "float32")]),
    "tensordot_scalar": (lambda tf, x: tf.tensordot(x, x, 2), [([2, 3], "float32")]),
    "tensordot_list": (lambda tf, x: tf.tensordot(x, [1.0, 2.0, 3.0], 1), [([None, 3], "float32")]),
    "tensordot_both_axes": (lambda tf, x: tf.tensordot(x, x, [[0, 1], [0, 1]]), [([None, 3], "float32")]),
    "repeat_scalar": (lambda tf, x: tf.repeat(x, 3), [([], "float32")]),
    "repeat_rows": (lambda tf, x, r: tf.repeat(x, r, axis=0), [([None, 3], "float32"), ([None], "int32")]),
    "repeat_columns": (lambda tf, x: tf.repeat(x, [1, 2, 1], axis=1), [([None, 3, 4], "float32")]),
    "repeat_everything": (lambda tf, x, r: tf.repeat(x, r, name="foo"), [(None, "float32"), (None, "int64")]),
    "searchsorted_lists": (lambda tf, x: tf.searchsorted(x, [1.0, 2.0], "right", tf.int64, "foo"), [([3], "float32")]),
    "searchsorted_unknown": (lambda tf, x: tf.searchsorted(x, x), [(None, "float32")]),
    "reduce_join_axes": (lambda tf, x: tf.strings.reduce_join(x, [0, 1], name="foo"), [([None, 2], "string")]),
    "reduce_join_unknown": (lambda tf, x: tf.strings.reduce_join(x, separator=","), [(None, "string")]),
    "gradients_of_products": (
        lambda tf, x, y: (tf.gradients(x * y, [x, y]), tf.gradients(x * 2.0, x), tf.gradients(x * x, x)),
        [([None, 3], "float32"), ([3], "float32")],
    ),
    "gradients_of_sums": (
        lambda tf, x, y: (tf.gradients(x + y, [x, y]), tf.gradients(x - y, [x, y]), tf.gradients(tf.reduce_sum(x), x)),
        [([2, 3], "float32"), ([3], "float32")],
    ),
    "reductions_of_lists": (
        lambda tf, x: (tf.reduce_sum([1.0, 2.0]), tf.reduce_any([[True]], 0), tf.reduce_max([x, x], name="m")),
        [([], "float32")],
    ),
    "reductions_of_scalars": (
        lambda tf, x: (tf.reduce_sum(x), tf.reduce_all(x > 0.0), tf.reduce_mean(x, [])),
        [([], "float32")],
    ),
}


def _program(function, arguments):
    def program(tf, np):
        tf.random.set_seed(1)
        out = []

        @tf.function(autograph=False, input_signature=[tf.TensorSpec(*argument) for argument in arguments])
        def f(*values):
            out.append(attempt(lambda: function(tf, *values)))
            return values[0]

        return _described(tf, np, f.get_concrete_function().graph)

    return program


globals().update({f"prog_{name}": _program(*given) for name, given in _FUNCTIONS.items()})
