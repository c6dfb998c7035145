"""Vectors by oneDNN: arithmetic of two, functions of one, and conversions to another float type."""

from __future__ import annotations

import functools
from typing import NamedTuple

from millrace._src.util.onednn.library import Library, Object, OnednnError, load
from millrace._src.util.onednn.primitives import DST, SRC, Primitive, make_layout

_BINARY = {"add": 0x1FFF0, "multiply": 0x1FFF1, "divide": 0x1FFF4, "subtract": 0x1FFF5}
"""oneDNN's numbers of functions of two operands, by NumPy's names."""
_UNARY = {"leaky_relu": 0x20, "sqrt": 0x25, "sigmoid": 0x29, "clip": 0x2F}
"""oneDNN's numbers of functions of one operand; the first has the slope as parameter, the last the bounds."""
_INFERENCE = 96
_SECOND_SRC = 2
_DESTROY = "dnnl_primitive_desc_destroy"
_SLOW = ("ref", "simple")
"""How the names of implementations begin that take numbers one by one."""
_MAX = 256


class Vectors(NamedTuple):
    """What is computed, but for the values.

    Attributes:
      name: NumPy's name of a function of two vectors of one dtype, or the name of a function of one vector; "cast"
        converts one vector.
      size: the elements of the first operand and of the result.
      second_size: the elements of the second operand: as many, or one; 0 if there is none.
      dtype: of the operands.
      result_dtype: of the result.
      parameters: up to two numbers on which a function of one vector depends.
    """

    name: str
    size: int
    second_size: int
    dtype: str
    result_dtype: str
    parameters: tuple[float, ...] = ()


@functools.lru_cache(maxsize=_MAX)
def calculation(vectors: Vectors) -> Primitive | None:
    """Returns the function of the addresses of the operands and of the result; None if there is none that is quick.

    Who calls the function lets it use one thread (`Library.one_thread`).
    """
    library = load()
    if library is None or not vectors.size:
        return None
    try:
        with library.one_thread():
            make = _cast if vectors.name == "cast" else _unary if vectors.name in _UNARY else _binary
            primitive = make(library, vectors)
    except OnednnError:
        return None
    return None if primitive.implementation.startswith(_SLOW) else primitive


def _layout(library: Library, size: int, dtype: str) -> Object:
    return make_layout(library, (size,), (1,), dtype)


def _cast(library: Library, vectors: Vectors) -> Primitive:
    source = _layout(library, vectors.size, vectors.dtype)
    target = _layout(library, vectors.size, vectors.result_dtype)
    engine = library.engine
    arguments = (source, engine, target, engine, library.attributes)
    description = library.make("dnnl_reorder_primitive_desc_create", _DESTROY, *arguments)
    return Primitive(library, description, [(SRC, source), (DST, target)])


def _unary(library: Library, vectors: Vectors) -> Primitive:
    layout = _layout(library, vectors.size, vectors.dtype)
    first, second, *_ = (*vectors.parameters, 0.0, 0.0)
    arguments = (library.engine, _INFERENCE, _UNARY[vectors.name], layout, layout, first, second, library.attributes)
    description = library.make("dnnl_eltwise_forward_primitive_desc_create", _DESTROY, *arguments)
    return Primitive(library, description, [(SRC, layout), (DST, layout)])


def _binary(library: Library, vectors: Vectors) -> Primitive:
    first = _layout(library, vectors.size, vectors.dtype)
    second = _layout(library, vectors.second_size, vectors.dtype)
    result = _layout(library, vectors.size, vectors.result_dtype)
    arguments = (library.engine, _BINARY[vectors.name], first, second, result, library.attributes)
    description = library.make("dnnl_binary_primitive_desc_create", _DESTROY, *arguments)
    return Primitive(library, description, [(SRC, first), (_SECOND_SRC, second), (DST, result)])
