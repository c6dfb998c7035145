"""Custom gradients of a SavedModel: functions of the file as the gradients of operations of the file.

An operation asks for its gradient by a name. The file says which function belongs to the name: it takes the gradients
of the operation's outputs, captures tensors of the graph that the operation stands in, and returns the gradients of
the operation's inputs.

Tests: tests/saved_model/test_gradient_functions.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.core.errors import DataLossError
from millrace._src.graph.op_policy import GradientRule
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.saved_model.loaded_functions import LoadedLibrary
from millrace._src.saved_model.loaded_objects import CapturedTensor, captured_tensor


def gradient_rules(registered: Iterable[Any], library: LoadedLibrary) -> dict[str, GradientRule]:
    """Returns the gradients by the names that operations ask for.

    Args:
      registered: the `RegisteredGradient` messages.
      library: the functions of the SavedModel.
    """
    return {gradient.registered_op_type: _rule(gradient.gradient_func, library) for gradient in registered}


def _rule(name: str, library: LoadedLibrary) -> GradientRule:
    def rule(operation: Operation, dys: Sequence[Any]) -> Sequence[Any]:
        concrete = library.concrete_functions.get(name)
        if concrete is None:
            raise DataLossError(
                None, None, f"The SavedModel at {library.where} has no function {name!r}, which is a gradient."
            )
        captures = [_find_capture(operation, captured) for captured in concrete.captured_objects]
        pairs = zip(dys, operation.outputs, strict=True)
        gradients = [raw.ZerosLike(x=output) if dy is None else dy for dy, output in pairs]
        results = concrete.call_flat(gradients, captures)
        return list(results) if isinstance(results, (list, tuple)) else [results]

    return rule


def _find_capture(operation: Any, captured: Any) -> Any:
    """Returns the tensor that a gradient captures, of the graph in which the operation stands."""
    if isinstance(captured, CapturedTensor):
        return operation.graph.get_tensor_by_name(captured.name)
    return captured_tensor(captured)
