"""`tf.io.parse_example` and `tf.io.parse_single_example`: serialized Examples become a dictionary of tensors.

The descriptions of the features become the lists of keys that the op `ParseExampleV2` takes, and what the op returns
becomes the tensors that the descriptions ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.ops import raw
from millrace._src.ops.grouping import with_dependencies
from millrace._src.ops.io.feature_composites import merge_sparse_tensor, ragged_feature
from millrace._src.ops.io.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from millrace._src.ops.io.feature_requests import Request, default_tensors, request_of
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export

_KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
_NOT_SCALAR = "Input serialized must be a scalar"


@export("io.parse_example", v1=[])
def parse_example(
    serialized: Any, features: Mapping[Any, Any], example_names: TensorLike | None = None, name: str | None = None
) -> Any:
    """Reads `tf.train.Example` messages into tensors.

    >>> def example(number):
    ...     numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[number, 2 * number]))
    ...     return tf.train.Example(features=tf.train.Features(feature={"n": numbers})).SerializeToString()
    >>> tf.io.parse_example([example(1), example(5)], {"n": tf.io.FixedLenFeature([2], tf.int64)})["n"].numpy()
    array([[ 1,  2],
           [ 5, 10]])

    Args:
      serialized: a vector of serialized Examples, or a single one, a string Tensor.
      features: what to read: a dictionary from names to `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`,
        `SparseFeature` or `RaggedFeature`.
      example_names: a name for each Example, for messages; a string Tensor of the shape of `serialized`.
      name: name of the scope in a graph.

    Returns: A dictionary from names to tensors: Tensors, SparseTensors and RaggedTensors, as described. A vector of
      Examples gives tensors with the Examples first.
    Raises:
      TypeError: if `features` is not a dictionary.
      ValueError: if `features` is empty or a description is not complete.
      tf.errors.InvalidArgumentError: if an Example cannot be read, lacks a feature, or has other values than described.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    if not isinstance(features, Mapping):
        raise TypeError(f"Argument `features` must be a dictionary from names to descriptions. Got {features!r}")
    request = request_of_examples(features)
    with name_scope(name, "ParseExample"):
        serialized = convert_to_tensor(serialized, dtype=string, name="serialized")
        if request.ragged and serialized.shape.rank is None:
            raise ValueError("serialized must have statically-known rank to parse ragged features.")
        found = raw.ParseExampleV2(
            serialized=serialized,
            names=[] if example_names is None else example_names,
            sparse_keys=list(request.sparse),
            dense_keys=list(request.dense),
            ragged_keys=list(request.ragged),
            dense_defaults=default_tensors(request.dense),
            num_sparse=len(request.sparse),
            sparse_types=list(request.sparse.values()),
            ragged_value_types=[feature.dtype for feature in request.ragged.values()],
            ragged_split_types=[feature.split_dtype for feature in request.ragged.values()],
            dense_shapes=[feature.shape for feature in request.dense.values()],
            name=name,
        )
    return _tensors_of(features, request, found, serialized.shape.rank == 0)


def request_of_examples(features: Mapping[Any, Any]) -> Request:
    """Collects what descriptions of the features of batches of Examples ask for.

    Raises: ValueError: if a description is not complete.
    """
    return request_of({key: _with_rows(feature) for key, feature in features.items()}, _KINDS)


def _with_rows(feature: object) -> Any:
    """Returns a description in which the rows of a `FixedLenSequenceFeature` are a first dimension of any size."""
    if not isinstance(feature, FixedLenSequenceFeature):
        return feature
    if not feature.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    return feature._replace(shape=[None, *feature.shape])


def _tensors_of(features: Mapping[Any, Any], request: Request, found: Any, is_single: bool) -> dict[Any, Any]:
    """Returns what the descriptions ask for, made of what the op returned."""
    sparse_parts = zip(found.sparse_indices, found.sparse_values, found.sparse_shapes, strict=True)
    sparse = dict(zip(request.sparse, sparse_parts, strict=True))
    ragged_parts = zip(found.ragged_values, *([] if is_single else [found.ragged_row_splits]), strict=True)
    ragged = dict(zip(request.ragged, ragged_parts, strict=True))
    tensors: dict[Any, Any] = {}
    for key in request.sparse:
        if isinstance(features.get(key), VarLenFeature):
            tensors[key] = SparseTensor(*sparse[key])
    tensors.update(zip(request.dense, found.dense_values, strict=True))
    for key, feature in features.items():
        if isinstance(feature, RaggedFeature):
            tensors[key] = ragged_feature(key, feature, ragged)
        elif isinstance(feature, SparseFeature):
            tensors[key] = merge_sparse_tensor(feature, sparse)
    return tensors


@export("io.parse_single_example", v1=[])
def parse_single_example(
    serialized: TensorLike,
    features: Mapping[Any, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Reads one `tf.train.Example` message into tensors.

    >>> numbers = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 1.5]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"x": numbers})).SerializeToString()
    >>> tf.io.parse_single_example(example, {"x": tf.io.FixedLenFeature([2], tf.float32)})["x"].numpy()
    array([0.5, 1.5], dtype=float32)

    Args:
      serialized: a serialized Example, a scalar string Tensor.
      features: what to read, as for `tf.io.parse_example`.
      example_names: a name for the Example, for messages; a scalar string Tensor.
      name: name of the scope in a graph.

    Returns: A dictionary from names to tensors.
    Raises:
      TypeError: if `features` is not a dictionary.
      ValueError: if `serialized` is not a scalar, `features` is empty, or a description is not complete.
      tf.errors.InvalidArgumentError: if the Example cannot be read, lacks a feature, or is not as described.
    """
    if not features:
        raise ValueError(f"Invalid argument: features cannot be {'None' if features is None else 'empty'}.")
    with name_scope(name, "ParseSingleExample"):
        serialized = single(convert_to_tensor(serialized, dtype=string, name="serialized"))
        return parse_example(serialized, features, example_names, name)


def single(serialized: Any) -> Any:
    """Returns a string tensor, which must be a scalar; a graph checks that as it runs if the rank is not known."""
    if serialized.shape.rank is None:
        is_scalar = raw.Equal(x=raw.Rank(input=serialized), y=0)
        with name_scope("SerializedIsScalar"):
            assertion = raw.Assert(condition=is_scalar, data=[_NOT_SCALAR], name="Assert")
        return with_dependencies([assertion], serialized)
    if serialized.shape.rank:
        raise ValueError(_NOT_SCALAR)
    return serialized
