"""Opening a checkpoint of either form."""

from __future__ import annotations

from contextlib import closing
from typing import TypeAlias

from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.single_file_reader import SingleFileReader
from millrace._src.checkpoint.bundle.table_format import FOOTER_SIZE, MAGIC
from millrace._src.core import errors

StoredTensors: TypeAlias = BundleReader | SingleFileReader
"""A checkpoint that is open for reading: a bundle, or TensorFlow's first form."""


def is_single_file(name: str) -> bool:
    """Returns whether a file is a checkpoint of TensorFlow's first form, or another table: by its last bytes."""
    try:
        file = RangedFile(name)
    except (errors.NotFoundError, errors.FailedPreconditionError):
        return False
    with closing(file):
        return file.size >= FOOTER_SIZE and file.read(file.size - len(MAGIC), len(MAGIC)) == MAGIC


def open_checkpoint(prefix: str) -> StoredTensors:
    """Opens a checkpoint for reading.

    Args: prefix: what the names of a bundle's files begin with; or the name of a checkpoint in a single file, or a
      pattern that matches several.

    Raises:
      tf.errors.NotFoundError: if there is no such checkpoint.
      tf.errors.DataLossError: if its files are damaged.
    """
    try:
        return BundleReader(prefix)
    except errors.NotFoundError:
        return SingleFileReader(prefix)
