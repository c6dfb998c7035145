"""Caches in memory: what the handle that `Dataset.cache` takes refers to.

Tests: tests/data/transforms/test_cache.py
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.handle_types import AbsentObject, ObjectHandle, Referent
from millrace._src.core.op_def import op
from millrace._src.data.blocks import Block
from millrace._src.data.object_ops import DELETES_OBJECT, MAKES_OBJECT, with_deleter

_HANDLE = ObjectHandle("memory cache")


class MemoryCache(Referent):
    """The elements of a dataset, once a pass has seen them all; safe to use from several threads."""

    __slots__ = ("_blocks", "_lock")

    def __init__(self) -> None:
        self._blocks: Sequence[Block] | None = None
        self._lock = threading.Lock()

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of memory caches."""
        return _HANDLE

    @property
    def blocks(self) -> Sequence[Block] | None:
        """All elements; None while no pass has come to the end."""
        return self._blocks

    def complete(self, blocks: Sequence[Block]) -> None:
        """Keeps all elements, unless another pass has come to the end before."""
        with self._lock:
            if self._blocks is None:
                self._blocks = tuple(blocks)


_CACHE: dict[str, Any] = {
    **MAKES_OBJECT,
    "handles": lambda c: _HANDLE,
    "not_differentiable": "a cache is not a number",
    "not_batched": "it makes one cache",
}


@op("DummyMemoryCache", "-> handle: resource", notes_call=True, **_CACHE)
def dummy_memory_cache(xp: Xp) -> Any:
    """Makes the handle that lets a dataset make a cache of its own."""
    return AbsentObject(_HANDLE)


@op(
    "AnonymousMemoryCache",
    "-> handle: resource, deleter: variant",
    **with_deleter(_CACHE),
)
def anonymous_memory_cache(xp: Xp) -> Any:
    """Makes a cache that lives as long as its handle."""
    cache = MemoryCache()
    return cache, cache


@op(
    "DeleteMemoryCache",
    "handle: resource, deleter: variant ->",
    not_differentiable="it gives nothing back",
    not_batched="it takes one cache",
    **DELETES_OBJECT,
)
def delete_memory_cache(xp: Xp, handle: Array, deleter: Array) -> None:
    """Does nothing: a cache ends with its last handle."""
