"""The registry: every op by its name, complete and yet lazy.

A loaded graph may name any op, but importing the homes of all ops takes long. So
`get_op` imports the module that declares an op when the op is first asked for;
`core/op_homes.py`, generated from the sources, says which module that is.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from millrace._src.core.op_def import OpDef

_REGISTRY: dict[str, OpDef] = {}


def register(op_def: OpDef) -> OpDef:
    """Adds an op to the registry; a second op of the same name is an error."""
    if op_def.name in _REGISTRY:
        raise ValueError(f"Op '{op_def.name}' is declared twice: {_REGISTRY[op_def.name].kernel} and {op_def.kernel}.")
    _REGISTRY[op_def.name] = op_def
    return op_def


def get_op(name: str) -> OpDef:
    """Returns the op called `name`; imports the op's home module on a miss.

    Raises: KeyError: if no such op exists.
    """
    op_def = _REGISTRY.get(name)
    if op_def is None:
        from millrace._src.core.op_homes import OP_HOMES  # generated; read only on a miss to keep start-up short

        home = OP_HOMES.get(name)
        if home is None:
            raise KeyError(f"Millrace has no op named '{name}'.")
        importlib.import_module(home)
        op_def = _REGISTRY[name]
    return op_def


def all_op_names() -> list[str]:
    """Returns the names of all ops, sorted, without importing their homes."""
    from millrace._src.core.op_homes import OP_HOMES  # generated; see get_op

    return sorted({*OP_HOMES, *_REGISTRY})
