"""What the ops of an imported graph may reach."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_registry import get_op
from millrace._src.data.dataset_base import new_dataset
from millrace._src.graph.import_graph_def import import_under
from millrace._src.graph.op_policy import TRUSTING, GuardedOp, OpPolicy, capabilities_of, describe_deeds
from millrace._src.proto.op_def_pb2 import OpDef as OpDefMessage

Denied = tf.errors.PermissionDeniedError
TEXT = tf.TensorSpec([], tf.string)


def strict(*own_files: str, allowed: Capability = Capability.NOTHING, **facts: Any) -> OpPolicy:
    files = frozenset(name.encode() for name in own_files)
    return OpPolicy(allowed=allowed, own_files=files, advice=lambda refused: f"Ask for {refused.name}.", **facts)


def imported(function: Callable[..., Any], policy: OpPolicy, *specs: tf.TensorSpec) -> Callable[..., Any]:
    """The function after a journey through a `GraphDef`."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    names = [tensor.name for tensor in concrete.inputs]
    message = tf.compat.v1.GraphDef.FromString(concrete.graph.as_graph_def().SerializeToString())

    def rebuilt(*args: Any) -> Any:
        results = [tensor.name for tensor in concrete.outputs]
        results += [op.name for op in concrete.graph.get_operations() if not op.outputs]
        found = import_under(policy, message, dict(zip(names, args, strict=True)), results, name="loaded")
        return [item for item in found if isinstance(item, tf.Tensor)]

    return tf.function(rebuilt, autograph=False, input_signature=specs)


def write(name: Any) -> Any:
    tf.io.write_file(name, "written")
    return tf.identity(name)


def test_an_op_that_may_not_write_files_stands_in_the_graph_and_fails_when_it_runs(tmp_path: Path) -> None:
    function = imported(write, strict(), TEXT)
    concrete = function.get_concrete_function()  # type: ignore[attr-defined]  # a tf.function
    assert "WriteFile" in [op.type for op in concrete.graph.get_operations()]
    with pytest.raises(
        Denied, match=r"Op 'WriteFile' \(node 'loaded/WriteFile' of function 'rebuilt'\) would write files"
    ):
        function(tf.constant(f"{tmp_path}/new"))
    assert not list(tmp_path.iterdir())
    with pytest.raises(Denied, match=r"allows it\. Ask for WRITES_FILES\."):
        function(tf.constant(f"{tmp_path}/new"))


def test_what_is_allowed_runs(tmp_path: Path) -> None:
    imported(write, strict(allowed=Capability.WRITES_FILES), TEXT)(tf.constant(f"{tmp_path}/new"))
    assert (tmp_path / "new").read_text() == "written"
    with pytest.raises(Denied):
        imported(tf.io.read_file, strict(allowed=Capability.WRITES_FILES), TEXT)(tf.constant(f"{tmp_path}/new"))


def test_own_files_are_read_wherever_their_names_went(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.write_text("a\nb\n")
    other.write_text("secret")

    @tf.function(autograph=False)
    def inner(name: Any) -> Any:
        return tf.cond(tf.strings.length(name) > 0, lambda: tf.io.read_file(name), lambda: "")

    nested = imported(inner, strict(str(own)), TEXT)
    assert nested(tf.constant(str(own)))[0].numpy() == b"a\nb\n"
    with pytest.raises(Denied, match=r"of function '.*'\) would read '.*/other', no file that came along"):
        nested(tf.constant(str(other)))
    for disguise in (f"{tmp_path}/./own", f"file://{own}", f"{own}\n"):
        with pytest.raises(Denied):
            nested(tf.constant(disguise))


def test_every_name_in_a_list_of_files_must_be_an_own_one(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("a\nb\n")
    (tmp_path / "other").write_text("c\n")

    def lines(names: Any) -> Any:
        return tf.data.TextLineDataset(names).reduce("", lambda state, line: state + line)

    function = imported(lines, strict(f"{tmp_path}/own"), tf.TensorSpec([None], tf.string))
    assert function(tf.constant([f"{tmp_path}/own"] * 2))[0].numpy() == b"abab"
    with pytest.raises(Denied):
        function(tf.constant([f"{tmp_path}/own", f"{tmp_path}/other"]))


def test_patterns_and_folders_are_refused_though_they_lead_to_own_files(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("a")
    function = imported(tf.io.matching_files, strict(f"{tmp_path}/own"), TEXT)
    with pytest.raises(Denied, match="would read files, which"):
        function(tf.constant(f"{tmp_path}/own"))


def test_python_of_this_process_is_not_called_not_even_to_know_a_shape() -> None:
    calls = []

    def called(x: Any) -> Any:
        calls.append(x)
        return x

    def shaped(x: Any) -> Any:
        size = tf.numpy_function(called, [tf.constant(3)], tf.int32, stateful=False)
        return tf.py_function(called, [tf.fill([size], x)], tf.float32)

    function = imported(shaped, strict(), tf.TensorSpec([], tf.float32))
    calls.clear()
    with pytest.raises(Denied, match="would call Python functions of this process"):
        function(tf.constant(1.0))
    assert not calls


def test_a_cache_in_memory_is_no_file() -> None:
    def total(n: Any) -> Any:
        return tf.data.Dataset.range(n).cache().reduce(np.int64(0), lambda a, b: a + b)

    assert imported(total, strict(), tf.TensorSpec([], tf.int64))(tf.constant(4, tf.int64))[0].numpy() == 6


def test_a_graph_cannot_bring_a_dataset_past_the_policy(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("secret\n")
    graph = tf.data.TextLineDataset(f"{tmp_path}/f")._as_serialized_graph()

    def smuggled(text: Any) -> Any:
        dataset = tf.raw_ops.DatasetFromGraph(graph_def=text)
        return tf.raw_ops.DatasetToSingleElement(dataset=dataset, output_types=[tf.string], output_shapes=[[]])

    with pytest.raises(Denied, match="read files and write files and call Python"):
        imported(smuggled, strict(), TEXT)(graph)


def test_a_guarded_dataset_is_not_written_into_a_graph_which_would_forget_the_guard(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("a\n")

    def serialized(names: Any) -> Any:
        dataset = tf.data.TextLineDataset(names).map(tf.io.read_file)
        return tf.raw_ops.DatasetToGraphV2(input_dataset=dataset._variant_tensor)

    function = imported(serialized, strict(f"{tmp_path}/own"), tf.TensorSpec([None], tf.string))
    with pytest.raises(tf.errors.FailedPreconditionError, match="its op 'TextLineDataset' comes from a file"):
        function(tf.constant([f"{tmp_path}/own"]))


def test_a_one_shot_iterator_does_not_copy_a_guarded_dataset() -> None:
    written = tf.Graph()
    with written.as_default():
        tf.raw_ops.TextLineDataset(filenames="f", compression_type="", buffer_size=0)
    with tf.Graph().as_default():
        (variant,) = import_under(strict(), written.as_graph_def(), None, ["TextLineDataset:0"])
        dataset = new_dataset("_VariantDataset", variant, TEXT)
        with pytest.raises(ValueError, match=r"type:TextLineDataset\) by value"):
            tf.compat.v1.data.make_one_shot_iterator(dataset)


def test_gradients_by_name_are_those_that_came_along() -> None:
    @tf.RegisterGradient("OfThisProcessForTestOpPolicy")
    def secret(op: Any, dy: Any) -> Any:
        return dy * 1000.0

    def squared(x: Any) -> Any:
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": "OfThisProcessForTestOpPolicy"}):
            return tf.square(x)

    def slope(policy: OpPolicy) -> float:
        function, x = imported(squared, policy, tf.TensorSpec([], tf.float32)), tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = function(x)
        return float(tape.gradient(y, x))

    assert slope(TRUSTING) == 1000.0
    assert slope(strict(gradient_rules={"OfThisProcessForTestOpPolicy": lambda op, dys: [dys[0] * 7.0]})) == 7.0
    with pytest.raises(LookupError, match=r"asks for the gradient 'OfThis.*', which did not come along"):
        slope(strict(gradient_rules={}))


def test_a_guarded_op_cannot_be_copied_into_its_unguarded_self() -> None:
    op = get_op("ReadFile")
    tensor = tf.constant("x")
    guarded = strict().admit(op, [tensor], {}, "node 'n'")
    assert isinstance(guarded, GuardedOp) and guarded.name == "ReadFile"
    assert copy.deepcopy(guarded) is guarded
    with pytest.raises(TypeError, match="cannot pickle 'ReadFile' of an imported graph"):
        pickle.dumps(guarded)
    assert TRUSTING.admit(op, [tensor], {}, "node 'n'") is op


def test_capabilities_in_words() -> None:
    assert describe_deeds(Capability.READS_FILES | Capability.WRITES_FILES) == "read files and write files"
    attrs = {"output_stream": "file:///f", "end": ""}
    assert capabilities_of(get_op("PrintV2"), [tf.constant("x")], attrs) is Capability.WRITES_FILES
    attrs["output_stream"] = "stdout"
    assert capabilities_of(get_op("PrintV2"), [tf.constant("x")], attrs) is Capability.NOTHING


def test_an_op_that_nobody_knows_is_the_one_that_the_graph_declares() -> None:
    args = {"input_arg": [{"name": "x", "type": 1}], "output_arg": [{"name": "y", "type": 1}]}
    declared = OpDefMessage(name="TheirOwnOp", **args)  # type: ignore[arg-type]  # protobuf takes dicts for messages
    policy = OpPolicy(declared_ops={"TheirOwnOp": declared, "Neg": declared})
    assert policy.op_of("TheirOwnOp").signature_text == "x: float32 -> y: float32"
    assert policy.op_of("Neg") is get_op("Neg")
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'TheirOwnOp'"):
        TRUSTING.op_of("TheirOwnOp")
