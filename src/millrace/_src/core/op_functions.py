"""The functions that users call for ops: plain functions of Python with the parameters of the op.

Problem: libraries ask `inspect.isfunction`, read names and signatures, and pickle by name; a function of Python is also
called faster than an object. To compile source for each of a thousand ops would take longer than importing the ops.

Idea: calls of ops differ only in how many inputs and attributes they have. For each such form one template is compiled,
once; the function of an op is the template with the parameters' names, the defaults, and the source line of the kernel.

    # def leaky_relu(features, alpha=0.2, name=None):
    #     attributes = {}
    #     if alpha is not 0.2: attributes["alpha"] = alpha
    #     return execute(op, (features,), attributes, name)
"""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from millrace._src.core.execute import execute
from millrace._src.core.op_signature import TypeSet

if TYPE_CHECKING:
    from millrace._src.core.op_def import OpDef

Rule = TypeVar("Rule", bound=Callable[..., Any])


class RuleDecorators:
    """The decorators that attach rules to an op below its declaration; each returns the rule untouched.

    Args: op_def: the op.
    """

    __slots__ = ("op_def",)

    def __init__(self, op_def: OpDef) -> None:
        self.op_def = op_def

    @overload
    def gradient(self, rule: Rule) -> Rule: ...
    @overload
    def gradient(self, *, accepts_slices: bool = False, accepts_none: Sequence[str] = ()) -> Callable[[Rule], Rule]: ...
    def gradient(self, rule: Any = None, *, accepts_slices: bool = False, accepts_none: Sequence[str] = ()) -> Any:
        """Declares the gradient of the op, and the forms of output gradients that the rule takes.

        A sparse gradient becomes a tensor unless the rule `accepts_slices`; the missing gradient of an output becomes
        zeros unless `accepts_none` names the output.
        """
        if rule is None:
            return functools.partial(self.gradient, accepts_slices=accepts_slices, accepts_none=accepts_none)
        rules = self.op_def.rules
        rules.gradient, rules.accepts_slices, rules.accepts_none = rule, accepts_slices, accepts_none
        return rule

    def operation_gradient(self, rule: Rule) -> Rule:
        """Declares how the op is differentiated inside a graph: `(operation, output gradients) -> input gradients`.

        The rule of an op that holds graphs changes the operation, so that it returns what the backward pass needs.
        """
        self.op_def.rules.operation_gradient = rule
        return rule

    def operation_tangents(self, rule: Rule) -> Rule:
        """Declares forward mode for an op that holds graphs: `(operation, accumulator)`.

        The rule reads the tangents of the inputs from the accumulator and tells the accumulator the tangents of the
        outputs. Like the gradient inside a graph, the rule changes the operation itself.
        """
        self.op_def.rules.operation_tangents = rule
        return rule

    def kernel_for(self, engine: str) -> Callable[[Rule], Rule]:
        """Declares a kernel for one engine."""

        def declare(kernel: Rule) -> Rule:
            self.op_def.rules.kernels[engine] = kernel
            return kernel

        return declare

    def batching(self, rule: Rule) -> Rule:
        """Declares how the op runs on a batch of rows, where the rule stands below the op."""
        self.op_def.rules.batching = rule
        return rule

    def exact_when(self, rule: Rule) -> Rule:
        """Declares the rule `(inputs, attributes) -> None` that raises for values that a compiled program changes."""
        self.op_def.rules.exact_when = rule
        return rule

    def value_range(self, rule: Rule) -> Rule:
        """Declares the rule `RangeContext -> facts of the outputs`: what is known of integers and lists."""
        self.op_def.rules.value_range = rule
        return rule

    def in_range(self, rule: Rule) -> Rule:
        """Declares the rule `RangeContext -> bool`: whether the op certainly refuses none of its indices."""
        self.op_def.rules.in_range = rule
        return rule

    def partial_value(self, rule: Rule) -> Rule:
        """Declares the rule `(ShapeContext) -> elements | None` for the known elements of an integer vector."""
        self.op_def.rules.partial_value = rule
        return rule

    def in_place(self, rule: Rule) -> Rule:
        """Declares a rule `attrs -> callable on arrays` for a NumPy program that is the only owner of the first list.

        The callable changes that list and returns it, first among its results.
        """
        self.op_def.rules.in_place = rule
        return rule

    def added_to(self, rule: Rule) -> Rule:
        """Declares how to add the result, which is mostly zeros, to an array without making the result.

        The function takes `xp`, the array and the kernel's arguments. It returns the sum, for which the NumPy engine
        lets it change the array, or None if the array has not the shape of the result.
        """
        self.op_def.rules.added_to = rule
        return rule

    def specialize(self, rule: Rule) -> Rule:
        """Declares a rule `(xp, dtypes, attrs) -> callable on arrays | None` for hot paths of the NumPy engine."""
        self.op_def.rules.specialize = rule
        return rule


if TYPE_CHECKING:

    class OpFunction(RuleDecorators):
        """What `@op` returns: a function of tensors with the decorators of the op's rules as attributes."""

        __name__: str
        __module__: str

        def __call__(self, *inputs: object, name: str | None = None, **attributes: object) -> Any: ...

else:
    OpFunction = types.FunctionType

_DECORATORS = tuple(name for name in vars(RuleDecorators) if not name.startswith("_") and name != "op_def")


def make_op_function(op_def: OpDef) -> OpFunction:
    """Returns the function of an op: inputs first, then the attributes without and with defaults, and `name`."""
    kernel = op_def.kernel
    inputs = kernel.__code__.co_varnames[1 : 1 + op_def.input_count]
    required, defaults = _attributes(op_def)
    function = _template(len(inputs), len(required), len(defaults))(op_def, *required, *defaults, *defaults.values())
    parameters = (*inputs, *required, *defaults, "name")
    code = function.__code__
    function.__code__ = code.replace(
        co_varnames=parameters + code.co_varnames[len(parameters) :],
        co_name=kernel.__name__,
        co_qualname=kernel.__name__,
        co_filename=kernel.__code__.co_filename,
        co_firstlineno=kernel.__code__.co_firstlineno,
    )
    function.__defaults__ = (*defaults.values(), None)
    function.__module__, function.__doc__ = kernel.__module__, kernel.__doc__
    function.__name__ = function.__qualname__ = kernel.__name__
    decorators = RuleDecorators(op_def)
    vars(function).update({name: getattr(decorators, name) for name in _DECORATORS}, op_def=op_def)
    return function


def _attributes(op_def: OpDef) -> tuple[list[str], dict[str, Any]]:
    """Returns the attributes that a call must give, and the other ones with their defaults.

    An attribute that follows from the inputs is not an argument of a call.
    """
    required, defaults = [], {}
    inputs = op_def.signature_text.partition("->")[0]
    for name in op_def.kernel_attrs:
        dtypes = op_def.types.get(name)
        if name in inputs and re.search(rf"\b{name}\b", inputs):
            continue
        if name in op_def.attr_defaults:
            defaults[name] = op_def.attr_defaults[name]
        elif isinstance(dtypes, TypeSet) and dtypes.default is not None:
            defaults[name] = dtypes.default
        else:
            required.append(name)
    return required, defaults


@functools.lru_cache(1024)
def _template(inputs: int, required: int, optional: int) -> Callable[..., Any]:
    """Returns the maker of functions with a number of inputs and attributes.

    The maker takes the op, the attributes' names, and the defaults.
    """
    tensors = [f"x{i}" for i in range(inputs)]
    values = [f"v{i}" for i in range(required + optional)]
    names = [f"n{i}" for i in range(required + optional)]
    defaults = [f"d{i}" for i in range(optional)]
    given = ", ".join(f"{name}: {value}" for name, value in zip(names[:required], values))
    tests = "".join(
        f"  if {value} is not {default}: attributes[{name}] = {value}\n"
        for value, name, default in zip(values[required:], names[required:], defaults)
    )
    operands = f"({' '.join(f'{tensor},' for tensor in tensors)})"
    attributes = "attributes" if tests else f"{{{given}}}"
    source = (
        f"def make({', '.join(['op', *names, *defaults])}):\n"
        f" def call({', '.join([*tensors, *values, 'name'])}):\n"
        + (f"  attributes = {{{given}}}\n{tests}" if tests else "")
        + f"  return execute(op, {operands}, {attributes}, name)\n"
        " return call\n"
    )
    scope: dict[str, Any] = {"__name__": __name__, "execute": execute}
    exec(source, scope)
    return scope["make"]
