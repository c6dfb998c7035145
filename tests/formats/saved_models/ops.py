"""SavedModels of many kinds of ops: random numbers, text, parsing, images, signals, linear algebra, networks."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models

OPS = Models("ops")


def _function(tf: Any, *specs: Any) -> Any:
    return tf.function(input_signature=list(specs))


@OPS(
    normal=lambda tf, m: m.normal(tf.constant([1, 2])),
    whole=lambda tf, m: m.whole(tf.constant([3, 4])),
    shuffled=lambda tf, m: m.shuffled(tf.constant([3, 4])),
    split=lambda tf, m: m.split(tf.constant([3, 4])),
)
def stateless_random(tf: Any) -> Any:
    root = tf.Module()
    seed = tf.TensorSpec([2], tf.int32)
    root.normal = _function(tf, seed)(lambda s: tf.random.stateless_normal([3], s))
    root.whole = _function(tf, seed)(lambda s: tf.random.stateless_uniform([4], s, 0, 100, tf.int32))
    root.shuffled = _function(tf, seed)(lambda s: tf.random.experimental.stateless_shuffle(tf.range(6), s))
    root.split = _function(tf, seed)(lambda s: tf.random.experimental.stateless_split(s, 2))
    return root


@OPS(
    uniform=lambda tf, m: [m.uniform().numpy().tolist(), m.uniform().numpy().tolist()],
    dropped=lambda tf, m: m.dropped(tf.ones([20])),
)
def stateful_random(tf: Any) -> Any:
    root = tf.Module()
    root.uniform = _function(tf)(lambda: tf.random.uniform([2], seed=5))
    root.dropped = _function(tf, tf.TensorSpec([20]))(lambda x: tf.nn.dropout(x, 0.5, seed=7))
    return root


@OPS(
    draws=lambda tf, m: [m.draw().numpy().tolist(), m.draw().numpy().tolist()],
)
def random_generator(tf: Any) -> Any:
    root = tf.Module()
    root.generator = tf.random.Generator.from_seed(42)
    root.draw = _function(tf)(lambda: root.generator.uniform([2]))
    return root


@OPS(
    cleaned=lambda tf, m: m.cleaned(tf.constant(["  Ab  C", "é1"])),
    split=lambda tf, m: m.split(tf.constant(["a b", "c", ""])),
    joined=lambda tf, m: m.joined(tf.constant(["a", "b"])),
    numbers=lambda tf, m: m.numbers(tf.constant(["1.5", "-2"])),
    refused=lambda tf, m: m.numbers(tf.constant(["one"])),
    hashed=lambda tf, m: m.hashed(tf.constant(["a", "b"])),
    code_points=lambda tf, m: m.code_points(tf.constant(["aé", "日"])),
    formatted=lambda tf, m: m.formatted(tf.constant([1, 2])),
)
def text(tf: Any) -> Any:
    root = tf.Module()
    words = tf.TensorSpec([None], tf.string)
    root.cleaned = _function(tf, words)(
        lambda x: tf.strings.regex_replace(tf.strings.lower(tf.strings.strip(x)), r"\s+", "-")
    )
    root.split = _function(tf, words)(tf.strings.split)
    root.joined = _function(tf, words)(lambda x: tf.strings.reduce_join(x, separator="+") + "!")
    root.numbers = _function(tf, words)(tf.strings.to_number)
    root.hashed = _function(tf, words)(lambda x: tf.strings.to_hash_bucket_fast(x, 1000))
    root.code_points = _function(tf, words)(lambda x: tf.strings.unicode_decode(x, "UTF-8"))
    root.formatted = _function(tf, tf.TensorSpec([2], tf.int32))(lambda x: tf.strings.format("<{}>", x))
    return root


@OPS(
    parsed=lambda tf, m: m.parse(tf.constant([_example(tf, 1, [0.5]), _example(tf, 2, [1.5, 2.5])])),
    defaults=lambda tf, m: m.parse(tf.constant([b""])),
    csv=lambda tf, m: m.csv(tf.constant(["1,a", ",b"])),
    raw=lambda tf, m: m.raw(tf.constant(b"\1\0\2\0")),
    tensor=lambda tf, m: m.tensor(tf.io.serialize_tensor([1.5, 2.5])),
    base64=lambda tf, m: m.base64(tf.constant(b"\xff\xfe data")),
)
def parsing(tf: Any) -> Any:
    root = tf.Module()
    features = {
        "id": tf.io.FixedLenFeature([], tf.int64, default_value=-1),
        "values": tf.io.VarLenFeature(tf.float32),
    }
    root.parse = _function(tf, tf.TensorSpec([None], tf.string))(lambda x: tf.io.parse_example(x, features))
    root.csv = _function(tf, tf.TensorSpec([None], tf.string))(lambda x: tf.io.decode_csv(x, [0, ""]))
    root.raw = _function(tf, tf.TensorSpec([], tf.string))(lambda x: tf.io.decode_raw(x, tf.int16))
    root.tensor = _function(tf, tf.TensorSpec([], tf.string))(lambda x: tf.io.parse_tensor(x, tf.float32))
    root.base64 = _function(tf, tf.TensorSpec([], tf.string))(
        lambda x: (tf.io.encode_base64(x), tf.io.decode_base64(tf.io.encode_base64(x, pad=True)))
    )
    return root


def _example(tf: Any, number: int, values: list[float]) -> bytes:
    features = {
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "values": tf.train.Feature(float_list=tf.train.FloatList(value=values)),
    }
    result: bytes = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    return result


@OPS(
    resized=lambda tf, m: m.resized(tf.reshape(tf.range(16.0), [1, 4, 4, 1])),
    decoded=lambda tf, m: m.decoded(tf.io.encode_png(tf.cast(tf.reshape(tf.range(12), [2, 2, 3]), tf.uint8))),
    adjusted=lambda tf, m: m.adjusted(tf.fill([2, 2, 3], 0.25)),
    flipped=lambda tf, m: m.flipped(tf.reshape(tf.range(4.0), [2, 2, 1])),
)
def images(tf: Any) -> Any:
    root = tf.Module()
    root.resized = _function(tf, tf.TensorSpec([None, None, None, 1]))(lambda x: tf.image.resize(x, [2, 2]))

    root.decoded = _function(tf, tf.TensorSpec([], tf.string))(
        lambda x: tf.image.convert_image_dtype(tf.io.decode_png(x, channels=3), tf.float32)
    )
    root.adjusted = _function(tf, tf.TensorSpec([2, 2, 3]))(
        lambda x: tf.image.adjust_brightness(tf.image.rgb_to_grayscale(x), 0.1)
    )
    root.flipped = _function(tf, tf.TensorSpec([2, 2, 1]))(lambda x: tf.image.flip_left_right(tf.image.rot90(x)))
    return root


@OPS(
    forward=lambda tf, m: m.forward(tf.reshape(tf.range(36.0), [1, 6, 6, 1])),
    normalized=lambda tf, m: m.normalized(tf.reshape(tf.range(8.0), [2, 2, 2, 1])),
    softmax=lambda tf, m: m.softmax(tf.constant([[1.0, 2.0, 4.0]])),
    loss=lambda tf, m: m.loss(tf.constant([[1.0, 2.0, 4.0]]), tf.constant([2])),
)
def network(tf: Any) -> Any:
    root = tf.Module()
    root.kernel = tf.Variable(tf.reshape(tf.range(18.0), [3, 3, 1, 2]) / 10.0)
    root.mean, root.variance = tf.Variable([1.0], trainable=False), tf.Variable([4.0], trainable=False)

    @_function(tf, tf.TensorSpec([None, 6, 6, 1]))
    def forward(x):
        y = tf.nn.relu(tf.nn.conv2d(x, root.kernel, 1, "SAME") - 20.0)
        y = tf.nn.max_pool2d(y, 2, 2, "VALID")
        return tf.nn.avg_pool2d(y, 3, 1, "VALID")

    root.forward = forward
    root.normalized = _function(tf, tf.TensorSpec([None, 2, 2, 1]))(
        lambda x: tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=[2.0],
            offset=[0.5],
            mean=root.mean.value(),
            variance=root.variance.value(),
            epsilon=0.001,
            is_training=False,
        )[0]
    )
    root.softmax = _function(tf, tf.TensorSpec([None, 3]))(lambda x: (tf.nn.softmax(x), tf.nn.top_k(x, 2)[1]))
    root.loss = _function(tf, tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32))(
        lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)
    )
    return root


@OPS(
    solved=lambda tf, m: m.solved(tf.constant([[2.0, 0.0], [1.0, 4.0]]), tf.constant([[2.0], [6.0]])),
    contracted=lambda tf, m: m.contracted(tf.ones([2, 3]), tf.reshape(tf.range(12.0), [3, 4])),
    spectrum=lambda tf, m: m.spectrum(tf.constant([1.0, 0.0, -1.0, 0.0])),
    reduced=lambda tf, m: m.reduced(tf.reshape(tf.range(6.0), [2, 3])),
)
def algebra(tf: Any) -> Any:
    root = tf.Module()
    square = tf.TensorSpec([None, None])
    root.solved = _function(tf, square, square)(lambda a, b: (tf.linalg.solve(a, b), tf.linalg.det(a)))
    root.contracted = _function(tf, square, square)(lambda a, b: tf.einsum("ij,jk->ki", a, b))
    root.spectrum = _function(tf, tf.TensorSpec([4]))(lambda x: tf.signal.fft(tf.cast(x, tf.complex64)))
    root.reduced = _function(tf, square)(
        lambda x: (tf.reduce_mean(x, 0), tf.reduce_max(x, 1, keepdims=True), tf.argmax(x, 1), tf.math.cumsum(x, 1))
    )
    return root


@OPS(
    indexed=lambda tf, m: m.indexed(tf.reshape(tf.range(24), [2, 3, 4])),
    gathered=lambda tf, m: m.gathered(tf.constant([[1, 2], [3, 4]]), tf.constant([1, 0])),
    scattered=lambda tf, m: m.scattered(tf.constant([3, 1])),
    shaped=lambda tf, m: m.shaped(tf.range(6)),
    unique=lambda tf, m: m.unique(tf.constant([3, 1, 3])),
    where=lambda tf, m: m.where(tf.constant([True, False, True])),
)
def arrays(tf: Any) -> Any:
    root = tf.Module()
    vector = tf.TensorSpec([None], tf.int32)
    root.indexed = _function(tf, tf.TensorSpec([None, 3, 4], tf.int32))(
        lambda x: (x[0, 1:, ::2], x[..., -1], x[:, tf.newaxis, 0, 0])
    )
    root.gathered = _function(tf, tf.TensorSpec([None, None], tf.int32), vector)(
        lambda x, i: (tf.gather(x, i), tf.gather_nd(x, tf.stack([i, i], 1)))
    )
    root.scattered = _function(tf, vector)(lambda i: tf.scatter_nd(i[:, None], tf.ones_like(i), [5]))
    root.shaped = _function(tf, vector)(
        lambda x: (tf.reshape(x, [2, -1]), tf.tile(x, [2]), tf.pad(x, [[1, 0]]), tf.reverse(x, [0]), tf.split(x, 2, 0))
    )
    root.unique = _function(tf, vector)(lambda x: tuple(tf.unique(x)) + (tf.sort(x), tf.one_hot(x, 4)))
    root.where = _function(tf, tf.TensorSpec([None], tf.bool))(lambda x: (tf.where(x), tf.where(x, 1, 0)))
    return root
