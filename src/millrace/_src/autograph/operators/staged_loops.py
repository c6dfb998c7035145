"""Loops of the graph: the state of a Python loop becomes the variables of `tf.while_loop`.

A variable is carried from iteration to iteration if its value can be a tensor, or a structure of tensors. Any other
variable keeps its value, and the body must not change the variable. A variable that gets its first value in the body
starts as zeros; a trial run of the body in a graph of its own finds out their dtype and shape.

Tests: tests/autograph/operators/test_loops.py, tests/autograph/test_messages.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.autograph.operators.branch_merging import conversion, flatten, has_same_values, name_of, to_tensors
from millrace._src.autograph.operators.changed_containers import Containers, is_container, plain, refill
from millrace._src.autograph.operators.missing_values import zeros_like
from millrace._src.autograph.operators.staged_lists import MovedList, TrialList, make_staged_list
from millrace._src.autograph.operators.staged_values import is_tensor
from millrace._src.autograph.operators.tensorflow_refusals import is_strict
from millrace._src.autograph.operators.undefined_variables import RESULT, Undefined
from millrace._src.control_flow.while_loop import bound_values, every_shape, needs_spec, specify_invariants, while_loop
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import TypeSpec
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.util import nest
from millrace._src.util.text import shape_parentheses

Options = Mapping[str, Any]
_NO_RESULT = (
    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return statement depends on "
    "a static Python condition such as a hyperparameter. Add a `return` after the loop, so that every path returns a "
    "value."
)


def loop_options(
    *,
    parallel_iterations: int = 10,
    swap_memory: bool = False,
    ag_resized: Sequence[str] = (),
    ag_items: Sequence[str] = (),
    ag_certain: Sequence[str] = (),
    ag_needed: Sequence[str] = (),
    ag_temporary: Sequence[str] = (),
    ag_passed: object = None,
    ag_resumed: bool = False,
    **others: object,
) -> Options:
    """Collects what `set_loop_options` says of a loop, and what the converter found out about the loop.

    Args:
      parallel_iterations, swap_memory: As for `tf.while_loop`.
      ag_resized: Variables that may be lists whose length the body changes.
      ag_items: Variables that the body changes only by assigning their items.
      ag_certain: Variables that have a value wherever they are read.
      ag_needed: Other variables that are read after the loop.
      ag_temporary: Variables that the body assigns and no code reads later.
      ag_passed: Gives further variables, which the body passes to calls.
      ag_resumed: Whether the loop ran in Python up to here.
      **others: `maximum_iterations` and `shape_invariants`, if the user sets them.
    """
    for name in others:
        if name not in ("maximum_iterations", "shape_invariants"):
            raise TypeError(f"set_loop_options() got an unexpected keyword argument '{name}'")
    return {
        "parallel_iterations": parallel_iterations,
        "ag_resized": ag_resized,
        "ag_items": ag_items,
        "ag_certain": ag_certain,
        "ag_needed": ag_needed,
        "ag_temporary": ag_temporary,
        "ag_passed": ag_passed,
        "ag_resumed": ag_resumed,
        **others,
    }


def without_temporaries(names: Sequence[str], options: Options) -> list[str]:
    """Returns the variables of a loop without its temporary ones."""
    temporary = options.get("ag_temporary", ())
    return [name for name in names if name not in temporary]


@dataclass(frozen=True)
class LoopForm:
    """The form in which the graph runs a loop.

    Attributes:
      build: Takes what `tf.while_loop` takes, and gives what that gives.
      widens_shapes: Whether `build` finds shapes that hold in every iteration by itself.
      has_run: Returns, given the counter after an iteration, whether the body ran; None if the test says so beforehand.
      trial: Runs the user's body once, where that takes something else than an iteration with the first counter.
    """

    build: Callable[..., Any]
    widens_shapes: bool = False
    has_run: Callable[[Any], Any] | None = None
    trial: Callable[[], Any] | None = None


WHILE = LoopForm(while_loop)


class _ApartError(Exception):
    """Two variables that hold the same container before a loop hold different ones after an iteration."""


class StagedLoop:
    """The state of one loop of the graph.

    Args:
      get_state, set_state: Read and set the variables.
      names: The variables.
      options: What `set_loop_options` gave, and what the converter found out about the variables.
      form: The form in which the graph runs the loop.
    """

    def __init__(
        self,
        get_state: Callable[[], Sequence[Any]],
        set_state: Callable[[Sequence[Any]], None],
        names: Sequence[str],
        options: Options,
        form: LoopForm = WHILE,
    ) -> None:
        self.get_state, self.set_state, self.names, self.options, self.form = get_state, set_state, names, options, form
        self.before = list(get_state())
        self.taken_over: list[tuple[list[Any], MovedList]] = []
        """The lists that grow in the graph, and what stands in each list afterwards."""
        self.unknown: dict[int, list[TensorShape]] = {}
        """By the index of a variable that starts as zeros, the shapes of its leaves that the body's trial run gave."""
        self.structures: dict[int, Any] = {}
        """By the index of a variable, a nest with the specs that its composites fit in every iteration.

        A variable that is not here keeps the specs of its first value.
        """
        self.in_place: list[int] = []
        """The indices of carried containers that the body changes, if at all, in place."""
        self.same: dict[int, int] = {}
        """By the index of a variable that holds another variable's container, the index of that other variable."""

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
          counter: A tensor that the loop counts with, or a tuple of tensors.
          maximum_iterations: A bound on the number of iterations.
        """
        self._fill_in_unknown(self.form.trial or (lambda: body(counter)))
        self.same = self._other_names()
        has_run, message = self.form.has_run, self._without_iteration()
        if message and has_run is None:
            assert_that(test(counter), [convert_to_tensor(message)])
        if not message or has_run is None:
            self._build_once_or_twice(test, body, counter, maximum_iterations)
            return
        marks = _Marks(test, body, has_run)
        start = (counter, convert_to_tensor(False))
        _, ran = self._build_once_or_twice(marks.test, marks.body, start, maximum_iterations)
        assert_that(ran, [convert_to_tensor(message)])

    def _build_once_or_twice(self, *arguments: Any) -> Any:
        """Builds the loop; returns the counter's last value."""
        try:
            return self._build(*arguments)
        except _ApartError:
            self.same = {}
            return self._build(*arguments)

    def _build(
        self, test: Callable[[Any], Any], body: Callable[[Any], Any], counter: object, maximum_iterations: object
    ) -> Any:
        carried = [i for i, value in enumerate(self.before) if i not in self.same and self._is_carried(i, value)]
        self.structures |= {i: self._structure(i) for i in carried if i not in self.unknown}
        start = [[_as_tensor(leaf) for leaf in flatten(self.before[i])] for i in carried]
        shapes = [self._shapes(i, tensors) for i, tensors in zip(carried, start)]

        def loop_test(counter: object, state: Sequence[Any]) -> Any:
            self._set(carried, state)
            return test(counter)

        def loop_body(counter: object, state: Sequence[Any]) -> Any:
            values = self._set(carried, state)
            containers = self._containers()
            next_counter = body(counter)
            after = self.get_state()
            self._check_static(carried, after)
            containers.check_not_changed(carried, after)
            if any(after[index] is not after[first] for index, first in self.same.items()):
                raise _ApartError
            self.in_place = [i for i in carried if is_container(self.before[i]) and after[i] is values[i]]
            new = [self._validate(i, first, after[i], s) for i, first, s in zip(carried, start, shapes)]
            return [next_counter, new]

        try:
            last_counter, results = self.form.build(
                loop_test,
                loop_body,
                (counter, start),
                shape_invariants=(nest.map_structure(lambda t: t.shape, counter), shapes),
                parallel_iterations=self.options.get("parallel_iterations", 10),
                maximum_iterations=self.options.get("maximum_iterations", maximum_iterations),
            )
        finally:
            self.set_state(self.before)
        last = self._set(carried, results)
        for index in self.in_place:  # all names of a container see what the loop has done to the container
            refill(self.before[index], last[index])
            for name, first in ((index, index), *self.same.items()):
                if first == index:
                    last[name] = self.before[index]
        self.set_state(last)
        for items, mark in self.taken_over:
            items[:] = [mark]
        return last_counter

    def _set(self, carried: Sequence[int], values: Sequence[Sequence[Any]]) -> list[Any]:
        state = list(self.before)
        for index, leaves in zip(carried, values, strict=True):
            state[index] = nest.pack_sequence_as(self.structures[index], list(leaves), expand_composites=True)
        for index, first in self.same.items():
            state[index] = state[first]
        self.set_state(state)
        return state

    def _without_iteration(self) -> str:
        """Returns what is wrong if the body never runs: variables without a value that are read after the loop."""
        names = [self.names[i] for i in self.unknown if self.names[i] in self.options.get("ag_needed", ())]
        return f"loop must iterate at least once to initialize {', '.join(names)}" if names else ""

    # --- which variables are carried -----------------------------------------------------------------------------

    def _is_temporary(self, index: int) -> bool:
        return self.names[index] in self.options.get("ag_temporary", ())

    def _is_carried(self, index: int, value: object) -> bool:
        if self._is_temporary(index):
            return False
        if value.__class__ is Undefined or value is None or value.__class__ is TrialList:
            return False
        if self.names[index] in self.options.get("ag_items", ()) and not is_tensor(value):
            return False  # the items of such a container are variables of their own
        leaves = flatten(value)
        return bool(leaves) and to_tensors(value) is not None

    def _fill_in_unknown(self, body: Callable[[], Any]) -> None:
        """Finds out, by a trial run of the body, the values that the loop has to start with."""
        empty = [i for i, value in enumerate(self.before) if value.__class__ is Undefined or value is None]
        unknown = [i for i in empty if not self._is_temporary(i)]
        trials = {id(v): TrialList(v) for i, v in enumerate(self.before) if self._is_resized_list(i, v)}
        lists = {i: trials[id(v)] for i, v in enumerate(self.before) if id(v) in trials}
        if not unknown and not lists:
            return
        graph = FuncGraph("undefined_loop_variables")
        containers = self._containers()
        try:
            with graph.as_default(), context.tapes_scope(()):
                self.set_state([lists.get(i, self._as_in_body(i, value)) for i, value in enumerate(self.before)])
                body()
                after = list(self.get_state())
                new_leaves = {i: flatten(after[i]) for i in unknown if _has_tensors(after[i])}
                tensors = {i: [_as_tensor(leaf) for leaf in leaves] for i, leaves in new_leaves.items()}
        except UnboundLocalError as error:
            names = " and ".join(f"'{self.names[i]}'" for i in unknown if not self.names[i].startswith(RESULT))
            raise ValueError(
                f"{names} must be defined before the loop\n"
                f"Note: AutoGraph tried to define it automatically, but ran into a UnboundLocalError: {error}. "
                "Give it a first value above the loop, of the dtype and shape that it has in the loop."
            ) from None
        finally:
            containers.undo(self.get_state())
            self.set_state(self.before)
        for index, values in tensors.items():
            zeros = [zeros_like(tensor) for tensor in values]
            self.structures[index] = _of_any_size(after[index])
            self.before[index] = nest.pack_sequence_as(self.structures[index], zeros, expand_composites=True)
            self.unknown[index] = every_shape(after[index], values)
        for index, trial in lists.items():
            items = self.before[index]
            grown = make_staged_list(items, trial) if type(plain(items)) is list else None
            if grown is not None:
                self.taken_over.append((items, MovedList(self.names[index])))
                self.before = [grown if value is items else value for value in self.before]
        self.set_state(self.before)

    def _other_names(self) -> dict[int, int]:
        """Maps each variable that holds the same container as an earlier one to the first that holds the container."""
        first: dict[int, int] = {}
        first_names: dict[int, int] = {}
        for index, value in enumerate(self.before):
            if is_container(value) and first.setdefault(id(value), index) != index:
                first_names[index] = first[id(value)]
        return first_names

    def _containers(self) -> Containers:
        """Records the containers as they are now, those that the body passes to calls too."""
        passed = self.options.get("ag_passed")
        return Containers(self.names, self.before, list(passed().items()) if passed is not None else ())

    def _is_resized_list(self, index: int, value: object) -> bool:
        is_resized = self.names[index] in self.options.get("ag_resized", ())
        return is_resized and not is_strict() and type(plain(value)) is list

    def _as_in_body(self, index: int, value: object) -> Any:
        """Returns a value as the body will see the value: with tensors instead of Python numbers."""
        if not self._is_carried(index, value):
            return value
        return nest.pack_sequence_as(value, [_as_tensor(leaf) for leaf in flatten(value)], expand_composites=True)

    # --- what an iteration may do ----------------------------------------------------------------------------------

    def _check_static(self, carried: Sequence[int], after: Sequence[Any]) -> None:
        for index, (name, old, new) in enumerate(zip(self.names, self.before, after, strict=True)):
            if (
                index in carried
                or index in self.same
                or self._is_temporary(index)
                or old is new
                or (new.__class__ is Undefined and old.__class__ is Undefined)
            ):
                continue
            if new is None:
                raise ValueError(_is_none(name))
            if old.__class__ is Undefined and name.startswith(RESULT):
                raise NotImplementedError(_NO_RESULT)
            if old.__class__ is Undefined or has_same_values(old, new):
                continue
            raise TypeError(
                f"'{name}' is {old!r} of {type(old)} before the loop, but {new!r} after one iteration. A loop that "
                "depends on a Tensor can only change values that can be Tensors."
            )

    def _validate(self, index: int, first: Sequence[Any], value: object, shapes: Sequence[TensorShape]) -> list[Any]:
        """Returns the leaves of a variable after an iteration.

        Raises: TypeError, ValueError: if the leaves' structure, dtypes or shapes are not those before the loop.
        """
        name = self.names[index]
        if value is None or value.__class__ is Undefined:
            raise ValueError(_is_none(name))
        try:
            nest.assert_same_structure(self.before[index], value, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
            ) from None
        self._check_composites(index, value)
        leaves = [_as_tensor(leaf) for leaf in flatten(value)]
        for old, new, shape in zip(first, leaves, shapes, strict=True):
            if new.dtype is not old.dtype:
                raise TypeError(
                    f"'{name}' has dtype {old.dtype.name} before the loop, but dtype {new.dtype.name} after one "
                    f"iteration. Use {conversion(new.dtype, old.dtype, '...')} in the loop, or a first value of dtype "
                    f"{new.dtype.name}."
                )
            if self.form.widens_shapes and self._find_invariant(index) is None:
                continue
            if shape.rank is not None and not new.shape.is_subtype_of(shape):
                raise ValueError(self._shape_complaint(index, old, new, shape))
        return leaves

    def _check_composites(self, index: int, value: object) -> None:
        """Refuses a composite that does not fit the spec that holds in every iteration."""
        leaves = (self.before[index], self.structures[index], value)
        for old, lasting, new in zip(*[nest.flatten(nested) for nested in leaves], strict=True):
            if not _is_array(old):
                continue  # the components are checked
            is_spec = isinstance(lasting, TypeSpec)
            spec, shape = (lasting, lasting._shape) if is_spec else (lasting._type_spec, lasting.shape)
            if not spec.is_compatible_with(new):
                raise ValueError(self._shape_complaint(index, old, new, shape))

    def _structure(self, index: int) -> Any:
        """Returns a nest with the specs that the composites of a variable fit in every iteration."""
        value, invariant = self.before[index], self._find_invariant(index)
        if invariant is not None:
            return bound_values(value, specify_invariants(value, invariant))
        return _of_any_size(value) if self.form.widens_shapes else value

    def _shape_complaint(self, index: int, old: Any, new: Any, invariant: TensorShape) -> str:
        name = self.names[index]
        if self._find_invariant(index) is not None:
            return (
                f"'{name}' has shape {_shape(new)} after one iteration, which does not conform with the shape "
                f"invariant {shape_parentheses(invariant)}."
            )
        return (
            f"'{name}' has shape {_shape(old)} before the loop, but shape {_shape(new)} after one iteration. Use "
            "tf.autograph.experimental.set_loop_options to set shape invariants. As the first statement of the loop: "
            f"set_loop_options(shape_invariants=[({name}, tf.TensorShape({_general(old.shape, new.shape)}))])."
        )

    def _find_invariant(self, index: int) -> Any:
        invariants = [shape for name, shape in self.options.get("shape_invariants", ()) if name == self.names[index]]
        return invariants[-1] if invariants else None

    def _shapes(self, index: int, tensors: Sequence[Any]) -> list[TensorShape]:
        """Returns the static shapes that hold for the leaves of a variable in every iteration."""
        invariant = self._find_invariant(index)
        if invariant is None:
            return self.unknown.get(index) or every_shape(self.before[index], tensors)
        shapes = _shapes_in(specify_invariants(self.before[index], invariant))
        for tensor, shape in zip(tensors, shapes, strict=True):
            if not shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"'{self.names[index]}' has shape {_shape(tensor)} before the loop, which does not conform with "
                    f"the shape invariant {shape_parentheses(shape)}."
                )
        return shapes


@dataclass(frozen=True)
class _Marks:
    """A loop whose counter also says whether the body has run: a pair of the loop's own counter and a bool."""

    own_test: Callable[[Any], Any]
    own_body: Callable[[Any], Any]
    has_run: Callable[[Any], Any]

    def test(self, counter: Any) -> Any:
        return self.own_test(counter[0])

    def body(self, counter: Any) -> Any:
        after = self.own_body(counter[0])
        return after, raw.LogicalOr(x=counter[1], y=self.has_run(after))


def _is_array(value: Any) -> bool:
    """Returns whether a value is an array in another form: ragged, sparse or slices."""
    return needs_spec(value) and value._stands_for_tensor


def _of_any_size(value: object) -> Any:
    """Returns a nest with specs instead of ragged and sparse tensors; of shapes, the specs say only the ranks."""
    leaves = [v._type_spec._with_tensor_ranks_only() if _is_array(v) else v for v in nest.flatten(value)]
    return nest.pack_sequence_as(value, leaves)


def _shapes_in(structure: object) -> list[TensorShape]:
    """Returns the shapes in a structure of shapes."""
    leaves = [structure] if isinstance(structure, TensorShape) else nest.flatten(structure)
    return [shape for leaf in leaves for shape in _shapes_of(leaf)]


def _shapes_of(leaf: object) -> list[TensorShape]:
    """Returns a shape as a list, or the shapes of the tensors that a spec describes."""
    if isinstance(leaf, TensorShape):
        return [leaf]
    return [spec.shape for spec in leaf.flatten()] if isinstance(leaf, TypeSpec) else [as_shape(leaf)]


def _has_tensors(value: object) -> bool:
    return value.__class__ is not Undefined and value is not None and to_tensors(value) is not None


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def _is_none(name: str) -> str:
    return (
        f"{name_of(name)} is None at the end of the iteration. What is None has no dtype; a loop that depends on a "
        "Tensor must leave a Tensor in it."
    )


def _general(old: TensorShape, new: TensorShape) -> Any:
    """Returns the dimensions of the most special shape that holds for both shapes; None if their ranks differ."""
    shape = old.most_specific_compatible_shape(new)
    return None if shape.rank is None else shape.as_list()


def _shape(tensor: Any) -> str:
    return "<unknown>" if tensor.shape.rank is None else shape_parentheses(tensor.shape)
