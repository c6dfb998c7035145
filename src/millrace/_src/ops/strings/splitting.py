"""Strings taken apart: `split` at separators, `bytes_split`, and `ngrams`.

Parts of several strings are of unequal number: TensorFlow returns a RaggedTensor there. Millrace has none yet, so
these functions serve scalars; the ops below (`tf.raw_ops.StringSplitV2`) serve vectors, as sparse indices and values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.strings.text_bytes import attr_bytes, string_array
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TEXT = "text has no gradient"


def needs_ragged(function: str, instead: str) -> NoReturn:
    """Refuses a call that would return a RaggedTensor."""
    message = f"{function} of a tensor that is not a scalar returns a RaggedTensor, which Millrace does not have yet."
    raise errors.UnimplementedError(None, None, f"{message} {instead}")


# --- split -----------------------------------------------------------------------------------------------------------


def _split_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    for name, rank in ((c.op.signature.input_names[0], 1), (c.op.signature.input_names[1], 0)):
        if c.shape(name).rank not in (rank, None):
            raise ValueError(f"Shape must be rank {rank} but is rank {c.shape(name).rank}")
    return TensorShape([None, 2]), TensorShape([None]), TensorShape([2])


def _sparse(rows: Sequence[Sequence[bytes]]) -> tuple[Array, Array, Array]:
    """Returns rows of parts as the indices, values and dense shape of a sparse tensor."""
    values = [part for row in rows for part in row]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    row_numbers = np.repeat(np.arange(len(rows)), sizes)
    columns = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    indices = np.stack([row_numbers, columns], axis=1)
    shape = np.array([len(rows), sizes.max(initial=0)], dtype=np.int64)
    return indices, string_array(values, (len(values),)), shape


def _check_ranks(input: Array, separator: Array, name: str) -> None:
    if input.ndim != 1:
        message = f"input must be a vector, got shape: {shape_brackets(input.shape)}"
        raise errors.InvalidArgumentError(None, None, message)
    if separator.ndim:
        message = f"{name} must be a scalar, got shape: {shape_brackets(separator.shape)}"
        raise errors.InvalidArgumentError(None, None, message)


@op(
    "StringSplitV2",
    "input: string, sep: string -> indices: int64, values: string, shape: int64",
    shape=_split_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def string_split_v2(xp: Xp, input: Array, sep: Array, *, maxsplit: int = -1) -> tuple[Array, Array, Array]:
    """Splits every string at a separator; an empty separator means runs of white space."""
    _check_ranks(input, sep, "sep")
    separator = sep.item() or None
    if maxsplit == 0:
        return _sparse([[text] for text in input])
    return _sparse([text.split(separator, maxsplit) for text in input])


@op(
    "StringSplit",
    "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    shape=_split_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def string_split(xp: Xp, input: Array, delimiter: Array, *, skip_empty: bool = True) -> tuple[Array, Array, Array]:
    """Splits every string at any byte of `delimiter`; an empty delimiter means after each byte."""
    _check_ranks(input, delimiter, "delimiter")
    splitter = _byte_splitter(delimiter.item())
    return _sparse([[part for part in splitter(text) if part or not skip_empty] for text in input])


def _byte_splitter(delimiter: bytes) -> Callable[[bytes], list[bytes]]:
    if not delimiter:
        return lambda text: [text[i : i + 1] for i in range(len(text))]
    first, other_bytes = delimiter[:1], delimiter[1:]
    table = bytes.maketrans(other_bytes, first * len(other_bytes))
    marks = set(delimiter)

    def split(text: bytes) -> list[bytes]:
        lengths = [len(part) for part in text.translate(table).split(first)] if marks else [len(text)]
        parts, start = [], 0
        for length in lengths:
            parts.append(text[start : start + length])
            start += length + 1
        return parts

    return split


@export("strings.split", v1=[])
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Splits a string into parts.

    >>> tf.strings.split("a b  c").numpy(), tf.strings.split("a,,b", sep=",").numpy()
    (array([b'a', b'b', b'c'], dtype=object), array([b'a', b'', b'b'], dtype=object))

    Args:
      input: a scalar string Tensor.
      sep: the separator; None or "" means runs of white space.
      maxsplit: how often to split at most; -1 for every separator.
      name: name of the scope in a graph.

    Returns: A vector of strings.
    Raises:
      ValueError: if the rank of `input` is unknown.
      tf.errors.UnimplementedError: if `input` is not a scalar: the result would be ragged.
    """
    with name_scope(name, "StringSplit"):
        input = convert_to_tensor(input, dtype=string, name="input")
        if input.shape.rank is None:
            raise ValueError("input must have a statically-known rank.")
        if input.shape.rank:
            needs_ragged("tf.strings.split", "tf.raw_ops.StringSplitV2 gives the parts with their places.")
        parts = raw.StringSplitV2(input=raw.Pack(values=[input], axis=0), sep=sep or "", maxsplit=maxsplit)
        return parts[1]


@export(v1=["strings.split"])
def split_v1(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Raises UnimplementedError: the parts of several strings would be a sparse or ragged tensor, which Millrace lacks.

    Args:
      input: a string Tensor.
      sep: the separator.
      maxsplit: how many splits at most; -1 for no limit.
      result_type: "SparseTensor" or "RaggedTensor".
      source: the older name of `input`.
      name: name of the operation in a graph.

    Raises:
      ValueError: if `result_type` is unknown.
      tf.errors.UnimplementedError: always otherwise.
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return _needs_sparse("tf.compat.v1.strings.split", result_type, "tf.raw_ops.StringSplitV2")


@export(v1=["string_split"])
def string_split_v1(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Raises UnimplementedError: the parts of several strings would be a sparse or ragged tensor, which Millrace lacks.

    Args:
      source: a string Tensor.
      sep: the separator.
      skip_empty: whether empty parts are left out.
      delimiter: the older name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: name of the operation in a graph.

    Raises:
      ValueError: if `result_type` is unknown.
      tf.errors.UnimplementedError: always otherwise.
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return _needs_sparse("tf.compat.v1.string_split", result_type, "tf.raw_ops.StringSplit")


def _needs_sparse(function: str, result_type: str, raw_op: str) -> NoReturn:
    message = f"{function} returns a {result_type}, which Millrace does not have yet."
    raise errors.UnimplementedError(None, None, f"{message} {raw_op} gives the parts with their places.")


@export("strings.bytes_split", v1=["strings.bytes_split"])
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Splits a string into bytes.

    >>> tf.strings.bytes_split("abc").numpy()
    array([b'a', b'b', b'c'], dtype=object)

    Args:
      input: a scalar string Tensor.
      name: name of the scope in a graph.

    Returns: A vector of strings of length one.
    Raises:
      ValueError: if the rank of `input` is unknown.
      tf.errors.UnimplementedError: if `input` is not a scalar: the result would be ragged.
    """
    with name_scope(name, "StringsByteSplit"):
        input = convert_to_tensor(input, dtype=string, name="input")
        if input.shape.rank is None:
            raise ValueError("input must have a statically-known rank.")
        if input.shape.rank:
            needs_ragged("tf.strings.bytes_split", "tf.raw_ops.StringSplit with an empty delimiter gives the bytes.")
        stacked_input = raw.Pack(values=[input], axis=0)
        return raw.StringSplit(input=stacked_input, delimiter="", skip_empty=False)[1]


# --- n-grams ---------------------------------------------------------------------------------------------------------


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
        raise errors.InvalidArgumentError(None, None, "ngram_widths must contain positive values")
    splits = data_splits.tolist()
    _check_splits(splits, len(data))
    pads = attr_bytes(left_pad), attr_bytes(right_pad), pad_width
    joined_ngrams: list[bytes] = []
    ends = splits[:1]
    for start, stop in itertools.pairwise(splits):
        row = data[start:stop].tolist()
        grams = [gram for width in ngram_widths for gram in _row_ngrams(row, width, pads)]
        if not grams and row and preserve_short_sequences:
            grams = [_padded(row, max(pad_width, 0), pads)]
        joined_ngrams += [attr_bytes(separator).join(gram) for gram in grams]
        ends.append(len(joined_ngrams))
    return string_array(joined_ngrams, (len(joined_ngrams),)), np.array(ends, dtype=data_splits.dtype)


def _check_splits(splits: Sequence[int], size: int) -> None:
    if not splits:
        return
    if splits[0] != 0:
        raise errors.InvalidArgumentError(None, None, f"First split value must be 0, got {splits[0]}")
    previous = 0
    for value in splits[1:]:
        if not previous <= value <= size:
            message = f"Invalid split value {value}, must be in [{previous}, {size}]"
            raise errors.InvalidArgumentError(None, None, message)
        previous = value
    if previous != size:
        message = f"Last split value must be data size. Expected {size}, got {previous}"
        raise errors.InvalidArgumentError(None, None, message)


def _padded(row: list[bytes], width: int, pads: tuple[bytes, bytes, int]) -> list[bytes]:
    return [pads[0]] * width + row + [pads[1]] * width


def _row_ngrams(row: list[bytes], width: int, pads: tuple[bytes, bytes, int]) -> list[list[bytes]]:
    padding = width - 1 if pads[2] < 0 else min(pads[2], width - 1)
    padded_row = _padded(row, padding, pads)
    return [padded_row[i : i + width] for i in range(len(padded_row) - width + 1)]


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

    Args:
      data: a string Tensor of rank one or more.
      ngram_width: n, or a list of several n.
      separator: text between neighbours.
      pad_values: a text, or a pair of texts for left and right, to fill up rows at both ends; None for no padding.
      padding_width: how many padding texts at either end at most; None for n - 1.
      preserve_short_sequences: whether a row too short for any n-gram gives one n-gram of the whole row.
      name: name of the scope in a graph.

    Returns: A string Tensor with the n-grams along the last axis.
    Raises:
      TypeError: if `pad_values` is of the wrong kind.
      ValueError: if a width is not positive, or `data` is a scalar or of unknown rank.
    """
    with name_scope(name, "StringNGrams"):
        left, right = _pad_texts(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        data = convert_to_tensor(data, dtype=string, name="data")
        if data.shape.rank is None:
            raise ValueError("Rank of data must be known.")
        if data.shape.rank == 0:
            raise ValueError("Data must have rank>0")
        padding = 0 if pad_values is None else -1 if padding_width is None else padding_width
        return _dense_ngrams(data, widths, separator, left, right, padding, preserve_short_sequences)


def _pad_texts(pad_values: Any) -> tuple[Any, Any]:
    if pad_values is None:
        return "", ""
    if isinstance(pad_values, (list, tuple)):
        return pad_values[0], pad_values[1]
    if isinstance(pad_values, (str, bytes)):
        return pad_values, pad_values
    raise TypeError("pad_values must be a string, tuple of strings, or None.")


def _dense_ngrams(
    data: Any, widths: list[int], separator: str, left: Any, right: Any, padding: int, keep_short: bool
) -> Any:
    """Makes the n-grams of a dense tensor; all rows have one length, so the result is dense as well."""
    shape = shape_of(data, out_type=int64)
    rows = raw.Prod(input=shape[:-1], reduction_indices=[0])
    splits = raw.Range(start=0, limit=rows + 1, delta=1) * shape[-1]
    grams = raw.StringNGrams(
        data=raw.Reshape(tensor=data, shape=[-1]),
        data_splits=splits,
        separator=separator,
        ngram_widths=[int(width) for width in widths],
        left_pad=left,
        right_pad=right,
        pad_width=padding,
        preserve_short_sequences=keep_short,
    )[0]
    if data.shape.rank == 1:
        return grams
    count = raw.FloorDiv(x=raw.Size(input=grams, out_type=int64), y=raw.Maximum(x=rows, y=1))
    return raw.Reshape(tensor=grams, shape=raw.ConcatV2(values=[shape[:-1], [count]], axis=0))
