"""`tf.distribute.Server`: the task of a cluster that this process is.

Millrace has no servers: sessions run in their own process. A cluster of a single task is that process, so programs
that make a server for themselves run. A cluster of several tasks is refused.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.distribute.cluster_spec import ClusterSpec
from millrace._src.proto import tensorflow_server_pb2
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("distribute.Server", v1=["distribute.Server", "train.Server"])
@tensorflow_home("python.training.server_lib")
class Server:
    """The only task of a cluster, in this process.

    >>> server = tf.compat.v1.train.Server.create_local_server()
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1)
    ...     with tf.compat.v1.Session(server.target) as session:
    ...         session.run(x)
    np.int32(1)

    Args:
      server_or_cluster_def: a `ServerDef` or `ClusterDef` message, a `tf.train.ClusterSpec`, or a dict.
      job_name: the job of the task; only one job may go without.
      task_index: the number of the task; only one task may go without.
      protocol: accepted for compatibility: no client connects.
      config: a `ConfigProto`, the default of sessions.
      start: accepted for compatibility: there is nothing to start.

    Raises:
      TypeError: if the cluster is something else.
      ValueError: if it is not said which task is meant.
      tf.errors.UnimplementedError: if the cluster has several tasks.
    """

    def __init__(
        self,
        server_or_cluster_def: object,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: object = None,
        start: bool = True,
    ) -> None:
        del start
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        cluster = ClusterSpec(self._server_def.cluster)
        if sum(map(cluster.num_tasks, cluster.jobs)) > 1:
            raise errors.UnimplementedError(
                None,
                None,
                f"Millrace runs sessions in this process alone; a server of {cluster!r} would have to reach other "
                "processes. Use a cluster of one task, or tf.distribute strategies.",
            )

    @property
    def server_def(self) -> Any:
        """The `ServerDef` message."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target for sessions: "local", where TensorFlow's would be an address."""
        return "local"

    def start(self) -> None:
        """Does nothing: sessions run in this process."""

    def join(self) -> None:
        """Refuses to wait for ever, as a task that serves others does.

        Raises: tf.errors.UnimplementedError: always.
        """
        raise errors.UnimplementedError(
            None, None, "A server of Millrace serves no other process: Server.join() would wait for ever."
        )

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Makes the server of a cluster of one task.

        Args:
          config: a `ConfigProto`.
          start: accepted for compatibility.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def _server_def(given: Any, job_name: str | None, task_index: int | None, protocol: str | None, config: Any) -> Any:
    """Returns the `ServerDef` message of a server.

    Raises:
      TypeError: if the cluster is something else.
      ValueError: if it is not said which task is meant.
    """
    message = tensorflow_server_pb2.ServerDef()
    if isinstance(given, tensorflow_server_pb2.ServerDef):
        message.CopyFrom(given)
    else:
        try:
            message.cluster.CopyFrom(ClusterSpec(given).as_cluster_def())
        except TypeError:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`."
            ) from None
    cluster = ClusterSpec(message.cluster)
    if job_name is not None:
        message.job_name = job_name
    elif not message.job_name:
        if len(cluster.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        message.job_name = cluster.jobs[0]
    if task_index is not None:
        message.task_index = task_index
    elif not isinstance(given, tensorflow_server_pb2.ServerDef):
        if cluster.num_tasks(message.job_name) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        message.task_index = cluster.task_indices(message.job_name)[0]
    message.protocol = protocol or message.protocol or "grpc"
    if config is not None:
        message.default_session_config.MergeFrom(config)
    return message
