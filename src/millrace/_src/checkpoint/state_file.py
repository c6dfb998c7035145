"""The text file `checkpoint` of a folder, which says what checkpoints are there and which is the newest.

The file is written beside and moved, so a reader sees the old or the new one. Paths of checkpoints in the same folder
are written relative to it: a folder can be moved with its checkpoints.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from google.protobuf import text_format

from millrace._src.checkpoint.bundle.publishing import DATA_SUFFIX, NEXT, index_name
from millrace._src.checkpoint.bundle.reader import is_whole
from millrace._src.core.errors import NotFoundError, OpError
from millrace._src.graph.message_bytes import encode_message
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import directory_name, file_name
from millrace._src.ops.io.file_systems import content_of
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.proto import checkpoint_state_pb2
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

CheckpointState = checkpoint_state_pb2.CheckpointState

_STATE_FILE = "checkpoint"


def state_file_name(folder: str, latest_filename: str | None = None) -> str:
    """Returns the name of the file that says what checkpoints a folder has."""
    return os.path.join(folder, latest_filename or _STATE_FILE)


def write_relative_state(
    save_dir: str,
    model_checkpoint_path: str,
    times: Mapping[str, float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file of a folder with paths relative to the folder.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the newest checkpoint.
      times: when all checkpoints were written, oldest first; the newest alone, if None.
      last_preserved_timestamp: when the last checkpoint that is kept for good was written.
    """
    paths = [model_checkpoint_path] if times is None else list(times)
    state = CheckpointState(
        model_checkpoint_path=os.path.relpath(model_checkpoint_path, save_dir),
        all_model_checkpoint_paths=[os.path.relpath(path, save_dir) for path in paths],
        all_model_checkpoint_timestamps=None if times is None else list(times.values()),
        last_preserved_timestamp=last_preserved_timestamp,
    )
    write_state(save_dir, state, None)


def write_state(folder: str, proto: Any, latest_filename: str | None) -> None:
    """Writes the content of the file, which is moved into place as a whole."""
    with atomic_write(state_file_name(folder, latest_filename)) as file:
        file.write(encode_message(proto, as_text=True))


@export("train.get_checkpoint_state", v1=["train.get_checkpoint_state"])
def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Returns what a folder says of its checkpoints, as a message `CheckpointState`; None where it says nothing.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.get_checkpoint_state(folder) is None
    True
    >>> path = tf.train.Checkpoint(step=tf.Variable(1)).save(folder + "/ckpt")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True

    Args:
      checkpoint_dir: the folder.
      latest_filename: the name of the file that is read, if not "checkpoint".

    Raises: ValueError: if the file names no newest checkpoint.
    """
    folder = os.fspath(checkpoint_dir)
    name = state_file_name(folder, latest_filename)
    try:
        state = text_format.Parse(content_of(name).decode("utf-8"), CheckpointState())
    except NotFoundError:
        return None
    except (OpError, UnicodeDecodeError, text_format.ParseError) as error:
        get_logger().warning("%s: Checkpoint ignored: %s", name, error)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    state.model_checkpoint_path = _beside(folder, state.model_checkpoint_path)
    state.all_model_checkpoint_paths[:] = [_beside(folder, path) for path in state.all_model_checkpoint_paths]
    return state


def _beside(folder: str, path: str) -> str:
    return path if os.path.isabs(path) else os.path.join(folder, path)


@export("train.latest_checkpoint", v1=["train.latest_checkpoint"])
def latest_checkpoint(checkpoint_dir: object, latest_filename: str | None = None) -> str | None:
    """Returns the path of the newest checkpoint of a folder; None if there is none.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder) is None
    True
    >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(1))
    >>> tf.train.latest_checkpoint(folder) == checkpoint.save(folder + "/ckpt")
    False
    >>> tf.train.latest_checkpoint(folder) == folder + "/ckpt-1"
    True

    Args:
      checkpoint_dir: the folder.
      latest_filename: the name of the file that says which is the newest, if not "checkpoint".

    Raises: ValueError: if that file names no checkpoint.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    return newest_whole(state.model_checkpoint_path, state.all_model_checkpoint_paths)


def newest_whole(newest: str | None, others: Sequence[str]) -> str | None:
    """Returns the newest of some checkpoints that can be read as a whole; None if none can be.

    A loss of power, or half a copy, may leave a checkpoint damaged that was noted as the newest.

    Args:
      newest: the newest checkpoint.
      others: all checkpoints, oldest first.
    """
    if newest is None or is_readable(newest):
        return newest
    get_logger().error("Couldn't match files for checkpoint %s", newest)
    for path in dict.fromkeys([*reversed(others), *_find_earlier(newest)]):
        if path != newest and is_readable(path):
            get_logger().warning("Using the checkpoint %s instead.", path)
            return path
    return None


def _find_earlier(path: str) -> list[str]:
    """Returns the checkpoints in the folder of one that have its name and a smaller number, the greatest first."""
    folder = directory_name(path)
    match = re.fullmatch(r"(.+-)([0-9]+)", path[len(folder) :].lstrip("/"))
    if match is None or not gfile.isdir(folder or "."):
        return []
    pattern = re.compile(rf"{re.escape(match[1])}([0-9]+)\.index")
    numbers = [int(entry[1]) for entry in map(pattern.fullmatch, gfile.listdir(folder or ".")) if entry]
    smaller_numbers = sorted((number for number in numbers if number < int(match[2])), reverse=True)
    return [gfile.join(folder, f"{match[1]}{number}") for number in smaller_numbers]


def is_readable(prefix: str) -> bool:
    """Returns whether there is a checkpoint that has all of its files, or one in the oldest form of a single file."""
    return is_whole(prefix) or (not has_index(prefix) and is_single_file(prefix))


def has_index(prefix: str) -> bool:
    """Returns whether there is an index of a checkpoint in the form of TensorFlow 2."""
    return any(gfile.exists(name) for name in (index_name(prefix), index_name(prefix) + NEXT))


def is_single_file(prefix: str) -> bool:
    """Returns whether a name, or a pattern such as "model-?????-of-00002", is that of files and not of a folder."""
    names = [prefix] if gfile.exists(prefix) else gfile.glob(prefix)
    return any(not gfile.isdir(name) for name in names)


def remove_checkpoint(
    checkpoint_prefix: object, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint; those that are not there are passed over.

    >>> tf.compat.v1.train.remove_checkpoint("no/such-1")

    Args:
      checkpoint_prefix: what the names of the files begin with.
      checkpoint_format_version: 1 for a checkpoint in a single file.
      meta_graph_suffix: the ending of the file with the graph, which is removed too.
    """
    prefix = file_name(checkpoint_prefix)
    names = [f"{prefix}.{meta_graph_suffix}"]
    if checkpoint_format_version == 1:
        names += [*_names_like(prefix, "-[0-9]{5}-of-[0-9]{5}"), prefix]
    else:
        names += [index_name(prefix), *_names_like(prefix, DATA_SUFFIX)]
    for name in names:  # the index before the data: what is left of a removal is not a checkpoint
        with suppress(NotFoundError):
            gfile.remove(name)


def _names_like(prefix: str, ending: str) -> list[str]:
    """Returns the names of the files that begin with a prefix and end as a regular expression says."""
    folder = directory_name(prefix)
    pattern = re.compile(re.escape(prefix[len(folder) :].lstrip("/")) + ending)
    entries = gfile.listdir(folder or ".") if gfile.isdir(folder or ".") else []
    return [gfile.join(folder, entry) for entry in sorted(entries) if pattern.fullmatch(entry)]


@export("train.checkpoints_iterator", v1=["train.checkpoints_iterator"])
def checkpoints_iterator(
    checkpoint_dir: object,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields the newest checkpoint of a folder, and waits for newer ones.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(step=tf.Variable(1)).save(folder + "/ckpt")
    >>> [path.endswith("ckpt-1") for path in tf.train.checkpoints_iterator(folder, timeout=0)]
    [True]

    Args:
      checkpoint_dir: the folder.
      min_interval_secs: the least time between two checkpoints.
      timeout: how many seconds to wait for a newer checkpoint; None to wait for ever.
      timeout_fn: called when the time is over: whether to end; without it that is the end.
    """
    newest = None
    while True:
        following = _wait_for_checkpoint(checkpoint_dir, newest, timeout)
        if following is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        begin = time.monotonic()
        newest = following
        yield newest
        time.sleep(max(0.0, begin + min_interval_secs - time.monotonic()))


_SECONDS_BETWEEN_LOOKS = 1.0


def _wait_for_checkpoint(folder: Any, newest: str | None, timeout: float | None) -> str | None:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        latest = latest_checkpoint(folder)
        if latest is not None and latest != newest:
            return latest
        if end is not None and time.monotonic() + _SECONDS_BETWEEN_LOOKS > end:
            return None
        time.sleep(_SECONDS_BETWEEN_LOOKS)
