"""The sparse and ragged tensors that reading Examples gives, made of the parts that the ops return.

Millrace has neither SparseTensor nor RaggedTensor yet, so each function refuses; the parts that the function would wrap
are what `tf.raw_ops.ParseExampleV2` and `tf.raw_ops.ParseSequenceExampleV2` return.
"""

from __future__ import annotations

from typing import Any, NoReturn

from millrace._src.core import errors
from millrace._src.ops.io.feature_configs import RaggedFeature, SparseFeature


def sparse_tensor(key: Any, indices: Any, values: Any, dense_shape: Any) -> Any:
    """Makes the SparseTensor of a feature."""
    _refuse(key, "SparseTensor")


def merged_sparse_tensor(key: Any, feature: SparseFeature, parts: dict[Any, tuple[Any, Any, Any]]) -> Any:
    """Makes the SparseTensor that a `SparseFeature` describes.

    Args:
      key: the name of the result.
      feature: the description.
      parts: the indices, values and shapes of all sparse features, by key.
    """
    _refuse(key, "SparseTensor")


def ragged_tensor(key: Any, values: Any, *row_splits: Any) -> Any:
    """Makes the RaggedTensor of a feature; `row_splits` are the outermost first."""
    _refuse(key, "RaggedTensor")


def partitioned_ragged_tensor(key: Any, feature: RaggedFeature, parts: dict[Any, tuple[Any, ...]]) -> Any:
    """Makes the RaggedTensor that a `RaggedFeature` with partitions describes.

    Args:
      key: the name of the result.
      feature: the description.
      parts: the values and row splits of all ragged features, by key.
    """
    _refuse(key, "RaggedTensor")


def _refuse(key: Any, kind: str) -> NoReturn:
    message = f"The feature {key!r} would be a {kind}, which Millrace does not have yet."
    advice = "tf.io.FixedLenFeature and tf.io.FixedLenSequenceFeature give tensors; tf.raw_ops.ParseExampleV2 and"
    raise errors.UnimplementedError(
        None, None, f"{message} {advice} tf.raw_ops.ParseSequenceExampleV2 give the parts of a {kind}."
    )
