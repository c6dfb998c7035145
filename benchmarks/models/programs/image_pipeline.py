"""Images on their way to a net: a `tf.data` pipeline that flips, crops and recolours them at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf


def augmentation(images: int = 512, size: int = 96, batch: int = 32) -> Callable[[], Any]:
    """A step is one pass over the images."""
    pixels = np.random.default_rng(0).integers(0, 256, (images, size, size, 3)).astype("uint8")

    def augment(image: Any) -> Any:
        image = tf.image.convert_image_dtype(image, tf.float32)
        image = tf.image.random_flip_left_right(image)
        image = tf.image.resize_with_crop_or_pad(image, size + 8, size + 8)
        image = tf.image.random_crop(image, [size, size, 3])
        image = tf.image.random_brightness(image, 0.2)
        return tf.clip_by_value(tf.image.random_contrast(image, 0.8, 1.2), 0.0, 1.0)

    dataset = tf.data.Dataset.from_tensor_slices(pixels).map(augment, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.batch(batch).prefetch(tf.data.AUTOTUNE)

    def step() -> Any:
        last = None
        for part in dataset:
            last = part
        return last

    return step
