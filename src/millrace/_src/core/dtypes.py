"""The element types of tensors.

Problem: a dtype is asked for on every op call (which kernel, which NumPy type, is it floating?), so its
questions must cost an attribute read; yet users may write it as a DType, a NumPy type, a name or an enum.

Idea: one interned, immutable `DType` object per type (compare with `is`), every answer a slot filled at
import; `as_dtype` and `from_np` are single dictionary look-ups. Enums, names and sizes are TensorFlow's wire
format. Types NumPy lacks are stored as ml_dtypes (bfloat16, float8, int4 ...), as plain integers (quantized),
or as Python objects (strings are `bytes`; resources and variants are handles).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from millrace._src.core.fixed_types import FixedType
from millrace._src.util.export import export, export_constant

_REF_OFFSET = 100
_BY_ENUM: dict[int, DType] = {}


@export("dtypes.DType", "DType")
class DType(FixedType):
    """The type of the elements of a tensor.

    There is exactly one object per type, so `is` and `==` agree; `==` also accepts anything that `tf.as_dtype` accepts.

    >>> tf.constant(1.0).dtype
    tf.float32
    >>> tf.float32 == "float32", tf.int32.is_integer, tf.int8.max
    (True, True, 127)

    Attributes:
        name: TensorFlow's name, such as `"float32"`.
        enum: the number of the type on the wire (`types.proto`); also `as_datatype_enum`.
        np_dtype: the `np.dtype` that stores elements (bytes objects for strings, integers for quantized types).
        as_numpy_dtype: the NumPy type users see; absent for resource and variant.
        size: bytes per element; 0 for string, resource and variant, 1 for types narrower than a byte.
        base_dtype: the type without the `_ref` of TensorFlow 1's reference variables.
        real_dtype: the type of the parts of a complex number, else the type itself.
        is_floating: a non-quantized real floating point type.
        is_integer: a non-quantized integer type.
        is_complex: complex64 or complex128.
        is_bool: the boolean type.
        is_unsigned: an unsigned, non-quantized integer type.
        is_quantized: qint8, quint8, qint16, quint16 or qint32.
        is_numeric: arithmetic is defined by TensorFlow's general kernels (not so for float8 and int4 and smaller).
        is_numpy_compatible: tensors of the type convert to NumPy arrays.
        is_ref: a reference type of TensorFlow 1.
        is_handle: resource or variant, whose tensors refer to an object.
        is_resource: resource, whose tensors refer to an object that ops read and change.
    """

    __slots__ = (
        "_type_enum",
        "as_datatype_enum",
        "as_numpy_dtype",
        "base_dtype",
        "enum",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_handle",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_ref",
        "is_resource",
        "is_unsigned",
        "name",
        "np_dtype",
        "real_dtype",
        "size",
    )
    name: str
    enum: int
    as_datatype_enum: int
    _type_enum: int
    np_dtype: np.dtype[Any]
    as_numpy_dtype: Any
    size: int
    base_dtype: DType
    real_dtype: DType
    is_floating: builtins.bool
    is_handle: builtins.bool
    is_integer: builtins.bool
    is_complex: builtins.bool
    is_bool: builtins.bool
    is_unsigned: builtins.bool
    is_quantized: builtins.bool
    is_numeric: builtins.bool
    is_numpy_compatible: builtins.bool
    is_ref: builtins.bool
    is_resource: builtins.bool

    def __new__(cls, type_enum: int) -> DType:
        """Returns the DType with a number of the wire format.

        Raises:
            TypeError: if no type has that number.
        """
        dtype = _BY_ENUM.get(int(type_enum))
        if dtype is None:
            raise TypeError(f"{int(type_enum)} does not correspond to a valid tensorflow::DataType")
        return dtype

    def __getattr__(self, name: str) -> Any:
        # Reached only for a slot left empty: resource and variant have no NumPy type (TensorFlow raises KeyError too).
        if name == "as_numpy_dtype":
            raise KeyError(f"{self!r} has no NumPy equivalent.")
        raise AttributeError(f"'DType' object has no attribute {name!r}")

    @property
    def min(self) -> Any:
        """The smallest value that the type holds; the lowest finite value for floating types.

        Raises:
            TypeError: if the type has no order or no known range.
        """
        return self._limit("min", "minimum")

    @property
    def max(self) -> Any:
        """The largest value that the type holds; the highest finite value for floating types.

        Raises:
            TypeError: if the type has no order or no known range.
        """
        return self._limit("max", "maximum")

    def _limit(self, which: str, word: str) -> Any:
        if self.is_quantized:
            raise TypeError(f"Cannot find {word} value of {self} with quantized type {self.base_dtype}.")
        if self.is_floating:
            return getattr(ml_dtypes.finfo(self.np_dtype), which)
        if self.is_integer:
            return getattr(ml_dtypes.iinfo(self.np_dtype), which)
        if not self.is_numpy_compatible:
            raise TypeError(f"Cannot find {word} value of {self}.")
        raise TypeError(f"Cannot find {word} value of {self} with type {self.base_dtype}.")

    @property
    def limits(self) -> tuple[int, Any]:
        """The range that an image of this type uses: 0 to 1 for floating types, 0 to the maximum for integers.

        Raises:
            ValueError: if no such convention exists for the type.
        """
        base = self.base_dtype
        if base is bool:
            return (0, True)
        if base is float32 or base is float64:
            return (0, 1)
        if base.is_integer and base.is_numeric:
            return (0, base.max)
        raise ValueError(f"{self} does not have defined limits.")

    @property
    def _as_ref(self) -> DType:
        return self if self.is_ref else _BY_ENUM[self.enum + _REF_OFFSET]

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self.is_ref

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Returns whether a value of type `other` may stand where this type is expected.

        >>> tf.float32.is_compatible_with("float32"), tf.float32.is_compatible_with(tf.int32)
        (True, False)

        Args:
            other: anything `tf.as_dtype` accepts.

        Raises:
            TypeError: if `other` is not a dtype.
        """
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def is_subtype_of(self, other: object) -> builtins.bool:
        """Returns whether a function traced for `other` may be called with this type: if the types are the same."""
        return self is other

    def most_specific_common_supertype(self, types: Sequence[object]) -> DType | None:
        """Returns this type if all `types` are this type, else None: dtypes have no common supertypes."""
        return self if all(other is self for other in types) else None

    def experimental_as_proto(self) -> Any:
        """Returns this type as a `SerializedDType`."""
        from millrace._src.proto import types_pb2  # protobuf costs 20 ms; most programs need none

        return types_pb2.SerializedDType(datatype=self.enum)  # type: ignore[arg-type]  # an enum is such a number

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> DType:
        """Returns the type that `experimental_as_proto` wrote."""
        return cls(proto.datatype)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Returns the message class of `experimental_as_proto`."""
        from millrace._src.proto import types_pb2  # protobuf costs 20 ms; most programs need none

        return types_pb2.SerializedDType

    def __eq__(self, other: object) -> builtins.bool:
        if other is self:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self.__eq__(other)

    __hash__ = object.__hash__  # dtypes are singletons; every eager call looks up its kernel by them

    def __int__(self) -> int:
        return self.enum

    def __repr__(self) -> str:
        return "tf." + self.name

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Callable[[Any], DType], tuple[str]]:
        return as_dtype, (self.name,)


# The words of the table below about a type, from which the is_* slots are read.
_FLOAT, _INT, _UINT, _COMPLEX = "float", "int", "uint", "complex"
_BOOL, _QUANTIZED, _OBJECT = "bool", "quantized", "object"


def _define(
    enum: int, name: str, storage: Any, kind: str, numpy_type: Any = None, *, is_numeric: builtins.bool
) -> DType:
    """Creates the type and the type's reference counterpart; returns the type."""
    base = _create(enum, name, storage, kind, numpy_type, is_numeric)
    reference = _create(enum + _REF_OFFSET, name + "_ref", storage, kind, numpy_type, is_numeric)
    base.base_dtype = reference.base_dtype = base
    base.real_dtype, reference.real_dtype = base, reference
    base.is_ref, reference.is_ref = False, True
    return base


def _create(enum: int, name: str, storage: Any, kind: str, numpy_type: Any, is_numeric: builtins.bool) -> DType:
    dtype = object.__new__(DType)
    dtype.name = name
    dtype.enum = dtype.as_datatype_enum = dtype._type_enum = enum
    dtype.np_dtype = np.dtype(storage)
    if numpy_type is not None:
        dtype.as_numpy_dtype = numpy_type
    dtype.size = 0 if kind == _OBJECT else dtype.np_dtype.itemsize
    dtype.is_floating = kind == _FLOAT
    dtype.is_integer = kind in (_INT, _UINT)
    dtype.is_unsigned = kind == _UINT
    dtype.is_complex = kind == _COMPLEX
    dtype.is_bool = kind == _BOOL
    dtype.is_quantized = kind == _QUANTIZED
    dtype.is_numeric = is_numeric
    dtype.is_numpy_compatible = numpy_type is not None
    dtype.is_handle = kind == _OBJECT and numpy_type is None
    dtype.is_resource = name == "resource"
    _BY_ENUM[enum] = dtype
    return dtype


def _standard(enum: int, name: str, numpy_type: Any, kind: str) -> DType:
    return _define(enum, name, numpy_type, kind, numpy_type, is_numeric=kind != _BOOL)


def _small(enum: int, numpy_type: Any, kind: str) -> DType:
    """Creates a type of ml_dtypes that TensorFlow's general arithmetic does not cover."""
    return _define(enum, numpy_type.__name__, numpy_type, kind, numpy_type, is_numeric=False)


def _define_quantized(enum: int, name: str, storage: Any) -> DType:
    return _define(enum, name, storage, _QUANTIZED, np.dtype([(name, storage)]), is_numeric=True)


float32 = _standard(1, "float32", np.float32, _FLOAT)
float64 = _standard(2, "float64", np.float64, _FLOAT)
int32 = _standard(3, "int32", np.int32, _INT)
uint8 = _standard(4, "uint8", np.uint8, _UINT)
int16 = _standard(5, "int16", np.int16, _INT)
int8 = _standard(6, "int8", np.int8, _INT)
string = _define(7, "string", object, _OBJECT, object, is_numeric=False)
complex64 = _standard(8, "complex64", np.complex64, _COMPLEX)
int64 = _standard(9, "int64", np.int64, _INT)
bool = bool_ = _standard(10, "bool", np.bool_, _BOOL)
qint8 = _define_quantized(11, "qint8", np.int8)
quint8 = _define_quantized(12, "quint8", np.uint8)
qint32 = _define_quantized(13, "qint32", np.int32)
bfloat16 = _standard(14, "bfloat16", ml_dtypes.bfloat16, _FLOAT)
qint16 = _define_quantized(15, "qint16", np.int16)
quint16 = _define_quantized(16, "quint16", np.uint16)
uint16 = _standard(17, "uint16", np.uint16, _UINT)
complex128 = _standard(18, "complex128", np.complex128, _COMPLEX)
float16 = _standard(19, "float16", np.float16, _FLOAT)
resource = _define(20, "resource", object, _OBJECT, is_numeric=False)
variant = _define(21, "variant", object, _OBJECT, is_numeric=False)
uint32 = _standard(22, "uint32", np.uint32, _UINT)
uint64 = _standard(23, "uint64", np.uint64, _UINT)
float8_e5m2 = _small(24, ml_dtypes.float8_e5m2, _FLOAT)
float8_e4m3fn = _small(25, ml_dtypes.float8_e4m3fn, _FLOAT)
float8_e4m3fnuz = _small(26, ml_dtypes.float8_e4m3fnuz, _FLOAT)
float8_e4m3b11fnuz = _small(27, ml_dtypes.float8_e4m3b11fnuz, _FLOAT)
float8_e5m2fnuz = _small(28, ml_dtypes.float8_e5m2fnuz, _FLOAT)
int4 = _small(29, ml_dtypes.int4, _INT)
uint4 = _small(30, ml_dtypes.uint4, _UINT)
int2 = _small(31, ml_dtypes.int2, _INT)
uint2 = _small(32, ml_dtypes.uint2, _UINT)
float4_e2m1fn = _small(33, ml_dtypes.float4_e2m1fn, _FLOAT)

half = float16
double = float64
complex64.real_dtype = complex64._as_ref.real_dtype = float32
complex128.real_dtype = complex128._as_ref.real_dtype = float64

ALL_DTYPES: tuple[DType, ...] = tuple(dtype for dtype in _BY_ENUM.values() if not dtype.is_ref)
QUANTIZED_DTYPES = frozenset(dtype for dtype in _BY_ENUM.values() if dtype.is_quantized)

export_constant(__name__, "float16", "float16", "dtypes.float16")
export_constant(__name__, "half", "half", "dtypes.half")
export_constant(__name__, "float32", "float32", "dtypes.float32")
export_constant(__name__, "float64", "float64", "dtypes.float64")
export_constant(__name__, "double", "double", "dtypes.double")
export_constant(__name__, "bfloat16", "bfloat16", "dtypes.bfloat16")
export_constant(__name__, "int8", "int8", "dtypes.int8")
export_constant(__name__, "int16", "int16", "dtypes.int16")
export_constant(__name__, "int32", "int32", "dtypes.int32")
export_constant(__name__, "int64", "int64", "dtypes.int64")
export_constant(__name__, "uint8", "uint8", "dtypes.uint8")
export_constant(__name__, "uint16", "uint16", "dtypes.uint16")
export_constant(__name__, "uint32", "uint32", "dtypes.uint32")
export_constant(__name__, "uint64", "uint64", "dtypes.uint64")
export_constant(__name__, "complex64", "complex64", "dtypes.complex64")
export_constant(__name__, "complex128", "complex128", "dtypes.complex128")
export_constant(__name__, "bool_", "bool", "dtypes.bool")
export_constant(__name__, "string", "string", "dtypes.string")
export_constant(__name__, "resource", "resource", "dtypes.resource")
export_constant(__name__, "variant", "variant", "dtypes.variant")
export_constant(__name__, "qint8", "qint8", "dtypes.qint8")
export_constant(__name__, "qint16", "qint16", "dtypes.qint16")
export_constant(__name__, "qint32", "qint32", "dtypes.qint32")
export_constant(__name__, "quint8", "quint8", "dtypes.quint8")
export_constant(__name__, "quint16", "quint16", "dtypes.quint16")
export_constant(
    __name__, "QUANTIZED_DTYPES", "dtypes.QUANTIZED_DTYPES", v1=["dtypes.QUANTIZED_DTYPES", "QUANTIZED_DTYPES"]
)
export_constant(__name__, "float8_e5m2", "dtypes.experimental.float8_e5m2", "experimental.float8_e5m2")
export_constant(__name__, "float8_e4m3fn", "dtypes.experimental.float8_e4m3fn", "experimental.float8_e4m3fn")
export_constant(__name__, "float8_e4m3fnuz", "dtypes.experimental.float8_e4m3fnuz", "experimental.float8_e4m3fnuz")
export_constant(
    __name__, "float8_e4m3b11fnuz", "dtypes.experimental.float8_e4m3b11fnuz", "experimental.float8_e4m3b11fnuz"
)
export_constant(__name__, "float8_e5m2fnuz", "dtypes.experimental.float8_e5m2fnuz", "experimental.float8_e5m2fnuz")
export_constant(__name__, "float4_e2m1fn", "dtypes.experimental.float4_e2m1fn", "experimental.float4_e2m1fn")
export_constant(__name__, "int4", "dtypes.experimental.int4", "experimental.int4")
export_constant(__name__, "uint4", "dtypes.experimental.uint4", "experimental.uint4")
export_constant(__name__, "int2", "dtypes.experimental.int2", "experimental.int2")
export_constant(__name__, "uint2", "dtypes.experimental.uint2", "experimental.uint2")


class _NumpyTable(dict["np.dtype[Any]", DType]):
    """From NumPy's dtypes to DTypes; a string dtype or a foreign byte order is added at its first look-up."""

    def __missing__(self, np_dtype: np.dtype[Any]) -> DType:
        dtype = _ANY.get(np_dtype.type) if np_dtype.fields is None else None
        if dtype is None:
            raise TypeError(f"Cannot convert the argument `type_value`: {np_dtype!r} to a TensorFlow DType.")
        self[np_dtype] = dtype
        return dtype


def _numpy_table() -> _NumpyTable:
    table = _NumpyTable()
    for dtype in ALL_DTYPES:
        if dtype.is_quantized:
            table[dtype.as_numpy_dtype] = dtype
        elif dtype.is_numpy_compatible:
            table[dtype.np_dtype] = dtype
    return table


def _any_table() -> dict[Any, DType]:
    """Makes one table of all forms in which users write a dtype: enums, names, scalar types, Python types."""
    table: dict[Any, DType] = {dtype.enum: dtype for dtype in _BY_ENUM.values()}
    table.update({dtype.name: dtype for dtype in _BY_ENUM.values()})
    table.update({"half": half, "double": double, "float": float32, "half_ref": half._as_ref})
    table.update({"double_ref": double._as_ref, "float_ref": float32._as_ref})
    table.update({dtype.np_dtype.type: dtype for dtype in _BY_NUMPY.values() if not dtype.is_quantized})
    table.update({np.longlong: int64, np.ulonglong: uint64, np.intc: int32, np.uintc: uint32})
    table.update({np.str_: string, np.bytes_: string, np.object_: string, object: string})
    table.update({builtins.float: float32, builtins.bool: bool_})
    return table


_BY_NUMPY = _numpy_table()
_ANY = _any_table()

from_np: Callable[[np.dtype[Any]], DType] = _BY_NUMPY.__getitem__
"""Returns the DType that holds arrays of a NumPy dtype, by one dictionary look-up; raises TypeError without one."""


@export("dtypes.as_dtype", "as_dtype")
def as_dtype(type_value: Any) -> DType:
    """Converts `type_value` to a `DType`.

    >>> tf.as_dtype("float32"), tf.as_dtype(np.int64), tf.as_dtype(float)
    (tf.float32, tf.int64, tf.float32)

    Args:
        type_value: a DType, its name or number, a NumPy dtype or scalar type, one of the Python types `float`, `bool`
            and `object`, or an object with a NumPy `dtype`.

    Raises:
        TypeError: if `type_value` names no type of tensors.
    """
    if type(type_value) is DType:
        return type_value
    try:
        dtype = _ANY.get(type_value)
    except TypeError:  # unhashable
        dtype = None
    if dtype is not None:
        return dtype
    candidate = type_value if isinstance(type_value, np.dtype) else getattr(type_value, "dtype", None)
    if candidate is not None:
        try:
            return _BY_NUMPY[np.dtype(candidate)]
        except TypeError:  # no NumPy dtype, or a NumPy dtype that no tensor has
            pass
    raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")


_RUNTIME_NAMES = {"float32": "float", "float64": "double", "float16": "half", "object": "string"}


def runtime_name(dtype: DType | np.dtype[Any]) -> str:
    """Returns the name of a dtype in TensorFlow's C++ runtime and in many messages: `float`, `double`, `int32`.

    The dtype of an array of objects is that of texts.
    """
    plain = dtype.name.removesuffix("_ref")
    return _RUNTIME_NAMES.get(plain, plain) + dtype.name[len(plain) :]
