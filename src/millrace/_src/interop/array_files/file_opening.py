"""Finds the file of named arrays that a path means: by its suffix, or by the files of a checkpoint beside it.

Tests: tests/interop/array_files/test_file_conversion.py
"""

from __future__ import annotations

import os
import re

from millrace._src.checkpoint.bundle.bundle_opening import is_single_file
from millrace._src.checkpoint.bundle.publishing import DATA_SUFFIX, NEXT, index_name
from millrace._src.checkpoint.state_file import latest_checkpoint
from millrace._src.core import errors
from millrace._src.interop.array_files.array_file import ArrayFile
from millrace._src.interop.array_files.checkpoint_file import CheckpointFile
from millrace._src.interop.array_files.npz_file import SUFFIX as NPZ
from millrace._src.interop.array_files.npz_file import NpzFile
from millrace._src.interop.array_files.safetensors_file import SUFFIX as SAFETENSORS
from millrace._src.interop.array_files.safetensors_file import SafetensorsFile
from millrace._src.ops.io.gfile import exists, glob, isdir
from millrace._src.saved_model.constants import VARIABLES_DIRECTORY, VARIABLES_FILENAME

_CHECKPOINT_FILE = re.compile(rf"(.+?)(\.index|{DATA_SUFFIX})")


def suffix_of(path: str) -> str:
    """Returns the suffix of a safetensors or npz file; "" for a name that is neither's."""
    return next((suffix for suffix in (SAFETENSORS, NPZ) if path.endswith(suffix)), "")


def checkpoint_prefix(path: str) -> str | None:
    """Returns the prefix of the checkpoint that a path means, or None.

    Args: path: a prefix, a file of a checkpoint, a folder of checkpoints (of which the latest is meant), a SavedModel,
      a checkpoint of TensorFlow's first form, which is a single file.
    """
    match = _CHECKPOINT_FILE.fullmatch(path)
    candidates = [path, match[1]] if match else [path]
    if isdir(path):
        candidates = [latest_checkpoint(path) or "", os.path.join(path, VARIABLES_DIRECTORY, VARIABLES_FILENAME)]
    for prefix in candidates:
        if prefix and (exists(index_name(prefix)) or exists(index_name(prefix) + NEXT)):
            return prefix
    return path if is_single_file(path) else None


def prefixes_in(folder: str) -> list[str]:
    """Returns the prefixes of the checkpoints whose index is in a folder, in the order of their names."""
    indices = glob(os.path.join(folder, index_name("*")))
    return sorted(name.removesuffix(index_name("")) for name in indices)


def open_array_file(path: str) -> tuple[str, ArrayFile]:
    """Opens the file of named arrays that a path means.

    Returns: What kind of file it is and which, and the file.
    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: if the file is damaged.
    """
    suffix = suffix_of(path)
    if suffix == SAFETENSORS:
        return f"safetensors file {path}", SafetensorsFile(path)
    if suffix == NPZ:
        return f"npz file {path}", NpzFile(path)
    prefix = checkpoint_prefix(path)
    if prefix is None:
        raise errors.NotFoundError(None, None, f"{path} is not a checkpoint, nor a .safetensors or .npz file.")
    return f"checkpoint {prefix}", CheckpointFile(prefix)
