"""`name_scope` of `tensorflow.python.framework.ops`: neither that of TensorFlow 1 nor that of TensorFlow 2.

Libraries call it with a default name and values, and rely on its doing nothing in eager mode.

Tests: tests/interop/test_private_paths.py
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

from millrace._src.compat_v1 import scopes
from millrace._src.core.context import executing_eagerly


def name_scope(
    name: Any, default_name: Any = None, values: Any = None, skip_on_eager: bool = True
) -> AbstractContextManager[str | None]:
    """Returns a scope that prefixes the names of the operations made within, in the graph of given tensors.

    Args:
      name: the prefix; one that ends in "/" re-enters an existing scope.
      default_name: the prefix where `name` is None.
      values: the tensors that the operations will use; their graph is entered.
      skip_on_eager: whether nothing happens in eager mode.

    Returns: A context manager that gives the prefix, or None in eager mode.
    """
    if skip_on_eager and executing_eagerly():
        return contextlib.nullcontext()
    return scopes.name_scope(name, default_name, values)
