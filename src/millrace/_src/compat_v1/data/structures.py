"""The structure of the elements of a dataset or iterator, as nests of dtypes, shapes and classes.

Tests: tests/data/test_legacy_structure.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.data.legacy_structure import legacy_classes, legacy_shapes, legacy_types
from millrace._src.data.serialized_graphs import get_structure
from millrace._src.util.export import export


@export(v1=["data.get_output_types"])
def get_output_types(dataset_or_iterator: object) -> Any:
    """Returns the dtypes of the elements of a dataset or an iterator.

    Args: dataset_or_iterator: a `tf.data.Dataset` or `tf.data.Iterator`.
    Returns: A nest of dtypes.
    Raises: TypeError: if it is something else.
    """
    return legacy_types(get_structure(dataset_or_iterator))


@export(v1=["data.get_output_shapes"])
def get_output_shapes(dataset_or_iterator: object) -> Any:
    """Returns the static shapes of the elements of a dataset or an iterator.

    Args: dataset_or_iterator: a `tf.data.Dataset` or `tf.data.Iterator`.
    Returns: A nest of shapes.
    Raises: TypeError: if it is something else.
    """
    return legacy_shapes(get_structure(dataset_or_iterator))


@export(v1=["data.get_output_classes"])
def get_output_classes(dataset_or_iterator: object) -> Any:
    """Returns the classes of the elements of a dataset or an iterator.

    Args: dataset_or_iterator: a `tf.data.Dataset` or `tf.data.Iterator`.
    Returns: A nest of classes.
    Raises: TypeError: if it is something else.
    """
    return legacy_classes(get_structure(dataset_or_iterator))
