"""`tf.compat.v1.train.Scaffold`: what a session needs to begin, found in the graph or made when it is finished.

Tests: tests/compat_v1/train/test_monitored_session.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.lookup import tables_initializer
from millrace._src.compat_v1.summary.merging import merge_all
from millrace._src.compat_v1.train.saver import Saver
from millrace._src.compat_v1.variables.collections import global_variables
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.ops.array.concat import concat
from millrace._src.ops.grouping import group, no_op
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.Scaffold"])
@tensorflow_home("python.training.monitored_session")
class Scaffold:
    """The operations that begin a session: initializers, checks of readiness, summaries, a saver.

    What is not given is looked for in the collections of the graph, and made if it is not there either, when
    `finalize` is called; monitored sessions do so.

    >>> with tf.Graph().as_default() as graph:
    ...     v = tf.Variable(1.0)
    ...     scaffold = tf.compat.v1.train.Scaffold(init_fn=lambda scaffold, session: session.run(v.assign(2.0)))
    ...     _ = scaffold.finalize()
    >>> graph.finalized, scaffold.saver is not None
    (True, True)

    Args:
      init_op: the operation that initializes the variables.
      init_feed_dict: what is fed to `init_op`.
      init_fn: a function of the scaffold and the session that is called after `init_op`.
      ready_op: a vector of the names of what is missing.
      ready_for_local_init_op: a vector of the names of what is missing for `local_init_op`.
      local_init_op: the operation that initializes what is not in checkpoints.
      summary_op: the merged summaries, a scalar of string.
      saver: the `Saver`.
      copy_from_scaffold: a scaffold that has what is not given here.
      local_init_feed_dict: what is fed to `local_init_op`.

    Raises: TypeError: if `copy_from_scaffold` is not a scaffold.
    """

    def __init__(
        self,
        init_op: object = None,
        init_feed_dict: object = None,
        init_fn: Callable[[Any, Any], None] | None = None,
        ready_op: object = None,
        ready_for_local_init_op: object = None,
        local_init_op: object = None,
        summary_op: object = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: object = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        other = copy_from_scaffold

        def chosen(value: object, of_other: object) -> Any:
            return of_other if value is None and other is not None else value

        self._init_op = chosen(init_op, other and other.init_op)
        self._init_feed_dict = chosen(init_feed_dict, other and other.init_feed_dict)
        # The function of another scaffold knows that scaffold already.
        self._user_init_fn = init_fn
        own_init_fn = None if init_fn is None else self._call_init_fn
        self._init_fn: Callable[[Any], None] | None = chosen(own_init_fn, other and other.init_fn)
        self._ready_op = chosen(ready_op, other and other.ready_op)
        self._ready_for_local_init_op = chosen(ready_for_local_init_op, other and other.ready_for_local_init_op)
        self._local_init_op = chosen(local_init_op, other and other.local_init_op)
        self._local_init_feed_dict = chosen(local_init_feed_dict, other and other.local_init_feed_dict)
        self._summary_op = chosen(summary_op, other and other.summary_op)
        self._saver: Any = chosen(saver, other and other.saver)

    def _call_init_fn(self, session: object) -> None:
        if self._user_init_fn is not None:
            self._user_init_fn(self, session)

    def finalize(self) -> Scaffold:
        """Makes what is missing, and finishes the graph; returns the scaffold."""
        key, get = GraphKeys, Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = get("init_op", key.INIT_OP, _default_init_op)
        if self._ready_op is None:
            self._ready_op = get("ready_op", key.READY_OP, lambda: _names_of_missing(None))
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = get(
                "ready_for_local_init_op",
                key.READY_FOR_LOCAL_INIT_OP,
                lambda: _names_of_missing(global_variables()),
            )
        if self._local_init_op is None:
            self._local_init_op = get("local_init_op", key.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = get("summary_op", key.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = get("saver", key.SAVERS, lambda: Saver(sharded=True, allow_empty=True))
        self._saver.build()
        get_default_graph().finalize()
        return self

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def init_fn(self) -> Any:
        """A function of the session that is called after `init_op`, or None."""
        return self._init_fn

    @property
    def init_op(self) -> Any:
        """The operation that initializes the variables."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """A vector of the names of what is missing."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """A vector of the names of what is missing for `local_init_op`."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The operation that initializes what is not in checkpoints."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """What is fed to `local_init_op`."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """The merged summaries, or None."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The saver."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to `init_op`."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """Returns the item of a collection of the default graph; it is made if there is none.

        Args:
          arg_name: the argument of `Scaffold` that would say which item is meant.
          collection_key: the collection's name.
          default_constructor: makes the item.

        Raises: RuntimeError: if there are several items.
        """
        graph = get_default_graph()
        elements = graph.get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None:
            graph.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Returns the operation that initializes local variables and tables."""
        return group(local_variables_initializer(), tables_initializer(), no_op(name="init"))


def _default_init_op() -> Any:
    return group(global_variables_initializer(), no_op(name="init"))


def _names_of_missing(variables: Any) -> Any:
    """Returns the names of the variables without a value, in the form that TensorFlow's graphs have."""
    missing_variables = report_uninitialized_variables(variables)
    with name_scope("report_uninitialized_resources"):
        missing_resources = convert_to_tensor([], dtype=string, name="Const")
    return concat([missing_variables, missing_resources], 0)
