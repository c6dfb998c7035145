"""The costs of the operations of a graph: what is known of each, and which operations a profile looks at.

Tests: tests/compat_v1/graph_profile/test_profiler.py
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.ops.flops import flops_of

TRAINABLE = "_trainable_variables"


@dataclass
class Cost:
    """What one operation costs.

    Attributes:
      operation: the operation; None for a node that only a run knows, as a chain that XLA runs.
      name: its name.
      op: its op.
      types: what `account_type_regexes` may ask for.
      params: the elements of a variable.
      float_ops: the float operations.
      micros: the microseconds of a run.
      bytes: the bytes of the results of a run.
      runs: how often it ran.
    """

    operation: Any
    name: str
    op: str
    types: tuple[str, ...]
    params: int = 0
    float_ops: int = 0
    micros: int = 0
    bytes: int = 0
    runs: int = 0

    def value(self, attribute: str) -> int:
        """Returns a cost by the name that options give it."""
        return {
            "params": self.params,
            "float_ops": self.float_ops,
            "micros": self.micros,
            "bytes": self.bytes,
            "occurrence": 1,
        }.get(attribute, 0)


def costs_of(graph: Graph, run_metas: Sequence[Any] = (), op_log: Any = None) -> list[Cost]:
    """Returns the costs of all operations of a graph, in their order.

    Args:
      graph: the graph.
      run_metas: `RunMetadata`s of runs with a full trace; of several, the mean counts.
      op_log: an `OpLogProto` with more types and float operations, or None.
    """
    variables = {v.op.name: v for v in graph.get_collection("trainable_variables")}
    trainable = {*variables, *(v.op.name for v in getattr(graph, "trainable_variables", ()))}
    entries = {entry.name: entry for entry in (op_log.log_entries if op_log is not None else ())}
    costs = [_cost(operation, operation.name in trainable, entries.get(operation.name)) for operation in _all(graph)]
    by_name = {cost.name: cost for cost in costs}
    for meta in run_metas:
        _add_run(by_name, meta, len(run_metas))
    return costs


def _all(graph: Graph) -> list[Any]:
    return list(graph.get_operations())


def _cost(operation: Operation, is_trainable: bool, entry: Any) -> Cost:
    types = (operation.type, *((operation.device,) if operation.device else ()))
    types += (TRAINABLE,) if is_trainable else ()
    cost = Cost(operation, operation.name, operation.type, types, float_ops=flops_of(operation))
    if operation.op_def.traits.makes_shared_object and "shape" in operation.attrs:
        shape = operation.attrs["shape"]
        cost.params = math.prod(shape.as_list()) if shape.is_fully_defined() else 0
    if entry is not None:
        cost.types += tuple(entry.types)
        cost.float_ops = entry.float_ops or cost.float_ops
    return cost


def _add_run(costs: dict[str, Cost], meta: Any, count: int) -> None:
    for device in meta.step_stats.dev_stats:
        for node in device.node_stats:
            cost = costs.get(node.node_name)
            if cost is None:
                op = node.timeline_label.partition(" = ")[2].partition("(")[0]
                cost = costs[node.node_name] = Cost(None, node.node_name, op, (op,))
            cost.micros += node.all_end_rel_micros // count
            cost.bytes += sum(memory.total_bytes for memory in node.memory) // count
            cost.runs += 1


def is_accounted(cost: Cost, options: dict[str, Any]) -> bool:
    """Returns whether a profile looks at an operation, by its types."""
    return _matches(options["account_type_regexes"], cost.types)


def is_large(costs: Sequence[Cost], options: dict[str, Any]) -> bool:
    """Returns whether operations together cost what the options ask for at least."""
    minima = {"params": "min_params", "float_ops": "min_float_ops", "micros": "min_micros", "bytes": "min_bytes"}
    return all(
        sum(cost.value(attribute) for cost in costs) >= options.get(minimum, 0)
        for attribute, minimum in minima.items()
        if attribute in options["select"] or attribute == options["order_by"]
    )


def is_shown(name: str, options: dict[str, Any]) -> bool:
    """Returns whether a profile shows a node, by its name."""
    if not _matches(options["show_name_regexes"], [name]) or _matches(options["hide_name_regexes"], [name]):
        return False
    starts = options["start_name_regexes"]
    parts = name.split("/")
    above = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return _matches(starts, above) and not _matches(options["trim_name_regexes"], above[:-1])


def _matches(regexes: Iterable[str], texts: Iterable[str]) -> bool:
    texts = list(texts)
    return any(re.fullmatch(regex, text) for regex in regexes for text in texts)
