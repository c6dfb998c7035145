"""`tf.compat.v1.wrap_function`: code of TensorFlow 1 as a function that eager programs call.

The code runs once, while its graph is built. Variables that it makes, by `get_variable` or otherwise, are eager
variables that the function holds; so are variables that it imports (`imported_variables.py`). `prune` makes functions
of other tensors of the same graph, as a session would fetch and feed them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.compat_v1.imported_variables import lift_imported_variables
from millrace._src.compat_v1.session.fetches import FetchPlan
from millrace._src.compat_v1.subgraphs import Subgraph, find_needed_operations
from millrace._src.compat_v1.variables.scope_state import VariableStore, variables_of_graph
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.graph_function import GraphFunction
from millrace._src.function.signature import ArgumentLayout, CallSignature
from millrace._src.function.trace_builder import from_value
from millrace._src.function.tracing import FunctionTrace, trace
from millrace._src.function.tracing_context import TracingContext
from millrace._src.function.variable_lifting import UnliftableError, collecting, initialize, path_text
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.ops.session_tensors import TensorStore
from millrace._src.util import nest
from millrace._src.util.export import export


class WrappedFunction(ConcreteFunction):
    """A function made of the graph that code of TensorFlow 1 builds.

    Args:
      traced: the graph, and what goes in and comes out.
      variables: the variables that the function holds.
      unlisted: handles of further variables, by the ids of the graph's operations that make them in a session.
    """

    def __init__(self, traced: FunctionTrace, variables: Sequence[Any], unlisted: Mapping[int, Any]) -> None:
        super().__init__(traced)
        # The whole graph is there for `prune`; a call runs what the results need.
        graph = traced.graph
        operations = find_needed_operations(
            [*(tensor.op for tensor in graph.outputs), *graph.control_outputs], graph.inputs
        )
        names = [tensor.op.name for tensor in graph.inputs]
        part = Subgraph(graph.name, graph.inputs, operations, lambda operation: None, names)
        self.graph_function = GraphFunction(part.finish(graph.outputs), self._name)
        self._held_variables = tuple(variables)
        self._unlisted = unlisted

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the code made, then those that it imported."""
        return self._held_variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable variables among `variables`."""
        return tuple(variable for variable in self._held_variables if variable.trainable)

    def __call__(self, /, *args: object, **kwargs: object) -> Any:
        """Runs the function.

        Raises: NotImplementedError: for arguments by keyword.
        """
        if kwargs:
            raise NotImplementedError(
                f"Keyword arguments are not supported when calling a wrap_function-decorated function. Got {kwargs}."
            )
        return super().__call__(*args)

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> WrappedFunction:
        """Returns a function from some tensors of the graph to others.

        >>> def build():
        ...     x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        ...     tf.multiply(x, 2.0, name="doubled")
        >>> double = tf.compat.v1.wrap_function(build, []).prune("x:0", "doubled:0")
        >>> double(tf.constant(4.0)).numpy()
        np.float32(8.0)

        Args:
          feeds: the tensors that the function takes, or their names, in any structure.
          fetches: the tensors or operations that it computes, or their names, in the structure of the results.
          name: a name for the function.
          input_signature: accepted for compatibility: arguments have the dtypes and shapes of the graph's tensors.

        Raises:
          KeyError: if the graph has no such tensor.
          ValueError: if a fetch is none.
          UnliftableError: if a result depends on a placeholder that is not fed.
        """
        del input_signature
        graph = self.graph
        fed = [graph.as_graph_element(feed, allow_operation=False) for feed in nest.flatten(feeds)]
        for fetch in nest.flatten(fetches):
            if isinstance(fetch, str):
                graph.as_graph_element(fetch)
        plan = FetchPlan(graph, fetches, TensorStore())
        operations = find_needed_operations([*(tensor.op for tensor in plan.tensors), *plan.targets], fed)
        captured: dict[int, Any] = {**self._unlisted, **{id(inner.op): outer for outer, inner in graph.captures}}
        _check_placeholders(operations, captured, plan.tensors)
        part = Subgraph(
            name or "pruned", fed, operations, lambda operation: captured.get(id(operation)), _input_names(fed)
        )
        new_graph: Any = part.finish(plan.tensors)
        self._watch_variables(new_graph)
        new_graph.structured_outputs = plan.pack(new_graph.outputs)
        new_graph.structured_input_signature = None
        kinds = [from_value(tensor, TracingContext()) for tensor in new_graph.inputs[: len(fed)]]
        parameters = [
            Parameter(parameter, Parameter.POSITIONAL_OR_KEYWORD, False, kind)
            for parameter, kind in zip(_input_names(fed), kinds, strict=True)
        ]
        output = from_value(new_graph.structured_outputs, TracingContext())
        function_type = FunctionType(parameters, return_annotation=output)
        return WrappedFunction(FunctionTrace(new_graph, function_type, len(fed)), self._held_variables, {})

    def _watch_variables(self, new_graph: FuncGraph) -> None:
        """Lets tapes around a call of a part of the graph watch the variables that the part uses."""
        handles = {id(handle) for handle in new_graph.external_captures}
        for variable in (*self._held_variables, *self.graph.variables):
            if id(variable.handle) in handles:
                new_graph.watch_variable(variable)


def _input_names(fed: Sequence[SymbolicTensor]) -> list[str]:
    return [re.sub(r"\W", "_", f"{tensor.op.name}_{tensor.value_index}") for tensor in fed]


def _check_placeholders(operations: Sequence[Operation], captured: Any, fetched: Sequence[SymbolicTensor]) -> None:
    """Refuses placeholders that are neither fed nor captured."""
    for operation in operations:
        if operation.op_def.traits.is_placeholder and id(operation) not in captured:
            paths = ((tensor, path_text(tensor.op, operation)) for tensor in fetched)
            tensor, path = next(((tensor, path) for tensor, path in paths if path), (None, operation.name))
            raise UnliftableError(
                f"Unable to lift tensor {tensor!r} because it depends transitively on placeholder {operation!r} via at "
                f"least one path, e.g.: {path}"
            )


@export(v1=["wrap_function"])
def wrap_function(fn: Callable[..., Any], signature: Any, name: str | None = None) -> WrappedFunction:
    """Makes a function of Python code that builds a graph of TensorFlow 1.

    >>> def linear(x):
    ...     w = tf.compat.v1.get_variable("w", [], initializer=tf.compat.v1.ones_initializer())
    ...     return x * w
    >>> wrapped = tf.compat.v1.wrap_function(linear, [tf.TensorSpec([], tf.float32)])
    >>> wrapped(tf.constant(3.0)).numpy(), [variable.name for variable in wrapped.variables]
    (np.float32(3.0), ['w:0'])

    Variables that `tf.compat.v1.train.import_meta_graph` adds have no values yet;
    `tf.compat.v1.train.Saver(wrapped.variables).restore(None, path)` gives them those of a checkpoint.

    Args:
      fn: the code; it runs once. AutoGraph does not convert it.
      signature: the specs of its positional arguments, a list.
      name: a name for the function.

    Returns: A function with `prune`, `variables` and what concrete functions have.
    """
    initializers: list[Any] = []
    types = [from_value(spec, TracingContext(is_legacy_signature=True)) for spec in signature]
    names = [f"arg_{index}" for index in range(len(types))]
    parameters = (Parameter(p, Parameter.POSITIONAL_ONLY, False, t) for p, t in zip(names, types, strict=True))
    python_signature = CallSignature(FunctionType(parameters), {}, True)
    graph_name = f"wrapped_function_{name}" if name else "wrapped_function"
    with collecting(initializers), variables_of_graph().store_in_force(VariableStore()):
        traced = trace(fn, graph_name, python_signature, ArgumentLayout(0, ()), types, orders_effects=False)
    initialize(initializers, {})
    imported = lift_imported_variables(traced.graph)
    traced = FunctionTrace(traced.graph, traced.function_type, traced.argument_count)
    variables = [*(initializer.variable for initializer in initializers), *imported.listed]
    return WrappedFunction(traced, variables, imported.unlisted)
