"""A variable that consists of several variables, each a slice of it along one dimension.

Tests: tests/oracle/programs/v1_partitions.py, tests/compat_v1/variables/test_partitioned_getting.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.resources import PartedVariable
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.util.class_homes import tensorflow_home


@tensorflow_home("python.ops.variables")
class PartitionedVariable(PartedVariable):
    """Represents several variables as if they were one: what `get_variable` returns with a partitioner.

    Args:
      name: The name of the whole.
      shape: The shape of the whole.
      dtype: The dtype.
      variable_list: The parts in order; each says with `SaveSliceInfo` which part it is.
      partitions: The number of parts along each dimension, of which one at most is more than one.

    Raises: ValueError: if a part does not say which part it is.
    """

    def __init__(
        self, name: str, shape: object, dtype: DType, variable_list: Sequence[Any], partitions: Sequence[int]
    ) -> None:
        if any(variable._get_save_slice_info() is None for variable in variable_list):
            raise ValueError("All variables must have a save_slice_info available.")
        self._name = name
        self._shape = as_shape(shape)
        self._dtype = dtype
        self._variable_list = list(variable_list)
        self._partitions = list(partitions)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return self._axis_and_count()[1]

    def _axis_and_count(self) -> tuple[int, int]:
        """Returns the dimension that is partitioned, and the number of parts."""
        return next(((axis, count) for axis, count in enumerate(self._partitions) if count > 1), (0, 1))

    @property
    def name(self) -> str:
        """The name of the whole, without ":0"."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns the shape of the whole; the same as `shape`."""
        return self._shape

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def as_tensor(self) -> Any:
        """Returns the whole as a Tensor: the parts, joined."""
        axis, count = self._axis_and_count()
        parts = self._variable_list
        with context.name_scope(f"{self._name}/ConcatPartitions/"):
            whole = parts[0]._read() if count == 1 else raw.ConcatV2(values=parts, axis=axis, name="concat")
        with context.name_scope(None):
            return raw.Identity(input=whole, name=self._name)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is not None and not dtype.is_compatible_with(self._dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type {dtype.name} for variable of type {self._dtype.name}"
            )
        return self.as_tensor()

    def _apply(self, method: str, value: object, use_locking: bool, name: str | None, read_value: bool) -> list[Any]:
        """Calls a method of each part with the part's slice of a value."""
        axis, count = self._axis_and_count()
        if count == 1:
            values = [value]
        elif isinstance(value, (list, tuple)) and len(value) == count:
            values = list(value)
        else:
            sizes = constant([variable.shape[axis] for variable in self._variable_list], dtype=int64)
            values = raw.SplitV(value=value, size_splits=sizes, axis=axis, num_split=count, name="split")
        return [
            getattr(variable, method)(part, use_locking, name, read_value)
            for variable, part in zip(self._variable_list, values, strict=True)
        ]

    def assign(self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replaces the value of each part by its slice of `value`; returns one result a part.

        Args: as those of `tf.Variable.assign`.
        """
        return self._apply("assign", value, use_locking, name, read_value)

    def assign_add(
        self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds to each part its slice of `value`; returns one result a part.

        Args: as those of `tf.Variable.assign_add`.
        """
        return self._apply("assign_add", value, use_locking, name, read_value)

    def assign_sub(
        self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts from each part its slice of `value`; returns one result a part.

        Args: as those of `tf.Variable.assign_sub`.
        """
        return self._apply("assign_sub", value, use_locking, name, read_value)
