"""Ops that give back their input, and placeholders.

The ops differ only in what the rest of the system may do with the result: stop a gradient, forbid a gradient, name a
value, check a shape, or mark the point where a caller's value enters a graph. The kernels return the array they were
given, which is safe because the buffer of a tensor never changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects, KnownValue, op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.shape_checks import dims_text, merge
from millrace._src.ops.batching_rules import as_it_is, each_as_it_is
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import ANY
from millrace._src.util import nest
from millrace._src.util.export import export


@op(
    "Identity",
    "input: T -> output: T",
    only_moves_values=True,
    T=ANY,
    shape=same_shape,
    returns_input=True,
    is_cheap=True,
    known_value=KnownValue.PARTS,
)
def identity_op(xp: Xp, input: Array) -> Array:
    """Returns the input."""
    return input


@identity_op.gradient(accepts_slices=True)
def identity_gradient(dy: Tensor) -> Tensor:
    """Passes the gradient on unchanged."""
    return dy


@export("identity")
def identity(input: TensorLike, name: str | None = None) -> Any:
    """Returns a tensor with the same shape, dtype and contents as `input`.

    >>> tf.identity(tf.constant([1, 2])).numpy()
    array([1, 2], dtype=int32)

    Of a `tf.Variable`, `identity` takes the value of this moment: a later assignment does not show in the result.

    Args:
      input: a Tensor, a value that converts to one, or a composite such as a SparseTensor.
      name: name of the operation.

    Returns: A Tensor, or a composite of the kind of `input`.
    """
    if nest.is_composite(input):
        return nest.map_structure(lambda x: identity_op(x, name=name), input, expand_composites=True)
    return identity_op(input, name=name)


@op(
    "IdentityN",
    "input: T -> output: T",
    T=TypeList(ANY, minimum=1),
    shape=lambda c: [t.shape for t in c.inputs],
    handles=lambda c: [t.handle_type for t in c.inputs],
    batching=each_as_it_is,
    exact_on_rows=True,
)
def identity_n_op(xp: Xp, input: list[Array]) -> list[Array]:
    """Returns the inputs."""
    return list(input)


@identity_n_op.gradient(accepts_slices=True)
def identity_n_gradient(dys: list[Tensor]) -> tuple[list[Tensor]]:
    """Passes each gradient on unchanged."""
    return (list(dys),)


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> Any:
    """Returns a list of tensors with the shapes and contents of the tensors in `input`.

    One operation holds all tensors, so that one gradient function can be given for the group.

    >>> [int(t) for t in tf.identity_n([1, 2])]
    [1, 2]

    Args:
      input: a list of at least one tensor, of any dtypes.
      name: name of the operation.

    Returns: A list of Tensors.
    """
    return identity_n_op(list(input), name=name)


@op(
    "Snapshot",
    "input: T -> output: T",
    T=ANY,
    shape=same_shape,
    no_gradient="TensorFlow declares none; tf.identity has one",
)
def snapshot(xp: Xp, input: Array) -> Array:
    """Returns the input."""
    return input


@op(
    "DeepCopy",
    "x: T -> y: T",
    T=ANY,
    shape=same_shape,
    effects=Effects.RANDOM,
    no_gradient="TensorFlow declares none; tf.identity has one",
    batching=as_it_is,
    exact_on_rows=True,
)
def deep_copy(xp: Xp, x: Array) -> Array:
    """Returns a copy of `x` with a buffer of its own."""
    return xp.array(x)


@op(
    "StopGradient",
    "input: T -> output: T",
    T=ANY,
    shape=same_shape,
    returns_input=True,
    is_cheap=True,
    not_differentiable="it is what the op is for",
    known_value=KnownValue.PARTS,
)
def stop_gradient_op(xp: Xp, input: Array) -> Array:
    """Returns the input."""
    return input


@export("stop_gradient")
def stop_gradient(input: TensorLike, name: str | None = None) -> Any:
    """Returns `input` and lets no gradient flow back.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    3.0

    Args:
      input: A Tensor of any dtype, a value that converts to one, or a composite such as `tf.IndexedSlices`.
      name: name of the operation.

    Returns: A Tensor with the contents of `input`, or a composite of the kind of `input`.
    """
    if nest.is_composite(input):
        return nest.map_structure(lambda x: stop_gradient_op(x, name=name), input, expand_composites=True)
    return stop_gradient_op(input, name=name)


@op("PreventGradient", "input: T -> output: T", T=ANY, shape=same_shape)
def prevent_gradient(xp: Xp, input: Array, *, message: str = "") -> Array:
    """Returns `input` and refuses gradients: asking for a gradient is an error that shows `message`."""
    return input


@prevent_gradient.gradient
def prevent_gradient_gradient(dy: Tensor, message: str) -> Tensor:
    """Raises LookupError, always."""
    raise LookupError(f"Gradient explicitly disabled. Reason: {message}")


@export("guarantee_const")
@op(
    "GuaranteeConst",
    "input: T -> output: T",
    T=ANY,
    shape=same_shape,
    no_gradient="the input was promised to be a constant",
)
def guarantee_const(xp: Xp, input: Array) -> Array:
    """Promises that `input` never changes, which lets the graph optimizer treat it as a constant.

    >>> int(tf.guarantee_const(5))
    5

    Args: input: A Tensor of any dtype.
    Returns: `input`.
    """
    return input


@op(
    "XlaOptimizationBarrier",
    "input: T -> output: T",
    T=TypeList(ANY),
    shape=lambda c: [t.shape for t in c.inputs],
    batching=each_as_it_is,
)
def optimization_barrier(xp: Xp, input: list[Array]) -> list[Array]:
    """Returns the inputs once all of them are computed; readers of the outputs never merge with readers of the inputs.

    So a computation can be repeated on purpose: `tf.recompute_grad` repeats a forward pass behind the barrier.
    """
    return list(input)


@optimization_barrier.kernel_for("xla")
def optimization_barrier_xla(xp: Any, input: list[Array]) -> list[Array]:
    """Applies XLA's own barrier, and a choice that hides from XLA that outputs equal inputs.

    The compiler for CPUs drops barriers before the last merge of equal computations. What is known while
    compiling (shapes, axes) stays known; lists and handles pass.
    """
    traced = [i for i, x in enumerate(input) if not isinstance(x, np.ndarray) and hasattr(x, "astype")]
    held_values = xp.lax.optimization_barrier([input[i] for i in traced])
    first = [x.reshape(-1)[0] == 0 for x in held_values if x.size]
    always = sum((x.astype(np.int32) for x in first), np.int32(0)) >= 0
    outputs = list(input)
    for index, value in zip(traced, held_values, strict=True):
        outputs[index] = xp.where(always, value, xp.zeros_like(value)) if first else value
    return outputs


@optimization_barrier.gradient(accepts_slices=True)
def optimization_barrier_gradient(dys: list[Tensor]) -> tuple[list[Tensor]]:
    """Passes each gradient on unchanged."""
    return (list(dys),)


@op("DebugGradientIdentity", "input: T -> output: T", T=ANY, shape=same_shape)
def debug_gradient_identity(xp: Xp, input: Array) -> Array:
    """Returns the input; a debugger may watch the gradient that comes back."""
    return input


@debug_gradient_identity.gradient(accepts_slices=True)
def debug_gradient_identity_gradient(dy: Tensor) -> Tensor:
    """Passes the gradient on unchanged."""
    return dy


def _ensured_shape(c: ShapeContext) -> TensorShape:
    return merge(c.attr("shape"), c.shape("input"))


@op("EnsureShape", "input: T -> output: T", T=ANY, shape=_ensured_shape, batching=shape_batches.of_a_shape)
def ensure_shape_op(xp: Xp, input: Array, *, shape: TensorShape) -> Array:
    """Returns `input` if its shape is compatible with `shape`, else fails."""
    if not shape.is_compatible_with(TensorShape.of(input.shape)):
        raise invalid(
            f"Shape of tensor input {dims_text(input.shape)} is not compatible with expected shape {dims_text(shape)}."
        )
    return input


@ensure_shape_op.gradient(accepts_slices=True)
def ensure_shape_gradient(dy: Tensor) -> Tensor:
    """Passes the gradient on unchanged."""
    return dy


@export("ensure_shape")
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Returns `x` and checks its shape at run time; while tracing, the shape is known from then on.

    >>> @tf.function(input_signature=[tf.TensorSpec(None)])
    ... def f(x):
    ...     return tf.ensure_shape(x, [None, 2])
    >>> f(tf.zeros([3, 2])).shape
    TensorShape([3, 2])

    Args:
      x: A Tensor.
      shape: A TensorShape, or what makes one; None is an unknown dimension.
      name: name of the operation.

    Returns: A Tensor with the contents of `x`; the static shape merges the shape of `x` with `shape`.
    Raises:
      ValueError: while tracing, if the static shapes cannot agree.
      tf.errors.InvalidArgumentError: when computed, if the shape does not fit.
    """
    return ensure_shape_op(x, shape=as_shape(shape), name=name)


def _declared_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    return shape


@op(
    "Placeholder",
    " -> output: dtype",
    dtype=ANY,
    shape=_declared_shape,
    effects=Effects.RANDOM,
    is_placeholder=True,
    not_differentiable="it has no inputs",
    not_batched="it has no operands that could differ",
)
def placeholder_op(xp: Xp, *, dtype: DType, shape: TensorShape = TensorShape(None)) -> Array:  # noqa: B008  (immutable)
    """Stands for a value that the caller of the graph must supply."""
    raise invalid(f"You must feed a value for placeholder tensor with dtype {dtype.name} and shape {dims_text(shape)}")


def placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> Any:
    """Inserts a placeholder that a v1 session must be fed.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.placeholder(tf.float32, [2], name="x"))
    Tensor("x:0", shape=(2,), dtype=float32)

    Args:
      dtype: the dtype of the values.
      shape: the shape of the values; None means any.
      name: name of the operation.

    Returns: A symbolic Tensor.
    Raises: RuntimeError: in eager mode.
    """
    if executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    return placeholder_op(dtype=dtype, shape=as_shape(shape), name=name)


def _default_shape(c: ShapeContext) -> TensorShape:
    merge(c.shape("input"), c.attr("shape"))
    return _declared_shape(c)


@op(
    "PlaceholderWithDefault",
    "input: dtype -> output: dtype",
    dtype=ANY,
    shape=_default_shape,
    batching=shape_batches.of_a_shape,
)
def placeholder_with_default_op(xp: Xp, input: Array, *, shape: TensorShape) -> Array:
    """Returns `input` unless the caller that runs the graph supplies another value."""
    return input


@placeholder_with_default_op.gradient(accepts_slices=True)
def placeholder_with_default_gradient(dy: Tensor) -> Tensor:
    """Passes the gradient on to the default."""
    return dy


def placeholder_with_default(input: object, shape: ShapeLike, name: str | None = None) -> Any:
    """Makes a placeholder that gives `input` when no value is fed.

    >>> int(tf.compat.v1.placeholder_with_default(3, []))
    3

    Args:
      input: the default value.
      shape: the shape that fed values may have, perhaps partly unknown.
      name: name of the operation.

    Returns: A Tensor.
    Raises: ValueError: if the default does not have such a shape.
    """
    return placeholder_with_default_op(input, shape=as_shape(shape), name=name)
