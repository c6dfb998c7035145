"""Gradient rules by name: `tf.RegisterGradient`, `tf.no_gradient`, and operations that ask for such rules.

Problem: a program may want another gradient than an op's own for some operations of a graph (guided backpropagation,
straight-through estimators), or a gradient for an op without one.

Idea: a table from names to rules `(operation, *output gradients) -> input gradients`. An operation with the attribute
`_gradient_op_type` (`Graph.gradient_override_map` sets the attribute) is differentiated by the rule of that name. A
rule under the name of an op without a gradient becomes the gradient of the op, for tapes as well as for graphs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from millrace._src.autodiff.gradient_plan import compute_gradient, gather_values, gradient_plan
from millrace._src.autodiff.op_recording import forget_rules
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import NotFoundError
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_def import OpDef
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.operation import Operation
from millrace._src.util.export import export

_Rule = TypeVar("_Rule", bound=Callable[..., Any])

_RULES: dict[str, Callable[..., Any] | None] = {}
"""Name -> rule; None where gradients stop."""

ATTRIBUTE = "_gradient_op_type"


@export("RegisterGradient")
class RegisterGradient:
    """A decorator that enters a gradient rule under a name.

    >>> @tf.RegisterGradient("DocClippedSquare")
    ... def clipped_square_gradient(op, dy):
    ...     return tf.clip_by_value(dy * 2.0 * op.inputs[0], -1.0, 1.0)
    >>> @tf.function
    ... def f(x):
    ...     with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "DocClippedSquare"}):
    ...         y = tf.square(x)
    ...     return tf.gradients(y, x)[0]
    >>> f(tf.constant([0.25, 3.0])).numpy()
    array([0.5, 1. ], dtype=float32)

    The rule is called with the `tf.Operation` and one gradient for each of the operation's outputs, zeros for an output
    that nothing depends on. The rule returns one gradient for each input: a Tensor, a `tf.IndexedSlices` or None; a
    single gradient need not be in a list.

    Args: op_type: the name; the name of an op without a gradient makes the rule the gradient of that op.
    Raises:
      TypeError: if `op_type` is not a string.
      KeyError: if there is a rule of that name already, or the op of that name has a gradient.
    """

    def __init__(self, op_type: str) -> None:
        self._op_type = _validate_name(op_type)

    def __call__(self, f: _Rule) -> _Rule:
        _enter(self._op_type, f)
        return f


@export("no_gradient", v1=["NoGradient", "NotDifferentiable", "no_gradient"])
def no_gradient(op_type: str) -> None:
    """Stops gradients at operations that ask for the rule `op_type`, or at the op of that name.

    >>> tf.no_gradient("DocStops")
    >>> @tf.function
    ... def f(x):
    ...     with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "DocStops"}):
    ...         y = tf.square(x)
    ...     return tf.gradients(x * y, x)[0]
    >>> float(f(tf.constant(3.0)))
    9.0

    Args: op_type: a name, as for `tf.RegisterGradient`.
    Raises:
      TypeError: if `op_type` is not a string.
      KeyError: if there is a rule of that name already, or the op of that name has a gradient.
    """
    _enter(_validate_name(op_type), None)


def _validate_name(op_type: object) -> str:
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string; received {op_type!r} of type {type(op_type).__name__}.")
    return op_type


def _enter(name: str, rule: Callable[..., Any] | None) -> None:
    op = _find_op(name)
    problem = (
        op is not None
        and (op.rules.gradient or op.rules.operation_gradient or op.traits.not_differentiable) is not None
    )
    if name in _RULES or problem:
        origin = f"the op {name} has one" if problem else "it was registered before in this program"
        raise KeyError(f"Registering two gradient with name '{name}'! ({origin})")
    _RULES[name] = rule
    if op is not None:
        if rule is None:
            op.traits = replace(op.traits, not_differentiable=f'the program said tf.no_gradient("{name}")')
        else:
            op.rules.gradient, op.rules.accepts_slices = _gradient_of_op(op, rule), True
        forget_rules()


def _find_op(name: str) -> OpDef | None:
    try:
        return find_op(name)
    except NotFoundError:
        return None


# --- rules of single operations ----------------------------------------------------------------------------------


def operation_rule(op: OpDef, output: Any, input_ids: Callable[[], Sequence[int]]) -> Callable[..., Any] | None:
    """Returns the rule of one particular operation of a graph, where the rule is not the op's gradient.

    The rule of an op that holds graphs changes the operation, and is told which inputs need a gradient.
    `tf.custom_gradient` gives an operation a rule of its own. An operation may ask for a rule by name.
    """
    if not isinstance(output, SymbolicTensor):
        return None
    operation = output.op
    override = operation.gradient_override or find_named_rule(operation)
    if override is not None:
        return lambda *dys: override(operation, dys)
    rule = op.rules.operation_gradient
    if rule is None:
        return None
    return lambda *dys: rule(operation, dys, frozenset(i for i, number in enumerate(input_ids()) if number))


def find_named_rule(operation: Any) -> Callable[..., Any] | None:
    """Returns the rule that an operation asks for, as `(operation, output gradients) -> input gradients`, or None."""
    name = operation.attrs.get(ATTRIBUTE)
    if name is None:
        return None
    name = name.decode() if isinstance(name, bytes) else name
    if name not in _RULES:
        op = _find_op(name)
        if op is None or op.rules.gradient is None:
            raise LookupError(_missing(operation, name))
        return _borrow_rule(op)
    rule = _RULES[name]

    def apply(operation: Operation, dys: Sequence[Any]) -> list[Any]:
        if rule is None:
            return [None] * len(operation.inputs)
        return validate_gradients(operation, as_list(rule(operation, *dys)))

    return apply


def _missing(operation: Operation, name: str) -> str:
    return (
        f"No gradient defined for operation'{operation.name}' (op type: {operation.type}). It asks for the rule "
        f"'{name}', which was not registered with tf.RegisterGradient; tf.stop_gradient makes it a constant."
    )


def _borrow_rule(op: OpDef) -> Callable[..., Any]:
    """Applies the gradient of another op to an operation with inputs, outputs and attributes of the same names."""

    def apply(operation: Operation, dys: Sequence[Any]) -> list[Any]:
        plan = gradient_plan(op)
        assert plan is not None
        values = gather_values(op, plan.names, operation.inputs, operation.outputs, operation.attrs)
        grouped = op.signature.split_outputs(plan.as_accepted(dys), operation.attrs)
        return validate_gradients(operation, [compute_gradient(g) for g in as_list(plan.function(*grouped, **values))])

    return apply


def as_list(gradients: object) -> list[Any]:
    """Returns the result of a rule as a list: a single gradient, or None, becomes a list of length 1."""
    return list(gradients) if isinstance(gradients, (list, tuple)) else [gradients]


def validate_gradients(operation: Operation, gradients: Sequence[Any]) -> list[Any]:
    """Returns gradients of the inputs of an operation as tensors.

    Raises: ValueError: if the number is not the number of inputs, or a shape does not fit the shape of the input.
    """
    if len(gradients) != len(operation.inputs):
        raise ValueError(
            f"Num gradients {len(gradients)} generated for op {operation.node_def} do not match num inputs "
            f"{len(operation.inputs)}"
        )
    pairs = zip(operation.inputs, gradients, strict=True)
    return [_validate_gradient(operation, i, tensor, gradient) for i, (tensor, gradient) in enumerate(pairs)]


def _validate_gradient(operation: Any, index: int, tensor: Any, gradient: Any) -> Any:
    if gradient is None or isinstance(gradient, IndexedSlices):
        return gradient
    is_plain = not hasattr(gradient, "dtype")  # a Python number or list
    gradient = convert_to_tensor(gradient, dtype=tensor.dtype if is_plain else None)
    if not tensor.dtype.is_resource and not gradient.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward operation: "
            f"{operation.name}. Input index: {index}. Original input shape: {tensor.shape}. Calculated input gradient "
            f"shape: {gradient.shape}"
        )
    return gradient


# --- a rule as the gradient of an op -----------------------------------------------------------------------------


class _RecordedCall:
    """An eager op call in the form of a `tf.Operation`, with the attributes that rules read."""

    def __init__(self, op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
        self.type = self.name = op.name
        self.inputs = tuple(inputs)
        self.outputs = list(outputs)
        self._attrs = attrs

    def get_attr(self, name: str) -> Any:
        """Returns the value of an attribute."""
        if name not in self._attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        value = self._attrs[name]
        return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _gradient_of_op(op: OpDef, rule: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a rule the form of a gradient function, which asks by name for all inputs, outputs and attributes."""
    outputs, inputs = [a.name for a in op.signature.outputs], [a.name for a in op.signature.inputs]
    attrs = list(op.attr_kinds)

    def gradient(*dys: object, **saved: object) -> list[Any]:
        input_values = [saved[name] for name in inputs]
        call = _RecordedCall(op, _flat(input_values), _flat(saved[n] for n in outputs), {n: saved[n] for n in attrs})
        gradients = as_list(rule(call, *_flat(dys)))
        if len(gradients) != len(call.inputs):
            raise ValueError(
                f"Num gradients {len(gradients)} generated for op {op.name} do not match num inputs {len(call.inputs)}"
            )
        remainder = iter(gradients)
        return [[next(remainder) for _ in item] if isinstance(item, list) else next(remainder) for item in input_values]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [*(f"d{name}" for name in outputs), *inputs, *outputs, *attrs]
    gradient.runs_python = True  # type: ignore[attr-defined]  # read by GradientPlan
    gradient.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]  # read by GradientPlan
    return gradient


def _flat(items: Any) -> list[Any]:
    return [part for item in items for part in (item if isinstance(item, list) else [item])]
