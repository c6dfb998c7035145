"""`python -m millrace inspect PATH`: says what is in a file, whatever kind of file it is.

The kind is found out from what is there: the files of a SavedModel or of a checkpoint, suffixes, the first record.
"""

from __future__ import annotations

import argparse
import os

from millrace._src.command_line.commands import Command
from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.inspection.array_reports import array_file_report, difference_report
from millrace._src.command_line.inspection.event_reports import events_report, is_event
from millrace._src.command_line.inspection.records import records_of, records_report
from millrace._src.command_line.inspection.saved_models import report_saved_model
from millrace._src.command_line.reports import Report
from millrace._src.interop.array_files.file_opening import checkpoint_prefix, open_array_file, prefixes_in, suffix_of
from millrace._src.ops.io.gfile import exists, glob, isdir
from millrace._src.saved_model.reading import contains_saved_model

_EVENT_FILES = "*tfevents*"
_SHOWN_PREFIXES = 5


def inspect(arguments: list[str]) -> int:
    """Runs `python -m millrace inspect` and returns the exit code."""
    return _INSPECT.run("millrace", arguments)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        help="checkpoint (prefix or folder), SavedModel, event file or folder, TFRecord file, "
        ".safetensors or .npz file",
    )
    parser.add_argument("--stats", action="store_true", help="read the values: smallest, largest, mean, ...")
    parser.add_argument("--name", metavar="PATTERN", help="show only tensors or tags like this: `*/kernel*`")
    parser.add_argument("--diff", metavar="OTHER", help="compare with another file of tensors")
    parser.add_argument("--examples", metavar="N", type=int, default=1000, help="parse N records as examples (1000)")
    parser.add_argument("--json", action="store_true", help="write JSON")


def _output(given: argparse.Namespace) -> str:
    report = _report(given)
    return report.json() if given.json else report.text()


def _report(given: argparse.Namespace) -> Report:
    path = given.path
    if given.diff is not None:
        return _difference(path, given.diff, given.name)
    if isdir(path) and contains_saved_model(path) and not given.stats and given.name is None:
        return report_saved_model(path)
    if suffix_of(path) or checkpoint_prefix(path) is not None:
        title, file = open_array_file(path)
        with file:
            return array_file_report(title, file, given.name, given.stats)
    if isdir(path):
        event_files = sorted(glob(os.path.join(path, _EVENT_FILES)))
        if not event_files:
            raise CommandError(_nothing_in(path))
        return events_report(event_files, given.name)
    if not exists(path):
        raise CommandError(f"no such file, folder or checkpoint: {path}")
    return _record_file_report(path, given)


def _nothing_in(folder: str) -> str:
    prefixes = prefixes_in(folder)
    if not prefixes:
        return f"{folder} is a folder without a SavedModel, checkpoint or event file."
    shown = ", ".join(prefixes[:_SHOWN_PREFIXES]) + (", ..." if len(prefixes) > _SHOWN_PREFIXES else "")
    return (
        f"{folder} has no file 'checkpoint', which would say what its latest checkpoint is. "
        f"Give one of its checkpoints: {shown}."
    )


def _record_file_report(path: str, given: argparse.Namespace) -> Report:
    first_record = next(records_of(path), None)
    if first_record is not None and is_event(first_record):
        return events_report([path], given.name)
    return records_report(path, given.examples)


def _difference(path: str, other: str, pattern: str | None) -> Report:
    title, file = open_array_file(path)
    with file:
        other_title, other_file = open_array_file(other)
        with other_file:
            return difference_report((title, other_title), (file, other_file), pattern)


_INSPECT = Command("inspect", "say what is in a file", _add_arguments, _output)
