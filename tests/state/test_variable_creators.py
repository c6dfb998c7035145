"""Functions that intercept the creation of variables."""

from __future__ import annotations

from typing import Any

import millrace as tf


def test_creators_intercept_innermost_first() -> None:
    log = []

    def creator(label: str) -> Any:
        def create(next_creator: Any, **kwargs: Any) -> Any:
            log.append((label, kwargs["initial_value"]))
            kwargs["initial_value"] += 1.0
            return next_creator(**kwargs)

        return create

    with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("inner")):
        v = tf.Variable(1.0)
    assert log == [("inner", 1.0), ("outer", 2.0)]
    assert v.numpy() == 3.0
    assert tf.Variable(1.0).numpy() == 1.0


def test_a_creator_sees_every_argument_and_may_make_something_else() -> None:
    seen: list[set[str]] = []

    def creator(next_creator: Any, **kwargs: Any) -> Any:
        seen.append(set(kwargs))
        return next_creator(**{**kwargs, "initial_value": 2.0}) if kwargs["trainable"] is None else "instead"

    with tf.variable_creator_scope(creator):
        assert tf.Variable(1.0).numpy() == 2.0 and tf.Variable(1.0, trainable=False) == "instead"
    assert {"initial_value", "trainable", "name", "dtype", "shape"} <= seen[0] and tf.Variable(1.0).numpy() == 1.0


def test_a_scope_ends_when_its_body_fails() -> None:
    try:
        with tf.variable_creator_scope(lambda next_creator, **kwargs: None):
            raise KeyError
    except KeyError:
        assert tf.Variable(1.0).numpy() == 1.0
