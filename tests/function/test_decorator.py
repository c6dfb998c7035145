from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def test_all_call_forms() -> None:
    def body(x: Any) -> Any:
        return x + 1

    @tf.function
    def plain(x: Any) -> Any:
        return x + 1

    @tf.function()
    def called(x: Any) -> Any:
        return x + 1

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def constrained(x: Any) -> Any:
        return x + 1

    for f in (tf.function(body), plain, called, constrained, tf.function(input_signature=None)(body)):
        assert int(f(1)) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"autograph": False},
        {"jit_compile": False},
        {"reduce_retracing": True},
        {"experimental_implements": "my.fn"},
        {"experimental_attributes": {"_noinline": True, "api_implements": "x"}},
        {"experimental_relax_shapes": True},
        {"experimental_compile": False},
        {"experimental_follow_type_hints": True},
        {"experimental_autograph_options": None},
    ],
)
def test_every_argument_is_taken(options: Any) -> None:
    assert int(tf.function(lambda x: x + 1, **options)(1)) == 2


def test_attributes_are_noted_in_the_function_def() -> None:
    f = tf.function(lambda x: x, experimental_implements="my.fn", experimental_attributes={"_noinline": True})
    attributes = f.get_concrete_function(1.0).function_def.attr
    assert attributes["_implements"].s == b"my.fn" and attributes["_noinline"].b


def test_unknown_attributes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"`noinline is not supported by tf.function as an attribute."):
        tf.function(lambda x: x, experimental_attributes={"noinline": True})


def test_both_names_of_jit_compile_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Cannot specify both 'experimental_compile' and 'jit_compile'."):
        tf.function(lambda x: x, experimental_compile=True, jit_compile=False)


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        tf.function(lambda x: x, foo=1)


@pytest.mark.xla
@pytest.mark.usefixtures("jax")
def test_jit_compile_gives_the_same_results() -> None:
    v = tf.Variable(2.0)

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        v.assign_add(1.0)
        return x * v

    assert [float(f(tf.constant(2.0))) for _ in range(2)] == [6.0, 8.0]
