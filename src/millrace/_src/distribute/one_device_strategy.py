"""`tf.distribute.OneDeviceStrategy`: one replica on a device that the program names.

Programs written for many devices run with it as they are, for debugging and comparison.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.distribute.contexts import in_force, require_cross_replica
from millrace._src.distribute.extended import OneReplicaExtended
from millrace._src.distribute.input_options import InputOptions, InputReplicationMode
from millrace._src.distribute.one_device_input import OneDeviceDataset
from millrace._src.distribute.strategy import Strategy
from millrace._src.graph.scopes import device
from millrace._src.state.variable_creators import variable_creator_scope
from millrace._src.util.export import export

THIS_PROCESS = DeviceSpec(job="localhost", replica=0, task=0, device_type="CPU", device_index=0)
_FIRST_CPU = THIS_PROCESS.to_string()


@export("distribute.OneDeviceStrategy", v1=[])
class OneDeviceStrategy(Strategy):
    """One replica on one device: variables created in the scope and what `run` calls are there.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.run(lambda: v + 1.0).numpy()
    np.float32(2.0)

    Args: device: The name of a device, such as `/cpu:0`; the parts that it leaves open are those of the first CPU.
    Raises: ValueError: if the name cannot be read.
    """

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, device))

    def _parts_of_scope(self) -> list[contextlib.AbstractContextManager[Any]]:
        return [*super()._parts_of_scope(), variable_creator_scope(self._extended.create_variable)]


class OneDeviceExtended(OneReplicaExtended):
    """The extended part of `OneDeviceStrategy`."""

    def __init__(self, container_strategy: Any, device_name: str) -> None:
        super().__init__(container_strategy)
        self._device = THIS_PROCESS.make_merged_spec(DeviceSpec.from_string(device_name)).to_string()

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The device that the replica runs on."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The device that variables are on."""
        return (self._device,)

    def replica_devices(self) -> tuple[str, ...]:
        """Returns the device that the replica's context shows."""
        return (self._device,)

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each worker builds a graph of its own."""
        return False

    @property
    def experimental_should_init(self) -> bool:
        """Whether this process gives variables their first values."""
        return True

    def create_variable(self, next_creator: Callable[..., Any], **kwargs: object) -> Any:
        """Makes a variable on the device and notes whose it is."""
        with device(self._device):
            variable = next_creator(**kwargs)
        variable._distribute_strategy = self._container_strategy()
        return variable

    def variable_created_in_scope(self, v: Any) -> bool:
        """Returns whether a variable was created in the scope of this strategy."""
        return v._distribute_strategy is self._container_strategy()

    def colocate_vars_with(self, colocate_with_variable: object) -> Any:
        """Makes a scope in which new variables go where a variable is.

        Raises:
          RuntimeError: if the strategy is not in force.
          ValueError: if the variable was not created in the scope of this strategy.
        """
        strategy = self._container_strategy()
        entered = in_force()
        if entered is None or entered.strategy is not strategy:
            raise RuntimeError(f'Need to be inside "with strategy.scope()" for {strategy}')
        if getattr(colocate_with_variable, "_distribute_strategy", None) is not strategy:
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), "
                f"not: {colocate_with_variable!r}"
            )
        return contextlib.nullcontext()

    def _call_replica(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        # Eager values are on the first CPU anyhow: no device scope, which would cost more than the call.
        if state.graph is None and state.device is None and self._device == _FIRST_CPU:
            return fn(*args, **kwargs)
        with device(self._device):
            return fn(*args, **kwargs)

    def broadcast_to(self, tensor: object, destinations: object) -> Any:
        """Returns a tensor as it is: there is one device."""
        require_cross_replica(self._container_strategy())
        return tensor

    def non_slot_devices(self, var_list: object) -> tuple[str, ...]:
        """Returns the device for variables that belong to no other variable."""
        return (self._device,)

    def distribute_dataset(self, dataset: object, options: Any) -> OneDeviceDataset:
        """Returns a dataset as a distributed one.

        Raises: NotImplementedError: if the options ask for a dataset a replica.
        """
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in  "
                "`experimental_distribute_datasets_from_function`."
            )
        return OneDeviceDataset(dataset, self._device_of_elements())

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[Any], Any], options: InputOptions | None
    ) -> OneDeviceDataset:
        """Returns the dataset that a function makes for the only worker, as a distributed one.

        Raises:
          NotImplementedError: if the options ask for a dataset a replica.
          ValueError: if the options ask for a dataset on the device and not for a dataset a replica.
        """
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in "
                "`experimental_distribute_datasets_from_function` of tf.distribute.MirroredStrategy"
            )
        if options is not None and options.experimental_place_dataset_on_device:
            raise ValueError(
                "When `experimental_place_dataset_on_device` is set for dataset placement, you must also specify "
                "`PER_REPLICA` for the replication mode"
            )
        return OneDeviceDataset(dataset_fn(self.input_context()), self._device_of_elements())

    def _device_of_elements(self) -> str | None:
        """Returns the device that elements are on; None for the first CPU, where they are anyhow."""
        return None if self._device == _FIRST_CPU else self._device
