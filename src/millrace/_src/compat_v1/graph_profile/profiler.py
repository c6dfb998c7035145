"""`tf.compat.v1.profiler.profile`: trees and tables of the costs of a graph.

`scope` arranges operations by their names, `op` adds up those of one op, `code` those of one line of the program; names
and least costs in the options are those of scopes, ops or lines. What the graph alone knows (parameters, float
operations) needs no run; times and memory come from the `RunMetadata` of a run with a full trace. `graph`, which
follows the edges, and output for pprof are refused.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.graph_profile.costs import Cost, costs_of, is_accounted, is_large, is_shown
from millrace._src.compat_v1.graph_profile.options import ProfileOptionBuilder
from millrace._src.core import errors
from millrace._src.core.context import current_graph
from millrace._src.explain.timeline import chrome_timeline
from millrace._src.explain.xplane import line_text
from millrace._src.graph.graph import Graph
from millrace._src.ops.io import gfile
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.proto import tfprof_log_pb2, tfprof_output_pb2
from millrace._src.util.export import export, export_constant
from millrace._src.util.text_table import table

_ROOT = "_TFProfRoot"
_FIELDS = {"params": "parameters", "float_ops": "float_ops", "micros": "exec_micros", "bytes": "requested_bytes"}
_UNITS = {"params": "params", "float_ops": "float_ops", "micros": "us", "bytes": "B", "occurrence": "times"}
_MAX_LISTED = 3

GraphNodeProto = tfprof_output_pb2.GraphNodeProto
MultiGraphNodeProto = tfprof_output_pb2.MultiGraphNodeProto
AdviceProto = tfprof_output_pb2.AdviceProto
OpLogProto = tfprof_log_pb2.OpLogProto
export_constant(__name__, "GraphNodeProto", v1=["profiler.GraphNodeProto"])
export_constant(__name__, "MultiGraphNodeProto", v1=["profiler.MultiGraphNodeProto"])
export_constant(__name__, "AdviceProto", v1=["profiler.AdviceProto"])
export_constant(__name__, "OpLogProto", v1=["profiler.OpLogProto"])


@export(v1=["profiler.profile"])
def profile(graph: Any = None, run_meta: Any = None, op_log: Any = None, cmd: str = "scope", options: Any = 0) -> Any:
    """Returns, and prints, what the operations of a graph cost.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.compat.v1.placeholder(tf.float32, [2, 3])
    ...     y = tf.matmul(x, tf.ones([3, 4]))
    >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
    >>> options = builder(builder.float_operation()).with_empty_output().build()
    >>> tf.compat.v1.profiler.profile(graph, cmd="op", options=options).total_float_ops
    48

    Args:
      graph: the graph; by default the one that is being built.
      run_meta: the `RunMetadata` of a run with a full trace; None for what the graph alone knows.
      op_log: an `OpLogProto` with more types and float operations.
      cmd: "scope", "op" or "code".
      options: what to show; see `ProfileOptionBuilder`. By default the parameters of trainable variables.

    Returns: A `GraphNodeProto` for "scope", else a `MultiGraphNodeProto`.
    Raises:
      tf.errors.InvalidArgumentError: for another `cmd`.
      tf.errors.UnimplementedError: for "graph", and for output for pprof.
    """
    graph = current_graph() if graph is None else graph
    chosen = ProfileOptionBuilder.trainable_variables_parameter() if options == 0 else options
    return _profile(graph, [] if run_meta is None else [run_meta], op_log, cmd, chosen)


def _profile(graph: Any, run_metas: Sequence[Any], op_log: object, cmd: str, options: dict[str, Any]) -> Any:
    costs = [c for c in costs_of(graph, run_metas, op_log) if is_accounted(c, options)]
    if cmd == "graph":
        message = "tf.compat.v1.profiler: cmd='graph' is not supported; 'scope', 'op' and 'code' are."
        raise errors.UnimplementedError(None, None, message)
    if cmd == "scope":
        shown = [c for c in costs if is_shown(c.name, options) and is_large([c], options)]
        message, text = _by_scope(shown, options)
    elif cmd in ("op", "code"):
        message, text = _by_key(costs, options, _op_of if cmd == "op" else _line_of)
    else:
        raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    _write(text, options, run_metas)
    return message


def _op_of(cost: Cost) -> str:
    return cost.op


def _line_of(cost: Cost) -> str:
    source = None if cost.operation is None else cost.operation.source
    return "unknown line" if source is None else line_text(source)


# --- by names ----------------------------------------------------------------------------------------------------


def _by_scope(costs: Sequence[Cost], options: dict[str, Any]) -> tuple[Any, str]:
    """Returns the tree of name scopes and its text."""
    root = GraphNodeProto(name=_ROOT)
    nodes = {"": root}
    for cost in costs:
        parts = cost.name.split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            if path not in nodes:
                nodes[path] = nodes["/".join(parts[: depth - 1])].children.add(name=path)
        _fill(nodes[cost.name], cost)
    _add_totals(root)
    _order(root.children, options)
    lines = [f"node name | {', '.join(options['select'])}", *_tree_lines(root, options, 0)]
    return root, "\n".join(lines) + "\n"


def _fill(node: Any, cost: Cost) -> None:
    for attribute, field in _FIELDS.items():
        setattr(node, field, cost.value(attribute))
    node.cpu_exec_micros, node.run_count, node.total_definition_count = cost.micros, cost.runs, 1
    for index, tensor in enumerate(cost.operation.inputs if cost.operation is not None else ()):
        if tensor.shape.is_fully_defined():
            node.input_shapes[index].CopyFrom(tensor.shape.as_proto())


def _add_totals(node: Any) -> None:
    """Sets what a node costs with all below it."""
    for child in node.children:
        _add_totals(child)
    for field in (*_FIELDS.values(), "cpu_exec_micros", "run_count"):
        total = getattr(node, field) + sum(getattr(child, f"total_{field}") for child in node.children)
        setattr(node, f"total_{field}", total)
    node.total_definition_count = (
        1 * (not node.total_definition_count or bool(node.children))
        + sum(child.total_definition_count for child in node.children)
        or node.total_definition_count
    )


def _order(children: Any, options: dict[str, Any]) -> None:
    field = _FIELDS.get(options["order_by"])
    children.sort(key=lambda n: n.name if field is None else (-getattr(n, f"total_{field}"), n.name))
    for child in children:
        _order(child.children, options)


def _tree_lines(node: Any, options: dict[str, Any], depth: int) -> list[str]:
    if depth > options["max_depth"]:
        return []
    texts = []
    for attribute in options["select"]:
        field = _FIELDS.get(attribute)
        if field is not None:
            own, total = getattr(node, field), getattr(node, f"total_{field}")
            texts.append(f"{own or '--'}/{total} {_UNITS[attribute]}")
    lines = [f"{'  ' * depth}{node.name} ({', '.join(texts)})"]
    return lines + [line for child in node.children for line in _tree_lines(child, options, depth + 1)]


# --- by op, by line ----------------------------------------------------------------------------------------------


def _by_key(costs: Sequence[Cost], options: dict[str, Any], key: Callable[[Cost], str]) -> tuple[Any, str]:
    """Returns the groups of operations, each below the one that costs more, and their table."""
    groups: dict[str, list[Cost]] = {}
    for cost in costs:
        groups.setdefault(key(cost), []).append(cost)
    names = [n for n in groups if is_shown(n, options) and len(groups[n]) >= options["min_occurrence"]]
    if options["order_by"] == "name":
        names.sort()
    else:
        names.sort(key=lambda name: -sum(cost.value(options["order_by"]) for cost in groups[name]))
    # A group counts together with all groups below it.
    names = [n for i, n in enumerate(names) if is_large([c for below in names[i:] for c in groups[below]], options)]
    root = MultiGraphNodeProto(name=_ROOT)
    node, rows = root, []
    for name in names:
        node = node.children.add(name=name)
        _fill_group(node, groups[name])
        rows.append([name, len(groups[name]), *[getattr(node, _FIELDS[a]) for a in _select(options)]])
    _add_chain_totals(root)
    columns = ["node name", "nodes", *[f"{a} ({_UNITS[a]})" for a in _select(options)]]
    return root, table(columns, rows, right=columns[1:]) + "\n"


def _select(options: dict[str, Any]) -> list[str]:
    return [attribute for attribute in options["select"] if attribute in _FIELDS]


def _fill_group(group: Any, costs: Sequence[Cost]) -> None:
    for cost in costs:
        node = group.graph_nodes.add(name=cost.name)
        _fill(node, cost)
        _add_totals(node)
    for attribute, field in _FIELDS.items():
        setattr(group, field, sum(cost.value(attribute) for cost in costs))
    group.cpu_exec_micros = group.exec_micros


def _add_chain_totals(node: Any) -> None:
    for child in node.children:
        _add_chain_totals(child)
    for field in (*_FIELDS.values(), "cpu_exec_micros"):
        total = getattr(node, field) + sum(getattr(child, f"total_{field}") for child in node.children)
        setattr(node, f"total_{field}", total)


# --- where the text goes -----------------------------------------------------------------------------------------


def _write(text: str, options: dict[str, Any], run_metas: Sequence[Any]) -> None:
    """Writes the text of a profile where the options say.

    Raises: UnimplementedError: for a form that is not supported.
    """
    kind, _, target = options["output"].partition(":outfile=")
    if kind == "none":
        return
    if kind == "stdout":
        sys.stdout.write(text)
    elif kind == "file":
        _write_file(target, text.encode())
    elif kind == "timeline" and run_metas:
        _write_file(target, chrome_timeline(run_metas[-1].step_stats).encode())
    else:
        message = f"tf.compat.v1.profiler: output {options['output']!r} is not supported" + (
            " without run_meta." if kind == "timeline" else "; standard output, files and timelines are."
        )
        raise errors.UnimplementedError(None, None, message)


def _write_file(name: str, content: bytes) -> None:
    with atomic_write(name) as file:
        file.write(content)


# --- several steps, advice, logs ---------------------------------------------------------------------------------


@export(v1=["profiler.Profiler"])
class Profiler:
    """Profiles a graph over several runs.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.ones([2, 3]) * 2.0
    >>> profiler = tf.compat.v1.profiler.Profiler(graph)
    >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
    >>> options = builder(builder.float_operation()).with_empty_output().build()
    >>> profiler.profile_operations(options).total_float_ops
    6

    Args:
      graph: the graph; by default the one that is being built.
      op_log: an `OpLogProto` with more types and float operations.
    """

    def __init__(self, graph: object = None, op_log: object = None) -> None:
        self._graph = current_graph() if graph is None else graph
        self._op_log = op_log
        self._steps: dict[int, Any] = {}

    def add_step(self, step: int, run_meta: object) -> None:
        """Adds the `RunMetadata` of a run with a full trace, under the number of a step."""
        self._steps[step] = run_meta

    def _run(self, cmd: str, options: dict[str, Any]) -> Any:
        step = options["step"]
        metas = list(self._steps.values()) if step < 0 else [self._steps[step]] if step in self._steps else []
        return _profile(self._graph, metas, self._op_log, cmd, options)

    def profile_name_scope(self, options: dict[str, Any]) -> Any:
        """Returns, and prints, the costs by name scope: a `GraphNodeProto`."""
        return self._run("scope", options)

    def profile_operations(self, options: dict[str, Any]) -> Any:
        """Returns, and prints, the costs by op: a `MultiGraphNodeProto`."""
        return self._run("op", options)

    def profile_python(self, options: dict[str, Any]) -> Any:
        """Returns, and prints, the costs by line of the program: a `MultiGraphNodeProto`."""
        return self._run("code", options)

    def profile_graph(self, options: dict[str, Any]) -> Any:
        """Refuses to follow the edges of the graph.

        Raises: tf.errors.UnimplementedError: always.
        """
        return self._run("graph", options)

    def advise(self, options: Any = 0) -> Any:
        """Returns, and prints, what takes most time: an `AdviceProto`."""
        return _advice(self._graph, list(self._steps.values()), options)

    def serialize_to_string(self) -> bytes:
        """Refuses to write the profile in tfprof's own format.

        Raises: tf.errors.UnimplementedError: always.
        """
        message = "tf.compat.v1.profiler.Profiler.serialize_to_string: tfprof's own format is not supported."
        raise errors.UnimplementedError(None, None, message)


@export(v1=["profiler.advise"])
def advise(graph: Graph | None = None, run_meta: object = None, options: object = 0) -> Any:
    """Returns, and prints, which operations take most time.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.ones([2, 3]) * 2.0
    >>> advice = tf.compat.v1.profiler.advise(graph, options={"OperationChecker": {}})
    <BLANKLINE>
    OperationChecker:
    >>> list(advice.checkers)
    ['OperationChecker']

    Args:
      graph: the graph; by default the one that is being built.
      run_meta: the `RunMetadata` of a run with a full trace.
      options: the checkers by name; 0 for all. The checker of times says something; there is nothing to say here of
        accelerators and of layouts.

    Returns: An `AdviceProto`.
    """
    graph = current_graph() if graph is None else graph
    return _advice(graph, [] if run_meta is None else [run_meta], options)


_CHECKERS = ("ExpensiveOperationChecker", "AcceleratorUtilizationChecker", "OperationChecker")


def _advice(graph: Any, run_metas: Sequence[Any], options: Any) -> Any:
    message = AdviceProto()
    for name in _CHECKERS if options == 0 or options is None else options:
        message.checkers[name].SetInParent()
    if _CHECKERS[0] in message.checkers and run_metas:
        message.checkers[_CHECKERS[0]].reports.extend(_expensive(costs_of(graph, run_metas)))
    for name, checker in message.checkers.items():
        sys.stdout.write(f"\n{name}:\n" + "".join(f"{report}\n" for report in checker.reports))
    return message


def _expensive(costs: Sequence[Cost]) -> list[str]:
    """Returns a report of the ops, one of the nodes, and one of the lines that take most time."""
    total = max(sum(cost.micros for cost in costs), 1)
    reports = []
    for what, key in (("operation type", _op_of), ("graph node", lambda cost: cost.name), ("line", _line_of)):
        times: dict[str, int] = {}
        for cost in costs:
            times[key(cost)] = times.get(key(cost), 0) + cost.micros
        first = sorted(times.items(), key=lambda item: -item[1])[:_MAX_LISTED]
        lines = [f"top {i} {what}: {n}, total: {t}us ({t / total:.2%})" for i, (n, t) in enumerate(first, 1) if t]
        reports += ["\n".join(lines)] if lines else []
    return reports


@export(v1=["profiler.write_op_log"])
def write_op_log(
    graph: Graph,
    log_dir: str,
    op_log: object = None,
    run_meta: object = None,
    add_trace: bool = True,
) -> None:
    """Writes types, float operations and lines of the operations of a graph to `tfprof_log` in a folder.

    >>> import tempfile
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.ones([2, 3]) * 2.0
    >>> tf.compat.v1.profiler.write_op_log(graph, tempfile.mkdtemp())

    Args:
      graph: the graph; None for the one that is being built.
      log_dir: the folder, which must exist.
      op_log: an `OpLogProto` with more types and float operations.
      run_meta: the `RunMetadata` of a run; nothing of it is written.
      add_trace: whether the lines that made the operations are written.

    Raises: tf.errors.NotFoundError: if there is no such folder.
    """
    del run_meta
    message = OpLogProto()
    texts: dict[str, int] = {}
    for cost in costs_of(current_graph() if graph is None else graph, (), op_log):
        entry = message.log_entries.add(name=cost.name, float_ops=cost.float_ops, types=cost.types)
        source = cost.operation.source if add_trace else None
        if source is not None:
            numbers = [texts.setdefault(t, len(texts) + 1) for t in (source.filename, source.function)]
            entry.code_def.traces.add(file_id=numbers[0], function_id=numbers[1], lineno=source.line)
    for text, number in texts.items():
        message.id_to_string[number] = text
    if not gfile.isdir(log_dir):
        raise errors.NotFoundError(None, None, f"{os.path.join(log_dir, 'tfprof_log')}; No such file or directory")
    _write_file(os.path.join(log_dir, "tfprof_log"), message.SerializeToString())
