"""`tf.data.experimental.parse_example_dataset`: batches of serialized Examples become dictionaries of tensors.

The Examples of a block of batches are parsed at once, where all features have fixed shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64, string
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor
from millrace._src.data.dataset_base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.nodes import DATASET, PassContext, UnaryNode, node_of
from millrace._src.data.parallel_functions import ParallelFunction
from millrace._src.data.parallelism import determinism, is_deterministic, validate_calls
from millrace._src.data.transforms.map_elements import MapCursor, map_
from millrace._src.ops.io.example_fields import Column, Field, FieldLayout
from millrace._src.ops.io.example_tensors import dense_fields, dense_tensor, ragged_parts, sparse_parts
from millrace._src.ops.io.feature_composites import merge_sparse_tensor, ragged_feature
from millrace._src.ops.io.feature_configs import RaggedFeature, SparseFeature
from millrace._src.ops.io.feature_requests import Request, default_tensors
from millrace._src.ops.io.parse_example_ops import SPLITS, VALUES, read_columns
from millrace._src.ops.io.parsing import request_of_examples
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.variant import RaggedVariant
from millrace._src.ops.sparse.serialized import HeldTensor
from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.util.export import export


class ParsedPart(NamedTuple):
    """A feature to read, and what makes the array of its component of the column that was read."""

    field: Field
    array_of: Callable[[Column], Array]


class Parser:
    """Reads batches of serialized Examples.

    Args:
      parts: the features, in the order of their components.
      is_fixed: whether all are dense tensors of fixed shapes.
    """

    is_pure = True

    def __init__(self, parts: Sequence[ParsedPart], is_fixed: bool) -> None:
        self._parts, self._is_fixed = parts, is_fixed
        self._fields = [part.field for part in parts]

    def call_row(self, row: Sequence[Array], index: int | None = None) -> list[Array]:
        """Returns the arrays of one batch; its index says nothing in the messages of Examples."""
        (serialized,) = row
        columns = read_columns(serialized, self._fields, None)
        return [part.array_of(column) for column, part in zip(columns, self._parts, strict=True)]

    def call_block(self, block: Block) -> Block | None:
        """Returns the tensors of all batches of a block; None if batches or features differ in shape."""
        serialized = block.columns[0]
        if not self._is_fixed or not isinstance(serialized, np.ndarray):
            return None
        try:
            tensors = self.call_row([serialized.reshape(-1)])
        except errors.OpError:
            return None  # batch by batch, the error will say which batch it belongs to
        shape = serialized.shape
        return Block([tensor.reshape(*shape, *tensor.shape[1:]) for tensor in tensors], block.count)


@dataclass(eq=False, repr=False)
class ParseExampleNode(UnaryNode):
    """The tensors of the Examples of each batch.

    Attributes:
      parser: reads a batch.
      calls: how many batches may be read at a time.
      deterministic: whether results come in the order of the batches, as the attribute says.
    """

    parser: Parser
    calls: int
    deterministic: str

    def cardinality(self) -> int:
        """Returns the number of batches."""
        return self.source.cardinality()

    def cursor(self, context: PassContext) -> Cursor:
        """Starts a pass over the batches."""
        is_ordered = is_deterministic(self.deterministic, context)
        source = self.source.cursor(context)
        return MapCursor(ParallelFunction(self.parser, source, self.calls, is_ordered, self.source.reads_ahead))


# --- ops ---------------------------------------------------------------------------------------------------------

_PARSING: dict[str, Any] = {
    "Tdense": VALUES,
    "sparse_types": VALUES,
    "ragged_value_types": VALUES,
    "ragged_split_types": SPLITS,
    **DATASET,
}


@op(
    "ParseExampleDatasetV2",
    "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense -> handle: variant",
    **_PARSING,
)
def parse_example_dataset_v2(
    xp: Xp,
    input_dataset: Array,
    num_parallel_calls: Array,
    dense_defaults: list[Array],
    *,
    sparse_keys: list[str],
    dense_keys: list[str],
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[TensorShape],
    output_types: list[DType],
    output_shapes: list[TensorShape],
    deterministic: str = "default",
    ragged_keys: list[str] = (),  # type: ignore[assignment]  # an attribute's default is never changed
    ragged_value_types: list[DType] = (),  # type: ignore[assignment]  # the same
    ragged_split_types: list[DType] = (),  # type: ignore[assignment]  # the same
) -> Any:
    """Makes a dataset of the tensors of the Examples of each batch."""
    parts = _dense_parts(_keys(dense_keys), Tdense, dense_shapes, dense_defaults)
    is_fixed = not sparse_keys and not ragged_keys and all(shape.is_fully_defined() for shape in dense_shapes)
    parts += _sparse_parts(_keys(sparse_keys), sparse_types)
    parts += _ragged_parts(_keys(ragged_keys), ragged_value_types, ragged_split_types)
    parser = Parser(sorted(parts, key=lambda part: part.field.key), is_fixed)
    calls = validate_calls(int(num_parallel_calls))
    source = node_of(input_dataset)
    return ParseExampleNode(tuple(output_types), tuple(output_shapes), source, parser, calls, deterministic)


@op(
    "ParseExampleDataset",
    "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense -> handle: variant",
    **_PARSING,
)
def parse_example_dataset_v1(
    xp: Xp,
    input_dataset: Array,
    num_parallel_calls: Array,
    dense_defaults: list[Array],
    *,
    sparse_keys: list[str],
    dense_keys: list[str],
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[TensorShape],
    output_types: list[DType],
    output_shapes: list[TensorShape],
    sloppy: bool = False,
    ragged_keys: list[str] = (),  # type: ignore[assignment]  # an attribute's default is never changed
    ragged_value_types: list[DType] = (),  # type: ignore[assignment]  # the same
    ragged_split_types: list[DType] = (),  # type: ignore[assignment]  # the same
) -> Any:
    """Makes a dataset of the tensors of the Examples of each batch; the older op."""
    return parse_example_dataset_v2.op_def.kernel(
        xp,
        input_dataset,
        num_parallel_calls,
        dense_defaults,
        sparse_keys=sparse_keys,
        dense_keys=dense_keys,
        sparse_types=sparse_types,
        Tdense=Tdense,
        dense_shapes=dense_shapes,
        output_types=output_types,
        output_shapes=output_shapes,
        deterministic=determinism(not sloppy),
        ragged_keys=ragged_keys,
        ragged_value_types=ragged_value_types,
        ragged_split_types=ragged_split_types,
    )


@op(
    "ExperimentalParseExampleDataset",
    "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense -> handle: variant",
    Tdense=VALUES,
    sparse_types=VALUES,
    **DATASET,
)
def experimental_parse_example_dataset(
    xp: Xp,
    input_dataset: Array,
    num_parallel_calls: Array,
    dense_defaults: list[Array],
    *,
    sparse_keys: list[str],
    dense_keys: list[str],
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[TensorShape],
    output_types: list[DType],
    output_shapes: list[TensorShape],
    sloppy: bool = False,
) -> Any:
    """Makes a dataset of the tensors of the Examples of each batch; the oldest op."""
    return parse_example_dataset_v1.op_def.kernel(
        xp,
        input_dataset,
        num_parallel_calls,
        dense_defaults,
        sparse_keys=sparse_keys,
        dense_keys=dense_keys,
        sparse_types=sparse_types,
        Tdense=Tdense,
        dense_shapes=dense_shapes,
        output_types=output_types,
        output_shapes=output_shapes,
        sloppy=sloppy,
    )


# --- the components of an element ----------------------------------------------------------------------------------


def _keys(keys: Sequence[Any]) -> list[bytes]:
    return [attr_bytes(key) for key in keys]


def _dense_parts(
    keys: list[bytes], dtypes: list[DType], shapes: list[TensorShape], defaults: list[Array]
) -> list[ParsedPart]:
    fields = zip(dense_fields(keys, dtypes, shapes, defaults), defaults, strict=True)
    return [ParsedPart(field, partial(_dense, field=field, default=default)) for field, default in fields]


def _dense(column: Column, field: Field, default: Array) -> Array:
    return dense_tensor(column, field, default, False)


def _sparse_parts(keys: list[bytes], dtypes: list[DType]) -> list[ParsedPart]:
    pairs = zip(keys, dtypes, strict=True)
    return [ParsedPart(Field(key, dtype, FieldLayout.SPARSE), partial(_sparse, dtype=dtype)) for key, dtype in pairs]


def _sparse(column: Column, dtype: DType) -> Array:
    """Returns the variants of a sparse tensor."""
    indices, values, shape = sparse_parts(column, False)
    entries = np.empty(3, object)
    entries[:] = [HeldTensor(indices, int64), HeldTensor(values, dtype), HeldTensor(shape, int64)]
    return entries


def _ragged_parts(keys: list[bytes], dtypes: list[DType], split_dtypes: list[DType]) -> list[ParsedPart]:
    columns = zip(keys, dtypes, split_dtypes, strict=True)
    return [
        ParsedPart(Field(key, dtype, FieldLayout.RAGGED), partial(_ragged, dtype=dtype, split_dtype=split_dtype))
        for key, dtype, split_dtype in columns
    ]


def _ragged(column: Column, dtype: DType, split_dtype: DType) -> Array:
    """Returns the variant of a ragged tensor."""
    values, splits = ragged_parts(column, split_dtype, False)
    boxed = np.empty((), object)
    boxed[()] = RaggedVariant([splits], values, split_dtype, dtype)
    return boxed


# --- the function ------------------------------------------------------------------------------------------------


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Mapping[Any, Any] | None, num_parallel_calls: TensorLike = 1, deterministic: bool | None = None
) -> Callable[[DatasetBase], Any]:
    """Returns a function for `Dataset.apply` that reads batches of serialized `tf.train.Example` messages.

    >>> def example(number):
    ...     numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
    ...     return tf.train.Example(features=tf.train.Features(feature={"n": numbers})).SerializeToString()
    >>> batches = tf.data.Dataset.from_tensor_slices([example(n) for n in range(3)]).batch(2)
    >>> parse = tf.data.experimental.parse_example_dataset({"n": tf.io.FixedLenFeature([], tf.int64)})
    >>> [batch["n"].tolist() for batch in batches.apply(parse).as_numpy_iterator()]
    [[0, 1], [2]]

    Args:
      features: what to read: a dictionary from names to `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`,
        `SparseFeature` or `RaggedFeature`, as for `tf.io.parse_example`.
      num_parallel_calls: how many batches may be read at a time; `tf.data.AUTOTUNE` lets the runtime choose.
      deterministic: whether results come in the order of the batches; None leaves that to the options.

    Returns: A function from a dataset of vectors of strings to a dataset of dictionaries of tensors, sparse and ragged
      tensors.
    Raises:
      ValueError: if `features` is None, or a description is not complete.
      TypeError: while applying the function, if the elements are not vectors of strings.
      tf.errors.InvalidArgumentError: while iterating, if an Example cannot be read.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    request = request_of_examples(features)

    def apply(dataset: DatasetBase) -> Any:
        batch = dataset.element_spec
        if not isinstance(batch, TensorSpec) or batch.shape.rank != 1 or batch.dtype is not string:
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings. Instead it is `{dataset.element_spec}`."
            )
        parsed = apply_op(
            "_ParseExampleDataset",
            parse_example_dataset_v2,
            [dataset, int64_tensor(num_parallel_calls, "num_parallel_calls"), default_tensors(request.dense)],
            _specs(request, batch.shape),
            inputs=[dataset],
            deterministic=determinism(deterministic),
            **_attrs(request),
        )
        if not any(isinstance(feature, (SparseFeature, RaggedFeature)) for feature in features.values()):
            return parsed
        return map_(parsed, lambda found: _assemble(features, found), num_parallel_calls, deterministic)

    return apply


def _specs(request: Request, batch: TensorShape) -> dict[Any, Any]:
    """Returns the specs of what the op gives for each key."""
    rows = batch.concatenate([None])
    return {
        **{key: TensorSpec(batch.concatenate(feature.shape), feature.dtype) for key, feature in request.dense.items()},
        **{key: SparseTensorSpec(rows, dtype) for key, dtype in request.sparse.items()},
        **{key: RaggedTensorSpec(rows, kind.dtype, 1, kind.split_dtype) for key, kind in request.ragged.items()},
    }


def _attrs(request: Request) -> dict[str, Any]:
    ragged = request.ragged.values()
    return {
        "sparse_keys": list(request.sparse),
        "sparse_types": list(request.sparse.values()),
        "dense_keys": list(request.dense),
        "dense_shapes": [feature.shape for feature in request.dense.values()],
        "ragged_keys": list(request.ragged),
        "ragged_value_types": [kind.dtype for kind in ragged],
        "ragged_split_types": [kind.split_dtype for kind in ragged],
    }


def _assemble(features: Mapping[Any, Any], found: dict[Any, Any]) -> dict[Any, Any]:
    """Returns what the descriptions ask for, made of the features that were read."""
    sparse = {key: (v.indices, v.values, v.dense_shape) for key, v in found.items() if isinstance(v, SparseTensor)}
    ragged = {key: (v.values, v.row_splits) for key, v in found.items() if isinstance(v, RaggedTensor)}
    result: dict[Any, Any] = {}
    for key, feature in features.items():
        if isinstance(feature, RaggedFeature):
            result[key] = ragged_feature(key, feature, ragged)
        elif isinstance(feature, SparseFeature):
            result[key] = merge_sparse_tensor(feature, sparse)
        else:
            result[key] = found[key]
    return result
