"""`tf.summary.write` and what goes by it: one summary, at one step, to the writer in force.

In eager mode the op runs at once. In a graph the same call adds nodes with TensorFlow's names; a
condition that is known only when the graph runs becomes a branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from millrace._src.control_flow.smart_cond import smart_cond
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.core.tensor import Tensor
from millrace._src.graph.graph import Graph
from millrace._src.graph.scopes import control_dependencies, device
from millrace._src.ops import raw
from millrace._src.proto import graph_pb2
from millrace._src.summary import writer_ops
from millrace._src.summary.recording import constant_bool, eager_bool, get_step, recording, should_record_summaries
from millrace._src.util.export import export

COLLECTION = "_SUMMARY_V2"
"""The collection of a graph that holds its summaries."""
_CPU = "cpu:0"


@export("summary.write", v1=[])
def write(tag: object, tensor: object, step: object = None, metadata: object = None, name: str | None = None) -> Any:
    """Writes a tensor to the writer in force, if summaries are recorded.

    `tf.summary.scalar` and its neighbours are made of this function; programs that have a TensorBoard plugin of their
    own call it.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.write("weights", [1.0, 2.0], step=3).numpy()
    np.True_

    Args:
      tag: the name of the summary.
      tensor: the value, of any dtype and shape; or a function that makes the value, called only where the summary is
        recorded.
      step: the step, an int64 scalar; None for the step that `tf.summary.experimental.set_step` or a writer set.
      metadata: a `SummaryMetadata`, serialized or not, which says what plugin shows the value; None for none.
      name: name of the operation in a graph; "write_summary" for None.

    Returns: A scalar bool Tensor: whether the summary was written.
    Raises: ValueError: if there is no step, or the step is not a scalar; TypeError: if the step is not an integer.
    """
    serialized = b"" if metadata is None else metadata
    if isinstance(serialized, Message):
        serialized = serialized.SerializeToString()

    def record(writer: object, step: object, value: object, scope: str | None) -> Any:
        return writer_ops.write_summary(writer, step, value, tag, serialized, name=scope)

    return _record(record, tensor, step, name, "write_summary")


@export("summary.experimental.write_raw_pb", v1=[])
def write_raw_pb(tensor: TensorLike, step: TensorLike | None = None, name: str | None = None) -> Any:
    """Writes serialized summaries to the writer in force, if summaries are recorded.

    >>> import tempfile
    >>> value = tf.compat.v1.Summary.Value(tag="loss", simple_value=0.5)
    >>> summary = tf.compat.v1.Summary(value=[value]).SerializeToString()
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.experimental.write_raw_pb(summary, step=1).numpy()
    np.True_

    Args:
      tensor: serialized `tf.compat.v1.Summary` messages, a string Tensor.
      step: the step, as in `tf.summary.write`.
      name: name of the operation in a graph; "write_raw_pb" for None.

    Returns: A scalar bool Tensor: whether the summaries were written.
    Raises: ValueError: if there is no step; tf.errors.DataLossError: if a string is not a summary.
    """

    def record(writer: object, step: object, value: object, scope: str | None) -> Any:
        return writer_ops.write_raw_proto_summary(writer, step, value, name=scope)

    return _record(record, tensor, step, name, "write_raw_pb")


def _record(record: Callable[..., Any], tensor: Any, step: object, name: str | None, default_name: str) -> Any:
    """Records a summary, where summaries are recorded, by a function of writer, step, value and name."""
    if state.graph is None:
        if recording.writer is None or not (recording.condition is True or should_record_summaries()):
            return eager_bool(False)
        value = convert_to_tensor(tensor() if callable(tensor) else tensor)
        record(recording.writer._resource, _require_step(step), value, None)
        return eager_bool(True)
    with name_scope(name, default_name) as scope:
        if recording.writer is None:
            return constant_bool(False)

        def record_in_graph() -> Any:
            with device(_CPU):
                value = tensor() if callable(tensor) else raw.Identity(input=tensor)
                writer = convert_to_tensor(recording.writer._resource, name="writer")  # captured before the step
                operation = record(writer, _require_step(step), value, scope)
                with control_dependencies([operation]):
                    return constant_bool(True)

        done = smart_cond(should_record_summaries(), record_in_graph, lambda: constant_bool(False), "summary_cond")
        state.graph.add_to_collection(COLLECTION, done)
        return done


def _require_step(step: object) -> Any:
    """Returns the step of a summary: its own, or the one that was set.

    Raises: ValueError: if there is none, or it is not a scalar.
    """
    step = get_step() if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    if isinstance(step, Tensor) and step.shape.rank not in (0, None):
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {step.shape}.")
    return convert_to_tensor(step, int64) if isinstance(step, Tensor) else step


@export("summary.graph", v1=[])
def graph(graph_data: object) -> Any:
    """Writes a graph, which TensorBoard draws.

    >>> import tempfile
    >>> @tf.function
    ... def f(x):
    ...     return x * 2.0
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.graph(f.get_concrete_function(1.0).graph).numpy()
    np.True_

    Args: graph_data: a `tf.Graph`, or a `tf.compat.v1.GraphDef`.
    Returns: A scalar bool Tensor: whether the graph was written.
    Raises: ValueError: if `graph_data` is something else, or a graph is being built.
    """
    if state.graph is not None:
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if not should_record_summaries():
        return eager_bool(False)
    if isinstance(graph_data, Graph):
        graph_data = graph_data.as_graph_def(add_shapes=True)
    if not isinstance(graph_data, graph_pb2.GraphDef):
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    writer_ops.write_graph_summary(recording.writer._resource, 0, graph_data.SerializeToString())
    return eager_bool(True)
