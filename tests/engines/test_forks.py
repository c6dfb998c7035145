"""What becomes of tiers in a forked child."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.xla,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs os.fork"),
]

_IN_CHILD = """
import os, signal, warnings
warnings.simplefilter("ignore")
import numpy as np
import millrace as tf
{parent}
child = os.fork()
if child == 0:
    signal.alarm(60)
    {child}
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
{after}
"""


def _forked(parent: str, child: str, after: str = "") -> None:
    program = _IN_CHILD.format(parent=parent, child=child.replace("\n", "\n    "), after=after)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.update(MILLRACE_TIER="auto", MILLRACE_TIER_WAIT="1")
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert result.returncode == 0, result.stderr


def test_functions_that_ran_on_xla_run_on_numpy_in_the_child_and_on_xla_again_in_the_parent() -> None:
    _forked(
        """
tf.config.optimizer.set_jit(True)
f = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False)
g = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False, jit_compile=True)
for h in (f, g):
    h(tf.constant([0.5]))
assert f.tier.name == g.tier.name == "xla"
""",
        """
new_functions = [tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False, jit_compile=j) for j in (None, True)]
for h in (f, g, *new_functions):
    np.testing.assert_allclose(h(tf.constant([0.5])), 2 * np.tanh([0.5]), rtol=1e-6)
    assert h.tier.name == "numpy", h.tier
    assert "fork" in h.tier.reason, h.tier
""",
        """
assert f.tier.name == g.tier.name == "xla"
np.testing.assert_allclose(f(tf.constant([0.5])), 2 * np.tanh([0.5]), rtol=1e-6)
""",
    )


def test_the_child_reads_what_xla_was_computing_when_the_process_forked() -> None:
    _forked(
        """
v = tf.Variable(tf.ones([400, 400]))
def twice(i, x):
    return i + 1, tf.tanh(x @ x)
@tf.function(jit_compile=True, autograph=False)
def f(x):
    _, x = tf.while_loop(lambda i, x: i < 200, twice, (0, x))
    v.assign(x)
    return x
f(tf.ones([400, 400]))
y = f(tf.ones([400, 400]))
""",
        """
assert float(y[0, 0]) == float(v[0, 0]) == 1.0
""",
    )


def test_a_child_of_a_process_without_jax_compiles_as_any_process_does() -> None:
    _forked(
        "tf.function(lambda x: x + x, autograph=False)(tf.constant(1.0))",
        """
f = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False, jit_compile=True)
f(tf.constant([0.5]))
from millrace._src.engines.background_compiler import compiler
compiler.wait()
f(tf.constant([0.5]))
compiler.wait()
assert f.tier.name == "xla", f.tier
""",
    )


def test_users_who_have_not_imported_jax_are_not_warned_of_forks() -> None:
    program = """
import multiprocessing, os, sys, warnings
import millrace as tf
tf.config.optimizer.set_jit(True)
f = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False)
f(tf.constant(1.0))
assert f.tier.name == "xla"
warnings.simplefilter("error")
process = multiprocessing.get_context("fork").Process(target=lambda: None)
process.start()
process.join()
assert process.exitcode == 0
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MILLRACE_TIER": "auto"}
    # Python 3.12 and later warn of threads by themselves, which no library can know better.
    command = [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", program]
    if sys.version_info >= (3, 12):
        command[-1] = program.replace('warnings.simplefilter("error")\n', "")
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_shapes_that_come_for_the_first_time_in_the_child_run_on_numpy_too() -> None:
    _forked(
        """
from millrace._src.engines.tier_settings import settings
settings.threshold, settings.waits = 0.0, True
f = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False, input_signature=[tf.TensorSpec([None])])
for size in (3, 4) * 3:
    f(tf.zeros([size]))
""",
        """
for size in (5,) * 9:
    np.testing.assert_allclose(f(tf.ones([size])), [2 * np.tanh(1.0)] * size, rtol=1e-6)
assert f.tier.name == "numpy" and "fork" in f.tier.reason, f.tier
""",
    )
