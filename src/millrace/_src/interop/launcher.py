"""Runs a program as `python` would, with `import tensorflow` giving Millrace.

Problem: a program is to run unmodified, and must not notice the launcher: `sys.argv`, `__main__`, `sys.path[0]`, what
`inspect` finds, tracebacks, exit codes, and Python processes that the program starts.

Idea: build the module `__main__` as the interpreter does and execute the code in that module. Exceptions pass
through to the interpreter, which knows how to end; only the launcher's frames are taken off the traceback. Child
processes find a `tensorflow` that is Millrace through PYTHONPATH.
"""

from __future__ import annotations

import importlib.util
import io
import os
import runpy
import sys
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

from millrace._src.interop.tensorflow_alias import install_as_tensorflow

USAGE = """usage: python -m millrace run [-m module | -c code | script.py | -] [argument ...]

Runs a TensorFlow program on Millrace, as python would run it:
  script.py   a file, or a folder or zip file with a __main__.py
  -m module   a module, as in python -m
  -c code     a program given as text
  -           a program read from standard input"""

# Child processes find `tensorflow` here; see shim/tensorflow/__init__.py.
_SHIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim")


class CannotRun(Exception):
    """There is nothing to run; the message is for the user."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def run(arguments: list[str]) -> int:
    """Runs the program that the arguments name; `arguments` are those after `run`.

    Returns:
        The exit code: 0 after `--help` or when the program reached its end, 1 or 2 when there was nothing to run, as
        `python` has it. A program that raises, `SystemExit` too, raises through this function.
    """
    if arguments[:1] in (["-h"], ["--help"]):
        sys.stdout.write(USAGE + "\n")
        return 0
    if not arguments or (arguments[0] in ("-m", "-c") and len(arguments) < 2):
        sys.stderr.write(USAGE + "\n")
        return 2
    install_as_tensorflow()
    _offer_to_child_processes()
    try:
        _run_program(arguments)
    except CannotRun as error:
        sys.stderr.write(f"{sys.executable}: {error}\n")
        return error.code
    except BaseException:
        _hide_launcher_frames()
        raise
    return 0


def _run_program(arguments: list[str]) -> None:
    kind, *rest = arguments
    if kind == "-m":
        _run_module(rest[0], rest[1:])
    elif kind == "-c":
        _run_text(rest[0], "<string>", ["-c", *rest[1:]])
    elif kind == "-":
        _run_text(sys.stdin.read(), "<stdin>", arguments)
    else:
        _run_file(kind, rest)


def _run_text(source: str, filename: str, argv: list[str]) -> None:
    _set_process_state(argv, "")
    _execute(compile(source, filename, "exec", dont_inherit=True), new_main_module())


def _run_file(path: str, arguments: list[str]) -> None:
    full_path = os.path.join(os.getcwd(), path)
    if os.path.isdir(full_path) or _is_archive(full_path):
        _set_process_state([path, *arguments], full_path)
        runpy.run_path(path, run_name="__main__")
        return
    try:
        with io.open_code(full_path) as file:
            source = file.read()
    except OSError as error:
        raise CannotRun(f"can't open file {full_path!r}: [Errno {error.errno}] {error.strerror}", code=2) from None
    _set_process_state([path, *arguments], os.path.dirname(os.path.realpath(full_path)))
    main = new_main_module(__file__=full_path, __cached__=None, __loader__=SourceFileLoader("__main__", full_path))
    _execute(compile(source, full_path, "exec", dont_inherit=True), main)


def _is_archive(path: str) -> bool:
    import zipfile  # only for archives: `zipfile` is slow to import

    return os.path.isfile(path) and not path.endswith(".py") and zipfile.is_zipfile(path)


def _run_module(name: str, arguments: list[str]) -> None:
    _set_process_state(["-m", *arguments], os.getcwd())
    spec = _find_module(name)
    code = spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None
    if code is None:
        raise CannotRun(f"No code object available for {spec.name}", code=1)
    sys.argv[0] = spec.origin or name
    main = new_main_module(
        __file__=spec.origin, __cached__=spec.cached, __loader__=spec.loader, __package__=spec.parent, __spec__=spec
    )
    _execute(code, main)


def _find_module(name: str) -> Any:
    """Finds the spec of the module to run; for a package, the spec of its `__main__`."""
    try:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise CannotRun(f"No module named {name}", code=1)
        if spec.submodule_search_locations is None:
            return spec
        spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        message = f"Error while finding module specification for {name!r} ({type(error).__name__}: {error})"
        raise CannotRun(message, code=1) from None
    if spec is None:
        message = f"No module named {name}.__main__; {name!r} is a package and cannot be directly executed"
        raise CannotRun(message, code=1)
    return spec


def new_main_module(**attributes: object) -> ModuleType:
    """Makes a fresh module `__main__`, in `sys.modules`, with the attributes that the interpreter gives."""
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={}, **attributes)
    sys.modules["__main__"] = main
    return main


def _execute(code: CodeType, main: ModuleType) -> None:
    exec(code, main.__dict__)


def _set_process_state(argv: list[str], first_path: str) -> None:
    sys.argv[:] = argv
    if not sys.flags.safe_path and sys.path:
        sys.path[0] = first_path


def _offer_to_child_processes() -> None:
    """Puts the shim on PYTHONPATH and `sys.path`: child processes inherit the first, those of multiprocessing the
    second.
    """
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if _SHIM not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([_SHIM, *paths])
        sys.path.insert(0 if sys.flags.safe_path else 1, _SHIM)


def _hide_launcher_frames() -> None:
    """Lets the interpreter print the traceback of an uncaught exception as if it had run the program itself."""
    shown_by = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        trace = without_launcher_frames(trace)
        shown_by(kind, error.with_traceback(trace), trace)

    sys.excepthook = show


def without_launcher_frames(trace: TracebackType | None) -> TracebackType | None:
    """Returns the traceback from the program's own first frame on."""
    launcher_files = {__file__, runpy.__file__, "<frozen runpy>"}
    frame_trace = trace
    while frame_trace is not None and frame_trace.tb_frame.f_code.co_filename != __file__:
        frame_trace = frame_trace.tb_next
    while frame_trace is not None and frame_trace.tb_frame.f_code.co_filename in launcher_files:
        frame_trace = frame_trace.tb_next
    return frame_trace
