"""Color spaces."""

from __future__ import annotations

import colorsys
import itertools
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.nn.samples import FLOATS, array


def _pixels(*shape: int, dtype: str = "float32") -> Any:
    """Values in (0, 1) without ties."""
    return (array(*shape).astype(np.float64) / 4.1 + 0.5).astype(array(1, dtype=dtype).dtype)


SAMPLES = [
    *(
        Sample(op, (_pixels(*shape, dtype=t),), grad=op == "RGBToHSV" and t == "float64" and 0 not in shape)
        for op in ("RGBToHSV", "HSVToRGB")
        for t in FLOATS
        for shape in ((3,), (2, 3, 3), (2, 1, 2, 3), (0, 3))
    ),
]

_NAMES = ("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq", "yiq_to_rgb")


def test_hsv_is_the_standard_librarys() -> None:
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)
    rgb = np.array(list(itertools.product(levels, repeat=3)))
    np.testing.assert_allclose(tf.image.rgb_to_hsv(rgb), [colorsys.rgb_to_hsv(*p) for p in rgb], atol=1e-6)
    np.testing.assert_allclose(tf.image.hsv_to_rgb(rgb), [colorsys.hsv_to_rgb(*p) for p in rgb], atol=1e-6)


@pytest.mark.parametrize("there", _NAMES[::2])
def test_each_space_leads_back(there: str) -> None:
    a, b = there.split("_to_")
    rgb = _pixels(4, 5, 3)
    np.testing.assert_allclose(getattr(tf.image, f"{b}_to_{a}")(getattr(tf.image, there)(rgb)).numpy(), rgb, atol=2e-4)


@pytest.mark.parametrize("name", _NAMES)
def test_pixels_of_unknown_rank_are_converted(name: str) -> None:
    function = getattr(tf.image, name)
    unknown = tf.function(lambda x: function(x), input_signature=[tf.TensorSpec(None)], autograph=False)
    x = tf.constant(_pixels(2, 3, 3))
    np.testing.assert_allclose(unknown(x).numpy(), function(x).numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", _NAMES)
def test_static_shapes_are_kept(name: str) -> None:
    f = tf.function(getattr(tf.image, name), input_signature=[tf.TensorSpec([None, 4, 3])], autograph=False)
    assert f.get_concrete_function().output_shapes.as_list() == [None, 4, 3]


@pytest.mark.parametrize("name", ["rgb_to_hsv", "hsv_to_rgb"])
def test_other_channels_are_refused(name: str) -> None:
    function = getattr(tf.image, name)
    with pytest.raises(tf.errors.FailedPreconditionError, match="must have 3 channels but input only has 2 channels"):
        function(tf.zeros([4, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input must be at least 1D\[\]"):
        function(1.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension must be 3 but is 2"):
        function(tf.zeros([4, 2]))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
        function(1.0)


@pytest.mark.parametrize("name", ["rgb_to_hsv", "hsv_to_rgb", "rgb_to_grayscale"])
def test_rows_of_a_vectorized_map_are_pictures(name: str) -> None:
    function = getattr(tf.image, name)
    x = tf.constant(_pixels(4, 2, 2, 3))
    np.testing.assert_allclose(tf.vectorized_map(function, x).numpy(), function(x).numpy(), rtol=1e-6)


def test_gray_has_one_channel_and_comes_back_with_three() -> None:
    gray = tf.image.rgb_to_grayscale(tf.constant([[[10, 20, 30]]], tf.uint8))
    assert gray.numpy().tolist() == [[[18]]]
    assert tf.image.grayscale_to_rgb(gray).numpy().tolist() == [[[18, 18, 18]]]


def test_grayscale_of_a_partial_shape_has_a_static_shape() -> None:
    f = tf.function(tf.image.grayscale_to_rgb, input_signature=[tf.TensorSpec([None, 4, 1])], autograph=False)
    assert f.get_concrete_function().output_shapes.as_list() == [None, 4, 3]


def test_hsv_to_rgb_lets_no_gradient_through() -> None:
    x = tf.constant(_pixels(2, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.hsv_to_rgb(x)
    assert tape.gradient(y, x) is None
