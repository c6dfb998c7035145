"""`run` calls a signature of a SavedModel and prints what `saved_model_cli` printed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.command_line.run import run
from millrace._src.command_line.saved_model_cli import main
from tests.command_line.corpus import ARCHIVES, RUNS, run_arguments, write_arrays

RECORDED = json.loads((ARCHIVES / "run.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs")
    with zipfile.ZipFile(ARCHIVES / "runs.zip") as archive:
        archive.extractall(folder)
    return str(folder)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("arrays")
    write_arrays(folder)
    return str(folder)


@pytest.mark.parametrize("name", RUNS)
def test_a_signature_gives_what_tensorflow_gives(
    name: str, model: str, files: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(run_arguments(model, files, RUNS[name])) == 0
    assert capsys.readouterr().out.splitlines() == RECORDED[name]


@pytest.mark.parametrize("form", [[], ["--dir"]])
def test_the_usual_tags_and_signature_need_not_be_named(
    form: list[str], model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*form, model, "--input_exprs", "x=np.ones((1, 2))"]) == 0
    assert capsys.readouterr().out == "Result for output key count:\n3\nResult for output key y:\n[[4. 6.]]\n"


def test_outputs_are_written_to_files(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "out"
    arguments = [model, "--signature_def", "two", "--input_exprs", "a=1.5;b=2", "--outdir", str(folder)]
    assert run(arguments) == 0
    assert f"Output sum is saved to {folder}/sum.npy" in capsys.readouterr().out.splitlines()
    assert np.load(folder / "sum.npy") == np.float32(3.5)
    assert np.load(folder / "texts.npy").tolist() == [b"a", b"b"]
    assert np.load(folder / "half.npy").dtype.itemsize == 2
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("millrace run: Output file ")
    assert error.endswith('already exists. Add "--overwrite" to overwrite the existing output files.\n')
    assert run([*arguments, "--overwrite"]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "At least one of --inputs, --input_exprs or --input_examples must be required"),
        (["--input_exprs", "nope=1"], '"nope" is not a valid input key. Please choose from "x", or use --show option.'),
        (["--input_exprs", "x"], '--input_exprs "x" format is incorrect. Please follow'),
        (
            ["--input_exprs", "x=[[1,2,3]]"],
            "Cannot feed value of shape (1, 3) for Tensor serving_default_x:0, which",
        ),
        (["--input_exprs", "x=[['a','b']]"], "the value cannot become float32: "),
        (["--input_exprs", "x=[[1],[2,3]]"], "the value cannot become float32: "),
        (["--input_exprs", "x=open('a')"], "Expression \"open('a')\" is refused because of"),
        (["--inputs", "x/tmp/a.npy"], '--inputs "x/tmp/a.npy" format is incorrect. Please follow'),
        (["--inputs", "x={files}/none.npy"], "{files}/none.npy; No such file or directory"),
        (["--inputs", "x={files}/several.npz"], "Input file {files}/several.npz contains more than one ndarrays."),
        (["--inputs", "x={files}/single.npz[b]"], 'does not contain variable with name "b"'),
        (["--inputs", "x={files}/ones.npy[b]"], "{files}/ones.npy is one array, which has no name"),
        (["--input_examples", "x={'a': [1]}"], "tf.Example input must be a list of dictionaries, but"),
        (["--input_examples", "x=[{'a': 1}]"], 'feature value must be a list, but a: "1" is'),
        (["--input_examples", "x=[{'a': [1, 'b']}]"], "The values of feature 'a' are of several types"),
        (["--input_examples", "x=[{'a': [None]}]"], "Type <class 'NoneType'> for value None is not supported"),
        (["--signature_def", "nope", "--input_exprs", "x=1"], 'Could not find signature "nope". Please choose from: '),
        (
            ["--tag_set", "train", "--input_exprs", "x=1"],
            "MetaGraphDef associated with tag-set train could not be",
        ),
        (["--signature_def", "two", "--input_exprs", "a=1"], "The signature also needs the input b."),
        (["--signature_def", "__saved_model_init_op", "--input_exprs", "a=1"], '"a" is not a valid input key'),
        (["--tf_debug"], "--tf_debug is not supported: "),
        (["--worker", "grpc://a"], "--worker is not supported: "),
        (["--init_tpu"], "--init_tpu is not supported: "),
        (["--use_tfrt"], "--use_tfrt is not supported: "),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_line(
    arguments: list[str], words: str, model: str, files: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([model, *(argument.replace("{files}", files) for argument in arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words.replace("{files}", files) in printed.err
    assert printed.err.startswith("millrace run: ")
    assert printed.err.count("\n") == 1


def test_pickles_are_refused_not_run(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (open, (str(tmp_path / "exploded"), "w"))

    np.save(tmp_path / "bomb.npy", np.array([Bomb()], object), allow_pickle=True)
    assert run([model, "--inputs", f"x={tmp_path}/bomb.npy"]) == 2
    assert "pickles are not read" in capsys.readouterr().err
    assert not (tmp_path / "exploded").exists()


def _saved(folder: Path, **outputs: Any) -> str:
    module = tf.Module()
    module.f = tf.function(lambda x: outputs["make"](x), input_signature=[tf.TensorSpec([], tf.float32, name="x")])
    tf.saved_model.save(module, str(folder), signatures=module.f)
    return str(folder)


@pytest.mark.parametrize("key", ["../outside", "a/b", ".."])
def test_a_model_cannot_write_outside_of_the_folder(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = _saved(tmp_path / "model", make=lambda x: {key: x})
    assert run([folder, "--input_exprs", "x=1", "--outdir", str(tmp_path / "out")]) == 2
    assert f"The output key {key!r} cannot be the name of a file" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_model_reads_and_writes_files_only_if_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "written")

    def write(x: Any) -> Any:
        tf.io.write_file(path, tf.strings.as_string(x))
        return {"y": x}

    folder = _saved(tmp_path / "model", make=write)
    assert run([folder, "--input_exprs", "x=1"]) == 2
    assert "allow_file_writes" in capsys.readouterr().err
    assert not Path(path).exists()
    assert run([folder, "--input_exprs", "x=1", "--allow_file_writes"]) == 0
    assert Path(path).exists()


def test_a_semicolon_in_quotes_does_not_separate(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([model, "--signature_def", "examples", "--input_exprs", "examples=['a;b=c', \"it's\"]"]) == 0
    assert "[b'a;b=c' b\"it's\"]" in capsys.readouterr().out


def test_a_saved_model_of_tensorflow_1_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(ARCHIVES / "tag_sets.zip") as archive:
        archive.extractall(tmp_path)
    assert run([str(tmp_path), "--tag_set", "serve,gpu", "--input_exprs", "x=[[1, 1]]"]) == 0
    assert capsys.readouterr().out == "Result for output key y:\n[[4. 6.]]\n"


def test_a_folder_with_a_program_is_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from millrace._src.command_line.run import _is_saved_model

    (tmp_path / "saved_model.pb").touch()
    assert _is_saved_model(str(tmp_path))
    (tmp_path / "__main__.py").touch()
    assert not _is_saved_model(str(tmp_path))
    assert run(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: python -m millrace run [-m module")
