"""Strings that are compressed: `tf.io.decode_compressed`.

zlib reads what TensorFlow reads. Zstandard is refused until Python's own library has it everywhere.
"""

from __future__ import annotations

import zlib
from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.batching_rules import as_it_is
from millrace._src.ops.io.byte_source import WINDOW_BITS, inflate_complaint
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.text_bytes import map_strings
from millrace._src.util.export import export


@op(
    "DecodeCompressed",
    "bytes: string -> output: string",
    shape=same_shape,
    host_only=True,
    batching=as_it_is,
    exact_on_rows=True,
    not_differentiable="text has no gradient",
)
def decode_compressed_op(xp: Xp, bytes: Array, *, compression_type: str = "") -> Array:
    """Decompresses every string."""
    if not compression_type:
        return bytes
    if compression_type == "ZSTD":
        raise errors.UnimplementedError(None, None, "tf.io.decode_compressed: ZSTD is not supported here; use ZLIB.")
    if compression_type not in WINDOW_BITS:
        raise errors.InvalidArgumentError(None, None, "Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    return map_strings(lambda text: decompress(text, compression_type), bytes)


def decompress(text: bytes, compression_type: str) -> bytes:
    """Decompresses one string; one that is cut off gives what it has, and gzip's may have several members.

    >>> import zlib
    >>> from millrace._src.ops.io.compressed_text import decompressed
    >>> decompressed(zlib.compress(b"text"), "ZLIB")
    b'text'

    Raises: tf.errors.DataLossError: if the string is damaged.
    """
    pieces = []
    while text:
        decompressor = zlib.decompressobj(WINDOW_BITS[compression_type])
        try:
            pieces.append(decompressor.decompress(text))
        except zlib.error as error:
            raise errors.DataLossError(None, None, inflate_complaint(error)) from None
        text = decompressor.unused_data if compression_type == "GZIP" else b""
    return b"".join(pieces)


@export("io.decode_compressed", v1=["io.decode_compressed", "decode_compressed"], elementwise="unary")
def decode_compressed(bytes: object, compression_type: str = "", name: str | None = None) -> Any:
    """Decompresses strings.

    >>> import zlib
    >>> tf.io.decode_compressed([zlib.compress(b"text")], "ZLIB").numpy()
    array([b'text'], dtype=object)

    Args:
      bytes: a string Tensor.
      compression_type: "" for strings that are not compressed, "ZLIB" or "GZIP".
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.DataLossError: if a string is damaged; InvalidArgumentError: for another type.
    """
    return decode_compressed_op(bytes, compression_type=compression_type, name=name)
