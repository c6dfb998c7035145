"""Python's operators on tensors, as TensorFlow defines them.

The class `Operators` is mixed into every class that behaves like a tensor in expressions (`Tensor`, `Variable`). Each
operator finds its op by name, so the core needs no op module. An operator that is more than one op (`/` casts integers,
`[]` builds a slice) finds the function that is declared to implement the operator (`@late_bound("truediv")`) in the
registry.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.dtypes import bool_, string
from millrace._src.core.execute import execute, execute_binary
from millrace._src.core.identity_comparison import requested
from millrace._src.core.op_registry import find_late_bound, get_op
from millrace._src.util.callers import is_library_code

if TYPE_CHECKING:
    from millrace._src.core.op_def import OpDef

_NO_ATTRS: dict[str, Any] = {}


@functools.cache
def _overload_of() -> Callable[..., Any]:
    from millrace._src.core.overloads import overload_of  # imports tensors, which import the operators

    return overload_of


@functools.cache
def _converter() -> Callable[..., Any]:
    from millrace._src.core.convert import convert_to_tensor  # imports tensors, which import the operators

    return convert_to_tensor


class _LateOp:
    """An op looked up on first use; afterwards a plain attribute."""

    def __init__(self, name: str) -> None:
        self.name = name

    @functools.cached_property
    def op_def(self) -> OpDef:
        return get_op(self.name)


def _binary(
    op_name: str, graph_name: str, public_name: str, reverse: str, special: tuple[Any, str] | None = None
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Makes the method and the reflected method of a binary operator that is one op, or one of two ops by dtype."""
    late = _LateOp(op_name)
    special_dtype, special_op = (None, late) if special is None else (special[0], _LateOp(special[1]))

    def forward(self: Any, other: object) -> Any:
        try:
            return execute_binary((special_op if self.dtype is special_dtype else late).op_def, self, other, graph_name)
        except (TypeError, ValueError) as error:
            if op_name == "AddV2" and state.graph is None and isinstance(other, _PLAIN) and other is not None:
                # `+` alone converts a plain value by itself, and then complains of the op's dtypes
                return execute(late.op_def, (self, _converter()(other)), _NO_ATTRS)
            return _overload_or_raise(public_name, self, other, reverse, error)

    def backward(self: Any, other: object) -> Any:
        if state.graph is None:
            other = _converter()(other, dtype=self.dtype, name="x")
        return execute_binary((special_op if self.dtype is special_dtype else late).op_def, other, self, graph_name)

    return forward, backward


def _overload_or_raise(public_name: str, self: Any, other: object, reverse: str | None, error: Exception) -> Any:
    """Calls the overload of an operator's function, or lets an operand of a foreign class try its reflected method.

    Raises: Exception: the given error, if there is neither.
    """
    for name in (_FUNCTIONS.get(public_name), public_name):
        found_overload = None if name is None else _overload_of()(name, self, other)
        if found_overload is not None:
            return found_overload(self, other)
    is_foreign = not isinstance(other, Operators) and not isinstance(other, _PLAIN)
    if is_foreign and reverse is not None and hasattr(type(other), reverse):
        return NotImplemented
    raise error.with_traceback(None) from error.__cause__


_FUNCTIONS = {
    "math.add": "__operators__.add",
    "math.equal": "__operators__.eq",
    "math.not_equal": "__operators__.ne",
}
"""The operators that have functions of their own besides those of the ops; an overload of either counts."""

_NUMBERS = frozenset((bool, int, float))
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, type(None))


def _function_binary(name: str, public_name: str, reverse: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Makes the method and the reflected method of a binary operator that a function implements."""

    def forward(self: Any, other: object) -> Any:
        try:
            return find_late_bound(name)(self, other, name=name)
        except (TypeError, ValueError) as error:
            return _overload_or_raise(public_name, self, other, reverse, error)

    def backward(self: Any, other: object) -> Any:
        with context.name_scope(name) as scope:
            first = _converter()(other, dtype=self.dtype, name="x")
            return find_late_bound(name)(first, self, name=scope)

    return forward, backward


def _logical(
    bool_op: str | None, int_op: str, graph_name: str, reverse: str
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Makes the methods of `&`, `|`, `^`: logical on booleans (an op, or None for a function), bitwise on integers."""
    logical, bitwise = _LateOp(bool_op or ""), _LateOp(int_op)

    def apply(self: Any, first: object, second: object) -> Any:
        if self.dtype.name == "bool":
            if bool_op is None:
                with context.name_scope(graph_name) as scope:
                    return find_late_bound(graph_name)(first, second, name=scope)
            return execute(logical.op_def, (first, second), _NO_ATTRS, graph_name)
        with context.name_scope(graph_name):
            return execute(bitwise.op_def, (first, second), _NO_ATTRS)

    def forward(self: Any, other: object) -> Any:
        try:
            return apply(self, self, other)
        except (TypeError, ValueError) as error:
            family = "math.logical" if self.dtype.name == "bool" else "bitwise.bitwise"
            return _overload_or_raise(f"{family}_{graph_name}", self, other, reverse, error)

    def backward(self: Any, other: object) -> Any:
        return apply(self, other, self)

    return forward, backward


def _comparison(op_name: str, public_name: str) -> Callable[..., Any]:
    late = _LateOp(op_name)

    def compare(self: Any, other: object) -> Any:
        try:
            return execute(late.op_def, (self, other), _NO_ATTRS)
        except (TypeError, ValueError) as error:
            return _overload_or_raise(public_name, self, other, None, error)

    return compare


def _equality(op_name: str, *, unequal: bool) -> Callable[..., Any]:
    """Makes `==` or `!=`: element-wise, False (True) where the shapes cannot match; identity in a plain v1 graph."""
    late = _LateOp(op_name)
    attrs = {"incompatible_shape_error": False}

    def compare(self: Any, other: object) -> Any:
        if other is None:
            return unequal
        if compares_by_identity(self):
            return (self is not other) if unequal else (self is other)
        try:
            if state.run is not None and type(other) in _NUMBERS:  # whose shape matches every other
                return execute_binary(late.op_def, self, other, op_name)
            return execute(late.op_def, (self, other), attrs)
        except (TypeError, ValueError) as error:
            return _overload_or_raise("math.not_equal" if unequal else "math.equal", self, other, None, error)

    return compare


def compares_by_identity(value: Any) -> bool:
    """Returns whether `==` of a tensor or variable is identity: in a plain v1 graph, and for a tensor of such a graph.

    It is identity everywhere in a program that asks for it; the library's own comparisons are not concerned.
    """
    if requested.identity and not is_library_code(2):
        return True
    if state.graph is None:
        return value._is_of_plain_graph
    return context.outermost_context() is not None


class Operators:  # noqa: PLW1641  (the subclasses decide how they hash)
    """Python's operators for tensor-like objects."""

    __slots__ = ()
    __array_priority__ = 100
    _is_of_plain_graph = False
    """Whether the value belongs to a graph that is not a function."""
    dtype: Any

    __add__, __radd__ = _binary("AddV2", "add", "math.add", "__radd__", special=(string, "Add"))
    __sub__, __rsub__ = _binary("Sub", "sub", "math.subtract", "__rsub__")
    __mul__, __rmul__ = _binary("Mul", "mul", "math.multiply", "__rmul__", special=(bool_, "LogicalAnd"))
    __floordiv__, __rfloordiv__ = _binary("FloorDiv", "floordiv", "math.floordiv", "__rfloordiv__")
    __mod__, __rmod__ = _binary("FloorMod", "mod", "math.floormod", "__rmod__")
    __pow__, __rpow__ = _binary("Pow", "pow", "math.pow", "__rpow__")
    __truediv__, __rtruediv__ = _function_binary("truediv", "math.truediv", "__rtruediv__")
    __matmul__, __rmatmul__ = _function_binary("matmul", "linalg.matmul", "__rmatmul__")
    __and__, __rand__ = _logical("LogicalAnd", "BitwiseAnd", "and", "__rand__")
    __or__, __ror__ = _logical("LogicalOr", "BitwiseOr", "or", "__ror__")
    __xor__, __rxor__ = _logical(None, "BitwiseXor", "xor", "__rxor__")
    __lt__ = _comparison("Less", "math.less")
    __le__ = _comparison("LessEqual", "math.less_equal")
    __gt__ = _comparison("Greater", "math.greater")
    __ge__ = _comparison("GreaterEqual", "math.greater_equal")
    __eq__ = _equality("Equal", unequal=False)
    __ne__ = _equality("NotEqual", unequal=True)

    def __neg__(self) -> Any:
        return execute(get_op("Neg"), (self,), _NO_ATTRS)

    def __abs__(self) -> Any:
        return find_late_bound("abs")(self)

    def __invert__(self) -> Any:
        name = "LogicalNot" if self.dtype.name == "bool" else "Invert"
        return execute(get_op(name), (self,), _NO_ATTRS)

    def __getitem__(self, key: object) -> Any:
        return find_late_bound("getitem")(self, key)
