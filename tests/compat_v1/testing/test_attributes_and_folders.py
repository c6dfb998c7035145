"""What `tf.compat.v1.test` has besides `tf.test`."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

import millrace as tf

test = tf.compat.v1.test


class Base:
    kind = "base"


class Thing(Base):
    pass


def test_stubs_are_put_back_in_the_order_they_came() -> None:
    module = types.SimpleNamespace(value=1)
    with test.StubOutForTesting() as stubs:
        stubs.Set(module, "value", 2)
        stubs.Set(module, "value", 3)
        assert module.value == 3
    assert module.value == 1


def test_a_smart_stub_stands_where_the_attribute_was_found() -> None:
    stubs = test.StubOutForTesting()
    stubs.SmartSet(Thing, "kind", "stub")
    assert Base.kind == "stub" and "kind" not in vars(Thing)
    stubs.SmartUnsetAll()
    assert Base.kind == "base"
    with pytest.raises(AttributeError, match="Attribute not found"):
        stubs.SmartSet(Thing, "missing", 1)


def test_the_folder_is_one_for_the_process(tmp_path: Path) -> None:
    folder = Path(test.get_temp_dir())
    assert folder.is_dir() and str(folder) == test.get_temp_dir()


def test_sources_are_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SRCDIR", "/sources")
    monkeypatch.setenv("TEST_WORKSPACE", "work")
    assert test.test_src_dir_path("core/x") == "/sources/work/tensorflow/core/x"


def test_graphs_are_compared_without_being_changed() -> None:
    first, second = tf.compat.v1.GraphDef(), tf.compat.v1.GraphDef()
    for graph_def, name in ((first, b"hash_table_1"), (second, b"hash_table_2")):
        graph_def.node.add(name="a", op="HashTableV2").attr["shared_name"].s = name
    test.assert_equal_graph_def(first, second, hash_table_shared_name=True)
    assert first.node[0].attr["shared_name"].s == b"hash_table_1"
    with pytest.raises(AssertionError, match="does not match expected"):
        test.assert_equal_graph_def(first, second)
