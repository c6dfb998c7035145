"""`tf.sparse.cross` and `tf.sparse.cross_hashed`: crosses of features, as text or as hashes."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dtypes import int64, string
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util.export import export

_DEFAULT_KEY = 0xDECAFCAFFE


def _with_known_dtype(values: Tensor) -> Tensor:
    """Returns text as it is, numbers as int64."""
    return values if values.dtype is string else cast(values, int64)


def _split(inputs: object) -> tuple[list[SparseTensor], list[Tensor]]:
    """Returns the sparse and the dense features, of text or int64.

    Raises: TypeError: if the features are not a list, or a feature is neither a tensor nor a sparse tensor.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    features = [SparseTensor.from_value(x) if isinstance(x, SparseTensorValue) else x for x in inputs]
    if not all(isinstance(feature, (SparseTensor, Tensor)) for feature in features):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    sparse = [f.with_values(_with_known_dtype(f.values)) for f in features if isinstance(f, SparseTensor)]
    return sparse, [_with_known_dtype(f) for f in features if isinstance(f, Tensor)]


def _parts(sparse: list[SparseTensor], dense: list[Tensor]) -> dict[str, Any]:
    return {
        "indices": [feature.indices for feature in sparse],
        "values": [feature.values for feature in sparse],
        "shapes": [feature.dense_shape for feature in sparse],
        "dense_inputs": dense,
    }


@export("sparse.cross")
def sparse_cross(inputs: TensorLike, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Joins, in each row, every value of each feature with every value of the other features.

    The values of sparse features come first, whatever the order of the list.

    >>> first = tf.sparse.from_dense([["a", ""], ["b", "c"]])
    >>> tf.sparse.to_dense(tf.sparse.cross([first, tf.constant([["x"], ["y"]])])).numpy()
    array([[b'a_X_x', b''],
           [b'b_X_y', b'c_X_y']], dtype=object)

    Args:
      inputs: A list of `Tensor`s and `SparseTensor`s of rank 2 with the same number of rows; text or numbers, which
        are written as integers.
      name: A name for the operation (optional).
      separator: The text between joined values, by default "_X_".

    Returns: A `SparseTensor` of strings.
    Raises:
      TypeError: if `inputs` is not a list, or a feature is neither a tensor nor a sparse tensor.
      tf.errors.InvalidArgumentError: if the features are not matrices or the numbers of rows differ.
    """
    sparse, dense = _split(inputs)
    text = "_X_" if separator is None else separator
    return SparseTensor(*raw.SparseCrossV2(**_parts(sparse, dense), sep=text, name=name))


@export("sparse.cross_hashed")
def sparse_cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Combines, in each row, the hashes of every value of each feature with those of the other features.

    The values of sparse features come first, whatever the order of the list.

    >>> first = tf.sparse.from_dense([["a", ""], ["b", "c"]])
    >>> second = tf.constant([["d"], ["e"]])
    >>> tf.sparse.to_dense(tf.sparse.cross_hashed([first, second], num_buckets=1000)).numpy()
    array([[182,   0],
           [361, 641]])

    Args:
      inputs: A list of `Tensor`s and `SparseTensor`s of rank 2 with the same number of rows; text or integers.
      num_buckets: The number of buckets, or 0 for all numbers of int64 that are not negative.
      hash_key: An integer that the hashes depend on.
      name: A name for the operation (optional).

    Returns: A `SparseTensor` of int64.
    Raises:
      TypeError: if `inputs` is not a list, or a feature is neither a tensor nor a sparse tensor.
      tf.errors.InvalidArgumentError: if the features are not matrices or the numbers of rows differ.
    """
    sparse, dense = _split(inputs)
    dtypes = [*(feature.dtype for feature in sparse), *(feature.dtype for feature in dense)]
    facts = {
        "hashed_output": True,
        "num_buckets": num_buckets,
        "hash_key": _DEFAULT_KEY if hash_key is None else hash_key,
        "out_type": int64,
        "internal_type": string if dtypes and int64 not in dtypes else int64,
    }
    return SparseTensor(*raw.SparseCross(**_parts(sparse, dense), **facts, name=name))
