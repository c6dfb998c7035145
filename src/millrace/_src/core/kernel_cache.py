"""How long the kernels are kept that were bound for eager calls.

Problem: to call an op eagerly, its kernel is bound to dtypes and attributes once, and later calls find it again.
Programs that make attributes of data (`leaky_relu(x, alpha=i / n)`) would fill memory with kernels that nobody calls
again; but the hot path of `execute` has no time to note which kernel was used last.

Idea: two generations. A hit in the young one is a plain dictionary look-up that writes nothing. When the young one is
full it becomes the old one, and what was old is dropped; a call that is found among the old moves to the young. So what
is used stays, what is not used goes, and an op never keeps more than two generations.
"""

from __future__ import annotations

from typing import Any

GENERATION = 512
"""How many keys of calls of one op a generation holds."""
GENERATION_OF_STREAMS = 4096
"""The same for an op that draws random numbers: the position in a stream goes with the kernel that holds it."""


class KernelCache:
    """The bound calls of one op, by the dtypes of the inputs (a tuple for a list) and the attributes as given.

    Args:
      generation: how many keys the young generation holds.
    """

    __slots__ = ("generation", "young", "_old")

    def __init__(self, generation: int = GENERATION) -> None:
        self.generation = generation
        self.young: dict[Any, Any] = {}
        """The young generation, always the same dictionary: the hot path looks here."""
        self._old: dict[Any, Any] = {}

    def find(self, key: Any) -> Any:
        """Returns the call kept under a key, young again, or None; also for a key that cannot be one (an array)."""
        try:
            call = self.young.get(key)
            if call is None:
                call = self._old.get(key)
                if call is not None:
                    self.keep(key, call)
        except TypeError:
            return None
        return call

    def keep(self, key: Any, call: Any) -> None:
        """Adds a call to the young generation; a full one becomes the old one.

        Raises: TypeError: if the key cannot be one: an attribute is an array or a list.
        """
        hash(key)
        if len(self.young) >= self.generation:
            self._old = self.young.copy()
            self.young.clear()
        self.young[key] = call

    def kept(self) -> set[Any]:
        """Returns the keys of both generations."""
        return {*self.young, *self._old}
