"""`and`, `or`, `not`, `in` over tensors.

Python's own operators ask their operands for a truth value, which a tensor of a graph does not have. Over such tensors
the operators are operations of the graph; `and` and `or` evaluate their second operand only where the first does not
decide, in the graph too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.staged_lists import graph_list
from millrace._src.autograph.operators.staged_values import belongs_into_graph, is_symbolic
from millrace._src.autograph.operators.tensorflow_refusals import AS_BOOL, refuse_if_strict
from millrace._src.control_flow.cond import cond
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.ops import raw


def and_value(first: object, second: Callable[[], Any]) -> Any:
    """Returns `first and second()`; the second is evaluated, also in the graph, only if the first is true."""
    if not belongs_into_graph(first):
        return first and second()
    predicate = condition_tensor(first, "`and`")
    return cond(predicate, lambda: _boolean(second()), lambda: predicate)


def or_value(first: object, second: Callable[[], Any]) -> Any:
    """Returns `first or second()`; the second is evaluated, also in the graph, only if the first is false."""
    if not belongs_into_graph(first):
        return first or second()
    predicate = condition_tensor(first, "`or`")
    return cond(predicate, lambda: predicate, lambda: _boolean(second()))


def and_(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """Returns `first() and second()`."""
    return and_value(first(), second)


def or_(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """Returns `first() or second()`."""
    return or_value(first(), second)


def not_(value: object) -> Any:
    """Returns `not value`."""
    if not belongs_into_graph(value):
        return not value
    return raw.LogicalNot(x=condition_tensor(value, "`not`"))


def _boolean(value: object) -> Any:
    return condition_tensor(value, "`and` or `or`")


def in_(item: Any, container: Any) -> Any:
    """Returns whether any element of a tensor, or of a Python collection, equals the item (`item in container`)."""
    items = graph_list(container)
    if items is not None:
        return _any_equal(convert_to_tensor(items), item)
    if is_symbolic(container):
        refuse_if_strict(TypeError, "argument of type 'SymbolicTensor' is not iterable.")
        return _any_equal(container, item)
    if is_symbolic(item) and isinstance(container, (list, tuple, set, frozenset, range, dict)):
        if not container:
            return False
        refuse_if_strict(OperatorNotAllowedInGraphError, AS_BOOL)
        return _any_equal(convert_to_tensor(list(container)), item)
    return item in container


def not_in(item: object, container: object) -> Any:
    """Returns `item not in container`."""
    return not_(in_(item, container))


def _any_equal(container: Any, item: Any) -> Any:
    equal = raw.Equal(x=container, y=convert_to_tensor(item, dtype=container.dtype))
    return raw.Any(input=raw.Reshape(tensor=equal, shape=[-1]), reduction_indices=[0])
