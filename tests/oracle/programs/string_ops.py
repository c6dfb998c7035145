"""tf.strings: joining, splitting, cutting, matching, converting."""

# ruff: noqa: B005 (programs write what users write)
from __future__ import annotations

from tests.oracle.support import attempt


def prog_join(tf, np):
    """join broadcasts scalars and uses a separator."""
    j = tf.strings.join
    return [j(["a", "b"]), j([["a", "b"], ["c", "d"]]), j([["a", "b"], "!"], separator="-"), j(["x"]), j([["a"], [["b"]] if False else ["c"], "d"], ", "), attempt(lambda: j([["a", "b"], ["c", "d", "e"]])), attempt(lambda: j([1, 2]), words=0), j([tf.zeros([0], tf.string), "a"])]


def prog_length(tf, np):
    """Bytes and characters."""
    x = ["", "abc", "héé", "日本"]
    return [tf.strings.length(x), tf.strings.length(x, unit="UTF8_CHAR"), tf.strings.length("abc"), attempt(lambda: tf.strings.length(x, unit="BAD"), words=0), attempt(lambda: tf.strings.length(1), words=0)]


def prog_case(tf, np):
    """lower and upper, in bytes and UTF-8."""
    return [tf.strings.lower(["ABC", "É"]), tf.strings.upper(["abc", "é"]), tf.strings.lower("ÀÉ", encoding="utf-8"), tf.strings.upper(["straße", "é"], encoding="utf-8")]


def prog_strip(tf, np):
    """White space at both ends."""
    return [tf.strings.strip(["  a b ", "\t\nx", "", "none"]), tf.strings.strip("  x  ")]


def prog_substr(tf, np):
    """Positions from both ends, per element, in characters, out of range."""
    s = tf.strings.substr
    return [s("hello", 1, 3), s(["hello", "world"], -3, 2), s(["hello", "world"], [1, 2], [2, 3]), s("héllo", 1, 2), s("héllo", 1, 2, unit="UTF8_CHAR"), s("ab", 0, 10), attempt(lambda: s("ab", 5, 1)), attempt(lambda: s("ab", -5, 1)), s([["abc"], ["def"]], 1, 1), s("", 0, 1)]


def prog_split_to_ragged(tf, np):
    """split of one string and of many."""
    s = tf.strings.split
    return [s("a b  c"), s(["a b", "c", ""]), s("a,b,,c", sep=","), s(["a||b", "c"], sep="||"), s("a b c", maxsplit=1), s(["x-y-z"], "-", 1), s(""), s("  lead trail  ")]


def prog_bytes_split(tf, np):
    """Into single bytes, and unicode characters."""
    return [tf.strings.bytes_split("abc"), tf.strings.bytes_split(["ab", "", "c"]), tf.strings.unicode_split("hé", "UTF-8"), tf.strings.unicode_decode("aé日", "UTF-8"), tf.strings.unicode_encode([97, 233, 26085], "UTF-8")]


def prog_to_number(tf, np):
    """Numbers of each dtype; white space; nonsense."""
    n = tf.strings.to_number
    return [n("3.5"), n(["1", "-2", "1e3"]), n(["1", "-20"], tf.int32), n("123456789012", tf.int64), n("0.1", tf.float64), n([" 7 ", "inf", "nan"]), attempt(lambda: n("abc")), attempt(lambda: n("1.5", tf.int32)), attempt(lambda: n("")), attempt(lambda: n("99999999999", tf.int32)), n(["0x1A"] if False else ["1E-2"])]


def prog_as_string_ints_and_bools(tf, np):
    """as_string of ints, bools, with width and fill."""
    s = tf.strings.as_string
    return [s([1, -2]), s(True), s([1, 20], width=5), s([1, 20], width=5, fill="0"), s(5, fill="-", width=3), s(tf.constant(200, tf.uint8)), s(tf.constant(2**40)), attempt(lambda: s("a"), words=0) if False else s("a")]


def prog_as_string_floats(tf, np):
    """as_string of floats: precision, scientific, shortest."""
    s = tf.strings.as_string
    return [s([1.0, 3.14159265, -0.5, 1e20, 1e-10]), s(3.14159, precision=2), s(31415.9, scientific=True), s(3.14159, shortest=True), s(3.14159, precision=3, width=10, fill=" "), s([np.inf, np.nan]), s(tf.constant(0.1, tf.float64)), s(1.5 + 2j), s(tf.constant(1.5, tf.float16)), attempt(lambda: s(1.0, scientific=True, shortest=True))]


def prog_format(tf, np):
    """Templates with tensors, scalars, strings, summarize."""
    f = tf.strings.format
    return [attempt(lambda: f("x: {}", 5), words=0), f("{} and {}", (1, [2.5, 3.0])), f("{}", tf.range(10)), f("{}", tf.range(10), summarize=-1), f("{}", tf.constant([["a", "b"]])), f("plain", ()), f("% {}".replace("{}", "#"), (1,), placeholder="#"), attempt(lambda: f("{} {}", 1)), f("{}", tf.constant([[1, 2], [3, 4]])), f("{}", [True]), f("{}", tf.constant(1.0))]


def prog_regex_replace(tf, np):
    """All or first occurrence, groups, bad patterns."""
    r = tf.strings.regex_replace
    return [r("hello", "l", "L"), r("hello", "l", "L", replace_global=False), r(["ab12", "c3"], "[0-9]+", "#"), r("key=value", r"(\w+)=(\w+)", r"\2=\1"), r("abc", "", "-"), r("", "a", "b"), attempt(lambda: r("a", "[", "b")), r("a.b", r"\.", "")]


def prog_regex_full_match(tf, np):
    """The whole string must match."""
    m = tf.strings.regex_full_match
    return [m(["abc", "abcd", ""], "abc"), m("aaa", "a*"), m(["a1", "b2"], "[ab][12]"), m("x\ny", "x.y"), attempt(lambda: m("a", "("))]


def prog_reduce_join(tf, np):
    """Joining along axes."""
    x = tf.constant([["a", "b"], ["c", "d"]])
    r = tf.strings.reduce_join
    return [r(x), r(x, axis=0), r(x, axis=1, separator=" "), r(x, axis=[0, 1]), r(x, axis=[1, 0], separator="-"), r(x, axis=-1, keepdims=True), r([]) if False else r(tf.zeros([0], tf.string)), attempt(lambda: r(x, axis=2))]


def prog_unsorted_segment_join(tf, np):
    """Join by segment ids."""
    return [tf.strings.unsorted_segment_join(["this", "is", "a", "test"], [0, 1, 0, 1], 2, separator=":"), tf.strings.unsorted_segment_join(["a"], [1], 3)]


def prog_ngrams(tf, np):
    """ngrams of a vector."""
    return [tf.strings.ngrams(["a", "b", "c", "d"], 2), tf.strings.ngrams(["a", "b", "c"], [1, 2], separator="_"), tf.strings.ngrams(["a"], 2, pad_values=("<", ">"), padding_width=1)]


def prog_unicode_functions(tf, np):
    """script codes, transcode, character conversion."""
    return [tf.strings.unicode_script([97, 26085]), tf.strings.unicode_transcode(["é"], "UTF-8", "UTF-16-BE"), tf.strings.unicode_transcode([b"a\xffb"], "UTF-8", "UTF-8", errors="ignore"), tf.strings.unicode_transcode([b"a\xffb"], "UTF-8", "UTF-8"), attempt(lambda: tf.strings.unicode_transcode([b"\xff"], "UTF-8", "UTF-8", errors="strict"))]


def prog_base64_and_decode(tf, np):
    """encode_base64, decode_base64, decode_raw."""
    return [tf.io.encode_base64(["hello", ""]), tf.io.decode_base64(tf.io.encode_base64("data!", pad=True)), tf.io.decode_raw(["\x01\x00\x02\x00"], tf.int16), attempt(lambda: tf.io.decode_base64("!!")), tf.io.decode_raw(b"\x00\x00\x80?", tf.float32)]


def prog_string_comparison(tf, np):
    """Equality with bytes, unicode, broadcast."""
    x = tf.constant(["a", "é"])
    return [x == "é", x == b"a", tf.equal(x, [["a"], ["b"]]), tf.reduce_all(x != "z"), tf.strings.length(x) > 1]


def prog_string_shape_ops(tf, np):
    """String tensors through array functions."""
    x = tf.constant([["a", "b"], ["c", "d"]])
    return [tf.transpose(x), tf.reshape(x, [-1]), tf.concat([x, [["e", "f"]]], 0), tf.gather(x, [1]), tf.where([[True, False], [False, True]], x, "-"), tf.tile(x, [1, 2]), tf.unique(["a", "b", "a"])[0], tf.stack(["p", "q"]), tf.zeros([2], tf.string), tf.fill([2], "z"), tf.identity("i")]


def prog_strings_in_function(tf, np):
    """Strings inside a function."""

    @tf.function(autograph=False)
    def f(x, y):
        return tf.strings.join([x, y], " "), x + y, tf.strings.length(x), tf.strings.upper(x), tf.strings.to_number("4") + 1.0, tf.strings.format("<{}>", x), tf.strings.as_string(tf.strings.length(y))

    return f(tf.constant(["hello"]), tf.constant("world"))


def prog_string_static_shapes(tf, np):
    """Static shapes of string functions."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        forms = [tf.strings.length(x), tf.strings.lower(x), tf.strings.join([x, "a"]), tf.strings.substr(x, 0, 1), tf.strings.reduce_join(x, axis=0), tf.strings.regex_replace(x, "a", "b"), tf.strings.to_number(x), tf.strings.as_string(tf.strings.length(x)), tf.strings.format("{}", x)]
        out.extend((v.shape, v.dtype) for v in forms)
        return x

    f.get_concrete_function(tf.TensorSpec([None], tf.string))
    return out


def prog_string_names_in_graph(tf, np):
    """Node names."""
    with tf.Graph().as_default() as g:
        x = tf.constant(["a"], name="x")
        tf.strings.join([x, "b"])
        x + "c"
        tf.strings.length(x)
        tf.strings.lower(x)
        tf.strings.substr(x, 0, 1)
        tf.strings.regex_replace(x, "a", "b")
        tf.strings.to_number(["1"])
        tf.strings.as_string([1])
        tf.strings.strip(x)
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_huge_and_binary_strings(tf, np):
    """A megabyte, zero bytes, invalid UTF-8."""
    big = "x" * 1_000_000
    return [tf.strings.length(big), tf.strings.length(b"\x00\xff\x00"), tf.strings.join([b"\xff", b"\x00"]), tf.strings.substr(big, 999_998, 5), tf.constant(b"\xff\x00").numpy(), tf.strings.length([b"\xff\xfe"], unit="UTF8_CHAR")]
