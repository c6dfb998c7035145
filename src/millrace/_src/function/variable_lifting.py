"""Variables that a traced body creates on its first call.

Problem: `if self.v is None: self.v = tf.Variable(x * 2)` inside a `tf.function` must make one real variable whose first
value is computed outside the graph.

Idea: the first trace runs under a variable creator that makes each variable at once, without a value, and notes the
symbolic initial value. Then only the operations behind the initial values are run, in order of creation: on the call's
arguments, on captured tensors, and on variables initialized before. The body is traced again and must then create no
variable.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.context import eager_engine, eager_mode, name_scope, state, tapes_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dispatch import wrap_outputs
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.source_trace import user_frame
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import topological_order
from millrace._src.state.variable import make_uninitialized_variable
from millrace._src.trackable.deferred_restoration import CheckpointInitialValue

SINGLETON_MESSAGE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created "
    "once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables for more "
    "information."
)
NON_FIRST_CALL_MESSAGE = "Creating variables on a non-first call to a function decorated with tf.function."


class UnliftableError(Exception):
    """An initial value depends on an argument whose value is not known."""

    ag_pass_through = True


class LiftedInitializer:
    """A variable made in a trace, and the symbolic tensor of its first value; None if the variable has its value."""

    __slots__ = ("variable", "value")

    def __init__(self, variable: Any, value: Any) -> None:
        self.variable = variable
        self.value = value


class _FunctionCreator:
    """A variable creator that a `tf.function` puts below the user's own."""

    __slots__ = ("create",)

    def __init__(self, create: Callable[..., Any]) -> None:
        self.create = create

    def __call__(self, next_creator: Callable[..., Any], **kwargs: object) -> Any:
        return self.create(next_creator, **kwargs)


@contextlib.contextmanager
def _creating_with(create: Callable[..., Any]) -> Iterator[None]:
    """Lets `create` make variables, after the user's creators and instead of an enclosing function's."""
    previous = state.variable_creators
    users = (creator for creator in previous if not isinstance(creator, _FunctionCreator))
    state.variable_creators = (_FunctionCreator(create), *users)
    try:
        yield
    finally:
        state.variable_creators = previous


def collecting(initializers: list[LiftedInitializer]) -> contextlib.AbstractContextManager[None]:
    """Lists the variables that a traced body creates, with their initial values; the variables are made at once,
    without values.

    Within `tf.init_scope` variables get their values at once; such variables are listed all the same.
    """

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        in_body = state.graph is not None and state.graph.building_function
        initializer = _make_uninitialized(**kwargs) if in_body else LiftedInitializer(next_creator(**kwargs), None)
        initializers.append(initializer)
        return initializer.variable

    return _creating_with(create)


@contextlib.contextmanager
def salvaging(initializers: list[LiftedInitializer]) -> Iterator[None]:
    """Gives the variables that a failed body made their values where possible, since objects may hold the variables."""
    try:
        yield
    except Exception:
        for initializer in initializers:
            with contextlib.suppress(Exception):
                initialize([initializer], {})
        raise


def refusing(message: str) -> contextlib.AbstractContextManager[None]:
    """Refuses to create variables within a traced body."""

    def create(next_creator: Callable[..., Any], **kwargs: object) -> Any:
        frame = user_frame()
        where = f"\nThe tf.Variable is created here:\n    {frame}" if frame is not None else ""
        raise ValueError(message + where)

    return _creating_with(create)


def _make_uninitialized(
    initial_value: Any = None,
    name: str | None = None,
    dtype: Any = None,
    shape: ShapeLike | None = None,
    **kwargs: object,
) -> LiftedInitializer:
    """Makes a new variable without a value, as the keyword arguments of `tf.Variable` describe."""
    if initial_value is None:
        raise ValueError("initial_value must be specified.")
    with name_scope("Initializer"):
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert_to_tensor(value, dtype=dtype, name="initial_value")
    static_shape = tensor.shape if shape is None else as_shape(shape)
    if not static_shape.is_compatible_with(tensor.shape):
        raise ValueError(
            f"The initial value's shape ({tensor.shape}) is not compatible with the explicitly supplied `shape` "
            f"argument ({shape})."
        )
    if shape is None and kwargs.get("validate_shape") is False:
        static_shape = TensorShape(None)
    traits = {key: kwargs.get(key) for key in ("trainable", "constraint", "synchronization", "aggregation")}
    variable = make_uninitialized_variable(static_shape, tensor.dtype, name, **traits)
    if isinstance(value, CheckpointInitialValue):
        variable._update_uid = value.checkpoint_position.restore_uid
    return LiftedInitializer(variable, tensor)


def initialize(initializers: Sequence[LiftedInitializer], feeds: Mapping[int, Any], in_graph: bool = False) -> None:
    """Computes the first values of new variables, in order, and assigns them.

    Args:
        initializers: The new variables.
        feeds: Values of placeholders, by the id of the symbolic tensor.
        in_graph: Adds the operations to the graph being built instead of running them.

    Raises: UnliftableError: if an initial value needs a placeholder without a value.
    """
    initializers = [i for i in initializers if i.value is not None and not _has_value(i.variable)]
    if in_graph:
        for initializer in initializers:
            initializer.variable.assign(copy_tensor(initializer.value, feeds), read_value=False)
        return
    with eager_mode(), tapes_scope(()):
        for initializer in initializers:
            initializer.variable.assign(evaluate(initializer.value, feeds), read_value=False)


def _has_value(variable: Any) -> bool:
    """Returns whether a new variable has its first value already, from a checkpoint that waited for the variable."""
    return resource_of(variable.handle._eager_array).value is not None


def copy_tensor(tensor: Any, feeds: Mapping[int, Any]) -> Any:
    """Copies a symbolic tensor of another graph, and the operations behind it, into the graph being built.

    Raises: UnliftableError: if the tensor depends on a placeholder that `feeds` does not hold.
    """
    if isinstance(tensor, EagerTensor):
        return tensor
    graph = state.graph
    copies: dict[tuple[int, int], Any] = {}
    for operation in topological_order(_ancestors(tensor, feeds)):
        if operation.op_def.traits.is_placeholder:
            given_value = feeds.get(id(operation.outputs[0]))
            outputs = [graph.capture(given_value if given_value is not None else _capture(operation, feeds, tensor))]
        else:
            inputs = [copies[id(t.op), t.value_index] for t in operation.inputs]
            shapes = [output.shape for output in operation.outputs]
            name = graph.unique_name(operation.name)
            copy = graph.add_operation(operation.op_def, inputs, dict(operation.attrs), name, shapes=shapes)
            copy.note_values(operation.static_values)
            outputs = copy.outputs
        copies.update(((id(operation), index), output) for index, output in enumerate(outputs))
    return copies[id(tensor.op), tensor.value_index]


def evaluate(tensor: Any, feeds: Mapping[int, Any]) -> EagerTensor:
    """Computes the value of a symbolic tensor: runs only the operations behind the tensor.

    Raises: UnliftableError: if the tensor depends on a placeholder that `feeds` does not hold.
    """
    if isinstance(tensor, EagerTensor):
        return tensor
    values: dict[tuple[int, int], EagerTensor] = {}
    for operation in topological_order(_ancestors(tensor, feeds)):
        for output, value in zip(operation.outputs, _run(operation, values, feeds, tensor)):
            values[id(operation), output.value_index] = value
    return values[id(tensor.op), tensor.value_index]


def _ancestors(tensor: Any, feeds: Mapping[int, Any]) -> list[Any]:
    ancestors: dict[Any, None] = {}
    stack = [tensor.op]
    while stack:
        operation = stack.pop()
        if operation not in ancestors:
            ancestors[operation] = None
            if not all(id(output) in feeds for output in operation.outputs):
                stack.extend(t.op for t in operation.inputs)
    return list(ancestors)


def _run(
    operation: Operation, values: dict[tuple[int, int], EagerTensor], feeds: Mapping[int, Any], target: object
) -> list[Any]:
    if operation.outputs and all(id(output) in feeds for output in operation.outputs):
        return [feeds[id(output)] for output in operation.outputs]
    if operation.op_def.traits.is_placeholder:
        return [_capture(operation, feeds, target)]
    dtypes = tuple(t.dtype for t in operation.inputs)
    kernel = eager_engine().bind(operation.op_def, dtypes, operation.attrs)
    result = kernel(*[values[id(t.op), t.value_index]._eager_array for t in operation.inputs])
    return wrap_outputs(operation.op_def, result, [output.dtype for output in operation.outputs])


def _capture(placeholder: Any, feeds: Mapping[int, Any], target: Any) -> EagerTensor:
    """Returns the value of a placeholder that represents a tensor outside its graph."""
    for outer, inner in getattr(placeholder.graph, "captures", ()):
        if inner.op is placeholder:
            return evaluate(outer, feeds)
    raise UnliftableError(
        f"Unable to lift tensor {target!r} because it depends transitively on placeholder {placeholder!r} via at "
        "least one "
        f"path, e.g.: {path_text(target.op, placeholder)}"
    )


def path_text(start: Any, goal: Any) -> str:
    """Writes one chain of inputs from an operation to a placeholder: `mul (Mul) <- x (Placeholder)`; "" for none."""
    parents: dict[Any, Any] = {start: None}
    queue = [start]
    for operation in queue:
        if operation is goal:
            break
        for tensor in operation.inputs:
            if tensor.op not in parents:
                parents[tensor.op] = operation
                queue.append(tensor.op)
    if goal not in parents:
        return ""
    path = []
    step = goal
    while step is not None:
        path.append(f"{step.name} ({step.type})")
        step = parents[step]
    return " <- ".join(reversed(path))
