"""The private paths below `tensorflow.python`, `tensorflow.core` and `tensorflow.compiler` that programs import.

Problem: `from tensorflow.python.ops import math_ops` is common, and nearly always reaches for an object that also has a
public name.

Idea: a table says, for each private module, in which public namespaces to look for a name; `cast` of `math_ops` is
`tf.cast`. For the few names without a public name of the same name, the table states the object. A path of which
Millrace has nothing is a `ModuleNotFoundError` that says what to use instead, never an empty module.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from millrace._src.util.lazy_import import aliases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
else:
    Loader = object

_OWN_NAME, _, _ = __name__.partition(".")
_SOURCES = f"{_OWN_NAME}._src."

# Private module below `tensorflow.python` (`/compiler.x` is below `tensorflow`): where its names are. A bare word is a
# public namespace (`tf` is the root), `a=b.c` says that the module's `a` is public `tf.b.c`, `a=b:c` that `a` is
# variable `c` of module `b` of the sources.
_MODULES = """
framework.composite_tensor      CompositeTensor=core.composite:CompositeTensor
framework.config                config config.experimental config.threading config.optimizer is_op_determinism_enabled=core.runtime_options:is_op_determinism_enabled disable_op_determinism=core.runtime_options:disable_op_determinism
framework.constant_op           tf compat.v1
framework.convert_to_constants  compat.v1.graph_util convert_variables_to_constants_v2=function.constant_graphs:convert_variables_to_constants_v2
framework.device                tf
framework.dtypes                dtypes dtypes.experimental
framework.errors                errors
framework.errors_impl           errors
framework.extension_type        experimental experimental.extension_type ExtensionTypeSpec=core.extension_types.extension_spec:ExtensionTypeSpec BatchableExtensionTypeSpec=core.extension_types.batching:BatchableExtensionTypeSpec ExtensionTypeMetaclass=core.extension_types.extension_type:ExtensionTypeMetaclass AnonymousExtensionType=core.extension_types.anonymous:AnonymousExtensionType AnonymousExtensionTypeSpec=core.extension_types.anonymous:AnonymousExtensionTypeSpec reinterpret=core.extension_types.anonymous:reinterpret pack=core.extension_types.packing:pack unpack=core.extension_types.packing:unpack is_packed=core.extension_types.packing:is_packed
framework.extension_type_field  ExtensionTypeField=core.extension_types.fields:ExtensionTypeField RESERVED_FIELD_NAMES=core.extension_types.fields:RESERVED_FIELD_NAMES
framework.immutable_dict        ImmutableDict=util.immutable_dict:ImmutableDict
framework.func_graph            FuncGraph=graph.func_graph:FuncGraph
framework.graph_util            compat.v1.graph_util graph_util
framework.importer              tf
framework.indexed_slices        tf
framework.load_library          tf
framework.ops                   tf compat.v1 EagerTensor=core.tensor:EagerTensor SymbolicTensor=core.tensor:SymbolicTensor name_scope=interop.internal_name_scope:name_scope name_scope_v1=compat.v1.name_scope name_scope_v2=name_scope
framework.random_seed           random compat.v1
framework.smart_cond            smart_cond=__internal__.smart_cond.smart_cond smart_constant_value=control_flow.smart_cond:smart_constant_value
framework.sparse_tensor         tf compat.v1
framework.tensor                tf compat.v1 DenseSpec=core.specs:DenseSpec BoundedTensorSpec=core.specs:BoundedTensorSpec
framework.tensor_conversion     tf convert_to_tensor_v2_with_dispatch=convert_to_tensor
framework.tensor_conversion_registry  register_tensor_conversion_function=register_tensor_conversion_function
framework.tensor_shape          tf compat.v1 as_shape=core.shapes:as_shape
framework.tensor_spec           tf DenseSpec=core.specs:DenseSpec BoundedTensorSpec=core.specs:BoundedTensorSpec
framework.tensor_util           tf MakeNdarray=make_ndarray constant_value=get_static_value is_tf_type=is_tensor
framework.test_util             test test.experimental TensorFlowTestCase=test.TestCase
framework.composite_tensor_gradient  CompositeTensorGradient=core.composite_gradients:CompositeTensorGradient WithValuesCompositeTensorGradient=core.composite_gradients:WithValuesCompositeTensorGradient
framework.type_spec             tf BatchableTypeSpec=core.type_specs:BatchableTypeSpec TypeSpecBatchEncoder=core.extension_types.batching:TypeSpecBatchEncoder register_type_spec_from_value_converter=core.type_specs:register_type_spec_from_value_converter
framework.type_spec_registry    register=core.type_spec_registry:register lookup=core.type_spec_registry:lookup get_name=core.type_spec_registry:get_name
saved_model.nested_structure_coder  encode_structure=graph.structured_values:encode_structure decode_proto=graph.structured_values:decode_structure NotEncodableError=graph.structured_values:NotEncodableError
framework.versions              version
ops.array_ops                   tf compat.v1 quantization linalg nn depth_to_space_v2=nn.depth_to_space
ops.array_ops_stack             tf
ops.bitwise_ops                 bitwise
ops.check_ops                   debugging compat.v1 math
ops.clip_ops                    tf linalg compat.v1
ops.cond                        tf cond_for_tf_v2=cond
ops.confusion_matrix            math
ops.control_flow_assert         tf
ops.control_flow_case           tf
ops.control_flow_ops            tf compat.v1
ops.control_flow_switch_case    tf
ops.custom_gradient             tf
ops.data_flow_ops               queue tf compat.v1
ops.embedding_ops               nn compat.v1.nn
ops.functional_ops              tf
ops.gradient_checker_v2         test
ops.gradients                   tf autodiff compat.v1
ops.gradients_impl              tf compat.v1 HessiansV2=hessians
ops.histogram_ops               tf
ops.image_ops                   image io compat.v1.image
ops.image_ops_impl              image io compat.v1.image
ops.init_ops                    compat.v1 Initializer=compat_v1.variables.initializers:Initializer Zeros=compat_v1.variables.initializers:Zeros Ones=compat_v1.variables.initializers:Ones Constant=compat_v1.variables.initializers:Constant RandomUniform=compat_v1.variables.initializers:RandomUniform RandomNormal=compat_v1.variables.initializers:RandomNormal TruncatedNormal=compat_v1.variables.initializers:TruncatedNormal UniformUnitScaling=compat_v1.variables.initializers:UniformUnitScaling VarianceScaling=compat_v1.variables.initializers:VarianceScaling Orthogonal=compat_v1.variables.initializers:Orthogonal Identity=compat_v1.variables.initializers:Identity GlorotUniform=compat_v1.variables.initializers:GlorotUniform GlorotNormal=compat_v1.variables.initializers:GlorotNormal
ops.init_ops_v2                 tf Constant=constant_initializer Ones=ones_initializer Zeros=zeros_initializer RandomNormal=random_normal_initializer RandomUniform=random_uniform_initializer
ops.io_ops                      io compat.v1
ops.linalg.sparse.sparse        CSRSparseMatrix=ops.sparse.csr_matrix:CSRSparseMatrix SparseMatrix=ops.sparse.csr_matrix:SparseMatrix matmul=ops.sparse.csr_matrix:matmul dense_shape_and_type=ops.sparse.csr_matrix:dense_shape_and_type
ops.linalg.sparse.sparse_csr_matrix_ops CSRSparseMatrix=ops.sparse.csr_matrix:CSRSparseMatrix SparseMatrix=ops.sparse.csr_matrix:SparseMatrix matmul=ops.sparse.csr_matrix:matmul dense_shape_and_type=ops.sparse.csr_matrix:dense_shape_and_type DenseShapeAndType=ops.sparse.csr_matrix:DenseShapeAndType
ops.linalg_ops                  linalg tf compat.v1 log_matrix_determinant=linalg.slogdet matrix_logarithm=linalg.logm
ops.linalg.linalg               linalg tf matrix_exponential=linalg.expm
ops.logging_ops                 tf compat.v1
ops.lookup_ops                  lookup lookup.experimental compat.v1 FastHashSpec=state.lookup.hash_buckets:FAST_HASH HasherSpec=state.lookup.hash_buckets:HasherSpec StrongHashSpec=state.lookup.hash_buckets:StrongHashSpec IdTableWithHashBuckets=state.lookup.hash_buckets:IdTableWithHashBuckets index_table_from_file=state.lookup.index_tables:index_table_from_file index_table_from_tensor=state.lookup.index_tables:index_table_from_tensor index_to_string_table_from_file=state.lookup.index_tables:index_to_string_table_from_file index_to_string_table_from_tensor=state.lookup.index_tables:index_to_string_table_from_tensor LookupInterface=state.lookup.interface:LookupInterface StaticHashTableV1=state.lookup.static_hash_table:StaticHashTableV1
ops.losses.losses               compat.v1.losses
ops.manip_ops                   tf
ops.map_fn                      tf
ops.math_ops                    tf math linalg compat.v1
ops.metrics                     compat.v1.metrics
ops.nn                          nn nn.experimental tf random math compat.v1.nn
ops.nn_impl                     nn linalg compat.v1.nn
ops.nn_ops                      nn nn.experimental tf compat.v1.nn
ops.numerics                    debugging compat.v1 verify_tensor_all_finite_v2=debugging.assert_all_finite
ops.parsing_ops                 io compat.v1
ops.partitioned_variables       compat.v1
ops.ragged.ragged_factory_ops   ragged
ops.ragged.dynamic_ragged_shape DynamicRaggedShape=experimental.DynamicRaggedShape DynamicRaggedShapeSpec=ops.ragged.dynamic_ragged_shape_spec:DynamicRaggedShapeSpec
ops.ragged.ragged_tensor        tf
ops.ragged.ragged_tensor_value  compat.v1.ragged
ops.ragged.row_partition        RowPartition=experimental.RowPartition RowPartitionSpec=ops.ragged.row_partition_spec:RowPartitionSpec
ops.structured.structured_tensor experimental
ops.random_ops                  random compat.v1 random_normal=random.normal random_uniform=random.uniform random_shuffle=random.shuffle random_gamma=random.gamma random_poisson_v2=random.poisson
ops.resource_variable_ops       compat.v1 ResourceVariable=state.variable:ResourceVariable BaseResourceVariable=state.variable:Variable
ops.rnn                         compat.v1.nn
ops.script_ops                  tf compat.v1 eager_py_func=py_function
ops.sets                        sets compat.v1.sets
ops.signal.signal               signal
ops.sort_ops                    tf
ops.sparse_ops                  sparse io compat.v1
ops.special_math_ops            math.special math tf
ops.standard_ops                tf math compat.v1 io nn linalg
ops.state_ops                   compat.v1
ops.stateless_random_ops        random random.experimental stateless_random_normal=random.stateless_normal stateless_random_uniform=random.stateless_uniform stateless_random_gamma=random.stateless_gamma stateless_random_binomial=random.stateless_binomial stateless_random_poisson=random.stateless_poisson
ops.string_ops                  strings io tf compat.v1 string_format=strings.format string_length_v2=strings.length
ops.summary_ops_v2              summary summary.experimental
ops.tensor_array_ops            tf
ops.variable_scope              compat.v1 tf
ops.variables                   tf compat.v1 PartitionedVariable=compat_v1.variables.partitioned_variable:PartitionedVariable
ops.while_loop                  tf
eager.backprop                  tf
eager.context                   tf config debugging context=interop.eager_context:context Context=interop.eager_context:Context async_wait=interop.eager_context:async_wait async_clear_error=interop.eager_context:async_clear_error eager_mode=core.context:eager_mode
eager.def_function              tf config
eager.forwardprop               autodiff tf
eager.polymorphic_function.polymorphic_function  tf config Function=function.polymorphic_function:PolymorphicFunction
eager.wrap_function             compat.v1
module.module                   tf
platform.app                    compat.v1.app
platform.gfile                  io.gfile compat.v1.gfile
platform.resource_loader        compat.v1.resource_loader
platform.sysconfig              sysconfig
platform.test                   test
platform.tf_logging             compat.v1.logging tf
util.compat                     compat
util.nest                       nest
util.tf_inspect                 getfullargspec=util.decorators:getfullargspec
checkpoint.checkpoint           train CheckpointV1=compat.v1.train.Checkpoint CheckpointLoadStatus=checkpoint.load_status:CheckpointLoadStatus NameBasedSaverStatus=checkpoint.load_status:NameBasedSaverStatus InitializationOnlyStatus=checkpoint.load_status:InitializationOnlyStatus
checkpoint.checkpoint_management  train compat.v1.train
checkpoint.checkpoint_options   train
checkpoint.checkpoint_view      train
checkpoint.graph_view           ObjectGraphView=checkpoint.object_graph:ObjectGraphView
checkpoint.sharding.sharding_policies  train.experimental
checkpoint.sharding.sharding_util  train.experimental
checkpoint.trackable_view       train
training.checkpoint_management  train compat.v1.train
training.checkpoint_utils       train
training.coordinator            train compat.v1.train
training.moving_averages        train
training.py_checkpoint_reader   NewCheckpointReader=compat.v1.train.NewCheckpointReader CheckpointReader=checkpoint.checkpoint_reader:CheckpointReader
training.saver                  compat.v1.train train BaseSaverBuilder=trackable.saveable_object:BaseSaverBuilder
training.saving.saveable_object SaveableObject=trackable.saveable_object:SaveableObject SaveSpec=trackable.saveable_object:SaveSpec
checkpoint.checkpoint_options   train
checkpoint.checkpoint_view      train
checkpoint.trackable_view       train
checkpoint.graph_view           ObjectGraphView=checkpoint.object_graph:ObjectGraphView
checkpoint.sharding.sharding_policies train.experimental
checkpoint.sharding.sharding_util train.experimental
trackable.python_state          train.experimental
training.training               train compat.v1.train
training.training_util          compat.v1.train
saved_model.builder             compat.v1.saved_model.builder
saved_model.constants           compat.v1.saved_model.constants
saved_model.fingerprinting      saved_model.experimental
saved_model.load                saved_model __internal__.saved_model
saved_model.load_options        saved_model saved_model.experimental
saved_model.loader              compat.v1.saved_model
saved_model.loader_impl         saved_model __internal__.saved_model
saved_model.revived_types       __internal__.saved_model.load registered_identifiers=saved_model.revived_types:registered_identifiers serialize=saved_model.revived_types:serialize deserialize=saved_model.revived_types:deserialize
saved_model.save                saved_model
saved_model.save_options        saved_model saved_model.experimental
saved_model.signature_constants saved_model
saved_model.tag_constants       compat.v1.saved_model.tag_constants
tools.inspect_checkpoint        print_tensors_in_checkpoint_file=interop.inspect_checkpoint:print_tensors_in_checkpoint_file
tools.saved_model_utils         read_saved_model=interop.saved_model_utils:read_saved_model get_saved_model_tag_sets=interop.saved_model_utils:get_saved_model_tag_sets get_meta_graph_def=interop.saved_model_utils:get_meta_graph_def
client.session                  compat.v1
data.experimental               data.experimental
data.ops.dataset_ops            data data.experimental DatasetV2=data.Dataset
data.ops.iterator_ops           data IteratorBase=data.Iterator OwnedIterator=data.iterators:OwnedIterator
data.ops.readers                data TFRecordDatasetV2=data.TFRecordDataset TextLineDatasetV2=data.TextLineDataset FixedLengthRecordDatasetV2=data.FixedLengthRecordDataset
summary.summary                 compat.v1.summary
summary.summary_iterator        compat.v1.train
summary.writer.writer           compat.v1.summary
summary.writer.writer_cache     compat.v1.summary
lib.io.file_io                  io.gfile compat.v1.gfile
lib.io.tf_record                io compat.v1.io
autograph                       autograph
autograph.impl.api              autograph autograph.experimental
distribute.distribute_lib       distribute distribute.experimental
distribute.input_lib            distribute
distribute.mirrored_strategy    distribute
distribute.reduce_util          distribute
profiler.profiler_v2            profiler.experimental
trackable.asset                 saved_model
trackable.autotrackable         __internal__.tracking
trackable.base                  __internal__.tracking SaveType=trackable.base:SaveType VARIABLE_VALUE_KEY=trackable.deferred_restoration:VARIABLE_VALUE_KEY OBJECT_CONFIG_JSON_KEY=trackable.base:OBJECT_CONFIG_JSON_KEY OBJECT_GRAPH_PROTO_KEY=trackable.base:OBJECT_GRAPH_PROTO_KEY no_automatic_dependency_tracking_scope=trackable.auto:no_automatic_dependency_tracking_scope
trackable.data_structures       __internal__.tracking List=trackable.list_wrapper:List ListWrapper=trackable.list_wrapper:ListWrapper Mapping=trackable.dict_wrapper:Mapping _DictWrapper=trackable.dict_wrapper:_DictWrapper _TupleWrapper=trackable.tuple_wrapper:_TupleWrapper NoDependency=trackable.data_structures:NoDependency wrap_or_unwrap=trackable.data_structures:wrap_or_unwrap
trackable.python_state          train.experimental
trackable.resource              saved_model.experimental CapturableResource=state.resource:CapturableResource RestoredResource=saved_model.loaded_objects:RestoredResource
types.core                      types.experimental __internal__.types Symbol=Tensor
/compiler.tf2xla.python.xla     dynamic_slice=ops.array.dynamic_slices:dynamic_slice dynamic_update_slice=ops.array.dynamic_slices:dynamic_update_slice
ops.ref_variable                compat.v1 RefVariable=compat_v1.variables.variable:RefVariable
ops.template                    compat.v1 Template=compat_v1.variables.templates:Template EagerTemplate=compat_v1.variables.templates:EagerTemplate
ops.variable_v1                 compat.v1 VariableV1=compat_v1.variables.variable:VariableV1
saved_model.builder_impl        compat.v1.saved_model.builder
training.adadelta               compat.v1.train
training.adagrad                compat.v1.train
training.adagrad_da             compat.v1.train
training.adam                   compat.v1.train
training.basic_session_run_hooks compat.v1.train
training.ftrl                   compat.v1.train
training.gradient_descent       compat.v1.train
training.momentum               compat.v1.train
training.monitored_session      compat.v1.train
training.optimizer              compat.v1.train
training.proximal_adagrad       compat.v1.train
training.proximal_gradient_descent compat.v1.train
training.queue_runner_impl      compat.v1.train
training.rmsprop                compat.v1.train
training.server_lib             compat.v1.train
training.session_manager        compat.v1.train
training.session_run_hook       compat.v1.train
training.supervisor             compat.v1.train
training.sync_replicas_optimizer compat.v1.train
"""

# What to use instead of a path that is not served.
_INSTEAD = {
    "python.client": "tf.config",
    "python.data": "tf.data",
    "python.distribute": "tf.distribute",
    "python.eager": "tf.function, tf.GradientTape and tf.executing_eagerly",
    "python.ops.gen_": "tf.raw_ops",
    "python.platform": "tf.io.gfile, tf.test and tf.get_logger",
    "python.profiler": "tf.profiler",
    "python.saved_model": "tf.saved_model",
    "python.trackable": "tf.Module and tf.train.Checkpoint",
    "python.training": "tf.train and tf.keras.optimizers",
    "core": "the messages tf.compat.v1.GraphDef, NodeDef, Summary, ...",
}


def _read_table() -> dict[str, tuple[list[str], dict[str, str]]]:
    """Reads the table: path below `tensorflow` -> (public namespaces to look in, name -> stated object)."""
    table = {}
    for line in _MODULES.strip().split("\n"):
        path, *words = line.split()
        stated_names = dict(word.split("=") for word in words if "=" in word)
        table[path[1:] if path.startswith("/") else f"python.{path}"] = (
            [word for word in words if "=" not in word],
            stated_names,
        )
    return table


_TABLE = _read_table()
_PACKAGES = {path.rsplit(".", cut)[0] for path in _TABLE for cut in range(1, path.count(".") + 1)} | {
    "python.ops.linalg.sparse"
}
_GENERATED_OPS = re.compile(r"python\.ops\.(gen_\w+_ops|linalg\.sparse\.sparse_csr_matrix_ops)\Z")
_MESSAGES = re.compile(r"core\.(?:\w+\.)*(\w+_pb2)\Z")


class PrivateModule(ModuleType):
    """A module below `tensorflow.python`, whose names are found in the public namespaces that the table gives."""

    _root: ModuleType
    _path: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'", name=name, obj=self)
        value = self._find(name)
        self.__dict__[name] = value
        return value

    def _find(self, name: str) -> Any:
        namespaces, stated_names = _TABLE.get(self._path, ([], {}))
        if name in stated_names:
            value = _stated_value(self._root, stated_names[name])
            if value is not None:
                return value
        for namespace, public in self._candidates(namespaces, name):
            value = getattr(_namespace(self._root, namespace), public, None)
            if value is not None and not isinstance(value, ModuleType):
                return value
        raise AttributeError(
            f"module '{self.__name__}' has no attribute '{name}': of TensorFlow's private modules Millrace serves only what "
            "has a public name",
            name=name,
            obj=self,
        )

    @staticmethod
    def _candidates(namespaces: list[str], name: str) -> list[tuple[str, str]]:
        """Lists where to look, in order: `cast_v2` and `CastV2` mean `cast` of TensorFlow 2, `cast_v1` of TensorFlow 1."""
        base, version = re.fullmatch(r"(.+?)(?:_?[vV]([12]))?", name).groups()  # type: ignore[union-attr]  # always matches
        plain_pairs = [(namespace, name) for namespace in namespaces]
        if version == "1":
            return plain_pairs + [(_as_v1(namespace), base) for namespace in namespaces]
        return plain_pairs + [(n, base) for n in namespaces if version and not n.startswith("compat.v1")]


def _as_v1(namespace: str) -> str:
    if namespace.startswith("compat.v1"):
        return namespace
    return "compat.v1" if namespace == "tf" else f"compat.v1.{namespace}"


def _namespace(root: ModuleType, path: str) -> Any:
    """Returns the public namespace, or None when Millrace has none of that name."""
    namespace: Any = root
    for part in [] if path == "tf" else path.split("."):
        namespace = getattr(namespace, part, None)
    return namespace


def _stated_value(root: ModuleType, what: str) -> Any:
    module, _, variable = what.partition(":")
    if not variable:
        return _namespace(root, what)
    if find_spec(_SOURCES + module) is None:
        return None
    return getattr(import_module(_SOURCES + module), variable, None)


class _GeneratedOps(ModuleType):
    """`tensorflow.python.ops.gen_math_ops` and the like: ops by their name in lower case, arguments by position too.

    A module whose ops are all missing is served too: libraries import it beside modules that they need.
    """

    def __getattr__(self, name: str) -> Any:
        registry = import_module(_SOURCES + "core.op_registry")
        _, stated_names = _TABLE.get(self.__name__.partition(".")[2], ([], {}))
        if name in stated_names:
            module_name, _, variable = stated_names[name].partition(":")
            return getattr(import_module(_SOURCES + module_name), variable)
        for op_name in registry.all_op_names() if not name.startswith("_") else []:
            if op_name.lower() == name.replace("_", ""):
                self.__dict__[name] = function = _positional(registry.get_op(op_name))
                return function
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'", name=name, obj=self)


def _positional(op: Any) -> Any:
    raw = getattr(import_module(_SOURCES + "ops.raw"), op.name)
    attrs = [attr for attr in op.attr_kinds if attr not in op.signature.inferred_attrs]
    order = [*op.signature.input_names, *attrs, "name"]

    def call(*args: Any, **kwargs: Any) -> Any:
        return raw(**dict(zip(order, args)), **kwargs)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = raw.__doc__
    return call


class PrivateFinder(Loader):
    """The `sys.meta_path` entry for `tensorflow.python.*`, `tensorflow.core.*` and `tensorflow.compiler.*`."""

    def __init__(self, root: ModuleType) -> None:
        self._root = root

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        head, _, inner = fullname.partition(".")
        if head != "tensorflow" or inner.partition(".")[0] not in ("python", "core", "compiler"):
            return None
        if inner == "python.keras" or inner.startswith("python.keras."):
            return aliases.find_spec(fullname, path, target)
        if not self._is_served(inner):
            raise ModuleNotFoundError(
                f"No module named {fullname!r}: Millrace serves of TensorFlow's private modules only what has a public "
                f"name; use {_instead(inner)}",
                name=fullname,
            )
        return ModuleSpec(fullname, self, origin="millrace private path", is_package=True)

    def _is_served(self, inner: str) -> bool:
        if inner in ("core", *_PACKAGES) or _GENERATED_OPS.match(inner):
            return True
        if message := _MESSAGES.match(inner):
            return find_spec(f"{_SOURCES}proto.{message[1]}") is not None
        if inner.startswith("core."):
            return inner.count(".") == 1
        namespaces, stated_names = _TABLE.get(inner, ([], {}))
        return any(_namespace(self._root, namespace) is not None for namespace in namespaces) or any(
            _stated_value(self._root, what) is not None for what in stated_names.values()
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        inner = spec.name.partition(".")[2]
        if _GENERATED_OPS.match(inner):
            return _GeneratedOps(spec.name)
        module = PrivateModule(spec.name)
        module.__dict__.update(_root=self._root, _path=inner)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Replaces protocol buffers by our own messages; other modules fill themselves on use."""
        if message := _MESSAGES.match(module.__name__.partition(".")[2]):
            sys.modules[module.__name__] = import_module(f"{_SOURCES}proto.{message[1]}")


def _instead(inner: str) -> str:
    return next((what for path, what in _INSTEAD.items() if inner.startswith(path)), "the public names of tf.*")


def install(root: ModuleType) -> None:
    """Serves the private paths below `tensorflow` from the public namespaces of `root`."""
    aliases.add("tensorflow.python.keras", f"{_OWN_NAME}.keras")
    sys.meta_path.insert(0, PrivateFinder(root))
