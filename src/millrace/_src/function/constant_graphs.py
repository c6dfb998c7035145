"""Functions whose variables are constants: what is trained is frozen into one graph, which needs no variables.

Problem: a graph that reads variables takes their handles as inputs, and passes the handles on to the functions that it
calls and to branches and loops. A runtime without variables, or a tool that folds weights, needs the values.

Idea: the operations of the body are run again in a new graph in which a constant represents each handle. A call
becomes the operations of the function that it calls. A branch or loop gets a new body with inputs for values in the
positions of handles. An operation that reads a variable becomes the operation that does the same with a value; one that
changes a variable is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import eager_mode, tapes_scope
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.tensor import EagerTensor
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.trace_builder import from_value
from millrace._src.function.tracing_context import TracingContext
from millrace._src.graph import rewriting
from millrace._src.graph.control_deps import join_effects, list_called_functions
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of, jit_compile_of, make_function
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call, name_alone, replay
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops import raw, state
from millrace._src.util.export import export

Key = tuple[int, int]


@export("interop.freeze")
def convert_variables_to_constants_v2(
    func: TensorLike, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> ConcreteFunction:
    """Makes a function that computes the same with the variables' values of this moment as constants.

    Its graph is complete: `frozen.graph.as_graph_def()` needs no checkpoint.

    >>> v = tf.Variable(3.0)
    >>> times = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], tf.float32, name="x"))
    >>> frozen = tf.interop.freeze(times)
    >>> v.assign(5.0).numpy()
    np.float32(5.0)
    >>> frozen(tf.constant(2.0))[0].numpy()
    np.float32(6.0)
    >>> sorted({node.op for node in frozen.graph.as_graph_def().node})
    ['Const', 'Identity', 'Mul', 'NoOp', 'Placeholder']

    Args:
      func: a concrete function.
      lower_control_flow: accepted as in TensorFlow; branches and loops always stay operations that hold functions.
      aggressive_inlining: accepted as in TensorFlow; calls of functions are always inlined.

    Returns: A concrete function from the tensors of `func`'s arguments to the list of its output tensors.
    Raises:
      TypeError: if `func` is not a concrete function.
      ValueError: if the function changes a variable.
      tf.errors.FailedPreconditionError: if a variable has no value yet.
    """
    del lower_control_flow, aggressive_inlining
    if not isinstance(func, ConcreteFunction):
        message = "convert_variables_to_constants_v2 takes a concrete function, as `get_concrete_function` returns it"
        raise TypeError(f"{message}; received {func!r}.")
    frozen = _ConstantGraph(func.graph.name)
    captured_tensors = func.captured_inputs
    argument_count = len(func.graph.inputs) - len(captured_tensors)
    with frozen.graph.as_default(), tapes_scope(()):
        for tensor in func.graph.inputs[:argument_count]:
            frozen.add_input(tensor, tensor)
        arguments = list(frozen.graph.inputs)
        for tensor, source in zip(func.graph.inputs[argument_count:], captured_tensors, strict=True):
            frozen.add_capture(tensor, source)
        frozen.replay(func.graph)
        frozen.finish(func.graph.outputs)
    parameters = [
        _parameter(name, tensor) for name, tensor in zip(_names(func, argument_count), arguments, strict=True)
    ]
    output = from_value(list(frozen.graph.outputs), TracingContext())
    graph: Any = frozen.graph
    graph.structured_outputs = list(graph.outputs)
    graph.structured_input_signature = None
    return ConcreteFunction.from_func_graph(graph, FunctionType(parameters, return_annotation=output))


def _names(func: ConcreteFunction, count: int) -> list[str]:
    names = [str(name) for name in func._arg_keywords]
    return names if len(set(names)) == count else [f"input_{index}" for index in range(count)]


def _parameter(name: str, tensor: object) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, False, from_value(tensor, TracingContext()))


def graph_with_constants(
    graph: Graph, targets: Sequence[Operation], constants: Mapping[Operation, EagerTensor]
) -> FuncGraph:
    """Returns a graph that computes the same as a plain graph, with constants instead of variables.

    Args:
      graph: the plain graph.
      targets: the operations that are needed.
      constants: the values of variables, by the operations of their handles.

    Raises: ValueError: if one of the variables is changed before the targets.
    """
    frozen = _ConstantGraph("frozen")
    with frozen.graph.as_default(), tapes_scope(()):
        for operation, value in constants.items():
            key = id(operation), 0
            frozen.known[key] = frozen.graph.constant(value._eager_array, value.dtype, operation.name)
            frozen.values.add(key)
        frozen.replay_all(find_required_operations(graph.get_operations(), targets, stop=constants, with_effects=False))
    return frozen.graph


class _ConstantGraph:
    """A graph in the making, in which values represent the variables of other graphs.

    Attributes:
      graph: the graph.
      known: the tensors of `graph` that represent the tensors of the other graphs.
      values: those tensors of the other graphs, handles of variables, for which a value stands.
    """

    def __init__(self, name: str, outer_graph: FuncGraph | None = None) -> None:
        self.graph = FuncGraph(name, outer_graph=outer_graph)
        self.known: dict[Key, Any] = {}
        self.values: set[Key] = set()
        self._done: dict[Operation, Operation | None] = {}

    # --- inputs and outputs ---

    def add_input(self, tensor: Any, like: Any) -> None:
        """Adds an input for an input of another graph; it is like the input, or like the value that represents it."""
        placeholder = self.graph.placeholder_like(like, like.shape, name_alone(tensor.op))
        self.graph.inputs.append(placeholder)
        self.known[_key(tensor)] = placeholder
        if placeholder.dtype is not tensor.dtype:
            self.values.add(_key(tensor))

    def add_capture(self, tensor: Any, source: Any) -> None:
        """Replaces a captured variable or tensor by a constant; a table or dataset stays captured."""
        name = name_alone(tensor.op)
        if isinstance(tensor.handle_type, VariableHandle) and isinstance(source, EagerTensor):
            with eager_mode():
                value = raw.ReadVariableOp(resource=source, dtype=tensor.handle_type.dtype)
            self.known[_key(tensor)] = self.graph.constant(value._eager_array, value.dtype, name)
            self.values.add(_key(tensor))
        elif isinstance(source, EagerTensor) and not source.dtype.is_handle:
            self.known[_key(tensor)] = self.graph.constant(source._eager_array, source.dtype, name)
        else:
            self.known[_key(tensor)] = self.graph.capture(source, name)

    def finish(self, outputs: Sequence[Any]) -> None:
        """Declares what represents the outputs of another graph as the outputs of this one."""
        self.graph.outputs = [self.known[_key(tensor)] for tensor in outputs]
        self.graph.control_outputs = [op for op in self.graph.get_operations() if op.effects.must_run]

    # --- operations ---

    def replay(self, body: FuncGraph, scope: str = "") -> list[Operation]:
        """Runs the operations of another graph whose inputs are known; returns those that came of them.

        Args:
          body: the graph.
          scope: the scope in which the operations keep their names.
        """
        count = len(self.graph.get_operations())
        roots, inputs = [tensor.op for tensor in body.outputs], [tensor.op for tensor in body.inputs]
        for operation in find_required_operations(body.get_operations(), roots, stop=inputs):
            if operation not in inputs:
                self._replay_one(operation, scope)
        return self.graph.get_operations()[count:]

    def replay_all(self, operations: Iterable[Operation]) -> None:
        """Runs operations, each after those that it needs."""
        for operation in operations:
            self._replay_one(operation, "")

    def _replay_one(self, operation: Operation, scope: str) -> None:
        path, _, _ = f"{scope}{operation.name}".rpartition("/")
        with self.graph.name_scope(f"{path}/" if path else None):
            new_operation = self._done[operation] = self._run(operation, scope)
        waits = [self._done.get(control) for control in operation.control_inputs]
        if new_operation is not None:
            rewriting.wait_for(new_operation, [wait for wait in waits if wait is not None])

    def _run(self, operation: Operation, scope: str) -> Operation | None:
        """Runs one operation; returns the one for which others wait that waited for it."""
        if operation.op_def.traits.control == "call":
            return self._inline(operation, scope)
        if not any(_key(tensor) in self.values for tensor in operation.inputs):
            return replay(operation, self.known)
        tensors = [self.known[_key(tensor)] for tensor in operation.inputs]
        if operation.op_def.traits.returns_input:
            return self._note(operation, call(operation, tensors), is_handle=True)
        if list_called_functions(operation) and not operation.op_def.traits.keeps_functions:
            return self._with_values(operation, tensors)
        rule = _READERS.get(operation.op_def)
        if rule is None:
            raise ValueError(
                f"The function cannot be frozen: operation '{operation.name}' ({operation.type}) changes a variable, "
                "or keeps it for later. Freeze a function that only reads variables."
            )
        return self._note(operation, [rule(operation, *tensors)])

    def _note(self, operation: Operation, outputs: Sequence[Any], is_handle: bool = False) -> Operation:
        for index, tensor in enumerate(outputs):
            self.known[id(operation), index] = tensor
            if is_handle:
                self.values.add((id(operation), index))
        result: Operation = outputs[0].op
        return result

    def _inline(self, operation: Operation, scope: str) -> Operation | None:
        """Runs the operations of the function that an operation calls, instead of the call."""
        (function,) = list_called_functions(operation)
        body = body_of(function)
        for tensor, given in zip(body.inputs, operation.inputs, strict=True):
            self._take_over(_key(tensor), _key(given))
        new_operations = self.replay(body, f"{scope}{operation.name}/")
        for index, tensor in enumerate(body.outputs):
            self._take_over((id(operation), index), _key(tensor))
        return join_effects(self.graph, [op for op in new_operations if op.effects.must_run])

    def _take_over(self, key: Key, other: Key) -> None:
        """Lets the copy of one tensor be the copy of another one too."""
        self.known[key] = self.known[other]
        self.values.discard(key)
        if other in self.values:
            self.values.add(key)

    def _with_values(self, operation: Operation, tensors: Sequence[Any]) -> Operation:
        """Runs a branch or loop whose functions take values instead of handles."""
        bodies: list[_ConstantGraph] = []

        def converted(function: object) -> Any:
            body, count = body_of(function), len(body_of(function).inputs)
            bodies.append(_body_with_values(body, tensors[len(tensors) - count :]))
            attributes = dict(getattr(function, "attributes", {}))
            jit_compile = jit_compile_of(attributes)
            return make_function(bodies[-1].graph, jit_compile=jit_compile, attributes=attributes)

        changed: dict[str, Any] = {}
        for name, kind in operation.op_def.attr_kinds.items():
            if kind == "func":
                changed[name] = converted(operation.attrs[name])
            elif kind == "list[func]":
                changed[name] = [converted(function) for function in operation.attrs[name]]
        results = bodies[-1].graph.outputs  # those of a loop's body, which stands behind the condition
        if "Tout" in operation.op_def.attr_kinds:
            changed["Tout"] = [tensor.dtype for tensor in results]
        if "output_shapes" in operation.op_def.attr_kinds:
            changed["output_shapes"] = []
        outputs = call(operation, tensors, **changed)
        for index, (old, new) in enumerate(zip(operation.outputs, outputs, strict=True)):
            self.known[id(operation), index] = new
            if old.dtype is new.dtype:
                new.set_shape(old.shape)
            else:
                self.values.add((id(operation), index))
        node: Operation = outputs[0].op if outputs else self.graph.get_operations()[-1]
        return node


def _body_with_values(body: FuncGraph, tensors: Sequence[Any]) -> _ConstantGraph:
    """Makes the body of a branch or loop again, with inputs like the tensors that it is given."""
    converted = _ConstantGraph(body.name)
    with converted.graph.as_default():
        for tensor, given in zip(body.inputs, tensors, strict=True):
            converted.add_input(tensor, tensor if tensor.dtype is given.dtype else given)
        converted.replay(body)
        converted.finish(body.outputs)
    return converted


def _key(tensor: Any) -> Key:
    return id(tensor.op), tensor.value_index


# --- reading a variable, and doing the same with a value -------------------------------------------------------------


def _read(operation: Operation, value: object) -> Any:
    return raw.Identity(input=value, name=name_alone(operation))


def _shape(operation: Operation, value: object) -> Any:
    return raw.Shape(input=value, out_type=operation.attrs["out_type"], name=name_alone(operation))


def _gather(operation: Operation, value: object, indices: object) -> Any:
    axis = operation.attrs["batch_dims"]
    return raw.GatherV2(params=value, indices=indices, axis=axis, batch_dims=axis, name=name_alone(operation))


def _gather_nd(operation: Operation, value: object, indices: object) -> Any:
    return raw.GatherNd(params=value, indices=indices, name=name_alone(operation))


_READERS: dict[Any, Callable[..., Any]] = {
    state.read_variable.op_def: _read,
    state.variable_shape.op_def: _shape,
    state.resource_gather.op_def: _gather,
    state.resource_gather_nd.op_def: _gather_nd,
}
