"""Parameters of distributions: as tensors, checked, with their common shape.

Tests: tests/compat_v1/distributions/test_distributions.py
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.compat_v1.debugging.assertions import assert_less, assert_positive
from millrace._src.core import dtypes as d
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import broadcast_static_shape
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.broadcasting import broadcast_dynamic_shape
from millrace._src.ops.array.filling import fill
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.nn.softmax import softmax

LOG_2 = math.log(2.0)
LOG_2_PI = math.log(2.0 * math.pi)
SQRT_2 = math.sqrt(2.0)


def common(*values: Any) -> list[Any]:
    """Returns parameters as tensors of one floating dtype."""
    dtype = next((value.dtype for value in map(_with_dtype, values) if value is not None), None)
    return [convert_to_tensor(value, dtype=dtype, dtype_hint=d.float32) for value in values]


def _with_dtype(value: Any) -> Any:
    """Returns a parameter that has a dtype of its own, as a tensor."""
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic)) or d_of(value) else None


def d_of(value: object) -> bool:
    """Returns whether a value knows its dtype."""
    return isinstance(getattr(value, "dtype", None), d.DType)


def positive(value: Any, is_checked: bool) -> Any:
    """Returns a parameter that must be positive."""
    return value if not is_checked else after(value, assert_positive(value))


def after(value: object, *checks: object) -> Any:
    """Returns a value that is there only when checks have passed."""
    with control_dependencies(list(checks)):
        return raw.Identity(input=value)


def static_shape(*values: Any) -> Any:
    """Returns the static shape that tensors broadcast to."""
    shape = values[0].shape
    for value in values[1:]:
        shape = broadcast_static_shape(shape, value.shape)
    return shape


def dynamic_shape(*values: Any) -> Any:
    """Returns the shape that tensors broadcast to, as a tensor."""
    shape = shape_of(values[0])
    for value in values[1:]:
        shape = broadcast_dynamic_shape(shape, shape_of(value))
    return shape


def rows(n: object, *values: object) -> Any:
    """Returns the shape of `n` samples of scalars for parameters that broadcast."""
    return raw.ConcatV2(values=[raw.Pack(values=[n]), dynamic_shape(*values)], axis=0)


def full_of(shape: Any, value: float, dtype: Any) -> Any:
    """Returns a tensor of one number."""
    return fill(shape, convert_to_tensor(value, dtype=dtype))


def nan_unless(condition: Any, value: Any, is_allowed: bool, least: Any, parameter: Any, message: str) -> Any:
    """Returns a statistic where it is defined, and NaN elsewhere, or a statistic that checks its parameter.

    Args:
      condition: Where the statistic is defined.
      value: The statistic.
      is_allowed: Whether NaN is allowed.
      least: What the parameter must be above of.
      parameter: The parameter.
      message: The message of the check.
    """
    if is_allowed:
        return where(condition, value, full_of(shape_of(value), math.nan, value.dtype))
    return after(value, assert_less(convert_to_tensor(least, dtype=parameter.dtype), parameter, message=message))


def log_beta(a: Any, b: Any) -> Any:
    """Returns the logarithm of the beta function."""
    return raw.Lgamma(x=a) + raw.Lgamma(x=b) - raw.Lgamma(x=a + b)


def logits_and_probabilities(logits: Any, probs: Any, of_classes: bool = False) -> tuple[Any, Any]:
    """Returns both, given one of the two.

    Raises: ValueError: if both or none are given.
    """
    if (probs is None) == (logits is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
        logits = convert_to_tensor(logits, name="logits", dtype_hint=d.float32)
        return logits, softmax(logits) if of_classes else raw.Sigmoid(x=logits)
    probs = convert_to_tensor(probs, name="probs", dtype_hint=d.float32)
    return raw.Log(x=probs) if of_classes else raw.Log(x=probs) - raw.Log1p(x=-probs), probs
