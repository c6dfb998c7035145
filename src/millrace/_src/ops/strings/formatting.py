"""`tf.strings.format` and the op `StringFormat`: tensors as text, inside a template.

`tf.print` is StringFormat followed by an op that writes, so the text that `tf.print` writes in a graph is decided here.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util.export import export
from millrace._src.util.text import format_summarized


@op(
    "StringFormat",
    "inputs: T -> output: string",
    T=TypeList(ANY),
    shape=scalar,
    host_only=True,
    cacheable=False,
    not_differentiable="text has no gradient",
)
def string_format(
    xp: Xp, inputs: list[Array], *, T: list[DType], template: str = "%s", placeholder: str = "%s", summarize: int = 3
) -> bytes:
    """Replaces each `placeholder` in `template` by the text of the next input."""
    pieces = template.split(placeholder) if placeholder else [template]
    if len(pieces) != len(inputs) + 1:
        raise errors.InvalidArgumentError(
            None, None, f"num placeholders in template and num inputs must match: {len(pieces) - 1} vs. {len(inputs)}"
        )
    parts = [pieces[0]]
    for array, dtype, piece in zip(inputs, T, pieces[1:], strict=True):
        parts += [format_summarized(array, summarize, dtype), piece]
    return attr_bytes("".join(parts))


@export("strings.format")
def format_template(
    template: Any, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Any:
    """Formats a string template with the values of tensors.

    >>> tf.strings.format("first {}, second {}", (tf.constant(1), tf.constant([2.5, 3.0])))
    <tf.Tensor: shape=(), dtype=string, numpy=b'first 1, second [2.5 3]'>

    Args:
      template: the text, a Python string.
      inputs: a Tensor, or a list of as many tensors as the template has placeholders.
      placeholder: what marks a tensor in the template.
      summarize: how many elements to show at either end of each dimension; -1 shows all.
      name: name of the operation in a graph.

    Returns: A scalar string Tensor.
    Raises: ValueError: if there are more or fewer placeholders than inputs.
    """
    is_one = isinstance(inputs, (Tensor, CompositeTensor))
    if is_one or hasattr(type(inputs), "__tf_tensor__") and hasattr(inputs, "dtype"):
        inputs = [inputs]
    expected_count = template.count(placeholder)
    if expected_count != len(inputs):
        raise ValueError(
            f"The template expects {expected_count} tensors, but the inputs only has {len(inputs)}. Please ensure the "
            "number of placeholders in template matches inputs length."
        )
    return string_format(list(inputs), name=name, template=template, placeholder=placeholder, summarize=summarize)
