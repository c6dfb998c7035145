"""Strings taken apart: `split` at separators, and `bytes_split`.

The ops serve vectors, and give the parts as sparse indices and values. The public functions make RaggedTensors of
these; strings of more dimensions are the flat values of a ragged tensor, of which each string becomes a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.strings.joined_text import (
    lengths_of,
    split_at,
    split_at_any,
    split_at_space,
    split_each,
    split_each_at_space,
)
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TEXT = "text has no gradient"


# --- split -----------------------------------------------------------------------------------------------------------


def _split_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    for name, rank in ((c.op.signature.input_names[0], 1), (c.op.signature.input_names[1], 0)):
        if c.shape(name).rank not in (rank, None):
            raise ValueError(f"Shape must be rank {rank} but is rank {c.shape(name).rank}")
    return TensorShape([None, 2]), TensorShape([None]), TensorShape([2])


def _sparse(parts: Sequence[bytes] | Array, counts: Array) -> tuple[Array, Array, Array]:
    """Returns the parts of strings, so many of each, as the indices, values and dense shape of a sparse tensor."""
    if len(counts) == 1:
        indices = np.zeros((len(parts), 2), np.int64)
        indices[:, 1] = np.arange(len(parts))
        return indices, _as_array(parts), np.array([1, len(parts)], np.int64)
    indices = np.empty((len(parts), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(counts)), counts)
    indices[:, 1] = np.arange(len(parts))
    indices[:, 1] -= np.repeat(np.cumsum(counts) - counts, counts)
    shape = np.array([len(counts), counts.max(initial=0)], dtype=np.int64)
    return indices, _as_array(parts), shape


def _as_array(parts: Sequence[bytes] | Array) -> Array:
    return parts if isinstance(parts, np.ndarray) else string_array(parts, (len(parts),))


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
    separator, strings = sep.item(), input.tolist()
    if maxsplit == 0:
        return _sparse(strings, np.ones(len(strings), np.int64))
    if separator:
        return _sparse(*(split_at(strings, separator) if maxsplit < 0 else split_each(strings, separator, maxsplit)))
    return _sparse(*(split_at_space(strings) if maxsplit < 0 else split_each_at_space(strings, maxsplit)))


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
    strings, separators = input.tolist(), delimiter.item()
    if separators:
        parts, counts = split_at_any(strings, separators, skip_empty)
        return _sparse(*(parts, counts) if skip_empty else _without_empty_strings(strings, parts, counts))
    bytes_of_all = np.take(_SINGLE_BYTES, np.frombuffer(b"".join(strings), np.uint8))
    return _sparse(bytes_of_all, lengths_of(strings))


def _without_empty_strings(strings: Sequence[bytes], parts: Sequence[bytes], counts: Array) -> tuple[Any, Array]:
    """Leaves out the empty part of each empty string: TensorFlow gives such a string no part."""
    if all(strings):
        return parts, counts
    string_lengths = lengths_of(strings)
    return string_array(parts, (len(parts),))[np.repeat(string_lengths > 0, counts)], counts * (string_lengths > 0)


_SINGLE_BYTES = string_array([bytes([number]) for number in range(256)], (256,))
"""The strings of one byte."""


# --- the public functions --------------------------------------------------------------------------------------------


def text_tensor(input: Any) -> Any:
    """Returns strings as a string Tensor, or the RaggedTensor that they are.

    Raises: TypeError or ValueError: if `input` is not text.
    """
    if not isinstance(input, (Tensor, RaggedTensor)):
        return convert_to_tensor(input, dtype=string, name="input")
    if input.dtype is not string:
        start, kind = ("input: ", "Tensor") if isinstance(input, Tensor) else ("", "RaggedTensor")
        found = f"{kind} with dtype {input.dtype.name}: {input!r}"
        raise ValueError(f"{start}Tensor conversion requested dtype string for {found}")
    return input


def ragged_parts(indices: Any, values: Any, shape: Any) -> Any:
    """Makes the RaggedTensor with the rows of a sparse matrix."""
    return RaggedTensor.from_value_rowids(value_rowids=indices[:, 0], values=values, nrows=shape[0], validate=False)


@export("strings.split", v1=[])
def split(input: Any, sep: object = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Splits strings into parts, along a new last axis.

    >>> tf.strings.split("a b  c").numpy(), tf.strings.split("a,,b", sep=",").numpy()
    (array([b'a', b'b', b'c'], dtype=object), array([b'a', b'', b'b'], dtype=object))
    >>> tf.strings.split(["a b", "", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [], [b'c']]>

    Args:
      input: a string Tensor or RaggedTensor of rank n; of unknown rank, a vector is expected.
      sep: the separator; None or "" means runs of white space.
      maxsplit: how often to split each string at most; -1 for every separator.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of rank n + 1 with the parts; a vector of strings if `input` is a scalar.
    Raises: TypeError or ValueError: if `input` or `sep` is not text.
    """
    with name_scope(name, "StringSplit"):
        input = text_tensor(input)
        if isinstance(input, RaggedTensor):
            return input.with_flat_values(split(input.flat_values, sep, maxsplit))
        rank = input.shape.rank
        if rank is not None and rank > 1:
            return split(RaggedTensor.from_tensor(input, ragged_rank=rank - 1), sep, maxsplit)
        strings = raw.Pack(values=[input], axis=0) if rank == 0 else input
        most = -1 if maxsplit is None else maxsplit
        parts = raw.StringSplitV2(input=strings, sep="" if sep is None else sep, maxsplit=most)
        return parts[1] if rank == 0 else ragged_parts(*parts)


@export("strings.bytes_split", v1=["strings.bytes_split"])
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Splits strings into bytes, along a new last axis.

    >>> tf.strings.bytes_split("abc").numpy()
    array([b'a', b'b', b'c'], dtype=object)
    >>> tf.strings.bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Args:
      input: a string Tensor or RaggedTensor of known rank n.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of rank n + 1 with strings of length one; a vector if `input` is a scalar.
    Raises: ValueError: if the rank of `input` is unknown, or `input` is not text.
    """
    with name_scope(name, "StringsByteSplit"):
        input = text_tensor(input)
        if isinstance(input, RaggedTensor):
            return input.with_flat_values(bytes_split(input.flat_values))
        rank = input.shape.rank
        if rank is None:
            raise ValueError("input must have a statically-known rank.")
        if rank > 1:
            return bytes_split(RaggedTensor.from_tensor(input, ragged_rank=rank - 1))
        strings = raw.Pack(values=[input], axis=0) if rank == 0 else input
        parts = raw.StringSplit(input=strings, delimiter="", skip_empty=False)
        return parts[1] if rank == 0 else ragged_parts(*parts)
