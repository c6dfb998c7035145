"""SavedModels of TensorFlow 1: a graph, and signatures that name some of its tensors.

There are no objects in such a file. What is loaded has the signatures as functions, the variables and the assets;
`prune` makes a function from any tensors of the graph to any others. A function is made when it is first used, by
playing the nodes that it needs (`function/control_flow_v1/functionalization.py`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from millrace._src.checkpoint.options import io_device
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.errors import DataLossError
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.control_flow_v1.dataflow_nodes import TensorRef, parse_nodes, parse_ref
from millrace._src.function.control_flow_v1.functionalization import Replay
from millrace._src.function.control_flow_v1.reference_variables import SharedObjects
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.signature import ArgumentLayout, CallSignature
from millrace._src.function.tracing import trace
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_def import FunctionLibrary
from millrace._src.graph.graph_def import check_versions
from millrace._src.graph.import_graph_def import import_under, strip_unknown_defaults
from millrace._src.graph.message_bytes import dtype_of_number, read_message
from millrace._src.graph.op_policy import OpPolicy
from millrace._src.graph.operation import Operation
from millrace._src.graph.structured_values import decode_spec
from millrace._src.ops.io import gfile
from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec
from millrace._src.proto import graph_pb2, variable_pb2
from millrace._src.saved_model.constants import (
    INIT_OP_SIGNATURE_KEY,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    TRAIN_OP_SIGNATURE_KEY,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from millrace._src.saved_model.lazy_functions import LazyConcreteFunction, fresh_name
from millrace._src.saved_model.load_options import LoadOptions, how_to_allow
from millrace._src.saved_model.reading import asset_definitions, asset_paths, declared_ops
from millrace._src.saved_model.signature_map import _SignatureMap
from millrace._src.state.asset import Asset
from millrace._src.trackable.auto import AutoTrackable
from millrace._src.util import nest


def load_graph_model(meta_graph: Any, export_dir: str, options: LoadOptions) -> Any:
    """Loads a graph of TensorFlow 1 with the values of its variables.

    Args:
      meta_graph: the `MetaGraphDef` message.
      export_dir: the folder of the SavedModel.
      options: the options of the call.

    Returns: An object with `signatures`, `variables`, `asset_paths`, `graph`, `prune` and `restore`.
    Raises: DataLossError: if the graph has not the operations that restore variables and fill tables.
    """
    source = V1Graph(meta_graph, export_dir, options)
    root = _SavedGraphObject(source)
    try:
        has_values = source.shared.variables and meta_graph.saver_def.restore_op_name
        if has_values and not options.experimental_skip_checkpoint:
            with io_device(options.experimental_io_device):
                root.restore(source.prefix)
        initializer = _initializer(meta_graph)
        if initializer is not None:
            source.prune([], initializer)()
    except KeyError as error:  # the names of the operations that restore and initialize come from the file, too
        raise DataLossError(None, None, f"The SavedModel at {export_dir} cannot be restored: {error.args[0]}") from None
    return root


class _SavedGraphObject(AutoTrackable):
    """What is loaded of a SavedModel of TensorFlow 1."""

    _source: V1Graph

    def __init__(self, source: V1Graph) -> None:
        info = source.meta_graph.meta_info_def
        object.__setattr__(self, "_source", source)  # no attribute that a checkpoint or SavedModel would hold
        self.variables = list(source.shared.variables.values())
        self.asset_paths = [Asset(path) for path in source.assets]
        self.signatures = source.signatures()
        self.tensorflow_version = info.tensorflow_version
        self.tensorflow_git_version = info.tensorflow_git_version

    @property
    def graph(self) -> FuncGraph:
        """The whole graph, whose tensors `prune` takes; a graph with loops of TensorFlow 1 has no such form."""
        return self._source.graph()

    def prune(
        self,
        feeds: object,
        fetches: object,
        name: str | None = None,
        input_signature: object = None,
        are_keyword_args_also_positional: bool = False,
    ) -> ConcreteFunction:
        """Returns a function from tensors of the graph to others.

        Args:
          feeds: the tensors that the function takes, or their names such as `"x:0"`, in any structure.
          fetches: the tensors or operations that it computes, or their names, in the structure of the results.
          name: a name for the function.
          input_signature: accepted for compatibility: a tensor is fed with its dtype and shape in the graph.
          are_keyword_args_also_positional: accepted for compatibility: arguments may always come by position.

        Raises: KeyError: if the graph has no such tensor or operation.
        """
        del input_signature, are_keyword_args_also_positional
        return self._source.prune(feeds, fetches, name)

    def restore(self, path: Any) -> None:
        """Gives the variables the values in a checkpoint.

        Args: path: the beginning of the names of the checkpoint's files.
        """
        saver = self._source.meta_graph.saver_def
        self._source.prune(saver.filename_tensor_name, saver.restore_op_name, "restore")(
            convert_to_tensor(path, string)
        )


def _initializer(meta_graph: Any) -> str | None:
    """Returns the name of the operation that fills tables, or None."""
    signature = meta_graph.signature_def.get(INIT_OP_SIGNATURE_KEY)
    if signature is not None:
        return parse_ref(signature.outputs[INIT_OP_SIGNATURE_KEY].name)[0]
    for key in (MAIN_OP_KEY, LEGACY_INIT_OP_KEY):
        if key in meta_graph.collection_def and meta_graph.collection_def[key].node_list.value:
            return parse_ref(meta_graph.collection_def[key].node_list.value[0])[0]
    return None


_SIGNATURE = "A tensor of a signature"
_REFERENCES = 100
"""What the number of a dtype grows by where a tensor is a reference variable."""


@dataclass(frozen=True)
class NamedTensors:
    """An argument or result of a function: its spec, and the tensors of the graph that it consists of."""

    spec: Any
    refs: tuple[TensorRef, ...]


class V1Graph:
    """The graph of a SavedModel of TensorFlow 1, of which functions are made.

    Args:
      meta_graph: the `MetaGraphDef` message.
      export_dir: the folder of the SavedModel.
      options: the options of the call.

    Raises:
      InvalidArgumentError: if nodes have equal names or unknown inputs.
      ValueError: if the graph's versions exclude this reader.
    """

    def __init__(self, meta_graph: Any, export_dir: str, options: LoadOptions) -> None:
        graph_def = graph_pb2.GraphDef()
        graph_def.CopyFrom(meta_graph.graph_def)
        check_versions(graph_def.versions)
        strip_unknown_defaults(graph_def, meta_graph.meta_info_def.stripped_op_list)
        self.meta_graph, self._graph_def, self.where = meta_graph, graph_def, export_dir
        self.prefix = str(gfile.join(export_dir, VARIABLES_DIRECTORY, VARIABLES_FILENAME))
        definitions = asset_definitions(meta_graph)
        self.assets = asset_paths(definitions, export_dir, options.allow_file_reads)
        self._policy = OpPolicy(
            allowed=options.allowed_capabilities,
            own_files=frozenset(path.encode() for path in (*self.assets, self.prefix)),
            advice=how_to_allow,
            declared_ops=declared_ops(meta_graph),
            gradient_rules={},
        )
        self.nodes = parse_nodes(graph_def.node)
        self.library = FunctionLibrary(graph_def.library.function, policy=self._policy, rename=fresh_name)
        self.shared = SharedObjects(self.nodes, _trainable_names(meta_graph), self.library)
        names = [definition.tensor_info.name for definition in definitions]
        pairs = zip(names, self.assets, strict=True)
        self._asset_names = {parse_ref(name): convert_to_tensor(path, string) for name, path in pairs}
        self._graph: FuncGraph | None = None

    def graph(self) -> FuncGraph:
        """Returns the whole graph as a graph of this process.

        Raises: ValueError: if it has loops of TensorFlow 1.
        """
        if self._graph is None:
            graph = FuncGraph("wrapped_function")
            with graph.as_default():
                import_under(self._policy, self._graph_def, name="")
            self._graph = graph
        return self._graph

    def replay(self, feeds: Mapping[TensorRef, Any], targets: Iterable[str]) -> Replay:
        """Returns what plays the graph into the function that is being traced."""
        given = {**self._asset_names, **feeds}
        return Replay(self.nodes, self.shared, self.library, self._policy, given, targets)

    # --- functions -------------------------------------------------------------------------------------------------

    def signatures(self) -> _SignatureMap:
        """Returns the signatures as functions."""
        signatures = _SignatureMap()
        for name, message in sorted(self.meta_graph.signature_def.items()):
            if name not in (INIT_OP_SIGNATURE_KEY, TRAIN_OP_SIGNATURE_KEY):
                inputs = {key: self._find_named(info, key) for key, info in sorted(message.inputs.items())}
                outputs = {key: self._find_named(info) for key, info in message.outputs.items()}
                function = V1Function(self, name, inputs, outputs, ((), {k: n.spec for k, n in inputs.items()}))
                signatures._add_signature(name, function)
        return signatures

    def _find_named(self, info: Any, name: str | None = None) -> NamedTensors:
        """Returns the tensors that a `TensorInfo` message names."""
        encoding = info.WhichOneof("encoding")
        if encoding == "coo_sparse":
            parts = info.coo_sparse
            names = [parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name]
            spec: Any = SparseTensorSpec(TensorShape(info.tensor_shape), dtype_of_number(info.dtype, _SIGNATURE))
        elif encoding == "composite_tensor":
            names = [component.name for component in info.composite_tensor.components]
            spec = decode_spec(info.composite_tensor.type_spec)
        else:
            names = [info.name]
            number = info.dtype - _REFERENCES if info.dtype > _REFERENCES else info.dtype
            spec = TensorSpec(TensorShape(info.tensor_shape), dtype_of_number(number, _SIGNATURE), name)
        refs = tuple(parse_ref(text) for text in names)
        for ref in refs:
            if ref[0] not in self.nodes:
                raise DataLossError(
                    None, None, f"A signature of the SavedModel at {self.where} names {ref[0]!r}, which is not a node."
                )
        return NamedTensors(spec, refs)

    def prune(self, feeds: object, fetches: object, name: str | None = None) -> ConcreteFunction:
        """Returns a function from tensors to others; see `_SavedGraphObject.prune`."""
        inputs = {}
        for feed in nest.flatten(feeds):
            ref = self._ref(feed)
            spec = self._spec_of(ref)
            inputs[ref[0] if ref[1] == 0 else f"{ref[0]}_{ref[1]}"] = NamedTensors(spec, (ref,))
        outputs = nest.map_structure(self._fetch, fetches)
        return V1Function(self, name or "pruned", inputs, outputs, None)

    def _fetch(self, fetch: Any) -> NamedTensors:
        if isinstance(fetch, Operation) or isinstance(fetch, str) and ":" not in fetch:
            operation = fetch if isinstance(fetch, str) else fetch.name
            self._check_node(operation, operation)
            return NamedTensors(None, ((operation, 0),))
        return NamedTensors(TensorSpec(None), (self._ref(fetch),))

    def _ref(self, tensor: Any) -> TensorRef:
        text = tensor if isinstance(tensor, str) else tensor.name
        ref = parse_ref(text)
        self._check_node(ref[0], text)
        return ref

    def _check_node(self, name: str, text: str) -> None:
        if name not in self.nodes:
            what = "a Tensor" if ":" in text else "an Operation"
            raise KeyError(
                f"The name '{text}' refers to {what} which does not exist. The operation, '{name}', does not exist in "
                "the graph."
            )

    def _spec_of(self, ref: TensorRef) -> TensorSpec:
        """Returns the dtype and shape of a tensor of the graph that is fed."""
        node = self.nodes[ref[0]].proto
        if ref[1] == 0 and node.op in ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Const"):
            key = "value" if node.op == "Const" else "shape"
            dtype = dtype_of_number(node.attr["dtype"].type, f"Node '{ref[0]}'")
            shape = node.attr[key].shape if key == "shape" and key in node.attr else None
            return TensorSpec(TensorShape(shape), dtype, ref[0])
        tensor = self.graph().get_tensor_by_name(f"{ref[0]}:{ref[1]}")
        return TensorSpec(tensor.shape, tensor.dtype, ref[0])


def _trainable_names(meta_graph: Any) -> list[str]:
    """Returns the names of the nodes of the variables that are trained."""
    names = []
    for value in meta_graph.collection_def["trainable_variables"].bytes_list.value:
        message = read_message(variable_pb2.VariableDef, value, "A variable of the SavedModel")
        names.append(parse_ref(message.variable_name)[0])
    return names


class V1Function(LazyConcreteFunction):
    """A function made of the nodes of a graph.

    Args:
      source: the graph.
      name: a name.
      inputs: the arguments by the keywords that callers use.
      outputs: the results, in their structure.
      structured_inputs: what `structured_input_signature` returns.
    """

    def __init__(
        self, source: V1Graph, name: str, inputs: Mapping[str, NamedTensors], outputs: Any, structured_inputs: Any
    ) -> None:
        self._source, self._python_name = source, name
        self._inputs, self._results = inputs, outputs
        self._told_inputs = structured_inputs

    @property
    def structured_input_signature(self) -> Any:
        """The arguments as `(args, kwargs)`; None for a function that `prune` made."""
        return self._told_inputs

    @property
    def _origin(self) -> str:
        return f"function '{self._python_name}' of the SavedModel at {self._source.where}"

    def _fill(self) -> None:
        keywords = list(self._inputs)
        types = [named.spec for named in self._inputs.values()]
        pairs = zip(_parameter_names(keywords), types, strict=True)
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = CallSignature(FunctionType(Parameter(name, either, False, kind) for name, kind in pairs), {}, True)
        traced = trace(self._run, self._python_name, signature, ArgumentLayout(0, ()), types)
        traced.graph.structured_input_signature = self._told_inputs
        ConcreteFunction.__init__(self, traced, name=fresh_name(self._python_name))
        if all(len(named.refs) == 1 for named in self._inputs.values()):
            self._arg_keywords = keywords

    def _run(self, *arguments: object) -> Any:
        """Plays the nodes that the results need, while the function is traced."""
        feeds: dict[TensorRef, Any] = {}
        for named, argument in zip(self._inputs.values(), arguments, strict=True):
            feeds.update(zip(named.refs, named.spec.to_tensors(argument), strict=True))
        results = nest.flatten(self._results)
        replay = self._source.replay(feeds, {name for named in results for name, _ in named.refs})
        return nest.pack_sequence_as(self._results, [_result(replay, named) for named in results])


def _result(replay: Replay, named: NamedTensors) -> Any:
    """Returns one result, or None for an operation that is only run."""
    if named.spec is None:
        replay.play(named.refs[0][0])
        return None
    tensors = [replay.tensor(ref) for ref in named.refs]
    return tensors[0] if isinstance(named.spec, TensorSpec) else named.spec.from_tensors(iter(tensors))


def _parameter_names(keywords: Sequence[str]) -> list[str]:
    """Returns the names of parameters for keywords that may be no names in Python."""
    names: list[str] = []
    for keyword in keywords:
        base = re.sub(r"\W|^(?=\d)", "_", keyword)
        if iskeyword(base):
            base += "_"
        name, number = base, 0
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return names
