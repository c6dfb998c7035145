"""`tf.compat.v1.Print`: an identity that prints other tensors to standard error when the operation runs.

Printing may stop after `first_n` times; each operation of a compiled graph counts for itself.

Tests: tests/compat_v1/debugging/test_printing.py
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, op
from millrace._src.core.tensor import Tensor
from millrace._src.ops.debug.assertion import summarize_value
from millrace._src.ops.debug.printing import write_bytes
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.ops.type_sets import ANY, TypeList


@op(
    "Print",
    "input: T, data: U -> output: T",
    T=ANY,
    U=TypeList(ANY),
    shape=same_shape,
    effects=Effects.IO,
    host_only=True,
)
def print_op(
    xp: Xp,
    input: Array,
    data: list[Array],
    *,
    U: list[DType],
    message: str = "",
    first_n: int = -1,
    summarize: int = 3,
) -> Array:
    """Returns `input` and prints a message with a summary of `data`."""
    shown_data = "".join(f"[{summarize_value(a, summarize, t)}]" for a, t in zip(data, U, strict=True))
    write_bytes(sys.stderr, attr_bytes(f"{message}{shown_data}\n"))
    return input


@print_op.specialize
def _specialize_print(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Array]:
    """Makes a kernel that counts how often it ran."""
    first_n = attrs["first_n"]
    count = itertools.count()
    options = {"U": dtypes[1:], "message": attrs["message"], "summarize": attrs["summarize"]}

    def counted(input: Array, *data: Array) -> Array:
        if first_n < 0 or next(count) < first_n:
            print_op.op_def.kernel(xp, input, data, **options)
        return input

    return counted


@print_op.gradient(accepts_slices=True)
def print_gradient(doutput: Tensor) -> tuple[Tensor, None]:
    return doutput, None
