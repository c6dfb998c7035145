"""`@op`: what a declaration tells, and the function that it gives back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.core import op_registry as module
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import get_op
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


def test_the_kernel_tells_inputs_attributes_and_defaults(registry: Any) -> None:
    d = declare().op_def
    assert (d.input_count, d.kernel_attrs, d.attr_defaults) == (1, ("factor", "tags"), {"factor": 2.0, "tags": ()})
    assert d.attr_kinds == {"T": "type", "factor": "float", "tags": "list[string]"}
    assert (d.has_list_arguments, d.has_single_output, d.default_attrs) == (False, True, d.attr_defaults)
    assert repr(d) == "<OpDef Scaled(x: T -> y: T)>"


def test_inputs_may_be_given_by_name(registry: Any) -> None:
    scaled = declare()
    assert scaled(x=1.0).numpy() == 2.0
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        scaled(factor=1.0)
    with pytest.raises(TypeError, match="takes from 1 to 4 positional arguments but 5 were given"):
        scaled(1.0, 2.0, ["a"], "name", 5)


def test_positional_arguments_after_the_inputs_are_attributes(registry: Any) -> None:
    scaled = declare()
    assert scaled(1.0, 3.0).numpy() == 3.0
    with pytest.raises(TypeError, match="multiple values for argument 'factor'"):
        scaled(1.0, 3.0, factor=2.0)
    with tf.Graph().as_default():
        assert scaled(1.0, 3.0, [], "n").op.name == "n"


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


def test_facts_are_sets_of_dtypes_or_traits(registry: Any) -> None:
    d = declare(host_only=True, not_differentiable="a reason").op_def
    assert d.types == {"T": ANY}
    assert (d.traits.host_only, d.traits.not_differentiable, d.traits.is_sum) == (True, "a reason", False)
    with pytest.raises(TypeError, match="unexpected keyword argument 'hostonly'"):
        declare("Several", hostonly=True)


def test_traits_do_not_change() -> None:
    with pytest.raises(AttributeError):
        get_op("MatMul").traits.host_only = True  # type: ignore[misc]


def test_a_rule_is_attached_by_a_decorator_that_returns_it(registry: Any) -> None:
    scaled = declare()
    for name in ("gradient", "operation_gradient", "operation_tangents", "batching", "partial_value", "in_place"):

        def rule() -> None: ...

        assert getattr(scaled, name)(rule) is rule
        assert getattr(scaled.op_def.rules, name) is rule
