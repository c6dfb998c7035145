"""From any value to a tensor, by TensorFlow's rules.

Python values become constants (`core.arrays` knows the dtype), tensors pass, a list that holds tensors is packed, and
other objects convert themselves: through `__tf_tensor__`, or through a function registered for their class. In a graph
an eager tensor, or a tensor of an outer graph, is captured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.arrays import make_array
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.errors import OpError, rename_op
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.core.tensor import SymbolicTensor, Tensor, new_tensor
from millrace._src.util.class_table import ClassTable
from millrace._src.util.export import export

_SCALARS = (int, float, bool, str, bytes, complex)
_PLAIN = frozenset(_SCALARS)
_conversions: list[tuple[int, Any, Callable[..., Any]]] = []


@export("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: object, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers a function that turns objects of `base_type` into tensors.

    Args:
      base_type: a class or a tuple of classes.
      conversion_func: `f(value, dtype=None, name=None, as_ref=False)` that returns a Tensor or NotImplemented.
      priority: functions of smaller priority are tried first.

    Raises: TypeError: if `base_type` is not a type or `conversion_func` not callable.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _conversions.append((priority, types, conversion_func))
    _conversions.sort(key=lambda entry: entry[0])


@export("convert_to_tensor")
def convert_to_tensor(value: object, dtype: object = None, dtype_hint: object = None, name: str | None = None) -> Any:
    """Converts `value` to a `Tensor`.

    >>> tf.convert_to_tensor([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>

    Args:
      value: a Tensor, a NumPy array, a Python value, a nested list of these, or an object that converts itself.
      dtype: the dtype of the result; None takes the dtype of the value.
      dtype_hint: a dtype to use where `value` allows it; no error where it does not.
      name: name of the constant in a graph.

    Returns: A Tensor.
    Raises:
      TypeError: if the value has no tensor form of that dtype.
      ValueError: if `value` is a Tensor of another dtype, or malformed.
    """
    if dtype is not None and type(dtype) is not DType:
        dtype = as_dtype(dtype)
    if isinstance(value, Tensor):
        return _existing(value, dtype, name)
    if isinstance(value, _SCALARS):
        return _constant(value, dtype, dtype_hint, name)
    converter = getattr(type(value), "__tf_tensor__", None)
    if converter is not None:
        return _complete_conversion(value, converter(value, dtype, name), dtype, dtype_hint, name)
    for _, types, function in _conversions:
        if isinstance(value, types):
            result = function(value, dtype=dtype, name=name, as_ref=False)
            if result is not NotImplemented:
                return result
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return _pack_nested(value, dtype, dtype_hint, name)
    return _constant(value, dtype, dtype_hint, name)


def _complete_conversion(value: object, result: Any, dtype: DType | None, hint: Any, name: str | None) -> Any:
    if isinstance(result, Tensor):
        return _existing(result, dtype, name)
    if result is NotImplemented:
        return _constant(value, dtype, hint, name)
    return convert_to_tensor(result, dtype, hint, name)


def _existing(value: Tensor, dtype: DType | None, name: str | None) -> Tensor:
    if dtype is not None and value.dtype is not dtype and value.dtype.base_dtype is not dtype.base_dtype:
        argument = "" if name is None else f"{name}: "
        dtypes = f"dtype {dtype.name} for Tensor with dtype {value.dtype.name}"
        raise ValueError(f"{argument}Tensor conversion requested {dtypes}: {value!r}")
    graph = state.graph
    if graph is None:
        if isinstance(value, SymbolicTensor):
            raise _out_of_scope(value)
        return value
    if isinstance(value, SymbolicTensor):
        return value  # a tensor of an outer graph is captured by the op that takes it
    capture: Tensor = graph.capture(value, name)
    return capture


def _out_of_scope(value: SymbolicTensor) -> TypeError:
    frame = value.op.source
    origin = f"\nThe tensor {value} was made at:\n  {frame}" if frame is not None else ""
    return TypeError(
        f"{value!r} is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow "
        "collections to access it.\nPlease see "
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values "
        f"for more information.{origin}"
    )


def _constant(value: object, dtype: DType | None, hint: object, name: str | None) -> Tensor:
    if dtype is None and hint is not None:
        try:
            array, dtype = make_array(value, as_dtype(hint))
        except (TypeError, ValueError, OverflowError):
            array, dtype = make_array(value, None)
    else:
        array, dtype = make_array(value, dtype)
    graph = state.graph
    if graph is None:
        return new_tensor(array, dtype)
    constant: Tensor = graph.constant(array, dtype, "Const" if name is None else name)
    return constant


def holds_tensor(value: Any) -> bool:
    """Returns whether a nested list holds a tensor, or an object that converts itself."""
    if _PLAIN.issuperset(map(type, value)):
        return False
    for item in value:
        if isinstance(item, Tensor) or _converts_itself[type(item)]:
            return True
        if isinstance(item, (list, tuple)) and holds_tensor(item):
            return True
    return False


_converts_itself: ClassTable[bool] = ClassTable(lambda cls: hasattr(cls, "__tf_tensor__"))


def _first_dtype(value: Any) -> DType | None:
    """Returns the dtype of the first tensor in a nested list."""
    for item in value:
        dtype = _first_dtype(item) if isinstance(item, (list, tuple)) else getattr(item, "dtype", None)
        if isinstance(dtype, DType):
            return dtype.base_dtype
    return None


def _pack_nested(value: object, dtype: DType | None, hint: object, name: str | None) -> Any:
    """Packs a nested list that holds tensors as one tensor.

    The first tensor decides the dtype. Where another dtype is asked for, all tensors are cast. Where the first tensor
    has the dtype that is asked for, no tensor is: a later tensor of another dtype is refused, as in TensorFlow.
    """
    first_dtype = _first_dtype(value)
    if dtype is None and hint is not None:
        try:
            return _pack_nested(value, as_dtype(hint), None, name)
        except (TypeError, ValueError):
            pass
    if first_dtype is None:
        value = _with_tensors(value)
        first_dtype = _first_dtype(value)
    if dtype is None:
        return _pack(value, first_dtype, name)
    if dtype.base_dtype is not first_dtype:
        value = _cast(value, dtype)
    return _pack(value, dtype, name)


def _with_tensors(value: Any) -> list[Any]:
    """Returns a nested list with tensors instead of objects that convert themselves."""
    return [
        _with_tensors(item)
        if isinstance(item, (list, tuple))
        else convert_to_tensor(item)
        if _converts_itself[type(item)]
        else item
        for item in value
    ]


def _cast(value: Any, dtype: DType) -> list[Any]:
    """Returns a nested list with its tensors cast."""
    items: list[Any] = []
    for item in value:
        if isinstance(item, (list, tuple)):
            items.append(_cast(item, dtype))
            continue
        if _is_tensor_like(item):
            tensor = _of_known_dtype(item)
            same = tensor.dtype.base_dtype is dtype.base_dtype
            item = tensor if same else execute(get_op("Cast"), (tensor,), {"DstT": dtype})
        items.append(item)
    return items


def _of_known_dtype(value: Any) -> Any:
    """Returns a tensor or variable as it is, so that the op that takes it names the reading; else its tensor."""
    return value if isinstance(getattr(value, "dtype", None), DType) else convert_to_tensor(value)


def _is_tensor_like(value: object) -> bool:
    return isinstance(value, Tensor) or _converts_itself[type(value)]


def _pack(value: Any, dtype: DType | None, name: str | None) -> Any:
    """Packs a nested list that holds tensors of one dtype; `name` is that of the operation."""
    graph = state.graph
    if graph is not None:
        with graph.name_scope(name or "packed") as scope:
            return execute(get_op("Pack"), (_elements(value, dtype),), {"axis": 0}, scope)
    if not all(map(_is_tensor_like, value)):
        return execute(get_op("Pack"), (_elements(value, dtype),), {"axis": 0})
    try:
        return execute(get_op("Pack"), (value,), {"axis": 0})
    except OpError as error:
        raise rename_op(error, name or "packed") from None


def _elements(value: Any, dtype: DType | None) -> list[Any]:
    """Returns the elements of a list as tensors: lists of tensors are packed first, then constants are made."""
    items = list(value)
    constants = []
    for index, item in enumerate(items):
        if _is_tensor_like(item):
            items[index] = _validate_dtype(_of_known_dtype(item), dtype)
        elif isinstance(item, (list, tuple)) and holds_tensor(item):
            items[index] = _pack(item, dtype, str(index))
        else:
            constants.append(index)
            if state.graph is not None and isinstance(item, (list, tuple)):
                state.graph.unique_name(str(index))  # TensorFlow looks through the list in a scope of that name
    for index in constants:
        items[index] = convert_to_tensor(items[index], dtype, name=str(index))
    return items


def _validate_dtype(tensor: Any, dtype: DType | None) -> Any:
    if dtype is not None and tensor.dtype.base_dtype is not dtype.base_dtype:
        raise TypeError(
            f"Cannot convert a list containing a tensor of dtype {tensor.dtype} to {dtype} (Tensor is: {tensor!r})"
        )
    return tensor
