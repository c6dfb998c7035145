"""`python -m millrace profile`: each program has its own process, as on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """import sys
import tensorflow as tf
x = tf.ones([200, 200])
f = tf.function(lambda x: tf.matmul(x, x), jit_compile=False)
with tf.profiler.experimental.Trace("step", step_num=0):
    f(x)
print("hello", sys.argv[1:])
"""


def profiled(tmp_path: Path, *options: str, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    """Runs a program under the profiler."""
    file = tmp_path / "train.py"
    file.write_text(program)
    command = [sys.executable, "-m", "millrace", "profile", *options, str(file), "a", "--b"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_program_runs_as_ever_and_the_table_follows(tmp_path: Path) -> None:
    done = profiled(tmp_path)
    assert (done.returncode, done.stdout) == (0, "hello ['a', '--b']\n")
    assert "MatMul" in done.stderr
    assert "train.py:4: f = tf.function(lambda x: tf.matmul(x, x), jit_compile=False)" in done.stderr
    assert "Most memory of results at once" in done.stderr


def test_the_profile_is_kept_below_a_folder(tmp_path: Path) -> None:
    done = profiled(tmp_path, "--logdir", str(tmp_path / "logs"), "--top", "1")
    assert "The profile is in" in done.stderr
    assert "more" in done.stderr
    assert list(tmp_path.glob("logs/plugins/profile/*/*.xplane.pb"))


def test_the_table_is_data_too(tmp_path: Path) -> None:
    data = json.loads(profiled(tmp_path, "--json").stderr)
    assert {"MatMul", "function"} <= {row["op"] for row in data["rows"]}
    assert data["total_ns"] > 0
    assert data["peak_result_bytes"] >= 160_000


def test_a_program_that_fails_is_told_of_too(tmp_path: Path) -> None:
    done = profiled(tmp_path, program=PROGRAM + "raise KeyError('no')\n")
    assert done.returncode == 1
    assert "KeyError: 'no'" in done.stderr
    assert "MatMul" in done.stderr


def test_modules_and_code_are_programs_too(tmp_path: Path) -> None:
    code = "import sys, tensorflow as tf; print(tf.tanh(0.0).numpy(), sys.argv); sys.exit(3)"
    command = [sys.executable, "-m", "millrace", "profile", "--top", "9999", "--python", "-c", code, "--top"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "0.0 ['-c', '--top']\n")
    assert "Tanh" in done.stderr


def test_without_a_program_the_usage_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "millrace", "profile"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")
