"""Common mistakes are reported as TensorFlow reports them: class and leading words, and at the user's own line.

Where TensorFlow wraps an exception in a class of its own, the user's exception is expected as it was raised. What
TensorFlow refuses and Millrace takes (`lifted`) is not a mistake here; the corpus has its answers. What Millrace tells
in better words (`ours`) has exactly those.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.autograph import answers
from tests.autograph.framework import NAME, tf
from tests.autograph.mistakes import mistakes
from tests.autograph.test_corpus import needs_autograph

MISTAKES = mistakes()
RECORDS = answers.recorded("messages")
HERE_TOO = [name for name, mistake in MISTAKES.items() if not mistake.lifted and not mistake.endless]
TRACED = [name for name in HERE_TOO if RECORDS[name]["raised"] != "InvalidArgumentError"]
WHILE_TRACED = [name for name in TRACED if not MISTAKES[name].frameless]

ours = pytest.mark.skipif(NAME != "millrace", reason="the frames at the end are TensorFlow's own")


def marked(name: str) -> Any:
    """Returns a mistake's name as a parameter of a test, marked where AutoGraph may leave the function as it is."""
    return pytest.param(name, marks=[pytest.mark.unconverted] if MISTAKES[name].unconverted else [])


def _caught(name: str) -> Exception:
    with pytest.raises(Exception) as caught:
        answers.call(MISTAKES[name], tf)
    return caught.value


@needs_autograph
@pytest.mark.parametrize("name", [marked(name) for name in HERE_TOO])
def test_a_mistake_raises_the_class_that_tensorflow_raises_or_wraps(name: str) -> None:
    record, own = RECORDS[name], MISTAKES[name].ours
    if own and NAME == "millrace":
        assert type(_caught(name)).__name__ == own[0]
        return
    expected = answers.expected_class(record) if NAME == "millrace" else record["raised"]
    assert type(_caught(name)).__name__ == expected


@needs_autograph
@pytest.mark.parametrize("name", [marked(name) for name in HERE_TOO])
def test_a_mistake_is_told_in_the_leading_words_of_tensorflow(name: str) -> None:
    own = MISTAKES[name].ours
    if own and NAME == "millrace":
        assert answers.said(_caught(name), tf).startswith(own[1])
        return
    assert answers.leading_words(answers.said(_caught(name), tf)) == answers.leading_words(RECORDS[name]["says"])


@needs_autograph
@ours
@pytest.mark.parametrize("name", WHILE_TRACED)
def test_the_last_frame_of_the_user_is_the_faulty_line(name: str) -> None:
    own = inspect.getsourcefile(MISTAKES[name].function)
    lines = [line for file, line in answers.locations(_caught(name)) if file == own]
    assert lines[-1] in answers.faulty_lines(MISTAKES[name])


@needs_autograph
@ours
@pytest.mark.parametrize("name", WHILE_TRACED)
def test_the_traceback_of_a_mistake_ends_in_the_code_of_the_user(name: str) -> None:
    file, line = answers.locations(_caught(name))[-1]
    assert file == inspect.getsourcefile(MISTAKES[name].function), f"it ends in {file}:{line}"


@pytest.mark.parametrize("name", list(MISTAKES))
def test_every_mistake_marks_a_line(name: str) -> None:
    assert answers.faulty_lines(MISTAKES[name])


@pytest.mark.parametrize("name", list(MISTAKES))
def test_every_mistake_is_refused_by_tensorflow(name: str) -> None:
    assert RECORDS[name].get("endless") == MISTAKES[name].endless
    assert MISTAKES[name].endless or RECORDS[name]["raised"]


def test_every_message_belongs_to_a_mistake() -> None:
    assert list(RECORDS) == list(MISTAKES)
    assert len(HERE_TOO) >= 50
