"""Adjustments of brightness, contrast, hue, saturation and gamma."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp as numpy_namespace
from millrace._src.ops.image.adjusting import adjust_contrast_op
from tests.contracts.sample import Sample
from tests.ops.image.test_color_spaces import _pixels

_F32 = np.float32

SAMPLES = [
    *(
        Sample(op, (_pixels(*shape, dtype=t), _F32(number)), rtol=5e-3 if t == "float16" else 1e-5)
        for op, number in (("AdjustContrastv2", 1.7), ("AdjustHue", 0.3), ("AdjustSaturation", 1.4))
        for t in ("float16", "float32")
        for shape in ((2, 3, 3), (2, 1, 2, 3), (0, 2, 3))
    ),
    Sample("AdjustContrastv2", (_pixels(2, 3, 1), _F32(-1))),
    Sample("AdjustHue", (_pixels(2, 3, 3), _F32(-0.8)), rtol=1e-5),
    Sample("AdjustSaturation", (_pixels(2, 3, 3), _F32(0))),
]

_ADJUSTMENTS: dict[str, Any] = {
    "brightness": lambda x: tf.image.adjust_brightness(x, 0.1),
    "contrast": lambda x: tf.image.adjust_contrast(x, 1.7),
    "hue": lambda x: tf.image.adjust_hue(x, 0.2),
    "saturation": lambda x: tf.image.adjust_saturation(x, 1.5),
    "gamma": lambda x: tf.image.adjust_gamma(x, 0.5, 1.1),
    "standardization": lambda x: tf.image.per_image_standardization(x),
}


def test_hue_turns_the_angle() -> None:
    x = _pixels(3, 4, 3)
    turned = [colorsys.rgb_to_hsv(*p) for p in x.reshape(-1, 3).tolist()]
    expected = [colorsys.hsv_to_rgb((h + 0.4) % 1.0, s, v) for h, s, v in turned]
    np.testing.assert_allclose(tf.image.adjust_hue(x, 0.4).numpy().reshape(-1, 3), expected, atol=1e-6)


def test_a_whole_turn_changes_nothing() -> None:
    x = _pixels(3, 4, 3)
    for delta in (-1.0, 0.0, 1.0):
        np.testing.assert_allclose(tf.image.adjust_hue(x, delta).numpy(), x, atol=2e-6)


def test_saturation_is_clipped() -> None:
    x = _pixels(3, 4, 3)
    parts = [colorsys.rgb_to_hsv(*p) for p in x.reshape(-1, 3).tolist()]
    expected = [colorsys.hsv_to_rgb(h, min(1.0, 2.5 * s), v) for h, s, v in parts]
    np.testing.assert_allclose(tf.image.adjust_saturation(x, 2.5).numpy().reshape(-1, 3), expected, atol=2e-6)


def test_contrast_keeps_the_mean_of_each_channel_of_each_picture() -> None:
    x = _pixels(2, 4, 5, 3)
    y = tf.image.adjust_contrast(x, 3.0).numpy()
    np.testing.assert_allclose(y.mean((1, 2)), x.mean((1, 2)), atol=1e-6)
    np.testing.assert_allclose(y.std((1, 2)), 3 * x.std((1, 2)), rtol=1e-5)


@pytest.mark.parametrize("shape", [(4, 5, 3), (2, 3, 4, 5, 1), (0, 2, 2, 3)])
def test_contrast_in_place_is_the_plain_kernel(shape: tuple[int, ...]) -> None:
    x, factor = _pixels(*shape), np.asarray(_F32(1.3))
    before = x.copy()
    plain = adjust_contrast_op.op_def.kernel(numpy_namespace, x, factor)
    special = tf.raw_ops.AdjustContrastv2(images=x, contrast_factor=factor).numpy()
    np.testing.assert_allclose(special, plain, rtol=1e-6)
    assert np.array_equal(x, before)


def test_a_picture_of_one_color_is_standardized_to_zeros() -> None:
    assert not np.any(tf.image.per_image_standardization(tf.fill([2, 3, 3], 7)).numpy())


def test_pictures_of_a_batch_are_standardized_alone() -> None:
    y = tf.image.per_image_standardization(tf.constant(_pixels(2, 4, 5, 3))).numpy()
    np.testing.assert_allclose(y.mean((1, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(y.std((1, 2, 3)), 1, rtol=1e-5)


@pytest.mark.parametrize("name", _ADJUSTMENTS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "bfloat16", "float32", "float64"])
def test_the_dtype_is_kept(name: str, dtype: str) -> None:
    y = _ADJUSTMENTS[name](tf.cast(_pixels(2, 2, 3) * 100, dtype))
    assert y.dtype.name == ("float32" if name == "standardization" else dtype)


@pytest.mark.parametrize("name", _ADJUSTMENTS)
def test_rows_of_a_vectorized_map_are_pictures(name: str) -> None:
    function = _ADJUSTMENTS[name]
    x = tf.constant(_pixels(3, 2, 4, 3))
    mapped = tf.vectorized_map(function, x, fallback_to_while_loop=False)
    np.testing.assert_allclose(mapped.numpy(), function(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", _ADJUSTMENTS)
def test_shapes_are_known_while_tracing(name: str) -> None:
    f = tf.function(_ADJUSTMENTS[name], input_signature=[tf.TensorSpec([None, None, 4, 3])], autograph=False)
    assert f.get_concrete_function().output_shapes.as_list() == [None, None, 4, 3]


@pytest.mark.parametrize("name", ["contrast", "hue", "saturation"])
def test_the_ops_have_no_gradient_as_in_tensorflow(name: str) -> None:
    x = tf.constant(_pixels(2, 2, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = _ADJUSTMENTS[name](x)
    with pytest.raises(LookupError):
        tape.gradient(y, x)


def test_brightness_clips_bytes() -> None:
    assert tf.image.adjust_brightness(tf.constant([0, 250], tf.uint8), 0.5).numpy().tolist() == [127, 255]
    assert tf.image.adjust_brightness(tf.constant([0, 250], tf.uint8), -0.5).numpy().tolist() == [0, 122]


def test_numbers_may_be_tensors_that_a_graph_knows_later() -> None:
    @tf.function(autograph=False)
    def adjust(x: Any, number: Any) -> Any:
        y = tf.image.adjust_hue(tf.image.adjust_contrast(x, number), number)
        return tf.image.adjust_gamma(tf.image.adjust_saturation(y, number), number)

    assert adjust(tf.constant(_pixels(2, 2, 3)), tf.constant(0.5)).shape == [2, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Gamma should be a non-negative real number"):
        adjust(tf.constant(_pixels(2, 2, 3)), tf.constant(-0.5))
