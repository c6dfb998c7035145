"""`tf.compat.v1.train.Checkpoint` and the reader of checkpoint files.

Tests: tests/oracle/programs/v1_saver.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.checkpoint.checkpoint import Checkpoint, note_newest
from millrace._src.checkpoint.checkpoint_reader import CheckpointReader
from millrace._src.checkpoint.load_status import LoadStatus
from millrace._src.ops.io.file_names import file_name
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.Checkpoint"])
@tensorflow_home("python.checkpoint.checkpoint")
class CheckpointV1(Checkpoint):
    """Saves and restores the values of objects, which have names; no object is the root itself.

    >>> import os, tempfile
    >>> prefix = os.path.join(tempfile.mkdtemp(), "ckpt")
    >>> path = tf.compat.v1.train.Checkpoint(step=tf.Variable(3)).save(prefix)
    >>> step = tf.Variable(0)
    >>> status = tf.compat.v1.train.Checkpoint(step=step).restore(path).assert_consumed()
    >>> int(step)
    3

    Args: **kwargs: objects by name.
    Raises: ValueError: if a value cannot be tracked.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def write(self, file_prefix: Any, session: Any = None) -> Any:
        """Writes the values; neither counts nor notes the checkpoint, which `save` does.

        Args:
          file_prefix: what the names of the files begin with.
          session: in a plain graph, the session that has the values; None for the default session.

        Returns: `file_prefix`.
        Raises: as `tf.train.Checkpoint.write`.
        """
        return self.write_with(file_prefix, None, session)

    def save(self, file_prefix: object, session: object = None) -> str:
        """Writes the values under the next number, and notes the checkpoint as the newest of its folder.

        Args:
          file_prefix: what the names of the files begin with; the number is added.
          session: in a plain graph, the session that has the values; None for the default session.

        Returns: What the names of the files begin with.
        Raises: as `tf.train.Checkpoint.save`.
        """
        return self.save_as(file_prefix, None, note_newest, None, session)

    def restore(self, save_path: object) -> LoadStatus:  # type: ignore[override]  # as in TensorFlow 1
        """Restores what `save` has written.

        Args: save_path: what the names of the files begin with; None to restore nothing.
        Returns: A status; in a plain graph `initialize_or_restore` and `run_restore_ops` run what restores.
        Raises: as `tf.train.Checkpoint.restore`.
        """
        return super().restore(save_path)


@export(v1=["train.NewCheckpointReader"])
def NewCheckpointReader(filepattern: object) -> CheckpointReader:  # TensorFlow's name
    """Opens a checkpoint for reading; `tf.train.load_checkpoint` also takes a folder.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(step=tf.Variable(5)).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.compat.v1.train.NewCheckpointReader(path).has_tensor("step/.ATTRIBUTES/VARIABLE_VALUE")
    True

    Args: filepattern: what the names of the files begin with, or the name of a checkpoint in a single file.
    Raises: tf.errors.NotFoundError: if there is no such checkpoint; DataLossError: if the files are damaged.
    """
    return CheckpointReader(file_name(filepattern))
