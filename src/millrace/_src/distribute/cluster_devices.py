"""`tf.config` about several processes: which devices of a cluster a process may see, and connecting to one.

Millrace has no servers: a process uses its own devices. What programs may prepare is kept; connecting says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from millrace._src.core import errors
from millrace._src.proto import device_filters_pb2
from millrace._src.util.export import export


@export("config.experimental.ClusterDeviceFilters")
class ClusterDeviceFilters:
    """Which remote devices each task of a cluster may see.

    >>> filters = tf.config.experimental.ClusterDeviceFilters()
    >>> filters.set_device_filters("worker", 0, ["/job:ps"])
    """

    def __init__(self) -> None:
        self._filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: Iterable[str]) -> None:
        """Sets what a task sees.

        Args:
          job_name: the name of the job, a text.
          task_index: the number of the task.
          device_filters: beginnings of the names of the devices that the task sees.

        Raises: TypeError: if the filters are not a list.
        """
        self._filters.setdefault(job_name, {})[task_index] = list(device_filters)

    def as_proto(self) -> Any:
        """Returns the filters as a `ClusterDeviceFilters` message, jobs and tasks in order."""
        message = device_filters_pb2.ClusterDeviceFilters()
        for job_name in sorted(self._filters):
            job = message.jobs.add(name=job_name)
            for task_index in sorted(self._filters[job_name]):
                job.tasks[task_index].device_filters.extend(self._filters[job_name][task_index])
        return message


def _refuse(what: str) -> NoReturn:
    raise errors.UnimplementedError(
        None,
        None,
        f"{what}: Millrace has no servers and no remote devices; a process uses its own. Several devices of one "
        "machine are those of tf.config.list_logical_devices().",
    )


@export("config.experimental_connect_to_host")
def experimental_connect_to_host(remote_host: object = None, job_name: str = "worker") -> None:
    """Refuses to connect to another process.

    Args:
      remote_host: the address of a host, or several.
      job_name: the name of their job.

    Raises:
      ValueError: if there is no address.
      tf.errors.UnimplementedError: else.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    _refuse("tf.config.experimental_connect_to_host")


@export("config.experimental_connect_to_cluster")
def experimental_connect_to_cluster(
    cluster_spec_or_resolver: object,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: ClusterDeviceFilters | None = None,
) -> None:
    """Refuses to connect to a cluster.

    Args:
      cluster_spec_or_resolver: a `ClusterSpec` or a `ClusterResolver`.
      job_name: the job of this process.
      task_index: the number of this process in its job.
      protocol: how the processes talk.
      make_master_device_default: whether ops run on the first task by default.
      cluster_device_filters: a `tf.config.experimental.ClusterDeviceFilters`, or None.

    Raises:
      ValueError: if the first argument is a plain value.
      tf.errors.UnimplementedError: else.
    """
    if cluster_spec_or_resolver is None or type(cluster_spec_or_resolver).__module__ == "builtins":
        raise ValueError("`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`.")
    if not isinstance(cluster_device_filters, (ClusterDeviceFilters, type(None))):
        raise ValueError("`cluster_device_filters` must be a `tf.config.experimental.ClusterDeviceFilters`.")
    _refuse("tf.config.experimental_connect_to_cluster")
