"""The Keras programs of `examples/` learn as they do on real TensorFlow: a few epochs here, all of them with `slow`."""

from __future__ import annotations

import os
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.example_programs import code_of, command_of

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="needs Keras: pip install 'millrace[keras]'")

ROOT = Path(__file__).resolve().parents[2]
NEED_SKLEARN = ("keras_digits", "keras_vae")

LOSSES = {
    "keras_digits": [1.6837, 0.8836],
    "keras_text": [0.6829, 0.2591, 0.7262, 0.5087],
    "keras_vae": [38.6858, 30.6647],
    "keras_time_series": [6.0123, 3.1872],
}
"""Printed by TensorFlow 2.21.0 on a CPU: the losses of two epochs of each net. Rounding grows from step to step."""
GAN_LOSSES = [(0.7085, 0.6640), (0.7060, 0.6515)]
FIGURES = {
    "keras_digits": (r"([\d.]+) % of 397", 92.0),
    "keras_text": (r": ([\d.]+) % of 1000", 98.0),
    "keras_vae": (r"([\d.]+) nats for a new digit", -25.0),
    "keras_gan": (r"([\d.]+) from the ring", -0.08),
    "keras_time_series": (r"off by ([\d.]+) MW", -3.6),
}
"""What a program says at its end when all its epochs are run: at least so much; where negative, at most so much."""


def printed_by(program: str, *arguments: str) -> str:
    """What a program prints on Millrace."""
    if program in NEED_SKLEARN and find_spec("sklearn") is None:
        pytest.skip("the digits come with scikit-learn")
    environment = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    environment["PYTHONPATH"] = str(ROOT / "src")
    result = subprocess.run(
        [*command_of(program), *arguments], capture_output=True, text=True, timeout=600, env=environment
    )
    assert result.returncode == 0, result.stderr
    assert not re.search(r"Warning|WARNING", result.stderr), result.stderr
    return result.stdout


@pytest.mark.xla
@pytest.mark.parametrize("program", LOSSES)
def test_a_program_begins_to_learn_as_on_tensorflow(program: str) -> None:
    losses = [float(number) for number in re.findall(r" - loss: ([\d.e-]+)", printed_by(program, "2"))]
    np.testing.assert_allclose(losses[::2], LOSSES[program][::2], rtol=1e-3)
    np.testing.assert_allclose(losses, LOSSES[program], rtol=0.04)


@pytest.mark.xla
def test_the_rivals_begin_as_on_tensorflow() -> None:
    lines = re.findall(r"made_well: ([\d.]+) - told_apart: ([\d.]+)", printed_by("keras_gan", "2"))
    np.testing.assert_allclose(np.array(lines, "float64"), GAN_LOSSES, rtol=0.01)


@pytest.mark.xla
@pytest.mark.slow
@pytest.mark.parametrize("program", FIGURES)
def test_a_program_reaches_its_figure(program: str) -> None:
    pattern, bound = FIGURES[program]
    found = [float(number) for number in re.findall(pattern, printed_by(program))]
    assert found
    assert all(figure >= bound if bound > 0 else figure <= -bound for figure in found)


@pytest.mark.parametrize("program", FIGURES)
def test_the_programs_know_nothing_of_millrace(program: str) -> None:
    assert "millrace" not in code_of(program)
