"""Runs the Keras cells of the seed documents, each document in a process of its own, as a program that says tensorflow.

Keras decides in the first import what `tensorflow` is, so the cells cannot share a process with other tests. What the
cells print was recorded from TensorFlow 2.21 with Keras 3.15.
"""

from __future__ import annotations

import re

import pytest

from tests.interop.process import output_of
from tests.seeds.documents import FOLDER, cells, document, runnable

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the seed documents are not here")

_FIRST_LINES = "import timeit\nfrom datetime import datetime\nimport tensorflow as tf\n"


def _printed(number: str, *replacements: tuple[str, str]) -> str:
    """Returns what the Keras cells of a document print."""
    found = [cell.code for cell, reason in runnable(cells(document(number))) if reason == "keras"]
    code = _FIRST_LINES + "\n".join(found)
    for before, after in replacements:
        assert before in code
        code = code.replace(before, after)
    return re.sub(r"\x1b\[[0-9;]*m", "", output_of(code))


def test_models_run_eagerly_and_as_graphs() -> None:
    text = _printed("000", ("number=10000", "number=5"))
    assert re.search(r"Eager time: [0-9.e-]+\nGraph time: [0-9.e-]+\n", text)
    trained, eager = text.split("Running eagerly\n")
    assert [line for line in trained.split("\n") if line.startswith("Epoch")] == ["Epoch 1/3", "Epoch 2/3", "Epoch 3/3"]
    assert trained.count("Currently running eagerly") == 3  # in Python three times, while the step is traced
    assert eager.count("Currently running eagerly") == 2  # once a batch
    losses = [float(loss) for loss in re.findall(r"2/2 .*?loss: ([0-9.e-]+)", text)]
    assert len(losses) >= 4 and losses[-1] < losses[0]


def test_models_are_modules_no_more_and_tell_their_layers() -> None:
    text = _printed(
        "001",
        ("model.trainable_variable\n", "assert len(model.trainable_variables) == 4\n"),  # the document's slip
        ("model.submodules\n", "assert not hasattr(model, 'submodules')\n"),  # Keras 3's models are not tf.Modules
        ("model.name_scope()", "assert not hasattr(model, 'name_scope')\nprint(model.name, len(model.layers))"),
    )
    assert text.startswith("False\nFalse\nTrue\n")
    for row in (
        "dense (Dense)                   │ (None, 4)              │            44 │",
        " Total params: 57 (228.00 B)",
    ):
        assert row in text
    assert text.endswith("sequential 3")
