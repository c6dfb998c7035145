"""tf.image: random adjustments, crops and flips, from streams and from seeds."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt


def _picture(np, *shape):
    return (np.arange(int(np.prod(shape))) * 0.6180339887 % 1.0).reshape(shape).astype(np.float32)


def _near(value):
    return Approx(value, rtol=1e-5, atol=2e-6)


def _random(tf, x, seed=None):
    i = tf.image
    return [
        i.random_brightness(x, 0.3, seed=seed),
        i.random_contrast(x, 0.3, 1.6, seed=seed),
        i.random_hue(x, 0.4, seed=seed),
        i.random_saturation(x, 0.3, 1.6, seed=seed),
        i.random_crop(x, [1, *x.shape[1:-1], 2], seed=seed),
        i.random_flip_left_right(x, seed=seed),
        i.random_flip_up_down(x, seed=seed),
    ]


def _stateless(tf, x, seed):
    i = tf.image
    return [
        i.stateless_random_brightness(x, 0.3, seed),
        i.stateless_random_contrast(x, 0.3, 1.6, seed),
        i.stateless_random_hue(x, 0.4, seed),
        i.stateless_random_saturation(x, 0.3, 1.6, seed),
        i.stateless_random_crop(x, [1, *x.shape[1:-1], 2], seed),
        i.stateless_random_flip_left_right(x, seed),
        i.stateless_random_flip_up_down(x, seed),
    ]


def prog_global_seed(tf, np):
    """The global seed alone."""
    x = tf.constant(_picture(np, 2, 2, 3))
    tf.random.set_seed(11)
    return [_near([_random(tf, x) for _ in range(3)])]


def prog_op_seed(tf, np):
    """The op's seed alone, and both."""
    x = tf.constant(_picture(np, 2, 2, 3))
    tf.random.set_seed(5)
    both = [_random(tf, x, seed) for seed in (1, 2)]
    tf.random.set_seed(None)
    return [_near(both), _near([_random(tf, x, seed) for seed in (1, 1)])]


def prog_batches(tf, np):
    """Each picture of a batch is flipped or not."""
    x = tf.constant(_picture(np, 5, 1, 2, 3))
    tf.random.set_seed(7)
    return [_near([_random(tf, x)[5:] for _ in range(2)]), _near(_stateless(tf, x, (3, 4))[5:])]


def prog_functions(tf, np):
    """Streams of a function go on from call to call."""
    x = tf.constant(_picture(np, 2, 2, 3))
    tf.random.set_seed(3)
    f = tf.function(lambda y: _random(tf, y, 2), autograph=False)
    return _near([f(x), f(x)])


def prog_function_without_op_seeds(tf, np):
    """Ops of a function are numbered."""
    x = tf.constant(_picture(np, 2, 2, 3))
    tf.random.set_seed(3)
    f = tf.function(lambda y: _random(tf, y)[:5], autograph=False)
    return _near([f(x), f(x)])


def prog_stateless(tf, np):
    """Seeds of two integers; every dtype of a seed."""
    x = tf.constant(_picture(np, 2, 2, 3))
    seeds = [(1, 2), (0, 0), (-5, 2**31 - 1), tf.constant([2**40, 3], tf.int64)]
    return [_near(_stateless(tf, x, seed)) for seed in seeds]


def prog_stateless_graph(tf, np):
    """The same in a function, with the seed as its argument, and shapes unknown."""
    x = tf.constant(_picture(np, 2, 2, 3))
    f = tf.function(lambda y, s: _stateless(tf, y, s), autograph=False)
    g = tf.function(
        lambda y, s: [
            tf.image.stateless_random_flip_left_right(y, s),
            tf.image.stateless_random_flip_up_down(y, s),
            tf.image.stateless_random_crop(y, [1, 2, 1], s),
        ],
        input_signature=[tf.TensorSpec(None), tf.TensorSpec([2], tf.int32)],
        autograph=False,
    )
    return [_near([f(x, tf.constant(s)), g(x, tf.constant(s))]) for s in ([1, 2], [8, 9])]


def prog_stateless_compiled_xla(tf, np):
    """Compiled: TensorFlow's XLA draws other numbers, so only dtypes and shapes."""
    x = tf.constant(_picture(np, 2, 2, 3))
    f = tf.function(lambda y, s: _stateless(tf, y, s)[:4], autograph=False, jit_compile=True)
    return [(y.dtype, y.shape) for y in f(x, tf.constant([1, 2]))]


def prog_flips_of_unknown_rank(tf, np):
    """A batch or a picture is told apart when the graph runs."""
    f = tf.function(
        lambda y: tf.image.stateless_random_flip_left_right(y, (1, 2)),
        input_signature=[tf.TensorSpec(None)],
        autograph=False,
    )
    x = tf.constant(_picture(np, 4, 2, 3, 1))
    return [f(x), f(x[0]), attempt(lambda: f(x[0, 0]), words=0)]


def prog_integers(tf, np):
    """Pictures of bytes."""
    x = tf.constant((_picture(np, 2, 2, 3) * 255).astype(np.uint8))
    tf.random.set_seed(2)
    return [_random(tf, x, 4), _stateless(tf, x, (5, 6))]


def prog_crops(tf, np):
    """Tensors of other ranks; sizes that do not fit."""
    i, x = tf.image, tf.reshape(tf.range(24), [2, 3, 4])
    calls = [
        lambda: i.stateless_random_crop(x, [1, 1, 1], (1, 2)),
        lambda: i.stateless_random_crop(x[0, 0], [2], (3, 2)),
        lambda: i.stateless_random_crop(x, [0, 3, 4], (1, 2)),
        lambda: i.stateless_random_crop(x, np.array([1, 2, 3]), (1, 2)),
        lambda: i.stateless_random_crop(x, [3, 3, 4], (1, 2)),
        lambda: i.random_crop(x, [2, 3], seed=1),
        lambda: i.random_crop(x, [1.0, 2.0, 2.0], seed=1),
    ]
    return [attempt(call, words=6) for call in calls]


def prog_refused(tf, np):
    """Amounts and ranges."""
    i, x, s = tf.image, tf.zeros([2, 2, 3]), (1, 2)
    calls = [
        lambda: i.random_brightness(x, -0.1),
        lambda: i.random_hue(x, 0.6),
        lambda: i.random_hue(x, -0.1),
        lambda: i.random_contrast(x, 0.5, 0.5),
        lambda: i.random_contrast(x, -1.0, 0.5),
        lambda: i.random_saturation(x, 0.5, 0.2),
        lambda: i.random_saturation(x, -1.0, 0.5),
        lambda: i.stateless_random_brightness(x, -0.1, s),
        lambda: i.stateless_random_hue(x, 0.6, s),
        lambda: i.stateless_random_hue(x, -0.1, s),
        lambda: i.stateless_random_contrast(x, 0.5, 0.5, s),
        lambda: i.stateless_random_contrast(x, -1.0, 0.5, s),
        lambda: i.stateless_random_saturation(x, 0.5, 0.2, s),
        lambda: i.stateless_random_saturation(x, -1.0, 0.5, s),
        lambda: i.stateless_random_brightness(x, 0.1, 1),
        lambda: i.stateless_random_brightness(x, 0.1, (1, 2, 3)),
        lambda: i.random_flip_left_right(x[0]),
        lambda: i.random_flip_left_right(x[None, None]),
        lambda: i.random_flip_up_down(tf.zeros([0, 2, 3])),
        lambda: i.stateless_random_flip_up_down(x[0], s),
    ]
    return [attempt(call) for call in calls]


_FULL = [[[0.0, 0.0, 1.0, 1.0]]]


def _boxes(np, count, seed):
    corners = np.random.default_rng(seed).random((1, count, 2, 2)).astype(np.float32)
    return np.concatenate([corners.min(2), corners.max(2)], -1)


def prog_distorted_boxes(tf, np):
    """Crops of many pictures and ranges, as functions of a seed."""
    rng, found = np.random.default_rng(3), []
    for seed in range(60):
        size = [int(n) for n in rng.integers(1, [8, 300, 3000][seed % 3], 2)] + [3]
        ratios, areas = sorted(rng.random(2) * 3 + 0.2), sorted(rng.random(2) * 0.9 + 0.01)
        covered, attempts = float(rng.choice([0.0, 0.1, 0.9])), [1, 5, 100][seed % 3]
        boxes = _boxes(np, 1 + seed % 3, seed) if seed % 4 else _FULL
        begin, extent, box = tf.image.stateless_sample_distorted_bounding_box(
            size, boxes, (seed, 4), covered, ratios, areas, attempts
        )
        found.append(np.concatenate([begin[:2], extent[:2]]))
    return [np.stack(found), begin, extent, box]


def prog_distorted_boxes_of_streams(tf, np):
    """Streams of seeds go on by as many blocks as there may be attempts."""
    sample, found = tf.image.sample_distorted_bounding_box, []
    tf.random.set_seed(4)
    for attempts in (None, 3, 100):
        found += [sample([90, 80, 3], _FULL, seed=7, max_attempts=attempts)[:2] for _ in range(2)]
    for name in ("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2"):
        numbers = {"min_object_covered": 0.2, "seed": 3, "seed2": 9}
        found += [getattr(tf.raw_ops, name)(image_size=[90, 80, 3], bounding_boxes=_FULL, **numbers) for _ in range(2)]
    v1 = tf.compat.v1.image.sample_distorted_bounding_box
    return [*found, v1([90, 80, 3], _FULL, seed=3, seed2=1), v1([90, 80, 3], _FULL, 0, 5, 0.3)]


def prog_distorted_boxes_dtypes(tf, np):
    """Each integer dtype; no boxes; no pixels."""
    sample, none = tf.image.stateless_sample_distorted_bounding_box, np.zeros((1, 0, 4), np.float32)
    types = ("uint8", "int8", "int16", "int32", "int64")
    return [
        *[sample(tf.cast([50, 40, 3], t), _FULL, (1, 2)) for t in types],
        sample([50, 40, 3], none, (1, 2), use_image_if_no_bounding_boxes=True),
        sample([0, 40, 3], _FULL, (1, 2)),
    ]


def prog_distorted_boxes_shapes(tf, np):
    """Static shapes."""
    f = tf.function(
        lambda size, boxes: tf.image.stateless_sample_distorted_bounding_box(size, boxes, (1, 2)),
        input_signature=[tf.TensorSpec(None, tf.int32), tf.TensorSpec(None)],
        autograph=False,
    )
    return [t.shape for t in f.get_concrete_function().outputs]


def prog_distorted_boxes_refused(tf, np):
    """Boxes, ranges and sizes that make no sense."""

    def sample(image_size=(9, 9, 3), bounding_boxes=_FULL, **arguments):
        arguments = {"min_object_covered": 0.1, "seed": [1, 2], **arguments}
        return tf.raw_ops.StatelessSampleDistortedBoundingBox(
            image_size=image_size, bounding_boxes=bounding_boxes, **arguments
        )

    calls = [
        {"image_size": [9, 9]},
        {"image_size": [[9, 9, 3]]},
        {"image_size": [-1, 9, 3]},
        {"image_size": [9, -1, 3]},
        {"bounding_boxes": [[0.0, 0.0, 1.0, 1.0]]},
        {"bounding_boxes": [[[0.0, 0.0, 1.0]]]},
        {"bounding_boxes": np.zeros((1, 0, 4), np.float32)},
        {"bounding_boxes": [[[0.0, 0.0, 1.5, 1.0]]]},
        {"min_object_covered": -0.5},
        {"min_object_covered": [0.5]},
        {"aspect_ratio_range": [0.5]},
        {"aspect_ratio_range": [0.0, 0.5]},
        {"area_range": [0.5]},
        {"area_range": [-1.0, 0.5]},
        {"area_range": [0.5, 2.0]},
        {"max_attempts": 0},
        {"seed": [1, 2, 3]},
    ]
    return [attempt(lambda c=c: sample(**c)) for c in calls]


def prog_jpeg_quality(tf, np):
    """Encoded and decoded, with given and with random qualities."""
    i, x = tf.image, tf.constant(_picture(np, 8, 9, 3))
    tf.random.set_seed(6)
    pictures = [
        *[i.adjust_jpeg_quality(x, q) for q in (1, 50, 100)],
        i.adjust_jpeg_quality(x[..., :1], 30),
        i.random_jpeg_quality(x, 5, 90, seed=2),
        i.random_jpeg_quality(x, 5, 90),
        i.stateless_random_jpeg_quality(x, 5, 90, (1, 2)),
    ]
    bytes_ = i.adjust_jpeg_quality(tf.cast(x * 255, tf.uint8), 40)
    return [Approx([tf.reduce_mean(p, [0, 1]) for p in pictures], 1e-3, 2e-3), pictures[1], bytes_]


def prog_jpeg_quality_refused(tf, np):
    """Shapes and qualities."""
    i, x = tf.image, tf.zeros([2, 2, 3])
    calls = [
        lambda: i.adjust_jpeg_quality(x[0], 50),
        lambda: i.adjust_jpeg_quality(x[None], 50),
        lambda: i.adjust_jpeg_quality(x[..., :2], 50),
        lambda: i.adjust_jpeg_quality(x, 101),
        lambda: i.random_jpeg_quality(x, -1, 5),
        lambda: i.random_jpeg_quality(x, 5, 5),
        lambda: i.stateless_random_jpeg_quality(x, 5, 101, (1, 2)),
        lambda: i.stateless_random_jpeg_quality(x, 7, 5, (1, 2)),
    ]
    return [attempt(call, words=4) for call in calls]


def prog_pipelines(tf, np):
    """Random adjustments in a dataset: streams go on from element to element."""
    i = tf.image
    pictures = tf.data.Dataset.from_tensor_slices(_picture(np, 6, 5, 6, 3))

    def augment(x):
        x = i.random_brightness(i.random_flip_left_right(x, seed=4), 0.2, seed=3)
        return i.random_hue(i.random_crop(i.random_contrast(x, 0.5, 1.5, seed=8), [2, 2, 3], seed=5), 0.2, seed=1)

    tf.random.set_seed(1)
    counted = tf.data.Dataset.zip((pictures, tf.data.Dataset.range(6)))
    pipelines = [
        pictures.map(augment).batch(3),
        pictures.map(lambda x: i.random_flip_up_down(i.random_brightness(x, 0.2))),
        pictures.batch(3).map(lambda x: i.random_flip_left_right(x, seed=3)),
        pictures.map(lambda x: i.random_saturation(i.convert_image_dtype(x, tf.uint8), 0.3, 1.5, seed=2)),
        counted.map(lambda x, n: i.stateless_random_brightness(x, 0.2, tf.stack([n, n + 1]))).batch(2),
    ]
    return [_near([x[..., :2, :2, :] for x in pipeline]) for pipeline in pipelines]
