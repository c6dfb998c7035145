"""Devices, and `tf.config` about devices.

The NumPy engine runs on one physical CPU. Accelerators belong to an engine: `context.accelerators` asks for them when
devices are listed, and a machine without the driver of an accelerator loads no engine for that.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.core import errors
from millrace._src.core.accelerator import Accelerator
from millrace._src.core.context import accelerators, change_calls, eager_use_has_begun, note_eager_use, state
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.util.export import export

_PREFIX = "/job:localhost/replica:0/task:0/device:"
FIRST_CPU = f"{_PREFIX}CPU:0"
"""The device of nearly all values."""


@export("config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str

    def __repr__(self) -> str:
        return f"PhysicalDevice(name={self.name!r}, device_type={self.device_type!r})"


@export("config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A device as programs see devices."""

    name: str
    device_type: str

    def __repr__(self) -> str:
        return f"LogicalDevice(name={self.name!r}, device_type={self.device_type!r})"


_visible: dict[str, list[PhysicalDevice]] = {}


def physical_accelerators() -> list[tuple[PhysicalDevice, Accelerator]]:
    """Returns the accelerators of the machine, numbered for each kind apart, with their devices."""
    pairs: list[tuple[PhysicalDevice, Accelerator]] = []
    for accelerator in accelerators():
        number = sum(device.device_type == accelerator.kind for device, _ in pairs)
        device = PhysicalDevice(f"/physical_device:{accelerator.kind}:{number}", accelerator.kind)
        pairs.append((device, accelerator))
    return pairs


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices of the machine.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]

    Args: device_type: "CPU" or "GPU"; None lists all.
    """
    devices = [PhysicalDevice("/physical_device:CPU:0", "CPU"), *[device for device, _ in physical_accelerators()]]
    return [d for d in devices if device_type is None or d.device_type == device_type]


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the devices that ops can be placed on; from the first call on, the number of devices does not change.

    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]

    Args: device_type: "CPU" or "GPU"; None lists all.
    """
    note_eager_use()
    return [device for device, _ in _logical_devices(device_type)]


def _logical_devices(device_type: str | None) -> list[tuple[LogicalDevice, PhysicalDevice]]:
    """Returns the logical devices of a type (None: of all types), with the physical devices that carry them."""
    devices: list[tuple[LogicalDevice, PhysicalDevice]] = []
    for physical in get_visible_devices(device_type):
        for _ in _configured.get(physical) or (None,):
            number = sum(device.device_type == physical.device_type for device, _ in devices)
            device = LogicalDevice(f"/device:{physical.device_type}:{number}", physical.device_type)
            devices.append((device, physical))
    return devices


class MissingDeviceError(LookupError):
    """No logical device of this process has the name that a scope gives."""


@functools.lru_cache(maxsize=64)  # the logical devices stay as they are from their first use on
def accelerator_at(device_name: str) -> Accelerator | None:
    """Returns the accelerator behind the full name of a logical device; None for a CPU.

    Raises: MissingDeviceError: if there is no such device.
    """
    carriers = _carriers()
    if device_name not in carriers:
        raise MissingDeviceError(device_name)
    return dict(physical_accelerators()).get(carriers[device_name]) if accelerators() else None


def _carriers() -> dict[str, PhysicalDevice]:
    """Returns the physical devices that carry the logical devices, by the full names of these."""
    return {f"{_PREFIX}{device.name[8:]}": physical for device, physical in _logical_devices(None)}


def missing_device(device_name: str, op_name: str | None = None) -> errors.OpError:
    """Makes the error of an op, or of a value that no op makes, in the scope of a device that does not exist."""
    if not device_name.startswith(_PREFIX) and "/device:CPU:" in device_name:
        return errors.InvalidArgumentError(None, None, f"{device_name} unknown device.")
    carriers = _carriers()
    kinds = ", ".join(dict.fromkeys(physical.device_type for physical in carriers.values()))
    complaint = (
        f"Could not satisfy device specification '{device_name}'. enable_soft_placement={int(_Placement.soft)}. "
        f"Supported device types [{kinds}]. All available devices [{', '.join(carriers)}]."
    )
    kind = errors.InvalidArgumentError
    return kind(None, None, complaint) if op_name is None else errors.op_error(op_name, complaint, kind)


def refuse_another_process(name: str) -> None:
    """Refuses a device of another process.

    Args: name: the name, in full or in part.
    Raises: InvalidArgumentError: in eager mode; a graph may be meant for another machine.
    """
    if state.graph is None:
        device_name = canonical_device(name)
        if not device_name.startswith(_PREFIX):
            raise missing_device(device_name)


def existing_device(device_name: str) -> str:
    """Returns the full name of a logical device.

    Raises: InvalidArgumentError: if there is no such device.
    """
    try:
        accelerator_at(device_name)
    except MissingDeviceError:
        raise missing_device(device_name) from None
    return device_name


def device_of(array: object) -> str | None:
    """Returns the full name of the first logical device on the accelerator that holds an array; None for the host."""
    for device, physical in _logical_devices(None) if accelerators() else ():
        accelerator = dict(physical_accelerators()).get(physical)
        if accelerator is not None and accelerator.holds(array):
            return f"{_PREFIX}{device.name[8:]}"
    return None


@export("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """The configuration of one logical device among several on a physical device.

    Attributes:
      memory_limit: The most megabytes that the device may take; of a GPU only.
      experimental_priority: The priority of the device; of a GPU only.
      experimental_device_ordinal: The number of the device on the platform; of a GPU only.
    """

    memory_limit: Any = None
    experimental_priority: Any = None
    experimental_device_ordinal: Any = None


_configured: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}


@export("config.set_logical_device_configuration", "config.experimental.set_virtual_device_configuration")
def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Makes several logical devices of one physical device, so that a program for many devices runs on one device.

    Ops run on the same processor whatever their logical device; a tensor's `device` names the logical device.

    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration(memory_limit=10)])
    Traceback (most recent call last):
    ...
    ValueError: Setting memory limit on CPU virtual devices is currently not supported

    Args:
      device: A device of `tf.config.list_physical_devices`.
      logical_devices: One configuration a logical device.

    Raises:
      ValueError: if the device is unknown, or a configuration cannot be run.
      RuntimeError: if the logical devices were listed or used before, or a limit for an accelerator comes too late.
    """
    check_known(device)
    configurations = list(logical_devices)
    for configuration in configurations:
        if device.device_type == "CPU":
            _check_configuration_of_cpu(configuration)
        else:
            _check_configuration_of_accelerator(configuration)
    if eager_use_has_begun() and _configured.get(device) != configurations:
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    _configured[device] = configurations


def _check_configuration_of_cpu(configuration: LogicalDeviceConfiguration) -> None:
    if configuration.memory_limit is not None:
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    for name in ("experimental_priority", "experimental_device_ordinal"):
        if getattr(configuration, name) is not None:
            raise ValueError(f"Setting {name} on CPU virtual  devices is currently not supported")


def _check_configuration_of_accelerator(configuration: LogicalDeviceConfiguration) -> None:
    """Refuses what JAX would have to know before it starts, which it did when the device was listed.

    Raises: RuntimeError: for a limit, unless the environment limits the memory already, and for a priority.
    """
    limit = configuration.memory_limit
    if limit is not None and "XLA_PYTHON_CLIENT_MEM_FRACTION" not in os.environ:
        raise RuntimeError(
            f"A memory limit of {limit} MB cannot be set: JAX has started when devices were listed. Memory is taken as "
            "needed; the environment variable XLA_PYTHON_CLIENT_MEM_FRACTION, set before the program starts, limits it."
        )
    for name in ("experimental_priority", "experimental_device_ordinal"):
        if getattr(configuration, name) is not None:
            raise RuntimeError(f"{name} cannot be set: JAX has no such setting.")


@export("config.get_logical_device_configuration", "config.experimental.get_virtual_device_configuration")
def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """Returns the configurations of a physical device's logical devices, None if none were set.

    >>> tf.config.get_logical_device_configuration(tf.config.list_physical_devices("CPU")[0])

    Args: device: A device of `tf.config.list_physical_devices`.
    Raises: ValueError: if the device is unknown.
    """
    check_known(device)
    return _configured.get(device)


def check_known(device: object) -> None:
    """Raises ValueError for what is not a physical device of this machine."""
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the physical devices that the program uses.

    >>> len(tf.config.get_visible_devices("CPU"))
    1
    """
    devices: list[PhysicalDevice] = []
    for device in list_physical_devices(device_type):
        if device in _visible.get(device.device_type, [device]):
            devices.append(device)
    return devices


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Chooses the physical devices that the program uses.

    Args:
      devices: a list of `PhysicalDevice`s; an empty list hides a type.
      device_type: restricts the call to one type.

    Raises: ValueError: if a device is unknown or of another type.
    """
    many = isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice)
    visible_devices = list(devices) if many else [devices]
    known_devices = list_physical_devices()
    for device in visible_devices:
        if device not in known_devices:
            raise ValueError(f"Unrecognized device: {device!r}")
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"Unrecognized device: {device!r}")
    kinds = {device_type} if device_type is not None else {d.device_type for d in known_devices}
    visible = {kind or "": [d for d in visible_devices if d.device_type == kind] for kind in kinds}
    if eager_use_has_begun() and any(get_visible_devices(kind) != devices for kind, devices in visible.items()):
        raise RuntimeError("Visible devices cannot be modified after being initialized")
    _visible.update(visible)


@export("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Chooses whether an op whose device does not exist runs on the CPU instead.

    >>> tf.config.set_soft_device_placement(True)
    """
    _Placement.soft = bool(enabled)


@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Returns whether an op whose device does not exist runs on the CPU instead.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return _Placement.soft


class _Placement:
    soft = True


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every `tf.function` call run its Python function instead of a graph, for debugging.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    change_calls(run_eagerly=bool(run_eagerly))


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns whether `run_functions_eagerly` is in force.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return state.functions_run_eagerly


_SPEC = re.compile(
    r"^(?:/job:(?P<job>\w+))?(?:/replica:(?P<replica>\d+))?(?:/task:(?P<task>\d+))?"
    r"(?:/(?:device:)?(?P<kind>[A-Za-z_]+)(?::(?P<index>\d+|\*))?)?$"
)


def merge_devices(outer: str, inner: str) -> str:
    """Returns the device of a node in two device scopes: the outer scope decides the parts that the inner leaves open.

    `merge_devices("/cpu:0", "/job:worker/task:1")` is `/job:worker/task:1/device:CPU:0`.
    """
    first, second = (_SPEC.match(d if d.startswith("/") or not d else f"/{d}") for d in (outer, inner))
    if first is None or second is None:
        return inner or outer
    fields = {k: second[k] or first[k] for k in ("job", "replica", "task")}
    source = second if second["kind"] else first
    text = "".join(f"/{k}:{v}" for k, v in fields.items() if v)
    return f"{text}/device:{source['kind'].upper()}:{source['index'] or '*'}" if source["kind"] else text


def is_another_device(name: str | None) -> bool:
    """Returns whether eager values in the scope of a device are not on the first CPU."""
    return name is not None and name.startswith("/job:") and name != f"{_PREFIX}CPU:0"


def short_device(name: str | None) -> str:
    """Returns a full device name as graphs record device names: `/device:CPU:0`."""
    return "" if name is None else name.replace(_PREFIX, "/device:")


def accelerators_by_name() -> dict[str, Accelerator | None]:
    """Returns what is behind each logical device, by its full name; None behind a CPU."""
    return {name: accelerator_at(name) for name in (f"{_PREFIX}{d.name[8:]}" for d in list_logical_devices())}


def canonical_device(name: str, outer: str | None = None) -> str:
    """Returns the full name of a device, or in a graph the name as it is: a graph may be meant for another machine.

    Args:
      name: the name, in full or in part.
      outer: the full name of the device in force, which decides the parts that the name leaves open; None for none.

    Raises: ValueError: if the name cannot be parsed.
    """
    if state.graph is not None:
        DeviceSpec.from_string(name)
        return name
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    spec = DeviceSpec.from_string(name)
    if outer:
        spec = DeviceSpec.from_string(outer).make_merged_spec(spec)
    return _device_of_eager_values(spec) if name or outer else ""


def _device_of_eager_values(spec: DeviceSpec) -> str:
    """Returns the full name of the device that a spec means; what a spec leaves open is the first.

    With soft placement, the CPU replaces a device of this process that does not exist. Else, the first op there
    raises the error.
    """
    process = f"/job:{spec.job or 'localhost'}/replica:{spec.replica or 0}/task:{spec.task or 0}/device:"
    kind, index = spec.device_type or "CPU", spec.device_index or 0
    exists = index < [d.device_type for d in list_logical_devices()].count(kind)
    if process == _PREFIX and not exists and get_soft_device_placement():
        return f"{_PREFIX}CPU:0"
    return f"{process}{kind}:{index}"


def check_placement(device: str, name: str, function: str) -> None:
    """Checks that the device that a node of a function asks for can be had.

    Args:
      device: the device as the graph states it.
      name: the name of the node.
      function: the name of the function.

    Raises: InvalidArgumentError: if there is no such device, and no other device may stand in.
    """
    spec = DeviceSpec.from_string(device)
    is_here = spec.job in (None, "localhost") and not spec.replica and not spec.task
    same_kind = [d for d in list_logical_devices() if spec.device_type in (None, d.device_type)]
    exists = is_here and (spec.device_index or 0) < len(same_kind)
    if exists or is_here and get_soft_device_placement():
        return
    if not get_soft_device_placement():
        raise errors.InvalidArgumentError(None, None, f"Unable to find any devices for spec {device} [Op:{function}]")
    available = " ".join(f"{_PREFIX}{d.name[8:]}" for d in list_logical_devices())
    raise errors.InvalidArgumentError(
        None,
        None,
        f"Cannot assign a device for operation {name}: {{{{node {name}}}}} was explicitly assigned to {device} but "
        f"available devices are [ {available} ]. Make sure the device specification refers to a valid device.\n"
        f"\t [[{name}]] [Op:{function}]",
    )
