"""`tf.train.CheckpointOptions`: how a checkpoint is written and read."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from millrace._src.checkpoint.sharding import ShardingCallback
from millrace._src.core.devices import refuse_another_process
from millrace._src.graph.scopes import device
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("train.CheckpointOptions", v1=["train.CheckpointOptions"])
@tensorflow_home("python.checkpoint.checkpoint_options")
class CheckpointOptions:
    """Says how a checkpoint is written and read.

    >>> import os, tempfile
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> written = []
    >>> options = tf.train.CheckpointOptions(experimental_write_callbacks=[written.append])
    >>> path = tf.train.Checkpoint(step=tf.Variable(1)).write(prefix, options)
    >>> written == [path]
    True

    Args:
      experimental_io_device: the device whose file system is used; it must be one of this process.
      experimental_enable_async_checkpoint: an older name of `enable_async`.
      experimental_write_callbacks: functions that are called when a checkpoint has been written, with its path if they
        take an argument. Within a `tf.function` they are called as it is traced, with a tensor for the path.
      enable_async: whether a thread writes the files while the program goes on. The values are those of the moment of
        the call. Within a `tf.function` the checkpoint is written by operations all the same.
      experimental_skip_slot_variables: whether slot variables of optimizers are left alone in restoring.
      experimental_sharding_callback: a `tf.train.experimental.ShardingCallback`: which tensors go to which file.

    Raises:
      TypeError: if a callback cannot be called.
      ValueError: if `experimental_sharding_callback` is not a `ShardingCallback`.
      AssertionError: if a callback takes more than one argument.
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Iterable[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: ShardingCallback | None = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = _validate_callbacks(experimental_write_callbacks)
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        if experimental_sharding_callback is not None and not isinstance(
            experimental_sharding_callback, ShardingCallback
        ):
            raise ValueError(
                "The experimental_sharding_callback checkpoint option must be of type ShardingCallback. The option "
                f"provided was of type {type(experimental_sharding_callback)}."
            )
        self.experimental_sharding_callback = experimental_sharding_callback

    def __copy__(self) -> CheckpointOptions:
        """Returns options of their own, with the same callbacks."""
        return CheckpointOptions(
            self.experimental_io_device,
            self.experimental_enable_async_checkpoint,
            self.experimental_write_callbacks,
            self.enable_async,
            self.experimental_skip_slot_variables,
            self.experimental_sharding_callback,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> CheckpointOptions:
        """Returns options with a copy of the sharding callback; functions to call back are the same ones."""
        copied = copy.copy(self)
        copied.experimental_sharding_callback = copy.deepcopy(self.experimental_sharding_callback, memo)
        return copied


def _validate_callbacks(callbacks: Iterable[Callable[..., Any]] | None) -> Sequence[Callable[..., Any]] | None:
    if callbacks is None:
        return None
    checked = list(callbacks)
    for callback in checked:
        if len(inspect.signature(callback).parameters) > 1:
            raise AssertionError(f"A write callback takes the path or nothing; {callback} takes more.")
    return checked


def io_device(name: str | None) -> AbstractContextManager[Any]:
    """Returns the scope of the device whose file system is used.

    Args: name: the name of the device; None for any.
    Raises: ValueError: if the device is none; InvalidArgumentError: if it is not one of this process.
    """
    if name is None:
        return contextlib.nullcontext()
    refuse_another_process(name)
    return device(name)


def call_back(callbacks: Iterable[Callable[..., Any]] | None, path: object) -> None:
    """Calls what is to be called after a checkpoint was written; in a graph `path` is a tensor."""
    for callback in callbacks or ():
        if inspect.signature(callback).parameters:
            callback(path)
        else:
            callback()
