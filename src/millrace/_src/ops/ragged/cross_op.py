"""The op behind `tf.ragged.cross`: in each row, every combination of one value of each feature.

A feature is ragged, sparse or dense; all three are rows of values. `sparse.cross_features` combines the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64, string
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeList, TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import vector, with_rank
from millrace._src.ops.sparse.cross_features import (
    CrossedFeature,
    buckets_of,
    combinations,
    combine_hashes,
    dense_feature,
    join_texts,
    sparse_feature,
)
from millrace._src.ops.type_sets import INDEX

_VALUES = TypeSet((int64, string))
_RANK = "tf.ragged.cross only supports inputs with rank=2."


def _cross_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    splits = [with_rank(shape, 1)[0] for shape in c.shapes("ragged_row_splits")]
    rows = [with_rank(shape, 2)[0] for shape in c.shapes("dense_inputs")]
    sizes = {*splits, *(None if count is None else count + 1 for count in rows)} - {None}
    if len(sizes) > 1:
        raise ValueError("inputs must all have the same batch dimension size.")
    return vector(None), vector(next(iter(sizes), None))


def _ragged_feature(values: Array, splits: Array) -> CrossedFeature:
    start = "Invalid ragged splits: "
    if not splits.size:
        raise invalid(f"{start}ragged splits must have at least one splits, but is empty")
    if splits[0]:
        raise invalid(f"{start}first element of ragged splits  must be 0 but is {splits[0]}")
    lengths = np.diff(splits)
    if (lengths < 0).any():
        at = int(np.argmax(lengths < 0)) + 1
        order = f"ragged_splits[{at}]={splits[at]} is smaller than row_splits[{at - 1}]={splits[at - 1]}"
        raise invalid(f"{start}ragged splits must be monotonically increasing, but {order}")
    if splits[-1] != values.size:
        last = f"last element of ragged splits must be the number of ragged values({values.size})"
        raise invalid(f"{start}{last} but is {splits[-1]}")
    return CrossedFeature(values, splits[:-1].astype(np.int64), lengths.astype(np.int64))


def _sparse_feature(indices: Array, values: Array, shape: Array) -> CrossedFeature:
    if indices.ndim != 2 or indices.shape[1] != 2 or shape.shape != (2,):
        raise invalid(_RANK)
    return sparse_feature(indices, values, int(shape[0]))


def _dense_feature(values: Array) -> CrossedFeature:
    if values.ndim != 2:
        raise invalid(_RANK)
    return dense_feature(values)


def _in_order(order: str, features: dict[str, list[CrossedFeature]]) -> Iterator[CrossedFeature]:
    """Yields the features in the order that `order` states, a letter for each."""
    if len(order) != sum(map(len, features.values())):
        raise invalid("Invalid length for input_order")
    used = dict.fromkeys(features, 0)
    kinds = {"R": "ragged", "S": "sparse", "D": "dense"}
    for kind in order:
        if kind not in features:
            raise invalid("Unexpected input_order value.")
        position = used[kind]
        if position >= len(features[kind]):
            source = f"a {kinds[kind]} tensor at index {position} from a list of {len(features[kind])} tensors."
            raise invalid(f'input_order "{order}" specifies reading {source}')
        used[kind] += 1
        yield features[kind][position]


@op(
    "RaggedCross",
    "ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, sparse_indices: Nsparse * int64, "
    "sparse_values: sparse_values_types, sparse_shape: Nsparse * int64, dense_inputs: dense_types -> "
    "output_values: out_values_type, output_row_splits: out_row_splits_type",
    ragged_values_types=TypeList(_VALUES),
    ragged_splits_types=TypeList(INDEX),
    sparse_values_types=TypeList(_VALUES),
    dense_types=TypeList(_VALUES),
    out_values_type=_VALUES,
    out_row_splits_type=INDEX,
    shape=_cross_shapes,
    host_only=True,
    not_differentiable="text and integers have no gradient",
)
def ragged_cross_op(
    xp: Xp,
    ragged_values: list[Array],
    ragged_row_splits: list[Array],
    sparse_indices: list[Array],
    sparse_values: list[Array],
    sparse_shape: list[Array],
    dense_inputs: list[Array],
    *,
    input_order: str,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_values_type: DType,
    out_row_splits_type: DType,
) -> tuple[Array, Array]:
    """Combines, row by row, every value of each feature with every value of the others; the last feature runs fastest.

    Text is joined by `_X_` where `out_values_type` is string; else fingerprints are combined. `hashed_output` follows
    from `out_values_type`, as in TensorFlow.
    """
    if num_buckets < 0:
        raise invalid(f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 0")
    given = {
        "R": list(map(_ragged_feature, ragged_values, ragged_row_splits)),
        "S": list(map(_sparse_feature, sparse_indices, sparse_values, sparse_shape)),
        "D": list(map(_dense_feature, dense_inputs)),
    }
    features = list(_in_order(input_order, given))
    if not features:
        return np.zeros(0, out_values_type.np_dtype), np.zeros(1, out_row_splits_type.np_dtype)
    if len({feature.lengths.size for feature in features}) > 1:
        raise invalid("inputs must all have the same batch dimension size.")
    splits, positions = combinations(features)
    if out_values_type is string:
        values = join_texts(features, positions, b"_X_")
    else:
        hashes = [feature.fingerprints() for feature in features]
        values = buckets_of(combine_hashes(hashes, positions, np.uint64(hash_key % 2**64)), num_buckets)
    return values, splits.astype(out_row_splits_type.np_dtype)
