"""Jacobians: the gradient of every element of a target, each at its own coordinates.

A gradient is one row of the Jacobian: the one that its seed picks out. So the rows come from running the backward pass
once per unit seed. The pass is traced once for a symbolic seed and run on all unit seeds at once by
`tf.vectorized_map`; where that is not wanted, a loop goes through the seeds: Python's in eager mode, a `while` in a
graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.ops import raw
from millrace._src.ops.control_flow import map_fn, vectorized_map

Backward = Callable[[Any], Sequence[Any]]
"""From the gradient of the target to the gradients of the sources; None for a source that is not reached."""


def jacobian_rows(
    target: Any,
    backward: Backward,
    at_once: Callable[[], Sequence[Any] | None] | None = None,
    *,
    vectorize: bool,
    parallel_iterations: int | None,
) -> list[Any]:
    """Computes the Jacobians of `target` with respect to each source.

    Args:
      target: a Tensor of any shape.
      backward: gives the gradients of the sources.
      at_once: gives what `backward` gives for all unit seeds, stacked; or None, if it cannot.
      vectorize: whether to compute all rows at once.
      parallel_iterations: of the loop, where there is one.

    Returns: For each source a Tensor of shape `target.shape + source.shape`, or None.
    """
    dims = _dimensions(target)
    found = None if at_once is None else at_once()
    if found is None:
        seeds = _unit_seeds(dims, target.shape, target.dtype)
        found = _map_seeds(backward, seeds, "jacobian", vectorize, parallel_iterations)
    return [None if rows is None else _with_leading(rows, dims, target.shape) for rows in found]


def batch_jacobian_rows(
    target: Any, source: Any, backward: Backward, *, vectorize: bool, parallel_iterations: int | None
) -> Any:
    """Computes the Jacobians of each entry of a batch, `[batch, target's other dimensions, source's other dimensions]`.

    A seed takes the same element of every entry: entries do not depend on each other, so their rows do not mix.

    Raises: ValueError: if target and source have not the same first dimension, or the target no other one.
    """
    check_batches(target.shape, source.shape)
    dims, result_shape = _dimensions(target), target.shape.concatenate(source.shape[1:])
    seeds = _unit_seeds(dims[1:], target.shape[1:], target.dtype)

    def one(seed: Any) -> Sequence[Any]:
        return backward(_set_shape(raw.BroadcastTo(input=raw.ExpandDims(input=seed, dim=0), shape=dims), target.shape))

    (rows,) = _map_seeds(one, seeds, "batch_jacobian", vectorize, parallel_iterations)
    if rows is None:
        zero = convert_to_tensor(0, dtype=target.dtype)
        return _set_shape(raw.Fill(dims=_concatenate(dims, _dimensions(source)[1:]), value=zero), result_shape)
    return _set_shape(_entries_first(rows, dims), result_shape)


def check_batches(target: TensorShape, source: TensorShape) -> None:
    """Raises ValueError unless the shapes are those of a batch of targets and of its sources."""
    ranks_known = target.rank is not None and source.rank is not None
    if not ranks_known or not target[:1].is_compatible_with(source[:1]):
        raise ValueError(f"Need first dimension of target shape ({target}) and source shape ({source}) to match.")
    if target.rank < 2 or source.rank < 1:  # type: ignore[operator]  # both ranks are known here
        raise ValueError(f"Shape {target} must have rank at least 2")


def _entries_first(rows: Any, dims: object) -> Any:
    """Turns `[row, batch, ...]` into `[batch, target's other dimensions, ...]`."""
    by_entry = raw.Transpose(x=rows, perm=[1, 0, *range(2, rows.shape.rank)])
    return raw.Reshape(tensor=by_entry, shape=_concatenate(dims, _dimensions(rows)[2:]))


def _with_leading(rows: Any, dims: object, shape: TensorShape) -> Any:
    """Turns rows stacked along one axis into rows stacked along the axes of the target."""
    full = raw.Reshape(tensor=rows, shape=_concatenate(dims, _dimensions(rows)[1:]))
    return _set_shape(full, shape.concatenate(rows.shape[1:]))


# --- seeds -----------------------------------------------------------------------------------------------------------


def _unit_seeds(dims: object, shape: TensorShape, dtype: Any) -> Any:
    """Returns one seed per element, along a new first axis: 1 at that element, 0 elsewhere."""
    if dtype.name == "string":
        dtype = as_dtype("float32")  # it has no gradient, whatever the seed
    size = shape.num_elements()
    count = raw.Prod(input=dims, reduction_indices=[0]) if size is None else size
    on, off = convert_to_tensor(1, dtype=dtype), convert_to_tensor(0, dtype=dtype)
    numbers = raw.Range(start=0, limit=count, delta=1)
    rows = raw.OneHot(indices=numbers, depth=count, on_value=on, off_value=off, axis=-1)
    first = [size] if size is not None else raw.Reshape(tensor=count, shape=[1])
    return _set_shape(raw.Reshape(tensor=rows, shape=_concatenate(first, dims)), TensorShape([size]).concatenate(shape))


def _dimensions(tensor: Any) -> Any:
    """Returns the dimensions of a tensor: a list where they are known, else a Tensor."""
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else raw.Shape(input=tensor)


def _concatenate(*parts: Any) -> Any:
    """Puts dimensions one after the other."""
    if all(isinstance(part, list) for part in parts):
        return [n for part in parts for n in part]
    vectors = [convert_to_tensor(part, dtype="int32") for part in parts]
    return raw.ConcatV2(values=vectors, axis=0)


def _set_shape(tensor: Any, shape: TensorShape) -> Any:
    """Sets the shape of a tensor of a graph."""
    if not executing_eagerly():
        tensor.set_shape(shape)
    return tensor


# --- one backward pass per seed --------------------------------------------------------------------------------------


def _map_seeds(
    backward: Backward, seeds: Any, what: str, vectorize: bool, parallel_iterations: int | None
) -> Sequence[Any]:
    """Returns the results of `backward` for all seeds, stacked."""

    def one(seed: object) -> list[Any]:
        return [None if g is None else convert_to_tensor(g) for g in backward(seed)]

    if not vectorize:
        _check_parallel_iterations(parallel_iterations, TypeError)
        return _in_python(one, seeds) if executing_eagerly() else _in_a_loop(one, seeds, parallel_iterations)
    try:
        _check_parallel_iterations(parallel_iterations, ValueError)
        if parallel_iterations == 1:
            raise ValueError("parallel_iterations=1 computes one row after the other, which is a loop.")
        found: Sequence[Any] = vectorized_map(one, seeds, warn=False)
    except ValueError as error:
        raise ValueError(
            f"Encountered an exception while vectorizing the {what} computation. "
            f"Vectorization can be disabled by setting experimental_use_pfor to False. {error}"
        ) from error
    return found


def _check_parallel_iterations(number: object, error: type[Exception]) -> None:
    if number is not None and (not isinstance(number, int) or number < 1):
        raise error(f"'parallel_iterations' must be a positive integer; received {number!r}.")


def _in_python(one: Backward, seeds: Any) -> list[Any]:
    """Computes the rows one after the other, eagerly; of no rows, a pass with a seed of zeros gives the shapes."""
    count = int(seeds.shape[0])
    passes = [one(seeds[i]) for i in range(count)]
    if count:
        return [
            None if column[0] is None else raw.Pack(values=list(column), axis=0) for column in zip(*passes, strict=True)
        ]
    like = one(raw.Fill(dims=seeds.shape.as_list()[1:], value=convert_to_tensor(0, dtype=seeds.dtype)))
    return [
        None if g is None else raw.Fill(dims=[0, *g.shape.as_list()], value=convert_to_tensor(0, dtype=g.dtype))
        for g in like
    ]


def _in_a_loop(one: Backward, seeds: Any, parallel_iterations: int | None) -> list[Any]:
    """Computes the rows by a loop of the graph. A trial in a graph of its own shows which sources have a gradient."""
    trial = FuncGraph(f"jacobian_{context.unique_id()}")
    with trial.as_default(), context.tapes_scope(()):
        probed = one(trial.add_placeholder(seeds.dtype, seeds.shape[1:], "seed"))
    specs = [TensorSpec(g.shape, g.dtype) for g in probed if g is not None]
    rows = iter(
        map_fn(
            lambda seed: [g for g in one(seed) if g is not None],
            seeds,
            fn_output_signature=specs,
            parallel_iterations=parallel_iterations,
        )
        if specs
        else []
    )
    return [None if g is None else next(rows) for g in probed]
