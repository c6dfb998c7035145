"""The fast path through a call: from arguments to the prepared runner of a trace, without trace types.

Problem: binding arguments and making trace types costs ten microseconds; most calls repeat an earlier call with other
tensor values.

Idea: a flat key holds the facts about each argument that decide the trace: dtype number and shape of a tensor, type and
value of a Python value, the parts of a container, the spec of a composite tensor. After a call has taken the slow path,
a `PreparedCall` for the call's key is kept, and the next call with an equal key uses it. Calls with an argument that
has no simple key (an object with the tracing protocol) take the slow path.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import from_np
from millrace._src.core.engine import Program
from millrace._src.core.specs import TypeSpec
from millrace._src.core.tensor import EagerTensor, PendingTensor, Tensor, array_of, wait_for_array
from millrace._src.function.argument_tensors import make_packer
from millrace._src.function.trace_types import TraceType, literal_key
from millrace._src.state.variable import Variable
from millrace._src.trackable.data_structures import TrackableDataStructure
from millrace._src.trackable.dict_wrapper import DictWrapper
from millrace._src.trackable.list_wrapper import ListWrapper
from millrace._src.trackable.tuple_wrapper import TupleWrapper
from millrace._src.util import nest
from millrace._src.util.class_table import ClassTable

_ndarray = np.ndarray


class NoFastCallError(Exception):
    """An argument has no simple key."""


class PreparedCall:
    """Runs a trace on arrays, in eager mode without tapes, by whatever program runs the trace at the moment.

    Args:
      concrete: the trace.
      arrays: the arrays of the tensor arguments of a call, with the shapes that all calls have; None for any shapes.
      entry: the cache entry of the trace, whose tick each call with the same key sets; None for a call without a key.

    Attributes:
      run: From the arrays of the tensor arguments to the result.
    """

    __slots__ = ("__weakref__", "_concrete", "_reads", "entry", "run")

    def __init__(self, concrete: Any, arrays: Sequence[Any] | None = None, entry: Any = None) -> None:
        self.entry = entry
        self._concrete = concrete
        self._reads = arrays is not None and not all(type(array) is np.ndarray for array in arrays)
        self.run: Callable[[list[Any]], Any]
        program: Program = concrete.graph_function.program()
        if program.tiering is not None:
            arguments = None if arrays is None else [*arrays, *concrete.captured_arrays]
            program = program.tiering.hold(self, arguments)
        self.use(program)

    def use(self, program: Program) -> None:
        """Runs the trace by a program from now on."""
        run = make_runner(self._concrete, program)
        if self._reads and not program.takes_pending:
            self.run = lambda arrays: run([*map(wait_for_array, arrays)])
        else:
            self.run = run


def make_runner(concrete: Any, program: Program) -> Callable[[list[Any]], Any]:
    """Makes a function from the arrays of a trace's tensor arguments to the result."""
    run_program, make = program.quiet_run(pending=True), program.make_tensor
    outputs = concrete.graph.outputs
    dtypes = [tensor.dtype for tensor in outputs]
    if len(outputs) == 1 and concrete.pack is make_packer(concrete.function_type.output):
        dtype = dtypes[0]

        def run_one(arrays: list[Any]) -> Any:
            (value,) = run_program(*arrays, *concrete.captured_arrays)
            return make(value, dtype)

        return run_one
    pack = concrete.pack
    if len(outputs) == 1:
        dtype = dtypes[0]

        def run_and_pack_one(arrays: list[Any]) -> Any:
            (value,) = run_program(*arrays, *concrete.captured_arrays)
            return pack((make(value, dtype),))

        return run_and_pack_one

    def run(arrays: list[Any]) -> Any:
        values = run_program(*arrays, *concrete.captured_arrays)
        return pack([make(value, dtype) for value, dtype in zip(values, dtypes)])

    return run


def are_passed_unchanged(arrays: Sequence[Any], tensors: Sequence[Any]) -> bool:
    """Returns whether the trace takes the very arrays of the key: nothing was converted."""
    if len(arrays) != len(tensors):
        return False
    for array, tensor in zip(arrays, tensors):
        value = getattr(tensor, "_eager_array", None)
        if value is None or (array is not value and (array.dtype != value.dtype or array.shape != value.shape)):
            return False
    return True


# --- keys --------------------------------------------------------------------------------------------------------


class _CallKey:
    """The arrays of one call, and the variables among its arguments."""

    __slots__ = ("arrays", "variables")

    def __init__(self, arrays: list[Any]) -> None:
        self.arrays = arrays
        self.variables: dict[int, int] = {}


_Part = Callable[[Any, _CallKey], Hashable]


def flat_key(
    args: Sequence[Any], kwargs: Mapping[str, Any], order: Mapping[str, int]
) -> tuple[tuple[Any, ...], list[Any]]:
    """Returns the key of a call and the arrays of its tensors, in the order of the trace's inputs.

    Raises: NoFastCallError: if an argument has no simple key.
    """
    call = _CallKey([])
    key = [_part(value, call) for value in args]
    if kwargs:
        names = sorted(kwargs, key=lambda name: (order.get(name, len(order)), name))
        key += [_part(kwargs[name], call) for name in names]
        key.append(tuple(names))
    return tuple(key), call.arrays


def _part(value: object, call: _CallKey) -> Hashable:
    return _handlers[type(value)](value, call)


def _tensor_part(value: EagerTensor, call: _CallKey) -> Hashable:
    call.arrays.append(value._eager_array)
    return value.dtype.enum, value._eager_array.shape


def _pending_part(value: EagerTensor, call: _CallKey) -> Hashable:
    array = array_of(value)
    call.arrays.append(array)
    return value.dtype.enum, array.shape, PendingTensor


def _array_part(value: Any, call: _CallKey) -> Hashable:
    if value.dtype.kind not in "biufc" or not value.dtype.isnative:
        raise NoFastCallError
    array = np.array(value, copy=True, order="C")
    call.arrays.append(array)
    return from_np(array.dtype).enum, array.shape


def _plain_part(value: object, call: _CallKey) -> Hashable:
    return type(value), value


def _number_part(value: object, call: _CallKey) -> Hashable:
    return literal_key(value)


def _sequence_part(value: Any, call: _CallKey) -> Hashable:
    return (type(value), *[_part(item, call) for item in value])


def _dict_part(value: dict[Any, Any], call: _CallKey) -> Hashable:
    try:
        keys = sorted(value)
    except TypeError:
        raise NoFastCallError from None
    return (dict, tuple(keys), *[_part(value[key], call) for key in keys])


def _wrapper_part(value: TrackableDataStructure, call: _CallKey) -> Hashable:
    return _part(value._plain, call)


def _variable_part(value: Any, call: _CallKey) -> Hashable:
    handle = value.handle
    if type(handle) is not EagerTensor:
        raise NoFastCallError
    call.arrays.append(handle._eager_array)
    number = call.variables.setdefault(id(handle), len(call.variables))
    return type(value), value.dtype.enum, value.shape, bool(value.trainable), number


def _composite_part(value: CompositeTensor, call: _CallKey) -> Hashable:
    components = value._nest_components()
    tensors = nest.flatten(components, expand_composites=True) if type(components) is not EagerTensor else [components]
    for tensor in tensors:
        if type(tensor) is not EagerTensor:
            raise NoFastCallError
        call.arrays.append(tensor._eager_array)
    return type(value), value._type_spec


def _object_part(value: object, call: _CallKey) -> Hashable:
    return type(value), weakref.ref(value)


def _refuse_part(value: object, call: _CallKey) -> Hashable:
    raise NoFastCallError


_PLAIN: tuple[type, ...] = (int, bool, str, bytes, type(None), type(Ellipsis), range)
_HANDLERS: dict[type, _Part] = dict.fromkeys(_PLAIN, _plain_part) | {
    float: _number_part,
    complex: _number_part,
    list: _sequence_part,
    tuple: _sequence_part,
    dict: _dict_part,
    EagerTensor: _tensor_part,
    PendingTensor: _pending_part,
    np.ndarray: _array_part,
}
_SPECIAL = ("__tf_tracing_type__", "__tf_flatten__", "__attrs_attrs__", "__array__")


def _handler_for(kind: type) -> _Part:
    """Returns the function that makes the part of a key for instances of a class."""
    if kind in _HANDLERS:
        return _HANDLERS[kind]
    if issubclass(kind, np.generic):
        return _array_part
    if issubclass(kind, Variable):
        return _variable_part
    if issubclass(kind, (ListWrapper, DictWrapper, TupleWrapper)):
        return _wrapper_part
    if issubclass(kind, CompositeTensor) and kind.__tf_tracing_type__ is CompositeTensor.__tf_tracing_type__:
        return _composite_part
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _sequence_part
    containers = (Tensor, TypeSpec, TraceType, Mapping, list, tuple, int, float, complex, str, bytes)
    if issubclass(kind, containers) or any(hasattr(kind, name) for name in _SPECIAL) or not kind.__weakrefoffset__:
        return _refuse_part
    return _object_part


_handlers: ClassTable[_Part] = ClassTable(_handler_for)
