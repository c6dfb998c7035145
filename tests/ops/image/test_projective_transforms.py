"""Images seen through projective transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, sample_array

_IMAGES = sample_array((2, 4, 5, 3), np.float32) / 40
_BYTES = sample_array((2, 4, 5, 3), np.uint8)
_TRANSFORMS = np.array(
    [[1.2, 0.1, -0.5, -0.2, 0.9, 0.3, 0, 0], [0.8, 0.1, 0.2, 0.3, 1.1, 0.4, 0.01, -0.02]], np.float32
)
_SIZE = np.array([3, 7], np.int32)
_SHIFT = np.array([[1, 0, 1, 0, 1, -2, 0, 0]], np.float32)
_MODES = [
    {"interpolation": i, "fill_mode": m}
    for i in ("NEAREST", "BILINEAR")
    for m in ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
]
_OWN = np.array([4, 5], np.int32)

SAMPLES = [
    *(Sample("ImageProjectiveTransformV2", (_IMAGES, _TRANSFORMS, _SIZE), attrs) for attrs in _MODES),
    *(
        Sample("ImageProjectiveTransformV3", (images, transforms, _SIZE, np.float32(1.5)), attrs)
        for attrs in _MODES[3:5]
        for images in (_IMAGES, _IMAGES.astype(np.float16))
        for transforms in (_TRANSFORMS, _TRANSFORMS[:1])
    ),
    *(
        Sample("ImageProjectiveTransformV3", (_BYTES, _TRANSFORMS, _SIZE, np.float32(1.5)), attrs, xla=is_exact)
        # XLA rounds otherwise in the last digit, which may decide what is cut off
        for attrs, is_exact in ((_MODES[3], True), (_MODES[4], False))
    ),
    Sample("ImageProjectiveTransformV3", (_IMAGES[:0], _TRANSFORMS[:1], _SIZE, np.float32(0)), _MODES[0]),
]
# The gradient transforms back; that is the derivative where every pixel moves by whole pixels.
GRADIENT_SAMPLES = [
    Sample("ImageProjectiveTransformV2", (_IMAGES, _SHIFT, _OWN), attrs, grad=True, held=("transforms",))
    for attrs in (_MODES[0], _MODES[4])
] + [
    Sample(
        "ImageProjectiveTransformV3",
        (_IMAGES, _SHIFT, _OWN, np.float32(2)),
        _MODES[0],
        grad=True,
        held=("transforms", "fill_value"),
    )
]


def _transformed(**changes: Any) -> Any:
    arguments = {"images": _IMAGES, "transforms": _SHIFT, "output_shape": [4, 5], "fill_value": 9.0, **changes}
    return tf.raw_ops.ImageProjectiveTransformV3(**{"interpolation": "BILINEAR", **arguments})


def test_a_shift_moves_pixels_and_fills_what_is_left() -> None:
    found = _transformed().numpy()
    np.testing.assert_allclose(found[:, 2:, :4], _IMAGES[:, :2, 1:], rtol=1e-6)
    assert (found[:, :2] == 9).all()
    assert (found[:, :, 4:] == 9).all()


@pytest.mark.parametrize(("mode", "pad"), [("REFLECT", "symmetric"), ("WRAP", "wrap"), ("NEAREST", "edge")])
def test_fill_modes_repeat_the_image(mode: str, pad: Any) -> None:
    found = _transformed(fill_mode=mode, output_shape=[8, 7])
    around = np.pad(_IMAGES, ((0, 0), (8, 8), (8, 8), (0, 0)), pad)
    np.testing.assert_allclose(found, around[:, 6:14, 9:16], rtol=1e-6)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"images": _IMAGES[0]}, "Input images must have rank 4"),
        ({"transforms": _SHIFT[0]}, "Input transform should be num_images x 8 or 1 x 8"),
        ({"transforms": _SHIFT[:, :7]}, "Input transform should be num_images x 8 or 1 x 8"),
        ({"transforms": np.repeat(_SHIFT, 3, 0)}, "Input transform should be num_images x 8 or 1 x 8"),
        ({"output_shape": [2]}, "output shape must have two elements[1]"),
        ({"output_shape": [0, 2]}, "output dimensions must be positive"),
        ({"fill_value": [1.0]}, "fill_value must be a scalar[1]"),
        ({"interpolation": "x"}, "Invalid interpolation x"),
        ({"fill_mode": "x"}, "Invalid mode x"),
    ],
)
def test_transforms_are_refused(changes: dict[str, Any], words: str) -> None:
    check_refusal(lambda: _transformed(**changes), tf.errors.InvalidArgumentError, words)


def test_a_gradient_is_transformed_back() -> None:
    x = tf.constant(_IMAGES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.ImageProjectiveTransformV3(
            images=x, transforms=_SHIFT, output_shape=[4, 5], fill_value=9.0, interpolation="NEAREST"
        )
    found = tape.gradient(y, x, output_gradients=x)
    np.testing.assert_array_equal(found[:, :2, 1:], _IMAGES[:, 2:, :4])
    assert not found[:, 2:].numpy().any()
