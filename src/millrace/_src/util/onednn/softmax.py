"""Softmax of the rows of a float32 matrix by oneDNN.

A NaN or an infinity in a row spoils only some elements of the row there, but one at least.
"""

from __future__ import annotations

import functools

from millrace._src.util.onednn.library import OnednnError, load
from millrace._src.util.onednn.primitives import DST, SRC, Primitive, make_layout

_INFERENCE, _ACCURATE, _LAST_AXIS = 96, 0x30000, 1
_MAX = 256


@functools.lru_cache(maxsize=_MAX)
def softmax(rows: int, size: int) -> Primitive | None:
    """Returns the function of the addresses of a matrix and of the result; None if there is none that is quick.

    Who calls the function lets it use one thread (`Library.one_thread`).

    Args:
      rows: the number of rows.
      size: the elements of a row.
    """
    library = load()
    if library is None or not rows or not size:
        return None
    name, destroy = "dnnl_softmax_forward_primitive_desc_create", "dnnl_primitive_desc_destroy"
    try:
        with library.one_thread():
            layout = make_layout(library, (rows, size), (size, 1), "float32")
            kind = (_INFERENCE, _ACCURATE, layout, layout, _LAST_AXIS)
            description = library.make(name, destroy, library.engine, *kind, library.attributes)
            primitive = Primitive(library, description, [(SRC, layout), (DST, layout)])
    except OnednnError:
        return None
    return None if primitive.implementation.startswith("ref") else primitive
