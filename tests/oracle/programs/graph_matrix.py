"""The nodes each public function adds to a graph, and the static shapes of its results, for an unknown first dimension."""

from __future__ import annotations

from tests.oracle.support import attempt, nodes

# name: function of (tf, x, i) with x a float32 [None, 3] and i an int32 [None]
_FUNCTIONS = {
    "add_constant": lambda tf, x, i: x + 1.0,
    "reflected": lambda tf, x, i: 1.0 - x / 2.0,
    "power": lambda tf, x, i: x**2,
    "floordiv_mod": lambda tf, x, i: (i // 2, i % 3),
    "int_division": lambda tf, x, i: i / 2,
    "comparison": lambda tf, x, i: (x > 0.5, i == 1, x != 2.0),
    "logic": lambda tf, x, i: ~((x > 0.5) & (x < 1.0)) | (x > 2.0),
    "xor": lambda tf, x, i: tf.math.logical_xor(x > 0.0, x < 1.0),
    "scalar_mul": lambda tf, x, i: tf.scalar_mul(2.0, x),
    "add_n": lambda tf, x, i: tf.add_n([x, x, x]),
    "polyval": lambda tf, x, i: tf.math.polyval([1.0, 2.0], x),
    "clip_by_value": lambda tf, x, i: tf.clip_by_value(x, 0.0, 1.0),
    "clip_by_norm": lambda tf, x, i: tf.clip_by_norm(x, 1.0),
    "clip_by_global_norm": lambda tf, x, i: tf.clip_by_global_norm([x, x], 1.0),
    "reduce_all_axes": lambda tf, x, i: (tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_max(x, [0, 1], keepdims=True)),
    "reduce_std": lambda tf, x, i: tf.math.reduce_std(x, 0),
    "reduce_logsumexp": lambda tf, x, i: tf.reduce_logsumexp(x, 1),
    "norm": lambda tf, x, i: (tf.norm(x), tf.norm(x, ord=1, axis=1)),
    "l2_normalize": lambda tf, x, i: tf.math.l2_normalize(x, 1),
    "argmax": lambda tf, x, i: (tf.argmax(x, 1), tf.argmin(x, 0, tf.int32)),
    "cumsum": lambda tf, x, i: tf.cumsum(x, 1, reverse=True),
    "count_nonzero": lambda tf, x, i: tf.math.count_nonzero(x),
    "segment": lambda tf, x, i: (tf.math.segment_sum(x, i), tf.math.unsorted_segment_mean(x, i, 4)),
    "matmul": lambda tf, x, i: (tf.matmul(x, x, transpose_a=True), x @ tf.ones([3, 2])),
    "matvec": lambda tf, x, i: tf.linalg.matvec(x, [1.0, 2.0, 3.0]),
    "einsum": lambda tf, x, i: tf.einsum("ij,kj->ik", x, x),
    "tensordot": lambda tf, x, i: tf.tensordot(x, x, [[0], [0]]),
    "tensordot_vectors": lambda tf, x, i: tf.tensordot(x[0], x[1], 1),
    "linalg_diag": lambda tf, x, i: (tf.linalg.diag(x), tf.linalg.trace(tf.linalg.diag(x))),
    "band_part": lambda tf, x, i: tf.linalg.band_part(x, 0, -1),
    "inverse": lambda tf, x, i: tf.linalg.inv(tf.matmul(x, x, transpose_a=True)),
    "reshape": lambda tf, x, i: (tf.reshape(x, [-1]), tf.reshape(x, [tf.shape(x)[0], 3, 1])),
    "expand_squeeze": lambda tf, x, i: tf.squeeze(tf.expand_dims(x, 1), [1]),
    "transpose": lambda tf, x, i: (tf.transpose(x), tf.transpose(x, [1, 0])),
    "tile": lambda tf, x, i: tf.tile(x, [2, 1]),
    "repeat": lambda tf, x, i: tf.repeat(x, [1, 2, 1], axis=1),
    "reverse": lambda tf, x, i: tf.reverse(x, [0]),
    "roll": lambda tf, x, i: tf.roll(x, shift=1, axis=0),
    "broadcast_to": lambda tf, x, i: tf.broadcast_to(i[:1], [4]),
    "meshgrid": lambda tf, x, i: tf.meshgrid(i, i),
    "stack_concat": lambda tf, x, i: (tf.stack([x, x], 1), tf.concat([x, x], 1), tf.concat([x, x], 0)),
    "split": lambda tf, x, i: (tf.split(x, 3, axis=1), tf.split(x, [1, 2], axis=1)),
    "unstack": lambda tf, x, i: tf.unstack(x, axis=1),
    "pad": lambda tf, x, i: (tf.pad(x, [[1, 1], [0, 0]]), tf.pad(x, [[0, 0], [1, 1]], "SYMMETRIC"), tf.pad(x, [[0, 0], [1, 0]], constant_values=5.0)),
    "gather": lambda tf, x, i: (tf.gather(x, i), tf.gather(x, [0, 2], axis=1)),
    "gather_batch": lambda tf, x, i: tf.gather(x, i[:, None], batch_dims=1),
    "gather_nd": lambda tf, x, i: tf.gather_nd(x, i[:, None]),
    "scatter": lambda tf, x, i: (tf.scatter_nd(i[:, None], x, [5, 3]), tf.tensor_scatter_nd_add(x, [[0]], [[1.0, 2.0, 3.0]])),
    "where": lambda tf, x, i: (tf.where(x > 0.0, x, 0.0), tf.where(x > 0.0)),
    "boolean_mask": lambda tf, x, i: tf.boolean_mask(x, i > 0),
    "one_hot": lambda tf, x, i: tf.one_hot(i, 4),
    "sequence_mask": lambda tf, x, i: tf.sequence_mask(i, 5),
    "sort": lambda tf, x, i: (tf.sort(x), tf.sort(i, direction="DESCENDING")),
    "argsort": lambda tf, x, i: tf.argsort(x, 0),
    "top_k": lambda tf, x, i: tf.math.top_k(x, 2),
    "unique": lambda tf, x, i: tf.unique_with_counts(i),
    "searchsorted": lambda tf, x, i: tf.searchsorted([1, 5, 9], i),
    "strided_slice": lambda tf, x, i: (x[0], x[:, 1:], x[..., None], x[::2, -1], x[i[0] :]),
    "slice": lambda tf, x, i: tf.slice(x, [0, 1], [-1, 2]),
    "cast": lambda tf, x, i: (tf.cast(x, tf.int32), tf.cast(i, tf.bool), tf.cast(x, tf.float32)),
    "shape_size": lambda tf, x, i: (tf.shape(x), tf.size(x), tf.rank(x), tf.shape(x)[1]),
    "zeros_ones": lambda tf, x, i: (tf.zeros_like(x), tf.ones_like(i), tf.zeros([2, 2]), tf.ones([3], tf.int32), tf.zeros(tf.shape(x))),
    "fill_range": lambda tf, x, i: (tf.fill([2], 1.5), tf.range(4), tf.range(tf.shape(x)[0]), tf.fill(tf.shape(x), 0)),
    "eye": lambda tf, x, i: (tf.eye(2), tf.eye(tf.shape(x)[0])),
    "linspace": lambda tf, x, i: tf.linspace(0.0, 1.0, 4),
    "identity": lambda tf, x, i: (tf.identity(x), tf.stop_gradient(x), tf.ensure_shape(x, [2, 3])),
    "complex": lambda tf, x, i: (tf.complex(x, x), tf.abs(tf.complex(x, x)), tf.math.real(tf.complex(x, x))),
    "activations": lambda tf, x, i: (tf.nn.relu(x), tf.nn.elu(x), tf.nn.leaky_relu(x), tf.nn.softplus(x), tf.nn.sigmoid(x), tf.nn.tanh(x)),
    "gelu": lambda tf, x, i: tf.nn.gelu(x),
    "softmax": lambda tf, x, i: (tf.nn.softmax(x), tf.nn.log_softmax(x)),
    "softmax_axis": lambda tf, x, i: tf.nn.softmax(x, axis=0),
    "cross_entropies": lambda tf, x, i: (tf.nn.sparse_softmax_cross_entropy_with_logits(i, x), tf.nn.sigmoid_cross_entropy_with_logits(x, x)),
    "softmax_cross_entropy": lambda tf, x, i: tf.nn.softmax_cross_entropy_with_logits(x, x),
    "bias_add": lambda tf, x, i: tf.nn.bias_add(x, [1.0, 2.0, 3.0]),
    "moments": lambda tf, x, i: tf.nn.moments(x, [0]),
    "batch_normalization": lambda tf, x, i: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), None, None, 1e-3),
    "dropout": lambda tf, x, i: tf.nn.dropout(x, 0.5, seed=1),
    "embedding": lambda tf, x, i: tf.nn.embedding_lookup(x, i),
    "conv2d": lambda tf, x, i: tf.nn.conv2d(x[:, :, None, None], tf.ones([2, 1, 1, 4]), 1, "SAME"),
    "conv1d": lambda tf, x, i: tf.nn.conv1d(x[:, :, None], tf.ones([2, 1, 4]), 1, "VALID"),
    "pools": lambda tf, x, i: (tf.nn.max_pool2d(x[:, :, None, None], [2, 1], 1, "SAME"), tf.nn.avg_pool2d(x[:, :, None, None], [2, 1], 1, "VALID")),
    "random": lambda tf, x, i: (tf.random.uniform([2], 1.0, 2.0, seed=1), tf.random.normal(tf.shape(x), seed=2), tf.random.uniform([2], maxval=9, dtype=tf.int32, seed=3)),
    "stateless_random": lambda tf, x, i: (tf.random.stateless_uniform([2], [1, 2]), tf.random.stateless_normal(tf.shape(x), i[:2])),
    "shuffle_categorical": lambda tf, x, i: (tf.random.shuffle(x, seed=1), tf.random.categorical(x, 2, seed=1)),
    "strings": lambda tf, x, i: (tf.strings.as_string(i), tf.strings.join([tf.strings.as_string(i), "x"]), tf.strings.length(tf.strings.as_string(i))),
    "string_functions": lambda tf, x, i: (tf.strings.lower("A"), tf.strings.substr("abc", 0, 1), tf.strings.regex_replace("a", "a", "b"), tf.strings.to_number("1"), tf.strings.reduce_join(["a", "b"])),
    "print": lambda tf, x, i: tf.print("x", x),
    "asserts": lambda tf, x, i: (tf.debugging.assert_positive(x), tf.debugging.assert_equal(i, 1)),
    "check_numerics": lambda tf, x, i: tf.debugging.check_numerics(x, "m"),
    "name_scopes": lambda tf, x, i: tf.add(x, tf.nn.relu(x, name="inner"), name="outer"),
    "bitwise": lambda tf, x, i: (tf.bitwise.bitwise_and(i, 3), i ^ 1, ~i),
    "bincount": lambda tf, x, i: tf.math.bincount(i, minlength=3),
    "confusion_matrix": lambda tf, x, i: tf.math.confusion_matrix(i, i, num_classes=4),
    "dynamic_partition": lambda tf, x, i: tf.dynamic_partition(x, i, 2),
    "reverse_sequence": lambda tf, x, i: tf.reverse_sequence(x, i, seq_axis=1),
    "space_to_batch": lambda tf, x, i: tf.space_to_batch(x[:, :, None, None], [1, 1], [[0, 0], [0, 0]]),
    "saturate_cast": lambda tf, x, i: tf.saturate_cast(x, tf.uint8),
    "squared_difference": lambda tf, x, i: tf.math.squared_difference(x, 1.0),
    "divide_no_nan": lambda tf, x, i: tf.math.divide_no_nan(x, x),
    "gradients": lambda tf, x, i: tf.gradients(tf.reduce_sum(x * x), x),
    "gradient_of_matmul": lambda tf, x, i: tf.gradients(tf.matmul(x, tf.ones([3, 2])), x),
    "gradient_of_broadcast": lambda tf, x, i: tf.gradients(x * x[0], x),
}


def _program(function):
    def program(tf, np):
        tf.random.set_seed(1)
        out = []

        @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32)])
        def f(x, i):
            results = attempt(lambda: function(tf, x, i), words=0)
            out.append(results)
            return i

        graph = f.get_concrete_function().graph
        return [nodes(graph), out[0]]

    return program


globals().update({f"prog_{name}": _program(function) for name, function in _FUNCTIONS.items()})
