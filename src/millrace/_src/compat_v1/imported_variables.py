"""Variables that come into the graph of a wrapped function with an imported graph.

Problem: `import_meta_graph` adds operations of TensorFlow 1, and among them the `VarHandleOp`s of variables. In a
session each such operation refers to a variable of the session. A function has no session.

Idea: when the graph is built, an eager variable is made for each imported variable. The output of the `VarHandleOp`
becomes an input of the graph that captures the handle of the eager variable. Nothing else of the graph changes, so the
imported initializers and restore operations assign to the eager variables.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from millrace._src.compat_v1.subgraphs import find_needed_operations
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import resource
from millrace._src.core.op_registry import get_op
from millrace._src.core.tensor import EagerTensor, SymbolicTensor
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.state.variable import Variable, make_uninitialized_variable

_LISTS = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)


class ImportedVariables(NamedTuple):
    """The eager variables of an imported graph.

    Attributes:
      listed: the global variables of the graph's collections, then the local ones.
      unlisted: from the ids of the other `VarHandleOp`s to the handles of their variables.
    """

    listed: list[Variable]
    unlisted: dict[int, EagerTensor]


def lift_imported_variables(graph: FuncGraph) -> ImportedVariables:
    """Makes eager variables, without values, of the variables that were imported into a graph.

    The collections of the graph hold the eager variables afterwards. A `VarHandleOp` that no collection of variables
    lists gets a variable too, which operations of one `container` and `shared_name` share.

    Args: graph: The finished graph of a function; it gets captures of the variables, of unlisted ones where needed.
    """
    lifted: dict[Operation, Variable] = {}
    for variable in (item for key in _LISTS for item in graph.get_collection(key)):
        if _is_imported(variable, graph) and variable.handle.op not in lifted:
            lifted[variable.handle.op] = eager = _eager_copy(variable)
            _capture(graph, eager.handle, variable.handle)
            graph.watch_variable(eager)
    for key in graph.get_all_collection_keys():
        items = graph.get_collection_ref(key)
        items[:] = [lifted.get(item.handle.op, item) if _is_imported(item, graph) else item for item in items]
    unlisted = _make_unlisted(graph, lifted)
    results = [*(tensor.op for tensor in graph.outputs), *graph.control_outputs]
    for operation in find_needed_operations(results, graph.inputs):
        if id(operation) in unlisted:
            _capture(graph, unlisted[id(operation)], operation.outputs[0])
    return ImportedVariables(list(lifted.values()), unlisted)


def _is_imported(item: object, graph: FuncGraph) -> bool:
    """Returns whether an item of a collection is a variable whose handle an operation of the graph makes."""
    return isinstance(item, Variable) and isinstance(item.handle, SymbolicTensor) and item.handle.graph is graph


def _eager_copy(variable: Variable) -> Any:
    """Makes an eager variable, without a value, that has the name and the traits of a variable of a graph."""
    with name_scope(None):
        eager = make_uninitialized_variable(
            variable.shape,
            variable.dtype,
            variable.name.removesuffix(":0"),
            trainable=variable.trainable,
            synchronization=variable.synchronization,
            aggregation=variable.aggregation,
        )
    part = variable._get_save_slice_info()
    if part is not None:
        eager._set_save_slice_info(part)
    return eager


def _capture(graph: FuncGraph, outer: EagerTensor, inner: SymbolicTensor) -> None:
    graph.replace_capture(outer, inner)
    graph.inputs.append(inner)


def _make_unlisted(graph: FuncGraph, lifted: Collection[Operation]) -> dict[int, EagerTensor]:
    """Makes a variable for the `VarHandleOp`s that are left, one for all operations that name the same variable."""
    shared: dict[tuple[str, str], Any] = {}
    handles: dict[int, EagerTensor] = {}
    for operation in graph.get_operations():
        if operation.op_def is not get_op("VarHandleOp") or operation in lifted:
            continue
        attrs = operation.attrs
        key = (attrs["container"], attrs["shared_name"] or operation.name)
        if key not in shared:
            with name_scope(None):
                shared[key] = make_uninitialized_variable(attrs["shape"], attrs["dtype"], key[1])
        # A tensor of its own for each operation: a graph has one capture for a tensor.
        handles[id(operation)] = EagerTensor(shared[key].handle._eager_array, resource)
    return handles
