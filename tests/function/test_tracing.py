from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

import millrace as tf

TS = tf.TensorSpec
Point = namedtuple("Point", "x y")


def operations(c: Any) -> list[str]:
    return [f"{op.name}:{op.type}" for op in c.graph.get_operations()]


def test_outputs_are_identities_and_effects_are_joined() -> None:
    v = tf.Variable(1.0)
    c = tf.function(lambda x: (v.assign_add(x), None, {"z": x, "a": 3})).get_concrete_function(TS([]))
    assert operations(c) == [
        "x:Placeholder",
        "AssignAddVariableOp/resource:Placeholder",
        "AssignAddVariableOp:AssignAddVariableOp",
        "ReadVariableOp:ReadVariableOp",
        "Identity:Identity",
        "Const:Const",
        "Identity_1:Identity",
        "Identity_2:Identity",
        "NoOp:NoOp",
    ]
    assert {op.name for op in c.graph.control_outputs} == {"AssignAddVariableOp", "ReadVariableOp"}
    identity = c.graph.get_operation_by_name("Identity")
    assert [op.name for op in identity.control_inputs] == ["NoOp"]


def test_a_function_without_outputs_needs_no_joint() -> None:
    v = tf.Variable(1.0)

    def f(x: Any) -> None:
        v.assign(x)

    c = tf.function(f).get_concrete_function(TS([]))
    assert operations(c)[-1] == "AssignVariableOp:AssignVariableOp" and c.structured_outputs is None
    c(tf.constant(5.0))
    assert float(v) == 5.0


def test_the_same_tensor_returned_twice_has_two_identities() -> None:
    c = tf.function(lambda x: (x, x)).get_concrete_function(TS([]))
    assert [t.name for t in c.outputs] == ["Identity:0", "Identity_1:0"]


def test_symbolic_arguments_print_as_tensorflow_prints_them() -> None:
    seen: list[str] = []

    @tf.function
    def f(a: Any) -> Any:
        seen.append(f"{a} {a!r}")
        return a

    f.get_concrete_function(TS([], tf.int32))
    f.get_concrete_function(TS(None, tf.string))
    assert seen == [
        "Tensor(\"a:0\", shape=(), dtype=int32) <tf.Tensor 'a:0' shape=() dtype=int32>",
        "Tensor(\"a:0\", dtype=string) <tf.Tensor 'a:0' shape=<unknown> dtype=string>",
    ]


def append(x: Any) -> Any:
    x.append(1)
    return 1


def replace(x: Any) -> Any:
    x[0] = tf.constant(5)
    return 1


def add_key(x: Any) -> Any:
    x["b"] = 1
    return 1


def pop_inner(x: Any) -> Any:
    x["a"].pop()
    return 1


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (append, [1]),
        (append, [tf.constant(1)]),
        (replace, [1]),
        (replace, [tf.constant(1)]),
        (add_key, {"a": 1}),
        (pop_inner, {"a": [tf.constant(1)]}),
    ],
)
def test_changing_an_argument_is_refused(function: Any, value: Any) -> None:
    with pytest.raises(ValueError) as caught:
        tf.function(function)(value)
    assert str(caught.value) == (
        f"{function.__qualname__}(x) should not modify its Python input arguments. Modifying a copy is allowed. "
        "The following parameter(s) were modified: x"
    )


def test_putting_the_same_value_back_is_no_change() -> None:
    def same(x: Any) -> Any:
        x[0] = x[0]
        return x[0]

    assert int(tf.function(same)([tf.constant(7)])) == 7


def test_the_callers_containers_are_untouched() -> None:
    value = [tf.constant(1)]
    kept = value[0]
    tf.function(lambda x: x[0])(value)
    assert value[0] is kept


def test_a_leaked_tensor_cannot_be_used_outside() -> None:
    leaked: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        leaked.append(x + 1)
        return x

    f(tf.constant(1.0))
    tensor = leaked[0]
    with pytest.raises(AttributeError, match="object has no attribute 'numpy'"):
        tensor.numpy()
    with pytest.raises(
        TypeError, match=r"is out of scope and cannot be used here. Use return values, explicit Python locals"
    ):
        tensor + 1
    with pytest.raises(TypeError, match=r"is out of scope and cannot be used here."):
        f(tensor)
    with pytest.raises((TypeError, ValueError), match=r"is out of scope and cannot be used here."):
        tf.function(lambda: tensor + 1.0)()
    with pytest.raises(NotImplementedError, match=r"Cannot convert a symbolic tf.Tensor \(add:0\) to a numpy array"):
        np.sin(tensor)


def test_a_trace_that_captured_a_tensor_of_another_trace_cannot_be_called_outside() -> None:
    kept: list[Any] = []

    @tf.function
    def outer(x: Any) -> Any:
        y = x * 2.0
        if not kept:
            kept.append(tf.function(lambda z: z + y))
        return kept[0](x)

    assert float(outer(tf.constant(1.0))) == 3.0
    with pytest.raises(TypeError, match=r"<tf.Tensor 'mul:0' shape=.* is out of scope and cannot be used here."):
        kept[0](tf.constant(1.0))


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda x: x.numpy(), AttributeError, "object has no attribute 'numpy'"),
        (lambda x: np.sin(x) + 0, NotImplementedError, "Cannot convert a symbolic tf.Tensor"),
        (lambda x: bool(x), TypeError, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"),
        (lambda x: x if x > 0 else -x, TypeError, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"),
        (lambda x: list(x), TypeError, "Iterating over a symbolic `tf.Tensor` is not allowed"),
        (lambda x: len(x), TypeError, "len is not well defined for a symbolic Tensor"),
        (lambda x: float(x), TypeError, r"float\(\) argument must be a string or a real number"),
        (lambda x: range(x), TypeError, "cannot be interpreted as an integer"),
    ],
)
def test_a_symbolic_tensor_is_not_a_python_value(use: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tf.function(use, autograph=False)(tf.constant(1.0))


def test_tapes_outside_do_not_see_the_ops_of_a_trace() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda z: z * z)(x)
    assert float(tape.gradient(y, x)) == 4.0


def test_a_tape_inside_differentiates_in_the_graph() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x)

    assert float(f(tf.constant(2.0))) == 12.0


def test_eager_mode_is_off_while_tracing_and_back_after_an_error() -> None:
    def f() -> Any:
        assert not tf.executing_eagerly()
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        tf.function(f)()
    assert tf.executing_eagerly()


def test_unneeded_operations_do_not_run() -> None:
    def f(x: Any) -> Any:
        tf.gather(x, [5])
        return x

    x = tf.constant([1])
    assert tf.function(f)(x).numpy().tolist() == [1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(x)


# --- outputs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ((), ()),
        ((None, [None], {}), (None, [None], {})),
        ("abc", b"abc"),
        (1.5, 1.5),
        (True, True),
        ([1, "a"], [1, b"a"]),
        (range(3), [0, 1, 2]),
        (Point(1, 2), Point(1, 2)),
        (OrderedDict(b=1, a=2), OrderedDict(b=1, a=2)),
        ([[1, 2], [3]], [[1, 2], [3]]),
        (np.float32(1), 1.0),
        (tf.TensorShape([1, 2]), [1, 2]),
    ],
)
def test_outputs_of_any_structure(value: Any, expected: Any) -> None:
    f = tf.function(lambda: value)
    for _ in range(2):
        result = tf.nest.map_structure(
            lambda t: t if t is None else t.numpy().tolist() if t.dtype is not tf.string else t.numpy(), f()
        )
        assert result == expected and (type(result) is type(expected))


def test_variables_are_returned_as_tensors() -> None:
    v = tf.Variable(3.0)
    result = tf.function(lambda: {"v": v})()["v"]
    assert result is not v and float(result) == 3.0


def test_inputs_are_returned_as_new_tensors() -> None:
    x = tf.constant([1])
    assert tf.function(lambda y: y)(x) is not x


def test_indexed_slices_are_returned_whole() -> None:
    result = tf.function(lambda: tf.IndexedSlices(tf.constant([1.0]), tf.constant([2])))()
    assert isinstance(result, tf.IndexedSlices) and result.indices.numpy().tolist() == [2]


def test_an_array_argument_may_change_after_the_call() -> None:
    x = np.array([1.0, 2.0])
    f = tf.function(lambda y: y)
    results = []
    for _ in range(2):
        x[0] = 1.0
        results.append(f(x))
        x[0] = 100.0
    assert [r.numpy().tolist() for r in results] == [[1.0, 2.0]] * 2


def generator() -> Any:
    yield 1


async def coroutine() -> int:
    return 1


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        pytest.param(generator, "generator", marks=pytest.mark.unconverted),
        pytest.param(coroutine, "coroutine", marks=pytest.mark.unconverted),
        (lambda: object(), "object"),
        (lambda: {1, 2}, "set"),
        (lambda: {"a": object()}, "object"),
        (lambda: int, "type"),
        (lambda: tf.float32, "DType"),
        (lambda: frozenset([1]), "frozenset"),
        (lambda: TS([1]), "TensorSpec"),
        (lambda: len, "builtin_function_or_method"),
    ],
)
def test_outputs_that_are_no_tensors_are_refused(function: Any, kind: str) -> None:
    with pytest.raises(TypeError) as caught:
        tf.function(function)()
    assert str(caught.value) == (
        "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
        "None "
        f"values; in compilation of {function}, found return value of type {kind}, which is not a Tensor or "
        "ExtensionType."
    )
