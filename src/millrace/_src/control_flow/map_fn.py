"""`tf.map_fn`: a function applied to each row of tensors, one after the other, in a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.control_flow.rows import MappedRows, stack_rows, tensors_of
from millrace._src.control_flow.tensor_array import TensorArray
from millrace._src.control_flow.while_loop import while_loop
from millrace._src.core.context import scope_of_operations, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_registry import late_bound
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import BatchableTypeSpec, TypeSpec, type_spec_from_value
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


@export("map_fn")
@late_bound("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: object = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: object = None,
) -> Any:
    """Applies `fn` to each row of `elems` and stacks the results.

    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[3., 5.], [2., 9.]])).numpy().tolist()
    [8.0, 11.0]
    >>> tf.map_fn(lambda pair: (pair[0] + pair[1], pair[0] > pair[1]), (tf.constant([1, 4]), tf.constant([2, 3])),
    ...           fn_output_signature=(tf.int32, tf.bool))[1].numpy().tolist()
    [False, True]

    Args:
      fn: takes one row, in the structure of `elems`.
      elems: a Tensor, or a nest of Tensors with the same first dimension. Ragged and sparse tensors and batchable
        extension types have rows too.
      dtype: the older name of `fn_output_signature`.
      parallel_iterations: recorded in the graph; iterations run one after the other.
      back_prop: as for `tf.while_loop`.
      swap_memory: accepted for compatibility; there is one memory.
      infer_shape: whether all results have one shape.
      name: name scope of the operations in a graph.
      fn_output_signature: dtypes or specs in the structure that `fn` returns; None if it returns what it takes. Rows of
        different lengths are stacked by a `tf.RaggedTensorSpec`.

    Returns: The stacked results, in the structure that `fn` returns.
    Raises:
      TypeError: if a composite in `elems` or in the results has no rows.
      ValueError: if `elems` are scalars or have different first dimensions, or `fn` returns something else than
        `fn_output_signature` says.
      AttributeError: if `fn` is not callable.
    """
    check_callable(fn)
    leaves = nest.flatten(elems)
    if not leaves:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )
    with scope_of_operations(name, "map"):
        signature = dtype if fn_output_signature is None else fn_output_signature
        return _Mapping(fn, elems, [_as_elements(e) for e in leaves], signature, infer_shape).run(
            parallel_iterations or 10, back_prop
        )


def check_callable(fn: object) -> None:
    """Refuses what cannot be called, with TensorFlow's class of error."""
    if not callable(fn):
        raise AttributeError(f"'{type(fn).__name__}' object has no attribute '__name__': fn must be callable.")


def _as_elements(value: Any) -> Any:
    """Returns an argument to map over: a composite unchanged, anything else as a tensor."""
    return value if nest.is_nested_or_composite(value) else convert_to_tensor(value, name="elem")


class _Mapping:
    """One call of `map_fn`."""

    def __init__(
        self, fn: Callable[..., Any], elems: Any, values: Sequence[Any], signature: Any, infer_shape: bool
    ) -> None:
        self.fn = fn
        self.rows = MappedRows(elems, values, _input_error)
        if signature is None:
            self.signature, self.results = elems, [_row_spec(spec) for spec in self.rows.specs]
        else:
            self.signature, self.results = signature, [_result_spec(leaf) for leaf in nest.flatten(signature)]
        self.infer_shape = infer_shape

    def run(self, parallel_iterations: int, back_prop: bool) -> Any:
        tensors = self.rows.tensors
        static, count = _row_count(tensors)
        arrays = [TensorArray(t.dtype, size=count, dynamic_size=False, infer_shape=self.infer_shape) for t in tensors]
        arrays = [array.unstack(t) for array, t in zip(arrays, tensors, strict=True)]
        start = convert_to_tensor(0)
        made = [
            TensorArray(s.dtype, size=count, dynamic_size=False, infer_shape=self.infer_shape, element_shape=s.shape)
            for spec in self.results
            for s in spec._flat_tensor_specs
        ]

        def body(i: Any, made: Sequence[Any]) -> tuple[Any, list[Any]]:
            outputs = self._call([array.read(i) for array in arrays])
            written = [array.write(i, t) for array, t in zip(made, outputs, strict=True)]
            return i + 1, written

        _, made = while_loop(
            lambda i, _: i < count,
            body,
            (start, made),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            maximum_iterations=count,
        )
        return stack_rows(self.signature, self.results, [with_rows(array.stack(), static) for array in made], static)

    def _call(self, tensors: Sequence[Any]) -> list[Any]:
        """Returns the tensors that `fn` makes of the tensors of one row."""
        result = self.fn(self.rows.row(tensors))
        nest.assert_same_structure(self.signature, result)
        return [
            tensor
            for spec, value in zip(self.results, nest.flatten(result), strict=True)
            for tensor in tensors_of(spec, value, _output_error)
        ]


def _input_error(spec: TypeSpec, value: object) -> Exception:
    return TypeError(f"map_fn can not consume {spec} inputs: got {value!r}")


def _output_error(spec: object, value: Any) -> Exception:
    return ValueError(
        f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec}\n  But it returned a:\n    "
        f"{type_spec_from_value(value)}\n    (value={value})\n"
        "  To fix, update the `fn_output_signature` (or `dtype`) argument to `map_fn`."
    )


def _row_spec(spec: Any) -> Any:
    """Returns the spec of one row; of a tensor's rows the shape is what `fn` gives."""
    return TensorSpec(None, spec.dtype) if isinstance(spec, TensorSpec) else spec._unbatch()


def _result_spec(signature: Any) -> Any:
    """Returns the spec of one result of `fn`, which a dtype or a spec declares."""
    if isinstance(signature, BatchableTypeSpec):
        return signature
    if isinstance(signature, TypeSpec):
        raise TypeError(f"map_fn can not generate {signature} outputs")
    return TensorSpec(None, getattr(signature, "dtype", signature))


def _row_count(tensors: Sequence[Any]) -> tuple[int | None, Any]:
    """Returns the common first dimension: as far as it is known, and as an int or a tensor."""
    rows = TensorShape([None])
    for tensor in tensors:
        shape = tensor.shape
        if shape.rank == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        known_rows = shape[0] if shape.rank else None
        if None not in (rows[0], known_rows) and rows[0] != known_rows:
            raise ValueError(f"Dimensions {rows[0]} and {known_rows} are not compatible")
        rows = rows.merge_with([known_rows])
    return rows[0], rows[0] if rows[0] is not None else raw.Shape(input=tensors[0])[0]


def with_rows(tensor: Any, rows: int | None) -> Any:
    """Sets the first dimension of a stacked result, if that is known."""
    if state.graph is not None:
        shape = tensor.shape
        row_shape = TensorShape(None) if shape.rank is None else shape[1:]
        tensor.set_shape(TensorShape([rows]).concatenate(row_shape))
    return tensor
