"""Record files written by real TensorFlow are read here, and the other way round."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.record_reader import RecordReader
from tests.formats.record_programs import COMPRESSIONS, records, write_files

PYTHON = os.environ.get("MILLRACE_ORACLE_PYTHON")
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = pathlib.Path(__file__).parent / "recorded"

_READ = """
import json, os, pathlib, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
from tests.formats.record_programs import COMPRESSIONS

def read(path, compression):
    return [record.numpy().hex() for record in tf.data.TFRecordDataset(str(path), compression)]

folder = pathlib.Path(sys.argv[1])
print(json.dumps({name: read(folder / name, compression) for name, (compression, _) in COMPRESSIONS.items()}))
"""


def _read(path: pathlib.Path, compression: str) -> list[bytes]:
    with RecordReader(path, compression) as reader:
        return [record for block in iter(lambda: reader.read_block(7), []) for record in block]


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_files_that_tensorflow_wrote_are_read(name: str) -> None:
    compression, _ = COMPRESSIONS[name]
    assert _read(RECORDED / name, compression) == records()
    assert list(tf.compat.v1.io.tf_record_iterator(str(RECORDED / name), compression)) == records()


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_files_written_here_are_those_that_tensorflow_wrote(name: str, tmp_path: pathlib.Path) -> None:
    write_files(tf, tmp_path)
    compression, _ = COMPRESSIONS[name]
    assert _read(tmp_path / name, compression) == records()
    if not compression:
        assert (tmp_path / name).read_bytes() == (RECORDED / name).read_bytes()


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What TensorFlow reads from the files written here."""
    if not PYTHON:
        pytest.skip("MILLRACE_ORACLE_PYTHON is not set")
    folder = tmp_path_factory.mktemp("records")
    write_files(tf, folder)
    done = subprocess.run(
        [PYTHON, "-c", _READ, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


@pytest.mark.oracle
@pytest.mark.parametrize("name", COMPRESSIONS)
def test_tensorflow_reads_files_written_here(name: str, answers: dict[str, Any]) -> None:
    assert answers[name] == [record.hex() for record in records()]
