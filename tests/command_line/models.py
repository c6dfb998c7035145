"""Programs that save SavedModels whose arguments, keys and tags look unusual in the output of `saved_model_cli`.

They run on real TensorFlow alone. The corpus of SavedModels (`tests/formats/saved_models`) has what is usual.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

Point = collections.namedtuple("Point", "p q")


def _save(tf: Any, folder: Path, functions: dict[str, Any], signatures: Any = None) -> None:
    module = tf.Module()
    for name, function in functions.items():
        setattr(module, name, function)
    tf.saved_model.save(module, str(folder), signatures=signatures)


def _called(tf: Any, value: Any) -> Any:
    """A function with a trace for one argument."""

    @tf.function
    def called(a: Any) -> Any:
        return tf.constant(1)

    called(value)
    return called


def python_values(tf: Any, folder: Path) -> None:
    values = {
        "texts": ["x", 1, None, 2.5, True],
        "tuple_": ("x",),
        "quotes": ["it's", 'q"', "new\nline"],
        "lines": "several\nlines 'q'",
        "empty": "",
        "no_items": [],
        "no_keys": {},
        "nothing": (),
        "none": None,
        "dtype": tf.float32,
        "dtypes": [tf.float32],
        "point": Point(1, "a"),
        "points": [Point(1, "a")],
        "zero": -0.0,
        "large": 1e30,
        "infinite": [float("inf")],
        "long": 2**40,
        "key": {"it's": [None]},
        "deep": [[["a"]]],
        "rows": ((1, 2), (3,)),
        "truth": True,
        "dictionary": {"s": "t", "n": None, "i": {"k": "v"}},
        "ordered": collections.OrderedDict(b="x", a="y"),
        "mixed": Point(tf.constant(1), [tf.constant("x"), "y"]),
    }
    _save(tf, folder, {name: _called(tf, value) for name, value in values.items()})


def python_arguments(tf: Any, folder: Path) -> None:
    @tf.function
    def positional(a: Any, b: Any = 3, *rest: Any, c: Any = None, **more: Any) -> Any:
        return tf.cast(a, tf.float32)

    one = tf.constant(1.0)
    for arguments in (
        [one],
        [one, True],
        [one, None],
        [one, 2.5],
        [one, "text"],
        [one, 1, 2, 3],
        [tf.constant([1]), 5],
    ):
        positional(*arguments)
    positional(one, b=tf.constant(2.0), c="hello")
    positional(one, extra=tf.constant(2), other=4)

    @tf.function
    def keywords(*, a: Any, b: Any, **more: Any) -> Any:
        return a + b

    keywords(a=one, b=one)
    keywords(a=tf.constant([3]), b=tf.constant([1]), z=1, y=[one])
    _save(tf, folder, {"positional": positional, "keywords": keywords, "never_called": tf.function(lambda x: x)})


def calls_of_calls(tf: Any, folder: Path) -> None:
    """Many functions with many traces: their numbers pass 10 and 100 while they are loaded."""

    @tf.function
    def inner(x: Any, k: int) -> Any:
        return x * k

    @tf.function
    def outer(x: Any, n: int = 1) -> Any:
        for i in range(n):
            x = inner(x, i)
        return x

    @tf.function
    def loop(n: Any, q: int = 1) -> Any:
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                total += i * q
        return total

    for count in (3, 1, 2, 0, 5):
        outer(tf.constant(1.0), count)
        loop(tf.constant(1), count)
    _save(tf, folder, {"outer": outer, "inner": inner, "loop": loop})


def names_and_shapes(tf: Any, folder: Path) -> None:
    @tf.function
    def same(x: Any) -> Any:
        return x

    shapes = ([], [1], [None], [1, 2, 3], None, [0], [None, None, 4])
    concrete = [same.get_concrete_function(tf.TensorSpec(shape, tf.float32)) for shape in shapes]
    same.get_concrete_function(tf.TensorSpec([], tf.float32, name="other/name"))
    same.get_concrete_function([tf.TensorSpec([], tf.float32, name="n1"), tf.TensorSpec([], tf.int32)])

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32, name="x")])
    def quoted(x: Any) -> Any:
        return {"it's": x, "a b": x}

    keys = {f"key_{index}": function for index, function in enumerate(concrete)}
    _save(tf, folder, {"same": same, "concrete": concrete[0], "Upper": quoted}, {**keys, "it's a key": quoted})


def tag_sets(tf: Any, folder: Path, as_text: bool = False) -> None:
    """A SavedModel of TensorFlow 1, with several MetaGraphs and a signature of sparse tensors."""
    v1 = tf.compat.v1
    saved_model = v1.saved_model
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        sparse = v1.sparse_placeholder(tf.int32, [None, 3], name="sparse")
        weights = v1.get_variable("weights", initializer=[[1.0, 2.0], [3.0, 4.0]])
        info = saved_model.utils.build_tensor_info
        inputs, outputs = {"x": info(x)}, {"y": info(tf.matmul(x, weights, name="y"))}
        sum_info = info(tf.sparse.add(sparse, sparse))
        sign = saved_model.signature_def_utils.build_signature_def
        session.run(v1.global_variables_initializer())
        builder = saved_model.Builder(str(folder))
        signatures = {
            "serving_default": sign(inputs, outputs, "tensorflow/serving/predict"),
            "sparse": sign({"s": info(sparse)}, {"sum": sum_info}, "other"),
            "nothing": sign({}, {}, "m"),
        }
        builder.add_meta_graph_and_variables(session, ["serve", "gpu"], signatures)
        builder.add_meta_graph(["train"])
        builder.add_meta_graph(["b", "c", "a"], {"key": sign(inputs, outputs, "m")})
        builder.save(as_text=as_text)


def text_form(tf: Any, folder: Path) -> None:
    tag_sets(tf, folder, as_text=True)


def runs(tf: Any, folder: Path) -> None:
    """A SavedModel whose signatures are run."""
    module = tf.Module()
    module.weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    module.steps = tf.Variable(3, dtype=tf.int64)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def multiply(x: Any) -> Any:
        return {"y": x @ module.weights, "count": module.steps}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def examples(examples: Any) -> Any:
        return {"examples": examples, "length": tf.strings.length(examples)}

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32, name="a"), tf.TensorSpec([], tf.float32, name="b")])
    def two(a: Any, b: Any) -> Any:
        return {"sum": a + b, "half": tf.cast(a, tf.bfloat16), "flag": a > b, "texts": tf.constant(["a", "b"])}

    module.multiply, module.examples, module.two = multiply, examples, two
    signatures = {"serving_default": multiply, "examples": examples, "two": two}
    tf.saved_model.save(module, str(folder), signatures=signatures)


MODELS: dict[str, Callable[[Any, Path], None]] = {
    function.__name__: function
    for function in (python_values, python_arguments, calls_of_calls, names_and_shapes, tag_sets, text_form, runs)
}
