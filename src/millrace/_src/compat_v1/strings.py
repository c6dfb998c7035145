"""Functions of `tf.compat.v1.strings` with older names and orders of arguments; splitting gives sparse tensors.

Tests: tests/ops/strings/test_splitting.py, tests/ops/strings/test_joining.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_arguments, v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32, string
from millrace._src.ops import raw
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.ops.strings.encoding import decode_raw
from millrace._src.ops.strings.hashing import to_hash_bucket
from millrace._src.ops.strings.joining import reduce_join
from millrace._src.ops.strings.numbers import to_number
from millrace._src.ops.strings.splitting import ragged_parts, split, text_tensor
from millrace._src.ops.strings.transforming import length, substr
from millrace._src.util.export import export


@export(v1=["io.decode_raw", "decode_raw"])
def decode_raw_v1(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Any:
    """Reads the numbers packed in each string, with TensorFlow 1's arguments.

    >>> tf.compat.v1.decode_raw(tf.constant(b"\\x01\\x00"), tf.uint8).numpy()
    array([1, 0], dtype=uint8)

    Args:
      input_bytes: a string Tensor; all strings have one length.
      out_type: the dtype of the numbers.
      little_endian: whether the lowest byte of a number comes first.
      name: name of the operation in a graph.
      bytes: the older name of `input_bytes`.

    Returns: A Tensor with one more dimension than `input_bytes`.
    Raises: as `tf.io.decode_raw`.
    """
    return decode_raw(input_bytes if bytes is None else bytes, out_type, little_endian, None, name)


@export(v1=["strings.to_hash_bucket", "string_to_hash_bucket"], elementwise="unary")
def to_hash_bucket_v1(
    string_tensor: Any = None, num_buckets: Any = None, name: str | None = None, input: Any = None
) -> Any:
    """Maps every string to one of `num_buckets` buckets, with TensorFlow 1's arguments.

    >>> tf.compat.v1.string_to_hash_bucket(["Hello", "TensorFlow"], 3).numpy()
    array([2, 0])

    Args:
      string_tensor: a string Tensor.
      num_buckets: the number of buckets, at least 1.
      name: name of the operation in a graph.
      input: the newer name of `string_tensor`.

    Returns: An int64 Tensor of the shape of `string_tensor`.
    """
    return to_hash_bucket(string_tensor if input is None else input, num_buckets, name)


@export(v1=["strings.reduce_join", "reduce_join"])
def reduce_join_v1(
    inputs: TensorLike,
    axis: TensorLike | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Joins strings along axes, with TensorFlow 1's argument names.

    >>> tf.compat.v1.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy()
    array([b'ab', b'cd'], dtype=object)

    Args:
      inputs: a string Tensor.
      axis: the axes, first the axis that varies fastest; None joins everything in the order of the elements.
      keep_dims: the older name of `keepdims`.
      separator: a text put between the strings.
      name: name of the operation in a graph.
      reduction_indices: the older name of `axis`.
      keepdims: whether the joined axes stay, with size 1.

    Returns: A string Tensor without the joined axes.
    Raises: as `tf.strings.reduce_join`.
    """
    axes = reduction_indices if axis is None else axis
    return reduce_join(inputs, axes, bool(keep_dims if keepdims is None else keepdims), separator, name)


@export(v1=["strings.to_number", "string_to_number"])
def to_number_v1(string_tensor: Any = None, out_type: Any = float32, name: str | None = None, input: Any = None) -> Any:
    """Reads the number that every string spells, with TensorFlow 1's arguments.

    >>> tf.compat.v1.string_to_number("1.55").numpy()
    np.float32(1.55)

    Args:
      string_tensor: a string Tensor.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: name of the operation in a graph.
      input: the newer name of `string_tensor`.

    Returns: A Tensor of `out_type` with the shape of `string_tensor`.
    Raises: tf.errors.InvalidArgumentError: if a string is not a number.
    """
    return to_number(string_tensor if input is None else input, out_type, name)


@export(v1=["strings.split"])
@v1_arguments(
    "input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None, name=None",
    renamed={"source": "input"},
)
def split_v1(input: Any, sep: object, maxsplit: int, result_type: str, name: str | None) -> Any:
    """Splits strings into parts, along a new last axis.

    Args:
      input: a string Tensor or RaggedTensor of rank n; a scalar is taken as a vector of one string.
      sep: the separator; None or "" means runs of white space.
      maxsplit: how often to split each string at most; -1 for every separator.
      result_type: "SparseTensor" or "RaggedTensor".
      name: name of the scope in a graph.

    Returns: A SparseTensor or RaggedTensor of rank n + 1.
    Raises: ValueError: if `result_type` is unknown, or both `input` and `source` are given.
    """
    _check_result_type(result_type)
    with name_scope(name, "StringSplit"):
        input = text_tensor(input)
        if input.shape.rank == 0:
            input = raw.ExpandDims(input=input, axis=0)
        parts = split(input, sep, maxsplit)
        return parts if result_type == "RaggedTensor" else parts.to_sparse()


def _check_result_type(result_type: str) -> None:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


@export(v1=["string_split"])
@v1_arguments(
    "source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor', name=None",
    renamed={"delimiter": "sep"},
)
def string_split_v1(source: TensorLike, sep: Any, skip_empty: bool, result_type: str, name: str | None) -> Any:
    """Splits strings at each byte of a separator.

    Args:
      source: a string vector.
      sep: the bytes at which to split; None means at blanks, "" after each byte.
      skip_empty: whether empty parts are left out.
      result_type: "SparseTensor" or "RaggedTensor".
      name: name of the scope in a graph.

    Returns: A SparseTensor or RaggedTensor of rank two.
    Raises:
      ValueError: if `result_type` is unknown, or both `sep` and `delimiter` are given.
      tf.errors.InvalidArgumentError: if `source` is not a vector.
    """
    with name_scope(name, "StringSplit"):
        source = convert_to_tensor(source, dtype=string, name="source")
        separator = " " if sep is None else sep
        parts = raw.StringSplit(input=source, delimiter=separator, skip_empty=skip_empty)
        _check_result_type(result_type)
        return ragged_parts(*parts) if result_type == "RaggedTensor" else SparseTensor(*parts)


length_v1 = export(v1=["strings.length"], elementwise="unary")(
    v1_wrapper(
        "strings.length",
        length,
        "input, name=None, unit='BYTE'",
        """
    >>> tf.compat.v1.strings.length(["Hello", "Hi"]).numpy()
    array([5, 2], dtype=int32)
    """,
    )
)


substr_v1 = export(v1=["strings.substr", "substr"], elementwise="unary")(
    v1_wrapper(
        "strings.substr",
        substr,
        "input, pos, len, name=None, unit='BYTE'",
        """
    >>> tf.compat.v1.substr("Hello", 1, 3).numpy()
    b'ell'
    """,
    )
)
