"""`tf.Variable`: a tensor whose value can be changed.

A variable is a handle to a `VariableStorage` plus what Python knows of the variable: static shape, dtype, name, whether
it is trained. Every read and write is an op on the handle, so a variable works the same in eager mode and inside a
function, where the handle is captured.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from millrace._src.core import context, types
from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import note_eager_use, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dispatch import BoundCall
from millrace._src.core.dtypes import DType, as_dtype, resource
from millrace._src.core.execute import execute
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.op_registry import get_op
from millrace._src.core.resources import VariableStorage, resource_handle, resource_of
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.ops import raw
from millrace._src.state.graph_variables import create_in_graph, static_shape
from millrace._src.state.variable_creators import create_through_scopes
from millrace._src.state.variable_definitions import VariableDefinitions, define_in_graph
from millrace._src.state.variable_operators import VariableOperators
from millrace._src.state.variable_saving import VariableSaving
from millrace._src.state.variable_scatter import VariableScatter
from millrace._src.state.variable_spec import VariableSpec
from millrace._src.state.variable_traits import VariableAggregation, VariableSynchronization
from millrace._src.trackable.deferred_restoration import CheckpointInitialValue
from millrace._src.util import text
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.identity_collections import Reference

_uid = itertools.count()


class VariableMeta(type):
    """Sends `tf.Variable(...)` through the creator scopes."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        if not state.variable_creators:
            return type.__call__(ResourceVariable, *args, **kwargs)
        arguments = _DEFAULTS | dict(zip(_PARAMETERS, args, strict=False), **kwargs)
        return create_through_scopes(functools.partial(type.__call__, ResourceVariable), arguments)


@export("Variable")
@tensorflow_home("python.ops.variables")
class Variable(
    VariableOperators,
    VariableScatter,
    VariableSaving,
    VariableDefinitions,
    types.Tensor,
    CompositeTensor,
    metaclass=VariableMeta,
):
    """A shared value that programs change with `assign`.

    Args:
      initial_value: a Tensor, anything `tf.convert_to_tensor` takes, or a function without arguments that returns
        such a value.
      trainable: whether `GradientTape` watches it and `Module.trainable_variables` lists it; default True.
      validate_shape: accepted for compatibility; the static shape is that of the initial value, or `shape`.
      caching_device: the device that keeps the copy which all reads of a v1 session's run share; nothing elsewhere.
      name: the variable's name; default "Variable".
      variable_def: a `VariableDef` of a variable that the current graph has already, instead of all else.
      dtype: the dtype to convert `initial_value` to.
      import_scope: the name scope into which the graph of `variable_def` was imported.
      constraint: a function applied to the value by optimizers after an update.
      synchronization: see `tf.VariableSynchronization`.
      aggregation: see `tf.VariableAggregation`.
      shape: the static shape; may have unknown dimensions that `initial_value` fills.
      experimental_enable_variable_lifting: whether a `tf.function` may lift the initial value out of its body.

    >>> v = tf.Variable([1., 2.])
    >>> v.assign_add([1., 1.]).numpy().tolist()
    [2.0, 3.0]

    Raises:
      ValueError: if there is no initial value, or its shape contradicts `shape`.
    """

    _should_act_as_resource_variable = True
    _stands_for_tensor = True
    _can_be_field = False  # TensorFlow refuses `tf.Variable` too, and takes the class of what `tf.Variable()` makes
    _nest_components = None  # type: ignore[assignment]  # a variable is a leaf: its value is read by ops
    _distribute_strategy: Any = None

    _collections: Iterable[str] | None = None
    """The collections of a plain graph that list the variable; None for the collection of all variables."""
    _cached_value: Any = None
    """The copy on the caching device that all reads of a session's run share; None for a variable without."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError(
                    "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: "
                    f"variable_def={variable_def},\ninitial_value={initial_value}"
                )
            define_in_graph(self, variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                "`variable_def`. You provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}"
            )
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._set_traits(trainable, constraint, synchronization, aggregation)
        with init_scope() if not callable(initial_value) and _liftable(initial_value) else contextlib.nullcontext():
            dtype = None if dtype is None else as_dtype(dtype)
            self._create(initial_value, name, dtype, shape, caching_device=caching_device)

    def _set_traits(self, trainable: bool | None, constraint: Any, synchronization: Any, aggregation: Any) -> None:
        self._synchronization = VariableSynchronization.AUTO if synchronization is None else synchronization
        self._aggregation = VariableAggregation.NONE if aggregation is None else aggregation
        self._trainable = (
            self._synchronization is not VariableSynchronization.ON_READ if trainable is None else bool(trainable)
        )
        self._constraint = constraint
        self._unique_number = next(_uid)

    def _create(
        self,
        initial_value: TensorLike,
        name: str | None,
        dtype: DType | None,
        shape: ShapeLike,
        caching_device: object = None,
    ) -> None:
        with init_scope():
            graph = state.graph
            if graph is not None:
                create_in_graph(self, graph, initial_value, name, dtype, shape, self._collections, caching_device)
                return
            value = initial_value() if callable(initial_value) else initial_value
            if isinstance(value, CheckpointInitialValue):
                self._update_uid = value.checkpoint_position.restore_uid
            tensor = convert_to_tensor(value, dtype=dtype, name="initial_value")
            static = static_shape(tensor.shape, shape)
            self._attach_eager(_scope_name(name), static, tensor.dtype)
            self._handle._eager_array[()].value = tensor._eager_array

    def _attach_eager(self, name: str, shape: TensorShape, dtype: DType) -> None:
        """Makes a storage without a value, and the handle to that storage."""
        self._name = name
        self._shape_static = shape
        self._dtype = dtype
        note_eager_use()
        self._handle: Any = resource_handle(VariableStorage(dtype, shape, name))
        self._in_graph_mode = False

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    def handle(self) -> Tensor:
        """The resource tensor that refers to the storage."""
        return self._handle

    @property
    def dtype(self) -> DType:
        """The dtype of the value."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape of the value."""
        return self._shape_static

    @property
    def name(self) -> str:
        """The name, with ":0"."""
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def _unique_id(self) -> str:
        return f"{self._name}_{self._unique_number}"

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable by themselves."""
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        """When distributed copies are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How distributed copies are combined."""
        return self._aggregation

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The constraint given at creation."""
        return self._constraint

    @property
    def device(self) -> str:
        """The device of the value."""
        device: str = self._handle.device
        return device

    @property
    def graph(self) -> Any:
        """The graph of the handle; eager variables have none."""
        return self._handle.graph

    @property
    def op(self) -> Any:
        """The operation of the handle; eager variables have none."""
        return self._handle.op

    def get_shape(self) -> TensorShape:
        """Returns the static shape; the same as `shape`."""
        return self._shape_static

    def set_shape(self, shape: ShapeLike) -> None:
        """Merges `shape` into the static shape."""
        self._shape_static = self._shape_static.merge_with(as_shape(shape))

    @staticmethod
    def from_proto(variable_def: object, import_scope: str | None = None) -> Variable:
        """Makes the variable of a `VariableDef`, whose operations the current graph has already."""
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)

    def ref(self) -> Reference[Any]:
        """Returns a hashable reference to this variable."""
        return Reference(self)

    experimental_ref = ref

    # --- reading -----------------------------------------------------------------------------------------------

    def _notify_of_use(self) -> None:
        """Notifies tapes and the function being traced that the variable is used."""
        for tape in state.tapes:
            tape.variable_accessed(self)
        graph = state.graph
        if graph is not None and graph.building_function:
            graph.watch_variable(self)

    def _read(self, name: str | None = None) -> Any:
        if state.run is not None and isinstance(self._handle, EagerTensor):
            value: Any = resource_of(self._handle._eager_array).value
            if value is not None:
                return EagerTensor(value, self._dtype)
        if state.graph is None and type(self._handle) is EagerTensor:
            value = resource_of(self._handle._eager_array).value
            if value is not None:
                return self._record_read(EagerTensor(value, self._dtype))
        self._notify_of_use()
        if self._cached_value is not None and self._cached_value.graph is state.graph:
            return self._cached_value
        return self._read_now(name)

    def _read_now(self, name: str | None = None) -> Any:
        tensor = execute(get_op("ReadVariableOp"), (self._handle,), {"dtype": self._dtype}, name)
        if isinstance(tensor, SymbolicTensor) and tensor.shape.rank is None:
            tensor.set_shape(self._shape_static)
        return tensor

    __read_variable__ = _read

    def _record_read(self, tensor: EagerTensor) -> EagerTensor:
        """Returns a value that was read, once the tapes know of the read."""
        for tape in state.tapes:
            tape.variable_read(self, _read_call(self._dtype), tensor)
        return tensor

    def value(self) -> Any:
        """Returns the current value as a Tensor."""
        return self._read()

    def read_value(self) -> Any:
        """Returns the current value as a Tensor, read now rather than at first use."""
        with context.name_scope("Read") if state.graph is not None else contextlib.nullcontext():
            value = self._read() if self._cached_value is None else self._read_now()
        return raw.Identity(input=value)

    def numpy(self) -> Any:
        """Returns the value as a NumPy array.

        Raises: NotImplementedError: inside a function.
        """
        if not context.executing_eagerly():
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._read().numpy()

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        if dtype is not None and as_dtype(dtype) is not self._dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {as_dtype(dtype).name} for `tf.Variable of type "
                f"{self._dtype.name}. (Variable: {self!r})"
            )
        return self._read(f"{name.rpartition('/')[0]}/ReadVariableOp" if name and "/" in name else None)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self._read().__array__(dtype, copy)

    def is_initialized(self, name: str | None = None) -> Any:
        """Returns whether the variable has a value, as a bool Tensor."""
        return execute(get_op("VarIsInitializedOp"), (self._handle,), {}, name)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Reads the rows of the variable at `indices`."""
        self._notify_of_use()
        return execute(get_op("ResourceGather"), (self._handle, indices), {"dtype": self._dtype}, name or "Gather")

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Any:
        """Slices of the variable at index tuples."""
        self._notify_of_use()
        return execute(get_op("ResourceGatherNd"), (self._handle, indices), {"dtype": self._dtype}, name or "GatherNd")

    # --- writing -----------------------------------------------------------------------------------------------

    def _update(
        self, op_name: str, inputs: tuple[Any, ...], name: str | None, read_value: bool, **attrs: object
    ) -> Any:
        graph = state.graph
        if graph is not None and graph.building_function:
            graph.watch_variable(self)
        operation = execute(get_op(op_name), (self._handle, *inputs), attrs, name)
        if not read_value:
            return operation
        return _UnreadVariable(self, operation)

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Replaces the value.

        Args:
          value: the new value, of the variable's dtype and a shape compatible with its static shape.
          use_locking: accepted for compatibility; assignments are atomic.
          name: name of the operation in a graph.
          read_value: whether to return the variable after the assignment.

        Returns: The variable with its new value, or the operation (None in eager mode).
        Raises: ValueError: if dtype or shape do not fit; the variable keeps its value.
        """
        tensor = convert_to_tensor(value, dtype=self._dtype)
        if not self._shape_static.is_compatible_with(tensor.shape):
            label = f" {self.name}" if self._name else ""
            raise ValueError(
                f"Cannot assign value to variable '{label}': Shape mismatch.The variable shape "
                f"{text.shape_parentheses(self._shape_static)}, and "
                f"the assigned value shape {text.shape_parentheses(tensor.shape)} are incompatible."
            )
        return self._update("AssignVariableOp", (tensor,), name, read_value, validate_shape=self._validates())

    def _validates(self) -> bool:
        """Returns whether an assignment in a graph says that the shape is fixed."""
        return state.graph is not None and self._shape_static.is_fully_defined()

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`, of the variable's dtype and shape; see `assign`."""
        return self._update("AssignAddVariableOp", (convert_to_tensor(delta, dtype=self._dtype),), name, read_value)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`, of the variable's dtype and shape; see `assign`."""
        return self._update("AssignSubVariableOp", (convert_to_tensor(delta, dtype=self._dtype),), name, read_value)

    def count_up_to(self, limit: int) -> Any:
        """Increments a scalar integer variable up to `limit`; returns the value before.

        Raises: tf.errors.OutOfRangeError: once `limit` is reached.
        """
        return execute(get_op("ResourceCountUpTo"), (self._handle,), {"limit": limit, "T": self._dtype})

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: TensorLike, name: str | None = None, **masks: int
    ) -> Any:
        value = convert_to_tensor(value, dtype=self._dtype)
        return self._update("ResourceStridedSliceAssign", (begin, end, strides, value), name, True, **masks)

    # --- Python ------------------------------------------------------------------------------------------------

    def __iadd__(self, other: TensorLike) -> Any:  # type: ignore[misc]  # refuses what `+` allows
        raise RuntimeError(_IN_PLACE.format("+=", "assign_add", "+"))

    def __isub__(self, other: TensorLike) -> Any:  # type: ignore[misc]  # as above
        raise RuntimeError(_IN_PLACE.format("-=", "assign_sub", "-"))

    def __imul__(self, other: TensorLike) -> Any:  # type: ignore[misc]  # as above
        raise RuntimeError(_IN_PLACE.format("*=", "assign(var * value)", "*"))

    def __itruediv__(self, other: TensorLike) -> Any:  # type: ignore[misc]  # as above
        raise RuntimeError(_IN_PLACE.format("/=", "assign(var / value)", "/"))

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read())

    def __copy__(self) -> Variable:
        clone = ResourceVariable.__new__(ResourceVariable)
        clone.__dict__.update(self.__dict__)
        return clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        if not context.executing_eagerly():
            raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")
        clone = _restore(self.numpy(), self._name, self._dtype, self._shape_static, self._traits())
        memo[id(self)] = clone
        return clone

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.numpy(), self._name, self._dtype, self._shape_static, self._traits())

    def _traits(self) -> dict[str, Any]:
        return {
            "trainable": self._trainable,
            "constraint": self._constraint,
            "synchronization": self._synchronization,
            "aggregation": self._aggregation,
        }

    def _label(self) -> str:
        return self.name

    def __repr__(self) -> str:
        shape = text.shape_parentheses(self._shape_static)
        head = f"<tf.Variable '{self._label()}' shape={shape} dtype={self._dtype.name}"
        if not context.executing_eagerly() or self._in_graph_mode:
            return head + ">"
        value = self._handle._eager_array[()].value
        return f"{head}, {text.value_repr(value, self._dtype) if value is not None else 'numpy=<unavailable>'}>"

    __str__ = __repr__

    @property
    def _type_spec(self) -> VariableSpec:
        return VariableSpec.of(self)

    def __tf_tracing_type__(self, context: Any) -> Any:
        return context.make_variable_type(self)

    def _as_graph_element(self) -> Any:
        return self._handle if not self._in_graph_mode else self._graph_element


_IN_PLACE = (
    "`variable {0} value` with `tf.Variable`s is not supported. Use `variable.{1}(value)` to modify the variable, or "
    "`out = variable {2} value` if you need to get a new output Tensor."
)
_PARAMETERS = Variable.__init__.__code__.co_varnames[1 : Variable.__init__.__code__.co_argcount]
_DEFAULTS = dict(zip(_PARAMETERS, Variable.__init__.__defaults__ or (), strict=True))


@tensorflow_home("python.ops.resource_variable_ops")
class ResourceVariable(Variable):
    """What `tf.Variable(...)` makes: TensorFlow's class name, which messages and programs show."""

    _can_be_field = True


class _UnreadVariable(ResourceVariable):
    """The variable that an assignment returns, whose reads wait for the assignment."""

    def __init__(self, variable: Variable, operation: Any) -> None:
        self.__dict__.update(variable.__dict__)
        self._assignment = operation
        self._cached_value = None
        if self._in_graph_mode:
            self._graph_element = self._read()

    def _label(self) -> str:
        return "UnreadVariable" if not self._in_graph_mode else self._assignment.name

    def _read(self, name: str | None = None) -> Any:
        if self._assignment is None:
            return super()._read(name)
        graph = self._assignment.graph
        # A branch or loop of a plain graph waits for an assignment outside of it; functions order assignments anyway.
        is_around = state.graph is not None and not graph.building_function and graph in state.graph_stack
        waits = state.graph is graph or is_around
        with state.graph.control_dependencies([self._assignment]) if waits else contextlib.nullcontext():
            return super()._read(name)

    __read_variable__ = _read

    @property
    def name(self) -> str:
        """The assignment's name in a v1 graph."""
        return self._label()

    @property
    def op(self) -> Any:
        """The assignment."""
        return self._assignment


def _liftable(value: object) -> bool:
    return not isinstance(value, SymbolicTensor)


@functools.cache  # finite: one entry a dtype
def _read_call(dtype: DType) -> BoundCall:
    """Returns the call that tapes are told when a variable of a dtype is read."""
    return BoundCall(get_op("ReadVariableOp"), (resource,), {"dtype": dtype})


def _scope_name(name: str | None) -> str:
    """Returns the name of an eager variable: the name scope and the given name; one with "/" at its end is whole."""
    base = "Variable" if name is None else name
    if base.endswith("/"):
        return base[:-1]
    return f"{state.eager_scope}{base}"


def _restore(value: Any, name: str, dtype: DType, shape: TensorShape, traits: dict[str, Any]) -> Variable:
    """Makes a variable from its parts, for pickle and deepcopy."""
    variable = ResourceVariable.__new__(ResourceVariable)
    variable._set_traits(**traits)
    with context.eager_mode():
        variable._attach_eager(_scope_name(name), shape, dtype)
        variable._handle._eager_array[()].value = convert_to_tensor(value, dtype=dtype)._eager_array
    return variable


def make_uninitialized_variable(shape: ShapeLike, dtype: DTypeLike, name: str | None = None, **traits: Any) -> Variable:
    """Makes an eager variable whose storage has no value yet; for functions that initialize their variables later."""
    variable = ResourceVariable.__new__(ResourceVariable)
    variable._set_traits(
        traits.get("trainable"), traits.get("constraint"), traits.get("synchronization"), traits.get("aggregation")
    )
    with init_scope():
        variable._attach_eager(_scope_name(name), as_shape(shape), as_dtype(dtype))
    return variable


def variable_of_handle(handle: Tensor, spec: VariableSpec) -> Variable:
    """Makes the variable to which a handle refers, for a graph that is traced for any variable of a spec."""
    variable = ResourceVariable.__new__(ResourceVariable)
    variable._set_traits(spec.trainable, None, None, None)
    variable._in_graph_mode = False
    variable._dtype, variable._shape_static = spec.dtype, spec.shape
    variable._handle = handle
    variable._name = handle.op.name if isinstance(handle, SymbolicTensor) else "Variable"
    handle.handle_type = VariableHandle(spec.dtype, spec.shape)
    return variable


VariableSpec.describes(Variable, variable_of_handle)
