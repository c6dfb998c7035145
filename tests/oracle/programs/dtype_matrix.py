"""Every function on every dtype: which it takes, with what result, and which it refuses with what class."""

from __future__ import annotations

from tests.oracle.support import attempt

# name: (dtypes it takes, dtypes it refuses); dtypes for which TensorFlow merely has no CPU kernel are in neither.
_UNARY = {
    "abs": ("int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool uint8 uint16 uint32 uint64 string"),
    "negative": ("int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool uint8 uint16 uint32 uint64 string"),
    "sign": ("int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool uint8 uint16 uint32 uint64 string"),
    "square": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "sqrt": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "exp": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "log": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "sin": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "cos": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "tan": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "asin": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "atan": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "sinh": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "tanh": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "asinh": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "sigmoid": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "floor": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "ceil": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "round": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool string"),
    "rint": ("float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "reciprocal": ("float16 bfloat16 float32 float64 complex64 complex128", "bool uint8 uint16 uint32 uint64 string"),
    "rsqrt": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "erf": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "lgamma": ("float16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "expm1": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "log1p": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "is_nan": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "is_finite": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "logical_not": ("bool", "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string"),
    "conj": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "real": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "imag": ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "angle": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "softplus": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "cumsum": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "cumprod": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "l2_normalize": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
}
_BINARY = {
    "add": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", "bool"),
    "subtract": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "multiply": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "divide": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "floordiv": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool string"),
    "floormod": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "pow": ("int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool uint8 uint16 uint32 uint64 string"),
    "maximum": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "minimum": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "squared_difference": ("int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 uint32 uint64 string"),
    "less": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "less_equal": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "greater": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "greater_equal": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "equal": ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "not_equal": ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "logical_and": ("bool", "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string"),
    "divide_no_nan": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "multiply_no_nan": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "xlogy": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "atan2": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "truediv": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
}
_REDUCTIONS = {
    "reduce_sum": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "reduce_prod": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "reduce_max": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "reduce_min": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "reduce_mean": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "reduce_all": ("bool", "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string"),
    "reduce_any": ("bool", "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string"),
    "reduce_logsumexp": ("float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "reduce_std": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "reduce_variance": ("float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 string"),
    "reduce_euclidean_norm": ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "argmax": ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "complex64 complex128 string"),
    "argmin": ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "complex64 complex128 string"),
    "count_nonzero": ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
}
_ARRAYS = {
    "reverse": (lambda tf, x: tf.reverse(x, [0]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "roll": (lambda tf, x: tf.roll(x, 1, 0), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "tile": (lambda tf, x: tf.tile(x, [2]), "bool int8 uint8 int16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "gather": (lambda tf, x: tf.gather(x, [2, 0]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "gather_nd": (lambda tf, x: tf.gather_nd(x, [[1]]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "scatter_nd": (lambda tf, x: tf.scatter_nd([[0], [2], [0]], x, [4]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "tensor_scatter_nd_update": (lambda tf, x: tf.tensor_scatter_nd_update(x, [[1]], x[:1]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "tensor_scatter_nd_add": (lambda tf, x: tf.tensor_scatter_nd_add(x, [[1]], x[:1]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", ""),
    "tensor_scatter_nd_max": (lambda tf, x: tf.tensor_scatter_nd_max(x, [[1]], x[2:]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", ""),
    "concat": (lambda tf, x: tf.concat([x, x], 0), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "stack": (lambda tf, x: tf.stack([x, x], 1), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "split": (lambda tf, x: tf.split(x, 3), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "unstack": (lambda tf, x: tf.unstack(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "pad": (lambda tf, x: tf.pad(x, [[1, 2]]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "mirror_pad": (lambda tf, x: tf.pad(x, [[1, 1]], "REFLECT"), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "transpose": (lambda tf, x: tf.transpose(tf.reshape(x, [3, 1])), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "where": (lambda tf, x: tf.where([True, False, True], x, x[::-1]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "where_indices": (lambda tf, x: tf.where(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 bfloat16 float32 float64 complex64 complex128", "string"),
    "boolean_mask": (lambda tf, x: tf.boolean_mask(x, [True, False, True]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "one_hot": (lambda tf, x: tf.one_hot([0, 2], 3, on_value=x[0], off_value=x[1]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "one_hot_indices": (lambda tf, x: tf.one_hot(x, 4), "int8 uint8 int32 int64", "bool int16 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 string"),
    "unique": (lambda tf, x: tf.unique(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 string", ""),
    "sort": (lambda tf, x: tf.sort(x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "argsort": (lambda tf, x: tf.argsort(x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "top_k": (lambda tf, x: tf.math.top_k(x, 2), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "searchsorted": (lambda tf, x: tf.searchsorted(x, x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", ""),
    "zeros_like": (lambda tf, x: tf.zeros_like(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "ones_like": (lambda tf, x: tf.ones_like(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "string"),
    "fill": (lambda tf, x: tf.fill([2], x[0]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "broadcast_to": (lambda tf, x: tf.broadcast_to(x, [2, 3]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "repeat": (lambda tf, x: tf.repeat(x, 2), "bool int8 uint8 int16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "reverse_sequence": (lambda tf, x: tf.reverse_sequence(x[None], [2], seq_axis=1), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "strided_slice": (lambda tf, x: x[::-2], "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "range": (lambda tf, x: tf.range(x[0], x[2]), "int32 int64 float16 bfloat16 float32 float64", ""),
    "linspace": (lambda tf, x: tf.linspace(x[0], x[2], 3), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool"),
    "eye": (lambda tf, x: tf.eye(2, dtype=x.dtype), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "string"),
    "matmul": (lambda tf, x: tf.matmul(x[None], x[:, None]), "int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool int8 int16 string"),
    "einsum": (lambda tf, x: tf.einsum("i,j->ij", x, x), "int32 int64 float16 bfloat16 float32 float64 complex64 complex128", ""),
    "diag": (lambda tf, x: tf.linalg.diag(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "string"),
    "band_part": (lambda tf, x: tf.linalg.band_part(tf.stack([x, x]), 0, 0), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", ""),
    "set_diag": (lambda tf, x: tf.linalg.set_diag(tf.stack([x, x, x]), x[::-1]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", ""),
    "trace": (lambda tf, x: tf.linalg.trace(tf.linalg.diag(x)), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "segment_sum": (lambda tf, x: tf.math.segment_sum(x, [0, 0, 1]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "segment_max": (lambda tf, x: tf.math.segment_max(x, [0, 0, 1]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "segment_mean": (lambda tf, x: tf.math.segment_mean(x, [0, 0, 1]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "unsorted_segment_sum": (lambda tf, x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "unsorted_segment_prod": (lambda tf, x: tf.math.unsorted_segment_prod(x, [1, 0, 1], 2), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "clip_by_value": (lambda tf, x: tf.clip_by_value(x, x[0], x[1]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "add_n": (lambda tf, x: tf.add_n([x, x]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "identity": (lambda tf, x: tf.identity(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "dynamic_partition": (lambda tf, x: tf.dynamic_partition(x, [0, 1, 0], 2), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "space_to_batch": (lambda tf, x: tf.space_to_batch(tf.concat([x, x[:1]], 0)[None, :, None, None], [2, 1], [[0, 0], [0, 0]]), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", ""),
    "invert_permutation": (lambda tf, x: tf.math.invert_permutation(x - x[0]), "int32 int64", "bool int8 uint8 int16 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 string"),
    "bincount": (lambda tf, x: tf.math.bincount(x), "bool int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "int8 uint8 int16 uint16 uint32 uint64"),
    "in_variable": (lambda tf, x: tf.Variable(x).assign(x[::-1]), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "variable_assign_add": (lambda tf, x: tf.Variable(x).assign_add(x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "relu": (lambda tf, x: tf.nn.relu(x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "relu6": (lambda tf, x: tf.nn.relu6(x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "leaky_relu": (lambda tf, x: tf.nn.leaky_relu(x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64", "bool complex64 complex128 string"),
    "elu": (lambda tf, x: tf.nn.elu(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "selu": (lambda tf, x: tf.nn.selu(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "gelu": (lambda tf, x: tf.nn.gelu(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "softmax": (lambda tf, x: tf.nn.softmax(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "log_softmax": (lambda tf, x: tf.nn.log_softmax(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "softsign": (lambda tf, x: tf.nn.softsign(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "bias_add": (lambda tf, x: tf.nn.bias_add(x[None], x), "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128", "bool string"),
    "as_string": (lambda tf, x: tf.strings.as_string(x), "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128 string", ""),
    "max_pool": (lambda tf, x: tf.nn.max_pool1d(x[None, :, None], 2, 1, "VALID"), "int8 uint8 int16 uint16 int32 int64 float16 bfloat16 float32 float64", "bool uint32 uint64 complex64 complex128 string"),
    "avg_pool": (lambda tf, x: tf.nn.avg_pool1d(x[None, :, None], 2, 1, "VALID"), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "conv1d": (lambda tf, x: tf.nn.conv1d(x[None, :, None], x[:2, None, None], 1, "SAME"), "int32 float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 uint32 int64 uint64 complex64 complex128 string"),
    "l2_loss": (lambda tf, x: tf.nn.l2_loss(x), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "moments": (lambda tf, x: tf.nn.moments(x, [0]), "int32 int64 float16 bfloat16 float32 float64 complex64 complex128", "bool int8 uint8 int16 uint16 uint32 uint64 string"),
    "sparse_xent": (lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits([1], x[None]), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
    "softmax_xent": (lambda tf, x: tf.nn.softmax_cross_entropy_with_logits(x[None], x[None]), "float16 bfloat16 float32 float64", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 complex64 complex128 string"),
}


def _values(tf, dtype, numbers):
    if dtype == "string":
        return tf.constant([str(number) for number in numbers])
    return tf.constant([bool(number) for number in numbers]) if dtype == "bool" else tf.constant(numbers, dtype)


def _answers(tf, call, taken, refused):
    results = {dtype: call(dtype) for dtype in taken.split()}
    results.update({dtype: attempt(lambda dtype=dtype: call(dtype), words=0) for dtype in refused.split()})
    return results


def _of_one(name, taken, refused):
    def program(tf, np):
        numbers = [1, 0, 1] if name == "asin" else [1, 2, 3]
        return _answers(tf, lambda dtype: getattr(tf.math, name)(_values(tf, dtype, numbers)), taken, refused)

    return program


def _of_two(name, taken, refused):
    def program(tf, np):
        def call(dtype):
            return getattr(tf.math, name)(_values(tf, dtype, [4, 3, 2]), _values(tf, dtype, [2, 3, 1]))

        return _answers(tf, call, taken, refused)

    return program


def _of_array(function, taken, refused):
    def program(tf, np):
        return _answers(tf, lambda dtype: function(tf, _values(tf, dtype, [1, 2, 3])), taken, refused)

    return program


def _programs():
    for name, row in {**_UNARY, **_REDUCTIONS}.items():
        yield f"prog_math_{name}", _of_one(name, *row)
    for name, row in _BINARY.items():
        yield f"prog_math_{name}", _of_two(name, *row)
    for name, row in _ARRAYS.items():
        yield f"prog_{name}", _of_array(*row)


globals().update(_programs())
