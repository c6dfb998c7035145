"""Where summaries go in this thread, with which step, and whether they are recorded at all.

A writer in force, a step and a condition belong to a thread, as does what is being traced: a function that is traced
captures them. What is called again later goes where it went when it was traced.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import Iterator
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool as boolean
from millrace._src.ops import raw
from millrace._src.util.export import export


class _Recording(threading.local):
    """The writer, step and condition of a thread; the class attributes are those of a new thread."""

    writer: Any = None
    step: Any = None
    condition: Any = True


recording = _Recording()


@functools.cache  # finite: two values
def eager_bool(value: bool) -> Any:
    """Returns an eager scalar, which all calls share."""
    return convert_to_tensor(value, boolean)


def constant_bool(value: bool) -> Any:
    """Returns a scalar: a constant of the graph that is being built, or an eager tensor."""
    return eager_bool(value) if state.graph is None else convert_to_tensor(value, boolean)


@export("summary.record_if", v1=[])
@contextlib.contextmanager
def record_if(condition: TensorLike) -> Iterator[None]:
    """Records summaries within the scope only where a condition holds.

    >>> import tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default(step=1), tf.summary.record_if(False):
    ...     tf.summary.scalar("loss", 0.5).numpy()
    np.False_

    Args:
      condition: a bool, a scalar bool Tensor, or a function without arguments that returns one of these, which is
        called for each summary.
    """
    outer, recording.condition = recording.condition, condition
    try:
        yield
    finally:
        recording.condition = outer


@export("summary.should_record_summaries", v1=[])
def should_record_summaries() -> Any:
    """Returns whether a summary would be recorded here: whether there is a writer, and the condition of `record_if`.

    >>> tf.summary.should_record_summaries().numpy()
    np.False_

    Returns: A scalar bool Tensor.
    Raises: TypeError: if the condition is not a bool.
    """
    condition = recording.condition
    if recording.writer is None or condition is False:
        return constant_bool(False)
    if callable(condition):
        condition = condition()
    if state.graph is None and (condition is None or condition is True):
        return eager_bool(True)
    return raw.LogicalAnd(x=True, y=True if condition is None else condition)


@export("summary.experimental.get_step", v1=[])
def get_step() -> Any:
    """Returns the step of summaries that state none; None where none was set in this thread.

    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)
    """
    return recording.step


@export("summary.experimental.set_step", v1=[])
def set_step(step: TensorLike) -> None:
    """Sets the step of summaries that state none, in this thread.

    Inside of a `tf.function`, give a `tf.Variable`: a Python number would stay as it was when the function was traced.

    >>> tf.summary.experimental.set_step(tf.Variable(7, dtype=tf.int64))
    >>> tf.summary.experimental.get_step().numpy()
    np.int64(7)
    >>> tf.summary.experimental.set_step(None)

    Args: step: an integer, an int64 scalar, a `tf.Variable` of int64, or None for none.
    """
    recording.step = step


_NOT_IN_NAMES = re.compile(r"[^-/\w.]", re.ASCII)


@export("summary.experimental.summary_scope", v1=[])
@contextlib.contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: TensorLike | None = None
) -> Iterator[tuple[str, str]]:
    """Enters a name scope for the ops of a summary, and gives the tag of the summary.

    >>> with tf.name_scope("train"), tf.summary.experimental.summary_scope("my loss") as (tag, scope):
    ...     tag, scope
    ('train/my loss', 'train/myloss/')

    Args:
      name: the name of the summary.
      default_name: the name where `name` is empty or None.
      values: not used; TensorFlow's earlier releases looked for a graph here.

    Yields: The tag, which is the name below the scope around, and the name of the scope entered.
    Raises: TypeError: if the name is not text.
    """
    del values
    name = name or default_name
    tag = tag_of(name)
    with name_scope(scope_name(name) or default_name) as scope:
        yield tag, scope


def scope_name(name: str) -> str:
    """Returns a name of a summary without what a name of an operation may not have."""
    return _NOT_IN_NAMES.sub("", name)


def tag_of(name: str) -> str:
    """Returns the tag of a summary: its name below the name scope in force."""
    scope = state.eager_scope.rstrip("/") if state.graph is None else state.graph.get_name_scope()
    return f"{scope}/{name}" if scope else name
