"""`tf.compat.v1.train.replica_device_setter`: variables on parameter servers in turn, all else on the worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.device_spec import DeviceSpec
from millrace._src.distribute.cluster_spec import ClusterSpec
from millrace._src.util.export import export

_OPS_OF_VARIABLES = ("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp")


class _InTurn:
    """Gives the numbers of tasks one after the other, and begins anew after the last."""

    def __init__(self, task_count: int) -> None:
        self._task_count = task_count
        self._next = 0

    def __call__(self, op: object) -> int:
        task = self._next
        self._next = (task + 1) % self._task_count
        return task


@export(v1=["train.replica_device_setter"])
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: object = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """Returns a function of an operation for `tf.compat.v1.device`, which returns the operation's device.

    >>> with tf.Graph().as_default():
    ...     v, w = tf.Variable(1.0), tf.Variable(2.0)
    ...     device_of = tf.compat.v1.train.replica_device_setter(ps_tasks=2)
    ...     device_of(v.op), device_of(w.op), device_of((v + w).op)
    ('/job:ps/task:0', '/job:ps/task:1', '/job:worker')

    Args:
      ps_tasks: the number of parameter servers.
      ps_device: the device of the parameter servers' job.
      worker_device: the device of everything else.
      merge_devices: whether what a scope around says of the device is kept.
      cluster: the cluster, a dict, a `ClusterDef` or a `tf.train.ClusterSpec`, which states the number of servers.
      ps_ops: the types of the operations on parameter servers; None for those of variables.
      ps_strategy: a function of an operation that returns the number of its server; None for one after the other.

    Returns: The function; None without parameter servers.
    Raises: TypeError: if the cluster is not a cluster, or `ps_strategy` not a function.
    """
    if cluster is not None:
        job = DeviceSpec.from_string(ps_device).job
        tasks = ClusterSpec(cluster).as_dict()
        if job not in tasks:
            return None
        ps_tasks = len(tasks[job])
    if ps_tasks == 0:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    choose = ps_strategy or _InTurn(ps_tasks)
    types = _OPS_OF_VARIABLES if ps_ops is None else ps_ops

    def device_of(op: Any) -> str:
        current = DeviceSpec.from_string(op.device or "")
        if not merge_devices and op.device:
            return str(op.device)
        if op.type in types:
            spec = DeviceSpec.from_string(ps_device)
            if spec.job and spec.task is None:
                spec = spec.replace(task=choose(op))
        else:
            spec = DeviceSpec.from_string(worker_device)
        merged: str = spec.make_merged_spec(current).to_string()
        return merged

    return device_of
