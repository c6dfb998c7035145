"""Files and directories by name: the functions of `tf.io.gfile`.

They work on every file system that a name can belong to (`file_systems.py`): failures are those of `tf.errors`, and
overwriting has to be asked for.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.io.file_names import file_errors, file_name
from millrace._src.ops.io.file_patterns import matching_names
from millrace._src.ops.io.file_system import FileStatistics, FileSystem, write_all
from millrace._src.ops.io.file_systems import file_system_of, registered_schemes
from millrace._src.util.export import export

_COPIED_AT_ONCE = 1 << 20

# --- asking ----------------------------------------------------------------------------------------------------------


@export("io.gfile.exists")
def exists(path: object) -> bool:
    """Says whether a file or directory exists.

    >>> tf.io.gfile.exists("/no/such/file")
    False

    Args: path: a name: text, bytes or a path object; a scheme such as `file://` or `ram://` may stand in front.
    Raises: tf.errors.UnimplementedError: for an unknown scheme; TypeError: for what is not a name.
    """
    file_system, local_path = file_system_of(file_name(path))
    return file_system.exists(local_path)


@export("io.gfile.isdir")
def isdir(path: object) -> bool:
    """Says whether a path is a directory; a path that cannot be looked at is none.

    >>> tf.io.gfile.isdir("/")
    True

    Args: path: a name: text, bytes or a path object.
    Raises: TypeError: for what is not a name.
    """
    name = file_name(path)
    try:
        file_system, path = file_system_of(name)
    except errors.OpError:
        return False
    return file_system.is_directory(path)


@export("io.gfile.stat")
def stat(path: Any) -> FileStatistics:
    """Returns the size, time and kind of a file.

    >>> tf.io.gfile.stat("/").is_directory
    True

    Args: path: a name: text, bytes or a path object.
    Returns: An object with `length`, `mtime_nsec` and `is_directory`.
    Raises: tf.errors.NotFoundError: if there is no such file, or another `OpError`.
    """
    name = file_name(path)
    file_system, path = file_system_of(name)
    with file_errors(name):
        return file_system.status(path)


@export("io.gfile.listdir")
def listdir(path: object) -> list[str]:
    """Returns the names in a directory, in the order in which the operating system gives them.

    >>> import tempfile
    >>> tf.io.gfile.listdir(tempfile.mkdtemp())
    []

    Args: path: name of a directory.
    Raises: tf.errors.NotFoundError: if there is no such directory.
    """
    name = file_name(path)
    if not isdir(name):
        raise errors.NotFoundError(None, None, f"Could not find directory {name}")
    file_system, path = file_system_of(name)
    with file_errors(name):
        return file_system.list_directory(path)


@export("io.gfile.glob")
def glob(pattern: Any) -> list[str]:
    """Returns the names of the files and directories that match a pattern.

    `*` matches any text without a slash, `?` one character, `[a-z]` one of those, `[!a-z]` or `[^a-z]` for
    one of the others; a backslash takes the meaning away from the next character. Hidden files match like others.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for name in ("a1.txt", "a2.txt", "b.txt"):
    ...     tf.io.gfile.GFile(os.path.join(folder, name), "w").write("")
    >>> sorted(os.path.basename(path) for path in tf.io.gfile.glob(folder + "/a?.txt"))
    ['a1.txt', 'a2.txt']

    Args: pattern: a pattern, or several in a list.
    Returns: The names, pattern by pattern, in the order of their directories.
    Raises: tf.errors.UnimplementedError: for an unknown scheme; TypeError: for what is not a name.
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else list(pattern)
    return [name for single_pattern in patterns for name in matching_names(file_name(single_pattern))]


@export("io.gfile.walk")
def walk(
    top: TensorLike, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a directory and all those below.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/sub")
    >>> [(directories, files) for _, directories, files in tf.io.gfile.walk(folder)]
    [(['sub'], []), ([], [])]

    Args:
      top: name of the directory.
      topdown: whether a directory comes before those below; the caller may then shorten its list of directories.
      onerror: called with the `tf.errors.OpError` of a directory that cannot be listed; None passes over it.

    Yields: (name of the directory, names of the directories in it, names of the files in it).
    """
    name = file_name(top)
    try:
        listing = listdir(name)
    except errors.OpError as error:
        if onerror is not None:
            onerror(error)
        return
    directories = [entry for entry in listing if isdir(join(name, entry))]
    files = [entry for entry in listing if entry not in set(directories)]
    if topdown:
        yield name, directories, files
    for directory in directories:
        yield from walk(join(name, directory), topdown, onerror)
    if not topdown:
        yield name, directories, files


@export("io.gfile.join")
def join(path: Any, *paths: Any) -> Any:
    """Joins parts of a name with slashes; an absolute part drops those before.

    >>> tf.io.gfile.join("file:///data", "train", "a.tfrecord")
    'file:///data/train/a.tfrecord'

    Args:
      path: the first part.
      *paths: the other parts, all text or all bytes.
    """
    first_part = os.fspath(path)
    has_scheme = (b"://" if isinstance(first_part, bytes) else "://") in first_part
    return (posixpath if has_scheme else os.path).join(first_part, *paths)


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """Returns the schemes that names of files may begin with.

    Those of `fsspec` are among them if that package is installed (`pip install millrace[remote]`): `s3`, `gs`, `hdfs`
    and others, most of which need another package.

    >>> tf.io.gfile.get_registered_schemes()[:3]
    ['ram', 'file', '']
    """
    return registered_schemes()


# --- changing --------------------------------------------------------------------------------------------------------


def _check_free(file_system: FileSystem, path: str, overwrite: bool) -> None:
    if not overwrite and file_system.is_taken(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy")
def copy(src: object, dst: object, overwrite: bool = False) -> None:
    """Copies a file.

    >>> import os, tempfile
    >>> source = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(source, "text")
    >>> tf.io.gfile.copy(source, source + "2")
    >>> tf.io.read_file(source + "2").numpy()
    b'text'

    Args:
      src: name of the file.
      dst: name of the copy.
      overwrite: whether a file of that name may be replaced.

    Raises: tf.errors.OpError: `AlreadyExistsError` if the copy is there and may not be replaced; `NotFoundError`; ...
    """
    source_name, target_name = file_name(src), file_name(dst)
    source_system, source_path = file_system_of(source_name)
    target_system, target_path = file_system_of(target_name)
    _check_free(target_system, target_path, overwrite)
    with file_errors(source_name), source_system.open(source_path, "r") as source:
        if source_system == target_system and source_system.is_same_file(source_path, target_path):
            return
        with file_errors(target_name), target_system.open(target_path, "w") as target:
            while piece := source.read(_COPIED_AT_ONCE):
                write_all(target, piece)


@export("io.gfile.rename")
def rename(src: object, dst: object, overwrite: bool = False) -> None:
    """Gives a file or directory another name.

    >>> import os, tempfile
    >>> source = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(source, "text")
    >>> tf.io.gfile.rename(source, source + "2")
    >>> tf.io.gfile.exists(source), tf.io.gfile.exists(source + "2")
    (False, True)

    Args:
      src: the name.
      dst: the new name.
      overwrite: whether a file of the new name may be replaced.

    Raises: tf.errors.OpError: `AlreadyExistsError` if a file of that name may not be replaced; `NotFoundError`; ...
    """
    source_name, target_name = file_name(src), file_name(dst)
    source_system, source_path = file_system_of(source_name)
    target_system, target_path = file_system_of(target_name)
    _check_free(target_system, target_path, overwrite)
    if source_system != target_system:
        words = f"Renaming {source_name} to {target_name} not implemented"
        raise errors.UnimplementedError(None, None, f"{words}: they are in different file systems")
    with file_errors(source_name):
        source_system.rename(source_path, target_path)


@export("io.gfile.remove")
def remove(path: object) -> None:
    """Deletes a file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a")
    >>> tf.io.write_file(path, "text")
    >>> tf.io.gfile.remove(path)

    Args: path: name of the file.
    Raises: tf.errors.OpError: `NotFoundError` if there is none; `FailedPreconditionError` for a directory; ...
    """
    name = file_name(path)
    file_system, path = file_system_of(name)
    with file_errors(name):
        file_system.remove(path)


@export("io.gfile.rmtree")
def rmtree(path: object) -> None:
    """Deletes a directory and all that is in it, or a file. What links point to stays.

    >>> import tempfile
    >>> tf.io.gfile.rmtree(tempfile.mkdtemp())

    Args: path: name of the directory.
    Raises: tf.errors.OpError: `NotFoundError` if there is none; `FailedPreconditionError` for a link; ...
    """
    name = file_name(path)
    file_system, path = file_system_of(name)
    if not file_system.is_taken(path):
        raise errors.NotFoundError(None, None, f"{name} not found")
    with file_errors(name):
        file_system.remove_tree(path)


@export("io.gfile.mkdir")
def mkdir(path: object) -> None:
    """Makes a directory, in one that exists; does nothing where the name is taken.

    >>> import os, tempfile
    >>> tf.io.gfile.mkdir(os.path.join(tempfile.mkdtemp(), "new"))

    Args: path: name of the directory.
    Raises: tf.errors.OpError: `NotFoundError` if the directory above is missing; ...
    """
    name = file_name(path)
    file_system, path = file_system_of(name)
    if not path or file_system.is_taken(path):
        return
    with file_errors(name):
        file_system.make_directory(path)


@export("io.gfile.makedirs")
def makedirs(path: object) -> None:
    """Makes a directory and those above; does nothing where the directory exists.

    >>> import os, tempfile
    >>> tf.io.gfile.makedirs(os.path.join(tempfile.mkdtemp(), "new", "newer"))

    Args: path: name of the directory.
    Raises: tf.errors.OpError: `FailedPreconditionError` if a part of the name is a file; ...
    """
    name = file_name(path)
    file_system, path = file_system_of(name)
    try:
        with file_errors(name):
            file_system.make_directories(path)
    except (errors.AlreadyExistsError, errors.FailedPreconditionError) as error:
        while file_system.directory_of(path) not in (path, "") and not file_system.exists(path):
            path = file_system.directory_of(path)
        if file_system.exists(path) and not file_system.is_directory(path):
            raise errors.FailedPreconditionError(None, None, f"{path} is not a directory") from None
        raise error
