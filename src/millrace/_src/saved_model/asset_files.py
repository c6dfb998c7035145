"""The files that a SavedModel takes along, in its folder `assets`."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Any


def add_assets(meta_graph: Any, assets: Sequence[tuple[int, Any, Any]]) -> dict[str, str]:
    """States the files in a message; returns the name of each copy with the name of the original.

    Args:
      meta_graph: the message.
      assets: the number, the `Asset` and the placeholder of the name, of each asset.
    """
    copies: dict[str, str] = {}
    names: dict[str, str] = {}
    for _, asset, path in assets:
        original = asset.asset_path.numpy().decode("utf-8", "surrogateescape")
        if original not in names:
            names[original] = _free_name(posixpath.basename(original), copies)
            copies[names[original]] = original
        message = meta_graph.asset_file_def.add(filename=names[original])
        message.tensor_info.name = path.name
    return copies


def _free_name(name: str, taken: dict[str, str]) -> str:
    """Returns the name, with a number behind it if another file has the name."""
    free, number = name, 0
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
