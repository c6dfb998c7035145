"""`print` of tensors in converted code.

TensorFlow leaves `print` alone, which shows the tensor once, while the function is traced. A function made with
`tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS` prints the tensors' values each time the program gets there.
"""

from __future__ import annotations

import builtins
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from millrace._src.autograph.operators.replacements import replaces
from millrace._src.autograph.operators.staged_values import belongs_into_graph
from millrace._src.ops.host import numpy_function

_ARGUMENTS = ("sep", "end", "file", "flush")


class _Wish(threading.local):
    values = False


_wish = _Wish()


@contextlib.contextmanager
def printing_values(on: bool) -> Iterator[None]:
    """Says, for the functions traced in the `with` block, whether `print` shows the values of tensors."""
    before, _wish.values = _wish.values, on
    try:
        yield
    finally:
        _wish.values = before


@replaces(builtins.print)
def print_(*objects: Any, **kwargs: Any) -> None:
    """Prints objects; tensors among the objects may be printed when the graph runs.

    Raises: ValueError: if there is a keyword argument that Python's `print` does not have.
    """
    indices = [i for i, thing in enumerate(objects) if belongs_into_graph(thing)] if _wish.values else []
    if not indices:
        builtins.print(*objects, **kwargs)  # noqa: T201  # the user's
        return
    unknown = tuple(name for name in kwargs if name not in _ARGUMENTS)
    if unknown:
        raise ValueError(f"invalid keyword arguments: {unknown}")

    def show(*values: Any) -> None:
        all_objects = list(objects)
        for index, value in zip(indices, values, strict=True):
            all_objects[index] = value
        builtins.print(*all_objects, **kwargs)  # noqa: T201  # the user's

    numpy_function(show, [objects[index] for index in indices], [])
