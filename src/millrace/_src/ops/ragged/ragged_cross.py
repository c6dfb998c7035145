"""`tf.ragged.cross` and `cross_hashed`: in each row, every combination of one value of each feature."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import int32, int64, string
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export

_DEFAULT_KEY = 0xDECAFCAFFE
"""The key that TensorFlow hashes with where none is given."""


@export("ragged.cross")
def ragged_cross(inputs: TensorLike, name: str | None = None) -> Any:
    """Combines, row by row, every value of each feature with every value of the others.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>

    Args:
      inputs: a list of matrices of strings or integers: Tensors, RaggedTensors and SparseTensors of as many rows.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of strings, the texts of the values joined by `_X_`.
    Raises:
      TypeError: if `inputs` is not a list.
      ValueError: if a feature is of another dtype, or a ragged one of another rank.
      tf.errors.InvalidArgumentError: if the numbers of rows differ, or a feature is of another rank.
    """
    return _cross(inputs, name, hashed_output=False)


@export("ragged.cross_hashed")
def ragged_cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Combines features as `tf.ragged.cross` does, and gives each combination a number.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]], num_buckets=100).shape
    TensorShape([2, None])

    Args:
      inputs: a list of matrices, as for `tf.ragged.cross`.
      num_buckets: the numbers are below this; 0 leaves them as they are hashed.
      hash_key: another key gives other numbers.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of int64.
    Raises: as `tf.ragged.cross`.
    """
    return _cross(inputs, name, hashed_output=True, num_buckets=num_buckets, hash_key=hash_key)


def _cross(
    inputs: object, name: str | None, hashed_output: bool, num_buckets: int = 0, hash_key: int | None = None
) -> Any:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    with name_scope(name, "RaggedCross"):
        features = [_feature(value, i) for i, value in enumerate(inputs)]
        ragged = [feature for feature in features if isinstance(feature, RaggedTensor)]
        sparse = [feature for feature in features if isinstance(feature, SparseTensor)]
        dense = [feature for feature in features if not isinstance(feature, (RaggedTensor, SparseTensor))]
        splits_dtype = int32 if ragged and all(r.row_splits.dtype is int32 for r in ragged) else int64
        values, splits = raw.RaggedCross(
            ragged_values=[feature.flat_values for feature in ragged],
            ragged_row_splits=[feature.row_splits for feature in ragged],
            sparse_indices=[feature.indices for feature in sparse],
            sparse_values=[feature.values for feature in sparse],
            sparse_shape=[feature.dense_shape for feature in sparse],
            dense_inputs=dense,
            input_order="".join(map(_letter, features)),
            hashed_output=hashed_output,
            num_buckets=num_buckets,
            hash_key=_DEFAULT_KEY if hash_key is None else hash_key,
            out_values_type=int64 if hashed_output else string,
            out_row_splits_type=splits_dtype,
        )
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _letter(feature: object) -> str:
    return "R" if isinstance(feature, RaggedTensor) else "S" if isinstance(feature, SparseTensor) else "D"


def _feature(value: Any, number: int) -> Any:
    """Returns a feature whose values are strings or int64."""
    feature = value if isinstance(value, SparseTensor) else convert_to_tensor_or_ragged_tensor(value)
    if isinstance(feature, RaggedTensor):
        if feature.ragged_rank != 1 or feature.flat_values.shape.rank not in (1, None):
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    if not (feature.dtype is string or feature.dtype.is_integer):
        raise ValueError(f"Unexpected dtype for inputs[{number}]: {feature.dtype}")
    return cast(feature, int64) if feature.dtype.is_integer else feature
