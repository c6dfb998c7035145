"""`tf.compat.v1.Session` and `InteractiveSession`: sessions and the scopes in which they are the default session."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from typing import Any

from millrace._src.compat_v1.session.base_session import BaseSession, open_sessions, target_bytes
from millrace._src.compat_v1.session.running import cancelled_error
from millrace._src.compat_v1.session.session_options import stays_on_host
from millrace._src.core.default_session import default_session
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["get_default_session"])
def get_default_session() -> Any:
    """Returns the default session of this thread: the innermost `with session:` or `with session.as_default():`.

    >>> print(tf.compat.v1.get_default_session())
    None

    Returns: The session, or None.
    """
    return default_session()


@export(v1=["Session"])
@tensorflow_home("python.client.session")
class Session(BaseSession):
    """Runs the operations of a graph, and holds the values of its variables.

    >>> with tf.Graph().as_default():
    ...     c = tf.constant(5.0) * tf.constant(6.0)
    ...     with tf.compat.v1.Session() as sess:
    ...         print(sess.run(c), c.eval())
    30.0 30.0

    Within `with session:` the session is the default session and its graph the default graph; at the end of the scope
    the session is closed.

    Args:
      target: "" or "local": sessions run in this process.
      graph: the graph; the default graph if None.
      config: a `ConfigProto`. `graph_options.optimizer_options.global_jit_level` OFF keeps XLA away. The other fields
        say how TensorFlow's runtime works inside, and change no result.

    Raises:
      TypeError: if an argument is of another kind.
      tf.errors.NotFoundError: for another target.
      tf.errors.UnimplementedError: for a server (`grpc://`).
    """

    def __init__(self, target: object = "", graph: object = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        self._scopes: list[contextlib.ExitStack] = []

    def __enter__(self) -> Session:
        scope = contextlib.ExitStack()
        scope.enter_context(self._graph.as_default())
        scope.enter_context(self.as_default())
        self._scopes.append(scope)
        return self

    def __exit__(self, *exc: object) -> None:
        self._scopes.pop().close()
        self.close()

    @staticmethod
    def reset(target: object, containers: Any = None, config: object = None) -> None:
        """Ends all sessions of this process, and drops what they hold.

        Args:
          target: "" or "local".
          containers: the names of the containers whose objects are dropped, all if None.
          config: a `ConfigProto`.

        Raises: tf.errors.UnimplementedError: for a server.
        """
        target_bytes(target)
        stays_on_host(config)
        for session in list(open_sessions):
            session._resources.forget(list(containers or ()))
            session._cancellation.cancel(cancelled_error())


@export(v1=["InteractiveSession"])
@tensorflow_home("python.client.session")
class InteractiveSession(BaseSession):
    """A session that is the default session from when it is made until it is closed, as shells and notebooks need.

    >>> graph = tf.Graph()
    >>> sess = tf.compat.v1.InteractiveSession(graph=graph)
    >>> (tf.constant(5.0) * tf.constant(6.0)).eval()
    np.float32(30.0)
    >>> sess.close()

    Args:
      target: "" or "local".
      graph: the graph, which becomes the default graph; the default graph if None.
      config: a `ConfigProto`.
    """

    _active: weakref.WeakSet[InteractiveSession] = weakref.WeakSet()

    def __init__(self, target: object = "", graph: Any = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        if self._active:
            warnings.warn(
                "An interactive session is already active. This can cause out-of-memory errors or some other "
                "unexpected errors (due to the unpredictable timing of garbage collection) in some cases. You must "
                "explicitly call `InteractiveSession.close()` to release resources held by the other session(s). "
                "Please use `tf.Session()` if you intend to productionize.",
                stacklevel=2,
            )
        self._active.add(self)
        self._scope = contextlib.ExitStack()
        if graph is not None:
            self._scope.enter_context(graph.as_default())
        self._scope.enter_context(self.as_default())

    def close(self) -> None:
        """Closes the session, which no longer is the default session."""
        if not self._is_closed:
            super().close()
            self._active.discard(self)
            self._scope.close()
