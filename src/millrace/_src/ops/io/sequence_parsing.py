"""`tf.io.parse_sequence_example` and `tf.io.parse_single_sequence_example`: SequenceExamples become tensors.

Both describe the context and the feature lists apart, and both are one `ParseSequenceExampleV2`, which treats a scalar
as a single SequenceExample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.ops import raw
from millrace._src.ops.io.feature_composites import ragged_feature
from millrace._src.ops.io.feature_configs import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from millrace._src.ops.io.feature_requests import Request, default_tensors, request_of
from millrace._src.ops.io.parsing import single
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export

_CONTEXT_KINDS = (VarLenFeature, FixedLenFeature, RaggedFeature)
_LIST_KINDS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)
Features = Mapping[Any, Any]


@export("io.parse_sequence_example")
def parse_sequence_example(
    serialized: TensorLike,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Reads `tf.train.SequenceExample` messages into tensors.

    >>> def steps(*numbers):
    ...     features = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in numbers]
    ...     lists = tf.train.FeatureLists(feature_list={"n": tf.train.FeatureList(feature=features)})
    ...     return tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> features = {"n": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> _, lists, lengths = tf.io.parse_sequence_example([steps(1, 2), steps(3)], sequence_features=features)
    >>> lists["n"].numpy(), lengths["n"].numpy()
    (array([[1, 2],
           [3, 0]]), array([2, 1]))

    Args:
      serialized: a vector of serialized SequenceExamples, or a single one, a string Tensor.
      context_features: what to read of the contexts: a dictionary from names to `FixedLenFeature`, `VarLenFeature` or
        `RaggedFeature`.
      sequence_features: what to read of the feature lists: a dictionary from names to `FixedLenSequenceFeature`,
        `VarLenFeature` or `RaggedFeature`.
      example_names: a name for each SequenceExample, for messages; a string Tensor.
      name: name of the scope in a graph.

    Returns: Three dictionaries: the tensors of the contexts; those of the feature lists, with the SequenceExamples
      first and padded to the longest; and the lengths of the dense feature lists.
    Raises:
      ValueError: if there is nothing to read or a description is not complete.
      tf.errors.InvalidArgumentError: if a SequenceExample cannot be read, or is not as described.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one should have values."
        )
    with name_scope(name, "ParseSequenceExample"):
        return _parse(serialized, context_features or {}, sequence_features or {}, example_names, name)


@export("io.parse_single_sequence_example", v1=["io.parse_single_sequence_example", "parse_single_sequence_example"])
def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Reads one `tf.train.SequenceExample` message into tensors.

    >>> feature = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
    >>> lists = tf.train.FeatureLists(feature_list={"x": tf.train.FeatureList(feature=[feature, feature])})
    >>> features = {"x": tf.io.FixedLenSequenceFeature([1], tf.float32)}
    >>> example = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> tf.io.parse_single_sequence_example(example, sequence_features=features)[1]["x"].numpy()
    array([[0.5],
           [0.5]], dtype=float32)

    Args:
      serialized: a serialized SequenceExample, a scalar string Tensor.
      context_features: what to read of the context, as for `tf.io.parse_sequence_example`.
      sequence_features: what to read of the feature lists, as for `tf.io.parse_sequence_example`.
      example_name: a name for the SequenceExample, for messages; a scalar string Tensor.
      name: name of the scope in a graph.

    Returns: Two dictionaries: the tensors of the context and those of the feature lists.
    Raises:
      ValueError: if `serialized` is not a scalar, there is nothing to read, or a description is not complete.
      tf.errors.InvalidArgumentError: if the SequenceExample cannot be read, or is not as described.
    """
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    with name_scope(name, "ParseSingleSequenceExample"):
        serialized = convert_to_tensor(serialized, dtype=string, name="serialized")
        with name_scope(name, "ScalarSerialized"):
            serialized = single(serialized)
        return _parse(serialized, context_features or {}, sequence_features or {}, example_name, name)[:2]


def _parse(
    serialized: Any, context_features: Features, sequence_features: Features, names: object, name: str | None
) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
    """Returns the tensors of the context, those of the feature lists, and the lengths of the dense feature lists."""
    context = request_of(context_features, _CONTEXT_KINDS)
    lists = request_of(sequence_features, _LIST_KINDS)
    for key, feature in lists.dense.items():
        if feature.default is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    with name_scope(name, "ParseSequenceExample"):
        serialized = convert_to_tensor(serialized, dtype=string, name="serialized")
        if (context.ragged or lists.ragged) and serialized.shape.rank is None:
            raise ValueError("serialized must have statically-known rank to parse ragged features.")
        found = _call(serialized, context, lists, names, name)
    is_single = serialized.shape.rank == 0
    sparse_parts = found.context_sparse_indices, found.context_sparse_values, found.context_sparse_shapes
    splits = (found.context_ragged_row_splits,)
    ragged_parts = found.context_ragged_values, *(() if is_single else splits)
    tensors = _tensors_of(context_features, context, sparse_parts, found.context_dense_values, ragged_parts)
    sparse_parts = found.feature_list_sparse_indices, found.feature_list_sparse_values, found.feature_list_sparse_shapes
    list_splits = found.feature_list_ragged_outer_splits, found.feature_list_ragged_inner_splits
    ragged_parts = found.feature_list_ragged_values, *(list_splits[1:] if is_single else list_splits)
    list_tensors = _tensors_of(sequence_features, lists, sparse_parts, found.feature_list_dense_values, ragged_parts)
    return tensors, list_tensors, dict(zip(lists.dense, found.feature_list_dense_lengths, strict=True))


def _call(serialized: object, context: Request, lists: Request, names: object, name: str | None) -> Any:
    """Calls the op."""
    return raw.ParseSequenceExampleV2(
        serialized=serialized,
        debug_name=[] if names is None else names,
        context_sparse_keys=list(context.sparse),
        context_dense_keys=list(context.dense),
        context_ragged_keys=list(context.ragged),
        feature_list_sparse_keys=list(lists.sparse),
        feature_list_dense_keys=list(lists.dense),
        feature_list_ragged_keys=list(lists.ragged),
        feature_list_dense_missing_assumed_empty=[key in lists.assumed_empty for key in lists.dense],
        context_dense_defaults=default_tensors(context.dense),
        Ncontext_sparse=len(context.sparse),
        context_sparse_types=list(context.sparse.values()),
        context_ragged_value_types=[feature.dtype for feature in context.ragged.values()],
        context_ragged_split_types=[feature.split_dtype for feature in context.ragged.values()],
        context_dense_shapes=[feature.shape for feature in context.dense.values()],
        Nfeature_list_sparse=len(lists.sparse),
        Nfeature_list_dense=len(lists.dense),
        feature_list_dense_types=[feature.dtype for feature in lists.dense.values()],
        feature_list_sparse_types=list(lists.sparse.values()),
        feature_list_ragged_value_types=[feature.dtype for feature in lists.ragged.values()],
        feature_list_ragged_split_types=[feature.split_dtype for feature in lists.ragged.values()],
        feature_list_dense_shapes=[feature.shape for feature in lists.dense.values()],
        name=name,
    )


def _tensors_of(features: Features, request: Request, sparse: Any, dense: Any, ragged: Any) -> dict[Any, Any]:
    """Returns what descriptions ask for, made of what the op returned."""
    tensors = {key: SparseTensor(*parts) for key, *parts in zip(request.sparse, *sparse, strict=True)}
    tensors.update(zip(request.dense, dense, strict=True))
    ragged_by_key = {key: tuple(parts) for key, *parts in zip(request.ragged, *ragged, strict=True)}
    for key, feature in features.items():
        if isinstance(feature, RaggedFeature):
            tensors[key] = ragged_feature(key, feature, ragged_by_key)
    return tensors
