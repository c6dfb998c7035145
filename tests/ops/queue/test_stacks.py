"""Stacks: last in, first out."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops


def _stack(max_size: Any = -1) -> Any:
    return raw.StackV2(max_size=max_size, elem_type=tf.int32, stack_name="s")


def _push(handle: Any, elem: Any) -> Any:
    return raw.StackPushV2(handle=handle, elem=elem)


def _pop(handle: Any, dtype: Any = tf.int32) -> Any:
    return raw.StackPopV2(handle=handle, elem_type=dtype)


def test_the_last_tensor_comes_out_first() -> None:
    handle = _stack()
    assert _push(handle, 5).numpy() == 5
    _push(handle, [6, 7])
    assert _pop(handle).numpy().tolist() == [6, 7]
    assert _pop(handle).numpy() == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Stack\[s\] is empty when calling Pop\(\)"):
        _pop(handle)


def test_a_stack_of_a_function_is_new_in_each_call() -> None:
    @tf.function
    def twice(x: Any) -> Any:
        handle = _stack()
        pushed = _push(handle, x)
        _push(handle, x + 1)
        return pushed, _pop(handle), _pop(handle)

    for _ in range(2):
        assert [int(part) for part in twice(tf.constant(4))] == [4, 5, 4]


def test_a_closed_stack_says_so() -> None:
    handle = _stack()
    raw.StackCloseV2(handle=handle)
    raw.StackCloseV2(handle=handle)
    for use in (lambda: _push(handle, 1), lambda: _pop(handle)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="has already been closed"):
            use()


def test_what_does_not_fit_is_refused() -> None:
    handle = _stack(1)
    _push(handle, 5)
    cases = [
        (lambda: _push(handle, 5), r"overflowed its max_size \(1\)"),
        (lambda: _push(handle, 5.0), "Must have type int32 but got float"),
        (lambda: _pop(handle, tf.float32), "Type mismatch: actual int32 vs. expect float"),
        (lambda: _stack([1, 2]), r"Stack size must be a scalar, but had shape: \[2\]"),
        (lambda: _push(tf.Variable(1).handle, 5), "using the wrong type"),
    ]
    for call, message in cases:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            call()
