"""`Dataset.bucket_by_sequence_length`: batches of elements of similar length, which need little padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.api import for_tracing
from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.transforms.batch import batch
from millrace._src.data.transforms.group_by_window import group_by_window
from millrace._src.data.transforms.padded_batch import padded_batch
from millrace._src.ops import raw
from millrace._src.ops.debug.value_assertions import assert_less
from millrace._src.util import nest
from millrace._src.util.export import export
from millrace._src.util.nest_paths import flatten_up_to


def bucket_by_sequence_length(
    self: DatasetBase,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Any:
    """Puts elements of similar length into batches.

    >>> lengths = tf.data.Dataset.from_tensor_slices([1, 4, 3, 5, 6, 2])
    >>> dataset = lengths.map(lambda n: tf.fill([n], n)).bucket_by_sequence_length(
    ...     element_length_func=lambda element: tf.shape(element)[0], bucket_boundaries=[3, 5],
    ...     bucket_batch_sizes=[2, 2, 2])
    >>> for batch in dataset.as_numpy_iterator():
    ...     print(batch.tolist())
    [[4, 4, 4, 4], [3, 3, 3, 0]]
    [[5, 5, 5, 5, 5, 0], [6, 6, 6, 6, 6, 6]]
    [[1, 0], [2, 2]]

    Args:
      element_length_func: takes the components of an element and returns its length, a scalar of int32.
      bucket_boundaries: the lengths at which a bucket ends and the next begins, in ascending order.
      bucket_batch_sizes: the batch size of each bucket; one more than there are boundaries.
      padded_shapes: as for `Dataset.padded_batch`.
      padding_values: as for `Dataset.padded_batch`.
      pad_to_bucket_boundary: whether unknown dimensions are padded to one less than the boundary of the bucket, rather
        than to the largest element of the batch. No element may then be longer than all boundaries.
      no_padding: whether elements are batched as they are; those of one batch then have the same shape.
      drop_remainder: whether last batches with fewer elements are left out.
      name: a name for the dataset.

    Returns: A Dataset of batches.
    Raises: ValueError: if there are not one more sizes than boundaries.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
            f"{len(bucket_batch_sizes)}` and `len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    sizes = convert_to_tensor(bucket_batch_sizes, dtype=int64)

    def bucket(*args: object) -> Any:
        length = for_tracing(element_length_func)(*args)
        ends = convert_to_tensor([*bucket_boundaries, int32.max], dtype=int32)
        return raw.ArgMax(input=raw.Cast(x=raw.Less(x=length, y=ends), DstT=int32), dimension=0)

    def size_of_batch(bucket: object) -> Any:
        return sizes[bucket]

    def batches(bucket: Any, window: Any) -> Any:
        if no_padding:
            return batch(window, sizes[bucket], drop_remainder)
        shapes = padded_shapes
        if pad_to_bucket_boundary:
            shapes = _known_shapes(window, padded_shapes, _longest(bucket, bucket_boundaries))
        return padded_batch(window, sizes[bucket], shapes, padding_values, drop_remainder)

    return group_by_window(self, bucket, batches, window_size_func=size_of_batch, name=name)


def _longest(bucket: Any, boundaries: Sequence[int]) -> Any:
    """Returns the largest length in a bucket, which is not the last one."""
    last = convert_to_tensor(len(boundaries), dtype=int64)
    message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
    assert_less(bucket, last, message=message)
    return convert_to_tensor(boundaries, dtype=int64)[bucket] - 1


def _known_shapes(dataset: DatasetBase, shapes: object, unknown: object) -> Any:
    """Returns the padded shapes of the components, in which `unknown` denotes dimensions that are not known."""
    spec = dataset.element_spec
    given = list(dataset._structure.shapes) if shapes is None else flatten_up_to(spec, shapes)
    return nest.pack_sequence_as(spec, [_known_shape(shape, unknown) for shape in given])


def _known_shape(shape: ShapeLike, unknown: object) -> Any:
    static: TensorShape = as_shape(shape)
    return [unknown if size is None else size for size in static.as_list()]


@export("data.experimental.bucket_by_sequence_length")
def bucket_by_sequence_length_transformation(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: TensorLike | None = None,
    padding_values: TensorLike | None = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Callable[[Any], Any]:
    """Returns `Dataset.bucket_by_sequence_length` as a function for `Dataset.apply`.

    >>> buckets = tf.data.experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])
    >>> list(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).apply(buckets).as_numpy_iterator())
    [array([[1, 2],
           [3, 4]], dtype=int32)]

    Args:
      element_length_func: as for `Dataset.bucket_by_sequence_length`.
      bucket_boundaries: as for `Dataset.bucket_by_sequence_length`.
      bucket_batch_sizes: as for `Dataset.bucket_by_sequence_length`.
      padded_shapes: as for `Dataset.bucket_by_sequence_length`.
      padding_values: as for `Dataset.bucket_by_sequence_length`.
      pad_to_bucket_boundary: as for `Dataset.bucket_by_sequence_length`.
      no_padding: as for `Dataset.bucket_by_sequence_length`.
      drop_remainder: as for `Dataset.bucket_by_sequence_length`.

    Returns: A function from datasets to datasets.
    """
    return lambda dataset: bucket_by_sequence_length(
        dataset,
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )
