from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest

import millrace as tf

TS = tf.TensorSpec


def add(x: Any, y: Any = 2, *, k: Any = 3) -> Any:
    return x + y + k


def pair(x: Any, y: Any) -> Any:
    return x


def test_a_concrete_function_describes_itself() -> None:
    c = tf.function(add).get_concrete_function(TS([None], tf.int32))
    signature = (
        "(x: TensorSpec(shape=(None,), dtype=tf.int32, name=None), y: Literal[2], *, k: Literal[3])"
        " -> TensorSpec(shape=(None,), dtype=tf.int32, name=None)"
    )
    lines = (
        "Input Parameters:\n"
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=tf.int32, name=None)\n"
        "  y (POSITIONAL_OR_KEYWORD): Literal[2]\n"
        "  k (KEYWORD_ONLY): Literal[3]\n"
        "Output Type:\n  TensorSpec(shape=(None,), dtype=tf.int32, name=None)\nCaptures:\n  None"
    )
    assert re.fullmatch(rf"<ConcreteFunction {re.escape(signature)} at 0x[0-9A-F]+>", repr(c))
    assert str(c) == f"ConcreteFunction {lines}"
    assert str(c.function_type) == signature and repr(c.function_type) == lines
    assert c.pretty_printed_signature() == lines and c.pretty_printed_signature(verbose=False) == signature
    assert re.fullmatch(rb"__inference_add_\d+", c.name)


def test_captures_are_listed_by_id() -> None:
    v = tf.Variable(1.0)
    c = tf.function(lambda: v + 1.0).get_concrete_function()
    ids = "|".join(str(key) for key in c.function_type.captures)
    assert re.search(rf"Captures:\n  ({ids}): TensorSpec\(shape=\(\), dtype=tf.resource, name=None\)$", str(c))


def test_arguments_of_every_position_get_their_names() -> None:
    def f(x: Any, y: Any, d: Any, *args: Any, **kw: Any) -> Any:
        return x

    c = tf.function(f).get_concrete_function(
        TS([]), TS([], name="foo"), {"a": TS([]), "b": [TS([]), TS([])]}, TS([]), 5, None, z=TS([]), w=True
    )
    assert [t.name for t in c.inputs] == ["x:0", "foo:0", "d:0", "d_1:0", "d_2:0", "args_0:0", "z:0"]
    assert c.structured_input_signature == (
        (
            TS([], name="x"),
            TS([], name="foo"),
            {"a": TS([], name="d_a"), "b": [TS([], name="d_b_0"), TS([], name="d_b_1")]},
            TS([], name="args_0"),
            5,
            None,
        ),
        {"w": True, "z": TS([], name="z")},
    )
    assert "args_1: Literal[5], args_2: Literal[None], /, *, w: Literal[True], z: TensorSpec(" in str(c.function_type)


def test_names_that_are_no_node_names_are_replaced(caplog: pytest.LogCaptureFixture) -> None:
    c = tf.function(lambda _x, x: x).get_concrete_function(TS([]), {"a b": TS([]), "c": TS([], name="foo bar")})
    assert [t.name for t in c.inputs] == ["Placeholder:0", "x:0", "Placeholder_1:0"]
    assert c.structured_input_signature[0] == (
        TS([], name="tensor__x"),
        {"a b": TS([], name="x_a_b"), "c": TS([], name="foo bar")},
    )
    assert "`_x` is not a valid node name" in caplog.text


def test_outputs_keep_their_structure() -> None:
    c = tf.function(lambda a: ({"o": a, "l": [a, None, 3]}, (a,))).get_concrete_function(TS([2]))
    assert [t.name for t in c.outputs] == ["Identity:0", "Identity_1:0", "Identity_2:0", "Identity_3:0"]
    structured = c.structured_outputs
    assert structured[0]["l"][1] is None and structured[0]["l"][2].dtype is tf.int32
    assert structured[0]["o"].name == "Identity_2:0"
    assert c.output_dtypes == ({"o": tf.float32, "l": [tf.float32, None, tf.int32]}, (tf.float32,))
    assert c.output_shapes[0]["o"] == [2] and c.output_shapes[0]["l"][1].rank is None


def test_calls_by_position_and_by_keyword() -> None:
    c = tf.function(add).get_concrete_function(TS([None], tf.int32))
    x = tf.constant([1])
    assert [r.numpy().tolist() for r in (c(x), c(x=x), c(x, k=3, y=2), c([1], 2, k=3))] == [[6]] * 4


def test_values_are_cast_to_the_traces_types() -> None:
    c = tf.function(lambda x: x + 1.0).get_concrete_function(TS([None, 2]))
    for value in ([[1, 2]], np.ones([1, 2]), tf.Variable(tf.ones([1, 2])), [[True, False]]):
        assert c(value).shape == [1, 2]


def test_tensors_may_be_passed_flat_by_position_and_name() -> None:
    c = tf.function(lambda x, y: [x, y]).get_concrete_function(TS([]), [TS([]), TS([])])
    one = tf.constant(1.0)
    assert len(c(one, [one, 2.0])) == 2
    assert len(c(one, one, one)) == 2
    assert len(c(x=one, y=one, y_1=one)) == 2


def test_tensors_may_be_passed_by_the_names_of_specs() -> None:
    c = tf.function(pair).get_concrete_function(TS([], name="q"), TS([], name="q"))
    assert float(c(q=tf.constant(1.0), q_1=tf.constant(2.0))) == 1.0


@pytest.mark.parametrize(
    ("args", "kwargs", "structured", "flat"),
    [
        ((), {}, "missing a required argument: 'x'", "add(x) missing required arguments: x."),
        ((0, 2), {}, "missing a required argument: 'k'", "add(x) takes 1 positional arguments, got 2."),
        ((0,), {"y": 5}, "missing a required argument: 'k'", "add(x) got unexpected keyword arguments: y."),
        (
            ([1],),
            {},
            "missing a required argument: 'y'",
            "add(x): expected argument #0(zero-based) to be a Tensor; got list ([1]).",
        ),
        (
            (None,),
            {},
            "missing a required argument: 'y'",
            "add(x): expected argument #0(zero-based) to be a Tensor; got NoneType (None).",
        ),
        ((0, 4, 1), {}, "too many positional arguments", "add(x) takes 1 positional arguments, got 3."),
        ((0, 4), {"k": 3}, "Can not cast 4 to Literal[2]", "add(x) takes 1 positional arguments, got 2."),
    ],
)
def test_a_call_that_fits_neither_way_gets_both_complaints(args: Any, kwargs: Any, structured: str, flat: str) -> None:
    c = tf.function(add).get_concrete_function(TS([None], tf.int32))
    args = tuple(tf.constant([1]) if a == 0 and a is not None else a for a in args)
    with pytest.raises(TypeError) as caught:
        c(*args, **kwargs)
    said = str(caught.value).replace("keyword-only argument", "argument")  # as Python says it from 3.12 on
    assert said.startswith(f"Binding inputs to tf.function failed due to `{structured}`. Received args: ")
    assert said.endswith(f"\nFallback to flat signature also failed due to: {flat}")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (tf.constant(1), "int32"),
        (tf.constant(1.0, tf.float64), "double"),
        (tf.constant(1.0, tf.float16), "half"),
        (tf.constant(True), "bool"),
        (tf.constant("a"), "string"),
    ],
)
def test_a_tensor_of_the_wrong_dtype_is_refused(value: Any, name: str) -> None:
    c = tf.function(pair).get_concrete_function(TS([]), TS([]))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        c(tf.constant(1.0), value)
    text = c.name.decode()
    assert caught.value.message == (
        f"cannot compute {text} as input #1(zero-based) was expected to be a float tensor but is a {name} tensor "
        f"[Op:{text}]"
    )


def test_a_python_argument_stays_fixed() -> None:
    c = tf.function(lambda x, y: x + y).get_concrete_function(1.0, 2.0)
    assert float(c()) == float(c(1.0, 2.0)) == 3.0
    with pytest.raises(TypeError, match=r"Can not cast 3.0 to Literal\[2.0\]"):
        c(1.0, 3.0)


def test_a_function_without_arguments_takes_none() -> None:
    c = tf.function(lambda: 1).get_concrete_function()
    assert (
        str(c)
        == "ConcreteFunction Input Parameters:\nOutput Type:\n  TensorSpec(shape=(), dtype=tf.int32, name=None)\n"
        "Captures:\n  None"
    )
    with pytest.raises(TypeError, match=r"takes 0 positional arguments, got 1."):
        c(1)


def test_variables_are_listed_while_they_live() -> None:
    pair = [tf.Variable(7.0), tf.Variable(1.0, trainable=False)]
    c = tf.function(lambda: pair[0] + pair[1]).get_concrete_function()
    assert [x.ref() for x in c.variables] == [x.ref() for x in pair]
    assert [x.ref() for x in c.trainable_variables] == [pair[0].ref()]
    assert [t is x.handle for t, x in zip(c.captured_inputs, pair)] == [True, True]
    pair.clear()
    assert float(c()) == 8.0
    with pytest.raises(AssertionError, match=r"Called a function referencing variables which have been deleted."):
        c.variables


def test_captured_inputs_can_be_replaced() -> None:
    k = tf.constant(3.0)
    c = tf.function(lambda x: x + k).get_concrete_function(TS([]))
    assert float(c(tf.constant(1.0))) == 4.0
    c.set_external_captures([tf.constant(10.0)])
    assert float(c(tf.constant(1.0))) == 11.0 and float(c.captured_inputs[0]) == 10.0
    with pytest.raises(ValueError, match="Did not find"):
        c.replace_capture_with_deferred_capture(tf.constant(1.0), lambda: None, TS([]))
    d = tf.function(lambda x: x + k).get_concrete_function(TS([]))
    d.replace_capture_with_deferred_capture(k, lambda: tf.constant(5.0), TS([]))
    assert float(d(tf.constant(1.0))) == 6.0


def test_the_inference_function_has_no_gradient() -> None:
    c = tf.function(lambda x: x * x).get_concrete_function(TS([]))
    f = c.inference_fn
    assert isinstance(f, tf.types.experimental.AtomicFunction)
    assert str(f) == f"<AtomicFunction> {c.name.decode()}{c.function_type}" and f.name == c.name
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(y) == 9.0 and tape.gradient(y, x) is None
    assert [float(t) for t in f.call_flat(x)] == [9.0] and f.children == []


def test_a_concrete_function_has_a_gradient() -> None:
    c = tf.function(lambda x: x * x).get_concrete_function(TS([None]))
    x = tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = c(x)
    assert tape.gradient(y, x).numpy().tolist() == [6.0]


def test_variables_may_stand_for_each_other() -> None:
    v, w = tf.Variable(1.0), tf.Variable(5.0)
    c = tf.function(lambda a: a.assign_add(1.0) * 2.0).get_concrete_function(v)
    assert c.structured_input_signature[0][0].trainable and c.captured_inputs == [] and c.variables == ()
    assert float(c(w)) == 12.0 and float(w) == 6.0 and float(v) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a resource tensor but is a float tensor"):
        c(tf.constant(1.0))


def test_shapes_are_not_checked_for_plain_tensors() -> None:
    c = tf.function(lambda x: x + 1.0).get_concrete_function(TS([None, 2]))
    assert c(tf.ones([3])).shape == [3]


def test_a_concrete_function_cannot_be_pickled_or_copied() -> None:
    c = tf.function(lambda: 1).get_concrete_function()
    for attempt in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle 'FuncGraph' object"):
            attempt(c)


def test_a_concrete_function_has_no_traces_of_its_own() -> None:
    c = tf.function(lambda: 1).get_concrete_function()
    assert isinstance(c, tf.types.experimental.ConcreteFunction)
    assert not hasattr(c, "get_concrete_function")


def test_functions_are_registered_in_a_graph() -> None:
    c = tf.function(lambda x: x * x).get_concrete_function(TS([]))
    graph = tf.Graph()
    c.add_to_graph(graph)
    c.add_gradient_functions_to_graph(graph)
    assert {name.split("_")[2] for name in graph.functions} == {"inference", "forward", "backward"}


def test_outputs_that_are_composites_show_their_components() -> None:
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    c = tf.function(lambda s: {"s": s, "v": s.values}).get_concrete_function(sparse)
    assert [shape.as_list() for shape in c.output_shapes["s"]] == [[None, 2], [None], [2]]
    assert c.output_shapes["v"].as_list() == [None]
    assert c.output_dtypes == {"s": [tf.int64, tf.float32, tf.int64], "v": tf.float32}
