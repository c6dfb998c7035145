"""`tf.debugging.experimental`: dumps for TensorFlow's debugger, which Millrace does not write.

The files of the debugger (tfdbg2) hold each op, each graph before and after it was instrumented, and summaries of
tensors. Graphs are not instrumented here: watchers see what runs. So the arguments are checked as in TensorFlow, and
then an error names what serves the same ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core import errors
from millrace._src.util.export import export

_MODES = (
    "UNSPECIFIED",
    "NO_TENSOR",
    "CURT_HEALTH",
    "CONCISE_HEALTH",
    "FULL_HEALTH",
    "SHAPE",
    "FULL_NUMERICS",
    "FULL_TENSOR",
    "REDUCE_INF_NAN_THREE_SLOTS",
)


@export("debugging.experimental.enable_dump_debug_info")
def enable_dump_debug_info(
    dump_root: str,
    tensor_debug_mode: str = "NO_TENSOR",
    circular_buffer_size: int = 1000,
    op_regex: str | None = None,
    tensor_dtypes: Sequence[Any] | Callable[[Any], bool] | None = None,
) -> Any:
    """Refuses to write dumps for TensorFlow's debugger.

    >>> tf.debugging.experimental.enable_dump_debug_info("dumps")
    Traceback (most recent call last):
    ...
    millrace...UnimplementedError: Dumps for TensorFlow's debugger are not written. ...

    Args:
      dump_root: the folder of the dumps.
      tensor_debug_mode: what is told of each tensor.
      circular_buffer_size: how many events are kept.
      op_regex: which ops are looked at.
      tensor_dtypes: which tensors are looked at.

    Raises:
      ValueError: if an argument is wrong.
      tf.errors.UnimplementedError: else.
    """
    if not dump_root:
        raise ValueError("Empty or None dump root")
    if tensor_debug_mode not in _MODES:
        raise ValueError(
            f"Invalid value in tensor_debug_mode ({tensor_debug_mode!r}). Valid options are: {list(_MODES)}"
        )
    if tensor_dtypes is not None and not (isinstance(tensor_dtypes, (list, tuple)) or callable(tensor_dtypes)):
        raise ValueError(
            "If specified, tensor_dtypes is expected to be a list, a tuple, or a callable that takes a DType argument "
            f"and returns a boolean, but received {tensor_dtypes}"
        )
    raise errors.UnimplementedError(
        None,
        None,
        "Dumps for TensorFlow's debugger are not written. tf.debugging.enable_check_numerics finds the first NaN, "
        "tf.profiler.experimental.start notes each op with its line, and functions stop at breakpoints with "
        "tf.config.run_functions_eagerly(True).",
    )


@export("debugging.experimental.disable_dump_debug_info")
def disable_dump_debug_info() -> None:
    """Does nothing: no dumps are written.

    >>> tf.debugging.experimental.disable_dump_debug_info()
    """
