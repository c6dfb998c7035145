"""The function of `tensorflow.python.tools.inspect_checkpoint`, which prints tensors of a checkpoint."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

from millrace._src.checkpoint.checkpoint_reader import CheckpointReader
from millrace._src.compat_v1.train.checkpoints import NewCheckpointReader
from millrace._src.core.errors import OpError


def print_tensors_in_checkpoint_file(
    file_name: Any,
    tensor_name: str | None,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints what is in a checkpoint, and how many parameters it has; what cannot be read is printed too, not raised.

    Args:
      file_name: what the names of the checkpoint's files begin with.
      tensor_name: the tensor to print; None or "" for names, dtypes and shapes of all.
      all_tensors: whether the values of all tensors are printed.
      all_tensor_names: whether the names of all tensors are printed, without the values.
      count_exclude_pattern: a regular expression; tensors in whose names it is found do not count as parameters.
    """
    try:
        reader = NewCheckpointReader(file_name)
        _print("".join(_report_lines(reader, tensor_name, all_tensors, all_tensor_names)))
        _print_count(reader, count_exclude_pattern)
    except OpError as error:
        _print(f"{error.message}\n")


def _report_lines(reader: CheckpointReader, name: str | None, with_values: bool, with_names: bool) -> list[str]:
    if with_values or with_names:
        return [_tensor_text(reader, key, with_values) for key in sorted(reader.get_variable_to_shape_map())]
    if not name:
        return [reader.debug_string().decode("utf-8", "ignore"), "\n"]
    if not reader.has_tensor(name):
        raise OpError(None, None, f"Tensor {name} not found in checkpoint", 0)
    return [_tensor_text(reader, name, True)]


def _tensor_text(reader: CheckpointReader, name: str, with_value: bool) -> str:
    shape, dtype = reader.get_variable_to_shape_map()[name], reader.get_variable_to_dtype_map()[name]
    value = f"{reader.get_tensor(name)}\n" if with_value else ""
    return f"tensor: {name} ({dtype.name}) {shape}\n{value}"


def _print_count(reader: CheckpointReader, pattern: str) -> None:
    shapes = reader.get_variable_to_shape_map()
    excluded = [name for name in shapes if pattern and re.search(pattern, name)]
    sizes = {name: math.prod(shape) for name, shape in shapes.items()}
    excluded_size = sum(sizes[name] for name in excluded)
    if pattern:
        _print(f"# Excluding {len(excluded)} tensors ({excluded_size} params) that match {pattern} when counting.\n")
    _print(f"# Total number of params: {sum(sizes.values()) - excluded_size}\n")


def _print(text: str) -> None:
    sys.stdout.write(text)
