"""Messages as the bytes of files, and dtypes named in them: bytes that are not a message are damage, and said to be."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.errors import DataLossError

M = TypeVar("M", bound=Message)


def read_message(kind: type[M], data: bytes, source: str) -> M:
    """Returns the message that bytes from a file hold.

    Args:
      kind: the class of the message.
      data: the bytes.
      source: where they come from, for the message of the error.

    Raises: DataLossError: if the bytes are no such message.
    """
    try:
        return kind.FromString(data)
    except DecodeError as error:
        problem = f"{source}: these {len(data)} bytes are not a serialized {kind.__name__} ({error})."
        raise DataLossError(None, None, problem) from None


def encode_message(message: Message, as_text: bool = False) -> bytes:
    """Returns the content of a file with a message: the same bytes for equal messages.

    Args:
      message: the message.
      as_text: whether the file holds protobuf's text form rather than its binary one.
    """
    return text_format.MessageToString(message).encode() if as_text else message.SerializeToString(deterministic=True)


def dtype_of_number(number: int, source: str) -> DType:
    """Returns the dtype for which a number stands in a message.

    Args:
      number: the number.
      source: what has the dtype, for the message of the error.

    Raises: ValueError: if no dtype has the number, or only references do, which no value in a file is.
    """
    try:
        dtype = as_dtype(number)
    except TypeError:
        raise ValueError(f"{source} has the dtype {number}, which is not known.") from None
    if dtype.is_ref:
        raise ValueError(f"{source} has the dtype {dtype.name}, which no value has.")
    return dtype
