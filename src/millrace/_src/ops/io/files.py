"""Whole files as tensors: reading, writing, and finding them by patterns.

What a file holds is not a function of the file's name, so these ops are never computed ahead of time or merged.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import with_rank, with_rank_at_most
from millrace._src.ops.io.file_names import file_errors, file_name
from millrace._src.ops.io.file_patterns import matching_names
from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import content_of, file_system_of
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_NO_GRADIENT = "files have no gradient"
_BY_ROW = "a file is read or written once per row"


def _check_scalar(array: Array, what: str) -> None:
    if array.ndim:
        message = f"{what} tensor must be scalar, but had shape: {shape_brackets(array.shape)}"
        raise errors.InvalidArgumentError(None, None, message)


def _read_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("filename"), 0)
    return TensorShape([])


@op(
    "ReadFile",
    "filename: string -> contents: string",
    shape=_read_shape,
    capabilities=Capability.READS_FILES,
    file_inputs=("filename",),
    effects=Effects.RANDOM,  # another call may find other files
    host_only=True,
    not_differentiable=_NO_GRADIENT,
    not_batched=_BY_ROW,
)
def read_file_op(xp: Xp, filename: Array) -> bytes:
    """Reads a whole file."""
    _check_scalar(filename, "Input filename")
    return content_of(file_name(filename.item()))


def _write_shape(c: ShapeContext) -> list[TensorShape]:
    with_rank(c.shape("filename"), 0)
    with_rank(c.shape("contents"), 0)
    return []


@op(
    "WriteFile",
    "filename: string, contents: string -> ",
    shape=_write_shape,
    capabilities=Capability.WRITES_FILES,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NO_GRADIENT,
    not_batched=_BY_ROW,
)
def write_file_op(xp: Xp, filename: Array, contents: Array) -> Any:
    """Writes a whole file, and makes its directory."""
    _check_scalar(filename, "Input filename")
    _check_scalar(contents, "Contents")
    name = file_name(filename.item())
    file_system, path = file_system_of(name)
    with file_errors(name):
        directory = file_system.directory_of(path)
        if directory and not file_system.exists(directory):
            file_system.make_directories(directory)
        with file_system.open(path, "w") as file:
            write_all(file, contents.item())
    return ()


def _matching_shape(c: ShapeContext) -> TensorShape:
    with_rank_at_most(c.shape("pattern"), 1)
    return TensorShape([None])


@op(
    "MatchingFiles",
    "pattern: string -> filenames: string",
    shape=_matching_shape,
    capabilities=Capability.READS_FILES,
    effects=Effects.RANDOM,  # another call may find other files
    host_only=True,
    not_differentiable=_NO_GRADIENT,
    not_batched=_BY_ROW,
)
def matching_files_op(xp: Xp, pattern: Array) -> Array:
    """Finds the files that match one or several patterns."""
    if pattern.ndim > 1:
        message = f"Input patterns tensor must be scalar or vector, but had shape: {shape_brackets(pattern.shape)}"
        raise errors.InvalidArgumentError(None, None, message)
    names = [
        name.encode("utf-8", "surrogateescape")
        for single_pattern in pattern.reshape(-1).tolist()
        for name in matching_names(file_name(single_pattern))
    ]
    return string_array(sorted(names), (len(names),))


@export("io.read_file", v1=["io.read_file", "read_file"])
def read_file(filename: object, name: str | None = None) -> Any:
    """Reads a whole file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> tf.io.write_file(path, "some text")
    >>> tf.io.read_file(path).numpy()
    b'some text'

    Args:
      filename: a scalar string Tensor, the file's name.
      name: name of the operation in a graph.

    Returns: A scalar string Tensor.
    Raises: tf.errors.NotFoundError: if there is no such file, or another `OpError`.
    """
    return read_file_op(filename, name=name)


@export("io.write_file", v1=["io.write_file", "write_file"])
def write_file(filename: object, contents: TensorLike, name: str | None = None) -> Any:
    """Writes a whole file; makes the directory for it where there is none.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "a.txt")
    >>> tf.io.write_file(path, b"some text")
    >>> tf.io.read_file(path).numpy()
    b'some text'

    Args:
      filename: a scalar string Tensor, the file's name.
      contents: a scalar string Tensor.
      name: name of the operation in a graph.

    Returns: The operation in a graph; None in eager mode.
    Raises: tf.errors.OpError: if the file cannot be written.
    """
    return write_file_op(filename, contents, name=name)


@export("io.matching_files", v1=["io.matching_files", "matching_files"])
def matching_files(pattern: object, name: str | None = None) -> Any:
    """Finds the files whose names match patterns; see `tf.io.gfile.glob` for what a pattern is.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for letter in "cab":
    ...     tf.io.write_file(os.path.join(folder, letter), "")
    >>> [os.path.basename(path) for path in tf.io.matching_files(folder + "/*").numpy()]
    [b'a', b'b', b'c']

    Args:
      pattern: a scalar string Tensor, or a vector of patterns.
      name: name of the operation in a graph.

    Returns: A vector of names, sorted; one that matches two patterns stands there twice.
    Raises: tf.errors.InvalidArgumentError: for patterns of rank 2 or more.
    """
    return matching_files_op(pattern, name=name)
