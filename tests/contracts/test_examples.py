"""Every example runs and prints what it says: those of docstrings, of the README, the tour, and `examples/`."""

from __future__ import annotations

import doctest
import functools
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._api import lazy
from millrace._src.core.runtime_options import disable_op_determinism
from tests.end_to_end.example_programs import command_of

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(autouse=True)
def randomness_is_allowed_afterwards() -> Iterator[None]:
    """Takes back what the example of `enable_op_determinism` asks for: there is no public way."""
    yield
    disable_op_determinism()


@functools.cache
def documented_objects() -> dict[str, list[tuple[str, object]]]:
    """Namespace -> its functions, classes and their public methods, as (name, object); each object once."""
    seen: set[int] = set()
    found: dict[str, list[tuple[str, object]]] = {path: [] for path in NAMESPACES}
    for path in NAMESPACES:
        namespace = importlib.import_module(f"millrace.{path}".rstrip("."))
        for name, home in lazy.describe(path).items():
            thing = getattr(namespace, name) if ":" in home else None
            if not callable(thing) or id(thing) in seen:
                continue
            seen.add(id(thing))
            full = f"tf.{path}.{name}" if path else f"tf.{name}"
            found[path].append((full, thing))
            if inspect.isclass(thing):
                found[path] += [(f"{full}.{k}", v) for k, v in vars(thing).items() if not k.startswith("_")]
    return found


def examples_of(path: str) -> list[doctest.DocTest]:
    parser = doctest.DocTestParser()
    tests = []
    for name, thing in documented_objects()[path]:
        doc = getattr(thing, "__doc__", None)
        if isinstance(doc, str) and ">>>" in doc:
            tests.append(parser.get_doctest(inspect.cleandoc(doc), {"tf": tf, "np": np}, name, None, None))
    return tests


# TensorFlow 1 comes last: only the names that it alone has count there.
NAMESPACES = sorted(lazy.namespace_paths(), key=lambda path: (path.startswith("compat.v1"), path))


@pytest.mark.parametrize("path", NAMESPACES, ids=lambda path: path or "tf")
def test_the_examples_of_a_namespace_print_what_they_say(path: str) -> None:
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report: list[str] = []
    for test in examples_of(path):
        runner.run(test, out=report.append, clear_globs=True)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


README_PROGRAMS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("program", README_PROGRAMS, ids=["first", "keras"])
def test_a_program_in_the_readme_prints_what_it_says(program: str) -> None:
    if "import keras" in program and importlib.util.find_spec("keras") is None:
        pytest.skip("needs Keras: pip install 'millrace[keras]'")
    expected = program.rstrip().rpartition("# ")[2]
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n{program}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (result.stdout.strip(), result.stderr) == (expected, "")


COMMANDS = "command_line"
"""The page of the tour whose programs and commands take turns: `tests/command_line/test_tour.py`."""

PAGES = sorted(page for page in (ROOT / "docs" / "tour").glob("*.md") if page.stem != COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_of_the_tour_print_what_they_say(page: Path) -> None:
    parsed = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.stem, str(page), 0)
    report: list[str] = []
    failed = doctest.DocTestRunner(optionflags=FLAGS).run(parsed, out=report.append).failed
    assert failed == 0, "".join(report)


def printed_by(program: str) -> list[str]:
    """The lines that a program in `examples/` prints, run by the command in its docstring."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"))
    result = subprocess.run(command_of(program), capture_output=True, text=True, timeout=300, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_a_network_solves_a_differential_equation_as_with_tensorflow() -> None:
    *steps, error = printed_by("physics_informed")
    # printed by TensorFlow 2.21.0; later values are of the size of rounding errors' effects
    assert [line.split()[-1] for line in steps[:4]] == ["6.99e+00", "5.88e-01", "4.47e-04", "1.59e-05"]
    assert len(steps) == 7
    assert error.startswith("largest error against sin(pi x): ")
    assert float(error.split()[-1]) < 1e-5


def test_weights_are_learned_from_which_one_step_is_enough_as_with_tensorflow() -> None:
    (line,) = printed_by("meta_learning")
    # printed by TensorFlow 2.21.0
    expected = "loss on 100 unseen lines, one step after five points: 0.875 before, 0.284 after meta-learning"
    assert line == expected


def test_three_ways_to_a_hessian_vector_product_agree_eager_and_as_graphs() -> None:
    if importlib.util.find_spec("sklearn") is None:
        pytest.skip("the digits come with scikit-learn")
    *rows, _, difference, eigenvalue = printed_by("hessian_vector_products")
    found = [re.fullmatch(r"(\w+) +(eager|graph)  v'Hv = ([\d.]+) +[\d.]+ ms", row) for row in rows]
    assert len(found) == 6
    assert {match.group(3) for match in found if match} == {"0.003216"}
    assert float(difference.rpartition(" ")[2]) < 1e-7
    assert eigenvalue == "largest eigenvalue: 9.460"


RNN_LOSSES = [0.4526, 0.3134, 0.1806, 0.0835, 0.0965]
RNN_EXPLAINED = {"4": 98.0, "12": 97.5}
"""Printed by TensorFlow 2.21.0 on a CPU: mean losses of the first hundreds of steps, shares of the variance in %."""


def test_the_recurrent_net_learns_as_it_does_on_tensorflow() -> None:
    output = "\n".join(printed_by("rnn"))
    losses = [float(n) for n in re.findall(r"^ *\d+- *\d+ +(\d\.\d+)$", output, re.MULTILINE)]
    assert len(losses) == 10
    np.testing.assert_allclose(losses[:5], RNN_LOSSES, atol=2e-3)
    explained = re.findall(r"^ *(\d+) steps, .* ([\d.]+) % of the variance", output, re.MULTILINE)
    assert [steps for steps, _ in explained] == list(RNN_EXPLAINED)
    for steps, percent in explained:
        assert float(percent) == pytest.approx(RNN_EXPLAINED[steps], abs=1.0)
        assert float(percent) >= 95.0


DIGIT_FILES_LOSSES = {"PNG files": "1.004 0.146 0.107 0.060  96.7", "TFRecord file": "0.997 0.155 0.093 0.062  96.1"}
"""Printed by TensorFlow 2.21.0 on a CPU: losses of some epochs, share of the held-out digits that are right."""


def test_digits_are_learned_from_files_as_with_tensorflow() -> None:
    if importlib.util.find_spec("sklearn") is None:
        pytest.skip("the digits come with scikit-learn")
    found = [
        re.fullmatch(r"(\w+ files?) +losses (.*)  ([\d.]+) % of .* [\d.]+ s", line)
        for line in printed_by("digit_files")
    ]
    printed = {match[1]: [float(n) for n in f"{match[2]} {match[3]}".split()] for match in found if match}
    assert list(printed) == list(DIGIT_FILES_LOSSES)
    for title, expected in DIGIT_FILES_LOSSES.items():
        *losses, share = map(float, expected.split())
        np.testing.assert_allclose(printed[title][:-1], losses, atol=5e-3)
        assert printed[title][-1] == pytest.approx(share, abs=1.0)


def test_record_batches_of_arrow_are_read_without_work_for_each_row() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        pytest.skip("record batches need pyarrow")
    steps, seconds = printed_by("record_batches")
    assert steps == "977 steps, weights 2.00 -1.00"
    assert float(seconds.split()[-4]) < 20, "a row costs microseconds at most"


def test_sentences_of_any_length_are_learned_as_with_tensorflow() -> None:
    losses, *answers = printed_by("ragged_text")
    # printed by TensorFlow 2.21.0
    assert losses == "101 embeddings, losses 0.691 0.022 0.0058"
    assert [answer.split()[0] for answer in answers] == ["weather", "music", "weather", "music"]


def test_clicks_are_predicted_from_sparse_features_as_with_tensorflow() -> None:
    # printed by TensorFlow 2.21.0
    assert printed_by("sparse_features") == [
        "2000 pages, 3536 tags, 85.3 % of the pages have some",
        "loss of single categories 0.466",
        "loss with pairs           0.401",
    ]


def test_a_type_of_ones_own_is_fitted_as_with_tensorflow() -> None:
    # printed by TensorFlow 2.21.0
    assert printed_by("masked_series") == [
        "missing values taken for measurements: slope -33.39, start 54.38, loss 2207.6",
        "missing values masked:                 slope 1.98, start -0.98, loss 0.0019",
        "means of weeks: -0.92 -0.54 -0.33 0.00 0.28 0.57 0.88 1.04",
    ]
