"""Pictures in other dtypes: `tf.image.convert_image_dtype`.

A dtype says what white is: 1.0 in floating point, the largest number of an integer dtype. Converting between dtypes
is therefore scaling. Between integers the factor is a power of two, so that no digit of the smaller dtype is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, float16, float32
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast, saturate_cast
from millrace._src.util.export import export

ADJUSTABLE = (float16, float32)
"""The dtypes in which pictures are adjusted; a picture of another dtype is converted to float32 and back."""


@export("image.convert_image_dtype", elementwise="unary")
def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Any:
    """Converts a picture to another dtype, scaled so that white stays white.

    In floating point a picture has values in [0, 1), in an integer dtype values up to the dtype's largest number.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, of any shape.
      dtype: The dtype to convert to: floating point or integer.
      saturate: Whether values out of the range of `dtype` become its smallest or largest number before the cast;
        else such values wrap around, as by `tf.cast`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `image` and dtype `dtype`. Floating point to integers rounds down.
    Raises: AttributeError: if one of the dtypes is neither floating point nor integer.
    """
    image = convert_to_tensor(image, name="image")
    target = as_dtype(dtype).base_dtype
    if not target.is_floating and not target.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if target == image.dtype:
        return raw.Identity(input=image, name=name)
    with name_scope(name, "convert_image") as scope:
        return _conversion(image.dtype, target)(image, target, saturate_cast if saturate else cast, scope)


def _conversion(source: DType, target: DType) -> Callable[..., Any]:
    if source.is_integer:
        return _from_integers if target.is_integer else _integers_to_floats
    return _floats_to_integers if target.is_integer else _convert_floats


def _from_integers(image: Tensor, target: DType, cast_values: Any, scope: str) -> Any:
    source_max, target_max = int(image.dtype.max), int(target.max)
    if source_max > target_max:
        return cast_values(image // ((source_max + 1) // (target_max + 1)), target, name=scope)
    return _times(cast_values(image, target), (target_max + 1) // (source_max + 1), scope)


def _integers_to_floats(image: Tensor, target: DType, cast_values: object, scope: str) -> Any:
    return _times(cast(image, target), 1.0 / int(image.dtype.max), scope)


def _floats_to_integers(image: Tensor, target: DType, cast_values: Any, scope: str) -> Any:
    # 255.5: each of the 256 numbers covers an interval of about the same size
    factor = convert_to_tensor(int(target.max) + 0.5, dtype=image.dtype, name="Mul/y")
    return cast_values(raw.Mul(x=image, y=factor), target, name=scope)


def _convert_floats(image: Tensor, target: DType, cast_values: object, scope: str) -> Any:
    return cast(image, target, name=scope)


def _times(image: Any, factor: float, scope: str) -> Any:
    return raw.Mul(x=image, y=convert_to_tensor(factor, dtype=image.dtype, name="y"), name=scope)


def adjust_image(image: Any, adjust: Callable[[Any], Any], *, saturate: bool = False) -> Any:
    """Computes `adjust(image)` in floating point, and converts the result to the dtype of `image`.

    Args:
      image: A `Tensor`.
      adjust: A function of a float16 or float32 `Tensor`.
      saturate: Whether values that do not fit the dtype of `image` become its smallest or largest number.
    """
    dtype = image.dtype
    floating_image = image if dtype in ADJUSTABLE else convert_image_dtype(image, float32)
    return convert_image_dtype(adjust(floating_image), dtype, saturate=saturate)
