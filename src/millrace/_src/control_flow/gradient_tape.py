"""`tf.GradientTape`: the tape of `autodiff`, with Jacobians, which are computed by loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autodiff.backprop import UnconnectedGradients
from millrace._src.autodiff.gradient_tape import GradientTapeBase, source_number, target_tensor, unconnected_mode
from millrace._src.autodiff.jacobian_programs import compiled_rows
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor
from millrace._src.util import nest
from millrace._src.util.export import export


@export("GradientTape", "autodiff.GradientTape")
class GradientTape(GradientTapeBase):
    """Records operations for automatic differentiation.

    Trainable variables that are read in the scope are watched by themselves; tensors with `watch`.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

    Args:
      persistent: whether `gradient` may be called more than once.
      watch_accessed_variables: whether trainable variables are watched when they are read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(persistent, watch_accessed_variables)

    def jacobian(
        self,
        target: object,
        sources: TensorLike,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Differentiates every element of `target` with respect to `sources`.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]

        Args:
          target: a Tensor of any shape.
          sources: a Tensor, a Variable, or a nested structure of them.
          unconnected_gradients: what represents the Jacobian of a source the target does not depend on.
          parallel_iterations: how many rows a loop may compute at once.
          experimental_use_pfor: whether to compute all rows at once instead of one after the other in a loop. That
            needs memory for all of them.

        Returns: Tensors of shape `target.shape + source.shape`, or None, in the structure of `sources`.
        Raises:
          RuntimeError: if called on a tape that has been used and is not persistent; eagerly with
            `experimental_use_pfor=False`, also on one that is not persistent.
          ValueError: if the rows cannot be computed all at once.
        """
        from millrace._src.control_flow.jacobian import jacobian_rows  # loops take long to import; few tapes need them

        self._check_unused()
        self._check_may_loop("jacobian", experimental_use_pfor)
        wanted, flat = _tensor_target(target), nest.flatten(sources, expand_composites=False)
        self._start_use()
        is_plain = unconnected_gradients is UnconnectedGradients.NONE and parallel_iterations is None
        found = jacobian_rows(
            wanted,
            lambda seed: self._compute([target_tensor(target)], flat, [seed], unconnected_mode(unconnected_gradients)),
            (lambda: self._rows_by_program(target, flat)) if is_plain and experimental_use_pfor else None,
            vectorize=experimental_use_pfor,
            parallel_iterations=parallel_iterations,
        )
        self._end_use()
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self,
        target: object,
        source: TensorLike,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Differentiates each entry of a batch of targets with respect to its own entry of `source`.

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().tolist()
        [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]

        Args:
          target: a Tensor of shape `[batch, ...]` whose entries depend each on the same entry of `source` alone.
          source: a Tensor or Variable of shape `[batch, ...]`.
          unconnected_gradients: accepted as by `jacobian`; a target that does not depend on the source gives zeros
            either way, as in TensorFlow.
          parallel_iterations: as for `jacobian`.
          experimental_use_pfor: as for `jacobian`.

        Returns: A Tensor of shape `[batch] + target.shape[1:] + source.shape[1:]`.
        Raises:
          RuntimeError: as `jacobian`.
          ValueError: if the shapes are not those of a batch, or the rows cannot be computed all at once.
        """
        from millrace._src.control_flow.jacobian import batch_jacobian_rows, check_batches  # see `jacobian`

        self._check_unused()
        wanted = _tensor_target(target)
        check_batches(wanted.shape, _shape_of(source))
        self._check_may_loop("batch_jacobian", experimental_use_pfor)
        self._start_use()

        def backward(seed: object) -> list[Any]:
            mode = unconnected_mode(unconnected_gradients)
            return self._compute([target_tensor(target)], [source], [seed], mode)

        found = batch_jacobian_rows(
            wanted,
            source,
            backward,
            vectorize=experimental_use_pfor,
            parallel_iterations=parallel_iterations,
        )
        self._end_use()
        return found

    def _rows_by_program(self, target: object, sources: Sequence[Any]) -> Any:
        """Returns the gradients of each element of an eager target, or None if there is no program for such a tape."""
        assert self._tape is not None
        if type(target) is not EagerTensor or not (target.dtype.is_floating or target.dtype.is_complex):
            return None
        return compiled_rows(self._tape.entries, target, [source_number(s) for s in sources])

    def _check_may_loop(self, what: str, vectorize: bool) -> None:
        """Refuses rows that are computed one after the other, eagerly, on a tape that may be used once."""
        if not vectorize and executing_eagerly() and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with eager execution "
                "enabled and with experimental_use_pfor set to False."
            )


def _shape_of(thing: Any) -> TensorShape:
    """Returns the shape of a target or source.

    Raises: AttributeError: if it is not one Tensor or Variable, in the words of Python.
    """
    shape: TensorShape = thing.shape
    return shape


def _tensor_target(target: Any) -> Any:
    """Returns the one target of a Jacobian as a tensor."""
    _shape_of(target)
    return convert_to_tensor(target)
