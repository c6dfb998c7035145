"""Collections of a graph in a `MetaGraphDef`.

A collection is written by what its items are: tensors and operations by their names, numbers and texts as they are,
variables and queue runners as messages. Who has items that are messages registers how they are written and read.

Tests: tests/compat_v1/saved_model/test_meta_graphs.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from google.protobuf import any_pb2

from millrace._src.compat_v1.train.queue_runner import QueueRunner
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.proto import queue_runner_pb2, variable_pb2
from millrace._src.state.variable import Variable
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


class Codec(NamedTuple):
    """How the items of a collection are written and read.

    Attributes:
      message: the class of the messages.
      write: from an item, with the argument `export_scope`, to its message, or None to leave the item out.
      read: from a message, with the argument `import_scope`, to an item.
    """

    message: Any
    write: Callable[..., Any]
    read: Callable[..., Any]


def _variable_def(variable: Any, export_scope: str | None = None) -> Any:
    return variable.to_proto(export_scope)


_VARIABLES = Codec(variable_pb2.VariableDef, _variable_def, Variable.from_proto)
_QUEUE_RUNNERS = Codec(queue_runner_pb2.QueueRunnerDef, QueueRunner.to_proto, QueueRunner.from_proto)
_codecs: dict[str, Codec] = {GraphKeys.QUEUE_RUNNERS: _QUEUE_RUNNERS} | dict.fromkeys(
    (
        GraphKeys.GLOBAL_VARIABLES,
        GraphKeys.LOCAL_VARIABLES,
        GraphKeys.METRIC_VARIABLES,
        GraphKeys.MODEL_VARIABLES,
        GraphKeys.MOVING_AVERAGE_VARIABLES,
        GraphKeys.TRAINABLE_VARIABLES,
        GraphKeys.GLOBAL_STEP,
    ),
    _VARIABLES,
)


@export("__internal__.register_proto_function")
def register_proto_function(
    collection_name: str, proto_type: Any = None, to_proto: Any = None, from_proto: Any = None
) -> None:
    """Says how the items of a collection are written to a `MetaGraphDef` and read.

    Args:
      collection_name: the collection.
      proto_type: the class of the messages.
      to_proto: from an item (and `export_scope`) to its message; None to leave the item out.
      from_proto: from a message (and `import_scope`) to the item.
    """
    _codecs[collection_name] = Codec(proto_type, to_proto, from_proto)


def write_collection(meta_graph: Any, name: str, items: Iterable[Any], scope: str | None) -> None:
    """Writes a collection into a message; what cannot be written is left out, with a warning.

    Args:
      meta_graph: the `MetaGraphDef`.
      name: the collection.
      items: its items.
      scope: the name scope that is written; items outside of it are left out, and names are cut.
    """
    values = list(items)
    if not values:
        return
    target = type(meta_graph)().collection_def[name]
    codec = _codecs.get(name)
    try:
        if codec is not None:
            messages = [codec.write(item, export_scope=scope) for item in values]
            target.bytes_list.value.extend(m.SerializeToString() for m in messages if m is not None)
        elif all(isinstance(item, (str, bytes)) for item in values):
            texts = (item if isinstance(item, str) else item.decode() for item in values)
            target.bytes_list.value.extend(without_scope(t, scope).encode() for t in texts if is_in_scope(t, scope))
        elif all(isinstance(item, int) for item in values):
            target.int64_list.value.extend(values)
        elif all(isinstance(item, any_pb2.Any) for item in values):
            target.any_list.value.extend(values)
        elif all(isinstance(item, float) for item in values):
            target.float_list.value.extend(values)
        else:
            names = (_name_of(item) for item in values)
            target.node_list.value.extend(without_scope(n, scope) for n in names if is_in_scope(n, scope))
    except (TypeError, ValueError, AttributeError) as error:
        get_logger().warning(
            "Collection %r is left out of the MetaGraphDef: its items have no form in a file (%s).", name, error
        )
        return
    if len(getattr(target, target.WhichOneof("kind") or "node_list").value):
        meta_graph.collection_def[name].CopyFrom(target)


def read_collection(graph: Graph, name: str, message: Any, scope: str | None, known: dict[Any, Any]) -> None:
    """Adds the items of a collection in a message to a graph.

    Args:
      graph: the graph, which has the nodes already.
      name: the collection.
      message: the `CollectionDef`.
      scope: the name scope under which the nodes were imported.
      known: the items that were read before from messages, which may be in several collections; it grows.
    """
    if name in (GraphKeys.COND_CONTEXT, GraphKeys.WHILE_CONTEXT):
        return  # they describe the nodes of old branches and loops, of which operations have been made
    kind = message.WhichOneof("kind")
    codec = _codecs.get(name)
    if kind is None:
        get_logger().error("Cannot identify data type for collection %s. Skipping.", name)
        return
    values = getattr(message, kind).value
    if codec is not None and kind == "bytes_list":
        for value in values:
            if (codec.message, value) not in known:
                known[codec.message, value] = codec.read(codec.message.FromString(value), import_scope=scope)
            graph.add_to_collection(name, known[codec.message, value])
    elif kind == "node_list":
        for value in values:
            graph.add_to_collection(name, graph.as_graph_element(with_scope(value, scope)))
    elif kind == "int64_list":
        for value in values:
            graph.add_to_collection(name, int(value))
    else:
        for value in values:  # texts are taken for names
            is_name = scope and isinstance(value, bytes)
            graph.add_to_collection(name, with_scope(value.decode(), scope) if is_name else value)


def _name_of(item: object) -> str:
    if not isinstance(item, (SymbolicTensor, Operation)):
        raise TypeError(f"a {type(item).__name__} among them")
    return item.name


# --- names within a scope -------------------------------------------------------------------------------------------


def is_in_scope(name: str, scope: str | None) -> bool:
    """Returns whether a name belongs to a name scope; every name does where there is none."""
    return not scope or name.startswith(f"{scope.rstrip('/')}/")


def without_scope(name: str, scope: str | None) -> str:
    """Returns a name as it is within a scope."""
    return name.removeprefix(f"{scope.rstrip('/')}/") if scope else name


def with_scope(name: str, scope: str | None) -> str:
    """Returns the name of something within a scope."""
    return f"{scope.rstrip('/')}/{name}" if scope else name
