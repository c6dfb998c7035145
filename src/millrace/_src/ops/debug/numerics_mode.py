"""`tf.debugging.enable_check_numerics`: finds the op that first computes NaN or infinity.

Eager ops are watched: the results of their kernels are looked at as soon as they are there. In a graph, a node that
checks goes behind each output when the operation is added, so that a function which is traced meanwhile checks itself
from then on, for good. The message says which op it was, on what it was called, and where a node was made. As in
TensorFlow, the mode holds for the thread that enables it, and values that ops only move are not checked again.
"""

from __future__ import annotations

import linecache
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.dtypes import ALL_DTYPES, from_np
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import get_op
from millrace._src.core.source_trace import user_frames
from millrace._src.core.tensor import EagerTensor
from millrace._src.core.watching import Kernel, Watcher, add_watcher, remove_watcher
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.graph import Graph
from millrace._src.graph.observing import observe_operations
from millrace._src.graph.operation import Operation
from millrace._src.util.export import export

_CHECK = "CheckNumericsV2"
_MARK = "!!!"


class _Mode(threading.local):
    """The mode of a thread.

    Attributes:
      is_on: whether numbers are checked.
      frames: how many frames a message shows.
      path_length: how many characters of a path a message shows.
      is_busy: whether a check is being made, which is not checked itself.
    """

    is_on = False
    frames = 30
    path_length = 50
    is_busy = False


_mode = _Mode()
_lock = threading.Lock()
_threads: set[int] = set()
"""The threads in which the mode is on; while there are some, ops are watched."""


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Checks from now on, in this thread, the results of all ops for NaN and infinity.

    Functions that are traced from now on check themselves, also later. What XLA compiles because of `jit_compile=True`
    is not checked inside. A second call changes nothing.

    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(-1.0)
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(str(error).split("(#")[0].strip())
    !!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log"
    >>> tf.debugging.disable_check_numerics()

    Args:
      stack_height_limit: how many frames the message shows of where a node was made, the innermost ones.
      path_length_limit: how many characters the message shows of the path of a file, the last ones.

    The error of an op is a `tf.errors.InvalidArgumentError`.
    """
    if _mode.is_on:
        return
    _mode.is_on, _mode.frames, _mode.path_length = True, stack_height_limit, path_length_limit
    with _lock:
        _threads.add(threading.get_ident())
        if len(_threads) == 1:
            add_watcher(_watcher)
            observe_operations(_check_outputs)


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began in this thread; does nothing where the mode is off.

    >>> tf.debugging.disable_check_numerics()
    """
    if not _mode.is_on:
        return
    _mode.is_on = False
    with _lock:
        _threads.discard(threading.get_ident())
        if not _threads:
            remove_watcher(_watcher)
            observe_operations(None)


# --- eager ops ---------------------------------------------------------------------------------------------------


class _NumericsWatcher(Watcher):
    def watch_call(self, call: Any, kernel: Kernel) -> Kernel:
        floats = [i for i, dtype in enumerate(call.output_dtypes) if dtype.is_floating]
        if not floats or call.op.traits.only_moves_values or call.op.name == _CHECK:
            return kernel

        def run(*arrays: Any, **options: Any) -> Any:
            result = kernel(*arrays, **options)
            if _mode.is_on:
                inputs = [EagerTensor(np.asarray(a), dtype) for a, dtype in zip(arrays, call.dtypes, strict=False)]
                _check_results(call.op.name, list(_flat(result)), call.output_dtypes, inputs)
            return result

        return run

    def watch_function(self, name: str, run: Kernel) -> Kernel:
        """Looks at the results of a function too: it may have been traced before the mode was on."""

        def run_and_check(*arrays: Any) -> Any:
            results = run(*arrays)
            if _mode.is_on:
                numbers = [array for array in results if isinstance(array, np.ndarray) and array.dtype.kind != "O"]
                inputs = [EagerTensor(a, from_np(a.dtype)) for a in arrays if getattr(a, "dtype", None) in _NUMBERS]
                _check_results(name, numbers, [from_np(array.dtype) for array in numbers], inputs)
            return results

        return run_and_check


_NUMBERS = frozenset(dtype.np_dtype for dtype in ALL_DTYPES if dtype.is_floating or dtype.is_integer or dtype.is_bool)
_watcher = _NumericsWatcher()


def _flat(result: object) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from _flat(part)
    else:
        yield result


def _check_results(op_name: str, results: Sequence[Any], dtypes: Sequence[Any], inputs: Sequence[EagerTensor]) -> None:
    """Looks at the results of an eager op.

    Raises: InvalidArgumentError: if one holds NaN or infinity.
    """
    for index, (array, dtype) in enumerate(zip(results, dtypes, strict=False)):
        if not dtype.is_floating or np.isfinite(array).all():
            continue
        counts = {
            "-Inf": np.count_nonzero(array == -np.inf),
            "+Inf": np.count_nonzero(array == np.inf),
            "NaN": np.count_nonzero(np.isnan(array)),
        }
        names = {"NaN": "+NaN"}  # as TensorFlow writes it in this list
        lines = [f"  # of {names.get(kind, kind)} elements: {count}" for kind, count in counts.items() if count]
        text = _text(f'eagerly-executing op "{op_name}"', index, len(dtypes), dtype, np.shape(array), inputs, lines)
        found = [kind for kind, count in counts.items() if count]
        kinds = " and ".join(found) if len(found) < 3 else "-Inf, +Inf, and NaN"
        raise errors.op_error(_CHECK, f"{text}\n : Tensor had {kinds} values")


# --- nodes -------------------------------------------------------------------------------------------------------


def _check_outputs(graph: Graph, operation: Operation) -> None:
    """Puts a node that checks behind each output of a new operation that holds numbers."""
    op = operation.op_def
    if not _mode.is_on or _mode.is_busy or _is_exempt(op):
        return
    _mode.is_busy = True
    try:
        for index, output in enumerate(operation.outputs):
            if output.dtype.is_floating:
                name = graph.unique_name(f"{operation.name.rpartition('/')[2]}/{_CHECK}")
                attrs = {"T": output.dtype, "message": _node_text(graph, operation, index)}
                graph.add_operation(get_op(_CHECK), (output,), attrs, name)
    finally:
        _mode.is_busy = False


def _is_exempt(op: OpDef) -> bool:
    """Returns whether the outputs of operations of an op are not checked: they are given, moved, or checked inside."""
    return op.traits.is_placeholder or op.traits.only_moves_values or op.traits.control is not None or op.holds_graphs


def _node_text(graph: Graph, operation: Operation, index: int) -> str:
    output = operation.outputs[index]
    of = f'graph op "{operation.type}"'
    text = _text(of, index, len(operation.outputs), output.dtype, output.shape, operation.inputs, [])
    name = f'  Graph name: "{graph.name}"\n' if isinstance(graph, FuncGraph) else ""
    return f'{text}{name}\n  Stack trace of op\'s creation ("->": inferred user code):\n{_frames_text()}\n'


def _frames_text() -> str:
    """Returns the frames of the user's program, the innermost last."""
    frames = user_frames(limit=1000)[::-1]
    omitted = max(len(frames) - max(_mode.frames, 0), 0)
    lines = [f"    + ... (Omitted {omitted} frames)\n"] if omitted else []
    for frame in frames[omitted:]:
        path, most = frame.filename, _mode.path_length
        shown = path if len(path) <= most else f"...{path[len(path) - most :]}"
        code = linecache.getline(frame.filename, frame.line).strip()
        lines.append(f"    + {shown} (L{frame.line}) {frame.function}\n -> |   {code}\n")
    return "".join(lines)


# --- messages ----------------------------------------------------------------------------------------------------


def _text(
    of: str, index: int, count: int, dtype: Any, shape: object, inputs: Sequence[Any], lines: Sequence[str]
) -> str:
    """Returns the message about one output: what it is, what was found, and the inputs."""
    text = [
        "\n",
        f"{_MARK} Detected Infinity or NaN in output {index} of {of} (# of outputs: {count}) {_MARK}",
        f"  dtype: <dtype: '{dtype.name}'>",
        f"  shape: {shape}",
        *lines,
    ]
    if len(inputs) == 1:
        text += ["", f"  Input tensor: {inputs[0]!s}"]
    elif inputs:
        text += ["", f"  Input tensors ({len(inputs)}):", *[f"         {i}: {x!s}" for i, x in enumerate(inputs)]]
    return "\n".join(text) + "\n"
