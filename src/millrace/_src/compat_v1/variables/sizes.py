"""The sizes of a shape that must be known: initializers and partitioners compute with the sizes."""

from __future__ import annotations

from millrace._src.core.shapes import TensorShape


def known_sizes(shape: TensorShape) -> list[int]:
    """Returns the sizes of a shape.

    Raises: ValueError: if they are not all known.
    """
    if not shape.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {shape}")
    return [size for size in shape.as_list() if size is not None]
