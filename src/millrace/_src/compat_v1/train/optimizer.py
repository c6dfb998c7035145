"""`tf.compat.v1.train.Optimizer`: derivatives of a loss, and steps of the variables against them.

Problem: a program builds one operation that makes a step, runs the operation in a loop, and finds the optimizer's own
variables by name.

Idea: an optimizer states its numbers (a learning rate and the like), its slots, and one operation that updates a
variable. The base class computes the gradients, sums rows of sparse gradients that belong together, puts the updates
under one name, and counts the global step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from millrace._src.autodiff.gradient_tape import GradientTape
from millrace._src.autodiff.gradients import gradients
from millrace._src.compat_v1.train.slots import colocate, key_of, new_slot
from millrace._src.compat_v1.variables.collections import get_collection, trainable_variables
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.initializers import Zeros
from millrace._src.compat_v1.variables.variable import RefVariable, VariableV1
from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, bfloat16, float16, float32, float64
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.grouping import group, tuple_of
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.deferred_restoration import restore
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.Optimizer"])
@tensorflow_home("python.training.optimizer")
class Optimizer(Trackable):
    """Base of the optimizers of version 1.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.get_variable("x", initializer=2.0)
    ...     step = tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(x * x)
    ...     session.run(x.initializer)
    ...     session.run(step)
    ...     print(session.run(x))
    1.0

    A subclass defines `_create_slots`, `_resource_apply_dense` and `_resource_apply_sparse`, or `_apply_dense` and
    `_apply_sparse` for variables that are made with `use_resource=False`; also `_prepare` and `_finish` where there is
    something to do before and after the updates.

    Args:
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operation and of slots.
      use_own_namescope_for_non_slot_vars: Whether variables that belong to no other variable are called after the
        optimizer.

    Raises: ValueError: without a name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._own_scope = f"{name}/" if use_own_namescope_for_non_slot_vars else ""
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slots: dict[tuple[str, Any], Any] = {}
        self._deferred_slots: dict[str, dict[Any, list[Any]]] = {}
        self._numbers: dict[str, Any] = {}
        """The optimizer's numbers by the names of their tensors: values, tensors, or functions without arguments."""
        self._tensors: dict[str, Any] = {}
        """The tensors of the numbers in this step."""

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    # --- gradients -------------------------------------------------------------------------------------------------

    def minimize(
        self,
        loss: object,
        global_step: object = None,
        var_list: object = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """Makes a step against the gradients of a loss.

        Args:
          loss: A tensor; in eager mode a function without arguments that returns the loss.
          global_step: A variable that is incremented after the step.
          var_list: The variables; default the trainable variables of the graph, in eager mode those that are read.
          gate_gradients: As in `compute_gradients`.
          aggregation_method: As in `compute_gradients`.
          colocate_gradients_with_ops: As in `compute_gradients`.
          name: The name of the operation; default that of the optimizer.
          grad_loss: As in `compute_gradients`.

        Returns: The operation that makes the step; None in eager mode.
        Raises: ValueError: if no variable has a gradient.
        """
        grads_and_vars = self.compute_gradients(
            loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        if all(gradient is None for gradient, _ in grads_and_vars):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(variable) for _, variable in grads_and_vars]} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: object = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Returns the gradients of a loss with their variables.

        Args:
          loss: A tensor; in eager mode a function without arguments that returns the loss.
          var_list: The variables; default the trainable variables of the graph, in eager mode those that are read.
          gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`: whether gradients are used as soon as they are there,
            once those of one operation are there, or once all are.
          aggregation_method: A `tf.AggregationMethod`.
          colocate_gradients_with_ops: Accepted for compatibility: everything is on one device.
          grad_loss: The gradient of the loss; default ones.

        Returns: Pairs of gradient and variable; the gradient of a variable that the loss does not depend on is None.
        Raises:
          ValueError: If there are no variables, or the loss has no fractions.
          RuntimeError: In eager mode, if the loss is not a function.
        """
        if callable(loss):
            return _gradients_of_function(loss, var_list, grad_loss)
        if context.executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  "
                f"Not {gate_gradients}"
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        variables = _trained_variables() if var_list is None else nest.flatten(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        found = gradients(
            loss,
            variables,
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = tuple_of(found)
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([variable for gradient, variable in pairs if gradient is not None])
        return pairs

    def _valid_dtypes(self) -> set[DType]:
        """Returns the dtypes that losses and variables may have."""
        return {float16, bfloat16, float32, float64}

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                expected = sorted(valid, key=lambda other: other.name)
                raise ValueError(f"Invalid type {dtype!r} for {tensor.name}, expected: {expected}.")

    # --- steps -----------------------------------------------------------------------------------------------------

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: object = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Makes a step of variables against their gradients.

        Args:
          grads_and_vars: Pairs of gradient and variable, as `compute_gradients` returns them. A gradient is a tensor,
            `IndexedSlices`, or None for a variable that stays as it is.
          global_step: A variable that is incremented after the step.
          name: The name of the operation; default that of the optimizer.
          skip_gradients_aggregation: Accepted for compatibility: gradients of replicas are not added up here.

        Returns: The operation that makes the step; None in eager mode.
        Raises:
          TypeError: If a gradient is something else.
          ValueError: If there are no variables, or none has a gradient.
          RuntimeError: If a variable with a constraint has a sparse gradient.
        """
        pairs = [(_validate_gradient(gradient), variable) for gradient, variable in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        for _, variable in pairs:
            if not is_variable(variable):
                raise NotImplementedError(f"Trying to update a Tensor: {variable}")
        variables = [variable for gradient, variable in pairs if gradient is not None]
        if not variables:
            raise ValueError(f"No gradients provided for any variable: {[str(variable) for _, variable in pairs]}.")
        with init_scope():
            self._create_slots(variables)
        with context.name_scope(name, self._name) as scope:
            self._prepare()
            updates = [self._update(gradient, variable) for gradient, variable in pairs if gradient is not None]
            if global_step is None:
                step = self._finish(updates, scope)
            else:
                with control_dependencies([operation for operation in [self._finish(updates, "update")] if operation]):
                    step = _increment(global_step, scope)
        if state.graph is None:
            return None
        return _note(step)

    def _update(self, gradient: Any, variable: Any) -> Any:
        """Updates one variable; returns the operation."""
        with context.name_scope(f"update_{variable._shared_name}"), colocate(variable):
            if isinstance(gradient, IndexedSlices):
                if variable.constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                if isinstance(variable, RefVariable):
                    return self._apply_sparse_duplicate_indices(gradient, variable)
                return self._resource_apply_sparse_duplicate_indices(gradient.values, variable, gradient.indices)
            apply = self._apply_dense if isinstance(variable, RefVariable) else self._resource_apply_dense
            operation = apply(gradient, variable)
            if variable.constraint is None:
                return operation
            with control_dependencies([] if operation is None else [operation]):
                return variable.assign(variable.constraint(variable))

    # --- what subclasses define ------------------------------------------------------------------------------------

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Makes the slots of variables; by default there are none."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates of a step share."""
        self._tensors = {
            name: convert_to_tensor(self._call_if_callable(value), name=name) for name, value in self._numbers.items()
        }

    def _resource_apply_dense(self, grad: TensorLike, handle: object) -> Any:
        """Updates a variable by a gradient of its shape; returns the operation."""
        raise NotImplementedError(f"{type(self).__name__} does not define _resource_apply_dense.")

    def _resource_apply_sparse(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        """Updates rows of a variable, none of which is named twice; returns the operation."""
        raise NotImplementedError(f"{type(self).__name__} does not define _resource_apply_sparse.")

    def _resource_apply_sparse_duplicate_indices(self, grad: TensorLike, handle: object, indices: TensorLike) -> Any:
        """Updates rows of a variable, of which some may be named several times; returns the operation."""
        summed, unique = _sum_rows(grad, indices)
        return self._resource_apply_sparse(summed, handle, unique)

    def _apply_dense(self, grad: TensorLike, var: TensorLike) -> Any:
        """Updates a variable that is made with `use_resource=False`."""
        return self._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        """Updates rows of a variable that is made with `use_resource=False`; no row is named twice."""
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        """Updates rows of a variable that is made with `use_resource=False`."""
        values, indices = _sum_rows(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        """Returns the operation of a name that runs all updates."""
        return group(*update_ops, name=name_scope) if state.graph is not None else None

    # --- what subclasses use ---------------------------------------------------------------------------------------

    @staticmethod
    def _call_if_callable(param: object) -> Any:
        """Returns a number, which may be given as a function."""
        return param() if callable(param) else param

    def _number(self, name: str, variable: Any) -> Any:
        """Returns the tensor of a number in the dtype of a variable."""
        return cast_to(self._tensors[name], variable.dtype)

    def get_slot(self, var: TensorLike, name: str) -> Any:
        """Returns the slot of a variable; None where there is none.

        Args:
          var: The variable.
          name: The name of the slot; see `get_slot_names`.
        """
        return self._slots.get(name, {}).get(key_of(var))

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots that variables have."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Returns the optimizer's own variables in the current graph, by name."""
        graph = owning_graph()
        own = [variable for (_, owner), variable in self._non_slots.items() if owner is graph]
        slots = [slot for by_variable in self._slots.values() for slot in by_variable.values()]
        mine = [slot for slot in slots if not slot._in_graph_mode or slot.graph is graph]
        return sorted([*own, *mine], key=lambda variable: str(variable.name))

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        """Returns the slots of a name by variables' keys."""
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: TensorLike, val: TensorLike, slot_name: str, op_name: str) -> Any:
        """Returns the slot of a variable, which begins with a value."""
        return self._make_slot(var, slot_name, lambda: new_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Any:
        """Returns the slot of a variable, which begins as an initializer says."""
        return self._make_slot(var, slot_name, lambda: new_slot(var, initializer, op_name, shape, dtype))

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """Returns the slot of a variable, which begins with zeros."""

        def make() -> Any:
            if var.shape.is_fully_defined():
                return new_slot(var, Zeros(), op_name, var.shape, var.dtype.base_dtype)
            return new_slot(var, raw.ZerosLike(x=var.initial_value), op_name)

        return self._make_slot(var, slot_name, make)

    def _make_slot(self, variable: object, slot_name: str, make: Callable[[], Any]) -> Any:
        slots = self._slot_dict(slot_name)
        key = key_of(variable)
        if key not in slots:
            with colocate(variable):
                slot = make()
            self._restore_slot_variable(slot_name=slot_name, variable=variable, slot_variable=slot)
            slots[key] = slot
        return slots[key]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        """Returns a variable of the optimizer that belongs to no other variable; it is made on the first call."""
        key = name, colocate_with.graph if colocate_with._in_graph_mode else None
        if key not in self._non_slots:
            with colocate(colocate_with):
                value = self._preload_simple_restoration(name) if key[1] is None else None
                variable = VariableV1(
                    initial_value if value is None else value,
                    name=self._own_scope + name,
                    trainable=False,
                    use_resource=True,
                )
            self._handle_deferred_dependencies(name, variable)
            self._non_slots[key] = variable
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Any:
        """Returns a variable that `_create_non_slot_variable` made; None where it made none."""
        return self._non_slots.get((name, graph))

    # --- checkpoints -----------------------------------------------------------------------------------------------

    def _trackable_children(self, save_type: Any = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns the variables that are not slots; slots are found through their variables."""
        graph = owning_graph()
        own = {name: variable for (name, owner), variable in self._non_slots.items() if owner is graph}
        return {**super()._trackable_children(save_type, **kwargs), **dict(sorted(own.items()))}

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        own = self._get_non_slot_variable(name, owning_graph())
        return super()._lookup_dependency(name, cached_dependencies) if own is None else own

    def _restore_slot_variable(self, slot_name: str, variable: object, slot_variable: object) -> None:
        """Gives a new slot the value that a checkpoint restored earlier has for it."""
        for position in self._deferred_slots.get(slot_name, {}).pop(key_of(variable), []):
            restore(slot_variable, position)

    def _create_or_restore_slot_variable(
        self, slot_variable_position: Any, slot_name: str, variable: Any, **unused: Any
    ) -> None:
        """Gives a slot its value from a checkpoint, now or once the slot is made."""
        slot = self.get_slot(variable, slot_name)
        if slot is not None:
            restore(slot, slot_variable_position)
            return
        waiting = self._deferred_slots.setdefault(slot_name, {}).setdefault(key_of(variable), [])
        waiting.append(slot_variable_position)


def cast_to(value: Any, dtype: DType) -> Any:
    """Returns a tensor, or the value of a variable, in a dtype; nothing is added where it has the dtype."""
    wanted = dtype.base_dtype
    return value if value.dtype.base_dtype is wanted else raw.Cast(x=value, DstT=wanted)


def owning_graph() -> Any:
    """Returns the plain graph to which variables that are made now belong; None for eager variables."""
    graph = state.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph
    return graph


def _trained_variables() -> list[Any]:
    """Returns the variables that optimizers change, resources of other kinds included."""
    return trainable_variables() + get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)


def _gradients_of_function(loss: Callable[[], Any], var_list: object, grad_loss: object) -> list[tuple[Any, Any]]:
    """Returns the gradients of the loss that a function computes, with their variables."""
    with GradientTape() as tape:
        if var_list is not None:
            tape.watch(var_list)
        value = loss()
    variables = list(tape.watched_variables()) if var_list is None else nest.flatten(var_list)
    return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))


def _validate_gradient(gradient: Any) -> Any:
    """Returns a gradient as a tensor or `IndexedSlices`.

    Raises: TypeError: for something else.
    """
    if gradient is None or isinstance(gradient, (Tensor, IndexedSlices)):
        return gradient
    try:
        return convert_to_tensor(gradient)
    except TypeError as error:
        raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}") from error


def _sum_rows(values: object, indices: object) -> tuple[Any, Any]:
    """Returns rows, and their numbers without repetitions: rows that belong together are added up."""
    unique, positions = raw.Unique(x=indices, out_idx="int32")
    count = raw.Shape(input=unique)[0]
    return raw.UnsortedSegmentSum(data=values, segment_ids=positions, num_segments=count), unique


def _increment(global_step: Any, scope: str) -> Any:
    """Adds one to the global step; returns the operation, whose name is that of the scope."""
    with colocate(global_step):
        one = constant(1, dtype=global_step.dtype)
        return global_step.assign_add(one, name=scope, read_value=False)


def _note(step: Any) -> Any:
    """Returns the operation of a step, and lists it among the train operations of the graph."""
    operation = step if isinstance(step, Operation) else step.op
    steps = state.graph.get_collection_ref(GraphKeys.TRAIN_OP)
    if operation not in steps:
        steps.append(operation)
    return operation
