"""The signatures of a SavedModel by name, as the `signatures` of a loaded object and as what is saved as such."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from millrace._src.trackable.base import SaveType, Trackable


class _SignatureMap(Mapping[str, Any], Trackable):
    """A read-only mapping from names of signatures to concrete functions; its name is TensorFlow's."""

    def __init__(self) -> None:
        self._signatures: dict[str, Any] = {}

    def _add_signature(self, name: str, concrete_function: object) -> None:
        """Adds a signature while a SavedModel is written or read; users cannot."""
        self._signatures[name] = concrete_function

    def __getitem__(self, name: str) -> Any:
        return self._signatures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        """Returns the signatures for a SavedModel; a checkpoint holds none."""
        return dict(self._signatures) if save_type == SaveType.SAVEDMODEL else {}
