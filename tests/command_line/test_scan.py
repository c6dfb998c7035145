"""`scan` says which SavedModels have ops that a server should not run."""

from __future__ import annotations

import pytest

from millrace._src.command_line.saved_model_cli import main, scan
from tests.command_line.corpus import ARCHIVES, unpacked

DEFAULT = "does not contain the default denylisted ops: {'PrintV2', 'ReadFile', 'WriteFile'}"


def _printed(capsys: pytest.CaptureFixture[str], name: str, *arguments: str) -> list[str]:
    with unpacked(ARCHIVES / f"{name}.zip") as folder:
        assert main(["scan", "--dir", folder, *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_each_metagraph_is_scanned(capsys: pytest.CaptureFixture[str]) -> None:
    tags = ["['serve', 'gpu']", "['train']", "['b', 'c', 'a']"]
    assert _printed(capsys, "tag_sets") == [f"MetaGraph with tag set {tag} {DEFAULT}" for tag in tags]


def test_ops_that_are_named_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    line = "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'Const', 'MatMul'}"
    assert _printed(capsys, "runs", "--op_denylist", "MatMul, Const,NoSuchOp") == [line]


def test_a_metagraph_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    printed = _printed(capsys, "tag_sets", "--tag_set", "train", "--op_denylist", "NoSuchOp")
    assert printed == ["MetaGraph with tag set ['train'] does not contain the default denylisted ops: {'NoSuchOp'}"]


def test_a_metagraph_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with unpacked(ARCHIVES / "runs.zip") as folder:
        assert scan([folder, "--tag_set", "train"]) == 2
    assert "MetaGraphDef associated with tag-set train could not be found" in capsys.readouterr().err
