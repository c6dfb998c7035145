"""The generated messages are fresh, complete, and live beside TensorFlow's own in one process."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.gen_protos import FOLDER, stale_files

ORACLE = os.environ.get("MILLRACE_ORACLE_PYTHON")
STEMS = sorted(path.stem for path in FOLDER.glob("*.proto"))

_COMPARE = """
import importlib, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
from google.protobuf import descriptor_pool
import tensorflow.core.util.event_pb2, tensorflow.core.protobuf.saved_model_pb2, tensorflow.core.example.example_pb2
import tensorflow.core.util.saved_tensor_slice_pb2, tensorflow.core.protobuf.tensor_bundle_pb2

def fields(message):
    own = [(f.name, f.number, f.type, f.is_repeated, getattr(f.message_type or f.enum_type, "name", None),
            getattr(f.containing_oneof, "name", None)) for f in message.fields]
    return own, [fields(n) for n in sorted(message.nested_types, key=lambda n: n.name)]

pool = descriptor_pool.Default()
compared = 0
for stem in sys.argv[1:]:
    file = importlib.import_module(f"millrace._src.proto.{stem}_pb2").DESCRIPTOR
    for name, message in file.message_types_by_name.items():
        try:
            theirs = pool.FindMessageTypeByName(message.full_name.replace("millrace", "tensorflow", 1))
        except KeyError:
            continue
        assert fields(message) == fields(theirs), message.full_name
        compared += 1
print(compared)
"""


def test_generated_files_are_fresh() -> None:
    assert stale_files() == []


@pytest.mark.parametrize("stem", STEMS)
def test_messages_are_in_our_own_package(stem: str) -> None:
    descriptor = importlib.import_module(f"millrace._src.proto.{stem}_pb2").DESCRIPTOR
    assert descriptor.package.split(".")[0] == "millrace"
    assert descriptor.name == f"millrace/_src/proto/{stem}.proto"


def test_generated_code_asks_for_no_particular_runtime() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*_pb2.py")]
    assert texts and not any("ValidateProtobufRuntimeVersion" in text for text in texts)


def test_importing_millrace_loads_no_protobuf() -> None:
    code = "import millrace, sys; assert not any(n.startswith('google.protobuf') for n in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parents[2])}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.mark.oracle
@pytest.mark.skipif(ORACLE is None, reason="MILLRACE_ORACLE_PYTHON names no Python with TensorFlow")
def test_fields_are_tensorflows() -> None:
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parents[2])}
    done = subprocess.run(
        [str(ORACLE), "-c", _COMPARE, *STEMS], check=True, env=environment, capture_output=True, text=True
    )
    assert int(done.stdout.split()[-1]) > 130


def test_folder_holds_only_what_is_listed() -> None:
    assert {path.suffix for path in Path(FOLDER).iterdir() if path.is_file()} <= {".proto", ".py", ".pyi"}
