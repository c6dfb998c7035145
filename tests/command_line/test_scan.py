"""`scan` says which SavedModels have ops that a server should not run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.command_line.saved_model_cli import main, scan
from tests.command_line.corpus import ARCHIVES, unpacked
from tests.command_line.hostile_models import HIDING_PLACES, add_second_meta_graph, change, harmless_model

OTHERS = "contains other ops that can reach files or Python: "
DEFAULT = "does not contain the default denylisted ops: {'PrintV2', 'ReadFile', 'WriteFile'}"


def _printed(capsys: pytest.CaptureFixture[str], name: str, *arguments: str) -> list[str]:
    with unpacked(ARCHIVES / f"{name}.zip") as folder:
        assert main(["scan", "--dir", folder, *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_each_metagraph_is_scanned(capsys: pytest.CaptureFixture[str]) -> None:
    tags = ["['serve', 'gpu']", "['train']", "['b', 'c', 'a']"]
    printed = [line for line in _printed(capsys, "tag_sets") if OTHERS not in line]
    assert printed == [f"MetaGraph with tag set {tag} {DEFAULT}" for tag in tags]


def test_ops_that_are_named_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    line = "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'Const', 'MatMul'}"
    assert _printed(capsys, "runs", "--op_denylist", "MatMul, Const,NoSuchOp") == [line]


def test_a_metagraph_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    printed = _printed(capsys, "tag_sets", "--tag_set", "train", "--op_denylist", "NoSuchOp")
    assert printed == ["MetaGraph with tag set ['train'] does not contain the default denylisted ops: {'NoSuchOp'}"]


def test_a_metagraph_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with unpacked(ARCHIVES / "runs.zip") as folder:
        assert scan([folder, "--tag_set", "train"]) == 2
    assert "MetaGraphDef associated with tag-set train could not be found" in capsys.readouterr().err


# --- hostile models ------------------------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return harmless_model(tmp_path / "model")


def _output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_a_harmless_model_gets_one_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _output(capsys, "scan", "--dir", str(model)) == f"MetaGraph with tag set ['serve'] {DEFAULT}\n"


@pytest.mark.parametrize("hide", HIDING_PLACES.values(), ids=list(HIDING_PLACES))
def test_an_op_is_found_wherever_it_hides(
    hide: Callable[[Any], None], model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(model, hide)
    line = "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'ReadFile'}\n"
    assert _output(capsys, "scan", "--dir", str(model)).startswith(line)
    assert _output(capsys, "scan", "--dir", str(model), "--op_denylist", "ReadFile") == line
    assert "'ReadFile'" in _output(capsys, "show", "--dir", str(model), "--tag_set", "serve", "--list_ops")
    assert "'ReadFile'" in _output(capsys, "show", "--dir", str(model), "--all", "--list_ops")


def test_each_metagraph_is_searched_in_depth(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_second_meta_graph(model)
    first, second = _output(capsys, "scan", "--dir", str(model)).splitlines()
    assert first == f"MetaGraph with tag set ['serve'] {DEFAULT}"
    assert second == "MetaGraph with tag set ['train'] contains the following denylisted ops: {'ReadFile'}"


@pytest.mark.parametrize(
    "op",
    ["EagerPyFunc", "PyFunc", "PyFuncStateless", "TFRecordDatasetV2", "MatchingFiles", "SaveDatasetV2", "SqlDataset"],
)
def test_other_ops_that_reach_files_or_python_are_named(
    op: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def add(meta_graph: Any) -> None:
        function = meta_graph.graph_def.library.function.add()
        function.signature.name = "hidden"
        function.node_def.add(name="n", op=op)

    change(model, add)
    assert _output(capsys, "scan", "--dir", str(model)).splitlines() == [
        f"MetaGraph with tag set ['serve'] {DEFAULT}",
        f"MetaGraph with tag set ['serve'] {OTHERS}{{'{op}'}}",
    ]
    assert OTHERS not in _output(capsys, "scan", "--dir", str(model), "--op_denylist", "ReadFile")


@pytest.mark.parametrize("op", ["SaveV2", "RestoreV2", "MergeV2Checkpoints"])
def test_a_checkpoint_op_counts_outside_of_the_saver(op: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def add(meta_graph: Any) -> None:
        function = next(f for f in meta_graph.graph_def.library.function if "serve" in f.signature.name)
        function.node_def.add(name="hidden", op=op)

    change(model, add)
    assert f"{OTHERS}{{'{op}'}}" in _output(capsys, "scan", "--dir", str(model))


def test_a_function_of_the_saver_counts_where_others_call_it(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def call_saver(meta_graph: Any) -> None:
        name = next(f for f in meta_graph.graph_def.library.function if "save" in f.signature.name).signature.name
        meta_graph.graph_def.node.add(name="again", op="StatefulPartitionedCall").attr["f"].func.name = name

    change(model, call_saver)
    assert "'SaveV2'" in _output(capsys, "scan", "--dir", str(model))


def test_python_in_a_model_of_our_own_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Module(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])  # type: ignore[untyped-decorator]
        def serve(self, x: Any) -> Any:
            call = lambda: tf.numpy_function(lambda y: y, [x], tf.float32)  # noqa: E731
            return tf.cond(x > 0, call, lambda: x)

    tf.saved_model.save(Module(), str(tmp_path))
    assert f"{OTHERS}{{'PyFunc'}}" in _output(capsys, "scan", "--dir", str(tmp_path))


def test_an_undeclared_op_is_named_as_unknown(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def add(meta_graph: Any) -> None:
        function = meta_graph.graph_def.library.function.add()
        function.signature.name = "hidden"
        function.node_def.add(name="n", op="StrangersOp")
        function.node_def.add(name="m", op="PyFunc")
        meta_graph.graph_def.node.add(name="call", op="hidden")

    change(model, add)
    assert _output(capsys, "scan", "--dir", str(model)).splitlines() == [
        f"MetaGraph with tag set ['serve'] {DEFAULT}",
        f"MetaGraph with tag set ['serve'] {OTHERS}{{'PyFunc'}}",
        "MetaGraph with tag set ['serve'] contains unknown ops, which cannot be judged: {'StrangersOp'}",
    ]
    assert "unknown ops" not in _output(capsys, "scan", "--dir", str(model), "--op_denylist", "ReadFile")
