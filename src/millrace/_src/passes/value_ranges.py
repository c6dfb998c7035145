"""Proves that indices which loops count stay in range.

A loop that reads `x[i]` for `i` from 0 to the length of `x` cannot fail, but each of its indices looks as if it could.
XLA refuses no index, so such a loop may only run there if somebody proves that the NumPy tier would not refuse one
either. This module proves what loops over tensors and lists need, and what the gradients of such loops need:

- A counter begins at a number, grows by a number, and the condition keeps it below a bound.
- A list keeps its length while its items are set, and one that grows by an item in each iteration is as long as the
  counter of the iterations; a loop that counts this counter down and takes out one item each time never takes too many.
- An item of a list of indices is one of the numbers that were put in.

Indices may also be numbers of the program, such as the last step of `x[:, -1]`. A bound is a number, or a size that
is unknown yet, plus a number: the length of `x`, the value of `n`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, all_nodes
from millrace._src.passes.value_range_facts import (
    LARGE_ENOUGH,
    SMALLEST,
    Fact,
    Items,
    Size,
    ValueRange,
    each_of,
    exactly,
    holds,
    joined,
    moved,
    of_constant,
    safe_sum,
    vector,
)

Facts: TypeAlias = dict[Value, Fact]


def proven_nodes(graph: OptimizedGraph) -> set[Node]:
    """Returns the nodes, inside of loops too, whose indices are in range whatever the arguments of the graph are."""
    is_worth_it = any(node.graphs or node.type in _PROOFS for node in graph.nodes)
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
                    proven |= self.go_through(branch, self.passed_on(branch.inputs, node.inputs[1:], facts))
            elif node.type in _RULES and not node.added:
                facts.update(_known(node, _RULES[node.type](self, node, facts)))
            proven.update(p for p in (node, *node.added) if p.type in _PROOFS and _PROOFS[p.type](self, p, facts))
        return proven

    def passed_on(self, inputs: Sequence[Value], operands: Sequence[Value], facts: Facts) -> Facts:
        """Returns what is known of the inputs of a graph inside, which are values of the graph around."""
        pairs = list(zip(inputs, operands, strict=True))
        self.roots.update((inner, self.root(outer)) for inner, outer in pairs)
        return {inner: known for inner, outer in pairs if (known := self.fact(outer, facts)) is not None}

    def root(self, value: Value) -> Value:
        """Returns the value outside of all loops that a value represents, or the value itself."""
        return self.roots.get(value, value)

    def fact(self, value: Value, facts: Facts) -> Fact | None:
        """Returns what is known of a value."""
        if value.constant is not None:
            return of_constant(value)
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
                    lists[slot] = Items(before.length, joined(before.item, after.item))
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


# --- what nodes tell --------------------------------------------------------------------------------------------------


def _known(node: Node, known: Sequence[Fact | None]) -> Facts:
    return {value: fact for value, fact in zip(node.outputs, known, strict=False) if fact is not None}


Rule: TypeAlias = Callable[[_Proof, Node, Facts], Sequence["Fact | None"]]
"""Returns what is known of the outputs of a node."""


def _plus_constant(sign: int) -> Rule:
    def rule(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
        x, number = node.inputs if node.inputs[1].constant is not None or sign < 0 else node.inputs[::-1]
        known, constant = proof.number(x, facts), of_constant(number) if number.constant is not None else None
        if known is None or not isinstance(constant, ValueRange):
            return [None]
        return [safe_sum(known, sign * constant.least, node.outputs[0].dtype)]

    return rule


def _same_number(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    (x, *_), (result,) = node.inputs, node.outputs
    known = proof.number(x, facts) if result.dtype.is_integer else None
    return [known if known is not None and holds(result.dtype, known, x.dtype) else None]


def _packed(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    if any(value.shape.rank != 0 for value in node.inputs):
        return [None]
    return [vector([proof.number(value, facts) for value in node.inputs])]


def _concatenated(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    *parts, _ = node.inputs
    if any(value.shape.rank != 1 or value.shape.num_elements() is None for value in parts):
        return [None]
    numbers: list[ValueRange | None] = []
    for value in parts:
        known = each_of(proof.fact(value, facts))
        numbers += known or [None] * (value.shape.num_elements() or 0)
    return [vector(numbers)]


def _shape(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    (x,) = node.inputs
    sizes = [proof.size(x, axis) for axis in range(x.shape.rank or 0)]
    return [vector([None if size is None else exactly(size) for size in sizes]) if sizes else None]


def _element(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    """Returns the fact of one number out of a vector: `shape[1]`."""
    numbers, begin = each_of(proof.fact(node.inputs[0], facts)), node.inputs[1].constant
    if node.inputs[0].shape.rank != 1 or begin is None or begin.size != 1 or _single_indices(node, 1) != [(0, 0)]:
        return [None]
    slot = int(begin[0])
    return [numbers[slot] if -len(numbers) <= slot < len(numbers) else None]


def _reserved(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    count = proof.number(node.inputs[1], facts)
    return [Items(count.exact if count is not None else None)]


def _from_rows(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    return [Items(proof.size(node.inputs[0], 0))]


def _with_item_set(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    known = proof.items(node.inputs[0], facts)
    keeps_length = not node.attrs.get("resize_if_index_out_of_bounds")
    return [known.with_item(proof.fact(node.inputs[2], facts)) if known is not None and keeps_length else None]


def _with_item_added(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    known = proof.items(node.inputs[0], facts)
    if known is None:
        return [None]
    grown = known.with_item(proof.fact(node.inputs[1], facts))
    return [replace(grown, length=known.length and known.length.plus(1))]


def _without_last(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    known = proof.items(node.inputs[0], facts)
    return [] if known is None else [replace(known, length=known.length and known.length.plus(-1)), known.item]


def _item(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    known = proof.items(node.inputs[0], facts)
    return [known.item if known is not None else None]


def _length(proof: _Proof, node: Node, facts: Facts) -> Sequence[Fact | None]:
    known = proof.items(node.inputs[0], facts)
    return [exactly(known.length) if known is not None and known.length is not None else None]


_RULES: dict[str, Rule] = {
    "AddV2": _plus_constant(1),
    "Sub": _plus_constant(-1),
    **dict.fromkeys(("Cast", "ExpandDims", "Squeeze", "Reshape"), _same_number),
    "Pack": _packed,
    "ConcatV2": _concatenated,
    "Shape": _shape,
    "StridedSlice": _element,
    "EmptyTensorList": lambda proof, node, facts: [Items(Size(None, 0), is_new=True)],
    "TensorListReserve": _reserved,
    "TensorListFromTensor": _from_rows,
    "TensorListSetItem": _with_item_set,
    "TensorListPushBack": _with_item_added,
    "TensorListPopBack": _without_last,
    "TensorListGetItem": _item,
    "TensorListLength": _length,
}


# --- what cannot fail -------------------------------------------------------------------------------------------------

Check: TypeAlias = Callable[[_Proof, Node, Facts], bool]
"""Returns whether a node cannot fail."""


def _is_inside(index: Fact | None, size: Size | None) -> bool:
    """Returns whether an index is in range: not negative, and less than a size."""
    if not isinstance(index, ValueRange) or index.least < 0:
        return False
    return any(bound is not None and bound.is_below(size) for bound in (index.most, index.exact))


def _is_from_end(index: Fact | None, size: Size | None) -> bool:
    """Returns whether an index is a negative number that counts from the end, and not too far."""
    if not isinstance(index, ValueRange) or index.exact is None or index.exact.base is not None:
        return False
    return size is not None and size.base is None and -size.offset <= index.exact.offset < 0


def _index_of_list(proof: _Proof, node: Node, facts: Facts) -> bool:
    known = proof.items(node.inputs[0], facts)
    return known is not None and _is_inside(proof.fact(node.inputs[1], facts), known.length)


def _single_indices(node: Node, rank: int) -> list[tuple[int, int]] | None:
    """Returns the indices of a slice that each take one element: where the index stands, and its axis.

    Args:
      node: a slice with strides.
      rank: the number of axes of what is sliced.

    Returns: None where it is unknown whether a stride is refused.
    """
    strides = node.inputs[3].constant
    if strides is None or (strides == 0).any():
        return None
    shrinks, new, dots = (node.attrs.get(mask, 0) for mask in ("shrink_axis_mask", "new_axis_mask", "ellipsis_mask"))
    axes_named = sum(not (new | dots) >> position & 1 for position in range(strides.size))
    found_indices: list[tuple[int, int]] = []
    axis = 0
    for position in range(strides.size):
        if dots >> position & 1:
            axis += rank - axes_named
        elif not new >> position & 1:
            if shrinks >> position & 1:
                if strides[position] < 0:
                    return None
                found_indices.append((position, axis))
            axis += 1
    return found_indices


def _takes_inside(node: Node, begin: Fact | None, sizes: Sequence[Size | None]) -> bool:
    """Returns whether all indices of a slice that take one element are in range."""
    found_indices, numbers = _single_indices(node, len(sizes)), each_of(begin)
    if found_indices is None or node.attrs.get("begin_mask", 0) & node.attrs.get("shrink_axis_mask", 0):
        return False
    return all(
        position < len(numbers)
        and axis < len(sizes)
        and (_is_inside(numbers[position], sizes[axis]) or _is_from_end(numbers[position], sizes[axis]))
        for position, axis in found_indices
    )


def _slice(proof: _Proof, node: Node, facts: Facts) -> bool:
    x, begin = node.inputs[:2]
    sizes = [proof.size(x, axis) for axis in range(x.shape.rank or 0)]
    return x.shape.rank is not None and _takes_inside(node, proof.fact(begin, facts), sizes)


def _slice_of_gradient(proof: _Proof, node: Node, facts: Facts) -> bool:
    shape, begin = node.inputs[:2]
    sizes = [None if number is None else number.exact for number in each_of(proof.fact(shape, facts))]
    return bool(sizes) and _takes_inside(node, proof.fact(begin, facts), sizes)


def _block(proof: _Proof, node: Node, facts: Facts) -> bool:
    """Returns whether the block that `tf.slice` takes is inside, along each axis."""
    x, begin, size = node.inputs
    begins, counts = each_of(proof.fact(begin, facts)), each_of(proof.fact(size, facts))
    if x.shape.rank is None or not len(begins) == len(counts) == x.shape.rank:
        return False
    return all(_is_part(proof.size(x, axis), *pair) for axis, pair in enumerate(zip(begins, counts, strict=True)))


def _is_part(whole: Size | None, first: ValueRange | None, count: ValueRange | None) -> bool:
    """Returns whether some positions after each other are among all; a count of -1 represents all that follow."""
    least_first = first.least if first is not None else -1
    if first is None or count is None or count.exact is None or whole is None or least_first < 0:
        return False
    end = whole.plus(1)
    if count.exact == Size(None, -1):
        return first.exact == Size(None, 0) or _is_inside(first, end)
    if count.exact == whole:
        return first.exact == Size(None, 0)
    number = count.exact
    return number.base is None and number.offset >= 0 and _is_inside(moved(first, number.offset), end)


def _gathered(proof: _Proof, node: Node, facts: Facts) -> bool:
    params, indices, axis = node.inputs
    at = of_constant(axis) if axis.constant is not None else None
    if not isinstance(at, ValueRange) or at.least < 0 or node.attrs.get("batch_dims"):
        return False
    return indices.shape.rank == 0 and _is_inside(proof.fact(indices, facts), proof.size(params, at.least))


_PROOFS: dict[str, Check] = {
    "TensorListGetItem": _index_of_list,
    "TensorListSetItem": _index_of_list,
    "StridedSlice": _slice,
    "Slice": _block,
    "StridedSliceGrad": _slice_of_gradient,
    "GatherV2": _gathered,
}


# --- loops ------------------------------------------------------------------------------------------------------------


def _step(body: OptimizedGraph, slot: int) -> int | None:
    """Returns by how much a variable of a loop grows in each iteration; None unless that is a constant."""
    node, before = body.outputs[slot].node, body.inputs[slot]
    sign = _SIGNS.get(node.type) if node is not None else None
    if node is None or sign is None or node.added or not before.dtype.is_integer or before.shape.rank != 0:
        return None
    others = [value for value in node.inputs if value is not before]
    if len(others) != 1 or others[0].constant is None or (sign < 0 and node.inputs[0] is not before):
        return None
    constant = of_constant(others[0])
    return (sign * constant.least or None) if isinstance(constant, ValueRange) else None


def _growth(body: OptimizedGraph, slot: int) -> int | None:
    """Returns by how many items a list of a loop grows in each iteration; None unless that is told by one node."""
    value, before = body.outputs[slot], body.inputs[slot]
    if value is before or before.dtype.name != "variant":
        return 0 if value is before else None
    node = value.node
    growth = _GROWTHS.get(node.type) if node is not None else None
    if node is not None and growth is not None and node.inputs[0] is before and not value.value_index:
        return growth
    while node is not None and node.type in _SETS_ITEM and not node.attrs.get("resize_if_index_out_of_bounds"):
        value = node.inputs[0]
        node = value.node
    return 0 if value is before else None


_SIGNS = {"AddV2": 1, "Sub": -1}
_SETS_ITEM = frozenset({"TensorListSetItem"})
_CONJUNCTIONS = frozenset({"LogicalAnd"})
_GROWTHS = {"TensorListPushBack": 1, "TensorListPopBack": -1}
_ORDER = {"Less": (0, 1, 1), "LessEqual": (0, 1, 0), "Greater": (1, 0, 1), "GreaterEqual": (1, 0, 0)}
"""For a comparison, the inputs of what is less and of what is greater, and by how much at least."""


def _bounds(proof: _Proof, cond: OptimizedGraph, counter: Value, facts: Facts) -> tuple[int, Size | None]:
    """Returns between which numbers the condition of a loop keeps a counter."""
    least, most = SMALLEST, None
    open_values: list[Any] = [cond.outputs[0]]
    while open_values:
        node = open_values.pop().node
        if node is not None and node.type in _CONJUNCTIONS:
            open_values += node.inputs
        elif node is not None and node.type in _ORDER:
            low, high, distance = _ORDER[node.type]
            if node.inputs[low] is counter:
                bound = proof.number(node.inputs[high], facts)
                most = bound.exact.plus(-distance) if bound is not None and bound.exact is not None else most
            elif node.inputs[high] is counter:
                bound = proof.number(node.inputs[low], facts)
                least = bound.least + distance if bound is not None and bound.least > SMALLEST else least
    return least, most
