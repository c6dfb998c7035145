"""Recurrent networks written out step by step: `static_rnn` and its kin.

Tests: tests/oracle/programs/v1_recurrent.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.nn import recurrent_cells as cells
from millrace._src.compat_v1.variables.scope_opening import variable_scope
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat, stack
from millrace._src.ops.array.reversing import reverse_sequence
from millrace._src.ops.array.splitting import unstack
from millrace._src.util import nest
from millrace._src.util.export import export


def _require_steps(inputs: object) -> None:
    if not isinstance(inputs, Sequence):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")


@export(v1=["nn.static_rnn"])
def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: object = None,
    dtype: Any = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, one for each time.

    Args:
      cell: A cell; see `tf.compat.v1.nn.dynamic_rnn`.
      inputs: A list of tensors `[batch, ...]`, or of nested structures of such.
      initial_state: The state at the beginning; the cell's if None.
      dtype: The dtype of states and outputs; needed without `initial_state`.
      sequence_length: The lengths of the sequences, integers `[batch]`; outputs beyond are zeros, states stay.
      scope: The variable scope, "rnn" if None.

    Returns: The list of outputs, and the last state.
    Raises:
      TypeError: if `cell` is not a cell or `inputs` not a list.
      ValueError: if there are no inputs, or neither a state nor a dtype.
    """
    cells.require_cell("cell", cell)
    _require_steps(inputs)
    outputs = []
    with variable_scope(scope or "rnn") as variables:
        inputs = [nest.map_structure(convert_to_tensor, step) for step in inputs]
        batch_size = cells.batch_size_of(inputs[0], 0)
        state = cells.first_state(cell, initial_state, batch_size, dtype)
        lengths = cells.sequence_lengths(sequence_length)
        zero = None if lengths is None else cells.zero_outputs(cell, batch_size, cells.dtype_of_state(dtype, state))
        for time, step in enumerate(inputs):
            if time > 0:
                variables.reuse_variables()
            output, new_state = cell(step, state)
            if lengths is not None:
                is_over = raw.GreaterEqual(x=time, y=lengths)
                output = cells.keep_where(is_over, zero, output)
                new_state = cells.keep_where(is_over, state, new_state)
            outputs.append(output)
            state = new_state
    return outputs, state


@export(v1=["nn.static_state_saving_rnn"])
def static_state_saving_rnn(
    cell: Any,
    inputs: TensorLike,
    state_saver: Any,
    state_name: object,
    sequence_length: TensorLike | None = None,
    scope: object = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, from a state that is kept from one run to the next.

    Args:
      cell: A cell.
      inputs: A list of tensors `[batch, ...]`.
      state_saver: An object with `state(name)` and `save_state(name, value)`.
      state_name: The name of the state, or a tuple of names for a state of several parts.
      sequence_length: The lengths of the sequences.
      scope: The variable scope, "rnn" if None.

    Returns: The list of outputs, and the last state; both are there when the state has been saved.
    Raises:
      TypeError: if `cell` is not a cell.
      ValueError: if there are not as many names as parts.
    """
    names = list(state_name) if isinstance(state_name, (tuple, list)) else [state_name]
    parts = len(nest.flatten(cell.state_size))
    if parts != len(names):
        raise ValueError(f"Number of elements in state_name ({len(names)}) does not match that of the state ({parts}).")
    initial = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial, sequence_length=sequence_length, scope=scope)
    flat = nest.flatten(state)
    saves = [state_saver.save_state(name, part) for name, part in zip(names, flat)]
    with control_dependencies(saves):
        outputs[-1] = nest.map_structure(lambda part: raw.Identity(input=part), outputs[-1])
        return outputs, nest.pack_sequence_as(state, [raw.Identity(input=part) for part in flat])


@export(v1=["nn.static_bidirectional_rnn"])
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Runs one cell over a list of inputs forwards, and another one backwards.

    Args:
      cell_fw: The cell that runs forwards.
      cell_bw: The cell that runs backwards.
      inputs: A list of tensors `[batch, ...]`.
      initial_state_fw: The state of `cell_fw` at the beginning.
      initial_state_bw: The state of `cell_bw` at the end.
      dtype: The dtype of states and outputs; needed without initial states.
      sequence_length: The lengths of the sequences.
      scope: The variable scope, "bidirectional_rnn" if None.

    Returns: The list of outputs of both cells side by side, and the last state of each cell.
    """
    cells.require_cell("cell_fw", cell_fw)
    cells.require_cell("cell_bw", cell_bw)
    _require_steps(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw_scope)
        with variable_scope("bw") as bw_scope:
            turned = _backwards(inputs, sequence_length)
            found, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length, bw_scope)
    output_bw = _backwards(found, sequence_length)
    flat = [zip(nest.flatten(a), nest.flatten(b)) for a, b in zip(output_fw, output_bw)]
    outputs = [nest.pack_sequence_as(output_fw[0], [concat(pair, 1) for pair in pairs]) for pairs in flat]
    return outputs, state_fw, state_bw


def _backwards(steps: Sequence[Any], lengths: Any) -> list[Any]:
    """Returns the steps in reverse order, each sequence only as far as it goes."""
    if lengths is None:
        return list(reversed(steps))
    columns = []
    for column in zip(*(nest.flatten(step) for step in steps)):
        turned = reverse_sequence(stack(column), lengths, seq_axis=0, batch_axis=1)
        columns.append(unstack(turned, num=len(steps)))
    return [nest.pack_sequence_as(steps[0], list(row)) for row in zip(*columns)]
