"""Tensors that stay in a session: `get_session_handle`, `get_session_tensor`, `delete_session_tensor`.

A run may leave a tensor in the session and return a handle instead. The handle can be fed in a later run in place of
the tensor, which then need not come out of the session and go in again.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.dtypes import DType, as_dtype, string
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.scopes import device
from millrace._src.ops.array.identity import placeholder
from millrace._src.ops.session_tensors import (
    TensorStore,
    delete_session_tensor_op,
    get_session_handle_op,
    get_session_tensor_op,
)
from millrace._src.util.export import export


class TensorHandle:
    """A handle to a tensor that stays in a session.

    Args:
      handle: the handle in the session's store.
      store: the session's store.
    """

    def __init__(self, handle: str, store: TensorStore) -> None:
        self._handle, self._store = handle, store
        self._is_kept = True

    @property
    def handle(self) -> str:
        """The text that `get_session_tensor` takes."""
        return self._handle

    def get_raw_handle(self) -> str:
        """Returns the text; the tensor then stays in the session until it is deleted, or the session closed."""
        self._is_kept = False
        return self._handle

    def eval(self) -> Any:
        """Returns the value as a NumPy array or scalar."""
        value = self._store.get(self._handle)
        return value.copy() if value.ndim else value[()]

    def delete(self) -> None:
        """Lets the session let go of the tensor.

        Raises: tf.errors.InvalidArgumentError: if it has let go before.
        """
        self._is_kept = False
        self._store.delete(self._handle)

    def __del__(self) -> None:
        if self._is_kept:
            self._store.discard(self._handle)

    def __str__(self) -> str:
        return self._handle


def gives_handle(tensor: SymbolicTensor) -> bool:
    """Returns whether a tensor of a graph is the handle of a tensor that stays in the session."""
    return tensor.op.op_def is get_session_handle_op.op_def


@export(v1=["get_session_handle"])
def get_session_handle(data: TensorLike, name: str | None = None) -> Any:
    """Returns the handle of a tensor, which stays in the session that computes the handle.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [2])
    ...     doubled, kept = x * 2.0, tf.compat.v1.get_session_handle(x + 1.0)
    ...     with tf.compat.v1.Session() as sess:
    ...         handle = sess.run(kept, {x: [1.0, 2.0]})
    ...         sess.run(doubled, {x: handle})
    array([4., 6.], dtype=float32)

    Args:
      data: a Tensor.
      name: name of the operation.

    Returns: A string Tensor; as a fetch, it has a `TensorHandle` as its value.
    Raises: TypeError: if `data` is not a Tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    return get_session_handle_op(data, name=name)


@export(v1=["get_session_tensor"])
def get_session_tensor(handle: str, dtype: DTypeLike, name: str | None = None) -> tuple[Any, Any]:
    """Returns a tensor that a session has kept.

    Args:
      handle: the text of a handle, which says the device.
      dtype: the dtype of the tensor.
      name: name of the operation.

    Returns: A placeholder for the text of a handle, and the Tensor.
    Raises: ValueError: if the text is none of a handle.
    """
    wanted: DType = as_dtype(dtype)
    with device(_device_of(handle)):
        holder = placeholder(string)
        return holder, get_session_tensor_op(holder, dtype=wanted, name=name)


@export(v1=["delete_session_tensor"])
def delete_session_tensor(handle: str, name: str | None = None) -> tuple[Any, Operation]:
    """Lets a session let go of a tensor that it has kept.

    Args:
      handle: the text of a handle, which says the device.
      name: name of the operation.

    Returns: A placeholder for the text of a handle, and the Operation.
    Raises: ValueError: if the text is none of a handle.
    """
    with device(_device_of(handle)):
        holder = placeholder(string)
        delete_session_tensor_op(holder, name=name)
        operation: Operation = holder.graph.get_operations()[-1]
        return holder, operation


def _device_of(handle: object) -> str:
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return DeviceSpec.from_string(text.split(";")[-1]).to_string()
