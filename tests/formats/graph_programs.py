"""Programs that build a plain graph: constants, attributes, names, devices, control dependencies, shapes."""

from __future__ import annotations

import numpy as np

from tests.formats.program import Programs

PROGRAMS = Programs()


# --- constants and attributes of every kind ----------------------------------------------------------------------


@PROGRAMS.graph
def constants_of_every_python_type(tf):
    tf.constant(1)
    tf.constant(1.5)
    tf.constant(True)
    tf.constant("text")
    tf.constant(b"bytes\x00\xff")
    tf.constant(1 + 2j)
    tf.constant(2**40)


@PROGRAMS.graph
def constants_with_names(tf):
    tf.constant([1, 2, 3], name="a")
    tf.constant([1, 2, 3], name="a")
    tf.constant([[1.0], [2.0]], name="A")
    tf.constant(np.arange(4, dtype=np.int64).reshape(2, 2), name="b")


@PROGRAMS.graph
def constants_of_every_dtype(tf):
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64):
        tf.constant([1, 2], dtype=dtype)
        tf.constant(3, dtype=dtype)
    for dtype in (tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.complex64, tf.complex128):
        tf.constant([1, 2], dtype=dtype)
        tf.constant(3, dtype=dtype)
    tf.constant([True, False])
    tf.constant(["a", "b"])


@PROGRAMS.graph
def constants_that_broadcast(tf):
    tf.constant(7, shape=[4])
    tf.constant(0.5, shape=[2, 3], name="half")
    tf.constant([1, 2, 3, 4], shape=[2, 2])


@PROGRAMS.graph
def empty_constants(tf):
    tf.constant([], dtype=tf.float32)
    tf.constant(np.zeros((0, 3), np.int32))
    tf.constant([], dtype=tf.string)


@PROGRAMS.graph
def zeros_and_ones(tf):
    tf.zeros([2, 3])
    tf.ones([4], tf.int32)
    tf.zeros([], tf.bool)
    tf.fill([2], 1.5)
    tf.eye(3)


@PROGRAMS.graph
def large_fill(tf):
    tf.ones([2000])
    tf.zeros([100, 100], tf.int32)


@PROGRAMS.graph
def placeholders(tf):
    placeholder = tf.compat.v1.placeholder
    placeholder(tf.float32)
    placeholder(tf.float32, [])
    placeholder(tf.int32, [None, 3], name="x")
    placeholder(tf.string, [2])


@PROGRAMS.graph
def type_attributes(tf):
    x = tf.constant([1.5, 2.5])
    tf.cast(x, tf.int32)
    tf.cast(x, tf.float64, name="wide")
    tf.shape(x)
    tf.shape(x, out_type=tf.int64)
    tf.size(x)
    tf.rank(x)


@PROGRAMS.graph
def bool_attributes(tf):
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])
    tf.matmul(a, b, transpose_b=True)
    tf.matmul(a, b, transpose_a=True, name="outer")
    tf.reduce_sum(a, axis=1, keepdims=True)
    tf.cumsum(a, axis=1, exclusive=True, reverse=True)


@PROGRAMS.graph
def int_attributes(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tf.stack([x, x], axis=1)
    tf.unstack(x, axis=1)
    tf.split(x, 2, axis=0)
    tf.one_hot([0, 1], 3)


@PROGRAMS.graph
def float_attributes(tf):
    x = tf.constant([1.0, -2.0])
    tf.nn.leaky_relu(x, alpha=0.3)
    tf.nn.leaky_relu(x)


@PROGRAMS.graph
def string_attributes(tf):
    x = tf.constant(["a b", "c"])
    tf.strings.join([x, x], separator="-")
    tf.strings.reduce_join(x, separator=", ")
    tf.strings.length(x, unit="UTF8_CHAR")
    tf.strings.lower(x)
    tf.strings.as_string([1.5, 2.5], precision=2)


@PROGRAMS.graph
def list_of_int_attributes(tf):
    x = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], name="x")
    w = tf.constant(np.zeros((3, 3, 3, 2), np.float32))
    tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding="SAME")
    tf.nn.max_pool2d(x, 2, 2, "VALID")
    tf.nn.avg_pool2d(x, [2, 2], [1, 1], "SAME")
    tf.squeeze(tf.constant([[[1.0]]]), axis=[0, 2])


@PROGRAMS.graph
def list_of_type_attributes(tf):
    x = tf.constant([1.0])
    tf.identity_n([x, tf.constant(2), tf.constant("s")])


@PROGRAMS.graph
def slicing(tf):
    x = tf.compat.v1.placeholder(tf.float32, [4, 5, 6], name="x")
    x[1]
    x[1:3]
    x[..., ::2]
    x[:, tf.newaxis, -1]
    tf.slice(x, [0, 1, 2], [1, 1, -1])
    tf.strided_slice(x, [0, 0, 0], [2, 2, 2], [1, 1, 1])


# --- names, scopes, devices, control inputs ----------------------------------------------------------------------


@PROGRAMS.graph
def operators_on_python_numbers(tf):
    x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
    y = x + 1.0
    y = 2.0 - y
    y = y * 3.0 / 4.0
    y = -(y**2.0)
    _ = y > 0.0
    _ = abs(y) // 2.0
    _ = y % 2.0


@PROGRAMS.graph
def name_scopes(tf):
    with tf.name_scope("outer"):
        a = tf.constant(1.0)
        with tf.name_scope("inner"):
            tf.add(a, a)
        with tf.name_scope("inner"):
            tf.add(a, a, name="sum")
    with tf.name_scope("outer"):
        tf.constant(2.0)
    with tf.name_scope("outer/"):
        tf.constant(3.0)
    tf.constant(4.0)


@PROGRAMS.graph
def outputs_by_index(tf):
    x = tf.constant([3.0, 1.0, 2.0])
    values, indices = tf.nn.top_k(x, 2)
    tf.identity(indices)
    tf.identity(values)
    first, second, third = tf.split(x, 3)
    tf.add_n([third, second, first])


@PROGRAMS.graph
def control_dependencies(tf):
    a = tf.constant(1.0, name="a")
    b = tf.constant(2.0, name="b")
    with tf.control_dependencies([b, a]):
        c = tf.constant(3.0, name="c")
        tf.identity(a, name="d")
        with tf.control_dependencies([c]):
            tf.no_op(name="e")
        with tf.control_dependencies(None):
            tf.constant(4.0, name="f")
    tf.group(a, b, name="g")


@PROGRAMS.graph
def devices(tf):
    with tf.device("/cpu:0"):
        a = tf.constant(1.0)
        with tf.device(None):
            tf.identity(a)
    with tf.device("/device:CPU:0"):
        tf.identity(a)
    tf.identity(a)


# --- families of ops ---------------------------------------------------------------------------------------------


@PROGRAMS.graph
def elementwise_math(tf):
    x = tf.compat.v1.placeholder(tf.float32, [2, 2], name="x")
    for name in ("exp", "tanh", "sqrt", "square", "sigmoid", "abs", "negative", "floor", "sin", "cos"):
        getattr(tf.math, name)(x)
    tf.math.log(x)
    tf.maximum(x, 0.0)
    tf.minimum(x, x)
    tf.pow(x, 3.0)


@PROGRAMS.graph
def comparisons_and_logic(tf):
    x = tf.constant([1, 2, 3])
    p = tf.equal(x, 2)
    q = tf.not_equal(x, [1, 2, 4])
    tf.logical_and(p, q)
    tf.logical_or(p, tf.logical_not(q))
    tf.where(p, x, -x)
    tf.where(p)


@PROGRAMS.graph
def reductions(tf):
    x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
    tf.reduce_sum(x)
    tf.reduce_mean(x, axis=0)
    tf.reduce_max(x, axis=[0, 1])
    tf.reduce_prod(x, axis=-1, keepdims=True)
    tf.reduce_all(x > 0.0)
    tf.argmax(x, axis=1)


@PROGRAMS.graph
def reduction_of_unknown_rank(tf):
    x = tf.compat.v1.placeholder(tf.float32, name="x")
    tf.reduce_sum(x)
    tf.reduce_mean(x, axis=0)


@PROGRAMS.graph
def reshaping(tf):
    x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
    tf.reshape(x, [-1, 2, 2])
    tf.transpose(x)
    tf.transpose(x, perm=[1, 0])
    tf.expand_dims(x, 0)
    tf.tile(x, [1, 2])
    tf.concat([x, x], axis=1)
    tf.pad(x, [[0, 0], [1, 1]])
    tf.broadcast_to(tf.constant(1.0), [2, 2])


@PROGRAMS.graph
def gathering(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tf.gather(x, [1, 0])
    tf.gather(x, [0], axis=1)
    tf.gather_nd(x, [[0, 1]])
    tf.tensor_scatter_nd_update(x, [[0, 0]], [9.0])
    tf.boolean_mask([1, 2, 3], [True, False, True])


@PROGRAMS.graph
def ranges(tf):
    tf.range(5)
    tf.range(1, 10, 2)
    tf.range(0.0, 1.0, 0.25)


@PROGRAMS.graph
def activations(tf):
    x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
    tf.nn.relu(x)
    tf.nn.softmax(x)
    tf.nn.log_softmax(x)
    tf.nn.elu(x)
    tf.nn.softplus(x)
    tf.nn.gelu(x)


@PROGRAMS.graph
def losses(tf):
    logits = tf.compat.v1.placeholder(tf.float32, [None, 3], name="logits")
    labels = tf.compat.v1.placeholder(tf.int32, [None], name="labels")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.nn.softmax_cross_entropy_with_logits(labels=tf.one_hot(labels, 3), logits=logits)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=logits, logits=logits)


@PROGRAMS.graph
def dense_layer(tf):
    x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
    w = tf.constant(np.zeros((4, 2), np.float32), name="w")
    b = tf.constant([0.0, 1.0], name="b")
    tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b))
    tf.nn.relu(x @ w + b)


@PROGRAMS.graph
def stateless_random(tf):
    tf.random.stateless_uniform([2], seed=[1, 2])
    tf.random.stateless_normal([2, 2], seed=[1, 2])


@PROGRAMS.graph
def stateful_random(tf):
    tf.random.uniform([2], seed=1)
    tf.random.normal([2, 2], seed=2)


@PROGRAMS.graph
def strings(tf):
    x = tf.constant(["a,b", "c"])
    tf.strings.upper(x)
    tf.strings.substr(x, 0, 1)
    tf.strings.regex_replace(x, "a", "b")
    tf.strings.to_number(["1.5"])
    tf.strings.to_hash_bucket_fast(x, 10)


@PROGRAMS.graph
def linear_algebra(tf):
    x = tf.compat.v1.placeholder(tf.float32, [3, 3], name="x")
    tf.linalg.inv(x)
    tf.linalg.cholesky(x)
    tf.linalg.det(x)
    tf.linalg.diag_part(x)
    tf.einsum("ij,jk->ik", x, x)


@PROGRAMS.graph
def segments_and_unique(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    tf.math.segment_sum(x, [0, 0, 1])
    tf.math.unsorted_segment_sum(x, [0, 1, 0], 2)
    tf.unique([1, 1, 2])


@PROGRAMS.with_shapes
def shapes_of_outputs(tf):
    x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
    y = tf.split(x, 2, axis=1)
    tf.matmul(y[0], y[1], transpose_b=True)
    tf.compat.v1.placeholder(tf.int32, name="unknown")
    tf.nn.top_k(x, 2)
    tf.no_op()


@PROGRAMS.with_shapes
def shapes_of_constants(tf):
    tf.constant([[1, 2, 3]])
    tf.constant("s")
    tf.zeros([2, 0])
