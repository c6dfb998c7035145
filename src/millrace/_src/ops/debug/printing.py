"""`tf.print`: values as text on standard error, the same in eager mode and in every call of a graph.

Two ops print: `StringFormat` turns tensors into text, `PrintV2` writes the text. While tracing, Python values become
part of the template and each tensor a placeholder in the template. Structures keep the look of Python's `pprint`, with
placeholders for leaves.
"""

from __future__ import annotations

import itertools
import pprint
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.ops.strings.formatting import format_template
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.util import nest
from millrace._src.util.export import export, public_name
from millrace._src.util.logger import get_logger
from millrace._src.util.text import shape_brackets

_LEVELS = ("info", "warning", "error")
_STREAMS = ("stdout", "stderr", *(f"log({level})" for level in _LEVELS))
_LOGGING = {
    "compat.v1.logging.info": "log(info)",
    "compat.v1.logging.warn": "log(warning)",
    "compat.v1.logging.warning": "log(warning)",
    "compat.v1.logging.error": "log(error)",
}
_FILE = "file://"
_DIGITS = "94580"


def _print_shape(c: ShapeContext) -> Sequence[TensorShape]:
    shape = c.shape("input")
    if shape.rank not in (0, None):
        raise ValueError(f"Shape must be rank 0 but is rank {shape.rank}")
    return no_outputs(c)


def _print_capabilities(c: ShapeContext) -> Capability:
    return Capability.WRITES_FILES if c.attr("output_stream").startswith(_FILE) else Capability.NOTHING


@op(
    "PrintV2",
    "input: string -> ",
    shape=_print_shape,
    capabilities=_print_capabilities,
    effects=Effects.IO,
    host_only=True,
    not_differentiable="it has no outputs",
)
def print_v2(xp: Xp, input: Array, *, output_stream: str = "stderr", end: str = "\n") -> None:
    """Writes a scalar string and `end` to a stream, the log, or the end of a file."""
    if input.ndim:
        raise errors.InvalidArgumentError(
            None, None, f"Input is expected to be scalar, but got {shape_brackets(input.shape)}"
        )
    text = input.item() + attr_bytes(end)
    if output_stream.startswith(_FILE):
        _append(output_stream[len(_FILE) :], text)
    elif output_stream in ("stdout", "stderr"):
        write_bytes(getattr(sys, output_stream), text)
    elif output_stream in _STREAMS:
        getattr(get_logger(), output_stream[4:-1])("%s", text.decode("utf-8", "backslashreplace").removesuffix("\n"))
    else:
        raise errors.InvalidArgumentError(
            None, None, f"Unknown output stream: {output_stream}, Valid streams are: {' '.join(_STREAMS)}"
        )


def write_bytes(stream: Any, text: bytes) -> None:
    """Writes bytes to one of Python's own streams, after what the program printed there before."""
    if stream is None:
        return
    stream.flush()
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text.decode("utf-8", "replace"))
    else:
        buffer.write(text)
    stream.flush()


def _append(path: str, text: bytes) -> None:
    try:
        with open(path, "ab") as file:
            file.write(text)
    except OSError as error:
        kind: Any = errors.NotFoundError if isinstance(error, FileNotFoundError) else errors.FailedPreconditionError
        if isinstance(error, PermissionError):
            kind = errors.PermissionDeniedError
        raise kind(None, None, f"{path}; {error.strerror}") from None


# --- the public function -------------------------------------------------------------------------------------------


@export("print")
def print_tensors(*inputs: Any, **kwargs: Any) -> Any:
    """Prints tensors and other values, each time the program gets here: also in every call of a `tf.function`.

    >>> import sys
    >>> tf.print("x is", tf.range(10), {"y": tf.constant(2.5)}, output_stream=sys.stdout)
    x is [0 1 2 ... 7 8 9] {'y': 2.5}

    Args:
      *inputs: tensors, Python values, and structures of both.
      **kwargs: `output_stream`: sys.stderr (the default), sys.stdout, a function of `tf.compat.v1.logging`, or
        "file://<path>"; `summarize`: how many elements to show at either end of each dimension (3), -1 shows all;
        `sep`: text between inputs (" "); `end`: text after the last (a new line); `name`: name of the operation.

    Returns: None in eager mode; the operation in a graph.
    Raises: ValueError: if the stream or a keyword is unknown.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = _stream_name(stream)
    text = _format(inputs, sep, 3 if summarize is None else summarize, f"{name}_format" if name else None)
    return print_v2(text, output_stream=target, end="\n" if end is None else end, name=name)


def _stream_name(stream: object) -> str:
    """Returns the `output_stream` attribute for the stream that the user named."""
    for name in ("stdout", "stderr"):
        if stream is getattr(sys, name) or stream is getattr(sys, f"__{name}__"):
            return name
    if isinstance(stream, str) and stream.startswith(_FILE):
        return stream
    log_stream = _LOGGING.get(public_name(stream) or "") if callable(stream) else None
    if log_stream is None:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, "
            "sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
        )
    return log_stream


class _Slot:
    """Stands for a tensor inside a structure that is being formatted: two characters, as wide as `{}`."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __repr__(self) -> str:
        return chr(0xF0000 + self._index // 4096) + chr(0x100000 + self._index % 4096)


class _SparseText(NamedTuple):
    """Stands for a sparse tensor inside a structure that is being formatted."""

    indices: _Slot
    values: _Slot
    shape: _Slot

    def __repr__(self) -> str:
        return f"'SparseTensor(indices={self.indices}, values={self.values}, shape={self.shape})'"


_SLOT = re.compile("([\U000f0000-\U000f0fff])([\U00100000-\U00100fff])")  # private-use characters


def _is_tensor(value: object) -> bool:
    """Returns whether a value is a tensor or represents a tensor, as a variable does."""
    if isinstance(value, (Tensor, RaggedTensor)):
        return True
    return hasattr(type(value), "__tf_tensor__") and hasattr(value, "dtype")


def _format(inputs: Sequence[Any], sep: str, summarize: int, name: str | None) -> Any:
    """Returns the text of all inputs as a scalar string tensor."""
    if len(inputs) == 1 and _is_tensor(inputs[0]) and inputs[0].dtype.name == "string" and inputs[0].shape.rank == 0:
        return inputs[0]
    tensors: list[Any] = []
    text = sep.join([_text(value, tensors) for value in inputs])
    placeholder = _choose_placeholder(_SLOT.sub("\0", text))
    ordered_tensors: list[Any] = []

    def fill(match: re.Match[str]) -> str:
        ordered_tensors.append(tensors[(ord(match[1]) - 0xF0000) * 4096 + ord(match[2]) - 0x100000])
        return placeholder

    template = _SLOT.sub(fill, text)
    return format_template(template, ordered_tensors, placeholder=placeholder, summarize=summarize, name=name)


def _text(value: Any, tensors: list[Any]) -> str:
    """Returns an input as text with a slot for each tensor; appends the input's tensors to `tensors`."""

    def slot(tensor: object) -> _Slot:
        tensors.append(tensor)
        return _Slot(len(tensors) - 1)

    def shown(leaf: object) -> Any:
        if isinstance(leaf, SparseTensor):
            return _SparseText(*(slot(part) for part in (leaf.indices, leaf.values, leaf.dense_shape)))
        return slot(leaf) if _is_tensor(leaf) else leaf

    if isinstance(value, str):
        return value
    return pprint.pformat(nest.map_structure(shown, value))


def _choose_placeholder(text: str) -> str:
    """Returns `{}`, followed by as many digits as make the placeholder differ from everything in the text."""
    placeholder = "{}"
    digits = itertools.cycle(_DIGITS)
    while placeholder in text:
        placeholder += next(digits)
    return placeholder
