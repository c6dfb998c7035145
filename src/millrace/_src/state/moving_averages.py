"""`tf.train.ExponentialMovingAverage`: a variable beside each variable, which follows it slowly.

Averages of the last weights of a training often predict better than the weights. Each call of `apply` moves every
average a little: `average -= (1 - decay) * (average - value)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, bfloat16, float16, float32, float64
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.graph import Graph
from millrace._src.ops import raw
from millrace._src.ops.grouping import group
from millrace._src.state.variable import Variable
from millrace._src.util.export import export

_VARIABLES, _TRAINABLE, _AVERAGED = "variables", "trainable_variables", "moving_average_variables"
"""Collections of a graph; the names are TensorFlow's."""


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps moving averages of variables, by an exponential decay.

    >>> weight = tf.Variable(5.0)
    >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
    >>> averages.apply([weight])
    >>> _ = weight.assign(10.0)
    >>> averages.apply([weight])
    >>> averages.average(weight).numpy()
    np.float32(5.5)

    Args:
      decay: how much of the average stays at each step, a float near 1.
      num_updates: how many steps were made, a number or variable, so that the first averages decay faster:
        `min(decay, (1 + num_updates) / (10 + num_updates))`; None for the same decay always.
      zero_debias: whether averages of tensors, which begin with zero, are corrected for that.
      name: the name of averages, and of the operations in a graph.
    """

    def __init__(
        self,
        decay: object,
        num_updates: object = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}
        self._corrections: dict[Any, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The name of averages."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """Moves the averages of variables, which are made at the first call and begin with the variables' values.

        Args: var_list: variables; in a graph also tensors, whose averages begin with zero. None for the trainable
          variables of a graph.

        Returns: The operation in a graph, else None.
        Raises: TypeError: if something has no float values, or in eager mode is not a variable.
        """
        values = _trainable_variables() if var_list is None else list(var_list)
        for value in values:
            self._prepare(value)
        with name_scope(self._name) as scope:
            decay = self._present_decay()
            updates = [self._move(value, decay) for value in values]
            return group(*updates, name=scope) if state.graph is not None else None

    def _prepare(self, value: Any) -> None:
        """Makes the average of a value that has none.

        Raises: TypeError: if the value cannot have one.
        """
        if value.dtype.base_dtype not in (bfloat16, float16, float32, float64):
            raise TypeError(f"The variables must be half, float, or double: {value.name}")
        if not is_variable(value) and not _is_plain_graph():
            raise TypeError(
                f"tf.train.{type(self).__name__} does not support non-Variable tensors when eager execution is enabled."
            )
        if value.ref() in self._averages:
            return
        with init_scope():
            self._averages[value.ref()] = self._new_average(value)
        if is_variable(value) and _is_plain_graph():
            state.graph.add_to_collection(_AVERAGED, value)

    def _new_average(self, value: Any) -> Variable:
        name = self.average_name(value)
        if is_variable(value):
            return Variable(_initial_value(value), trainable=False, name=name)
        if self._zero_debias:
            zeros = _zeros(value)
            correction = (
                Variable(zeros, trainable=False, name=f"{name}/biased"),
                Variable(0.0, trainable=False, dtype=value.dtype, name=f"{name}/local_step"),
            )
            self._corrections[value.ref()] = correction
        return Variable(_zeros(value), trainable=False, name=name)

    def _present_decay(self) -> Any:
        """Returns the decay of this step, a scalar of float32."""
        decay = convert_to_tensor(self._decay, dtype=float32, name="decay")
        if self._num_updates is None:
            return decay
        steps = raw.Cast(x=self._num_updates, DstT=float32, name="num_updates")
        return raw.Minimum(x=decay, y=(1.0 + steps) / (10.0 + steps))

    def _move(self, value: Any, decay: Any) -> Any:
        """Moves the average of a value; returns the operation in a graph."""
        average = self._averages[value.ref()]
        with name_scope("AssignMovingAvg"):
            rate = 1.0 - decay
            if rate.dtype is not average.dtype:
                rate = raw.Cast(x=rate, DstT=average.dtype)
            correction = self._corrections.get(value.ref())
            if correction is None:
                return average.assign_sub((average - value) * rate, read_value=False)
            return _move_corrected(average, *correction, value, rate)

    def average(self, var: Any) -> Variable | None:
        """Returns the average of a variable; None if it has none yet."""
        return self._averages.get(var.ref())

    def average_name(self, var: Any) -> str:
        """Returns the name of the average of a variable, whether it has one yet or not.

        A graph may have several averages of one variable, each of another name.
        """
        present = self._averages.get(var.ref())
        if present is not None:
            return _plain_name(present)
        name = f"{_plain_name(var)}/{self._name}"
        graph = state.graph
        return graph.unique_name(name, mark_as_used=False) if graph is not None else name

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict[str, Any]:
        """Returns variables by the names under which their values are saved: averages, where there are some.

        Restoring these values makes variables out of averages.

        Args: moving_avg_variables: the variables that take the values of their averages; None for the trainable and
          averaged variables of a graph.
        """
        graph = state.graph
        averaged = moving_avg_variables
        if averaged is None:
            averaged = [*_trainable_variables(), *([] if graph is None else graph.get_collection(_AVERAGED))]
        found = {variable.ref(): variable for variable in averaged}
        names = {self.average_name(variable): variable for variable in found.values()}
        others = [] if graph is None else graph.get_collection(_VARIABLES)
        names |= {_plain_name(v): v for v in others if v.ref() not in found and _plain_name(v) not in names}
        return names


def _is_plain_graph() -> bool:
    """Returns whether a graph is built that is not the body of a function."""
    return type(state.graph) is Graph


def _trainable_variables() -> list[Any]:
    return [] if state.graph is None else list(state.graph.get_collection(_TRAINABLE))


def _plain_name(value: Any) -> str:
    return str(value.name).removesuffix(":0")


def _initial_value(variable: Any) -> Any:
    """Returns the value that an average begins with; in a graph, the initial value of a variable without a value."""
    if state.graph is None or not isinstance(variable, Variable):
        return convert_to_tensor(variable)
    has_value = raw.VarIsInitializedOp(resource=variable.handle)
    return cond(has_value, variable.read_value, lambda: variable.initial_value)


def _zeros(tensor: SymbolicTensor) -> Any:
    return raw.Fill(dims=tensor.shape.as_list(), value=convert_to_tensor(0, dtype=as_dtype(tensor.dtype)))


def _move_corrected(average: Variable, biased: Variable, step: Variable, value: object, rate: Any) -> Any:
    """Moves an average that begins with zero, and divides it by how much of it can be other than zero by now."""
    moved = biased.assign_sub((biased - value) * rate, read_value=False)
    counted = step.assign_add(1.0, read_value=False)
    with state.graph.control_dependencies([moved, counted]):
        share = 1.0 - raw.Pow(x=1.0 - rate, y=step.read_value())
        return average.assign(biased.read_value() / share, read_value=False)
