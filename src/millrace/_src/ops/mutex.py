"""Mutexes: what `tf.CriticalSection` is made of.

A mutex is a resource. `MutexLock` waits until no lock holds the mutex and gives a lock, a variant; `ConsumeMutexLock`
ends the lock. A lock that is never consumed, because something raised in between, ends when nothing refers to it.

Tests: tests/state/test_critical_section.py
"""

from __future__ import annotations

import contextlib
import gc
import threading

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.ops.shape_rules import no_outputs, scalar

_NOT_DIFFERENTIABLE = "a mutex has no value"
_PATIENCE = 0.5
"""Seconds until a waiting lock looks for holds that nothing refers to any more."""
_NOT_BATCHED = "rows would wait for one another"


class Mutex:
    """What the handle of a mutex refers to."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class MutexHold:
    """What a lock refers to: the mutex is held until `end`.

    Args: mutex: The mutex; making the object waits until no lock holds the mutex.
    """

    def __init__(self, mutex: Mutex) -> None:
        while not mutex.lock.acquire(timeout=_PATIENCE):
            gc.collect()  # a hold that an error left behind may be in a cycle with the error's frames
        self._held: Mutex | None = mutex

    def end(self) -> None:
        """Lets the mutex go; doing it again is harmless."""
        mutex, self._held = self._held, None
        if mutex is not None:
            mutex.lock.release()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # a hold whose making was interrupted
            self.end()


def _box(referent: object) -> Array:
    array = np.empty((), dtype=object)
    array[()] = referent
    return array


@op(
    "MutexV2",
    " -> resource: resource",
    shape=scalar,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def mutex(xp: Xp, *, container: str = "", shared_name: str = "") -> Array:
    """Makes a mutex that no lock holds."""
    return _box(Mutex())


@op(
    "MutexLock",
    "mutex: resource -> mutex_lock: variant",
    full_type="MUTEX_LOCK",
    shape=scalar,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def mutex_lock(xp: Xp, mutex: Array) -> Array:
    """Waits until no lock holds a mutex, and locks it."""
    return _box(MutexHold(resource_of(mutex)))


@op(
    "ConsumeMutexLock",
    "mutex_lock: variant -> ",
    shape=no_outputs,
    effects=Effects.IO,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def consume_mutex_lock(xp: Xp, mutex_lock: Array) -> None:
    """Lets a mutex go."""
    resource_of(mutex_lock).end()
