"""From arguments to flat tensors, and from flat tensors back to results.

Both directions follow the trace types. `collect` is written out for the common types, so that a call pays no more than
necessary. `make_packer` prepares the packing of results once for each trace.

Tests: tests/function/test_tracing.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.function.trace_structures import NestedType
from millrace._src.function.trace_types import Literal, Weakref
from millrace._src.state.variable_spec import VariableSpec


def collect(kind: Any, value: Any, tensors: list[Any]) -> None:
    """Appends the tensors in `value`, an argument of trace type `kind`, in the order of the graph's inputs."""
    if type(kind) is TensorSpec:
        if type(value) is EagerTensor or isinstance(value, Tensor):
            tensors.append(value)
        else:
            tensors.append(convert_to_tensor(value, dtype=kind.dtype))
    elif isinstance(kind, (Literal, Weakref)):
        return
    elif isinstance(kind, VariableSpec):
        tensors += [value] if isinstance(value, Tensor) else kind.to_tensors(value)
    elif isinstance(kind, NestedType):
        for part, item in zip(kind.components, kind.unpack(value)):
            collect(part, item, tensors)
    else:
        tensors.extend(kind.to_tensors(value))


def make_packer(kind: object) -> Callable[[Sequence[Any]], Any]:
    """Makes a function from flat output tensors to a result of trace type `kind`."""
    if type(kind) is TensorSpec:
        return _only
    if kind is None or (isinstance(kind, Literal) and kind.value is None):
        return _nothing
    if isinstance(kind, NestedType) and all(type(part) is TensorSpec for part in kind.components):
        return kind.pack
    build = _builder(kind)
    return lambda tensors: build(iter(tensors))


def _only(tensors: Sequence[Any]) -> Any:
    return tensors[0]


def _nothing(tensors: Sequence[Any]) -> None:
    return None


def _builder(kind: Any) -> Callable[[Iterator[Any]], Any]:
    if type(kind) is TensorSpec:
        return next
    if isinstance(kind, (Literal, Weakref)):
        return lambda tensors: kind.value
    if isinstance(kind, NestedType):
        builders = [_builder(part) for part in kind.components]
        return lambda tensors: kind.pack([build(tensors) for build in builders])
    result: Callable[[Iterator[Any]], Any] = kind.from_tensors
    return result
