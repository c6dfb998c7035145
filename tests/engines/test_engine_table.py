"""Loading the XLA engine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.xla

_PROGRAM = """
import os
before = dict(os.environ)
import millrace as tf
from millrace._src.engines.background_compiler import compiler
f = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False, jit_compile=True)
for _ in range(3):
    f(tf.constant(1.0))
    compiler.wait()
assert f.tier.name == "xla", f.tier
assert dict(os.environ) == before
"""


@pytest.mark.parametrize("waits", ["0", "1"])
def test_a_program_that_compiles_prints_nothing_and_leaves_the_environment_alone(waits: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MILLRACE_TIER_WAIT": waits}
    environment.pop("TF_CPP_MIN_LOG_LEVEL", None)
    command = [sys.executable, "-W", "error", "-c", _PROGRAM]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
