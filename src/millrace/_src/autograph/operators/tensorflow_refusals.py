"""Refusing what TensorFlow refuses, for users who ask for it.

Millrace takes many forms that TensorFlow's AutoGraph refuses. A program that must run on both asks for TensorFlow's
refusals with `tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.TENSORFLOW_REFUSALS)`; each
form then raises TensorFlow's exception, with TensorFlow's leading words.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_USAGE = (
    " You can attempt the following resolutions to the problem: write it with TensorFlow's own functions, or leave out "
    "Feature.TENSORFLOW_REFUSALS, since Millrace takes this form."
)
AS_BOOL = "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed."
ITERATED = "Iterating over a symbolic `tf.Tensor` is not allowed."
STARTED_AS_PYTHON = (
    "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because "
    "variables changed type, or when a break or return statement inside the loop depends on a Tensor condition. In "
    "both cases, changing to a TF loop should remove the error."
)
PYTHON_FOR = (
    "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend "
    "to make it a TF loop?"
)


class _Strictness(threading.local):
    on = False


_strictness = _Strictness()


@contextlib.contextmanager
def refusing_as_tensorflow(on: bool) -> Iterator[None]:
    """Says, for the functions traced in the `with` block, whether forms that TensorFlow refuses are refused."""
    before, _strictness.on = _strictness.on, on
    try:
        yield
    finally:
        _strictness.on = before


def is_strict() -> bool:
    """Returns whether forms that TensorFlow refuses are refused."""
    return _strictness.on


def refuse_if_strict(error: type[Exception], message: str) -> None:
    """Raises `error` where the graph runs a form that TensorFlow refuses, if the user asked for its refusals."""
    if _strictness.on:
        raise error(message + _USAGE)
