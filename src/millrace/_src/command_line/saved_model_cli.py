"""`saved_model_cli`: TensorFlow's tool for SavedModels, with the same commands, arguments and output.

`show` and `scan` read protocol buffers and load no model. The commands that hand a model to TensorFlow's compilers
(TensorRT, tfcompile) are refused.
"""

from __future__ import annotations

import argparse
import sys

from millrace._src.command_line.commands import (
    AnyCommand,
    Command,
    DeferredCommand,
    RefusedCommand,
    add_switch,
    run_program,
)
from millrace._src.command_line.scan import scan_report
from millrace._src.command_line.show import show_report


def main(arguments: list[str] | None = None) -> int:
    """Runs `saved_model_cli` and returns the exit code."""
    return run_program("saved_model_cli", _commands(), sys.argv[1:] if arguments is None else arguments)


def show(arguments: list[str]) -> int:
    """Runs `python -m millrace show`: the folder may stand without `--dir`."""
    return _SHOW.run("millrace", _with_dir(arguments))


def scan(arguments: list[str]) -> int:
    """Runs `python -m millrace scan`: the folder may stand without `--dir`."""
    return _SCAN.run("millrace", _with_dir(arguments))


def _with_dir(arguments: list[str]) -> list[str]:
    """Returns the arguments with `--dir` before a folder that stands first."""
    return ["--dir", *arguments] if arguments and not arguments[0].startswith("-") else arguments


# --- show and scan ---------------------------------------------------------------------------------------------------


def add_dir(parser: argparse.ArgumentParser) -> None:
    """Declares the folder of the SavedModel."""
    parser.add_argument("--dir", required=True, help="folder of the SavedModel")


def _add_show_arguments(parser: argparse.ArgumentParser) -> None:
    add_dir(parser)
    add_switch(parser, "all", "show everything")
    parser.add_argument("--tag_set", help="tags of the MetaGraph to show, with commas between")
    parser.add_argument("--signature_def", metavar="KEY", help="key of the signature to show")
    add_switch(parser, "list_ops", "show the ops of the MetaGraph that --tag_set names")


def _show(given: argparse.Namespace) -> str:
    return show_report(given.dir, given.all, given.tag_set, given.signature_def, given.list_ops)


def _add_scan_arguments(parser: argparse.ArgumentParser) -> None:
    add_dir(parser)
    parser.add_argument("--tag_set", help="tags of the MetaGraph to scan, with commas between; all if left out")
    parser.add_argument("--op_denylist", help="names of ops, with commas between, instead of the default ones")


def _scan(given: argparse.Namespace) -> str:
    return scan_report(given.dir, given.tag_set, given.op_denylist)


_SHOW = Command("show", "show the signatures, ops and functions of a SavedModel", _add_show_arguments, _show)
_SCAN = Command("scan", "look for ops that a SavedModel should not have", _add_scan_arguments, _scan)

# --- run -------------------------------------------------------------------------------------------------------------


def _make_run() -> Command:
    from millrace._src.command_line.run_signature import RUN  # loading models needs much that `show` does not

    return RUN


_RUN = DeferredCommand("run", "call a signature of a SavedModel", _make_run)

# --- what is refused -------------------------------------------------------------------------------------------------


_REFUSED = {
    "convert": "Millrace has no TensorRT. Run the SavedModel with `run`, or convert it with TensorFlow.",
    "aot_compile_cpu": "Millrace does not compile ahead of time. `tf.function(jit_compile=True)` compiles with XLA.",
    "freeze_model": "Millrace does not prepare models for tfcompile. `python -m millrace freeze` writes a GraphDef "
    "whose variables are constants.",
}


def _commands() -> dict[str, AnyCommand]:
    refused = {name: RefusedCommand(name, reason) for name, reason in _REFUSED.items()}
    return {"show": _SHOW, "run": _RUN, "scan": _SCAN, **refused}
