"""The recorded form of answers and messages, and where the records are."""

from __future__ import annotations

import functools
import inspect
import json
import re
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from tests.autograph.mistakes import Mistake
from tests.oracle.encoding import Encoder
from tests.oracle.support import normalise

RECORDED = Path(__file__).parent / "recorded"
MESSAGE_LENGTH = 200
HERE = "# <-- here"

_GENERATED = re.compile(r"__autograph_generated_file\w+\.py")
_GENERATED_NAME = re.compile(r"outer_factory\.<locals>\.inner_factory\.<locals>\.tf__")
_WRAPPERS = ("StagingError", "MultilineMessageKeyError")
_SITE = re.compile(r"[^\s\"']*/site-packages/")
_IDENTITY = re.compile(r"\bid=\d+|(?<=while_body_)\d+|(?<=while_cond_)\d+|(?<=__inference_)(\w+?)_\d+")


def form_of(results: list[Any], printed: str, tf: Any) -> dict[str, Any]:
    """The JSON form of what a case returned or raised for each argument tuple, and of what it printed."""
    encoder = Encoder(tf)
    forms = []
    for result in results:
        form = encoder.encode(result)
        if isinstance(result, Exception):
            form["message"] = last_paragraph(stable(form["message"]))[:MESSAGE_LENGTH]
        forms.append(form)
    return {"answers": forms, "printed": normalise(printed)} if printed else {"answers": forms}


def is_refused(record: dict[str, Any]) -> bool:
    """Whether TensorFlow raised for any of the argument tuples."""
    return any(isinstance(form, dict) and "raised" in form for form in record["answers"])


def recorded(theme: str, folder: Path = RECORDED) -> dict[str, Any]:
    """TensorFlow's answers to a module of the corpus by case name; `messages` gives those to the mistakes."""
    path = folder / f"{theme}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}  # type: ignore[no-any-return]


def call(mistake: Mistake, tf: Any) -> Any:
    """Calls the function of a mistake under `tf.function`."""
    signature = mistake.signature() if mistake.signature else None
    function = tf.function(mistake.function, input_signature=signature)
    values = [tf.constant(arg) if isinstance(arg, (np.ndarray, np.generic)) else arg for arg in mistake.args]
    return function(*values)


def message_of(mistake: Mistake, tf: Any) -> dict[str, Any]:
    """What is raised by a mistake: its class, its public ancestors, and its message as a whole and without frames."""
    try:
        call(mistake, tf)
    except Exception as error:
        form = Encoder(tf).encode_exception(error)
        text = stable(form["message"])
        return {
            "raised": form["raised"],
            "mro": form["mro"],
            "says": last_paragraph(text),
            "message": text,
            "at_the_line": HERE in text,
        }
    return {"accepted": True}


def said(error: BaseException, tf: Any) -> str:
    """The message of an error in the form of the records, without frames."""
    return last_paragraph(stable(Encoder(tf).encode_exception(error)["message"]))


def stable(text: str) -> str:
    """The text without what differs from run to run or between locations."""
    text = _GENERATED.sub("GENERATED.py", _SITE.sub("", text))
    return _IDENTITY.sub(lambda found: "id=N" if found[0].startswith("id=") else "N", text)


def last_paragraph(text: str) -> str:
    """What an error says after the frames: `Class: words` of "in user code", without the class."""
    _, found, rest = text.partition("in user code:")
    if not found:
        return text.strip()
    told = re.split(r"\n    (?=[\w.]+: )", rest, maxsplit=1)
    if len(told) < 2:
        return rest.strip()
    words = told[1].partition(": ")[2]
    return re.sub(r"\n    ", "\n", words).strip()


def faulty_lines(mistake: Mistake) -> set[int]:
    """The lines of its file at which a mistake may be reported: those with the mark."""
    function = mistake.function
    if mistake.at:
        first, *rest = mistake.at.split(".")
        function = functools.reduce(getattr, rest, mistake.function.__globals__[first])
    lines, start = inspect.getsourcelines(inspect.unwrap(function))
    return {start + offset for offset, line in enumerate(lines) if HERE in line}


def locations(error: BaseException) -> list[tuple[str, int | None]]:
    """File and line of each frame of the traceback, the outermost first."""
    return [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]


def expected_class(record: dict[str, Any]) -> str:
    """The class that a user expects: TensorFlow's, or the original where TensorFlow wraps it in one of its own."""
    if record["raised"] in _WRAPPERS:
        return re.findall(r"^    ([\w.]+): ", record["message"], re.MULTILINE)[-1]
    return record["raised"]  # type: ignore[no-any-return]


def leading_words(text: str, words: int = 5) -> str:
    """The first words of a message, without the names of generated functions."""
    return " ".join(_GENERATED_NAME.sub("", text).removeprefix("Graph execution error: ").split()[:words])
