"""Methods: one set of traces for each instance, kept as long as the instance lives.

A bound function holds its instance. The facts that the function needs between calls (traces, statistics) are a
dictionary of fields that hangs on a weak reference to the instance, so that neither keeps the other alive. Instances
need not be hashable.
"""

from __future__ import annotations

import weakref
from typing import Any


class InstanceCache:
    """The fields of the function bound to one instance, and the bound function while something refers to it."""

    __slots__ = ("reference", "fields", "bound")

    def __init__(self, reference: weakref.ref[Any]) -> None:
        self.reference = reference
        self.fields: dict[str, Any] = {}
        self.bound: weakref.ref[Any] | None = None


class InstanceCaches(dict[int, InstanceCache]):
    """The caches of a method's instances by `id`; a class, because weak references cannot point to a plain dict."""


def instance_cache_for(caches: InstanceCaches, instance: object) -> InstanceCache:
    """Returns the cache of an instance, which is made on first use and dropped with the instance.

    Raises: TypeError: if the instance's class does not allow weak references.
    """
    key = id(instance)
    found = caches.get(key)
    if found is not None and found.reference() is instance:
        return found
    owner = weakref.ref(caches)

    def drop(reference: object) -> None:
        live_owner = owner()
        if live_owner is not None and key in live_owner and live_owner[key].reference is reference:
            del live_owner[key]

    cache = InstanceCache(weakref.ref(instance, drop))
    caches[key] = cache
    return cache
