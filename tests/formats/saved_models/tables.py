"""SavedModels of lookup tables, assets and other resources."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models, Saved, file_with

TABLES = Models("tables")


def _words(tf: Any, f: Any) -> Any:
    return tf.function(f, input_signature=[tf.TensorSpec([None], tf.string)])


@TABLES(
    found=lambda tf, m: m.find(tf.constant(["a", "b", "c"])),
)
def static_table(tf: Any) -> Any:
    root = tf.Module()
    values = tf.constant([10, 20], tf.int64)
    root.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], values), -1)
    root.find = _words(tf, root.table.lookup)
    return root


@TABLES(
    found=lambda tf, m: m.find(tf.constant(["one", "three", "five"])),
    asset=lambda tf, m: tf.strings.regex_replace(m.table_file.asset_path, ".*/", ""),
    text=lambda tf, m: tf.io.read_file(m.table_file.asset_path),
)
def table_of_a_file(tf: Any) -> Any:
    root = tf.Module()
    root.table_file = tf.saved_model.Asset(file_with("numbers.txt", "one\ntwo\nthree\n"))
    initializer = tf.lookup.TextFileInitializer(
        root.table_file.asset_path,
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    root.table = tf.lookup.StaticHashTable(initializer, -1)
    root.find = _words(tf, root.table.lookup)
    return root


@TABLES(
    found=lambda tf, m: m.find(tf.constant(["red", "blue", "green"])),
    back=lambda tf, m: m.back(tf.constant([1, 0, 9], tf.int64)),
)
def vocabulary_tables(tf: Any) -> Any:
    root = tf.Module()
    path = file_with("colors/vocabulary.txt", "red\nblue\n")
    initializer = tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1)
    root.table = tf.lookup.StaticVocabularyTable(initializer, num_oov_buckets=3)
    root.names = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.int64, -1, tf.string, -2), "?")
    root.find = _words(tf, root.table.lookup)
    root.back = tf.function(root.names.lookup, input_signature=[tf.TensorSpec([None], tf.int64)])
    return root


@TABLES(
    before=lambda tf, m: m.find(tf.constant(["a", "b"])),
    inserted=lambda tf, m: m.insert(tf.constant(["b", "c"]), tf.constant([7, 8], tf.int64)),
    after=lambda tf, m: m.find(tf.constant(["a", "b", "c"])),
)
def mutable_table(tf: Any) -> Any:
    root = tf.Module()
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    root.table.insert(tf.constant(["a"]), tf.constant([5], tf.int64))
    root.find = _words(tf, root.table.lookup)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)])
    def insert(keys, values):
        root.table.insert(keys, values)
        return root.table.size()

    root.insert = insert
    return root


@TABLES(
    found=lambda tf, m: m.find(tf.constant([1, 2, 3], tf.int64)),
    exported=lambda tf, m: m.size(),
)
def dense_table(tf: Any) -> Any:
    root = tf.Module()
    root.table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [0.0, 0.0], empty_key=0, deleted_key=-1)
    root.table.insert(tf.constant([1, 3], tf.int64), tf.constant([[1.0, 1.5], [3.0, 3.5]]))
    root.find = tf.function(root.table.lookup, input_signature=[tf.TensorSpec([None], tf.int64)])
    root.size = tf.function(root.table.size, input_signature=[])
    return root


@TABLES(
    first=lambda tf, m: m.read_first(),
    second=lambda tf, m: m.read_second(),
    names=lambda tf, m: sorted(path.numpy().decode().split("/")[-1] for path in m.paths()),
)
def assets_of_equal_names(tf: Any) -> Any:
    root = tf.Module()
    root.first = tf.saved_model.Asset(file_with("a/data.txt", "first"))
    root.inner = tf.Module()
    root.inner.second = tf.saved_model.Asset(file_with("b/data.txt", "second"))
    root.inner.third = tf.saved_model.Asset(file_with("c/data.txt", "second"))
    root.inner.again = tf.saved_model.Asset(file_with("a/data.txt", "first"))
    root.read_first = tf.function(lambda: tf.io.read_file(root.first.asset_path), input_signature=[])
    root.read_second = tf.function(
        lambda: tf.io.read_file(root.inner.second.asset_path) + tf.io.read_file(root.inner.third.asset_path),
        input_signature=[],
    )
    root.paths = tf.function(lambda: [root.first.asset_path, root.inner.second.asset_path], input_signature=[])
    return root


@TABLES(value=lambda tf, m: m.f(tf.constant(["b"])))
def resource_of_a_user(tf: Any) -> Any:
    class Table(tf.saved_model.experimental.TrackableResource):
        def __init__(self):
            super().__init__()
            self.keys, self.values = tf.constant(["a", "b"]), tf.constant([1.5, 2.5])
            self.resource_handle

        def _create_resource(self):
            return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.float32, shared_name="table_of_a_user")

        def _initialize(self):
            tf.raw_ops.LookupTableImportV2(table_handle=self.resource_handle, keys=self.keys, values=self.values)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def lookup(self, keys):
            return tf.raw_ops.LookupTableFindV2(table_handle=self.resource_handle, keys=keys, default_value=-1.0)

    root = tf.Module()
    root.table = Table()
    root.table._initialize()
    root.f = _words(tf, lambda x: root.table.lookup(x) * 2.0)
    return root


@TABLES(
    served=lambda tf, m: m.signatures["serving_default"](words=tf.constant(["b", "z"])),
    assets=lambda tf, m: m.find(tf.constant(["a"])),
)
def table_in_a_signature(tf: Any) -> Any:
    root = tf.Module()
    path = file_with("served.txt", "a\nb\n")
    root.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1), -1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def find(words):
        return {"ids": root.table.lookup(words)}

    root.find = find
    return Saved(root, signatures=find)


@TABLES(
    shared=lambda tf, m: [
        m.find(tf.constant(["x"])).numpy().tolist(),
        m.inner.find(tf.constant(["x"])).numpy().tolist(),
    ],
    same=lambda tf, m: m.table is m.inner.table,
)
def shared_table(tf: Any) -> Any:
    root = tf.Module()
    root.inner = tf.Module()
    initializer = tf.lookup.KeyValueTensorInitializer(["x"], ["y"])
    root.table = root.inner.table = tf.lookup.StaticHashTable(initializer, "none")
    root.find = _words(tf, root.table.lookup)
    root.inner.find = _words(tf, lambda x: root.inner.table.lookup(x) + "!")
    return root


@TABLES(
    hashed=lambda tf, m: m.f(tf.constant(["a", "unknown"])),
    of_numbers=lambda tf, m: m.g(tf.constant([5, 6], tf.int64)),
)
def static_vocabulary(tf: Any) -> Any:
    root = tf.Module()
    initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    root.table = tf.lookup.StaticVocabularyTable(initializer, num_oov_buckets=2)
    numbers = tf.lookup.KeyValueTensorInitializer(tf.constant([5], tf.int64), tf.constant([0], tf.int64))
    root.numbers = tf.lookup.StaticVocabularyTable(numbers, num_oov_buckets=1, lookup_key_dtype=tf.int64)
    root.f = _words(tf, root.table.lookup)
    root.g = tf.function(root.numbers.lookup, input_signature=[tf.TensorSpec([None], tf.int64)])
    return root
