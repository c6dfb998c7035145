"""Images cut and padded to a size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.ops.array.answers import check_refusal

_BATCH = np.arange(1, 2 * 5 * 7 * 3 + 1).reshape(2, 5, 7, 3).astype(np.int32)
_SIZES = st.integers(1, 12)


def _window(x: Any, top: int, left: int, height: int, width: int) -> Any:
    return x[..., top : top + height, left : left + width, :]


def _framed(x: Any, top: int, left: int, height: int, width: int) -> Any:
    frame = np.zeros((*x.shape[:-3], height, width, x.shape[-1]), x.dtype)
    frame[..., top : top + x.shape[-3], left : left + x.shape[-2], :] = x
    return frame


@pytest.mark.parametrize("window", [(0, 0, 5, 7), (1, 2, 3, 4), (4, 6, 1, 1)])
def test_a_window_is_cut_out(window: tuple[int, ...]) -> None:
    for x in (_BATCH, _BATCH[0]):
        expected = _window(x, *window)
        np.testing.assert_array_equal(tf.image.crop_to_bounding_box(x, *window), expected)
        np.testing.assert_array_equal(tf.image.crop_to_bounding_box(x, *map(tf.constant, window)), expected)


@pytest.mark.parametrize("window", [(0, 0, 5, 7), (1, 2, 9, 9), (3, 0, 8, 20)])
def test_an_image_is_put_into_a_larger_one(window: tuple[int, ...]) -> None:
    for x in (_BATCH, _BATCH[0]):
        expected = _framed(x, *window)
        np.testing.assert_array_equal(tf.image.pad_to_bounding_box(x, *window), expected)
        np.testing.assert_array_equal(tf.image.pad_to_bounding_box(x, *map(tf.constant, window)), expected)


@given(_SIZES, _SIZES)
def test_a_size_is_reached_from_the_middle(height: int, width: int) -> None:
    found = tf.image.resize_with_crop_or_pad(_BATCH, height, width).numpy()
    assert found.shape == (2, height, width, 3)
    top, left = max((5 - height) // 2, 0), max((7 - width) // 2, 0)
    window = _window(_BATCH, top, left, min(height, 5), min(width, 7))
    expected = _framed(window, max((height - 5) // 2, 0), max((width - 7) // 2, 0), height, width)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(tf.image.resize_with_crop_or_pad(_BATCH, tf.constant(height), width), expected)


@pytest.mark.parametrize(
    ("name", "window", "words"),
    [
        ("crop_to_bounding_box", (0, 0, 0, 5), "target_height must be > 0."),
        ("crop_to_bounding_box", (0, 0, 5, 0), "target_width must be > 0."),
        ("crop_to_bounding_box", (-1, 0, 2, 2), "offset_height must be >= 0."),
        ("crop_to_bounding_box", (0, -1, 2, 2), "offset_width must be >= 0."),
        ("crop_to_bounding_box", (2, 2, 4, 5), "height must be >= target + offset."),
        ("crop_to_bounding_box", (0, 0, 2, 8), "width must be >= target + offset."),
        ("pad_to_bounding_box", (-1, 0, 8, 9), "offset_height must be >= 0"),
        ("pad_to_bounding_box", (0, -1, 8, 9), "offset_width must be >= 0"),
        ("pad_to_bounding_box", (0, 0, 4, 9), "height must be <= target - offset"),
        ("pad_to_bounding_box", (0, 0, 9, 6), "width must be <= target - offset"),
        ("resize_with_crop_or_pad", (0, 3), "target_height must be > 0."),
        ("resize_with_crop_or_pad", (3, -1), "target_width must be > 0."),
        ("resize_with_pad", (0, 3), "target_height must be > 0."),
    ],
)
def test_what_does_not_fit_is_refused_at_once_or_when_it_is_known(
    name: str, window: tuple[int, ...], words: str
) -> None:
    call = getattr(tf.image, name)
    check_refusal(lambda: call(_BATCH, *window), ValueError, words)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words.replace("+", r"\+")):
        call(_BATCH, *map(tf.constant, window))
    specs = [tf.TensorSpec([None] * 4, tf.int32), *(tf.TensorSpec([], tf.int32) for _ in window)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words.replace("+", r"\+")):
        tf.function(call, input_signature=specs, autograph=False)(_BATCH, *window)


@pytest.mark.parametrize("name", ["crop_to_bounding_box", "pad_to_bounding_box"])
def test_other_ranks_are_refused(name: str) -> None:
    call = getattr(tf.image, name)
    words = "'image' (shape (7, 3)) must have either 3 or 4 dimensions."
    check_refusal(lambda: call(_BATCH[0, 0], 0, 0, 1, 1), ValueError, words)
    words = "inner 3 dims of 'image.shape' must be > 0: (2, 0, 7, 3)"
    check_refusal(lambda: call(_BATCH[:, :0], 0, 0, 1, 1), ValueError, words)


@pytest.mark.parametrize("shape", [[None, None, 3], [5, 7, 3], [None] * 4, [2, None, 7, 3]])
def test_sizes_are_known_while_tracing_as_far_as_they_can_be(shape: Any) -> None:
    image, batch, channels = tf.image, shape[:-3], shape[-1]

    def shape_of(function: Any) -> Any:
        spec = [tf.TensorSpec(shape, tf.int32)]
        return tf.function(function, input_signature=spec).get_concrete_function().output_shapes.as_list()

    assert shape_of(lambda x: image.crop_to_bounding_box(x, 0, 1, 2, 3)) == [*batch, 2, 3, channels]
    assert shape_of(lambda x: image.pad_to_bounding_box(x, 0, 1, 9, 8)) == [*batch, 9, 8, channels]
    assert shape_of(lambda x: image.resize_with_crop_or_pad(x, 6, 4)) == [*batch, 6, 4, channels]
    assert shape_of(lambda x: image.resize_with_pad(x, 6, 4)) == [*batch, 6, 4, channels]
    middle = [None if n is None else n - 2 * int(n / 4) for n in shape[-3:-1]]
    assert shape_of(lambda x: image.central_crop(x, 0.5)) == [*batch, *middle, channels]


@pytest.mark.parametrize("target", [(3, 4), (10, 3), (7, 7), (5, 7), (2, 20)])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_borders_make_up_for_the_proportions(target: tuple[int, int], method: str) -> None:
    found = tf.image.resize_with_pad(_BATCH, *target, method=method)
    assert found.shape == [2, *target, 3]
    ratio = np.float32(max(7 / target[1], 5 / target[0]))
    height, width = np.float32(5) / ratio, np.float32(7) / ratio
    top, left = int((target[0] - height) / 2), int((target[1] - width) / 2)
    height, width = int(height), int(width)
    resized = tf.image.resize(_BATCH, [height, width], method).numpy()
    np.testing.assert_allclose(found, _framed(resized, top, left, *target), rtol=1e-6)

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.int32), tf.TensorSpec([], tf.int32)])
    def fit(image: Any, height: Any) -> Any:
        return tf.image.resize_with_pad(image, height, target[1], method=method)

    np.testing.assert_allclose(fit(_BATCH[1], target[0]), found[1], rtol=1e-6)


def test_tensorflow_1_aligns_corners_when_padding() -> None:
    v1 = tf.compat.v1.image
    found = v1.resize_image_with_pad(_BATCH, 5, 10, 1, align_corners=True)
    np.testing.assert_array_equal(found, _framed(_BATCH, 0, 1, 5, 10))
    assert v1.resize_image_with_crop_or_pad is tf.image.resize_with_crop_or_pad


@pytest.mark.parametrize("fraction", [0.3, 0.5, 0.9, 1.0, np.float32(0.7)])
def test_the_middle_is_kept(fraction: Any) -> None:
    top, left = (int((n - n * float(fraction)) / 2) for n in (5, 7))
    for x in (_BATCH, _BATCH[1]):
        expected = _window(x, top, left, 5 - 2 * top, 7 - 2 * left)
        np.testing.assert_array_equal(tf.image.central_crop(x, fraction), expected)
        np.testing.assert_array_equal(tf.image.central_crop(x, tf.constant(fraction)), expected)
        specs = [tf.TensorSpec([None] * x.ndim, tf.int32), tf.TensorSpec([])]
        crop = tf.function(tf.image.central_crop, input_signature=specs)
        np.testing.assert_array_equal(crop(x, fraction), expected)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.5])
def test_a_fraction_is_more_than_nothing_and_at_most_everything(fraction: float) -> None:
    words = "central_fraction must be within (0, 1]"
    check_refusal(lambda: tf.image.central_crop(_BATCH, fraction), ValueError, words)
    check_refusal(lambda: tf.image.central_crop(_BATCH, tf.constant(fraction)), ValueError, words)
    crop = tf.function(lambda f: tf.image.central_crop(_BATCH, f), input_signature=[tf.TensorSpec([])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="central_fraction must be within"):
        crop(fraction)


def test_the_middle_needs_a_rank() -> None:
    words = "'image' (shape (7, 3)) must be at least three-dimensional."
    check_refusal(lambda: tf.image.central_crop(_BATCH[0, 0], 0.5), ValueError, words)
    crop = tf.function(lambda x: tf.image.central_crop(x, 0.5), input_signature=[tf.TensorSpec(None)])
    words = "`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = None."
    check_refusal(crop.get_concrete_function, ValueError, words)


def test_images_of_a_vectorized_map_are_cut_together() -> None:
    functions = [
        lambda x: tf.image.crop_to_bounding_box(x, 1, 2, 3, 4),
        lambda x: tf.image.pad_to_bounding_box(x, 1, 2, 8, 9),
        lambda x: tf.image.resize_with_crop_or_pad(x, 6, 4),
        lambda x: tf.image.central_crop(x, 0.5),
    ]
    for function in functions:
        found = tf.vectorized_map(function, _BATCH, fallback_to_while_loop=False)
        np.testing.assert_array_equal(found, function(_BATCH))
