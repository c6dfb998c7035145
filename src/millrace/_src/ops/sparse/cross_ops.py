"""The ops behind `tf.sparse.cross` and `tf.sparse.cross_hashed`, whose results are sparse matrices.

What is combined, see `cross_features`. Text is joined. Hashes are those of TensorFlow, bit for bit, as learnt from its
answers: `SparseCross` begins with the key and takes integers as they are; `SparseCrossHashed` begins with the first
feature, and hashes the low four bytes of the integers of sparse features.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64, string
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList, TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.farmhash import fingerprints64
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.sparse.cross_features import (
    CrossedFeature,
    buckets_of,
    combinations,
    combine_hashes,
    dense_feature,
    join_texts,
    sparse_feature,
)
from millrace._src.ops.strings.hashing import siphash

_VALUES = TypeSet((int64, string))
_INPUTS = "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types"
_NOT_DIFFERENTIABLE = "text and integers have no gradient"
_NOT_BATCHED = "the number of combinations differs from row to row"
_TYPE_NUMBERS = {"string": 7, "int64": 9}
"""TensorFlow's numbers of the dtypes in its messages."""


def _shapes(c: ShapeContext) -> Sequence[TensorShape]:
    return TensorShape.of((None, 2)), TensorShape.of((None,)), TensorShape.of((2,))


# --- features --------------------------------------------------------------------------------------------------------


def _check_sparse(indices: Array, values: Array, shape: Array, position: int) -> None:
    where = f"at position {position}"
    if indices.ndim != 2:
        raise invalid(f"Input indices should be a matrix but received shape {dims_text(indices.shape)} {where}")
    if indices.shape[1] != 2:
        raise invalid(f"Expected D2 of index to be 2 got {indices.shape[1]} {where}")
    if values.ndim != 1:
        raise invalid(f"Input values should be a vector but received shape {dims_text(values.shape)} {where}")
    if len(values) != len(indices):
        raise invalid(f"Expected size of values to be {len(indices)} got {len(values)} {where}")
    if shape.ndim != 1:
        raise invalid(f"Input shapes should be a vector but received shape {dims_text(shape.shape)} {where}")
    if len(shape) != 2:
        raise invalid(f"shape should imply a 2D tensor, but got {dims_text(shape.shape)} {where}")


def _features(
    indices: list[Array], values: list[Array], shapes: list[Array], dense_inputs: list[Array]
) -> tuple[list[CrossedFeature], list[CrossedFeature]]:
    """Returns the sparse and the dense features, all of the same number of rows.

    Raises: InvalidArgumentError: if a tensor is of another shape than expected.
    """
    for position, parts in enumerate(zip(indices, values, shapes, strict=True)):
        _check_sparse(*parts, position)
    for position, dense in enumerate(dense_inputs):
        if dense.ndim != 2:
            received = f"received shape {dims_text(dense.shape)} at position {position}"
            raise invalid(f"Dense inputs should be a matrix but {received}")
    row_counts = [(int(shape[0]), f"position {i}") for i, shape in enumerate(shapes)]
    row_counts += [(len(dense), f"dense tensor {i}") for i, dense in enumerate(dense_inputs)]
    for count, where in row_counts:
        if count != row_counts[0][0]:
            raise invalid(f"Expected batch size {row_counts[0][0]} got {count} at {where}")
    sparse = [sparse_feature(i, v, int(s[0])) for i, v, s in zip(indices, values, shapes, strict=True)]
    return sparse, [dense_feature(dense) for dense in dense_inputs]


def _cross(
    features: Sequence[CrossedFeature], dtype: DType, combine: Callable[[Sequence[Array]], Array]
) -> tuple[Array, Array, Array]:
    """Combines the features; returns the parts of a sparse matrix.

    Args:
      features: the features.
      dtype: the dtype of the combinations.
      combine: the function from the positions of each feature's values to the combined values.
    """
    if not features:
        return np.zeros((0, 2), np.int64), np.zeros(0, dtype.np_dtype), np.zeros(2, np.int64)
    splits, positions = combinations(features)
    counts = np.diff(splits)
    rows = np.repeat(np.arange(len(counts)), counts)
    indices = np.stack([rows, np.arange(len(rows)) - splits[:-1][rows]], axis=1)
    return indices, combine(positions), np.array([len(counts), counts.max(initial=0)], np.int64)


# --- text ------------------------------------------------------------------------------------------------------------


@op(
    "SparseCrossV2",
    f"{_INPUTS}, sep: string -> output_indices: int64, output_values: string, output_shape: int64",
    sparse_types=TypeList(_VALUES),
    dense_types=TypeList(_VALUES),
    shape=_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def sparse_cross_v2(
    xp: Xp,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    sep: Array,
) -> tuple[Array, Array, Array]:
    """Joins, row by row, every value of each feature with every value of the others; the last feature runs fastest."""
    sparse, dense = _features(indices, values, shapes, dense_inputs)
    if sep.ndim:
        shown = f"Tensor<type: string shape: {dims_text(sep.shape)} values: {b' '.join(sep.reshape(-1)).decode()}>"
        raise invalid(f"Input separator should be a scalar. Received: {shown}")
    features = [*sparse, *dense]
    return _cross(features, string, lambda positions: join_texts(features, positions, sep[()]))


# --- hashes ----------------------------------------------------------------------------------------------------------


@op(
    "SparseCross",
    f"{_INPUTS} -> output_indices: int64, output_values: out_type, output_shape: int64",
    sparse_types=TypeList(_VALUES),
    dense_types=TypeList(_VALUES),
    out_type=_VALUES,
    internal_type=_VALUES,
    shape=_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def sparse_cross(
    xp: Xp,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
    internal_type: DType,
) -> tuple[Array, Array, Array]:
    """Joins the text of every combination of a row by `_X_`, or combines fingerprints where `out_type` is int64.

    `hashed_output` follows from `out_type`, as in TensorFlow.
    """
    if num_buckets < 0:
        raise invalid(f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 0")
    sparse, dense = _features(indices, values, shapes, dense_inputs)
    features = [*sparse, *dense]
    _check_internal_type(sparse, dense, internal_type)
    if out_type is string:
        return _cross(features, string, lambda positions: join_texts(features, positions, b"_X_"))
    hashes = [feature.fingerprints() for feature in features]
    key = np.uint64(hash_key % 2**64)
    return _cross(features, int64, lambda positions: buckets_of(combine_hashes(hashes, positions, key), num_buckets))


def _check_internal_type(
    sparse: Sequence[CrossedFeature], dense: Sequence[CrossedFeature], internal_type: DType
) -> None:
    if internal_type is not string:
        return
    for what, features in (("Input values", sparse), ("Dense inputs", dense)):
        if not all(feature.is_text for feature in features):
            numbers = f"{_TYPE_NUMBERS['string']} but received {_TYPE_NUMBERS['int64']}"
            raise invalid(f"{what} should be of internal type {numbers}")


@op(
    "SparseCrossHashed",
    f"{_INPUTS}, num_buckets: int64, strong_hash: bool, salt: int64 -> "
    "output_indices: int64, output_values: int64, output_shape: int64",
    sparse_types=TypeList(_VALUES),
    dense_types=TypeList(_VALUES),
    shape=_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def sparse_cross_hashed(
    xp: Xp,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    num_buckets: Array,
    strong_hash: Array,
    salt: Array,
) -> tuple[Array, Array, Array]:
    """Combines the hashes of every combination of a row: fingerprints, or SipHash under the key `salt`."""
    sparse, dense = _features(indices, values, shapes, dense_inputs)
    for name, scalar in (("num_buckets", num_buckets), ("strong_hash", strong_hash)):
        if scalar.size != 1:
            raise invalid(f'Input "{name}" must have one element but has shape {dims_text(scalar.shape)}')
    if salt.size != 2:
        raise invalid(f'Input "salt" must have length 2 but has length {salt.size}')
    key = [int(word) % 2**64 for word in salt.reshape(-1)]
    hash64 = (lambda texts: siphash(texts, *key)) if strong_hash.reshape(-1)[0] else fingerprints64
    hashes = [_sparse_hashes(f, hash64) for f in sparse]
    hashes += [hash64(f.values.tolist()) if f.is_text else f.fingerprints() for f in dense]
    count = int(num_buckets.reshape(-1)[0])
    features = [*sparse, *dense]
    return _cross(features, int64, lambda positions: buckets_of(combine_hashes(hashes, positions, None), count))


def _sparse_hashes(feature: CrossedFeature, hash64: Callable[[Sequence[bytes]], Array]) -> Array:
    if feature.is_text:
        return hash64(feature.values.tolist())
    low_bytes = feature.values.astype("<i8").view("<u4")[::2].tolist()
    return hash64([number.to_bytes(4, "little") for number in low_bytes])
