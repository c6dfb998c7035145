"""What the string functions that are not element-wise do with ragged tensors: `join`, `format` and `reduce_join`."""

from __future__ import annotations

from typing import Any

from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.ragged.display import display_text
from millrace._src.ops.ragged.flat_values import map_flat_values
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.strings.formatting import format_template
from millrace._src.ops.strings.joining import join


@overload("strings.join", RaggedTensor)
def ragged_join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Joins strings of ragged tensors of one shape element by element; a scalar goes with every element."""
    return map_flat_values(lambda parts: join(parts, separator, name), list(inputs))


@overload("strings.format", RaggedTensor)
def ragged_format(
    template: Any, inputs: object, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Any:
    """Formats a string template with the texts of ragged tensors, and the values of others."""
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(given):
        raise ValueError(f"num placeholders in template and num inputs must match: {count} vs {len(given)}")
    pieces = template.split(placeholder)
    texts = [
        display_text(value, summarize)
        if isinstance(value, RaggedTensor)
        else format_template("{}", [value], "{}", summarize)
        for value in given
    ]
    between = zip(texts, pieces[1:], strict=True)
    return raw.StringJoin(inputs=[pieces[0], *(part for pair in between for part in pair)], name=name)
