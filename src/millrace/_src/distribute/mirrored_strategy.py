"""`tf.distribute.MirroredStrategy`: a copy of each variable on each device of this machine; so far on one device.

Notebooks make it wherever they run, also on a machine with one device. One replica is what `OneDeviceStrategy` runs, so
a mirrored strategy of one device does the same, and its variables are plain `tf.Variable`s: each is its only copy.
Several devices are refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.devices import list_logical_devices, refuse_another_process
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.distribute.cross_device_ops import CrossDeviceOps
from millrace._src.distribute.input_options import InputOptions, InputReplicationMode
from millrace._src.distribute.one_device_input import OneDeviceDataset
from millrace._src.distribute.one_device_strategy import THIS_PROCESS, OneDeviceExtended
from millrace._src.distribute.reduce_ops import ReduceOp, require_reduction
from millrace._src.distribute.strategy import Strategy
from millrace._src.state.variable_creators import variable_creator_scope
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.nest import map_structure


@export("distribute.MirroredStrategy", v1=[])
@tensorflow_home("python.distribute.mirrored_strategy")
class MirroredStrategy(Strategy):
    """Training with a copy of each variable on each device of this machine; Millrace runs it on one device.

    >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.num_replicas_in_sync, strategy.run(lambda: v + 1.0).numpy()
    (1, np.float32(2.0))

    Args:
      devices: the names of the devices; None or none for all GPUs of this machine, or the first CPU where it has none.
      cross_device_ops: a `tf.distribute.CrossDeviceOps`: how values of several devices are combined. With one device
        there is nothing to combine, so that all do the same.

    Raises:
      NotImplementedError: if there is more than one device.
      AssertionError: if a device is named twice.
      ValueError: if a name cannot be read.
      tf.errors.InvalidArgumentError: if a device belongs to another process.
      TypeError: if `devices` is one name, or `cross_device_ops` are none.
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: CrossDeviceOps | None = None) -> None:
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise TypeError(
                "tf.distribute.MirroredStrategy: `cross_device_ops` must be a tf.distribute.CrossDeviceOps, such as "
                f"tf.distribute.ReductionToOneDevice(); received {cross_device_ops!r}."
            )
        super().__init__(MirroredExtended(self, _only_device(devices)))

    def _parts_of_scope(self) -> list[contextlib.AbstractContextManager[Any]]:
        return [*super()._parts_of_scope(), variable_creator_scope(self._extended.create_variable)]


class MirroredExtended(OneDeviceExtended):
    """The extended part of `MirroredStrategy`."""

    def distribute_dataset(self, dataset: object, options: Any) -> OneDeviceDataset:
        """Returns a dataset as a distributed one.

        Raises: NotImplementedError: if the options ask for a dataset a replica.
        """
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
            )
        return super().distribute_dataset(dataset, None)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[Any], Any], options: InputOptions | None
    ) -> OneDeviceDataset:
        """Returns the dataset that a function makes for the only worker and replica, as a distributed one.

        Raises: ValueError: if the options ask for a dataset on the device and not for a dataset a replica.
        """
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            options = None  # a dataset a replica is a dataset a worker
        return super().distribute_datasets_from_function(dataset_fn, options)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Returns the value of the only replica; a sum is a tensor also where the replica returned a Python number.

        Args:
          reduce_op: a `tf.distribute.ReduceOp` or its name.
          value: the value.
          destinations: a device, or a value whose devices are meant.
          options: a `tf.distribute.experimental.CommunicationOptions`: a hint.

        Raises:
          RuntimeError: if a replica runs.
          ValueError: if a value to add up cannot be a tensor.
        """
        reduced = super().reduce_to(reduce_op, value, destinations, options)
        if require_reduction(reduce_op) is ReduceOp.SUM:
            return map_structure(_as_sum, reduced)
        return reduced


def _as_sum(value: Any) -> Any:
    is_sum = isinstance(value, (Tensor, CompositeTensor)) and not is_variable(value)
    return value if is_sum else convert_to_tensor(value)


def _only_device(names: Sequence[str] | None) -> str:
    """Returns the device of the only replica.

    Raises: as `MirroredStrategy`.
    """
    if isinstance(names, str):
        raise TypeError(
            f"tf.distribute.MirroredStrategy: `devices` must be a list of names, such as [{names!r}]; received "
            f"{names!r}."
        )
    given = names or [device.name for device in list_logical_devices("GPU")] or ["/cpu:0"]
    devices = tuple(THIS_PROCESS.make_merged_spec(DeviceSpec.from_string(name)).to_string() for name in given)
    if len(set(devices)) < len(devices):
        raise AssertionError(f"No duplicates allowed in `devices` argument: {devices}")
    if len(devices) > 1:
        raise NotImplementedError(
            f"tf.distribute.MirroredStrategy on {len(devices)} devices is not built yet in Millrace, which runs one "
            f"replica; received {list(devices)}. Name one device: tf.distribute.MirroredStrategy([{given[0]!r}])."
        )
    refuse_another_process(devices[0])
    return devices[0]
