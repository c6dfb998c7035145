"""`import millrace` loads nothing heavy and says nothing; the layers hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "jax", "jaxlib", "scipy", "google.protobuf", "ml_dtypes", "tensorflow", "keras")


def run_python(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a fresh interpreter that finds the sources."""
    command = [sys.executable, *options, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)


def loaded_after(code: str) -> set[str]:
    result = run_python(f"{code}\nprint(*sys.modules, sep='\\n')")
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_importing_millrace_prints_nothing() -> None:
    result = run_python("import millrace")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "code", ["import millrace", "import millrace.version", "import millrace as tf; tf.__version__; dir(tf)"]
)
def test_importing_millrace_loads_nothing_heavy(code: str) -> None:
    assert not loaded_after(code) & set(HEAVY)


def test_importing_millrace_loads_no_source_but_its_own_machinery() -> None:
    sources = {name for name in loaded_after("import millrace") if name.startswith("millrace._src.")}
    assert sources == {"millrace._src.util", "millrace._src.util.lazy_import"}


def test_the_first_tensor_loads_numpy_but_not_jax_or_protobuf() -> None:
    loaded = loaded_after("import millrace as tf; tf.constant([1.0]) + 1.0")
    assert "numpy" in loaded
    assert not loaded & {"jax", "jaxlib", "google.protobuf", "tensorflow", "keras"}


def test_the_first_tensor_and_gradient_load_neither_the_optimizer_nor_the_code_generator() -> None:
    code = """
import millrace as tf
x = tf.constant(1.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x + 1.0
tape.gradient(y, x)"""
    compilers = {"millrace._src.passes.pipeline", "millrace._src.engines.numpy.codegen"}
    assert not loaded_after(code) & {*compilers, "google.protobuf"}


def test_the_launcher_itself_loads_nothing_heavy() -> None:
    loaded = loaded_after("import millrace; millrace.install_as_tensorflow(); import tensorflow")
    assert loaded & set(HEAVY) == {"tensorflow"}


def test_importing_millrace_is_quick() -> None:
    """The budget is 50 ms without the interpreter's own start; the best of five, for the machine may be busy."""
    code = "import time; t = time.perf_counter(); import millrace; print(time.perf_counter() - t)"
    seconds = min(float(run_python(code).stdout) for _ in range(5))
    assert seconds < 0.05


def test_importing_millrace_warns_of_nothing() -> None:
    assert run_python("import millrace as tf; dir(tf.compat.v1)", "-W", "error", "-bb", "-X", "dev").stderr == ""
