"""Functions of TensorFlow 1 that parse records: lines of values, and examples.

Tests: tests/oracle/programs/io_examples.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.io.comma_separated import decode_csv
from millrace._src.ops.io.parsing import parse_example, parse_single_example
from millrace._src.util.export import export

decode_csv_v1 = export(v1=["io.decode_csv", "decode_csv"])(
    v1_wrapper(
        "io.decode_csv",
        decode_csv,
        "records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='', select_cols=None",
        """
    >>> [column.numpy() for column in tf.compat.v1.decode_csv("1,2.5", [[0], [0.0]])]
    [np.int32(1), np.float32(2.5)]
    """,
    )
)


@export(v1=["io.parse_example", "parse_example"])
def parse_example_v1(
    serialized: TensorLike,
    features: Mapping[Any, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> Any:
    """Reads Examples as `tf.io.parse_example` does; the last two arguments are swapped.

    Args:
      serialized: a vector of serialized Examples, or a single one, a string Tensor.
      features: what to read, as for `tf.io.parse_example`.
      name: name of the scope in a graph.
      example_names: a name for each Example, for messages.

    Returns: A dictionary from names to tensors.
    Raises: ValueError or tf.errors.InvalidArgumentError, as `tf.io.parse_example`.
    """
    return parse_example(serialized, features, example_names, name)


@export(v1=["io.parse_single_example", "parse_single_example"])
def parse_single_example_v1(
    serialized: TensorLike,
    features: Mapping[Any, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> Any:
    """Reads one Example as `tf.io.parse_single_example` does; the last two arguments are swapped.

    Args:
      serialized: a serialized Example, a scalar string Tensor.
      features: what to read, as for `tf.io.parse_example`.
      name: name of the scope in a graph.
      example_names: a name for the Example, for messages.

    Returns: A dictionary from names to tensors.
    Raises: ValueError or tf.errors.InvalidArgumentError, as `tf.io.parse_example`.
    """
    return parse_single_example(serialized, features, example_names, name)
