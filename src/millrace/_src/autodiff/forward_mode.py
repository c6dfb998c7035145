"""`tf.autodiff.ForwardAccumulator`: derivatives computed along with the values.

A tape goes backwards and gives the derivatives of one number by many; an accumulator goes forwards and gives the
derivatives of many numbers along one direction, the *tangent* of the inputs, for about twice the work and no memory of
the steps. A tape inside of an accumulator gives products with second derivatives for the price of a few gradients.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from millrace._src.autodiff import tape as tapes
from millrace._src.autodiff.accumulator import TangentAccumulator
from millrace._src.autodiff.backprop import UnconnectedGradients
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite_gradients import gradient_parts, gradients_of_leaves
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Computes Jacobian-vector products ("JVPs") with forward-mode automatic differentiation.

    Every value that is computed in the accumulator's scope and depends on `primals` gets a tangent: the derivative of
    the value when the primals move in the direction of `tangents`.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant([1.0, 0.0])) as acc:
    ...     y = tf.reduce_prod(x)
    >>> acc.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>

    An accumulator around a `tf.GradientTape` gives the product of a Hessian and a vector, for about two gradients:

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x ** 3)
    ...     gradient = tape.gradient(y, x)
    >>> acc.jvp(gradient).numpy().tolist()
    [12.0, 0.0]

    Accumulators may be nested to any depth: an outer accumulator sees the tangents that an inner accumulator computes,
    not conversely. Accumulators work in a `tf.function`, around the call of a `tf.function` (also with
    `jit_compile=True`), and through `tf.cond`, `tf.while_loop` and what is made of these two.

    Args:
      primals: a Tensor, a Variable, or a nested structure of them.
      tangents: the directions, in the same structure, each of the shape and dtype of its primal.

    Raises:
      ValueError: if the structures differ, a primal occurs twice, or a tangent has another shape or dtype.
      TypeError: if the structures have different types.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._accumulator = TangentAccumulator()
        self._recording = False
        seen_numbers: set[int] = set()
        for primal in nest.flatten(primals):
            if id(primal) in seen_numbers:
                raise ValueError(
                    f"Tensor {primal} was specified as a primal multiple times. This may indicate an error. If it was "
                    "intended, please sum the corresponding tangents."
                )
            seen_numbers.add(id(primal))
        self._watch(primals, tangents)

    def __enter__(self) -> ForwardAccumulator:
        self._push_accumulator()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._recording:
            self._pop_accumulator()

    def _push_accumulator(self) -> None:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        tapes.push(self._accumulator)
        self._recording = True

    def _pop_accumulator(self) -> None:
        if not self._recording:
            raise ValueError("Accumulator is not recording.")
        tapes.pop(self._accumulator)
        self._recording = False

    def _watch(self, primals: TensorLike, tangents: TensorLike) -> None:
        """Gives primals their tangents.

        Args:
          primals: a Tensor, a Variable, or a nested structure of them.
          tangents: the directions, in the same structure.

        Raises: ValueError or TypeError: as the constructor.
        """
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            for part, direction in zip(gradient_parts([primal]), gradient_parts([tangent]), strict=True):
                self._watch_one(part, direction)

    def _watch_one(self, primal: Any, tangent: Any) -> None:
        if not primal.dtype.is_floating:
            get_logger().warning(
                "The dtype of the watched primal must be floating (e.g. tf.float32), got %r", primal.dtype
            )
        tangent = convert_to_tensor(tangent, dtype=primal.dtype)
        handle = _handle(primal)
        tensor = convert_to_tensor(primal) if handle is None else handle
        shape = primal.shape
        if not tangent.shape.is_compatible_with(shape):
            raise ValueError(
                f"ForwardAccumulator: a tangent must have the shape of its primal; received a tangent of shape "
                f"{tangent.shape} for a primal of shape {shape}."
            )
        self._accumulator.set_tangent(tensor, tangent)

    def jvp(self, primals: object, unconnected_gradients: object = UnconnectedGradients.NONE) -> Any:
        """Returns the tangents of what was computed in the scope.

        Args:
          primals: a Tensor, a Variable, or a nested structure of them.
          unconnected_gradients: the tangent of a value that does not depend on the watched primals:
            nothing (None), or zeros.

        Returns: The tangents in the structure of `primals`, each of the shape and dtype of its primal.
        Raises: ValueError: if `unconnected_gradients` is unknown.
        """
        mode = UnconnectedGradients(unconnected_gradients)

        def fetch(primal: Any) -> Any:
            tangent = self._tangent_of(primal)
            if tangent is None and mode is UnconnectedGradients.ZERO:
                return raw.ZerosLike(x=convert_to_tensor(primal))
            return tangent

        leaves = nest.flatten(primals)
        found_tangents = [fetch(part) for part in gradient_parts(leaves)]
        return nest.pack_sequence_as(primals, gradients_of_leaves(leaves, found_tangents))

    def _tangent_of(self, primal: TensorLike) -> Any:
        if isinstance(primal, IndexedSlices):
            values = self._accumulator.tangent_or_zeros(primal.values)
            return None if values is None else IndexedSlices(values, primal.indices, primal.dense_shape)
        handle = _handle(primal)
        if handle is None and not isinstance(primal, Tensor):
            raise AttributeError(f"{type(primal).__name__!r} object has no attribute '_id': it is not a Tensor")
        return self._accumulator.tangent_or_zeros(primal if handle is None else handle)


def _handle(primal: object) -> Any:
    """Returns the handle of a variable; None for anything else."""
    return primal.handle if is_variable(primal) else None
