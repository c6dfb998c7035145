"""Images of other sizes, crops, pads, flips and turns: values, shapes, dtypes and refusals."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt

METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
RAW = ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")
CENTERS = ({}, {"align_corners": True}, {"half_pixel_centers": True})


def _image(np, shape=(4, 5, 2), dtype="uint8"):
    return np.random.RandomState(3).randint(0, 256, shape).astype(dtype)


def prog_resize_methods(tf, np):
    """Each method, shrinking and growing, with and without antialiasing."""
    image = _image(np)
    return [
        tf.image.resize(image, size, method, antialias=antialias)
        for method in METHODS
        for size in ([3, 2], [6, 8])
        for antialias in (False, True)
    ]


def prog_resize_dtypes(tf, np):
    """What comes out by dtype and method."""
    dtypes = ("int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64")
    return [
        [attempt(lambda: tf.image.resize(tf.constant(_image(np) // 3, t), [2, 3], method)) for method in METHODS[:5]]
        for t in (*dtypes, "bool", "complex64", "bfloat16")
    ]


def prog_resize_raw_ops(tf, np):
    """Every alignment of the raw ops."""
    images = _image(np, (1, 4, 3, 1))
    return [
        Approx(getattr(tf.raw_ops, name)(images=images, size=size, **centers), 1e-5, 1e-4)
        for name in RAW
        for centers in CENTERS
        for size in ([7, 5], [2, 2], [1, 1])
    ]


def prog_resize_gradients(tf, np):
    """What flows back to the image."""
    found = []
    for name in RAW:
        for centers in CENTERS:
            x = tf.constant(_image(np, (1, 4, 3, 1), "float32"))
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = getattr(tf.raw_ops, name)(images=x, size=[3, 5], **centers)
            found.append(tape.gradient(y, x, output_gradients=tf.reshape(tf.range(15.0), [1, 3, 5, 1])))
    return found


def prog_resize_area(tf, np):
    """Means of areas, aligned and not."""
    images = _image(np, (1, 5, 7, 1), "float32")
    return [
        tf.raw_ops.ResizeArea(images=images, size=size, align_corners=corners)
        for corners in (False, True)
        for size in ([2, 3], [5, 5], [7, 9], [1, 1])
    ]


def prog_scale_and_translate(tf, np):
    """Stretched and moved, with every kernel; the gradient."""
    images, found = tf.constant(_image(np, (1, 4, 5, 1), "float32")), []
    for kernel in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
        for antialias in (False, True):
            with tf.GradientTape() as tape:
                tape.watch(images)
                y = tf.raw_ops.ScaleAndTranslate(
                    images=images,
                    size=[5, 3],
                    scale=[1.5, 0.5],
                    translation=[-0.75, 0.25],
                    kernel_type=kernel,
                    antialias=antialias,
                )
            found.append([y, tape.gradient(y, images)])
    return found


def prog_resize_proportions(tf, np):
    """Sizes that keep the proportions."""
    sizes = ([3, 100], [100, 3], [8, 10], [1, 1], [7, 7], [9, 4])
    return [tf.image.resize(_image(np), size, preserve_aspect_ratio=True).shape for size in sizes]


def prog_resize_refusals(tf, np):
    """What cannot be resized, and how this is said."""
    image = _image(np)
    arguments = (
        (image, [3]),
        (image, 3),
        (image, [3.0, 3.0]),
        (image, [[3, 3]]),
        (image, None),
        (image, tf.constant([3, 3], tf.int64)),
        (image[0], [3, 3]),
        (image, [3, 3], "foo"),
        (image, [3, 3], 1),
        (image, [0, 3]),
        (image, [-1, 3]),
        (image[:0], [3, 3]),
        (image[..., :0], [3, 3]),
        (image[None][:0], [3, 3]),
    )
    return [attempt(lambda: tf.image.resize(*given)) for given in arguments]


def prog_resize_of_tensorflow_1(tf, np):
    """TensorFlow 1's functions."""
    v1, image = tf.compat.v1.image, _image(np)
    found = [
        v1.resize(image, size, method, align_corners=corners)
        for method in (0, 1, 2, 3, "bilinear", "nearest", "bicubic", "area")
        for size in ([3, 2], [4, 5])
        for corners in (False, True)
    ]
    return [found, attempt(lambda: v1.resize(image, [3, 2], "lanczos3")), attempt(lambda: v1.resize(image, [3, 2], 7))]


def prog_resize_shapes_in_graphs(tf, np):
    """Static shapes after resizing."""
    found = []
    for shape in ([None, None, 3], [8, 9, 3], [None, 8, None, 3], [8, 9, None]):
        for size in ([4, 5], "given"):
            spec = [tf.TensorSpec(shape, tf.uint8), tf.TensorSpec([2], tf.int32)]
            function = tf.function(lambda x, s: tf.image.resize(x, s if size == "given" else size), spec)
            found.append(str(function.get_concrete_function().output_shapes))
    return found


def prog_seeds_pipeline(tf, np):
    """What the first programs do to an image: resize, and divide."""
    return tf.image.resize(_image(np, (6, 5, 3)), [4, 4]) / 255.0


def prog_flips_and_turns(tf, np):
    """Mirror images and quarter turns of one image and of a batch."""
    image, found = tf.image, []
    for x in (_image(np, (2, 3, 2)), _image(np, (2, 2, 3, 1)), _image(np, (3, 2)), _image(np, (2, 0, 3))):
        found.append([attempt(lambda: f(x)) for f in (image.flip_left_right, image.flip_up_down, image.transpose)])
        found.append([attempt(lambda: image.rot90(x, k)) for k in (0, 1, 2, 3, -1, 6, [1])])
    return found


def prog_crops_and_pads(tf, np):
    """Windows, frames and sizes, and those that do not fit."""
    image, x = tf.image, _image(np, (5, 7, 1))
    places = ((0, 0, 5, 7), (1, 2, 3, 4), (2, 2, 4, 5), (-1, 0, 8, 9), (0, -1, 8, 9), (0, 0, 0, 5), (1, 1, 8, 10))
    found = [attempt(lambda: image.crop_to_bounding_box(x, *place)) for place in places]
    found += [attempt(lambda: image.pad_to_bounding_box(x, *place)) for place in places]
    sizes = ((5, 7), (3, 9), (9, 3), (4, 6), (6, 8), (1, 1), (0, 3), (3, -1))
    found += [attempt(lambda: image.resize_with_crop_or_pad(x, *size)) for size in sizes]
    return [*found, [attempt(lambda: image.crop_to_bounding_box(y, 0, 0, 1, 1)) for y in (x[0], x[:0], x[None])]]


def prog_crops_by_tensors(tf, np):
    """Offsets and sizes that are tensors, in eager mode."""
    image, x = tf.image, _image(np, (5, 7, 1))
    places = ((1, 2, 3, 4), (1, 1, 8, 10), (-1, 0, 3, 3))
    found = []
    for place in places:
        tensors = [tf.constant(n) for n in place]
        found.append(attempt(lambda: image.crop_to_bounding_box(x, *tensors), 1))
        found.append(attempt(lambda: image.pad_to_bounding_box(x, *tensors), 1))
        found.append(attempt(lambda: image.resize_with_crop_or_pad(x, *tensors[2:]), 1))
    return found


def prog_middles(tf, np):
    """central_crop by fraction."""
    found = []
    for x in (_image(np, (5, 7, 1)), _image(np, (1, 4, 3, 2)), _image(np, (3, 4))):
        for fraction in (0.1, 0.3, 0.5, 0.75, 0.9, 1.0, 1, 0.0, 1.1):
            found.append(attempt(lambda: tf.image.central_crop(x, fraction)))
    return found


def prog_resize_with_pad(tf, np):
    """Proportions and borders, of TensorFlow 2 and 1."""
    x, v1 = _image(np, (5, 7, 1)), tf.compat.v1.image
    sizes = ((3, 4), (9, 3), (4, 4), (5, 7), (2, 11), (0, 3))
    found = [attempt(lambda: tf.image.resize_with_pad(x, *size)) for size in sizes]
    found += [attempt(lambda: tf.image.resize_with_pad(x, *size, "nearest")) for size in sizes]
    return [*found, *(attempt(lambda: v1.resize_image_with_pad(x, *size, 0, True)) for size in sizes)]


def prog_shapes_of_crops_in_graphs(tf, np):
    """Static shapes after crops, pads and flips."""
    image = tf.image
    functions = (
        lambda x: image.crop_to_bounding_box(x, 0, 1, 2, 3),
        lambda x: image.pad_to_bounding_box(x, 0, 1, 9, 9),
        lambda x: image.resize_with_crop_or_pad(x, 6, 6),
        lambda x: image.resize_with_pad(x, 6, 6),
        lambda x: image.central_crop(x, 0.5),
        image.flip_left_right,
        image.transpose,
    )
    found = []
    for shape in ([None, None, 3], [5, 7, 3], [None] * 4, [2, None, 7, 3]):
        spec = [tf.TensorSpec(shape, tf.uint8)]
        found.append([str(tf.function(f, spec).get_concrete_function().output_shapes) for f in functions])
    return found


def prog_gradients_of_crops(tf, np):
    """What flows back through crops, pads and turns."""
    image = tf.image
    x = tf.constant(_image(np, (3, 4, 1), "float32"))
    functions = (
        lambda x: image.crop_to_bounding_box(x, 0, 1, 2, 3),
        lambda x: image.pad_to_bounding_box(x, 0, 1, 5, 5),
        lambda x: image.resize_with_crop_or_pad(x, 2, 6),
        lambda x: image.resize_with_pad(x, 4, 6),
        lambda x: image.central_crop(x, 0.5),
        image.flip_left_right,
        image.transpose,
        image.rot90,
    )
    found = []
    for f in functions:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
            total = tf.reduce_sum(y * y)
        found.append(tape.gradient(total, x))
    return found


def prog_crop_and_resize(tf, np):
    """Crops of boxes in and around the image, and the gradients."""
    image = tf.constant(_image(np, (2, 4, 5, 1), "float32"))
    boxes = tf.constant([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [-0.2, 0.3, 1.2, 0.4], [0.8, 0.9, 0.1, 0.2]])
    found = []
    for size in ([3, 2], [1, 1], [1, 4]):
        for method in ("bilinear", "nearest"):
            with tf.GradientTape() as tape:
                tape.watch([image, boxes])
                crops = tf.image.crop_and_resize(image, boxes, [0, 1, 0, 1], size, method, -3.0)
            found.append([crops, [Approx(g, 1e-4, 1e-2) for g in tape.gradient(crops, [image, boxes])]])
    refused = [
        attempt(lambda: tf.image.crop_and_resize(image, boxes, numbers, [2, 2]))
        for numbers in ([0, 1, 2, 0], [0], [[0]])
    ]
    return [found, refused, tf.image.crop_and_resize(_image(np, (1, 3, 3, 1)), boxes[:2], [0, 0], [2, 2])]


def prog_projective_transforms(tf, np):
    """Every interpolation and fill mode, and the gradient."""
    images = tf.constant(_image(np, (2, 3, 4, 1), "float32"))
    transforms = [[1.2, 0.1, -0.5, -0.2, 0.9, 0.3, 0, 0], [0.8, 0.1, 3.2, 0.3, 1.1, -4.4, 0.01, -0.02]]
    found = []
    for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
        for interpolation in ("NEAREST", "BILINEAR"):
            with tf.GradientTape() as tape:
                tape.watch(images)
                y = tf.raw_ops.ImageProjectiveTransformV3(
                    images=images,
                    transforms=transforms,
                    output_shape=[4, 3],
                    fill_value=1.5,
                    interpolation=interpolation,
                    fill_mode=mode,
                )
            found.append([y, Approx(tape.gradient(y, images), 1e-4, 1e-3)])
    return found


def prog_boxes_chosen(tf, np):
    """Suppression of boxes: hard, soft, by a matrix, and what is refused."""
    random = np.random.RandomState(2)
    low = random.rand(10, 2)
    boxes = np.concatenate([low, low + 0.1 + 0.4 * random.rand(10, 2)], axis=1).astype("float32")
    scores = random.rand(10).astype("float32")
    image, found = tf.image, []
    for limit in (3, 20, 0):
        for overlap in (0.1, 0.5, 0.9):
            found.append(image.non_max_suppression(boxes, scores, limit, overlap, 0.2))
            found.append(image.non_max_suppression_with_scores(boxes, scores, limit, overlap, 0.2, 0.5))
            found.append(image.non_max_suppression_overlaps(boxes[:, :1] + boxes[:, 1], scores, limit, overlap, 0.2))
    given = ((boxes, scores, -1), (boxes, scores, 3, 1.5), (boxes[:, :3], scores, 3), (boxes, scores[:3], 3))
    return [found, [attempt(lambda: image.non_max_suppression(*arguments)) for arguments in given]]


def prog_boxes_drawn(tf, np):
    """Boxes inside and outside of images, with and without colors."""
    boxes = [[[0.1, 0.2, 0.7, 0.8], [-0.5, 0.3, 0.4, 1.5], [0.9, 0.9, 0.1, 0.1], [2, 2, 3, 3]]]
    images = [np.zeros((1, 4, 5, channels), "float32") for channels in (1, 3, 4, 2)]
    return [
        attempt(lambda: tf.image.draw_bounding_boxes(x, boxes, colors))
        for x in images
        for colors in (None, [[1.0, 2, 3, 4], [5.0, 6, 7, 8]], [[1.0, 2]])
    ]
