"""Files that hold one message each, in protobuf's binary or text form."""

from __future__ import annotations

import os

from google.protobuf.message import Message

from millrace._src.graph.message_bytes import encode_message
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.whole_writes import atomic_write


def write_message(path: object, message: Message, as_text: bool = False) -> int:
    """Writes a message to a file, whole or not at all; the folder is made where there is none.

    Args:
      path: the name of the file.
      message: the message.
      as_text: whether the file holds protobuf's text form rather than its binary one.

    Returns: How many bytes the file has.
    """
    name, content = file_name(path), encode_message(message, as_text)
    if os.path.dirname(name):
        gfile.makedirs(os.path.dirname(name))
    with atomic_write(name) as file:
        file.write(content)
    return len(content)
