"""The ops that resize batches of images, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, sample_array

_ONCE = "TensorFlow declares no second derivative of resizing"
_IMAGES = sample_array((2, 4, 5, 3), np.float32)
_BYTES = sample_array((1, 6, 3, 2), np.uint8)
_SMALL = np.array([3, 4], np.int32)
_LARGE = np.array([7, 6], np.int32)
_ALIGNED = {"align_corners": True}
_HALF = {"half_pixel_centers": True}
_INTERPOLATED = ("ResizeBilinear", "ResizeBicubic")


def _stretch(images: Any, size: Any, **attrs: Any) -> Sample:
    scale, translation = np.array([0.8, 1.5], np.float32), np.array([0.5, -1.25], np.float32)
    return Sample("ScaleAndTranslate", (images, size, scale, translation), attrs)


def _stretch_gradient(count: int) -> Sample:
    scale, translation = np.array([0.8, 1.5], np.float32), np.array([0.5, -1.25], np.float32)
    return Sample("ScaleAndTranslateGrad", (_IMAGES[:count, :3], _IMAGES[:count], scale, translation))


SAMPLES = [
    *(
        Sample(name, (images, size), attrs, no_second=None if name == "ResizeBilinear" else _ONCE)
        for name in (*_INTERPOLATED, "ResizeNearestNeighbor")
        for images in (_IMAGES, _BYTES, _IMAGES[:0], _IMAGES.astype(np.float16))
        for size, attrs in ((_SMALL, {}), (_LARGE, _ALIGNED), (_LARGE, _HALF))
    ),
    *(
        Sample("ResizeArea", (images, size), attrs)
        for images in (_IMAGES, _BYTES, _IMAGES[:0])
        for size, attrs in ((_SMALL, {}), (_LARGE, _ALIGNED), (np.array([1, 1], np.int32), {}))
    ),
    Sample("ResizeBilinear", (sample_array((2, 3, 3, 8), np.float64), _LARGE), _HALF),
    Sample("ResizeNearestNeighbor", (sample_array((2, 3, 3, 8), np.float64), _LARGE), _HALF),
    *(Sample("ResizeBilinearGrad", (_IMAGES, sample_array((2, 3, 7, 3), t)), _HALF) for t in (np.float32, np.float16)),
    *(Sample("ResizeBicubicGrad", (_IMAGES, sample_array((2, 3, 7, 3), t)), _HALF) for t in (np.float32, np.float64)),
    Sample("ResizeBilinearGrad", (_IMAGES[:0], _IMAGES[:0])),
    Sample("ResizeBicubicGrad", (_IMAGES[:0], _IMAGES[:0])),
    *(
        Sample("ResizeNearestNeighborGrad", (sample_array((2, 5, 6, 3), t), _SMALL), attrs)
        for t in (np.float32, np.uint8, np.float16)
        for attrs in ({}, _ALIGNED, _HALF)
    ),
    *(
        _stretch(images, size, kernel_type=kernel, antialias=antialias)
        for kernel in ("lanczos3", "gaussian", "keyscubic", "mitchellcubic", "box", "triangle")
        for images, size in ((_IMAGES, _LARGE), (_BYTES, _SMALL))
        for antialias in (True, False)
    ),
    _stretch_gradient(2),
    _stretch_gradient(0),
]
GRADIENT_SAMPLES = [
    *(
        Sample(name, (_IMAGES, size), attrs, grad=True, no_second=None if name == "ResizeBilinear" else _ONCE)
        for name in (*_INTERPOLATED, "ResizeNearestNeighbor")
        for size, attrs in ((_SMALL, {}), (_LARGE, _ALIGNED), (_LARGE, _HALF))
    ),
    Sample("ResizeBilinearGrad", (_IMAGES, _IMAGES[:, :3]), _HALF, grad=True, held=("original_image",)),
    Sample("ResizeArea", (_IMAGES, _SMALL), grad=LookupError),
    Sample(
        "ScaleAndTranslate",
        (_IMAGES, _LARGE, np.array([0.8, 1.5], np.float32), np.array([0.5, -1.25], np.float32)),
        grad=True,
        held=("scale", "translation"),
        no_second=_ONCE,
    ),
]


@pytest.mark.parametrize("name", ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"])
@pytest.mark.parametrize(
    ("images", "size", "words"),
    [
        (_IMAGES[0], [3, 3], "input must be 4-dimensional[4,5,3]"),
        (_IMAGES, 3, "shape_t must be 1-dimensional[]"),
        (_IMAGES, [3, 3, 3], "shape_t must have two elements[3]"),
        (_IMAGES, [0, 3], "output dimensions must be positive"),
        (_IMAGES[:, :0], [3, 3], "input image must be of non-zero size"),
        (_IMAGES[..., :0], [3, 3], "image must have at least one channel"),
    ],
)
def test_what_cannot_be_resized_is_refused(name: str, images: Any, size: Any, words: str) -> None:
    op = getattr(tf.raw_ops, name)
    check_refusal(lambda: op(images=images, size=size), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize("name", ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"])
def test_corners_and_half_pixels_are_not_aligned_together(name: str) -> None:
    words = "If half_pixel_centers is True, align_corners must be False."
    op = getattr(tf.raw_ops, name)
    check_refusal(
        lambda: op(images=_IMAGES, size=[2, 2], align_corners=True, half_pixel_centers=True),
        tf.errors.InvalidArgumentError,
        words,
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scale": [0.0, 1.0]}, "Scale must be greater than zero."),
        ({"scale": [1.0]}, "t must have two elements[1]"),
        ({"translation": [1.0]}, "t must have two elements[1]"),
        ({"size": [3]}, "output_shape_t must have two elements[1]"),
        ({"kernel_type": "zz"}, "Unrecognized kernel type: zz"),
    ],
)
def test_scale_and_translate_refuses(changes: dict[str, Any], words: str) -> None:
    arguments = {"images": _IMAGES, "size": [3, 3], "scale": [1.0, 1.0], "translation": [0.0, 0.0], **changes}
    check_refusal(lambda: tf.raw_ops.ScaleAndTranslate(**arguments), tf.errors.InvalidArgumentError, words)


def test_gradients_of_nothing_are_refused() -> None:
    words = "resized dimensions must be positive"
    call = lambda: tf.raw_ops.ResizeBilinearGrad(grads=_IMAGES[:, :0], original_image=_IMAGES)  # noqa: E731  (a call to be made in several modes)
    check_refusal(call, tf.errors.InvalidArgumentError, words)


def test_whole_numbers_wrap_around_in_the_gradient_of_nearest_neighbours() -> None:
    grads = np.full((1, 9, 9, 1), 200, np.uint8)
    found = tf.raw_ops.ResizeNearestNeighborGrad(grads=grads, size=[2, 2])
    assert found.numpy().ravel().tolist() == [136, 160, 160, 128]  # recorded from TensorFlow


def test_integers_have_no_gradient() -> None:
    x = tf.constant(_BYTES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.ResizeBilinear(images=x, size=[2, 2])
    assert tape.gradient(y, x) is None


def test_new_sizes_are_known_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def resize(images: Any, height: Any) -> Any:
        return tf.raw_ops.ResizeBilinear(images=images, size=tf.stack([height, 7]))

    assert resize.get_concrete_function().output_shapes.as_list() == [None, None, 7, None]
    assert resize(_IMAGES, 2).shape == [2, 2, 7, 3]
