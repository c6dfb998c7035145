"""Loops of the graph: the state of a Python loop becomes the variables of `tf.while_loop`.

A variable whose value can be a tensor, or a structure of tensors, is carried from iteration to iteration. One that cannot
stays what it is, and the body must not change it. One that gets its first value in the body starts as zeros of the dtype
and shape that it gets there, which a trial run of the body in a graph of its own finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.autograph.operators.merging import flatten, to_tensors, zeros_like
from millrace._src.autograph.operators.staging import is_tensor
from millrace._src.autograph.operators.variables import RESULT, Undefined
from millrace._src.control_flow.while_loop import while_loop
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.util import nest
from millrace._src.util.text import shape_parentheses

Options = Mapping[str, Any]
_NO_RESULT = (
    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return statement depends on a "
    "static Python condition such as a hyperparameter. Add a `return` after the loop, so that every path returns a value."
)


class StagedLoop:
    """The state of one loop of the graph.

    Args:
      get_state, set_state: Read and set the variables.
      names: The variables.
      options: What `set_loop_options` gave, and what the converter found out about the variables.
    """

    def __init__(
        self,
        get_state: Callable[[], Sequence[Any]],
        set_state: Callable[[Sequence[Any]], None],
        names: Sequence[str],
        options: Options,
    ) -> None:
        self.get_state, self.set_state, self.names, self.options = get_state, set_state, names, options
        self.before = list(get_state())
        self.unknown: set[int] = set()
        """Variables that start as zeros: their first value comes from the body."""

    def run(
        self,
        test: Callable[[Any], Any],
        body: Callable[[Any], Any],
        counter: Any = (),
        maximum_iterations: Any = None,
    ) -> None:
        """Builds the loop and leaves the variables with their last values.

        Args:
          test: Whether to go on, given the counter.
          body: One iteration: sets variables, returns the next counter.
          counter: A tensor that the loop counts with, or an empty tuple.
          maximum_iterations: A bound on the number of iterations.
        """
        self._fill_in_unknown(lambda: body(counter))
        carried = [i for i, value in enumerate(self.before) if self._is_carried(i, value)]
        start = [nest.map_structure(_as_tensor, self.before[i], expand_composites=True) for i in carried]

        def loop_test(counter: Any, state: Sequence[Any]) -> Any:
            self._set(carried, state)
            return test(counter)

        def loop_body(counter: Any, state: Sequence[Any]) -> Any:
            self._set(carried, state)
            following = body(counter)
            after = self.get_state()
            self._check_static(carried, after)
            new = [self._checked(i, first, after[i]) for i, first in zip(carried, start)]
            return [following, new]

        bound = self.options.get("maximum_iterations", maximum_iterations)
        try:
            _, results = while_loop(
                loop_test,
                loop_body,
                (counter, start),
                shape_invariants=self._invariants(counter, carried, start),
                parallel_iterations=self.options.get("parallel_iterations", 10),
                maximum_iterations=bound,
            )
        finally:
            self.set_state(self.before)
        self._set(carried, results)

    def _set(self, carried: Sequence[int], values: Sequence[Any]) -> None:
        state = list(self.before)
        for index, value in zip(carried, values, strict=True):
            state[index] = value
        self.set_state(state)

    # --- which variables are carried -----------------------------------------------------------------------------------

    def _is_carried(self, index: int, value: Any) -> bool:
        if value.__class__ is Undefined or value is None:
            return False
        if self.names[index] in self.options.get("items", ()) and not is_tensor(value):
            return False  # a container whose items are variables of their own
        leaves = flatten(value)
        return bool(leaves) and to_tensors(value) is not None

    def _fill_in_unknown(self, body: Callable[[], Any]) -> None:
        """Gives variables without a value zeros like the first value that the body gives them."""
        unknown = [i for i, value in enumerate(self.before) if value.__class__ is Undefined or value is None]
        if not unknown:
            return
        graph = FuncGraph("undefined_loop_variables")
        try:
            with graph.as_default(), context.tapes_scope(()):
                body()
                after = list(self.get_state())
        except UnboundLocalError as error:
            names = " and ".join(f"'{self.names[i]}'" for i in unknown)
            raise ValueError(
                f"{names} must be defined before the loop\n"
                f"Note: AutoGraph tried to define it automatically, but ran into a UnboundLocalError: {error}"
            ) from None
        finally:
            self.set_state(self.before)
        for index in unknown:
            value = after[index]
            if value.__class__ is Undefined or value is None or to_tensors(value) is None:
                continue
            self.before[index] = nest.map_structure(
                lambda leaf: zeros_like(_as_tensor(leaf), convert_to_tensor), value, expand_composites=True
            )
            self.unknown.add(index)
        self.set_state(self.before)

    # --- what an iteration may do ----------------------------------------------------------------------------------

    def _check_static(self, carried: Sequence[int], after: Sequence[Any]) -> None:
        for index, (name, old, new) in enumerate(zip(self.names, self.before, after, strict=True)):
            if index in carried or old is new or (new.__class__ is Undefined and old.__class__ is Undefined):
                continue
            if new is None:
                raise ValueError(f"'{name}' is None at the end of the iteration.")
            if old.__class__ is Undefined and name.startswith(RESULT):
                raise NotImplementedError(_NO_RESULT)
            if old.__class__ is Undefined or flatten(old) == [] or to_tensors(new) is None:
                continue
            raise TypeError(
                f"'{name}' is {old!r} of {type(old)} before the loop, but {new!r} after one iteration. A loop that depends "
                "on a Tensor can only change values that can be Tensors."
            )

    def _checked(self, index: int, first: Any, value: Any) -> Any:
        """The value of a variable after an iteration, which must be like the one before the loop."""
        name = self.names[index]
        if value is None or value.__class__ is Undefined:
            raise ValueError(f"'{name}' is None at the end of the iteration.")
        try:
            nest.assert_same_structure(first, value, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"'{name}' does not have the same nested structure after one iteration.\n\n{error}") from None
        invariants = flatten_shapes(self._shapes(index, first))
        leaves = []
        for old, new, shape in zip(flatten(first), flatten(value), invariants, strict=True):
            tensor = _as_tensor(new)
            if tensor.dtype is not old.dtype:
                raise TypeError(
                    f"'{name}' has dtype {old.dtype.name} before the loop, but dtype {tensor.dtype.name} after one "
                    f"iteration. Use tf.cast({name}, ...), or a first value of the right dtype."
                )
            self._check_shape(name, old, tensor, shape)
            leaves.append(tensor)
        return nest.pack_sequence_as(first, leaves, expand_composites=True)

    def _check_shape(self, name: str, old: Any, new: Any, invariant: TensorShape) -> None:
        if invariant.rank is None or new.shape.is_subtype_of(invariant):
            return
        if not invariant.is_subtype_of(old.shape) or invariant != old.shape:
            raise ValueError(
                f"'{name}' has shape {_shape(new)} after one iteration, which does not conform with the shape invariant "
                f"{shape_parentheses(invariant)}."
            )
        raise ValueError(
            f"'{name}' has shape {_shape(old)} before the loop, but shape {_shape(new)} after one iteration. Use "
            "tf.autograph.experimental.set_loop_options to set shape invariants."
        )

    def _shapes(self, index: int, first: Any) -> Any:
        """The static shapes that hold for a variable in every iteration, in its structure."""
        given = [shape for name, shape in self.options.get("shape_invariants", ()) if name == self.names[index]]
        if given:
            return given[-1]
        if index in self.unknown:
            return nest.map_structure(lambda t: TensorShape(None if t.shape.rank is None else [None] * t.shape.rank)
                                      if not t.shape.is_fully_defined() else t.shape, first, expand_composites=True)
        return nest.map_structure(lambda t: t.shape, first, expand_composites=True)

    def _invariants(self, counter: Any, carried: Sequence[int], start: Sequence[Any]) -> Any:
        counters = counter.shape if isinstance(counter, Tensor) else ()
        shapes = []
        for index, first in zip(carried, start):
            flat = flatten_shapes(self._shapes(index, first))
            for tensor, shape in zip(flatten(first), flat, strict=True):
                if not shape.is_compatible_with(tensor.shape):
                    raise ValueError(
                        f"'{self.names[index]}' has shape {_shape(tensor)} before the loop, which does not conform with the "
                        f"shape invariant {shape_parentheses(shape)}."
                    )
            shapes.append(nest.pack_sequence_as(first, flat, expand_composites=True))
        return (counters, shapes)


def flatten_shapes(shapes: Any) -> list[TensorShape]:
    """The shapes in a structure of shapes."""
    if isinstance(shapes, TensorShape):
        return [shapes]
    return [shape if isinstance(shape, TensorShape) else as_shape(getattr(shape, "shape", shape)) for shape in nest.flatten(shapes)]


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def _shape(tensor: Any) -> str:
    return "<unknown>" if tensor.shape.rank is None else shape_parentheses(tensor.shape)
