"""`tf.compat.v1.Print`: an identity that prints other tensors when the operation runs."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.debug.print_op import print_op
from millrace._src.util.export import export


@export(v1=["Print"])
def print_v1(
    input_: TensorLike,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns `input_` and prints tensors when the operation runs; `tf.print` is newer.

    >>> int(tf.compat.v1.Print(tf.constant(1), [tf.constant([1, 2])], message="data: "))
    1

    Args:
      input_: a Tensor.
      data: a list of Tensors to print.
      message: text to print before the tensors.
      first_n: how many times to print; None for always.
      summarize: how many elements of each to print; None for 3.
      name: name of the operation in a graph.

    Returns: A Tensor like `input_`.
    """
    return print_op(
        input_,
        list(data),
        message="" if message is None else message,
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )
