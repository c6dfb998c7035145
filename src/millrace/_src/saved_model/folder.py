"""The folder of a SavedModel: written so that a process may die at any moment.

Problem: a SavedModel is several files that belong together. A save that is cut off must not mix old files with new.

Idea: readers look for `saved_model.pb`, so where there is none the files are written into place, that one last. Where
there is one, the new files are written into a folder within, `.saved_model.next`. Once they are complete, a list of
them is written there: from then on the new SavedModel is the one that counts. The files are moved into place one by
one; a process that finds the list moves what is left. A folder may come from anywhere, and so may such a
list: it moves no file into or out of the folder from elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, TypeVar

from millrace._src.checkpoint.bundle.publishing import sync_files
from millrace._src.core import errors
from millrace._src.ops.io.file_names import file_errors, file_name
from millrace._src.ops.io.file_systems import content_of, file_system_of
from millrace._src.ops.io.local_files import LOCAL
from millrace._src.ops.io.whole_writes import alone, atomic_write, is_part, sync_directory_of
from millrace._src.saved_model.constants import (
    ASSETS_DIRECTORY,
    DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB,
    FINGERPRINT_FILENAME,
    SAVED_MODEL_FILENAME_PB,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)

T = TypeVar("T")

_MAX_READS = 10
_NEXT = ".saved_model.next"
_LIST = "complete"
_DEBUG_INFO = f"{DEBUG_DIRECTORY}/{DEBUG_INFO_FILENAME_PB}"
_VARIABLES = f"{VARIABLES_DIRECTORY}/{VARIABLES_FILENAME}"


def folder_name(name: object) -> str:
    """Returns the name of a folder as text, without a slash behind it; no name is the working directory."""
    text = file_name(name)
    return text.rstrip("/") or ("/" if text else ".")


class SavedModelFolder:
    """A folder that is given a SavedModel: as a context manager, it takes the files and commits them at the end.

    While one process writes, others wait.

    Args: name: the name of the folder; made if there is none.
    Raises: tf.errors.OpError: if the folder cannot be written.
    """

    def __init__(self, name: Any) -> None:
        self.name = folder_name(name)
        self._files: list[str] = []
        self._held = ExitStack()
        self._target = self.name

    def __enter__(self) -> SavedModelFolder:
        _make_directories(self.name)
        self._held.enter_context(alone(f"{self.name}/{SAVED_MODEL_FILENAME_PB}"))
        with ExitStack() as failing:
            failing.push(self._held)
            _require_inside(self.name)
            _finish(self.name)
            if _exists(f"{self.name}/{SAVED_MODEL_FILENAME_PB}"):
                self._target = f"{self.name}/{_NEXT}"
            for part in ("", f"/{ASSETS_DIRECTORY}", f"/{VARIABLES_DIRECTORY}"):
                _make_directories(self._target + part)
            failing.pop_all()
        return self

    @property
    def variables_prefix(self) -> str:
        """The prefix of the files of the checkpoint."""
        return f"{self._target}/{_VARIABLES}"

    def write(self, path: str, data: bytes) -> None:
        """Writes a file, given by its path within the folder; the last one is `saved_model.pb`."""
        _make_directories(f"{self._target}/{path}".rpartition("/")[0])
        with atomic_write(f"{self._target}/{path}") as file:
            file.write(data)
        self._files.append(path)

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        with self._held:
            if self._target == self.name:
                return
            if error is not None:
                _remove_tree(self._target)
                return
            variables = _list_folder(f"{self._target}/{VARIABLES_DIRECTORY}")
            self._files[:0] = [f"{VARIABLES_DIRECTORY}/{entry}" for entry in variables]
            sync_files(self.variables_prefix)
            _sync_directories(self._target, self._files)
            sync_directory_of(self._target)
            with atomic_write(f"{self._target}/{_LIST}") as file:
                file.write("\n".join(self._files).encode("utf-8", "surrogateescape"))
            _finish(self.name)


def finish_interrupted_save(name: str) -> None:
    """Moves the files of a save that was cut off after they were complete.

    Args: name: the name of the folder of a SavedModel; nothing happens where all files are in place.
    Raises:
      DataLossError: if the list of the files names one outside of the folder.
      FailedPreconditionError: if a link leads out of the folder.
      tf.errors.OpError: if the folder cannot be written.
    """
    if _exists(f"{name}/{_NEXT}/{_LIST}"):
        _require_inside(name)
        with alone(f"{name}/{SAVED_MODEL_FILENAME_PB}"):
            _finish(name)


def _finish(name: str) -> None:
    """Moves the files of a save that were complete, and removes those of one that were not; no other process writes."""
    folder = f"{name}/{_NEXT}"
    if not _exists(folder):
        return
    if _exists(f"{folder}/{_LIST}"):
        paths = _list_paths(name)
        for path in paths:
            if _exists(f"{folder}/{path}"):
                _move(f"{folder}/{path}", f"{name}/{path}")
        for path in set(_own_files(name)).difference(paths):
            _remove(f"{name}/{path}")
        _sync_directories(name, paths)  # before the list goes: nothing else records the moves
        _remove(f"{folder}/{_LIST}")
    _remove_tree(folder)


def _own_files(name: str) -> Iterator[str]:
    """Yields the paths within the folder of the files that belong to one save alone; assets may be of the user."""
    for entry in _list_folder(f"{name}/{VARIABLES_DIRECTORY}"):
        if entry.startswith(VARIABLES_FILENAME):
            yield f"{VARIABLES_DIRECTORY}/{entry}"
    for path in (_DEBUG_INFO, FINGERPRINT_FILENAME):
        if _exists(f"{name}/{path}"):
            yield path


def _list_paths(name: str) -> list[str]:
    """Returns the paths within the folder of the files of a save that were complete."""
    return content_of(f"{name}/{_NEXT}/{_LIST}").decode("utf-8", "surrogateescape").split("\n")


def _require_inside(name: str) -> None:
    """Refuses to finish a save that would touch files outside of the folder.

    Raises:
      DataLossError: if the list of the files names one outside.
      FailedPreconditionError: if a link leads out of the folder.
    """
    if not _exists(f"{name}/{_NEXT}/{_LIST}"):
        return
    paths = _list_paths(name)
    for path in paths:
        if not is_below(path):
            raise errors.DataLossError(
                None, None, f"{name}; a save that was cut off lists a file that is not in the folder: {path!r}."
            )
    directories = {path.rpartition("/")[0] for path in paths} - {""}
    touched = {
        _NEXT,
        VARIABLES_DIRECTORY,
        DEBUG_DIRECTORY,
        *directories,
        *(f"{_NEXT}/{directory}" for directory in directories),
    }
    for path in sorted(touched.union(filter(is_part, _list_folder(name)))):
        if leads_outside(f"{name}/{path}", name):
            raise errors.FailedPreconditionError(
                None,
                None,
                f"{name}; a save that was cut off is not finished, because {path} is a link to outside of the "
                f"folder. Remove the link, or the directory {_NEXT} with the files that were not moved yet.",
            )


def is_below(path: str) -> bool:
    """Returns whether a path, which a file states, is relative and names a file below its folder on any system."""
    parts = path.replace("\\", "/").split("/")
    return not ("" in parts or ".." in parts or ":" in path or "\0" in path)


def leads_outside(path: str, name: str) -> bool:
    """Returns whether links lead from a path below a folder to outside; the folder may be a link itself.

    Only the disk of this machine has links.

    Args:
      path: the name of the file or directory, with the name of the folder in front.
      name: the name of the folder.
    """
    file_system, local_path = file_system_of(path)
    if file_system is not LOCAL:
        return False
    inside = os.path.join(os.path.realpath(file_system_of(name)[1]), "")
    return not os.path.realpath(local_path).startswith(inside)


def _sync_directories(folder: str, paths: Iterable[str]) -> None:
    """Waits until the names of files would outlast a loss of power."""
    for directory in sorted({path.rpartition("/")[0] for path in paths} | {""}):
        sync_directory_of(f"{folder}/{directory}/." if directory else f"{folder}/.")


def read_unchanged(name: str, read: Callable[[], T]) -> T:
    """Reads the files of a SavedModel: again, if a save has replaced them meanwhile, so that none is of another save.

    Args:
      name: the name of the folder.
      read: what reads the files.

    Returns: What `read` returns.
    Raises: tf.errors.UnavailableError: if the files are replaced each time that they are read; and what `read` raises.
    """
    for _ in range(_MAX_READS):
        version = _version(name)
        try:
            result = read()
        except (errors.OpError, OSError):
            if _version(name) == version:
                raise
        else:
            if _version(name) == version:
                return result
    raise errors.UnavailableError(None, None, f"{name}; the SavedModel is replaced each time that it is read")


def _version(name: str) -> Any:
    """Returns what differs before, during and after the moving of new files into the folder of a SavedModel."""
    file_system, path = file_system_of(f"{name}/{SAVED_MODEL_FILENAME_PB}")
    try:
        status = file_system.status(path)
    except OSError:
        return None
    return status.length, status.mtime_nsec, _exists(f"{name}/{_NEXT}/{_LIST}")


def write_files(folder: SavedModelFolder, files: Mapping[str, bytes], copies: Mapping[str, str]) -> None:
    """Writes files by their paths within the folder, and copies of assets by their names."""
    for name, original in copies.items():
        folder.write(f"{ASSETS_DIRECTORY}/{name}", content_of(original))
    for path, data in files.items():
        folder.write(path, data)


# --- one file --------------------------------------------------------------------------------------------------------


def _exists(name: str) -> bool:
    file_system, path = file_system_of(name)
    with file_errors(name):
        return file_system.exists(path)


def _make_directories(name: str) -> None:
    file_system, path = file_system_of(name)
    with file_errors(name):
        file_system.make_directories(path)


def _list_folder(name: str) -> list[str]:
    file_system, path = file_system_of(name)
    with file_errors(name):
        return sorted(file_system.list_directory(path)) if file_system.is_directory(path) else []


def _move(source: str, target: str) -> None:
    _make_directories(target.rpartition("/")[0])
    file_system, path = file_system_of(source)
    with file_errors(target):
        file_system.rename(path, file_system_of(target)[1])


def _remove(name: str) -> None:
    file_system, path = file_system_of(name)
    with file_errors(name):
        file_system.remove(path)


def _remove_tree(name: str) -> None:
    file_system, path = file_system_of(name)
    with file_errors(name):
        file_system.remove_tree(path)
