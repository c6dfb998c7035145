"""`tf.summary.scalar` and `tf.summary.text`: a number, or texts, at a step.

Tests: tests/summary/test_writers.py, tests/oracle/programs/v1_summary.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32, string
from millrace._src.ops.debug.static_checks import assert_scalar, assert_type
from millrace._src.ops.math.casting import cast
from millrace._src.summary.plugins import SCALARS, TEXT, metadata_of
from millrace._src.summary.recording import summary_scope, tag_of
from millrace._src.summary.writing import write
from millrace._src.util.export import export

_DEFAULT_NAME = "scalar_summary"


@export("summary.scalar", v1=[])
def scalar(name: Any, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes a number, which TensorBoard draws as a curve over the steps.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     for step in range(3):
    ...         _ = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)

    Args:
      name: the name of the summary; its tag is the name below the name scope in force.
      data: a real scalar, which becomes float32.
      step: the step, an int64 scalar; None for the step that `tf.summary.experimental.set_step` or a writer set.
      description: what the number is about, in Markdown.

    Returns: A scalar bool Tensor: whether the summary was written.
    Raises: ValueError: if `data` is not a scalar, or there is no step.
    """
    metadata = metadata_of(SCALARS, description)
    if state.graph is None and isinstance(name, str):  # as below, without the scopes that eager mode does not show
        number = convert_to_tensor(data)
        assert_scalar(number)
        return write(tag_of(name or _DEFAULT_NAME), cast(number, float32), step, metadata)
    with summary_scope(name, _DEFAULT_NAME, values=[data, step]) as (tag, _):
        assert_scalar(data)
        return write(tag, cast(data, float32), step, metadata)


@export("summary.text", v1=[])
def text(name: Any, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes text in Markdown, which TensorBoard shows.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
    ...     tf.summary.text("settings", "the *learning rate* is 0.1").numpy()
    np.True_

    Args:
      name: the name of the summary; its tag is the name below the name scope in force.
      data: a string Tensor of any shape; a matrix is shown as a table.
      step: the step, as in `tf.summary.scalar`.
      description: what the text is about, in Markdown.

    Returns: A scalar bool Tensor: whether the summary was written.
    Raises: TypeError: if `data` is not text; ValueError: if there is no step.
    """
    with summary_scope(name, "text_summary", values=[data, step]) as (tag, _):
        assert_type(data, string)
        return write(tag, data, step, metadata_of(TEXT, description))
