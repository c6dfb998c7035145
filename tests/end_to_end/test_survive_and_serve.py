"""`examples/survive_and_serve.py`: a killed training goes on bit for bit, and any process can serve what it made."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.end_to_end.example_programs import code_of, command_of

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "survive_and_serve.py"


def _output(*command: str) -> str:
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), TF_CPP_MIN_LOG_LEVEL="3")
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout


@functools.cache
def _survived() -> str:
    return _output(*command_of("survive_and_serve"))


def _folder(output: str) -> Path:
    found = re.search(r"^look into (.*)$", output, re.MULTILINE)
    assert found is not None, output
    return Path(found[1])


def _final_loss(output: str) -> str:
    return re.findall(r"^step 600 loss (\S+)$", output, re.MULTILINE)[0]


def test_the_program_knows_nothing_of_millrace() -> None:
    assert "millrace" not in code_of("survive_and_serve")


def test_the_second_process_goes_on_where_the_first_was_killed() -> None:
    lines = _survived().splitlines()
    assert lines[0] == "starts at step 0"
    assert lines.index("killed") > 0
    restored = re.search(r"starts at step (\d+), from ckpt-(\d+)", _survived())
    assert restored is not None, _survived()
    assert int(restored[1]) >= 200
    assert int(restored[1]) == 20 * int(restored[2])


def test_a_killed_training_ends_with_the_very_bits_of_one_that_was_left_alone() -> None:
    with tempfile.TemporaryDirectory() as folder:
        alone = _output(*command_of("survive_and_serve"), "--train", "--folder", folder)
        data = "variables/variables.data-00000-of-00001"
        killed = _folder(_survived()) / "model" / data
        assert (Path(folder) / "model" / data).read_bytes() == killed.read_bytes()
    assert _final_loss(alone) == _final_loss(_survived())


def test_a_process_without_the_code_serves_the_signature() -> None:
    served = re.search(r"^served: ([\d.]+) % of 512 points right$", _survived(), re.MULTILINE)
    assert served is not None, _survived()
    assert float(served[1]) >= 99


@pytest.mark.oracle
def test_real_tensorflow_serves_what_was_trained_here() -> None:
    python = os.environ.get("MILLRACE_ORACLE_PYTHON")
    if python is None:
        pytest.skip("MILLRACE_ORACLE_PYTHON names no Python with TensorFlow")
    output = _output(python, str(PROGRAM), "--serve", "--folder", str(_folder(_survived())))
    assert re.search(r"^served: (99|100)\.\d % of 512 points right$", output, re.MULTILINE), output
