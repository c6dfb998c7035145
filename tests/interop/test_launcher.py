"""`python -m millrace run` beside plain `python`: a program cannot tell them apart."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.interop.process import millrace_run, python

REPORT = """
import sys
main = sys.modules["__main__"]
print(sys.argv, __name__, __doc__, __package__, __spec__ and __spec__.name, main.__dict__ is globals())
print(repr(sys.path[0]), globals().get("__file__"), globals().get("__cached__"))
print(type(__loader__).__name__, __builtins__.__name__)
print(sorted(n for n in globals() if n not in ("sys", "main")))
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def assert_same(*arguments: str, cwd: Path, text: str | None = None) -> None:
    """Output, errors and exit code are those of plain python."""
    ours, plain = (start(*arguments, cwd=cwd, text=text) for start in (millrace_run, python))
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, plain.returncode)


@pytest.mark.parametrize("name", ["script.py", "./script.py", "sub/script.py", "noextension"])
def test_a_script_finds_the_surroundings_it_expects(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, f'"""Doc."""\n{REPORT}')
    assert_same(name, "a", "-b", "--help", cwd=tmp_path)


def test_a_module_finds_the_surroundings_it_expects(tmp_path: Path) -> None:
    write(tmp_path, "pack/__init__.py", "")
    write(tmp_path, "pack/__main__.py", REPORT)
    write(tmp_path, "pack/tool.py", REPORT)
    assert_same("-m", "pack", "x", cwd=tmp_path)
    assert_same("-m", "pack.tool", "x", cwd=tmp_path)


def test_code_and_standard_input_find_the_surroundings_they_expect(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv, __name__, repr(sys.path[0])); sys.exit(4)"
    assert_same("-c", code, "a", "-b", cwd=tmp_path)
    assert_same("-", "a", cwd=tmp_path, text=code)


@pytest.mark.parametrize(
    "program",
    [
        "import sys; sys.exit(7)",
        "import sys; sys.exit()",
        "import sys; sys.exit('a message')",
        "raise SystemExit(3)",
        "def f(n):\n    if n == 0:\n        raise ValueError('deep')\n    f(n - 1)\nf(3)",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['k']",
        "x = (",
        "def f():\nreturn 1",
        "import no_such_module",
        "import atexit; atexit.register(print, 'at exit'); 1 / 0",
        "import sys; sys.excepthook = lambda t, e, tb: print('hook', t.__name__, e, tb.tb_lineno, tb.tb_next)\n1 / 0",
        "import os; os._exit(9)",
        "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])",
        "import threading\ndef f(): 1 / 0\nt = threading.Thread(target=f, name='worker'); t.start(); t.join()",
        "import warnings; warnings.warn('careful')",
        "assert 1 == 2, 'no'",
    ],
)
def test_a_program_ends_as_under_python(tmp_path: Path, program: str) -> None:
    write(tmp_path, "script.py", program)
    assert_same("script.py", cwd=tmp_path)


def test_an_interrupt_ends_the_process_as_under_python(tmp_path: Path) -> None:
    write(tmp_path, "script.py", "raise KeyboardInterrupt")
    result = millrace_run("script.py", cwd=tmp_path)
    assert result.returncode == -signal.SIGINT
    assert_same("script.py", cwd=tmp_path)


def test_what_cannot_be_run_is_reported_as_python_does(tmp_path: Path) -> None:
    write(tmp_path, "pack/__init__.py", "")
    assert_same("nothing.py", cwd=tmp_path)
    assert_same("-m", "nothing_here", cwd=tmp_path)
    assert_same("-m", "pack", cwd=tmp_path)


def test_a_folder_with_a_main_is_run(tmp_path: Path) -> None:
    write(tmp_path, "app/__main__.py", "import sys, side; print(sys.argv, __name__, side.X)")
    write(tmp_path, "app/side.py", "X = 1")
    assert_same("app", "a", cwd=tmp_path)


def test_the_source_can_be_inspected_and_main_pickled(tmp_path: Path) -> None:
    program = """
import inspect, pickle
class Thing:
    def __eq__(self, other): return type(self) is type(other)
def f():
    return 1
print(inspect.getsource(f), inspect.getfile(f), inspect.getmodule(f).__name__)
print(pickle.loads(pickle.dumps(Thing())) == Thing())
import __main__
print(__main__.f is f)
"""
    write(tmp_path, "script.py", program)
    assert_same("script.py", cwd=tmp_path)


def test_import_tensorflow_is_millrace(tmp_path: Path) -> None:
    write(tmp_path, "script.py", "import tensorflow as tf, sys\nprint(tf is sys.modules['millrace'], tf.__version__)")
    assert millrace_run("script.py", cwd=tmp_path).stdout == "True 2.21.0\n"


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_child_processes_get_millrace_too(tmp_path: Path, method: str) -> None:
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("Windows knows only spawn")
    program = f"""
import multiprocessing
import tensorflow as tf
def work(n):
    import tensorflow
    return n * 2, tensorflow.__version__, tensorflow is tf, hasattr(tensorflow, "install_as_tensorflow")
if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(1) as pool:
        print(pool.map(work, [1, 2]))
"""
    write(tmp_path, "script.py", program)
    result = millrace_run("script.py", cwd=tmp_path)
    assert result.stdout == "[(2, '2.21.0', True, True), (4, '2.21.0', True, True)]\n", result.stderr


def test_python_processes_started_by_the_program_get_millrace(tmp_path: Path) -> None:
    program = """
import subprocess, sys
code = "import tensorflow as tf; from tensorflow import math; print(tf.__version__, tf.__name__, math is tf.math)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, end="")
"""
    write(tmp_path, "script.py", program)
    assert millrace_run("script.py", cwd=tmp_path).stdout == "2.21.0 tensorflow True\n"


def test_the_command_line_explains_itself() -> None:
    assert "usage: python -m millrace run" in millrace_run("--help").stdout
    assert millrace_run().returncode == 2
    assert millrace_run("-m").returncode == 2
    assert "run a TensorFlow program" in python("-m", "millrace", "--help").stdout
    assert python("-m", "millrace", "--version").stdout.startswith("millrace 0.")
    unknown = python("-m", "millrace", "walk")
    assert unknown.returncode == 2 and "unknown command 'walk'" in unknown.stderr
