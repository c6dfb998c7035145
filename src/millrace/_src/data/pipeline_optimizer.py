"""The beginning of a pass: the tree of nodes is rewritten into one with the same elements that takes less work.

Rules are rows: the option that turns a rule off, and a function from a node to a node, or to None where the rule does
not apply. Rules are tried from the sources upwards, until none applies. The result is kept on the root, for the next
pass. Most of what TensorFlow's rewrites gain is not here because blocks give it without a rewrite: see
`docs/decisions/datasets.md`.
"""

from __future__ import annotations

from collections.abc import Callable

from millrace._src.core.context import unique_id
from millrace._src.data.cursors import Cursor
from millrace._src.data.debug_mode import is_debugging
from millrace._src.data.nodes import DatasetNode, PassContext, replace_fields
from millrace._src.data.options import OptimizationOptions, Options
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.pass_streams import with_streams_of
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.data.transforms.map_elements import MapNode
from millrace._src.data.transforms.prefetch import InjectedPrefetchNode, PrefetchNode
from millrace._src.data.transforms.with_options import options_of
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.func_graph import FuncGraph

Rule = Callable[[DatasetNode], DatasetNode | None]


def begin(node: DatasetNode) -> tuple[Cursor, PassContext]:
    """Begins a pass over a dataset; returns the cursor and what the cursors of the pass share."""
    context = PassContext(options_of(node))
    return with_streams_of(context, read_ahead(node)).cursor(context), context


def read_ahead(node: DatasetNode) -> DatasetNode:
    """Returns the dataset that passes over a dataset go over; elements are made ahead if the options allow that."""
    found = optimize_for_iteration(node)
    if node.is_made_ahead is None:
        node.is_made_ahead = _allows_prefetch(options_of(node)) and _may_be_made_ahead(found)
    # A new node for each pass: one that were kept would refer to the node that keeps it.
    return _with_prefetch(found) if node.is_made_ahead and not is_debugging() else found


def _allows_prefetch(options: Options) -> bool:
    return options.autotune.enabled is not False and _is_on(options.experimental_optimization, "inject_prefetch")


def optimize_for_iteration(node: DatasetNode) -> DatasetNode:
    """Returns what `optimize` gives for a dataset, which is found once."""
    if node.rewritten is None and not node.is_optimal:
        found = optimize(node, options_of(node))
        if found is node:
            node.is_optimal = True  # a node that referred to itself would outlive its last user
        else:
            node.rewritten = found
    return node.rewritten or node


def optimize(node: DatasetNode, options: Options) -> DatasetNode:
    """Returns a dataset with the same elements, by the rules that the options allow."""
    switches = options.experimental_optimization
    rules = [rule for option, rule in RULES if _is_on(switches, option)]
    return _rewrite(node, rules)


def _is_on(switches: OptimizationOptions, option: str) -> bool:
    """Returns whether a rule may be used: its switch decides, or the switch of all rules where its own is not set."""
    own: bool | None = getattr(switches, option)
    return switches.apply_default_optimizations is not False if own is None else own


def _rewrite(node: DatasetNode, rules: list[Rule]) -> DatasetNode:
    node = node.with_inputs([_rewrite(source, rules) for source in node.inputs])
    for rule in rules:
        found = rule(node)
        if found is not None:
            return _rewrite(found, rules)
    return node


# --- rules -------------------------------------------------------------------------------------------------------


def _remove_noop(node: DatasetNode) -> DatasetNode | None:
    """Leaves out a stage that changes nothing."""
    # take(-1), skip(0), repeat(1) ... -> the source
    return node.inputs[0] if node.changes_nothing else None


def _fuse_maps(node: DatasetNode) -> DatasetNode | None:
    """Makes one stage of two pure functions that follow one another."""
    # map(f).map(g) -> map(g of f)
    if type(node) is not MapNode or type(node.source) is not MapNode:
        return None
    first, second = node.source.function, node.function
    if not (first.is_pure and second.is_pure):
        return None
    keeps = node.preserves_cardinality and node.source.preserves_cardinality
    fused: DatasetNode = replace_fields(
        node, source=node.source.source, function=compose(first, second), preserves_cardinality=keeps
    )
    return fused


def compose(first: BoundFunction, second: BoundFunction) -> BoundFunction:
    """Returns the function that applies one function to an element, and another one to the result."""
    captures = [*first.captures, *second.captures]
    rows = first.function.graph.inputs[: len(first.function.graph.inputs) - len(first.captures)]
    held = [
        *first.function.graph.inputs[len(rows) :],
        *second.function.graph.inputs[len(second.function.graph.inputs) - len(second.captures) :],
    ]
    graph = FuncGraph(f"{first.function.graph.name}_{second.function.graph.name}_{unique_id()}")
    with graph.as_default():
        graph.inputs = [graph.placeholder_like(t, t.shape, "args") for t in (*rows, *held)]
        arguments, rest = graph.inputs[: len(rows)], graph.inputs[len(rows) :]
        results = first.function([*arguments, *rest[: len(first.captures)]])
        graph.outputs = second.function([*results, *rest[len(first.captures) :]])
    return BoundFunction(GraphFunction(graph, graph.name, on_host=True), captures, second.stage)


def _with_prefetch(node: DatasetNode) -> DatasetNode:
    """Lets elements of a whole pipeline be made ahead; of a loop, those of the dataset that the loop is over."""
    # dataset -> dataset.prefetch(AUTOTUNE)
    if node.runs_loop_body:
        return node.with_inputs([_with_prefetch(source) for source in node.inputs])
    return InjectedPrefetchNode(node.dtypes, node.shapes, node, AUTOTUNE)


def _may_be_made_ahead(node: DatasetNode) -> bool:
    """Returns whether no stage of a pipeline says how far elements are made ahead; see `decisions/prefetching.md`."""
    while node.runs_loop_body:
        (node,) = node.inputs
    return not node.works_ahead and node.begins_passes_unobserved and not _refuses_prefetch(node)


def _refuses_prefetch(node: DatasetNode) -> bool:
    """Returns whether a stage is a prefetch of no elements."""
    waiting = [node]
    while waiting:  # a chain of datasets may be longer than Python's stack is deep
        node = waiting.pop()
        if isinstance(node, PrefetchNode) and not node.room:
            return True
        waiting.extend(node.inputs)
    return False


RULES: tuple[tuple[str, Rule], ...] = (
    ("noop_elimination", _remove_noop),
    ("map_fusion", _fuse_maps),
)
