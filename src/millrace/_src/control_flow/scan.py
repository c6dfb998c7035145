"""`tf.foldl`, `tf.foldr`, `tf.scan`: a function that carries a state along the rows of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.control_flow.map_fn import check_callable, with_rows
from millrace._src.control_flow.tensor_array import TensorArray
from millrace._src.control_flow.while_loop import while_loop
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import scope_of_operations
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_registry import late_bound
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


class _Rows:
    """The rows of a nest of tensors, each in an array to read from."""

    def __init__(self, elems: Any, *, declared: bool) -> None:
        self.structure = elems
        self.tensors = [convert_to_tensor(e, name="elem") for e in nest.flatten(elems)]
        first = self.tensors[0]
        if first.shape.rank == 0:
            raise IndexError("tuple index out of range: elems must have at least one dimension")
        self.static = first.shape[0] if first.shape.rank else None
        self.count = self.static if self.static is not None else raw.Shape(input=first)[0]
        arrays = [
            TensorArray(t.dtype, size=self.count, dynamic_size=False, element_shape=t.shape[1:] if declared else None)
            for t in self.tensors
        ]
        self.arrays = [array.unstack(t) for array, t in zip(arrays, self.tensors, strict=True)]

    def read(self, index: Any) -> Any:
        """Reads one row of each tensor, in the structure of the tensors."""
        return nest.pack_sequence_as(self.structure, [array.read(index) for array in self.arrays])


@export("foldl")
@late_bound("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Carries a state along the rows of `elems`: `fn(...fn(fn(initializer, row 0), row 1)...)`.

    >>> tf.foldl(lambda total, row: total + row, tf.constant([1, 2, 3, 4, 5, 6])).numpy().item()
    21

    Args:
      fn: takes the state and a row, in the structure of `elems`; returns the next state.
      elems: a Tensor, or a nest of Tensors with the same first dimension.
      initializer: the first state; None for the first row.
      parallel_iterations: recorded in the graph; iterations run one after the other.
      back_prop: as for `tf.while_loop`.
      swap_memory: accepted for compatibility; there is one memory.
      name: name scope of the operations in a graph.

    Returns: The last state.
    Raises: AttributeError: if `fn` is not callable.
    """
    check_callable(fn)
    with scope_of_operations(name, "foldl"):
        rows = _Rows(elems, declared=False)
        value = rows.read(0) if initializer is None else initializer
        start = convert_to_tensor(1 if initializer is None else 0)

        def body(i: Any, value: Any) -> list[Any]:
            row = rows.read(i)
            value = fn(value, row)
            return [i + 1, value]

        return while_loop(
            lambda i, _: i < rows.count,
            body,
            [start, value],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            maximum_iterations=rows.count,
        )[1]


@export("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Carries a state along the rows of `elems`, last row first.

    >>> tf.foldr(lambda total, row: row - total, tf.constant([1, 2, 3])).numpy().item()
    2

    Args:
      fn: takes the state and a row, in the structure of `elems`; returns the next state.
      elems: a Tensor, or a nest of Tensors with the same first dimension.
      initializer: the first state; None for the last row.
      parallel_iterations: recorded in the graph; iterations run one after the other.
      back_prop: as for `tf.while_loop`.
      swap_memory: accepted for compatibility; there is one memory.
      name: name scope of the operations in a graph.

    Returns: The last state.
    Raises: AttributeError: if `fn` is not callable.
    """
    check_callable(fn)
    with scope_of_operations(name, "foldr"):
        rows = _Rows(elems, declared=False)
        start = rows.count if initializer is not None else rows.count - 1
        value = rows.read(start) if initializer is None else initializer
        start = convert_to_tensor(start)

        def body(i: Any, value: object) -> list[Any]:
            i = i - 1
            row = rows.read(i)
            value = fn(value, row)
            return [i, value]

        return while_loop(
            lambda i, _: i > 0,
            body,
            [start, value],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            maximum_iterations=rows.count,
        )[1]


@export("scan")
def scan(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Carries a state along the rows of `elems` and stacks all states.

    >>> tf.scan(lambda total, row: total + row, tf.constant([1, 2, 3, 4])).numpy().tolist()
    [1, 3, 6, 10]
    >>> tf.scan(lambda total, row: total + row, tf.constant([1, 2, 3]), initializer=10, reverse=True).numpy().tolist()
    [16, 15, 13]

    Args:
      fn: takes the state and a row, in the structure of `elems`; returns the next state.
      elems: a Tensor, or a nest of Tensors with the same first dimension.
      initializer: the first state, which is not among the results; None for the first row, which then is.
      parallel_iterations: recorded in the graph; iterations run one after the other.
      back_prop: as for `tf.while_loop`.
      swap_memory: accepted for compatibility; there is one memory.
      infer_shape: whether all states have one shape.
      reverse: whether to begin with the last row; the results stay in the order of the rows.
      name: name scope of the operations in a graph.

    Returns: The stacked states, in the structure of a state.
    Raises:
      AttributeError: if `fn` is not callable.
      ValueError: if `fn` returns another structure than the state's.
    """
    check_callable(fn)
    with scope_of_operations(name, "scan"):
        rows = _Rows(elems, declared=True)
        model = elems if initializer is None else initializer
        first, begin = 0, rows.count - 1 if reverse else 0
        if initializer is None:
            states, first = nest.flatten(rows.read(begin)), 1
        else:
            states = [convert_to_tensor(v) for v in nest.flatten(initializer)]
        arrays = [
            TensorArray(
                s.dtype,
                size=rows.count,
                element_shape=s.shape if infer_shape else None,
                dynamic_size=False,
                infer_shape=infer_shape,
            )
            for s in states
        ]
        if initializer is None:
            arrays = [array.write(begin, s) for array, s in zip(arrays, states, strict=True)]

        def body(i: Any, states: Sequence[Any], arrays: Sequence[Any]) -> tuple[Any, list[Any], list[Any]]:
            row = rows.read(i)
            returned = fn(nest.pack_sequence_as(model, list(states)), row)
            nest.assert_same_structure(model, returned)
            flat = nest.flatten(returned)
            written = [array.write(i, v) for array, v in zip(arrays, flat, strict=True)]
            return i - 1 if reverse else i + 1, flat, written

        _, _, arrays = while_loop(
            (lambda i, *_: i >= 0) if reverse else (lambda i, *_: i < rows.count),
            body,
            (convert_to_tensor(begin - first if reverse else first), states, arrays),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            maximum_iterations=rows.count,
        )
        stacked_rows = [array.stack() for array in arrays]
        for tensor in rows.tensors[1:]:
            known_rows = tensor.shape[0] if tensor.shape.rank else None
            if None not in (rows.static, known_rows) and rows.static != known_rows:
                raise ValueError(f"Dimensions {rows.static} and {known_rows} are not compatible")
        return nest.pack_sequence_as(model, [with_rows(t, rows.static) for t in stacked_rows])
