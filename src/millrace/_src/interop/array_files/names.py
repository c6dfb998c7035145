"""Names of variables: `layer/kernel/.ATTRIBUTES/VARIABLE_VALUE` in a checkpoint is `layer.kernel` in other files.

A checkpoint names a variable by its path from the root object, and says which attribute of the object the value is.
In a path, `..` denotes a dot in a name and `.S` a slash. Elsewhere dots stand between names, so a dot in a name
is doubled there too; a slash is itself.
"""

from __future__ import annotations

import re

ATTRIBUTE = "VARIABLE_VALUE"
SLOT = ".OPTIMIZER_SLOT"
"""The part of a path between a variable and the optimizer that keeps another variable for it."""

_ENDING = f"/.ATTRIBUTES/{ATTRIBUTE}"
_SINGLE_DOT = re.compile(r"(?<!\.)\.(?!\.)")


def dotted_name(key: str) -> str | None:
    """Returns the name of the variable whose value a checkpoint has under a key; None for what is not a variable's
    value.

    >>> from millrace._src.interop.array_files.names import dotted_name
    >>> dotted_name("layer/kernel/.ATTRIBUTES/VARIABLE_VALUE")
    'layer.kernel'
    """
    path = key.removesuffix(_ENDING)
    return None if path == key else ".".join(part.replace(".S", "/") for part in path.split("/"))


def checkpoint_path(name: str) -> str:
    """Returns the path, in a checkpoint, of the variable that has a name elsewhere.

    >>> from millrace._src.interop.array_files.names import checkpoint_path
    >>> checkpoint_path("layer.kernel")
    'layer/kernel'
    """
    pieces = [_SINGLE_DOT.split(piece) for piece in name.split(f".{SLOT}.")]
    return f"/{SLOT}/".join("/".join(part.replace("/", ".S") for part in parts) for parts in pieces)


def checkpoint_key(path: str) -> str:
    """Returns the key of the value of the variable at a path."""
    return path + _ENDING
