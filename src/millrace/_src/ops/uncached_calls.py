"""Eager calls that leave no trace in the caches of bound kernels.

`execute` remembers a kernel for each combination of attributes. That is right for `axis=1`, and wrong where the
attribute is a Python function or a text made for one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.context import eager_engine, state
from millrace._src.core.dispatch import convert_inputs, kernel_error, record, wrap_outputs
from millrace._src.core.op_def import OpDef


def call_eagerly(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Any]:
    """Carries out one op in eager mode; returns the outputs as a flat list of tensors.

    Args:
      op: the op.
      inputs: one value per input of the signature; a list where the input is a list.
      attrs: attributes by name.
    """
    complete = op.normalize_attrs(attrs)
    flat = convert_inputs(op, inputs, complete, None)
    kernel = eager_engine().bind(op, tuple(t.dtype for t in flat), complete)
    try:
        result = kernel(*[t._value for t in flat])
    except Exception as error:
        raise kernel_error(op, flat, complete, error) from None
    outputs = wrap_outputs(op, result, op.signature.output_dtypes(complete))
    if state.tapes and outputs:
        record(op, flat, outputs, complete)
    return outputs
