"""What the methods of `tf.GradientTape` take: targets, sources and weights as tensors and tape numbers.

Tests: tests/autodiff/test_gradient_tape.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autodiff.backprop import UnconnectedGradients
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.core import errors
from millrace._src.core.composite_gradients import consists_of_parts, gradient_parts
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor, tape_id
from millrace._src.util import nest
from millrace._src.util.logger import VERBOSE, get_logger


def differentiated_parts(structure: object) -> list[Any]:
    """Returns the tensors of a nest that are differentiated; of a composite, those that have gradients."""
    return gradient_parts(nest.flatten(structure))


def watched_parts(structure: object) -> list[Any]:
    """Returns the tensors of a nest to follow; of a composite, all that can have gradients."""
    return [
        part
        for leaf in nest.flatten(structure)
        for part in (
            [leaf]
            if not consists_of_parts[type(leaf)]
            else [t for t in nest.flatten(leaf, expand_composites=True) if is_trainable(t.dtype)]
        )
    ]


def as_unconnected_mode(value: object) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def check_weight(weight: Any) -> Any:
    """Returns a weight; refuses None as everywhere where a tensor is wanted."""
    return convert_to_tensor(weight) if weight is None else weight


def weight_tensor(weight: Any, target: Any) -> Any:
    """Returns a weight as a tensor.

    Raises: InvalidArgumentError: if the weight does not broadcast to the target's shape.
    """
    weight = weight if isinstance(weight, Tensor) else convert_to_tensor(weight, dtype=target.dtype)
    is_known = weight.shape.is_fully_defined() and target.shape.is_fully_defined() and not target.dtype.is_resource
    if is_known and not _broadcasts_to(weight.shape.as_list(), target.shape.as_list()):
        raise errors.InvalidArgumentError(
            None,
            None,
            "GradientTape.gradient: output_gradients must have the shape of the target; received shape "
            f"{weight.shape}, "
            f"expected {target.shape}.",
        )
    return weight


def _broadcasts_to(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    lead = len(wanted) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, wanted[lead:], strict=True))


def target_tensor(target: Any) -> Any:
    """Returns a target as a tensor; reads a variable (whose value has the handle's gradient)."""
    if target is None or isinstance(target, str):
        as_dtype(target)
    if isinstance(target, IndexedSlices):
        return target.values  # the sum of all elements of the dense form is the sum of the values
    if is_variable(target):
        return target.handle
    return (
        target
        if isinstance(target, Tensor) or not hasattr(type(target), "__tf_tensor__")
        else convert_to_tensor(target)
    )


def is_differentiable_target(target: Any) -> bool:
    if not is_trainable(target.dtype):
        get_logger().log(
            VERBOSE,
            "The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
            "GradientTape.gradient, got %r",
            target.dtype,
        )
        return False
    return True


def is_own_source(target: Any, sources: Sequence[int]) -> bool:
    """Returns whether an integer target is itself among the sources: only then the target has a derivative, 1."""
    return target.dtype.name != "string" and tape_id(target) in sources


def source_number(source: Any) -> int:
    """Returns the tape number of a source: of the handle for a variable."""
    if is_variable(source):
        return tape_id(source.handle)
    if source is None or isinstance(source, str):
        as_dtype(source)
    if not is_trainable(source.dtype):
        get_logger().log(
            VERBOSE,
            "The dtype of the source tensor must be floating (e.g. tf.float32) when calling "
            "GradientTape.gradient, got %r",
            source.dtype,
        )
    return tape_id(source)


def shape_of(thing: Any) -> TensorShape:
    """Returns the shape of a target or source.

    Raises: AttributeError: if it is not one Tensor or Variable, in the words of Python.
    """
    shape: TensorShape = thing.shape
    return shape


def jacobian_target(target: Any) -> Any:
    """Returns the one target of a Jacobian as a tensor."""
    shape_of(target)
    return convert_to_tensor(target)
