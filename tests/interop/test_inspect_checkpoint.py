"""`print_tensors_in_checkpoint_file` prints what TensorFlow prints of the same checkpoint."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from millrace._src.interop.inspect_checkpoint import print_tensors_in_checkpoint_file
from tests.command_line.files import RECORDED

KERNEL = "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"
NAMES = """\
tensor: _CHECKPOINTABLE_OBJECT_GRAPH (string) []
tensor: layer/bias/.ATTRIBUTES/VARIABLE_VALUE (float32) [3]
tensor: layer/complex/.ATTRIBUTES/VARIABLE_VALUE (complex128) [1]
tensor: layer/count/.ATTRIBUTES/VARIABLE_VALUE (int64) []
tensor: layer/eighth/.ATTRIBUTES/VARIABLE_VALUE (float8_e5m2) [2]
tensor: layer/empty/.ATTRIBUTES/VARIABLE_VALUE (float32) [0, 3]
tensor: layer/flags/.ATTRIBUTES/VARIABLE_VALUE (bool) [3]
tensor: layer/half/.ATTRIBUTES/VARIABLE_VALUE (bfloat16) [2]
tensor: layer/kernel/.ATTRIBUTES/VARIABLE_VALUE (float32) [2, 3]
tensor: layer/texts/.ATTRIBUTES/VARIABLE_VALUE (string) [2]
tensor: save_counter/.ATTRIBUTES/VARIABLE_VALUE (int64) []
tensor: step/.ATTRIBUTES/VARIABLE_VALUE (int32) []
# Total number of params: 23
"""
TABLE = """\
_CHECKPOINTABLE_OBJECT_GRAPH (DT_STRING) []
layer/bias/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT) [3]
layer/complex/.ATTRIBUTES/VARIABLE_VALUE (DT_COMPLEX128) [1]
layer/count/.ATTRIBUTES/VARIABLE_VALUE (DT_INT64) []
layer/eighth/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT8_E5M2) [2]
layer/empty/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT) [0,3]
layer/flags/.ATTRIBUTES/VARIABLE_VALUE (DT_BOOL) [3]
layer/half/.ATTRIBUTES/VARIABLE_VALUE (DT_BFLOAT16) [2]
layer/kernel/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT) [2,3]
layer/texts/.ATTRIBUTES/VARIABLE_VALUE (DT_STRING) [2]
save_counter/.ATTRIBUTES/VARIABLE_VALUE (DT_INT64) []
step/.ATTRIBUTES/VARIABLE_VALUE (DT_INT32) []

"""
VALUES = """\
tensor: layer/half/.ATTRIBUTES/VARIABLE_VALUE (bfloat16) [2]
[1.5 2.5]
tensor: layer/kernel/.ATTRIBUTES/VARIABLE_VALUE (float32) [2, 3]
[[0. 1. 2.]
 [3. 4. 5.]]
tensor: layer/texts/.ATTRIBUTES/VARIABLE_VALUE (string) [2]
[b'a' b'bc']
tensor: save_counter/.ATTRIBUTES/VARIABLE_VALUE (int64) []
1
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("checkpoint")
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(folder)
    return f"{folder}/checkpoints/model-1"


def test_names_dtypes_and_shapes_are_printed(checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_tensors_in_checkpoint_file(checkpoint, None, False)
    assert capsys.readouterr().out == f"{TABLE}# Total number of params: 23\n"
    print_tensors_in_checkpoint_file(checkpoint, "", False, all_tensor_names=True)
    assert capsys.readouterr().out == NAMES


def test_values_are_printed(checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_tensors_in_checkpoint_file(checkpoint, KERNEL, False)
    text = f"tensor: {KERNEL} (float32) [2, 3]\n[[0. 1. 2.]\n [3. 4. 5.]]\n# Total number of params: 23\n"
    assert capsys.readouterr().out == text
    print_tensors_in_checkpoint_file(checkpoint, None, True)
    assert VALUES in capsys.readouterr().out


def test_tensors_are_left_out_of_the_count(checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_tensors_in_checkpoint_file(checkpoint, None, False, count_exclude_pattern="kernel")
    count = "# Excluding 1 tensors (6 params) that match kernel when counting.\n# Total number of params: 17\n"
    assert capsys.readouterr().out == TABLE + count


def test_what_cannot_be_read_is_printed(checkpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_tensors_in_checkpoint_file(checkpoint, "nope", False)
    assert capsys.readouterr().out == "Tensor nope not found in checkpoint\n"
    print_tensors_in_checkpoint_file(str(tmp_path / "none"), None, True)
    words = "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for"
    assert capsys.readouterr().out == f"{words} {tmp_path}/none\n"
