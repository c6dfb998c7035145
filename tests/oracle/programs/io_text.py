"""Tables and examples as text: decode_csv, decode_json_example."""

from __future__ import annotations

from tests.oracle.programs._file_helpers import folder


def _csv(tf, cases, **options):
    """What each (records, defaults) gives."""
    with folder() as f:
        return [f.attempt(lambda c=c: tf.io.decode_csv(c[0], list(c[1:]), **options)) for c in cases]


def _none(tf, *dtypes):
    return [tf.constant([], dtype) for dtype in dtypes]


def prog_dtypes(tf, np):
    """Every dtype of a column."""
    none = _none(tf, tf.int32, tf.int64, tf.float32, tf.float64, tf.string)
    return _csv(tf, [("1,2,3,4,5", *none), (["1,2,3,4,5", "6,7,8,9,10"], *none), ([["1,2,3,4,5"]], *none), (tf.zeros([0], tf.string), *none)])


def prog_defaults(tf, np):
    """Given, scalar, missing, wrong."""
    i, s = _none(tf, tf.int32, tf.string)
    return _csv(tf, [([",,", "1,,z"], [7], [1.5], ["d"]), (",", 7, "q"), (",1", i, i), (["1,1", "2,"], i, i), (["a,", ",b"], [""], s), ("1", [[0]]), ("1", [0, 1])])


def prog_field_counts(tf, np):
    """Too few, too many, none."""
    return _csv(tf, [("1", [0], [0]), (["1,2", "1,2,3"], [0], [0]), ("", [5]), ("", [5], [6]), (["1,2", ""], [5], [6]), (["1,2,3", "4"], [5], [6])])


def prog_numbers(tf, np):
    """What spells a number."""
    i, j, g, h = _none(tf, tf.int32, tf.int64, tf.float32, tf.float64)
    cases = [("1e3,.5,5.,inf,-inf,0x10,1e400,1e-50", *[g] * 8), ("1e3,.5,5.,inf,-inf,0x10,1e400,1e-50", *[h] * 8), ("007,-0,+1, 2 ", *[i] * 4), ("9223372036854775807,-9223372036854775808", j, j), ("2147483647,-2147483648", i, i), (" 1.5 ,+1.5", g, h)]
    return _csv(tf, cases)


def prog_no_numbers(tf, np):
    """What spells none."""
    i, j, g, h = _none(tf, tf.int32, tf.int64, tf.float32, tf.float64)
    cases = [(["1", "x"], i), ("1.5", j), ("zz", h), ("x", g), ("1_0", i), ("1_0", g), ("0x10", i), ("3000000000", i), ("9223372036854775808", j), ("1 2", i), ("--1", i), ("1e", g), ("é", i)]
    return _csv(tf, cases)


def prog_quotes(tf, np):
    """Quoted fields."""
    e = [""]
    return _csv(tf, [('"a,b","c""d","","x"', e, e, e, e), ('"",', ["d"], ["e"]), ('"1","2.5"', [0], [0.0]), ('"a\nb",c', e, e), ('""', ["q"]), (['"a,b",1', 'c,"2"', '"d""",3'], e, [0]), ('""""', e), (['"a"', "b"], e)])


def prog_wrong_quotes(tf, np):
    """Quotes where none belong."""
    e = [""]
    records = ['"a"b,c', '"a" ,b', '"a,b', '"', '"""', 'a"b,c', 'ab"c"d', ' "a"', 'a,"b"c', 'x,y"']
    return [_csv(tf, [(r, e, e) for r in records]), _csv(tf, [(["x,y", r], e, e) for r in records])]


def prog_line_ends(tf, np):
    """Newlines and carriage returns."""
    e = [""]
    return [_csv(tf, [(r, e, e) for r in ("a\nb,c", "a\rb,c", "1,2\r\n", "1,2\n", '"a\r\nb",c')]), _csv(tf, [(r, e, e) for r in ("a\nb,c", "a,b\r")], use_quote_delim=False)]


def prog_without_quotes(tf, np):
    """Quotes have no meaning."""
    e = [""]
    return _csv(tf, [('"a,b"', e, e), ('a"b,"', e, e)], use_quote_delim=False)


def prog_delimiters(tf, np):
    """Other characters between fields."""
    return [_csv(tf, [(["1" + d + "2", "3" + d + "4"], [0], [0])], field_delim=d) for d in ("|", "\t", " ", "\n", "\r", ";", "||", "", "é")]


def prog_na_values(tf, np):
    """Another text for nothing."""
    return _csv(tf, [("NA,1,NA", [5], [0], ["s"]), ('"NA",x', ["s"], ["t"]), (",x", ["s"], ["t"]), (["NA", "1"], tf.constant([], tf.int32))], na_value="NA")


def prog_selected_columns(tf, np):
    """Some of the columns."""
    out = []
    for columns, *case in (([1, 3], "1,2,3,4", [0], [0]), ([2], ["1,2,3,4", "5,6,7,8"], [0]), ([0], '2,"x"y', [0]), ([1], '"x"y,2', [0]), ([5], "1,2,3", [0]), ([0, 5], "1,2,3", [0], [0]), ([1, 1], "1,2", [0], [0]), ([2, 1], "1,2", [0], [0]), ([1], "1,2", [0], [0]), ([-1], "1,2", [0]), ([1], ["1,2", "3,4,5"], [0])):
        out += _csv(tf, [tuple(case)], select_cols=columns)
    return out


def prog_bytes(tf, np):
    """Bytes that are no text."""
    return _csv(tf, [(b"\xff\xfe,1", [""], [0]), (b"a\0b,1", [""], [0]), (["é,1", "日本,2"], [""], [0])])


def prog_csv_graphs(tf, np):
    """Shapes while tracing."""
    with folder() as f:
        def shapes(spec, *defaults):
            return [t.shape for t in tf.function(lambda x: tf.io.decode_csv(x, list(defaults)), autograph=False).get_concrete_function(spec).outputs]
        known, unknown = tf.TensorSpec([None, 2], tf.string), tf.TensorSpec(None, tf.string)
        return [shapes(known, [0], [""]), shapes(unknown, [0], [""]), f.attempt(lambda: shapes(unknown, [[0]])), f.attempt(lambda: shapes(unknown, [0, 1]))]


def prog_csv_node(tf, np):
    """The node of a graph."""
    g = tf.function(lambda x: tf.io.decode_csv(x, [[1], [""]], "|", na_value="q", select_cols=[0, 2])).get_concrete_function(tf.TensorSpec([], tf.string)).graph
    node = next(o for o in g.get_operations() if o.type == "DecodeCSV")
    return [[o.name for o in g.get_operations()], [i.name for i in node.inputs], [node.get_attr(a) for a in ("OUT_TYPE", "field_delim", "use_quote_delim", "na_value", "select_cols")]]


def prog_csv_of_tensorflow_1(tf, np):
    """The older order of arguments."""
    return tf.compat.v1.decode_csv("NA,x,2", [[5], [0]], ",", True, "name", "NA", [0, 2])


def prog_json_examples(tf, np):
    """JSON to Examples and back."""
    with folder() as f:
        d = tf.io.decode_json_example
        texts = ["{}", '{"features":{"feature":{"f":{"int64_list":{"value":["12",3]}}}}}', '{"features":{"feature":{"f":{"floatList":{"value":[1.5,"NaN",-2]}}}}}', '{"features":{"feature":{"f":{"bytesList":{"value":["eP8="]}}}}}']
        examples = [tf.train.Example.FromString(d(t).numpy()) for t in texts] if hasattr(tf.train, "Example") else []
        bad = [f.attempt(lambda t=t: d(t)) for t in ("{", '{"nope":3}', "", "null", '{"features":3}')]
        return [d("{}"), d(["{}", "{}"]), [str(e) for e in examples], [[b[0], b[1].split(":")[0]] for b in bad]]
