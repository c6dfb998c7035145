"""What files of named arrays have in common, so that a table, a comparison or a conversion is written once.

Tests: tests/interop/array_files/test_npz_file.py, tests/interop/array_files/test_safetensors_file.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """What a file says of one array, without its values.

    Attributes:
      name: the name in the file.
      dtype: the dtype of the values.
      shape: the shape.
      size: how many bytes the values take in the file.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    size: int


class ArrayFile(ABC):
    """A file of named arrays that is open for reading; a context manager, which closes the file.

    Attributes:
      arrays: what the file says of each array, by name, in the order of the file.
    """

    arrays: Mapping[str, ArrayInfo]

    @abstractmethod
    def read(self, name: str) -> Array:
        """Reads one array: a new one, which may be changed; `bytes` objects for strings.

        Raises: tf.errors.DataLossError: if the file is damaged.
        """

    @abstractmethod
    def close(self) -> None:
        """Closes the file."""

    def read_all(self) -> Iterator[tuple[str, Array]]:
        """Yields all arrays with their names, one at a time."""
        return ((name, self.read(name)) for name in self.arrays)

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Source(Protocol):
    """One array that is to be written: its facts are known before its values are."""

    @property
    def info(self) -> ArrayInfo: ...

    def value(self) -> Array:
        """Returns the values; asked for once, when they are written."""
        ...
