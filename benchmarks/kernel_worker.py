"""Runs in the interpreter of one framework and times kernels, as `benchmarks.kernels` asks it to.

A request is a line of JSON: the name of a row, a size, a variant of the call (eager, function, jit) and a clock. The
inputs of one row are kept until another row is asked for. Time is by default that of the processor, of all threads of
the
process: other work on the machine hardly moves it.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.kernel_inputs import Typed, makers
from benchmarks.kernel_rows import KERNELS, Kernel
from benchmarks.worker import MODULES

REPETITION = 0.02
"""Seconds that one repetition takes at least; a call that takes longer is a repetition by itself."""
CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}
ROWS = {kernel.name: kernel for kernel in KERNELS}


class Framework:
    """What the worker needs to know of a framework: how tensors are made, calls compiled, results waited for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.module: Any = importlib.import_module(MODULES[name])
        if name == "torch" and len(os.sched_getaffinity(0)) == 1:
            self.module.set_num_threads(1)
        self.names: dict[str, Any] = self._names()

    def call_of(self, kernel: Kernel) -> str:
        """Returns the expression of the call; empty if the framework has no such function."""
        return {"jax": kernel.jax, "torch": kernel.torch}.get(self.name, kernel.tf)

    def tensor(self, value: Any) -> Any:
        """Makes a tensor of an input; what is not an array stays."""
        if isinstance(value, Typed):
            return self._cast(self.tensor(value.array), value.dtype)
        if self.name == "jax":
            return self.module.numpy.asarray(value)
        return self.module.from_numpy(value) if self.name == "torch" else self.module.constant(value)

    def compiled(self, function: Callable[..., Any], variant: str) -> Callable[..., Any] | None:
        """Returns a function in one of the variants of its call; None if the framework has no such variant."""
        if variant == "eager":
            return function
        if self.name in ("millrace", "tensorflow"):
            wrapped: Callable[..., Any] = self.module.function(function, jit_compile=True if variant == "jit" else None)
            return wrapped
        if variant == "function":
            return None
        return self.module.jit(function) if self.name == "jax" else self.module.compile(function)  # type: ignore[no-any-return]  # a function

    def wait(self, result: Any) -> None:
        """Waits for a result that may still be computed."""
        if self.name == "jax":
            self.module.block_until_ready(result)
        elif self.name == "millrace":
            for part in self.module.nest.flatten(result, expand_composites=True):
                part.numpy()

    def _names(self) -> dict[str, Any]:
        if self.name == "jax":
            return {"jax": self.module, "jnp": self.module.numpy, "lax": self.module.lax}
        if self.name == "torch":
            return {"torch": self.module, "F": self.module.nn.functional}
        return {"tf": self.module}

    def _cast(self, tensor: Any, dtype: str) -> Any:
        if self.name == "jax":
            return tensor.astype(dtype)
        return tensor.to(getattr(self.module, dtype)) if self.name == "torch" else self.module.cast(tensor, dtype)


class Worker:
    """The rows of one framework, set up when they are asked for."""

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.row: tuple[str, str] | None = None
        self.function: Callable[..., Any] | None = None
        self.inputs: list[Any] = []
        self.calls: dict[str, tuple[Callable[[], Any], int] | None] = {}

    def measure(self, name: str, size: str, variant: str, clock: str) -> float | None:
        """Returns the seconds of one call; None if the framework has no such call. The first time, it warms up."""
        if self.row != (name, size):
            self.row, self.calls = (name, size), {}
            self.set_up(ROWS[name], ROWS[name].count(size))
        if variant not in self.calls:
            self.calls[variant] = self.warm_up(variant, CLOCKS[clock])
        ready = self.calls[variant]
        return None if ready is None else self.repetition(*ready, CLOCKS[clock])

    def set_up(self, kernel: Kernel, count: int) -> None:
        """Makes the inputs of a row and the function that calls the kernel."""
        self.function, self.inputs = None, []
        gc.collect()
        expression = self.framework.call_of(kernel)
        if not expression:
            return
        names = {**makers(), "n": count, "r": math.isqrt(count)}
        inputs = dict(part.strip().split("=", 1) for part in kernel.inputs.split(";"))
        self.inputs = [self.framework.tensor(eval(text, names)) for text in inputs.values()]
        text = f"lambda {', '.join(inputs)}: {expression}"
        self.function = eval(text, {**self.framework.names, "n": count, "r": names["r"]})

    def warm_up(self, variant: str, clock: Callable[[], float]) -> tuple[Callable[[], Any], int] | None:
        """Calls until the time is steady; returns a call and how many calls make a repetition."""
        function = self.framework.compiled(self.function, variant) if self.function else None
        if function is None:
            return None
        inputs = self.inputs

        def call() -> Any:
            return function(*inputs)

        self.framework.wait(call())
        count, seconds = 1, self.repetition(call, 1, clock)
        while count * seconds < REPETITION:
            count = max(count + 1, min(10 * count, int(1.2 * REPETITION / max(seconds, 1e-9))))
            seconds = self.repetition(call, count, clock)
        return call, count

    def repetition(self, call: Callable[[], Any], count: int, clock: Callable[[], float]) -> float:
        """Returns the mean seconds of `count` calls, without garbage collection."""
        gc.disable()
        result = None
        start = clock()
        for _ in itertools.repeat(None, count):
            result = call()
        self.framework.wait(result)
        seconds = clock() - start
        gc.enable()
        return seconds / count


def main() -> None:
    """Answers requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        worker = Worker(Framework(sys.argv[1]))
        hello: dict[str, Any] = {"version": worker.framework.module.__version__, "python": sys.version.split()[0]}
    except Exception as error:
        hello = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(hello), file=answers, flush=True)
    for line in sys.stdin:
        answer: dict[str, Any]
        try:
            answer = {"seconds": worker.measure(*json.loads(line))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
