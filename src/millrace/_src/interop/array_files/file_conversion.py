"""Files of named arrays, turned into each other: `tf.interop`, names that TensorFlow does not have.

A checkpoint holds the values of variables beside other things: the graph of objects, and the insides of tables and
iterators. Only the values of variables become arrays of a safetensors or npz file; what stays behind is listed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.core import dtypes, errors
from millrace._src.core.array_namespace import Array
from millrace._src.interop.array_files.array_file import ArrayFile, Source
from millrace._src.interop.array_files.checkpoint_file import CheckpointFile
from millrace._src.interop.array_files.file_opening import open_array_file, suffix_of
from millrace._src.interop.array_files.names import checkpoint_key, checkpoint_path, dotted_name
from millrace._src.interop.array_files.npz_file import SUFFIX as NPZ
from millrace._src.interop.array_files.npz_file import write_npz
from millrace._src.interop.array_files.object_tree import object_tree
from millrace._src.interop.array_files.safetensors_file import SUFFIX as SAFETENSORS
from millrace._src.interop.array_files.safetensors_file import has_code, write_safetensors
from millrace._src.interop.array_files.sources import StoredArray
from millrace._src.ops.io.gfile import makedirs
from millrace._src.trackable.base import OBJECT_GRAPH_PROTO_KEY
from millrace._src.util.export import export


@dataclass(frozen=True)
class ArrayConversion:
    """What `tf.interop.convert_arrays` did.

    Attributes:
      names: the name in the new file of each array that was written, by its name in the old file.
      left_out: why what else is in the old file was not written, by name.
    """

    names: Mapping[str, str]
    left_out: Mapping[str, str]


@export("interop.convert_arrays")
def convert_arrays(source: Any, target: Any) -> ArrayConversion:
    """Writes the variables of a checkpoint as a safetensors or npz file, or such a file as another one of the three.

    Values and dtypes are kept bit for bit; one array at a time is in memory. The new file appears whole or not at all.
    The variable `layer/kernel/.ATTRIBUTES/VARIABLE_VALUE` of a checkpoint is `layer.kernel` in the other files.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.interop.save_arrays({"layer.kernel": tf.ones([2])}, folder + "/weights.safetensors")
    >>> dict(tf.interop.convert_arrays(folder + "/weights.safetensors", folder + "/ckpt").names)
    {'layer.kernel': 'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE'}
    >>> tf.interop.convert_arrays(folder + "/ckpt", folder + "/weights.npz").left_out
    {'_CHECKPOINTABLE_OBJECT_GRAPH': 'not the value of a variable'}

    Args:
      source: a file that ends in `.safetensors` or `.npz`, or what the names of a checkpoint's files begin with. A
        folder of checkpoints means the latest one, a SavedModel for its variables.
      target: the file to write; a name without one of the two suffixes is that of a checkpoint.

    Returns: The names of what was written, and what was left out.
    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: if a file is damaged.
      tf.errors.InvalidArgumentError: if two arrays would have one name, or the new file has no form for a string.
    """
    _, file = open_array_file(os.fspath(source))
    with file:
        names, left_out = _new_names(file, os.fspath(target))
        write_array_file(os.fspath(target), [StoredArray(file, name, new_name) for name, new_name in names.items()])
    return ArrayConversion(_names_to_show(names, os.fspath(target)), left_out)


def _new_names(file: ArrayFile, target: str) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the dotted names of what is written, and why the rest is left out, both by the names in the old file."""
    names: dict[str, str] = {}
    left_out: dict[str, str] = {}
    is_safetensors = suffix_of(target) == SAFETENSORS
    for name, info in file.arrays.items():
        new_name = _name_in_memory(file, name)
        if new_name is None:
            left_out[name] = "not the value of a variable"
        elif is_safetensors and not has_code(info.dtype):
            left_out[name] = f"safetensors files have no {info.dtype.name}"
        else:
            names[name] = new_name
    return names, left_out


def _name_in_memory(file: ArrayFile, name: str) -> str | None:
    """Returns the dotted name of an array of a file; None for what is not a variable's value.

    A checkpoint of TensorFlow 1 has no object graph, and the name of a variable, `layer/kernel`, as the key.
    """
    if not isinstance(file, CheckpointFile):
        return name
    return dotted_name(name) if OBJECT_GRAPH_PROTO_KEY in file.arrays else name.replace("/", ".")


def _names_to_show(names: Mapping[str, str], target: str) -> dict[str, str]:
    if suffix_of(target):
        return dict(names)
    return {name: checkpoint_key(checkpoint_path(new_name)) for name, new_name in names.items()}


def write_array_file(target: str, sources: Sequence[Source]) -> None:
    """Writes arrays to a safetensors or npz file, by the suffix of its name, or to a checkpoint.

    Raises: tf.errors.InvalidArgumentError: if two arrays have one name, or the file has no form for one.
    """
    _check_names([source.info.name for source in sources])
    folder = os.path.dirname(target)
    if folder:
        makedirs(folder)
    suffix = suffix_of(target)
    if suffix == SAFETENSORS:
        write_safetensors(target, sources, {"format": "np"})
    elif suffix == NPZ:
        write_npz(target, sources)
    else:
        write_checkpoint(target, sources)


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise errors.InvalidArgumentError(None, None, f"Two arrays have the name {name!r}.")
        if not name:
            raise errors.InvalidArgumentError(None, None, "An array has no name.")
        seen.add(name)


def write_checkpoint(prefix: str, sources: Sequence[Source]) -> None:
    """Writes arrays as the variables of a checkpoint, which `tf.train.Checkpoint` restores into objects."""
    paths = [checkpoint_path(source.info.name) for source in sources]
    with BundleWriter(prefix) as writer:
        for path, source in zip(paths, sources, strict=True):
            writer.add(checkpoint_key(path), source.value(), source.info.dtype)
        graph = np.array(object_tree(paths).SerializeToString(), dtype=object)
        writer.add(OBJECT_GRAPH_PROTO_KEY, graph, dtypes.string)


@export("interop.load_arrays")
def load_arrays(path: Any) -> dict[str, Array]:
    """Reads all arrays of a safetensors or npz file, or the values of all variables of a checkpoint.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/weights.npz"
    >>> tf.interop.save_arrays({"bias": tf.constant([1.0, 2.0])}, path)
    >>> tf.interop.load_arrays(path)
    {'bias': array([1., 2.], dtype=float32)}

    Args: path: the file, or a checkpoint, as for `tf.interop.convert_arrays`.
    Returns: NumPy arrays by name; the variable `layer/kernel` of a checkpoint is `layer.kernel`.
    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: if the file is damaged.
    """
    _, file = open_array_file(os.fspath(path))
    with file:
        names = {name: _name_in_memory(file, name) for name in file.arrays}
        return {new_name: file.read(name) for name, new_name in names.items() if new_name is not None}
