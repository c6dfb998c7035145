"""tf.print: the text, where it goes, and when."""

from __future__ import annotations

import sys

from tests.oracle.support import attempt, printed


def prog_print_scalars(tf, np):
    """Scalars of every kind."""
    return printed(lambda: [tf.print(v) for v in (1, 1.5, True, "text", tf.constant(2), tf.constant(2.5), tf.constant(False), tf.constant("s"), -0.0, 1e10, 1e-10, None, 1 + 2j)])


def prog_print_floats(tf, np):
    """How floats of several sizes and dtypes are written."""
    values = [0.1, 1 / 3, 1e6, 1234567.0, 12345678.0, 1e-5, 3.0, -2.5, np.inf, -np.inf, np.nan, 1e38, 123456.789]
    return printed(lambda: [tf.print(tf.constant(v, d)) for v in values for d in (tf.float32, tf.float64)] + [tf.print(tf.constant(values[:3], d)) for d in (tf.float16, tf.bfloat16)])


def prog_print_vectors_and_matrices(tf, np):
    """Brackets, commas, line breaks."""
    return printed(lambda: [tf.print(tf.constant(v)) for v in ([1, 2, 3], [1.5, 2.0], [[1, 2], [3, 4]], [[[1], [2]], [[3], [4]]], ["a", "b"], [[True, False]])])


def prog_print_long_tensors(tf, np):
    """Ellipses in the middle of long dimensions."""
    return printed(lambda: [tf.print(tf.range(n)) for n in (6, 7, 100)] + [tf.print(tf.zeros([8, 8]))])


def prog_print_summarize(tf, np):
    """summarize keeps more, fewer or all elements."""
    return printed(lambda: [tf.print(tf.range(10), summarize=s) for s in (1, 2, 5, 20, -1)] + [tf.print(tf.ones([4, 4]), summarize=1)])


def prog_print_several_values(tf, np):
    """Separated by one space, or sep; end replaces the newline."""

    def run():
        tf.print("a", 1, tf.constant([1, 2]), 2.5)
        tf.print(1, 2, 3, sep=", ")
        tf.print("no newline", end="")
        tf.print("|", end="!\n")
        tf.print()
        tf.print("a", "b", sep="")

    return printed(run)


def prog_print_structures(tf, np):
    """Lists, tuples, dicts of tensors print as Python would."""

    def run():
        tf.print([1, 2])
        tf.print([tf.constant(1), tf.constant([2, 3])])
        tf.print({"a": tf.constant(1), "b": [tf.constant(2.5), "s"]})
        tf.print((tf.constant(1), "x", None))
        tf.print("pre", {"k": 1}, [])

    return printed(run)


def prog_print_empty_and_zero_dim(tf, np):
    """Empties."""
    return printed(lambda: [tf.print(v) for v in (tf.zeros([0]), tf.zeros([0, 3]), tf.zeros([2, 0]), "", tf.constant([""]))])


def prog_print_numpy_and_objects(tf, np):
    """Arrays, NumPy scalars, dtypes, shapes."""

    def run():
        tf.print(np.array([1, 2]))
        tf.print(np.float64(0.1))
        tf.print(tf.constant([1]).shape, tf.float32)
        tf.print(tf.TensorShape([None, 2]))
        tf.print(slice(1, 2))

    return printed(run)


def prog_print_output_streams(tf, np):
    """stdout, stderr and logging names."""

    def run():
        tf.print("to stdout", output_stream=sys.stdout)
        tf.print("to stderr", output_stream=sys.stderr)
        tf.print("default")

    return printed(run)


def prog_print_bad_stream(tf, np):
    """Streams TensorFlow does not know."""
    return [attempt(lambda: tf.print("x", output_stream=5)), attempt(lambda: tf.print("x", output_stream="nonsense")), attempt(lambda: tf.print("x", bad=1))]


def prog_print_to_file_stream(tf, np):
    """file:// streams append."""
    import os
    import tempfile

    path = os.path.join(tempfile.mkdtemp(), "log.txt")
    tf.print("one", 1, output_stream="file://" + path)
    tf.print("two", output_stream="file://" + path)
    with open(path) as file:
        return file.read()


def prog_print_in_function(tf, np):
    """Every call prints; Python's print only the trace."""

    @tf.function(autograph=False)
    def f(x):
        print("tracing")
        tf.print("x is", x)
        return x * 2

    return printed(lambda: [f(tf.constant(1)), f(tf.constant(2)), f(tf.constant([1.5, 2.5]))])


def prog_print_order_in_function(tf, np):
    """Prints keep program order with assigns."""
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f():
        tf.print("before", v)
        v.assign_add(1)
        tf.print("between", v)
        v.assign_add(10)
        tf.print("after", v)

    return printed(lambda: [f(), f()])


def prog_print_in_function_formats(tf, np):
    """Structures and floats inside a graph."""

    @tf.function(autograph=False)
    def f(x, y):
        tf.print("mixed", x, {"a": y, "b": [x, 1.5]}, sep=";")
        tf.print(x, end="<\n", summarize=2)
        tf.print(y, output_stream=sys.stdout)

    return printed(lambda: f(tf.range(6), tf.constant([0.1, 1e-7])))


def prog_print_returns(tf, np):
    """Eager returns None; a graph gives the operation."""
    kinds = []

    @tf.function(autograph=False)
    def f(x):
        op = tf.print(x)
        kinds.append(type(op).__name__)
        return x

    text = printed(lambda: [tf.print("x"), f(tf.constant(1))])
    return [text, kinds]


def prog_print_of_variables(tf, np):
    """A variable prints its value."""
    return printed(lambda: [tf.print(tf.Variable(1.0)), tf.print(tf.Variable([1, 2]), "v")])


def prog_print_strings(tf, np):
    """Quotes only inside structures; unicode; new lines."""

    def run():
        tf.print("plain")
        tf.print(tf.constant("tensor"))
        tf.print(["in list"])
        tf.print(tf.constant(["v1", "v2"]))
        tf.print("é日", tf.constant("é日"))
        tf.print("two\nlines", "tab\t.")
        tf.print(b"bytes", tf.constant(b"by\xfftes"))
        tf.print("braces {} %s")

    return printed(run)


def prog_print_ints(tf, np):
    """Every integer dtype and bools."""
    return printed(lambda: [tf.print(tf.constant([1, 100], d)) for d in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()] + [tf.print(tf.constant([-5], tf.int8), tf.constant([True]))])


def prog_print_symbolic_python(tf, np):
    """Python's print of a symbolic tensor inside a function."""

    @tf.function(autograph=False)
    def f(a, b):
        print(a, b, a + 1)
        return a

    return printed(lambda: f(tf.constant(1), tf.constant(["x"])))


def prog_print_unused_is_kept(tf, np):
    """tf.print runs although nothing depends on it; so do asserts."""

    @tf.function(autograph=False)
    def f(x):
        tf.print("side effect", x)
        tf.debugging.assert_positive(x)
        return tf.constant(0)

    return [printed(lambda: f(tf.constant(3))), attempt(lambda: f(tf.constant(-3)), words=3)]


def prog_print_in_cond(tf, np):
    """Only the branch taken prints."""

    @tf.function(autograph=False)
    def f(x):
        return tf.cond(x > 0, lambda: (tf.print("positive", x), x)[1], lambda: (tf.print("other", x), -x)[1])

    return printed(lambda: [f(tf.constant(1)), f(tf.constant(-1))])


def prog_print_in_while(tf, np):
    """Every iteration prints."""

    @tf.function(autograph=False)
    def f(n):
        def body(i):
            tf.print("i =", i)
            return [i + 1]

        return tf.while_loop(lambda i: i < n, body, [tf.constant(0)])

    return printed(lambda: f(tf.constant(3)))


def prog_print_complex_and_nested(tf, np):
    """Complex vectors and named tuples."""
    from collections import namedtuple

    pair = namedtuple("Pair", ["a", "b"])
    return printed(lambda: [tf.print(tf.constant([1 + 2j, -1j])), tf.print(pair(tf.constant(1), "x"))])


def prog_print_v1_style_op(tf, np):
    """strings.format and the raw PrintV2."""
    return printed(lambda: [tf.raw_ops.PrintV2(input="raw text"), tf.raw_ops.PrintV2(input="to stdout", output_stream="stdout"), tf.print(tf.strings.format("{} {}", (1, [2])))])
