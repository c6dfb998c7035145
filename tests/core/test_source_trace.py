"""Where in the user's program an op was made."""

from __future__ import annotations

import gc

import millrace as tf
from millrace._src.core import source_trace


def test_an_operation_knows_the_users_line() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        y = tf.reduce_sum(x + 2.0)
    frame = y.op.source
    assert frame.filename == __file__
    assert frame.function == "test_an_operation_knows_the_users_line"
    assert frame.line == x.op.source.line + 1
    assert str(frame) == f'File "{__file__}", line {frame.line}, in {frame.function}'
    assert frame.column() is not None


def test_frames_of_the_library_are_left_out() -> None:
    frames = source_trace.user_frames(limit=3)
    assert frames[0].function == "test_frames_of_the_library_are_left_out"
    assert len(frames) <= 3
    assert source_trace.is_internal(source_trace.__file__)
    assert not source_trace.is_internal(__file__)


def test_a_frame_keeps_no_local_variable_alive() -> None:
    frame = source_trace.user_frame()
    assert frame is not None
    assert not any(hasattr(part, "f_locals") for part in frame)


def test_the_garbage_collector_looks_at_no_location_of_an_operation() -> None:
    with tf.Graph().as_default():
        operation = tf.constant(1.0).op
    gc.collect()
    assert operation.made_at is not None and not gc.is_tracked(operation.made_at)
    assert operation.source == source_trace.SourceFrame(*operation.made_at)
