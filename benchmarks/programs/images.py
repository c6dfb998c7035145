"""Pictures before a network: brightness, contrast and a flip of a batch of 32 pictures of 224x224.

In floating point, in bytes (which are converted to floating point and back), and a change of hue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("image_augmentation", "brightness, contrast, flip of 32x224x224x3 float32", "ms"),
    Row("image_augmentation_bytes", "brightness, contrast, flip of 32x224x224x3 uint8", "ms"),
    Row("image_hue", "change of hue of 32x224x224x3 float32", "ms"),
)


def _pictures(np: Any) -> tuple[Any, Any]:
    floats = np.random.RandomState(0).rand(32, 224, 224, 3).astype("float32")
    return floats, (floats * 255).astype("uint8")


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    floats, integers = map(tf.constant, _pictures(np))

    def augment(pictures: Any) -> Any:
        return tf.reverse(tf.image.adjust_contrast(tf.image.adjust_brightness(pictures, 0.1), 1.5), [2])

    return {
        "image_augmentation": lambda: augment(floats),
        "image_augmentation_bytes": lambda: augment(integers),
        "image_hue": lambda: tf.image.adjust_hue(floats, 0.1),
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    floats, integers = map(torch.tensor, _pictures(np))

    def augment(pictures: Any) -> Any:
        brighter = pictures + 0.1
        means = brighter.mean((1, 2), keepdim=True)
        return torch.flip((brighter - means) * 1.5 + means, (2,))

    def augment_bytes(pictures: Any) -> Any:
        brighter = (((pictures.float() / 255) + 0.1) * 255.5).clamp(0, 255).to(torch.uint8).float() / 255
        means = brighter.mean((1, 2), keepdim=True)
        contrasted = (((brighter - means) * 1.5 + means) * 255.5).clamp(0, 255).to(torch.uint8)
        return torch.flip(contrasted, (2,))

    return {
        "image_augmentation": lambda: augment(floats),
        "image_augmentation_bytes": lambda: augment_bytes(integers),
    }
