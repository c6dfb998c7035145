"""Libraries that were compiled for TensorFlow: found, and refused in words.

Such a library registers kernels with TensorFlow's C++ runtime, which is not here. Programs ask for one and go on
without it if there is none, so a missing file is the error that it is in TensorFlow.
"""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from millrace._src.core import errors
from millrace._src.ops.io.file_names import file_name
from millrace._src.util.export import export


@export("load_op_library", v1=["load_op_library"])
def load_op_library(library_filename: object) -> NoReturn:
    """Refuses a library of ops that was compiled for TensorFlow.

    >>> try:
    ...     ops = tf.load_op_library("_my_ops.so")
    ... except tf.errors.NotFoundError:
    ...     ops = None

    Args: library_filename: the name of the library.
    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.UnimplementedError: for any file.
    """
    name = file_name(library_filename)
    if not os.path.exists(name):
        message = f"{name}: cannot open shared object file: No such file or directory"
        raise errors.NotFoundError(None, None, message)
    raise errors.UnimplementedError(
        None,
        None,
        f"{name}: a library that was compiled for TensorFlow cannot be loaded, for Millrace has no C++ runtime. Write "
        "its ops with those of tf, or in NumPy with tf.numpy_function.",
    )


@export(v1=["load_file_system_library"])
def load_file_system_library(library_filename: object) -> NoReturn:
    """Refuses a library with a file system that was compiled for TensorFlow.

    >>> try:
    ...     tf.compat.v1.load_file_system_library("_my_files.so")
    ... except tf.errors.NotFoundError:
    ...     pass

    Args: library_filename: the name of the library.
    Raises: as `tf.load_op_library`. File systems of other schemes come from `fsspec`.
    """
    load_op_library(library_filename)


@export("load_library", v1=["load_library"])
def load_library(library_location: object) -> None:
    """Refuses a library, or those in a folder, that were compiled for TensorFlow.

    >>> import tempfile
    >>> tf.load_library(tempfile.mkdtemp())  # there is none in it

    Args: library_location: the name of a library, or of a folder with some.
    Raises:
      FileNotFoundError: if there is no such file.
      tf.errors.UnimplementedError: as `tf.load_op_library`.
    """
    name = file_name(library_location)
    if not os.path.exists(name):
        message = "The file or folder to load kernel libraries from does not exist."
        raise FileNotFoundError(errno.ENOENT, message, name)
    entries = sorted(os.listdir(name)) if os.path.isdir(name) else [""]
    for entry in entries:
        if not entry or entry.endswith((".so", ".dylib", ".dll", ".pyd")):
            load_op_library(os.path.join(name, entry) if entry else name)
