from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.function.signature import ArgumentLayout
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_cache import TraceCache, TraceKey

PLAIN = ArgumentLayout(0, ())


def key(*values: Any, context: Any = None, layout: ArgumentLayout = PLAIN) -> TraceKey:
    return TraceKey(context, layout, tuple(from_value(v) for v in values))


def spec(*dims: Any) -> tf.TensorSpec:
    return tf.TensorSpec(dims)


def test_the_most_specific_trace_wins() -> None:
    cache = TraceCache()
    for tick, shape in enumerate([spec(None, None), tf.TensorSpec(None), spec(1, None)]):
        cache.add(key(shape), repr(shape), 1, tick)
    found = [cache.lookup(key(tf.ones(dims))).trace for dims in ([1, 2], [3, 2], [5])]
    assert found == [repr(spec(1, None)), repr(spec(None, None)), repr(tf.TensorSpec(None))]


def test_of_two_incomparable_traces_the_earlier_wins() -> None:
    cache = TraceCache()
    first = cache.add(key(spec(1, None)), "first", 1, 0)
    cache.add(key(spec(None, 2)), "second", 1, 1)
    assert cache.lookup(key(tf.ones([1, 2]))) is first


def test_context_and_layout_must_be_equal() -> None:
    cache = TraceCache()
    cache.add(key(1, 2), "trace", 1, 0)
    assert cache.lookup(key(1, 2)) is not None
    assert cache.lookup(key(1, 2, context="graph")) is None
    assert cache.lookup(key(1, 2, layout=ArgumentLayout(1, ()))) is None


def test_a_more_specific_trace_added_later_takes_over() -> None:
    cache = TraceCache()
    wide = cache.add(key(spec(None)), "wide", 1, 0)
    assert cache.lookup(key(tf.ones([3]))) is wide
    narrow = cache.add(key(spec(3)), "narrow", 1, 1)
    assert cache.lookup(key(tf.ones([3]))) is narrow


def test_the_least_recently_used_trace_is_dropped() -> None:
    dropped: list[Any] = []
    cache = TraceCache(lambda entry: dropped.append(entry.trace))
    cache.set_limits(max_traces=2)
    entries = [cache.add(key(i), i, 1, tick=i) for i in range(2)]
    entries[0].tick = 10
    cache.add(key(2), 2, 1, tick=11)
    assert dropped == [1] and len(cache) == 2 and cache.evictions == 1


def test_bytes_are_bounded_but_the_newest_trace_stays() -> None:
    cache = TraceCache()
    cache.set_limits(max_bytes=100)
    for i in range(5):
        cache.add(key(i), i, 60, tick=i)
    assert [entry.trace for entry in cache] == [4] and cache.bytes == 60
    cache.add(key(9), 9, 1000, tick=9)
    assert [entry.trace for entry in cache] == [9]


def test_lowering_a_limit_drops_at_once() -> None:
    cache = TraceCache()
    for i in range(5):
        cache.add(key(i), i, 1, tick=i)
    cache.set_limits(max_traces=2)
    assert [entry.trace for entry in cache] == [3, 4]
    with pytest.raises(ValueError, match="max_traces must be at least 1, got 0"):
        cache.set_limits(max_traces=0)


def test_traces_for_dead_objects_are_dropped_with_the_next_trace() -> None:
    class Thing:
        pass

    cache, thing = TraceCache(), Thing()
    cache.add(key([thing]), "thing", 1, 0)
    del thing
    gc.collect()
    cache.add(key(1), "one", 1, 1)
    assert [entry.trace for entry in cache] == ["one"]


def test_the_dispatch_memory_is_bounded() -> None:
    cache = TraceCache()
    cache.set_limits(max_traces=2)
    cache.add(key(tf.TensorSpec(None)), "any", 1, 0)
    for i in range(50):
        assert cache.lookup(key(spec(i))).trace == "any"
    assert len(cache._dispatched) <= 8


# --- on functions -------------------------------------------------------------------------------------------------


def test_cache_info_counts_hits_misses_and_evictions() -> None:
    f = tf.function(lambda x: x + 1)
    f.set_cache_limits(max_traces=2)
    for i in (1, 1, 2, 3, 1):
        f(i)
    info = f.cache_info()
    assert (info.hits, info.misses, info.evictions, info.currsize, info.maxsize) == (1, 4, 2, 2, 2)
    assert 0 < info.bytes < info.max_bytes


def test_clearing_the_cache_forgets_traces_and_their_memory() -> None:
    f = tf.function(lambda x: x + 1)
    f(tf.constant(1))
    graph = weakref.ref(f.get_concrete_function(tf.constant(1)).graph)
    f.clear_cache()
    gc.collect()
    assert graph() is None and f.cache_info().currsize == 0 and f.cache_info().bytes == 0
    assert int(f(tf.constant(1))) == 2 and f.experimental_get_tracing_count() == 2


def test_a_concrete_function_outlives_its_eviction_and_its_function() -> None:
    f = tf.function(lambda x: x * 2)
    c = f.get_concrete_function(3)
    f.clear_cache()
    del f
    gc.collect()
    assert int(c()) == 6


def test_an_evicted_trace_is_not_run_by_the_fast_path() -> None:
    f = tf.function(lambda x: x + 1)
    f.set_cache_limits(max_traces=1)
    a, b = tf.constant(1), tf.constant(1.0)
    for _ in range(3):
        f(a), f(b)
    assert f.experimental_get_tracing_count() == 6
    assert len(f._plans) == 1


def test_calls_by_the_short_way_keep_a_trace_alive() -> None:
    f = tf.function(lambda x: x)
    f.set_cache_limits(max_traces=2)
    hot = tf.constant(1)
    for i in range(20):
        f(hot)
        f(np.float64(i))
        f(float(i))
    assert f.get_concrete_function(hot) is f.get_concrete_function(tf.constant(5))
    assert f.experimental_get_tracing_count() >= 21


def test_a_thousand_shapes_leave_a_bounded_cache() -> None:
    f = tf.function(lambda x: x + 1.0)
    f.set_cache_limits(max_traces=10)
    for n in range(100):
        f(tf.ones([n]))
    assert f.cache_info().currsize == 10 and len(f._plans) == 10


def test_dropping_a_function_frees_its_graphs() -> None:
    f = tf.function(lambda x: x + 1)
    f(tf.constant(1))
    graph = weakref.ref(f.get_concrete_function(tf.constant(1)).graph)
    del f
    gc.collect()
    assert graph() is None


def test_constants_count_as_bytes() -> None:
    big = np.zeros(100_000, np.int64)
    f = tf.function(lambda: tf.constant(big))
    f()
    assert f.cache_info().bytes > 800_000


def test_the_order_of_use_survives_many_uses_and_drops() -> None:
    dropped: list[Any] = []
    cache = TraceCache(lambda entry: dropped.append(entry.trace))
    cache.set_limits(max_traces=8)
    entries = {i: cache.add(key(i), i, 1, tick=i) for i in range(8)}
    for tick, i in enumerate([3, 1, 0, 3, 7, 5], start=100):
        entries[i].tick = tick
    for i in range(200, 206):
        cache.add(key(i), i, 1, tick=i)
    assert dropped == [2, 4, 6, 1, 0, 3]


def test_notes_of_dropped_traces_go_too() -> None:
    class Thing:
        pass

    cache = TraceCache()
    kept = Thing()
    cache.add(key(kept), "kept", 1, 0)
    for tick in range(500):
        thing = Thing()
        cache.add(key(thing), tick, 1, tick)
        del thing
    assert len(cache) <= 2
    assert len(cache._by_use) <= 64 and len(cache._mortal) <= 2 and len(cache._index._groups) <= 2
