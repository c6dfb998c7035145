"""Seeds of datasets: what a user's seed, the global seed and the number of a pass make of each other.

A dataset that draws at random has two seeds, by TensorFlow's rules. A dataset whose order changes from pass to pass has
a *seed generator*, a stream of words under these seeds: each pass takes two words as its own seeds. Passes of all
datasets that are derived from such a dataset share the generator.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.core.handle_types import AbsentObject, ObjectHandle, Referent
from millrace._src.core.op_def import op
from millrace._src.data.object_ops import DELETES_OBJECT, MAKES_OBJECT, with_deleter
from millrace._src.ops import raw
from millrace._src.ops.random.seeds import get_seed
from millrace._src.ops.random.words import Words

_NO_SEED = 2**31 - 1
"""The second seed instead of (0, 0), which kernels take for "no seed"."""
_HANDLE = ObjectHandle("seed generator")


class SeedGenerator(Referent):
    """The source of the seeds of passes; safe to use from several threads.

    Attributes:
      is_random: whether the user has given no seed, so no program knows which seeds a pass should have.
    """

    __slots__ = ("_lock", "_seeds", "_words", "is_random")

    def __init__(self, seed: int, seed2: int) -> None:
        self.is_random = not (seed or seed2)
        self._seeds = or_random(seed, seed2)
        self._words = Words(*self._seeds)
        self._lock = threading.Lock()

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of seed generators."""
        return _HANDLE

    def next_seeds(self) -> tuple[int, int]:
        """Returns the two seeds of the next pass."""
        with self._lock:
            seed, seed2 = self._words.take(2).tolist()
        return seed, seed2

    def save(self) -> tuple[int, int, int]:
        """Returns the seeds of the generator, and how many words were taken."""
        with self._lock:
            return (*self._seeds, self._words.position)

    def restore(self, state: Sequence[int]) -> None:
        """Goes on from a state."""
        seed, seed2, position = state
        with self._lock:
            self._seeds = seed, seed2
            self._words = Words(seed, seed2)
            self._words.position = position


def or_random(seed: int, seed2: int) -> tuple[int, int]:
    """Returns two seeds; random ones instead of (0, 0), which means no seed."""
    return (seed, seed2) if seed or seed2 else (secrets.randbits(63), secrets.randbits(63))


def dataset_seeds(seed: Any) -> tuple[Any, Any]:
    """Returns the two seeds of a dataset op as scalars of int64.

    Args:
      seed: the user's seed, an int or a scalar tensor; None for none.
    """
    first, second = get_seed(seed)
    first_seed = convert_to_tensor(0 if first is None else first, dtype=int64, name="seed")
    if second is None:
        return first_seed, convert_to_tensor(0, dtype=int64, name="seed2")
    second_seed = convert_to_tensor(second, dtype=int64)
    if state.graph is None and not (int(first_seed) or int(second_seed)):
        return first_seed, convert_to_tensor(_NO_SEED, dtype=int64)
    if state.graph is None:
        return first_seed, second_seed
    zero = convert_to_tensor(0, dtype=int64)
    is_none = raw.LogicalAnd(x=raw.Equal(x=first_seed, y=zero), y=raw.Equal(x=second_seed, y=zero))
    no_seed = convert_to_tensor(_NO_SEED, dtype=int64)
    return first_seed, raw.SelectV2(condition=is_none, t=no_seed, e=second_seed)


# --- ops ---------------------------------------------------------------------------------------------------------

_GENERATOR: dict[str, Any] = {
    **MAKES_OBJECT,
    "handles": lambda c: _HANDLE,
    "not_differentiable": "a seed is not a number to differentiate by",
    "not_batched": "it makes one generator",
}


@op("DummySeedGenerator", "-> handle: resource", notes_call=True, **_GENERATOR)
def dummy_seed_generator(xp: Xp) -> Any:
    """Makes the handle that lets a dataset make a seed generator of its own."""
    return AbsentObject(_HANDLE)


@op(
    "AnonymousSeedGenerator",
    "seed: int64, seed2: int64, reshuffle: bool -> handle: resource, deleter: variant",
    **with_deleter(_GENERATOR),
)
def anonymous_seed_generator(xp: Xp, seed: Array, seed2: Array, reshuffle: Array) -> Any:
    """Makes a seed generator that lives as long as its handle."""
    generator = SeedGenerator(int(seed), int(seed2))
    return generator, generator


@op(
    "DeleteSeedGenerator",
    "handle: resource, deleter: variant ->",
    not_differentiable="it gives nothing back",
    not_batched="it takes one generator",
    **DELETES_OBJECT,
)
def delete_seed_generator(xp: Xp, handle: Array, deleter: Array) -> None:
    """Does nothing: a generator ends with its last handle."""
