"""Examples as JSON: `tf.io.decode_json_example`."""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.ops.batching_rules import as_it_is
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.text_bytes import map_strings
from millrace._src.util.export import export


@op(
    "DecodeJSONExample",
    "json_examples: string -> binary_examples: string",
    shape=same_shape,
    host_only=True,
    batching=as_it_is,
    exact_on_rows=True,
    not_differentiable="text has no gradient",
)
def decode_json_example_op(xp: Xp, json_examples: Array) -> Array:
    """Turns every Example in JSON into a serialized one."""
    return map_strings(_serialize, json_examples)


def _serialize(text: bytes) -> bytes:
    from google.protobuf import json_format  # protobuf loads only when a proto is asked for

    from millrace._src.proto.example_pb2 import Example  # protobuf loads only when a proto is asked for

    if not text.lstrip().startswith(b"{"):  # protobuf takes an empty list for an empty message
        raise errors.InvalidArgumentError(None, None, f"Error while parsing JSON: {text!r} is not an object")
    try:
        proto = json_format.Parse(text, Example())
    except (json_format.ParseError, UnicodeDecodeError) as error:
        raise errors.InvalidArgumentError(None, None, f"Error while parsing JSON: {error}") from None
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


@export("io.decode_json_example", v1=["io.decode_json_example", "decode_json_example"])
def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Any:
    """Turns Examples in protobuf's JSON form into serialized ones, as `tf.io.parse_example` takes them.

    >>> text = '{"features": {"feature": {"age": {"int64List": {"value": [31]}}}}}'
    >>> tf.io.decode_json_example(text).numpy()
    b'\\n\\x0e\\n\\x0c\\n\\x03age\\x12\\x05\\x1a\\x03\\n\\x01\\x1f'

    Args:
      json_examples: a string Tensor, an Example in JSON in each element.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if an element is not an Example in JSON.
    """
    return decode_json_example_op(json_examples, name=name)
