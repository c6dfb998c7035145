"""`python -m millrace convert SOURCE TARGET`: variables from a checkpoint to a safetensors or npz file, and back.

Tests: tests/interop/array_files/test_file_conversion.py
"""

from __future__ import annotations

import argparse

from millrace._src.command_line.commands import Command
from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.reports import Report, count_text
from millrace._src.interop.array_files.file_conversion import convert_arrays
from millrace._src.interop.array_files.file_opening import checkpoint_prefix, suffix_of
from millrace._src.ops.io.gfile import exists, isdir


def convert(arguments: list[str]) -> int:
    """Runs `python -m millrace convert` and returns the exit code."""
    return _CONVERT.run("millrace", arguments)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help="checkpoint (prefix or folder), SavedModel, .safetensors or .npz file")
    parser.add_argument("target", help=".safetensors or .npz file; any other name is that of a checkpoint")
    parser.add_argument("--overwrite", action="store_true", help="replace the target if it is there")
    parser.add_argument("--json", action="store_true", help="write JSON")


def _output(given: argparse.Namespace) -> str:
    _refuse_target(given.target, given.overwrite)
    conversion = convert_arrays(given.source, given.target)
    data = {"target": given.target, "names": dict(conversion.names), "left_out": dict(conversion.left_out)}
    lines = [f"wrote {count_text(len(conversion.names), 'tensor')} to {given.target}"]
    lines += [f"left out: {name} ({reason})" for name, reason in conversion.left_out.items()]
    report = Report(data, ["\n".join(lines)])
    return report.json() if given.json else report.text()


def _refuse_target(target: str, may_overwrite: bool) -> None:
    if isdir(target):
        raise CommandError(f"{target} is a folder; a checkpoint is named by what its files begin with.")
    is_taken = exists(target) if suffix_of(target) else checkpoint_prefix(target) is not None
    if is_taken and not may_overwrite:
        raise CommandError(f"{target} is there already; --overwrite replaces it.")


_CONVERT = Command("convert", "write variables to another kind of file", _add_arguments, _output)
