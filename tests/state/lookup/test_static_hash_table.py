"""Tables that an initializer fills: in eager mode, in functions, in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.testing.graph_sessions import session_of_graph

Initializer = tf.lookup.KeyValueTensorInitializer


def _table(**other: Any) -> Any:
    return tf.lookup.StaticHashTable(Initializer(["a", "b"], [1, 2]), -1, **other)


def test_keys_are_looked_up() -> None:
    table = _table()
    assert table.lookup(tf.constant([["a", "z"]])).numpy().tolist() == [[1, -1]]
    assert table["b"].numpy() == 2 and table[np.array([b"a"], object)].numpy().tolist() == [1]
    assert table.size().numpy() == 2
    assert [part.numpy().tolist() for part in table.export()] == [[b"a", b"b"], [1, 2]]


def test_a_table_says_what_it_is() -> None:
    table = _table(name="words")
    assert (table.name, table.key_dtype, table.value_dtype) == (None, tf.string, tf.int32)
    assert table.default_value.numpy() == -1
    assert list(table._trackable_children()) == ["_initializer"]


def test_keys_of_another_dtype_are_refused() -> None:
    message = "Dtype of argument `keys` must be <dtype: 'string'>, received: <dtype: 'int32'>"
    with pytest.raises(TypeError, match=message):
        _table().lookup(tf.constant([1]))


def test_the_default_value_is_a_scalar_of_the_dtype() -> None:
    initializer = Initializer(["a"], [1])
    with pytest.raises(ValueError, match=r"Shapes \(1,\) and \(\) are not compatible"):
        tf.lookup.StaticHashTable(initializer, [-1])
    with pytest.raises(TypeError, match="Cannot convert 'x' to EagerTensor of dtype int32"):
        tf.lookup.StaticHashTable(initializer, "x")


@pytest.mark.parametrize("keys", [[1.0], [True]])
def test_keys_are_integers_or_texts(keys: Any) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
        tf.lookup.StaticHashTable(Initializer(keys, [1]), -1)


def test_a_table_of_a_function_is_filled_by_each_call() -> None:
    @tf.function
    def look(keys: Any) -> Any:
        return _table().lookup(keys)

    for _ in range(2):
        assert look(tf.constant(["b"])).numpy().tolist() == [2]


def test_a_table_is_filled_with_arguments_of_a_function() -> None:
    @tf.function
    def look(keys: Any) -> Any:
        return tf.lookup.StaticHashTable(Initializer(keys, [1, 2]), -1).lookup(keys)

    assert look(tf.constant(["a", "b"])).numpy().tolist() == [1, 2]


def test_a_table_around_a_function_is_the_same_one() -> None:
    table = _table()
    look = tf.function(lambda keys: table[keys])
    assert look(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]


def test_a_table_of_a_graph_waits_for_its_initializer() -> None:
    with tf.Graph().as_default() as graph:
        table = tf.compat.v1.lookup.StaticHashTable(Initializer(["a"], [1]), -1)
        found = table.lookup(tf.constant(["a"]))
        table.size(), table.export()
        initializer = tf.compat.v1.tables_initializer()
    names = [operation.name for operation in graph.get_operations()]
    assert names == [
        "keys",
        "values",
        "Const",
        "hash_table",
        "key_value_init/LookupTableImportV2",
        "Const_1",
        "hash_table_Lookup/LookupTableFindV2",
        "hash_table_Size/LookupTableSizeV2",
        "hash_table_Export/LookupTableExportV2",
        "init_all_tables",
    ]
    assert table.name == "hash_table"
    assert initializer.control_inputs == [table.initializer]
    assert graph.get_operation_by_name("hash_table").get_attr("shared_name").startswith(b"hash_table_")
    session = session_of_graph(graph)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        session.run(found)
    session.run(initializer)
    assert session.run(found).tolist() == [1]


def test_there_is_nothing_to_initialize_in_eager_mode() -> None:
    table = tf.compat.v1.lookup.StaticHashTable(Initializer(["a"], [1]), -1)
    assert table.initializer is None and tf.compat.v1.tables_initializer() is None
    assert table["a"].numpy() == 1


def test_an_anonymous_table_has_no_name_in_a_graph() -> None:
    assert _table(experimental_is_anonymous=True)["a"].numpy() == 1
    with tf.Graph().as_default():
        table = _table(experimental_is_anonymous=True)
    assert table.resource_handle.op.type == "AnonymousHashTable"


def test_a_critical_section_guards_a_table() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    section = tf.CriticalSection()

    @tf.function
    def count(key: Any) -> Any:
        def body() -> Any:
            with tf.control_dependencies([table.insert(key, table.lookup(key) + 1)]):
                return tf.constant(0)

        return section.execute(body)

    for _ in range(3):
        count(tf.constant("a"))
    assert table["a"].numpy() == 3
