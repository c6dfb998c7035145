"""`tf.compat.v1.DeviceSpec`, whose parts may be set, and `tf.compat.v1.device`, which takes functions.

Tests: tests/core/test_device_spec.py, tests/oracle/programs/config_devices.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.core.device_spec import DeviceSpec, as_number, device_type_name, merge_parts, parse_device
from millrace._src.graph.scopes import device
from millrace._src.util.export import export


@export(v1=["DeviceSpec"])
class MutableDeviceSpec(DeviceSpec):
    """A `tf.DeviceSpec` whose parts may be set; `tf.compat.v1.DeviceSpec`."""

    __slots__ = ()
    __hash__ = DeviceSpec.__hash__

    @property
    def job(self) -> str | None:
        """Returns the name of the job."""
        return self._job

    @job.setter
    def job(self, job: object) -> None:
        self._job = None if job is None else str(job)

    @property
    def replica(self) -> int | None:
        """Returns the number of the replica."""
        return self._replica

    @replica.setter
    def replica(self, replica: object) -> None:
        self._replica = as_number(replica)

    @property
    def task(self) -> int | None:
        """Returns the number of the task."""
        return self._task

    @task.setter
    def task(self, task: object) -> None:
        self._task = as_number(task)

    @property
    def device_type(self) -> str | None:
        """Returns the type of the device."""
        return self._device_type

    @device_type.setter
    def device_type(self, device_type: object) -> None:
        self._device_type = device_type_name(device_type)

    @property
    def device_index(self) -> int | None:
        """Returns the number of the device."""
        return self._device_index

    @device_index.setter
    def device_index(self, device_index: object) -> None:
        self._device_index = as_number(device_index)

    def parse_from_string(self, spec: str | None) -> MutableDeviceSpec:
        """Takes the parts of a name, and returns the spec itself."""
        self.__init__(**parse_device(spec))  # type: ignore[misc]  # all parts are set anew
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes the parts that another spec does not leave open."""
        self.__init__(*merge_parts(self, dev))  # type: ignore[misc]  # all parts are set anew


@export(v1=["device"])
def device_v1(device_name_or_function: object) -> Any:
    """Sets the device that the ops within request; in a graph also by a function of each operation.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.device(lambda operation: "/job:ps" if operation.type == "VarHandleOp" else "/job:worker"):
    ...         tf.constant(1.0).device
    '/job:worker'

    Args: device_name_or_function: As for `tf.device`, or a function that takes an operation and returns a name.
    Raises: RuntimeError: for a function in eager mode.
    """
    if not callable(device_name_or_function):
        return device(device_name_or_function)
    if state.graph is None:
        raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
    return state.graph.device(device_name_or_function)
