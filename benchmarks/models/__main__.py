"""`python -m benchmarks.models`: measures whole models on every framework that is installed, beside TensorFlow."""

from __future__ import annotations

import argparse
import sys

from benchmarks import machine, page
from benchmarks.models import report
from benchmarks.models.runner import WARM, Processes, Rounds
from benchmarks.models.table import BY_NAME, KERAS, MODELS
from benchmarks.noise import Bystanders, warnings
from benchmarks.options import add_options, read_options
from benchmarks.report import LABELS
from benchmarks.rows import Series
from benchmarks.runner import ROOT, interpreters


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"models to measure (all if none): {', '.join(BY_NAME)}")
    add_options(parser, KERAS, rounds=1)
    parser.add_argument(
        "--second-start",
        action="store_true",
        help="measure Millrace also in a second process that finds what the first one compiled",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints, records; the exit code is 0 whatever the numbers are."""
    options = parse(arguments)
    try:
        given, chosen = read_options(options, KERAS)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    unknown = sorted(set(options.names) - set(BY_NAME))
    if unknown:
        print(f"unknown model {unknown}; known are {', '.join(BY_NAME)}", file=sys.stderr)
        return 2
    series = [Series(name) for name in options.frameworks.split(",")]
    series += [Series("millrace", WARM)] if options.second_start else []
    processes = Processes(interpreters(given), options.verbose)
    rounds, bystanders, measured = Rounds(processes.run, series, options.rounds), Bystanders(), []
    described = machine.describe()
    print(machine.sentence(described))
    for mode in chosen:
        print(f"\n{mode.title}")
        for model in MODELS:
            if options.names and model.name not in options.names:
                continue
            measured.append(rounds.measure(model, mode))
            print("\n".join([f"{model.name}: {model.title}", *report.lines(measured[-1])]), flush=True)
            if options.record:
                others = bystanders.cores([])
                said = warnings([], others, int(described["cores"]))
                facts = {"machine": described, "versions": processes.versions, "warnings": said}
                report.write(ROOT / page.MODELS, measured, facts)
    for name, why in rounds.missing.items():
        print(f"without {LABELS[name]}: {why}")
    if options.record:
        page.rewrite()
    return 0


if __name__ == "__main__":
    sys.exit(main())
