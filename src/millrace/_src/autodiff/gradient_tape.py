"""`tf.GradientTape`: records the ops of a scope and differentiates by them.

The class says what is watched and how often the tape may be used. A `Tape` (`tape.py`) holds the recorded entries,
`backprop.py` sweeps over them, `jacobian.py` makes the rows of Jacobians, and `tape_arguments.py` turns targets,
sources and weights into tensors.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from operator import is_
from types import TracebackType
from typing import Any, Self

from millrace._src.autodiff import tape as tapes
from millrace._src.autodiff.backprop import UnconnectedGradients, fill_unconnected, sweep
from millrace._src.autodiff.jacobian import batch_jacobian_rows, check_batches, jacobian_rows
from millrace._src.autodiff.jacobian_programs import compute_rows
from millrace._src.autodiff.op_recording import PackedEntry, is_trainable
from millrace._src.autodiff.sweep_programs import OnesSeed, materialize, run_compiled_sweep
from millrace._src.autodiff.tape import Tape, TapeEntry
from millrace._src.autodiff.tape_arguments import (
    as_unconnected_mode,
    check_weight,
    differentiated_parts,
    is_differentiable_target,
    is_own_source,
    jacobian_target,
    shape_of,
    source_number,
    target_tensor,
    watched_parts,
    weight_tensor,
)
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite_gradients import gradient_parts, gradients_of_leaves
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_registry import late_bound
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import EagerTensor, Tensor, tape_id
from millrace._src.util import nest
from millrace._src.util.export import export
from millrace._src.util.logger import warn_first


@export("GradientTape", "autodiff.GradientTape")
@late_bound("GradientTape")
class GradientTape:
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
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._tape: Tape | None = None
        self._recording = False
        self._variables_of_used_tape: dict[int, Any] = {}
        self._is_broken = False
        """Whether a gradient failed midway, when the tape had already dropped entries."""

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._recording:
            self._stop()

    def _start(self, fresh: bool = False) -> None:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._tape is None or fresh:
            self._tape = Tape(watch_accessed_variables=self._watch_accessed_variables, persistent=self._persistent)
        tapes.push(self._tape)
        self._recording = True

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        tapes.pop(self._tape)
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Follows `tensor` (or a nested structure of tensors) from now on.

        Raises: ValueError: if something in `tensor` is not a tensor.
        """
        for item in watched_parts(tensor):
            if is_variable(item):
                self._warn_of_dtype(item)
                self._active().watch_variable(item)
                continue
            if not isinstance(item, (Tensor, IndexedSlices)):
                raise ValueError(
                    f"Passed in object {item} of type {type(item).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            item = convert_to_tensor(item)
            self._warn_of_dtype(item)
            self._active().watch(item)

    def _warn_of_dtype(self, item: Any) -> None:
        if not is_trainable(item.dtype):
            warn_first(5, "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", item.dtype)

    def _active(self) -> Tape:
        if self._tape is None:
            raise AttributeError("'NoneType' object has no attribute 'watch'")
        return self._tape

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Suspends recording within the scope."""
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop()
        try:
            yield
        finally:
            tapes.push(self._tape)
            self._recording = True

    def reset(self) -> None:
        """Forgets everything recorded so far."""
        self._stop()
        self._tape = None
        self._start(fresh=True)

    def watched_variables(self) -> tuple[Any, ...]:
        """Returns the variables watched, in the order they were made."""
        variables = self._variables_of_used_tape if self._tape is None else self._tape.variables
        return tuple(sorted(variables.values(), key=lambda v: getattr(v, "_unique_number", 0)))

    def gradient(
        self,
        target: object,
        sources: object,
        output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any:
        """Differentiates `target` with respect to `sources`.

        Args:
          target: a Tensor or a nested structure of Tensors; the sum of all elements is differentiated. Of a ragged
            tensor, the values are.
          sources: a Tensor, a Variable, a RaggedTensor, or a nested structure of such.
          output_gradients: weights of the elements of the targets, same structure as `target`.
          unconnected_gradients: the gradient of a source that the target does not depend on.

        Returns: Gradients in the structure of `sources`: Tensors, IndexedSlices, RaggedTensors, or None.
        Raises:
          RuntimeError: if called a second time on a tape that is not persistent.
          TypeError: if the target is a Variable.
          ValueError: if `unconnected_gradients` is unknown, or a target or source is a composite without gradients.
        """
        self._check_unused()
        mode = as_unconnected_mode(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to "
                "be differentiated, but received None."
            )
        flat_targets = (
            [target] if type(target) is EagerTensor else list(map(target_tensor, differentiated_parts(target)))
        )
        flat_sources = nest.flatten(sources)
        parts = gradient_parts(flat_sources)
        weights = None if output_gradients is None else list(map(check_weight, differentiated_parts(output_gradients)))
        self._start_use()
        found_gradients = self._compute(flat_targets, parts, weights, mode, lets_go=not self._persistent)
        gradients = gradients_of_leaves(flat_sources, found_gradients)
        self._end_use()
        is_plain = type(sources) is list and len(sources) == len(flat_sources) and all(map(is_, sources, flat_sources))
        return gradients if is_plain else nest.pack_sequence_as(sources, gradients)

    def _check_unused(self) -> None:
        if self._is_broken:
            raise errors.InternalError(
                None,
                None,
                "Internal state of the gradient tape is invalid: failed to find operation producing a tensor. A "
                "gradient was asked for before and failed; a tape that is not persistent serves once.",
            )
        if self._tape is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )

    def _start_use(self) -> None:
        """Prepares the tape for gradients: a tape that serves only once stops recording."""
        if self._recording and self._persistent:
            warn_first(1, _COSTLY)
        elif self._recording:
            self._stop()

    def _end_use(self) -> None:
        """Ends a computation of gradients: a tape that is not persistent cannot be used again."""
        if not self._persistent and self._tape is not None:
            self._variables_of_used_tape = self._tape.variables
            self._tape = None

    def _compute(
        self,
        targets: Sequence[Any],
        sources: Sequence[Any],
        weights: Any,
        mode: UnconnectedGradients,
        lets_go: bool = False,
    ) -> list[Any]:
        """Computes the gradients; with `lets_go`, the sweep of a tape that serves only once frees values."""
        assert self._tape is not None
        seeds: dict[int, Any] = {}
        differentiable = [is_differentiable_target(t) for t in targets]
        numbers = [source_number(s) for s in sources]
        for index, target in enumerate(targets):
            if not differentiable[index] and not is_own_source(target, numbers):
                continue
            weight = None if weights is None or index >= len(weights) else weights[index]
            seed = OnesSeed(target) if weight is None else weight_tensor(weight, target)
            number = tape_id(target)
            seeds[number] = materialize(seeds[number]) + materialize(seed) if number in seeds else seed
        entries = self._tape.entries
        results = run_compiled_sweep(entries, seeds, numbers)
        if results is None:
            gradients = {number: materialize(seed) for number, seed in seeds.items()}
            self._is_broken = lets_go
            swept = sweep(_pop_entries(entries) if lets_go else reversed(entries), gradients, frozenset(numbers))
            self._is_broken = False
            results = [swept.get(n) for n in numbers]
        return [fill_unconnected(g, s, mode) for g, s in zip(results, sources, strict=True)]

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
          unconnected_gradients: the Jacobian of a source the target does not depend on.
          parallel_iterations: how many rows a loop may compute at once.
          experimental_use_pfor: whether to compute all rows at once instead of one after the other in a loop. That
            needs memory for all of them.

        Returns: Tensors of shape `target.shape + source.shape`, or None, in the structure of `sources`.
        Raises:
          RuntimeError: if called on a tape that has been used and is not persistent; eagerly with
            `experimental_use_pfor=False`, also on one that is not persistent.
          ValueError: if the rows cannot be computed all at once.
        """
        self._check_unused()
        self._check_may_loop("jacobian", experimental_use_pfor)
        wanted, flat = jacobian_target(target), nest.flatten(sources, expand_composites=False)
        self._start_use()
        is_plain = unconnected_gradients is UnconnectedGradients.NONE and parallel_iterations is None
        found = jacobian_rows(
            wanted,
            lambda seed: self._compute(
                [target_tensor(target)], flat, [seed], as_unconnected_mode(unconnected_gradients)
            ),
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
            in both modes, as in TensorFlow.
          parallel_iterations: as for `jacobian`.
          experimental_use_pfor: as for `jacobian`.

        Returns: A Tensor of shape `[batch] + target.shape[1:] + source.shape[1:]`.
        Raises:
          RuntimeError: as `jacobian`.
          ValueError: if the shapes are not those of a batch, or the rows cannot be computed all at once.
        """
        self._check_unused()
        wanted = jacobian_target(target)
        check_batches(wanted.shape, shape_of(source))
        self._check_may_loop("batch_jacobian", experimental_use_pfor)
        self._start_use()

        def backward(seed: object) -> list[Any]:
            mode = as_unconnected_mode(unconnected_gradients)
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
        return compute_rows(self._tape.entries, target, [source_number(s) for s in sources])

    def _check_may_loop(self, what: str, vectorize: bool) -> None:
        """Refuses rows that are computed one after the other, eagerly, on a tape that may be used once."""
        if not vectorize and executing_eagerly() and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with eager execution "
                "enabled and with experimental_use_pfor set to False."
            )


def _pop_entries(entries: list[TapeEntry | PackedEntry]) -> Iterator[TapeEntry | PackedEntry]:
    """Yields the entries, the last entry first, and takes each off the list, so that its values can be freed."""
    while entries:
        yield entries.pop()


_COSTLY = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
    "calling it outside the context (the gradient's own ops are recorded too). Do so only for derivatives of higher "
    "order."
)
