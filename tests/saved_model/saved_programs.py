"""Small programs to save: the same text builds each with Millrace and with TensorFlow.

A program makes an object and says how to save it. Its calls are functions of the object, or of what is loaded in its
target; their results must be the same before saving, after loading here, and after loading in TensorFlow.
"""

from __future__ import annotations

import collections
import functools
import pathlib
from collections.abc import Callable
from typing import Any


class Saved:
    """What a program makes.

    Args:
      root: the object to save.
      calls: functions of the object by name, whose results are compared.
      signatures: what `tf.saved_model.save` is given.
      feeds: values for the tensors of signatures, by the names of both.
      options: arguments of `tf.saved_model.SaveOptions`.
    """

    def __init__(
        self,
        root: Any,
        calls: dict[str, Callable[[Any], Any]] | None = None,
        signatures: Any = None,
        feeds: dict[str, dict[str, Any]] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.root = root
        self.calls = calls or {}
        self.signatures = signatures
        self.feeds = feeds or {}
        self.options = options or {}


PROGRAMS: dict[str, Callable[[Any, pathlib.Path], Saved]] = {}


def program(make: Callable[[Any, pathlib.Path], Saved]) -> Callable[[Any, pathlib.Path], Saved]:
    PROGRAMS[make.__name__] = make
    return make


def module(tf: Any, **attributes: Any) -> Any:
    made = tf.Module()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def scalar(tf: Any, name: str | None = None) -> Any:
    return tf.TensorSpec([], tf.float32, name=name)


@program
def variables_in_containers(tf: Any, folder: pathlib.Path) -> Saved:
    pair = collections.namedtuple("pair", "a b")
    root = module(
        tf,
        weight=tf.Variable([1.0, 2.0], name="weight"),
        layers=[tf.Variable(3), {"x": tf.Variable(4.0, trainable=False)}],
        both=(tf.Variable(True), [tf.Variable("text")]),
        pair=pair(tf.Variable(5), 6),
        empty=[],
        nothing={},
        plain="not tracked",
    )
    root.inner = module(tf, outer=root)
    return Saved(
        root,
        {
            "weight": lambda m: m.weight.read_value(),
            "containers": lambda m: [m.layers[0].read_value(), m.layers[1]["x"].read_value()],
            "tuple": lambda m: [m.both[0].read_value(), m.both[1][0].read_value()],
            "cycle": lambda m: m.inner.outer.inner.outer.weight.read_value(),
        },
    )


@program
def traces_with_python_values(tf: Any, folder: pathlib.Path) -> Saved:
    root = module(tf, scale=tf.Variable(2.0))

    @tf.function
    def f(x, times=2, *, flag=True, name="n"):
        result = x * root.scale * times
        return {"y": result + 1.0 if flag else result, "z": (x, [x - 1.0]), "n": None}

    root.f = f
    x = tf.constant([1.0, 2.0])
    f(x)
    f(x, 3, flag=False)
    f(tf.constant(5.0), name="other")
    return Saved(
        root,
        {
            "default": lambda m: m.f(x),
            "python": lambda m: m.f(x, 3, flag=False),
            "scalar": lambda m: m.f(tf.constant(5.0), name="other"),
        },
    )


@program
def signatures_of_every_kind(tf: Any, folder: pathlib.Path) -> Saved:
    root = module(tf, v=tf.Variable(10.0))

    @tf.function(input_signature=[scalar(tf, "a"), scalar(tf, "b")])
    def add(x, y):
        return x + y + root.v

    @tf.function
    def named(x):
        return {"double": x * 2.0, "half": x / 2.0}

    @tf.function
    def several(x, y):
        return x, y, x + y

    root.add = add
    signatures = {
        "serving_default": add,
        "named": named.get_concrete_function(scalar(tf)),
        "several": several.get_concrete_function(scalar(tf), tf.TensorSpec([None, 2], tf.float32, name="rows")),
        "constant": tf.function(lambda: tf.constant(7.0)),
    }
    feeds = {
        "serving_default": {"a": 1.0, "b": 2.0},
        "named": {"x": 3.0},
        "several": {"x": 1.0, "rows": [[1.0, 2.0]]},
        "constant": {},
    }
    return Saved(root, {"add": lambda m: m.add(tf.constant(1.0), tf.constant(2.0))}, signatures, feeds)


@program
def defaults_of_a_signature(tf: Any, folder: pathlib.Path) -> Saved:
    two = tf.constant(2.0)

    @tf.function(input_signature=[scalar(tf, "x"), scalar(tf, "y"), scalar(tf)])
    def f(x, y=two, z=3.0):
        return x + y * z

    root = module(tf, f=f)
    calls = {
        "all": lambda m: m.f(tf.constant(1.0), tf.constant(4.0), tf.constant(5.0)),
        "two": lambda m: m.f(tf.constant(1.0)),
    }
    return Saved(root, calls, f, {"serving_default": {"x": 1.0, "y": 2.0, "z": 3.0}})


@program
def constants_that_are_captured(tf: Any, folder: pathlib.Path) -> Saved:
    small, large = tf.constant([1.0, 2.0]), tf.constant([[float(i) for i in range(300)]])
    texts, flag = tf.constant(["a", "b"]), tf.constant(True)

    @tf.function(input_signature=[scalar(tf)])
    def f(x):
        return x * small, x + tf.reduce_sum(large), texts, tf.where(flag, x, -x), tf.reduce_max(large)

    return Saved(module(tf, f=f), {"f": lambda m: m.f(tf.constant(3.0))}, feeds={"serving_default": {"x": 2.0}})


@program
def methods_and_inheritance(tf: Any, folder: pathlib.Path) -> Saved:
    class Base(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def __call__(self, x):
            return x * self.w

    class Derived(Base):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def step(self, x):
            self.w.assign_add(x)
            return super().__call__(x)

    root = Derived()
    return Saved(root, {"call": lambda m: m(tf.constant(2.0)), "step": lambda m: m.step(tf.constant(1.0))})


@program
def partials_and_varargs(tf: Any, folder: pathlib.Path) -> Saved:
    def add(x, y, z):
        return x + y * z

    partial = tf.function(functools.partial(add, tf.constant(1.0), z=tf.constant(3.0)))

    @tf.function
    def many(x, *rest, **named):
        return x + sum(rest) + sum(named[k] for k in sorted(named))

    one = tf.constant(1.0)
    partial(one)
    many(one, one, one, k=one)
    many(one)
    root = module(tf, partial=partial, many=many)
    return Saved(
        root,
        {
            "partial": lambda m: m.partial(one),
            "many": lambda m: m.many(one, one, one, k=one),
            "one": lambda m: m.many(one),
        },
    )


@program
def control_flow(tf: Any, folder: pathlib.Path) -> Saved:
    root = module(tf, v=tf.Variable(3.0))

    @tf.function(input_signature=[scalar(tf)])
    def f(x):
        y = x * root.v if x > 0.0 else -x
        i = 0
        while i < tf.constant(3):
            y = y + 1.0
            i += 1
        return tf.switch_case(
            tf.cast(x, tf.int32), [lambda: y, lambda: y * 2.0, lambda: tf.cond(y > 9.0, lambda: y, lambda: x)]
        )

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def squares(xs):
        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(tf.shape(xs)[0]):
            rows = rows.write(i, xs[i] * xs[i])
        return rows.stack()

    root.f, root.squares = f, squares
    return Saved(
        root,
        {
            "positive": lambda m: m.f(tf.constant(2.0)),
            "negative": lambda m: m.f(tf.constant(-1.0)),
            "loop": lambda m: m.squares(tf.constant([1.0, 2.0, 3.0])),
        },
        f,
        {"serving_default": {"x": 1.0}},
    )


@program
def functions_that_call_functions(tf: Any, folder: pathlib.Path) -> Saved:
    inner_constant = tf.constant([2.0] * 200)
    root = module(tf, v=tf.Variable(1.0))

    @tf.function
    def innermost(x):
        return x + tf.reduce_sum(inner_constant)

    @tf.function
    def inner(x):
        root.v.assign_add(1.0)
        return innermost(x) * innermost(x + 1.0)

    @tf.function(input_signature=[scalar(tf)])
    def outer(x):
        return inner(x) + tf.cond(x > 0.0, lambda: innermost(x), lambda: x)

    root.outer = outer
    return Saved(root, {"outer": lambda m: m.outer(tf.constant(1.0)), "v": lambda m: m.v.read_value()})


@program
def composite_tensors(tf: Any, folder: pathlib.Path) -> Saved:
    @tf.function(
        input_signature=[tf.RaggedTensorSpec([None, None], tf.float32), tf.SparseTensorSpec([None, None], tf.float32)]
    )
    def f(r, s):
        return {"r": r * 2.0, "s": s, "sum": tf.reduce_sum(r, axis=1)}

    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    sparse = tf.sparse.from_dense([[0.0, 4.0]])
    return Saved(module(tf, f=f), {"f": lambda m: m.f(ragged, sparse)}, f)


@program
def tables(tf: Any, folder: pathlib.Path) -> Saved:
    words = folder / "words.txt"
    words.write_text("emerson\nlake\npalmer\n")
    whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    file = tf.lookup.TextFileInitializer(str(words), tf.string, whole, tf.int64, number)
    static = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    mutable = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    mutable.insert(["x", "y"], tf.constant([7, 8], tf.int64))
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, -1.0, 0, -2)
    dense.insert(tf.constant([3], tf.int64), [0.5])
    root = module(
        tf,
        static=static,
        from_file=tf.lookup.StaticHashTable(file, -1),
        buckets=tf.lookup.StaticVocabularyTable(file, 2),
        mutable=mutable,
        dense=dense,
    )

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="keys")])
    def f(keys):
        numbers = tf.cast(tf.strings.length(keys), tf.int64)
        return static[keys], root.from_file[keys], root.buckets[keys], mutable[keys], dense[numbers]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="keys")])
    def insert(keys):
        mutable.insert(keys, tf.cast(tf.strings.length(keys), tf.int64))
        return mutable.size()

    root.f, root.insert = f, insert
    keys = ["a", "b", "lake", "x", "three", "abc"]
    return Saved(
        root,
        {
            "f": lambda m: m.f(tf.constant(keys)),
            "insert": lambda m: m.insert(tf.constant(["four"])),
            "after": lambda m: m.f(tf.constant(["four"])),
        },
        f,
        {"serving_default": {"keys": keys}},
    )


@program
def assets(tf: Any, folder: pathlib.Path) -> Saved:
    (folder / "one").mkdir(exist_ok=True)
    (folder / "one" / "text.txt").write_text("first")
    (folder / "text.txt").write_text("second")
    root = module(
        tf,
        first=tf.saved_model.Asset(str(folder / "one" / "text.txt")),
        second=tf.saved_model.Asset(str(folder / "text.txt")),
    )

    @tf.function(input_signature=[])
    def read():
        return tf.io.read_file(root.first.asset_path), tf.io.read_file(root.second.asset_path)

    root.read = read
    return Saved(root, {"read": lambda m: m.read()}, feeds={"serving_default": {}})


@program
def resources_of_the_user(tf: Any, folder: pathlib.Path) -> Saved:
    class Words(tf.saved_model.experimental.TrackableResource):
        def _create_resource(self):
            return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="words_of_the_user")

        def _initialize(self):
            tf.raw_ops.LookupTableImportV2(
                table_handle=self.resource_handle, keys=tf.constant(["a", "b"]), values=tf.constant([5, 6], tf.int64)
            )

    root = module(tf, words=Words())
    root.words._initialize()

    @tf.function(input_signature=[])
    def find():
        return tf.raw_ops.LookupTableFindV2(
            table_handle=root.words.resource_handle,
            keys=tf.constant(["b", "c"]),
            default_value=tf.constant(-1, tf.int64),
        )

    root.find = find
    return Saved(root, {"find": lambda m: m.find()}, feeds={"serving_default": {}})


@program
def datasets(tf: Any, folder: pathlib.Path) -> Saved:
    root = module(tf, numbers=tf.data.Dataset.range(4).map(lambda x: x * 2))
    zero = tf.constant(0, tf.int64)

    @tf.function(input_signature=[])
    def total():
        return root.numbers.reduce(zero, lambda a, b: a + b)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def fresh(n):
        result = zero
        for x in tf.data.Dataset.range(n).filter(lambda x: x % 2 == 0).batch(2):
            result += tf.reduce_sum(x)
        return result

    root.total, root.fresh = total, fresh
    return Saved(root, {"total": lambda m: m.total(), "fresh": lambda m: m.fresh(tf.constant(7, tf.int64))})


@program
def custom_gradients(tf: Any, folder: pathlib.Path) -> Saved:
    root = module(tf, v=tf.Variable(2.0))

    @tf.custom_gradient
    def square(x):
        def grad(dy):
            return dy * x * 100.0

        return x * x, grad

    @tf.function(input_signature=[scalar(tf)])
    def f(x):
        return square(x) * root.v + 1.0

    root.f = f

    def gradient(m):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = m.f(x)
        return tape.gradient(y, x)

    return Saved(root, {"f": lambda m: m.f(tf.constant(3.0)), "gradient": gradient})


@program
def untraced_and_compiled_functions(tf: Any, folder: pathlib.Path) -> Saved:
    compiled = tf.function(lambda x: x * 2.0, jit_compile=True)
    compiled(tf.constant(1.0))
    relaxed = tf.function(lambda x: x + 1.0, reduce_retracing=True)
    relaxed(tf.constant([1.0]))
    relaxed(tf.constant([1.0, 2.0]))
    named = tf.function(lambda x: x, experimental_implements="signal.identity")
    named(tf.constant(1.0))
    root = module(tf, never=tf.function(lambda x: x), compiled=compiled, relaxed=relaxed, named=named)
    return Saved(
        root,
        {
            "relaxed": lambda m: m.relaxed(tf.constant([1.0, 2.0, 3.0])),
            "named": lambda m: m.named(tf.constant(1.0)),
        },
    )


@program
def aliases_and_tags(tf: Any, folder: pathlib.Path) -> Saved:
    f = tf.function(lambda x: x * 3.0, input_signature=[scalar(tf)])
    root = module(tf, f=f, c=tf.function(lambda x: x - 1.0).get_concrete_function(scalar(tf)))
    f.get_concrete_function()
    options = {"function_aliases": {"triple": f, "less": root.c}, "extra_tags": ["b", "a"]}
    return Saved(root, {"f": lambda m: m.f(tf.constant(2.0)), "c": lambda m: m.c(tf.constant(2.0))}, options=options)


@program
def dtypes(tf: Any, folder: pathlib.Path) -> Saved:
    kinds = [
        "float16",
        "bfloat16",
        "float64",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "uint32",
        "int64",
        "uint64",
        "complex64",
        "complex128",
    ]
    root = module(tf, **{f"v_{kind}": tf.Variable(tf.cast([1, 2], kind)) for kind in kinds})
    root.text = tf.Variable(["a", "bc"])
    root.flag = tf.Variable([True, False])
    root.unknown = tf.Variable([1.0], shape=tf.TensorShape(None))

    @tf.function(input_signature=[])
    def f():
        values = [tf.cast(getattr(root, f"v_{kind}"), tf.complex128) for kind in kinds]
        return tf.add_n(values), root.text + "!", tf.logical_not(root.flag), root.unknown + 1.0

    root.f = f
    return Saved(root, {"f": lambda m: m.f()}, feeds={"serving_default": {}})


@program
def random_numbers(tf: Any, folder: pathlib.Path) -> Saved:
    root = module(tf, generator=tf.random.Generator.from_seed(7))

    @tf.function(input_signature=[])
    def f():
        return root.generator.normal([2]), tf.random.stateless_uniform([2], seed=[1, 2])

    root.f = f
    return Saved(root, {"f": lambda m: m.f()})


@program
def strings(tf: Any, folder: pathlib.Path) -> Saved:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def f(text):
        parts = tf.strings.split(text)
        joined = tf.strings.reduce_join(text, separator="-")
        return (
            parts.flat_values,
            parts.row_splits,
            joined,
            tf.strings.regex_replace(text, "a+", "<\\0>"),
            tf.strings.length(text),
        )

    return Saved(
        module(tf, f=f),
        {"f": lambda m: m.f(tf.constant(["aa b", "c"]))},
        feeds={"serving_default": {"text": ["aa b", "c"]}},
    )


@program
def variables_made_in_functions(tf: Any, folder: pathlib.Path) -> Saved:
    class Lazy(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]) * 4.0, name="lazy")
            return x * self.w

    root = Lazy()
    root(tf.constant([1.0, 2.0]))
    return Saved(root, {"call": lambda m: m(tf.constant([1.0, 2.0]))})


@program
def objects_with_tensors_of_their_own(tf: Any, folder: pathlib.Path) -> Saved:
    class Halved(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.v = self._track_trackable(tf.Variable([2.0, 4.0]), "v")

        def _serialize_to_tensors(self):
            return {"half": self.v / 2.0, "count": tf.constant(3)}

        def _restore_from_tensors(self, restored_tensors):
            return self.v.assign(restored_tensors["half"] * 2.0)

    root = module(tf, halved=Halved())
    root.f = tf.function(lambda: root.halved.v + 1.0, input_signature=[])
    return Saved(root, {"f": lambda m: m.f()}, feeds={"serving_default": {}})


@program
def nested_arguments(tf: Any, folder: pathlib.Path) -> Saved:
    pair = collections.namedtuple("pair", "left right")

    @tf.function(input_signature=[{"a": scalar(tf), "b": [scalar(tf), scalar(tf)]}, scalar(tf)])
    def f(tree, x):
        return tree["a"] + tree["b"][0] * tree["b"][1] - x

    @tf.function
    def g(p):
        return pair(p.right, p.left)

    one, two = tf.constant(1.0), tf.constant(2.0)
    g(pair(one, two))
    root = module(tf, f=f, g=g)
    return Saved(
        root,
        {"f": lambda m: m.f({"a": one, "b": [two, two]}, one), "g": lambda m: tuple(m.g(pair(one, two)))},
        f,
    )
