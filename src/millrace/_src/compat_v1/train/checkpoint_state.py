"""Functions of TensorFlow 1 on checkpoint files: whether there is one, when it was written, which one is the newest.

Tests: tests/oracle/programs/v1_saver.py
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from millrace._src.checkpoint.bundle.publishing import index_name
from millrace._src.checkpoint.state_file import CheckpointState, has_index, is_single_file, write_state
from millrace._src.core.errors import NotFoundError
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.util.export import export


@export(v1=["train.generate_checkpoint_state_proto"])
def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Returns the content of the file that says what checkpoints a folder has.

    >>> state = tf.compat.v1.train.generate_checkpoint_state_proto("models", "models/a-2", ["models/a-1"])
    >>> list(state.all_model_checkpoint_paths)
    ['a-1', 'a-2']

    Args:
      save_dir: the folder.
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all checkpoints that are kept, oldest first; the newest is added where it is missing.
      all_model_checkpoint_timestamps: when the checkpoints were written, in seconds since 1970.
      last_preserved_timestamp: when the last checkpoint that is kept for good was written.

    Raises: ValueError: if there are not as many timestamps as checkpoints.
    """
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    timestamps = all_model_checkpoint_timestamps
    if timestamps and len(timestamps) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {timestamps})"
        )
    if not os.path.isabs(save_dir):
        paths = [_relative(path, save_dir) for path in paths]
    return CheckpointState(
        model_checkpoint_path=paths[-1],
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def _relative(path: str, folder: str) -> str:
    return path if os.path.isabs(path) else os.path.relpath(path, folder)


@export(v1=["train.update_checkpoint_state"])
def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file that says what checkpoints a folder has.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.compat.v1.train.update_checkpoint_state(folder, folder + "/a-1")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == folder + "/a-1"
    True

    Args:
      save_dir: the folder.
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all checkpoints that are kept, oldest first.
      latest_filename: the name of the file, if not "checkpoint".
      all_model_checkpoint_timestamps: when the checkpoints were written, in seconds since 1970.
      last_preserved_timestamp: when the last checkpoint that is kept for good was written.

    Raises:
      ValueError: if there are not as many timestamps as checkpoints.
      tf.errors.NotFoundError: if there is no such folder.
    """
    write_state(
        save_dir,
        generate_checkpoint_state_proto(
            save_dir,
            model_checkpoint_path,
            all_model_checkpoint_paths,
            all_model_checkpoint_timestamps,
            last_preserved_timestamp,
        ),
        latest_filename,
    )


@export(v1=["train.checkpoint_exists"])
def checkpoint_exists(checkpoint_prefix: object) -> bool:
    """Returns whether there is a checkpoint whose files have names that begin so.

    >>> tf.compat.v1.train.checkpoint_exists("no/such-1")
    False

    Args: checkpoint_prefix: what the names begin with.
    """
    prefix = file_name(checkpoint_prefix)
    return has_index(prefix) or is_single_file(prefix)


@export(v1=["train.get_checkpoint_mtimes"])
def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """Returns when checkpoints were last changed, in seconds since 1970; those that are not there are left out.

    >>> tf.compat.v1.train.get_checkpoint_mtimes(["no/such-1"])
    []

    Args: checkpoint_prefixes: what the names of the files begin with.
    """
    times = []
    for prefix in map(file_name, checkpoint_prefixes):
        for name in (index_name(prefix), prefix):
            with suppress(NotFoundError):
                times.append(gfile.stat(name).mtime_nsec // 10**9 * 1.0)
                break
    return times
