"""How `get_variable` makes a variable, or finds the one of that name.

A store holds the variables by their full names. Whether a variable may, must or must not be there is said by `reuse`:
None or False, True, or `AUTO_REUSE`.

Tests: tests/compat_v1/variables/test_get_variable.py
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.initializers import GlorotUniform, Zeros
from millrace._src.compat_v1.variables.scope_state import VariableStore
from millrace._src.compat_v1.variables.variable import VariableV1
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import as_shape
from millrace._src.graph.func_graph import init_scope


@dataclasses.dataclass(frozen=True)
class PartitionInfo:
    """Says which part of a partitioned variable an initializer makes.

    Args:
      full_shape: The shape of the whole.
      var_offset: The index of the part's first element.
    """

    full_shape: list[int]
    var_offset: list[int]

    def single_offset(self, shape: list[int]) -> int:
        """Returns the offset along the one dimension that is partitioned."""
        return self.var_offset[self.single_slice_dim(shape) or 0]

    def single_slice_dim(self, shape: list[int]) -> int | None:
        """Returns the dimension that is partitioned; None for a part that is the whole.

        Raises: ValueError: if the part does not fit into the whole, or several dimensions are partitioned.
        """
        if len(shape) != len(self.full_shape):
            raise ValueError(f"Expected equal length, but got shape={shape} of length {len(shape)}.")
        smaller = [i for i, (part, whole) in enumerate(zip(shape, self.full_shape, strict=True)) if part < whole]
        if len(smaller) > 1:
            raise ValueError(f"Cannot use single_slice_dim() with shape={shape}: several dimensions are sliced.")
        return smaller[0] if smaller else None


@dataclasses.dataclass(frozen=True)
class VariableRequest:
    """States everything that `get_variable` is asked for, besides the name."""

    shape: Any
    dtype: DType
    initializer: Any
    regularizer: Any
    reuse: Any
    trainable: bool | None
    collections: Any
    caching_device: Any
    validate_shape: bool
    use_resource: bool | None
    constraint: Any
    synchronization: Any
    aggregation: Any
    partition_info: PartitionInfo | None = None

    @property
    def initializes_by_value(self) -> bool:
        """Whether the initializer is the value itself."""
        return self.initializer is not None and not callable(self.initializer)


def get_single_variable(store: VariableStore, name: str, request: VariableRequest) -> Any:
    """Returns a variable that is not partitioned.

    Raises: ValueError: if the variable must and must not be there, or the request contradicts itself.
    """
    if request.initializes_by_value and request.shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    present = store.variables.get(name)
    if present is not None:
        return _reuse(name, present, request)
    if request.reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    variable = _new_variable(name, request)
    if not context.executing_eagerly() or store.keeps_eager_variables:
        store.variables[name] = variable
    if request.regularizer is not None:
        note_regularization(name, variable, request.regularizer)
    return variable


def _reuse(name: str, present: Any, request: VariableRequest) -> Any:
    """Returns a variable that is there.

    Raises: ValueError: if the variable must not be there, or is not what is asked for.
    """
    if request.reuse in (False, None):
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
            "VarScope?"
        )
    shape = as_shape(request.shape)
    if not shape.is_compatible_with(present.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape {present.shape}."
        )
    if not request.dtype.is_compatible_with(present.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {request.dtype.name} and found dtype "
            f"{present.dtype.name}."
        )
    return present


def _new_variable(name: str, request: VariableRequest) -> Any:
    with init_scope():
        initial_value, dtype = _initial_value(name, request)
        return VariableV1(
            initial_value=initial_value,
            name=name,
            trainable=request.trainable,
            collections=request.collections,
            caching_device=request.caching_device,
            dtype=dtype,
            validate_shape=request.validate_shape,
            constraint=request.constraint,
            use_resource=request.use_resource,
            synchronization=request.synchronization,
            aggregation=request.aggregation,
            shape=request.shape,
        )


def _initial_value(name: str, request: VariableRequest) -> tuple[Any, DType | None]:
    """Returns the initial value or a function that makes it, and the dtype that the value is to have.

    Raises: ValueError: if there is no initializer for the dtype, or the initializer needs a shape that is not known.
    """
    initializer, shape = request.initializer, as_shape(request.shape)
    if request.initializes_by_value:
        return initializer, None
    if initializer is None:
        if request.shape is None:
            raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
        initializer = _default_initializer(name, request.dtype)
    if isinstance(initializer, type):
        initializer = initializer()
    if shape.is_fully_defined():
        keywords: dict[str, Any] = {"dtype": request.dtype}
        if "partition_info" in _parameters(initializer):
            keywords["partition_info"] = request.partition_info
        return functools.partial(initializer, shape.as_list(), **keywords), request.dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
        "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
    )


def _default_initializer(name: str, dtype: DType) -> Callable[..., Any]:
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype.name == "string":
        return Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def _needs_no_arguments(function: Callable[..., Any]) -> bool:
    """Returns whether a function can be called without arguments."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p for p in _parameters(function).values() if p.default is p.empty and p.kind not in kinds]
    return not needed


def note_regularization(name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
    """Adds the loss that a regularizer makes of a variable to the collection of such losses.

    In a graph TensorFlow calls the regularizer twice, the first time only to see whether there is a loss; the second
    time the operations stand in a scope of their own. Names of operations depend on both calls.
    """
    with context.name_scope(None):
        loss = regularizer(variable)
    if loss is None:
        return
    if state.graph is not None:
        with state.graph.colocate_with(variable.op), context.name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
    get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
