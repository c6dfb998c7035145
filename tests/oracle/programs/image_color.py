"""tf.image: dtypes, color spaces, adjustments, differences, similarity."""

from __future__ import annotations

from tests.oracle.modes import derivatives, in_modes
from tests.oracle.support import Approx, attempt

_DTYPES = ("uint8", "int8", "uint16", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def _picture(np, *shape, dtype="float32"):
    """Values in [0, 1) in no order, or small integers."""
    count = int(np.prod(shape))
    values = (np.arange(count) * 0.6180339887 % 1.0).reshape(shape)
    return values.astype(dtype) if dtype.startswith("float") else (values * 120).astype(dtype)


def _near(value):
    return Approx(value, rtol=1e-5, atol=2e-6)


def prog_convert_every_pair(tf, np):
    """Every pair of dtypes, saturated and not, of values that fit."""
    answers = []
    for source in _DTYPES:
        image = tf.cast([0, 1, 3], source) if "int" in source else tf.cast([0.0, 0.3, 0.996], source)
        targets = ("uint8", "int8", "float32") if source in ("float16", "bfloat16") else _DTYPES
        pairs = [(target, saturate) for target in targets for saturate in (False, True)]
        answers.append(_near(tf.stack([tf.cast(tf.image.convert_image_dtype(image, *p), tf.float64) for p in pairs])))
    return answers


def prog_convert_refused(tf, np):
    """Dtypes that are no pictures'; names; lists."""
    convert = tf.image.convert_image_dtype
    return [
        attempt(lambda: convert([True], tf.uint8)),
        attempt(lambda: convert([1.0], tf.bool)),
        attempt(lambda: convert([1.0], tf.complex64)),
        convert([0.0, 0.5, 1.0], "uint8"),
        convert([[0, 2**30]], tf.float32),
        convert([-0.5, 1.5], tf.uint8, saturate=True),
    ]


def prog_convert_names(tf, np):
    """The nodes of a graph."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        tf.image.convert_image_dtype(x, tf.uint8, saturate=True)
        tf.image.convert_image_dtype(tf.image.convert_image_dtype(x, tf.int16), tf.uint8)
        tf.image.convert_image_dtype(x, tf.float32, name="same")
    return [op.name for op in graph.get_operations()]


def _all_spaces(tf, np):
    def f(x):
        i = tf.image
        spaces = [i.rgb_to_hsv(x), i.hsv_to_rgb(x), i.rgb_to_yuv(x), i.yuv_to_rgb(x), i.rgb_to_yiq(x), i.yiq_to_rgb(x)]
        return [_near(y) for y in [*spaces, i.rgb_to_grayscale(x), i.grayscale_to_rgb(x[..., :1])]]

    return f


def prog_spaces(tf, np):
    """Pictures, batches, single pixels, no pixels."""
    f = _all_spaces(tf, np)
    return [f(tf.constant(_picture(np, *s))) for s in [(2, 3, 3), (2, 1, 2, 3), (3,), (0, 3), (1, 1, 1, 2, 3)]]


@in_modes("graph", "xla")
def spaces_compiled(tf, np):
    """The same in graphs."""
    names = ("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_grayscale")
    return lambda x: [getattr(tf.image, name)(x) for name in names], [tf.constant(_picture(np, 2, 3, 3))]


def prog_hsv_of_corners(tf, np):
    """Black, white, gray, ties and numbers outside [0, 1]."""
    levels = [-0.5, 0.0, 0.5, 1.0, 1.5]
    cube = tf.constant([[r, g, b] for r in levels for g in levels for b in levels])
    return [tf.image.rgb_to_hsv(cube), tf.image.hsv_to_rgb(cube)]


def prog_hsv_dtypes(tf, np):
    """Each dtype; those that are refused."""
    x = _picture(np, 2, 3)
    found = [tf.image.rgb_to_hsv(tf.cast(x, t)) for t in (tf.float16, tf.float64)]
    found += [tf.image.hsv_to_rgb(tf.cast(x, t)) for t in (tf.float16, tf.float64)]
    refused = [attempt(lambda t=t: tf.image.rgb_to_hsv(tf.cast(x, t)), words=0) for t in (tf.int32, tf.bool)]
    return [*found, *refused]


def prog_hsv_refused(tf, np):
    """Shapes that are no pixels."""
    shapes = [(), (1,), (2, 2), (4, 5, 4)]
    return [attempt(lambda s=s: f(tf.zeros(s))) for f in (tf.image.rgb_to_hsv, tf.image.hsv_to_rgb) for s in shapes]


@derivatives(2)
def hsv_gradient(tf, np):
    """The gradient of RGB to HSV away from ties."""
    return tf.image.rgb_to_hsv, [tf.constant([[0.2, 0.5, 0.9], [0.8, 0.1, 0.3], [0.4, 0.7, 0.6]])]


def prog_hsv_gradient_of_corners(tf, np):
    """Ties, black, and channels that are not positive."""
    levels = [-0.5, 0.0, 0.5, 1.0]
    cube = tf.constant([[r, g, b] for r in levels for g in levels for b in levels])
    found = []
    for channel in range(3):
        with tf.GradientTape() as tape:
            tape.watch(cube)
            y = tf.image.rgb_to_hsv(cube)[:, channel]
        found.append(tape.gradient(y, cube))
    return found


def prog_gray(tf, np):
    """Every dtype, and what is refused."""
    gray = [tf.image.rgb_to_grayscale(tf.cast(_picture(np, 2, 3) * 100, t)) for t in _DTYPES if "16" not in t]
    rgb = [tf.image.grayscale_to_rgb(tf.cast([[[1], [2]]], t)) for t in _DTYPES if t != "uint16"]
    shapes = [(), (3,), (2, 2), (0, 2), (2, 0, 1)]
    return [*gray, *rgb, *[attempt(lambda s=s: tf.image.grayscale_to_rgb(tf.zeros(s))) for s in shapes]]


def prog_yuv_of_integers(tf, np):
    """Integers are refused."""
    names = ("rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq", "yiq_to_rgb")
    return [attempt(lambda n=n: getattr(tf.image, n)([[1, 2, 3]]), words=0) for n in names[::2]]


def _adjustments(tf):
    i = tf.image
    return [
        lambda x: i.adjust_brightness(x, 0.1),
        lambda x: i.adjust_brightness(x, -0.4),
        lambda x: i.adjust_contrast(x, 0.5),
        lambda x: i.adjust_contrast(x, 2.5),
        lambda x: i.adjust_contrast(x, -1.0),
        lambda x: i.adjust_hue(x, 0.2),
        lambda x: i.adjust_hue(x, -0.9),
        lambda x: i.adjust_saturation(x, 0.5),
        lambda x: i.adjust_saturation(x, 3.0),
        lambda x: i.adjust_gamma(x, 2.0),
        lambda x: i.adjust_gamma(x, 0.5, 1.2),
        lambda x: i.per_image_standardization(x),
    ]


def prog_adjust_floats(tf, np):
    """Pictures and batches in floating point."""
    pictures = [_picture(np, 2, 3, 3), _picture(np, 2, 2, 2, 3), _picture(np, 1, 1, 2, 2, 3)]
    return [_near(f(tf.constant(x))) for f in _adjustments(tf) for x in pictures]


def prog_adjust_dtypes(tf, np):
    """Other dtypes are converted and back."""
    types = ("uint8", "int16", "float64")
    return [_near(f(tf.cast(_picture(np, 2, 3, 3) * 90, t))) for f in _adjustments(tf) for t in types]


def prog_adjust_empty(tf, np):
    """Pictures without pixels."""
    return [f(tf.zeros([0, 2, 3])) for f in _adjustments(tf)[:-1]] + [_adjustments(tf)[-1](tf.zeros([0, 2, 2, 3]))]


@in_modes("graph", "xla")
def adjust_compiled(tf, np):
    """All adjustments in graphs."""
    return lambda x: [f(x) for f in _adjustments(tf)], [tf.constant(_picture(np, 2, 3, 3))]


def prog_adjust_unknown_shapes(tf, np):
    """Shapes that a graph knows only when it runs."""
    found = []
    for f in _adjustments(tf):
        unknown = tf.function(f, input_signature=[tf.TensorSpec(None)], autograph=False)
        partial = tf.function(f, input_signature=[tf.TensorSpec([None, None, 3])], autograph=False)
        found.append([_near(g(tf.constant(_picture(np, 2, 2, 3)))) for g in (unknown, partial)])
        found.append(attempt(lambda g=unknown: g(tf.zeros([2, 2])), words=0))
    return found


def prog_adjust_shapes_refused(tf, np):
    """Ranks and channels."""
    shapes = [(), (3,), (2, 3), (2, 2, 1), (2, 2, 4), (0, 2, 1)]
    return [attempt(lambda f=f, s=s: f(tf.zeros(s)), words=7) for f in _adjustments(tf) for s in shapes]


def prog_adjust_numbers_refused(tf, np):
    """Factors out of range or of another shape."""
    i, x = tf.image, tf.zeros([2, 2, 3])
    calls = [
        lambda: i.adjust_hue(x, 1.5),
        lambda: i.adjust_hue(x, -1.5),
        lambda: i.adjust_hue(x, tf.constant([0.1])),
        lambda: i.adjust_gamma(x, -1),
        lambda: i.adjust_gamma(x, tf.constant(-1.0)),
        lambda: i.adjust_contrast(x, [0.5]),
        lambda: i.adjust_saturation(x, [0.5]),
        lambda: i.adjust_brightness(x, [0.5, 0.5]),
        lambda: i.adjust_brightness(tf.constant([True]), 0.1),
    ]
    return [attempt(call, words=4) for call in calls]


def prog_adjust_has_no_gradient(tf, np):
    """Contrast, hue and saturation have none; HSV to RGB lets nothing through; the others have one."""
    found = []
    for f in [*_adjustments(tf), tf.image.hsv_to_rgb]:
        x = tf.constant(_picture(np, 2, 2, 3))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append(attempt(lambda tape=tape, x=x, y=y: _near(tape.gradient(y, x)), words=0))
    return found


def prog_adjust_names(tf, np):
    """The nodes of a graph."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2, 2, 3], name="x")
        for f in _adjustments(tf)[:-1]:
            f(x)
        tf.image.adjust_brightness(tf.compat.v1.placeholder(tf.uint8, [2, 2, 3], name="y"), 0.1)
    return [op.name for op in graph.get_operations()]


def prog_differences(tf, np):
    """Gradients, edges and total variation."""
    x = tf.constant(_picture(np, 2, 3, 4, 2))
    return [tf.image.image_gradients(x), _near(tf.image.sobel_edges(x)), tf.image.total_variation(x)] + [
        tf.image.total_variation(tf.cast(x[0] * 100, t)) for t in (tf.int32, tf.int8, tf.float64)
    ]


@derivatives(1)
def sobel_gradient(tf, np):
    """The gradient of Sobel's edges."""
    return tf.image.sobel_edges, [tf.constant(_picture(np, 1, 3, 3, 2))]


@derivatives(1)
def total_variation_gradient(tf, np):
    """The gradient of total variation."""
    return tf.image.total_variation, [tf.constant(_picture(np, 3, 3, 2))]


def prog_differences_refused(tf, np):
    """Ranks."""
    functions = (tf.image.image_gradients, tf.image.sobel_edges, tf.image.total_variation)
    return [attempt(lambda f=f, s=s: f(tf.zeros(s))) for f in functions for s in [(3,), (2, 3), (1, 1, 2, 2, 3)]]


def prog_psnr(tf, np):
    """Dtypes, batches, broadcasting, equal pictures."""
    a, b = tf.constant(_picture(np, 2, 3, 4, 1)), tf.constant(_picture(np, 1, 3, 4, 1)) * 0.9
    integers = [tf.cast(x * 255, tf.uint8) for x in (a, b)]
    return [_near(tf.image.psnr(a, b, 1.0)), _near(tf.image.psnr(*integers, 255)), tf.image.psnr(a, a, 1)]


def prog_ssim(tf, np):
    """Windows, constants, batches and maps."""
    a = tf.constant(_picture(np, 2, 13, 12, 2))
    b = tf.clip_by_value(a * 0.7 + 0.2, 0.0, 1.0)
    s, small = tf.image.ssim, {"filter_size": 4, "filter_sigma": 0.8, "k1": 0.02, "k2": 0.05}
    found = [s(a, b, 1.0), s(a[0], b[0], 1.0, **small), s(a[:1], b, 1.0), s(a[None], b[None], 1.0)]
    integers = [tf.cast(x * 255, tf.uint8) for x in (a, b)]
    return [Approx(x, 1e-4, 1e-5) for x in [*found, s(*integers, 255), s(a[:, :5, :5], b[:, :5, :5], 1.0, return_index_map=True, **small)]]


def prog_ssim_multiscale(tf, np):
    """Scales of pictures of even and odd sizes."""
    a = tf.constant(_picture(np, 2, 23, 26, 1))
    b = tf.clip_by_value(a * 0.7 + 0.2, 0.0, 1.0)
    s = tf.image.ssim_multiscale
    found = [s(a, b, 1.0, (0.4, 0.6)), s(a, b, 1.0, (0.2, 0.3, 0.5), filter_size=3), s(a[0], b[0], 1.0, filter_size=2)]
    return [Approx(x, 1e-4, 1e-5) for x in found]


def prog_similarity_refused(tf, np):
    """Shapes that do not fit."""
    z, i = tf.zeros, tf.image
    calls = [
        lambda: i.psnr(z([4, 5, 3]), z([4, 5, 1]), 1.0),
        lambda: i.psnr(z([4, 5, 3]), z([4, 6, 3]), 1.0),
        lambda: i.psnr(z([3, 3]), z([3, 3]), 1.0),
        lambda: i.ssim(z([4, 5, 3]), z([4, 5, 3]), 1.0),
        lambda: i.ssim(z([14, 15, 3]), z([14, 15, 1]), 1.0),
        lambda: i.ssim(z([15, 3]), z([15, 3]), 1.0),
        lambda: i.ssim(z([3, 14, 15, 3]), z([2, 14, 15, 3]), 1.0),
        lambda: i.ssim_multiscale(z([14, 15, 3]), z([14, 15, 3]), 1.0),
        lambda: i.ssim_multiscale(z([14, 15, 3]), z([14, 15, 3]), 1.0, ()),
    ]
    return [attempt(call, words=6) for call in calls]


def prog_similarity_unknown_shapes(tf, np):
    """Shapes that a graph knows only when it runs."""
    spec = [tf.TensorSpec(None), tf.TensorSpec(None)]
    a = tf.constant(_picture(np, 2, 8, 9, 2))
    functions = [
        lambda x, y: tf.image.psnr(x, y, 1.0),
        lambda x, y: tf.image.ssim(x, y, 1.0, filter_size=3),
        lambda x, y: tf.image.ssim_multiscale(x, y, 1.0, (0.5, 0.5), filter_size=3),
    ]
    found = []
    for f in functions:
        g = tf.function(f, input_signature=spec, autograph=False)
        found.append(Approx(g(a, a * 0.9), 1e-4, 1e-5))
        found.append(attempt(lambda g=g: g(a, a[:, :1]), words=0))
    return found


@derivatives(1)
def ssim_gradient(tf, np):
    """The gradient of SSIM."""
    b = tf.constant(_picture(np, 5, 6, 1)) * 0.5
    return lambda x: tf.image.ssim(x, b, 1.0, filter_size=3), [tf.constant(_picture(np, 5, 6, 1))]
