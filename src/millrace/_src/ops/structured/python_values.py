"""Between structured tensors and Python: nested lists of dictionaries.

From Python: lists of dictionaries of one depth are a structured tensor of that rank. The values of one key in all the
dictionaries, in lists of the same nesting, are the value of that field, which is read likewise. Other lists are
tensors, and ragged tensors where lists lie within lists.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int8
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import TypeSpec
from millrace._src.ops.ragged.dynamic_ragged_shape import DynamicRaggedShape
from millrace._src.ops.ragged.ragged_constants import ragged_constant
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec

_ANY_DEPTH = -1
"""The depth of dictionaries in an empty list."""
Path = tuple[str, ...]


class PythonValues:
    """The factory of `StructuredTensor` that reads Python's values."""

    Spec: ClassVar[Any]

    @classmethod
    def from_fields_and_rank(cls, fields: Mapping[str, Any], rank: int) -> Self:
        """Makes a structured tensor of its fields."""
        raise NotImplementedError(f"{cls.__name__}.from_fields_and_rank")

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> Self:
        """Makes a structured tensor without fields."""
        raise NotImplementedError(f"{cls.__name__}.from_shape")

    @classmethod
    def from_pyval(cls, pyval: object, typespec: TypeSpec | None = None) -> Any:
        """Makes a structured tensor of dictionaries, or of nested lists of dictionaries.

        >>> st = tf.experimental.StructuredTensor.from_pyval([[{"x": 1}], [{"x": 2}, {"x": 3}]])
        >>> st.shape, st.field_value("x")
        (TensorShape([2, None]), <tf.RaggedTensor [[1], [2, 3]]>)

        Args:
          pyval: a dictionary or a nested list of dictionaries, all of which have the same keys; the values are numbers,
            texts, nested lists of such, or dictionaries and lists of dictionaries again.
          typespec: the spec of the result, for the dtypes of empty lists and the like.

        Returns: A StructuredTensor; a Tensor or RaggedTensor if there are no dictionaries.
        Raises:
          ValueError: if lists or dictionaries do not go together, or do not fit `typespec`.
          KeyError: if a dictionary lacks a key.
        """
        return _read(cls, pyval, typespec, ())


def _read(cls: type[PythonValues], pyval: object, spec: object, path: Path) -> Any:
    depth = _depth_of_dicts(pyval)
    if depth is None or (depth == _ANY_DEPTH and not isinstance(spec, cls.Spec)):
        return _values(pyval, spec, path)
    return _structures(cls, pyval, depth, spec, path)


def _depth_of_dicts(pyval: object) -> int | None:
    """Returns in how many lists each dictionary lies; None if there are other values than dictionaries."""
    if isinstance(pyval, Mapping):
        return 0
    if not isinstance(pyval, (list, tuple)):
        return None
    depths = {_depth_of_dicts(part) for part in pyval} - {_ANY_DEPTH}
    if not depths:
        return _ANY_DEPTH
    if len(depths) > 1:
        is_mixed = None in depths
        raise ValueError(
            "Expected dict or nested list/tuple of dict" if is_mixed else "Inconsistent depth of dictionaries"
        )
    depth = depths.pop()
    return None if depth is None else depth + 1


def _structures(cls: type[PythonValues], pyval: object, depth: int, spec: object, path: Path) -> Any:
    """Reads dictionaries in lists."""
    if spec is not None:
        if not isinstance(spec, cls.Spec) or depth not in (spec.rank, _ANY_DEPTH):
            raise ValueError(f"Value at {path} does not match typespec: {pyval} vs {spec}")
        depth = spec.rank
    specs = dict.fromkeys(_names(pyval, depth, path)) if spec is None else spec._fields
    if not specs:
        if depth == 0:
            return cls.from_shape(DynamicRaggedShape([], []))
        return cls.from_shape(DynamicRaggedShape.from_tensor(ragged_constant(_each(pyval, depth, lambda _: 0), int8)))
    try:
        values = {name: _each(pyval, depth, operator.itemgetter(name)) for name in specs}
    except (KeyError, TypeError) as error:  # not as the spec says
        raise ValueError(f"Error parsing path {path}") from error
    fields = {name: _read(cls, values[name], field_spec, (*path, name)) for name, field_spec in specs.items()}
    return cls.from_fields_and_rank(fields, depth)


def _names(pyval: object, depth: int, path: Path) -> list[str]:
    """Returns the keys of all dictionaries, in the order in which they come.

    Raises: KeyError: if a dictionary lacks one of the keys.
    """
    structures: list[Any] = []
    _each(pyval, depth, structures.append)
    if not all(isinstance(structure, Mapping) for structure in structures):
        raise ValueError(f"Error parsing path {path}: a list stands where others have a dictionary")
    names = list(dict.fromkeys(name for structure in structures for name in structure))
    for structure in structures:
        for name in names:
            if name not in structure:
                raise KeyError(name)
    return names


def _each(pyval: Any, depth: int, function: Callable[[Any], Any]) -> Any:
    """Applies a function to each element of lists within lists."""
    return function(pyval) if depth == 0 else [_each(part, depth - 1, function) for part in pyval]


def _values(pyval: object, spec: object, path: Path) -> Any:
    """Reads numbers and texts, alone or in lists."""
    if spec is not None and not isinstance(spec, (TensorSpec, RaggedTensorSpec)):
        raise ValueError(f"Value at {path} does not match typespec: {spec} vs {pyval}")
    try:
        value = _constant(pyval, spec)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Error parsing path {path}") from error
    if spec is not None and not spec.is_compatible_with(value):
        raise ValueError(f"Value at {path} does not match typespec: {spec} vs {pyval}")
    return value


def _constant(pyval: Any, spec: Any) -> Any:
    if isinstance(spec, RaggedTensorSpec):
        return ragged_constant(
            pyval, spec._dtype, ragged_rank=spec._ragged_rank, row_splits_dtype=spec._row_splits_dtype
        )
    if isinstance(pyval, (list, tuple)) and spec is None:
        return ragged_constant(pyval)
    return convert_to_tensor(pyval, dtype=None if spec is None else spec.dtype)


def nested_dictionaries(columns: Mapping[str, Sequence[Any]], count: int, partitions: Sequence[Any]) -> list[Any]:
    """Returns dictionaries in nested lists.

    Args:
      columns: for each field a list with the field's value in each dictionary, in order.
      count: the number of dictionaries.
      partitions: how the dictionaries fall into rows, the rows into rows of rows and so on, the innermost last.
    """
    items: list[Any] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if not columns:
        items = [{} for _ in range(count)]
    for partition in reversed(partitions):
        bounds = partition.row_splits().numpy().tolist()
        items = [items[start:stop] for start, stop in itertools.pairwise(bounds)]  # a list each
    return items
