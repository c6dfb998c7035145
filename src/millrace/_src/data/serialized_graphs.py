"""Datasets as serialized graphs: `GraphDef`s of dataset ops, which other processes can run.

A node keeps the op call that made it. The graph of a dataset is those calls again, from the sources upwards, with the
values of their other inputs as constants. The graph's last node, `dataset` of op `_Retval`, names the result, as in
TensorFlow's serialized datasets.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import from_np, string, variant
from millrace._src.core.handle_types import NotedCall, Referent
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.tensor import EagerTensor
from millrace._src.data.dataset_base import DatasetBase, new_dataset
from millrace._src.data.nodes import DatasetNode, node_of
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_def import find_guarded_operation
from millrace._src.graph.graph import Graph
from millrace._src.graph.import_graph_def import import_under
from millrace._src.graph.message_bytes import read_message
from millrace._src.graph.op_policy import TRUSTING, OpPolicy
from millrace._src.ops.shape_rules import scalar
from millrace._src.proto import graph_pb2
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_RESULT = "dataset"


def serialize_graph(node: DatasetNode, policy: ExternalStatePolicy = ExternalStatePolicy.WARN) -> bytes:
    """Returns the serialized `GraphDef` of a dataset.

    Raises: tf.errors.FailedPreconditionError: if a function has effects, and the policy refuses these; if the dataset
      depends on an object, such as a variable, that no graph can hold; if an op comes from a file and is guarded.
    """
    graph, output = _graph_of(node, policy)
    guarded = find_guarded_operation(graph.get_operations())
    if guarded is not None:
        raise _not_serializable(f"its op '{guarded.type}' comes from a file, and no graph can say what it may not do.")
    serialized: bytes = _message_of(graph, output).SerializeToString(deterministic=True)
    return serialized


def _graph_of(node: DatasetNode, policy: ExternalStatePolicy) -> tuple[Graph, Any]:
    """Returns a graph of the op calls that make a dataset, and the tensor of the dataset."""
    graph = Graph()
    return graph, _GraphWriter(graph, policy).tensor_of(node)


def _message_of(graph: Graph, output: Any) -> graph_pb2.GraphDef:
    """Returns the `GraphDef` of a graph, with a node that names the result."""
    message: graph_pb2.GraphDef = graph.as_graph_def()
    result = message.node.add(name=_RESULT, op="_Retval", input=[output.op.name])
    result.attr["T"].type = output.dtype.as_datatype_enum
    result.attr["index"].i = 0
    return message


def dataset_in_graph(node: DatasetNode, graph: Graph) -> Any:
    """Adds a dataset that was made in eager mode to a graph; returns its variant tensor there.

    Raises: tf.errors.FailedPreconditionError: if the dataset depends on an object that no graph can hold, such as a
      variable.
    """
    return _GraphWriter(graph, ExternalStatePolicy.IGNORE).tensor_of(node)


class _GraphWriter:
    """Adds the op calls of nodes to a graph, each node once."""

    def __init__(self, graph: Graph, policy: ExternalStatePolicy) -> None:
        self.graph = graph
        self.policy = policy
        self.tensors: dict[int, Any] = {}

    def tensor_of(self, referent: object) -> Any:
        """Returns the tensor of the graph that represents a dataset, or another object that knows its op call."""
        tensor = self.tensors.get(id(referent))
        if tensor is None:
            call = referent.call if isinstance(referent, Referent) else None
            if call is None:
                raise _not_serializable(f"it depends on {referent!r}, which no graph can hold.")
            self._check_effects(call)
            inputs = [self._input(array) for array in call.arrays]
            name = f"{call.op.name}/_{len(self.graph.get_operations())}"
            operation = self.graph.add_operation(call.op, inputs, call.attrs, name)
            tensor = self.tensors[id(referent)] = operation.outputs[0]
        return tensor

    def _input(self, array: Array) -> Any:
        if array.dtype == object and array.ndim == 0 and not isinstance(array[()], bytes):
            return self.tensor_of(array[()])
        dtype = string if array.dtype == object else from_np(array.dtype)
        return self.graph.constant(array, dtype, f"Const/_{len(self.graph.get_operations())}")

    def _check_effects(self, call: NotedCall) -> None:
        """Treats functions with effects as the policy says."""
        functions = [value for value in call.attrs.values() if isinstance(value, GraphFunction)]
        stateful = [f"{f.name} has effects" for f in functions if f.effects not in (Effects.NONE, Effects.RANDOM)]
        if not stateful or self.policy is ExternalStatePolicy.IGNORE:
            return
        if self.policy is ExternalStatePolicy.FAIL:
            raise _not_serializable(f"{stateful[0]}.")
        get_logger().warning("The graph of a dataset is written although %s.", stateful[0])


def _not_serializable(reason: str) -> Exception:
    return errors.FailedPreconditionError(None, None, f"Failed to serialize the input pipeline graph: {reason}")


def dataset_of_graph(serialized: bytes, policy: OpPolicy = TRUSTING) -> EagerTensor:
    """Returns the handle of the dataset that a serialized `GraphDef` makes, whose ops are held to a policy.

    Raises:
      tf.errors.InvalidArgumentError: if the graph names no result, or its nodes do not fit.
      tf.errors.DataLossError: if the bytes are not a graph.
    """
    message = read_message(graph_pb2.GraphDef, serialized, "The graph of a dataset")
    results = [node for node in message.node if node.op == "_Retval"]
    if not results:
        raise errors.InvalidArgumentError(None, None, "Failed to find a _Retval op in the given dataset")
    source = results[0].input[0] if results[0].input else ""
    message.node.remove(results[0])
    graph = FuncGraph("dataset_of_graph")
    with graph.as_default():
        name = source if ":" in source else f"{source}:0"
        try:
            graph.outputs = import_under(policy, message, return_elements=[name], name="")
        except ValueError as error:
            raise errors.InvalidArgumentError(None, None, f"The graph of a dataset cannot be read: {error}") from None
    if graph.outputs[0].dtype is not variant:
        raise errors.InvalidArgumentError(None, None, f"The result '{name}' of the graph is not a dataset.")
    handle: EagerTensor = GraphFunction(graph, graph.name, on_host=True)([])[0]
    return handle


def fingerprint_of(node: DatasetNode) -> int:
    """Returns a number of 64 bits that is equal for datasets made by equal calls, also in other processes."""
    message = _message_of(*_graph_of(node, ExternalStatePolicy.IGNORE))
    _number_functions(message)
    text = message.SerializeToString(deterministic=True)
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _number_functions(message: graph_pb2.GraphDef) -> None:
    """Replaces the names of functions, which hold counters, by their indices in the library."""
    functions = message.library.function
    names = {function.signature.name: f"function_{index}" for index, function in enumerate(functions)}
    for function in functions:
        function.signature.name = names[function.signature.name]
    for nodes in (message.node, *(function.node_def for function in functions)):
        for node in nodes:
            node.op = names.get(node.op, node.op)
            for value in node.attr.values():
                for named in (value.func, *value.list.func):
                    if named.name in names:
                        named.name = names[named.name]


# --- ops ---------------------------------------------------------------------------------------------------------

_READING: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "not_differentiable": "a dataset is not a number",
    "not_batched": "a dataset is a scalar",
}


@op("DatasetToGraphV2", "input_dataset: variant -> graph: string", **_READING)
def dataset_to_graph_v2(
    xp: Xp, input_dataset: Array, *, external_state_policy: int = 0, strip_device_assignment: bool = False
) -> bytes:
    """Returns the serialized graph of a dataset."""
    return serialize_graph(node_of(input_dataset), ExternalStatePolicy(external_state_policy))


@op("DatasetToGraph", "input_dataset: variant -> graph: string", **_READING)
def dataset_to_graph(
    xp: Xp,
    input_dataset: Array,
    *,
    stateful_whitelist: list[str] = (),  # type: ignore[assignment]  # an attribute's default is never changed
    allow_stateful: bool = False,
    strip_device_assignment: bool = False,
) -> bytes:
    """Returns the serialized graph of a dataset; refuses functions with effects unless these are allowed."""
    policy = ExternalStatePolicy.IGNORE if allow_stateful else ExternalStatePolicy.FAIL
    return serialize_graph(node_of(input_dataset), policy)


@op(
    "DatasetFromGraph",
    "graph_def: string -> handle: variant",
    full_type="DATASET[ANY]",
    capabilities=Capability.EVERYTHING,  # what the ops of the graph reach, which run as if the program had made them
    **{**_READING, "cacheable": False, "handles": lambda c: None},
)
def dataset_from_graph(xp: Xp, graph_def: Array) -> Any:
    """Makes the dataset of a serialized graph."""
    return node_of(dataset_of_graph(graph_def[()])._eager_array)


@op("DatasetFingerprint", "input_dataset: variant -> fingerprint: uint64", **_READING)
def dataset_fingerprint(xp: Xp, input_dataset: Array) -> Array:
    """Returns a number that is equal for datasets made by equal calls."""
    return xp.asarray(fingerprint_of(node_of(input_dataset)), dtype=np.uint64)


# --- public functions --------------------------------------------------------------------------------------------


def as_serialized_graph(
    self: DatasetBase,
    allow_stateful: bool | None = None,
    strip_device_assignment: bool | None = None,
    external_state_policy: ExternalStatePolicy = ExternalStatePolicy.WARN,
) -> Any:
    """Returns the serialized `GraphDef` of the dataset, a scalar Tensor of string.

    >>> graph = tf.data.Dataset.range(3)._as_serialized_graph()
    >>> [node.op for node in tf.compat.v1.GraphDef.FromString(graph.numpy()).node]
    ['Const', 'Const', 'Const', 'RangeDataset', '_Retval']

    Args:
      allow_stateful: whether functions with effects are let pass; None leaves that to the policy.
      strip_device_assignment: accepted for compatibility: nodes of datasets have no devices.
      external_state_policy: what to do with functions with effects.
    """
    if allow_stateful is not None:
        return dataset_to_graph(self._variant_tensor, allow_stateful=allow_stateful)
    return dataset_to_graph_v2(self._variant_tensor, external_state_policy=external_state_policy.value)


def fingerprint(self: DatasetBase) -> Any:
    """Returns a scalar of uint64 that is equal for datasets made by equal calls, also in other processes.

    >>> bool(tf.data.Dataset.range(3).fingerprint() == tf.data.Dataset.range(3).fingerprint())
    True

    The numbers are not TensorFlow's.
    """
    return dataset_fingerprint(self._variant_tensor)


@export("data.experimental.to_variant")
def to_variant(dataset: DatasetBase) -> Any:
    """Returns the variant tensor of a dataset.

    >>> tf.data.experimental.to_variant(tf.data.Dataset.range(3)).dtype
    tf.variant
    """
    return dataset._variant_tensor


@export("data.experimental.from_variant")
def from_variant(variant: TensorLike, structure: object) -> Any:
    """Makes the dataset of a variant tensor.

    >>> variant = tf.data.experimental.to_variant(tf.data.Dataset.range(2))
    >>> list(tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64)).as_numpy_iterator())
    [np.int64(0), np.int64(1)]

    Args:
      variant: a scalar of dtype variant.
      structure: the nest of specs of an element.

    Returns: A Dataset.
    """
    return new_dataset("_VariantDataset", variant, structure)


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """Returns the nest of specs of the elements of a dataset or iterator.

    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
    TensorSpec(shape=(), dtype=tf.int64, name=None)

    Raises: TypeError: if the argument is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError as error:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator "
            f"object, but got {type(dataset_or_iterator)}."
        ) from error
