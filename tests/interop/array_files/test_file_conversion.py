"""Variables go from checkpoints to safetensors and npz files and back, bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.command_line.convert import convert
from tests.command_line.files import RECORDED
from tests.interop.array_files.arrays import assert_same, samples, sources

ORACLE = os.environ.get("MILLRACE_ORACLE_PYTHON")
SUFFIXES = ("safetensors", "npz")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A checkpoint that real TensorFlow wrote."""
    folder = tmp_path_factory.mktemp("recorded")
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(folder)
    return f"{folder}/checkpoints/model-1"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_variables_of_a_checkpoint_of_tensorflow_are_converted(
    suffix: str, checkpoint: str, tmp_path: Path
) -> None:
    path = tmp_path / f"weights.{suffix}"
    conversion = tf.interop.convert_arrays(checkpoint, path)
    arrays = tf.interop.load_arrays(path)
    assert set(arrays) == set(conversion.names.values())
    np.testing.assert_array_equal(arrays["layer.kernel"], np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(arrays["layer.bias"], [1.0, np.nan, np.inf])
    assert (arrays["layer.half"].dtype, arrays["layer.half"].tolist()) == (ml_dtypes.bfloat16, [1.5, 2.5])
    assert (arrays["layer.eighth"].dtype, arrays["layer.eighth"].tolist()) == (ml_dtypes.float8_e5m2, [1.0, 2.0])
    assert (arrays["step"].shape, arrays["step"].item()) == ((), 1)
    assert conversion.names["layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"] == "layer.kernel"
    assert conversion.left_out["_CHECKPOINTABLE_OBJECT_GRAPH"] == "not the value of a variable"


def test_what_a_safetensors_file_cannot_hold_is_left_out_and_listed(checkpoint: str, tmp_path: Path) -> None:
    conversion = tf.interop.convert_arrays(checkpoint, tmp_path / "a.safetensors")
    left_out = {name.split("/")[1]: reason for name, reason in conversion.left_out.items() if "/" in name}
    assert left_out == {
        "texts": "safetensors files have no string",
        "complex": "safetensors files have no complex128",
    }
    assert "layer.texts" in tf.interop.convert_arrays(checkpoint, tmp_path / "a.npz").names.values()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_checkpoint_made_of_a_file_holds_the_same_bits(suffix: str, tmp_path: Path) -> None:
    arrays = {name.replace(" ", "_"): array for name, array in samples().items()}
    tf.interop.save_arrays(arrays, tmp_path / f"a.{suffix}")
    tf.interop.convert_arrays(tmp_path / f"a.{suffix}", tmp_path / "checkpoint")
    assert_same(tf.interop.load_arrays(tmp_path / "checkpoint"), arrays)
    tf.interop.convert_arrays(tmp_path / "checkpoint", tmp_path / f"b.{suffix}")
    assert_same(tf.interop.load_arrays(tmp_path / f"b.{suffix}"), arrays)


def test_a_checkpoint_made_of_a_file_restores_into_objects(tmp_path: Path) -> None:
    tf.interop.save_arrays({"layer.kernel": np.ones([2]), "layer.parts.0": np.zeros([])}, tmp_path / "a.npz")
    tf.interop.convert_arrays(tmp_path / "a.npz", tmp_path / "checkpoint")
    layer = tf.Module()
    layer.kernel = tf.Variable([5.0, 5.0], dtype=tf.float64)
    layer.parts = [tf.Variable(5.0, dtype=tf.float64)]
    tf.train.Checkpoint(layer=layer).read(str(tmp_path / "checkpoint")).assert_existing_objects_matched()
    assert layer.kernel.numpy().tolist() == [1.0, 1.0]
    assert layer.parts[0].numpy() == 0.0


def test_slots_of_optimizers_stay_slots(tmp_path: Path) -> None:
    from millrace._src.interop.array_files.object_tree import object_tree

    graph = object_tree(["model/w", "model/w/.OPTIMIZER_SLOT/training/optimizer/m", "a.Sb/c..d"])
    names = [(child.local_name, child.node_id) for node in graph.nodes for child in node.children]
    assert [name for name, _ in names] == ["model", "training", "a/b", "w", "optimizer", "c.d"]
    numbers = dict(names)
    (slot,) = graph.nodes[numbers["optimizer"]].slot_variables
    assert (slot.original_variable_node_id, slot.slot_name) == (numbers["w"], "m")
    (value,) = graph.nodes[slot.slot_variable_node_id].attributes
    assert value.checkpoint_key == "model/w/.OPTIMIZER_SLOT/training/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE"


def test_files_are_converted_into_each_other(tmp_path: Path) -> None:
    tf.interop.save_arrays({"a b": [1.0], "x/y.z": tf.constant([1, 2], tf.bfloat16)}, tmp_path / "a.npz")
    conversion = tf.interop.convert_arrays(tmp_path / "a.npz", tmp_path / "deep" / "a.safetensors")
    assert (dict(conversion.names), conversion.left_out) == ({"a b": "a b", "x/y.z": "x/y.z"}, {})
    assert_same(tf.interop.load_arrays(tmp_path / "deep" / "a.safetensors"), tf.interop.load_arrays(tmp_path / "a.npz"))


def test_names_that_meet_are_refused(tmp_path: Path) -> None:
    from millrace._src.interop.array_files.file_conversion import write_array_file

    with pytest.raises(tf.errors.InvalidArgumentError, match="Two arrays have the name 'x'"):
        write_array_file(str(tmp_path / "a.npz"), [*sources(x=1.0), *sources(x=2.0)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="An array has no name"):
        tf.interop.save_arrays({"": 1.0}, tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_source_leaves_no_target(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        tf.interop.convert_arrays(tmp_path / "none", tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_says_what_it_wrote(checkpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "weights.safetensors")
    assert convert([checkpoint, target]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"wrote 9 tensors to {target}"
    assert "left out: _CHECKPOINTABLE_OBJECT_GRAPH (not the value of a variable)" in lines
    assert convert([target, str(tmp_path / "back"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"]["step"] == "step/.ATTRIBUTES/VARIABLE_VALUE"


def test_the_command_overwrites_only_when_told_to(
    checkpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target in (str(tmp_path / "a.npz"), str(tmp_path / "checkpoint")):
        assert convert([checkpoint, target]) == 0
        assert convert([checkpoint, target]) == 2
        assert capsys.readouterr().err == f"millrace convert: {target} is there already; --overwrite replaces it.\n"
        assert convert([checkpoint, target, "--overwrite"]) == 0
    assert convert([checkpoint, str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_the_command_refuses_what_is_no_file_of_arrays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert([str(tmp_path / "none"), str(tmp_path / "a.npz")]) == 2
    error = capsys.readouterr().err
    assert error == f"millrace convert: {tmp_path}/none is not a checkpoint, nor a .safetensors or .npz file.\n"


_RESTORE = """
import sys, tensorflow as tf
layer = tf.Module()
layer.kernel, layer.half = tf.Variable([0.0, 0.0]), tf.Variable(tf.zeros([2], tf.bfloat16))
checkpoint = tf.train.Checkpoint(layer=layer)
checkpoint.read(sys.argv[1]).assert_existing_objects_matched()
print(layer.kernel.numpy().tolist(), layer.half.numpy().tolist(), tf.train.list_variables(sys.argv[1]))
"""


@pytest.mark.oracle
def test_tensorflow_restores_a_checkpoint_made_of_a_file(tmp_path: Path) -> Any:
    if not ORACLE:
        pytest.skip("MILLRACE_ORACLE_PYTHON is not set")
    values = {"layer.kernel": tf.constant([1.0, 2.0]), "layer.half": tf.constant([0.5, 1.5], tf.bfloat16)}
    tf.interop.save_arrays(values, tmp_path / "a.safetensors")
    tf.interop.convert_arrays(tmp_path / "a.safetensors", tmp_path / "checkpoint")
    command = [ORACLE, "-c", _RESTORE, str(tmp_path / "checkpoint")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout.startswith("[1.0, 2.0] [0.5, 1.5] "), result.stderr


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_checkpoints_of_tensorflow_1_are_converted_by_the_names_of_their_variables(tmp_path: Path, suffix: str) -> None:
    kernel = np.array([[1.0, 2.0]], np.float32)
    with BundleWriter(f"{tmp_path}/named") as bundle:
        bundle.add("layer/kernel", kernel)
    single_file = SingleFileWriter(f"{tmp_path}/old.ckpt")
    single_file.add("layer/kernel", kernel)
    single_file.finish()
    for source in ("named", "old.ckpt"):
        target = f"{tmp_path}/{source}.{suffix}"
        conversion = tf.interop.convert_arrays(f"{tmp_path}/{source}", target)
        assert (dict(conversion.names), dict(conversion.left_out)) == ({"layer/kernel": "layer.kernel"}, {})
        assert tf.interop.load_arrays(target)["layer.kernel"].tolist() == [[1.0, 2.0]]
        assert tf.interop.load_arrays(f"{tmp_path}/{source}")["layer.kernel"].tolist() == [[1.0, 2.0]]
