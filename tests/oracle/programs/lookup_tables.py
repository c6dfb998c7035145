"""Lookup tables: static, vocabulary, mutable and dense; their dtypes, files, functions, datasets, and what they refuse."""

from __future__ import annotations

import pathlib
import tempfile

from tests.oracle.programs._composite_helpers import numbers, outcome, plain, sparse, staged, words

_LINES = ["emerson 10", "lake 20", "palmer 30"]


def _pairs(tf, keys=("a", "b", "c"), values=(1, 2, 3), key_dtype=None, value_dtype=None):
    return tf.lookup.KeyValueTensorInitializer(list(keys), list(values), key_dtype, value_dtype)


def _table(tf, default=-1, **options):
    return tf.lookup.StaticHashTable(_pairs(tf, **options), default)


def _int64(tf, *values):
    return tf.constant(values, tf.int64)


def _vocabulary(tf, buckets=2, **options):
    keys = tf.constant(["a", "b", "c"])
    return tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(keys, _int64(tf, 0, 1, 2)), buckets, **options)


def _mutable(tf, default=-1, keys="string", values="int64", **options):
    return tf.lookup.experimental.MutableHashTable(tf.as_dtype(keys), tf.as_dtype(values), default, **options)


def _dense(tf, default=-1, **options):
    return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, default, empty_key=0, deleted_key=-1, **options)


def _sorted(pair):
    """The keys and values of a table, in the order of the keys."""
    keys, values = (part.numpy().tolist() for part in pair)
    order = sorted(range(len(keys)), key=lambda i: keys[i])
    return [[keys[i] for i in order], [values[i] for i in order]]


def _with_file(call, lines=_LINES, ending="\n"):
    """Calls with the path of a file that holds the lines."""

    def program(tf):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "vocabulary.txt"
            path.write_text("".join(line + ending for line in lines))
            found = outcome(lambda: call(tf, str(path)), 40)
            return [found[0], " ".join(found[1].replace(folder, "FOLDER").split()[:9])] if isinstance(found, list) and len(found) == 2 and str(found[0]).endswith("Error") else found

    return program


def _from_text(tf, path, key_index=None, value_index=None, delimiter=" ", key="string", value="int64", default=-1):
    index = tf.lookup.TextFileIndex
    key_index = index.WHOLE_LINE if key_index is None else key_index
    value_index = index.LINE_NUMBER if value_index is None else value_index
    made = tf.lookup.TextFileInitializer(path, tf.as_dtype(key), key_index, tf.as_dtype(value), value_index, delimiter=delimiter)
    return tf.lookup.StaticHashTable(made, default)


globals().update(
    plain(
        limit=9,
        static_lookup=lambda tf: (lambda t: [t.lookup(tf.constant(["b", "z"])), t.lookup(tf.constant("a")), t.lookup(tf.constant([["c"], ["q"]])), t.size()])(_table(tf)),
        static_properties=lambda tf: (lambda t: [t.key_dtype, t.value_dtype, t.default_value, type(t).__name__])(_table(tf)),
        static_repr=lambda tf: repr(_table(tf)).split(" at ")[0].split(".")[-1],
        static_getitem=lambda tf: (lambda t: [t[tf.constant("b")], t[tf.constant(["a"])]])(_table(tf)),
        static_of_list=lambda tf: _table(tf).lookup(["a", "z"]),
        static_export=lambda tf: _sorted(_table(tf).export()),
        static_of_dtypes=lambda tf: [outcome(lambda: tf.lookup.StaticHashTable(_pairs(tf, k, v, kd, vd), d).lookup(tf.constant(k, kd)), 5) for k, v, kd, vd, d in (([1, 2], ["x", "y"], tf.int64, tf.string, ""), ([1, 2], [1.5, 2.5], tf.int32, tf.float32, -1), (["a", "b"], [1, 2], tf.string, tf.int32, 0), ([1, 2], [3, 4], tf.int64, tf.int64, 0), (["a", "b"], ["c", "d"], tf.string, tf.string, ""), ([1, 2], [1.5, 2.5], tf.int64, tf.float64, 0))],
        static_of_ragged=lambda tf: _table(tf, keys=("what makes", "a", "c")).lookup(words(tf)),
        static_of_sparse=lambda tf: _table(tf).lookup(tf.sparse.SparseTensor([[0, 1], [1, 0]], ["a", "z"], [2, 2])),
        static_of_wrong_key=lambda tf: _table(tf).lookup(tf.constant([1])),
        static_of_wrong_default=lambda tf: _table(tf, default="x"),
        static_of_vector_default=lambda tf: _table(tf, default=[1, 2]).lookup(tf.constant(["a"])),
        static_of_unlike_pairs=lambda tf: _table(tf, values=(1, 2)),
        static_of_repeated_keys=lambda tf: _table(tf, keys=("a", "a", "b")),
        static_of_repeated_equal_pairs=lambda tf: _table(tf, keys=("a", "a", "b"), values=(1, 1, 2)).size(),
        static_of_no_pairs=lambda tf: (lambda t: [t.size(), t.lookup(tf.constant(["a"]))])(_table(tf, keys=(), values=(), key_dtype=tf.string, value_dtype=tf.int64)),
        static_of_matrices=lambda tf: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([["a"], ["b"]], [[1], [2]]), 0).lookup(tf.constant("b")),
        static_insert=lambda tf: _table(tf).insert(["a"], [1]),
        static_initializer=lambda tf: (lambda i: [i.key_dtype, i.value_dtype, type(i).__name__])(_pairs(tf)),
        static_of_bad_initializer=lambda tf: tf.lookup.StaticHashTable(5, 1),
        static_experimental_anonymous=lambda tf: tf.lookup.StaticHashTable(_pairs(tf), -1, experimental_is_anonymous=True).lookup(tf.constant(["b"])),
        static_resource_handle=lambda tf: (lambda t: [t.resource_handle.dtype, t.resource_handle.shape])(_table(tf)),
        static_shared_initializer=lambda tf: (lambda i: [tf.lookup.StaticHashTable(i, -1).lookup(tf.constant("a")), tf.lookup.StaticHashTable(i, -9).lookup(tf.constant("z"))])(_pairs(tf)),
        static_of_many=lambda tf, np: tf.reduce_sum(_table(tf, keys=[str(i) for i in range(1000)], values=range(1000)).lookup(tf.strings.as_string(tf.range(0, 2000, 3)))),
        static_of_array=lambda tf, np: _table(tf).lookup(np.array(["a", "z"])),
        v1_static=lambda tf: (lambda t: t.lookup(tf.constant(["a", "z"])))(tf.compat.v1.lookup.StaticHashTable(_pairs(tf), -1)),
        v1_initialized=lambda tf: _session(tf, lambda: (lambda t: [tf.compat.v1.tables_initializer(), t.lookup(tf.constant(["a", "z"])), t.size()])(tf.compat.v1.lookup.StaticHashTable(_pairs(tf), -1))),
        v1_uninitialized=lambda tf: _session(tf, lambda: [tf.compat.v1.lookup.StaticHashTable(_pairs(tf), -1).lookup(tf.constant(["a"]))]),
        vocabulary_lookup=lambda tf: (lambda t: [t.lookup(tf.constant(["b", "c", "x", "yy", "a"])), t.size()])(_vocabulary(tf)),
        vocabulary_of_one_bucket=lambda tf: _vocabulary(tf, 1).lookup(tf.constant(["b", "x", "y"])),
        vocabulary_properties=lambda tf: (lambda t: [t.key_dtype, t.value_dtype, type(t).__name__])(_vocabulary(tf)),
        vocabulary_of_integers=lambda tf: (lambda t: t.lookup(_int64(tf, 7, 8, 9, 10)))(tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(_int64(tf, 7, 8), _int64(tf, 0, 1)), 3)),
        vocabulary_of_lookup_dtype=lambda tf: tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(tf.constant(["7", "8"]), _int64(tf, 0, 1)), 3, lookup_key_dtype=tf.string).lookup(tf.constant(["7", "9"])),
        vocabulary_of_no_initializer=lambda tf: tf.lookup.StaticVocabularyTable(None, 5, lookup_key_dtype=tf.string).lookup(tf.constant(["a", "b"])),
        vocabulary_of_zero_buckets=lambda tf: _vocabulary(tf, 0),
        vocabulary_of_int32_values=lambda tf: tf.lookup.StaticVocabularyTable(_pairs(tf, ["a"], [0], tf.string, tf.int32), 1),
        vocabulary_of_float_keys=lambda tf: tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer([1.5], _int64(tf, 0)), 1),
        vocabulary_of_wrong_keys=lambda tf: _vocabulary(tf).lookup(tf.constant([1])),
        vocabulary_of_ragged=lambda tf: _vocabulary(tf).lookup(tf.ragged.constant([["a", "x"], [], ["c"]])),
        vocabulary_of_sparse=lambda tf: _vocabulary(tf).lookup(tf.sparse.SparseTensor([[0, 1], [1, 0]], ["a", "z"], [2, 2])),
        vocabulary_getitem=lambda tf: _vocabulary(tf)[tf.constant(["b"])],
        mutable_insert=lambda tf: _inserted(tf, _mutable(tf)),
        mutable_remove=lambda tf: _removed(tf, _mutable(tf)),
        mutable_accumulate=lambda tf: outcome(lambda: (lambda t: [t.insert(tf.constant(["a"]), _int64(tf, 1)), t.accumulate(tf.constant(["a"]), _int64(tf, 5), tf.constant([True]))])(_mutable(tf)), 6),
        mutable_vectors=lambda tf: (lambda t: [t.insert(tf.constant(["a"]), tf.constant([[1, 2]], tf.int64)) and None, t.lookup(tf.constant(["a", "z"])), t.size(), *t.export()])(_mutable(tf, [0, -1])),
        mutable_dynamic_default=lambda tf: (lambda t: t.lookup(tf.constant(["a", "b"]), dynamic_default_values=_int64(tf, 7, 8)))(_mutable(tf)),
        mutable_of_dtypes=lambda tf: [outcome(lambda: (lambda t: (t.insert(tf.constant([1, 2] if k != "string" else ["1", "2"], k), tf.constant([3, 4] if v != "string" else ["3", "4"], v)), t.lookup(tf.constant([2, 5] if k != "string" else ["2", "5"], k)))[1])(_mutable(tf, "" if v == "string" else 0, k, v)), 4) for k, v in (("int64", "int64"), ("int64", "float32"), ("string", "string"), ("string", "float64"), ("int64", "string"), ("int32", "int32"), ("int64", "bool"), ("int32", "float32"), ("string", "bool"))],
        mutable_wrong_keys=lambda tf: _mutable(tf).insert(tf.constant([1]), _int64(tf, 1)),
        mutable_wrong_values=lambda tf: _mutable(tf).insert(tf.constant(["a"]), tf.constant(["b"])),
        mutable_unlike_pairs=lambda tf: _mutable(tf).insert(tf.constant(["a", "b"]), _int64(tf, 1)),
        mutable_remove_wrong_keys=lambda tf: _mutable(tf).remove(tf.constant([1])),
        mutable_export_empty=lambda tf: list(_mutable(tf).export()),
        mutable_setitem=lambda tf: (lambda t: [t.__setitem__(tf.constant(["a"]), _int64(tf, 4)), t[tf.constant(["a", "b"])]])(_mutable(tf)),
        mutable_properties=lambda tf: (lambda t: [t.key_dtype, t.value_dtype, type(t).__name__])(_mutable(tf)),
        mutable_of_ragged=lambda tf: (lambda t: (t.insert(tf.constant(["a"]), _int64(tf, 1)), t.lookup(tf.ragged.constant([["a", "b"], []])))[1])(_mutable(tf)),
        mutable_repeated_keys=lambda tf: (lambda t: (t.insert(tf.constant(["a", "a"]), _int64(tf, 1, 2)), _sorted(t.export()))[1])(_mutable(tf)),
        mutable_anonymous=lambda tf: _inserted(tf, _mutable(tf, experimental_is_anonymous=True)),
        dense_insert=lambda tf: (lambda t: [t.insert(_int64(tf, 1, 2), _int64(tf, 10, 20)) and None, t.lookup(_int64(tf, 2, 5)), t.size()])(_dense(tf)),
        dense_remove=lambda tf: (lambda t: [t.insert(_int64(tf, 1, 2), _int64(tf, 10, 20)) and None, t.remove(_int64(tf, 1, 9)) and None, t.lookup(_int64(tf, 1, 2)), t.size()])(_dense(tf)),
        dense_erase=lambda tf: (lambda t: [t.insert(_int64(tf, 1, 2), _int64(tf, 10, 20)) and None, t.erase(_int64(tf, 2)) and None, t.size()])(_dense(tf)),
        dense_export=lambda tf: (lambda t: (t.insert(_int64(tf, 1, 2), _int64(tf, 10, 20)), [part.shape[1:] for part in t.export()], sorted(t.export()[0].numpy().tolist())[-2:]))(_dense(tf))[1:],
        dense_grows=lambda tf: (lambda t: [t.insert(tf.range(1, 200, dtype=tf.int64), tf.range(1, 200, dtype=tf.int64)) and None, t.size(), t.lookup(_int64(tf, 150))])(_dense(tf, initial_num_buckets=4)),
        dense_of_empty_key=lambda tf: _dense(tf).insert(_int64(tf, 0), _int64(tf, 1)),
        dense_of_deleted_key=lambda tf: _dense(tf).insert(_int64(tf, -1), _int64(tf, 1)),
        dense_lookup_of_empty_key=lambda tf: _dense(tf).lookup(_int64(tf, 0)),
        dense_remove_of_empty_key=lambda tf: _dense(tf).remove(_int64(tf, 0)),
        dense_of_same_keys=lambda tf: tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, 0),
        dense_of_odd_buckets=lambda tf: _dense(tf, initial_num_buckets=3),
        dense_of_vector_keys=lambda tf: (lambda t: [t.insert(tf.constant([[1, 2]], tf.int64), _int64(tf, 5)) and None, t.lookup(tf.constant([[1, 2], [3, 4]], tf.int64))])(tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, [0, 0], [-1, -1])),
        dense_of_vector_values=lambda tf: (lambda t: [t.insert(_int64(tf, 1), tf.constant([[1, 2]], tf.int64)) and None, t.lookup(_int64(tf, 1, 7))])(tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, [0, 0], 0, -1)),
        dense_unlike_pairs=lambda tf: _dense(tf).insert(_int64(tf, 1, 2), _int64(tf, 1)),
        file_lines=_with_file(lambda tf, path: _from_text(tf, path).lookup(tf.constant(["lake 20", "z"]))),
        file_columns=_with_file(lambda tf, path: _from_text(tf, path, 0, 1).lookup(tf.constant(["lake", "palmer", "z"]))),
        file_of_turned_columns=_with_file(lambda tf, path: _from_text(tf, path, 1, 0, key="int64", value="string", default="?").lookup(_int64(tf, 10, 99))),
        file_line_numbers_as_keys=_with_file(lambda tf, path: _from_text(tf, path, tf.lookup.TextFileIndex.LINE_NUMBER, tf.lookup.TextFileIndex.WHOLE_LINE, key="int64", value="string", default="?").lookup(_int64(tf, 0, 2, 9))),
        file_size=_with_file(lambda tf, path: _from_text(tf, path).size()),
        file_floats=_with_file(lambda tf, path: _from_text(tf, path, 0, 1, value="float32", default=0.0).lookup(tf.constant(["lake"]))),
        file_of_tabs=_with_file(lambda tf, path: _from_text(tf, path, 0, 1, delimiter="\t").lookup(tf.constant(["x"])), ["x\t7", "y\t8"]),
        file_without_last_newline=_with_file(lambda tf, path: _from_text(tf, path).lookup(tf.constant(["b"])), ["a\nb"], ""),
        file_of_windows_lines=_with_file(lambda tf, path: _from_text(tf, path).lookup(tf.constant(["a", "b"])), ["a", "b"], "\r\n"),
        file_of_empty_lines=_with_file(lambda tf, path: _from_text(tf, path).size(), ["a", "", "b"]),
        file_of_repeats=_with_file(lambda tf, path: _from_text(tf, path), ["a", "a"]),
        file_of_nothing=_with_file(lambda tf, path: _from_text(tf, path).size(), []),
        file_of_missing_column=_with_file(lambda tf, path: _from_text(tf, path, 0, 5)),
        file_of_bad_number=_with_file(lambda tf, path: _from_text(tf, path, 1, 0)),
        file_that_is_missing=_with_file(lambda tf, path: _from_text(tf, path + ".not")),
        file_of_bad_number_value=_with_file(lambda tf, path: _from_text(tf, path, 1, 0, key="string", value="int64")),
        file_of_bad_indices=_with_file(lambda tf, path: _from_text(tf, path, -5, 0)),
        file_whole_line_as_number=_with_file(lambda tf, path: _from_text(tf, path, tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER, key="int64")),
        file_line_number_as_text=_with_file(lambda tf, path: _from_text(tf, path, tf.lookup.TextFileIndex.LINE_NUMBER, tf.lookup.TextFileIndex.WHOLE_LINE, key="string", value="string", default="")),
        file_of_vocabulary_size=_with_file(lambda tf, path: tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, vocab_size=2), -1).size()),
        file_of_too_large_vocabulary_size=_with_file(lambda tf, path: tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, vocab_size=9), -1).size()),
        file_of_value_offset=_with_file(lambda tf, path: tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, value_index_offset=100), -1).lookup(tf.constant(["lake 20"]))),
        file_vocabulary=_with_file(lambda tf, path: tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 1).lookup(tf.constant(["lake 20", "z"]))),
        file_index=lambda tf: [tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER],
        in_function=lambda tf: (lambda t: tf.function(lambda x: t.lookup(x))(tf.constant(["a", "z"])))(_table(tf)),
        made_in_function=lambda tf: outcome(lambda: tf.function(lambda x: _table(tf).lookup(x))(tf.constant(["a", "z"])), 8),
        size_in_function=lambda tf: (lambda t: tf.function(lambda: t.size())())(_table(tf)),
        mutable_in_function=lambda tf: _mutable_in_function(tf),
        mutable_order_in_function=lambda tf: _ordered(tf),
        mutable_in_loop=lambda tf: _counted(tf),
        vocabulary_in_function=lambda tf: (lambda t: tf.function(lambda x: t.lookup(x))(tf.constant(["a", "z"])))(_vocabulary(tf)),
        in_dataset=lambda tf: (lambda t: list(tf.data.Dataset.from_tensor_slices(["b", "z"]).map(t.lookup)))(_table(tf)),
        mutable_in_dataset=lambda tf: (lambda t: (t.insert(tf.constant(["a"]), _int64(tf, 5)), list(tf.data.Dataset.from_tensor_slices(["a", "z"]).map(t.lookup)))[1])(_mutable(tf)),
        in_map_fn=lambda tf: (lambda t: tf.map_fn(t.lookup, tf.constant(["a", "b"]), fn_output_signature=tf.int32))(_table(tf)),
        in_cond=lambda tf: (lambda t: tf.function(lambda x, p: tf.cond(p, lambda: t.lookup(x), lambda: tf.zeros_like(t.lookup(x))))(tf.constant(["a"]), tf.constant(True)))(_table(tf)),
        in_vectorized_map=lambda tf: (lambda t: tf.vectorized_map(t.lookup, tf.constant(["a", "b"])))(_table(tf)),
        unknown_shape=lambda tf: (lambda t: tf.function(lambda x: (t.lookup(x), t.lookup(x).shape)[0], input_signature=[tf.TensorSpec(None, tf.string)])(tf.constant(["a"])))(_table(tf)),
        static_shapes=lambda tf: _static_shapes(tf),
        in_module=lambda tf: _module(tf),
        trackable=lambda tf: [isinstance(_table(tf), tf.__internal__.tracking.Trackable) if hasattr(tf, "__internal__") else True, len(tf.Module().submodules)],
        gradient=lambda tf: _gradient(tf),
        deleted=lambda tf: _deleted(tf),
        initializer_op=lambda tf: outcome(lambda: type(_pairs(tf).initialize(_table(tf))).__name__, 5),
        initialized_twice=lambda tf: outcome(lambda: (lambda t: t.lookup(tf.constant("a")))(_table(tf))),
        copy_of_table=lambda tf: outcome(lambda: __import__("copy").deepcopy(_table(tf)).size(), 4),
        names=lambda tf: [sorted(n for n in dir(m) if not n.startswith("_")) for m in (tf.lookup, tf.lookup.experimental)],
        compiled_table=lambda tf: (lambda t: outcome(lambda: tf.function(lambda x: t.lookup(x), jit_compile=True)(tf.constant([1], tf.int64)), 3)[0])(_table(tf, keys=(1,), values=(2,), key_dtype=tf.int64, value_dtype=tf.int64)),
        index_table=lambda tf: (lambda t: t.lookup(tf.constant(["a", "zz"])))(tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.range(2, dtype=tf.int64)), 1)),
        mapped_values=lambda tf: tf.ragged.map_flat_values(_table(tf, keys=(3, 1), values=("x", "y"), key_dtype=tf.int32, default="?").lookup, numbers(tf)),
        sparse_values=lambda tf: tf.sparse.map_values(_table(tf, keys=(5, 1), values=(50, 10), key_dtype=tf.int32).lookup, sparse(tf)),
    )
)


def _session(tf, build):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return [session.run(step) for step in build()]


def _inserted(tf, table):
    table.insert(tf.constant(["b", "a"]), _int64(tf, 2, 1))
    table.insert(tf.constant("c"), tf.constant(3, tf.int64))
    table.insert(tf.constant(["a"]), _int64(tf, 100))
    return [table.lookup(tf.constant(["a", "b", "c", "d"])), table.size(), _sorted(table.export())]


def _removed(tf, table):
    table.insert(tf.constant(["b", "a"]), _int64(tf, 2, 1))
    table.remove(tf.constant(["b", "not"]))
    return [table.lookup(tf.constant(["a", "b"])), table.size()]


def _mutable_in_function(tf):
    table = _mutable(tf)

    @tf.function
    def step(key, value):
        before = table.lookup(key)
        table.insert(key, value)
        return before, table.lookup(key), table.size()

    return [step(tf.constant(["a"]), _int64(tf, i)) for i in (1, 2)]


def _ordered(tf):
    table = _mutable(tf)

    @tf.function
    def run():
        table.insert(tf.constant(["a"]), _int64(tf, 1))
        first = table.lookup(tf.constant(["a"]))
        table.insert(tf.constant(["a"]), _int64(tf, 2))
        table.remove(tf.constant(["b"]))
        return first, table.lookup(tf.constant(["a"]))

    return run()


def _counted(tf):
    table = _mutable(tf, 0)

    @tf.function
    def count(texts):
        for text in texts:
            table.insert(text, table.lookup(text) + 1)
        return table.size()

    return [count(tf.constant(["a", "b", "a", "a"])), table.lookup(tf.constant(["a", "b", "c"]))]


def _static_shapes(tf):
    table, seen = _table(tf), []

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.string)])
    def f(x):
        seen.append([table.lookup(x).shape, table.size().shape, table.lookup(x).dtype])
        return x

    f.get_concrete_function()
    return seen


def _module(tf):
    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            self.table = _table(tf)
            self.scale = tf.Variable(10)

        @tf.function
        def __call__(self, x):
            return self.table.lookup(x) * self.scale

    return Words()(tf.constant(["a", "c"]))


def _gradient(tf):
    table = _table(tf, values=(1.0, 2.0, 3.0), default=0.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(table.lookup(tf.constant(["a", "b"])) * x)
    return tape.gradient(y, x)


def _deleted(tf):
    f = _closure(tf)
    return f(tf.constant(["a"]))


def _closure(tf):
    table = _table(tf)
    return tf.function(lambda x: table.lookup(x))


globals().update(
    staged(
        raw_find=lambda tf: ((lambda t: lambda k: tf.raw_ops.LookupTableFindV2(table_handle=t.resource_handle, keys=k, default_value=-1))(_table(tf)), tf.constant(["a", "z"])),
        raw_size=lambda tf: ((lambda t: lambda k: [tf.raw_ops.LookupTableSizeV2(table_handle=t.resource_handle), k])(_table(tf)), tf.constant(["a", "z"])),
        raw_find_of_wrong_default=lambda tf: ((lambda t: lambda k: tf.raw_ops.LookupTableFindV2(table_handle=t.resource_handle, keys=k, default_value=-1.5))(_table(tf)), tf.constant(["a", "z"])),
        lookup_of_matrix=lambda tf: ((lambda t: lambda k: t.lookup(k))(_table(tf)), tf.constant([["a", "z"], ["b", "c"]])),
        lookup_of_empty=lambda tf: ((lambda t: lambda k: t.lookup(k))(_table(tf)), tf.constant([], tf.string)),
        lookup_of_ragged=lambda tf: ((lambda t: lambda k: t.lookup(k))(_table(tf)), tf.ragged.constant([["a", "z"], [], ["b"]])),
        lookup_of_sparse=lambda tf: ((lambda t: lambda k: t.lookup(k))(_table(tf)), tf.sparse.SparseTensor([[0, 1], [1, 0]], ["a", "z"], [2, 2])),
        lookup_of_wrong_dtype=lambda tf: ((lambda t: lambda k: t.lookup(k))(_table(tf)), tf.constant([1.5])),
        exported=lambda tf: ((lambda t: lambda k: [tf.sort(t.export()[1]), k])(_table(tf)), tf.constant(1)),
    )
)
