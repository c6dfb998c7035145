"""The source of the seeds of stateful random ops, and the position of each op in its stream.

Problem: TensorFlow derives an op's two seeds from the global seed and the op's own. Ops without a seed are numbered: in
each graph from 0, in eager mode by Python's generator seeded with the global seed. An op then continues its stream from
call to call, until `set_seed` starts everything over.

Idea: the global seed and its epoch are one small object. A `KernelStream` belongs to one call site, an eager
kernel or a node of a graph, and counts the blocks it has handed out. The stream starts over when the epoch has changed.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
import weakref
from typing import Any

import numpy as np

from millrace._src.core import context
from millrace._src.core.dispatch import execute_once
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.runtime_options import is_op_determinism_enabled
from millrace._src.graph.graph import Graph
from millrace._src.ops.random.philox import Stream, stream_from_seeds
from millrace._src.util.export import export

DEFAULT_SEED = 87654321
"""The number instead of the global seed where only the op has a seed."""

_MODULUS = 2**31 - 1
_LIMIT_64 = 2**64


class _Global:
    """The global seed of eager mode, the numbers drawn from the seed for ops, and how often the seed was set."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seed: Any = None
        self.numbers = random.Random()
        self.epoch = 0

    def set(self, seed: Any) -> None:
        with self.lock:
            self.seed = seed
            self.numbers = random.Random(seed if isinstance(seed, (int, float, str, bytes, type(None))) else int(seed))
            self.epoch += 1

    def next_op_seed(self) -> int:
        with self.lock:
            return self.numbers.randint(0, _MODULUS)


_global = _Global()
_op_counts: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


@export("random.set_seed", v1=["random.set_random_seed", "set_random_seed"])
def set_seed(seed: int | None) -> None:
    """Sets the global random seed, and starts all random streams over.

    A program that sets the seed first draws the same numbers in every run. Ops that are given a seed of their own
    combine both. Within a graph (a `tf.Graph` scope or a `tf.function`), the seed of that graph is set.

    >>> tf.random.set_seed(1234)
    >>> a = tf.random.uniform([2])
    >>> tf.random.set_seed(1234)
    >>> b = tf.random.uniform([2])
    >>> bool(tf.reduce_all(a == b))
    True

    Args:
        seed: An integer; None makes ops without a seed of their own unpredictable again.
    """
    graph = context.current_graph()
    if graph is None:
        _global.set(seed)
    else:
        graph.seed = seed


def global_seed() -> Any:
    """Returns the global seed as it was set in eager mode, or None."""
    return _global.seed


def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """Returns the two seeds of a stateful op from the seed its caller gave it; (None, None) if any numbers will do.

    >>> tf.random.set_seed(7)
    >>> tf.compat.v1.get_seed(3)
    (7, 3)

    Args: op_seed: An integer, or None.
    Raises: RuntimeError: if there is no seed, and `tf.config.experimental.enable_op_determinism` asked for one.
    """
    graph = context.current_graph()
    seed = _global.seed if graph is None else _graph_seed(graph)
    if seed is not None:
        if op_seed is None:
            op_seed = _global.next_op_seed() if graph is None else _next_count(graph)
    elif op_seed is not None:
        seed = DEFAULT_SEED
    elif is_op_determinism_enabled():
        raise RuntimeError(
            "Random ops require a seed to be set when determinism is enabled. Please set a seed before running the op, "
            "e.g. by calling tf.random.set_seed(1)."
        )
    else:
        return None, None
    seeds = seed % _MODULUS, op_seed % _MODULUS
    # A kernel takes (0, 0) for "no seed".
    return (0, _MODULUS) if seeds == (0, 0) else seeds


def op_seeds(op_seed: Any) -> dict[str, Any]:
    """Returns the attributes `seed` and `seed2` of a stateful op."""
    seed, seed2 = get_seed(op_seed)
    return {"seed": 0 if seed is None else int(seed), "seed2": 0 if seed2 is None else int(seed2)}


def call_seeded(
    function: OpFunction, op_seed: object, *inputs: object, name: str | None = None, **attrs: object
) -> Any:
    """Calls a stateful op with the two seeds that follow from `op_seed`."""
    attrs.update(op_seeds(op_seed))
    if op_seed is not None or _global.seed is None or context.current_graph() is not None:
        return function(*inputs, name=name, **attrs)
    return execute_once(function.op_def, inputs, attrs)  # a numbered eager op: its seeds will not come again


def _graph_seed(graph: Graph) -> Any:
    """Returns the seed of a graph; the graph of a function takes its surroundings' seed when it first needs one."""
    if graph.seed is None and graph.building_function:
        outer = graph.outer_graph
        graph.seed = _global.seed if outer is None else _graph_seed(outer)
    return graph.seed


def _next_count(graph: Graph) -> int:
    count = _op_counts.get(graph, 0)
    _op_counts[graph] = count + 1
    return count


class KernelStream:
    """The stream of one stateful kernel: seeded by the op's attributes, at random if both are 0."""

    __slots__ = ("_begin", "_epoch", "_key", "_lock", "_position", "_seeds", "_starts_over")

    def __init__(self, seed: int, seed2: int, *, starts_over: bool = True) -> None:
        self._seeds = seed, seed2
        self._starts_over = starts_over
        self._lock = threading.Lock()
        self._epoch = -1
        self._position = 0
        self._select(self._seeds)

    def _select(self, key: tuple[int, int]) -> None:
        """Goes on in the stream of two seeds."""
        self._key, self._begin = key, stream_from_seeds(*key)

    def take(self, blocks: int) -> Stream:
        """Returns the stream at its current position, and moves the position on by `blocks`."""
        return stream_at(*self.advance(blocks))

    def advance(self, blocks: int) -> tuple[Stream, int]:
        """Moves the position on by `blocks`; returns the beginning of the stream, and the position before."""
        with self._lock:
            if self._epoch != _global.epoch and (self._starts_over or self._epoch < 0):
                self._start_over()
            position = self._position
            self._position = position + blocks
            return self._begin, position

    def save(self) -> tuple[bool, tuple[int, int], int]:
        """Returns whether the stream has begun, its seeds, and its position."""
        with self._lock:
            return self._epoch >= 0, self._key, self._position

    def restore(self, state: tuple[bool, tuple[int, int], int]) -> None:
        """Goes on from a state that `save` gave."""
        has_begun, key, position = state
        with self._lock:
            self._epoch = _global.epoch if has_begun else -1
            self._position = position
            self._select(key)

    @staticmethod
    def current_epoch() -> int:
        """Returns a number that changes when all streams start over."""
        return _global.epoch

    def _start_over(self) -> None:
        self._epoch = _global.epoch
        self._position = 0
        if self._seeds == (0, 0):
            self._select((int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little")))


def stream_at(begin: Stream, position: int) -> Stream:
    """Returns a stream that begins at position 0 as it goes on from another position."""
    high = begin.high
    if position >= _LIMIT_64:
        high, position = high + np.uint64(position // _LIMIT_64), position % _LIMIT_64
    return Stream(begin.key, np.array([position], np.uint64), high)


StreamTable = dict[int, tuple[dict[str, Any], KernelStream]]

_streams: StreamTable = {}
"""The streams by the identity of the attributes they belong to.

The attributes are kept with the stream, so that no other attributes get the same identity.
"""
_streams_lock = threading.Lock()


def streams_in(table: StreamTable) -> contextlib.AbstractContextManager[None]:
    """Lets the kernels that are bound in the `with` block have streams of their own, which `table` holds.

    Such streams go on when the global seed is set.
    """
    return context.streams_scope(table)


def stream_of(attrs: dict[str, Any]) -> KernelStream:
    """Returns the stream of the op call that owns `attrs`: of a node, in whatever form its graph was compiled."""
    with _streams_lock:
        table: StreamTable | None = context.state.streams
        if table is not None:
            if id(attrs) not in table:
                stream = KernelStream(attrs.get("seed", 0), attrs.get("seed2", 0), starts_over=False)
                table[id(attrs)] = attrs, stream
            return table[id(attrs)][1]
        entry = _streams.get(id(attrs))
        if entry is None:
            _forget_the_dead()
            entry = _streams[id(attrs)] = attrs, KernelStream(attrs.get("seed", 0), attrs.get("seed2", 0))
        return entry[1]


def _forget_the_dead(every: int = 256) -> None:
    """Drops the streams of attributes that nothing else holds any more."""
    if len(_streams) % every == every - 1:
        only_here = 3  # the pair, the loop's variable, and getrefcount's own argument
        for identity, (attrs, _) in list(_streams.items()):
            if sys.getrefcount(attrs) <= only_here:
                del _streams[identity]
