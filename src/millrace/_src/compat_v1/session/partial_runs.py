"""A run in parts: `Session.partial_run`.

A program computes some fetches, looks at them, feeds more, and goes on; no operation runs twice. So each part keeps the
values that later parts need, and the next part takes them as if they were fed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.compat_v1.session.fetches import FetchPlan
from millrace._src.compat_v1.session.steps import own_value
from millrace._src.compat_v1.subgraphs import find_needed_operations
from millrace._src.core import errors
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.operation import Operation


class Part(NamedTuple):
    """What one part computes.

    Attributes:
      fetched: the tensors that are asked for, and those that later parts need.
      targets: the operations that are asked for.
      fed: the tensors whose values are known.
      arrays: their values.
      operations: the operations that run.
    """

    fetched: list[SymbolicTensor]
    targets: list[Operation]
    fed: list[SymbolicTensor]
    arrays: list[Any]
    operations: list[Operation]


class PartialRun:
    """The state of a run in parts.

    Args:
      plan: all fetches.
      feeds: all tensors that may be fed.

    Raises: InvalidArgumentError: if a tensor is both fed and fetched.
    """

    def __init__(self, plan: FetchPlan, feeds: Sequence[SymbolicTensor]) -> None:
        self._plan, self._feeds = plan, list(feeds)
        for tensor in plan.tensors:
            if any(tensor is feed for feed in feeds):
                raise _refusal(f"{tensor.name} is both fed and fetched.")
        self._pending = {id(element): element for element in (*plan.tensors, *plan.targets)}
        self._known: dict[int, tuple[SymbolicTensor, Any]] = {}
        self._fed: set[int] = set()
        self.done: set[Operation] = set()
        """The operations that earlier parts ran."""
        self._needed = find_needed_operations([*(t.op for t in plan.tensors), *plan.targets], self._feeds)

    @property
    def is_over(self) -> bool:
        """Whether everything was fetched."""
        return not self._pending

    def feed(self, tensors: Sequence[SymbolicTensor], arrays: Sequence[Any]) -> None:
        """Takes the values of a part's feeds.

        Raises: InvalidArgumentError: if a tensor was not prepared, or was fed before.
        """
        for tensor, array in zip(tensors, arrays, strict=True):
            if not any(tensor is feed for feed in self._feeds):
                raise _refusal(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if id(tensor) in self._fed:
                raise _refusal(f"The feed {tensor.name} has already been fed.")
            self._fed.add(id(tensor))
            self._known[id(tensor)] = tensor, array

    def part(self, plan: FetchPlan) -> Part:
        """Returns what has to run for some of the fetches.

        Raises: InvalidArgumentError: if a fetch was not prepared, was fetched before, or needs a feed that is missing.
        """
        prepared = {id(element) for element in (*self._plan.tensors, *self._plan.targets)}
        elements: list[Any] = [*plan.tensors, *plan.targets]
        for element in elements:
            if id(element) not in prepared:
                raise _refusal(f"The fetch {element.name} was not specified in partial_run_setup.")
            if id(element) not in self._pending:
                raise _refusal(f"The fetch {element.name} has already been fetched.")
        known = [tensor for tensor, _ in self._known.values()]
        roots = [*(t.op for t in plan.tensors if id(t) not in self._known), *plan.targets]
        operations = [op for op in find_needed_operations(roots, [*known, *self._feeds]) if op not in self.done]
        self._check_feeds(operations)
        running = set(operations)
        later = {
            id(tensor): tensor
            for operation in self._needed
            if operation not in self.done and operation not in running
            for tensor in operation.inputs
            if tensor.op in running
        }
        wanted = {id(t): t for t in plan.tensors if id(t) not in self._known} | later
        wanted |= {id(t): t for t in self._plan.tensors if t.op in running}
        targets = [op for op in plan.targets if op not in self.done]
        return Part(list(wanted.values()), targets, known, [array for _, array in self._known.values()], operations)

    def _check_feeds(self, operations: Sequence[Operation]) -> None:
        inputs = {id(tensor) for operation in operations for tensor in operation.inputs}
        missing = [feed for feed in self._feeds if id(feed) in inputs and id(feed) not in self._fed]
        if missing:
            raise _refusal(f"Fetch {missing[0].name} can't be computed from the feeds that have been fed so far.")

    def note(self, part: Part, values: Sequence[Any]) -> None:
        """Keeps the values that a part computed."""
        self.done.update(part.operations)
        for tensor, value in zip(part.fetched, values, strict=True):
            self._known[id(tensor)] = tensor, value

    def finish(self, plan: FetchPlan) -> Any:
        """Returns the values of a part's fetches, which are done with."""
        for element in (*plan.tensors, *plan.targets):
            del self._pending[id(element)]
        return plan.pack([own_value(self._known[id(tensor)][1]) for tensor in plan.tensors])


def _refusal(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"Graph execution error:\n\n{text}")
