"""`python -m millrace doctor`: which devices, versions, libraries and settings are in force, and what is missing."""

from __future__ import annotations

import argparse
from typing import Any

from millrace._src.command_line.commands import Command
from millrace._src.command_line.reports import Report
from millrace._src.explain.doctor import diagnosis
from millrace._src.util.text_table import table


def doctor(arguments: list[str]) -> int:
    """Runs `python -m millrace doctor` and returns the exit code."""
    return _DOCTOR.run("millrace", arguments)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="write JSON")


def _output(given: argparse.Namespace) -> str:
    report = report_of(diagnosis())
    return report.json() if given.json else report.text()


def report_of(found: dict[str, Any]) -> Report:
    """Returns the report of a diagnosis: a paragraph for each part."""
    paragraphs = [
        _facts("Versions", found["versions"]),
        _rows("Devices", found["devices"], ("name", "kind", "details")),
        _facts("Processor", found["processor"]),
        _rows("Libraries", found["libraries"], ("name", "version", "threads", "file")),
        _rows("Packages", found["packages"], ("name", "version", "purpose", "advice")),
    ]
    if found["variables"]:
        paragraphs.append(_rows("Environment variables", found["variables"], ("name", "value", "meaning")))
    else:
        paragraphs.append("Environment variables: none of those that change what Millrace does is set.")
    return Report(found, paragraphs)


def _facts(title: str, facts: dict[str, Any]) -> str:
    width = max(map(len, facts))
    return "\n".join([f"{title}:", *[f"  {name.ljust(width)}  {value}" for name, value in facts.items()]])


def _rows(title: str, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> str:
    lines = table(columns, [[row[column] for column in columns] for row in rows]).splitlines()
    return "\n".join([f"{title}:", *[f"  {line}" for line in lines]])


_DOCTOR = Command("doctor", "say which devices, versions, libraries and settings are in force", _add_arguments, _output)
