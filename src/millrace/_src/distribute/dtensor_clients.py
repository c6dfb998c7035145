"""What `tf.experimental.dtensor` says of clients and devices; tensors laid out over a mesh are not built yet.

A client of DTensor is a process with devices of its own. A Millrace program is one client, whose job is `localhost`.
"""

from __future__ import annotations

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.devices import list_logical_devices, list_physical_devices
from millrace._src.util.export import export, export_constant

UNSHARDED = "unsharded"
"""The sharding of a dimension that every device has whole."""
MATCH = "match"
"""The sharding of a dimension that takes the sharding of the value it is compared with."""

export_constant(__name__, "UNSHARDED", "experimental.dtensor.UNSHARDED", v1=[])
export_constant(__name__, "MATCH", "experimental.dtensor.MATCH", v1=[])

_TYPES = ("CPU", "GPU", "TPU")


@export("experimental.dtensor.num_clients", v1=[])
def num_clients() -> int:
    """Returns the number of clients: 1.

    >>> tf.experimental.dtensor.num_clients()
    1
    """
    return 1


@export("experimental.dtensor.client_id", v1=[])
def client_id() -> int:
    """Returns the number of this client: 0.

    >>> tf.experimental.dtensor.client_id()
    0
    """
    return 0


@export("experimental.dtensor.job_name", v1=[])
def job_name() -> str:
    """Returns the job of this client.

    >>> tf.experimental.dtensor.job_name()
    'localhost'
    """
    return "localhost"


@export("experimental.dtensor.full_job_name", v1=[])
def full_job_name(task_id: int | None = None) -> str:
    """Returns the job, replica and task of a client.

    >>> tf.experimental.dtensor.full_job_name()
    'localhost/replica:0/task:0'

    Raises: ValueError: if `task_id` is not 0.
    """
    if task_id:
        raise ValueError(f"Unexpected task ID {task_id} in local runs")
    return f"{job_name()}/replica:0/task:{client_id()}"


@export("experimental.dtensor.jobs", v1=[])
def jobs() -> list[str]:
    """Returns the addresses of the clients of a job over several processes: none.

    >>> tf.experimental.dtensor.jobs()
    []
    """
    return []


@export("experimental.dtensor.local_devices", v1=[])
def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """Lists the devices of this client.

    >>> [d.to_string() for d in tf.experimental.dtensor.local_devices("CPU")]
    ['/job:localhost/replica:0/task:0/device:CPU:0']

    Args:
      device_type: "CPU", "GPU" or "TPU".
      for_client_id: the client to name as the devices' task; None is this client.

    Raises: ValueError: if the type is another one.
    """
    kind = device_type.upper()
    if kind not in _TYPES:
        raise ValueError(f"Device type {kind} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    return [
        DeviceSpec(job=job_name(), replica=0, task=task, device_type=kind, device_index=index)
        for index in range(len(list_logical_devices(kind)))
    ]


@export("experimental.dtensor.num_local_devices", v1=[])
def num_local_devices(device_type: str) -> int:
    """Returns the number of devices of this client.

    >>> tf.experimental.dtensor.num_local_devices("CPU")
    1

    Args: device_type: "CPU", "GPU" or "TPU".
    Raises: ValueError: if the type is another one.
    """
    return len(local_devices(device_type))


@export("experimental.dtensor.num_global_devices", v1=[])
def num_global_devices(device_type: str) -> int:
    """Returns the number of devices of all clients, as `num_local_devices`: there is one client.

    >>> tf.experimental.dtensor.num_global_devices("CPU")
    1

    Args: device_type: "CPU", "GPU" or "TPU".
    Raises: ValueError: if the type is another one.
    """
    return num_local_devices(device_type) * num_clients()


@export("experimental.dtensor.preferred_device_type", v1=[])
def preferred_device_type() -> str:
    """Returns the best type of device there is: "GPU" if there is one, else "CPU".

    >>> tf.experimental.dtensor.preferred_device_type() in ("CPU", "GPU")
    True
    """
    return "GPU" if list_physical_devices("GPU") else "CPU"


@export("experimental.dtensor.is_dtensor", v1=[])
def is_dtensor(tensor: TensorLike) -> bool:
    """Returns whether a tensor is laid out over a mesh: none is.

    >>> tf.experimental.dtensor.is_dtensor(tf.constant(1))
    False
    """
    return False
