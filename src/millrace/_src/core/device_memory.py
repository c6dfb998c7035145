"""`tf.config.experimental` about the memory of devices, and what is known of a device.

The memory of an accelerator is JAX's: it grows as needed unless the environment said otherwise when JAX started. The
memory of the host is the system's, and it is not counted there. A profile tells the memory of results.
"""

from __future__ import annotations

import os
import re
from typing import Any

from millrace._src.core.context import eager_use_has_begun
from millrace._src.core.devices import (
    LogicalDevice,
    PhysicalDevice,
    accelerators_by_name,
    check_known,
    list_logical_devices,
    physical_accelerators,
)
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_NAME = re.compile(r"(?:/job:localhost)?(?:/replica:0)?(?:/task:0)?/?(?:device:)?(?P<kind>[A-Za-z_]+):(?P<index>\d+)")
_PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"
_growth: dict[PhysicalDevice, bool] = {}
_forgotten_peaks: dict[str, int] = {}
"""By the name of a device the peak that JAX told when the statistics were reset: JAX itself cannot forget it."""


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Chooses whether memory on a GPU is taken as needed, and not all at the start.

    Memory grows by default, so True changes nothing. JAX takes most of the memory at its start only if the environment
    variable `XLA_PYTHON_CLIENT_PREALLOCATE` is "true"; it has started when devices are listed, so False is noted and a
    warning says what to do.

    Args:
      device: a GPU of `tf.config.list_physical_devices`.
      enable: whether memory grows.

    Raises:
      ValueError: if `device` is unknown or a CPU.
      RuntimeError: if the program has computed something, and the choice is another one.

    >>> tf.config.experimental.set_memory_growth(tf.config.list_physical_devices("CPU")[0], True)
    Traceback (most recent call last):
    ...
    ValueError: Cannot set memory growth on non-GPU and non-Pluggable devices
    """
    check_known(device)
    if device.device_type == "CPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    if bool(enable) != _growth.get(device, True) and eager_use_has_begun():
        raise RuntimeError("Physical devices cannot be modified after being initialized")
    if not enable and os.environ.get(_PREALLOCATE) != "true":
        message = "Memory of %s grows as needed all the same: JAX takes it at its start only with %s=true."
        get_logger().warning(message, device.name, _PREALLOCATE)
    _growth[device] = bool(enable)


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: PhysicalDevice) -> bool:
    """Returns whether memory on a GPU is taken as needed.

    Args: device: a GPU of `tf.config.list_physical_devices`.
    Raises:
      ValueError: if `device` is unknown.
      KeyError: if `device` is a CPU.

    >>> [tf.config.experimental.get_memory_growth(gpu) for gpu in tf.config.list_physical_devices("GPU")]
    []
    """
    check_known(device)
    if device.device_type == "CPU":
        raise KeyError(device)
    return _growth.get(device, os.environ.get(_PREALLOCATE) != "true")


@export("config.experimental.get_device_details")
def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Returns what is known of a device.

    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}

    Args: device: a device of `tf.config.list_physical_devices`.
    Returns: For a GPU `device_name` and, where it has one, `compute_capability`: two numbers. Nothing for a CPU.
    Raises: ValueError: if `device` is not a device of this machine.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device.device_type == "CPU":
        return {}
    accelerator = dict(physical_accelerators()).get(device)
    if accelerator is None:
        raise ValueError(
            f"The PhysicalDevice must be one obtained from calling `tf.config.list_physical_devices`, but got: {device}"
        )
    return accelerator.details()


@export("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """Returns how much memory of an accelerator is in use.

    >>> [tf.config.experimental.get_memory_info(gpu.name) for gpu in tf.config.list_logical_devices("GPU")]
    []

    Args: device: the name of a logical device, such as "GPU:0".
    Returns: The bytes in use now and at most, under "current" and "peak".
    Raises:
      ValueError: if the name cannot be read, there is no such device, or it is a CPU, whose memory is not counted.
      tf.errors.UnimplementedError: if the driver does not tell.
    """
    name = _full_name(device)
    accelerator = accelerators_by_name()[name]
    if accelerator is None:
        raise ValueError(f"Allocator stats not available for device '{device or ''}'")
    current, peak = accelerator.memory()
    forgotten = _forgotten_peaks.get(name)
    return {"current": current, "peak": current if forgotten is not None and peak <= forgotten else peak}


@export("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """Returns how many bytes of an accelerator are in use: `get_memory_info(device)["current"]`.

    >>> [tf.config.experimental.get_memory_usage(gpu.name) for gpu in tf.config.list_logical_devices("GPU")]
    []

    Args: device: the name of a logical device.
    Raises: ValueError: if the name cannot be read, there is no such device, or it is a CPU.
    """
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Forgets how much memory of an accelerator was in use at most.

    JAX keeps the peak of the whole process. After this call the memory in use counts as the peak until more than ever
    before is in use.

    >>> for gpu in tf.config.list_logical_devices("GPU"):
    ...     tf.config.experimental.reset_memory_stats(gpu.name)

    Args: device: the name of a logical device.
    Raises: ValueError: if the name cannot be read, there is no such device, or it is a CPU.
    """
    name = _full_name(device)
    accelerator = accelerators_by_name()[name]
    if accelerator is None:
        raise ValueError(f"Cannot reset memory stats for device '{device or ''}'")
    _forgotten_peaks[name] = accelerator.memory()[1]


def _full_name(device: object) -> str:
    """Returns the full name of a logical device; the first CPU's for an empty name.

    Raises:
      TypeError: if the name is not text.
      ValueError: if the name cannot be read, or there is no such device.
    """
    if isinstance(device, LogicalDevice):
        device = device.name
    if device is not None and not isinstance(device, str):
        raise TypeError(f"The name of a device must be a str, but is a {type(device).__name__}.")
    names = list(accelerators_by_name())
    if not device:
        return names[0]
    match = _NAME.fullmatch(device)
    if match is None:
        raise ValueError(
            f"Failed parsing device name: '{device}'. Note a valid device string should at least contain a device type "
            'and a device index, like "GPU:0".'
        )
    by_name = dict(zip([d.name for d in list_logical_devices()], names, strict=True))
    found = by_name.get(f"/device:{match['kind']}:{match['index']}")
    if found is None:
        raise ValueError(f"No matching devices found for '{device}'")
    return found
