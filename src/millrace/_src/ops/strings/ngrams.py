"""`tf.strings.ngrams`: runs of neighbours along the last axis, joined.

The op takes ragged rows as values and row splits. It finds the position of each n-gram's first element with arithmetic
on the splits, for all rows at once, so that only the joining itself works string by string.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.strings.text_bytes import attr_bytes, string_array
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export

_TEXT = "text has no gradient"


class _Pads(NamedTuple):
    """What fills up a row at both ends."""

    left: bytes
    right: bytes
    width: int
    """How many pads at most; -1 for one less than the width of an n-gram."""

    def count(self, ngram_width: int) -> int:
        """Returns how many pads an n-gram of a width can take in."""
        return ngram_width - 1 if self.width < 0 else min(self.width, ngram_width - 1)


def _ngrams_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    for name in ("data", "data_splits"):
        if c.shape(name).rank not in (1, None):
            raise ValueError(f"Shape must be rank 1 but is rank {c.shape(name).rank}")
    return TensorShape([None]), c.shape("data_splits")


@op(
    "StringNGrams",
    "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
    Tsplits=INDEX.with_default(int64),
    shape=_ngrams_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def string_ngrams(
    xp: Xp,
    data: Array,
    data_splits: Array,
    *,
    separator: str,
    ngram_widths: list[int],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Array, Array]:
    """Makes the n-grams of every row of a ragged matrix, all of the first width first."""
    if any(width < 1 for width in ngram_widths):
        raise invalid("ngram_widths must contain positive values")
    if not len(data_splits):
        return string_array([b""] * len(data), data.shape), data_splits
    _check_splits(data_splits, len(data))
    if not len(data):  # TensorFlow makes no n-grams of pads alone, unless another row has elements
        return data, data_splits
    pads = _Pads(attr_bytes(left_pad), attr_bytes(right_pad), pad_width)
    between = attr_bytes(separator)
    sizes = np.diff(data_splits).astype(np.int64)
    by_width = [_ngrams_of_width(data, sizes, width, pads, between) for width in ngram_widths]
    if preserve_short_sequences:
        counts = sum((group.counts for group in by_width), np.zeros(len(sizes), np.int64))
        by_width.append(_whole_rows(data, sizes, (counts == 0) & (sizes > 0), pads, between))
    grams, counts = _row_by_row(by_width, len(sizes))
    return grams, np.concatenate([[0], np.cumsum(counts)]).astype(data_splits.dtype)


def _check_splits(splits: Array, size: int) -> None:
    if splits[0] != 0:
        raise invalid(f"First split value must be 0, got {splits[0]}")
    previous = np.concatenate([[0], splits[:-1]])
    is_wrong = (splits < previous) | (splits > size)
    if is_wrong.any():
        at = int(is_wrong.argmax())
        raise invalid(f"Invalid split value {splits[at]}, must be in [{previous[at]}, {size}]")
    if splits[-1] != size:
        raise invalid(f"Last split value must be data size. Expected {size}, got {splits[-1]}")


class _NgramGroup(NamedTuple):
    """N-grams of one width, row after row."""

    grams: Array
    counts: Array
    """How many of the n-grams each row has."""


def _ngrams_of_width(data: Array, sizes: Array, width: int, pads: _Pads, between: bytes) -> _NgramGroup:
    padding = pads.count(width)
    padded, padded_sizes = (data, sizes) if not padding else (_pad(data, sizes, padding, pads), sizes + 2 * padding)
    counts = np.maximum(padded_sizes - width + 1, 0)
    row_starts = np.cumsum(padded_sizes) - padded_sizes
    total = int(counts.sum())
    positions = np.arange(total) + np.repeat(row_starts - (np.cumsum(counts) - counts), counts)
    if width == 1:
        return _NgramGroup(padded[positions], counts)
    columns = [padded[positions + i].tolist() for i in range(width)]
    return _NgramGroup(string_array(map(between.join, zip(*columns, strict=True)), (total,)), counts)


def _pad(data: Array, sizes: Array, padding: int, pads: _Pads) -> Array:
    """Returns the elements of all rows with pads at both ends of each row."""
    padded = np.empty(len(data) + 2 * padding * len(sizes), object)
    row_ends = np.cumsum(sizes + 2 * padding)
    is_pad = np.zeros(len(padded), np.bool_)
    for i in range(padding):
        left_positions, right_positions = row_ends - sizes - 2 * padding + i, row_ends - 1 - i
        padded[left_positions], padded[right_positions] = pads.left, pads.right
        is_pad[left_positions] = is_pad[right_positions] = True
    padded[~is_pad] = data
    return padded


def _whole_rows(data: Array, sizes: Array, is_short: Array, pads: _Pads, between: bytes) -> _NgramGroup:
    """Makes one n-gram of each row that is too short for any other."""
    padding = max(pads.width, 0)
    left, right = [pads.left] * padding, [pads.right] * padding
    ends = np.cumsum(sizes)
    ranges = zip((ends - sizes)[is_short].tolist(), ends[is_short].tolist(), strict=True)
    rows = [between.join([*left, *data[start:stop], *right]) for start, stop in ranges]
    return _NgramGroup(string_array(rows, (len(rows),)), is_short.astype(np.int64))


def _row_by_row(by_width: Sequence[_NgramGroup], rows: int) -> tuple[Array, Array]:
    """Puts the n-grams of several widths in the order of the rows."""
    counts = sum((group.counts for group in by_width), np.zeros(rows, np.int64))
    if len(by_width) == 1:
        return by_width[0].grams, counts
    row_numbers = [np.repeat(np.arange(rows), group.counts) for group in by_width]
    grams = [group.grams for group in by_width]
    order = np.argsort(np.concatenate([np.zeros(0, np.int64), *row_numbers]), kind="stable")
    return np.concatenate([np.zeros(0, object), *grams])[order], counts


@export("strings.ngrams", v1=["strings.ngrams"])
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Makes the n-grams along the last axis: runs of `n` neighbours, joined.

    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)
    >>> tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), 2)
    <tf.RaggedTensor [[b'a b', b'b c'], []]>

    Args:
      data: a string Tensor or RaggedTensor of rank one or more.
      ngram_width: n, or a list of several n.
      separator: text between neighbours.
      pad_values: a text, or a pair of texts for left and right, to fill up rows at both ends; None for no padding.
      padding_width: how many padding texts at either end at most; None for n - 1.
      preserve_short_sequences: whether a row too short for any n-gram gives one n-gram of the whole row.
      name: name of the scope in a graph.

    Returns: The n-grams along the last axis: a RaggedTensor if `data` is ragged, else a Tensor.
    Raises:
      TypeError: if `pad_values` is of the wrong kind.
      ValueError: if a width is not positive, `padding_width` is given without pads, or `data` is a scalar, of unknown
        rank, or ragged and no text.
    """
    with name_scope(name, "StringNGrams"):
        left, right = _pad_texts(pad_values)
        if pad_values is None and padding_width is not None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        padding = 0 if pad_values is None else -1 if padding_width is None else padding_width
        attrs = {
            "separator": separator,
            "ngram_widths": [int(width) for width in widths],
            "left_pad": left,
            "right_pad": right,
            "pad_width": padding,
            "preserve_short_sequences": preserve_short_sequences,
        }
        if isinstance(data, RaggedTensor):
            if data.dtype is not string:
                found = f"RaggedTensor with dtype {data.dtype.name}: {data!r}"
                raise ValueError(f"Tensor conversion requested dtype string for {found}")
            *outer_splits, splits = data.nested_row_splits
            grams = raw.StringNGrams(data=raw.Reshape(tensor=data.flat_values, shape=[-1]), data_splits=splits, **attrs)
            return RaggedTensor.from_nested_row_splits(grams[0], [*outer_splits, grams[1]], validate=False)
        return _dense_ngrams(convert_to_tensor(data, dtype=string, name="data"), attrs)


def _pad_texts(pad_values: Any) -> tuple[Any, Any]:
    if pad_values is None:
        return "", ""
    is_pair = isinstance(pad_values, (list, tuple))
    left, right = (pad_values[0], pad_values[1]) if is_pair else (pad_values, pad_values)
    if not (isinstance(left, (str, bytes)) and isinstance(right, (str, bytes))):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return left, right


def _dense_ngrams(data: Any, attrs: dict[str, Any]) -> Any:
    """Makes the n-grams of a dense tensor; all rows have one length, so the result is dense as well."""
    if data.shape.rank is None:
        raise ValueError("Rank of data must be known.")
    if data.shape.rank == 0:
        raise ValueError("Data must have rank>0")
    shape = shape_of(data, out_type=int64)
    rows = raw.Prod(input=shape[:-1], reduction_indices=[0])
    splits = raw.Range(start=0, limit=rows + 1, delta=1) * shape[-1]
    grams = raw.StringNGrams(data=raw.Reshape(tensor=data, shape=[-1]), data_splits=splits, **attrs)[0]
    if data.shape.rank == 1:
        return grams
    return raw.Reshape(tensor=grams, shape=raw.ConcatV2(values=[shape[:-1], [-1]], axis=0))
