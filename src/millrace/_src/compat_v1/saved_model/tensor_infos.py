"""`TensorInfo` messages: how a signature names a tensor of a graph."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.saved_model.collection_defs import with_scope
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.scopes import get_default_graph
from millrace._src.graph.structured_values import decode_spec, encode_spec
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.proto import meta_graph_pb2
from millrace._src.util import nest
from millrace._src.util.export import export_all


def build_tensor_info(tensor: Any) -> Any:
    """Returns the `TensorInfo` of a tensor of a graph.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
    >>> tf.compat.v1.saved_model.build_tensor_info(x).name
    'x:0'

    Args: tensor: a Tensor of a graph, or a composite of such.
    Raises: RuntimeError: for what is no tensor of a graph.
    """
    if isinstance(tensor, CompositeTensor):
        return _info_of_composite(tensor)
    if not isinstance(tensor, SymbolicTensor):
        raise RuntimeError(f"build_tensor_info takes a tensor of a graph; received {tensor!r}.")
    info: Any = meta_graph_pb2.TensorInfo(name=tensor.name, tensor_shape=tensor.shape.as_proto())
    info.dtype = tensor.dtype.as_datatype_enum
    return info


def _info_of_composite(composite: Any) -> Any:
    info: Any = meta_graph_pb2.TensorInfo()
    if isinstance(composite, SparseTensor):
        info.dtype = composite.dtype.as_datatype_enum
        info.tensor_shape.CopyFrom(composite.get_shape().as_proto())
        info.coo_sparse.values_tensor_name = composite.values.name
        info.coo_sparse.indices_tensor_name = composite.indices.name
        info.coo_sparse.dense_shape_tensor_name = composite.dense_shape.name
        return info
    info.composite_tensor.type_spec.CopyFrom(encode_spec(composite._type_spec))
    for component in nest.flatten(composite._nest_components(), expand_composites=True):
        info.composite_tensor.components.add().CopyFrom(build_tensor_info(component))
    return info


def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
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


export_all(__name__, "compat.v1.saved_model", ["build_tensor_info", "get_tensor_from_tensor_info"])
export_all(__name__, "compat.v1.saved_model.utils", ["build_tensor_info", "get_tensor_from_tensor_info"])
