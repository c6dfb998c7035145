"""What oracle programs may use besides `tf` and `np`.

Programs run on real TensorFlow and on millrace alike, so nothing here imports either. The helpers turn what a user
would observe (an exception, printed text, a log line) into a value the program can return.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

_NORMAL_FORMS = (
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    (re.compile(r"<([\w.]+\.)?(\w+) object at 0x[0-9A-Fa-f]+>"), r"<\2 object at 0x>"),
    (re.compile(r"'(?:tensorflow|millrace)\.[\w.]*?(\w+)'"), r"'\1'"),
    (re.compile(r"0x[0-9A-Fa-f]+"), "0x"),
    (re.compile(r"\bid=\d+"), "id=N"),
    (re.compile(r"^\d+:0$"), "N:0"),
    (re.compile(r"goo\.gle/debug\w*\s*"), "debug "),
    (re.compile(r"\]\(\d+, "), "](N, "),
    (re.compile(r"running on \S+\."), "running on HOST."),
    (re.compile(r"__(inference|forward|backward)_([\w<>]+?)_\d+"), r"__\1_\2_N"),
    (re.compile(r'"[^"\n]*/([\w.-]+\.py)"'), r'"\1"'),
    (re.compile(r"\bline \d+"), "line N"),
    (re.compile(r"\b\d{10,}: "), "ID: "),
    (re.compile(r"module '(?:tensorflow|millrace)"), "module 'tf"),
)
_FRAMES = r"(?:[ \t]+File .*\n|[ \t]{4,}.*\n|\n|<stack.*\n)*"
_GRAPH_ERROR = re.compile(rf"^Graph execution error:\s*(?:Detected at node .*\n{_FRAMES})+")


def normalise(text: str) -> str:
    """Takes out of `text` what differs from run to run: addresses, serial numbers, folders, line numbers."""
    text = _GRAPH_ERROR.sub("Graph execution error: ", text)
    for pattern, replacement in _NORMAL_FORMS:
        text = pattern.sub(replacement, text)
    return text


class Raised:
    """An exception as a value: its class and the first `words` words of its message are compared."""

    def __init__(self, error: BaseException, words: int = 5) -> None:
        self.error = error
        self.words = words


class Leading:
    """A text of which only the first `words` words are compared."""

    def __init__(self, text: str, words: int = 5) -> None:
        self.text = text
        self.words = words


class Approx:
    """A value compared with its own tolerances instead of those of its dtype."""

    def __init__(self, value: Any, rtol: float = 1e-3, atol: float = 1e-6) -> None:
        self.value = value
        self.rtol = rtol
        self.atol = atol


def attempt(call: Callable[[], Any], words: int = 5) -> Any:
    """Returns what `call` returns, or the exception it raises as a `Raised` value."""
    try:
        return call()
    except Exception as error:
        return Raised(error, words)


@contextlib.contextmanager
def _redirected(descriptor: int, name: str) -> Iterator[io.BufferedRandom]:
    """Sends a file descriptor and the `sys` stream of that name into a temporary file."""
    stream = getattr(sys, name)
    stream.flush()
    saved = os.dup(descriptor)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), descriptor)
        replacement = os.fdopen(os.dup(descriptor), "w", buffering=1, encoding="utf-8")
        setattr(sys, name, replacement)
        try:
            yield file
        finally:
            replacement.close()
            setattr(sys, name, stream)
            os.dup2(saved, descriptor)
            os.close(saved)


def printed(call: Callable[[], Any]) -> dict[str, Any]:
    """Runs `call` and returns what reached standard output and standard error, however it was written."""
    with _redirected(1, "stdout") as out, _redirected(2, "stderr") as err:
        result = call()
        sys.stdout.flush()
        sys.stderr.flush()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(normalise(file.read().decode("utf-8", "backslashreplace")))
    return {"stdout": texts[0], "stderr": texts[1], "result": result}


def logged(tf: Any, call: Callable[[], Any], words: int = 8) -> list[Leading]:
    """Runs `call` and returns the lines it sends to TensorFlow's logger, as leading words."""
    import logging

    lines: list[Leading] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(Leading(record.levelname + ": " + record.getMessage(), words))

    logger = tf.get_logger()
    handler = Collect()
    others = logger.handlers[:]
    logger.handlers[:] = [handler]
    try:
        call()
    finally:
        logger.handlers[:] = others
    return lines


def nodes(graph: Any) -> list[str]:
    """The operations of a graph, one line each: `name = Type(inputs) ^control inputs`."""
    lines = []
    for operation in graph.get_operations():
        inputs = ", ".join(tensor.name for tensor in operation.inputs)
        controls = "".join(f" ^{name}" for name in sorted(control.name for control in operation.control_inputs))
        lines.append(f"{operation.name} = {operation.type}({inputs}){controls}")
    return lines


def graph_text(graph: Any) -> str:
    """The text of a graph's GraphDef without the version numbers, which belong to the release."""
    return re.sub(r"versions \{[^}]*\}\n", "", str(graph.as_graph_def()))


def same(tf: Any, *values: Any) -> list[tuple[Any, Any]]:
    """Pairs of static shape and dtype, for tensors whose values are random or unimportant."""
    return [(value.shape, value.dtype) for value in values]
