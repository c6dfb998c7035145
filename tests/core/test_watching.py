"""Watchers see what runs, in all threads, and leave nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.core.watching import Watcher, add_watcher, is_watched, note_span, remove_watcher


class Names(Watcher):
    """Notes the names of what runs."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def watch_call(self, call: Any, kernel: Any) -> Any:
        return self._noting(call.op.name, kernel)

    def watch_nodes(self, nodes: Any, kernel: Any) -> Any:
        return self._noting("+".join(node.type for node in nodes), kernel)

    def watch_function(self, name: str, run: Any) -> Any:
        return self._noting(f"function {name}", run)

    def note_span(self, kind: str, name: str, start: float, end: float) -> None:
        self.seen.append(f"{kind} {name}")

    def _noting(self, name: str, kernel: Any) -> Any:
        def run(*arrays: Any, **options: Any) -> Any:
            self.seen.append(name)
            return kernel(*arrays, **options)

        return run


@pytest.fixture
def names() -> Iterator[Names]:
    watcher = Names()
    yield watcher
    remove_watcher(watcher)


def test_a_watcher_sees_eager_ops_that_were_called_before_and_new_ones(names: Names) -> None:
    x = tf.constant([1.0, 2.0])
    tf.tanh(x)
    add_watcher(names)
    tf.tanh(x)
    tf.cosh(tf.constant([1.0], tf.float64))
    assert names.seen == ["Tanh", "Cosh"]


def test_a_watcher_sees_the_nodes_of_a_function_that_was_compiled_before(names: Names) -> None:
    f = tf.function(lambda x, y: tf.matmul(x, y), jit_compile=False)
    x = tf.ones([2, 2])
    expected = f(x, x).numpy()
    add_watcher(names)
    assert f(x, x).numpy().tolist() == expected.tolist()
    function, node = names.seen
    assert function.startswith("function ")
    assert node == "MatMul"


def test_a_watcher_sees_a_function_that_is_compiled_meanwhile(names: Names) -> None:
    add_watcher(names)
    f = tf.function(lambda x: tf.matmul(x, x), jit_compile=False)
    f(tf.ones([2, 2]))
    assert "MatMul" in names.seen
    assert any(name.startswith("trace ") for name in names.seen)


def test_a_watcher_sees_other_threads(names: Names) -> None:
    x = tf.constant([1.0])
    tf.tanh(x)
    thread = threading.Thread(target=lambda: tf.tanh(x))
    add_watcher(names)
    thread.start()
    thread.join()
    assert names.seen == ["Tanh"]


def test_a_watcher_that_is_gone_leaves_the_kernels_as_they_were(names: Names) -> None:
    x = tf.constant([1.0])
    f = tf.function(lambda x: tf.matmul(x, x), jit_compile=False)
    f(tf.ones([2, 2]))
    tf.tanh(x)
    before = dict(get_op("Tanh").calls)
    add_watcher(names)
    remove_watcher(names)
    assert not is_watched()
    assert {key: entry[0] for key, entry in get_op("Tanh").calls.items()} == {k: e[0] for k, e in before.items()}
    f(tf.ones([2, 2]))
    tf.tanh(x)
    note_span("trace", "f", 0.0, 1.0)
    assert names.seen == []


def test_two_watchers_both_see_an_op_and_one_may_go() -> None:
    first, second = Names(), Names()
    x = tf.constant([1.0])
    add_watcher(first)
    add_watcher(second)
    try:
        tf.tanh(x)
        remove_watcher(first)
        tf.tanh(x)
    finally:
        remove_watcher(first)
        remove_watcher(second)
    assert (first.seen, second.seen) == (["Tanh"], ["Tanh", "Tanh"])


def test_an_error_in_a_watched_function_names_the_node_and_the_line(names: Names) -> None:
    @tf.function(jit_compile=False)
    def f(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    add_watcher(names)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 7"):
        f(tf.constant([1.0]), tf.constant([7]))


def test_a_chain_of_large_arrays_is_seen_as_one_kernel(names: Names) -> None:
    f = tf.function(lambda x: tf.tanh(x) * 2.0 + 1.0, jit_compile=False)
    x = tf.ones([400, 400])
    f(x)
    add_watcher(names)
    f(x)
    assert names.seen[1:] == ["Tanh+Mul+AddV2"]
