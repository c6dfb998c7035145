"""Runs an attack: `python -m tests.attack.attack --targets records,graphs --cases 0:2000`; without arguments, all.

Each case is a function of the target's name and the number of the case, so that what breaks can be had again. The cases
run in a process of their own, which a limit of memory and an audit hook cage. A process that dies or hangs is a fault
of the case that it was at; a new one goes on behind.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

import millrace as tf
from tests.attack.target import Files, Target, WrongAnswer, put

PATIENCE = 120.0
"""The seconds after which a process that says nothing is given up."""

Case = tuple[str, int]
"""The name of a target and a number."""


def all_targets() -> dict[str, Target]:
    from tests.attack import (  # they read this module
        checkpoint_targets,
        graph_targets,
        record_targets,
        saved_model_targets,
        tool_targets,
    )

    modules = (record_targets, graph_targets, checkpoint_targets, saved_model_targets, tool_targets)
    return {target.name: target for module in modules for target in module.TARGETS}


@dataclass
class Report:
    """What became of the cases of a target.

    Attributes:
      outcomes: how many cases ended how.
      faults: the number of the case, what is wrong, and the traceback.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str, str]] = field(default_factory=list)


# --- in the cage -------------------------------------------------------------------------------------------------


def case_files(target: Target, specimens: Sequence[Files], number: int) -> tuple[int, Files, bool]:
    """The specimen of a case, its damaged files, and whether a checksum must notice the damage."""
    rng = random.Random(f"{target.name}:{number}")
    index = rng.randrange(len(specimens))
    files, must_be_noticed = target.damage(specimens[index], rng)
    return index, files, must_be_noticed


def run_caged(first: Mapping[str, int], stop: int) -> None:
    """Runs the cases of targets, from `first` on, in this process; prints a line of JSON before and after each."""
    from tests.attack.cage import Cage  # the parent process needs no limits

    targets, tell = all_targets(), _own_output()
    cage = Cage()
    for name, start in first.items():
        target = targets[name]
        specimens = target.specimens(put({}, cage.folder / "made"))
        read_first = specimens if target.check is not None else specimens[:1]  # also imports what reading needs
        wholes = [_read_whole(target, put(files, cage.folder / "case")) for files in read_first]
        for number in range(start, stop):
            print(json.dumps({"target": name, "begins": number}), file=tell, flush=True)
            outcome = _outcome(cage, target, specimens, wholes, number)
            print(json.dumps({"target": name, "case": number, **asdict(outcome)}), file=tell, flush=True)
    shutil.rmtree(cage.folder)


def _own_output() -> TextIO:
    """The output of this process; what programs in files print goes nowhere."""
    tell = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return tell


def _outcome(cage: Any, target: Target, specimens: Sequence[Files], wholes: Sequence[Any], number: int) -> Any:
    from tests.attack.cage import Outcome  # the parent process needs no limits

    index, files, must_be_noticed = case_files(target, specimens, number)
    folder = put(files, cage.folder / "case")
    read: list[Any] = []
    size = sum(map(len, files.values()))
    outcome = cage.run(lambda: read.append(target.read(folder)), size, target.may_run_on, target.refusals)
    if read and must_be_noticed and target.check is not None:
        try:
            target.check(wholes[index], read[0])
        except WrongAnswer as error:
            return Outcome("fault", "wrong answer", str(error))
    return outcome


def _read_whole(target: Target, folder: Path) -> Any:
    """What is read of undamaged files; a program may fail when it runs on whatever it is given."""
    try:
        return target.read(folder)
    except (tf.errors.OpError, ValueError):
        if not target.may_run_on:
            raise


# --- outside -----------------------------------------------------------------------------------------------------


def attack(names: Sequence[str], first: int, stop: int) -> dict[str, Report]:
    """Runs the cases `first` to `stop` of targets."""
    reports = {name: Report() for name in names}
    next_case = dict.fromkeys(names, first)
    while left := {name: number for name, number in next_case.items() if number < stop}:
        _attack_until_it_dies(left, stop, next_case, reports)
    return reports


def _attack_until_it_dies(left: dict[str, int], stop: int, next_case: dict[str, int], reports: Any) -> None:
    """Runs cases in one process, and notes in `next_case` with which case of each target to go on."""
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.attack.attack",
        "--caged",
        json.dumps(left),
        str(stop),
    ]
    root = Path(__file__).parents[2]
    begun: Case | None = None
    with tempfile.TemporaryFile("w+", errors="replace") as complaints:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True, cwd=root) as process:
            for line in _lines(process):
                name = line["target"]
                if "begins" in line:
                    begun = name, line["begins"]
                    continue
                begun, next_case[name] = None, line["case"] + 1
                _note(reports[name], line["case"], line["kind"], line["words"], line["details"])
        complaints.seek(0)
        words = complaints.read()[-3000:]
    if begun is not None:
        name, number = begun
        next_case[name] = number + 1
        _note(reports[name], number, "fault", f"the process died ({process.returncode})", words)
    elif process.returncode:
        raise RuntimeError(f"the attack did not begin: {words}")


def _note(report: Report, number: int, kind: str, words: str, details: str) -> None:
    report.outcomes[f"{kind} {words}".strip()] += 1
    if kind == "fault":
        report.faults.append((number, words, details))


def _lines(process: Any) -> Iterator[dict[str, Any]]:
    """The lines of a process, which is killed if no line comes for long."""
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        for line in process.stdout:
            timer.cancel()
            timer = threading.Timer(PATIENCE, process.kill)
            timer.start()
            if line.startswith('{"target"'):
                yield json.loads(line)
    finally:
        timer.cancel()


def described(report: Report, length: int) -> str:
    """The faults of a report, each kind once, with the ends of the tracebacks."""
    kinds: dict[str, list[tuple[int, str]]] = {}
    for number, words, details in report.faults:
        kinds.setdefault(f"{words} at {_location(details)}", []).append((number, details))
    return "\n".join(
        f"-- {len(cases)} x {kind}: cases {[number for number, _ in cases[:5]]}\n{cases[0][1][-length:]}"
        for kind, cases in kinds.items()
    )


def _location(details: str) -> str:
    """The innermost line of the library's own in a traceback."""
    locations = re.findall(r'File "[^"]*/(_src/[^"]+)", line (\d+)', details)
    return ":".join(locations[-1]) if locations else "?"


def main() -> None:
    """Attacks, and prints how many cases ended how, and the faults."""
    if sys.argv[1:2] == ["--caged"]:
        warnings.simplefilter("ignore")
        run_caged(json.loads(sys.argv[2]), int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--targets", default=",".join(all_targets()))
    parser.add_argument("--cases", default="0:300")
    parser.add_argument("--details", type=int, default=600, help="how many characters of a traceback to show")
    given = parser.parse_args()
    first, stop = map(int, given.cases.split(":"))
    for name in given.targets.split(","):
        report = attack([name], first, stop)[name]
        print(f"== {name}: {dict(report.outcomes.most_common())}\n{described(report, given.details)}", flush=True)


if __name__ == "__main__":
    main()
