"""The comparison of answers names each difference, and holds lists of known differences to what differs."""

from __future__ import annotations

from pathlib import Path

from millrace._src.proto import saved_model_pb2
from tests.formats.saved_models.archive import files_below, pack, unpack
from tests.formats.saved_models.comparison import differing, unexplained
from tests.formats.saved_models.outline import outline

EXPECTED = {"files": ["a"], "calls": {"total": 1, "gone": 2}}
FOUND = {"files": ["a"], "calls": {"total": 3, "new": 4}}


def test_each_part_that_differs_is_named() -> None:
    assert sorted(differing(EXPECTED, FOUND)) == ["calls.gone", "calls.new", "calls.total"]
    assert differing(EXPECTED, EXPECTED) == {}


def test_part_without_a_reason_is_reported() -> None:
    reasons = {"a reason": ("m::calls.gone", "m::calls.new")}
    assert [line.split(":")[0] for line in unexplained("m", differing(EXPECTED, FOUND), reasons)] == ["calls.total"]
    assert unexplained("m", differing(EXPECTED, FOUND), {"a reason": ("m::calls.*",)}) == []


def test_reason_that_explains_nothing_is_reported() -> None:
    assert unexplained("m", {}, {"a reason": ("m::calls.total",)}) == ["m::calls.total explains nothing"]
    assert unexplained("m", {}, {"a reason": ("m*::calls.total", "other::files")}) == []


def test_archive_holds_the_files_and_empty_folders(tmp_path: Path) -> None:
    (tmp_path / "in" / "empty").mkdir(parents=True)
    (tmp_path / "in" / "deep").mkdir()
    (tmp_path / "in" / "deep" / "file").write_bytes(b"content")
    pack(tmp_path / "in", tmp_path / "a.zip")
    pack(tmp_path / "in", tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    unpack(tmp_path / "a.zip", tmp_path / "out")
    assert files_below(tmp_path / "out") == ["deep/file", "empty"]
    assert (tmp_path / "out" / "deep" / "file").read_bytes() == b"content"


def test_outline_is_free_of_the_numbers_of_functions() -> None:
    def saved(number: int) -> saved_model_pb2.SavedModel:
        message = saved_model_pb2.SavedModel()
        meta = message.meta_graphs.add()
        function = meta.graph_def.library.function.add()
        function.signature.name = f"__inference_f_{number}"
        node = meta.object_graph_def.nodes.add()
        node.function.concrete_functions.append(function.signature.name)
        meta.object_graph_def.concrete_functions[function.signature.name].bound_inputs.append(0)
        return message

    assert outline(saved(1)) == outline(saved(99))
    assert "function.__inference_f#0" in outline(saved(1))
