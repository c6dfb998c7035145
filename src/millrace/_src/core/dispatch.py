"""Op calls off the fast path: conversion, graphs, tapes, first calls, errors.

An op call has three steps, the same in every mode: bring the inputs to tensors
and find the type attributes; compute in eager mode or add a node to the graph;
tell the tapes. Each step is a small function here.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.context import eager_engine, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.execute import _level
from millrace._src.core.input_conversion import convert_inputs, dtype_of_peer, preferred_dtype
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.resources import is_variable_class
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.util import text
from millrace._src.util.class_table import ClassTable


def execute(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None) -> Any:
    """The general form of `core.execute.execute`."""
    if state.graph is None:
        return _execute_eagerly(op, inputs, attrs)
    attrs = op.normalize_attrs(attrs) if attrs or op.default_attrs else {}
    flat, operation = state.graph.add_call(op, inputs, attrs, name)
    outputs = operation.outputs
    if not outputs:
        return operation
    if state.tapes:
        outputs = outputs[:]  # a recorder may give an operation that holds graphs further outputs
        record(op, flat, outputs, attrs)
    return _result(op, outputs, attrs)


def execute_binary(op: OpDef, x: Any, y: Any, name: str) -> Any:
    """The general form of `core.execute.execute_binary`."""
    if state.graph is not None:
        return execute(op, (x, y), {}, name)
    if not (type(x) is EagerTensor and type(y) is EagerTensor):
        x, y, _ = eager_pair(x, y)
    return _execute_eagerly(op, (x, y), {})


def _execute_eagerly(op: OpDef, inputs: Sequence[Any], given: dict[str, Any]) -> Any:
    """Converts the inputs, then calls the kernel that is bound for their dtypes and these attributes."""
    flat: Any
    call: BoundCall | None
    try:
        call = op.calls[(*[x.dtype for x in inputs], *given.items())]
        values = [x._value for x in inputs]
        flat = inputs
    except (KeyError, AttributeError, TypeError):
        flat = quick_inputs(op, inputs)
        call = None
        if flat is not None:
            try:
                call = op.calls.get((*[t.dtype for t in flat], *given.items()))
            except TypeError:
                call = None  # an attribute that cannot be a key
        if call is None or flat is None:
            attrs = op.normalize_attrs(given) if given or op.default_attrs else {}
            flat = convert_inputs(op, inputs, attrs, None)
            call = bound_call(op, flat, attrs, given)
        values = [t._value for t in flat]
    try:
        result = state.quietly(call.kernel, *values) if call.is_quiet else call.kernel(*values)
    except Exception as error:
        if not _is_reentry(error):
            raise kernel_error(op, inputs, call.attrs, error) from None
        with np.errstate(all="ignore"):
            result = call.kernel(*values)
    if op.has_single_output:
        dtype = call.output_dtypes[0]
        output = EagerTensor(result if type(result) is np.ndarray else _level(result, dtype), dtype)
        for tape in state.tapes:
            tape.record_call(call, flat, (output,))
        return output
    outputs = wrap_outputs(op, result, call.output_dtypes)
    if not outputs:
        return _result(op, outputs, call.attrs) if op.signature.outputs else None
    for tape in state.tapes:
        tape.record_call(call, flat, outputs)
    return _result(op, outputs, call.attrs)


def quick_inputs(op: OpDef, inputs: Sequence[Any]) -> list[Any] | None:
    """The inputs as flat tensors if that is plain: tensors, or Python numbers beside a tensor of their type."""
    flat: list[Any] = []
    for arg, value in zip(op.signature.inputs, inputs, strict=True):
        if type(value) is EagerTensor:
            flat.append(value)
        elif type(value) in (list, tuple) and arg.number_attr is not None:
            if not value or any(type(v) is not EagerTensor for v in value):
                return None
            flat.extend(value)
        else:
            dtype = arg.dtype or dtype_of_peer(op.signature.inputs, inputs, arg)
            if dtype is None:
                dtype = preferred_dtype(op, arg, value) if type(value) in _PYTHON else None
            if dtype is None:
                return None
            try:
                flat.append(convert_to_tensor(value, dtype))
            except (TypeError, ValueError, OverflowError):
                return None
    return flat


def record(op: OpDef, flat_inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Tells every tape of an op that was carried out."""
    if op.rules.operation_tangents is not None and not isinstance(outputs[0], EagerTensor):
        outputs[0].op.tell(state.tapes)
        return
    for tape in state.tapes:
        tape.record(op, flat_inputs, outputs, attrs)


def _result(op: OpDef, outputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    if op.has_single_output:
        return outputs[0]
    if not op.has_list_arguments:
        return outputs
    args = op.signature.outputs
    grouped = op.signature.split_outputs(outputs, attrs)
    return grouped[0] if len(args) == 1 else grouped


# --- eager -------------------------------------------------------------------------------------------------------


_NUMBERS = (int, float)
_PYTHON = (int, float, list, tuple)


def eager_pair(x: Any, y: Any) -> tuple[Any, Any, tuple[DType, DType] | None]:
    """Two operands, one of them perhaps a number or a variable, as tensors where that is plain, and their dtypes."""
    if type(x) in _NUMBERS and type(y) not in _NUMBERS:
        y = _read(y)
        x = _number_like(x, y)
    elif type(y) in _NUMBERS:
        x = _read(x)
        y = _number_like(y, x)
    else:
        x, y = _read(x), _read(y)
    if type(x) is EagerTensor and type(y) is EagerTensor:
        return x, y, (x.dtype, y.dtype)
    return x, y, None


def _read(value: Any) -> Any:
    """The value of a variable; anything else as it is."""
    read = _readers[type(value)]
    return value if read is None else read(value)


_readers: ClassTable[Callable[[Any], Any] | None] = ClassTable(
    lambda cls: getattr(cls, "__tf_tensor__", None) if is_variable_class[cls] else None
)
"""How the value of a variable is read, by its class; None for classes of anything else."""


def _number_like(number: Any, tensor: Any) -> Any:
    """A Python number as a tensor of the dtype of `tensor`, or the number itself if it has no such form."""
    if type(tensor) is not EagerTensor:
        return number
    try:
        if number:
            kind: Any = type(number)
            return _cached_number(kind, number, tensor.dtype)
        return convert_to_tensor(number, tensor.dtype)  # 0.0 and -0.0 are equal as cache keys
    except (TypeError, ValueError, OverflowError):
        return number


@functools.lru_cache(maxsize=1024)
def _cached_number(kind: Any, number: Any, dtype: DType) -> EagerTensor:
    tensor: EagerTensor = convert_to_tensor(number, dtype)
    return tensor


class BoundCall:
    """What the calls of an op with the same dtypes and attributes share: the kernel, above all.

    Args:
      op: the op.
      dtypes: of its flat inputs.
      attrs: the complete attributes.
    """

    __slots__ = ("op", "dtypes", "attrs", "kernel", "output_dtypes", "is_quiet")

    def __init__(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> None:
        self.op = op
        self.dtypes = dtypes
        self.attrs = attrs
        self.kernel = eager_engine().bind(op, dtypes, attrs)
        self.output_dtypes = op.signature.output_dtypes(attrs)
        self.is_quiet = op.effects(attrs) is not Effects.IO
        """Whether to run with NumPy's warnings off: not where the user's Python may run, in the user's own context."""


def bound_call(op: OpDef, flat: Sequence[EagerTensor], attrs: dict[str, Any], given: dict[str, Any]) -> BoundCall:
    """The call for these dtypes and attributes (`attrs` complete, `given` as they were given).

    It is kept for later calls that give the same attributes; an unhashable one (an array) binds anew.
    """
    dtypes = tuple([t.dtype for t in flat])
    try:
        found: BoundCall | None = op.kernel_cache.get((dtypes, *attrs.items()))
    except TypeError:
        return BoundCall(op, dtypes, attrs)
    if found is None:
        found = op.kernel_cache[(dtypes, *attrs.items())] = BoundCall(op, dtypes, attrs)
    with contextlib.suppress(TypeError):
        op.calls[(*dtypes, *given.items())] = found
    _remember(found, given)
    return found


def _is_reentry(error: Exception) -> bool:
    """Whether a kernel could not run because the thread's quiet context is occupied.

    So a finalizer finds it that Python runs in the middle of a kernel.
    """
    return isinstance(error, RuntimeError) and "cannot enter context" in str(error)


def _remember(call: BoundCall, given: dict[str, Any]) -> None:
    """Keeps a bound kernel for the fast path, under the key that the same call will look up."""
    op = call.op
    if op.has_list_arguments or not call.is_quiet:
        return
    single = len(op.signature.outputs) == 1
    dtype, wrap = (call.output_dtypes[0], EagerTensor) if single else (None, _wrapper(op, call.output_dtypes))
    with contextlib.suppress(TypeError):
        op.bound[(*call.dtypes, *given.items())] = (call.kernel, dtype, wrap)


def _wrapper(op: OpDef, output_dtypes: list[DType]) -> Any:
    if not output_dtypes:
        return lambda result, dtype: None
    return lambda result, dtype: wrap_outputs(op, result, output_dtypes)


def wrap_outputs(op: OpDef, result: Any, dtypes: Sequence[DType]) -> list[EagerTensor]:
    """A kernel's result as a flat list of eager tensors."""
    arrays = flatten_result(op, result)
    return [EagerTensor(a if type(a) is np.ndarray else _level(a, d), d) for a, d in zip(arrays, dtypes, strict=True)]


def flatten_result(op: OpDef, result: Any) -> list[Any]:
    """A kernel's result (one array, a tuple of outputs, lists inside) as a flat list."""
    args = op.signature.outputs
    if not args:
        return []
    if len(args) == 1:
        return list(result) if args[0].is_list else [result]
    flat: list[Any] = []
    for arg, part in zip(args, result, strict=True):
        flat.extend(part) if arg.is_list else flat.append(part)
    return flat


# --- errors ------------------------------------------------------------------------------------------------------

_ARRAY_ERRORS = (ValueError, TypeError, IndexError, ArithmeticError, AttributeError, NotImplementedError)


def kernel_error(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], error: Exception) -> Exception:
    """The exception a user sees when a kernel fails: an error of `tf.errors` that names the op and its inputs."""
    if isinstance(error, errors.OpError):
        return _named_after(op, error)
    if _is_reentry(error):
        return error
    if isinstance(error, MemoryError):
        return out_of_memory(op.name, error, f" for {_inputs_text(inputs)}")
    if not isinstance(error, _ARRAY_ERRORS):
        return error
    message = shape_complaint(op, inputs, attrs) or f"{_inputs_text(inputs)}: {error}"
    return errors.InvalidArgumentError(None, None, f"{message} [Op:{op.name}] name: ")


def out_of_memory(op_name: str, error: MemoryError, inputs: str = "") -> errors.ResourceExhaustedError:
    """The error for an array that could not be made: NumPy's own says which, another has only its text."""
    shape, np_dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or np_dtype is None:
        what = f"OOM when allocating memory: {error}"
    else:
        sizes = ",".join(map(str, shape))
        what = f"OOM when allocating tensor with shape[{sizes}] and type {runtime_name(np_dtype)}"
    return errors.ResourceExhaustedError(None, None, f"{what}{inputs} [Op:{op_name}] name: ")


def failed(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], error: Exception) -> Any:
    """What the fast path does with an exception: it raises, or calls the op in another way."""
    if _is_reentry(error):
        return _execute_eagerly(op, inputs, attrs)
    raise kernel_error(op, inputs, attrs, error) from None


def _named_after(op: OpDef, error: errors.OpError) -> errors.OpError:
    if "[Op:" in error.message:
        return error
    kind: Any = type(error)
    named: errors.OpError = kind(error.node_def, error.op, f"{error.message} [Op:{op.name}] name: ")
    return named


def shape_complaint(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> str | None:
    """What the shape rule says against these concrete inputs, or None if it finds no fault."""
    if op.rules.shape is None:
        return None
    try:
        complete = op.normalize_attrs(attrs)
        flat = convert_inputs(op, inputs, complete, None) if not _is_flat(op, inputs) else list(inputs)
        _infer_lists(op, flat, complete)
        op.rules.shape(ShapeContext(op, flat, complete))
    except ValueError as complaint:
        return str(complaint)
    except Exception:
        return None
    return None


def _is_flat(op: OpDef, inputs: Sequence[Any]) -> bool:
    return all(isinstance(x, EagerTensor) for x in inputs)


def _infer_lists(op: OpDef, flat: list[Any], attrs: dict[str, Any]) -> None:
    """Adds the inferred attributes of a call whose inputs are already flat tensors."""
    remaining = list(flat)
    for arg in op.signature.inputs:
        if arg.type_attr and remaining:
            attrs.setdefault(arg.type_attr, remaining[0].dtype)
        remaining = remaining[1:] if not arg.is_list else remaining[attrs.get(arg.number_attr or "", len(remaining)) :]


def _inputs_text(inputs: Sequence[Any]) -> str:
    shown = [text.describe_value(x) if isinstance(x, Tensor) else type(x).__name__ for x in inputs]
    return f"inputs ({'; '.join(shown)})"


__all__ = ["convert_inputs", "execute", "flatten_result", "kernel_error", "out_of_memory", "record", "wrap_outputs"]
