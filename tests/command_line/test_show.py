"""`show` prints what `saved_model_cli` printed of the same SavedModels."""

from __future__ import annotations

import ast
import shutil
import zipfile
from pathlib import Path

import pytest

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.saved_model_cli import main, show
from millrace._src.command_line.show import show_report
from millrace._src.core import type_spec_registry
from millrace._src.proto import saved_model_pb2
from tests.command_line.canonical import canonical
from tests.command_line.corpus import ARCHIVES, archives, shown_by_tensorflow, unpacked

RECORDED = shown_by_tensorflow()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    with zipfile.ZipFile(ARCHIVES / "runs.zip") as file:
        file.extractall(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def no_types_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: cls for name, cls in type_spec_registry._classes.items() if cls.__module__.startswith("millrace.")}
    monkeypatch.setattr(type_spec_registry, "_classes", known)


@pytest.mark.parametrize("name", RECORDED)
def test_everything_is_shown_as_tensorflow_shows_it(name: str) -> None:
    with unpacked(archives()[name]) as folder:
        text = show_report(folder, is_all=True, tags=None, signature=None, is_listing_ops=False)
    assert _without_ops(canonical(text).splitlines()) == _without_ops(RECORDED[name])
    for ours, theirs in zip(_ops(canonical(text).splitlines()), _ops(RECORDED[name]), strict=True):
        assert ours >= theirs


_OPS_LINE = "contains the following ops: "


def _without_ops(lines: list[str]) -> list[str]:
    """The lines, without the names of ops: TensorFlow leaves out those of functions that control flow calls."""
    return [line.partition(_OPS_LINE)[0] for line in lines]


def _ops(lines: list[str]) -> list[set[str]]:
    return [ast.literal_eval(line.partition(_OPS_LINE)[2]) for line in lines if _OPS_LINE in line]


def test_models_without_further_functions_are_shown_to_the_byte() -> None:
    exact = 0
    for name, archive in archives().items():
        with unpacked(archive) as folder:
            text = show_report(folder, is_all=True, tags=None, signature=None, is_listing_ops=False)
        exact += canonical(text).splitlines() == RECORDED[name]
    assert exact > len(RECORDED) // 2


def test_every_saved_model_of_the_corpus_is_compared() -> None:
    assert set(archives()) == set(RECORDED)


def test_the_tag_sets_are_shown_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    with unpacked(ARCHIVES / "tag_sets.zip") as folder:
        assert show([folder]) == 0
    lines = ["The given SavedModel contains the following tag-sets:", "'a, b, c'", "'gpu, serve'", "'train'"]
    assert capsys.readouterr().out.splitlines() == lines


def test_the_keys_of_a_metagraph_are_shown(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--dir", str(model), "--tag_set", "serve"]) == 0
    first, *keys = capsys.readouterr().out.splitlines()
    assert first == "The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:"
    assert keys == [f'SignatureDef key: "{k}"' for k in ("__saved_model_init_op", "examples", "serving_default", "two")]


def test_one_signature_is_shown(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--dir", str(model), "--tag_set", "serve", "--signature_def", "serving_default"]) == 0
    assert capsys.readouterr().out == (
        "The given SavedModel SignatureDef contains the following input(s):\n"
        "  inputs['x'] tensor_info:\n"
        "      dtype: DT_FLOAT\n"
        "      shape: (-1, 2)\n"
        "      name: serving_default_x:0\n"
        "The given SavedModel SignatureDef contains the following output(s):\n"
        "  outputs['count'] tensor_info:\n"
        "      dtype: DT_INT64\n"
        "      shape: ()\n"
        "      name: StatefulPartitionedCall:0\n"
        "  outputs['y'] tensor_info:\n"
        "      dtype: DT_FLOAT\n"
        "      shape: (-1, 2)\n"
        "      name: StatefulPartitionedCall:1\n"
        "Method name is: tensorflow/serving/predict\n"
    )


def test_ops_are_listed_of_a_metagraph_that_is_named(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--dir", str(model), "--tag_set", "serve", "--list_ops"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("The MetaGraph with tag set ['serve'] contains the following ops: {'")
    assert "'MatMul'" in first
    assert main(["show", "--dir", str(model), "--list_ops"]) == 0
    assert capsys.readouterr().out.startswith("--list_ops must be paired with a tag-set or with --all.\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tag_set", "train"], "MetaGraphDef associated with tag-set train could not be found in the SavedModel. "),
        (["--tag_set", "serve", "--signature_def", "no"], 'Could not find signature "no". Please choose from: '),
    ],
)
def test_what_is_not_there_is_named(
    model: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "--dir", str(model), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"saved_model_cli show: {words}")
    assert printed.err.count("\n") == 1


def test_a_folder_without_a_saved_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(["--dir", str(tmp_path)]) == 2
    assert (
        capsys.readouterr().err
        == f"millrace show: SavedModel file does not exist at: {tmp_path}/{{saved_model.pbtxt|saved_model.pb}}\n"
    )


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt"])
def test_a_damaged_file_is_refused_in_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(b"\xff\x07 this is not a message")
    assert show([str(tmp_path), "--all"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"millrace show: Cannot parse file b'{tmp_path}/{name}': ")
    assert error.count("\n") == 1


def test_an_object_graph_whose_children_are_missing_is_refused(model: Path) -> None:
    saved_model = saved_model_pb2.SavedModel.FromString((model / "saved_model.pb").read_bytes())
    saved_model.meta_graphs[0].object_graph_def.nodes[0].children[0].node_id = 1000
    (model / "saved_model.pb").write_bytes(saved_model.SerializeToString())
    with pytest.raises(CommandError, match="the object graph"):
        show_report(str(model), is_all=True, tags=None, signature=None, is_listing_ops=False)


def test_a_function_whose_traces_are_missing_is_refused(model: Path) -> None:
    saved_model = saved_model_pb2.SavedModel.FromString((model / "saved_model.pb").read_bytes())
    saved_model.meta_graphs[0].object_graph_def.concrete_functions.clear()
    (model / "saved_model.pb").write_bytes(saved_model.SerializeToString())
    with pytest.raises(CommandError, match="has no trace"):
        show_report(str(model), is_all=True, tags=None, signature=None, is_listing_ops=False)


def test_arguments_of_unregistered_types_are_said_to_be_so(model: Path) -> None:
    saved_model = saved_model_pb2.SavedModel.FromString((model / "saved_model.pb").read_bytes())
    for function in saved_model.meta_graphs[0].object_graph_def.concrete_functions.values():
        arguments = function.canonicalized_input_signature.tuple_value.values[0].tuple_value
        for argument in arguments.values:
            argument.type_spec_value.type_spec_class = "REGISTERED_TYPE_SPEC"
            argument.type_spec_value.type_spec_class_name = "somebody.Spec"
    (model / "saved_model.pb").write_bytes(saved_model.SerializeToString())
    text = show_report(str(model), is_all=True, tags=None, signature=None, is_listing_ops=False)
    assert "The arguments cannot be shown: No TypeSpec has been registered with name 'somebody.Spec'" in text


def test_the_variables_are_not_needed(model: Path) -> None:
    shutil.rmtree(model / "variables")
    assert "Function Name: 'multiply'" in show_report(str(model), True, None, None, False)
