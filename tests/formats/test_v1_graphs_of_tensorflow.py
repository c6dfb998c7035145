"""Graphs and checkpoints that programs of TensorFlow 1 wrote: reference variables, `Switch`es, tensor arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.formats.saved_models.archive import unpack
from tests.formats.v1_graphs import build, looked_at, train

v1 = tf.compat.v1
_RECORDED = Path(__file__).parent / "recorded" / "v1_graphs"


@pytest.fixture(scope="module")
def answers() -> Any:
    return json.loads((_RECORDED / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    unpack(_RECORDED / "trained.zip", tmp_path)
    return str(tmp_path / "model")


def _check(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_an_imported_graph_trains_and_computes_as_in_tensorflow(prefix: str, answers: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(f"{prefix}.meta")
        session.run("init")
        _check(train(session), answers["losses"])
        saver.restore(session, prefix)
        _check(looked_at(session), answers["looked_at"])
        names = sorted(variable.name for variable in v1.trainable_variables())
        assert names == ["layer/b:0", "layer/w:0", "rows:0"]
        (step,) = v1.get_collection(v1.GraphKeys.GLOBAL_STEP)
        assert session.run(step) == 6


def test_the_same_program_computes_as_in_tensorflow(tmp_path: Path, answers: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        saver = build(v1)
        session.run("init")
        _check(train(session), answers["losses"])
        path = saver.save(session, str(tmp_path / "own"))
        _check(looked_at(session), answers["looked_at"])
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(f"{path}.meta").restore(session, path)
        _check(looked_at(session), answers["looked_at"])


def test_an_imported_graph_stands_under_a_scope(prefix: str, answers: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(f"{prefix}.meta", import_scope="old").restore(session, prefix)
        value = session.run("old/total:0")
        np.testing.assert_allclose(value, answers["looked_at"][2], rtol=1e-4)
        assert session.run("old/layer/w:0").shape == (3,)


def test_an_imported_graph_is_frozen(prefix: str, answers: Any) -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(f"{prefix}.meta").restore(session, prefix)
        frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["total", "chosen"])
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(frozen, name="")
        np.testing.assert_allclose(session.run("total:0"), answers["looked_at"][2], rtol=1e-4)
