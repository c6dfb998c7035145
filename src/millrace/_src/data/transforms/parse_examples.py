"""`tf.data.experimental.parse_example_dataset`: batches of serialized Examples become dictionaries of tensors.

The Examples of a block of batches are parsed at once, where all features have fixed shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, string
from millrace._src.core.op_def import op
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.base import DatasetBase, apply_op, int64_tensor
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor
from millrace._src.data.nodes import DATASET, Run, UnaryNode, node_of
from millrace._src.data.parallel_functions import ParallelFunction
from millrace._src.data.parallelism import checked_calls, determinism, is_deterministic
from millrace._src.data.transforms.map_elements import MapCursor
from millrace._src.ops.io.example_fields import Field
from millrace._src.ops.io.example_tensors import dense_fields, dense_tensor
from millrace._src.ops.io.feature_requests import default_tensors
from millrace._src.ops.io.parse_example_ops import SPLITS, VALUES, read_columns
from millrace._src.ops.io.parsing import request_of_examples
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.util.export import export


class Parser:
    """Reads batches of serialized Examples.

    Args:
      fields: the features, in the order of their tensors.
      defaults: their defaults.
    """

    is_pure = True

    def __init__(self, fields: Sequence[Field], defaults: Sequence[Array], shapes: Sequence[TensorShape]) -> None:
        self._fields, self._defaults = fields, defaults
        self._is_fixed = all(shape.is_fully_defined() for shape in shapes)

    def call_row(self, row: Sequence[Array], index: int | None = None) -> list[Array]:
        """Returns the tensors of one batch; its index says nothing in the messages of Examples."""
        (serialized,) = row
        columns = read_columns(serialized, self._fields, None)
        parts = zip(columns, self._fields, self._defaults, strict=True)
        return [dense_tensor(column, field, default, False) for column, field, default in parts]

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

    def cursor(self, run: Run) -> Cursor:
        """Starts a pass over the batches."""
        is_ordered = is_deterministic(self.deterministic, run)
        source = self.source.cursor(run)
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
    if sparse_keys or ragged_keys:
        refuse_composites([*sparse_keys, *ragged_keys])
    keys = [attr_bytes(key) for key in dense_keys]
    fields = dense_fields(keys, Tdense, dense_shapes, dense_defaults)
    parser = Parser(fields, dense_defaults, dense_shapes)
    calls = checked_calls(int(num_parallel_calls))
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


def refuse_composites(keys: Sequence[Any]) -> None:
    """Refuses features that would be sparse or ragged tensors.

    Raises: tf.errors.UnimplementedError: always.
    """
    raise errors.UnimplementedError(
        None,
        None,
        f"tf.data.experimental.parse_example_dataset: the features {list(keys)} would be SparseTensors or "
        "RaggedTensors, which Millrace does not have yet; a FixedLenFeature or a FixedLenSequenceFeature gives a "
        "dense tensor.",
    )


# --- the function ------------------------------------------------------------------------------------------------


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Mapping[Any, Any] | None, num_parallel_calls: Any = 1, deterministic: bool | None = None
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
      features: what to read: a dictionary from names to `FixedLenFeature` or `FixedLenSequenceFeature`.
      num_parallel_calls: how many batches may be read at a time; `tf.data.AUTOTUNE` lets the runtime choose.
      deterministic: whether results come in the order of the batches; None leaves that to the options.

    Returns: A function from a dataset of vectors of strings to a dataset of dictionaries of tensors.
    Raises:
      ValueError: if `features` is None, or a description is not complete.
      TypeError: while applying the function, if the elements are no vectors of strings.
      tf.errors.InvalidArgumentError: while iterating, if an Example cannot be read.
      tf.errors.UnimplementedError: if a feature would be a SparseTensor or a RaggedTensor.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    request = request_of_examples(features)
    if request.sparse or request.ragged:
        refuse_composites([*request.sparse, *request.ragged])

    def apply(dataset: DatasetBase) -> Any:
        batch = dataset.element_spec
        if not isinstance(batch, TensorSpec) or batch.shape.rank != 1 or batch.dtype is not string:
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings. Instead it is `{dataset.element_spec}`."
            )
        dense = request.dense
        spec = {
            key: TensorSpec(batch.shape.concatenate(feature.shape), feature.dtype) for key, feature in dense.items()
        }
        return apply_op(
            "_ParseExampleDataset",
            parse_example_dataset_v2,
            [dataset, int64_tensor(num_parallel_calls, "num_parallel_calls"), default_tensors(dense)],
            spec,
            inputs=[dataset],
            sparse_keys=[],
            sparse_types=[],
            dense_keys=list(dense),
            dense_shapes=[feature.shape for feature in dense.values()],
            deterministic=determinism(deterministic),
        )

    return apply
