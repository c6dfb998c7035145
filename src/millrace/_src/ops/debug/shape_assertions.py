"""`tf.debugging.assert_shapes`: several shapes at once, whose dimensions share names.

`{x: ("N", "D"), y: ("D", "K")}` binds each symbol to the first dimension that bears the symbol, and compares all later
dimensions with the first: at once where sizes are static, else by an `Assert` operation.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.ops.debug.static_checks import IN, RANK, assert_rank_check
from millrace._src.ops.debug.value_assertions import describe, sentence
from millrace._src.util.export import export


@export("debugging.assert_shapes", v1=["debugging.assert_shapes"])
def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Asserts the shapes of tensors, and that dimensions of the same symbol have the same size.

    >>> x, y = tf.zeros([2, 3]), tf.zeros([3, 4])
    >>> tf.debugging.assert_shapes([(x, ("N", "D")), (y, ("D", 4))])

    Args:
      shapes: pairs of a tensor and its shape, or a dict. A dimension is an int, a symbol (any other string), or
        None or "." for any size; an Ellipsis (...) or "*" as first entry means any number of dimensions.
        An empty shape is that of a scalar, which counts as a vector of size 1.
      data: values to show when a check fails at run time.
      summarize: how many elements of the data to show; None for 3.
      message: a text for the error.
      name: name of the scope in a graph.

    Raises:
      ValueError: if static shapes do not fit, or a shape is malformed.
      tf.errors.InvalidArgumentError: if a shape turns out wrong at run time.
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    with name_scope(name, "assert_shapes"):
        checks = [_Check(convert_to_tensor(tensor), _symbols(tensor, shape)) for tensor, shape in pairs]
        for check in checks:
            check.assert_rank(data, summarize, message)
        bound: dict[Any, tuple[_Check, int]] = {}
        for check in checks:
            check.assert_sizes(bound, data, summarize, message)


def _symbols(tensor: Any, shape: ShapeLike) -> tuple[Any, ...]:
    """Returns the wanted shape as a tuple of ints, symbols, None and perhaps a leading Ellipsis."""
    tensor = convert_to_tensor(tensor)
    if not hasattr(shape, "__iter__") and not hasattr(shape, "__getitem__"):
        raise ValueError(
            f"Tensor {describe(tensor)}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {shape}"
        )
    symbols = []
    for index, entry in enumerate(shape):
        if isinstance(entry, str) and entry.lstrip("-").isdigit():
            entry = int(entry)
        if _is_any_rank(entry):
            if index:
                raise ValueError(
                    f"Tensor {describe(tensor)} specified shape index {index}.  Symbol `...` or `*` for a variable "
                    "number of unspecified dimensions is only allowed as the first entry"
                )
            entry = ...
        symbols.append(entry)
    return tuple(symbols)


def _is_any_rank(entry: object) -> bool:
    return entry is ... or isinstance(entry, str) and entry == "*"


class _Check:
    """One tensor and the shape that the tensor must have."""

    def __init__(self, tensor: Any, wanted: tuple[Any, ...]) -> None:
        self.tensor = tensor
        self.open = wanted[:1] == (...,)
        self.sizes = wanted[1:] if self.open else wanted or (1,)
        self._shape: Any = None

    def assert_rank(self, data: object, summarize: int | None, message: str | None) -> None:
        """Asserts the rank of the tensor; a shape of one entry, or none, fits a scalar too."""
        if self.open:
            return
        scalar = len(self.sizes) <= 1
        ranks = [0, 1] if scalar else [len(self.sizes)]
        assert_rank_check(IN if scalar else RANK, self.tensor, ranks, data, summarize, message, None)

    def assert_sizes(
        self, bound: dict[Any, tuple[_Check, int]], data: object, summarize: int | None, message: str | None
    ) -> None:
        for index, wanted_size in enumerate(self.sizes):
            if wanted_size is None or isinstance(wanted_size, str) and wanted_size == ".":
                continue
            axis = index - len(self.sizes) if self.open else index
            if isinstance(wanted_size, int):
                self._assert_size(axis, wanted_size, wanted_size, "Specified explicitly", data, summarize, message)
            elif wanted_size in bound:
                other, other_axis = bound[wanted_size]
                origin = f"Specified by tensor {describe(other.tensor)} dimension {other_axis}"
                size = other.static_size(other_axis)
                dynamic_size = size if size is not None else other.size(other_axis)
                self._assert_size(axis, size, dynamic_size, origin, data, summarize, message)
            else:
                bound[wanted_size] = (self, axis)

    def static_size(self, axis: int) -> int | None:
        """Returns the size of a dimension if it is known; a scalar counts as one dimension of size 1."""
        dims = self.tensor.shape.dim_sizes
        if dims is None:
            return None
        dims = dims or (1,)
        size: int | None = dims[axis] if -len(dims) <= axis < len(dims) else None
        return size

    def size(self, axis: int) -> Any:
        """Returns the size of a dimension as a tensor."""
        if self._shape is None:
            padded_shape = raw.ConcatV2(values=[shape_of(self.tensor), [1]], axis=0)
            rank = raw.Maximum(x=rank_of(self.tensor), y=1)
            self._shape = padded_shape[:rank]
        return self._shape[axis]

    def _assert_size(
        self,
        axis: int,
        static: int | None,
        wanted: Any,
        origin: str,
        data: Any,
        summarize: int | None,
        message: str | None,
    ) -> None:
        found_size = self.static_size(axis)
        if found_size is not None and static is not None:
            if found_size != static:
                raise ValueError(
                    f"{sentence(message)}{origin}.  Tensor {describe(self.tensor)} dimension {axis} must have size "
                    f"{static}.  Received size {found_size}, shape {self.tensor.shape}"
                )
            return
        condition = raw.Equal(x=self.size(axis), y=wanted)
        if data is None:
            shape = shape_of(self.tensor)
            whose = f"Tensor {describe(self.tensor)} dimension"
            data = [sentence(message), origin, whose, axis, "must have size", wanted, "Received shape: ", shape]
        assert_that(condition, data, summarize=summarize)
