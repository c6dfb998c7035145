"""`while` and `for`: Python's over Python values, loops of the graph over tensors.

A loop that starts in Python and meets a tensor in its condition (a `while True` with a `break` that depends on a
tensor) goes on in the graph from there. A Python `for` whose `break` depends on a tensor runs its other iterations
under that condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.if_statements import GetState, SetState, if_stmt
from millrace._src.autograph.operators.logic import and_value
from millrace._src.autograph.operators.staged_loops import WHILE, LoopForm, Options, StagedLoop, without_temporaries
from millrace._src.autograph.operators.staged_values import belongs_into_graph, register_iterable
from millrace._src.autograph.operators.tensorflow_refusals import PYTHON_FOR, STARTED_AS_PYTHON, refuse_if_strict
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.ops import raw


@dataclass(frozen=True)
class ForLoop:
    """A `for` statement without what it iterates over.

    Attributes:
      extra_test: Returns whether to go on: false once the loop was left by `break` or `return`.
      body: One iteration, given the element.
      get_state, set_state, names, options: As for `while_stmt`.
    """

    extra_test: Callable[[], Any] | None
    body: Callable[[Any], None]
    get_state: GetState
    set_state: SetState
    names: Sequence[str]
    options: Options

    def unless_left(self, go_on: object) -> Any:
        """Returns the condition that `go_on` holds and that the loop was not left."""
        return go_on if self.extra_test is None else and_value(go_on, self.extra_test)

    def run_if(self, condition: object, item: object) -> None:
        """Runs one iteration under a condition."""
        outputs, certain = without_temporaries(self.names, self.options), self.options.get("ag_certain", ())
        run = partial(self.body, item)
        passed = self.options.get("ag_passed")
        if_stmt(condition, run, _nothing, self.get_state, self.set_state, self.names, outputs, certain, passed)

    def stage(
        self,
        test: Callable[[Any], Any],
        body: Callable[[Any], Any],
        start: object,
        length: int | None,
        form: LoopForm = WHILE,
    ) -> None:
        """Puts the loop into the graph in one of its forms: it counts from `start`, and runs at most `length` times."""
        StagedLoop(self.get_state, self.set_state, self.names, self.options, form).run(test, body, start, length)

    def over_python(self, iterable: object) -> None:
        """Runs the loop in Python."""
        _python_for(iterable, self)


def _nothing() -> None:
    """Leaves everything unchanged: the other branch of an iteration that is not run."""


LoopKind = Callable[[Any, ForLoop], None]

_KINDS: list[tuple[type, LoopKind]] = []
_MAX_UNROLLED_LENGTH = 256
"""The largest number of iterations of a `range` that run under a condition each; a longer loop goes into the graph."""


def register_loop(cls: type, loop: LoopKind, from_start: bool = True) -> None:
    """Says how the graph runs `for` over objects of a class.

    Args:
      cls: The class.
      loop: Takes the object and the rest of the statement.
      from_start: Whether the graph runs the loop at once, not only when the iterator asks for it.
    """
    index = next((i for i, (known, _) in enumerate(_KINDS) if issubclass(cls, known)), len(_KINDS))
    _KINDS.insert(index, (cls, loop))  # before the classes that it derives from
    if from_start:
        register_iterable(cls)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    options: Options,
    *first: object,
) -> None:
    """Runs a `while` statement.

    Args:
      test: The condition.
      body: One iteration.
      get_state, set_state: Read and set the variables `names` that the loop changes.
      names: Variables; `a.b` and `a[0]` count as such.
      options: What `set_loop_options` gave.
      *first: The condition's first value, if it was evaluated before.
    """
    value = first[0] if first else test()
    ran_in_python = options.get("ag_resumed", False)
    while not belongs_into_graph(value):
        if not value:
            return
        body()
        ran_in_python = True
        value = test()
    if ran_in_python:
        refuse_if_strict(NotImplementedError, STARTED_AS_PYTHON)
    condition_tensor(value, "while loop")

    def loop_test(counter: object) -> Any:
        return condition_tensor(convert_to_tensor(test()), "while loop")

    def loop_body(counter: object) -> Any:
        body()
        return counter

    StagedLoop(get_state, set_state, names, options).run(loop_test, loop_body)


def for_stmt(
    iterable: object,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    options: Options,
) -> None:
    """Runs a `for` statement.

    Args:
      iterable: What to iterate over.
      extra_test, body, get_state, set_state, names, options: The parts of a `ForLoop`.
    """
    for_each(iterable, ForLoop(extra_test, body, get_state, set_state, names, options))


def for_each(iterable: object, loop: ForLoop) -> None:
    """Runs a loop over an object, by the operator of the object's kind."""
    for cls, kind in _KINDS:
        if isinstance(iterable, cls):
            kind(iterable, loop)
            return
    for_each_element(iterable, loop)


def for_each_element(iterable: Any, loop: ForLoop) -> None:
    """Runs a loop over an object of no registered class: over a tensor in the graph, over anything else in Python."""
    if not belongs_into_graph(iterable):
        _python_for(iterable, loop)
    elif isinstance(iterable, SymbolicTensor) and iterable.op.type == "Range":
        start, limit, delta = iterable.op.inputs
        _range_for(start, limit, delta, loop)
    else:
        _tensor_for(convert_to_tensor(iterable), loop)


# --- Python ----------------------------------------------------------------------------------------------------------


def _python_for(iterable: Any, loop: ForLoop) -> None:
    iterator = iter(iterable)
    while True:
        go_on = True if loop.extra_test is None else loop.extra_test()
        if belongs_into_graph(go_on):
            break
        if not go_on:
            return
        try:
            item = next(iterator)
        except StopIteration:
            return
        loop.body(item)
    assert loop.extra_test is not None
    refuse_if_strict(NotImplementedError, PYTHON_FOR)
    rest = _rest_of_range(iterator)
    if rest is not None and len(rest) > _MAX_UNROLLED_LENGTH:
        start, limit, delta = [convert_to_tensor(n) for n in (rest.start, rest.stop, rest.step)]
        _range_for(start, limit, delta, loop)
        return
    for item in iterator:
        loop.run_if(loop.extra_test(), item)


def _rest_of_range(iterator: object) -> range | None:
    """Returns what is left of the iterator of a `range`; None for other iterators."""
    if type(iterator) is not type(iter(range(0))):
        return None
    parts: Any = iterator.__reduce__()  # iter, (the range,), how far the iterator has come
    whole: range = parts[1][0]
    return whole[parts[2] :] if len(parts) > 2 else whole


# --- the graph -------------------------------------------------------------------------------------------------------


def _range_for(start: object, limit: object, delta: object, loop: ForLoop) -> None:
    """Builds a loop that counts, without making the tensor of all numbers."""

    def loop_test(counter: object) -> Any:
        rising = raw.Less(x=counter, y=limit)
        step = _constant_value(delta)
        if step is not None:
            go_on = rising if step > 0 else raw.Greater(x=counter, y=limit)
        else:
            falling = raw.LogicalAnd(x=raw.Less(x=delta, y=raw.ZerosLike(x=delta)), y=raw.Greater(x=counter, y=limit))
            positive = raw.Greater(x=delta, y=raw.ZerosLike(x=delta))
            go_on = raw.LogicalOr(x=raw.LogicalAnd(x=positive, y=rising), y=falling)
        return loop.unless_left(go_on)

    def loop_body(counter: object) -> Any:
        loop.body(counter)
        return raw.AddV2(x=counter, y=delta)

    loop.stage(loop_test, loop_body, start, _count(start, limit, delta))


def _count(*ends: object) -> int | None:
    """Returns the number of elements of a range, if the ends of the range are constants of the graph."""
    constants = [_constant_value(end) for end in ends]
    if any(end is None or not float(end).is_integer() for end in constants) or not constants[2]:
        return None
    return len(range(int(constants[0]), int(constants[1]), int(constants[2])))


def _constant_value(tensor: Any) -> Any:
    """Returns the value of a scalar that is a constant of the graph, else None."""
    values = getattr(getattr(tensor, "op", None), "static_values", None)
    if values:
        return values[tensor.value_index][()]
    return None


def _tensor_for(tensor: Any, loop: ForLoop) -> None:
    """Builds a loop over the first axis of a tensor."""
    if tensor.shape.rank == 0:
        raise ValueError(
            f"len requires a non-scalar tensor, got one of shape {raw.Shape(input=tensor)}. A loop over a Tensor runs "
            "over its first axis, and a scalar has none."
        )
    length = tensor.shape[0] if tensor.shape.rank is not None else None
    size = convert_to_tensor(length) if length is not None else raw.Shape(input=tensor)[0]
    element_shape = tensor.shape[1:] if tensor.shape.rank is not None else None
    dims = convert_to_tensor(
        -1 if element_shape is None else [-1 if d is None else d for d in element_shape.as_list()], dtype="int32"
    )
    elements = raw.TensorListFromTensor(tensor=tensor, element_shape=dims)

    def loop_test(counter: object) -> Any:
        return loop.unless_left(raw.Less(x=counter, y=size))

    def loop_body(counter: Any) -> Any:
        item = raw.TensorListGetItem(
            input_handle=elements, index=counter, element_shape=dims, element_dtype=tensor.dtype
        )
        item.set_shape(element_shape)
        loop.body(item)
        return raw.AddV2(x=counter, y=convert_to_tensor(1))

    loop.stage(loop_test, loop_body, convert_to_tensor(0), length)


__all__ = ["ForLoop", "for_each", "for_stmt", "register_loop", "while_stmt"]
