"""The variables of objects that are in use, written to files of named arrays and read back.

A variable is named by the path from the root object, as in a checkpoint, with dots: `model.layers.0.kernel`. Reading
back goes through a checkpoint in memory, so what `tf.train.Checkpoint` knows of objects (variables that are created
later, slots of optimizers, the report of what did not fit) holds here too.
"""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from millrace._src.checkpoint.checkpoint import Checkpoint
from millrace._src.checkpoint.object_graph import ObjectGraphView, serialize_object_graph
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.interop.array_files.file_conversion import write_array_file, write_checkpoint
from millrace._src.interop.array_files.file_opening import open_array_file, suffix_of
from millrace._src.interop.array_files.names import dotted_name
from millrace._src.interop.array_files.sources import HeldArray, StoredArray
from millrace._src.ops.io.gfile import isdir, rmtree
from millrace._src.trackable.base import Trackable
from millrace._src.util.export import export


@export("interop.save_arrays")
def save_arrays(values: TensorLike, path: Any) -> None:
    """Writes the variables of an object, or named arrays, to a safetensors or npz file.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.layer = tf.Module()
    >>> module.layer.bias = tf.Variable([1.0, 2.0])
    >>> path = tempfile.mkdtemp() + "/weights.safetensors"
    >>> tf.interop.save_arrays(module, path)
    >>> tf.interop.load_arrays(path)
    {'layer.bias': array([1., 2.], dtype=float32)}

    Args:
      values: an object whose variables a checkpoint would find (a `tf.Module`, a Keras model, a `tf.train.Checkpoint`),
        or a dict from names to tensors, variables or arrays.
      path: a name that ends in `.safetensors` or `.npz`; with another ending, a checkpoint.

    Raises:
      TypeError: if `values` is neither.
      tf.errors.InvalidArgumentError: if the file has no form for an array, such as strings in a safetensors file.
    """
    if isinstance(values, Trackable) and not isinstance(values, Mapping):
        named = dict(_variables(values))
    elif isinstance(values, Mapping):
        named = {str(name): value for name, value in values.items()}
    else:
        message = f"tf.interop.save_arrays: values must be a trackable object or a dict; received {values!r}."
        raise TypeError(message)
    write_array_file(os.fspath(path), [_hold(name, value) for name, value in named.items()])


def _variables(root: object) -> Iterator[tuple[str, Any]]:
    for saved in serialize_object_graph(ObjectGraphView(root)).tensors:
        name = dotted_name(saved.checkpoint_key)
        if name is not None:
            yield name, saved.tensor()


def _hold(name: str, value: Any) -> HeldArray:
    tensor = convert_to_tensor(value)
    if isinstance(tensor, SymbolicTensor):
        message = f"tf.interop.save_arrays: {name!r} is a tensor of a graph, which has no value: {value!r}."
        raise errors.InvalidArgumentError(None, None, message)
    return HeldArray(name, tensor.numpy(), tensor.dtype)


@export("interop.restore_arrays")
def restore_arrays(root: object, path: Any) -> Any:
    """Gives the variables of an object the values of a safetensors or npz file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/weights.npz"
    >>> tf.interop.save_arrays({"layer.bias": [1.0, 2.0], "layer.scale": [3.0]}, path)
    >>> module = tf.Module()
    >>> module.layer = tf.Module()
    >>> module.layer.bias = tf.Variable([0.0, 0.0])
    >>> status = tf.interop.restore_arrays(module, path)
    >>> module.layer.bias.numpy()
    array([1., 2.], dtype=float32)
    >>> [row.name for row in status.report().unused]
    ['layer/scale']

    Args:
      root: an object whose variables a checkpoint would find.
      path: the file, or a checkpoint, as for `tf.interop.convert_arrays`.

    Returns: The status that `tf.train.Checkpoint.read` gives: `assert_consumed()` raises an error with a table of what
      is missing, unused or does not fit. Variables that are created later get values as long as the status is kept.
    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: if the file is damaged.
    """
    name = os.fspath(path)
    if not suffix_of(name):
        return Checkpoint(root=root).read(name)
    folder = f"ram://millrace-arrays/{secrets.token_hex(8)}"
    prefix = f"{folder}/{os.path.basename(name)}"
    try:
        _, file = open_array_file(name)
        with file:
            write_checkpoint(prefix, [StoredArray(file, stored_name, stored_name) for stored_name in file.arrays])
        status = Checkpoint(root=root).read(prefix)
    except BaseException:
        _remove(folder)
        raise
    weakref.finalize(status, _remove, folder)
    return status


def _remove(folder: str) -> None:
    if isdir(folder):
        rmtree(folder)
