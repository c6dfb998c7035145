"""What `Session.list_devices` says of a device.

Tests: tests/oracle/programs/config_devices.py
"""

from __future__ import annotations

from dataclasses import dataclass, field

_MEMORY_OF_THE_HOST = 268435456
"""The number that TensorFlow states for every CPU."""


@dataclass(frozen=True)
class DeviceAttributes:
    """A device that a session can use.

    Attributes:
      name: the full name, "/job:localhost/replica:0/task:0/device:CPU:0".
      device_type: "CPU" or "GPU".
      memory_limit_bytes: the most memory that the device gives, in bytes.
      incarnation: a number that would change if the device were lost and came back.
    """

    name: str
    device_type: str
    memory_limit_bytes: int = _MEMORY_OF_THE_HOST
    incarnation: int = field(default=1, repr=False)

    def __repr__(self) -> str:
        values = f"{self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation}"
        return f"_DeviceAttributes({values})"
