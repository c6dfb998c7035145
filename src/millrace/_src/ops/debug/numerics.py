"""Assertions that numbers are numbers: `check_numerics`, `assert_all_finite`.

The ops return the tensor and fail at the first NaN or infinity, in the result and in the gradient. XLA cannot stop a
program: compiled functions return the tensor unchecked, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Effects, op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import as_it_is
from millrace._src.ops.grouping import with_dependencies
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import FLOAT, TypeSet
from millrace._src.util.export import export

_CHECKED = TypeSet(tuple(FLOAT))


def _fail(message: str, kinds: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"{message} : Tensor had {kinds} values")


@export("debugging.check_numerics", v1=["check_numerics", "debugging.check_numerics"], elementwise="unary")
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Any:
    """Returns `tensor`; fails if `tensor` holds NaN or infinity.

    >>> tf.debugging.check_numerics([1.0, 2.0], message="weights").numpy()
    array([1., 2.], dtype=float32)

    Args:
      tensor: a floating point Tensor.
      message: the beginning of the error's text.
      name: name of the operation in a graph.

    Returns: `tensor`.
    Raises: tf.errors.InvalidArgumentError: if an element is NaN or infinite.
    """
    return check_numerics_op(tensor, message=message, name=name)


@op(
    "CheckNumerics",
    "tensor: T -> output: T",
    T=_CHECKED,
    shape=same_shape,
    effects=Effects.IO,
    batching=as_it_is,
    exact_on_rows=True,
    refuses=("tensor",),
)
def check_numerics_op(xp: Xp, tensor: Array, *, message: str) -> Array:
    """Returns `tensor`; fails if `tensor` holds NaN or infinity."""
    if not np.isfinite(tensor).all():
        kinds = [
            k for k, is_present in (("Inf", np.isinf(tensor).any()), ("NaN", np.isnan(tensor).any())) if is_present
        ]
        raise _fail(message, " and ".join(kinds))
    return tensor


@check_numerics_op.kernel_for("xla")
def check_nothing(xp: Xp, tensor: Array, *, message: str) -> Array:
    """Returns `tensor`: XLA cannot stop a program, so, as in TensorFlow, a compiled function checks no numbers."""
    return tensor


@check_numerics_op.gradient
def check_numerics_gradient(doutput: Tensor, message: str) -> Tensor:
    text = f"Not a number (NaN) or infinity (Inf) values detected in gradient. b{message!r}"
    checked_gradient: Tensor = raw.CheckNumerics(tensor=doutput, message=text)
    return checked_gradient


@op(
    "CheckNumericsV2",
    "tensor: T -> output: T",
    T=_CHECKED,
    shape=same_shape,
    effects=Effects.IO,
    batching=as_it_is,
    exact_on_rows=True,
    refuses=("tensor",),
)
def check_numerics_v2(xp: Xp, tensor: Array, *, message: str) -> Array:
    """Returns `tensor`; fails if `tensor` holds NaN or infinity; the error says the sign of infinities."""
    if not np.isfinite(tensor).all():
        presence = [
            ("-Inf", (tensor == -np.inf).any()),
            ("+Inf", (tensor == np.inf).any()),
            ("NaN", np.isnan(tensor).any()),
        ]
        kinds = [kind for kind, is_present in presence if is_present]
        joined_kinds = " and ".join(kinds) if len(kinds) < 3 else "-Inf, +Inf, and NaN"
        raise _fail(message, joined_kinds)
    return tensor


check_numerics_v2.kernel_for("xla")(check_nothing)


@check_numerics_v2.gradient
def check_numerics_v2_gradient(doutput: Tensor, message: str) -> Tensor:
    text = f"Not a number (NaN) or infinity (Inf) values detected in gradient. b{message!r}"
    checked_gradient: Tensor = raw.CheckNumericsV2(tensor=doutput, message=text)
    return checked_gradient


@export("debugging.assert_all_finite", v1=[])
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Any:
    """Returns `x`; fails if `x` holds NaN or infinity.

    >>> tf.debugging.assert_all_finite([1.0, 2.0], message="weights").numpy()
    array([1., 2.], dtype=float32)

    Args:
      x: a floating point Tensor.
      message: the beginning of the error's text.
      name: name of the scope in a graph.

    Returns: `x`.
    Raises: tf.errors.InvalidArgumentError: if an element is NaN or infinite.
    """
    with name_scope(name, "VerifyFinite"):
        x = convert_to_tensor(x, name="x")
        checked_x = raw.CheckNumerics(tensor=x, message=message)
        return with_dependencies([checked_x], x)
