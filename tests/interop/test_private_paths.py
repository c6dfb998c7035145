from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from millrace._src.interop import private_paths
from tests.interop.process import output_of


def test_names_of_private_modules_are_the_public_ones() -> None:
    code = """
import tensorflow as tf
from tensorflow.python.framework import ops, dtypes, tensor_shape, errors_impl
from tensorflow.python.ops import math_ops
import tensorflow.python.framework.errors as errors
print(ops.Tensor is tf.Tensor, dtypes.float32 is tf.float32, tensor_shape.TensorShape is tf.TensorShape)
print(math_ops.tanh is tf.tanh, math_ops.reciprocal is tf.math.reciprocal)
print(errors.OpError is errors_impl.OpError is tf.errors.OpError)
print(ops.EagerTensor.__name__, tf.python.framework.ops is ops)
"""
    assert output_of(code) == "True True True\nTrue True\nTrue\nEagerTensor True"


def test_the_internal_name_scope_takes_a_default_and_values_and_does_nothing_eagerly() -> None:
    code = """
import tensorflow as tf
from tensorflow.python.framework import ops
def entered(*args, **kwargs):
    with ops.name_scope(*args, **kwargs) as scope:
        return scope
print(entered("x"), entered(None, "layer", [tf.constant(1)]), entered("x", skip_on_eager=False))
with tf.Graph().as_default():
    print(entered("x"), entered(None, "layer", []), entered("n", "layer", [tf.constant(1)]), entered("x/"))
    try:
        entered(None, None, [1])
    except ValueError as error:
        print(error)
with ops.name_scope_v1("a") as first, ops.name_scope_v2("b") as second:
    print(first, second)
"""
    lines = [
        "None None x/",
        "x/ layer/ n/ x/",
        "At least one of name (None) and default_name (None) must be provided.",
        "a/ a/b/",
    ]
    assert output_of(code) == "\n".join(lines)


def test_a_suffix_chooses_the_version_of_the_interface() -> None:
    candidates = private_paths.PrivateModule._candidates
    assert candidates(["tf", "nn"], "pool_v2") == [("tf", "pool_v2"), ("nn", "pool_v2"), ("tf", "pool"), ("nn", "pool")]
    assert candidates(["tf"], "NameV1") == [("tf", "NameV1"), ("compat.v1", "Name")]
    assert candidates(["nn", "compat.v1.nn"], "moments_v2") == [
        ("nn", "moments_v2"),
        ("compat.v1.nn", "moments_v2"),
        ("nn", "moments"),
    ]
    assert candidates(["tf"], "cast") == [("tf", "cast")]


def test_generated_op_modules_serve_ops_by_position() -> None:
    code = """
from tensorflow.python.ops import gen_math_ops
print(gen_math_ops.tanh([0.0]).numpy(), gen_math_ops.mul([2.0], [3.0]).numpy())
try:
    gen_math_ops.nope
except AttributeError as error:
    print(error)
"""
    expected = "[0.] [6.]\nmodule 'tensorflow.python.ops.gen_math_ops' has no attribute 'nope'"
    assert output_of(code) == expected


def test_messages_are_millraces_own() -> None:
    code = """
from tensorflow.core.framework import graph_pb2, types_pb2
from tensorflow.core.framework.node_def_pb2 import NodeDef
g = graph_pb2.GraphDef()
g.node.append(NodeDef(name="x", op="Const"))
print(len(graph_pb2.GraphDef.FromString(g.SerializeToString()).node), types_pb2.DT_FLOAT)
"""
    assert output_of(code) == "1 1"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("tensorflow.python.client.timeline", "tf.config"),
        ("tensorflow.python.trackable.layer_utils", "tf.Module and tf.train.Checkpoint"),
        ("tensorflow.python.no.such.thing", "the public names of tf.*"),
        ("tensorflow.core.framework.nope_pb2", "the messages"),
    ],
)
def test_a_path_that_is_not_served_says_what_to_use(path: str, hint: str) -> None:
    code = f"""
try:
    import {path}
except ModuleNotFoundError as error:
    print(error.name, error)
"""
    line = output_of(code)
    assert "No module named" in line and "public name; use " in line and hint in line


def test_a_name_without_a_public_name_is_an_attribute_error() -> None:
    code = """
from tensorflow.python.framework import ops
print(hasattr(ops, "_no_such_thing"), hasattr(ops, "__wrapped__"))
try:
    from tensorflow.python.framework.ops import no_such_thing
except ImportError as error:
    print(str(error).partition(" (")[0])
"""
    expected = "False False\ncannot import name 'no_such_thing' from 'tensorflow.python.framework.ops'"
    assert output_of(code) == expected


def test_the_table_names_only_public_namespaces_or_sources() -> None:
    for path, (namespaces, stated) in private_paths._TABLE.items():
        assert namespaces or stated, path
        for what in stated.values():
            module, _, variable = what.partition(":")
            assert module and (not variable or variable.isidentifier()), (path, what)


@pytest.mark.oracle
def test_the_paths_exist_in_tensorflow(tmp_path: Path) -> None:
    oracle = os.environ.get("MILLRACE_ORACLE_PYTHON", sys.executable)
    code = "import importlib, sys\nfor p in sys.argv[1:]:\n    importlib.import_module('tensorflow.' + p)\nprint('all')"
    command = [oracle, "-c", code, *private_paths._TABLE]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert result.stdout == "all\n", result.stderr[-2000:]


def test_the_names_that_keras_takes_of_trackable_objects_are_served() -> None:
    code = """
import tensorflow as tf
from tensorflow.python.trackable.data_structures import ListWrapper, _DictWrapper, _TupleWrapper, NoDependency
from tensorflow.python.trackable import autotrackable, base
module = tf.Module()
module.l, module.d, module.t, module.n = [1], {}, ([],), NoDependency([])
print([isinstance(x, y) for x, y in zip((module.l, module.d, module.t), (ListWrapper, _DictWrapper, _TupleWrapper))])
print(autotrackable.AutoTrackable is tf.__internal__.tracking.AutoTrackable, issubclass(tf.Module, base.Trackable))
print(base.VARIABLE_VALUE_KEY, base.no_automatic_dependency_tracking.__name__, type(module.n).__name__)
"""
    expected = "[True, True, True]\nTrue True\nVARIABLE_VALUE no_automatic_dependency_tracking list"
    assert output_of(code) == expected


def test_sparse_matrices_are_served_below_their_private_path() -> None:
    code = """
from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops, sparse
matrix = sparse_csr_matrix_ops.CSRSparseMatrix([[1.0, 0.0], [2.0, 3.0]])
product = sparse_csr_matrix_ops.sparse_matrix_mat_mul(matrix._matrix, [[1.0], [1.0]])
print(product.numpy().tolist(), sparse.matmul is sparse_csr_matrix_ops.matmul)
"""
    assert output_of(code) == "[[1.0], [5.0]] True"


def test_modules_about_files_are_served() -> None:
    code = """
from tensorflow.python.tools import saved_model_utils, inspect_checkpoint
from tensorflow.python.saved_model import loader_impl, load_options, save_options, load, revived_types, fingerprinting
from tensorflow.python.training import py_checkpoint_reader
from tensorflow.python.checkpoint import checkpoint, checkpoint_options, checkpoint_view, graph_view, trackable_view
from tensorflow.python.checkpoint.sharding import sharding_policies, sharding_util
from tensorflow.python.trackable import asset, python_state, resource
import tensorflow as tf
pairs = [
    (loader_impl.contains_saved_model, tf.saved_model.contains_saved_model),
    (loader_impl.parse_saved_model, tf.__internal__.saved_model.parse_saved_model),
    (load.load, tf.saved_model.load), (load.load_partial, tf.__internal__.saved_model.load_partial),
    (load_options.LoadOptions, tf.saved_model.LoadOptions), (save_options.SaveOptions, tf.saved_model.SaveOptions),
    (save_options.VariablePolicy, tf.saved_model.experimental.VariablePolicy),
    (fingerprinting.read_fingerprint, tf.saved_model.experimental.read_fingerprint),
    (py_checkpoint_reader.NewCheckpointReader, tf.compat.v1.train.NewCheckpointReader),
    (checkpoint.Checkpoint, tf.train.Checkpoint), (checkpoint.CheckpointV1, tf.compat.v1.train.Checkpoint),
    (checkpoint_options.CheckpointOptions, tf.train.CheckpointOptions),
    (checkpoint_view.CheckpointView, tf.train.CheckpointView),
    (trackable_view.TrackableView, tf.train.TrackableView),
    (sharding_policies.MaxShardSizePolicy, tf.train.experimental.MaxShardSizePolicy),
    (sharding_util.ShardingCallback, tf.train.experimental.ShardingCallback),
    (asset.Asset, tf.saved_model.Asset), (python_state.PythonState, tf.train.experimental.PythonState),
    (resource.TrackableResource, tf.saved_model.experimental.TrackableResource),
]
named = [saved_model_utils.get_meta_graph_def, inspect_checkpoint.print_tensors_in_checkpoint_file]
named += [graph_view.ObjectGraphView, revived_types.deserialize, resource.CapturableResource]
print(all(private is public for private, public in pairs), all(map(callable, named)))
"""
    assert output_of(code) == "True True"
