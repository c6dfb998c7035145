"""`EditDistance`: how many insertions, deletions and substitutions turn one sequence into another, for many pairs.

Problem: hypotheses and truths are the rows of two sparse tensors, stored one after the other. Either tensor may lack a
row, and the rows need not be in order.

Idea: each tensor is split where all indices but the last change. Two rows with the same leading indices make a pair; a
row that one tensor lacks makes a pair with nothing, whose distance follows from the length of the other row alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import InternalError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, with_rank
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export

_Row: TypeAlias = "tuple[tuple[float, ...], Any]"
"""The leading indices of a row, which are all but the last, and the row's values."""
_END: _Row = ((math.inf,), None)
"""Stands after the last row: its leading index is behind all others."""
_MAX_ELEMENTS = 2**63 - 1


def _distances_shape(c: ShapeContext) -> TensorShape:
    for tensor in ("hypothesis", "truth"):
        _check_static_parts(c, tensor)
    hypothesis, truth = c.value("hypothesis_shape"), c.value("truth_shape")
    if hypothesis is None or truth is None:
        return UNKNOWN
    if hypothesis.size != truth.size:
        counts = f"{hypothesis.size} vs. {truth.size}"
        raise ValueError(f"Num elements of hypothesis_shape does not match truth_shape: {counts}")
    if hypothesis.size < 2:
        raise ValueError(
            f"Input Hypothesis SparseTensors must have rank at least 2, but hypothesis_shape rank is: {hypothesis.size}"
        )
    dims = np.maximum(hypothesis, truth)[:-1].tolist()
    return TensorShape.of(tuple(None if dim < 0 else dim for dim in dims))


def _check_static_parts(c: ShapeContext, tensor: str) -> None:
    """Refuses shapes of indices, values and dense shape that do not make a sparse tensor."""
    count, rank = with_rank(c.shape(f"{tensor}_indices"), 2)
    (values,) = with_rank(c.shape(f"{tensor}_values"), 1)
    (dims,) = with_rank(c.shape(f"{tensor}_shape"), 1)
    if None not in (count, values) and count != values:
        raise ValueError(f"Number of elements in index ({count}) and values ({values}) do not match.")
    if None not in (rank, dims) and rank != dims:
        raise ValueError(f"Index rank ({rank}) and shape rank ({dims}) do not match.")


@op(
    "EditDistance",
    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float32",
    T=ANY,
    shape=_distances_shape,
    host_only=True,
    not_differentiable="the number of edits is constant but for jumps",
)
def edit_distance_op(
    xp: Xp,
    hypothesis_indices: Array,
    hypothesis_values: Array,
    hypothesis_shape: Array,
    truth_indices: Array,
    truth_values: Array,
    truth_shape: Array,
    *,
    normalize: bool = True,
) -> Array:
    """Computes the Levenshtein distance between the rows of two sparse tensors, by default over the truth's length.

    A row that only the hypotheses have is infinitely far from its truth, which is empty, unless `normalize` is False.
    """
    _check_parts(
        {"hypothesis": hypothesis_indices, "truth": truth_indices},
        {"hypothesis": hypothesis_values, "truth": truth_values},
        {"hypothesis": hypothesis_shape, "truth": truth_shape},
    )
    dims = _result_dims(hypothesis_shape, truth_shape)
    distances = np.zeros(math.prod(dims), np.float32)
    strides = [math.prod(dims[axis + 1 :]) for axis in range(len(dims))]
    hypotheses, truths = _rows(hypothesis_indices, hypothesis_values), _rows(truth_indices, truth_values)
    for leading, hypothesis, truth in _pairs(hypotheses, truths):
        position = sum(int(index) * stride for index, stride in zip(leading, strides, strict=True))
        if not 0 <= position < distances.size:
            raise InternalError(
                None,
                None,
                f"Got an inner product {position} which would require writing to outside of the buffer for the output "
                f"tensor (max elements {distances.size})",
            )
        distances[position] = _distance(hypothesis, truth, normalize)
    return distances.reshape(dims)


@export("edit_distance")
def edit_distance(hypothesis: object, truth: object, normalize: bool = True, name: str | None = "edit_distance") -> Any:
    """Computes the Levenshtein distance between the rows of two sparse tensors.

    >>> hypothesis = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> truth = tf.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2])
    >>> tf.edit_distance(hypothesis, truth).numpy()
    array([0.5], dtype=float32)

    Args:
      hypothesis: a SparseTensor of rank two or more, whose rows are sequences along the last axis.
      truth: a SparseTensor of the same dtype and rank.
      normalize: whether to divide by the length of the row of `truth`; then a row that `truth` lacks is infinitely far.
      name: name of the operation in a graph.

    Returns: A float32 Tensor with one dimension less.
    Raises:
      TypeError: if an argument is not a SparseTensor.
      tf.errors.InvalidArgumentError: if the ranks or dtypes differ.
    """
    for role, tensor in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(tensor, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"{role} must be a SparseTensor.")
    hypothesis, truth = SparseTensor.from_value(hypothesis), SparseTensor.from_value(truth)
    return raw.EditDistance(
        hypothesis_indices=hypothesis.indices,
        hypothesis_values=hypothesis.values,
        hypothesis_shape=hypothesis.dense_shape,
        truth_indices=truth.indices,
        truth_values=truth.values,
        truth_shape=truth.dense_shape,
        normalize=normalize,
        name=name,
    )


# --- checks --------------------------------------------------------------------------------------------------------


def _check_parts(indices: dict[str, Array], values: dict[str, Array], shapes: dict[str, Array]) -> None:
    """Refuses arrays that do not make two sparse tensors of one rank, in the order of TensorFlow's kernel."""
    for part, rank, kind, arrays in (
        ("indices", 2, "matrix", indices),
        ("values", 1, "vector", values),
        ("shape", 1, "vector", shapes),
    ):
        for tensor, array in arrays.items():
            if array.ndim != rank:
                raise invalid(f"{tensor}_{part} should be a {kind}, but got shape: {dims_text(array.shape)}")
    _check_counts("hypothesis", indices, values, shapes)
    if shapes["truth"].size < 2:
        rank = shapes["truth"].size
        raise invalid(f"Input SparseTensors must have rank at least 2, but truth_shape rank is: {rank}")
    _check_counts("truth", indices, values, shapes)
    if shapes["truth"].size != shapes["hypothesis"].size:
        found = f"{dims_text(shapes['truth'].shape)} and {dims_text(shapes['hypothesis'].shape)}"
        raise invalid(f"Expected truth and hypothesis to have matching ranks, but their shapes are: {found}")


def _check_counts(tensor: str, indices: dict[str, Array], values: dict[str, Array], shapes: dict[str, Array]) -> None:
    """Refuses values and shapes of another size than the indices of the tensor ask for."""
    size = indices[tensor].shape
    for part, arrays, count, what in (("values", values, size[0], "rows"), ("shape", shapes, size[1], "cols")):
        if arrays[tensor].size != count:
            raise invalid(
                f"Expected {tensor}_{part}.NumElements == #{what}({tensor}_indices), their shapes are: "
                f"{dims_text(arrays[tensor].shape)} and {dims_text(size)}"
            )


def _result_dims(hypothesis_shape: Array, truth_shape: Array) -> list[int]:
    """Returns the dimensions that hold both tensors, without the last."""
    for shape in (hypothesis_shape.tolist(), truth_shape.tolist()):
        if min(shape) < 0:
            raise invalid(f"Dimension {next(dim for dim in shape if dim < 0)} must be >= 0")
        if math.prod(shape) > _MAX_ELEMENTS:
            raise invalid(f"Shape {dims_text(shape)} would have more than 2**63 - 1 elements")
    dims: list[int] = np.maximum(hypothesis_shape, truth_shape)[:-1].tolist()
    if 0 in dims:
        raise invalid(f"Got output shape {dims_text(dims)} which has 0 elements")
    return dims


# --- rows ----------------------------------------------------------------------------------------------------------


def _rows(indices: Array, values: Array) -> list[_Row]:
    """Splits the values of a sparse tensor into rows, in the order in which they are stored."""
    if not values.size:
        return []
    leading = indices[:, :-1]
    starts = np.flatnonzero((leading[1:] != leading[:-1]).any(axis=1)) + 1
    first_leading = leading[np.concatenate([[0], starts])].tolist()
    return [(tuple(index), row) for index, row in zip(first_leading, np.split(values, starts), strict=True)]


def _pairs(hypotheses: Sequence[_Row], truths: Sequence[_Row]) -> Iterator[tuple[tuple[float, ...], Any, Any]]:
    """Yields each leading index with the two rows there; None means a row that a tensor lacks."""
    hypothesis_rows, truth_rows = iter([*hypotheses, _END]), iter([*truths, _END])
    hypothesis, truth = next(hypothesis_rows), next(truth_rows)
    while hypothesis is not _END or truth is not _END:
        leading = min(hypothesis[0], truth[0])
        in_hypotheses, in_truths = hypothesis[0] == leading, truth[0] == leading
        yield leading, hypothesis[1] if in_hypotheses else None, truth[1] if in_truths else None
        hypothesis = next(hypothesis_rows) if in_hypotheses else hypothesis
        truth = next(truth_rows) if in_truths else truth


def _distance(hypothesis: Array | None, truth: Array | None, normalize: bool) -> float:
    """Returns the distance between two rows, not both None: over the truth's length where `normalize` says so."""
    if truth is None:
        return math.inf if normalize or hypothesis is None else hypothesis.size
    edits = truth.size if hypothesis is None else _edits(hypothesis, truth)
    return edits / truth.size if normalize else edits


def _edits(hypothesis: Array, truth: Array) -> int:
    """Returns how many insertions, deletions and substitutions turn one vector into another.

    `edits[j]` is the answer for the elements of `hypothesis` so far and the first j of `truth`. An insertion depends on
    the entry before; a running minimum runs all of them at once.
    """
    positions = np.arange(truth.size + 1)
    edits = positions
    for element in hypothesis:
        substituted = edits[:-1] + (truth != element)
        without_insertions = np.concatenate([edits[:1] + 1, np.minimum(substituted, edits[1:] + 1)])
        edits = np.minimum.accumulate(without_insertions - positions) + positions
    return int(edits[-1])
