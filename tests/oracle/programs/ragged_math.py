"""Element-wise functions and operators of ragged tensors: values, broadcasting, dtypes, refusals, in every way to run."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import ALL_MODES, deep, floats, numbers, plain, sparse, staged, wide

_OF_FLOATS = {
    "": "abs exp floor negative round sign sin sqrt square tan tanh cos cosh sinh acos asin atan asinh atanh sigmoid ones_like zeros_like",
    "math.": "ceil conj digamma erf erfc expm1 is_finite is_inf is_nan lgamma log log1p log_sigmoid ndtri reciprocal reciprocal_no_nan rint rsqrt softplus softsign imag real angle bessel_i0 bessel_i1e erfinv",
    "nn.": "elu gelu leaky_relu relu relu6 selu silu swish",
    "math.special.": "dawsn expint fresnel_cos spence bessel_j0 bessel_k1e",
}
_BINARY = "add subtract multiply divide maximum minimum equal not_equal greater greater_equal less less_equal floordiv floormod truediv squared_difference pow"
_BINARY_FLOATS = "atan2 divide_no_nan multiply_no_nan xdivy xlogy xlog1py zeta"


def _find(tf, path):
    for part in path.split("."):
        tf = getattr(tf, part)
    return tf


def _unary(path):
    return lambda tf: (lambda x: _find(tf, path)(x), tf.ragged.constant([[0.5, 0.25], [], [0.75]]))


def _binary(path, make):
    return lambda tf: (lambda x: [_find(tf, path)(x, x), _find(tf, path)(x, x.dtype.as_numpy_dtype(2)), _find(tf, path)(2, x)], make(tf))


globals().update(
    staged(
        *ALL_MODES,
        **{name: _unary(prefix + name) for prefix, names in _OF_FLOATS.items() for name in names.split()},
        **{f"{name}_of_two": _binary(f"math.{name}", floats) for name in f"{_BINARY} {_BINARY_FLOATS}".split()},
    )
)
globals().update(
    staged(
        **{f"{name}_of_integers": _binary(f"math.{name}", numbers) for name in _BINARY.split()},
        bitwise=lambda tf: (lambda x: [tf.bitwise.bitwise_and(x, 1), tf.bitwise.bitwise_or(x, x), tf.bitwise.bitwise_xor(x, 5), tf.bitwise.invert(x), tf.bitwise.left_shift(x, 1), tf.bitwise.right_shift(x, x)], numbers(tf)),
        logical=lambda tf: (lambda x: [tf.logical_and(x, True), tf.logical_or(x, x), tf.math.logical_xor(x, True), tf.logical_not(x)], tf.ragged.constant([[True, False], []])),
        cast=lambda tf: (lambda x: [tf.cast(x, d) for d in (tf.float32, tf.int64, tf.bool, tf.complex64)], numbers(tf)),
        saturate_cast=lambda tf: (lambda x: tf.saturate_cast(x * 200, tf.uint8), numbers(tf)),
        clip=lambda tf: (lambda x: tf.clip_by_value(x, 0.0, 0.5), floats(tf)),
        ones_like_dtype=lambda tf: (lambda x: [tf.ones_like(x, tf.int64), tf.zeros_like(x, dtype=tf.string)], numbers(tf)),
        complex=lambda tf: (lambda x: [tf.complex(x, x), tf.math.angle(tf.complex(x, x)), tf.math.conj(tf.complex(x, x))], floats(tf)),
        nextafter=lambda tf: (lambda x: tf.math.nextafter(x, 1.0), floats(tf)),
        check_numerics=lambda tf: (lambda x: tf.debugging.check_numerics(x, "all well"), floats(tf)),
        check_numerics_of_nan=lambda tf: (lambda x: tf.debugging.check_numerics(tf.math.log(x), "not well"), floats(tf)),
        scalar_mul=lambda tf: (lambda x: tf.math.scalar_mul(3, x), numbers(tf)),
        sigmoid_cross_entropy=lambda tf: (lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x), floats(tf)),
        convert_image_dtype=lambda tf: (lambda x: tf.image.convert_image_dtype(x, tf.float32), tf.ragged.constant([[0, 255], []], tf.uint8)),
        adjust_brightness=lambda tf: (lambda x: tf.image.adjust_brightness(x, 0.1), floats(tf)),
        add_n=lambda tf: (lambda x: tf.add_n([x, x, x]), numbers(tf)),
        add_n_of_unlike=lambda tf: (lambda x: tf.add_n([x, x[:2]]), numbers(tf)),
        softmax=lambda tf: (lambda x: tf.nn.softmax(x), floats(tf)),
        log_softmax=lambda tf: (lambda x: tf.nn.log_softmax(x), floats(tf)),
        matmul=lambda tf: (lambda x: tf.matmul(x, x), tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[1.0]], []])),
        matmul_of_flags=lambda tf: (lambda x: [tf.matmul(x, x, transpose_b=True), tf.matmul(x, x, transpose_a=True), tf.matmul(x, x, adjoint_b=True)], tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 5.0]]])),
        matmul_with_dense=lambda tf: (lambda x: tf.matmul(x, tf.ones([2, 2, 1])), tf.ragged.constant([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ragged_rank=1)),
        matmul_of_rank_two=lambda tf: (lambda x: tf.matmul(x, x), floats(tf)),
        matmul_of_unlike=lambda tf: (lambda x: tf.matmul(x, x), tf.ragged.constant([[[1.0, 2.0]]])),
        matmul_operator=lambda tf: (lambda x: x @ x, floats(tf)),
        dropout=lambda tf: (lambda x: [tf.nn.dropout(x, 0.0), tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2])], floats(tf)),
        stateless_dropout_uniform=lambda tf: (lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]), tf.ones([2, 3])),
        size_and_rank=lambda tf: (lambda x: [tf.size(x), tf.size(x, tf.int64), tf.rank(x)], deep(tf)),
        bitcast=lambda tf: (lambda x: tf.bitcast(x, tf.int32), floats(tf)),
        one_hot=lambda tf: (lambda x: [tf.one_hot(x, 4), tf.one_hot(x, 4, 5, 6, dtype=tf.int32)], numbers(tf)),
        one_hot_of_axis=lambda tf: (lambda x: tf.one_hot(x, 4, axis=0), numbers(tf)),
        in_graph_of_assert=lambda tf: (lambda x: [tf.debugging.assert_greater(x, 0), tf.debugging.assert_equal(x, x)][:0] or x, numbers(tf)),
        as_string=lambda tf: (lambda x: [tf.strings.as_string(x), tf.strings.to_number(tf.strings.as_string(x))], numbers(tf)),
    )
)

globals().update(
    staged(
        *ALL_MODES,
        op_add=lambda tf: (lambda x: [x + 1, 1 + x, x + x], numbers(tf)),
        op_subtract=lambda tf: (lambda x: [x - 1, 1 - x, x - x], numbers(tf)),
        op_multiply=lambda tf: (lambda x: [x * 2, 2 * x, x * x], numbers(tf)),
        op_divide=lambda tf: (lambda x: [x / 2, 2 / x, x / x], numbers(tf)),
        op_floor_divide=lambda tf: (lambda x: [x // 2, 2 // x, x // x], numbers(tf)),
        op_modulo=lambda tf: (lambda x: [x % 2, 2 % x, x % x], numbers(tf)),
        op_power=lambda tf: (lambda x: [x**2, 2**x, x**x], numbers(tf)),
        op_negate=lambda tf: (lambda x: [-x, abs(-x)], numbers(tf)),
        op_compare=lambda tf: (lambda x: [x < 2, x <= 2, x > 2, x >= 2, tf.constant(2) < x, x == 2, x != 2, x == x], numbers(tf)),
        op_logical=lambda tf: (lambda x: [x & True, x | False, x ^ True, ~x, True & x, False | x, True ^ x], tf.ragged.constant([[True, False], [], [True]])),
        op_with_row_scalars=lambda tf: (lambda x, y: [x + y, y * x], numbers(tf), tf.constant([[10], [20], [30]])),
        op_with_scalars=lambda tf: (lambda x, y: [x + y, y - x], floats(tf), tf.constant(2.0)),
        op_of_three_dimensions=lambda tf: (lambda x: [x * 10 + x, x > 1], deep(tf)),
        op_with_uniform_inner=lambda tf: (lambda x, y: [x + y, y - x], wide(tf), tf.constant([10, 20])),
    )
)
globals().update(
    staged(
        op_and_of_integers=lambda tf: (lambda x: x & 1, numbers(tf)),
        op_with_ragged_of_fewer_dimensions=lambda tf: (lambda x, y: x + y, deep(tf), tf.ragged.constant([[10], [20], [30]])),
        op_with_row_of_length_one=lambda tf: (lambda x, y: [x + y, y + x], numbers(tf), tf.ragged.constant([[10], [20], [30]])),
        op_with_one_row=lambda tf: (lambda x, y: x + y, tf.ragged.constant([[1, 2], [3, 4]]), tf.constant([10, 20])),
        op_with_vector_of_rows=lambda tf: (lambda x, y: x + y, numbers(tf), tf.constant([1, 2, 3])),
        op_with_matrix_of_rows=lambda tf: (lambda x, y: x + y, deep(tf), tf.constant([[[1]], [[2]], [[3]]])),
        op_with_unlike_rows=lambda tf: (lambda x, y: x + y, numbers(tf), tf.ragged.constant([[1], [2], [3, 4]])),
        op_with_other_row_count=lambda tf: (lambda x, y: x + y, numbers(tf), tf.ragged.constant([[1], [2]])),
        op_with_other_dtype=lambda tf: (lambda x: x + 1.5, numbers(tf)),
        op_with_other_ragged_dtype=lambda tf: (lambda x, y: x + y, numbers(tf), tf.cast(numbers(tf), tf.float32)),
        op_with_text=lambda tf: (lambda x: x + "a", numbers(tf)),
        op_of_texts=lambda tf: (lambda x: [x + "!", ">" + x, x + x], tf.ragged.constant([["a"], []])),
        op_with_sparse=lambda tf: (lambda x: x + sparse(tf), numbers(tf)),
        op_with_list=lambda tf: (lambda x: x + [[1], [2], [3]], numbers(tf)),
        op_with_ragged_list=lambda tf: (lambda x: x + [[1, 2], [], [3]], numbers(tf)),
        op_with_none=lambda tf: (lambda x: x + None, numbers(tf)),
        op_with_array=lambda tf, np: (lambda x: [x + np.ones([3, 1], np.int32), np.ones([3, 1], np.int32) + x], numbers(tf)),
        op_with_other_splits_dtype=lambda tf: (lambda x: x + x.with_row_splits_dtype(tf.int32), numbers(tf)),
        op_of_int32_splits=lambda tf: (lambda x: (x + 1).row_splits, numbers(tf).with_row_splits_dtype(tf.int32)),
        op_of_uniform_rows=lambda tf: (lambda x: [x + x, x * 2], tf.RaggedTensor.from_uniform_row_length(tf.range(6), 2)),
        op_of_uniform_and_ragged=lambda tf: (lambda x, y: x + y, tf.RaggedTensor.from_uniform_row_length(tf.range(4), 2), tf.ragged.constant([[10, 20], [30, 40]])),
        op_of_ragged_and_matrix=lambda tf: (lambda x, y: x + y, tf.ragged.constant([[1, 2], [3, 4]]), tf.constant([[10, 20], [30, 40]])),
        op_of_ragged_and_wrong_matrix=lambda tf: (lambda x, y: x + y, numbers(tf), tf.constant([[10, 20], [30, 40], [50, 60]])),
        op_of_empty=lambda tf: (lambda x: [x + 1, x * x], tf.ragged.constant([], dtype=tf.int32, ragged_rank=1)),
        op_broadcast_deep=lambda tf: (lambda x, y: x + y, tf.ragged.constant([[[1, 2], [3]], [[4]]]), tf.constant([[[10]], [[20]]])),
        op_broadcast_both=lambda tf: (lambda x, y: x + y, tf.ragged.constant([[[1], [2]], [[3]]]), tf.ragged.constant([[[10, 20]], [[30]]])),
        op_matrix_of_column=lambda tf: (lambda x, y: x * y, tf.ragged.constant([[1, 2], [], [3]]), tf.constant([[2], [3], [4]])),
        function_with_other_dtype=lambda tf: (lambda x: tf.add(x, 1.5), numbers(tf)),
        function_of_text=lambda tf: (lambda x: tf.exp(x), tf.ragged.constant([["a"]])),
        function_of_integers=lambda tf: (lambda x: tf.exp(x), numbers(tf)),
        function_with_name=lambda tf: (lambda x: [tf.abs(x, name="n"), tf.add(x, x, name="m")], numbers(tf)),
        function_with_keywords=lambda tf: (lambda x: [tf.add(x=x, y=1), tf.maximum(y=x, x=2), tf.abs(x=x), tf.cast(x=x, dtype=tf.float32)], numbers(tf)),
        unbroadcast_greater=lambda tf: (lambda x, y: x > y, numbers(tf), tf.constant([[0], [1], [2]])),
        map_flat_values=lambda tf: (lambda x: [tf.ragged.map_flat_values(tf.ones_like, x), tf.ragged.map_flat_values(tf.multiply, x, x), tf.ragged.map_flat_values(tf.add, x, 5)], deep(tf)),
        map_flat_values_of_nested=lambda tf: (lambda x: tf.ragged.map_flat_values(lambda a, b: a["q"] + b[0], {"q": x}, [x]), numbers(tf)),
        map_flat_values_of_structures=lambda tf: (lambda x: tf.ragged.map_flat_values(lambda t: (t, t + 1), x), numbers(tf)),
        map_flat_values_keywords=lambda tf: (lambda x: tf.ragged.map_flat_values(tf.cast, x=x, dtype=tf.float32), numbers(tf)),
        map_flat_values_of_matrices=lambda tf: (lambda x: tf.ragged.map_flat_values(lambda t: tf.stack([t, t], 1), x), numbers(tf)),
        map_flat_values_without_ragged=lambda tf: (lambda x: tf.ragged.map_flat_values(tf.add, x, 5), tf.constant([1])),
        map_flat_values_that_lose_rows=lambda tf: (lambda x: tf.ragged.map_flat_values(lambda t: t[:1], x), numbers(tf)),
        map_flat_values_to_scalar=lambda tf: (lambda x: tf.ragged.map_flat_values(tf.reduce_sum, x), numbers(tf)),
        map_flat_values_of_unlike=lambda tf: (lambda x: tf.ragged.map_flat_values(tf.add, x, tf.ragged.constant([[1], [2, 3], []])), numbers(tf)),
    )
)

globals().update(
    plain(
        assertions=lambda tf: [tf.debugging.assert_equal(numbers(tf), numbers(tf)), tf.debugging.assert_less(numbers(tf), 9), tf.debugging.assert_none_equal(numbers(tf), 0), tf.debugging.assert_near(floats(tf), floats(tf))],
        assertion_equal_fails=lambda tf: tf.debugging.assert_equal(numbers(tf), 3),
        assertion_less_fails=lambda tf: tf.debugging.assert_less(numbers(tf), 3, message="too large"),
        assertion_of_unlike_rows=lambda tf: tf.debugging.assert_equal(numbers(tf), tf.ragged.constant([[3], [1], [2]])),
        assert_positive=lambda tf: tf.debugging.assert_positive(numbers(tf)),
        assert_rank=lambda tf: tf.debugging.assert_rank(numbers(tf), 2),
        assert_shapes=lambda tf: tf.debugging.assert_shapes([(numbers(tf), ("N", None))]),
        assert_type=lambda tf: tf.debugging.assert_type(numbers(tf), tf.int32),
        numpy_left_operand=lambda tf, np: np.float32(2) * floats(tf),
        tensor_left_operand=lambda tf: [tf.constant(2) + numbers(tf), tf.constant([[1], [2], [3]]) * numbers(tf), tf.constant(2) > numbers(tf)],
        variable_left_operand=lambda tf: [tf.Variable(2) + numbers(tf), numbers(tf) * tf.Variable(3)],
        text_operand=lambda tf: numbers(tf) < "a",
        rank_is_static=lambda tf: [tf.rank(deep(tf)), tf.rank(wide(tf))],
        truncatediv=lambda tf: [tf.truncatediv(numbers(tf), 2), tf.truncatemod(numbers(tf), 2), tf.realdiv(floats(tf), 0.5)],
        fill_like=lambda tf: [tf.ones_like(deep(tf)), tf.zeros_like(wide(tf))],
        inplace_operators=lambda tf: _in_place(numbers(tf)),
    )
)


def _in_place(x):
    y = x
    y += 1
    y *= 2
    y -= x
    return [x, y]
