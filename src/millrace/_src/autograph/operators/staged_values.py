"""Which values the graph must run.

A symbolic tensor has no value, so a branch on a symbolic tensor belongs into the graph. An eager tensor has a value.
While a graph is built an eager tensor is treated like a symbolic one all the same, so that a function means the same
whatever tensors it captures.
"""

from __future__ import annotations

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import state
from millrace._src.core.resources import is_variable_class
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.util.class_table import ClassTable


def _is_tensor_class(cls: type) -> bool:
    return issubclass(cls, Tensor) or hasattr(cls, "__tf_tensor__") or is_variable_class[cls]


staged = ClassTable(_is_tensor_class)
"""For each class, whether conditions of the class may belong into the graph."""

plain = frozenset({bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, type(None)})
"""The classes that are known not to be staged: asked first, since this lookup is faster."""

_iterable_classes: list[type] = []


def register_iterable(cls: type) -> None:
    """Makes `for` loops over objects of a class loops of the graph."""
    _iterable_classes.append(cls)
    staged_iterable.clear()


has_rows: ClassTable[bool] = ClassTable(lambda cls: issubclass(cls, CompositeTensor) and cls._has_rows)
"""For each class, whether its objects are composite tensors with rows, such as ragged tensors."""

staged_iterable = ClassTable(lambda cls: staged[cls] or has_rows[cls] or issubclass(cls, tuple(_iterable_classes)))
"""For each class, whether loops over objects of the class may belong into the graph."""


def is_tensor(value: object) -> bool:
    """Returns whether a value is a tensor or a variable."""
    return value.__class__ is not bool and staged[value.__class__]


def is_symbolic(value: object) -> bool:
    """Returns whether a value is a tensor of a graph."""
    return isinstance(value, SymbolicTensor)


def rows_belong_into_graph(value: object) -> bool:
    """Returns whether a value is a composite tensor over whose rows the graph that is being built iterates."""
    return state.graph is not None and has_rows[value.__class__]


def belongs_into_graph(value: object) -> bool:
    """Returns whether the graph that is being built runs what depends on a condition."""
    return is_tensor(value) and (state.graph is not None or is_symbolic(value))
