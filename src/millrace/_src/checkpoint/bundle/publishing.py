"""The files of a checkpoint, and how new files replace old ones so that a crash loses neither.

A checkpoint is complete when its index is there: data files are moved into place first. Where a checkpoint of the same
name is overwritten, there is no moment at which several files change at once. So the new files are first complete under
names with `.next` behind; the renaming of the index to `<prefix>.index.next` is the moment at which the new checkpoint
takes over. From then on readers take it, wherever each file is by now, and the next writer finishes the moving.

New files are brought to the disk before they replace old ones. A checkpoint under a new name takes nothing
away, and need not wait for the disk: see `sync_files`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from millrace._src.checkpoint.bundle.index_file import shard_count_of
from millrace._src.core import errors
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.whole_writes import alone, sync_directory_of

NEXT = ".next"
"""What stands behind the names of files that replace others."""


DATA_SUFFIX = r"\.data-[0-9]{5,}-of-[0-9]{5,}"
"""What the names of data files end with, as a regular expression; see `data_name`."""


def index_name(prefix: str) -> str:
    """Returns the name of the index of a checkpoint."""
    return f"{prefix}.index"


def data_name(prefix: str, shard: int, shard_count: int) -> str:
    """Returns the name of a data file of a checkpoint."""
    return f"{prefix}.data-{shard:05d}-of-{shard_count:05d}"


def data_names(prefix: str, shard_count: int) -> list[str]:
    """Returns the names of the data files of a checkpoint."""
    return [data_name(prefix, shard, shard_count) for shard in range(shard_count)]


class NewFile(Protocol):
    """A file that is complete and waits to be moved."""

    def sync(self) -> None:
        """Waits until the bytes would outlast a loss of power."""

    def commit(self, name: str) -> None:
        """Moves the file to its final name."""


class MovedFile:
    """A file of another checkpoint that is to become one of this checkpoint.

    Args: name: the name of the file.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def sync(self) -> None:
        """Waits until the bytes would outlast a loss of power."""
        sync_file(self._name)

    def commit(self, name: str) -> None:
        """Moves the file to its final name.

        Raises: tf.errors.UnimplementedError: if the final name is in another file system.
        """
        file_system, path = file_system_of(self._name)
        target_file_system, target = file_system_of(name)
        if target_file_system is not file_system:
            message = f"{self._name} cannot be moved to {name}: the two are in different file systems"
            raise errors.UnimplementedError(None, None, message)
        if path != target:
            with file_errors(name):
                file_system.rename(path, target)


def publish(prefix: str, data_files: Mapping[str, NewFile], index: NewFile) -> None:
    """Moves the files of a checkpoint to their final names; at each moment the old or the new checkpoint is whole.

    Args:
      prefix: the checkpoint.
      data_files: the data files by the names they will have.
      index: the index.

    Raises: tf.errors.OpError: if a file cannot be moved.
    """
    with alone(index_name(prefix)):
        _finish_overwriting(prefix)
        target = index_name(prefix)
        _check_no_directory(target)
        _remove_leftovers(prefix)
        if not exists(target):
            for name, file in data_files.items():
                file.commit(name)
            index.commit(target)
            return
        for file in (*data_files.values(), index):
            file.sync()
        for name, file in data_files.items():
            file.commit(name + NEXT)
        sync_directory_of(target)  # no index may outlast a loss of power that its data do not outlast
        index.commit(target + NEXT)
        sync_directory_of(target)
        _finish_overwriting(prefix)


def finish_overwriting(prefix: str) -> None:
    """Moves the files of a new checkpoint to their final names, if a process that did so was stopped half-done.

    Raises: tf.errors.OpError: if a file cannot be moved, or an index cannot be read.
    """
    if exists(index_name(prefix) + NEXT):
        with alone(index_name(prefix)):
            _finish_overwriting(prefix)


def make_directory_of(prefix: str) -> None:
    """Makes the directory of a checkpoint, in one that exists, as TensorFlow does; the user may have named a new one.

    Raises: tf.errors.NotFoundError: if the directory above is missing.
    """
    file_system, path = file_system_of(prefix)
    directory = file_system.directory_of(path)
    if directory and not file_system.exists(directory):
        with file_errors(directory), suppress(FileExistsError):
            file_system.make_directory(directory)


def _finish_overwriting(prefix: str) -> None:
    target = index_name(prefix)
    if not exists(target + NEXT):
        return
    names = data_names(prefix, shard_count_of(target + NEXT))
    outdated_names = set(_data_names_of(prefix)) - set(names)
    for name in names:
        if exists(name + NEXT):
            _rename(name + NEXT, name)
    for name in outdated_names:
        remove_if_there(name)
    sync_directory_of(target)
    _rename(target + NEXT, target)
    sync_directory_of(target)  # or the next overwriting could leave this index beside newer data


def _check_no_directory(name: str) -> None:
    file_system, path = file_system_of(name)
    if file_system.is_directory(path):
        raise errors.FailedPreconditionError(None, None, f"{name}; Is a directory")


def _remove_leftovers(prefix: str) -> None:
    """Removes data files that a process left which was stopped before its index was complete.

    These are new files that were to replace others, and without an index all data files.
    """
    file_system, path = file_system_of(index_name(prefix))
    directory = file_system.directory_of(path)
    base = path[len(directory) :].lstrip("/").removesuffix(".index")
    ending = re.escape(NEXT) + ("" if file_system.exists(path) else "|")
    leftover = re.compile(rf"{re.escape(base)}{DATA_SUFFIX}({ending})")
    try:
        entries = file_system.list_directory(directory)
    except FileNotFoundError:  # in an object store, before its first file
        return
    for entry in entries:
        if leftover.fullmatch(entry):
            with contextlib.suppress(FileNotFoundError):  # another saver has removed the file
                file_system.remove(f"{directory}/{entry}" if directory else entry)


def _data_names_of(prefix: str) -> list[str]:
    """Returns the names of the data files of a checkpoint in place; none if its index is missing or damaged."""
    try:
        return data_names(prefix, shard_count_of(index_name(prefix)))
    except (errors.NotFoundError, errors.DataLossError):
        return []


def sync_files(prefix: str) -> None:
    """Waits until the files of a checkpoint would outlast a loss of power: before older checkpoints are removed.

    Raises: tf.errors.OpError: if a file is missing.
    """
    target = index_name(prefix)
    for name in (*data_names(prefix, shard_count_of(target)), target):
        sync_file(name)
    sync_directory_of(target)


def sync_file(name: str) -> None:
    """Waits until the bytes of a file would outlast a loss of power."""
    file_system, path = file_system_of(name)
    with file_errors(name), file_system.open(path, "r") as file:
        file_system.sync(file)


def exists(name: str) -> bool:
    """Says whether there is a file or directory of a name."""
    file_system, path = file_system_of(name)
    return file_system.exists(path)


def _rename(name: str, target: str) -> None:
    file_system, path = file_system_of(name)
    with file_errors(target):
        file_system.rename(path, file_system_of(target)[1])


def remove_if_there(name: str) -> None:
    """Removes a file; does nothing if it is gone, as another process may have finished the same work."""
    file_system, path = file_system_of(name)
    with file_errors(name), suppress(FileNotFoundError):
        file_system.remove(path)
