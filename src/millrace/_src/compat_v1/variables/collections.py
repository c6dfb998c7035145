"""Collections of the default graph: lists of variables, losses and the like, by name.

In eager mode the default graph is the one at top level, so that programs which note things in collections work there
too; eager variables are in no collection.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.util.export import export


@export(v1=["add_to_collection"])
def add_to_collection(name: str, value: object) -> None:
    """Adds a value to a collection of the default graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("losses", 3)
    ...     tf.compat.v1.get_collection("losses")
    [3]

    Args:
      name: The collection's name; see `tf.compat.v1.GraphKeys`.
      value: Any object; one that is there already is added again.
    """
    get_default_graph().add_to_collection(name, value)


@export(v1=["add_to_collections"])
def add_to_collections(names: str | Iterable[str], value: Any) -> None:
    """Adds a value to several collections of the default graph, to each of them once.

    Args:
      names: The collections' names, or one name.
      value: Any object.
    """
    get_default_graph().add_to_collections(names, value)


@export(v1=["get_collection"])
def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Returns a copy of a collection of the default graph.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="layer/v")
    ...     w = tf.Variable(1.0, name="other/w")
    ...     [variable.name for variable in tf.compat.v1.get_collection("variables", scope="layer")]
    ['layer/v:0']

    Args:
      key: The collection's name.
      scope: A regular expression that names of items must match at their beginning; items without a name are left
        out then. None for all items.
    """
    return list(get_default_graph().get_collection(key, scope))


@export(v1=["get_collection_ref"])
def get_collection_ref(key: str) -> list[Any]:
    """Returns the list behind a collection of the default graph; to change the list is to change the collection.

    Args: key: The collection's name.
    """
    items: list[Any] = get_default_graph().get_collection_ref(key)
    return items


@export(v1=["global_variables"])
def global_variables(scope: str | None = None) -> list[Any]:
    """Lists the variables of the default graph that are shared by all processes; variables are global by default.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     tf.compat.v1.global_variables()
    [<tf.Variable 'v:0' shape=(2,) dtype=float32>]

    Args: scope: As in `tf.compat.v1.get_collection`.
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@export(v1=["all_variables"])
def all_variables() -> list[Any]:
    """Lists the global variables; the older name of `tf.compat.v1.global_variables`."""
    return global_variables()


@export(v1=["local_variables"])
def local_variables(scope: str | None = None) -> list[Any]:
    """Lists the variables of the default graph that belong to one process and are not saved, such as counters.

    Args: scope: As in `tf.compat.v1.get_collection`.
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@export(v1=["model_variables"])
def model_variables(scope: str | None = None) -> list[Any]:
    """Lists the variables that programs noted as those of the model, in `GraphKeys.MODEL_VARIABLES`.

    Args: scope: As in `tf.compat.v1.get_collection`.
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


@export(v1=["trainable_variables"])
def trainable_variables(scope: str | None = None) -> list[Any]:
    """Lists the variables of the default graph that optimizers change.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     steps = tf.Variable(0, name="steps", trainable=False)
    ...     [variable.name for variable in tf.compat.v1.trainable_variables()]
    ['v:0']

    Args: scope: As in `tf.compat.v1.get_collection`.
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@export(v1=["moving_average_variables"])
def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Lists the variables of the default graph of which moving averages are kept.

    Args: scope: As in `tf.compat.v1.get_collection`.
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
