"""Recurrent networks as loops of the graph: `dynamic_rnn`, `bidirectional_dynamic_rnn`, `raw_rnn`.

Tests: tests/oracle/programs/v1_recurrent.py, tests/compat_v1/nn/test_recurrence.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.branches import while_loop_v1
from millrace._src.compat_v1.nn import recurrent_cells as cells
from millrace._src.compat_v1.variables.scope_opening import variable_scope
from millrace._src.control_flow.tensor_array import TensorArray
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.filling import zeros_like
from millrace._src.ops.array.reversing import reverse, reverse_sequence
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.math.reduce import reduce_all, reduce_max
from millrace._src.util import nest
from millrace._src.util.export import export


@export(v1=["nn.dynamic_rnn"])
def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: TensorLike | None = None,
    initial_state: object = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over sequences, in a loop of the graph.

    >>> class Sums:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> outputs, state = tf.compat.v1.nn.dynamic_rnn(Sums(), tf.ones([1, 3, 1]), dtype=tf.float32)
    >>> outputs.numpy().ravel(), state.numpy()
    (array([1., 2., 3.], dtype=float32), array([[3.]], dtype=float32))

    Args:
      cell: A cell: an object with sizes and an initial state that is called with an input and a state.
      inputs: A tensor `[batch, time, ...]`, or a nested structure of such.
      sequence_length: The lengths of the sequences, integers `[batch]`; outputs beyond are zeros, states stay.
      initial_state: The state at the beginning; the cell's if None.
      dtype: The dtype of states and outputs; needed without `initial_state`.
      parallel_iterations: How many iterations may run at once; loops run as they can.
      swap_memory: Ignored: there is no other memory.
      time_major: Whether inputs and outputs are `[time, batch, ...]`.
      scope: The variable scope, "rnn" if None.

    Returns: The outputs of all times, and the last state.
    Raises:
      TypeError: if `cell` is not a cell.
      ValueError: if there is neither a state nor a dtype, or the depth of the inputs is not known.
    """
    cells.require_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        inputs = nest.map_structure(convert_to_tensor, inputs)
        if not time_major:
            inputs = nest.map_structure(_with_time_first, inputs)
        lengths = cells.sequence_lengths(sequence_length)
        state = cells.first_state(cell, initial_state, cells.batch_size_of(inputs, 1), dtype)
        outputs, last = _loop(cell, inputs, lengths, state, dtype, (parallel_iterations or 32, swap_memory))
        if not time_major:
            outputs = nest.map_structure(_with_time_first, outputs)
        return outputs, last


def _with_time_first(x: Any) -> Any:
    """Exchanges the first two dimensions."""
    if x.shape.rank is not None:
        return transpose(x, [1, 0, *range(2, x.shape.rank)]) if x.shape.rank > 1 else x
    rest = raw.Range(start=2, limit=raw.Rank(input=x), delta=1)
    return transpose(x, raw.ConcatV2(values=[[1, 0], rest], axis=0))


def _loop(
    cell: Any, inputs: object, lengths: Any, state: Any, dtype: DTypeLike, options: tuple[int, bool]
) -> tuple[Any, Any]:
    flat_inputs = nest.flatten(inputs)
    for part in flat_inputs:
        if part.shape.rank is None or None in part.shape.as_list()[2:]:
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, "
                f"but saw value None for input={part}."
            )
    steps, batch_size = shape_of(flat_inputs[0])[0], cells.batch_size_of(inputs, 1)
    zero = cells.zero_outputs(cell, batch_size, cells.dtype_of_state(dtype, state))
    arrays = [TensorArray(z.dtype, steps, element_shape=z.shape) for z in nest.flatten(zero)]
    sources = [TensorArray(x.dtype, steps, element_shape=x.shape[1:]).unstack(x) for x in flat_inputs]
    bound = steps if lengths is None else raw.Minimum(x=steps, y=raw.Maximum(x=1, y=reduce_max(lengths)))

    def step(time: Any, arrays: Any, state: Any) -> Any:
        read = nest.pack_sequence_as(inputs, [source.read(time) for source in sources])
        for part, whole in zip(nest.flatten(read), flat_inputs):
            part.set_shape(whole.shape[1:])
        output, new_state = cell(read, state)
        nest.assert_same_structure(state, new_state)
        if lengths is not None:
            is_over = raw.GreaterEqual(x=time, y=lengths)
            output = cells.keep_where(is_over, zero, output)
            new_state = cells.keep_where(is_over, state, new_state)
        written = [array.write(time, part) for array, part in zip(arrays, nest.flatten(output))]
        return time + 1, written, nest.pack_sequence_as(state, nest.flatten(new_state))

    _, arrays, state = while_loop_v1(
        lambda time, *_: raw.Less(x=time, y=bound),
        step,
        (constant(0, name="time"), arrays, state),
        parallel_iterations=options[0],
        swap_memory=options[1],
    )
    outputs = nest.pack_sequence_as(zero, [array.stack() for array in arrays])
    for part, row in zip(nest.flatten(outputs), nest.flatten(zero)):
        part.set_shape([flat_inputs[0].shape.as_list()[0], *row.shape.as_list()])
    return outputs, state


@export(v1=["nn.bidirectional_dynamic_rnn"])
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs one cell over sequences forwards, and another one backwards.

    Args:
      cell_fw: The cell that runs forwards.
      cell_bw: The cell that runs backwards.
      inputs: A tensor `[batch, time, ...]`, or a nested structure of such.
      sequence_length: The lengths of the sequences, integers `[batch]`.
      initial_state_fw: The state of `cell_fw` at the beginning.
      initial_state_bw: The state of `cell_bw` at the end.
      dtype: The dtype of states and outputs; needed without initial states.
      parallel_iterations: As the other arguments, see `tf.compat.v1.nn.dynamic_rnn`.
      swap_memory: Ignored.
      time_major: Whether inputs and outputs are `[time, batch, ...]`.
      scope: The variable scope, "bidirectional_rnn" if None.

    Returns: The pair of outputs, in the order of time, and the pair of last states.
    """
    cells.require_cell("cell_fw", cell_fw)
    cells.require_cell("cell_bw", cell_bw)
    options = (parallel_iterations, swap_memory, time_major)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(x: Any) -> Any:
        if sequence_length is None:
            return reverse(x, [time_axis])
        return reverse_sequence(x, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, *options, fw_scope
            )
        with variable_scope("bw") as bw_scope:
            turned = nest.map_structure(backwards, inputs)
            output_bw, state_bw = dynamic_rnn(
                cell_bw, turned, sequence_length, initial_state_bw, dtype, *options, bw_scope
            )
    return (output_fw, nest.map_structure(backwards, output_bw)), (state_fw, state_bw)


@export(v1=["nn.raw_rnn"])
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop whose inputs, states and end a function decides.

    Args:
      cell: A cell.
      loop_fn: Called with the time, the cell's output and state, and the state of the loop; first with 0 and three
        times None. Returns which sequences are over, the next input, the next cell's state, what to emit (first: zeros
        of its shape, without the batch, or None for outputs of the cell), and the loop's state or None.
      parallel_iterations: As for `tf.compat.v1.nn.dynamic_rnn`.
      swap_memory: Ignored.
      scope: The variable scope, "rnn" if None.

    Returns: A `tf.TensorArray` (or a structure of such) with what was emitted, the last state, and the loop's state.
    Raises: TypeError: if `cell` is not a cell or `loop_fn` is not callable.
    """
    cells.require_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("Argument `loop_fn` must be a callable.")
    with variable_scope(scope or "rnn"):
        is_over, next_input, state, emitted, loop_state = loop_fn(constant(0, dtype=d.int32), None, None, None)
        flat_input = [convert_to_tensor(part) for part in nest.flatten(next_input)]
        batch_size = cells.batch_size_of(flat_input, 0)
        if emitted is None:
            zero = cells.zero_outputs(cell, batch_size, cells.dtype_of_state(None, state))
        else:
            zero = nest.map_structure(lambda part: _batch_of_zeros(convert_to_tensor(part), batch_size), emitted)
        arrays = [TensorArray(z.dtype, 0, dynamic_size=True, element_shape=z.shape) for z in nest.flatten(zero)]
        own_state = constant(0) if loop_state is None else loop_state

        def step(time: Any, over: Any, read: Any, arrays: Any, state: Any, kept: Any) -> Any:
            output, cell_state = cell(read, state)
            asked = loop_fn(time + 1, output, cell_state, kept if loop_state is not None else None)
            new_over, new_input, new_state, new_emitted, new_kept = asked
            shown = cells.keep_where(over, zero, output if emitted is None else new_emitted)
            new_state = cells.keep_where(over, state, new_state)
            written = [array.write(time, part) for array, part in zip(arrays, nest.flatten(shown))]
            both_over = raw.LogicalOr(x=over, y=new_over)
            return time + 1, both_over, new_input, written, new_state, kept if new_kept is None else new_kept

        first = (constant(0, dtype=d.int32), is_over, next_input, arrays, state, own_state)
        found = while_loop_v1(
            lambda time, over, *_: raw.LogicalNot(x=reduce_all(over)),
            step,
            first,
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        emitted_arrays = nest.pack_sequence_as(zero, found[3])
        return emitted_arrays, found[4], None if loop_state is None else found[5]


def _batch_of_zeros(row: Any, batch_size: Any) -> Any:
    """Returns zeros of the shape of a row, for each row of a batch."""
    copies = raw.BroadcastTo(
        input=zeros_like(row),
        shape=raw.ConcatV2(values=[raw.Pack(values=[batch_size]), shape_of(row)], axis=0),
    )
    copies.set_shape([batch_size if isinstance(batch_size, int) else None, *row.shape.as_list()])
    return copies
