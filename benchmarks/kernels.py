"""`python -m benchmarks.kernels`: single ops against TensorFlow, JAX and PyTorch, eager and compiled, at two sizes.

Which kernels are slow? Each op of `benchmarks.kernel_rows` is called in every framework that is installed, each in a
process of its own, taken in turn; a number is the least of some repetitions, in processor time. The table says how
many times the best peer's time Millrace takes, and the rows where that is worst come once more at the end.

  python -m benchmarks.kernels                                   everything: half an hour
  python -m benchmarks.kernels --ops top_k,unique                some ops; `--ops 'cast_*'` for a pattern
  python -m benchmarks.kernels --variants eager --sizes large    one variant of the call, one size
  python -m benchmarks.kernels --core 1 --peers torch=/opt/torch/bin/python,tensorflow=/opt/tf/bin/python
  python -m benchmarks.kernels --json before.json                keeps the numbers
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.kernel_rows import KERNELS, SIZES, Kernel
from benchmarks.modes import Mode
from benchmarks.report import LABELS
from benchmarks.runner import ROOT, VARIABLE, environment, interpreters

FRAMEWORKS = ("millrace", "tensorflow", "jax", "torch")
VARIANTS = {"eager": ("eager",), "compiled": ("function", "jit")}
"""A column of ratios -> the variants of the call that belong to it; a framework is judged by its fastest."""
LONG = 0.5
"""Seconds of one call above which a row is repeated twice only."""


class Peer:
    """A framework in its own process. Raises: OSError: if there is no such interpreter or framework."""

    def __init__(self, name: str, python: str, mode: Mode) -> None:
        self.name = name
        self.process = subprocess.Popen(
            [python, "-m", "benchmarks.kernel_worker", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=environment(mode),
        )
        hello = self._answer()
        if "error" in hello:
            self.close()
            raise OSError(hello["error"])

    def measure(self, *request: str) -> float | None:
        """Returns the seconds of a call; None if the framework has no such call. Raises RuntimeError if it fails."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        seconds: float | None = answer["seconds"]
        return seconds

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:  # threads of a compiler that hang at the end must not lose the table
            self.process.kill()
            self.process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": f"the process ended ({self.process.wait()})"}
        return answer


@dataclass
class Measured:
    """A row at one size: the least seconds of each framework in each variant; why there are none."""

    kernel: Kernel
    size: str
    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def note(self, framework: str, variant: str, seconds: float) -> None:
        """Keeps a repetition if it is the shortest."""
        key = framework, variant
        self.seconds[key] = min(seconds, self.seconds.get(key, seconds))

    def best(self, framework: str, column: str) -> float | None:
        """Returns the time of a framework's fastest variant among those of a column."""
        times = [
            self.seconds[framework, variant] for variant in VARIANTS[column] if (framework, variant) in self.seconds
        ]
        return min(times, default=None)

    def ratio(self, column: str, peers: tuple[str, ...] = FRAMEWORKS[1:]) -> float | None:
        """Returns how many times the best peer's time Millrace takes; None where one of the two is missing."""
        own = self.best("millrace", column)
        times = [time for peer in peers if (time := self.best(peer, column)) is not None]
        return own / min(times) if own is not None and times else None


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernels", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", default="*", help="names or patterns of rows, by commas (all)")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    parser.add_argument("--sizes", default=",".join(SIZES), help="%(default)s")
    parser.add_argument(
        "--variants", default="eager,function,jit", help="%(default)s; TensorFlow and Millrace have all three"
    )
    parser.add_argument("--frameworks", default=",".join(FRAMEWORKS), help="%(default)s")
    parser.add_argument(
        "--peers",
        default="",
        metavar="NAME=PYTHON,...",
        help=f"interpreters; also {VARIABLE.format('TORCH')} and the like; else the running one",
    )
    parser.add_argument("--rounds", type=int, default=5, help="repetitions of each number (5)")
    parser.add_argument(
        "--clock", choices=("cpu", "wall"), default="cpu", help="processor time of all threads (default), or wall time"
    )
    parser.add_argument("--core", type=int, help="pin all processes to one core, with one thread for BLAS and OpenMP")
    parser.add_argument("--worst", type=int, default=20, help="how many rows the last table has (20)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    return parser.parse_args(arguments)


def chosen(patterns: str) -> list[Kernel]:
    """Returns the rows that names or patterns choose. Raises: SystemExit: if one chooses none."""
    kernels: dict[str, Kernel] = {}
    for pattern in patterns.split(","):
        found = [kernel for kernel in KERNELS if fnmatch.fnmatchcase(kernel.name, pattern)]
        if not found:
            raise SystemExit(f"no row is called {pattern!r}; `--list` prints all")
        kernels.update((kernel.name, kernel) for kernel in found)
    return list(kernels.values())


def pinned(core: int | None) -> Mode:
    """Binds this process, and so those that it starts, to one core; returns the mode in which the others run."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    return Mode("kernels", "Kernels", "process_time", core)


def start(names: list[str], given: dict[str, str], mode: Mode) -> list[Peer]:
    """Starts the frameworks that are there, and says which are not."""
    peers = []
    for name in names:
        try:
            peers.append(Peer(name, interpreters(given)[name], mode))
        except OSError as error:
            print(f"without {LABELS[name]}: {error}")
    return peers


def measure(peers: list[Peer], kernel: Kernel, size: str, options: argparse.Namespace) -> Measured:
    """Measures one row at one size: all variants of all frameworks in turn, several times."""
    measured = Measured(kernel, size)
    active = [(peer, variant) for variant in options.variants.split(",") for peer in peers]
    for number in range(options.rounds):
        for peer, variant in list(active):
            try:
                seconds = peer.measure(kernel.name, size, variant, options.clock)
            except RuntimeError as error:
                measured.failures[peer.name, variant] = str(error).partition("\n")[0][:160]
                seconds = None
            if seconds is None:
                active.remove((peer, variant))
            else:
                measured.note(peer.name, variant, seconds)
        if number and max(measured.seconds.values(), default=0.0) > LONG:
            break
    return measured


def micro(seconds: float | None) -> str:
    """Writes microseconds with three digits."""
    if seconds is None:
        return "-"
    value = 1e6 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def columns(options: argparse.Namespace, names: list[str]) -> Iterator[tuple[str, str]]:
    """Yields the framework and variant of each column of times."""
    for variant in options.variants.split(","):
        for name in names:
            if variant != "function" or name in ("millrace", "tensorflow"):
                yield name, variant


def line(measured: Measured, shown: list[tuple[str, str]]) -> str:
    """Writes one row: the ratios to TensorFlow and to the best peer, then all times in microseconds."""
    ratios = []
    for column, variants in VARIANTS.items():
        if any(variant in variants for _, variant in shown):
            pair = (measured.ratio(column, ("tensorflow",)), measured.ratio(column))
            ratios.append("".join(f"{'-' if ratio is None else f'{ratio:.2f}':>8}" for ratio in pair))
    times = "".join(f"{micro(measured.seconds.get(key)):>10}" for key in shown)
    return f"{measured.kernel.name:<26}{measured.size:<6}{''.join(ratios)}{times}"


def header(shown: list[tuple[str, str]]) -> str:
    """Writes the titles: `eager/tf` is Millrace's time over TensorFlow's, `eager/*` over the best peer's."""
    ratios = [
        f"{f'{c}/tf':>8}{f'{c}/*':>8}"
        for c in ("eager", "comp")
        if any((variant == "eager") == (c == "eager") for _, variant in shown)
    ]
    short, forms = {"millrace": "own", "tensorflow": "tf"}, {"function": "func"}
    return f"{'times in us':<32}{''.join(ratios)}" + "".join(
        f"{f'{short.get(name, name)}.{forms.get(variant, variant)}':>10}" for name, variant in shown
    )


def worst(results: list[Measured], column: str, count: int, shown: list[tuple[str, str]]) -> None:
    """Prints the rows of a column with the largest ratios to the best peer."""
    ranked = sorted((m for m in results if m.ratio(column) is not None), key=lambda m: -(m.ratio(column) or 0))
    if ranked:
        print(f"\nthe worst {min(count, len(ranked))} of {len(ranked)}, {column}")
        print(header(shown))
    for measured in ranked[:count]:
        print(line(measured, shown))


def as_json(results: list[Measured]) -> list[dict[str, Any]]:
    """Returns everything that was measured."""
    return [
        {
            "op": m.kernel.name,
            "size": m.size,
            "seconds": {".".join(key): value for key, value in m.seconds.items()},
            "failures": {".".join(key): why for key, why in m.failures.items()},
        }
        for m in results
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints; the exit code is 0 whatever the numbers are."""
    options = parse(arguments)
    kernels = chosen(options.ops)
    if options.list:
        print("\n".join(f"{kernel.name:<28}{kernel.tf}" for kernel in kernels))
        return 0
    print(machine.sentence(machine.describe()))
    given = dict(pair.split("=", 1) for pair in options.peers.split(",") if pair)
    peers = start(options.frameworks.split(","), given, pinned(options.core))
    shown = list(columns(options, [peer.name for peer in peers]))
    print(header(shown))
    results = []
    for kernel in kernels:
        for size in options.sizes.split(","):
            results.append(measure(peers, kernel, size, options))
            print(line(results[-1], shown), flush=True)
            for (name, variant), why in results[-1].failures.items():
                print(f"    {LABELS[name]} {variant}: {why}")
            if options.json:
                options.json.write_text(json.dumps(as_json(results)) + "\n", encoding="utf-8")
    for peer in peers:
        peer.close()
    for column in VARIANTS:
        worst(results, column, options.worst, shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
