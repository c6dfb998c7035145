"""`tf.train.ClusterSpec`: the jobs of a cluster and the addresses of their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.proto import cluster_pb2, tensorflow_server_pb2
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("train.ClusterSpec")
@tensorflow_home("python.training.server_lib")
class ClusterSpec:
    """The tasks of each job of a cluster.

    >>> cluster = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"], "ps": ["c:2222"]})
    >>> cluster.jobs, cluster.num_tasks("worker"), cluster.task_address("worker", 1)
    (['worker', 'ps'], 2, 'b:2222')

    Args: cluster: the addresses of each job's tasks, in a list or by number; a `ClusterDef` message; a `ClusterSpec`.
    Raises: TypeError: if it is something else.
    """

    def __init__(self, cluster: object) -> None:
        self._tasks: dict[str, dict[int, str]] = _tasks_of(cluster)

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    __hash__ = None  # type: ignore[assignment]  # equal by value, as in TensorFlow, which cannot hash it either

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{name!r}: {jobs[name]!r}' for name in sorted(jobs))}}})"

    def as_dict(self) -> dict[str, Any]:
        """Returns the addresses by job: in a list if the tasks are numbered without a gap, else by number."""
        found: dict[str, Any] = {}
        for job, tasks in self._tasks.items():
            is_dense = sorted(tasks) == list(range(len(tasks)))
            found[job] = [tasks[number] for number in sorted(tasks)] if is_dense else dict(tasks)
        return found

    def as_cluster_def(self) -> Any:
        """Returns the cluster as a `ClusterDef` message, the jobs in order of their names."""
        message = cluster_pb2.ClusterDef()
        for job in sorted(self._tasks):
            message.job.add(name=job, tasks=self._tasks[job])
        return message

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def _job(self, job_name: str) -> dict[int, str]:
        if job_name not in self._tasks:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._tasks[job_name]

    def num_tasks(self, job_name: str) -> int:
        """Counts the tasks of a job.

        Args: job_name: the job.
        Raises: ValueError: if there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Lists the numbers of the tasks of a job.

        Args: job_name: the job.
        Raises: ValueError: if there is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of a task.

        Args:
          job_name: the job.
          task_index: the number of the task.

        Raises: ValueError: if there is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Lists the addresses of a job's tasks, with None for a number that no task has.

        Args: job_name: the job.
        Raises: ValueError: if there is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]


def _tasks_of(cluster: object) -> dict[str, dict[int, str]]:
    """Returns the addresses by job and number.

    Raises: TypeError: if something else than a cluster is given.
    """
    if isinstance(cluster, ClusterSpec):
        return {job: dict(tasks) for job, tasks in cluster._tasks.items()}
    if isinstance(cluster, tensorflow_server_pb2.ServerDef):
        cluster = cluster.cluster
    if isinstance(cluster, cluster_pb2.ClusterDef):
        return {job.name: dict(sorted(job.tasks.items())) for job in cluster.job}
    if not isinstance(cluster, Mapping):
        raise TypeError(
            "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
            "`ClusterDef` protocol buffer"
        )
    return {job: _number_tasks(job, tasks) for job, tasks in cluster.items()}


def _number_tasks(job: str, tasks: object) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    return {int(number): _address(address) for number, address in tasks.items()}


def _address(address: object) -> str:
    if not isinstance(address, (str, bytes)):
        raise TypeError(f"Task address {address!r} must be bytes or unicode")
    return address if isinstance(address, str) else address.decode()
