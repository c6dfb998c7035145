"""A new kind of call is compared with a handful of traces, however many there are; what is found stays the same."""

from __future__ import annotations

import random
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.specs import TensorSpec
from millrace._src.function import retracing
from millrace._src.function.signature import ArgumentLayout
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_cache import TraceCache, TraceKey
from millrace._src.state.variable_spec import VariableSpec


def key(*types: Any) -> TraceKey:
    return TraceKey(None, ArgumentLayout(0, ()), tuple(from_value(t) for t in types))


@pytest.fixture
def comparisons(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One number: how often two tensor types were compared."""
    count = [0]
    compare = TensorSpec.is_subtype_of

    def counted(self: Any, other: Any) -> bool:
        count[0] += 1
        return compare(self, other)

    monkeypatch.setattr(TensorSpec, "is_subtype_of", counted)
    return count


@pytest.mark.parametrize("new", [TensorSpec([2000, 7]), TensorSpec([3], tf.int32), TensorSpec([]), 2000])
def test_a_miss_among_a_thousand_traces_compares_next_to_nothing(comparisons: list[int], new: Any) -> None:
    cache = TraceCache()
    for i in range(500):
        cache.add(key(TensorSpec([i, 7])), i, 1, i)
        cache.add(key(i), i, 1, i)
    comparisons[0] = 0
    assert cache.lookup(key(new)) is None
    assert comparisons[0] <= 2


def test_a_wider_trace_among_a_thousand_is_found_by_its_structure_key(comparisons: list[int]) -> None:
    cache = TraceCache()
    for i in range(1000):
        cache.add(key(TensorSpec([i, 7])), i, 1, i)
    wide = cache.add(key(TensorSpec([None, 7])), "wide", 1, 1000)
    comparisons[0] = 0
    assert cache.lookup(key(TensorSpec([2000, 7]))) is wide
    assert comparisons[0] <= 2


def test_the_nearest_of_a_thousand_traces_is_looked_for_among_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []
    differences = retracing._differences

    def counted(old: Any, new: Any, names: Any) -> Any:
        compared.append(old)
        return differences(old, new, names)

    monkeypatch.setattr(retracing, "_differences", counted)
    earlier = [key(TensorSpec([i, i])) for i in range(1000)]
    (cause,) = retracing.causes_of(key(TensorSpec([3000])), earlier, ["x"])
    assert cause.old == "(999, 999)" or "999" in cause.old
    assert len(compared) <= 32
    compared.clear()
    (cause,) = retracing.causes_of(key(TensorSpec([999]), 1), [*earlier, key(TensorSpec([999]), 2)], ["x", "n"])
    assert cause.old == "2" and len(compared) == 1


def _random_type(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(6 if depth < 2 else 4)
    if kind < 2:
        dims = [rng.choice([None, 1, 2]) for _ in range(rng.randrange(3))]
        return TensorSpec(rng.choice([dims, None]), rng.choice([tf.float32, tf.int32]), rng.choice([None, "n"]))
    if kind == 2:
        return rng.choice([1, 1.0, True, "a"])
    if kind == 3:
        shape = rng.choice([[2, None], [None, None], [2, 3]])
        return rng.choice([tf.IndexedSlicesSpec(shape, tf.int32), VariableSpec(shape, tf.int32, alias_id=0)])
    parts = [_random_type(rng, depth + 1) for _ in range(rng.randrange(1, 3))]
    return parts if kind == 4 else {str(i): part for i, part in enumerate(parts)}


@pytest.mark.parametrize("seed", range(20))
def test_the_index_finds_what_a_comparison_with_all_traces_finds(seed: int) -> None:
    rng = random.Random(seed)
    cache = TraceCache()
    keys = [key(_random_type(rng), _random_type(rng)) for _ in range(150)]
    for tick, k in enumerate(keys[:100]):
        cache.add(k, tick, 1, tick)
    for entry in list(cache)[::3]:
        cache._drop(entry)
    for k in keys:
        best = cache._entries.get(k)
        for entry in cache if best is None else ():
            if k.is_served_by(entry.key) and (best is None or entry.key.is_served_by(best.key)):
                best = entry
        assert cache.lookup(k) is best


class Anything(tf.types.experimental.TraceType):
    """A type of the user's own that is a subtype of every tensor type."""

    def is_subtype_of(self, other: Any) -> bool:
        return isinstance(other, (Anything, TensorSpec))

    def most_specific_common_supertype(self, others: Any) -> Any:
        return None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Anything)

    def __hash__(self) -> int:
        return 1


def test_a_type_that_says_itself_what_it_is_a_subtype_of_is_asked() -> None:
    cache = TraceCache()
    entry = cache.add(key(TensorSpec([1])), "trace", 1, 0)
    assert cache.lookup(TraceKey(None, ArgumentLayout(0, ()), (Anything(),))) is entry
