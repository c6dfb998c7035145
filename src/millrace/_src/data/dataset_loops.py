"""`for` over datasets and iterators in functions that AutoGraph converts.

A loop over a dataset becomes datasets itself, as TensorFlow builds them: a scan carries the variables of the loop from
element to element, `take_while` ends the pass after a `break`, and a reduction keeps the last values.

    for x in dataset:            last = dataset.scan(first, body).take_while(went_on).reduce(first, last_of)
        body

A loop over an iterator is a `tf.while_loop` that takes optionals and runs the body where there was an element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.loops import ForLoop, register_loop
from millrace._src.autograph.operators.staged_loops import WHILE, LoopForm
from millrace._src.control_flow.cond import cond
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.iterators import OwnedIterator
from millrace._src.data.transforms.reduce_elements import reduce_over
from millrace._src.data.transforms.scan_elements import scan_over
from millrace._src.data.transforms.take import take
from millrace._src.data.transforms.take_while import take_while
from millrace._src.util import nest
from millrace._src.util.nest_paths import flatten_up_to

# --- datasets ----------------------------------------------------------------------------------------------------


def for_each_element(dataset: DatasetBase, loop: ForLoop) -> None:
    """Runs a loop over a dataset: in Python in eager mode, else as datasets."""
    if state.graph is None:
        loop.over_python(dataset)
        return
    source = _Elements(dataset, loop.extra_test is not None)

    def test(counter: object) -> Any:
        return condition_tensor(convert_to_tensor(loop.unless_left(True)), "for loop")

    def body(counter: object) -> Any:
        loop.body(source.element)
        return counter

    def trial() -> None:
        loop.body(next(OwnedIterator(dataset)))

    loop.stage(test, body, (), None, LoopForm(source.build, widens_shapes=True, has_run=_always, trial=trial))


def _always(counter: object) -> Any:
    """Returns that an iteration over an element runs the body."""
    return convert_to_tensor(True)


class _Elements:
    """The elements of a dataset in a loop.

    Args:
      dataset: the dataset.
      may_be_left: whether the loop may end before the last element.

    Attributes:
      element: the element of the iteration that is being traced.
    """

    def __init__(self, dataset: DatasetBase, may_be_left: bool) -> None:
        self._dataset = dataset
        self._may_be_left = may_be_left
        self.element: Any = None

    def build(
        self,
        test: Callable[[Any, Any], Any],
        body: Callable[[Any, Any], Any],
        variables: object,
        shape_invariants: object,
        parallel_iterations: int,
        maximum_iterations: object,
    ) -> Any:
        """Builds the loop with the arguments of `tf.while_loop`; returns the last values of the variables."""
        if not nest.flatten(variables):
            return self._build_without_variables(test, body, maximum_iterations)
        dataset = self._dataset if maximum_iterations is None else take(self._dataset, maximum_iterations)
        first = tuple(nest.flatten(variables))
        shapes = flatten_up_to(variables, shape_invariants)
        specs = tuple([TensorSpec(shape, t.dtype) for t, shape in zip(first, shapes, strict=True)])

        def unpacked(flat: Sequence[Any]) -> Any:
            return nest.pack_sequence_as(variables, list(flat))

        def scan_body(values: Any, element: object) -> Any:
            self.element = element
            after, went_on = self._iteration(test, body, unpacked(values))
            return after, (*after, went_on)

        scanned = scan_over(dataset, first, scan_body, state_spec=specs, use_default_device=False)
        if self._may_be_left:
            scanned = take_while(scanned, take_while_predicate)
        specs = scanned.element_spec[:-1]
        return unpacked(reduce_over(scanned, first, reduce_body, state_spec=specs))

    def _build_without_variables(self, test: Any, body: Any, maximum_iterations: object) -> Any:
        """Builds a loop that has effects only, with a number as the state that a scan needs."""

        def body_with_number(counter: Any, number: Any) -> Any:
            body(counter, [])
            return counter, number

        def test_with_number(counter: Any, number: Any) -> Any:
            return test(counter, [])

        variables, shapes = ((), convert_to_tensor(0)), ((), TensorShape([]))
        self.build(test_with_number, body_with_number, variables, shapes, 1, maximum_iterations)
        return (), []

    def _iteration(self, test: Any, body: Any, variables: Any) -> tuple[tuple[Any, ...], Any]:
        """Runs the body unless the loop was left; returns the variables and whether the body ran."""

        def run() -> Any:
            return nest.flatten(body(*variables))

        if not self._may_be_left:
            return tuple(run()), convert_to_tensor(True)
        went_on = test(*variables)
        return tuple(cond(went_on, run, lambda: nest.flatten(variables))), went_on


def take_while_predicate(*values: object) -> Any:
    """Returns whether the body ran, the last of what the scan gives."""
    return values[-1]


def reduce_body(values: object, scanned: Any) -> Any:
    """Returns the variables that the scan gives for an element."""
    return scanned[:-1]


# --- iterators ---------------------------------------------------------------------------------------------------


def _for_each_next(iterator: OwnedIterator, loop: ForLoop) -> None:
    """Runs a loop over an iterator: in Python in eager mode, else in the graph."""
    if state.graph is None:
        loop.over_python(iterator)
        return

    def test(has_value: object) -> Any:
        return loop.unless_left(has_value)

    def body(has_value: object) -> Any:
        optional = iterator.get_next_as_optional()
        has_value = optional.has_value()
        replace(loop, body=run).run_if(has_value, optional)
        return has_value

    def run(optional: Any) -> None:
        loop.body(optional.get_value())

    def trial() -> None:
        run(iterator.get_next_as_optional())

    loop.stage(test, body, convert_to_tensor(True), None, replace(WHILE, has_run=_had_element, trial=trial))


def _had_element(has_value: object) -> Any:
    """Returns whether there was an element, which is the counter of the loop."""
    return has_value


def register() -> None:
    """Registers with AutoGraph the loops over datasets and iterators."""
    register_loop(DatasetBase, for_each_element)
    register_loop(OwnedIterator, _for_each_next)
