"""The sources and stages of `random_pipelines` in plain Python, an element at a time: what pipelines must give.

A plain dataset is a function that begins a pass: it returns an iterator over lists of integers. Each function here has
the arguments of the stage of its name. Nothing is computed before it is asked for, as in a pipeline: a shuffle draws
the seeds of a pass when the pass begins.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from millrace._src.data.pass_seeds import Words

Element = list[int]
Plain = Callable[[], Iterator[Element]]

SEEDS = (1, 7)
"""The seeds of all shuffles: that of the program and that of the operation."""


def _of_each(function: Callable[[Element], Element]) -> Callable[[Plain], Plain]:
    return lambda source: lambda: map(function, source())


def _chunks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    return iter(lambda: list(itertools.islice(iterator, size)), [])


def _filter(source: Plain, n: int) -> Plain:
    return lambda: (x for x in source() if sum(x) % (n + 1))


def _repeat(source: Plain, n: int) -> Plain:
    return lambda: (x for _ in range(n) for x in source())


def _shuffle(source: Plain, size: int) -> Plain:
    """TensorFlow's rule: a ring that is filled up before every output; seeds for each pass."""
    generator = Words(*SEEDS)

    def elements() -> Iterator[Element]:
        words = Words(*(int(seed) for seed in generator.take(2)))
        waiting, ring = source(), []
        while True:
            ring += itertools.islice(waiting, size - len(ring))
            if not ring:
                return
            chosen = int(words.take(1)[0]) % len(ring)
            yield ring[chosen]
            ring[chosen] = ring[0]
            del ring[0]

    return elements


def _zip(source: Plain) -> Plain:
    return lambda: ([v + i for v in x] for x, i in zip(source(), range(6)))


def _interleave(source: Plain, cycle: int, block: int) -> Plain:
    """TensorFlow's rule: a slot whose dataset has ended is filled when its turn comes again."""

    def elements() -> Iterator[Element]:
        inputs, slots = source(), [None] * cycle
        has_ended, turn, given = False, 0, 0
        while not has_ended or any(slots):
            if slots[turn] is None and not has_ended:
                following = next(inputs, None)
                has_ended = following is None
                slots[turn] = None if has_ended else iter([following] * 3)
                continue
            element = None if slots[turn] is None else next(slots[turn], None)
            if element is None:
                slots[turn], given, turn = None, 0, (turn + 1) % cycle
                continue
            yield element
            given += 1
            if given == block:
                given, turn = 0, (turn + 1) % cycle

    return elements


def _scan(source: Plain) -> Plain:
    return lambda: ([v + i for v in x] for i, x in enumerate(source()))


def _take_while(source: Plain, n: int) -> Plain:
    return lambda: itertools.takewhile(lambda x: sum(x) < 10 * n, source())


def _padded(rows: list[Element]) -> Element:
    """Returns the rows, each as long as the longest one, one behind the other."""
    longest = max(map(len, rows))
    return [v for row in rows for v in row + [0] * (longest - len(row))]


def _padded_batch(source: Plain, n: int) -> Plain:
    return lambda: map(_padded, _chunks(source(), n))


def _unbatch(source: Plain) -> Plain:
    return lambda: ([v] for x in source() for v in x)


def _rebatch(source: Plain, n: int) -> Plain:
    return lambda: _chunks((v for x in source() for v in x), n)


def _batch_of_sums(source: Plain, n: int, drops: bool) -> Plain:
    return lambda: (part for part in _chunks(map(sum, source()), n) if len(part) == n or not drops)


def _windows(source: Plain, key: Callable[[Element], int], size: int) -> Iterator[tuple[int, list[Element]]]:
    """Gives each window with its key when it is full, and the rest by ascending keys."""
    windows: dict[int, list[Element]] = {}
    for x in source():
        window = windows.setdefault(key(x), [])
        window.append(x)
        if len(window) == size:
            yield key(x), windows.pop(key(x))
    yield from sorted(windows.items())


def _group_by_window(source: Plain, size: int) -> Plain:
    return lambda: ([v + k for v in x] for k, group in _windows(source, lambda x: sum(x) % 2, size) for x in group)


def _bucket_by_sequence_length(source: Plain, size: int) -> Plain:
    return lambda: (_padded(group) for _, group in _windows(source, lambda x: len(x) >= 2, size))


def _group_by_reducer(source: Plain) -> Plain:
    def elements() -> Iterator[Element]:
        totals: dict[int, int] = {}
        for x in source():
            totals[sum(x) % 3] = totals.get(sum(x) % 3, 0) + sum(x)
        yield from ([total] for _, total in sorted(totals.items()))

    return elements


def _window(source: Plain, size: int, shift: int) -> Plain:
    def elements() -> Iterator[Element]:
        waiting = source()
        window = list(itertools.islice(waiting, size))
        while window:
            yield from window
            for _ in itertools.islice(waiting, max(shift - size, 0)):
                pass
            window = window[shift:]
            window += itertools.islice(waiting, size - len(window))

    return elements


def _unique(source: Plain) -> Plain:
    def elements() -> Iterator[Element]:
        seen: set[int] = set()
        for total in map(sum, source()):
            if total not in seen:
                yield [total]
            seen.add(total)

    return elements


def _cache(source: Plain) -> Plain:
    kept: list[list[Element]] = []

    def elements() -> Iterator[Element]:
        if not kept:
            passed = []
            for x in source():
                passed.append(x)
                yield x
            kept[:] = [passed]
        else:
            yield from kept[0]

    return elements


def _choose(source: Plain, n: int) -> Plain:
    def elements() -> Iterator[Element]:
        datasets = [source(), iter([[i] for i in range(3)])]
        for i in range(n):
            yield from itertools.islice(datasets[i % 2], 1)

    return elements


PLAIN: dict[str, Callable[..., Plain]] = {
    # sources
    "range": lambda n: lambda: ([i] for i in range(n)),
    "slices": lambda n: lambda: ([2 * i, 2 * i + 1] for i in range(n)),
    "generator": lambda n: lambda: ([i] * (i % 3) for i in range(n)),
    "counter": lambda n: lambda: ([3 + 2 * i] for i in range(n)),
    # stages
    "map": lambda source, n: _of_each(lambda x: [v * n + 1 for v in x])(source),
    "map_of_rows": _of_each(lambda x: [v + 1 for v in x]),
    "parallel_map": lambda source, n: _of_each(lambda x: [v - 1 for v in x])(source),
    "filter": _filter,
    "take": lambda source, n: lambda: itertools.islice(source(), n if n >= 0 else None),
    "skip": lambda source, n: lambda: itertools.islice(source(), n, None),
    "repeat": _repeat,
    "shard": lambda source, n: lambda: itertools.islice(source(), n - 1, None, n),
    "shuffle": _shuffle,
    "shuffle_and_repeat": lambda source, size, n: _repeat(_shuffle(source, size), n),
    "concatenate": lambda source, n: lambda: itertools.chain(source(), ([i] for i in range(n))),
    "zip": _zip,
    "enumerate": lambda source: lambda: ([v * i for v in x] for i, x in enumerate(source())),
    "flat_map": lambda source, n: lambda: ([v + i for v in x] for x in source() for i in range(n)),
    "interleave": _interleave,
    "parallel_interleave": _interleave,
    "scan": _scan,
    "take_while": _take_while,
    "padded_batch": _padded_batch,
    "batch_of_sums": _batch_of_sums,
    "rebatch": _rebatch,
    "prefetch": lambda source, n: source,
    "unbatch": _unbatch,
    "ignore_errors": lambda source: source,
    "group_by_window": _group_by_window,
    "group_by_reducer": _group_by_reducer,
    "bucket_by_sequence_length": _bucket_by_sequence_length,
    "window": _window,
    "unique": _unique,
    "cache": _cache,
    "choose_from_datasets": _choose,
}


def plain(pipeline: Any) -> Plain:
    """Makes the plain dataset of a pipeline."""
    (source, *arguments), stages = pipeline
    dataset = PLAIN[source](*arguments)
    for stage, *values in stages:
        dataset = PLAIN[stage](dataset, *values)
    return dataset
