"""First and second derivatives of each function: eager, in a function, and in a function that knows no shapes."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt

_POINTS = [[0.3, 0.7, 0.5], [0.9, 0.2, 0.6]]
_MATRIX = [[2.0, 0.5, 0.1], [0.4, 3.0, 0.2], [0.3, 0.6, 4.0]]

# name: function of (tf, x) with x of shape [2, 3], all elements in (0, 1) and different
_FUNCTIONS = {
    "exp": lambda tf, x: tf.exp(x),
    "log": lambda tf, x: tf.math.log(x),
    "sqrt": lambda tf, x: tf.sqrt(x),
    "rsqrt": lambda tf, x: tf.math.rsqrt(x),
    "square": lambda tf, x: tf.square(x) * x,
    "reciprocal": lambda tf, x: tf.math.reciprocal(x),
    "trigonometric": lambda tf, x: tf.sin(x) * tf.cos(x) + tf.tan(x),
    "inverse_trigonometric": lambda tf, x: tf.asin(x) + tf.acos(x) * tf.atan(x),
    "hyperbolic": lambda tf, x: tf.sinh(x) * tf.cosh(x) + tf.tanh(x),
    "inverse_hyperbolic": lambda tf, x: tf.asinh(x) + tf.acosh(x + 1.0) * tf.atanh(x),
    "sigmoid": lambda tf, x: tf.sigmoid(x) * x,
    "softplus": lambda tf, x: tf.math.softplus(x) * x,
    "erf": lambda tf, x: tf.math.erf(x) + tf.math.erfc(x) * x,
    "erfinv": lambda tf, x: tf.math.erfinv(x) + tf.math.ndtri(x),
    "lgamma": lambda tf, x: tf.math.lgamma(x) + tf.math.digamma(x),
    "expm1_log1p": lambda tf, x: tf.math.expm1(x) * tf.math.log1p(x),
    "pow": lambda tf, x: x**2.5 + 2.0**x + x**x,
    "division": lambda tf, x: x / (1.0 + x) + 1.0 / x,
    "divide_no_nan": lambda tf, x: tf.math.divide_no_nan(x, x + 1.0),
    "xlogy": lambda tf, x: tf.math.xlogy(x, x + 1.0) + tf.math.xdivy(x, x + 2.0) + tf.math.xlog1py(x, x),
    "atan2": lambda tf, x: tf.atan2(x, 1.0 + x * x),
    "maximum": lambda tf, x: tf.maximum(x * x, 0.2) * tf.minimum(x, 0.6),
    "squared_difference": lambda tf, x: tf.math.squared_difference(x, x[:1]),
    "broadcasting": lambda tf, x: x * x[:1] + x[:, :1] / 2.0 - x[0, 0],
    "clip": lambda tf, x: tf.clip_by_value(x, 0.25, 0.65) * x,
    "clip_by_norm": lambda tf, x: tf.clip_by_norm(x, 0.5),
    "abs": lambda tf, x: tf.abs(x - 0.4) * x,
    "relu_family": lambda tf, x: tf.nn.relu(x - 0.4) * x + tf.nn.relu6(x * 9.0) + tf.nn.leaky_relu(x - 0.5) * x,
    "elu_selu": lambda tf, x: tf.nn.elu(x - 0.5) + tf.nn.selu(x - 0.4) * x,
    "gelu_silu": lambda tf, x: tf.nn.gelu(x) + tf.nn.silu(x) + tf.nn.gelu(x, approximate=True),
    "softmax": lambda tf, x: tf.nn.softmax(x) * x,
    "softmax_axis": lambda tf, x: tf.nn.softmax(x, axis=0) * x,
    "log_softmax": lambda tf, x: tf.nn.log_softmax(x) * x,
    "softmax_cross_entropy": lambda tf, x: tf.nn.softmax_cross_entropy_with_logits([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], x * x),
    "sparse_cross_entropy": lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x * x),
    "sigmoid_cross_entropy": lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x * 2.0),
    "l2": lambda tf, x: tf.nn.l2_loss(x) * tf.nn.l2_loss(x * x),
    "l2_normalize": lambda tf, x: tf.math.l2_normalize(x, 1),
    "reduce_sum": lambda tf, x: tf.reduce_sum(x * x, 0) * tf.reduce_sum(x),
    "reduce_mean": lambda tf, x: tf.reduce_mean(x * x, 1) * tf.reduce_mean(x),
    "reduce_prod": lambda tf, x: tf.reduce_prod(x, 1) + tf.reduce_prod(x),
    "reduce_max": lambda tf, x: tf.reduce_max(x * x, 1) + tf.reduce_min(x * x, 0, keepdims=True)[0, :2],
    "reduce_logsumexp": lambda tf, x: tf.reduce_logsumexp(x, 1),
    "reduce_std": lambda tf, x: tf.math.reduce_std(x, 1) + tf.math.reduce_variance(x, 1),
    "norm": lambda tf, x: tf.norm(x, axis=1) + tf.norm(x) + tf.norm(x, ord=1, axis=1),
    "moments": lambda tf, x: tf.nn.moments(x, [0])[0] * tf.nn.moments(x, [0])[1],
    "cumsum": lambda tf, x: tf.cumsum(x * x, 1, exclusive=True) + tf.cumsum(x * x, 0, reverse=True),
    "cumprod": lambda tf, x: tf.math.cumprod(x, 1),
    "segment_sum": lambda tf, x: tf.math.segment_sum(x * x, [0, 0]) + tf.math.unsorted_segment_mean(x * x, [1, 1], 2)[1],
    "segment_max": lambda tf, x: tf.math.unsorted_segment_max(x * x, [0, 0], 1),
    "matmul": lambda tf, x: tf.matmul(x, x, transpose_b=True) @ x,
    "matmul_transposed": lambda tf, x: tf.matmul(x, x, transpose_a=True) * tf.reduce_sum(x),
    "batch_matmul": lambda tf, x: tf.matmul(tf.stack([x, x * 2.0]), tf.transpose(x)),
    "einsum": lambda tf, x: tf.einsum("ij,kj,k->i", x, x, x[:, 0]),
    "tensordot": lambda tf, x: tf.tensordot(x, x * x, [[0, 1], [0, 1]]),
    "inverse": lambda tf, x: tf.linalg.inv(tf.constant(_MATRIX, tf.float64) + tf.reduce_sum(x) * 0.1) * x[0],
    "determinant": lambda tf, x: tf.linalg.det(tf.constant(_MATRIX, tf.float64) * x[:1]) + tf.linalg.slogdet(tf.constant(_MATRIX, tf.float64) * x[:1])[1],
    "cholesky": lambda tf, x: tf.linalg.cholesky(tf.eye(2, dtype=tf.float64) * 3.0 + x @ tf.transpose(x)),
    "solve": lambda tf, x: tf.linalg.solve(tf.constant(_MATRIX, tf.float64), tf.transpose(x * x)),
    "diag_parts": lambda tf, x: tf.linalg.diag_part(x @ tf.transpose(x)) + tf.linalg.trace(x @ tf.transpose(x)),
    "band_part": lambda tf, x: tf.linalg.band_part(x * x, 0, 1) + tf.linalg.set_diag(x, x[0, :2] * x[1, :2]),
    "reshape_transpose": lambda tf, x: tf.reshape(tf.transpose(x * x), [6]) * tf.reshape(x, [-1]),
    "concat_stack": lambda tf, x: tf.concat([x, x * x], 0) * tf.reshape(tf.stack([x, x]), [4, 3]),
    "split_unstack": lambda tf, x: tf.split(x, 3, axis=1)[1] * tf.unstack(x)[0],
    "pad": lambda tf, x: tf.pad(x, [[1, 0], [0, 1]]) ** 2 + tf.pad(x, [[0, 1], [1, 0]], "REFLECT") ** 2,
    "tile_repeat": lambda tf, x: tf.tile(x, [2, 1]) * tf.repeat(x * x, 2, axis=0),
    "gather": lambda tf, x: tf.gather(x * x, [0, 0, 1]) + tf.gather(x, [2], axis=1)[0],
    "gather_nd": lambda tf, x: tf.gather_nd(x * x, [[0, 1], [1, 2], [0, 1]]),
    "scatter": lambda tf, x: tf.tensor_scatter_nd_add(x * x, [[0]], x[1:] ** 2) + tf.scatter_nd([[1], [0]], x * x, [2, 3]),
    "where": lambda tf, x: tf.where(x > 0.5, x * x, tf.exp(x)),
    "boolean_mask": lambda tf, x: tf.boolean_mask(x * x, [True, False]),
    "strided_slice": lambda tf, x: x[::-1, ::2] * x[:, 1:] + x[..., tf.newaxis, 0],
    "reverse_roll": lambda tf, x: tf.reverse(x * x, [1]) * tf.roll(x, 1, 1),
    "sort_top_k": lambda tf, x: tf.sort(x * x, 1) + tf.math.top_k(x, 2).values[:, :1],
    "broadcast_to": lambda tf, x: tf.broadcast_to(x * x, [2, 2, 3]) * x,
    "conv2d": lambda tf, x: tf.nn.conv2d(x[None, :, :, None], (x * x)[:, :2, None, None], 1, "SAME"),
    "conv1d": lambda tf, x: tf.nn.conv1d(x[:, :, None], (x * x)[:1, :, None][..., None][0], 1, "SAME"),
    "depthwise": lambda tf, x: tf.nn.depthwise_conv2d(x[None, :, :, None], x[:, :2, None, None], [1, 1, 1, 1], "VALID"),
    "conv_transpose": lambda tf, x: tf.nn.conv2d_transpose(x[None, :, :, None], x[:, :2, None, None], [1, 4, 6, 1], 2, "SAME"),
    "max_pool": lambda tf, x: tf.nn.max_pool2d((x * x)[None, :, :, None], 2, 1, "SAME"),
    "avg_pool": lambda tf, x: tf.nn.avg_pool2d((x * x)[None, :, :, None], 2, 1, "SAME"),
    "batch_normalization": lambda tf, x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), 0.1, 2.0, 1e-3),
    "bias_add": lambda tf, x: tf.nn.bias_add(x * x, x[0]),
    "stop_gradient": lambda tf, x: x * x * tf.stop_gradient(x),
    "cast": lambda tf, x: tf.cast(tf.cast(x, tf.float32) ** 2, tf.float64) * x,
    "complex": lambda tf, x: tf.abs(tf.complex(x, x * x)) + tf.math.real(tf.math.conj(tf.complex(x, x)) * tf.complex(x, 1.0 - x)),
    "cond": lambda tf, x: tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * x * x, lambda: x),
}


def _derivatives(tf, function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(tf, x)
        first = inner.gradient(y, x)
        total = tf.reduce_sum(tf.convert_to_tensor(first) ** 2) if first is not None else None
    second = outer.gradient(total, x) if total is not None else None
    return y, first, second


def _program(function):
    def program(tf, np):
        x = tf.constant(_POINTS, tf.float64)
        known = tf.function(lambda x: _derivatives(tf, function, x), autograph=False)
        unknown = tf.function(known.python_function, autograph=False, input_signature=[tf.TensorSpec([None, None], tf.float64)])
        runs = [lambda: _derivatives(tf, function, x), lambda: known(x), lambda: unknown(x)]
        return Approx([attempt(run, words=0) for run in runs], 1e-6, 1e-8)

    return program


globals().update({f"prog_{name}": _program(function) for name, function in _FUNCTIONS.items()})
