"""Op calls off the fast path: conversion, graphs, tapes, first calls, errors.

An op call has three steps, the same in every mode: bring the inputs to tensors
and find the type attributes; compute in eager mode or add a node to the graph;
tell the tapes. Each step is a small function here.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.arrays import make_array
from millrace._src.core.context import eager_engine, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.execute import _level
from millrace._src.core.op_def import RUNTIME_NAMES, Effects, OpDef
from millrace._src.core.op_signature import Arg, TypeList, TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.util import text


def execute(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None) -> Any:
    """The general form of `core.execute.execute`."""
    if state.graph is None:
        return _execute_eagerly(op, inputs, attrs)
    attrs = op.normalize_attrs(attrs) if attrs or op.has_default_attrs else {}
    flat, operation = state.graph.add_call(op, inputs, attrs, name)
    outputs = operation.outputs
    if not outputs:
        return operation
    if state.tapes:
        outputs = outputs[:]  # a recorder may give an operation that holds graphs further outputs
        record(op, flat, outputs, attrs)
    return _result(op, outputs, attrs)


def _execute_eagerly(op: OpDef, inputs: Sequence[Any], given: dict[str, Any]) -> Any:
    """Converts the inputs, then calls the kernel that is bound for their dtypes and these attributes."""
    flat = quick_inputs(op, inputs)
    call = None
    if flat is not None:
        try:
            call = op.calls.get((*[t.dtype for t in flat], *given.items()))
        except TypeError:
            call = None  # an attribute that cannot be a key
    if call is None or flat is None:
        attrs = op.normalize_attrs(given) if given or op.has_default_attrs else {}
        flat = convert_inputs(op, inputs, attrs, None)
        call = _bound_call(op, flat, attrs, given)
    kernel, output_dtypes, attrs = call
    try:
        result = _call_kernel(op, kernel, [t._value for t in flat], attrs)
    except Exception as error:
        raise kernel_error(op, inputs, attrs, error) from None
    outputs = wrap_outputs(op, result, output_dtypes)
    if not outputs:
        return _result(op, outputs, attrs) if op.signature.outputs else None
    if state.tapes:
        record(op, flat, outputs, attrs)
    return outputs[0] if op.has_single_output else _result(op, outputs, attrs)


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
            dtype = arg.dtype or _dtype_of_peer(op.signature.inputs, inputs, arg)
            if dtype is None:
                dtype = _preferred_dtype(op, arg, value) if type(value) in _PYTHON else None
            if dtype is None:
                return None
            try:
                flat.append(convert_to_tensor(value, dtype))
            except (TypeError, ValueError, OverflowError):
                return None
    return flat


def record(op: OpDef, flat_inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Tells every tape of an op that was carried out."""
    if op.operation_tangents is not None and not isinstance(outputs[0], EagerTensor):
        outputs[0].op.tell(state.tapes)
        return
    for tape in state.tapes:
        tape.record(op, flat_inputs, outputs, attrs)


def _result(op: OpDef, outputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    args = op.signature.outputs
    if len(args) == 1 and not args[0].is_list:
        return outputs[0]
    grouped = op.signature.split_outputs(outputs, attrs)
    return grouped[0] if len(args) == 1 else grouped


# --- eager -------------------------------------------------------------------------------------------------------


_NUMBERS = (int, float)
_PYTHON = (int, float, list, tuple)
_SCALARS = (bool, int, float, complex, str, bytes)


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
    if type(value) is EagerTensor or not hasattr(type(value), "_read"):
        return value
    return value._read()


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


def _bound_call(
    op: OpDef, flat: Sequence[EagerTensor], attrs: dict[str, Any], given: dict[str, Any]
) -> tuple[Any, list[DType], dict[str, Any]]:
    """The kernel bound for these dtypes and attributes, with the output dtypes and the complete attributes.

    It is kept for later calls that give the same attributes; an unhashable one (an array) binds anew.
    """
    dtypes = tuple([t.dtype for t in flat])
    try:
        found = op.kernel_cache.get((dtypes, *attrs.items()))
    except TypeError:
        return eager_engine().bind(op, dtypes, attrs), op.signature.output_dtypes(attrs), attrs
    if found is None:
        found = (eager_engine().bind(op, dtypes, attrs), op.signature.output_dtypes(attrs), attrs)
        op.kernel_cache[(dtypes, *attrs.items())] = found
    with contextlib.suppress(TypeError):
        op.calls[(*dtypes, *given.items())] = found
    _remember(op, dtypes, attrs, given, found[0], found[1])
    return found


def _call_kernel(op: OpDef, kernel: Any, values: Sequence[Any], attrs: dict[str, Any]) -> Any:
    if op.effects(attrs) is Effects.IO:
        return kernel(*values)  # may run the user's Python, which must see the user's own contextvars and np.seterr
    try:
        return state.runner()(kernel, *values)
    except RuntimeError as error:
        if "cannot enter context" not in str(error):
            raise
        with np.errstate(all="ignore"):
            return kernel(*values)


def _remember(
    op: OpDef,
    dtypes: tuple[DType, ...],
    attrs: dict[str, Any],
    given: dict[str, Any],
    kernel: Any,
    output_dtypes: list[DType],
) -> None:
    """Keeps a bound kernel for the fast path, under the key that the same call will look up."""
    if op.has_list_arguments or op.effects(attrs) is Effects.IO:
        return
    single = len(op.signature.outputs) == 1
    dtype, wrap = (output_dtypes[0], EagerTensor) if single else (None, _wrapper(op, output_dtypes))
    with contextlib.suppress(TypeError):
        op.bound[(*dtypes, *given.items())] = (kernel, dtype, wrap)


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


# --- inputs ------------------------------------------------------------------------------------------------------


def convert_inputs(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], scope: str | None) -> list[Any]:
    """Converts the inputs to tensors by the signature's rules; adds the inferred attributes to `attrs`.

    A Python value takes the dtype of a tensor that shares its type attribute. `scope` is the operation's name
    in a graph: constants made of Python values are named `scope/argument`.
    """
    flat: list[Any] = []
    signature_inputs = op.signature.inputs
    owners: dict[str, str] = {}
    checks: list[tuple[Arg, Any, DType | None, int]] = []
    for position, (arg, value) in enumerate(zip(signature_inputs, inputs, strict=True)):
        if arg.is_list:
            flat.extend(_convert_list(op, arg, value, attrs, scope, owners))
            continue
        dtype = arg.dtype
        if dtype is None:
            known = attrs.get(arg.type_attr) if arg.type_attr in owners or arg.type_attr in attrs else None
            dtype = known if arg.type_attr in owners else None
            hint = (
                dtype
                or _dtype_of_peer(signature_inputs, inputs, arg)
                or known
                or _preferred_dtype(op, arg, value, scope)
            )
        else:
            hint = dtype
        flat.append(_convert_one(op, arg.name, value, hint, scope, dtype))
        if arg.type_attr is not None and arg.type_attr not in owners:
            attrs[arg.type_attr], owners[arg.type_attr] = flat[-1].dtype, arg.name
        if scope is None:
            checks.append((arg, flat[-1], dtype, position))
        else:
            _check_dtype(op, arg, arg.name, flat[-1], dtype, position, attrs, owners, scope)
    for arg, tensor, dtype, position in checks:
        _check_dtype(op, arg, arg.name, tensor, dtype, position, attrs, owners, scope)
    return flat


def _default(op: OpDef, arg: Arg) -> DType | None:
    type_set = op.types.get(arg.type_attr or "")
    return type_set.default if isinstance(type_set, TypeSet) else None


def _preferred_dtype(op: OpDef, arg: Arg, value: Any, scope: str | None = None) -> DType | None:
    """The dtype for a value that nothing else decides: its own if the op allows it, else the attribute's default.

    In a graph TensorFlow's first try leaves its constant behind: `Reshape/shape` (float32) of `tf.reshape(x, [])`,
    which reads `Reshape/shape_1`.
    """
    default = _default(op, arg)
    if default is None or isinstance(value, (str, bytes)) or isinstance(getattr(value, "dtype", None), DType):
        return None
    try:
        own = make_array(value, None)[1]
        if isinstance(value, (list, tuple)):
            make_array(value, default)
    except (ValueError, OverflowError):
        return default
    except TypeError:
        return None
    allowed = op.types.get(arg.type_attr or "")
    if isinstance(allowed, TypeSet) and own in allowed:
        return own
    if scope is not None:
        convert_to_tensor(value, name=f"{scope}/{arg.name}")
    return default


def _dtype_of_peer(args: Sequence[Arg], inputs: Sequence[Any], wanted: Arg) -> DType | None:
    """The dtype of the first tensor among the inputs that share the type attribute of `wanted`."""
    attr = wanted.type_attr
    for arg, value in zip(args, inputs, strict=True):
        if arg.type_attr != attr or attr is None:
            continue
        for item in value if arg.is_list and isinstance(value, (list, tuple)) else (value,):
            dtype = getattr(item, "dtype", None)
            if type(dtype) is DType:
                return dtype.base_dtype
    return None


def _convert_one(
    op: OpDef, name: str, value: Any, hint: DType | None, scope: str | None, wanted: DType | None = None
) -> Any:
    """One value as a tensor, of dtype `hint` if it has such a form; `wanted` is the only dtype that will do."""
    if type(value) is EagerTensor and scope is None:
        return value
    if hint is not None and hint.name == "resource":
        value = getattr(value, "handle", value)
    full_name = f"{scope}/{name}" if scope is not None else name
    try:
        if hint is None or isinstance(value, Tensor):
            return _inside(convert_to_tensor(value, name=full_name), full_name)
        try:
            return _inside(convert_to_tensor(value, dtype=hint, name=full_name), full_name)
        except (TypeError, ValueError, OverflowError) as error:
            if scope is not None and wanted is not None and isinstance(error, TypeError):
                raise _unexpected_value(op, name, value, wanted, error) from None
            if value is None or isinstance(value, (list, tuple)) or scope is None and isinstance(value, _SCALARS):
                raise
            return _inside(convert_to_tensor(value, name=full_name), full_name)
    except ValueError as error:
        if scope is None or isinstance(value, Tensor):
            raise
        raise ValueError(f"Tried to convert '{name}' to a tensor and failed. Error: {error}") from None


def _unexpected_value(op: OpDef, name: str, value: Any, wanted: DType, error: TypeError) -> TypeError:
    return TypeError(
        f"Expected {wanted.name} passed to parameter '{name}' of op '{op.name}', got {value!r} of type "
        f"'{type(value).__name__}' instead. Error: {error}"
    )


def _inside(tensor: Any, name: str) -> Any:
    """A tensor as the current graph may use it: one of an outer graph is captured."""
    graph = state.graph
    if graph is None or tensor.op.graph is graph:
        return tensor
    return graph.capture(tensor, name)


def _convert_list(
    op: OpDef, arg: Arg, value: Any, attrs: dict[str, Any], scope: str | None, owners: dict[str, str]
) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for '{arg.name}' argument to '{op.name}' Op, not {value}.")
    if arg.type_list_attr is not None:
        _check_length(op, arg.type_list_attr, len(value), scope)
        declared = attrs.get(arg.type_list_attr)
        hints = declared if declared is not None and len(declared) == len(value) else [None] * len(value)
        tensors = [
            _convert_one(op, f"{arg.name}_{i}", v, h, scope) for i, (v, h) in enumerate(zip(value, hints, strict=True))
        ]
        attrs[arg.type_list_attr] = tuple(t.dtype for t in tensors)
        return tensors
    dtype = arg.dtype or (attrs.get(arg.type_attr or "") if arg.type_attr in owners else None)
    hint = (
        dtype
        or next((v.dtype for v in value if isinstance(getattr(v, "dtype", None), DType)), None)
        or _default(op, arg)
    )
    tensors = []
    try:
        for i, item in enumerate(value):
            tensor = _convert_one(op, f"{arg.name}_{i}", item, hint, scope)
            hint = hint or tensor.dtype
            _check_dtype(op, arg, f"{arg.name}[{i}]", tensor, dtype, i, attrs, owners, scope)
            dtype = dtype or tensor.dtype
            tensors.append(tensor)
    except (TypeError, ValueError):
        if scope is None:
            raise
        raise _mixed_list(op, arg, value) from None
    if arg.type_attr and not tensors and arg.type_attr not in attrs:
        attrs[arg.type_attr] = _default(op, arg)
    known = attrs.get(arg.number_attr or "")
    if arg.number_attr in owners and known != len(tensors):
        raise ValueError(
            f"List argument '{arg.name}' to '{op.name}' Op with length {len(tensors)} must match length "
            f"{known} of argument "
            f"'{owners[arg.number_attr or '']}'."
        )
    attrs[arg.number_attr or ""] = len(tensors)
    owners.setdefault(arg.number_attr or "", arg.name)
    return tensors


def _check_length(op: OpDef, attr: str, length: int, scope: str | None) -> None:
    """Refuses a list of tensors that is shorter than the attribute of its dtypes allows."""
    types = op.types.get(attr)
    minimum = types.minimum if isinstance(types, TypeList) else 0
    if length >= minimum:
        return
    if scope is not None:
        raise ValueError(f"Attr '{attr}' of '{op.name}' Op passed list of length {length} less than minimum {minimum}.")
    raise errors.InvalidArgumentError(
        None,
        None,
        f"Length for attr '{attr}' of {length} must be at least minimum {minimum}\n\t; NodeDef: {{{{node {op.name}}}}} "
        f"[Op:{op.name}] name: ",
    )


def _mixed_list(op: OpDef, arg: Arg, values: Sequence[Any]) -> TypeError:
    """The refusal, in a graph, of a list whose elements have no dtype in common, or not the one declared."""
    expected = "that don't all match" if arg.dtype is None else f"that do not match expected type {arg.dtype.name}"
    types = ", ".join(map(_type_name, values))
    return TypeError(f"Tensors in list passed to '{arg.name}' of '{op.name}' Op have types [{types}] {expected}.")


def _type_name(value: Any) -> str:
    if isinstance(getattr(value, "dtype", None), DType):
        return str(value.dtype.base_dtype.name)
    try:
        return make_array(value, None)[1].name
    except (TypeError, ValueError):
        return "<NOT CONVERTIBLE TO TENSOR>"


def _check_dtype(
    op: OpDef,
    arg: Arg,
    name: str,
    tensor: Any,
    dtype: DType | None,
    position: int,
    attrs: dict[str, Any],
    owners: dict[str, str],
    scope: str | None,
) -> None:
    """Ties a type attribute to the first tensor that uses it; refuses a tensor of another dtype."""
    actual = tensor.dtype
    if dtype is not None:
        if actual is not dtype:
            raise _wrong_dtype(op, arg, name, actual, dtype, position, owners, scope)
        return
    attr = arg.type_attr or ""
    type_set = op.types.get(attr)
    if isinstance(type_set, TypeSet) and actual not in type_set:
        raise _dtype_not_allowed(op, attr, name, actual, type_set, scope)
    attrs[attr] = actual
    owners[attr] = arg.name


def _wrong_dtype(
    op: OpDef,
    arg: Arg,
    name: str,
    actual: DType,
    dtype: DType,
    position: int,
    owners: dict[str, str],
    scope: str | None,
) -> Exception:
    if scope is None:
        return errors.InvalidArgumentError(
            None,
            None,
            f"cannot compute {op.name} as input #{position}(zero-based) was expected to be a "
            f"{_c_name(dtype)} tensor but is a "
            f"{_c_name(actual)} tensor [Op:{op.name}] name: ",
        )
    if arg.dtype is not None:
        return TypeError(
            f"Input '{arg.name}' of '{op.name}' Op has type {actual.name} that does not match expected "
            f"type of {dtype.name}."
        )
    return TypeError(
        f"Input '{name}' of '{op.name}' Op has type {actual.name} that does not match type {dtype.name} of argument "
        f"'{owners.get(arg.type_attr or '', '')}'."
    )


def _c_name(dtype: DType) -> str:
    """TensorFlow's runtime name of a dtype."""
    return RUNTIME_NAMES.get(dtype.name, dtype.name)


def _dtype_not_allowed(
    op: OpDef, attr: str, name: str, actual: DType, allowed: TypeSet, scope: str | None
) -> Exception:
    if scope is None:
        names = ", ".join(_c_name(d) for d in allowed)
        return errors.InvalidArgumentError(
            None,
            None,
            f"Value for attr '{attr}' of {_c_name(actual)} is not in the list of allowed values: {names}\n"
            f"\t; NodeDef: {{{{node {op.name}}}}}; argument '{name}' of {op.name} [Op:{op.name}] name: ",
        )
    names = ", ".join(d.name for d in allowed)
    return TypeError(
        f"Value passed to parameter '{name}' has DataType {actual.name} not in list of allowed values: {names}"
    )


# --- errors ------------------------------------------------------------------------------------------------------

_ARRAY_ERRORS = (ValueError, TypeError, IndexError, ArithmeticError, AttributeError, NotImplementedError)


def kernel_error(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], error: Exception) -> Exception:
    """The exception a user sees when a kernel fails: an error of `tf.errors` that names the op and its inputs."""
    if isinstance(error, errors.OpError):
        return _named_after(op, error)
    if isinstance(error, RuntimeError) and "cannot enter context" in str(error):
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
        what = (
            f"OOM when allocating tensor with shape[{sizes}] and type {RUNTIME_NAMES.get(np_dtype.name, np_dtype.name)}"
        )
    return errors.ResourceExhaustedError(None, None, f"{what}{inputs} [Op:{op_name}] name: ")


def failed(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], error: Exception) -> Any:
    """What the fast path does with an exception: it raises, or calls the op in another way.

    A finalizer that Python runs in the middle of a kernel finds the thread's quiet context occupied.
    """
    if isinstance(error, RuntimeError) and "cannot enter context" in str(error):
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
    if op.shape_rule is None:
        return None
    try:
        complete = op.normalize_attrs(attrs)
        flat = convert_inputs(op, inputs, complete, None) if not _is_flat(op, inputs) else list(inputs)
        _infer_lists(op, flat, complete)
        op.shape_rule(ShapeContext(op, flat, complete))
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
