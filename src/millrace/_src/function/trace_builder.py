"""From a Python value to its trace type.

The first rule that fits decides. An object with the tracing protocol names its own type; arrays are tensors; Python's
own containers are taken apart. Any other value is a literal if the value is plain, else a weak reference.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import EagerTensor
from millrace._src.function.trace_structures import AttrsType, CustomNest, DictType, ListType, NamedTupleType, TupleType
from millrace._src.function.trace_types import Literal, TraceType, Weakref
from millrace._src.function.tracing_context import TracingContext

_PLAIN = (int, float, bool, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range)
_IMMUTABLE = (*_PLAIN, DType, TensorShape, np.dtype)


def from_value(value: object, context: TracingContext | None = None) -> Any:
    """Returns the trace type of a Python value.

    >>> from millrace._src.function.trace_builder import from_value
    >>> from_value([1, {"a": "x"}])
    List[Literal[1], Dict[['a', Literal['x']]]]

    Raises: TypeError: if the value has no trace type: if it is mutable, and neither a container nor a tensor.
    """
    maker = _MAKERS.get(type(value))
    if maker is not None:
        return maker(value, context)
    context = context or TracingContext()
    if isinstance(value, (TraceType, TypeSpec)):
        return value
    if hasattr(value, "__tf_tracing_type__") and not isinstance(value, type):
        return value.__tf_tracing_type__(context)
    if is_array(value):
        return array_type(value)
    structure = _structure(value, context)
    return structure if structure is not None else _generic(value)


def is_array(value: object) -> bool:
    """Returns whether a value counts as a tensor because the value converts to a NumPy array."""
    return isinstance(value, (np.ndarray, np.generic)) or (
        hasattr(value, "__array__") and not isinstance(value, type) and not hasattr(value, "__tf_tracing_type__")
    )


def array_type(value: Any) -> TensorSpec:
    """Returns the spec of the tensor that an array-like value converts to."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcV":
        return TensorSpec(TensorShape.of(value.shape), as_dtype(value.dtype))
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def _structure(value: Any, context: TracingContext) -> Any:
    """Returns the trace type of a container, or None."""
    if isinstance(value, list):
        return ListType([from_value(item, context) for item in value])
    if isinstance(value, tuple):
        components = [from_value(item, context) for item in value]
        fields = getattr(type(value), "_fields", None)
        if fields is None or not all(isinstance(field, str) for field in fields):
            return TupleType(components)
        return NamedTupleType(value.__class__.__name__, fields, components, value.__class__)
    if isinstance(value, Mapping):
        return DictType({key: from_value(value[key], context) for key in value}, value.__class__)
    if hasattr(type(value), "__attrs_attrs__"):
        fields = [attribute.name for attribute in type(value).__attrs_attrs__]
        parts = [from_value(getattr(value, field), context) for field in fields]
        return AttrsType(type(value).__name__, fields, parts, type(value))
    if hasattr(value, "__tf_flatten__") and hasattr(type(value), "__tf_unflatten__"):
        metadata, parts = value.__tf_flatten__()
        return CustomNest(type(value), metadata, [from_value(part, context) for part in parts])
    return None


def _generic(value: object) -> TraceType:
    if isinstance(value, _IMMUTABLE):
        return Literal(value)
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}."
            "Please verify that it is immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it."
        ) from None
    try:
        return Weakref(weakref.ref(value))
    except TypeError:  # the class of the value has no weak references
        return Literal(value)


def _literal(value: object, context: TracingContext | None) -> Literal:
    return Literal(value)


def _eager(value: EagerTensor, context: TracingContext | None) -> TensorSpec:
    return TensorSpec(TensorShape.of(value._eager_array.shape), value.dtype)


def _list(value: list[Any], context: TracingContext | None) -> ListType:
    context = context or TracingContext()
    return ListType([from_value(item, context) for item in value])


def _tuple(value: tuple[Any, ...], context: TracingContext | None) -> TupleType:
    context = context or TracingContext()
    return TupleType([from_value(item, context) for item in value])


_MAKERS: dict[type, Callable[[Any, TracingContext | None], Any]] = dict.fromkeys(_PLAIN, _literal)
_MAKERS |= {EagerTensor: _eager, list: _list, tuple: _tuple}
