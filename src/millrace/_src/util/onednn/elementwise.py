"""Arithmetic of vectors by oneDNN: sums, differences, products, quotients, and conversions to another float type."""

from __future__ import annotations

import functools
from typing import NamedTuple

from millrace._src.util.onednn.library import Library, Object, OnednnError, load
from millrace._src.util.onednn.primitives import DST, SRC, Primitive, make_layout

_BINARY = {"add": 0x1FFF0, "multiply": 0x1FFF1, "divide": 0x1FFF4, "subtract": 0x1FFF5}
"""oneDNN's numbers of functions of two operands, by NumPy's names."""
_SECOND_SRC = 2
_DESTROY = "dnnl_primitive_desc_destroy"
_SLOW = ("ref", "simple")
"""How the names of implementations begin that take numbers one by one."""
_MAX = 256


class Vectors(NamedTuple):
    """What is computed, but for the values.

    Attributes:
      name: NumPy's name of a function of two vectors of one dtype; "cast" converts one vector.
      size: the elements of the first operand and of the result.
      second_size: the elements of the second operand: as many, or one.
      dtype: of the operands.
      result_dtype: of the result.
    """

    name: str
    size: int
    second_size: int
    dtype: str
    result_dtype: str


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
            primitive = _cast(library, vectors) if vectors.name == "cast" else _binary(library, vectors)
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


def _binary(library: Library, vectors: Vectors) -> Primitive:
    first = _layout(library, vectors.size, vectors.dtype)
    second = _layout(library, vectors.second_size, vectors.dtype)
    result = _layout(library, vectors.size, vectors.result_dtype)
    arguments = (library.engine, _BINARY[vectors.name], first, second, result, library.attributes)
    description = library.make("dnnl_binary_primitive_desc_create", _DESTROY, *arguments)
    return Primitive(library, description, [(SRC, first), (_SECOND_SRC, second), (DST, result)])
