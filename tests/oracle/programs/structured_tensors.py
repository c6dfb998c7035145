"""tf.experimental.StructuredTensor."""

from __future__ import annotations

from tests.oracle.support import attempt

ONE = {"a": [1, 2, 3], "b": [[4, 5], [6]], "c": "x"}
ROWS = [{"a": 1, "b": [4, 5]}, {"a": 2, "b": [6]}]
MATRIX = [[{"a": 1}], [{"a": 2}, {"a": 3}], []]
NESTED = [{"d": {"x": 1, "y": [2.5]}, "e": [{"z": "q"}]}, {"d": {"x": 2, "y": []}, "e": []}]
DEEP = [[[{"x": 1, "y": [1, 2]}], []], [[{"x": 2, "y": []}, {"x": 3, "y": [4]}]]]
ALL = [ONE, ROWS, MATRIX, NESTED, DEEP]


def _of(tf, pyval):
    return tf.experimental.StructuredTensor.from_pyval(pyval)


def _shown(value):
    """The value as Python's, with keys in order: TensorFlow's order is that of a set."""
    return _ordered(value.to_pyval()) if hasattr(value, "to_pyval") else value


def _ordered(value):
    if isinstance(value, list):
        return [_ordered(part) for part in value]
    return {key: _ordered(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def prog_text(tf, np):
    """How structured tensors look."""
    return [repr(_of(tf, pyval)) for pyval in (*ALL, {}, [{}, {}], [[{}], []])]


def prog_facts(tf, np):
    """Shapes, ranks, names, rows and partitions."""
    made = [_of(tf, pyval) for pyval in ALL]
    return [[st.shape, st.rank, sorted(st.field_names()), st.nrows(), [p.row_splits() for p in st.row_partitions]] for st in made]


def prog_specs(tf, np):
    """Specs, and specs of batches and elements."""
    specs = [_of(tf, pyval)._type_spec for pyval in ALL]
    several = [[_form(tf, spec), spec.shape, spec.rank, _form(tf, spec._batch(4))] for spec in specs]
    return several + [_form(tf, spec._unbatch()) for spec in specs[1:]]


def _form(tf, spec):
    if not isinstance(spec, tf.experimental.StructuredTensor.Spec):
        return spec
    return [{name: _form(tf, spec._fields[name]) for name in sorted(spec._fields)}, repr(spec._ragged_shape)]


def prog_to_python(tf, np):
    """Values that come back, and the dtypes of single values."""
    values = [_shown(_of(tf, pyval)) for pyval in (*ALL[1:], [{}], [[{}], []], {"a": []}, [{"a": [[]]}, {"a": []}])]
    one = _of(tf, {"a": 1.5, "b": True, "c": "x", "d": 3, "e": 2**40})
    return [*values, [one.field_value(name).dtype for name in "abcde"]]


def prog_from_python(tf, np):
    """Lists without dictionaries; values that do not go together."""
    make = tf.experimental.StructuredTensor.from_pyval
    bad = [{"a": None}, [{"a": 1}, {"a": [2]}], [{"a": "x"}, {"a": 1}], [{"a": 1}, [{"a": 2}]], {1: 2}, None]
    return [make(v) for v in (1, [1, 2], [[1], [2, 3]], [], [[], []])] + [attempt(lambda v=v: make(v), words=4) for v in bad]


def prog_from_python_with_a_spec(tf, np):
    """The dtypes and ranks that a spec tells."""
    make, spec = tf.experimental.StructuredTensor.from_pyval, _of(tf, ROWS)._type_spec
    good = [make([{"a": 1, "b": []}, {"a": 2, "b": [1]}], spec).field_value("b"), make([1, 2], tf.TensorSpec([None], tf.int64)), make([[1], [2, 3]], tf.RaggedTensorSpec([None, None], tf.int64)), make(1, tf.TensorSpec([], tf.int64))]
    bad = [[{"a": 1, "b": [4]}], [{"a": "x", "b": []}, {"a": 2, "b": [1]}], [{"a": 1}, {"a": 2}], {"a": 1, "b": []}]
    return good + [attempt(lambda v=v: make(v, spec), words=4) for v in bad]


def prog_from_fields(tf, np):
    """Shapes found in fields, and given without fields."""
    make, ragged = tf.experimental.StructuredTensor.from_fields, tf.ragged.constant([[1, 2], [3]])
    partition = tf.experimental.RowPartition.from_row_lengths([1, 2])
    made = [make({"a": ragged, "b": ragged * 2}, shape=[None, None]), make({"a": [[1, 2], [3, 4]]}, shape=[None, None]), make({}, shape=[3]), make({}, shape=[None], nrows=2), make({}, shape=[None, None], row_partitions=[partition]), make({"a": make({"x": [1, 2]}, shape=[2]), "b": [3, 4]}, shape=[2])]
    return [[_shown(st), st.shape] for st in made]


def prog_from_fields_refused(tf, np):
    """Fields and shapes that are refused."""
    make, r, s = tf.experimental.StructuredTensor.from_fields, tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]])
    bad = [({"_a": 1}, {}), ({"a/b": 1}, {}), ({"": 1}, {}), ([("a", 1)], {}), ({1: 2}, {}), ({"a": None}, {}), ({"a": {"b": 1}}, {}), ({"a": [1, 2, 3], "b": [1, 2]}, {"shape": [None]}), ({"a": [1, 2, 3]}, {"shape": [2]}), ({"a": r, "b": s}, {"shape": [None, None]}), ({"a": [1, 2]}, {"shape": None}), ({}, {"shape": [None]}), ({}, {"shape": [None, None]}), ({}, {"nrows": 5}), ({"a": [1, 2]}, {"shape": [None], "nrows": 3})]
    return [attempt(lambda f=f, o=o: make(f, **o), words=6) for f, o in bad]


def prog_from_fields_and_rank(tf, np):
    """The first dimensions of the fields."""
    make, r = tf.experimental.StructuredTensor.from_fields_and_rank, tf.ragged.constant([[1, 2], [3]])
    return [_shown(make({"a": r}, n)) for n in (1, 2)] + [make({"a": [1, 2]}, 1, dtype=tf.int32).nrows().dtype] + [attempt(lambda f=f, n=n: make(f, n), words=6) for f, n in (({}, 1), ({"a": r}, -1), ({"a": r}, 3))]


def prog_field_values(tf, np):
    """Fields by name and by path."""
    st = _of(tf, NESTED)
    return [_shown(st.field_value(name)) for name in ("d", ("d", "x"), ("e", "z"), "e")] + [attempt(lambda n=n: st.field_value(n), words=2) for n in ("q", ("d", "q"), ("d", "x", "w"))]


def prog_items(tf, np):
    """Structures, slices, fields of structures."""
    keys = [(NESTED, 0), (NESTED, -1), (NESTED, slice(0, 1)), (NESTED, (0, "d")), (NESTED, (slice(None), "d", "x")), (NESTED, (0, "e", 0, "z")), (NESTED, (0, "d", "y", 0)), (ONE, "a"), (ONE, ("b", 1)), (MATRIX, 1), (MATRIX, (1, 0)), (MATRIX, (1, 0, "a")), (MATRIX, (slice(None), slice(0, 1))), (MATRIX, slice(None, None, 2)), ([{}, {}], 0)]
    return [_shown(_of(tf, pyval)[key]) for pyval, key in keys]


def prog_items_refused(tf, np):
    """Keys that are refused."""
    keys = [(NESTED, None), (NESTED, ...), (NESTED, (0, "nope")), (NESTED, (slice(None), slice(None))), (NESTED, (slice(None), "e", 0)), (ONE, 0), (ONE, "zz"), (MATRIX, (0, 0, 0))]
    return [attempt(lambda v=v, k=k: _of(tf, v)[k], words=5) for v, k in keys]


def prog_partition_outer_dimension(tf, np):
    """Rows made of the first dimension."""
    partition, st = tf.experimental.RowPartition, _of(tf, [{"foo": 12}, {"foo": 33}, {"foo": 99}])
    rows = st.partition_outer_dimension(partition.from_row_lengths([2, 0, 1]))
    made = [rows, rows.partition_outer_dimension(partition.from_row_lengths([1, 2])), st.partition_outer_dimension(partition.from_uniform_row_length(3, 3))]
    bad = [attempt(lambda: st.partition_outer_dimension([2, 0, 1])), attempt(lambda: _of(tf, {"a": 1}).partition_outer_dimension(partition.from_row_lengths([1]))), attempt(lambda: st.partition_outer_dimension(partition.from_row_lengths([2, 0])))]
    return [[_shown(x), x.shape] for x in made] + bad


def prog_merge_dims(tf, np):
    """Dimensions merged."""
    st = _of(tf, DEEP)
    return [_shown(st.merge_dims(*axes)) for axes in ((0, 1), (1, 2), (0, 2), (-3, -1))] + [attempt(lambda a=a: _of(tf, MATRIX).merge_dims(*a), words=5) for a in ((1, 0), (0, 2))]


def prog_promote(tf, np):
    """Fields copied to the structure above."""
    st = _of(tf, [{"docs": [{"tokens": [1, 2]}, {"tokens": [3]}]}, {"docs": [{"tokens": [7]}]}])
    made = [st.promote(("docs", "tokens"), "docs_tokens"), _of(tf, [{"a": {"b": [{"c": [1]}, {"c": [2, 3]}]}}]).promote(("a", "b", "c"), "z"), _of(tf, {"a": [{"b": 1}, {"b": 2}]}).promote(("a", "b"), "c"), st.promote(("docs", "tokens"), "docs")]
    bad = [("docs", "x"), (("docs",), "x"), (("docs", "tokens"), ("a", "b")), (("docs", "q"), "x")]
    return [_shown(x) for x in made] + [attempt(lambda p=p, n=n: st.promote(p, n), words=5) for p, n in bad]


def prog_with_updates(tf, np):
    """Fields set, computed anew and left out."""
    st = _of(tf, [{"a": 1, "n": {"x": 1}}, {"a": 2, "n": {"x": 2}}])
    updates = [{"b": [5, 6]}, {"a": lambda a: a * 2}, {"a": None}, {("n", "x"): [7, 8]}, {("n", "y"): [7, 8]}, {("n", "x"): None}, {"n": lambda n: n.field_value("x")}, {}]
    return [_shown(st.with_updates(u)) for u in updates] + [sorted(st.with_updates({"z": [1, 2], "a": [3, 4]}).field_names())]


def prog_with_updates_refused(tf, np):
    """Updates that cannot be made."""
    st = _of(tf, [{"a": 1, "n": {"x": 1}}, {"a": 2, "n": {"x": 2}}])
    updates = [{("q", "y"): [7, 8]}, {("a", "x"): [1, 2]}, {"zz": None}, {"zz": lambda x: x}, {(): [1, 2]}, {"n": None, ("n", "x"): [1, 2]}, {"b": [1, 2, 3]}]
    return [attempt(lambda u=u: st.with_updates(u), words=8) for u in updates]


def prog_functions(tf, np):
    """Through functions, branches and nests."""
    made = [_of(tf, pyval) for pyval in ALL]
    return [[_shown(tf.function(lambda x: x)(st)), _shown(tf.identity(st)), _shown(tf.cond(tf.constant(True), lambda st=st: st, lambda st=st: st)), len(tf.nest.flatten(st, expand_composites=True)), st == st] for st in made[1:]]


def prog_graphs(tf, np):
    """Changes in a graph."""

    @tf.function
    def change(st):
        st = st.with_updates({"z": st.field_value("a") * 2})
        return st.partition_outer_dimension(tf.experimental.RowPartition.from_row_lengths([0, 2])), st[1]

    return [_shown(x) for x in change(_of(tf, ROWS))]


def prog_datasets(tf, np):
    """Elements and batches of datasets."""
    made = [_of(tf, pyval) for pyval in (ROWS, MATRIX, DEEP)]
    sliced = [tf.data.Dataset.from_tensor_slices(st) for st in made]
    return [[_shown(x) for ds in sliced for x in ds], [_shown(x) for ds in sliced for x in ds.batch(2)], [_shown(x) for st in made for x in tf.data.Dataset.from_tensors(st)]]


def prog_map_fn(tf, np):
    """Rows mapped."""
    return tf.map_fn(lambda row: row.field_value("a") + tf.reduce_sum(row.field_value("b")), _of(tf, ROWS), fn_output_signature=tf.int32)


def prog_immutable(tf, np):
    """Attributes cannot be set; no hash."""
    st = _of(tf, ROWS)
    return [attempt(lambda: setattr(st, "q", 1), words=3), attempt(lambda: hash(st), words=2), attempt(lambda: len(st), words=2)]
