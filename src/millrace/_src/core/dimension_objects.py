"""Shapes as TensorFlow 1 shows them: their dimensions are `Dimension` objects, an unknown dimension prints as "?".

Problem: programs of TensorFlow 1 write `x.shape[0].value`. The same `TensorShape` serves the library, which counts with
integers and asks whether a dimension is None.

Idea: on request the class `TensorShape` changes the few methods that hand out dimensions; a program that never asks
pays nothing. The new methods look who calls: code of the library still gets integers.

Tests: tests/oracle/programs/v1_names.py, tests/core/test_dimension.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.core.dimension import Dimension
from millrace._src.core.shapes import TensorShape
from millrace._src.util.callers import is_library_code


def _get_item(self: TensorShape, key: object) -> Any:
    found = _today["__getitem__"](self, key)
    return found if isinstance(key, slice) or is_library_code() else Dimension(found)


def _iterate(self: TensorShape) -> Iterator[Any]:
    sizes: Iterator[int | None] = _today["__iter__"](self)
    return sizes if is_library_code() else map(Dimension, sizes)


def _representation(self: TensorShape) -> str:
    return f"TensorShape({None if self.rank is None else [Dimension(size) for size in self.as_list()]})"


def _text(self: TensorShape) -> str:
    if self.rank is None:
        return "<unknown>"
    sizes = ["?" if size is None else str(size) for size in self.as_list()]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


_old: dict[str, Any] = {
    "__getitem__": _get_item,
    "__iter__": _iterate,
    "__repr__": _representation,
    "__str__": _text,
}
_today: dict[str, Any] = {name: vars(TensorShape)[name] for name in _old}


def present_dimensions(as_objects: bool) -> None:
    """Lets shapes hand out `Dimension`s, or integers and None, to code that is not the library's."""
    for name, method in (_old if as_objects else _today).items():
        setattr(TensorShape, name, method)
