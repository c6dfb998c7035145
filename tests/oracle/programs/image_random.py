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
