"""Frozen functions compute the same without variables, in files too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.interop.process import output_of

ORACLE = os.environ.get("MILLRACE_ORACLE_PYTHON")
READS = {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarHandleOp"}


def spec(*shape: int | None) -> Any:
    return tf.TensorSpec(shape, tf.float32, name="x")


class Layer(tf.Module):
    """Variables that are read by every op there is."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        self.scale = tf.Variable(2.0)
        self.count = tf.Variable(3)
        self.times = tf.function(lambda x: x * self.scale)

    def read(self, x: Any) -> Any:
        return x @ self.kernel + self.scale

    def called(self, x: Any) -> Any:
        return self.times(self.times(x)) @ self.kernel

    def branch(self, x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            return x @ self.kernel
        return x - self.times(x)

    def loop(self, x: Any) -> Any:
        for _ in tf.range(self.count):
            x = self.times(x) + self.kernel[0]
        return x

    def nested(self, x: Any) -> Any:
        for i in tf.range(self.count):
            if i % 2 == 0:
                x = self.times(x)
            else:
                for _ in tf.range(2):
                    x += self.scale
        return x

    def case(self, x: Any) -> Any:
        return tf.switch_case(self.count - 2, [lambda: x, lambda: x * self.scale, lambda: x + self.scale])

    def gathers(self, x: Any) -> Any:
        rows = tf.gather(self.kernel, [1, 0])
        batched = tf.gather(self.kernel, [[1], [0]], batch_dims=1)
        return x + rows + batched + tf.gather_nd(self.kernel, [[0, 1], [1, 1]])

    def shape(self, x: Any) -> Any:
        return x * tf.cast(tf.raw_ops.VariableShape(input=self.kernel.handle)[0], tf.float32)

    def gradient(self, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.loop(x)
        return tape.gradient(y, x)

    def structured(self, x: Any) -> Any:
        return {"b": x * self.scale, "a": (self.count, x)}


METHODS = ["read", "called", "branch", "loop", "nested", "case", "gathers", "shape", "gradient", "structured"]
INPUTS = [np.array([[1.0, 2.0], [3.0, -4.0]], np.float32), -np.ones([2, 2], np.float32)]


def ops_of(function: Any) -> set[str]:
    graph = function.graph.as_graph_def()
    return {node.op for node in graph.node} | {n.op for f in graph.library.function for n in f.node_def}


@pytest.mark.parametrize("method", METHODS)
def test_a_frozen_function_computes_the_same_without_variables(method: str) -> None:
    layer = Layer()
    function = tf.function(getattr(layer, method)).get_concrete_function(spec(2, 2))
    expected = [tf.nest.flatten(function(tf.constant(x))) for x in INPUTS]
    frozen = tf.interop.freeze(function)
    layer.kernel.assign(tf.zeros([2, 2]))
    layer.scale.assign(-1.0)
    for x, values in zip(INPUTS, expected, strict=True):
        for value, result in zip(values, frozen(tf.constant(x)), strict=True):
            np.testing.assert_array_equal(result, value)
    assert not ops_of(frozen) & READS
    assert (frozen.captured_inputs, frozen.variables) == ([], ())
    assert all(tensor.dtype != tf.resource for tensor in frozen.inputs)


def test_inputs_and_outputs_keep_their_names_and_shapes() -> None:
    layer = Layer()
    function = tf.function(lambda x, scale: {"y": layer.called(x) * scale, "n": layer.count}).get_concrete_function(
        spec(None, 2), tf.TensorSpec([], tf.float32, name="scale")
    )
    frozen = tf.interop.freeze(function)
    assert [t.name for t in frozen.inputs] == ["x:0", "scale:0"]
    assert [t.name for t in frozen.outputs] == [t.name for t in function.outputs]
    assert [t.shape for t in frozen.outputs] == [t.shape for t in function.outputs]
    assert frozen.structured_input_signature is None
    assert isinstance(frozen.structured_outputs, list)
    x = tf.ones([1, 2])
    np.testing.assert_array_equal(frozen(x=x, scale=tf.constant(2.0))[1], frozen(x, tf.constant(2.0))[1])


def test_tensorflows_private_path_has_the_function() -> None:
    path = "tensorflow.python.framework.convert_to_constants"
    line = f"import tensorflow as tf; import {path} as c"
    code = f"{line}; print(c.convert_variables_to_constants_v2 is tf.interop.freeze)"
    assert output_of(code) == "True"


def test_large_constants_and_arguments_of_the_user_are_kept() -> None:
    large = tf.constant(np.arange(5000.0))
    frozen = tf.interop.freeze(
        tf.function(lambda x, k=3: x + large * k).get_concrete_function(tf.constant(1.0, tf.float64))
    )
    np.testing.assert_array_equal(frozen(tf.constant(2.0, tf.float64))[0], 2.0 + 3 * np.arange(5000.0))
    assert frozen.captured_inputs == []


def test_effects_happen_in_their_order(capfd: pytest.CaptureFixture[str]) -> None:
    scale = tf.Variable(2.0)

    @tf.function
    def inner(x: Any) -> Any:
        tf.print("inner", x)
        return x * scale

    @tf.function
    def outer(x: Any) -> Any:
        tf.print("first")
        y = inner(x)
        tf.print("last", scale)
        return y

    frozen = tf.interop.freeze(outer.get_concrete_function(spec()))
    assert frozen(tf.constant(3.0))[0].numpy() == 6.0
    assert capfd.readouterr().err.splitlines() == ["first", "inner 3", "last 2"]


def test_a_frozen_function_can_be_called_in_a_function_and_differentiated() -> None:
    layer = Layer()
    frozen = tf.interop.freeze(tf.function(layer.loop).get_concrete_function(spec(2, 2)))
    x = tf.constant(INPUTS[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: frozen(x)[0])(x)
    np.testing.assert_array_equal(tape.gradient(y, x), np.full([2, 2], 8.0))


def test_tables_stay_captured() -> None:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [5]), -1)
    scale = tf.Variable(2)
    function = tf.function(lambda key: table.lookup(key) * scale).get_concrete_function(tf.constant("a"))
    frozen = tf.interop.freeze(function)
    assert len(frozen.captured_inputs) == 1
    assert [frozen(tf.constant(key))[0].numpy() for key in ("a", "b")] == [10, -2]


def test_a_variable_that_is_an_argument_stays_one() -> None:
    variable, scale = tf.Variable(3.0), tf.Variable(2.0)
    function = tf.function(lambda v: v * scale).get_concrete_function(variable)
    assert tf.interop.freeze(function)(variable.handle)[0].numpy() == 6.0


@pytest.mark.parametrize(
    "body", [lambda v: v.assign_add(1.0), lambda v: tf.cond(v > 0.0, lambda: v.assign(2.0), lambda: v + 0.0)]
)
def test_functions_that_change_variables_are_refused(body: Any) -> None:
    variable = tf.Variable(1.0)
    function = tf.function(lambda: body(variable)).get_concrete_function()
    with pytest.raises(ValueError, match=r"The function cannot be frozen: operation '.*' .* changes a variable"):
        tf.interop.freeze(function)


def test_datasets_that_read_variables_are_refused() -> None:
    variable = tf.Variable(2)
    function = tf.function(
        lambda: tf.data.Dataset.range(3).map(lambda i: tf.cast(i, tf.int32) * variable).reduce(0, lambda a, b: a + b)
    ).get_concrete_function()
    with pytest.raises(ValueError, match="The function cannot be frozen"):
        tf.interop.freeze(function)


def test_variables_without_a_value_are_refused() -> None:
    variable = tf.Variable(1.0)
    function = tf.function(lambda: variable + 1.0).get_concrete_function()
    tf.raw_ops.DestroyResourceOp(resource=variable.handle)
    with pytest.raises(tf.errors.OpError):
        tf.interop.freeze(function)


def test_a_frozen_function_of_a_loaded_model_may_do_no_more_than_the_model(tmp_path: Path) -> None:
    path = str(tmp_path / "written")
    module = tf.Module()
    module.scale = tf.Variable(2.0)

    @tf.function
    def write(x: Any) -> Any:
        tf.io.write_file(path, tf.strings.as_string(x))
        return x * module.scale

    @tf.function(input_signature=[spec()])
    def branch(x: Any) -> Any:
        if x > 0.0:
            y = write(x)
        else:
            y = x - module.scale
        return {"y": y}

    tf.saved_model.save(module, str(tmp_path / "model"), signatures=branch)
    frozen = tf.interop.freeze(tf.saved_model.load(str(tmp_path / "model")).signatures["serving_default"])
    assert frozen(tf.constant(-1.0))[0].numpy() == -3.0
    with pytest.raises(tf.errors.PermissionDeniedError):
        frozen(tf.constant(1.0))
    assert not Path(path).exists()


def test_what_is_no_concrete_function_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a concrete function"):
        tf.interop.freeze(tf.function(lambda: 1))


_RUN = """
import sys, json, numpy as np, tensorflow as tf
for path in sys.argv[1:]:
    graph = tf.compat.v1.GraphDef.FromString(open(path, "rb").read())
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph, name=""), [])
    outputs = json.load(open(path + ".outputs"))
    function = wrapped.prune("x:0", outputs)
    inputs = json.load(open(path + ".inputs"))
    print(json.dumps([[np.asarray(t).tolist() for t in function(tf.constant(x))] for x in inputs]))
"""


@pytest.mark.oracle
def test_tensorflow_imports_and_runs_frozen_graphs(tmp_path: Path) -> None:
    import json

    if not ORACLE:
        pytest.skip("MILLRACE_ORACLE_PYTHON is not set")
    layer, expected = Layer(), []
    for method in METHODS:
        frozen = tf.interop.freeze(tf.function(getattr(layer, method)).get_concrete_function(spec(2, 2)))
        (tmp_path / method).write_bytes(frozen.graph.as_graph_def().SerializeToString())
        (tmp_path / f"{method}.outputs").write_text(json.dumps([t.name for t in frozen.outputs]))
        (tmp_path / f"{method}.inputs").write_text(json.dumps([x.tolist() for x in INPUTS]))
        expected.append([[t.numpy().tolist() for t in frozen(tf.constant(x))] for x in INPUTS])
    command = [ORACLE, "-c", _RUN, *(str(tmp_path / method) for method in METHODS)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert [json.loads(line) for line in result.stdout.splitlines()] == expected, result.stderr[-3000:]
