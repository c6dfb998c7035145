"""Files with one message: both forms, whole, in folders that do not exist yet."""

from __future__ import annotations

from pathlib import Path

from google.protobuf import text_format

from millrace._src.ops.io.message_files import write_message
from millrace._src.proto.graph_pb2 import GraphDef


def graph(*names: str) -> GraphDef:
    message = GraphDef()
    attr = message.node.add(op="Const").attr
    for name in names:
        attr[name].s = name.encode()
    return message


def test_a_message_is_written_in_both_forms_into_a_new_folder(tmp_path: Path) -> None:
    message = graph("a", "b")
    binary, text = tmp_path / "new" / "graph.pb", tmp_path / "new" / "graph.pbtxt"
    assert write_message(binary, message) == binary.stat().st_size
    assert write_message(str(text), message, as_text=True) == text.stat().st_size
    assert GraphDef.FromString(binary.read_bytes()) == message
    assert text_format.Parse(text.read_text(), GraphDef()) == message
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["graph.pb", "graph.pbtxt"]


def test_equal_messages_make_equal_files(tmp_path: Path) -> None:
    names = [f"attribute_{number}" for number in range(20)]
    for as_text in (False, True):
        write_message(tmp_path / "one", graph(*names), as_text)
        write_message(tmp_path / "other", graph(*reversed(names)), as_text)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
