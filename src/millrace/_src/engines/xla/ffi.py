"""Convolutions and products of compiled programs that are calls of oneDNN, where these are faster than XLA's own.

Problem: XLA computes convolutions on a CPU at a third of the speed of oneDNN. A product with a transposed matrix makes
XLA compute the matrix, whatever it comes from, column by column.

Idea: XLA calls functions in C ("foreign function interface"), and ctypes makes such a function from one of Python, so
that nothing is compiled. A program contains calls of one such function, with the calculation as an attribute of the
call: programs stay good in other processes. When a shape is first compiled, both forms are run on arrays of the shape,
and the faster form is taken from then on.

The layout of what XLA passes is stable within a major version, and every struct tells its size. Where something else
comes, the first call of all, which is a test, finds that out, and XLA's own convolutions stay.
"""

from __future__ import annotations

import ctypes
import functools
import json
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.engines.xla.host_calls import may_call, note_call, watch
from millrace._src.util.autotuning import are_choices_fixed
from millrace._src.util.onednn import convolution, products
from millrace._src.util.onednn.convolution import Convolution
from millrace._src.util.onednn.products import Product

_PRODUCT = "product"
_TARGET = "millrace_calculation"
_MAJOR = 0
_METADATA = 1
_STRING = 4
_EXECUTE = 3
_INTERNAL = 13
_WORTH_CALLING = 1 << 22
"""The multiplications from which a call, some tens of microseconds, can pay."""
_RUNS = 5
_PREFERENCE = 1.1
"""How many times as long as XLA's own form a call may seem to take: measuring beside other work is not exact."""
_MAX_SHAPES = 512


# --- XLA's structs ---------------------------------------------------------------------------------------------------


def _struct(name: str, **fields: object) -> Any:
    """Makes the class of a struct of XLA's, each of which begins with its size and a list of extensions."""
    start = (("struct_size", ctypes.c_size_t), ("extension", ctypes.c_void_p))
    return type(name, (ctypes.Structure,), {"_fields_": (*start, *fields.items())})


_Version = _struct("_Version", major=ctypes.c_int, minor=ctypes.c_int)
_Values = _struct(
    "_Values", count=ctypes.c_int64, kinds=ctypes.POINTER(ctypes.c_int), values=ctypes.POINTER(ctypes.c_void_p)
)
_Attributes = _struct(
    "_Attributes",
    count=ctypes.c_int64,
    kinds=ctypes.POINTER(ctypes.c_int),
    names=ctypes.c_void_p,
    values=ctypes.POINTER(ctypes.c_void_p),
)
_Buffer = _struct(
    "_Buffer", dtype=ctypes.c_int, data=ctypes.c_void_p, rank=ctypes.c_int64, sizes=ctypes.POINTER(ctypes.c_int64)
)
_ErrorArguments = _struct("_ErrorArguments", message=ctypes.c_char_p, code=ctypes.c_int)
_MAKE_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_ErrorArguments))
_Api = _struct("_Api", version=_Version, internal=ctypes.c_void_p, make_error=_MAKE_ERROR)
_Frame = _struct(
    "_Frame",
    api=ctypes.POINTER(_Api),
    context=ctypes.c_void_p,
    stage=ctypes.c_int,
    arguments=_Values,
    results=_Values,
    attributes=_Attributes,
)
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))


class _Text(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))


class _Metadata(ctypes.Structure):
    _fields_ = (("struct_size", ctypes.c_size_t), ("version", _Version), ("traits", ctypes.c_uint32))


class _Extension(ctypes.Structure):
    """An extension of a frame; that of metadata asks for the version of the handler."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(_Metadata)),
    )


# --- the function that XLA calls -------------------------------------------------------------------------------------


def _answer(pointer: Any) -> Any:
    """Answers XLA, on one of XLA's threads; the interpreter's lock is held."""
    frame = pointer.contents
    try:
        if frame.extension:
            _answer_questions(frame)
        elif frame.stage == _EXECUTE:
            _run_call(frame)
    except Exception as error:
        return _make_error(frame, f"{type(error).__name__}: {error}")
    return None


_handler = _HANDLER(_answer)


def _answer_questions(frame: Any) -> None:
    """Says for which version of the interface the handler is written: the one that asks."""
    extension = _Extension.from_address(frame.extension)
    if extension.kind == _METADATA:
        version, own = extension.metadata.contents.version, frame.api.contents.version
        version.major, version.minor = own.major, own.minor


def _run_call(frame: Any) -> None:
    a, b, result = (_Buffer.from_address(v).data for v in (*frame.arguments.values[:2], frame.results.values[0]))
    text = _Text.from_address(frame.attributes.values[0])
    _calculation(ctypes.string_at(text.start, text.length))(a, b, result)


@functools.lru_cache(maxsize=_MAX_SHAPES)
def _calculation(text: bytes) -> Callable[[int, int, int], None]:
    kind, fields = json.loads(text)
    make = Product._make if kind == _PRODUCT else Convolution._make
    shape = make(tuple(field) if isinstance(field, list) else field for field in fields)
    calculation = _at_addresses(kind, shape)
    if calculation is None:
        raise LookupError(f"oneDNN, with which this program was compiled, is missing or refuses {shape}")
    return calculation


def _at_addresses(kind: str, shape: Any) -> Callable[[int, int, int], None] | None:
    """Returns the function of the addresses of two operands and of the result; None where oneDNN has none."""
    return products.at_addresses(shape) if kind == _PRODUCT else convolution.at_addresses(kind, shape)


def _make_error(frame: Any, message: str) -> Any:
    """Makes an error that XLA raises where the program was called."""
    arguments = _ErrorArguments(ctypes.sizeof(_ErrorArguments), None, message.encode(), _INTERNAL)
    return frame.api.contents.make_error(arguments)


# --- programs --------------------------------------------------------------------------------------------------------


def convolve(kind: str, shape: Convolution, own: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Returns a convolution, or one of its gradients, in a program that is being traced: the faster form.

    Args:
      kind: as `util.onednn.convolution.at_addresses` takes it.
      shape: the convolution.
      own: makes XLA's own form of it.
      a: the first operand.
      b: the second operand.
    """
    return _faster(_convolution(kind, shape), own, a, b)


def multiply(own: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Returns the product of the transposed matrix `a` and the matrix `b`, in a program that is being traced.

    Args:
      own: makes XLA's own form of it.
      a: a matrix of float32.
      b: a matrix of float32.
    """
    (rows, columns), width = a.shape, b.shape[1]
    size = np.dtype(np.float32).itemsize
    shape = Product((columns, rows), (rows, width), (size, size * columns), (size * width, size))
    return _faster(_FfiCall(_PRODUCT, shape, shape.result, "float32"), own, a, b)


class _FfiCall(NamedTuple):
    """A calculation that oneDNN can do.

    Attributes:
      kind: "product", or what `util.onednn.convolution.at_addresses` takes.
      shape: the product or the convolution.
      sizes: the shape of the result.
      dtype: the dtype of the result.
    """

    kind: str
    shape: Any
    sizes: tuple[int, ...]
    dtype: str

    def form(self) -> Callable[[Array, Array], Array] | None:
        """Returns the form that calls oneDNN; None where oneDNN cannot do the calculation."""
        if _at_addresses(self.kind, self.shape) is None:
            return None
        call = jax.ffi.ffi_call(_TARGET, jax.ShapeDtypeStruct(self.sizes, np.dtype(self.dtype)))
        text = json.dumps([self.kind, self.shape])
        return lambda a, b: call(a, b, calculation=text)


def _convolution(kind: str, shape: Convolution) -> _FfiCall:
    sizes = {"forward": shape.results, "input_gradient": shape.images, "filter_gradient": shape.filters}
    return _FfiCall(kind, shape, sizes[kind], shape.dtype)


def _faster(call: _FfiCall, own: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Runs a calculation in the faster form."""
    is_large = call.shape.multiplications >= _WORTH_CALLING
    form = call.form() if is_large and may_call() and _is_usable() else None
    if form is None or not _is_faster(call, form, own, (a.shape, b.shape)):
        return own(a, b)
    note_call()
    return form(a, b)


@functools.cache
def _is_usable() -> bool:
    """Returns whether programs of this process can call the handler, by letting one do it."""
    if jax.default_backend() != "cpu":
        return False
    shape = Convolution((1, 4, 4, 8), (3, 3, 8, 8), (4, 4), (1, 1), (1, 1), (1, 1), "float32")
    try:
        jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(_handler), platform="cpu")
        form = _convolution("forward", shape).form()
        if form is None:
            return False
        images, filters = (np.ones(sizes, np.float32) for sizes in (shape.images, shape.filters))
        with jax.ensure_compile_time_eval():  # although a program is being traced
            return bool(np.asarray(watch.run(jax.jit(form), images, filters))[0, 1, 1, 0] == 72.0)
    except Exception:  # whatever another version of JAX refuses
        return False


_Shapes = tuple[tuple[int, ...], tuple[int, ...]]
_verdicts: dict[Hashable, bool] = {}


def _is_faster(call: _FfiCall, form: Callable[..., Array], own: Callable[..., Array], operands: _Shapes) -> bool:
    """Returns whether a form is faster than XLA's own; measured when a shape is first asked for."""
    key = (call.kind, call.shape)
    if are_choices_fixed():
        return True
    if key not in _verdicts:
        if len(_verdicts) >= _MAX_SHAPES:
            _verdicts.clear()
        called, compiled = _shortest_runs((form, own), operands, call.dtype)
        _verdicts[key] = called < _PREFERENCE * compiled
    return _verdicts[key]


def _shortest_runs(forms: Sequence[Callable[..., Array]], operands: _Shapes, dtype: str) -> list[float]:
    """Returns the shortest time of some runs, in turn, of programs with one calculation, in seconds."""
    arrays = [np.ones(sizes, np.dtype(dtype)) for sizes in operands]
    with jax.ensure_compile_time_eval():  # although another program is being traced
        programs = [jax.jit(form).lower(*arrays).compile() for form in forms]
        runs = [[_seconds(program, arrays) for program in programs] for _ in range(_RUNS)]
    return [min(times) for times in zip(*runs)]


def _seconds(program: Callable[..., Array], arrays: Sequence[Any]) -> float:
    start = time.perf_counter()
    watch.run(program, *arrays).block_until_ready()
    return time.perf_counter() - start
