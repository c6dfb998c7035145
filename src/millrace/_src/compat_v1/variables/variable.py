"""`tf.compat.v1.Variable`: the constructor of version 1, with collections and definitions.

Problem: version 1 says of a variable in which collections of the graph it is listed, and can make one again from a
message that names its operations. Version 2 has neither.

Idea: what is made is a variable as everywhere else. Calling the class only translates the arguments, through the
creators in force. Where version 1's variables are asked for (`use_resource=False`), the result is also an instance of
the class `tf.compat.v1.Variable`, as in TensorFlow; it behaves like the other variables.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.behavior_switches import resource_variables_enabled
from millrace._src.compat_v1.variables.scope_state import current_scope
from millrace._src.control_flow.cond import cond
from millrace._src.core import context
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.state.variable import ResourceVariable, Variable, VariableMeta
from millrace._src.state.variable_creators import create_through_scopes
from millrace._src.state.variable_traits import VariableAggregation, VariableSynchronization
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


class _VariableV1Meta(VariableMeta):
    """Sends `tf.compat.v1.Variable(...)` through the creator scopes."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        if cls is not VariableV1:
            return type.__call__(cls, *args, **kwargs)
        return create_through_scopes(_make, _arguments(*args, **kwargs))


@export(v1=["Variable"])
@tensorflow_home("python.ops.variable_v1")
class VariableV1(Variable, metaclass=_VariableV1Meta):
    """A shared value that programs change with `assign`; the constructor of version 1.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.Variable([1.0, 2.0], name="v", collections=["mine"])
    ...     tf.compat.v1.get_collection("mine")
    [<tf.Variable 'v:0' shape=(2,) dtype=float32>]

    Args:
      initial_value: A Tensor, anything `tf.convert_to_tensor` takes, or a function without arguments that returns
        such a value.
      trainable: Whether the variable is listed in `GraphKeys.TRAINABLE_VARIABLES`; default True.
      collections: The collections of the graph that list the variable; default `[GraphKeys.GLOBAL_VARIABLES]`.
      validate_shape: Whether the initial value must have a known shape; only checked with `use_resource=False`.
      caching_device: The device of the copy that all reads of a run share.
      name: The name; default "Variable". It is made unique.
      variable_def: A `VariableDef` message of a variable of the same graph, instead of all else.
      dtype: The dtype to convert `initial_value` to.
      expected_shape: Ignored, as in TensorFlow; see `shape`.
      import_scope: The name scope into which the graph of `variable_def` was imported.
      constraint: A function applied to the value by optimizers after an update.
      use_resource: Whether the class is that of `tf.Variable`, whose reads and writes all variables have.
      synchronization: See `tf.VariableSynchronization`.
      aggregation: See `tf.VariableAggregation`.
      shape: The static shape; may have unknown dimensions that `initial_value` fills.

    Raises:
      ValueError: If there is neither an initial value nor a definition, or both; if the initial value's shape
        contradicts `shape`; if collections are not a list, tuple or set.
    """

    def __init__(
        self,
        initial_value: object = None,
        trainable: bool | None = None,
        collections: object = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: object = None,
        expected_shape: object = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: object = None,
    ) -> None:
        del expected_shape, use_resource
        self._collections = _validate(collections)
        super().__init__(
            initial_value,
            trainable,
            validate_shape,
            caching_device,
            name,
            variable_def,
            dtype,
            import_scope,
            constraint,
            synchronization,
            aggregation,
            shape,
        )


@tensorflow_home("python.ops.ref_variable")
class RefVariable(VariableV1):
    """What `tf.compat.v1.Variable(..., use_resource=False)` makes in a graph; it is read and written as others are."""

    def initialized_value(self) -> Any:
        """Returns the value, or the initial value where a session has given the variable none yet."""
        return cond(self.is_initialized(), self.read_value, lambda: self.initial_value)


_SIGNATURE = inspect.signature(VariableV1.__init__)


def _arguments(*args: object, **kwargs: object) -> dict[str, Any]:
    """Returns all arguments of a call by name, with the defaults: creators see each of them."""
    bound = _SIGNATURE.bind(None, *args, **kwargs)
    bound.apply_defaults()
    return {**dict(list(bound.arguments.items())[1:]), "experimental_enable_variable_lifting": None}


def _make(
    use_resource: bool | None = None, collections: object = None, expected_shape: object = None, **arguments: Any
) -> Variable:
    """Makes a variable once all creators have seen the arguments."""
    del expected_shape
    arguments["experimental_enable_variable_lifting"] = True
    if use_resource is None:
        use_resource = current_scope().use_resource
    if use_resource is None:
        use_resource = resource_variables_enabled()
    kind: type[Variable] = ResourceVariable if use_resource or context.executing_eagerly() else RefVariable
    if kind is RefVariable and arguments.get("validate_shape", True):
        _check_shape(arguments.get("initial_value"))
    variable = kind.__new__(kind)
    variable._collections = _validate(collections)
    Variable.__init__(variable, **arguments)
    return variable


def _validate(collections: object) -> Any:
    if collections is None or isinstance(collections, (list, tuple, set)):
        return collections
    raise ValueError(
        "collections argument to Variable constructor must be a list, tuple, or set. "
        f"Got {collections} of type {type(collections)}"
    )


def _check_shape(initial_value: object) -> None:
    """Refuses a tensor whose shape is not known as the first value of a variable of version 1."""
    if isinstance(initial_value, SymbolicTensor) and not initial_value.shape.is_fully_defined():
        raise ValueError(f"initial_value must have a shape specified: {initial_value}")
