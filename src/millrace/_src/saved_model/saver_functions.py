"""The functions of a SavedModel that save and restore its variables, for readers that know no objects.

Problem: programs in other languages give the graph a file name and run a node. They cannot walk objects.

Idea: one function holds the keys of all tensors and the ops that write them, another one reads the tensors and gives
the variables their values. An object that is not a variable has a pair of functions of its own, which the two call, and
which readers that do know objects call as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.checkpoint.object_graph import SavedGraph
from millrace._src.core.context import graph_scope, name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.execute import execute
from millrace._src.core.resources import is_variable
from millrace._src.core.specs import TensorSpec
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.graph import rewriting
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.scopes import control_dependencies, device
from millrace._src.ops import raw
from millrace._src.ops.array.identity import placeholder
from millrace._src.proto import saver_pb2
from millrace._src.saved_model.export_graph import ExportGraph
from millrace._src.saved_model.saveable_functions import SaveableFunctions, saveable_functions

_CPU = "/device:CPU:0"
_S3 = "^s3://.*"  # where a file cannot be renamed, the parts lie beside the file rather than in a folder


class SaverFunctions:
    """Which tensors the two functions save and restore, object by object.

    Args:
      export: the graph.
      saved_graph: what the checkpoint of the SavedModel holds.
    """

    def __init__(self, export: ExportGraph, saved_graph: SavedGraph) -> None:
        self._export = export
        self._saved_graph = saved_graph
        self._groups: dict[int, list[Any]] = {}
        for tensor in saved_graph.tensors:
            self._groups.setdefault(tensor.node_id, []).append(tensor)
        self.functions: dict[int, list[SaveableFunctions]] = {}
        """The functions of objects that are not variables, by the numbers of the objects."""
        for node_id, tensors in self._groups.items():
            if not is_variable(tensors[0].trackable):
                self.functions[node_id] = saveable_functions(tensors[0].trackable, export.objects.paths[node_id])

    def add(self, meta_graph: Any) -> None:
        """Adds the two functions and their calls to the graph, and states the names of the nodes."""
        graph = self._export.graph
        with graph_scope(graph):
            with device(_CPU):
                proto = np.array(self._saved_graph.proto.SerializeToString(deterministic=True), dtype=object)
                object_graph = graph.constant(proto, string, "Const")
            prefix = placeholder(string, shape=[], name="saver_filename")
            spec = TensorSpec([], string, name="file_prefix")
            save = _function(lambda file_prefix: self._save(file_prefix, object_graph), "_traced_save", spec)
            saved = save.graph_function.add_to_graph([prefix, *save.captured_inputs])
            restore = _function(self._restore, "_traced_restore", spec)
            restored = restore.graph_function.add_to_graph([prefix, *restore.captured_inputs])
        meta_graph.saver_def.filename_tensor_name = prefix.name
        meta_graph.saver_def.save_tensor_name = saved.outputs[0].name
        meta_graph.saver_def.restore_op_name = restored.name
        meta_graph.saver_def.version = saver_pb2.SaverDef.V2

    # --- saving ----------------------------------------------------------------------------------------------------

    def _save(self, file_prefix: object, object_graph: object) -> Any:
        with device("/device:CPU:*"):
            part = raw.Select(
                condition=raw.StaticRegexFullMatch(input=file_prefix, pattern=_S3),
                t=convert_to_tensor(".part"),
                e=convert_to_tensor("_temp/part"),
            )
            temporary = raw.StringJoin(inputs=[file_prefix, part])
        tensors = [tensor for node_id in self._groups for tensor in self._tensors_of(node_id)]
        with device(_CPU):
            sharded = _execute("ShardedFilename", [temporary, 0, 1], "ShardedFilename")
            names, slices = self._names()
            written = _execute("SaveV2", [sharded, names, slices, [*tensors, object_graph]], "SaveV2")
            with control_dependencies([written]):
                prefixes = raw.Pack(values=[sharded], name="MergeV2Checkpoints/checkpoint_prefixes")
            merged = _execute("MergeV2Checkpoints", [prefixes, file_prefix], "MergeV2Checkpoints")
            with control_dependencies([merged]):
                return raw.Identity(input=file_prefix)

    def _names(self) -> tuple[Any, Any]:
        """Returns the keys of all tensors, and the parts of larger tensors that they are."""
        tensors = [tensor for group in self._groups.values() for tensor in group]
        keys = [*(tensor.checkpoint_key for tensor in tensors), self._saved_graph.key]
        return np.array(keys, dtype=object), np.array([*(tensor.slice_spec for tensor in tensors), ""], dtype=object)

    def _tensors_of(self, node_id: int) -> Sequence[Any]:
        group = self._groups[node_id]
        if node_id in self.functions:
            pairs = self.functions[node_id]
            return [t for pair in pairs for t in pair.tensors(self._call(pair.save, pair.save_arguments()))]
        handle = self._export.tensor_map[group[0].trackable.handle]
        with name_scope("Read"):
            operation = _execute("DisableCopyOnRead", [handle], "DisableCopyOnRead")
            value = raw.ReadVariableOp(resource=handle, dtype=group[0].trackable.dtype)
        rewriting.wait_for(value.op, [operation])
        value = raw.Identity(input=value)
        with device(_CPU):
            return [raw.Identity(input=value)]

    # --- restoring -------------------------------------------------------------------------------------------------

    def _restore(self, file_prefix: object) -> Any:
        with device(_CPU):
            names, slices = self._names()
            dtypes = [tensor.dtype for tensor in self._saved_dtypes()]
            restored = iter(_execute("RestoreV2", [file_prefix, names, slices], "RestoreV2", dtypes=[*dtypes, string]))
        made = []
        for node_id, group in self._groups.items():
            made += self._give(node_id, [next(restored) for _ in group])
        with device(_CPU), control_dependencies(made):
            return raw.Identity(input=file_prefix)

    def _saved_dtypes(self) -> Sequence[Any]:
        """Returns, for each tensor, something that has its dtype."""
        holders: list[Any] = []
        for node_id, group in self._groups.items():
            if node_id in self.functions:
                holders += [t for pair in self.functions[node_id] for t in pair.tensors(pair.save.structured_outputs)]
            else:
                holders.append(group[0].trackable)
        return holders

    def _give(self, node_id: int, tensors: Sequence[Any]) -> list[Any]:
        """Gives an object its restored tensors; returns the operations."""
        if node_id in self.functions:
            remaining = iter(tensors)
            pairs = self.functions[node_id]
            return [self._call_restore(pair, [next(remaining) for _ in range(pair.tensor_count)]) for pair in pairs]
        handle = self._export.tensor_map[self._groups[node_id][0].trackable.handle]
        with device(_CPU):
            return [raw.AssignVariableOp(resource=handle, value=raw.Identity(input=tensors[0]))]

    def _call_restore(self, pair: SaveableFunctions, tensors: Sequence[Any]) -> Any:
        before = len(state.graph.get_operations())
        self._call(pair.restore, pair.restore_arguments(tensors))
        return state.graph.get_operations()[before]

    def _call(self, concrete: ConcreteFunction, arguments: Sequence[Any]) -> Any:
        captured = [
            self._export.stand_in(tensor, concrete, index) for index, tensor in enumerate(concrete.saved_captures)
        ]
        return concrete.call_flat(list(arguments), captured)


def _function(body: Any, name: str, *specs: Any) -> ConcreteFunction:
    return Function(body, name, FunctionOptions(autograph=False)).get_concrete_function(*specs)


def _execute(op_name: str, inputs: Sequence[Any], name: str, **attrs: object) -> Any:
    return execute(find_op(op_name), tuple(inputs), attrs, name)
