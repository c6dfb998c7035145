"""SavedModels: damaged, given ops that reach files and Python, loaded, and called."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.proto import fingerprint_pb2
from millrace._src.proto.saved_model_pb2 import SavedModel
from tests.attack.checkpoint_targets import damaged_block, damaged_entries
from tests.attack.mutations import Damage, damage_message, damaged
from tests.attack.target import Files, Target, of_message, read_back


def _saved_models(folder: Path) -> Sequence[Files]:
    makers = (_arithmetic, _control_flow, _table, _composites, _containers, _custom_gradient, _training)
    specimens = []
    for maker in makers:
        module, signatures = maker(folder)
        path = folder / maker.__name__
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
        tf.saved_model.save(module, str(path), signatures, options)
        specimens.append(read_back(path))
    return specimens


RECORDED = Path(__file__).parents[1] / "formats" / "recorded" / "saved_models"

RECORDED_NAMES = (
    "composites-composites_in_structures",
    "composites-ragged",
    "containers-dicts",
    "containers-shared_list",
    "control_flow-cases",
    "functions-python_values",
    "functions-several_traces",
    "gradients-custom_gradient_kept",
    "gradients-training_step",
    "keras-string_lookup",
    "options-sharded_variables",
    "signatures-dtypes",
    "signatures-nested_inputs",
    "v1-conditions",
    "v1-loops",
    "v1-partitioned_variable",
    "v1-reference_variables",
    "v1-table_of_an_asset",
    "v1-tensor_arrays",
)
"""SavedModels that TensorFlow wrote: of each feature one or two."""


def _of_tensorflow(folder: Path) -> Sequence[Files]:
    specimens = []
    for name in RECORDED_NAMES:
        with zipfile.ZipFile(RECORDED / f"{name}.zip") as file:
            specimens.append({n: file.read(n) for n in sorted(file.namelist()) if not n.endswith("/")})
    return specimens


VECTOR = tf.TensorSpec([None], tf.float32, "x")


def _arithmetic(folder: Path) -> Any:
    module = tf.Module()
    module.scale = tf.Variable([2.0])
    inner = tf.function(lambda x, power=2: x**power * module.scale, autograph=False)

    @tf.function(input_signature=[VECTOR])
    def scaled(x: Any) -> Any:
        return {"y": inner(x), "z": inner(x, power=3)}

    module.scaled, module.inner = scaled, inner
    return module, {"serving_default": scaled, "other": scaled}


def _control_flow(folder: Path) -> Any:
    module = tf.Module()
    module.count = tf.Variable(0)

    @tf.function(input_signature=[VECTOR])
    def steps(x: Any) -> Any:
        module.count.assign_add(1)
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), (0, x))[1]
        z = tf.cond(tf.size(x) > 2, lambda: y + 1.0, lambda: y - 1.0)
        return tf.switch_case(module.count.read_value(), [lambda: z, lambda: -z])

    module.steps = steps
    return module, steps


def _table(folder: Path) -> Any:
    (folder / "words.txt").write_text("a\nb\nc\n")
    module = tf.Module()
    line, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    words = tf.lookup.TextFileInitializer(f"{folder}/words.txt", tf.string, line, tf.int64, number)
    module.table = tf.lookup.StaticHashTable(words, -1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def found(x: Any) -> Any:
        return module.table.lookup(x)

    module.found = found
    return module, found


def _composites(folder: Path) -> Any:
    module = tf.Module()

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def sums(x: Any) -> Any:
        return tf.reduce_sum(x, axis=1), x * 2.0

    @tf.function(input_signature=[tf.TensorSpec([3, 4], tf.float32)])
    def sparse(x: Any) -> Any:
        return tf.sparse.from_dense(x)

    module.sums, module.sparse = sums, sparse
    return module, None


def _containers(folder: Path) -> Any:
    module = tf.Module()
    module.layers = [tf.Module(), {"a": tf.Variable(1.0), "b": (tf.Variable(2), 3)}]
    module.layers[0].twin = module
    module.constant = tf.constant([1.0, 2.0])

    @tf.function
    def mixed(x: Any, flags: Any) -> Any:
        return {"sum": x["a"] + module.layers[1]["a"] + module.constant, "list": [x["b"]] * flags["n"]}

    numbers = {"a": tf.TensorSpec([2]), "b": tf.TensorSpec([], tf.int32)}
    mixed.get_concrete_function(numbers, {"n": 2})
    mixed.get_concrete_function(numbers, {"n": 1})
    module.mixed = mixed
    return module, None


def _custom_gradient(folder: Path) -> Any:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    module = tf.Module()

    @tf.function(input_signature=[VECTOR])
    def forward(x: Any) -> Any:
        return clipped(x * 5.0)

    module.forward = forward
    return module, forward


def _training(folder: Path) -> Any:
    module = tf.Module()
    module.weight, module.bias = tf.Variable(tf.ones([2, 1])), tf.Variable([0.0])

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ module.weight + module.bias - y) ** 2)
        for variable, gradient in zip(module.trainable_variables, tape.gradient(loss, module.trainable_variables)):
            variable.assign_sub(0.1 * gradient)
        return loss

    module.step = step
    return module, {"train": step}


# --- damages -----------------------------------------------------------------------------------------------------


def damaged_model(data: bytes, rng: random.Random) -> bytes:
    """A SavedModel with changes to its objects, its graphs or its signatures."""
    message = SavedModel.FromString(data)
    meta_graph = message.meta_graphs[0]
    parts = (
        meta_graph.object_graph_def,
        meta_graph.object_graph_def,
        meta_graph.graph_def.library,
        meta_graph,
        message,
    )
    for _ in range(rng.choice((1, 1, 2, 4))):
        try:
            damage_message(rng.choice(parts), rng)
        except (ValueError, TypeError, UnicodeError):  # a value that no such field can hold
            continue
    return bytes(message.SerializeToString(deterministic=True))


def with_worldly_ops(data: bytes, rng: random.Random) -> bytes:
    """A SavedModel one function of which reads and writes files, and calls Python, whenever it is called."""
    message = SavedModel.FromString(data)
    functions = message.meta_graphs[0].graph_def.library.function
    if functions:
        for function in rng.sample(list(functions), min(len(functions), rng.choice((1, 3, 99)))):
            _add_worldly_op(function, rng)
    return bytes(message.SerializeToString(deterministic=True))


def _add_worldly_op(function: Any, rng: random.Random) -> None:
    text = function.node_def.add(name="worldly_text", op="Const")
    text.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(rng.choice(("/etc/passwd", "/tmp/millrace_escaped"))))
    text.attr["dtype"].type = tf.string.as_datatype_enum
    name = "worldly_text:output:0"
    node = function.node_def.add(
        name="worldly", op=rng.choice(("WriteFile", "ReadFile", "PrintV2", "PyFunc", "SaveV2"))
    )
    if node.op == "PyFunc":
        node.input.append(name)
        node.attr["token"].s = b"pyfunc_0"
        node.attr["Tin"].list.type.append(tf.string.as_datatype_enum)
        node.attr["Tout"].list.type.append(tf.string.as_datatype_enum)
    elif node.op == "SaveV2":
        names = function.node_def.add(name="worldly_names", op="Const")
        names.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(["n"]))
        names.attr["dtype"].type = tf.string.as_datatype_enum
        node.input.extend([name, "worldly_names:output:0", "worldly_names:output:0", name])
        node.attr["dtypes"].list.type.append(tf.string.as_datatype_enum)
    else:
        node.input.extend([name] * (2 if node.op == "WriteFile" else 1))
        if node.op == "PrintV2":
            node.attr["output_stream"].s = b"file:///tmp/millrace_escaped"
    function.signature.control_output.append("worldly")
    function.control_ret["worldly"] = "worldly"
    function.signature.is_stateful = True


# --- reading -----------------------------------------------------------------------------------------------------


def _load_and_call(folder: Path) -> None:
    """Loads a SavedModel and calls its signatures and functions; a call that is refused ends that call only."""
    loaded = tf.saved_model.load(str(folder))
    signatures = getattr(loaded, "signatures", {})
    given = signatures.values() if isinstance(signatures, Mapping) else ()
    for function in (*given, *_functions(loaded)):
        try:
            if isinstance(function, ConcreteFunction):
                _call(function)
        except (tf.errors.OpError, ValueError, TypeError) as error:
            is_refused = isinstance(error, ValueError) or "Binding inputs" in str(error)
            if not is_refused and isinstance(error, (tf.errors.InternalError, tf.errors.UnknownError, TypeError)):
                raise


def _functions(loaded: Any) -> Iterator[Any]:
    """The concrete functions of the functions that are attributes of the loaded object."""
    for name, value in sorted(vars(loaded).items()):
        if not name.startswith("_"):
            yield from getattr(value, "concrete_functions", ())


def _call(function: Any) -> None:
    args, kwargs = function.structured_input_signature
    function(*tf.nest.map_structure(_value, args), **tf.nest.map_structure(_value, kwargs))


def _value(spec: Any) -> Any:
    """A small value for a spec; a Python value represents itself."""
    if not isinstance(spec, tf.TensorSpec):
        if isinstance(spec, tf.TypeSpec):
            raise ValueError("a signature with composite tensors")
        return spec
    dims = [3, 2] if spec.shape.rank is None else [2 if d is None else d for d in spec.shape.as_list()]
    if np.prod(dims, dtype=object) > 1 << 16:
        raise ValueError("a signature with absurd shapes")
    if spec.dtype is tf.string:
        return tf.fill(dims, "/etc/passwd")
    return tf.cast(tf.ones(dims), spec.dtype)


_DAMAGES: dict[str, Sequence[Damage]] = {
    "saved_model.pb": (*[damaged_model] * 6, with_worldly_ops, damaged),
    "fingerprint.pb": (damaged, of_message(fingerprint_pb2.FingerprintDef)),
    ".index": (damaged, damaged_block, damaged_entries),
    "": (damaged,),
}


def _target(name: str, specimens: Callable[[Path], Sequence[Files]]) -> Target:
    # TensorFlow has OSError for a file that is not a SavedModel, and AssertionError for missing values.
    refusals = (OSError, AssertionError)
    return Target(
        name, specimens, _DAMAGES, _load_and_call, may_run_on=True, refusals=refusals, favourite="saved_model.pb"
    )


TARGETS = (_target("saved models", _saved_models), _target("saved models of TensorFlow", _of_tensorflow))
