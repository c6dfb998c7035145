"""Messages read from files: what is no message is damage, and said to be."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from millrace._src.core.errors import DataLossError

M = TypeVar("M", bound=Message)


def read_message(kind: type[M], data: bytes, place: str) -> M:
    """Returns the message that bytes from a file hold.

    Args:
      kind: the class of the message.
      data: the bytes.
      place: where they come from, for the message of the error.

    Raises: DataLossError: if the bytes are no such message.
    """
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise DataLossError(None, None, f"{place}: these {len(data)} bytes are no {kind.__name__} ({error}).") from None
