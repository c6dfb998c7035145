"""`tf.saved_model.load`: a SavedModel as Python objects.

Problem: a file names objects, who refers to whom, which functions capture what, and where values are. It may come from
anywhere, so each number in it may be wrong; and the caller does not want to wait for graphs that are never run.

Idea: numbers are checked first (`object_graph_checks.py`). Then each node becomes an object without children; children
are set; functions are told what they capture; values are read (`value_restoring.py`); resources are filled. The graphs
of functions are made when they are first used (`loaded_functions.py`). A SavedModel without objects is one of
TensorFlow 1 (`saved_model/graph_model_load.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.checkpoint.options import io_device
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import DataLossError
from millrace._src.core.tensor import Tensor
from millrace._src.function.control_flow_v1.translations import ANSWERED_OPS
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.op_policy import OpPolicy
from millrace._src.graph.tensor_proto import decode_tensor
from millrace._src.saved_model import revived_types
from millrace._src.saved_model.folder import folder_name, read_unchanged
from millrace._src.saved_model.function_spec import FunctionSpec, decode_function_spec
from millrace._src.saved_model.graph_model_load import load_graph_model
from millrace._src.saved_model.load_options import LoadOptions, how_to_allow
from millrace._src.saved_model.loaded_functions import LoadedLibrary, RestoredConcreteFunction, RestoredFunction
from millrace._src.saved_model.loaded_objects import (
    ALL_TENSORS,
    CapturedTensor,
    RestoredOptimizer,
    RestoredResource,
    _UserObject,
    make_variable,
    user_object_class,
)
from millrace._src.saved_model.object_graph_checks import check_object_graph
from millrace._src.saved_model.reading import (
    as_tags,
    asset_paths,
    choose_meta_graph,
    declared_ops,
    parse_saved_model,
    read_debug_info,
    unknown_ops,
)
from millrace._src.saved_model.restored_gradients import gradient_rules
from millrace._src.saved_model.value_restoring import restore_values
from millrace._src.state.asset import Asset
from millrace._src.util.export import export


@export("saved_model.load", v1=["saved_model.load_v2"])
def load(export_dir: object, tags: object = None, options: LoadOptions | None = None) -> Any:
    """Loads a SavedModel that Millrace or TensorFlow has written.

    Attributes of the saved object that were variables, functions, tables, assets or objects with such attributes are
    attributes of the result. No Python code of the saved object is needed: functions run the graphs that were saved,
    and take the arguments that these graphs were made for. Signatures are in `signatures`, by name. Variables can be
    assigned to, saved and trained: gradients flow through loaded functions.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable(2.0)
    >>> module.scale = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([None])])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder)
    >>> loaded = tf.saved_model.load(folder)
    >>> loaded.scale([1.0, 3.0]).numpy()
    array([2., 6.], dtype=float32)

    A SavedModel of TensorFlow 1 has no objects: the result then has `signatures`, `variables`, `graph`, and `prune`,
    which makes a function from tensors of the graph to others.

    The ops of the model that Millrace does not implement are listed in `unknown_ops`. They do not keep a model from
    being loaded: a function fails when it would run one of them.

    Args:
      export_dir: the folder.
      tags: the tags of the graph that is meant, a list or one text; needed where a SavedModel has several graphs.
      options: a `tf.saved_model.LoadOptions`. Without it, the model's functions cannot read or write files, but for
        assets, and cannot call Python.

    Returns: The loaded object.
    Raises:
      OSError: if there is no SavedModel, or its file cannot be parsed.
      ValueError: if no graph has the tags.
      tf.errors.NotFoundError: if the variables' files are missing.
      tf.errors.DataLossError: if the SavedModel is damaged.
    """
    return load_partial(export_dir, None, tags, options)["root"]


@export("__internal__.saved_model.load_partial", v1=[])
def load_partial(export_dir: object, filters: object, tags: object = None, options: LoadOptions | None = None) -> Any:
    """Loads some objects of a SavedModel, or all.

    Args:
      export_dir: the folder.
      filters: a list of paths, such as `"root.layers"`, or a dict of which the values are made instead of the objects
        at the keys; None for all.
      tags: as for `tf.saved_model.load`.
      options: as for `tf.saved_model.load`.

    Returns: A dict from paths to objects; `{"root": object}` without filters.
    Raises: NotImplementedError: with filters; else as `tf.saved_model.load`.
    """
    if filters is not None:
        raise NotImplementedError("tf.__internal__.saved_model.load_partial: `filters` is not supported; load all.")
    options = options or LoadOptions()
    folder = folder_name(export_dir)
    return {"root": read_unchanged(folder, lambda: _load(folder, as_tags(tags), options))}


def _load(folder: str, tags: Sequence[str] | None, options: LoadOptions) -> Any:
    """Returns the root of the objects of a SavedModel."""
    message = parse_saved_model(folder)
    meta_graph = choose_meta_graph(message, tags, folder)
    with init_scope():
        if meta_graph.HasField("object_graph_def"):
            root = ObjectLoader(folder, meta_graph, options).load()
        else:
            root = load_graph_model(meta_graph, folder, options)
        root.graph_debug_info = read_debug_info(folder)
    root.unknown_ops = unknown_ops(meta_graph, () if meta_graph.HasField("object_graph_def") else ANSWERED_OPS)
    return root


class ObjectLoader:
    """Makes the objects of one graph of a SavedModel.

    Args:
      export_dir: the folder.
      meta_graph: the `MetaGraphDef` message.
      options: the options of the call.
    """

    def __init__(self, export_dir: str, meta_graph: Any, options: LoadOptions) -> None:
        check_object_graph(meta_graph, export_dir)
        self._export_dir = export_dir
        self._meta_graph = meta_graph
        self._options = options
        self._proto = meta_graph.object_graph_def
        self._assets = asset_paths(meta_graph.asset_file_def, export_dir, options.allow_file_reads)
        self._library = self._make_library()
        self._nodes: list[Any] = []
        self._setters: list[Callable[[Any, str, Any], None]] = []

    def _make_library(self) -> LoadedLibrary:
        graph_def = self._meta_graph.graph_def
        rules: dict[str, Any] = {}
        policy = OpPolicy(
            allowed=self._options.allowed_capabilities,
            own_files=frozenset(path.encode() for path in self._assets),
            advice=how_to_allow,
            declared_ops=declared_ops(self._meta_graph),
            gradient_rules=rules,
        )
        functions, concrete_functions = graph_def.library.function, self._proto.concrete_functions
        library = LoadedLibrary(functions, concrete_functions, policy, self._export_dir)
        rules.update(gradient_rules(graph_def.library.registered_gradients, library))
        return library

    def load(self) -> Any:
        """Returns the root object."""
        self._make_concrete_functions()
        for node in self._proto.nodes:
            made, setter = self._make(node)
            self._nodes.append(made)
            self._setters.append(setter)
        self._set_children()
        self._bind_captures()
        self._set_saving_functions()
        if not self._options.experimental_skip_checkpoint:
            with io_device(self._options.experimental_io_device):
                restore_values(self._export_dir, self._proto, self._nodes, self._options.allow_partial_checkpoint)
        for made in self._nodes:
            if isinstance(made, RestoredResource):
                self._make_resource(made)
        return self._finish_root()

    def _make_resource(self, resource: RestoredResource) -> None:
        """Makes and fills a resource, by functions of the SavedModel, which may take other arguments than none."""
        try:
            resource.resource_handle  # noqa: B018  (makes the resource)
            resource._initialize()
        except TypeError as error:
            raise DataLossError(
                None, None, f"The SavedModel at {self._export_dir} has a resource that cannot be made: {error}"
            ) from error

    def _finish_root(self) -> Any:
        root, facts = self._nodes[0], self._meta_graph.meta_info_def
        root.tensorflow_version = facts.tensorflow_version
        root.tensorflow_git_version = facts.tensorflow_git_version
        if self._options.experimental_load_function_aliases:
            root.function_aliases = self._function_aliases()
        return root

    def _function_aliases(self) -> dict[str, Any]:
        """Returns, by alias, the function that an alias was given to when the model was saved."""
        owners = {
            name: made
            for node, made in zip(self._proto.nodes, self._nodes, strict=True)
            if node.WhichOneof("kind") == "function"
            for name in node.function.concrete_functions
        }
        aliases = self._meta_graph.meta_info_def.function_aliases
        return {alias: owners[name] for name, alias in aliases.items() if name in owners}

    # --- functions -------------------------------------------------------------------------------------------------

    def _make_concrete_functions(self) -> None:
        specs = {}
        for node in self._proto.nodes:
            kind = node.WhichOneof("kind")
            if kind == "function":
                specs.update(dict.fromkeys(node.function.concrete_functions, node.function.function_spec))
        bare = {
            node.bare_concrete_function.concrete_function_name: node.bare_concrete_function
            for node in self._proto.nodes
            if node.WhichOneof("kind") == "bare_concrete_function"
        }
        for name in self._proto.concrete_functions:
            made = RestoredConcreteFunction(self._library, name, _spec_maker(bare.get(name), specs.get(name)))
            if name in bare:
                made.state_keywords(bare[name].argument_keywords, bare[name].allowed_positional_arguments)
            self._library.concrete_functions[name] = made

    def _bind_captures(self) -> None:
        for name, message in self._proto.concrete_functions.items():
            captures = [self._nodes[node_id] for node_id in message.bound_inputs]
            self._library.concrete_functions[name].captured_objects = captures

    def _set_saving_functions(self) -> None:
        for node, made in zip(self._proto.nodes, self._nodes, strict=True):
            if node.saveable_objects and isinstance(made, (_UserObject, RestoredResource)):
                pairs = {
                    part: (self._nodes[functions.save_function], self._nodes[functions.restore_function])
                    for part, functions in node.saveable_objects.items()
                }
                made.set_saving_functions(pairs)

    # --- objects ---------------------------------------------------------------------------------------------------

    def _make(self, node: Any) -> tuple[Any, Callable[[Any, str, Any], None]]:
        """Makes the object of a node without children, and returns also what sets a child."""
        kind = node.WhichOneof("kind")
        if kind is None or kind == "user_object":
            return self._make_user_object(node)
        if kind == "function":
            return RestoredFunction(self._library, node.function), _set_child_of_function
        if kind == "bare_concrete_function":
            name = node.bare_concrete_function.concrete_function_name
            return self._library.concrete_functions[name], _set_child_of_function
        if kind == "constant":
            return self._make_constant(node.constant.operation), _set_no_child
        if kind == "captured_tensor":
            captured = node.captured_tensor
            return CapturedTensor(captured.name, captured.concrete_function), _set_no_child
        if kind == "variable":
            keeps_device = self._options.experimental_variable_policy.saves_devices
            return make_variable(node.variable, keeps_device), _set_attribute
        if kind == "asset":
            return Asset(self._assets[node.asset.asset_file_def_index]), _set_attribute
        return RestoredResource(node.resource.device), _set_attribute

    def _make_user_object(self, node: Any) -> tuple[Any, Callable[[Any, str, Any], None]]:
        if node.slot_variables:
            return RestoredOptimizer(), _set_attribute
        revived = revived_types.deserialize(node.user_object)
        if revived is not None:
            return revived
        is_callable = any(child.local_name == "__call__" for child in node.children)
        return user_object_class(is_callable, ALL_TENSORS in node.saveable_objects)(), _set_attribute

    def _make_constant(self, operation: str) -> Tensor:
        """Returns the value of a `Const` node."""
        if self._constants is None:
            self._constants = {node.name: node for node in self._meta_graph.graph_def.node if node.op == "Const"}
        node = self._constants.get(operation)
        if node is None or "value" not in node.attr:
            raise DataLossError(
                None, None, f"The SavedModel at {self._export_dir} has no constant {operation!r} in its graph."
            )
        try:
            value, dtype = decode_tensor(node.attr["value"].tensor)
        except (TypeError, ValueError) as error:
            raise DataLossError(
                None, None, f"The SavedModel at {self._export_dir} has no value of the constant {operation!r}: {error}"
            ) from error
        return convert_to_tensor(value, dtype)

    _constants: dict[str, Any] | None = None

    def _set_children(self) -> None:
        for node, made, setter in zip(self._proto.nodes, self._nodes, self._setters, strict=True):
            for child in node.children:
                setter(made, child.local_name, self._nodes[child.node_id])
            for slot in node.slot_variables:
                if isinstance(made, RestoredOptimizer):
                    own = self._nodes[slot.slot_variable_node_id]
                    made.add_slot(self._nodes[slot.original_variable_node_id], slot.slot_name, own)


def _set_attribute(made: object, name: str, child: object) -> None:
    """Sets a child as an attribute; names that mean something to Python are not for files."""
    if name.startswith("__") and name != "__call__":
        raise DataLossError(None, None, f"An object of the SavedModel has a child with the name {name!r}.")
    try:
        setattr(made, name, child)
    except (AttributeError, TypeError, ValueError) as error:
        raise DataLossError(
            None, None, f"A {type(made).__name__} of the SavedModel cannot have a child with the name {name!r}: {error}"
        ) from error


def _set_no_child(made: object, name: str, child: object) -> None:
    raise DataLossError(None, None, f"A {type(made).__name__} of the SavedModel has a child, {name!r}.")


_CHILD_OF_FUNCTION = re.compile(r"(trace|capture)_\d+")


def _set_child_of_function(function: object, name: str, child: object) -> None:
    """Sets a graph of a function, or what a graph captures; no other name may replace a method."""
    if _CHILD_OF_FUNCTION.fullmatch(name):
        setattr(function, name, child)


def _spec_maker(bare: Any, function_spec: Any) -> Callable[[], FunctionSpec]:
    """Returns a function that returns the parameters of a graph.

    Args:
      bare: the `SavedBareConcreteFunction` message of the graph, or None.
      function_spec: the `FunctionSpec` message of the function that the graph belongs to, or None.
    """
    message = function_spec
    if message is None and bare is not None and bare.HasField("function_spec"):
        message = bare.function_spec
    if message is not None:
        return lambda: decode_function_spec(message)
    names: Sequence[str] = () if bare is None else tuple(bare.argument_keywords)
    return lambda: FunctionSpec(tuple(names), var_positional=None if bare is not None else "args")
