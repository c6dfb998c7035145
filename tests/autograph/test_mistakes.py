"""Common mistakes are reported as TensorFlow reports them: class and leading words, and at the user's own line.

Where TensorFlow wraps an exception in a class of its own, the user's exception is expected as it was raised. What
TensorFlow refuses and Millrace takes (`lifted`) is no mistake here; the corpus has its answers.
"""

from __future__ import annotations

import pytest

from tests.autograph import answers
from tests.autograph.framework import NAME, tf
from tests.autograph.mistakes import mistakes
from tests.autograph.test_corpus import needs_autograph

MISTAKES = mistakes()
RECORDS = answers.recorded("messages")
HERE_TOO = [name for name, mistake in MISTAKES.items() if not mistake.lifted and not mistake.endless]
WHILE_RUNNING = ("InvalidArgumentError",)


def _caught(name: str) -> Exception:
    with pytest.raises(Exception) as caught:
        answers.call(MISTAKES[name], tf)
    return caught.value


@needs_autograph
@pytest.mark.parametrize("name", HERE_TOO)
def test_a_mistake_raises_the_class_that_tensorflow_raises_or_wraps(name: str) -> None:
    record = RECORDS[name]
    expected = answers.expected_class(record) if NAME == "millrace" else record["raised"]
    assert type(_caught(name)).__name__ == expected


@needs_autograph
@pytest.mark.parametrize("name", HERE_TOO)
def test_a_mistake_is_told_in_the_leading_words_of_tensorflow(name: str) -> None:
    assert answers.leading_words(answers.said(_caught(name), tf)) == answers.leading_words(RECORDS[name]["says"])


@needs_autograph
@pytest.mark.skipif(NAME != "millrace", reason="TensorFlow's last frame is its own")
@pytest.mark.parametrize("name", [name for name in HERE_TOO if RECORDS[name]["raised"] not in WHILE_RUNNING])
def test_the_last_frame_of_a_mistake_is_the_faulty_line(name: str) -> None:
    assert answers.last_user_line(_caught(name), MISTAKES[name]) in answers.faulty_lines(MISTAKES[name])


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
