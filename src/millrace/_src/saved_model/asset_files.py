"""The files that a SavedModel takes along, in its folder `assets`."""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.ops.io.file_systems import content_of


def add_assets(meta_graph: Any, assets: Sequence[tuple[int, Any, Any]]) -> dict[str, str]:
    """States the files in a message; returns the name of each copy with the name of the original.

    Args:
      meta_graph: the message.
      assets: the number, the `Asset` and the placeholder of the name, of each asset.
    """
    copies: dict[str, str] = {}
    for _, asset, path in assets:
        original = asset.asset_path.numpy().decode("utf-8", "surrogateescape")
        name = name_of_copy(original, copies)
        copies[name] = original
        message = meta_graph.asset_file_def.add(filename=name)
        message.tensor_info.name = path.name
    return copies


def name_of_copy(original: str, copies: Mapping[str, str]) -> str:
    """Returns the name of a file's copy: its own, with a number where another file has the name."""
    name = posixpath.basename(original)
    if name not in copies or _is_same(copies[name], original):
        return name
    return next(free for free in (f"{name}_{number}" for number in itertools.count(1)) if free not in copies)


def _is_same(first: str, second: str) -> bool:
    """Returns whether two files have the same name or content."""
    return first == second or content_of(first) == content_of(second)
