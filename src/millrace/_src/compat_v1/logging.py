"""`tf.compat.v1.logging`: the messages of TensorFlow 1 programs, over Python's `logging`.

All functions write to the logger of `tf.get_logger()`. The functions that count do so for each line of the program.
"""

from __future__ import annotations

import collections
import logging
import sys
from typing import Any

from millrace._src.util.export import export, export_constant
from millrace._src.util.logger import get_logger

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.FATAL

export_constant(__name__, "DEBUG", v1=["logging.DEBUG"])
export_constant(__name__, "INFO", v1=["logging.INFO"])
export_constant(__name__, "WARN", v1=["logging.WARN"])
export_constant(__name__, "ERROR", v1=["logging.ERROR"])
export_constant(__name__, "FATAL", v1=["logging.FATAL"])

_calls: collections.Counter[tuple[str, int]] = collections.Counter()


@export(v1=["logging.log"])
def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` at `level`.

    Args:
      level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
      msg: a text with the placeholders of `%`.
      *args: the values of the placeholders.
      **kwargs: more options, as in Python's `logging`.
    """
    get_logger().log(level, msg, *args, **kwargs)


@export(v1=["logging.vlog"])
def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` at `level`.

    Args: as in `tf.compat.v1.logging.log`.
    """
    get_logger().log(level, msg, *args, **kwargs)


@export(v1=["logging.debug"])
def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` for those who debug.

    Args: `msg`, `*args` and `**kwargs` as in `tf.compat.v1.logging.log`.
    """
    get_logger().debug(msg, *args, **kwargs)


@export(v1=["logging.info"])
def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` as information, which is not shown until `set_verbosity(INFO)`.

    Args: `msg`, `*args` and `**kwargs` as in `tf.compat.v1.logging.log`.
    """
    get_logger().info(msg, *args, **kwargs)


@export(v1=["logging.warn", "logging.warning"])
def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` as a warning.

    Args: `msg`, `*args` and `**kwargs` as in `tf.compat.v1.logging.log`.
    """
    get_logger().warning(msg, *args, **kwargs)


@export(v1=["logging.error"])
def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` as an error.

    Args: `msg`, `*args` and `**kwargs` as in `tf.compat.v1.logging.log`.
    """
    get_logger().error(msg, *args, **kwargs)


@export(v1=["logging.fatal"])
def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes `msg % args` as a fatal error; the program goes on.

    Args: `msg`, `*args` and `**kwargs` as in `tf.compat.v1.logging.log`.
    """
    get_logger().fatal(msg, *args, **kwargs)


@export(v1=["logging.TaskLevelStatusMessage"])
def task_level_status_message(msg: str) -> None:
    """Writes the status of a task, as an error.

    Args: msg: the text.
    """
    get_logger().error(msg)


@export(v1=["logging.log_every_n"])
def log_every_n(level: int, msg: str, n: int, *args: object) -> None:
    """Writes `msg % args` on the first call from one line of the program and then on each `n`-th.

    Args:
      level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
      msg: a text with the placeholders of `%`.
      n: how many calls go by for one message.
      *args: the values of the placeholders.
    """
    if (_count_of_this_call() - 1) % n == 0:
        get_logger().log(level, msg, *args)


@export(v1=["logging.log_first_n"])
def log_first_n(level: int, msg: str, n: int, *args: object) -> None:
    """Writes `msg % args` on the first `n` calls from one line of the program.

    Args:
      level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
      msg: a text with the placeholders of `%`.
      n: how many calls write.
      *args: the values of the placeholders.
    """
    if _count_of_this_call() <= n:
        get_logger().log(level, msg, *args)


@export(v1=["logging.log_if"])
def log_if(level: int, msg: str, condition: bool, *args: object) -> None:
    """Writes `msg % args` when `condition` holds.

    Args:
      level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
      msg: a text with the placeholders of `%`.
      condition: whether to write.
      *args: the values of the placeholders.
    """
    if condition:
        get_logger().log(level, msg, *args)


@export(v1=["logging.get_verbosity"])
def get_verbosity() -> int:
    """Returns the level from which messages are shown.

    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.WARN
    True

    Returns: A level of Python's `logging`, an int.
    """
    return get_logger().getEffectiveLevel()


@export(v1=["logging.set_verbosity"])
def set_verbosity(v: int | str) -> None:
    """Shows messages of level `v` and worse.

    Args: v: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`, or the name of a level.
    """
    get_logger().setLevel(v)


@export(v1=["logging.flush"])
def flush() -> None:
    """Writes out all messages that are buffered.

    >>> tf.compat.v1.logging.flush()
    """
    for handler in get_logger().handlers:
        handler.flush()


def _count_of_this_call() -> int:
    """Counts how often the line that called our caller has called it, this time included."""
    frame = sys._getframe(2)
    location = frame.f_code.co_filename, frame.f_lineno
    _calls[location] += 1
    return _calls[location]
