"""The executables of one graph: what `jax.jit` makes of the graph, for each set of input shapes.

The graph becomes one function from the values of its variables and its other inputs to its outputs and the new values.
JAX calls that function once for each executable, with tracers. An executable takes some megabytes, so their number has
a bound: a program that meets ever new shapes drops all executables from time to time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax

from millrace._src.engines.cells import Cell
from millrace._src.engines.compilations import note_compilation
from millrace._src.engines.xla.known_values import KnownValue
from millrace._src.engines.xla.lower import Lowering
from millrace._src.passes.optimized_graph import OptimizedGraph

Known = tuple[tuple[int, KnownValue], ...]
"""The inputs that are constants of an executable: their positions and values."""
_MOST_EXECUTABLES = 128


class Sharing(NamedTuple):
    """Which resource inputs of one call are the same variable.

    Attributes:
      identities: the identity of the variable behind each resource input.
      owners: the number of the variable of each resource input; variables are numbered in the order of the inputs.
      written: for each variable that the graph may change, the first of its inputs.
      read: for each other variable, the first of its inputs.
      order: an input of each variable, in the order in which all threads lock variables.
    """

    identities: tuple[int, ...]
    owners: tuple[int, ...]
    written: tuple[int, ...]
    read: tuple[int, ...]
    order: tuple[int, ...]


class Executables:
    """The executables of one graph without draws.

    Args:
      graph: the graph; its last inputs are random numbers that the caller draws.
      input_count: the number of its other inputs.
      resources: the positions of the inputs that are variables.
      plain: the positions of the inputs that are arrays.
      written: the positions of the variables that the graph may change.
    """

    def __init__(
        self,
        graph: OptimizedGraph,
        input_count: int,
        resources: Sequence[int],
        plain: Sequence[int],
        written: frozenset[int],
    ) -> None:
        self.lowering = Lowering(graph)
        self.input_count = input_count
        self.resources = resources
        self.plain = plain
        self.written = written
        self.count = 0
        self.known: tuple[int, ...] = ()
        """The positions of the plain inputs that are constants of an executable."""
        self.seen: set[Known] = set()
        """The values of these inputs that have executables."""
        self.run: Any = self._jitted()
        """A compiled function of JAX. Takes the arguments of `_trace`."""

    def make_room(self) -> None:
        """Drops all executables if there are too many."""
        if self.count > _MOST_EXECUTABLES:
            self.count = 0
            self.run = self._jitted()

    def sharing(self, identities: tuple[int, ...]) -> Sharing:
        """Returns how inputs share variables, from the identity of the variable behind each resource input."""
        first_places: dict[int, int] = {}
        for place, identity in enumerate(identities):
            first_places.setdefault(identity, place)
        numbers = {identity: number for number, identity in enumerate(first_places)}
        owners = tuple([numbers[identity] for identity in identities])
        changed_numbers = self._changed(owners)
        parts: tuple[list[int], list[int]] = [], []
        for identity, place in first_places.items():
            parts[numbers[identity] in changed_numbers].append(place)
        order = tuple([place for _, place in sorted(first_places.items())])
        return Sharing(identities, owners, written=tuple(parts[True]), read=tuple(parts[False]), order=order)

    def _changed(self, owners: Sequence[int]) -> set[int]:
        """Returns the numbers of the variables that the graph may change; see `Sharing` for `owners`."""
        return {owner for owner, position in zip(owners, self.resources, strict=True) if position in self.written}

    def unknown(self, known: Known) -> Sequence[int]:
        """Returns the positions of the plain inputs that are arguments of an executable."""
        positions = [position for position, _ in known]
        return [i for i in self.plain if i not in positions] if positions else self.plain

    def _jitted(self) -> Any:
        return jax.jit(self._trace, static_argnums=(0, 1), donate_argnums=(2,))

    def _trace(
        self,
        owners: tuple[int, ...],
        known: Known,
        written: list[Any],
        read: list[Any],
        plain: list[Any],
        drawn: list[Any],
    ) -> tuple[list[Any], list[Any]]:
        """Runs the graph while JAX traces; see `Sharing` for the variables."""
        changed_numbers = self._changed(owners)
        new_values, old_values = iter(written), iter(read)
        cells = [
            Cell(next(new_values) if number in changed_numbers else next(old_values), f"variable {number}")
            for number in range(len(set(owners)))
        ]
        arguments: list[Any] = [None] * self.input_count
        for position, value in zip(self.unknown(known), plain, strict=True):
            arguments[position] = value
        for position, constant in known:
            arguments[position] = constant.array
        for owner, position in zip(owners, self.resources, strict=True):
            arguments[position] = cells[owner]
        results = self.lowering(*arguments, *drawn)
        note_compilation()
        self.count += 1
        return results, [cell.value for number, cell in enumerate(cells) if number in changed_numbers]
