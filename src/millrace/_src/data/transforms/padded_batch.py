"""`Dataset.padded_batch`: consecutive elements of different shapes, padded and stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, bool_, int64, string
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import partial_value, static_value
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import Tensor
from millrace._src.data.blocks import Block, Column
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec, int64_tensor, new_dataset
from millrace._src.data.dataset_base import metadata as metadata_of
from millrace._src.data.nodes import DATASET_OF_COMPONENTS, node_of, scalar_of
from millrace._src.data.structure import ElementStructure
from millrace._src.data.transforms.batch import BatchNode
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.nest_paths import flatten_up_to
from millrace._src.util.text import shape_parentheses


@dataclass(eq=False, repr=False)
class PaddedBatchNode(BatchNode):
    """Batches of consecutive elements, padded to common shapes.

    Attributes:
      padded_shapes: for each component the shape of the padded elements; a negative dimension is that of the largest
        element of the batch.
      padding_values: for each component what fills the padding, a scalar array.
    """

    padded_shapes: tuple[tuple[int, ...], ...]
    padding_values: tuple[Array, ...]

    def stack(self, elements: Block, size: int) -> Block:
        """Returns elements as padded batches of `size`, which divides their number."""
        count = elements.count // size
        columns = zip(elements.columns, self.padded_shapes, self.padding_values, strict=True)
        return Block([_pad_column(*column, index, size) for index, column in enumerate(columns)], count)

    def __repr__(self) -> str:
        return f"<PaddedBatchDatasetV2Op({self.size})::Dataset>"


def _pad_column(column: Column, padded: tuple[int, ...], value: Array, component: int, size: int) -> Column:
    """Returns the elements of a column as padded batches."""
    if type(column) is list:
        starts = range(0, len(column), size)
        return [_pad(column[start : start + size], padded, value, component) for start in starts]
    given = column.shape[1:]
    shape = _common_shape([given], padded, component)
    batches = column.reshape(len(column) // size, size, *given)
    if shape == given:
        return batches
    with_padding = _padding_array((*batches.shape[:2], *shape), value, column.dtype)
    with_padding[(slice(None), slice(None), *map(slice, given))] = batches
    return with_padding


def _pad(arrays: Sequence[Array], padded: tuple[int, ...], value: Array, component: int) -> Array:
    """Returns one batch of arrays, of which there is at least one."""
    shape = _common_shape([array.shape for array in arrays], padded, component)
    batch = _padding_array((len(arrays), *shape), value, arrays[0].dtype)
    if len(shape) == 1:
        lengths = np.array([len(array) for array in arrays])
        batch[np.arange(shape[0]) < lengths[:, None]] = np.concatenate(arrays)
    else:
        for row, array in zip(batch, arrays, strict=True):
            row[tuple(map(slice, array.shape))] = array
    return batch


def _padding_array(shape: tuple[int, ...], value: Array, dtype: Any) -> Array:
    """Returns an array that is padding all over."""
    batch = empty_array(shape, dtype)
    batch[...] = value
    return batch


def _common_shape(shapes: Sequence[tuple[int, ...]], padded: tuple[int, ...], component: int) -> tuple[int, ...]:
    """Returns the shape to which arrays of these shapes are padded.

    Raises:
      tf.errors.InvalidArgumentError: if an array has another rank.
      tf.errors.DataLossError: if an array is larger.
    """
    for shape in shapes:
        if len(shape) != len(padded):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"All elements in a batch must have the same rank as the padded shape for component{component}: "
                f"expected rank {len(padded)} but got element with rank {len(shape)}",
            )
    largest = tuple(map(max, zip(*shapes, strict=True)))
    if any(0 <= wanted < size for wanted, size in zip(padded, largest, strict=True)):
        raise errors.DataLossError(None, None, "Attempted to pad to a smaller size than the input element.")
    return tuple(size if wanted < 0 else wanted for wanted, size in zip(padded, largest, strict=True))


# --- the ops -----------------------------------------------------------------------------------------------------


@op(
    "PaddedBatchDatasetV2",
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types, "
    "drop_remainder: bool -> handle: variant",
    **DATASET_OF_COMPONENTS,
)
def padded_batch_dataset(
    xp: Xp,
    input_dataset: Array,
    batch_size: Array,
    padded_shapes: list[Array],
    padding_values: list[Array],
    drop_remainder: Array,
    *,
    parallel_copy: bool = False,
    Toutput_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of padded batches of consecutive elements."""
    size = scalar_of(batch_size, "batch_size")
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, "Batch size must be greater than zero.")
    shapes = tuple(tuple(shape.tolist()) for shape in padded_shapes)
    source, drops = node_of(input_dataset), scalar_of(drop_remainder, "drop_remainder")
    return PaddedBatchNode(
        tuple(Toutput_types), tuple(output_shapes), source, size, drops, shapes, tuple(padding_values)
    )


@op(
    "PaddedBatchDataset",
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types -> "
    "handle: variant",
    **DATASET_OF_COMPONENTS,
)
def padded_batch_dataset_v1(
    xp: Xp,
    input_dataset: Array,
    batch_size: Array,
    padded_shapes: list[Array],
    padding_values: list[Array],
    *,
    Toutput_types: list[DType],
    output_shapes: list[TensorShape],
    metadata: str = "",
) -> Any:
    """Makes a dataset of padded batches of consecutive elements; the last one may be smaller."""
    kernel = padded_batch_dataset.op_def.kernel
    arguments = input_dataset, batch_size, padded_shapes, padding_values, np.zeros((), bool)
    return kernel(xp, *arguments, Toutput_types=Toutput_types, output_shapes=output_shapes)


# --- the method --------------------------------------------------------------------------------------------------


def padded_batch(
    self: DatasetBase,
    batch_size: object,
    padded_shapes: object = None,
    padding_values: object = None,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Any:
    """Stacks consecutive elements along a new first axis, padded to the same shape.

    >>> dataset = tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
    >>> for batch in dataset.padded_batch(2).as_numpy_iterator():
    ...     print(batch.tolist())
    [[1, 0], [2, 2]]
    [[3, 3, 3, 0], [4, 4, 4, 4]]
    >>> batches = dataset.padded_batch(2, padded_shapes=5, padding_values=tf.constant(-1, tf.int64))
    >>> next(batches.as_numpy_iterator()).tolist()
    [[1, -1, -1, -1, -1], [2, 2, -1, -1, -1]]

    Args:
      batch_size: how many elements make a batch; a scalar of int64.
      padded_shapes: a nest of shapes (`tf.TensorShape`, lists, vectors of int64) in the structure of the elements, to
        which the components are padded. An unknown dimension is that of the largest element of the batch. None leaves
        all dimensions that differ to the batch.
      padding_values: a nest of scalars in the structure of the elements, with which components are padded; or one
        scalar for all components. None, as a whole or for a component, means 0, False or the empty string.
      drop_remainder: whether a last batch with fewer elements is left out; a scalar of bool.
      name: a name for the dataset.

    Returns: A Dataset of batches.
    Raises:
      TypeError: if a component is not a tensor, or a padding value is of another dtype.
      ValueError: if a component has unknown rank and there are no `padded_shapes`, or these do not fit.
      tf.errors.InvalidArgumentError: if the size is not positive; while iterating, if an element is of another rank.
      tf.errors.DataLossError: while iterating, if an element is larger than its padded shape.
    """
    _check_tensors(self._structure)
    size = int64_tensor(batch_size, "batch_size")
    shapes = _padded_shapes(self._structure, padded_shapes)
    values = _padding_values(self._structure, padding_values)
    drops = convert_to_tensor(drop_remainder, dtype=bool_, name="drop_remainder")
    known = static_value(size) if static_value(drops) else None
    batch = TensorShape([None if known is None else int(known)])
    padded = [batch.concatenate(_static_shape(shape)) for shape in shapes]
    handle = padded_batch_dataset(
        self._variant_tensor, size, shapes, values, drops, output_shapes=padded, **metadata_of(name)
    )
    specs = [TensorSpec(shape, dtype) for shape, dtype in zip(padded, self._structure.dtypes, strict=True)]
    return new_dataset("_PaddedBatchDataset", handle, nest.pack_sequence_as(self.element_spec, specs), [self])


def _check_tensors(structure: ElementStructure) -> None:
    """Refuses elements with components that are not tensors."""
    for leaf in structure.leaves:
        if isinstance(leaf, DatasetSpec):
            raise TypeError("`padded_batch` is not supported for datasets of datasets")
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                "`padded_batch` is only supported for datasets that produce tensor elements but type spec of elements "
                f"in the input dataset is not a subclass of TensorSpec: `{leaf}`."
            )


def _padded_shapes(structure: ElementStructure, shapes: object) -> list[Tensor]:
    """Returns the padded shapes of the components as vectors of int64."""
    if shapes is None:
        for index, shape in enumerate(structure.shapes):
            if shape.rank is None:
                raise ValueError(
                    f"You must provide `padded_shapes` argument because component {index} has unknown rank."
                )
        given: list[Any] = list(structure.shapes)
    else:
        given = flatten_up_to(structure.spec, shapes)
    return [_padded_shape(shape, component) for shape, component in zip(given, structure.shapes, strict=True)]


def _padded_shape(shape: ShapeLike, component: TensorShape) -> Tensor:
    """Returns the padded shape of a component as a vector of int64, in which -1 denotes an unknown dimension.

    Raises:
      TypeError: if the shape is not a vector of integers.
      ValueError: if the component does not fit.
    """
    vector = _vector_of(shape)
    static = _static_shape(vector)
    if static.rank is not None and component.rank is not None and not _fits(component, static):
        raise ValueError(
            f"The padded shape {shape_parentheses(static)} is not compatible with the shape "
            f"{shape_parentheses(component)} of the corresponding input component."
        )
    return vector


def _fits(component: TensorShape, padded: TensorShape) -> bool:
    """Returns whether a component may be padded to a shape, as far as both are known."""
    return component.rank == padded.rank and all(
        size is None or wanted is None or size <= wanted for size, wanted in zip(component, padded, strict=True)
    )


def _vector_of(shape: Any) -> Tensor:
    """Returns a shape, in one of the forms that users write, as a vector of int64."""
    try:
        sizes = as_shape(shape).as_list()
    except (TypeError, ValueError):  # tensors, -1 for an unknown dimension, or no shape at all
        vector = convert_to_tensor(shape, name="padded_shape")
    else:
        return convert_to_tensor([-1 if size is None else size for size in sizes], dtype=int64)
    words = f"Padded shape {shape} must be a `tf.int64` vector tensor"
    if vector.shape.rank not in (None, 1):
        raise ValueError(f"{words}, but its shape was {shape_parentheses(vector.shape)}.")
    if not vector.dtype.is_integer:
        raise TypeError(f"{words}, but its element type was {vector.dtype.name}.")
    return vector if vector.dtype is int64 else raw.Cast(x=vector, DstT=int64)


def _static_shape(vector: Tensor) -> TensorShape:
    """Returns what is known of a padded shape."""
    sizes = partial_value(vector)
    return TensorShape(None if sizes is None else [None if size == -1 else size for size in sizes])


def _padding_values(structure: ElementStructure, values: object) -> list[Tensor]:
    """Returns the padding of the components as scalars.

    Raises:
      TypeError: if a value is of another dtype than the component.
      ValueError: if a value is not a scalar.
    """
    is_common = values is None or not nest.is_nested(values)
    given = [values] * len(structure.dtypes) if is_common else flatten_up_to(structure.spec, values)
    return [_padding_value(value, dtype) for value, dtype in zip(given, structure.dtypes, strict=True)]


def _padding_value(value: Any, dtype: DType) -> Tensor:
    if value is None:
        return convert_to_tensor(b"" if dtype is string else np.zeros((), dtype.np_dtype), dtype, name="padding_value")
    tensor = convert_to_tensor(value, name="padding_value")
    words = "Invalid `padding_values`. `padding_values` values"
    if tensor.shape.rank not in (None, 0):
        raise ValueError(f"{words} should be scalars, but got {shape_parentheses(tensor.shape)}.")
    if tensor.dtype is not dtype:
        raise TypeError(
            f"{words} type {tensor.dtype} does not match type {dtype} of the corresponding input component."
        )
    return tensor
