"""`python -m benchmarks`: measures every program on every framework that is installed and prints the table."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from benchmarks import machine, report
from benchmarks.programs import ORDER
from benchmarks.rows import SCALES
from benchmarks.runner import FRAMEWORKS, ROOT, VARIABLE, Measured, Peer, interpreters, measure, rows


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"programs or rows to measure (all if none): {', '.join(ORDER)}")
    parser.add_argument(
        "--peers",
        default="",
        metavar="NAME=PYTHON,...",
        help=f"interpreters of {', '.join(FRAMEWORKS[1:])}, e.g. torch=/opt/torch/bin/python; "
        f"also {VARIABLE.format('TORCH')} and the like; else the running one",
    )
    parser.add_argument("--frameworks", default=",".join(FRAMEWORKS), help="measure these alone: %(default)s")
    parser.add_argument("--rounds", type=int, default=9, help="repetitions of each row (9)")
    parser.add_argument("--record", action="store_true", help="write the results and docs/benchmarks.md")
    parser.add_argument("--verbose", action="store_true", help="show what the frameworks print")
    return parser.parse_args(arguments)


def start_peers(names: list[str], given: dict[str, str], verbose: bool) -> tuple[list[Peer], dict[str, str]]:
    """The frameworks that are there, and why the others are not."""
    peers, missing = [], {}
    for name in names:
        try:
            peers.append(Peer(name, interpreters(given)[name], verbose))
        except OSError as error:
            missing[name] = str(error)
            print(f"without {report.LABELS[name]}: {error}")
    return peers, missing


def measure_all(options: argparse.Namespace, peers: list[Peer], facts: dict[str, Any]) -> None:
    """All rows; prints each as soon as it is known, and records it: a run that is cut keeps what it has."""
    frameworks = [p.name for p in peers]
    print(report.text_line(report.header(frameworks)))
    results = []
    for program, row, processes in rows(options.names):
        results.append(measure(peers, program, row, processes, options.rounds, SCALES[row.unit]))
        print(report.text_line(report.cells(results[-1], frameworks)), flush=True)
        for name, why in results[-1].failures.items():
            print(f"    {report.LABELS[name]}: {why}")
        if options.record:
            record(results, facts)


def record(results: list[Measured], facts: dict[str, Any]) -> None:
    """Writes the results so far and the page."""
    path = f"benchmarks/results/{str(facts['machine']['date'])[:10]}.json"
    (ROOT / path).parent.mkdir(exist_ok=True)
    (ROOT / path).write_text(json.dumps(report.as_json(results, facts), indent=1) + "\n", encoding="utf-8")
    (ROOT / "docs" / "benchmarks.md").write_text(report.page(results, facts, path), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints, records; the exit code is 0 whatever the numbers are."""
    options = parse(arguments)
    given = dict(pair.split("=", 1) for pair in options.peers.split(",") if pair)
    names = options.frameworks.split(",")
    unknown = {*given, *names} - set(FRAMEWORKS)
    if unknown:
        print(f"unknown framework {sorted(unknown)}; known are {', '.join(FRAMEWORKS)}", file=sys.stderr)
        return 2
    description = machine.describe()
    print(machine.sentence(description))
    if float(description["load"]) > 0.5 * int(description["cores"]):
        print("the machine is busy: expect numbers that are too high, above all where threads wait for each other")
    peers, missing = start_peers(names, given, options.verbose)
    facts = {
        "machine": description,
        "versions": {p.name: p.version for p in peers},
        "missing": missing,
        "rounds": options.rounds,
    }
    measure_all(options, peers, facts)
    for peer in peers:
        peer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
