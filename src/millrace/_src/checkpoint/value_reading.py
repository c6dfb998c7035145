"""Values out of a checkpoint: as tensors at once, or as outputs of an operation in a graph.

Tests: tests/checkpoint/test_restore.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.checkpoint.bundle.bundle_opening import open_checkpoint
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice, parse_shape_and_slice
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.errors import DataLossError
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import new_tensor
from millrace._src.ops import raw


@dataclass(frozen=True, slots=True)
class Want:
    """A tensor of a checkpoint that is wanted: its key, and the part of it as text ("" for all of it)."""

    key: str
    slice_spec: str = ""


class ValueReader:
    """The values of one checkpoint.

    Args: prefix: what the names of the files begin with.
    Raises: NotFoundError: if there is no such checkpoint.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._bundle = open_checkpoint(prefix)

    def __contains__(self, key: str) -> bool:
        return key in self._bundle

    def keys(self) -> Sequence[str]:
        """Returns all keys, in order."""
        return list(self._bundle.keys())

    def entry(self, key: str) -> Any:
        """Returns what the checkpoint says of a tensor: `dtype`, `shape`, `slices`.

        Raises: NotFoundError: if there is no such key.
        """
        return self._bundle.entry(key)

    def shape(self, key: str) -> TensorShape:
        """Returns the shape of a tensor."""
        return TensorShape(self.entry(key).shape)

    def bytes(self, key: str) -> bytes:
        """Returns the value of a scalar string.

        Raises: DataLossError: if the tensor is something else.
        """
        array = self._bundle.read(key)
        if array.dtype != object or array.ndim:
            raise DataLossError(None, None, f"{key} of {self.prefix} is not text: {array.dtype} {list(array.shape)}.")
        return bytes(array.item())

    def read(self, wants: Sequence[Want]) -> Iterator[Any]:
        """Returns the wanted tensors in order; in a graph they are outputs of one operation.

        Raises: NotFoundError: if the checkpoint has no such key.
        """
        entries = [self.entry(want.key) for want in wants]
        if not wants or state.graph is None:
            return (
                new_tensor(self._bundle.read(want.key, _part(want.slice_spec)), entry.dtype)
                for want, entry in zip(wants, entries)
            )
        return iter(
            raw.RestoreV2(
                prefix=convert_to_tensor(self.prefix, string),
                tensor_names=convert_to_tensor([want.key for want in wants], string),
                shape_and_slices=convert_to_tensor([want.slice_spec for want in wants], string),
                dtypes=[entry.dtype for entry in entries],
            )
        )


def _part(slice_spec: str) -> TensorSlice | None:
    return parse_shape_and_slice(slice_spec)[1] if slice_spec else None
