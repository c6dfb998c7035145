"""SavedModels that hide ops: in nested functions, branches, loops, datasets, attributes, uncalled functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import millrace as tf
from millrace._src.proto import saved_model_pb2


class _Harmless(tf.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])  # type: ignore[untyped-decorator]
    def serve(self, x: Any) -> Any:
        return x * self.v


def _function(name: str, *ops: str) -> Any:
    """A function of a library with nodes of the ops; whether they could run does not matter to who reads names."""
    function = tf.compat.v1.GraphDef().library.function.add()
    function.signature.name = name
    for number, op in enumerate(ops):
        function.node_def.add(name=f"n{number}", op=op)
    return function


def _caller(meta_graph: Any, op: str, **functions: str) -> Any:
    node = meta_graph.graph_def.node.add(name=f"caller_{op}", op=op)
    for attr, name in functions.items():
        node.attr[attr].func.name = name
    return node


def _nested_call(meta_graph: Any) -> None:
    for outer, inner in (("outer", "middle"), ("middle", "inner")):
        function = _function(outer)
        function.node_def.add(name="call", op="PartitionedCall").attr["f"].func.name = inner
        meta_graph.graph_def.library.function.append(function)
    meta_graph.graph_def.library.function.append(_function("inner", "ReadFile"))
    _caller(meta_graph, "StatefulPartitionedCall", f="outer")


def _direct_call(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.append(_function("hidden", "ReadFile"))
    meta_graph.graph_def.node.add(name="call", op="hidden")


def _branch(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.extend([_function("yes", "ReadFile"), _function("no", "Const")])
    _caller(meta_graph, "If", then_branch="yes", else_branch="no")


def _case(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.extend([_function("first", "Const"), _function("second", "ReadFile")])
    node = _caller(meta_graph, "StatelessCase")
    for name in ("first", "second"):
        node.attr["branches"].list.func.add(name=name)


def _loop(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.extend([_function("cond", "Less"), _function("body", "ReadFile")])
    _caller(meta_graph, "While", cond="cond", body="body")


def _dataset(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.append(_function("mapped", "ReadFile"))
    _caller(meta_graph, "ParallelMapDatasetV2", f="mapped")


def _never_called(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.append(_function("alone", "ReadFile"))


def _gradient(meta_graph: Any) -> None:
    meta_graph.graph_def.library.function.extend([_function("forward", "Mul"), _function("backward", "ReadFile")])
    meta_graph.graph_def.library.gradient.add(function_name="forward", gradient_func="backward")


def _op_as_function(meta_graph: Any) -> None:
    _caller(meta_graph, "SymbolicGradient", f="ReadFile")


def _function_in_an_attribute_of_a_function(meta_graph: Any) -> None:
    node = _caller(meta_graph, "PartitionedCall", f="serve")
    node.attr["f"].func.attr["callback"].func.name = "ReadFile"


def _gradient_of_an_op(meta_graph: Any) -> None:
    meta_graph.graph_def.library.gradient.add(function_name="forward", gradient_func="ReadFile")


def _second_meta_graph(saved_model: Any) -> None:
    copy = saved_model.meta_graphs.add()
    copy.CopyFrom(saved_model.meta_graphs[0])
    copy.meta_info_def.tags[:] = ["train"]
    _loop(copy)


HIDING_PLACES: dict[str, Callable[[Any], None]] = {
    make.__name__.removeprefix("_"): make
    for make in (
        _nested_call,
        _direct_call,
        _branch,
        _case,
        _loop,
        _dataset,
        _never_called,
        _gradient,
        _op_as_function,
        _function_in_an_attribute_of_a_function,
        _gradient_of_an_op,
    )
}
"""Ways to put a `ReadFile` into a MetaGraph."""


def harmless_model(folder: Path) -> Path:
    """Saves a model without any op that reaches beyond its operands, but for those of its saver."""
    tf.saved_model.save(_Harmless(), str(folder))
    return folder


def change(folder: Path, edit: Callable[[Any], None]) -> None:
    """Changes the first MetaGraph of a SavedModel in its file."""
    change_all(folder, lambda saved_model: edit(saved_model.meta_graphs[0]))


def change_all(folder: Path, edit: Callable[[Any], None]) -> None:
    """Changes the message of a SavedModel in its file."""
    path = folder / "saved_model.pb"
    message = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    edit(message)
    path.write_bytes(message.SerializeToString())


def add_second_meta_graph(folder: Path) -> None:
    """Adds a MetaGraph with the tag `train` whose loop reads files."""
    change_all(folder, _second_meta_graph)
