"""The global step: an integer variable of a graph that counts the updates of a training."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.get_variable import get_variable
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.initializers import Zeros
from millrace._src.core import context
from millrace._src.core.dtypes import int64
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.graph.graph import Graph
from millrace._src.state.variable import Variable
from millrace._src.state.variable_traits import VariableAggregation
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_NAME = "global_step"


@export(v1=["train.global_step"])
def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns the value of a global step in a session.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.compat.v1.train.create_global_step()
    ...     session.run(step.initializer)
    ...     tf.compat.v1.train.global_step(session, step)
    0

    Args:
      sess: The session; in eager mode nothing depends on it.
      global_step_tensor: The variable or tensor.
    """
    if context.executing_eagerly():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


@export(v1=["train.get_global_step"])
def get_global_step(graph: Graph | None = None) -> Any:
    """Returns the global step of a graph, or None.

    Args: graph: The graph; default the default graph.
    Returns: The one item of the collection `GraphKeys.GLOBAL_STEP`, or else the tensor "global_step:0".
    Raises: TypeError: if that is not an integer.
    """
    graph = graph or get_default_graph()
    steps = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(steps) > 1:
        get_logger().error("Multiple tensors in global_step collection.")
        return None
    step = steps[0] if steps else _tensor_by_name(graph)
    if step is not None:
        assert_global_step(step)
    return step


def _tensor_by_name(graph: Graph) -> Any:
    try:
        return graph.get_tensor_by_name(f"{_NAME}:0")
    except KeyError:
        return None


@export(v1=["train.create_global_step"])
def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the global step of a graph, which begins with 0.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.create_global_step()
    <tf.Variable 'global_step:0' shape=() dtype=int64>

    Args: graph: The graph; default the default graph.
    Raises: ValueError: if the graph has a global step.
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    if context.executing_eagerly():
        step = _new_step()
        get_default_graph().add_to_collections([GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP], step)
        return step
    with graph.as_default(), context.name_scope(None):
        return _new_step()


def _new_step() -> Any:
    return get_variable(
        _NAME,
        [],
        int64,
        Zeros(),
        trainable=False,
        aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
    )


@export(v1=["train.get_or_create_global_step"])
def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """Returns the global step of a graph, which is made where there is none.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     tf.compat.v1.train.get_or_create_global_step() is step
    True

    Args: graph: The graph; default the default graph.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export(v1=["train.assert_global_step"])
def assert_global_step(global_step_tensor: object) -> None:
    """Checks that something can be a global step: a scalar integer.

    Args: global_step_tensor: A variable or tensor.
    Raises: TypeError: if it is something else.
    """
    if not (is_variable(global_step_tensor) or isinstance(global_step_tensor, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape = global_step_tensor.shape
    if shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


_READ_KEY = "global_step_read_op_cache"
"""The collection that holds the tensor of the step's value; the name is TensorFlow's."""


def global_step_read(graph: Graph | None = None) -> Any:
    """Returns the tensor of the global step's value at the beginning of a run, for hooks; None without a global step.

    Args: graph: The graph; default the default graph.
    """
    graph = graph or get_default_graph()
    held = graph.get_collection(_READ_KEY)
    if len(held) > 1:
        raise RuntimeError(f"There are multiple items in collection {_READ_KEY}. There should be only one.")
    if held:
        return held[0]
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default(), context.name_scope(None), context.name_scope(f"{step.op.name}/"):
        value = step.read_value() if isinstance(step, Variable) else step
        read = value + 0
    graph.add_to_collection(_READ_KEY, read)
    return read


def get_or_create_global_step_read(graph: Graph | None = None) -> Any:
    """Returns the tensor of the global step's value, and makes the global step where there is none.

    Args: graph: The graph; default the default graph.
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is None:
        create_global_step(graph)
    return global_step_read(graph)


def increment_global_step(increment: int, graph: Graph | None = None) -> Any:
    """Returns an operation that adds to the global step, once its value was read.

    Args:
      increment: What is added.
      graph: The graph; default the default graph.

    Raises: ValueError: if there is no global step.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before calling increment."
        )
    read = get_or_create_global_step_read(graph)
    with graph.as_default(), context.name_scope(None), context.name_scope(f"{step.op.name}/"):
        with graph.control_dependencies([read]):
            return step.assign_add(increment)
