"""AutoGraph without tensors of Millrace: `examples/autograph_jax.py` lowers Python's control flow to `jax.lax`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.example_programs import command_of

ROOT = Path(__file__).resolve().parents[2]
CHECK = """
import runpy
import jax
example = runpy.run_path("examples/autograph_jax.py", run_name="example")
compiled = example["jit"](example["collatz_steps"])
assert [int(compiled(n, 1000)) for n in (1, 2, 27, 97)] == [example["collatz_steps"](n, 1000) for n in (1, 2, 27, 97)]
text = str(jax.make_jaxpr(compiled)(27, 1000))
assert text.count("while[") == 1 and text.count("cond[") >= 2, text
"""


def _run(*command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.xla
def test_programs_give_the_same_in_python_and_compiled() -> None:
    rows = [line.split() for line in _run(*command_of("autograph_jax")).splitlines()[1:]]
    assert [(name, python) for name, python, _ in rows] == [
        ("collatz_steps", "111"),
        ("collatz_steps", "-1"),
        ("square_root", "1.414"),
        ("square_root", "-1"),
        ("sum_of_roots", "5"),
    ]
    assert all(python == compiled for _, python, compiled in rows)


@pytest.mark.xla
def test_a_loop_becomes_a_loop_and_branches_become_branches() -> None:
    _run(sys.executable, "-c", CHECK)


def test_the_transformer_loads_neither_numpy_nor_anything_of_tensors() -> None:
    program = """
        import sys
        from millrace._src.autograph.transform.function_conversion import with_operators
        loaded = [n for n in sys.modules if n.partition(".")[0] in ("numpy", "jax", "jaxlib", "ml_dtypes")]
        own = [n for n in sys.modules if n.startswith("millrace._src.")]
        others = [n for n in own if n.split(".")[2] not in ("util", "autograph")]
        assert not loaded and not others, (loaded, others)
        assert not [n for n in own if n.startswith("millrace._src.autograph.operators")]
    """
    _run(sys.executable, "-c", "if 1:\n" + program)
