"""`tf.image.resize` and TensorFlow 1's forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_IMAGE = np.arange(4 * 6 * 3).reshape(4, 6, 3).astype(np.uint8)
_METHODS = ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize("antialias", [False, True])
def test_one_image_is_resized_as_a_batch_of_one(method: str, antialias: bool) -> None:
    one = tf.image.resize(_IMAGE, [3, 8], method, antialias=antialias)
    batch = tf.image.resize(np.stack([_IMAGE, _IMAGE]), [3, 8], method, antialias=antialias)
    assert one.shape == [3, 8, 3]
    assert one.dtype is (tf.uint8 if method == "nearest" else tf.float32)
    np.testing.assert_allclose(batch[1], one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("images", "size", "method", "words"),
    [
        (_IMAGE, [3], "area", "'size' must be a 1-D Tensor of 2 elements: new_height, new_width"),
        (_IMAGE, 3, "area", "'size' must be a 1-D Tensor of 2 elements: new_height, new_width"),
        (_IMAGE, [3.0, 3.0], "area", "'size' must be a 1-D int32 Tensor"),
        (_IMAGE, None, "area", "'size' must be a 1-D int32 Tensor"),
        (_IMAGE[0], [3, 3], "area", "'images' must have either 3 or 4 dimensions."),
        (_IMAGE, [3, 3], "foo", "Resize method is not implemented: foo"),
        (_IMAGE, [3, 3], 0, "Resize method is not implemented: 0"),
    ],
)
def test_resize_refuses(images: Any, size: Any, method: Any, words: str) -> None:
    check_refusal(lambda: tf.image.resize(images, size, method), ValueError, words)


def test_a_size_of_another_dtype_is_refused() -> None:
    size = tf.constant([3, 3], tf.int64)
    check_refusal(lambda: tf.image.resize(_IMAGE, size), ValueError, "'size' must be a 1-D int32 Tensor")


def test_an_image_of_unknown_rank_is_refused() -> None:
    function = tf.function(lambda x: tf.image.resize(x, [3, 3]), input_signature=[tf.TensorSpec(None)])
    check_refusal(function.get_concrete_function, ValueError, "'images' contains no shape.")


@pytest.mark.parametrize("size", [[2, 100], [100, 3], [8, 12]])
def test_proportions_may_stay(size: list[int]) -> None:
    eager = tf.image.resize(_IMAGE, size, preserve_aspect_ratio=True)
    assert eager.shape[1] * 4 == eager.shape[0] * 6

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.uint8), tf.TensorSpec([2], tf.int32)])
    def resize(image: Any, size: Any) -> Any:
        return tf.image.resize(image, size, preserve_aspect_ratio=True)

    np.testing.assert_allclose(resize(_IMAGE, size), eager, rtol=1e-6)


@pytest.mark.parametrize("method", _METHODS)
def test_sizes_need_not_be_known_while_tracing(method: str) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.uint8)])
    def resize(image: Any) -> Any:
        return tf.image.resize(image, [2, 5], method, antialias=True)

    assert resize.get_concrete_function().output_shapes == [2, 5, 3]
    np.testing.assert_allclose(resize(_IMAGE), tf.image.resize(_IMAGE, [2, 5], method, antialias=True), rtol=1e-6)


@pytest.mark.xla
@pytest.mark.parametrize("method", _METHODS)
def test_xla_resizes_alike(method: str) -> None:
    resize = lambda image: tf.image.resize(image, [2, 5], method, antialias=True)  # noqa: E731  (a call to be made in several modes)
    compiled = tf.function(resize, jit_compile=True, autograph=False)
    np.testing.assert_allclose(compiled(_IMAGE), resize(_IMAGE), rtol=1e-5, atol=1e-4)


def test_images_of_a_vectorized_map_are_resized_together() -> None:
    images = np.stack([_IMAGE, _IMAGE[::-1]])
    found = tf.vectorized_map(lambda x: tf.image.resize(x, [2, 5]), images, fallback_to_while_loop=False)
    np.testing.assert_allclose(found, tf.image.resize(images, [2, 5]), rtol=1e-6)


@pytest.mark.parametrize("method", [0, "nearest", 2, "area"])
def test_tensorflow_1_leaves_images_of_the_size_alone(method: Any) -> None:
    v1 = tf.compat.v1.image
    same = v1.resize(_IMAGE, [4, 6], method)
    assert same.dtype is tf.uint8
    np.testing.assert_array_equal(same, _IMAGE)
    assert v1.resize(_IMAGE, [2, 3], method, align_corners=True).shape == [2, 3, 3]


def test_tensorflow_1_has_four_methods() -> None:
    words = "Resize method is not implemented: lanczos3"
    check_refusal(lambda: tf.compat.v1.image.resize(_IMAGE, [3, 3], "lanczos3"), ValueError, words)


def test_the_ops_have_functions_in_tensorflow_1() -> None:
    v1, batch = tf.compat.v1.image, _IMAGE[None]
    for name in ("bilinear", "nearest_neighbor", "bicubic", "area"):
        found = getattr(v1, f"resize_{name}")(batch, [3, 3], align_corners=True)
        expected = v1.resize(batch, [3, 3], name.partition("_")[0], align_corners=True)
        np.testing.assert_array_equal(found, expected)
