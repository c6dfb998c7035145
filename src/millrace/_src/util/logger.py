"""The logger of everything that Millrace tells without being asked, under the name that programs configure.

The name is `tensorflow`: programs silence or redirect messages with `tf.get_logger().setLevel("ERROR")` or with
`logging` itself. The logger is made on first use, because `import millrace` needs no `logging`. As in TensorFlow, the
logger gets a handler of its own only when the program has not configured the root logger by then.
"""

from __future__ import annotations

import functools
import logging
import sys
from collections import Counter
from pathlib import Path
from typing import TextIO

from millrace._src.util.export import export

NAME = "tensorflow"
VERBOSE = 1
"""The level of remarks that a program sees only where it asks: `tf.get_logger().setLevel(1)`."""
_PACKAGE = str(Path(__file__).parents[2])


class _StandardErrorHandler(logging.StreamHandler[TextIO]):
    """Writes to what `sys.stderr` is at the time of the message, which programs and tests replace."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter(logging.BASIC_FORMAT))

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, value: TextIO) -> None:
        raise AttributeError("the stream is sys.stderr")


@export("get_logger")
def get_logger() -> logging.Logger:
    """Returns the logger that all messages go to.

    >>> tf.get_logger().name
    'tensorflow'

    Returns:
        A `logging.Logger`. Warnings and worse are shown, on standard error, unless the program configures it otherwise.
    """
    return _configure_logger()


@functools.cache  # without arguments: one entry
def _configure_logger() -> logging.Logger:
    logger = logging.getLogger(NAME)
    if not logging.getLogger().handlers:
        logger.addHandler(_StandardErrorHandler())
    return logger


_warned: Counter[tuple[str, int, str]] = Counter()


def warn_first(count: int, message: str, *arguments: object) -> None:
    """Logs a warning for the first `count` times that one line of the program causes the warning."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    location = (frame.f_code.co_filename, frame.f_lineno, message)
    _warned[location] += 1
    if _warned[location] <= count:
        get_logger().warning(message, *arguments)
