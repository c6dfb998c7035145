"""`tf.train.CheckpointManager`: a folder of checkpoints, of which the newest are kept.

Problem: a process may stop at any moment, also while it removes an old checkpoint, and the next one goes on from what
the folder says.

Idea: a new checkpoint is written, then named in the folder's file `checkpoint`, without those that are to go; only then
these are removed, their index first. So the file names no checkpoint that is missing, and what is left of a removal is
recognized by its missing index and removed by the next save.
"""

from __future__ import annotations

import operator
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from millrace._src.checkpoint.bundle.publishing import DATA_SUFFIX, index_name, sync_files
from millrace._src.checkpoint.checkpoint import Checkpoint
from millrace._src.checkpoint.options import CheckpointOptions
from millrace._src.checkpoint.session_writing import evaluate
from millrace._src.checkpoint.state_file import (
    get_checkpoint_state,
    newest_whole,
    remove_checkpoint,
    write_relative_state,
)
from millrace._src.core.context import in_plain_graph
from millrace._src.core.errors import NotFoundError
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import directory_name
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_SECONDS_PER_HOUR = 3600.0


@export("train.CheckpointManager", v1=["train.CheckpointManager"])
@tensorflow_home("python.checkpoint.checkpoint_management")
class CheckpointManager:
    """Saves checkpoints into a folder, and removes old ones.

    >>> import os, tempfile
    >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [os.path.basename(path) for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    >>> status = checkpoint.restore(manager.latest_checkpoint)

    Args:
      checkpoint: the `tf.train.Checkpoint` that is saved.
      directory: the folder; the checkpoints that it has already are taken over.
      max_to_keep: how many checkpoints are kept; None for all.
      keep_checkpoint_every_n_hours: a checkpoint that would go is kept for good if the last one that was kept for good
        is that much older.
      checkpoint_name: what the names of the files begin with.
      step_counter: a variable that counts steps.
      checkpoint_interval: how many steps lie at least between two checkpoints.
      init_fn: called by `restore_or_initialize` where there is no checkpoint.
      last_checkpoint_step: the step of the last checkpoint that was saved, for a program that goes on.

    Raises: ValueError: if `max_to_keep` is not positive, or an interval comes without a counter.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._keep_every_n_hours = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._latest: str | None = None
        self._times: dict[str, float] = {}  # of the checkpoints that are kept for the time being, oldest first
        self._last_preserved = time.time()
        self._take_over()

    def _take_over(self) -> None:
        """Goes on with what the folder has."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._last_preserved = state.last_preserved_timestamp or self._last_preserved
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps)
        if len(times) != len(paths):
            times = [self._last_preserved] * len(paths)
        self._times = dict(zip(paths, times))

    # --- what there is -------------------------------------------------------------------------------------------

    @property
    def checkpoint(self) -> Checkpoint:
        """The `tf.train.Checkpoint` that is saved."""
        return self._checkpoint

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps lie at least between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint; None if there is none.

        A checkpoint whose files are damaged is passed over for the newest one that is whole.
        """
        return newest_whole(self._latest, self.checkpoints)

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints, oldest first; without those that are kept for good."""
        return list(self._times)

    # --- saving --------------------------------------------------------------------------------------------------

    def save(
        self,
        checkpoint_number: object = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Saves a checkpoint, and removes old ones.

        Args:
          checkpoint_number: the number in the name: an integer, a variable or a tensor; the counter of the checkpoint
            if None.
          check_interval: whether nothing is saved while too few steps have passed since the last checkpoint.
          options: a `tf.train.CheckpointOptions`.

        Returns: What the names of the files begin with; None if nothing was saved.
        Raises:
          NotImplementedError: within a `tf.function`.
          RuntimeError: in a graph of TensorFlow 1, without a session.
          tf.errors.OpError: if a file cannot be written; what was there before stays.
        """
        if self._interval is not None and self._is_too_early(check_interval):
            return None
        return self._checkpoint.save_as(
            gfile.join(self._directory, self._name), _number(checkpoint_number), self._note, options
        )

    def sync(self) -> None:
        """Waits until the files of an asynchronous checkpoint are written.

        Raises: what went wrong in writing them.
        """
        self._checkpoint.sync()

    def _is_too_early(self, check_interval: bool) -> bool:
        step, last = self._step(), self._last_step
        if last is not None and (step == last or (check_interval and step - last < (self._interval or 0))):
            return True
        self._last_step = step
        return False

    def _step(self) -> int:
        return int(evaluate(self._step_counter)) if in_plain_graph() else int(self._step_counter)

    def _note(self, path: str) -> None:
        """Notes a checkpoint that was written as the newest, and removes those that are too many."""
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        outdated = self._take_outdated()
        write_relative_state(self._directory, path, self._times, self._last_preserved)
        if self._max_to_keep is not None:
            self._remove(outdated)

    def _take_outdated(self) -> list[str]:
        """Takes the checkpoints that are too many off the list, and returns those that are not kept for good."""
        outdated = []
        while self._max_to_keep is not None and len(self._times) > self._max_to_keep:
            path = next(iter(self._times))
            written = self._times.pop(path)
            if self._is_preserved(written):
                self._last_preserved = written
            else:
                outdated.append(path)
        return outdated

    def _is_preserved(self, written: float) -> bool:
        hours = self._keep_every_n_hours
        return bool(hours) and written - _SECONDS_PER_HOUR * (hours or 0) >= self._last_preserved

    def _remove(self, outdated: list[str]) -> None:
        """Removes checkpoints, once what replaces them is on the disk."""
        kept = self.checkpoints
        if outdated:
            with suppress(NotFoundError):  # another process may have removed it
                sync_files(kept[-2] if len(kept) > 1 else kept[-1])
        for path in outdated:
            remove_checkpoint(path)
        self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        """Removes data files without an index: what a process left that was stopped while it removed a checkpoint."""
        name = re.escape(self._name.rpartition("/")[2])
        pattern = re.compile(rf"({name}--?[0-9]+){DATA_SUFFIX}")
        folder = directory_name(gfile.join(self._directory, self._name))
        entries = set(gfile.listdir(folder))
        for entry in entries:
            match = pattern.fullmatch(entry)
            if match and index_name(match[1]) not in entries and gfile.join(folder, match[1]) not in self._times:
                with suppress(NotFoundError):
                    gfile.remove(gfile.join(folder, entry))

    # --- restoring -----------------------------------------------------------------------------------------------

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint; where there is none, calls `init_fn`.

        Returns: The path of the checkpoint that was restored; None if there is none.
        Raises: as `tf.train.Checkpoint.restore`.
        """
        path = self.latest_checkpoint
        if path is None:
            if self._init_fn is not None:
                self._init_fn()
            return None
        status = self._checkpoint.restore(path)
        if in_plain_graph():
            status.initialize_or_restore()
        if self._interval is not None:
            self._last_step = self._step()
        return path


def _number(value: Any) -> int | None:
    """Returns the number of a checkpoint as an integer.

    Raises: TypeError: if it is none.
    """
    if value is None:
        return None
    is_value: bool = is_variable(value) or isinstance(value, Tensor)
    if is_value and in_plain_graph():
        value = evaluate(value)
    return int(value) if is_value else operator.index(value)
