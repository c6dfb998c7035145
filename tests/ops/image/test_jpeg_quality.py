"""JPEG at a low quality."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.image.test_color_spaces import _pixels

pytest.importorskip("PIL", reason="JPEG needs Pillow")


def test_a_low_quality_changes_more() -> None:
    rows, columns = np.mgrid[:32, :32] / 32
    x = np.stack([rows, columns, (rows + columns) / 2], -1).astype(np.float32)
    errors = [np.abs(tf.image.adjust_jpeg_quality(x, q).numpy() - x).mean() for q in (95, 30, 1)]
    assert 0 < errors[0] < errors[1] < errors[2]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32", "float64"])
@pytest.mark.parametrize("channels", [1, 3])
def test_dtype_and_shape_are_kept(dtype: str, channels: int) -> None:
    x = tf.image.convert_image_dtype(tf.fill([8, 9, channels], 0.5), dtype)
    y = tf.image.adjust_jpeg_quality(x, 90)
    assert (y.dtype.name, y.shape) == (dtype, (8, 9, channels))
    np.testing.assert_allclose(tf.image.convert_image_dtype(y, tf.float32), 0.5, atol=0.02)


def test_the_quality_may_be_a_tensor_that_a_graph_knows_later() -> None:
    f = tf.function(tf.image.adjust_jpeg_quality, autograph=False)
    x = tf.constant(_pixels(8, 8, 3))
    assert np.array_equal(f(x, tf.constant(20)), tf.image.adjust_jpeg_quality(x, 20))


def test_the_random_quality_is_a_uniform_integer() -> None:
    x = tf.constant(_pixels(16, 16, 3))
    quality = tf.random.stateless_uniform([], (1, 2), 5, 80, tf.int32)
    found = tf.image.stateless_random_jpeg_quality(x, 5, 80, (1, 2))
    assert np.array_equal(found, tf.image.adjust_jpeg_quality(x, quality))
    assert tf.image.random_jpeg_quality(x, 5, 80).shape == x.shape


@pytest.mark.parametrize(
    ("qualities", "words"),
    [((-1, 5), "between 0 and 100"), ((5, 101), "between 0 and 100"), ((5, 5), "must be less than")],
)
def test_qualities_out_of_range_are_refused(qualities: tuple[int, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tf.image.random_jpeg_quality(tf.zeros([1, 1, 3]), *qualities)
    with pytest.raises(ValueError, match=words):
        tf.image.stateless_random_jpeg_quality(tf.zeros([1, 1, 3]), *qualities, seed=(1, 2))
