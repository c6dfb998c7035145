"""Proves that indices which loops count stay in range.

A loop that reads `x[i]` for `i` from 0 to the length of `x` cannot fail, but each of its indices looks as if it could.
A compiled program refuses no index, so such a loop may only be compiled if somebody proves that the NumPy tier would
not refuse one either. This module proves what loops over tensors and lists need, and what the gradients of such loops
need:

- A counter begins at a number, grows by a number, and the condition keeps it below a bound.
- A list keeps its length while its items are set, and one that grows by an item in each iteration is as long as the
  counter of the iterations; a loop that counts this counter down and takes out one item each time never takes too many.
- An item of a list of indices is one of the numbers that were put in.

Indices may also be numbers of the program, such as the last step of `x[:, -1]`. A bound is a number, or a size that
is unknown yet, plus a number: the length of `x`, the value of `n`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from millrace._src.core.op_algebra import Comparison, ElementOrder
from millrace._src.core.shapes import TensorShape
from millrace._src.core.value_ranges import (
    LARGE_ENOUGH,
    SMALLEST,
    Fact,
    Items,
    Size,
    ValueRange,
    can_hold,
    constant_fact,
    join,
    safe_sum,
)
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, all_nodes

Facts: TypeAlias = dict[Value, Fact]


def proven_nodes(graph: OptimizedGraph) -> set[Node]:
    """Returns the nodes, inside of loops too, whose indices are in range whatever the arguments of the graph are."""
    is_worth_it = any(node.graphs or node.op_def.rules.in_range is not None for node in graph.nodes)
    return _Proof().go_through(graph, {}) if is_worth_it else set()


class _Proof:
    """A walk through a graph that gathers facts, and the nodes that cannot fail."""

    def __init__(self) -> None:
        self.roots: dict[Value, Value] = {}
        """The value around a loop for each value inside of it that all iterations pass on."""

    def go_through(self, graph: OptimizedGraph, facts: Facts) -> set[Node]:
        """Adds what is known of the values of a graph to `facts`; returns the nodes that cannot fail."""
        proven: set[Node] = set()
        for node in graph.nodes:
            control = node.op_def.traits.control
            if control == "loop" and len(node.graphs) == 2:
                proven |= _Loop(self, node, facts).go_through()
            elif control == "choice":
                for branch in node.graphs:
                    proven |= self.go_through(branch, self.pass_facts(branch.inputs, node.inputs[1:], facts))
            elif not node.added:
                _add_known(self, node, facts)
            proven.update(part for part in (node, *node.added) if self._is_in_range(part, facts))
        return proven

    def _is_in_range(self, node: Node, facts: Facts) -> bool:
        rule = node.op_def.rules.in_range
        return rule is not None and rule(_NodeFacts(self, node, facts))

    def pass_facts(self, inputs: Sequence[Value], operands: Sequence[Value], facts: Facts) -> Facts:
        """Returns what is known of the inputs of a graph inside, which are values of the graph around."""
        pairs = list(zip(inputs, operands, strict=True))
        self.roots.update((inner, self.root(outer)) for inner, outer in pairs)
        return {inner: known for inner, outer in pairs if (known := self.fact(outer, facts)) is not None}

    def root(self, value: Value) -> Value:
        """Returns the value outside of all loops that a value equals, or the value itself."""
        return self.roots.get(value, value)

    def fact(self, value: Value, facts: Facts) -> Fact | None:
        """Returns what is known of a value."""
        if value.constant is not None:
            return _constant_fact(value)
        known = facts.get(value)
        if known is None and value.dtype.is_integer and value.shape.rank == 0:
            known = ValueRange(SMALLEST, exact=Size(self.root(value), 0))
        return known

    def number(self, value: Value, facts: Facts) -> ValueRange | None:
        """Returns what is known of an integer."""
        known = self.fact(value, facts)
        return known if isinstance(known, ValueRange) else None

    def items(self, value: Value, facts: Facts) -> Items | None:
        """Returns what is known of a list."""
        known = facts.get(value)
        return known if isinstance(known, Items) else None

    def size(self, value: Value, axis: int) -> Size | None:
        """Returns the size of an axis of an array."""
        if value.shape.rank is None or axis >= value.shape.rank:
            return None
        dim = value.shape.as_list()[axis]
        return Size((self.root(value), axis), 0) if dim is None else Size(None, dim)


class _Loop:
    """A loop: what holds in each of its iterations, and after them.

    Args:
      proof: the walk through the graph around.
      node: the loop.
      facts: what is known around.
    """

    def __init__(self, proof: _Proof, node: Node, facts: Facts) -> None:
        self.proof, self.node, self.facts = proof, node, facts
        self.cond, self.body = node.graphs
        self.slots = range(len(node.inputs))
        self.firsts = [proof.fact(value, facts) for value in node.inputs]
        self.steps = [_step(self.body, slot) for slot in self.slots]
        self.growths = [_growth(self.body, slot) for slot in self.slots]

    def go_through(self) -> set[Node]:
        """Adds what is known after the loop to the facts around; returns the nodes inside that cannot fail."""
        kept = [slot for slot in self.slots if self.body.outputs[slot] is self.body.inputs[slot]]
        for graph in (self.cond, self.body):
            for slot in kept:
                self.proof.roots[graph.inputs[slot]] = self.proof.root(self.node.inputs[slot])
        known: dict[int, Fact] = {slot: f for slot in kept if (f := self.firsts[slot]) is not None}
        test_facts = self._inside(self.cond, known)
        proven = self.proof.go_through(self.cond, test_facts)
        known |= self._counters(test_facts)
        lists = [slot for slot, first in enumerate(self.firsts) if isinstance(first, Items) and slot not in known]
        known |= {slot: self._list_inside(slot) for slot in lists}
        facts = self._inside(self.body, known)
        self.proof.go_through(self.body, facts)
        known |= self._lists_with_items(known, facts)
        facts = self._inside(self.body, known)
        proven |= self.proof.go_through(self.body, facts) | self._never_empty(known)
        self._note_results(known)
        return proven

    def _inside(self, graph: OptimizedGraph, known: dict[int, Fact]) -> Facts:
        return {graph.inputs[slot]: fact for slot, fact in known.items()}

    def _counters(self, test_facts: Facts) -> dict[int, Fact]:
        """Returns what is known in an iteration of the variables that count up or down."""
        counters: dict[int, Fact] = {}
        for slot, step in enumerate(self.steps):
            first = self.firsts[slot]
            if step is None or not isinstance(first, ValueRange):
                continue
            counter = self.cond.inputs[slot]
            least, most = _bounds(self.proof, self.cond, counter, test_facts)
            inside = (
                ValueRange(max(first.least, least), most) if step > 0 else ValueRange(least, first.exact or first.most)
            )
            if safe_sum(inside, step, counter.dtype) is not None:
                counters[slot] = inside
        return counters

    def _list_inside(self, slot: int) -> Items:
        first = self.firsts[slot]
        assert isinstance(first, Items)  # or nothing would have asked
        return first if self.growths[slot] == 0 else replace(first, length=None)

    def _lists_with_items(self, known: dict[int, Fact], facts: Facts) -> dict[int, Fact]:
        """Returns what holds for the lists in all iterations, for the first items and for those put in later."""
        lists: dict[int, Fact] = {}
        for slot, before in known.items():
            if isinstance(before, Items):
                after = self._lasting(self.proof.items(self.body.outputs[slot], facts))
                if after is None:
                    lists[slot] = Items(before.length)
                elif before.is_new:
                    lists[slot] = replace(after, length=before.length)
                elif not after.is_new:
                    lists[slot] = Items(before.length, join(before.item, after.item))
        return lists

    def _lasting(self, items: Items | None) -> Items | None:
        """Returns what is known of a list without what refers to values of one iteration."""
        item = items.item if items is not None else None
        if items is None or item is None:
            return items
        own_values = {
            *self.body.inputs,
            *[v for node in all_nodes(self.body) for v in (*node.outputs, *_inputs_of(node))],
        }

        def lasting(size: Size | None) -> Size | None:
            base = None if size is None else size.base[0] if isinstance(size.base, tuple) else size.base
            return None if base in own_values else size

        return replace(items, item=ValueRange(item.least, lasting(item.most or item.exact), lasting(item.exact)))

    def _never_empty(self, known: dict[int, Fact]) -> set[Node]:
        """Returns the nodes that take one item out of a list in each iteration, where the iterations are as many."""
        lengths = {
            first.exact
            for slot, first in enumerate(self.firsts)
            if self.steps[slot] == -1
            and isinstance(first, ValueRange)
            and isinstance(inside := known.get(slot), ValueRange)
            and inside.least >= 1
        }
        shrinking_nodes = [
            self.body.outputs[slot].node
            for slot, first in enumerate(self.firsts)
            if isinstance(first, Items) and self.growths[slot] == -1 and first.length in lengths - {None}
        ]
        return {node for node in shrinking_nodes if node is not None}

    def _note_results(self, known: dict[int, Fact]) -> None:
        """Notes what is known after the loop."""
        zero = Size(None, 0)
        trips: Size | None = None
        for slot, first in enumerate(self.firsts):
            counts = self.steps[slot] == 1 and self.node.inputs[slot].dtype.size >= LARGE_ENOUGH
            if counts and isinstance(first, ValueRange) and first.exact == zero:
                trips = trips or Size(self.node.outputs[slot], 0)
                self.facts[self.node.outputs[slot]] = ValueRange(0, exact=trips)
        for slot in self.slots:
            inside, result = known.get(slot), self.node.outputs[slot]
            if self.body.outputs[slot] is self.body.inputs[slot] and inside is not None:
                self.facts[result] = inside
                self.proof.roots[result] = self.proof.root(self.node.inputs[slot])
            elif isinstance(inside, Items):
                first = self.firsts[slot]
                assert isinstance(first, Items)  # as in the loop
                grown = trips if self.growths[slot] == 1 and first.length == zero else None
                self.facts[result] = replace(inside, length=first.length if self.growths[slot] == 0 else grown)


def _inputs_of(node: Node) -> list[Value]:
    """Returns the inputs of the graphs inside of a node."""
    return [value for graph in node.graphs for value in graph.inputs]


# --- nodes ------------------------------------------------------------------------------------------------------------


class _NodeFacts:
    """What rules may ask about a node: a `RangeContext`."""

    def __init__(self, proof: _Proof, node: Node, facts: Facts) -> None:
        self._proof, self._node, self._facts = proof, node, facts

    @property
    def attrs(self) -> Mapping[str, Any]:
        return self._node.attrs

    @property
    def input_count(self) -> int:
        return len(self._node.inputs)

    def shape(self, index: int) -> TensorShape:
        return self._node.inputs[index].shape

    def constant(self, index: int) -> Any:
        return self._node.inputs[index].constant

    def fact(self, index: int) -> Fact | None:
        return self._proof.fact(self._node.inputs[index], self._facts)

    def number(self, index: int) -> ValueRange | None:
        return self._proof.number(self._node.inputs[index], self._facts)

    def items(self, index: int) -> Items | None:
        return self._proof.items(self._node.inputs[index], self._facts)

    def size(self, index: int, axis: int) -> Size | None:
        return self._proof.size(self._node.inputs[index], axis)


def _add_known(proof: _Proof, node: Node, facts: Facts) -> None:
    """Adds what is known of the outputs of a node to the facts: by the rule of the op, or by the op's algebra."""
    traits, rule = node.op_def.traits, node.op_def.rules.value_range
    known: Sequence[Fact | None] = ()
    if rule is not None:
        known = rule(_NodeFacts(proof, node, facts))
    elif traits.summand_signs:
        known = [_sum_with_constant(proof, node, facts, traits.summand_signs)]
    elif traits.is_conversion or traits.element_order is ElementOrder.SAME:
        known = [_same_number(proof, node, facts)]
    facts.update((value, fact) for value, fact in zip(node.outputs, known, strict=False) if fact is not None)


def _sum_with_constant(proof: _Proof, node: Node, facts: Facts, signs: Sequence[int]) -> Fact | None:
    """Returns what is known of an integer plus or minus a constant."""
    x, number = node.inputs if node.inputs[1].constant is not None or signs[1] < 0 else node.inputs[::-1]
    known, constant = proof.number(x, facts), _constant_number(number)
    return None if known is None or constant is None else safe_sum(known, signs[1] * constant, node.outputs[0].dtype)


def _constant_number(value: Value) -> int | None:
    """Returns the integer that a value always is; None for another value."""
    known = _constant_fact(value)
    return known.least if isinstance(known, ValueRange) else None


def _constant_fact(value: Value) -> Fact | None:
    return None if value.constant is None or not value.dtype.is_integer else constant_fact(value.constant)


def _same_number(proof: _Proof, node: Node, facts: Facts) -> Fact | None:
    """Returns what is known of an integer that is the first input, in another dtype or of another shape."""
    x, result = node.inputs[0], node.outputs[0]
    known = proof.number(x, facts) if result.dtype.is_integer else None
    return known if known is not None and can_hold(result.dtype, known, x.dtype) else None


# --- loops ------------------------------------------------------------------------------------------------------------


def _step(body: OptimizedGraph, slot: int) -> int | None:
    """Returns by how much a variable of a loop grows in each iteration; None unless that is a constant."""
    node, before = body.outputs[slot].node, body.inputs[slot]
    signs = node.op_def.traits.summand_signs if node is not None else ()
    if node is None or not signs or node.added or not before.dtype.is_integer or before.shape.rank != 0:
        return None
    others = [value for value in node.inputs if value is not before]
    if len(others) != 1 or (signs[1] < 0 and node.inputs[0] is not before):
        return None
    constant = _constant_number(others[0])
    return signs[1] * constant or None if constant is not None else None


def _growth(body: OptimizedGraph, slot: int) -> int | None:
    """Returns by how many items a list of a loop grows in each iteration; None unless that is told by one node."""
    value, before = body.outputs[slot], body.inputs[slot]
    if value is before or before.dtype.name != "variant":
        return 0 if value is before else None
    growth = _growth_at(value)
    if growth and value.node is not None and value.node.inputs[0] is before:
        return growth
    while value.node is not None and _growth_at(value) == 0:
        value = value.node.inputs[0]
    return 0 if value is before else None


def _growth_at(value: Value) -> int | None:
    """Returns how many items a list has more than the list that its node got; None for what no node made so."""
    node = value.node
    return None if node is None or value.value_index else node.op_def.list_growth(node.attrs)


_ORDER = {
    Comparison.LESS: (0, 1, 1),
    Comparison.LESS_EQUAL: (0, 1, 0),
    Comparison.GREATER: (1, 0, 1),
    Comparison.GREATER_EQUAL: (1, 0, 0),
}
"""For a comparison, the inputs of what is less and of what is greater, and by how much at least."""


def _bounds(proof: _Proof, cond: OptimizedGraph, counter: Value, facts: Facts) -> tuple[int, Size | None]:
    """Returns between which numbers the condition of a loop keeps a counter."""
    least, most = SMALLEST, None
    open_values: list[Value] = [cond.outputs[0]]
    while open_values:
        node = open_values.pop().node
        if node is None:
            continue
        if node.op_def.traits.is_conjunction:
            open_values += node.inputs
            continue
        comparison = node.op_def.traits.comparison
        if comparison in _ORDER:
            low, high, distance = _ORDER[comparison]
            if node.inputs[low] is counter:
                bound = proof.number(node.inputs[high], facts)
                most = bound.exact.plus(-distance) if bound is not None and bound.exact is not None else most
            elif node.inputs[high] is counter:
                bound = proof.number(node.inputs[low], facts)
                least = bound.least + distance if bound is not None and bound.least > SMALLEST else least
    return least, most
