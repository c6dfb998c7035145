"""Gradients where there is no derivative to compare with: at zeros, ties, infinities, NaN, of nothing, of repeated elements.

Each program gives, for an expression of `tf` and its arguments, the gradients of its sum and those of their sum, in eager
mode and in a function; or the error, or None.
"""

from __future__ import annotations

from tests.oracle.support import Approx, attempt

_INF, _NAN = float("inf"), float("nan")
_LINE = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1e-5, -1e-5, 1e30, -1e30, _INF, -_INF, _NAN]
_TIES = [[1.0, 3.0, 3.0, 3.0], [2.0, 2.0, 2.0, 2.0], [5.0, -1.0, 5.0, 0.0]]
_PAIRS = ([[0.0], [1.0], [-1.0], [2.0], [_INF], [-_INF], [_NAN]], [0.0, 1.0, -1.0, 2.0, _INF, -_INF, _NAN])
_PLANE = [0.0, 1.0, -1.0, 1j, -1j, 1 + 2j, -1 - 1j, 0.5 - 2j]

# Of one number, everywhere on the line. name: expression of x
_UNARY = {
    "abs": "tf.abs(x)", "neg": "-x", "sign": "tf.sign(x)", "square": "tf.square(x)", "sqrt": "tf.sqrt(x)", "rsqrt": "tf.math.rsqrt(x)",
    "reciprocal": "tf.math.reciprocal(x)", "reciprocal_no_nan": "tf.math.reciprocal_no_nan(x)", "exp": "tf.exp(x)", "expm1": "tf.math.expm1(x)",
    "log": "tf.math.log(x)", "log1p": "tf.math.log1p(x)", "sin": "tf.sin(x)", "cos": "tf.cos(x)", "tan": "tf.tan(x)", "asin": "tf.asin(x)",
    "acos": "tf.acos(x)", "atan": "tf.atan(x)", "sinh": "tf.sinh(x)", "cosh": "tf.cosh(x)", "tanh": "tf.tanh(x)", "asinh": "tf.asinh(x)",
    "acosh": "tf.acosh(x)", "atanh": "tf.atanh(x)", "sigmoid": "tf.sigmoid(x)", "log_sigmoid": "tf.math.log_sigmoid(x)", "softplus": "tf.math.softplus(x)",
    "softsign": "tf.nn.softsign(x)", "relu": "tf.nn.relu(x)", "relu6": "tf.nn.relu6(x)", "leaky_relu": "tf.nn.leaky_relu(x)", "elu": "tf.nn.elu(x)",
    "selu": "tf.nn.selu(x)", "gelu": "tf.nn.gelu(x)", "gelu_tanh": "tf.nn.gelu(x, approximate=True)", "silu": "tf.nn.silu(x)", "crelu": "tf.nn.crelu(x)",
    "erf": "tf.math.erf(x[:10])", "erfc": "tf.math.erfc(x)", "erfinv": "tf.math.erfinv(x)", "ndtri": "tf.math.ndtri(x)", "ceil": "tf.math.ceil(x)",
    "floor": "tf.floor(x)", "round": "tf.round(x)", "rint": "tf.math.rint(x)", "clip": "tf.clip_by_value(x, -1.0, 1.0)",
    "bessel_i0e": "tf.math.bessel_i0e(x)", "bessel_i1e": "tf.math.bessel_i1e(x[2:])", "cube": "x ** 3.0", "power_zero": "x ** 0.0", "power_half": "tf.concat([x[:1], x[2:4]], 0) ** 0.5",
    "power_of_two": "2.0 ** x", "power_of_zero": "0.0 ** x", "where": "tf.where(x > 0.0, tf.math.log(x), x)", "l2_loss": "tf.nn.l2_loss(x[:6])",
    "identity": "tf.identity(x)", "cast": "tf.cast(tf.cast(x, tf.float32), x.dtype)", "cast_to_integer": "tf.cast(tf.cast(x[:6], tf.int32), x.dtype)",
}  # fmt: skip

# Of two numbers, on a grid.
_BINARY = {
    "add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y", "divide_no_nan": "tf.math.divide_no_nan(x, y)",
    "multiply_no_nan": "tf.math.multiply_no_nan(x, y)", "floordiv": "x // y", "floormod": "x % y", "truncatediv": "tf.truncatediv(x, y)",
    "pow": "x ** y", "maximum": "tf.maximum(x, y)", "minimum": "tf.minimum(x, y)", "squared_difference": "tf.math.squared_difference(x, y)",
    "atan2": "tf.atan2(x, y)", "xlogy": "tf.math.xlogy(x, y)", "xlog1py": "tf.math.xlog1py(x, y)", "xdivy": "tf.math.xdivy(x, y)",
    "next_after": "tf.math.nextafter(x, y)", "complex": "tf.abs(tf.complex(x, y))", "igamma": "tf.math.igamma(x[1:2], y[:2])",
    "igammac": "tf.math.igammac(x[1:2], y[:2])", "zeta": "tf.math.zeta(x[3:4], y[1:4])", "polygamma": "tf.math.polygamma(x[1:2], y[1:4])",
    "where": "tf.where(x > y, x, y)", "sigmoid_cross_entropy": "tf.nn.sigmoid_cross_entropy_with_logits(y + 0.0 * x, x + 0.0 * y)",
}  # fmt: skip

# Where elements are equal.
_TIED = {
    "reduce_max": "tf.reduce_max(x, 1)", "reduce_max_all": "tf.reduce_max(x)", "reduce_min": "tf.reduce_min(x, 0)", "reduce_max_kept": "tf.reduce_max(x, 1, keepdims=True) * x",
    "reduce_logsumexp": "tf.reduce_logsumexp(x, 1)", "reduce_prod": "tf.reduce_prod(x, 1)", "reduce_std": "tf.math.reduce_std(x, 1)", "reduce_variance": "tf.math.reduce_variance(x, 1)",
    "reduce_euclidean_norm": "tf.math.reduce_euclidean_norm(x * 0.0, 1)", "norm": "tf.norm(x - 2.0, axis=1)", "norm_1": "tf.norm(x - 2.0, ord=1, axis=1)", "norm_inf": "tf.norm(x, ord=float('inf'), axis=1)",
    "l2_normalize": "tf.math.l2_normalize(x - 2.0, 1)", "clip_by_norm": "tf.clip_by_norm(x - 2.0, 1.0, axes=[1])", "clip_by_norm_exact": "tf.clip_by_norm(x, 4.0, axes=[1])",
    "maximum_of_itself": "tf.maximum(x, x)", "minimum_of_constant": "tf.minimum(x, 2.0)", "maximum_of_constant": "tf.maximum(x, 3.0)", "clip_at_bounds": "tf.clip_by_value(x, 2.0, 3.0)",
    "clip_of_tensors": "tf.clip_by_value(x, x[1:2], x[0])", "sort": "tf.sort(x, 1) * [1.0, 2.0, 3.0, 4.0]", "sort_down": "tf.sort(x, 1, 'DESCENDING') * [1.0, 2.0, 3.0, 4.0]",
    "top_k": "tf.math.top_k(x, 2).values * [1.0, 2.0]", "nth_element": "tf.raw_ops.NthElement(input=x, n=1)", "argmax_gather": "tf.gather(x, tf.argmax(x, 1), axis=1, batch_dims=1)",
    "max_pool": "tf.nn.max_pool2d(x[None, :, :, None], 2, 1, 'VALID')", "max_pool_same": "tf.nn.max_pool2d(x[None, :, :, None], 2, 2, 'SAME')", "max_pool_3d": "tf.nn.max_pool3d(x[None, :, :, None, None], [2, 2, 1], 1, 'VALID')",
    "max_pool_argmax": "tf.nn.max_pool_with_argmax(x[None, :, :, None], 2, 1, 'VALID')[0]", "dilation": "tf.nn.dilation2d(x[None, :, :, None], x[:2, :2, None] * 0.0, [1] * 4, 'VALID', 'NHWC', [1] * 4)",
    "segment_max": "tf.math.segment_max(x, [0, 0, 1])", "segment_min": "tf.math.segment_min(x, [0, 0, 0])", "segment_prod": "tf.math.segment_prod(x, [0, 1, 1])", "unsorted_segment_max": "tf.math.unsorted_segment_max(x, [1, 1, 0], 3)[:2]",
    "unsorted_segment_min": "tf.math.unsorted_segment_min(x, [1, -1, 1], 2)[1:]", "unsorted_segment_prod": "tf.math.unsorted_segment_prod(x + 1.5, [1, 1, 0], 2)", "cumprod": "tf.math.cumprod(x, 1)", "cumprod_exclusive": "tf.math.cumprod(x, 1, exclusive=True, reverse=True)",
    "cumulative_logsumexp": "tf.math.cumulative_logsumexp(x, 1)", "softmax": "tf.nn.softmax(x) * x", "log_softmax": "tf.nn.log_softmax(x) * x", "cross_entropy": "tf.nn.softmax_cross_entropy_with_logits([[0.0, 0.5, 0.5, 0.0]] * 3, x)",
    "sparse_cross_entropy": "tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0, 3], x)", "accumulate": "tf.add_n([x, x, x * x])", "prod_of_zeros": "tf.reduce_prod(x * [0.0, 1.0, 0.0, 1.0], 1)", "prod_of_one_zero": "tf.reduce_prod(x * [0.0, 1.0, 1.0, 1.0], 1)",
}  # fmt: skip

# Of elements taken or written more than once.
_REPEATED = {
    "gather": "tf.gather(x, [1, 1, 0, 1])", "gather_axis": "tf.gather(x, [2, 2], axis=1)", "gather_batch": "tf.gather(x, [[0, 0], [3, 3], [1, 2]], batch_dims=1)", "gather_nd": "tf.gather_nd(x, [[0, 1], [0, 1], [2, 3]])",
    "gather_rows": "tf.gather_nd(x, [[1], [1]])", "embedding": "tf.nn.embedding_lookup(x, [2, 2, 2])", "embedding_max_norm": "tf.nn.embedding_lookup(x, [2, 2], max_norm=1.0)", "scatter": "tf.scatter_nd([[0], [0], [2]], x, [3, 4]) * x",
    "scatter_update": "tf.tensor_scatter_nd_update(x, [[1], [2]], x[:2] * 2.0)", "scatter_add": "tf.tensor_scatter_nd_add(x, [[1], [1]], x[:2] * 2.0)", "scatter_sub": "tf.tensor_scatter_nd_sub(x, [[1], [1]], x[:2])",
    "scatter_max": "tf.tensor_scatter_nd_max(x, [[1], [2]], x[:2])", "scatter_min": "tf.tensor_scatter_nd_min(x, [[1], [2]], x[:2])", "tile": "tf.tile(x, [2, 3])", "repeat": "tf.repeat(x, [2, 0, 1], axis=0)", "broadcast": "tf.broadcast_to(x[:, :1], [3, 5])",
    "segment_sum": "tf.math.segment_sum(x, [0, 0, 2])", "segment_mean": "tf.math.segment_mean(x, [0, 0, 0])", "sparse_segment_sum": "tf.sparse.segment_sum(x, [0, 0, 2], [0, 0, 1])", "sparse_segment_mean": "tf.sparse.segment_mean(x, [1, 1, 1], [0, 0, 1])",
    "sparse_segment_sqrt_n": "tf.sparse.segment_sqrt_n(x, [1, 1, 1], [0, 0, 1], num_segments=4)", "one_hot_matmul": "tf.matmul(tf.one_hot([1, 1], 3, dtype=x.dtype), x)", "einsum_diagonal": "tf.einsum('ii->i', x[:, :3])", "einsum_trace": "tf.einsum('ii->', x[:, :3])",
    "dynamic_stitch": "tf.dynamic_stitch([[0, 1], [1, 2]], [x[:2], x[1:]])", "dynamic_partition": "tf.dynamic_partition(x, [1, 0, 1], 2)[1]", "boolean_mask": "tf.boolean_mask(x, [True, False, True])", "concat_with_itself": "tf.concat([x, x], 0) ** 2.0",
    "stack_with_itself": "tf.stack([x, x])", "roll": "tf.roll(x, [1, 2], [0, 1])", "reverse_sequence": "tf.reverse_sequence(x, [4, 2, 1], seq_axis=1)", "mirror_pad": "tf.pad(x, [[1, 1], [2, 2]], 'REFLECT')", "symmetric_pad": "tf.pad(x, [[1, 1], [2, 2]], 'SYMMETRIC')",
    "strided_slice": "x[::-2, 1:3]", "unstack": "tf.unstack(x)[1] * tf.unstack(x)[1]", "split": "tf.split(x, [1, 3], 1)[1]", "space_to_batch": "tf.space_to_batch(x[None, :2, :, None], [2, 2], [[0, 0], [0, 0]])",
}  # fmt: skip

# Of nothing: tensors without elements. The argument has shape [0, 3].
_EMPTY = {
    "sum": "tf.reduce_sum(x)", "sum_axis": "tf.reduce_sum(x, 0)", "mean": "tf.reduce_mean(x)", "mean_axis": "tf.reduce_mean(x, 0)", "max": "tf.reduce_max(x)", "min_axis": "tf.reduce_min(x, 0)", "prod": "tf.reduce_prod(x)", "prod_axis": "tf.reduce_prod(x, 0)",
    "logsumexp": "tf.reduce_logsumexp(x, 1)", "norm": "tf.norm(x)", "euclidean_norm": "tf.math.reduce_euclidean_norm(x, 0)", "cumsum": "tf.cumsum(x)", "cumprod": "tf.math.cumprod(x)", "sort": "tf.sort(x)", "top_k": "tf.math.top_k(x, 2).values",
    "softmax": "tf.nn.softmax(x)", "matmul": "tf.matmul(x, x, transpose_a=True)", "matmul_empty": "tf.matmul(x, x, transpose_b=True)", "einsum": "tf.einsum('ij,ik->jk', x, x)", "concat": "tf.concat([x, x, [[1.0, 2.0, 3.0]]], 0)", "gather": "tf.gather(x, tf.zeros([0], tf.int32))",
    "pad": "tf.pad(x, [[1, 0], [0, 0]])", "tile": "tf.tile(x, [2, 2])", "tile_to_nothing": "tf.tile(x, [0, 2])", "reshape": "tf.reshape(x, [3, 0])", "transpose": "tf.transpose(x)", "broadcast": "x + tf.ones([1, 3], x.dtype)", "maximum": "tf.maximum(x, 1.0)",
    "segment_sum": "tf.math.segment_sum(x, tf.zeros([0], tf.int32))", "unsorted_segment_max": "tf.math.unsorted_segment_sum(x, tf.zeros([0], tf.int32), 2)", "l2_loss": "tf.nn.l2_loss(x)", "stack": "tf.stack([x, x])", "split": "tf.split(x, 3, 1)[0]", "slice": "x[:, 1:]",
    "scatter": "tf.scatter_nd(tf.zeros([0, 1], tf.int32), x, [2, 3])", "where": "tf.where(x > 0.0, x, -x)", "moments": "tf.nn.moments(x, [1])[1]", "conv": "tf.nn.conv1d(x[:, :, None], tf.ones([2, 1, 1], x.dtype), 1, 'VALID')",
}  # fmt: skip

# In the complex plane.
_COMPLEX = {
    "abs": "tf.abs(z)", "angle": "tf.math.angle(z[1:])", "real": "tf.math.real(z)", "imag": "tf.math.imag(z * z)", "conj": "tf.math.conj(z) * z", "square": "tf.square(z)", "exp": "tf.exp(z)", "log": "tf.math.log(z[1:])", "sqrt": "tf.sqrt(z[1:])",
    "reciprocal": "tf.math.reciprocal(z[1:])", "sin": "tf.sin(z)", "cosh": "tf.cosh(z)", "tanh": "tf.tanh(z)", "sigmoid": "tf.sigmoid(z)", "asinh": "tf.asinh(z[5:])", "log1p": "tf.math.log1p(z[5:])", "expm1": "tf.math.expm1(z)", "power": "z[1:] ** 2.0",
    "divide": "z / (z + 3.0)", "matmul": "tf.matmul(z[None], z[:, None])", "adjoint": "tf.linalg.adjoint(z[None]) * z", "reduce_sum": "tf.reduce_sum(z * z)", "reduce_mean": "tf.reduce_mean(z * z)", "cast": "tf.cast(tf.math.real(z), tf.complex64)", "norm": "tf.norm(z)",
    "complex_of_parts": "tf.complex(tf.math.imag(z), tf.math.real(z))", "real_of_product": "tf.math.real(z * z * 1j)", "gather": "tf.gather(z, [0, 0, 5])", "cumsum": "tf.cumsum(z)", "where": "tf.where([True] * 4 + [False] * 4, z, z * z)",
}  # fmt: skip

# What has no gradient, or an error instead. x is [0.5, 1.5, -2.0].
_NOTHING = {
    "argmax": "tf.argmax(x)", "comparison": "tf.cast(x > 1.0, x.dtype)", "floor": "tf.floor(x)", "floordiv": "x // 2.0", "round_trip": "tf.cast(tf.cast(x, tf.int64), x.dtype)", "stop_gradient": "tf.stop_gradient(x)", "zeros_like": "tf.zeros_like(x)", "ones_like": "tf.ones_like(x)",
    "shape": "tf.cast(tf.shape(x), x.dtype)", "size": "tf.cast(tf.size(x), x.dtype)", "linspace": "tf.linspace(x[0], x[1], 3)", "raw_linspace": "tf.raw_ops.LinSpace(start=x[0], stop=x[1], num=3)", "range": "tf.range(x[0], x[1], 0.25)", "one_hot": "tf.one_hot([0, 1], 2, x[0], x[1])",
    "bitcast": "tf.bitcast(x, tf.float32)", "unique": "tf.unique(x)[0]", "shuffle": "tf.random.shuffle(x) * 0.0", "stateless_shuffle": "tf.random.experimental.stateless_shuffle(x, [1, 2])", "bincount": "tf.math.bincount([1, 2, 2], weights=x)", "histogram": "tf.cast(tf.histogram_fixed_width(x, [0.0, 1.0]), x.dtype)",
    "mod": "tf.raw_ops.Mod(x=x, y=2.0)", "poisson": "tf.random.poisson([1], tf.abs(x)) * 0.0", "stateless_poisson": "tf.random.stateless_poisson([3], [1, 2], tf.abs(x))", "stateless_binomial": "tf.random.stateless_binomial([3], [1, 2], 3.0, tf.abs(x) / 9.0)",
    "prevent_gradient": "tf.raw_ops.PreventGradient(input=x, message='no')", "snapshot": "tf.raw_ops.Snapshot(input=x)", "inplace_add": "tf.raw_ops.InplaceAdd(x=x, i=[0], v=x[:1])", "list_diff": "tf.raw_ops.ListDiff(x=x, y=x[:1])[0]", "searchsorted": "tf.searchsorted([0.0, 1.0], x)",
    "where_positions": "tf.cast(tf.where(x > 0.0), x.dtype)", "in_top_k": "tf.cast(tf.math.in_top_k([0], x[None], 2), x.dtype)", "is_nan": "tf.cast(tf.math.is_nan(x), x.dtype)", "check_numerics": "tf.debugging.check_numerics(x, 'm')", "as_string": "tf.strings.to_number(tf.strings.as_string(x))",
    "quantize": "tf.quantization.quantize(x, -2.0, 2.0, tf.quint8)[1]", "fake_quant": "tf.quantization.fake_quant_with_min_max_args(x, -1.0, 1.0)", "fake_quant_vars": "tf.quantization.fake_quant_with_min_max_vars(x, x[2] * 0.5, x[1])", "quantize_and_dequantize": "tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.0, range_given=True)",
    "matrix_solve_ls": "tf.linalg.lstsq(x[:, None], x[:, None], fast=False)", "igamma_second": "tf.math.igamma(tf.abs(x), tf.abs(x))", "numpy_function": "tf.numpy_function(lambda a: a, [x], tf.float32)", "nothing": "tf.constant(1.0)",
}  # fmt: skip


# TensorFlow has no second derivative of these; ours is checked against differences in tests/contracts.
_FIRST_ONLY = {"softsign", "max_pool_argmax", "dilation", "quantize_and_dequantize"}
# TensorFlow has no kernels of 16 bits for these.
_WIDE_ONLY = {"erfinv", "ndtri", "rint", "bessel_i0e", "bessel_i1e"}


def _derivatives(tf, expression, arguments, orders):
    names = ("z",) if arguments[0].dtype.is_complex else ("x", "y")
    scope = dict(zip(names, arguments))
    with tf.GradientTape() as outer:
        outer.watch(arguments)
        with tf.GradientTape() as inner:
            inner.watch(arguments)
            y = eval(expression, {"tf": tf, **scope})
        first = inner.gradient(y, arguments)
        total = [tf.convert_to_tensor(g) for g in first if g is not None]
    second = outer.gradient(total, arguments) if total and orders == 2 else None
    return y, [None if g is None else tf.convert_to_tensor(g) for g in first], second


def _program(expression, values, dtype, tolerance, orders=2):
    def program(tf, np):
        arguments = [tf.constant(v, dtype) for v in values]
        function = tf.function(lambda *a: _derivatives(tf, expression, list(a), orders), autograph=False)
        runs = [lambda: _derivatives(tf, expression, arguments, orders), lambda: function(*arguments)]
        return Approx([attempt(run, words=0) for run in runs], tolerance, tolerance)

    return program


_TABLES = [
    ("unary", _UNARY, [_LINE], "float64", 1e-6),
    ("binary", _BINARY, _PAIRS, "float64", 1e-6),
    ("tied", _TIED, [_TIES], "float32", 1e-5),
    ("repeated", _REPEATED, [_TIES], "float32", 1e-5),
    ("complex", _COMPLEX, [_PLANE], "complex64", 1e-5),
    ("nothing", _NOTHING, [[0.5, 1.5, -2.0]], "float32", 1e-5),
    ("half", _UNARY, [[0.0, 1.0, -1.0, 2.5, -2.5]], "float16", 2e-2),
    ("bfloat16", _UNARY, [[0.0, 1.0, -1.0, 2.5, -2.5]], "bfloat16", 1e-1),
]

for _kind, _table, _values, _dtype, _tolerance in _TABLES:
    for _name, _expression in _table.items():
        if _dtype not in ("float16", "bfloat16") or _name not in _WIDE_ONLY:
            _orders = 1 if _name in _FIRST_ONLY else 2
            globals()[f"prog_{_kind}_{_name}"] = _program(_expression, _values, _dtype, _tolerance, _orders)
for _name, _expression in _EMPTY.items():
    globals()[f"prog_empty_{_name}"] = lambda tf, np, e=_expression: _program(e, [np.zeros([0, 3])], "float32", 1e-5)(tf, np)
