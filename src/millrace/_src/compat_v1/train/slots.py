"""Slots: variables that an optimizer keeps beside each variable that it trains.

Tests: tests/compat_v1/train/test_optimizer.py
"""

from __future__ import annotations

import contextlib
from typing import Any

from millrace._src.compat_v1.variables.get_variable import get_variable
from millrace._src.compat_v1.variables.scope_opening import variable_scope
from millrace._src.core.context import state


def key_of(variable: Any) -> Any:
    """Returns the identity of a variable: in a graph its operation, else its number."""
    return (variable.graph, variable.op.name) if variable._in_graph_mode else variable._unique_id


def new_slot(variable: Any, initializer: Any, name: str, shape: Any = None, dtype: Any = None) -> Any:
    """Makes a slot that is called after its variable and the optimizer: "v/Adam", "v/Adam_1".

    Args:
      variable: The variable.
      initializer: An initializer, or the value.
      name: The optimizer's part of the name.
      shape: The shape, for an initializer.
      dtype: The dtype, for an initializer.
    """
    with variable_scope(None, f"{variable._shared_name}/{name}") as scope:
        scope.set_partitioner(None)
        slot = get_variable("", shape, dtype, initializer, trainable=False, use_resource=True)
    part = variable._get_save_slice_info()
    if part is not None and slot.shape == variable.shape:
        slot_part = type(part)(f"{part.full_name}/{name}", part.full_shape, part.var_offset, part.var_shape)
        slot._set_save_slice_info(slot_part)
    return slot


def colocate(variable: Any) -> Any:
    """Returns a scope whose operations stand beside a variable in its plain graph; elsewhere the scope does nothing."""
    if not variable._in_graph_mode or state.graph is not variable.graph:
        return contextlib.nullcontext()
    return state.graph.colocate_with(variable.op)
