"""Fingerprints of SavedModels: TensorFlow's hashes, found in files that TensorFlow wrote."""

from __future__ import annotations

import pathlib
import zipfile
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import fingerprint_pb2, saved_model_pb2
from millrace._src.saved_model.fingerprint import fingerprint_of

RECORDED = pathlib.Path(__file__).resolve().parents[1] / "formats" / "recorded" / "saved_models"
NAMES = [
    "containers-lists",
    "functions-default_arguments",
    "functions-functions_call_functions",
    "functions-big_constant",
    "control_flow-loops",
    "gradients-custom_gradient_kept",
]

Fingerprint = tf.saved_model.experimental.Fingerprint


@pytest.mark.parametrize("name", NAMES)
def test_the_hashes_are_those_of_tensorflow(name: str) -> None:
    with zipfile.ZipFile(RECORDED / f"{name}.zip") as files:
        data, index = files.read("saved_model.pb"), files.read("variables/variables.index")
        theirs = fingerprint_pb2.FingerprintDef.FromString(files.read("fingerprint.pb"))
    ours = fingerprint_of(data, saved_model_pb2.SavedModel.FromString(data).meta_graphs[0], index)
    for field in ("graph_def_program_hash", "signature_def_hash", "saved_object_graph_hash", "checkpoint_hash"):
        assert getattr(ours, field) == getattr(theirs, field), field
    assert ours.version.producer == theirs.version.producer


def written(tmp_path: pathlib.Path, value: float = 1.0) -> Any:
    module = tf.Module()
    module.v = tf.Variable(value)
    tf.saved_model.save(module, str(tmp_path))
    return tf.saved_model.experimental.read_fingerprint(str(tmp_path))


def test_a_saved_model_has_a_fingerprint(tmp_path: pathlib.Path) -> None:
    first, second = written(tmp_path / "a"), written(tmp_path / "b")
    assert first == second and hash(first) == hash(second)
    assert first.singleprint() == second.singleprint()


def test_another_value_is_another_checkpoint_of_the_same_program(tmp_path: pathlib.Path) -> None:
    first, second = written(tmp_path / "a"), written(tmp_path / "b", 2.0)
    assert first.checkpoint_hash != second.checkpoint_hash
    assert first.graph_def_program_hash == second.graph_def_program_hash
    assert first != second


def test_a_fingerprint_shows_its_hashes() -> None:
    fingerprint = Fingerprint(1, 2, 3, 4, 5)
    assert repr(fingerprint) == "Fingerprint(1, 2, 3, 4, 5)"
    assert str(fingerprint).splitlines()[:2] == ["SavedModel Fingerprint", "  saved_model_checksum: 1"]
    assert fingerprint.singleprint() == "2/3/4/5"
    assert fingerprint != 3


def test_a_fingerprint_without_hashes_has_no_singleprint() -> None:
    with pytest.raises(ValueError, match="invalid fingerprint values when constructing singleprint"):
        Fingerprint(1).singleprint()


def test_a_folder_without_fingerprint_is_not_found(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint in directory"):
        tf.saved_model.experimental.read_fingerprint(str(tmp_path))


def test_a_damaged_fingerprint_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "fingerprint.pb").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="is damaged"):
        tf.saved_model.experimental.read_fingerprint(str(tmp_path))


def test_a_message_becomes_a_fingerprint() -> None:
    proto = fingerprint_pb2.FingerprintDef(saved_model_checksum=1, checkpoint_hash=5)
    assert Fingerprint.from_proto(proto) == Fingerprint.from_proto(proto.SerializeToString())
    assert Fingerprint.from_proto(proto).checkpoint_hash == 5
