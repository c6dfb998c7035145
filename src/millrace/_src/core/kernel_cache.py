"""The cache of the kernels that are bound for eager calls, and how long it keeps a kernel.

Problem: to call an op eagerly, a kernel is bound to dtypes and attributes once, and later calls find the bound kernel
again. Programs that make attributes of data (`leaky_relu(x, alpha=i / n)`) would fill memory with kernels that nothing
calls again. But the hot path of `execute` has no time to note which kernel was used last.

Idea: two generations. A hit in the young generation is a plain dictionary look-up that writes nothing. When the young
generation is full it becomes the old generation, and the former old generation is dropped; a call that is found among
the old kernels moves its kernel to the young ones. So used kernels stay, unused kernels go, and an op never keeps more
than two generations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

GENERATION = 512
"""The number of keys that a generation holds for one op."""
GENERATION_OF_STREAMS = 4096
"""The number of keys for an op that draws random numbers, whose bound kernels hold the positions in streams."""


class KernelCache:
    """The bound calls of one op, by the dtypes of the inputs (a tuple for a list) and the attributes as given.

    Args:
      generation: the number of keys that the young generation holds.
    """

    __slots__ = ("generation", "young", "_old")

    def __init__(self, generation: int = GENERATION) -> None:
        self.generation = generation
        self.young: dict[Any, Any] = {}
        """The young generation, always the same dictionary: the hot path looks here."""
        self._old: dict[Any, Any] = {}

    def find(self, key: object) -> Any:
        """Returns the call under a key, which becomes young, or None; a key that cannot be hashed has no call."""
        try:
            call = self.young.get(key)
            if call is None:
                call = self._old.get(key)
                if call is not None:
                    self.keep(key, call)
        except TypeError:
            return None
        return call

    def keep(self, key: object, call: object) -> None:
        """Adds a call to the young generation; a full young generation becomes the old generation.

        Raises: TypeError: if the key cannot be hashed, because an attribute is an array or a list.
        """
        hash(key)
        if len(self.young) >= self.generation:
            self._old = self.young.copy()
            self.young.clear()
        self.young[key] = call

    def renew(self, renewed: Callable[[Any], Any]) -> None:
        """Replaces every call by what a function makes of it."""
        for generation in (self.young, self._old):
            for key, call in list(generation.items()):  # other threads add calls meanwhile
                generation[key] = renewed(call)

    def keys(self) -> set[Any]:
        """Returns the keys of both generations."""
        return {*self.young, *self._old}
