"""Runs in parts: each operation runs once, and what was not prepared is refused."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture
def parts() -> Any:
    with tf.Graph().as_default() as graph:
        a, b = v1.placeholder(tf.float32, [], name="a"), v1.placeholder(tf.float32, [], name="b")
        total = tf.add(a, b, name="total")
        scaled = tf.multiply(total, 10.0, name="scaled")
        count = tf.Variable(0.0)
        counted = tf.add(count.assign_add(1.0), total, name="counted")
    with v1.Session(graph=graph) as session:
        session.run(count.initializer)
        yield session, a, b, total, scaled, counted, count


def test_a_run_goes_on_where_it_was(parts: Any) -> None:
    session, a, b, total, scaled, counted, count = parts
    handle = session.partial_run_setup([total, scaled, counted], [a, b])
    assert session.partial_run(handle, total, {a: 1.0, b: 2.0}) == 3.0
    assert session.partial_run(handle, counted) == 4.0
    assert session.partial_run(handle, [scaled]) == [30.0]
    assert session.run(count) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'"):
        session.partial_run(handle, scaled)


def test_an_operation_that_two_parts_wait_for_runs_once() -> None:
    with tf.Graph().as_default() as graph:
        a, b = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
        total = tf.Variable(0.0)
        with tf.control_dependencies([total.assign_add(a)]):
            doubled = total.read_value() * 2.0
        with tf.control_dependencies([doubled]):
            last = b + total.read_value()
    with v1.Session(graph=graph) as session:
        session.run(total.initializer)
        handle = session.partial_run_setup([doubled, last], [a, b])
        assert session.partial_run(handle, doubled, {a: 3.0}) == 6.0
        assert session.partial_run(handle, last, {b: 1.0}) == 4.0


def test_a_value_in_between_is_fed(parts: Any) -> None:
    session, a, b, total, scaled, *_ = parts
    handle = session.partial_run_setup([scaled], [a, b, total])
    with pytest.raises(tf.errors.InvalidArgumentError, match="can't be computed from the feeds"):
        session.partial_run(handle, scaled)
    assert session.partial_run(handle, scaled, {total: 17.0}) == 170.0


@pytest.mark.parametrize("what", ["fetched twice", "fed twice", "other fetch", "other feed"])
def test_what_was_not_prepared_is_refused(parts: Any, what: str) -> None:
    session, a, b, total, scaled, *_ = parts
    handle = session.partial_run_setup([total, scaled], [a])
    use: dict[str, Any] = {
        "fetched twice": lambda: session.partial_run(handle, total),
        "fed twice": lambda: session.partial_run(handle, scaled, {a: 1.0}),
        "other fetch": lambda: session.partial_run(handle, "counted:0"),
        "other feed": lambda: session.partial_run(handle, scaled, {b: 1.0}),
    }
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"has already been|was not specified in partial_run_setup|must feed"
    ):
        session.partial_run(handle, total, {a: 1.0})
        use[what]()


def test_a_tensor_is_not_both_fed_and_fetched(parts: Any) -> None:
    session, a, *_ = parts
    with pytest.raises(tf.errors.InvalidArgumentError, match="a:0 is both fed and fetched"):
        session.partial_run_setup([a], [a])
