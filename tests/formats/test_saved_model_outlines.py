"""SavedModels written here are those of TensorFlow, part by part: signatures, object graph, functions, and bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_model_pb2
from tests.formats.pending_files import parameters
from tests.formats.saved_model_differences import BYTES, OUTLINES
from tests.formats.saved_models.archive import unpack
from tests.formats.saved_models.comparison import unexplained
from tests.formats.saved_models.corpus import MODELS
from tests.formats.saved_models.outline import outline

RECORDED = Path(__file__).parent / "recorded" / "saved_models"
WRITTEN_HERE = [name for name, model in MODELS.items() if "session" not in model.needs]


def _outline(folder: Path) -> dict[str, str]:
    return outline(saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes()))


def _variables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "variables").glob("*"))}


@pytest.mark.parametrize("name", parameters("outline", WRITTEN_HERE))
def test_own_model_is_written_as_by_tensorflow(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "keras" in MODELS[name].needs:
        monkeypatch.setattr(os, "environ", os.environ.copy())  # importing Keras writes into it
        pytest.importorskip("keras")
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    unpack(RECORDED / f"{name}.zip", theirs)
    MODELS[name].write(tf, str(ours))
    assert not unexplained(name, _differing(_outline(theirs), _outline(ours)), OUTLINES)
    assert not unexplained(name, _differing(_variables(theirs), _variables(ours)), BYTES)


def _differing(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, str]:
    return {part: "differs" for part in {**theirs, **ours} if theirs.get(part) != ours.get(part)}
