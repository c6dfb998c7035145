"""Tracebacks of errors while a function is traced: whose frames they show."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

import pytest

import millrace as tf
from millrace._src.core.source_trace import is_internal
from millrace._src.core.traceback_filtering import filter_traceback


@pytest.fixture(autouse=True)
def filtering_stays_the_default() -> Iterator[None]:
    yield
    tf.debugging.enable_traceback_filtering()


def files_of_a_failed_trace() -> list[str]:
    """Returns the files of the frames, from the call of a function to the line that fails while it is traced."""

    def fails(x: tf.Tensor) -> tf.Tensor:
        return tf.matmul(x, x)

    with pytest.raises(ValueError) as caught:
        tf.function(fails, autograph=False)(tf.ones([2, 3]))
    return [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_inside_of_the_users_function_no_frame_of_the_library_is_shown() -> None:
    tf.debugging.enable_traceback_filtering()
    shown_files = files_of_a_failed_trace()
    tf.debugging.disable_traceback_filtering()
    all_files = files_of_a_failed_trace()
    assert shown_files[-1] == __file__ and is_internal(all_files[-1])
    assert len(shown_files) < len(all_files)


def test_the_switch_can_be_asked_for() -> None:
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()


def test_a_traceback_without_frames_of_the_user_stays_whole() -> None:
    try:
        exec(compile("raise ValueError", tf.function.__code__.co_filename, "exec"))
    except ValueError as error:
        assert error.__traceback__ is not None
        error.__traceback__ = error.__traceback__.tb_next  # without the frame of this test
        before = error.__traceback__
        filter_traceback(error)
        assert before is not None and error.__traceback__ is before
