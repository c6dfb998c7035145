"""Zeros instead of a missing value, or of a value of another graph.

A loop needs a first value of every variable it carries, and a branch a value for each output of the other branch. Where
there is none, only the dtype and shape of the value are read; zeros have both.

Tests: tests/autograph/operators/test_if_statements.py, tests/autograph/test_corpus.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor


def zeros_like(tensor: Any) -> Any:
    """Returns zeros of the dtype and, as far as it is known, the shape of a tensor."""
    dims = [1 if d is None else d for d in tensor.shape.as_list()] if tensor.shape.rank is not None else []
    if tensor.dtype.name == "string":
        return convert_to_tensor(np.full(dims, b"", object), tensor.dtype)
    return convert_to_tensor(np.zeros(dims, tensor.dtype.np_dtype), tensor.dtype)
