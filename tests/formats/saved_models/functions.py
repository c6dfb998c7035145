"""SavedModels of functions: traces, Python values, defaults, keywords, calls, methods, compilation, printing."""

from __future__ import annotations

import enum
import functools
from typing import Any

import numpy as np

from tests.formats.saved_models.model import Models, Saved
from tests.oracle.support import printed

FUNCTIONS = Models("functions")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@FUNCTIONS(
    of_float=lambda tf, m: m.f(tf.constant(1.5)),
    of_int=lambda tf, m: m.f(tf.constant(2)),
    of_vector=lambda tf, m: m.f(tf.constant([1.0, 2.0, 3.0])),
    of_other_length=lambda tf, m: m.f(tf.constant([1.0])),
    of_text=lambda tf, m: m.f(tf.constant("text")),
    traces=lambda tf, m: len(m.f.concrete_functions),
)
def several_traces(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x: x + x)
    root.f(tf.constant(1.0))
    root.f(tf.constant(1))
    root.f(tf.constant([1.0, 2.0, 3.0]))
    return root


@FUNCTIONS(
    two=lambda tf, m: m.f(tf.constant(3), 2),
    default=lambda tf, m: m.f(tf.constant(3)),
    text=lambda tf, m: m.f(tf.constant(3), mode="double"),
    nothing=lambda tf, m: m.f(tf.constant(3), None),
    yes=lambda tf, m: m.f(tf.constant(3), flag=True),
    real=lambda tf, m: m.f(tf.constant(3), 0.5),
    unseen=lambda tf, m: m.f(tf.constant(3), 99),
)
def python_values(tf: Any) -> Any:
    root = tf.Module()

    @tf.function
    def f(x, n=4, flag=False, mode="plain"):
        if n is None:
            return -x
        if flag:
            return x * 100
        if mode == "double":
            return x * 2
        return x * int(n * 10)

    root.f = f
    x = tf.constant(1)
    for call in (
        lambda: f(x),
        lambda: f(x, 2),
        lambda: f(x, None),
        lambda: f(x, 0.5),
        lambda: f(x, flag=True),
        lambda: f(x, mode="double"),
    ):
        call()
    return root


@FUNCTIONS(
    keyword=lambda tf, m: m.f(x=tf.constant(1.0), y=tf.constant(2.0)),
    positional=lambda tf, m: m.f(tf.constant(1.0), tf.constant(2.0)),
    mixed=lambda tf, m: m.f(tf.constant(1.0), y=tf.constant(2.0)),
    python_numbers=lambda tf, m: m.f(1.0, 2.0),
    arrays=lambda tf, m: m.f([1.0, 2.0][0], tf.constant(2.0).numpy()),
    missing=lambda tf, m: m.f(tf.constant(1.0)),
    unknown_keyword=lambda tf, m: m.f(tf.constant(1.0), z=tf.constant(2.0)),
    wrong_dtype=lambda tf, m: m.f(tf.constant("a"), tf.constant(2.0)),
)
def input_signature(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x, y: x - y, input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    return root


@FUNCTIONS(
    vector=lambda tf, m: m.f(tf.constant([1.0, 2.0])),
    matrix=lambda tf, m: m.g(tf.constant([[1.0, 2.0, 3.0]])),
    other_matrix=lambda tf, m: m.g(tf.ones([4, 3])),
    wrong_matrix=lambda tf, m: m.g(tf.ones([4, 2])),
    any_rank=lambda tf, m: [m.h(tf.constant(5)).numpy(), m.h(tf.constant([[5, 6]])).numpy()],
)
def unknown_dimensions(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x: tf.reduce_sum(x), input_signature=[tf.TensorSpec([None])])
    root.g = tf.function(lambda x: tf.shape(x), input_signature=[tf.TensorSpec([None, 3], name="matrix")])
    root.h = tf.function(lambda x: tf.size(x), input_signature=[tf.TensorSpec(None, tf.int32)])
    return root


@FUNCTIONS(
    default=lambda tf, m: m.f(tf.constant(1.0)),
    given=lambda tf, m: m.f(tf.constant(1.0), scale=tf.constant(5.0)),
    keyword_only=lambda tf, m: m.g(tf.constant(1.0), offset=2),
    keyword_default=lambda tf, m: m.g(tf.constant(1.0)),
)
def default_arguments(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    def f(x, scale=3.0):
        return x * scale

    @tf.function
    def g(x, *, offset=1):
        return x + float(offset)

    root.f, root.g = f, g
    g(tf.constant(0.0))
    g(tf.constant(0.0), offset=2)
    return root


@FUNCTIONS(
    three=lambda tf, m: m.f(tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)),
    one=lambda tf, m: m.f(tf.constant(1.0)),
    named=lambda tf, m: m.g(a=tf.constant(1.0), b=tf.constant(2.0)),
)
def variadic(tf: Any) -> Any:
    root = tf.Module()

    @tf.function
    def f(*numbers):
        return tf.add_n(list(numbers))

    @tf.function
    def g(**named):
        return {key: value * 2.0 for key, value in named.items()}

    root.f, root.g = f, g
    f(tf.constant(1.0))
    f(*[tf.constant(1.0)] * 3)
    g(a=tf.constant(1.0), b=tf.constant(2.0))
    return root


@FUNCTIONS(
    outer=lambda tf, m: m.outer(tf.constant(3.0)),
    inner=lambda tf, m: m.inner(tf.constant(3.0)),
    state=lambda tf, m: m.v,
)
def functions_call_functions(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(1.0)

    @tf.function
    def innermost(x):
        root.v.assign_add(x)
        return root.v * 2.0

    @tf.function
    def inner(x):
        return innermost(x) + 1.0

    @tf.function
    def outer(x):
        return inner(x) + inner(x + 1.0) + innermost(x)

    root.inner, root.outer = inner, outer
    outer(tf.constant(0.0))
    root.v.assign(1.0)
    return root


@FUNCTIONS(fact=lambda tf, m: m.factorial(tf.constant(5)), zero=lambda tf, m: m.factorial(tf.constant(0)))
def recursion_of_python(tf: Any) -> Any:
    """A Python recursion over traces: each depth is a function of its own."""
    root = tf.Module()

    @tf.function
    def product(x, depth):
        return tf.constant(1) if depth == 0 else tf.maximum(x, 1) * product(x - 1, depth - 1)

    root.factorial = tf.function(lambda x: product(x, 5), input_signature=[tf.TensorSpec([], tf.int32)])
    return root


@FUNCTIONS(
    doubled=lambda tf, m: m.double(tf.constant(4.0)),
    partial=lambda tf, m: m.partial(tf.constant(4.0)),
)
def concrete_and_partial_functions(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(2.0)
    double = tf.function(lambda x: x * root.v)
    root.double = double.get_concrete_function(tf.TensorSpec([]))
    root.partial = tf.function(functools.partial(lambda a, x: a * x, 7.0), input_signature=[tf.TensorSpec([])])
    return root


@FUNCTIONS(
    same=lambda tf, m: m.f(tf.constant(1.0)) == m.g(tf.constant(1.0)),
    methods=lambda tf, m: [m.method(tf.constant(2.0)).numpy(), m.static(tf.constant(2.0)).numpy()],
    of_class=lambda tf, m: m.of_class(tf.constant(2.0)),
)
def aliases_and_methods(tf: Any) -> Any:
    class Methods(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([])])
        def method(self, x):
            return self.v * x

        @staticmethod
        @tf.function(input_signature=[tf.TensorSpec([])])
        def static(x):
            return x * 10.0

    root = Methods()
    root.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([])])
    root.g = root.f
    root.of_class = tf.function(lambda x: x - root.v, input_signature=[tf.TensorSpec([])])
    return root


@FUNCTIONS(needs="xla", value=lambda tf, m: m.f(tf.constant([1.0, 2.0])))
def compiled_with_xla(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(2.0)
    root.f = tf.function(
        lambda x: tf.reduce_sum(tf.sin(x) * root.v), input_signature=[tf.TensorSpec([None])], jit_compile=True
    )
    return root


@FUNCTIONS(
    printed=lambda tf, m: printed(lambda: m.f(tf.constant([1, 2, 3])))["stderr"],
    result=lambda tf, m: m.f(tf.constant([0, 0, 0])),
)
def printing(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([3], tf.int32)])
    def f(x):
        tf.print("x is", x, summarize=-1)
        return x + 1

    root.f = f
    return root


@FUNCTIONS(
    good=lambda tf, m: m.f(tf.constant(4.0)),
    bad=lambda tf, m: m.f(tf.constant(-4.0)),
    equal=lambda tf, m: m.g(tf.constant([1, 1])),
    unequal=lambda tf, m: m.g(tf.constant([1, 2])),
)
def assertions(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(x):
        tf.debugging.Assert(x > 0.0, ["not positive:", x])
        return tf.sqrt(x)

    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
    def g(x):
        tf.debugging.assert_equal(x[0], x[1], message="they differ")
        return x

    root.f, root.g = f, g
    return root


@FUNCTIONS(value=lambda tf, m: m.f(tf.constant(2.0)))
def name_scopes_and_devices(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([], name="input_value")])
    def f(x):
        with tf.name_scope("outer"):
            a = tf.add(x, 1.0, name="a")
            with tf.name_scope("inner"), tf.device("/CPU:0"):
                b = tf.multiply(a, 2.0, name="b")
        with tf.control_dependencies([b]):
            return tf.identity(b, name="result")

    root.f = f
    return root


@FUNCTIONS(value=lambda tf, m: tf.reduce_sum(m.f()), corner=lambda tf, m: m.f()[0, :3])
def big_constant(tf: Any) -> Any:
    table = np.arange(3000, dtype=np.float32).reshape(30, 100)
    root = tf.Module()
    root.f = tf.function(lambda: tf.constant(table) * 2.0, input_signature=[])
    return root


@FUNCTIONS(
    none=lambda tf, m: m.none(tf.constant(1.0)),
    unused=lambda tf, m: m.unused(tf.constant(1.0), tf.constant([1])),
    same=lambda tf, m: m.same(tf.constant(1.0)),
    captured=lambda tf, m: m.captured(),
    constant=lambda tf, m: m.constant(),
)
def degenerate_functions(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(1.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def none(x):
        root.v.assign_add(x)

    root.none = none
    root.unused = tf.function(lambda x, y: x, input_signature=[tf.TensorSpec([]), tf.TensorSpec([None], tf.int32)])
    root.same = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
    root.captured = tf.function(lambda: root.v.read_value(), input_signature=[])
    root.constant = tf.function(lambda: 5, input_signature=[])
    return root


@FUNCTIONS(
    traced_later=lambda tf, m: m.outer(tf.constant([1.0, 2.0])),
    in_graph=lambda tf, m: _doubled(tf, m),
    gradient=lambda tf, m: _gradient(tf, m),
)
def called_from_new_functions(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(3.0)
    root.f = tf.function(lambda x: x * x * root.v, input_signature=[tf.TensorSpec([])])
    root.outer = tf.function(lambda x: tf.reduce_sum(x) * root.f(x[0]), input_signature=[tf.TensorSpec([None])])
    return root


def _doubled(tf: Any, m: Any) -> Any:
    @tf.function
    def doubled(x):
        return m.f(x) * 2.0

    return doubled(tf.constant(3.0))


def _gradient(tf: Any, m: Any) -> Any:
    x = tf.constant(2.0)
    f = tf.function(m.f)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, m.v])


@FUNCTIONS(
    untraced=lambda tf, m: [hasattr(m, "untraced"), hasattr(m, "traced")],
    value=lambda tf, m: m.traced(tf.constant(1.0)),
    untraced_call=lambda tf, m: m.untraced(tf.constant(1.0)),
)
def function_without_traces(tf: Any) -> Any:
    root = tf.Module()
    root.untraced = tf.function(lambda x: x + 1.0)
    root.traced = tf.function(lambda x: x + 2.0)
    root.traced(tf.constant(1.0))
    return root


@FUNCTIONS(implements=lambda tf, m: m.f(tf.constant(3.0)), other=lambda tf, m: m.g(tf.constant(3.0)))
def attributes_of_functions(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x: x * 2.0, [tf.TensorSpec([])], experimental_implements="embedded.double")
    root.g = tf.function(lambda x: root.f(x) + 1.0, [tf.TensorSpec([])], reduce_retracing=True)
    return Saved(root)


@FUNCTIONS(
    of_enum=lambda tf, m: m.of_enum(tf.constant(1.0), Color.RED),
    of_module=lambda tf, m: m.of_module(tf.constant(1.0), m),
    of_number=lambda tf, m: m.of_enum(tf.constant(1.0), 2),
    traces=lambda tf, m: [len(m.of_enum.concrete_functions), len(m.of_module.concrete_functions)],
)
def values_that_cannot_be_written(tf: Any) -> Any:
    """Traces for values that a file cannot hold are left out of it."""
    root = tf.Module()
    root.v = tf.Variable(2.0)
    root.of_enum = tf.function(lambda x, color: x * float(getattr(color, "value", color)))
    root.of_module = tf.function(lambda y, module: y * module.v)
    for color in (Color.RED, Color.BLUE, 2):
        root.of_enum(tf.constant(1.0), color)
    root.of_module(tf.constant(1.0), root)
    return root


@FUNCTIONS(
    default=lambda tf, m: m.f(tf.constant([1, 2])),
    given=lambda tf, m: m.f(tf.constant([1, 2]), tf.float64),
    other=lambda tf, m: m.f(tf.constant([1, 2]), tf.int8),
)
def dtypes_as_values(tf: Any) -> Any:
    root = tf.Module()

    @tf.function
    def f(x, dtype=tf.float32):
        return tf.cast(x, dtype)

    root.f = f
    f(tf.constant([1, 2]))
    f(tf.constant([1, 2]), tf.float64)
    return root


@FUNCTIONS(
    array=lambda tf, m: m.f(tf.constant(1.0), np.float32(3.0)),
    tensor=lambda tf, m: m.f(tf.constant(1.0), tf.constant(4.0)),
    list=lambda tf, m: m.g([tf.constant(1.0), 2.0]),
)
def arrays_as_values(tf: Any) -> Any:
    """Arrays are traced as tensors."""
    root = tf.Module()
    root.f = tf.function(lambda x, n: x * n)
    root.f(tf.constant(1.0), np.float32(3.0))
    root.g = tf.function(lambda items: items[0] + items[1])
    root.g([tf.constant(0.0), 2.0])
    return root


@FUNCTIONS(
    spec=lambda tf, m: str(m.f.concrete_functions[0].structured_input_signature[0][1]),
    traces=lambda tf, m: len(m.f.concrete_functions),
)
def variables_as_arguments(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(2.0)
    root.f = tf.function(lambda x, v: x * v)
    root.f(tf.constant(1.0), root.v)
    return root


@FUNCTIONS(
    nothing=lambda tf, m: m.f(),
    both=lambda tf, m: m.f(tf.constant(3.0), tf.constant(9.0)),
    one=lambda tf, m: m.f(tf.constant(3.0)),
)
def optional_tensors(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(lambda x=2.0, y=None: x if y is None else x + y)
    root.f()
    root.f(tf.constant(3.0), y=tf.constant(1.0))
    return root
