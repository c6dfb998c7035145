"""Tensors: `EagerTensor` holds a value, `SymbolicTensor` represents one in a graph.

Both are `tf.Tensor`. An eager tensor is a NumPy array plus its TensorFlow dtype and is made hundreds of thousands of
times a second, so the constructor sets three slots and nothing else; everything derived is computed when asked for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core import context, default_session, types
from millrace._src.core.devices import FIRST_CPU, MissingDeviceError, accelerator_at, device_of, existing_device
from millrace._src.core.dtypes import DType, from_np
from millrace._src.core.errors import InternalError, OperatorNotAllowedInGraphError
from millrace._src.core.execute import execute
from millrace._src.core.handle_types import HandleType, type_of_referent
from millrace._src.core.identity_comparison import requested
from millrace._src.core.op_registry import get_op
from millrace._src.core.operators import Operators
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.util import text
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.identity_collections import Reference

if TYPE_CHECKING:
    from millrace._src.core.argument_types import DTypeLike, ShapeLike


def _numpy_method(name: str) -> property:
    """Makes a property for a NumPy method that tensors do not have, which raises with advice."""

    def refuse(self: Any) -> Any:
        raise AttributeError(
            f"{type(self).__name__} object has no attribute '{name}'. \n"
            "        If you are looking for numpy-related methods, please run the following:\n"
            "        tf.experimental.numpy.experimental_enable_numpy_behavior()\n      "
        )

    return property(refuse)


@export("Tensor")
@tensorflow_home("python.framework.tensor")
class Tensor(Operators, types.Tensor):
    """A multi-dimensional array of elements of one dtype; the values of eager calls and the edges of graphs.

    >>> x = tf.constant([[1., 2.], [3., 4.]])
    >>> x.shape, x.dtype
    (TensorShape([2, 2]), tf.float32)

    Tensors are immutable. They are made by `tf.constant`, `tf.convert_to_tensor`
    and by ops, never by this class directly.
    """

    __slots__ = ("__dict__", "__weakref__", "_tape_id")
    dtype: DType
    shape: TensorShape
    handle_type: HandleType | None = None
    """The handle type of a tensor of dtype `resource` or `variant`, if known; None for other tensors."""
    _tape_id: int

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, or None when the rank is unknown."""
        return self.shape.rank

    def get_shape(self) -> TensorShape:
        """Returns the static shape; the same as `shape`."""
        return self.shape

    def __hash__(self) -> int:
        """Refuses: tensors compare element-wise and cannot be keys; those of a plain graph can, `==` is identity."""
        if self._is_of_plain_graph or context.in_plain_graph() or requested.identity:
            return id(self)
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def ref(self) -> Reference[Any]:
        """Returns a hashable reference to this tensor; `.deref()` gives the tensor back."""
        return Reference(self)

    T, astype, ravel, transpose, reshape, clip, size, tolist, data = map(
        _numpy_method, ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data")
    )

    @property
    def _shape(self) -> TensorShape:
        return self.shape


@export("__internal__.EagerTensor")
@tensorflow_home("python.framework.ops")
class EagerTensor(Tensor):
    """A tensor with a value, made by ops that run at once."""

    __slots__ = ("_eager_array", "dtype", "logical_device")

    _eager_array: np.ndarray[Any, Any]
    """The value. The fast paths know an eager tensor by this attribute, whose name no other class uses."""

    logical_device: str
    """The logical device of the value; not set for the first CPU, the device of nearly all values."""

    def __init__(self, value: np.ndarray[Any, Any], dtype: DType) -> None:
        self._eager_array = value
        self.dtype = dtype
        self._tape_id = 0

    @property
    def shape(self) -> TensorShape:  # type: ignore[override]  # computed, not stored
        """The shape."""
        return TensorShape.of(self._eager_array.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._eager_array.ndim

    @property
    def handle_type(self) -> HandleType | None:  # type: ignore[override]  # asked of the referent, not stored
        """The handle type of a tensor of dtype `resource` or `variant`, if known; None for other tensors."""
        return type_of_referent(self._eager_array) if self.dtype.is_handle else None

    @property
    def device(self) -> str:
        """The device that holds the value."""
        try:
            return self.logical_device
        except AttributeError:
            return FIRST_CPU

    @property
    def backing_device(self) -> str:
        """The processor whose memory holds the value: all logical CPUs are on one."""
        return FIRST_CPU

    @property
    def is_packed(self) -> bool:
        """Whether the tensor is spread over several devices; always False."""
        return False

    def numpy(self) -> Any:
        """Returns the value: a copy as a NumPy array, or a NumPy scalar (bytes for a string) if 0-d."""
        value = self._eager_array
        return value.copy() if value.ndim else value[()]

    def _numpy(self) -> Any:
        """Returns the value as `numpy` does, but an array without a copy; `tensorflow_datasets` calls this method."""
        value = self._eager_array
        return value if value.ndim else value[()]

    def set_shape(self, shape: ShapeLike) -> None:
        """Checks that `shape` is compatible with the value's shape."""
        if not self.shape.is_compatible_with(as_shape(shape)):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {as_shape(shape)}.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if dtype is None:
            return self._eager_array.copy() if copy else _read_only(self._eager_array)
        return (
            np.array(self._eager_array, dtype=dtype)
            if copy is not False
            else np.asarray(_read_only(self._eager_array), dtype=dtype, copy=False)
        )

    def __buffer__(self, flags: int) -> memoryview:
        """Returns a read-only view of the value; Python 3.12 and later call this method.

        In Python 3.11 a class written in Python cannot take part in the protocol: `memoryview(tensor.numpy())` does.
        """
        return _read_only(self._eager_array).data

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._eager_array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._eager_array.__dlpack_device__()
        return device

    def __bool__(self) -> bool:
        return bool(self._eager_array) if self._eager_array.size else False

    def __int__(self) -> int:
        return int(self._eager_array)

    def __float__(self) -> float:
        return float(self._eager_array)

    def __complex__(self) -> complex:
        return complex(self._eager_array)

    def __index__(self) -> int:
        return self._eager_array.__index__()

    def __round__(self, digits: int | None = None) -> Any:
        return self.astype

    def __len__(self) -> int:
        if not self._eager_array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._eager_array)

    def __iter__(self) -> Iterator[EagerTensor]:
        if not self._eager_array.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        if context.state.tapes or context.state.graph is not None:
            return iter(op_function("Unpack")(self, num=len(self._eager_array), axis=0))
        return iter(
            [
                EagerTensor(np.asarray(v) if v.__class__ is not bytes else _scalar(v), self.dtype)
                for v in self._eager_array
            ]
        )

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._eager_array, self.dtype)

    def __str__(self) -> str:
        array = self._eager_array
        return f"tf.Tensor({text.value_text(array, self.dtype)}, shape={array.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        value = text.value_repr(self._eager_array, self.dtype)
        return f"<tf.Tensor: shape={self._eager_array.shape}, dtype={self.dtype.name}, {value}>"

    def __tf_tracing_type__(self, context: Any) -> Any:
        return context.make_tensor_type(self)

    @property
    def graph(self) -> Any:
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def op(self) -> Any:
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def name(self) -> Any:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def value_index(self) -> Any:
        raise AttributeError("Tensor.value_index is undefined when eager execution is enabled.")

    def cpu(self) -> EagerTensor:
        """Returns the tensor on the first CPU."""
        return self if self.device == FIRST_CPU else EagerTensor(self._eager_array, self.dtype)

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """Returns the tensor on a GPU.

        Raises: RuntimeError: if there is no such GPU.
        """
        device_name = f"{FIRST_CPU.removesuffix('CPU:0')}GPU:{gpu_index}"
        try:
            accelerator_at(device_name)
        except MissingDeviceError:
            raise RuntimeError(f"GPU:{gpu_index} unknown device.") from None
        outer_device = context.state.logical_device
        context.state.logical_device = device_name
        context.state.refresh()
        try:
            copied: EagerTensor = execute(get_op("Identity"), (self,), {})
        finally:
            context.state.logical_device = outer_device
            context.state.refresh()
        return copied


_held_value: Any = vars(EagerTensor)["_eager_array"]  # the slot's descriptor


def wait_for_array(array: object) -> np.ndarray[Any, Any]:
    """Returns the array of an engine as a NumPy array: waits until the engine has computed the array.

    Raises: InternalError: if the engine failed.
    """
    try:
        return np.asarray(array)
    except RuntimeError as error:
        raise InternalError(None, None, f"The engine failed to compute the tensor: {error}") from None


def array_of(tensor: EagerTensor) -> Any:
    """Returns the array of a tensor without waiting: NumPy's, or the engine's if the tensor is pending."""
    return _held_value.__get__(tensor)


def new_tensor(array: np.ndarray[Any, Any], dtype: DType) -> EagerTensor:
    """Wraps an array, which no other code may change, as a tensor on the logical device in force."""
    tensor = EagerTensor(array, dtype)
    if context.state.logical_device is not None:
        tensor.logical_device = existing_device(context.state.logical_device)
    return tensor


def note_devices(tensors: Sequence[EagerTensor]) -> None:
    """Notes the current logical device on new tensors."""
    if context.state.logical_device is not None:
        device_name = existing_device(context.state.logical_device)
        for tensor in tensors:
            tensor.logical_device = device_name


class PendingTensor(EagerTensor):
    """An eager tensor whose value an engine computes in the background, on its own device.

    Shape and dtype are known at once. The first reader of the value waits for the engine, and from then on the tensor
    is an ordinary `EagerTensor`. So a chain of compiled calls runs without waiting in between.
    """

    __slots__ = ()

    def __init__(self, held: Any, dtype: DType) -> None:
        _held_value.__set__(self, held)
        self.dtype = dtype
        self._tape_id = 0

    @property
    def _eager_array(self) -> np.ndarray[Any, Any]:  # type: ignore[override]  # read-only here, a slot in the base class
        device = self.device
        array = wait_for_array(array_of(self))
        _held_value.__set__(self, array)
        if device != FIRST_CPU:
            self.logical_device = device
        self.__class__ = EagerTensor  # type: ignore[assignment]  # same layout: the value has come
        return array

    @property
    def device(self) -> str:
        """The device that holds the value: the one that the program chose, or else the accelerator that computes it."""
        try:
            return self.logical_device
        except AttributeError:
            return self.backing_device

    @property
    def backing_device(self) -> str:
        """The processor whose memory holds the value."""
        return device_of(array_of(self)) or FIRST_CPU

    @property
    def shape(self) -> TensorShape:  # type: ignore[override]  # computed, not stored
        """The shape."""
        return TensorShape.of(array_of(self).shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(array_of(self).shape)


def tensor_of(array: object, dtype: DType) -> EagerTensor:
    """Returns a tensor for a result of an engine: a pending one unless the array is NumPy's."""
    return EagerTensor(array, dtype) if type(array) is np.ndarray else PendingTensor(array, dtype)


PendingTensor.__name__ = PendingTensor.__qualname__ = EagerTensor.__name__  # users see one class


next_tape_id = itertools.count(1).__next__
"""A number that no tensor has."""


def tape_id(tensor: Any) -> int:
    """Returns the number under which gradient tapes know a tensor; a tensor gets its number on first use.

    A tensor captured by a function has the number of the captured tensor.
    """
    number = getattr(tensor, "_tape_id", 0)
    if not number:
        number = tensor._tape_id = next_tape_id()
    return number


def _read_only(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns a view of an array, through which no code can change the array."""
    view = value.view()
    view.flags.writeable = False
    return view


def _scalar(value: object) -> np.ndarray[Any, Any]:
    """Makes a 0-d object array that holds `value`."""
    array = np.empty((), dtype=object)
    array[()] = value
    return array


def _restore(value: np.ndarray[Any, Any], dtype: DType) -> EagerTensor:
    return EagerTensor(value, dtype)


def eager(array: object) -> EagerTensor:
    """Wraps an array, which no other code may change, as a tensor of its own dtype."""
    array = np.asarray(array)
    return EagerTensor(array, from_np(array.dtype))


def op_function(name: str) -> Any:
    """Returns the op called `name` as a function of inputs and attributes."""
    op = get_op(name)

    def call(*inputs: Any, **attrs: Any) -> Any:
        return execute(op, inputs, attrs)

    return call


_ADVICE = (
    " You can attempt the following resolutions to the problem: If you are running in Graph mode, use "
    "Eager execution mode or"
    " decorate this function with @tf.function. If you are using AutoGraph, you can try decorating this function with"
    " @tf.function. If that does not work, then you may be using an unsupported feature or your source code may not be"
    " visible to AutoGraph."
)


@export("__internal__.SymbolicTensor")
@tensorflow_home("python.framework.ops")
class SymbolicTensor(Tensor):
    """An output of an operation in a graph; it has a dtype and a static shape but no value."""

    __slots__ = ("op", "value_index", "dtype", "shape")

    def __init__(self, op: Any, value_index: int, dtype: DType, shape: TensorShape) -> None:
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self.shape = shape

    @property
    def graph(self) -> Any:
        """The graph that holds the tensor."""
        return self.op.graph

    @property
    def _is_of_plain_graph(self) -> bool:  # type: ignore[override]  # one answer for other classes, one for each tensor here
        return not self.op.graph.building_function

    @property
    def name(self) -> str:
        """`operation:index`."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def device(self) -> str:
        """The device requested for the operation."""
        device: str = self.op.device
        return device

    def consumers(self) -> list[Any]:
        """Lists the operations that take this tensor as an input."""
        return [op for op in self.op.graph.get_operations() for t in op.inputs if t is self]

    def set_shape(self, shape: ShapeLike) -> None:
        """Merges `shape` into what is statically known of this tensor's shape."""
        new_shape = as_shape(shape)
        try:
            self.shape = self.shape.merge_with(new_shape)
        except ValueError:
            raise ValueError(_merge_complaint(self.shape, new_shape)) from None

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            f"Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.{_ADVICE}", tensor=self
        )

    def __iter__(self) -> Iterator[Any]:
        raise OperatorNotAllowedInGraphError(
            f"Iterating over a symbolic `tf.Tensor` is not allowed.{_ADVICE}", tensor=self
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` "
            "for shape information."
        )

    def __str__(self) -> str:
        shape = f", shape={text.shape_parentheses(self.shape)}" if self.shape.rank is not None else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        shape = text.shape_parentheses(self.shape) if self.shape.rank is not None else "<unknown>"
        return f"<tf.Tensor '{self.name}' shape={shape} dtype={self.dtype.name}>"

    def __copy__(self) -> SymbolicTensor:
        return self

    def __tf_tracing_type__(self, context: Any) -> Any:
        return context.make_tensor_type(self)

    def eval(self, feed_dict: object = None, session: object = None) -> Any:
        """Returns the tensor's value in a v1 session.

        Args:
          feed_dict: values by the tensors that they replace.
          session: the session; the default session if None.

        Raises: ValueError: if there is no session, or it runs another graph.
        """
        return default_session.session_of(self.graph, session, default_session.EVALUATION).run(self, feed_dict)


def _merge_complaint(known: TensorShape, wanted: TensorShape) -> str:
    """Returns the message for two static shapes that contradict each other, in the words of TensorFlow's inference."""
    texts = f"Shapes are {text.shape_brackets(known)} and {text.shape_brackets(wanted)}."
    if known.rank != wanted.rank:
        return f"Shapes must be equal rank, but are {known.rank} and {wanted.rank}"
    for axis, (a, b) in enumerate(zip(known.as_list(), wanted.as_list(), strict=True)):
        if a != b and a is not None and b is not None:
            return f"Dimension {axis} in both shapes must be equal, but are {a} and {b}. {texts}"
    return texts
