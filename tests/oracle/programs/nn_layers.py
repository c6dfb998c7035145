"""Convolutions, pooling, normalisation, embeddings, dropout."""

from __future__ import annotations

from tests.oracle.support import attempt


def _image(tf, h=5, w=5, c=2, n=1, dtype="float32"):
    return tf.reshape(tf.cast(tf.range(n * h * w * c) % 7, dtype), [n, h, w, c])


def _kernel(tf, *shape, dtype="float32"):
    size = 1
    for d in shape:
        size *= d
    return tf.reshape(tf.cast(tf.range(size) % 5 - 2, dtype), shape)


def prog_conv2d_paddings_and_strides(tf, np):
    """SAME, VALID and explicit padding with strides one and two."""
    x, k = _image(tf), _kernel(tf, 3, 3, 2, 3)
    return [tf.nn.conv2d(x, k, strides=s, padding=p) for s in (1, 2, [1, 2], [1, 2, 1, 1]) for p in ("SAME", "VALID")] + [tf.nn.conv2d(x, k, 1, [[0, 0], [1, 2], [0, 1], [0, 0]])]


def prog_conv2d_dilations(tf, np):
    """Dilated convolution."""
    x, k = _image(tf, 7, 7, 1), _kernel(tf, 3, 3, 1, 1)
    return [tf.nn.conv2d(x, k, 1, "SAME", dilations=2), tf.nn.conv2d(x, k, 1, "VALID", dilations=[1, 2]), tf.nn.atrous_conv2d(x, k, 2, "SAME")]


def prog_conv2d_dtypes_and_shapes(tf, np):
    """float64, half, 1x1 kernels, even kernels, batches."""
    return [tf.nn.conv2d(_image(tf, 3, 4, 1, 2, "float64"), _kernel(tf, 2, 2, 1, 2, dtype="float64"), 1, "SAME"), tf.nn.conv2d(_image(tf, 3, 3, 1, 1, "float16"), _kernel(tf, 2, 2, 1, 1, dtype="float16"), 1, "SAME"), tf.nn.conv2d(_image(tf), _kernel(tf, 1, 1, 2, 1), 1, "VALID"), tf.nn.conv2d(tf.zeros([0, 3, 3, 1]), _kernel(tf, 2, 2, 1, 4), 1, "SAME")]


def prog_conv2d_grouped(tf, np):
    """Fewer kernel channels than input channels means groups."""
    x = _image(tf, 4, 4, 4)
    return tf.nn.conv2d(x, _kernel(tf, 3, 3, 2, 4), 1, "SAME")


def prog_conv2d_errors(tf, np):
    """Channels, ranks, padding names, strides."""
    x, k = _image(tf), _kernel(tf, 3, 3, 2, 3)
    return [attempt(lambda: tf.nn.conv2d(x, _kernel(tf, 3, 3, 3, 1), 1, "SAME")), attempt(lambda: tf.nn.conv2d(x[0], k, 1, "SAME"), words=0), attempt(lambda: tf.nn.conv2d(x, k, 1, "MAYBE"), words=0), attempt(lambda: tf.nn.conv2d(x, k, 0, "SAME"), words=0), attempt(lambda: tf.nn.conv2d(x, k[0], 1, "SAME"), words=0), attempt(lambda: tf.nn.conv2d(x, k, [1, 2, 3], "SAME"), words=0), attempt(lambda: tf.nn.conv2d(_image(tf, 2, 2), k, 1, "VALID"), words=0)]


def prog_conv2d_gradients(tf, np):
    """Gradients with respect to image and kernel."""
    x, k = _image(tf, 4, 5, 2), _kernel(tf, 3, 2, 2, 2)
    out = []
    for s, p, d in ((1, "SAME", 1), (2, "VALID", 1), (2, "SAME", 1), (1, [[0, 0], [2, 1], [0, 3], [0, 0]], 1)):
        with tf.GradientTape() as tape:
            tape.watch([x, k])
            y = tf.nn.conv2d(x, k, s, p, dilations=d)
            z = tf.reduce_sum(y * y)
        out.append(tape.gradient(z, [x, k]))
    return out


def prog_conv1d(tf, np):
    """conv1d over paddings, strides, dilations; batches of rank two."""
    x, k = tf.reshape(tf.range(12.0), [1, 6, 2]), _kernel(tf, 3, 2, 2)
    return [tf.nn.conv1d(x, k, s, p) for s in (1, 2) for p in ("SAME", "VALID")] + [tf.nn.conv1d(x, k, 1, "SAME", dilations=2), attempt(lambda: tf.nn.conv1d(x, k, 1, "X"), words=0)]


def prog_conv3d(tf, np):
    """conv3d and its gradient."""
    x, k = tf.reshape(tf.range(54.0) % 5.0, [1, 3, 3, 3, 2]), _kernel(tf, 2, 2, 2, 2, 1)
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = tf.nn.conv3d(x, k, [1, 1, 1, 1, 1], "SAME")
    return [y, tf.nn.conv3d(x, k, [1, 2, 2, 2, 1], "VALID"), tape.gradient(y, [x, k])]


def prog_conv_transpose(tf, np):
    """conv1d/2d/3d_transpose with output shapes."""
    k = _kernel(tf, 3, 3, 2, 1)
    x = _image(tf, 3, 3, 1)
    return [tf.nn.conv2d_transpose(x, k, [1, 6, 6, 2], 2, "SAME"), tf.nn.conv2d_transpose(x, k, [1, 7, 7, 2], 2, "VALID"), tf.nn.conv2d_transpose(x, k, [1, 3, 3, 2], 1, "SAME"), tf.nn.conv1d_transpose(tf.ones([1, 3, 1]), _kernel(tf, 3, 2, 1), [1, 6, 2], 2), tf.nn.conv3d_transpose(tf.ones([1, 2, 2, 2, 1]), _kernel(tf, 2, 2, 2, 1, 1), [1, 4, 4, 4, 1], 2), attempt(lambda: tf.nn.conv2d_transpose(x, k, [1, 9, 9, 2], 2, "SAME"), words=0)]


def prog_depthwise_and_separable(tf, np):
    """depthwise_conv2d, separable_conv2d and their gradients."""
    x, k = _image(tf, 4, 4, 2), _kernel(tf, 2, 2, 2, 2)
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")
    return [y, tape.gradient(y, [x, k]), tf.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], "VALID"), tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME", dilations=[2, 2]), tf.nn.separable_conv2d(x, k, _kernel(tf, 1, 1, 4, 3), [1, 1, 1, 1], "VALID")]


def prog_generic_convolution(tf, np):
    """tf.nn.convolution in one to three dimensions."""
    return [tf.nn.convolution(tf.reshape(tf.range(6.0), [1, 6, 1]), _kernel(tf, 2, 1, 1)), tf.nn.convolution(_image(tf), _kernel(tf, 2, 2, 2, 1), padding="SAME", strides=[2, 2]), tf.nn.convolution(_image(tf), _kernel(tf, 2, 2, 2, 1), padding="SAME", dilations=[2, 2]), tf.nn.convolution(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]))]


def prog_max_pool(tf, np):
    """max_pool2d over windows, strides, paddings; 1d and 3d; dtypes."""
    x = _image(tf)
    return [tf.nn.max_pool2d(x, k, s, p) for k in (2, 3, [1, 2]) for s in (1, 2) for p in ("SAME", "VALID")] + [tf.nn.max_pool1d(tf.reshape(tf.range(6.0), [1, 6, 1]), 2, 2, "VALID"), tf.nn.max_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "SAME"), tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.max_pool2d(-x, 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]]), tf.nn.max_pool2d(tf.cast(x, tf.float64), 2, 2, "VALID"), attempt(lambda: tf.nn.max_pool2d(x, 9, 1, "VALID"), words=0), attempt(lambda: tf.nn.max_pool2d(x, 2, 2, "NO"), words=0)]


def prog_avg_pool(tf, np):
    """avg_pool2d does not count padding; 1d and 3d."""
    x = _image(tf)
    return [tf.nn.avg_pool2d(x, k, s, p) for k in (2, 3) for s in (1, 2) for p in ("SAME", "VALID")] + [tf.nn.avg_pool1d(tf.reshape(tf.range(6.0), [1, 6, 1]), 3, 2, "SAME"), tf.nn.avg_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 1, "SAME"), tf.nn.avg_pool(x, 2, 2, "SAME"), tf.nn.avg_pool2d(tf.cast(x, tf.float16), 2, 2, "VALID")]


def prog_generic_pool(tf, np):
    """tf.nn.pool and max_pool_with_argmax."""
    x = _image(tf, 4, 4, 1)
    return [tf.nn.pool(x, [2, 2], "MAX", strides=[2, 2]), tf.nn.pool(x, [2, 2], "AVG", padding="SAME"), tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 2]), tf.nn.max_pool_with_argmax(x, 2, 2, "VALID"), tf.nn.max_pool_with_argmax(_image(tf, 4, 4, 2, 2), 2, 2, "SAME", include_batch_in_index=True)]


def prog_pool_gradients(tf, np):
    """Gradients of max and avg pools; ties go to the first."""
    x = tf.reshape(tf.constant([1.0, 1.0, 2.0, 0.0, 1.0, 1.0, 2.0, 2.0, 5.0, 4.0, 0.0, 0.0, 5.0, 5.0, 0.0, 0.0]), [1, 4, 4, 1])
    fs = [lambda v: tf.nn.max_pool2d(v, 2, 2, "VALID"), lambda v: tf.nn.max_pool2d(v, 3, 1, "SAME"), lambda v: tf.nn.avg_pool2d(v, 2, 2, "VALID"), lambda v: tf.nn.avg_pool2d(v, 3, 2, "SAME"), lambda v: tf.nn.avg_pool2d(v, 3, 1, "SAME"), lambda v: tf.nn.max_pool_with_argmax(v, 2, 2, "VALID")[0]]
    out = []
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
            z = tf.reduce_sum(y * y)
        out.append(tape.gradient(z, x))
    return out


def prog_moments(tf, np):
    """moments over axes, keepdims, weighted, sufficient statistics."""
    x = tf.reshape(tf.range(12.0), [2, 2, 3])
    return [tf.nn.moments(x, [0]), tf.nn.moments(x, [0, 1]), tf.nn.moments(x, [0, 1, 2], keepdims=True), tf.nn.moments(tf.cast(x, tf.float16), [0]), tf.nn.weighted_moments(x, [0], tf.constant([[[1.0]], [[3.0]]])), tf.nn.sufficient_statistics(x, [0, 1]), tf.nn.normalize_moments(tf.constant(2.0), [2.0], [6.0], None)]


def prog_batch_normalization(tf, np):
    """The plain formula with and without offset and scale."""
    x = tf.reshape(tf.range(6.0), [3, 2])
    m, v = tf.nn.moments(x, [0])
    return [tf.nn.batch_normalization(x, m, v, [1.0, 2.0], [0.5, 2.0], 1e-3), tf.nn.batch_normalization(x, m, v, None, None, 1e-3), tf.nn.batch_normalization(x, m, v, None, [2.0, 3.0], 1e-5)]


def prog_fused_batch_norm_raw(tf, np):
    """FusedBatchNormV3 in training and inference."""
    x = tf.reshape(tf.range(16.0), [2, 2, 2, 2])
    s, o = tf.constant([1.0, 2.0]), tf.constant([0.5, -0.5])
    f = tf.raw_ops.FusedBatchNormV3
    a = f(x=x, scale=s, offset=o, mean=[], variance=[], epsilon=1e-3, is_training=True)
    b = f(x=x, scale=s, offset=o, mean=[7.0, 8.0], variance=[20.0, 21.0], epsilon=1e-3, is_training=False)
    return [a.y, a.batch_mean, a.batch_variance, b.y, type(a).__name__]


def prog_normalization_gradients(tf, np):
    """Gradients through moments, batch_normalization and l2_normalize."""
    x = tf.constant([[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]])
    out = []
    fs = [lambda v: tf.nn.moments(v, [0])[1], lambda v: tf.nn.batch_normalization(v, *tf.nn.moments(v, [0]), None, None, 1e-3), lambda v: tf.math.l2_normalize(v, 1), lambda v: tf.nn.lrn(v[None, None]), lambda v: tf.linalg.normalize(v)[0]]
    for f in fs:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) ** 3)
        out.append(tape.gradient(y, x))
    return out


def prog_local_response_normalization(tf, np):
    """lrn with its parameters."""
    x = tf.reshape(tf.range(12.0), [1, 1, 2, 6])
    return [tf.nn.lrn(x), tf.nn.local_response_normalization(x, depth_radius=1, bias=2.0, alpha=0.5, beta=0.75)]


def prog_dropout(tf, np):
    """Fixed by seeds; rates zero and one; noise shapes; errors."""
    x = tf.ones([2, 4])
    out = []
    for seed in (1, 2):
        tf.random.set_seed(seed)
        out.append(tf.nn.dropout(x, 0.5))
        out.append(tf.nn.dropout(x, rate=0.25, noise_shape=[2, 1], seed=5))
    return out + [tf.nn.dropout(x, 0.0), tf.nn.dropout(x, 0), attempt(lambda: tf.nn.dropout(x, 1.0)), attempt(lambda: tf.nn.dropout(x, 1.5)), attempt(lambda: tf.nn.dropout(x, -0.1)), attempt(lambda: tf.nn.dropout([1, 2], 0.5)), attempt(lambda: tf.nn.dropout(x, "a"), words=0)]


def prog_stateless_dropout(tf, np):
    """experimental.stateless_dropout is a function of its seed."""
    f = tf.nn.experimental.stateless_dropout
    x = tf.ones([10])
    return [f(x, 0.4, seed=[1, 2]), f(x, 0.4, seed=[1, 3]), f(tf.ones([3, 3]), rate=0.5, seed=[7, 7], noise_shape=[3, 1])]


def prog_embedding_lookup(tf, np):
    """Ids of any rank, max_norm, out of range; sparse gradient."""
    table = tf.Variable([[1.0, 0.0], [3.0, 4.0], [5.0, 12.0]])
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(table, [2, 0, 2])
    return [y, tf.nn.embedding_lookup(table, [[0], [1]]), tf.nn.embedding_lookup(table, [1, 2], max_norm=1.0), tf.nn.embedding_lookup(table, 1), attempt(lambda: tf.nn.embedding_lookup(table, [3])), tape.gradient(y, table), attempt(lambda: tf.nn.embedding_lookup(table, [0.5]), words=0)]


def prog_convolution_static_shapes(tf, np):
    """Static shapes with unknown batch and size."""
    out = []

    @tf.function(autograph=False)
    def f(x, y):
        k = tf.zeros([3, 3, 2, 4])
        forms = [tf.nn.conv2d(v, k, s, p) for v in (x, y) for s in (1, 2) for p in ("SAME", "VALID")]
        forms += [tf.nn.max_pool2d(v, 2, 2, p) for v in (x, y) for p in ("SAME", "VALID")]
        forms += [tf.nn.conv2d_transpose(x, tf.zeros([3, 3, 4, 2]), [tf.shape(x)[0], 10, 10, 4], 2), tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "VALID"), *tf.nn.moments(x, [0, 1, 2]), tf.nn.dropout(x, 0.5), tf.nn.bias_add(x, [1.0, 2.0]), tf.nn.embedding_lookup(tf.zeros([10, 4]), tf.cast(x, tf.int32))]
        out.extend(v.shape for v in forms)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 5, 6, 2]), tf.TensorSpec([2, None, None, 2]))
    return out


def prog_layer_names_in_graph(tf, np):
    """Node names of layers."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([1, 4, 4, 1], name="x")
        k = tf.zeros([2, 2, 1, 1], name="k")
        tf.nn.conv2d(x, k, 1, "SAME")
        tf.nn.max_pool2d(x, 2, 2, "VALID")
        tf.nn.avg_pool2d(x, 2, 2, "VALID")
        mean, variance = tf.nn.moments(x, [0])
        tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")
        tf.nn.embedding_lookup(tf.zeros([3, 2], name="table"), [0])
        tf.nn.dropout(x, 0.5)
        tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3)
        tf.nn.conv1d(x[0], k[0], 1, "SAME")
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_small_network_step(tf, np):
    """One gradient step of a small convolutional classifier."""
    x, labels = _image(tf, 6, 6, 1, 2) / 7.0, tf.constant([1, 0])
    k, w, b = tf.Variable(_kernel(tf, 3, 3, 1, 2) / 5.0), tf.Variable(_kernel(tf, 18, 3) / 10.0), tf.Variable(tf.zeros([3]))
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k, 1, "SAME")), 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(h, [2, -1]), w) + b
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        for v, g in zip([k, w, b], tape.gradient(loss, [k, w, b])):
            v.assign_sub(0.5 * g)
        losses.append(loss)
    return [losses, k, b]


def prog_erosion_dilation(tf, np):
    """Morphological operations."""
    x, k = _image(tf, 4, 4, 1), tf.zeros([2, 2, 1])
    return [tf.nn.dilation2d(x, k, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]), tf.nn.erosion2d(x, k, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])]


def prog_ctc_free_sequence_ops(tf, np):
    """collapse_repeated, with_space_to_batch."""
    return [tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5]), tf.nn.with_space_to_batch(_image(tf, 4, 4, 1), [1, 1], "SAME", lambda x, num_spatial_dims, padding: x * 2.0)]


def prog_nchw_on_cpu(tf, np):
    """Channels-first layouts on the CPU."""
    x = tf.transpose(_image(tf, 3, 3, 2), [0, 3, 1, 2])
    return [attempt(lambda: tf.nn.bias_add(x, [1.0, 2.0], data_format="NCHW")), attempt(lambda: tf.nn.max_pool2d(x, 2, 2, "VALID", data_format="NHWC"), words=0)]
