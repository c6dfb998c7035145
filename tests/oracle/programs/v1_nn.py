"""`tf.compat.v1.nn` with TensorFlow 1's arguments: old names, other orders, argument pairs of which one may be given."""

from __future__ import annotations

from tests.oracle.support import attempt, nodes


def _image(tf, channels=2, size=6):
    return tf.reshape(tf.cast(tf.range(size * size * channels) % 7, "float32"), [1, size, size, channels])


def _filters(tf, *shape):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(tf.cast(tf.range(count) % 5 - 2, "float32"), shape)


def _in_graph(tf, make):
    """The nodes that a call makes, and the shapes of its results."""
    with tf.Graph().as_default() as graph:
        results = make()
    shapes = [getattr(result, "shape", None) for result in tf.nest.flatten(results)]
    return nodes(graph), shapes


ONES = [1, 1, 1, 1]


def prog_conv1d(tf, np):
    """`value` is `input`."""
    v1 = tf.compat.v1
    x, k = tf.reshape(tf.range(12.0), [1, 6, 2]), _filters(tf, 3, 2, 2)
    return [
        v1.nn.conv1d(x, k, 1, "SAME"),
        v1.nn.conv1d(value=x, filters=k, stride=2, padding="VALID", use_cudnn_on_gpu=False),
        v1.nn.conv1d(input=x, filters=k, stride=1, padding="VALID", data_format="NWC", dilations=2),
        v1.nn.conv1d(x, k, padding="SAME"),
        attempt(lambda: v1.nn.conv1d(x, k, 1, "SAME", input=x)),
        attempt(lambda: v1.nn.conv1d(x, k, 1, "SAME", data_format="NXC")),
        attempt(lambda: v1.nn.conv1d(filters=k, stride=1, padding="SAME"), words=0),
    ]


def prog_conv1d_nodes(tf, np):
    """The nodes of conv1d, with and without a name."""
    return [
        _in_graph(tf, lambda: tf.compat.v1.nn.conv1d(tf.ones([1, 6, 2]), tf.ones([3, 2, 2]), 1, "SAME")),
        _in_graph(tf, lambda: tf.compat.v1.nn.conv1d(tf.ones([1, 6, 2]), tf.ones([3, 2, 2]), 1, "SAME", name="line")),
    ]


def prog_conv2d(tf, np):
    """`filter` is `filters`; several batch dimensions become one."""
    v1 = tf.compat.v1
    x, k = _image(tf), _filters(tf, 3, 3, 2, 3)
    return [
        v1.nn.conv2d(x, k, ONES, "SAME"),
        v1.nn.conv2d(x, filters=k, strides=[1, 2, 2, 1], padding="VALID"),
        v1.nn.conv2d(tf.stack([x, x]), k, ONES, "VALID"),
        v1.nn.conv2d(x, k, padding="SAME"),
        attempt(lambda: v1.nn.conv2d(x, k, ONES, "SAME", filters=k)),
        attempt(lambda: v1.nn.conv2d(x, k, [1, 2, 3], "SAME"), words=0),
    ]


def prog_conv2d_nodes(tf, np):
    """The nodes of conv2d, with attributes."""
    return [
        _in_graph(tf, lambda: tf.compat.v1.nn.conv2d(tf.ones([1, 6, 6, 2]), tf.ones([3, 3, 2, 1]), ONES, "SAME")),
        _in_graph(tf, lambda: tf.compat.v1.nn.conv2d(tf.ones([2, 1, 6, 6, 2]), tf.ones([3, 3, 2, 1]), ONES, "SAME")),
    ]


def prog_conv3d(tf, np):
    """`filter` is `filters`, dilations are a list."""
    v1 = tf.compat.v1
    x, k = tf.reshape(tf.range(54.0) % 5.0, [1, 3, 3, 3, 2]), _filters(tf, 2, 2, 2, 2, 1)
    return [
        v1.nn.conv3d(x, k, [1] * 5, "SAME"),
        v1.nn.conv3d(x, filters=k, strides=[1, 2, 2, 2, 1], padding="VALID"),
        attempt(lambda: v1.nn.conv3d(x, k, [1] * 5, "SAME", filters=k)),
        _in_graph(tf, lambda: v1.nn.conv3d(tf.ones([1, 3, 3, 3, 2]), tf.ones([2, 2, 2, 2, 1]), [1] * 5, "SAME")),
    ]


def prog_conv2d_transpose(tf, np):
    """`value` is `input`, `filter` is `filters`."""
    v1 = tf.compat.v1
    x, k = _image(tf, 1, 3), _filters(tf, 3, 3, 2, 1)
    return [
        v1.nn.conv2d_transpose(x, k, [1, 6, 6, 2], [1, 2, 2, 1]),
        v1.nn.conv2d_transpose(value=x, filter=k, output_shape=[1, 5, 5, 2], strides=ONES, padding="VALID"),
        v1.nn.conv2d_transpose(input=x, filters=k, output_shape=[1, 3, 3, 2], strides=1),
        attempt(lambda: v1.nn.conv2d_transpose(x, k, [1, 6, 6, 2], [1, 2, 2, 1], input=x)),
        attempt(lambda: v1.nn.conv2d_transpose(x, k, [1, 6, 6, 2], [1, 2, 2, 1], filters=k)),
        _in_graph(tf, lambda: v1.nn.conv2d_transpose(tf.ones([1, 3, 3, 1]), tf.ones([3, 3, 2, 1]), [1, 6, 6, 2], 2)),
    ]


def prog_conv3d_transpose(tf, np):
    """`value` comes first and may be None."""
    v1 = tf.compat.v1
    x, k = tf.ones([1, 2, 2, 2, 1]), _filters(tf, 2, 2, 2, 2, 1)
    moves = [1, 2, 2, 2, 1]
    return [
        v1.nn.conv3d_transpose(x, k, [1, 4, 4, 4, 2], moves),
        v1.nn.conv3d_transpose(None, k, [1, 4, 4, 4, 2], moves, input=x),
        attempt(lambda: v1.nn.conv3d_transpose(x, k, [1, 4, 4, 4, 2], moves, input=x)),
    ]


def prog_convolution(tf, np):
    """The padding comes third; `dilation_rate` is `dilations`."""
    v1 = tf.compat.v1
    x, k = _image(tf), _filters(tf, 3, 3, 2, 1)
    return [
        v1.nn.convolution(x, k, "SAME"),
        v1.nn.convolution(x, k, "VALID", strides=[2, 2]),
        v1.nn.convolution(x, k, "SAME", dilation_rate=[2, 2]),
        v1.nn.convolution(x, k, "SAME", dilations=[1, 2]),
        attempt(lambda: v1.nn.convolution(x, k, "SAME", dilations=[2, 2], dilation_rate=[2, 2])),
        attempt(lambda: v1.nn.convolution(x, k, "SAME", filters=k)),
        attempt(lambda: v1.nn.convolution(x, k, "SAME", strides=[2, 2], dilation_rate=[2, 2])),
    ]


def prog_convolution_nodes(tf, np):
    """A dilated convolution in a graph."""
    v1 = tf.compat.v1
    x, k = lambda: tf.ones([1, 6, 6, 2]), lambda: tf.ones([3, 3, 2, 1])
    return [
        _in_graph(tf, lambda: v1.nn.convolution(x(), k(), "SAME", dilation_rate=[2, 2])),
        _in_graph(tf, lambda: v1.nn.pool(x(), [2, 2], "AVG", "VALID", dilation_rate=[2, 2])),
        _in_graph(tf, lambda: v1.nn.depthwise_conv2d(x(), k(), ONES, "SAME", rate=[2, 2])),
    ]


def prog_pool(tf, np):
    """The padding comes fourth; `dilation_rate` is `dilations`."""
    v1 = tf.compat.v1
    x = _image(tf)
    return [
        v1.nn.pool(x, [2, 2], "MAX", "VALID"),
        v1.nn.pool(x, [2, 2], "AVG", "SAME", strides=[2, 2]),
        v1.nn.pool(x, [2, 2], "AVG", "VALID", dilation_rate=[2, 1]),
        v1.nn.pool(x, [2, 2], "MAX", "VALID", [2, 2], name="windows"),
        attempt(lambda: v1.nn.pool(x, [2, 2], "AVG", "VALID", dilation_rate=[2, 2], dilations=[2, 2])),
        attempt(lambda: v1.nn.pool(x, [2, 2], "SUM", "VALID")),
    ]


def prog_depthwise(tf, np):
    """`rate` is `dilations`; the native form is one op."""
    v1 = tf.compat.v1
    x, k = _image(tf), _filters(tf, 2, 2, 2, 2)
    return [
        v1.nn.depthwise_conv2d(x, k, ONES, "SAME"),
        v1.nn.depthwise_conv2d(x, k, ONES, "VALID", rate=[2, 2]),
        v1.nn.depthwise_conv2d(x, k, ONES, "VALID", dilations=[2, 2]),
        v1.nn.depthwise_conv2d_native(x, k, [1, 2, 2, 1], "SAME"),
        v1.nn.depthwise_conv2d_native(x, k, ONES, [[0, 0], [1, 1], [0, 1], [0, 0]]),
        attempt(lambda: v1.nn.depthwise_conv2d(x, k, ONES, "SAME", rate=[2, 2], dilations=[2, 2])),
    ]


def prog_separable(tf, np):
    """`rate` is `dilations`."""
    v1 = tf.compat.v1
    x, k, p = _image(tf), _filters(tf, 2, 2, 2, 2), _filters(tf, 1, 1, 4, 3)
    return [
        v1.nn.separable_conv2d(x, k, p, ONES, "SAME"),
        v1.nn.separable_conv2d(x, k, p, ONES, "VALID", rate=[2, 2]),
        attempt(lambda: v1.nn.separable_conv2d(x, k, p, ONES, "SAME", rate=[2, 2], dilations=[1, 1])),
    ]


def prog_backprop_functions(tf, np):
    """The gradients of convolutions as functions."""
    v1 = tf.compat.v1
    x, k, dy = _image(tf), _filters(tf, 3, 3, 2, 1), _image(tf, 1)
    deep, ddy = _filters(tf, 3, 3, 2, 2), _image(tf, 4)
    volume, vdy = tf.reshape(tf.range(54.0), [1, 3, 3, 3, 2]), tf.reshape(tf.range(27.0), [1, 3, 3, 3, 1])
    return [
        v1.nn.conv2d_backprop_input([1, 6, 6, 2], k, dy, ONES, "SAME"),
        v1.nn.conv2d_backprop_input([1, 6, 6, 2], filters=k, out_backprop=dy, strides=ONES, padding="SAME"),
        v1.nn.conv2d_backprop_filter(x, [3, 3, 2, 1], dy, ONES, "SAME"),
        v1.nn.conv2d_backprop_filter(x, [3, 3, 2, 1], dy, ONES, [[0, 0], [1, 1], [1, 1], [0, 0]]),
        v1.nn.conv3d_backprop_filter(volume, [2, 2, 2, 2, 1], vdy, [1] * 5, "SAME"),
        v1.nn.conv3d_backprop_filter_v2(volume, [2, 2, 2, 2, 1], vdy, [1] * 5, "SAME"),
        v1.nn.depthwise_conv2d_native_backprop_input([1, 6, 6, 2], deep, ddy, ONES, "SAME"),
        v1.nn.depthwise_conv2d_native_backprop_filter(x, [3, 3, 2, 2], ddy, ONES, "SAME"),
        v1.nn.depthwise_conv2d_backprop_input([1, 6, 6, 2], deep, ddy, ONES, "SAME"),
        attempt(lambda: v1.nn.conv2d_backprop_input([1, 6, 6, 2], k, dy, ONES, "SAME", filters=k)),
    ]


def prog_morphology(tf, np):
    """`rates` is `dilations`; an erosion has a `kernel`."""
    v1 = tf.compat.v1
    x, k = _image(tf), _filters(tf, 2, 2, 2)
    return [
        v1.nn.dilation2d(x, k, ONES, ONES, "SAME"),
        v1.nn.dilation2d(x, filters=k, strides=ONES, dilations=[1, 2, 2, 1], padding="VALID"),
        v1.nn.erosion2d(x, k, ONES, ONES, "SAME"),
        v1.nn.erosion2d(value=x, kernel=k, strides=ONES, rates=[1, 2, 2, 1], padding="VALID"),
        attempt(lambda: v1.nn.dilation2d(x, k, ONES, ONES, "SAME", filters=k)),
        attempt(lambda: v1.nn.dilation2d(x, k, ONES, ONES, "SAME", dilations=ONES)),
        _in_graph(tf, lambda: v1.nn.erosion2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1]), ONES, ONES, "SAME")),
    ]


def prog_fractional_pools(tf, np):
    """Both seeds are given."""
    v1 = tf.compat.v1
    x = _image(tf, 1, 7)
    found = []
    for pool in (v1.nn.fractional_max_pool, v1.nn.fractional_avg_pool):
        found.append(pool(x, [1.0, 1.4, 1.6, 1.0], deterministic=True, seed=3, seed2=4))
        found.append(pool(x, [1.0, 1.4, 1.6, 1.0], True, True, True, 3, 4))
        found.append(attempt(lambda pool=pool: pool(x, [1.0, 1.4, 1.6, 1.0], seed=3)))
    return found


def prog_fused_batch_norm(tf, np):
    """The least epsilon, moments that are needed or not."""
    v1 = tf.compat.v1
    x, two = _image(tf), tf.constant([1.0, 2.0])
    return [
        v1.nn.fused_batch_norm(x, two, two),
        v1.nn.fused_batch_norm(x, two, two, two, two, is_training=False),
        v1.nn.fused_batch_norm(x, two, two, epsilon=1e-9),
        v1.nn.fused_batch_norm(x, two, two, two, two, exponential_avg_factor=0.25),
        attempt(lambda: v1.nn.fused_batch_norm(x, two, two, is_training=False)),
        attempt(lambda: v1.nn.fused_batch_norm(x, two, two, exponential_avg_factor=0.5)),
        _in_graph(tf, lambda: v1.nn.fused_batch_norm(tf.ones([1, 2, 2, 2]), [1.0, 2.0], [0.0, 0.0], name="norm")),
    ]


def prog_batch_norm_with_global_normalization(tf, np):
    """`t`, `m` and `v` are `input`, `mean` and `variance`."""
    f = tf.compat.v1.nn.batch_norm_with_global_normalization
    x, a, b = _image(tf), tf.constant([1.0, 2.0]), tf.constant([0.5, 0.25])
    return [
        f(x, a, b, a, b, 1e-3, True),
        f(t=x, m=a, v=b, beta=a, gamma=b, variance_epsilon=1e-3, scale_after_normalization=False),
        f(input=x, mean=a, variance=b, beta=a, gamma=b, variance_epsilon=1e-3, scale_after_normalization=True),
        attempt(lambda: f(x, a, b, a, b, 1e-3, True, input=x)),
    ]


def prog_max_pool_with_argmax(tf, np):
    """`Targmax` is `output_dtype`."""
    f = tf.compat.v1.nn.max_pool_with_argmax
    x, two = _image(tf), [1, 2, 2, 1]
    return [
        f(x, two, two, "SAME"),
        f(x, two, two, "SAME", Targmax=tf.int32),
        f(x, two, two, "VALID", output_dtype=tf.int32, include_batch_in_index=True),
        attempt(lambda: f(x, two, two, "SAME", Targmax=tf.int32, output_dtype=tf.int32)),
        attempt(lambda: f(x, two, two, "SAME", "NCHW")),
    ]


def prog_moments_and_statistics(tf, np):
    """`keep_dims` is `keepdims`."""
    v1 = tf.compat.v1
    x, w = tf.reshape(tf.range(12.0), [3, 4]), tf.reshape(tf.range(12.0) % 3.0, [3, 4])
    return [
        v1.nn.sufficient_statistics(x, [0], keep_dims=True),
        v1.nn.sufficient_statistics(x, [0, 1], 2.0, keepdims=False),
        v1.nn.weighted_moments(x, [1], w, keep_dims=True),
        v1.nn.weighted_moments(x, [0], w, "weighted", False),
        v1.nn.moments(x, [0], keep_dims=True),
        attempt(lambda: v1.nn.sufficient_statistics(x, [0], keep_dims=True, keepdims=True)),
        attempt(lambda: v1.nn.weighted_moments(x, [0], w, keep_dims=True, keepdims=False)),
        _in_graph(tf, lambda: v1.nn.weighted_moments(tf.ones([3, 4]), [1], tf.ones([3, 4]), keep_dims=True)),
    ]


def prog_weighted_cross_entropy(tf, np):
    """`targets` is `labels`."""
    f = tf.compat.v1.nn.weighted_cross_entropy_with_logits
    labels, logits = tf.constant([0.0, 1.0, 0.5]), tf.constant([-1.0, 2.0, 0.5])
    return [
        f(labels, logits, 2.0),
        f(targets=labels, logits=logits, pos_weight=0.5),
        attempt(lambda: f(labels, logits, 2.0, targets=labels)),
        attempt(lambda: f(labels, logits[:2], 2.0)),
    ]


def prog_softmax(tf, np):
    """`dim` is `axis`."""
    v1 = tf.compat.v1
    x = tf.reshape(tf.range(6.0), [2, 3])
    return [
        v1.nn.softmax(x, dim=0),
        v1.nn.log_softmax(x, dim=0),
        v1.math.softmax(x, 1),
        v1.nn.softmax_cross_entropy_with_logits_v2(v1.nn.softmax(x), x),
        v1.nn.softmax_cross_entropy_with_logits_v2(labels=v1.nn.softmax(x, 0), logits=x, dim=0),
        v1.nn.softmax_cross_entropy_with_logits(labels=v1.nn.softmax(x, 0), logits=x, dim=0),
        attempt(lambda: v1.nn.softmax(x, 1, dim=1)),
        attempt(lambda: v1.nn.log_softmax(x, 1, dim=1)),
        attempt(lambda: v1.nn.softmax_cross_entropy_with_logits_v2(x, x, 1, dim=1)),
    ]


def prog_crelu_and_avg_pool2d(tf, np):
    """`crelu` takes the name second; `avg_pool2d` is `avg_pool`."""
    v1 = tf.compat.v1
    x = _image(tf, 1, 4)
    return [
        v1.nn.crelu([-1.0, 2.0], "parts"),
        v1.nn.crelu([[-1.0], [2.0]], None, 0),
        _in_graph(tf, lambda: v1.nn.crelu(tf.ones([2]), "parts")),
        v1.nn.avg_pool2d(value=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
        v1.nn.avg_pool2d(None, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", input=x),
        attempt(lambda: v1.nn.avg_pool2d(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", input=x)),
        v1.nn.avg_pool2d is v1.nn.avg_pool,
    ]


def prog_sampled_losses(tf, np):
    """Tables in parts, whose rows are in turn unless another strategy is named."""
    v1 = tf.compat.v1
    table = tf.reshape(tf.range(18.0) / 10.0, [9, 2])
    in_turn, in_blocks = [table[0::2], table[1::2]], [table[:5], table[5:]]
    biases, inputs = tf.range(9.0) / 5.0, tf.constant([[1.0, 2.0], [3.0, -1.0]])
    labels = tf.constant([[1], [3]], tf.int64)
    drawn = (tf.constant([2, 5, 7], tf.int64), tf.constant([[0.5], [0.4]]), tf.constant([0.3, 0.2, 0.6]))
    found = []
    for f in (v1.nn.nce_loss, v1.nn.sampled_softmax_loss):
        found.append(f(table, biases, labels, inputs, 3, 9, sampled_values=drawn))
        found.append(f(in_turn, biases, labels, inputs, 3, 9, 1, drawn, True))
        found.append(f(in_blocks, biases, labels, inputs, 3, 9, 1, drawn, False, "div"))
    tf.random.set_seed(3)
    found.append(v1.nn.sampled_softmax_loss(table, biases, labels, inputs, 3, 9, seed=5))
    return found


def prog_candidate_samplers(tf, np):
    """The samplers that `nn` names."""
    v1 = tf.compat.v1
    tf.random.set_seed(3)
    return [
        v1.nn.uniform_candidate_sampler([[1], [2]], 1, 3, True, 9, seed=4),
        v1.nn.log_uniform_candidate_sampler([[1], [2]], 1, 3, False, 9, seed=4),
    ]


def prog_with_space_to_batch(tf, np):
    """Windows whose elements are apart, for any op."""
    f, x, k = tf.nn.with_space_to_batch, _image(tf, 1), _filters(tf, 3, 3, 1, 1)
    op = lambda inputs, dimensions, padding: tf.nn.conv2d(inputs, k, 1, padding)
    return [
        f(x, [2, 2], "SAME", op, filter_shape=[3, 3]),
        f(x, [2, 2], "VALID", op),
        f(x, [1, 1], "SAME", op, [3, 3]),
        f(x, [2, 2], "SAME", op, [3, 3], [1, 2]),
        f(x, [2], "SAME", op, [3], [2]),
        attempt(lambda: f(x, [2, 2], "SAME", op)),
        attempt(lambda: f(x, [2, 2], "SAMEX", op, [3, 3])),
        attempt(lambda: f(x, [0, 2], "SAME", op, [3, 3])),
        attempt(lambda: f(x, [2, 2], "SAME", op, [3, 3], [2, 1])),
    ]


def prog_quantized_layers(tf, np):
    """Pools, a convolution and a concatenation of quantized numbers."""
    v1 = tf.compat.v1
    q = lambda values, low, high, dtype=tf.quint8: v1.quantize(values, low, high, dtype)
    images = q(tf.reshape(tf.range(16.0) - 3.0, [1, 4, 4, 1]), -3.0, 20.0)
    filters = q(tf.reshape(tf.constant([1.0, -1.0, 0.5, 2.0]), [2, 2, 1, 1]), -1.0, 2.0)
    two = [1, 2, 2, 1]
    bounds = [images[1], images[2], filters[1], filters[2]]
    a, b = q(tf.constant([[0.0, 1.0, 5.0]]), 0.0, 6.0), q(tf.constant([[0.0, -1.0, 2.0]]), -2.0, 2.0)
    found = [
        v1.nn.quantized_max_pool(*images, two, two, "VALID"),
        v1.nn.quantized_avg_pool(*q(tf.reshape(tf.range(16.0) * 4.0, [1, 4, 4, 1]), 0.0, 255.0), two, two, "SAME"),
        v1.nn.quantized_conv2d(images[0], filters[0], *bounds, ONES, "VALID"),
        v1.nn.quantized_conv2d(images[0], filters[0], *bounds, ONES, "SAME"),
        v1.quantized_concat(1, [a[0], b[0]], [a[1], b[1]], [a[2], b[2]]),
        tf.quantization.quantized_concat(0, [a[0], a[0]], [a[1], a[1]], [a[2], a[2]]),
    ]
    found = [[tf.cast(tf.bitcast(r[0], tf.int32 if r[0].dtype == tf.qint32 else tf.uint8), tf.float32), r[1], r[2]] for r in found]
    return [*found, attempt(lambda: v1.nn.quantized_relu_x(a[0], 3.0, a[1], a[2]))]
