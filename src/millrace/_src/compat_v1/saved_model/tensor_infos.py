"""`TensorInfo` messages: how a signature names a tensor of a graph.

Tests: tests/compat_v1/saved_model/test_signature_defs.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.saved_model.collection_defs import with_scope
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.graph import Graph
from millrace._src.graph.structured_values import decode_spec
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.saved_model.export_graph import tensor_info
from millrace._src.util import nest
from millrace._src.util.export import export


@export(v1=["saved_model.build_tensor_info", "saved_model.utils.build_tensor_info"])
def build_tensor_info(tensor: TensorLike) -> Any:
    """Returns the `TensorInfo` of a tensor of a graph.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
    >>> tf.compat.v1.saved_model.build_tensor_info(x).name
    'x:0'

    Args: tensor: a Tensor of a graph, or a composite of such.
    Raises: RuntimeError: for what is not a tensor of a graph.
    """
    if not isinstance(tensor, (CompositeTensor, SymbolicTensor)):
        raise RuntimeError(f"build_tensor_info takes a tensor of a graph; received {tensor!r}.")
    return tensor_info(tensor)


@export(v1=["saved_model.get_tensor_from_tensor_info", "saved_model.utils.get_tensor_from_tensor_info"])
def get_tensor_from_tensor_info(tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None) -> Any:
    """Returns the tensor of a graph that a `TensorInfo` names.

    Args:
      tensor_info: the message.
      graph: the graph; the default graph if None.
      import_scope: the name scope into which the graph was imported.

    Raises:
      KeyError: if the graph has no such tensor.
      ValueError: if the message names none.
    """
    chosen = get_default_graph() if graph is None else graph

    def named(name: str) -> Any:
        return chosen.get_tensor_by_name(with_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        with chosen.as_default():
            return SparseTensor(
                named(parts.indices_tensor_name), named(parts.values_tensor_name), named(parts.dense_shape_tensor_name)
            )
    if encoding == "composite_tensor":
        spec = decode_spec(tensor_info.composite_tensor.type_spec)
        components = [named(component.name) for component in tensor_info.composite_tensor.components]
        with chosen.as_default():
            return spec._from_components(nest.pack_sequence_as(spec._component_specs, components))
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, `composite_tensor`, or `name`.")
