"""Tensors that stay in a session from one run to the next."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture
def parts() -> Any:
    with tf.Graph().as_default() as graph:
        a = v1.placeholder(tf.float32, [2], name="a")
        kept, added = v1.get_session_handle(a * 2.0), a + 1.0
    with v1.Session(graph=graph) as session:
        yield session, a, kept, added


def test_a_handle_is_fed_instead_of_the_tensor(parts: Any) -> None:
    session, a, kept, added = parts
    handle, values = session.run([kept, added], {a: [1.0, 2.0]})
    assert handle.eval().tolist() == [2.0, 4.0] and values.tolist() == [2.0, 3.0]
    assert str(handle) == handle.handle and handle.handle.endswith("device:CPU:0")
    assert session.run(added, {a: handle}).tolist() == [3.0, 5.0]


def test_a_kept_tensor_is_read_and_deleted_by_its_text(parts: Any) -> None:
    session, a, kept, _ = parts
    text = session.run(kept, {a: [1.0, 2.0]}).get_raw_handle()
    gc.collect()
    with session.graph.as_default():
        holder, tensor = v1.get_session_tensor(text, tf.float32)
        deleted, delete = v1.delete_session_tensor(text)
        _, wrong = v1.get_session_tensor(text, tf.int32, name="wrong")
    assert session.run(tensor, {holder: text}).tolist() == [2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not of dtype int32"):
        session.run(wrong, {wrong.op.inputs[0]: text})
    session.run(delete, {deleted: text})
    for use, message in ((tensor, "is not in the session store"), (delete, "Failed to delete a tensor")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(use, {holder: text, deleted: text})


def test_a_handle_that_nobody_holds_lets_go_of_its_tensor(parts: Any) -> None:
    session, a, kept, added = parts
    handle = session.run(kept, {a: [1.0, 2.0]})
    store = session._resources.tensors
    assert len(store._tensors) == 1
    del handle
    gc.collect()
    assert not store._tensors
    handle = session.run(kept, {a: [1.0, 2.0]})
    handle.delete()
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        session.run(added, {a: handle})


def test_another_session_has_not_the_tensor(parts: Any) -> None:
    session, a, kept, added = parts
    handle = session.run(kept, {a: [1.0, 2.0]})
    with v1.Session(graph=session.graph) as other, pytest.raises(tf.errors.InvalidArgumentError, match="session store"):
        other.run(added, {a: handle})


def test_what_is_no_tensor_or_handle_is_refused() -> None:
    with pytest.raises(TypeError, match="`data` must be of type Tensor"):
        v1.get_session_handle(3)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Unknown attribute 'x'"):
        v1.get_session_tensor("x", tf.float32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="null session state"):
        v1.get_session_handle(tf.constant(np.float32(1)))


def test_a_reset_ends_all_sessions(parts: Any) -> None:
    session, a, _, added = parts
    assert session.run(added, {a: [1.0, 2.0]}).tolist() == [2.0, 3.0]
    v1.Session.reset("")
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        session.run(added, {a: [1.0, 2.0]})
