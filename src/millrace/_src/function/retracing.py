"""Says why a function was traced again, and warns when that happens too often.

Problem: each new trace costs milliseconds to seconds, and TensorFlow's warning about retracing names no cause.

Idea: the key of a new trace is compared with the nearest earlier key. Every difference becomes a `Cause`: the
argument's path, the old and the new type in words, and a cure. Calls are counted per code object, so that a
`tf.function` made anew in a loop is noticed too. A call that does not trace costs one counter.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.source_trace import SourceFrame
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.function.trace_cache import TraceKey
from millrace._src.function.trace_structures import DictType, ListType, NestedType, TupleType
from millrace._src.function.trace_types import Literal, Weakref
from millrace._src.state.variable_spec import VariableSpec

_WINDOW = 10
_LIMIT = 5
_MAX_WARNINGS = 2
COMPARED_TRACES = 32
"""The most earlier traces that a new trace is compared with: a function may have a thousand traces."""


class Cause(NamedTuple):
    """One reason for a new trace."""

    kind: str
    path: str
    old: str
    new: str
    cure: str

    def __str__(self) -> str:
        where = f"argument `{self.path}`: " if self.path else ""
        change = f"{self.old} -> {self.new}" if self.old else self.new
        return f"{where}{change}"


class Retrace(NamedTuple):
    """One trace of a function that had been traced before."""

    causes: tuple[Cause, ...]
    caller: SourceFrame | None
    milliseconds: float

    def __str__(self) -> str:
        where = f"{self.caller.filename}:{self.caller.line}" if self.caller is not None else "<unknown>"
        causes = "; ".join(map(str, self.causes)) or "unknown"
        return f"{causes} (called from {where}, {self.milliseconds:.1f} ms)"


# --- counting ----------------------------------------------------------------------------------------------------


class CallStats:
    """Calls and traces of all functions made of one piece of code."""

    __slots__ = ("calls", "_trace_calls", "_warnings", "milliseconds", "traces", "__weakref__")

    def __init__(self) -> None:
        self.calls = 0
        self.traces = 0
        self.milliseconds = 0.0
        self._trace_calls: deque[int] = deque(maxlen=_WINDOW)
        self._warnings = 0

    def note_trace(self, milliseconds: float, is_call: bool = True) -> None:
        """Notes a trace, and whether the current call made the trace."""
        self.traces += 1
        self.milliseconds += milliseconds
        if is_call:
            self._trace_calls.append(self.calls)

    def recent_traces(self) -> int:
        """Counts the traces among the last calls."""
        return sum(call > self.calls - _WINDOW for call in tuple(self._trace_calls))  # other threads may add calls

    def should_warn(self) -> bool:
        """Returns whether too many of the last calls traced and not too many warnings were given."""
        if self._warnings >= _MAX_WARNINGS or self.recent_traces() < _LIMIT:
            return False
        self._warnings += 1
        return True

    def report(self, function: object, retrace: Retrace) -> str:
        """Writes the text of the warning."""
        lines = [
            f"{self.recent_traces()} out of the last {min(self.calls, _WINDOW)} calls to {function!r} triggered "
            "tf.function "
            f"retracing. Tracing is expensive: this trace took {retrace.milliseconds:.1f} ms, "
            f"the {self.traces} traces so far {self.milliseconds:.1f} ms."
        ]
        lines += [f"  Cause: {cause}" for cause in retrace.causes]
        if retrace.caller is not None:
            lines.append(
                f"  Called from: {retrace.caller.filename}:{retrace.caller.line}, in {retrace.caller.function}"
            )
        lines += [f"  Cure: {cure}" for cure in dict.fromkeys(cause.cure for cause in retrace.causes if cause.cure)]
        return "\n".join(lines)


_by_code: dict[int, tuple[Any, CallStats]] = {}
_by_code_lock = threading.Lock()


def stats_for(code: object) -> CallStats:
    """Returns the statistics of a code object, shared by all functions of that code; forgotten with the code."""
    key = id(code)
    with _by_code_lock:
        entry = _by_code.get(key)
        if entry is not None and entry[0]() is code:
            return entry[1]
        stats = CallStats()
        try:
            reference = weakref.ref(code, lambda _: _by_code.pop(key, None))
        except TypeError:
            return stats
        _by_code[key] = (reference, stats)
        return stats


# --- finding the cause -------------------------------------------------------------------------------------------


def causes_of(
    new: TraceKey, earlier: Sequence[TraceKey], names: Sequence[str], instance: object = None
) -> tuple[Cause, ...]:
    """Returns why no `earlier` trace serves `new`: the differences from the nearest of the newest traces.

    For a method `instance` is the object to which the method belongs.
    """
    if not earlier:
        return (NEW_FUNCTION,) if instance is None else (_new_instance(type(instance).__name__),)
    nearest: tuple[Cause, ...] = ()
    for old in reversed(earlier[-COMPARED_TRACES:]):
        causes = tuple(_differences(old, new, names))
        if len(causes) == 1:
            return causes
        if causes and (not nearest or len(causes) < len(nearest)):
            nearest = causes
    return nearest


NEW_FUNCTION = Cause(
    "new_function",
    "",
    "",
    "a new tf.function object was made of the same Python code",
    "create the tf.function once, outside of the loop or function that calls it.",
)


def _new_instance(name: str) -> Cause:
    return Cause(
        "new_instance",
        "",
        "",
        f"the method was called on another {name} object, and each object has traces of its own",
        f"reuse one {name} object, or move the computation to a tf.function that takes tensors.",
    )


def _differences(old: TraceKey, new: TraceKey, names: Sequence[str]) -> Iterator[Cause]:
    if old.context != new.context:
        yield Cause(
            "context",
            "",
            "",
            "the function was called while another graph was being built",
            "call the function from eager code or from another tf.function; those share their traces.",
        )
    if old.layout != new.layout:
        yield Cause(
            "layout",
            "",
            _layout_text(old),
            _layout_text(new),
            "pass the same number of *args and the same **kwargs, for instance as one list or dict of tensors.",
        )
        return
    for name, before, after in zip(names, old.types, new.types):
        if not after.is_subtype_of(before):
            yield from _type_differences(name, before, after)


def _layout_text(key: TraceKey) -> str:
    extra, keywords = key.layout
    return f"{extra} *args and **kwargs ({', '.join(keywords) or 'none'})"


def _type_differences(path: str, old: object, new: object) -> Iterator[Cause]:
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
        yield from _tensor_differences(path, old, new)
    elif isinstance(old, NestedType) and isinstance(new, NestedType):
        yield from _structure_differences(path, old, new)
    elif isinstance(old, Literal) and isinstance(new, Literal):
        yield _literal_difference(path, old, new)
    elif isinstance(old, Weakref) and isinstance(new, Weakref):
        yield _object_difference(path, old, new)
    elif isinstance(old, VariableSpec) and isinstance(new, VariableSpec):
        yield from _variable_differences(path, old, new)
    else:
        cure = "pass the same kind of value each time"
        if isinstance(new, Literal) and isinstance(old, (TensorSpec, VariableSpec)):
            cure = f"pass a tensor, such as tf.constant({new.value!r}), each time"
        elif isinstance(old, Literal) and isinstance(new, (TensorSpec, VariableSpec)):
            cure = "pass a tensor each time"
        yield Cause("kind", path, _in_words(old), _in_words(new), f"{cure}.")


def _tensor_differences(path: str, old: TensorSpec, new: TensorSpec) -> Iterator[Cause]:
    if old.dtype is not new.dtype:
        yield Cause(
            "dtype",
            path,
            f"dtype {old.dtype.name}",
            f"dtype {new.dtype.name}",
            f"convert `{path}` to one dtype before the call, for instance with tf.cast.",
        )
    if not new.shape.is_subtype_of(old.shape):
        common_shape = old.shape.most_specific_common_supertype([new.shape]) or TensorShape(None)
        yield Cause(
            "shape",
            path,
            f"shape {_shape_text(old.shape)}",
            f"shape {_shape_text(new.shape)}",
            f"use tf.function(reduce_retracing=True), or {_signature_text(common_shape, new.dtype)} for `{path}` in "
            "input_signature.",
        )


def _shape_text(shape: TensorShape) -> str:
    return "<unknown>" if shape.rank is None else str(tuple(shape.as_list()))


def _signature_text(shape: TensorShape, dtype: DType) -> str:
    dims = None if shape.rank is None else shape.as_list()
    return f"tf.TensorSpec({dims}, tf.{dtype.name})"


def _structure_differences(path: str, old: NestedType, new: NestedType) -> Iterator[Cause]:
    if old.container_key() != new.container_key():
        cure = "keep the container's type, length and keys the same, or pass one stacked or ragged tensor."
        yield Cause("structure", path, _in_words(old), _in_words(new), cure)
        return
    for label, before, after in zip(new.accessors, old.components, new.components):
        if not after.is_subtype_of(before):
            yield from _type_differences(f"{path}{label}", before, after)


def _literal_difference(path: str, old: Literal, new: Literal) -> Cause:
    if isinstance(new.value, (int, float, complex)) and not isinstance(new.value, bool):
        cure = f"pass `{path}` as a tensor, such as tf.constant({new.value!r}), or keep it in a tf.Variable."
    else:
        cure = f"each value of the Python argument `{path}` needs its own trace; pass a tensor if they may share one."
    if type(old.value) is type(new.value):
        kind = f" (Python {type(new.value).__name__})"
        return Cause("literal", path, repr(old.value), repr(new.value) + kind, cure)
    return Cause("literal_type", path, _in_words(old), _in_words(new), cure)


def _object_difference(path: str, old: Weakref, new: Weakref) -> Cause:
    name = type(new.value).__name__
    if old.is_dead:
        cure = f"keep the object passed as `{path}` alive and pass the same one again."
        return Cause("dead_object", path, "an object that no longer exists", f"a new {name} object", cure)
    cure = (
        f"pass the same object as `{path}`, or give {name} an `__eq__` and `__hash__`, or a `__tf_tracing_type__`, "
        "by which two of them are alike."
    )
    if type(old.value) is not type(new.value):
        return Cause("object", path, f"a {type(old.value).__name__} object", f"a {name} object", cure)
    return Cause("object", path, f"one {name} object", f"another {name} object", cure)


def _variable_differences(path: str, old: VariableSpec, new: VariableSpec) -> Iterator[Cause]:
    yield from _tensor_differences(path, TensorSpec(old.shape, old.dtype), TensorSpec(new.shape, new.dtype))
    if old.trainable != new.trainable:
        before, after = (f"variable with trainable={flag}" for flag in (old.trainable, new.trainable))
        yield Cause("trainable", path, before, after, "pass variables with the same `trainable`.")
    if old.alias_id != new.alias_id:
        cure = "which arguments are the same variable is part of the trace; keep that pattern the same in each call."
        before, after = (f"variable number {number} of the call" for number in (old.alias_id, new.alias_id))
        yield Cause("alias", path, before, after, cure)


def _in_words(kind: object) -> str:
    """Describes a trace type as the user thinks of it."""
    if isinstance(kind, TensorSpec):
        return f"tensor of {kind.dtype.name} with shape {_shape_text(kind.shape)}"
    if isinstance(kind, VariableSpec):
        return f"tf.Variable of {kind.dtype.name} with shape {_shape_text(kind.shape)}"
    if isinstance(kind, Literal):
        return f"{kind.value!r} (Python {type(kind.value).__name__})"
    if isinstance(kind, Weakref):
        return "an object that no longer exists" if kind.is_dead else f"a {type(kind.value).__name__} object"
    if isinstance(kind, (ListType, TupleType)):
        return f"{'list' if isinstance(kind, ListType) else 'tuple'} of {len(kind.components)}"
    if isinstance(kind, DictType):
        return f"dict with keys {list(kind.keys)}"
    if isinstance(kind, NestedType):
        return getattr(kind, "type_name", None) or type(kind).__name__
    return f"{type(kind).__name__} {kind!r}" if isinstance(kind, TypeSpec) else repr(kind)
