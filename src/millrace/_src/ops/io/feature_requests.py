"""From descriptions of features to the arguments of an op that reads Examples.

An op takes three lists of keys: of features that become sparse, dense and ragged tensors. A `Request` collects the
lists from the descriptions, in the order of the keys, and refuses what does not go together. One description may need
several keys: a `SparseFeature` those of its indices and values, a `RaggedFeature` those of its partitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int64, string
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.io.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)


class Dense(NamedTuple):
    """A feature that becomes a dense tensor."""

    dtype: DType
    shape: TensorShape
    default: Any


class Ragged(NamedTuple):
    """A feature that becomes a ragged tensor."""

    dtype: DType
    split_dtype: DType


@dataclass
class Request:
    """The features that an op is asked for, by key."""

    sparse: dict[Any, DType] = field(default_factory=dict)
    dense: dict[Any, Dense] = field(default_factory=dict)
    ragged: dict[Any, Ragged] = field(default_factory=dict)
    assumed_empty: set[Any] = field(default_factory=set)
    """The dense feature lists that may be missing."""

    def add_sparse(self, key: object, dtype: DTypeLike) -> None:
        """Adds a sparse feature."""
        dtype = as_dtype(dtype)
        if self.sparse.setdefault(key, dtype) is not dtype:
            raise ValueError(f"Conflicting type {self.sparse[key]} vs {dtype} for feature {key}.")

    def add_ragged(self, key: object, dtype: DTypeLike, split_dtype: DType) -> None:
        """Adds a ragged feature."""
        wanted = Ragged(as_dtype(dtype), split_dtype)
        known = self.ragged.setdefault(key, wanted)
        if known.dtype is not wanted.dtype:
            raise ValueError(f"Conflicting type {known.dtype} vs {wanted.dtype} for feature {key}.")
        if known.split_dtype is not split_dtype:
            raise ValueError(f"Conflicting row_splits_dtype {known.split_dtype} vs {split_dtype} for feature {key}.")

    def check_keys(self) -> None:
        """Refuses a key that stands in two of the lists."""
        lists = (("Dense", self.dense), ("Sparse", self.sparse), ("Ragged", self.ragged))
        for first, second in ((0, 1), (0, 2), (2, 1)):
            (name, keys), (other_name, other_keys) = lists[first], lists[second]
            shared_keys = set(keys) & set(other_keys)
            if shared_keys:
                raise ValueError(
                    f"{name} and {other_name.lower()} keys must not intersect; {name.lower()}_keys: {list(keys)}, "
                    f"{other_name.lower()}_keys: {list(other_keys)}, intersection: {shared_keys}"
                )


def request_of(features: Mapping[Any, Any] | None, allowed: tuple[type, ...]) -> Request:
    """Collects what descriptions ask for.

    Args:
      features: the descriptions by key.
      allowed: the kinds of description that the caller takes.

    Raises: ValueError: if a description is incomplete, of another kind, or at odds with another one.
    """
    request = Request()
    for key in sorted(features or {}):
        feature = (features or {})[key]
        kind = next((kind for kind in allowed if isinstance(feature, kind)), None)
        if kind is None:
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
        _ADD[kind](request, key, feature)
    request.check_keys()
    return request


def _check_type(key: object, feature: Any) -> None:
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}{_full_stop(feature)}")


def _full_stop(feature: object) -> str:
    return "" if isinstance(feature, VarLenFeature) else "."


def _add_var_len(request: Request, key: object, feature: VarLenFeature) -> None:
    _check_type(key, feature)
    request.add_sparse(key, feature.dtype)


def _add_fixed_len(request: Request, key: object, feature: FixedLenFeature) -> None:
    _check_type(key, feature)
    _check_shape(key, feature)
    shape = TensorShape(feature.shape)
    if shape.rank and shape[0] is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. "
            f"Received feature={feature}."
        )
    request.dense[key] = Dense(as_dtype(feature.dtype), shape, feature.default_value)


def _check_shape(key: object, feature: Any) -> None:
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")


def _add_sequence(request: Request, key: object, feature: FixedLenSequenceFeature) -> None:
    _check_type(key, feature)
    _check_shape(key, feature)
    request.dense[key] = Dense(as_dtype(feature.dtype), TensorShape(feature.shape), feature.default_value)
    if feature.allow_missing:
        request.assumed_empty.add(key)


def _add_sparse(request: Request, key: object, feature: SparseFeature) -> None:
    for part in ("index_key", "value_key"):
        if not getattr(feature, part):
            raise ValueError(f"Missing {part} for SparseFeature {feature}.")
    _check_type(key, feature)
    index_keys = feature.index_key if isinstance(feature.index_key, (list, tuple)) else [feature.index_key]
    for index_key in sorted(index_keys):
        request.add_sparse(index_key, int64)
    request.add_sparse(feature.value_key, feature.dtype)


def _add_ragged(request: Request, key: object, feature: RaggedFeature) -> None:
    value_key = key if feature.value_key is None else feature.value_key
    request.add_ragged(value_key, feature.dtype, feature.row_splits_dtype)
    for partition in feature.partitions:
        if not isinstance(partition, UniformRowLength):
            request.add_ragged(partition.key, int64, feature.row_splits_dtype)


_ADD: dict[type, Callable[[Request, Any, Any], None]] = {
    VarLenFeature: _add_var_len,
    FixedLenFeature: _add_fixed_len,
    FixedLenSequenceFeature: _add_sequence,
    SparseFeature: _add_sparse,
    RaggedFeature: _add_ragged,
}


def default_tensors(dense: Mapping[Any, Dense]) -> list[Any]:
    """Returns the tensors of the defaults of dense features, as the ops take such: an empty vector for no default."""
    return [_padding(key, feature) if _is_padded(feature) else _default(key, feature) for key, feature in dense.items()]


def _is_padded(feature: Dense) -> bool:
    return bool(feature.shape.rank) and feature.shape[0] is None


def _padding(key: object, feature: Dense) -> Any:
    if feature.default is None:
        return constant("" if feature.dtype is string else 0, dtype=feature.dtype)
    return raw.Reshape(tensor=_tensor(feature, f"padding_{_sanitize(key)}"), shape=[])


def _default(key: object, feature: Dense) -> Any:
    if feature.default is None:
        return constant([], dtype=feature.dtype)
    return raw.Reshape(tensor=_tensor(feature, f"key_{_sanitize(key)}"), shape=feature.shape)


def _tensor(feature: Dense, name: str) -> Any:
    if isinstance(feature.default, Tensor):
        return feature.default
    return convert_to_tensor(feature.default, dtype=feature.dtype, name=name)


def _sanitize(key: Any) -> str:
    """Returns a key with all characters replaced that names of operations cannot have."""
    return re.sub(r"[^A-Za-z0-9_.\-/]", "_", key.decode() if isinstance(key, bytes) else key)
