"""`tf.train.Checkpoint`: the values of objects in files, found again by the path that leads to them."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from millrace._src.checkpoint.async_writing import AsyncWriter
from millrace._src.checkpoint.checkpoint_loading import checkpoint_of_saved_model, load
from millrace._src.checkpoint.load_status import InitializationOnlyStatus, LoadStatus
from millrace._src.checkpoint.object_graph import ObjectGraphView, serialize_object_graph
from millrace._src.checkpoint.options import CheckpointOptions, call_back, io_device
from millrace._src.checkpoint.session_writing import SessionWriter, evaluate, session_for
from millrace._src.checkpoint.state_file import write_relative_state
from millrace._src.checkpoint.supplementary_graph import with_supplement
from millrace._src.checkpoint.value_writing import shards_to_write, write_in_graph, write_shards
from millrace._src.core.context import in_plain_graph, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.core.errors import NotFoundError
from millrace._src.core.tensor import Tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.ops.io.file_names import directory_name, file_name
from millrace._src.state.variable import Variable
from millrace._src.trackable.auto import AutoTrackable, no_automatic_dependency_tracking_scope
from millrace._src.trackable.base import SaveType, Trackable, TrackableReference
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_creating_counter = threading.RLock()
"""Held while a checkpoint gets its counter: several threads may write with one object."""


@export("train.Checkpoint", v1=[])
@tensorflow_home("python.checkpoint.checkpoint")
class Checkpoint(AutoTrackable):
    """Saves and restores the values of objects.

    A value is saved under the path that leads to it: from the checkpoint, or from the root, by names of attributes,
    positions in lists and keys of dicts. Restored are the objects that the same path leads to, also those that are
    made later.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> model = tf.Module()
    >>> model.scale = tf.Variable(2.0)
    >>> path = tf.train.Checkpoint(model=model).save(os.path.join(folder, "ckpt"))
    >>> os.path.basename(path)
    'ckpt-1'
    >>> another = tf.Module()
    >>> status = tf.train.Checkpoint(model=another).restore(path)
    >>> another.scale = tf.Variable(0.0)
    >>> another.scale.numpy(), status.assert_consumed() is status
    (np.float32(2.0), True)

    Args:
      root: an object whose children are those of the checkpoint, or a `weakref.ref` to it.
      **kwargs: objects by name: variables, modules, layers, optimizers, tables, iterators of datasets, lists, ...

    Raises: ValueError: if a value cannot be tracked, or the root has another child of that name.
    """

    def __init__(self, root: object = None, **kwargs: Any) -> None:
        super().__init__()
        with no_automatic_dependency_tracking_scope(self):
            self._self_attached: list[TrackableReference] = []
            self._self_writer = AsyncWriter()
            self._self_session_writer = SessionWriter()
            self._self_save_counter: Variable | None = None
            self._self_root = root
        if root is not None:
            _require_trackable(_referent(root), "root")
            if not isinstance(root, weakref.ref):
                self._track_trackable(root, "_root")
            kwargs["root"] = root
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            child = _referent(getattr(self, name))
            _require_trackable(child, name)
            if root is not None:
                self._attach(name, child, root if name == "root" else child)  # a weak reference keeps no root alive
            elif isinstance(value, weakref.ref):
                self._track_trackable(child, name)

    # --- writing -----------------------------------------------------------------------------------------------

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> Any:
        """Writes the values; neither counts nor notes the checkpoint, which `save` does.

        Args:
          file_prefix: what the names of the files begin with.
          options: a `tf.train.CheckpointOptions`.

        Returns: `file_prefix`; within a `tf.function` a tensor that has that value when the files are there.
        Raises:
          RuntimeError: in a graph of TensorFlow 1, without a session.
          tf.errors.OpError: if a file cannot be written; what was there before stays.
        """
        return self.write_with(file_prefix, options, None)

    def write_with(self, file_prefix: Any, options: CheckpointOptions | None, session: Any) -> Any:
        """Does as `write`; in a graph of TensorFlow 1 a session has the values.

        Args:
          file_prefix: as in `write`.
          options: as in `write`.
          session: the session; None for the default session.

        Raises: as `write`.
        """
        if in_plain_graph():
            return self._write_in_session(file_prefix, options or CheckpointOptions(), session)
        return self._write(file_prefix, options or CheckpointOptions())

    def save(self, file_prefix: object, options: CheckpointOptions | None = None) -> str:
        """Writes the values under the next number, and notes the checkpoint as the newest of its folder.

        Args:
          file_prefix: what the names of the files begin with; the number is added.
          options: a `tf.train.CheckpointOptions`.

        Returns: What the names of the files begin with.
        Raises:
          NotImplementedError: within a `tf.function`.
          RuntimeError: in a graph of TensorFlow 1, without a session.
          tf.errors.OpError: if a file cannot be written; what was there before stays.
        """
        return self.save_as(file_prefix, None, note_newest, options)

    def save_as(
        self,
        file_prefix: Any,
        number: int | None,
        note: Callable[[str], Any],
        options: CheckpointOptions | None,
        session: Any = None,
    ) -> str:
        """Writes the values under a number; `note` is called with the path once the files are there.

        Args:
          file_prefix: as in `save`.
          number: the number; that of the counter if None.
          note: notes the checkpoint.
          options: as in `save`.
          session: in a graph of TensorFlow 1, the session that has the values; None for the default session.

        Raises: as `save`.
        """
        _require_no_function()
        self.sync()  # a failed checkpoint is told of before another is counted
        if in_plain_graph():
            return self._save_in_session(file_prefix, number, note, options or CheckpointOptions(), session)
        counter = self.save_counter
        counter.assign_add(1, read_value=False)
        path = f"{_text(file_prefix)}-{int(counter) if number is None else number}"
        return str(self._write(path, options or CheckpointOptions(), lambda: note(path)))

    def sync(self) -> None:
        """Waits until the files of an asynchronous checkpoint are written.

        Raises: what went wrong in writing them.
        """
        self._self_writer.wait()

    @property
    def save_counter(self) -> Variable:
        """The number of the last checkpoint that was saved: a variable, which is saved and restored too."""
        return self._create_save_counter()

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        if save_type == SaveType.SAVEDMODEL:
            self._create_save_counter()
        return super()._trackable_children(save_type, **kwargs)

    def _create_save_counter(self) -> Variable:
        with _creating_counter:
            counter = self._self_save_counter
            if counter is None:
                with init_scope():
                    counter = Variable(0, dtype=int64, name="save_counter", trainable=False)
                self._track_trackable(counter, "save_counter")
                if self._root is not None:
                    self._self_attached.append(TrackableReference("save_counter", counter))
                    self._root._handle_deferred_dependencies("save_counter", counter)
                object.__setattr__(self, "_self_save_counter", counter)
            return counter

    def _write(self, prefix: object, options: CheckpointOptions, afterwards: Callable[[], Any] | None = None) -> Any:
        """Writes the values; then calls the callbacks of the options, and `afterwards`."""
        if options.enable_async:
            self._create_save_counter()  # TensorFlow's asynchronous checkpoints have a counter in any case
        view = self._view()
        saved_graph = with_supplement(serialize_object_graph(view), view)
        shards = shards_to_write(saved_graph, options)
        if state.graph is not None:
            written = write_in_graph(shards, prefix, options)
            call_back(options.experimental_write_callbacks, written)
            return written
        path = _text(prefix)

        def write() -> None:
            write_shards(shards, path, options)
            call_back(options.experimental_write_callbacks, path)
            if afterwards is not None:
                afterwards()

        self.sync()
        if options.enable_async:
            self._self_writer.start(write)
        else:
            write()
        return path

    def _save_in_session(
        self,
        prefix: object,
        number: int | None,
        note: Callable[[str], Any],
        options: CheckpointOptions,
        session: object,
    ) -> str:
        session = session_for(session, prefix)
        counted = self._self_session_writer.next_number(self.save_counter, session)
        path = f"{_text(prefix, session)}-{counted if number is None else number}"
        self._write_in_session(path, options, session)
        note(path)
        return path

    def _write_in_session(self, prefix: object, options: CheckpointOptions, session: object) -> str:
        session = session_for(session, prefix)
        path = self._self_session_writer.write(self._view(), _text(prefix, session), options, session)
        call_back(options.experimental_write_callbacks, path)
        return path

    def _view(self) -> ObjectGraphView:
        return ObjectGraphView(self if self._root is None else self._root, attached=self._attached_children())

    # --- reading -----------------------------------------------------------------------------------------------

    def read(self, save_path: object, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores what `write` has written.

        Args:
          save_path: what the names of the files begin with; None to restore nothing.
          options: a `tf.train.CheckpointOptions`.

        Returns: A status to assert what was restored, and to report on it.
        Raises:
          tf.errors.NotFoundError: if there is no such checkpoint.
          tf.errors.DataLossError: if the checkpoint is damaged.
          ValueError: if a saved value has another shape than its variable; no variable has changed then.
        """
        return self._read(save_path, options or CheckpointOptions())

    def restore(self, save_path: object, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores what `save` has written, the counter of checkpoints too; or the variables of a SavedModel.

        Objects that are made later, and become children under saved names, get their values then.

        Args:
          save_path: what the names of the files begin with, or the folder of a SavedModel; None to restore nothing.
          options: a `tf.train.CheckpointOptions`.

        Returns: A status to assert what was restored, and to report on it.
        Raises: as `read`.
        """
        path = save_path if save_path is None else checkpoint_of_saved_model(file_name(save_path))
        self._create_save_counter()  # exists before the values come
        try:
            status = self._read(path, options or CheckpointOptions())
        except NotFoundError as error:
            raise NotFoundError(
                error.node_def,
                error.op,
                f"Error when restoring from checkpoint or SavedModel at {save_path}: {error.message}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the "
                "'-1' in 'path/to/ckpt-1').",
            ) from None
        status.add_to_optionally_restored(self.save_counter)
        return status

    def _read(self, save_path: object, options: CheckpointOptions) -> LoadStatus:
        self.sync()
        root = self if self._root is None else self._root
        if save_path is None:
            return InitializationOnlyStatus(root, self._attached_children())
        with io_device(options.experimental_io_device):
            return load(file_name(save_path), root, self._attached_children(), options)

    @property
    def _root(self) -> Any:
        """The object that is the root; None if the checkpoint itself is.

        Raises: AssertionError: if the root was given as a weak reference, and the object is gone.
        """
        root = self._self_root
        if isinstance(root, weakref.ref):
            root = root()
            if root is None:
                raise AssertionError("The root of the checkpoint is gone: only a weak reference to it was given.")
        return root

    def _attached_children(self) -> list[TrackableReference]:
        """Returns the children that the root has within checkpoints only."""
        return [TrackableReference(name, _referent(child)) for name, child in self._self_attached]

    def _attach(self, name: str, child: object, held: Any) -> None:
        """Makes an object a child of the root, within checkpoints; `held` is the object or a weak reference to it.

        Raises: ValueError: if the root has another child of that name.
        """
        present = self._root._lookup_dependency(name, self._root._trackable_children())
        if present is not None and present is not child:
            raise ValueError(f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists.")
        self._self_attached.append(TrackableReference(name, held))
        self._root._handle_deferred_dependencies(name, child)


def _referent(value: object) -> Any:
    """Returns what a weak reference refers to, None if that is gone; any other value as it is."""
    return value() if isinstance(value, weakref.ref) else value


def _require_trackable(value: object, name: str) -> None:
    if not isinstance(value, Trackable) or isinstance(value, Tensor):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got "
            f"{value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow Python API "
            "and manages state), please open an issue."
        )


def _require_no_function() -> None:
    if state.graph is not None and not in_plain_graph():
        raise NotImplementedError(
            "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving metadata "
            "in ways not supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write(), a lower-level "
            "API which does not update metadata. tf.train.latest_checkpoint and related APIs will not see this "
            "checkpoint."
        )


def _text(prefix: Any, session: Any = None) -> str:
    """Returns what the names of files begin with as text; a tensor gives its value, in a plain graph in a session.

    Raises: ValueError, TypeError: if that is not text.
    """
    if isinstance(prefix, (str, bytes, os.PathLike)):
        return file_name(prefix)
    return file_name(evaluate(convert_to_tensor(prefix, string), session))


def note_newest(path: str) -> None:
    write_relative_state(directory_name(path) or ".", path)
