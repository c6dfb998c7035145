"""The class behind `tf.GradientTape`: records the ops of a scope and differentiates by them.

The public class adds Jacobians. Jacobians are computed by loops, so the public class stands in the layer above loops:
`control_flow/gradient_tape.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from operator import is_
from types import TracebackType
from typing import Any, Self

from millrace._src.autodiff import tape as tapes
from millrace._src.autodiff.backprop import UnconnectedGradients, sweep, unconnected
from millrace._src.autodiff.recording import PackedEntry, is_trainable
from millrace._src.autodiff.sweep_programs import Ones, compiled_gradients, made
from millrace._src.autodiff.tape import Entry, Tape
from millrace._src.core import errors
from millrace._src.core.composite_gradients import consists_of_parts, gradient_parts, gradients_of_leaves
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import EagerTensor, Tensor, tape_id
from millrace._src.util import nest
from millrace._src.util.logger import VERBOSE, get_logger, warn_first


class GradientTapeBase:
    """Records operations for automatic differentiation: `tf.GradientTape` but for Jacobians.

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
        for item in _watched_parts(tensor):
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
          unconnected_gradients: what represents the gradient of a source that the target does not depend on.

        Returns: Gradients in the structure of `sources`: Tensors, IndexedSlices, RaggedTensors, or None.
        Raises:
          RuntimeError: if called a second time on a tape that is not persistent.
          TypeError: if the target is a Variable.
          ValueError: if `unconnected_gradients` is unknown, or a target or source is a composite without gradients.
        """
        self._check_unused()
        mode = unconnected_mode(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to "
                "be differentiated, but received None."
            )
        flat_targets = [target] if type(target) is EagerTensor else list(map(target_tensor, _leaf_parts(target)))
        flat_sources = nest.flatten(sources)
        parts = gradient_parts(flat_sources)
        weights = None if output_gradients is None else list(map(_given, _leaf_parts(output_gradients)))
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
        differentiable = [_is_differentiable_target(t) for t in targets]
        numbers = [source_number(s) for s in sources]
        for index, target in enumerate(targets):
            if not differentiable[index] and not _counts_itself(target, numbers):
                continue
            weight = None if weights is None or index >= len(weights) else weights[index]
            seed = Ones(target) if weight is None else _weight(weight, target)
            number = tape_id(target)
            seeds[number] = made(seeds[number]) + made(seed) if number in seeds else seed
        entries = self._tape.entries
        results = compiled_gradients(entries, seeds, numbers)
        if results is None:
            gradients = {number: made(seed) for number, seed in seeds.items()}
            self._is_broken = lets_go
            swept = sweep(_taken(entries) if lets_go else reversed(entries), gradients, frozenset(numbers))
            self._is_broken = False
            results = [swept.get(n) for n in numbers]
        return [unconnected(g, s, mode) for g, s in zip(results, sources, strict=True)]


def _taken(entries: list[Entry | PackedEntry]) -> Iterator[Entry | PackedEntry]:
    """Yields the entries, the last entry first, and takes each off the list, so that its values can be freed."""
    while entries:
        yield entries.pop()


_COSTLY = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
    "calling it outside the context (the gradient's own ops are recorded too). Do so only for derivatives of higher "
    "order."
)


def _leaf_parts(structure: object) -> list[Any]:
    """Returns the tensors of a nest that are differentiated; of a composite, those that have gradients."""
    return gradient_parts(nest.flatten(structure))


def _watched_parts(structure: object) -> list[Any]:
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


def unconnected_mode(value: object) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def _given(weight: Any) -> Any:
    """Returns a weight; refuses None as everywhere where a tensor is wanted."""
    return convert_to_tensor(weight) if weight is None else weight


def _weight(weight: Any, target: Any) -> Any:
    """Returns a weight as a tensor.

    Raises: InvalidArgumentError: if the weight does not broadcast to the target's shape.
    """
    weight = weight if isinstance(weight, Tensor) else convert_to_tensor(weight, dtype=target.dtype)
    is_known = weight.shape.is_fully_defined() and target.shape.is_fully_defined() and target.dtype.name != "resource"
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


def _is_differentiable_target(target: Any) -> bool:
    if not is_trainable(target.dtype):
        get_logger().log(
            VERBOSE,
            "The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
            "GradientTape.gradient, got %r",
            target.dtype,
        )
        return False
    return True


def _counts_itself(target: Any, sources: Sequence[int]) -> bool:
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
