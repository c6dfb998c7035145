"""`tf.compat.v1.train.Saver`: writes the variables of a graph to checkpoints, and reads them back.

Problem: a session runs operations by name, also those of a graph that was loaded from a file. So saving and restoring
are operations of the graph, and a saver is little more than their names.

Idea: `saver_operations` adds the operations, or the saver gets their names from a message. What remains to do in Python
is to find file names, to keep the list of checkpoints, and to say in words what a failure means.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from millrace._src.checkpoint.state_file import remove_checkpoint, write_state
from millrace._src.compat_v1.saved_model.collection_defs import register_proto_function
from millrace._src.compat_v1.saved_model.meta_graphs import export_meta_graph
from millrace._src.compat_v1.session.base_session import BaseSession
from millrace._src.compat_v1.train.checkpoint_state import (
    checkpoint_exists,
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    update_checkpoint_state,
)
from millrace._src.compat_v1.train.global_step import global_step as value_of_step
from millrace._src.compat_v1.train.kept_checkpoints import KeptCheckpoints
from millrace._src.compat_v1.train.object_checkpoints import keys_of_objects
from millrace._src.compat_v1.train.saveables import all_saveables, saveables_of
from millrace._src.compat_v1.train.saver_operations import add_saver, restore_now, save_now
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core import context, errors
from millrace._src.core.errors import OpError
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import directory_name, file_name
from millrace._src.proto import saver_pb2
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export(v1=["train.Saver"])
@tensorflow_home("python.training.saver")
class Saver:
    """Writes the variables of a graph to checkpoints, and reads them back.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
    ...     saver = tf.compat.v1.train.Saver()
    ...     session.run(v.initializer)
    ...     saved = saver.save(session, path, global_step=7)
    ...     session.run(v.assign([0.0, 0.0]).op)
    ...     saver.restore(session, saved)
    ...     print(session.run(v), saved == path + "-7")
    [1. 2.] True

    Args:
      var_list: What is saved: a list of variables or `SaveableObject`s, or a dictionary of such objects by the names
        that they have in the checkpoint. None for all global variables and `SaveableObject`s of the graph.
      reshape: Whether a value is restored into a variable of another shape and as many elements.
      sharded: Whether each device writes files of its own.
      max_to_keep: How many of the newest checkpoints are kept; 0 or None for all.
      keep_checkpoint_every_n_hours: After how many hours a checkpoint that would be removed is kept for good.
      name: The name scope of the operations; default "save".
      restore_sequentially: Accepted for compatibility: all values are read by one operation.
      saver_def: A `SaverDef` message that names operations of the graph, instead of new ones.
      builder: Accepted for compatibility; None only.
      defer_build: Whether the operations are added by `build`, rather than now.
      allow_empty: Whether there may be nothing to save.
      write_version: The form of checkpoints: `SaverDef.V1` or `SaverDef.V2`.
      pad_step_number: Whether numbers in file names have eight digits.
      save_relative_paths: Whether the file "checkpoint" holds paths from its own folder.
      filename: The name of the checkpoint where the operations are run without one; default "model".

    Raises:
      TypeError: If something cannot be saved.
      ValueError: If there is nothing to save, names are not unique, or arguments contradict each other.
      RuntimeError: In eager mode without `var_list`.
    """

    def __init__(
        self,
        var_list: object = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: object = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = saver_pb2.SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if builder is not None:
            raise NotImplementedError(f"tf.compat.v1.train.Saver: `builder` is not supported; received {builder!r}.")
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        if context.executing_eagerly() and var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep or 0
        self._hours = keep_checkpoint_every_n_hours
        self._name = name
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pads_step_number = pad_step_number
        self._writes_relative_paths = save_relative_paths
        self._filename = filename
        self._is_empty = False
        self.saver_def = saver_def
        if saver_def is not None:
            _check(saver_def)
            self._write_version = saver_def.version
            self._max_to_keep, self._hours = saver_def.max_to_keep, saver_def.keep_checkpoint_every_n_hours
        self._kept = KeptCheckpoints(self._max_to_keep, self._hours, self._remove)
        if not defer_build and not context.executing_eagerly():
            self.build()

    def build(self) -> None:
        """Adds the operations to the graph, unless it has them.

        Raises:
          RuntimeError: in eager mode.
          ValueError: if there is nothing to save.
        """
        if context.executing_eagerly():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self.saver_def is not None or self._is_empty:
            return
        var_list = all_saveables() if self._var_list is None else self._var_list
        if not var_list:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._is_empty = True
            return
        self.saver_def = add_saver(
            saveables_of(var_list),
            self._name,
            filename=self._filename,
            is_sharded=self._sharded,
            reshape=self._reshape,
            version=self._write_version,
        )
        self.saver_def.max_to_keep = self._max_to_keep
        self.saver_def.sharded = self._sharded
        self.saver_def.keep_checkpoint_every_n_hours = self._hours

    # --- messages --------------------------------------------------------------------------------------------------

    def as_saver_def(self) -> Any:
        """Returns the `SaverDef`; None where there is nothing to save, or nothing is built yet."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `SaverDef`.

        Args: export_scope: A name scope that is left out of the names.
        Returns: The message; None for a saver outside `export_scope`.
        """
        if export_scope is None:
            return self.saver_def
        message = self.saver_def
        if not all(getattr(message, field).startswith(export_scope) for field in _NAME_FIELDS):
            return None
        return _rename(message, lambda name: name.removeprefix(export_scope.rstrip("/") + "/"))

    @staticmethod
    def from_proto(saver_def: object, import_scope: str | None = None) -> Saver:
        """Makes a saver of a `SaverDef`, which names operations of the graph.

        Args:
          saver_def: The message.
          import_scope: The name scope into which the graph was imported.
        """
        if import_scope:
            saver_def = _rename(saver_def, lambda name: f"{import_scope.rstrip('/')}/{name}")
        return Saver(saver_def=saver_def, name=import_scope)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """Returns the default graph with this saver as a `MetaGraphDef`, and writes the message to a file.

        Args:
          filename: The file; None for none.
          collection_list: The names of the collections that are included; None for all.
          as_text: Whether the file is text.
          export_scope: The name scope of what is included; None for everything.
          clear_devices: Whether devices are left out.
          clear_extraneous_savers: Whether the operations of other savers are left out.
          strip_default_attrs: Whether attributes that have their default values are left out.
          save_debug_info: Whether a file says where in the program the operations were made.

        Raises: RuntimeError: in eager mode.
        """
        return export_meta_graph(
            filename=filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )

    # --- the list of checkpoints -----------------------------------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that were written and not removed, oldest first."""
        return self._kept.paths

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Sets the list of checkpoints, whose times are not known.

        Args: last_checkpoints: The paths, oldest first.
        Raises: AssertionError: if it is not a list.
        """
        assert isinstance(last_checkpoints, list)
        self._kept.set([(path, np.inf) for path in last_checkpoints])

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list[tuple[str, float]]) -> None:
        """Sets the list of checkpoints and the times when they were written.

        Args: last_checkpoints_with_time: Paths and seconds since 1970, oldest first.
        Raises: AssertionError: if it is not a list.
        """
        assert isinstance(last_checkpoints_with_time, list)
        self._kept.set(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Sets the list of checkpoints to those that are there, so that a restarted program removes them in time.

        Args: checkpoint_paths: The paths, oldest first.
        """
        found = [path for path in checkpoint_paths if checkpoint_exists(path)]
        self._kept.set(list(zip(found, get_checkpoint_mtimes(found), strict=True)))

    def _remove(self, path: str, meta_graph_suffix: str) -> None:
        """Removes the files of a checkpoint; what fails is logged."""
        try:
            remove_checkpoint(path.partition("-?????-of-")[0], self._write_version, meta_graph_suffix)
        except (OpError, OSError) as error:
            get_logger().warning("Ignoring: %s", error)

    # --- saving ----------------------------------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: object = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint.

        Args:
          sess: The session that has the values; nothing in eager mode.
          save_path: What the names of the files begin with.
          global_step: A number that is appended to `save_path`: an integer, or a variable or tensor of the graph.
          latest_filename: The name of the file that says which checkpoints there are; default "checkpoint".
          meta_graph_suffix: The ending of the name of the file with the graph.
          write_meta_graph: Whether the graph is written, too.
          write_state: Whether the file that says which checkpoints there are is written, and surplus checkpoints are
            removed.
          strip_default_attrs: As in `export_meta_graph`.
          save_debug_info: As in `export_meta_graph`.

        Returns: The path to give to `restore`; None where there is nothing to save.
        Raises:
          RuntimeError: If the saver is not built yet.
          TypeError: If `sess` is not a session.
          ValueError: If there is nothing to save, file names collide, or the folder is missing.
        """
        if not context.executing_eagerly() and self.saver_def is None and not self._is_empty:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        if self._write_version != saver_pb2.SaverDef.V2:
            get_logger().warning("TensorFlow's V1 checkpoint format has been deprecated. Consider switching to V2.")
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = file_name(save_path)
        prefix = self._prefix(sess, save_path, global_step, latest_filename)
        if not context.executing_eagerly() and not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        written = None if self._has_nothing() else self._write(sess, prefix, save_path)
        if written is not None and write_state:
            self._note(written, directory_name(save_path), latest_filename, meta_graph_suffix)
        if write_meta_graph and not context.executing_eagerly():
            with sess.graph.as_default():
                self.export_meta_graph(
                    _meta_graph_name(prefix, meta_graph_suffix),
                    strip_default_attrs=strip_default_attrs,
                    save_debug_info=save_debug_info,
                )
        return written

    def _has_nothing(self) -> bool:
        """Returns whether there is nothing to save, and may be nothing.

        Raises: ValueError: in eager mode, if there must be something.
        """
        if not context.executing_eagerly():
            return self._is_empty
        if not self._var_list and not self._allow_empty:
            raise ValueError("No variables to save")
        return not self._var_list

    def _prefix(self, sess: object, save_path: str, global_step: object, latest_filename: str) -> str:
        """Returns what the names of the files begin with, with the number of the step.

        Raises: ValueError: if a file would have the name of the list of checkpoints.
        """
        if global_step is not None:
            step = int(global_step) if isinstance(global_step, (int, np.integer)) else value_of_step(sess, global_step)
            return f"{save_path}-{step:08d}" if self._pads_step_number else f"{save_path}-{step}"
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        return save_path

    def _write(self, sess: Any, prefix: str, save_path: str) -> str:
        """Writes the files, and returns the path of the checkpoint.

        Raises: ValueError: if the folder is missing.
        """
        try:
            if context.executing_eagerly():
                save_now(prefix, saveables_of(self._var_list), self._write_version)
                return prefix
            saver_def = self.saver_def
            path = sess.run(saver_def.save_tensor_name, {saver_def.filename_tensor_name: prefix})
            return str(path.decode())
        except (errors.FailedPreconditionError, errors.NotFoundError) as error:
            folder = directory_name(save_path)
            if not gfile.isdir(folder or "."):
                raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from error
            raise

    def _note(self, written: str, folder: str, latest_filename: str, meta_graph_suffix: str) -> None:
        """Writes the list of checkpoints, and removes what is surplus."""
        self._kept.note(written)
        if self._writes_relative_paths:
            newest, *all_paths = (os.path.relpath(path, folder or ".") for path in (written, *self.last_checkpoints))
            state = generate_checkpoint_state_proto(os.path.abspath(folder), newest, all_paths)
            write_state(folder, state, latest_filename)
        else:
            update_checkpoint_state(folder, written, self.last_checkpoints, latest_filename)
        self._kept.remove_surplus(meta_graph_suffix)

    # --- restoring -------------------------------------------------------------------------------------------------

    def restore(self, sess: object, save_path: str) -> None:
        """Gives the variables the values of a checkpoint; they need not be initialized.

        Args:
          sess: The session; nothing in eager mode.
          save_path: What `save` returned. Checkpoints of `tf.train.Checkpoint` are read, too, by the names that the
            variables had.

        Raises:
          ValueError: If there is nothing to restore, or no such checkpoint.
          tf.errors.NotFoundError: If the checkpoint lacks a variable.
          tf.errors.InvalidArgumentError: If a saved value does not fit its variable.
        """
        if self._has_nothing():
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = file_name(save_path)
        if not checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        get_logger().info("Restoring parameters from %s", prefix)
        try:
            self._read(sess, prefix)
        except errors.NotFoundError as error:
            self._read_objects(sess, prefix, error)
        except errors.InvalidArgumentError as error:
            raise _explain(error, "a mismatch between the current graph and the graph") from error

    def _read(self, sess: Any, prefix: str) -> None:
        if context.executing_eagerly():
            restore_now(prefix, saveables_of(self._var_list), self._reshape)
        else:
            sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: prefix})

    def _read_objects(self, sess: Any, prefix: str, error: OpError) -> None:
        """Restores a checkpoint of objects by the names that the variables had.

        Raises: tf.errors.NotFoundError: if the checkpoint is none of objects, or lacks a variable.
        """
        var_list = self._var_list
        if var_list is None:
            with sess.graph.as_default():
                var_list = all_saveables()
        renamed = keys_of_objects(prefix, var_list)
        if renamed is None:
            raise _explain(error, "a Variable name or other graph key that is missing") from error
        get_logger().warning(
            "Restoring an object-based checkpoint using a name-based saver. This may be somewhat fragile, and will "
            "re-build the Saver. Instead, consider loading object-based checkpoints using tf.train.Checkpoint()."
        )
        if context.executing_eagerly():
            Saver(renamed, reshape=self._reshape).restore(sess, prefix)
            return
        with sess.graph.as_default():
            Saver(renamed, reshape=self._reshape).restore(sess, prefix)


_NAME_FIELDS = ("filename_tensor_name", "save_tensor_name", "restore_op_name")


def _check(saver_def: object) -> None:
    """Refuses a message that names no operations.

    Raises: ValueError: for such a message.
    """
    if not isinstance(saver_def, saver_pb2.SaverDef):
        raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
    for field in ("save_tensor_name", "restore_op_name"):
        if not getattr(saver_def, field):
            raise ValueError(f"saver_def must specify the {field}: {saver_def}")


def _rename(saver_def: Any, rename: Any) -> Any:
    """Returns a copy of a message with other names."""
    copy = saver_pb2.SaverDef()
    copy.CopyFrom(saver_def)
    for field in _NAME_FIELDS:
        setattr(copy, field, rename(getattr(copy, field)))
    return copy


def _meta_graph_name(prefix: str, suffix: str) -> str:
    """Returns the name of the file of the graph beside a checkpoint."""
    return f"{prefix}.{suffix}"


def _explain(error: Any, cause: str) -> Any:
    """Returns an error that says what is most likely wrong when a checkpoint cannot be restored."""
    return type(error)(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {cause} from the checkpoint. Please ensure that "
        f"you have not altered the graph expected based on the checkpoint. Original error:\n\n{error.message}",
    )


register_proto_function(GraphKeys.SAVERS, saver_pb2.SaverDef, Saver.to_proto, Saver.from_proto)
