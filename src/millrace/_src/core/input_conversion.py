"""The inputs of an op call as tensors, by the rules of the op's signature.

A Python value takes the dtype of a tensor that shares its type attribute, else the value's own dtype, else the default
of the attribute. Values that do not fit are refused in TensorFlow's words, which differ between graphs and eager mode.
Eager calls whose inputs are plain (tensors, numbers beside a tensor, variables) take a fast path here, without checks:
the inputs were checked when the kernel for the same dtypes was bound.

Tests: tests/core/test_execute.py
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

from millrace._src.core import errors
from millrace._src.core.arrays import make_array
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor, holds_tensor
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.op_attributes import check_length
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_signature import Arg, TypeList, TypeSet
from millrace._src.core.resources import is_variable, is_variable_class
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.util.class_table import ClassTable

_SCALARS = (bool, int, float, complex, str, bytes)


def convert_inputs(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], scope: str | None) -> list[Any]:
    """Converts the inputs to tensors by the signature's rules; adds the inferred attributes to `attrs`.

    A Python value takes the dtype of a tensor that shares its type attribute. `scope` is the operation's name
    in a graph: constants made of Python values are named `scope/argument`.
    """
    graph = state.graph
    known_types = _known_types(op, inputs, graph) if scope is not None else None
    if known_types is not None:
        attrs.update(known_types)
        return list(inputs)
    flat: list[Any] = []
    owners: dict[str, str] = {}
    checks: list[tuple[Arg, Any, DType | None, int]] = []
    for position, (arg, value) in enumerate(zip(op.signature.inputs, inputs, strict=True)):
        if arg.is_list:
            flat.extend(_convert_list(op, arg, value, attrs, scope, owners))
            continue
        attr = arg.type_attr
        dtype = arg.fixed_dtype or (attrs[attr] if attr in owners else None)
        if type(value) is SymbolicTensor and value.op.graph is graph:
            tensor: Any = value
        else:
            hint = dtype or _hint(op, arg, value, inputs, attrs, scope)
            default = _default(op, arg) if hint is None and _is_mixed(value) else None
            if default is not None:
                tensor = _convert_tensors(op, arg, value, default, scope)
            else:
                tensor = _convert_one(op, arg.name, value, hint, scope, dtype)
        flat.append(tensor)
        if attr is not None and attr not in owners:
            attrs[attr], owners[attr] = tensor.dtype, arg.name
        if scope is None:
            checks.append((arg, tensor, dtype, position))
        elif tensor.dtype is not dtype:
            _check_dtype(op, arg, arg.name, tensor, dtype, position, attrs, owners, scope)
    for arg, tensor, dtype, position in checks:
        _check_dtype(op, arg, arg.name, tensor, dtype, position, attrs, owners, scope)
    if scope is not None and len(flat) == len(inputs) and all(map(is_, flat, inputs)):
        op.types_of_tensors[tuple([t.dtype for t in flat])] = {attr: attrs[attr] for attr in owners}
    return flat


def _known_types(op: OpDef, inputs: Sequence[Any], graph: Any) -> dict[str, DType] | None:
    """Returns the type attributes of a call whose inputs are all tensors of the graph, if such a call came before."""
    for value in inputs:
        if type(value) is not SymbolicTensor or value.op.graph is not graph:
            return None
    return op.types_of_tensors.get(tuple([value.dtype for value in inputs]))


def _hint(
    op: OpDef, arg: Arg, value: object, inputs: Sequence[Any], attrs: dict[str, Any], scope: str | None
) -> DType | None:
    """Returns the dtype that a value should have if possible, where no earlier tensor has decided the dtype."""
    given_dtype: DType | None = attrs.get(arg.type_attr or "")
    return dtype_of_peer(op.signature.inputs, inputs, arg) or given_dtype or preferred_dtype(op, arg, value, scope)


# --- eager calls, where it is plain -----------------------------------------------------------------------------------


_NUMBERS = (int, float)
_PYTHON = (int, float, list, tuple)


def quick_inputs(op: OpDef, inputs: Sequence[Any]) -> list[Any] | None:
    """Returns plain inputs as flat tensors: tensors, or Python numbers beside a tensor of the type; else None."""
    flat: list[Any] = []
    for arg, value in zip(op.signature.inputs, inputs, strict=True):
        if arg.is_list:
            if type(value) not in (list, tuple) or not value or any(type(v) is not EagerTensor for v in value):
                return None
            flat.extend(value)
        elif type(value) is EagerTensor:
            flat.append(value)
        else:
            dtype = arg.fixed_dtype or dtype_of_peer(op.signature.inputs, inputs, arg)
            if dtype is None:
                dtype = preferred_dtype(op, arg, value) if type(value) in _PYTHON else None
            if dtype is None:
                return None
            try:
                flat.append(convert_to_tensor(value, dtype))
            except (TypeError, ValueError, OverflowError):
                return None
    return flat


def eager_pair(x: object, y: object) -> tuple[Any, Any, tuple[DType, DType] | None]:
    """Returns two plain operands as tensors, and their dtypes; one operand may be a number or a variable."""
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


def _read(value: object) -> Any:
    """Reads the value of a variable; returns other values unchanged."""
    kind = type(value)
    if kind is EagerTensor:
        return value
    read = _readers[kind]
    return value if read is None else read(value)


def _find_reader(cls: type) -> Callable[[Any], Any] | None:
    """Returns the method of a variable's class that reads the value: the quick method if the class has it."""
    if not is_variable_class[cls]:
        return None
    return getattr(cls, "__read_variable__", None) or getattr(cls, "__tf_tensor__", None)


_readers: ClassTable[Callable[[Any], Any] | None] = ClassTable(_find_reader)


def _number_like(number: Any, tensor: Any) -> Any:
    """Returns a Python number as a tensor of the dtype of `tensor`; a number that does not fit is returned itself."""
    if type(tensor) is not EagerTensor:
        return number
    try:
        if number:
            kind: Any = type(number)
            return _convert_number(kind, number, tensor.dtype)
        return convert_to_tensor(number, tensor.dtype)  # 0.0 and -0.0 are equal as cache keys
    except (TypeError, ValueError, OverflowError):
        return number


@functools.lru_cache(maxsize=1024)
def _convert_number(kind: object, number: Any, dtype: DType) -> EagerTensor:
    tensor: EagerTensor = convert_to_tensor(number, dtype)
    return tensor


# --- one value -------------------------------------------------------------------------------------------------------


def _default(op: OpDef, arg: Arg) -> DType | None:
    type_set = op.types.get(arg.type_attr or "")
    return type_set.default if isinstance(type_set, TypeSet) else None


def preferred_dtype(op: OpDef, arg: Arg, value: Any, scope: str | None = None) -> DType | None:
    """Returns the dtype for a value that nothing else decides: the value's own if the op allows it, else the default.

    In a graph TensorFlow's first try leaves its constant behind: `Reshape/shape` (float32) of `tf.reshape(x, [])`,
    which reads `Reshape/shape_1`.
    """
    default = _default(op, arg)
    if default is None or isinstance(value, (str, bytes, TensorShape)):
        return None
    if isinstance(getattr(value, "dtype", None), DType):
        return None
    try:
        own_dtype = make_array(value, None)[1]
        if isinstance(value, (list, tuple)):
            make_array(value, default)
    except (ValueError, OverflowError):
        return default
    except TypeError:
        return None
    allowed_types = op.types.get(arg.type_attr or "")
    if isinstance(allowed_types, TypeSet) and own_dtype in allowed_types:
        return own_dtype
    if scope is not None:
        convert_to_tensor(value, name=f"{scope}/{arg.name}")
    return default


def dtype_of_peer(args: Sequence[Arg], inputs: Sequence[Any], wanted: Arg) -> DType | None:
    """Returns the dtype of the first tensor among the inputs that share the type attribute of `wanted`."""
    attr = wanted.type_attr
    for arg, value in zip(args, inputs, strict=True):
        if arg.type_attr != attr or attr is None:
            continue
        for item in value if arg.is_list and isinstance(value, (list, tuple)) else (value,):
            dtype = getattr(item, "dtype", None)
            if type(dtype) is DType:
                return dtype.base_dtype
    return None


def _as_tensor(value: Any, dtype: DType | None, name: str, scope: str | None) -> Any:
    """Converts the value of argument `name` of the operation `scope`, None in eager mode.

    What becomes of a list of tensors is named `Fill/dims`, `Fill/Cast`, and alike in eager mode: `packed`.
    """
    if scope is None:
        return convert_to_tensor(value, dtype, name=None if isinstance(value, (list, tuple)) else name)
    full_name = f"{scope}/{name}"
    if not _is_mixed(value):
        return _inside(convert_to_tensor(value, dtype, name=full_name), full_name)
    with state.graph.name_scope(f"{scope}/"):
        return _inside(convert_to_tensor(value, dtype, name=name), full_name)


def _convert_tensors(op: OpDef, arg: Arg, value: object, default: DType, scope: str | None) -> Any:
    """Converts a list that holds tensors: to the tensors' dtype where the op allows that dtype, else to the default."""
    allowed_types = op.types.get(arg.type_attr or "")
    with contextlib.suppress(TypeError, ValueError):
        tensor = _as_tensor(value, None, arg.name, scope)
        if isinstance(allowed_types, TypeSet) and tensor.dtype in allowed_types:
            return tensor
    return _as_tensor(value, default, arg.name, scope)


def _convert_one(
    op: OpDef, name: str, value: object, hint: DType | None, scope: str | None, wanted: DType | None = None
) -> Any:
    """Converts one value to a tensor, of dtype `hint` if possible; `wanted` is the only dtype that will do."""
    if type(value) is EagerTensor and scope is None:
        return value
    if hint is not None and hint.name == "resource":
        value = value.handle if is_variable(value) else value
    try:
        if hint is None or isinstance(value, Tensor):
            return _as_tensor(value, None, name, scope)
        try:
            return _as_tensor(value, hint, name, scope)
        except (TypeError, ValueError, OverflowError) as error:
            if scope is not None and wanted is not None and isinstance(error, TypeError):
                raise _unexpected_value(op, name, value, wanted, error) from None
            if value is None or isinstance(value, (list, tuple)) or scope is None and isinstance(value, _SCALARS):
                raise
            return _as_tensor(value, None, name, scope)
    except ValueError as error:
        if scope is None or isinstance(value, Tensor):
            raise
        raise ValueError(f"Tried to convert '{name}' to a tensor and failed. Error: {error}") from None


def _is_mixed(value: object) -> bool:
    return isinstance(value, (list, tuple)) and holds_tensor(value)


def _unexpected_value(op: OpDef, name: str, value: object, wanted: DType, error: TypeError) -> TypeError:
    return TypeError(
        f"Expected {wanted.name} passed to parameter '{name}' of op '{op.name}', got {value!r} of type "
        f"'{type(value).__name__}' instead. Error: {error}"
    )


def _inside(tensor: Any, name: str) -> Any:
    """Returns the tensor that represents a tensor in the current graph: captures a tensor of an outer graph."""
    graph = state.graph
    if graph is None or tensor.op.graph is graph:
        return tensor
    return graph.capture(tensor, name)


def _convert_list(
    op: OpDef, arg: Arg, value: object, attrs: dict[str, Any], scope: str | None, owners: dict[str, str]
) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for '{arg.name}' argument to '{op.name}' Op, not {value}.")
    if arg.type_list_attr is not None:
        check_length(op, arg.type_list_attr, len(value))
        dtypes = attrs.get(arg.type_list_attr)
        hints = dtypes if dtypes is not None and len(dtypes) == len(value) else [None] * len(value)
        tensors = [
            _convert_one(op, f"{arg.name}_{i}", v, h, scope) for i, (v, h) in enumerate(zip(value, hints, strict=True))
        ]
        _check_listed_types(op, arg.type_list_attr, arg.name, tensors, scope)
        attrs[arg.type_list_attr] = tuple(t.dtype for t in tensors)
        return tensors
    dtype = arg.fixed_dtype or (attrs.get(arg.type_attr or "") if arg.type_attr in owners else None)
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
    known_length = attrs.get(arg.number_attr or "")
    if arg.number_attr in owners and known_length != len(tensors):
        raise ValueError(
            f"List argument '{arg.name}' to '{op.name}' Op with length {len(tensors)} must match length "
            f"{known_length} of argument "
            f"'{owners[arg.number_attr or '']}'."
        )
    attrs[arg.number_attr or ""] = len(tensors)
    owners.setdefault(arg.number_attr or "", arg.name)
    return tensors


def _mixed_list(op: OpDef, arg: Arg, values: Sequence[Any]) -> TypeError:
    """Makes the refusal, in a graph, of a list whose elements have no common dtype, or not the declared dtype."""
    expectation = "that don't all match" if arg.dtype is None else f"that do not match expected type {arg.dtype.name}"
    types = ", ".join(map(_type_name, values))
    return TypeError(f"Tensors in list passed to '{arg.name}' of '{op.name}' Op have types [{types}] {expectation}.")


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
    """Binds a type attribute to the first tensor that uses it; refuses a tensor of another dtype."""
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
        return errors.op_error(
            op.name,
            f"cannot compute {op.name} as input #{position}(zero-based) was expected to be a {runtime_name(dtype)} "
            f"tensor but is a {runtime_name(actual)} tensor",
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


def _check_listed_types(op: OpDef, attr: str, name: str, tensors: Sequence[Any], scope: str | None) -> None:
    """Refuses a dtype that the attribute, a list of the dtypes of a list of tensors, may not contain."""
    types = op.types.get(attr)
    if isinstance(types, TypeList):
        for index, tensor in enumerate(tensors):
            if tensor.dtype not in types.allowed:
                raise _dtype_not_allowed(op, attr, f"{name}_{index}", tensor.dtype, types.allowed, scope)


def _dtype_not_allowed(
    op: OpDef, attr: str, name: str, actual: DType, allowed: TypeSet, scope: str | None
) -> Exception:
    if scope is None:
        names = ", ".join(runtime_name(d) for d in allowed)
        return errors.op_error(
            op.name,
            f"Value for attr '{attr}' of {runtime_name(actual)} is not in the list of allowed values: {names}\n"
            f"\t; NodeDef: {{{{node {op.name}}}}}; argument '{name}' of {op.name}",
        )
    names = ", ".join(d.name for d in allowed)
    return TypeError(
        f"Value passed to parameter '{name}' has DataType {actual.name} not in list of allowed values: {names}"
    )
