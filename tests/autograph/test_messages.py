"""What Millrace says to each common mistake, word for word, and the location in the user's code that it points to.

The messages are in recorded/ours.json: the class, the full text, and line (from the first of the function) and column
of the last frame. A message that was changed on purpose is recorded again by
`MILLRACE_RECORD_MESSAGES=1 python -m pytest tests/autograph/test_messages.py`; the difference is then read and
committed.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import traceback
from typing import Any

import pytest

from tests.autograph import answers
from tests.autograph.framework import NAME, tf
from tests.autograph.mistakes import Mistake, mistakes
from tests.autograph.test_mistakes import marked

PATH = answers.RECORDED / "ours.json"
MISTAKES = {name: each for name, each in mistakes().items() if not each.lifted and not each.endless}
INTERNAL = re.compile(r"\bag__|\bag_\w|retval_|do_return|\bbreak_|continue_|\b(if|else|loop)_body\b|\bitr\b|Undefined")

pytestmark = pytest.mark.skipif(NAME != "millrace", reason="the messages are Millrace's")


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(error.__traceback__))


def _told(mistake: Mistake) -> dict[str, Any]:
    """What is raised: class, text, and the last frame in the file of the mistake."""
    with pytest.raises(Exception) as caught:
        answers.call(mistake, tf)
    file = inspect.getsourcefile(mistake.function)
    start = inspect.getsourcelines(mistake.function)[1]
    told = {"raised": type(caught.value).__name__, "says": re.sub(r"0x\w*", "0x", answers.said(caught.value, tf))}
    locations = [(frame.lineno, frame.colno) for frame in _frames(caught.value) if frame.filename == file]
    if mistake.frameless or not locations:
        return told
    line, column = locations[-1]
    return told | {"line": (line or 0) - start, "column": column}


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    """The recorded messages by mistake; made anew if that is asked for."""
    if os.environ.get("MILLRACE_RECORD_MESSAGES"):
        found = {name: _told(mistake) for name, mistake in MISTAKES.items()}
        PATH.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return json.loads(PATH.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


# From a Python version on, an error in these has the location of an expression, not of the statement around.
COLUMNS = {
    "format_spec_on_a_tensor": ((3, 12), 13),
    "python_assert_fails": ((3, 13), 11),
    "tensor_iterated_in_unconverted_code": ((3, 13), 13),
}


@pytest.mark.parametrize("name", [marked(name) for name in MISTAKES])
def test_a_message_is_the_recorded_one_at_the_recorded_location(name: str, records: dict[str, Any]) -> None:
    expected = dict(records[name])
    since, column = COLUMNS.get(name, ((4,), 0))
    if sys.version_info >= since:
        expected["column"] = column
    assert _told(MISTAKES[name]) == expected


@pytest.mark.parametrize("name", list(MISTAKES))
def test_a_message_has_no_names_of_converted_code(name: str, records: dict[str, Any]) -> None:
    assert not INTERNAL.search(records[name]["says"])


def test_every_recorded_message_belongs_to_a_mistake(records: dict[str, Any]) -> None:
    assert list(records) == list(MISTAKES)
    assert len(records) >= 40
