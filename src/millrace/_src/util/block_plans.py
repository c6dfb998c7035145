"""How arrays that broadcast against each other are cut into blocks.

Problem: the operands of element-wise steps have different shapes, of which NumPy makes one by broadcasting. A block
needs the piece of each operand that belongs to it.

Idea: axes that no operand or every operand repeats are one axis, so that one or two axes are left, nearly always. A
block is a number of whole rows, or a part of one row. The piece of an operand is a view, and where the operand repeats
along an axis the whole of that axis.

Short rows are slow: NumPy begins anew with each row that meets a vector (one number a channel). So several rows are
folded into one long row, and the vectors are repeated accordingly:

    (9216, 16) * (16,)    ->    (18, 8192) * (8192,)

Rows that are left over are a block of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

_ALIGNMENT = 64
_LONG_ROW = 6144
"""The elements of a row from which on NumPy takes as long for an element as without broadcasting."""

Shape: TypeAlias = tuple[int, ...]
Cut: TypeAlias = tuple[slice, ...]


def stored_part(array: Any) -> Any | None:
    """Returns the part of an array that a broadcast array repeats; the array itself if all of it is stored.

    None for an array whose elements do not stand in the order of its axes.
    """
    if array.flags.c_contiguous:
        return array
    if 0 not in array.strides:
        return None
    part = array[tuple([slice(1) if step == 0 else slice(None) for step in array.strides])]
    return part if part.flags.c_contiguous else None


class BlockPlan:
    """How arrays of some shapes are cut into blocks.

    Args:
      shape: the shape of the results.
      shapes: the shapes of the stored arrays, which broadcast to the shape of the results.
      is_expanded: for each array whether its pieces have the shape of the block although its elements are repeated.
      most: the most elements of a block.
    """

    def __init__(self, shape: Shape, shapes: Sequence[Shape], is_expanded: Sequence[bool], most: int) -> None:
        self.shape = shape
        dims, repeats = _merge_axes(shape, shapes)
        fold = _fold(dims, repeats)
        rest = dims[0] % fold if len(dims) == 2 else 0
        self._parts = [_Part(dims, repeats, is_expanded, _RowRange(0, dims[0] - rest, fold), most)]
        if rest:
            self._parts.append(_Part(dims, repeats, is_expanded, _RowRange(dims[0] - rest, dims[0], 1), most))
        self.cuts = [(part, cut) for part in self._parts for cut in part.cuts]

    def views(self, arrays: Sequence[Any]) -> dict[_Part, list[Any]]:
        """Returns arrays with the axes that are cut, for each part of the plan; scalars as they are."""
        return {part: part.views(arrays) for part in self._parts}

    def pieces(self, views: dict[_Part, list[Any]], index: int) -> list[Any]:
        """Returns the pieces of all arrays that belong to the block of a number."""
        part, cut = self.cuts[index]
        return part.pieces(views[part], cut)


class _RowRange:
    """Some elements along the first axis; `fold` rows (of the axis before the last one) are folded into one."""

    def __init__(self, start: int, stop: int, fold: int) -> None:
        self.start, self.stop, self.fold = start, stop, fold


class _Part:
    """Rows that are cut in one way.

    Args:
      dims: the sizes of the axes of the whole.
      repeats: for each axis which arrays repeat along it.
      is_expanded: which arrays have pieces of the shape of the block although they repeat.
      rows: the rows.
      most: the most elements of a block.
    """

    def __init__(
        self,
        dims: Sequence[int],
        repeats: Sequence[tuple[bool, ...]],
        is_expanded: Sequence[bool],
        rows: _RowRange,
        most: int,
    ) -> None:
        self._rows = rows
        self._is_expanded = is_expanded
        self._repeats = list(zip(*repeats, strict=True))
        self._shapes = [
            tuple([1 if is_repeated else dim for dim, is_repeated in zip(dims, axes, strict=True)])
            for axes in self._repeats
        ]
        self._dims = [rows.stop - rows.start, *dims[1:]]
        if rows.fold > 1:
            self._dims[-2:] = self._dims[-2] // rows.fold, self._dims[-1] * rows.fold
        self.cuts = list(_cuts(self._dims, most))
        self._repeated_axes = [
            [] if is_expanded[i] else [axis for axis, is_repeated in enumerate(axes) if is_repeated]
            for i, axes in enumerate(self._repeats)
        ]

    def views(self, arrays: Sequence[Any]) -> list[Any]:
        """Returns arrays with the axes that are cut; scalars as they are."""
        return [self._view(i, array) if array.ndim else array for i, array in enumerate(arrays)]

    def _view(self, index: int, array: Any) -> Any:
        repeats, rows = self._repeats[index], self._rows
        view = array.reshape(self._shapes[index])
        if not repeats[0]:
            view = view[rows.start : rows.stop]
        if rows.fold > 1 and not repeats[-1]:
            *outer, _, columns = view.shape
            if repeats[-2]:
                view = np.broadcast_to(view, (*outer, rows.fold, columns))
            view = view.reshape(*outer, -1, rows.fold * columns)
        return np.broadcast_to(view, self._dims) if self._is_expanded[index] else view

    def pieces(self, views: Sequence[Any], cut: Cut) -> list[Any]:
        """Returns the pieces of views that belong to a block."""
        return [
            view[_without(cut, axes) if axes else cut] if view.size > 1 else view
            for view, axes in zip(views, self._repeated_axes, strict=True)
        ]


def _merge_axes(shape: Shape, shapes: Sequence[Shape]) -> tuple[list[int], list[tuple[bool, ...]]]:
    """Returns the axes of broadcast arrays, as few as possible, and for each axis which arrays repeat along it."""
    padded_shapes = [(1,) * (len(shape) - len(s)) + s for s in shapes]
    dims: list[int] = []
    repeats: list[tuple[bool, ...]] = []
    for dim, *parts in zip(shape, *padded_shapes, strict=True):
        repeat = tuple([part == 1 for part in parts])
        if dim == 1:
            continue
        if repeats and repeats[-1] == repeat:
            dims[-1] *= dim
        else:
            dims.append(dim)
            repeats.append(repeat)
    return dims, repeats


def _fold(dims: Sequence[int], repeats: Sequence[tuple[bool, ...]]) -> int:
    """Returns how many short rows are made one row: a power of two, 1 where that brings nothing."""
    if len(dims) < 2 or dims[-1] >= _LONG_ROW // 2:
        return 1
    patterns = set(zip(repeats[-2], repeats[-1], strict=True))
    if (True, False) not in patterns or (False, True) in patterns:
        return 1
    fold = 1 << (_LONG_ROW // dims[-1]).bit_length()
    while fold > dims[-2] or (len(dims) > 2 and dims[-2] % fold):
        fold //= 2
    return fold


def _cuts(dims: Sequence[int], most: int) -> Iterator[Cut]:
    """Yields the blocks of an array as slices of its first axes: a block has at most `most` elements."""
    axis, inner = len(dims) - 1, 1
    while axis and inner * dims[axis] <= most:
        inner *= dims[axis]
        axis -= 1
    length = _length(dims[axis], max(most // inner, 1), inner)
    parts = [slice(start, start + length) for start in range(0, dims[axis], length)]
    for position in np.ndindex(*dims[:axis]):
        outer = tuple([slice(index, index + 1) for index in position])
        for part in parts:
            yield *outer, part


def _length(size: int, most: int, inner: int) -> int:
    """Returns the length of blocks of about equal length along an axis.

    Blocks along the last axis begin at multiples of a vector register, as vectors of the whole array do.
    """
    count = -(-size // most)
    length = -(-size // count)
    return -(-length // _ALIGNMENT) * _ALIGNMENT if inner == 1 else length


def _without(cut: Cut, axes: Sequence[int]) -> Cut:
    """Returns a block of an array that repeats along some axes, which are left whole."""
    whole = slice(None)
    return tuple([whole if axis in axes else part for axis, part in enumerate(cut)])
