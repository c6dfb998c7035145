"""`@op`: what a declaration tells, how attributes are brought into form, the registry."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core import op_def as module
from millrace._src.core.op_def import Effects, all_op_names, get_op, op
from millrace._src.core.op_signature import TypeList, TypeSet
from millrace._src.core.shapes import TensorShape

ANY = TypeSet((tf.float32, tf.int32), default=tf.float32)


@pytest.fixture
def registry() -> Iterator[dict[str, Any]]:
    yield module._REGISTRY
    for name in ("Scaled", "Several"):
        module._REGISTRY.pop(name, None)


def declare(name: str = "Scaled", **changes: Any) -> Any:
    @op(name, "x: T -> y: T", T=ANY, shape=lambda c: c.shape("x"), **changes)
    def scaled(xp: Any, x: Any, *, factor: float = 2.0, tags: list[str] = ()) -> Any:  # type: ignore[assignment]
        """Scales."""
        return xp.astype(x * factor, x.dtype)

    return scaled


def test_a_declared_op_runs_everywhere(registry: Any) -> None:
    scaled = declare()

    @scaled.gradient
    def _(dy: Any, factor: Any) -> Any:
        return dy * factor

    assert scaled([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]
    assert scaled(tf.constant(3), factor=3.0).numpy() == 9
    assert tf.function(lambda x: scaled(x, factor=0.5), autograph=False)(tf.constant(3.0)).numpy() == 1.5
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x, factor=7.0)
    assert float(tape.gradient(y, x)) == 7.0
    assert (scaled.__name__, scaled.__doc__) == ("scaled", "Scales.")
    assert scaled.op_def is get_op("Scaled")


def test_two_ops_of_one_name_are_refused(registry: Any) -> None:
    declare()
    with pytest.raises(ValueError, match="Op 'Scaled' is declared twice"):
        declare()


def test_the_kernel_tells_inputs_attributes_and_defaults(registry: Any) -> None:
    d = declare().op_def
    assert (d.input_count, d.kernel_attrs, d.attr_defaults) == (1, ("factor", "tags"), {"factor": 2.0, "tags": ()})
    assert d.attr_kinds == {"T": "type", "factor": "float", "tags": "list[string]"}
    assert (d.has_list_arguments, d.has_single_output, d.has_default_attrs) == (False, True, True)
    assert repr(d) == "<OpDef Scaled(x: T -> y: T)>"


def test_inputs_may_be_given_by_name(registry: Any) -> None:
    scaled = declare()
    assert scaled(x=1.0).numpy() == 2.0
    with pytest.raises(TypeError, match="missing required input 'x'"):
        scaled(factor=1.0)
    with pytest.raises(TypeError, match="takes 1 inputs"):
        scaled(1.0, 2.0, ["a"], "name", 5)


def test_positional_arguments_after_the_inputs_are_attributes(registry: Any) -> None:
    scaled = declare()
    assert scaled(1.0, 3.0).numpy() == 3.0
    with pytest.raises(TypeError, match="multiple values for argument 'factor'"):
        scaled(1.0, 3.0, factor=2.0)
    with tf.Graph().as_default():
        assert scaled(1.0, 3.0, [], "n").op.name == "n"


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"nothing": 1}, "unexpected attribute 'nothing'"),
        ({"factor": "a"}, "Expected float for argument 'factor'"),
        ({"factor": None}, "Expected float for argument 'factor'"),
        ({"tags": "text"}, "Expected list for argument 'tags'"),
        ({"tags": [1]}, "Expected string for argument 'tags'"),
        ({"tags": 3}, "Expected list for argument 'tags'"),
    ],
)
def test_malformed_attributes_raise(registry: Any, attrs: Any, words: str) -> None:
    scaled = declare()
    with pytest.raises(TypeError, match=words):
        scaled(1.0, **attrs)
    with tf.Graph().as_default(), pytest.raises(TypeError, match=words):
        scaled(1.0, **attrs)


def test_attributes_take_their_own_form() -> None:
    conv = get_op("Conv2D")
    attrs = conv.normalize_attrs({"strides": np.array([1, 2, 2, 1]), "padding": b"SAME", "T": "float32"})
    assert attrs["strides"] == (1, 2, 2, 1)
    assert all(type(s) is int for s in attrs["strides"])
    assert attrs["padding"] == "SAME"
    assert attrs["T"] is tf.float32
    assert attrs["data_format"] == "NHWC"
    placeholder = get_op("Placeholder").normalize_attrs({"dtype": tf.int8, "shape": [None, 3]})
    assert placeholder["shape"] == TensorShape([None, 3])
    assert conv.normalize_attrs({"_private": object(), "strides": [1], "padding": "SAME"})["_private"] is not None


def test_an_op_is_found_by_name_and_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(get_op("MatMul"))) is get_op("MatMul")
    with pytest.raises(KeyError, match="Millrace has no op named 'Nothing'"):
        get_op("Nothing")
    names = all_op_names()
    assert names == sorted(set(names))
    assert {"MatMul", "Const", "While"} <= set(names)


def test_effects_say_whether_an_op_must_run() -> None:
    assert [e for e in Effects if e.must_run] == [Effects.WRITES, Effects.IO]


def test_a_kernel_of_an_engine_wins_there(registry: Any) -> None:
    scaled = declare()

    @scaled.kernel_for("other")
    def _(xp: Any, x: Any, **attrs: Any) -> Any:
        return x

    d = scaled.op_def
    assert d.select_kernel("numpy") is d.kernel
    assert d.select_kernel("other") is not d.kernel


def test_a_specialized_callable_is_used_where_there_is_one(registry: Any) -> None:
    scaled = declare()

    @scaled.specialize
    def _(xp: Any, dtypes: Any, attrs: Any) -> Any:
        return (lambda x: x * 100) if attrs["factor"] == 100.0 else None

    assert scaled(1.0, factor=100.0).numpy() == 100.0
    assert scaled(1.0, factor=3.0).numpy() == 3.0


def test_a_list_of_types_may_have_a_minimum(registry: Any) -> None:
    @op("Several", "xs: T -> y: int32", T=TypeList(ANY, minimum=1), shape=lambda c: TensorShape([]))
    def several(xp: Any, xs: Any) -> Any:
        """Counts."""
        return xp.asarray(len(xs), "int32")

    assert several([1, 2.0]).numpy() == 2
    assert several.op_def.attr_kinds == {"T": "list[type]"}
