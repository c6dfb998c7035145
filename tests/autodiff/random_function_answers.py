"""What a framework answers to random functions, as JSON: run with a Python that has it.

`python -m tests.autodiff.random_function_answers --framework tensorflow --seeds 0 100 --output FILE` writes a line for
each seed: for each mode the results and gradients, with dtypes and with null where there is none, or the class of what
was raised. `differences` compares two answers.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.autodiff.derivative_modes import Case
from tests.autodiff.random_functions import Program, make

_RTOL = 1e-7
_ROUNDED_RTOL = 2e-3


def program_of(seed: int) -> Program:
    """The program of a seed."""
    return make(random.Random(seed).randrange)


def compared_modes(case: Case) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """The modes in which frameworks are compared: a method of `Case`, and the options of a graph."""
    f = case.function
    graph, staged, options = case.converted(), case.tf.function(f), {"jit_compile": False}
    return {
        "eager": (case.taped(f), {}),
        "inside": (case.taped(graph), options),
        "through": (case.taped(staged), {}),
        "gradients": (case.by_gradients(graph), options),
        "pushed": (case.pushed(f), {}),
        "reverse over reverse": (case.reverse_over_reverse(f), {}),
        "reverse over reverse inside": (case.reverse_over_reverse(graph), options),
    }


def answers(program: Program, tf: Any) -> dict[str, Any]:
    """What a framework answers in each mode."""
    case = Case(program, tf)
    try:
        case.value()
    except Exception as error:
        return {"eager": _raised(error)}
    found = {}
    for mode, (run, options) in compared_modes(case).items():
        try:
            found[mode] = [_form(part) for part in tf.nest.flatten(case.call(run, **options))]
        except Exception as error:
            found[mode] = _raised(error)
    return found


def _raised(error: Exception) -> dict[str, str]:
    return {"raised": type(error).__name__, "message": str(error)[-600:]}


def _form(tensor: Any) -> Any:
    if tensor is None:
        return None
    array = np.asarray(tensor)
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": array.reshape(-1).tolist()}


def differences(program: Program, expected: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """Says where `found` is not as `expected`, the answers of the reference."""
    rtol = _ROUNDED_RTOL if program.uses("LOW") else _RTOL
    for mode, wanted in expected.items():
        got = found.get(mode)
        if isinstance(wanted, dict) or isinstance(got, dict) or got is None:
            if not (isinstance(wanted, dict) and isinstance(got, dict)):
                kind = "superset: " if isinstance(wanted, dict) else ""
                yield f"{kind}{mode}: {_short(got)} where the reference gives {_short(wanted)}"
            continue
        for index, (left, right) in enumerate(zip(wanted, got, strict=True)):
            difference = _difference(left, right, rtol * (30 if "over" in mode else 1))
            if difference:
                yield f"{mode} [{index}]: {difference}"


def _short(answer: Any) -> str:
    return f"{answer['raised']}: {answer['message']}" if isinstance(answer, dict) else "an answer"


def _difference(left: Any, right: Any, rtol: float) -> str:
    if left is None or right is None:
        return "" if left is right else f"None-ness: {right} where the reference gives {left}"
    if (left["dtype"], left["shape"]) != (right["dtype"], right["shape"]):
        return f"{right['dtype']} {right['shape']} where the reference gives {left['dtype']} {left['shape']}"
    a, b = np.array(left["data"]), np.array(right["data"])
    largest = max([1.0, *np.abs(a[np.isfinite(a)])])
    if np.allclose(b, a, rtol=rtol, atol=rtol * largest, equal_nan=True):
        return ""
    return f"{b} where the reference gives {a}"


def main() -> None:
    """Answers the programs of a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--framework", default="tensorflow")
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 100))
    parser.add_argument("--output")
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    tf = importlib.import_module(arguments.framework)
    tf.get_logger().setLevel("ERROR")
    with open(arguments.output, "a", encoding="utf-8") if arguments.output else sys.stdout as file:
        for seed in range(*arguments.seeds):
            print(json.dumps({"seed": seed, "answers": answers(program_of(seed), tf)}), file=file, flush=True)


if __name__ == "__main__":
    main()
