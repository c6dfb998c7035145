"""AutoGraph: converting and tracing a function, what conversion costs code without tensors, and a converted loop."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("autograph_trace", "AutoGraph: converting and tracing 50 lines, 5 loops, 5 branches", "ms"),
    Row("autograph_python", "AutoGraph: a converted function that meets no tensor", "us"),
    Row("autograph_plain", "the same function, not converted", "us"),
    Row("autograph_while", "AutoGraph: while, 10,000 iterations of 3 ops", "us"),
)
ITERATIONS = 10_000

FIFTY_LINES = """
def fifty_lines(x, n):
    total = tf.constant(0)
    count = 0
    for i in tf.range(n):
        if i % 2 == 0:
            total += i
        else:
            total -= 1
        count += 1
    while total > 100:
        total = total // 2
        if total == 3:
            break
    largest = x[0]
    for v in x:
        if v > largest:
            largest = v
        if v < 0:
            continue
        total += v
    i = 0
    while i < n and largest > 0:
        j = 0
        while j < 3:
            total += i * j
            j += 1
        i += 1
    if total > 0 and largest > 0:
        sign = 1
    elif total < 0:
        sign = -1
    else:
        sign = 0
    scale = 2 if sign > 0 else 3
    values = [total, largest]
    for k in range(3):
        values.append(values[-1] * scale)
    result = values[0]
    for v in values:
        result = tf.maximum(result, v)
    low = tf.minimum(result, total)
    high = tf.maximum(result, total)
    if low == high:
        return low
    middle = (low + high) // 2
    if not middle > low:
        middle = low
    return middle * sign + count
"""
"""50 lines, made anew for each measurement: a function is converted once."""
_numbers = itertools.count()


def _new_function(tf: Any) -> Any:
    name = f"<fifty lines {next(_numbers)}>"
    linecache.cache[name] = (len(FIFTY_LINES), None, FIFTY_LINES.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"tf": tf, "__name__": "fifty_lines"}
    exec(compile(FIFTY_LINES, name, "exec"), namespace)
    return namespace["fifty_lines"]


class Histogram:
    """Counts words; a class whose method is converted too."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def add(self, word: str, weight: int) -> None:
        """Adds to the count of a word."""
        if not word:
            return
        word = word.strip().lower()
        if word in self.counts:
            self.counts[word] += weight
        else:
            self.counts[word] = weight


def is_prime(n: int) -> bool:
    """Whether a number is prime, by division."""
    if n < 2 or (n % 2 == 0 and n != 2):
        return False
    divisor = 3
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 2
    return True


def without_tensors(text: str, limit: int) -> Any:
    """Ordinary Python: loops, branches, calls of a function and of a method, lists and dictionaries."""
    histogram = Histogram()
    for number, line in enumerate(text.split(".")):
        for word in line.split(" "):
            histogram.add(word, 1 if number % 2 else 2)
    primes = []
    for n in range(limit):
        if is_prime(n):
            primes.append(n)
    best, most = "", 0
    for word, count in histogram.counts.items():
        if count > most or (count == most and word < best):
            best, most = word, count
    gaps = {}
    for a, b in itertools.pairwise(primes):
        gap = b - a
        gaps[gap] = gaps.get(gap, 0) + 1
    return best, most, len(primes), max(gaps.values())


TEXT = "the quick brown fox jumps over the lazy dog. pack my box with five dozen jugs. " * 4


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    specs = tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)

    def convert_and_trace() -> Any:
        return tf.function(_new_function(tf)).get_concrete_function(*specs)

    def count(start: Any) -> Any:
        i, total = start, start
        while i < ITERATIONS:
            total = (total + i) % 1000
            i += 1
        return total

    start = tf.constant(np.int32(0))

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        function = tf.function(count, jit_compile=jit_compile)
        return lambda: function(start)

    converted = tf.autograph.to_graph(without_tensors)
    return {
        "autograph_trace": convert_and_trace,
        "autograph_python": lambda: converted(TEXT, 300),
        "autograph_plain": lambda: without_tensors(TEXT, 300),
        "autograph_while": tf_variants(tf, make),
    }
