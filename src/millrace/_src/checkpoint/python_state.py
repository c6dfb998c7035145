"""`tf.train.experimental.PythonState`: state of Python in a checkpoint, as a string of bytes."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.tensor import EagerTensor
from millrace._src.ops.host import numpy_function
from millrace._src.trackable.base import Trackable
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_STATE = "py_state"


@export("train.experimental.PythonState", v1=["train.experimental.PythonState"])
@tensorflow_home("python.trackable.python_state")
class PythonState(Trackable, abc.ABC):
    """Base of objects whose state is a string of bytes that the class makes and reads itself.

    >>> import json, os, tempfile
    >>> class History(tf.train.experimental.PythonState):
    ...     def __init__(self):
    ...         self.losses = []
    ...     def serialize(self):
    ...         return json.dumps(self.losses)
    ...     def deserialize(self, string_value):
    ...         self.losses = json.loads(string_value)
    >>> history = History()
    >>> history.losses.append(0.5)
    >>> path = tf.train.Checkpoint(history=history).write(os.path.join(tempfile.mkdtemp(), "c"))
    >>> fresh = History()
    >>> status = tf.train.Checkpoint(history=fresh).read(path).assert_consumed()
    >>> fresh.losses
    [0.5]
    """

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """Returns the state as text or bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes over a state that `serialize` gave, as bytes."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        if state.graph is None:
            return {_STATE: convert_to_tensor(self.serialize(), string)}
        return {_STATE: numpy_function(self._serialize, [], string)}  # the state when the graph runs

    def _serialize(self) -> Any:
        """Returns the state as an array of one object: an array of NumPy's own texts loses zeros at the end."""
        return np.array(convert_to_tensor(self.serialize(), string).numpy(), object)

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        (saved,) = restored_tensors.values()
        if isinstance(saved, EagerTensor):
            return self.deserialize(saved.numpy())
        return numpy_function(self.deserialize, [saved], [])
