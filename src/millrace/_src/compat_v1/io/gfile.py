"""`tf.compat.v1.gfile`: the functions of `tf.io.gfile` under TensorFlow 1's names and with its argument names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_object import GFile
from millrace._src.ops.io.file_system import FileStatistics
from millrace._src.util.export import export


@export(v1=["gfile.Exists"])
def exists(filename: object) -> bool:
    """Says whether a file or directory exists. See `tf.io.gfile.exists`.

    >>> tf.compat.v1.gfile.Exists("/")
    True

    Args: filename: a name: text, bytes or a path object.
    """
    return gfile.exists(filename)


@export(v1=["gfile.IsDirectory"])
def isdir(dirname: object) -> bool:
    """Says whether a path is a directory. See `tf.io.gfile.isdir`.

    >>> tf.compat.v1.gfile.IsDirectory("/")
    True

    Args: dirname: a name: text, bytes or a path object.
    """
    return gfile.isdir(dirname)


@export(v1=["gfile.Stat"])
def stat(filename: Any) -> FileStatistics:
    """Returns the size, time and kind of a file. See `tf.io.gfile.stat`.

    >>> tf.compat.v1.gfile.Stat("/").is_directory
    True

    Args: filename: a name: text, bytes or a path object.
    """
    return gfile.stat(filename)


@export(v1=["gfile.ListDirectory"])
def listdir(dirname: object) -> list[str]:
    """Returns the names in a directory. See `tf.io.gfile.listdir`.

    >>> import tempfile
    >>> tf.compat.v1.gfile.ListDirectory(tempfile.mkdtemp())
    []

    Args: dirname: a name: text, bytes or a path object.
    """
    return gfile.listdir(dirname)


@export(v1=["gfile.Glob"])
def glob(filename: object) -> list[str]:
    """Returns the names of the files that match a pattern. See `tf.io.gfile.glob`.

    >>> tf.compat.v1.gfile.Glob("/no/such/*")
    []

    Args: filename: a pattern, or several in a list.
    """
    return gfile.glob(filename)


@export(v1=["gfile.MkDir"])
def mkdir(dirname: object) -> None:
    """Makes a directory. See `tf.io.gfile.mkdir`.

    >>> tf.compat.v1.gfile.MkDir("/")

    Args: dirname: a name: text, bytes or a path object.
    """
    gfile.mkdir(dirname)


@export(v1=["gfile.MakeDirs"])
def makedirs(dirname: object) -> None:
    """Makes a directory and those above. See `tf.io.gfile.makedirs`.

    >>> tf.compat.v1.gfile.MakeDirs("/")

    Args: dirname: a name: text, bytes or a path object.
    """
    gfile.makedirs(dirname)


@export(v1=["gfile.Remove"])
def remove(filename: object) -> None:
    """Deletes a file. See `tf.io.gfile.remove`.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(path, "text")
    >>> tf.compat.v1.gfile.Remove(path)

    Args: filename: a name: text, bytes or a path object.
    """
    gfile.remove(filename)


@export(v1=["gfile.DeleteRecursively"])
def rmtree(dirname: object) -> None:
    """Deletes a directory and all that is in it. See `tf.io.gfile.rmtree`.

    >>> import tempfile
    >>> tf.compat.v1.gfile.DeleteRecursively(tempfile.mkdtemp())

    Args: dirname: a name: text, bytes or a path object.
    """
    gfile.rmtree(dirname)


@export(v1=["gfile.Copy"])
def copy(oldpath: object, newpath: object, overwrite: bool = False) -> None:
    """Copies a file. See `tf.io.gfile.copy`.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(path, "text")
    >>> tf.compat.v1.gfile.Copy(path, path + "2")

    Args:
      oldpath: name of the file.
      newpath: the name of the copy.
      overwrite: whether a file of that name may be replaced.
    """
    gfile.copy(oldpath, newpath, overwrite)


@export(v1=["gfile.Rename"])
def rename(oldname: object, newname: object, overwrite: bool = False) -> None:
    """Gives a file or directory another name. See `tf.io.gfile.rename`.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(path, "text")
    >>> tf.compat.v1.gfile.Rename(path, path + "2")

    Args:
      oldname: name of the file.
      newname: the new name.
      overwrite: whether a file of that name may be replaced.
    """
    gfile.rename(oldname, newname, overwrite)


@export(v1=["gfile.Walk"])
def walk(top: TensorLike, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a directory and all those below. See `tf.io.gfile.walk`.

    >>> import tempfile
    >>> [files for _, _, files in tf.compat.v1.gfile.Walk(tempfile.mkdtemp())]
    [[]]

    Args:
      top: name of the directory.
      in_order: whether a directory comes before those below.
    """
    return gfile.walk(top, in_order)


@export(v1=["gfile.FastGFile"])
class FastGFile(GFile):
    """A `tf.io.gfile.GFile` under an old name.

    >>> tf.compat.v1.gfile.FastGFile("unused").mode
    'r'
    """
