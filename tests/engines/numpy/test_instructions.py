"""Loops, branches and calls in a generated program: in line, with lists changed in place where no code can see it."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Program
from millrace._src.engines.numpy import codegen
from millrace._src.engines.numpy.instructions import note_lives
from millrace._src.passes.pipeline import optimize

SCALAR = tf.TensorSpec([], tf.float32)
COUNT = tf.TensorSpec([], tf.int32)


def program(f: Any, *specs: Any) -> Any:
    graph = tf.function(f, autograph=False).get_concrete_function(*specs).graph
    return eager_engine().compile(optimize(graph))


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def empty() -> Any:
    return tf.raw_ops.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.float32)


def push(handle: Any, item: Any) -> Any:
    return tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=item)


def stacked(handle: Any) -> Any:
    return tf.raw_ops.TensorListStack(input_handle=handle, element_shape=[], element_dtype=tf.float32)


def repeat(n: Any, body: Any, *variables: Any) -> Any:
    """The variables after `n` iterations."""
    step = lambda i, *rest: (i + 1, *body(i, *rest))  # noqa: E731  (an argument)
    return tf.while_loop(lambda i, *_: i < n, step, (tf.constant(0), *variables))[1:]


def test_a_loop_is_a_loop_of_the_program() -> None:
    compiled = program(lambda n, x: repeat(n, lambda i, y: (y * x,), x)[0], COUNT, SCALAR)
    assert "while True:" in compiled.source
    assert value(compiled.run(np.int32(3) * np.ones((), np.int32), np.full((), 2.0, np.float32))[0]) == 16.0


def test_loops_in_loops_calls_and_branches_are_in_line() -> None:
    inner = tf.function(lambda y: tf.cond(y > 100.0, lambda: y - 100.0, lambda: y * 2.0), autograph=False)
    compiled = program(lambda x: repeat(3, lambda i, y: repeat(2, lambda j, z: (inner(z) + 1.0,), y), x)[0], SCALAR)
    assert compiled.source.count("while True:") == 2
    assert re.search(r"^ +if v\d+:$", compiled.source, re.M)
    expected = 1.5
    for _ in range(6):
        expected = (expected - 100.0 if expected > 100.0 else expected * 2.0) + 1.0
    assert value(compiled.run(np.full((), 1.5, np.float32))[0]) == expected


def test_loops_deeper_than_python_can_nest_run_too() -> None:
    def nested(depth: int, y: Any) -> Any:
        return y + 1.0 if not depth else repeat(1, lambda i, z: (nested(depth - 1, z),), y)[0]

    assert value(tf.function(lambda x: nested(24, x), autograph=False)(tf.constant(0.0))) == 1.0


def test_a_variable_of_a_loop_that_nobody_reads_is_not_computed() -> None:
    compiled = program(lambda x: repeat(4, lambda i, y, z: (y + x, tf.exp(z)), x, x)[0], SCALAR)
    kernels = [line for line in compiled.source.splitlines() if re.search(r"^ +v\d+ = ", line)]
    assert len(kernels) == 3  # i < 4, i + 1, y + x


def test_a_variable_that_is_handed_on_unchanged_is_no_state() -> None:
    compiled = program(lambda x, w: repeat(4, lambda i, y, u: (y + u, tf.identity(u)), x, w)[0], SCALAR, SCALAR)
    (states,) = re.findall(r"^ +(s[^=]*) = ", compiled.source, re.M)[:1]
    assert len(states.split(",")) == 2


def test_a_state_that_an_iteration_only_sets_keeps_its_value_after_the_loop() -> None:
    f = tf.function(lambda n: repeat(n, lambda i, last: (i,), tf.constant(-1)), autograph=False)
    assert [value(f(tf.constant(n))[0]) for n in (0, 3)] == [-1, 2]


def test_two_variables_can_be_swapped() -> None:
    f = tf.function(lambda x: repeat(3, lambda i, a, b: (b, a), x, x + 1.0), autograph=False)
    assert [value(r) for r in f(tf.constant(0.0))] == [1.0, 0.0]


def test_an_error_in_a_loop_names_the_node_inside_of_it() -> None:
    f = tf.function(
        lambda x: repeat(3, lambda i, y: (y + tf.gather(x, i, name="picked"),), tf.constant(0.0))[0], autograph=False
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="picked"):
        f(tf.constant([1.0, 2.0]))


def test_effects_inside_of_a_loop_happen_in_order() -> None:
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f() -> Any:
        def body(i: Any, seen: Any) -> Any:
            v.assign(v * 2.0)
            return (seen + v,)

        return repeat(3, body, tf.constant(0.0))[0] + v

    assert value(f()) == 2.0 + 4.0 + 8.0 + 8.0


# --- lists -----------------------------------------------------------------------------------------------------------


def in_place(compiled: Program) -> int:
    return len(re.findall(r"= p\d+\(", compiled.source or ""))


def test_a_list_that_a_loop_fills_is_changed_in_place() -> None:
    compiled = program(lambda x: stacked(repeat(3, lambda i, h: (push(h, x),), empty())[0]), SCALAR)
    assert in_place(compiled) == 1
    assert value(compiled.run(np.full((), 2.0, np.float32))[0]) == [2.0] * 3


def test_the_first_list_of_a_loop_stays_as_it_was() -> None:
    def f(x: Any) -> Any:
        first = push(empty(), x)
        (one,) = repeat(2, lambda i, h: (push(h, x + 1.0),), first)
        (two,) = repeat(1, lambda i, h: (push(h, x + 2.0),), first)
        return stacked(first), stacked(one), stacked(two)

    assert [value(r) for r in tf.function(f, autograph=False)(tf.constant(0.0))] == [[0], [0, 1, 1], [0, 2]]


def test_one_list_as_two_variables_is_two_lists() -> None:
    def f(x: Any) -> Any:
        first = push(empty(), x)
        one, two = repeat(2, lambda i, a, b: (push(a, x + 1.0), push(b, x + 2.0)), first, first)
        return stacked(one), stacked(two)

    assert [value(r) for r in tf.function(f, autograph=False)(tf.constant(0.0))] == [[0, 1, 1], [0, 2, 2]]


def test_a_list_that_is_read_after_it_was_written_to_keeps_its_elements() -> None:
    def body(i: Any, h: Any, total: Any) -> Any:
        longer = push(h, tf.cast(i, tf.float32))
        return longer, total + tf.cast(tf.raw_ops.TensorListLength(input_handle=h), tf.float32)

    def f() -> Any:
        h, total = repeat(4, body, empty(), tf.constant(0.0))
        return stacked(h), total

    assert [value(r) for r in tf.function(f, autograph=False)()] == [[0, 1, 2, 3], 0 + 1 + 2 + 3]


def test_a_list_inside_another_list_does_not_change_with_the_loop() -> None:
    def f(x: Any) -> Any:
        outer = tf.raw_ops.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.variant)

        def body(i: Any, h: Any, kept: Any) -> Any:
            return push(h, x), push(kept, h)

        _, kept = repeat(3, body, empty(), outer)
        lengths = []
        for _ in range(3):
            kept, one = tf.raw_ops.TensorListPopBack(input_handle=kept, element_shape=[], element_dtype=tf.variant)
            lengths.append(tf.raw_ops.TensorListLength(input_handle=one))
        return lengths

    assert [value(n) for n in tf.function(f, autograph=False)(tf.constant(1.0))] == [2, 1, 0]


def test_a_branch_may_write_to_the_list_of_a_loop() -> None:
    def body(i: Any, h: Any) -> Any:
        return (tf.cond(i % 2 == 0, lambda: push(h, tf.cast(i, tf.float32)), lambda: h),)

    compiled = program(lambda n: stacked(repeat(n, body, empty())[0]), COUNT)
    assert in_place(compiled) == 1
    assert value(compiled.run(np.full((), 5, np.int32))[0]) == [0.0, 2.0, 4.0]


def test_a_list_that_one_loop_reads_without_owning_it_is_whole_for_the_next_one() -> None:
    def f(n: Any) -> Any:
        filled = repeat(n, lambda i, a: (push(a, tf.cast(i, tf.float32)),), empty())[0]

        def keeping(i: Any, a: Any, total: Any) -> Any:  # what it pops from is read after that
            shorter, last = popped(a)
            return shorter, total + last + tf.cast(tf.raw_ops.TensorListLength(input_handle=a), tf.float32)

        def plain(i: Any, a: Any, total: Any) -> Any:
            shorter, last = popped(a)
            return shorter, total * 2.0 + last

        first = repeat(n, keeping, filled, tf.constant(0.0))[1]
        return first, repeat(n, plain, filled, tf.constant(0.0))[1]

    assert [value(r) for r in tf.function(f, autograph=False)(tf.constant(3))] == [3.0 + 6.0, (2.0 * 2 + 1.0) * 2 + 0.0]


def popped(handle: Any) -> Any:
    return tf.raw_ops.TensorListPopBack(input_handle=handle, element_shape=[], element_dtype=tf.float32)


def test_an_array_of_an_outer_loop_is_written_in_an_inner_loop() -> None:
    def f(n: Any) -> Any:
        ta = tf.TensorArray(tf.int32, size=n * n)
        inner = lambda i, ta: repeat(n, lambda j, ta: (ta.write(i * n + j, i - j),), ta)  # noqa: E731  (a function of one line)
        return repeat(n, inner, ta)[0].stack()

    compiled = program(f, COUNT)
    assert in_place(compiled) == 1
    assert compiled.source.count("own(") == 1  # the outer loop's copy, which the inner one takes over
    assert value(compiled.run(np.full((), 3, np.int32))[0]) == [i - j for i in range(3) for j in range(3)]


def one_of(first: Any, a: Any, b: Any, item: Any) -> Any:
    """The two lists, one of them longer."""
    return tf.cond(first, lambda: (push(a, item), b), lambda: (a, push(b, item)))


MOVES = st.lists(st.sampled_from(["push a", "push b", "pop a", "set a", "swap", "branch", "read", "both"]), max_size=6)


@settings(deadline=None, max_examples=60)
@given(MOVES, st.integers(0, 4))
def test_loops_over_lists_compute_what_plain_python_computes(moves: list[str], n: int) -> None:
    def body(i: Any, a: Any, b: Any, seen: Any) -> Any:
        item = tf.cast(i, tf.float32) + seen
        for move in moves:
            if move == "push a":
                a = push(a, item)
            elif move == "push b":
                b = push(b, item * 2.0)
            elif move == "pop a":
                a, last = tf.raw_ops.TensorListPopBack(
                    input_handle=push(a, item), element_shape=[], element_dtype=tf.float32
                )
                seen = seen + last
            elif move == "set a":
                a = tf.raw_ops.TensorListSetItem(input_handle=push(a, item), index=0, item=seen)
            elif move == "swap":
                a, b = b, a
            elif move == "branch":
                a, b = one_of(i % 2 == 0, a, b, seen)
            elif move == "read":
                seen = seen + tf.cast(tf.raw_ops.TensorListLength(input_handle=a), tf.float32)
            else:
                a, b = push(a, item), a
        return a, b, seen

    def f() -> Any:
        a, b, seen = repeat(n, body, empty(), push(empty(), tf.constant(7.0)), tf.constant(1.0))
        return stacked(a), stacked(b), seen

    expected = [value(r) for r in f()]
    assert [value(r) for r in tf.function(f, autograph=False)()] == expected


def test_values_of_an_iteration_are_freed() -> None:
    seen: list[Any] = []

    def note(x: Any) -> Any:
        seen.append(weakref.ref(x.numpy()))
        return x

    def body(i: Any, y: Any) -> Any:
        middle = tf.py_function(note, [y + 1.0], tf.float32)
        return (tf.reshape(tf.reduce_sum(middle), [1]) * tf.ones([3]),)

    f = tf.function(lambda x: repeat(3, body, x)[0], autograph=False)
    f(tf.zeros([3]))
    gc.collect()
    assert len(seen) == 3
    assert not [r for r in seen if r() is not None]


def test_long_programs_are_compiled_in_linear_memory() -> None:
    """What is noted of an instruction is about its own names, not about all that are alive."""
    kept: list[int] = []

    def noted(block: Any, live: Any) -> None:
        note_lives(block, live)
        kept.extend(len(instruction.live_after) for instruction in block)

    def f(x: Any) -> Any:
        made = [x]
        for _ in range(200):
            made.append(tf.sin(made[-1]))
        return tf.add_n(made)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codegen, "note_lives", noted)
        compiled = program(f, SCALAR)
    assert len(kept) > 200
    assert sum(kept) <= 3 * len(kept)
    assert compiled.run(np.float32(0.0))[0] == 0.0
