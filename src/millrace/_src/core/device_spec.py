"""`tf.DeviceSpec`: the parts of a device's name.

A name such as `/job:worker/task:1/device:GPU:0` says which device an op runs on, in full or in part. A spec holds the
parts of a name, None for a part that is left open. So names can be merged: an outer scope decides the parts that an
inner scope leaves open.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from millrace._src.util.export import export

if TYPE_CHECKING:
    pass

_TYPES = ("CPU", "GPU", "TPU", "CUSTOM", "EPU")
"""The device types that may stand in a name without `device:`, as in `/gpu:0`."""
_PARTS = ("job", "replica", "task", "device_type", "device_index")


@export("DeviceSpec", v1=[])
class DeviceSpec:
    """A device, or a set of devices, by the parts of a name; immutable.

    >>> spec = tf.DeviceSpec(job="worker", task=1)
    >>> spec.make_merged_spec(tf.DeviceSpec.from_string("/gpu:0")).to_string()
    '/job:worker/task:1/device:GPU:0'
    >>> with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
    ...     x = tf.constant(1)

    Args:
      job: The name of the job.
      replica: The number of the replica.
      task: The number of the task.
      device_type: `"CPU"`, `"GPU"` and so on.
      device_index: The number of the device.

    Raises: ValueError: if a number is not one.
    """

    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")

    def __init__(
        self,
        job: object = None,
        replica: object = None,
        task: object = None,
        device_type: object = None,
        device_index: object = None,
    ) -> None:
        self._job: str | None = None if job is None else str(job)
        self._replica = as_number(replica)
        self._task = as_number(task)
        self._device_type = device_type_name(device_type)
        self._device_index = as_number(device_index)

    @property
    def job(self) -> str | None:
        """Returns the name of the job."""
        return self._job

    @property
    def replica(self) -> int | None:
        """Returns the number of the replica."""
        return self._replica

    @property
    def task(self) -> int | None:
        """Returns the number of the task."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """Returns the type of the device."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """Returns the number of the device."""
        return self._device_index

    @classmethod
    def from_string(cls, spec: str | None) -> Any:
        """Returns the spec of a name.

        Args: spec: The name, such as `/job:a/replica:0/task:1/device:CPU:0`; any part may be missing.
        Raises: ValueError: if a part cannot be read, or there are two devices.
        """
        return cls(**parse_device(spec))

    def parse_from_string(self, spec: str | None) -> Any:
        """Returns the spec of a name; this spec stays as it is."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """Returns the name."""
        numbered = [("job", self._job), ("replica", self._replica), ("task", self._task)]
        text = "".join(f"/{part}:{value}" for part, value in numbered if value is not None)
        if self._device_type is None:
            return text
        return f"{text}/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}"

    def make_merged_spec(self, dev: DeviceSpec) -> Any:
        """Returns a spec with the parts of another spec, completed by parts of this spec."""
        return type(self)(*merge_parts(self, dev))

    def replace(self, **kwargs: object) -> Any:
        """Returns a spec with some parts changed.

        Args: **kwargs: The parts, named as the arguments of the class.
        """
        return type(self)(**{**dict(zip(_PARTS, _parts(self))), **kwargs})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{name}={value}' for name, value in zip(_PARTS, _parts(self)))})>"

    def __reduce__(self) -> Any:
        return type(self), _parts(self)


def as_number(value: Any) -> int | None:
    return None if value is None else int(value)


def device_type_name(value: object) -> str | None:
    """Returns the name of a device type; `cpu` and `gpu` get capitals."""
    if value is None:
        return None
    name = str(value)
    return name.upper() if name in ("cpu", "gpu") else name


def _parts(spec: DeviceSpec) -> tuple[Any, ...]:
    return spec.job, spec.replica, spec.task, spec.device_type, spec.device_index


def merge_parts(outer: DeviceSpec, inner: DeviceSpec) -> Iterable[Any]:
    return [first if second is None else second for first, second in zip(_parts(outer), _parts(inner))]


def parse_device(spec: str | None) -> dict[str, Any]:
    """Returns the parts that a name states.

    Raises: ValueError: if a part cannot be read, or there are two devices.
    """
    parts: dict[str, Any] = {}
    for part in (spec or "").split("/"):
        name, *values = part.split(":")
        if name in ("job", "replica", "task") and len(values) == 1:
            parts[name] = values[0] if name == "job" else int(values[0])
        elif name == "device" and len(values) == 2:
            _add_device(parts, values[0], values[1], spec)
        elif name.upper() in _TYPES and len(values) <= 1:
            _add_device(parts, name.upper(), values[0] if values else "*", spec)
        elif part:
            raise ValueError(f"Unknown attribute '{name}' is encountered while parsing the device spec: '{spec}'.")
    return parts


def _add_device(found: dict[str, Any], kind: str, index: str, spec: str | None) -> None:
    if "device_type" in found:
        raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
    found["device_type"] = kind
    found["device_index"] = None if index == "*" else int(index)
