"""`python -m benchmarks`: measures every program on every framework that is installed and prints the tables."""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from typing import Any

from benchmarks import chart, machine, page, report, results_file
from benchmarks.growth import Growth
from benchmarks.measured import Measured
from benchmarks.modes import Mode, modes
from benchmarks.noise import Bystanders, warnings
from benchmarks.options import add_options, read_options
from benchmarks.programs import ORDER
from benchmarks.runner import FRAMEWORKS, ROOT, Peer, environment, interpreters, measure, rows


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help=f"programs or rows to measure (all if none): {', '.join((*ORDER, GROWTH))}"
    )
    add_options(parser, FRAMEWORKS, rounds=9)
    return parser.parse_args(arguments)


GROWTH = "growth"
"""The name of the section about growth on the command line."""


def start_peers(
    names: list[str], given: dict[str, str], mode: Mode, verbose: bool
) -> tuple[list[Peer], dict[str, str]]:
    """Returns the frameworks that are there, started, and why the others are not."""
    peers, missing = [], {}
    for name in names:
        try:
            peers.append(Peer(name, interpreters(given)[name], mode, verbose))
        except OSError as error:
            missing[name] = str(error)
    return peers, missing


class Run:
    """One run: measures rows in all modes, prints each as soon as it is known, and records it.

    Args:
      options: the command line.
      chosen: the modes.
    """

    def __init__(self, options: argparse.Namespace, chosen: list[Mode], given: dict[str, str]) -> None:
        self.options = options
        self.bystanders = Bystanders()
        self.results: list[Measured] = []
        self.machine = machine.describe()
        self.growths: list[Growth] = []
        self.peers: dict[Mode, list[Peer]] = {}
        self.missing: dict[str, str] = {}
        for mode in chosen if options.names != [GROWTH] else ():
            self.peers[mode], self.missing = start_peers(options.frameworks.split(","), given, mode, options.verbose)

    def facts(self) -> dict[str, Any]:
        """Returns what the page says besides the numbers."""
        workers = [peer for peers in self.peers.values() for peer in peers]
        others = self.bystanders.cores([peer.process.pid for peer in workers])
        return {
            "machine": self.machine,
            "versions": {peer.name: peer.version for peer in workers},
            "missing": self.missing,
            "others": others,
            "warnings": warnings(self.results, others, int(self.machine["cores"])),
        }

    def measure_all(self) -> None:
        """Measures all rows; a run that is cut keeps what it has."""
        for mode, peers in self.peers.items():
            frameworks = [p.name for p in peers]
            print(f"\n{mode.title}\n{report.text_line(report.header(frameworks))}")
            for program, row, processes in rows(self.options.names):
                if row.unit == "MB" and mode != next(iter(self.peers)):
                    continue  # memory does not depend on the clock
                self.results.append(measure(peers, program, row, processes, self.options.rounds))
                self._show(self.results[-1], frameworks)
                if self.options.record:
                    self.record()

    def measure_growth(self, core: int | None) -> None:
        """Measures how time and memory grow, in a process of its own on one core."""
        (pinned,) = modes(["pinned"], core)
        command = [sys.executable, "-c", pinned.prelude + "from benchmarks import growth; growth.main()"]
        print("\nGrowth")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment(pinned)) as process:
            assert process.stdout is not None
            for line in process.stdout:
                self.growths.append(Growth(**json.loads(line)))
                title, sizes, seconds, exponent, kilobytes, memory_exponent = report.growth_cells(self.growths[-1])
                print(f"{title:<52} n = {sizes}: {seconds} ms ({exponent}); {kilobytes} kB ({memory_exponent})")
        if process.returncode:
            raise RuntimeError(f"the process that measures growth ended with {process.returncode}")

    def _show(self, measured: Measured, frameworks: list[str]) -> None:
        print(report.text_line(report.cells(measured, frameworks)), flush=True)
        variants = {s: v for s in measured.values if s.variant and (v := measured.median(s)) is not None}
        if variants:
            print("    " + "  ".join(f"{s.framework} {s.variant} {report.number(v)}" for s, v in variants.items()))
        for series, why in measured.failures.items():
            print(f"    {report.LABELS[series.framework]} {series.variant}: {why}")

    def record(self) -> None:
        """Writes the results so far, beside those of earlier runs of the day, the page, and the chart."""
        date, facts = str(self.machine["date"])[:10], self.facts()
        path = ROOT / "benchmarks" / "results" / f"{date}.json"
        earlier, growths, earlier_facts = results_file.read(path)
        facts["versions"] = earlier_facts.get("versions", {}) | facts["versions"]
        results = results_file.merged(earlier, self.results)
        results_file.write(path, results, self.growths or growths, facts)
        if importlib.util.find_spec("matplotlib") is not None:
            chart.draw(results, page.PAGE.with_name(page.CHART))
        page.rewrite()

    def close(self) -> None:
        """Ends all processes."""
        for peers in self.peers.values():
            for peer in peers:
                peer.close()


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints, records; the exit code is 0 whatever the numbers are."""
    options = parse(arguments)
    try:
        given, chosen = read_options(options, FRAMEWORKS)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    run = Run(options, chosen, given)
    print(machine.sentence(run.machine))
    for name, why in run.missing.items():
        print(f"without {report.LABELS[name]}: {why}")
    if options.names != [GROWTH]:
        run.measure_all()
    if not options.names or GROWTH in options.names:
        run.measure_growth(options.core)
    if options.record:
        run.record()
    for warning in run.facts()["warnings"]:
        print(warning)
    run.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
