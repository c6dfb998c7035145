"""Label sequences without repetitions: `tf.nn.collapse_repeated`, `tf.nn.ctc_unique_labels`.

Collapsed: a label is kept where it differs from the one before and lies inside its sequence. The kept labels of all
sequences are packed to the front of their rows by one scatter.

Unique: a table of equal pairs says where each label of a row occurs first; counting first occurrences numbers them.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.filling import ones_like
from millrace._src.ops.array.ranges import range_, sequence_mask
from millrace._src.ops.array.reshaping import expand_dims, reshape
from millrace._src.ops.array.scattering import scatter_nd
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_max, reduce_sum
from millrace._src.util.export import export


@export("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Merges neighbouring equal labels of each sequence, and moves the rest to the front.

    >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 0, 0, 0]], seq_length=[5, 2])
    >>> labels.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2, 1], [3, 0, 0]], [3, 1])

    Args:
      labels: integers `[batch, length]`.
      seq_length: how many labels of each row count, integers `[batch]`.
      name: A name for the operation (optional).

    Returns: The labels `[batch, longest]`, filled up with 0, and the lengths of the rows.
    """
    with name_scope(name, "collapse_repeated_labels"):
        labels = convert_to_tensor(labels, name="labels")
        lengths = convert_to_tensor(seq_length, name="seq_length")
        first = ones_like(labels[:, :1], dtype=d.bool)
        differs = raw.NotEqual(x=labels[:, 1:], y=labels[:, :-1])
        is_kept = concat([first, differs], 1)
        width = labels.shape.as_list()[1] if labels.shape.rank is not None else None
        inside = sequence_mask(lengths, maxlen=shape_of(labels)[1] if width is None else width)
        is_kept = raw.LogicalAnd(x=is_kept, y=inside)
        new_lengths = reduce_sum(cast(is_kept, d.int32), 1)
        longest = reduce_max(new_lengths)
        is_filled = sequence_mask(new_lengths, maxlen=longest)
        values, mask, filled = (reshape(t, [-1]) for t in (labels, is_kept, is_filled))
        positions = boolean_mask(range_(shape_of(filled)[0]), filled)
        packed = scatter_nd(expand_dims(positions, 1), boolean_mask(values, mask), shape_of(filled))
        batch = labels.shape.as_list()[0] if labels.shape.rank is not None else None
        rows = shape_of(labels)[0] if batch is None else batch
        result = reshape(packed, [rows, longest])
        return result, cast(new_lengths, lengths.dtype)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> list[Tensor]:
    """Finds the different labels of each row.

    >>> values, columns = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> values.numpy(), columns.numpy()
    (array([[3, 4, 0, 0]]), array([[0, 1, 1, 0]], dtype=int32))

    Args:
      labels: integers `[batch, length]`.
      name: A name for the operation (optional).

    Returns: A list: the different labels in their order, int64 `[batch, length]`, filled up with 0; and where in there
      each label stands, int32 `[batch, length]`.
    Raises: tf.errors.InvalidArgumentError: if `labels` is a vector.
    """
    with name_scope(name, "ctc_unique_labels"):
        given = raw.Cast(x=convert_to_tensor(labels, name="labels"), DstT=d.int64)
        if given.shape.rank not in (None, 2):
            raise invalid(f"unique expects a 1D vector. labels must have rank 2, got shape: {given.shape}")
        is_equal = raw.Equal(x=expand_dims(given, 2), y=expand_dims(given, 1))
        first = raw.ArgMax(input=raw.Cast(x=is_equal, DstT=d.int32), dimension=2, output_type=d.int32)
        is_first = raw.Equal(x=first, y=expand_dims(range_(shape_of(given)[1]), 0))
        number = raw.Cumsum(x=raw.Cast(x=is_first, DstT=d.int32), axis=1) - 1
        columns_of_labels: Tensor = raw.GatherV2(params=number, indices=first, axis=1, batch_dims=1)
        columns = expand_dims(expand_dims(range_(shape_of(given)[1]), 0), 2)
        is_here = raw.LogicalAnd(x=expand_dims(is_first, 1), y=raw.Equal(x=expand_dims(number, 1), y=columns))
        values: Tensor = reduce_sum(raw.Cast(x=is_here, DstT=d.int64) * expand_dims(given, 1), 2)
        return [values, columns_of_labels]
