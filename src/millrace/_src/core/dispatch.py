"""Op calls off the fast path: conversion, graphs, tapes, first calls, errors.

An op call has three steps, the same in every mode: convert the inputs to tensors and infer the type attributes; compute
in eager mode or add a node to the graph; tell the tapes. Each step is a small function here.

Tests: tests/core/test_execute.py, tests/contracts/test_every_op.py
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.accelerator import Accelerator
from millrace._src.core.context import eager_engine, state
from millrace._src.core.devices import MissingDeviceError, accelerator_at, missing_device
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.execute import scalar_array
from millrace._src.core.input_conversion import convert_inputs, eager_pair, quick_inputs
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_registry import late_bound, loaded_ops
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.tensor import EagerTensor, PendingTensor, Tensor, array_of, new_tensor, note_devices
from millrace._src.core.watching import follow, watch_call
from millrace._src.util import text


@late_bound("slow_path")
def slow_path() -> ModuleType:
    """Returns this module, whose functions `core.execute`, which this module stands on, calls off the fast path."""
    return sys.modules[__name__]


def execute(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None) -> Any:
    """Runs an op call in the general form of `core.execute.execute`."""
    if state.graph is None:
        return _execute_eagerly(op, inputs, attrs)
    attrs = op.normalize_attrs(attrs) if attrs or op.default_attrs else {}
    flat, operation = state.graph.add_call(op, inputs, attrs, name)
    outputs = operation.outputs
    if not outputs:
        return operation
    if state.tapes:
        outputs = outputs[:]  # a recorder may give an operation that holds graphs further outputs
        record(op, flat, outputs, attrs)
    return _result(op, outputs, attrs)


def execute_binary(op: OpDef, x: object, y: object, name: str) -> Any:
    """Runs an op call in the general form of `core.execute.execute_binary`."""
    if state.graph is not None:
        return execute(op, (x, y), {}, name)
    if not (type(x) is EagerTensor and type(y) is EagerTensor):
        x, y, _ = eager_pair(x, y)
    return _execute_eagerly(op, (x, y), {})


def _execute_eagerly(op: OpDef, inputs: Sequence[Any], given: dict[str, Any]) -> Any:
    """Calls the kernel that is bound for the dtypes of the inputs and the given attributes."""
    if state.logical_device is not None:
        try:
            accelerator = accelerator_at(state.logical_device)
        except MissingDeviceError:
            raise missing_device(state.logical_device, op.name) from None
        if accelerator is not None:
            return _execute_at(accelerator, op, inputs, given)
    tensors: Sequence[Any] = inputs
    try:
        call: BoundCall | None = op.calls[(*[x.dtype for x in inputs], *given.items())][-1]
        values = [x._eager_array for x in inputs]
    except (KeyError, AttributeError, TypeError):  # not called before, not with tensors, or an attribute is not a key
        call = None
    if call is None:  # outside of the handler: an error of the user's stands alone
        tensors, call = _prepare(op, inputs, given)
        values = [t._eager_array for t in tensors]
    return _run_kernel(call, tensors, values)


def _execute_at(accelerator: Accelerator, op: OpDef, inputs: Sequence[Any], given: dict[str, Any]) -> Any:
    """Runs an eager call on an accelerator, or on the host where the accelerator cannot run the call.

    What the accelerator refuses at once goes to the host too, whose error is the one that users know.
    """
    tensors, call = _prepare(op, inputs, given)
    kernel = call.kernel_on(accelerator)
    if kernel is not None:
        try:
            result = kernel(*map(array_of, tensors))
        except Exception:  # of a class that only the engine knows
            kernel = None
    if kernel is None:
        return _run_kernel(call, tensors, [t._eager_array for t in tensors])
    arrays = zip(flatten_result(op, result), call.output_dtypes, strict=True)
    outputs = [PendingTensor(array, dtype) for array, dtype in arrays]
    note_devices(outputs)
    for tape in state.tapes if outputs else ():
        tape.record_call(call, tensors, outputs)
    return _result(op, outputs, call.attrs)


def _prepare(op: OpDef, inputs: Sequence[Any], given: dict[str, Any]) -> tuple[Sequence[Any], BoundCall]:
    """Converts the inputs of a call; returns the flat tensors and the call that is bound for them."""
    tensors = quick_inputs(op, inputs)
    if tensors is not None:
        entry = op.kernel_cache.find((*_dtypes(op, inputs, tensors), *given.items()))
        if entry is not None:
            return tensors, entry[-1]
    attrs = op.normalize_attrs(given) if given or op.default_attrs else {}
    tensors = convert_inputs(op, inputs, attrs, None)
    return tensors, _bound_call(op, _dtypes(op, inputs, tensors), tensors, attrs, given)


def _bound_call(
    op: OpDef, dtypes: Sequence[Any], tensors: Sequence[Any], attrs: dict[str, Any], given: dict[str, Any]
) -> BoundCall:
    """Returns the call for complete attributes; attributes given in another form share the call."""
    complete = (*dtypes, *sorted(attrs.items()))
    entry = op.kernel_cache.find(complete)
    call = BoundCall(op, tuple([t.dtype for t in tensors]), attrs) if entry is None else entry[-1]
    if call.is_quiet and not op.holds_graphs:
        for key in (complete, (*dtypes, *given.items())):
            with contextlib.suppress(TypeError):  # an attribute that cannot be a key
                op.kernel_cache.keep(key, entry or call.entry())
    return call


def execute_once(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Runs an eager call that will not come again: the kernel bound for the call is not kept."""
    complete = op.normalize_attrs(attrs)
    tensors = convert_inputs(op, inputs, complete, None)
    call = BoundCall(op, tuple([t.dtype for t in tensors]), complete)
    return _run_kernel(call, tensors, [t._eager_array for t in tensors])


def _run_kernel(call: BoundCall, tensors: Sequence[Any], values: Sequence[Any]) -> Any:
    """Runs the kernel of a call on the values of tensors, wraps the results, and tells the tapes."""
    op = call.op
    try:
        result = state.quietly(call.kernel, *values) if call.is_quiet else call.kernel(*values)
    except Exception as error:
        if not (call.is_quiet and state.runs_quietly()):
            raise kernel_error(op, tensors, call.attrs, error) from None
        result = call.kernel(*values)  # a finalizer calls the op in the middle of a kernel
    if op.has_single_output:
        dtype = call.output_dtypes[0]
        output = new_tensor(result if type(result) is np.ndarray else scalar_array(result, dtype), dtype)
        for tape in state.tapes:
            tape.record_call(call, tensors, (output,))
        return output
    outputs = wrap_outputs(op, result, call.output_dtypes)
    note_devices(outputs)
    for tape in state.tapes if outputs else ():
        tape.record_call(call, tensors, outputs)
    return _result(op, outputs, call.attrs)


def _dtypes(op: OpDef, inputs: Sequence[Any], flat: Sequence[Any]) -> Sequence[Any]:
    """Returns the dtypes of a call's inputs; a tuple for a list, so that different groupings have different keys."""
    dtypes = [t.dtype for t in flat]
    if not op.has_list_inputs:
        return dtypes
    remaining_dtypes = iter(dtypes)
    return [
        tuple(itertools.islice(remaining_dtypes, len(value))) if arg.is_list else next(remaining_dtypes)
        for arg, value in zip(op.signature.inputs, inputs, strict=True)
    ]


def record(op: OpDef, flat_inputs: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Tells every tape of an op that was run."""
    if op.rules.operation_tangents is not None and not isinstance(outputs[0], EagerTensor):
        outputs[0].op.tell(state.tapes)
        return
    for tape in state.tapes:
        tape.record(op, flat_inputs, outputs, attrs)


def _result(op: OpDef, outputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    if op.has_single_output:
        return outputs[0]
    if not op.signature.outputs:
        return None
    if not op.has_list_arguments:
        return outputs
    args = op.signature.outputs
    grouped = op.signature.split_outputs(outputs, attrs)
    return grouped[0] if len(args) == 1 else grouped


# --- eager -------------------------------------------------------------------------------------------------------


class BoundCall:
    """The facts that the calls of an op with the same dtypes and attributes share: the kernel, above all.

    Args:
      op: the op.
      dtypes: the dtypes of the flat inputs.
      attrs: the complete attributes.
    """

    __slots__ = ("op", "dtypes", "attrs", "kernel", "output_dtypes", "is_quiet", "recording", "elsewhere", "_bare")

    def __init__(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> None:
        self.op = op
        self.dtypes = dtypes
        self.attrs = attrs
        self.output_dtypes = op.signature.output_dtypes(attrs)
        self._bare = eager_engine().bind(op, dtypes, attrs)
        self.kernel = watch_call(self, self._bare)
        self.is_quiet = op.traits.cacheable and op.effects(attrs) is not Effects.IO
        """Whether to run with NumPy's warnings off: not where the user's Python may run, in the user's own context."""
        self.recording: tuple[Any, Any] = (None, None)
        """The rules from which `autodiff.op_recording` made a recording for tapes, and the recording."""
        self.elsewhere: dict[int, Callable[..., Any] | None] = {}
        """The kernels on accelerators, by the identity of the accelerator, of which a machine has few."""

    def kernel_on(self, accelerator: Accelerator) -> Callable[..., Any] | None:
        """Returns the kernel on an accelerator; None for an op that runs on the host."""
        key = id(accelerator)
        if key not in self.elsewhere:
            self.elsewhere[key] = accelerator.bind(self.op, self.dtypes, self.attrs)
        kernel = self.elsewhere[key]
        return None if kernel is None else watch_call(self, kernel)

    def rebound_entry(self) -> Any:
        """Returns the entry for the cache of the op after the watchers have changed."""
        self.kernel = watch_call(self, self._bare)
        return self.entry()

    def entry(self) -> tuple[Callable[..., Any], DType | None, Callable[[Any, Any], Any], BoundCall]:
        """Returns the entry for the cache of the op: the kernel, the function that wraps its result, and the call.

        The fast path of `execute` calls `wrap(result, dtype)`, where the dtype is None unless the op has one output.
        """
        if self.op.has_single_output:
            return self.kernel, self.output_dtypes[0], EagerTensor, self
        return self.kernel, None, self._wrap if self.op.signature.outputs else _no_tensor, self

    def _wrap(self, result: object, dtype: None) -> Any:
        return _result(self.op, wrap_outputs(self.op, result, self.output_dtypes), self.attrs)


@follow
def _rebind_calls() -> None:
    """Lets watchers into the calls that were bound before, or out."""
    for op in loaded_ops():
        op.kernel_cache.renew(lambda entry: entry[-1].rebound_entry())


def _no_tensor(result: object, dtype: None) -> None:
    """Wraps the result of an op without outputs."""


def wrap_outputs(op: OpDef, result: object, dtypes: Sequence[DType]) -> list[EagerTensor]:
    """Wraps a kernel's result as a flat list of eager tensors."""
    return [
        EagerTensor(array if type(array) is np.ndarray else scalar_array(array, dtype), dtype)
        for array, dtype in zip(flatten_result(op, result), dtypes, strict=True)
    ]


def flatten_result(op: OpDef, result: Any) -> list[Any]:
    """Returns a kernel's result (one array, a tuple of outputs, lists inside) as a flat list."""
    args = op.signature.outputs
    if not args:
        return []
    if len(args) == 1:
        return list(result) if args[0].is_list else [result]
    flat: list[Any] = []
    for arg, part in zip(args, result, strict=True):
        flat.extend(part) if arg.is_list else flat.append(part)
    return flat


# --- errors ------------------------------------------------------------------------------------------------------

_ARRAY_ERRORS = (ValueError, TypeError, IndexError, ArithmeticError, AttributeError, NotImplementedError)


def kernel_error(
    op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], error: Exception, *, is_flat: bool = False
) -> Exception:
    """Makes the exception that a user sees when a kernel fails, of `tf.errors`, with the names of op and inputs.

    Args:
      op: the op.
      inputs: the inputs of the call, or the flat values of a node.
      attrs: the attributes.
      error: the exception of the kernel.
      is_flat: whether the inputs are the flat values of a node.
    """
    if isinstance(error, errors.OpError):
        return _add_op_name(op, error)
    if isinstance(error, ShapeComplaint):
        return errors.op_error(op.name, error.running)
    if isinstance(error, MemoryError):
        return out_of_memory(op.name, error, f" for {_inputs_text(inputs)}")
    if not isinstance(error, _ARRAY_ERRORS):
        return error
    message = shape_complaint(op, inputs, attrs, is_flat=is_flat) or f"{_inputs_text(inputs)}: {error}"
    return errors.op_error(op.name, message)


def out_of_memory(op_name: str, error: MemoryError, inputs: str = "") -> errors.OpError:
    """Makes the error for an array that did not fit into memory; NumPy's own error describes the array."""
    shape, np_dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or np_dtype is None:
        what = f"OOM when allocating memory: {error}"
    else:
        sizes = ",".join(map(str, shape))
        what = f"OOM when allocating tensor with shape[{sizes}] and type {runtime_name(np_dtype)}"
    return errors.op_error(op_name, f"{what}{inputs}", errors.ResourceExhaustedError)


def handle_failure(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], error: Exception) -> Any:
    """Handles an exception of the fast path: raises an error, or calls the op in another way."""
    if state.runs_quietly():
        return _execute_eagerly(op, inputs, attrs)
    raise kernel_error(op, inputs, attrs, error) from None


def _add_op_name(op: OpDef, error: errors.OpError) -> errors.OpError:
    """Returns the error of a kernel with the op's name after the message, unless the name of an inner op is there."""
    kind: Any = type(error)  # a subclass fixes the code
    return errors.op_error(op.name, error.message, kind) if error.complaint is None else error


def shape_complaint(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], *, is_flat: bool = False) -> str | None:
    """Returns the complaint of the shape rule about concrete inputs, or None if the rule finds no fault."""
    if op.rules.shape is None:
        return None
    try:
        complete = op.normalize_attrs(attrs)
        flat = list(inputs) if is_flat or _is_flat(op, inputs) else convert_inputs(op, inputs, complete, None)
        _infer_lists(op, flat, complete)
        op.rules.shape(ShapeContext(op, flat, complete))
    except ShapeComplaint as complaint:
        return complaint.running
    except ValueError as complaint:
        return str(complaint)
    except Exception:
        return None
    return None


def _is_flat(op: OpDef, inputs: Sequence[Any]) -> bool:
    return all(isinstance(x, EagerTensor) for x in inputs)


def _infer_lists(op: OpDef, flat: list[Any], attrs: dict[str, Any]) -> None:
    """Adds the inferred attributes of a call whose inputs are already flat tensors."""
    tensors = list(flat)
    for arg in op.signature.inputs:
        if arg.type_attr and tensors:
            attrs.setdefault(arg.type_attr, tensors[0].dtype)
        tensors = tensors[1:] if not arg.is_list else tensors[attrs.get(arg.number_attr or "", len(tensors)) :]


def _inputs_text(inputs: Sequence[Any]) -> str:
    texts = [text.describe_value(x) if isinstance(x, Tensor) else type(x).__name__ for x in inputs]
    return f"inputs ({'; '.join(texts)})"


__all__ = ["convert_inputs", "execute", "flatten_result", "kernel_error", "out_of_memory", "record", "wrap_outputs"]
