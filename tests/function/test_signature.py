from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.function.signature import ArgumentLayout, check_input_signature, make_signature

TS = tf.TensorSpec


def simple(x: Any, y: Any = 2) -> None: ...
def rich(a: Any, b: Any = 1, *args: Any, k: Any = 3, **kw: Any) -> None: ...
def strict(a: Any, /, b: Any, *, c: Any) -> None: ...


@pytest.mark.parametrize(
    ("args", "kwargs"), [((1,), {}), ((), {"x": 1}), ((1, 2), {}), ((1,), {"y": 2}), ((), {"y": 2, "x": 1})]
)
def test_defaults_and_keywords_are_one_call(args: Any, kwargs: Any) -> None:
    assert make_signature(simple).bind(args, kwargs) == ([1, 2], ArgumentLayout(0, ()))


def test_extra_arguments_follow_in_order_and_keywords_sorted() -> None:
    values, layout = make_signature(rich).bind((1, 2, 3, 4), {"z": 6, "w": 5})
    assert values == [1, 2, 3, 4, 3, 5, 6]
    assert layout == ArgumentLayout(2, ("w", "z"))


@given(st.lists(st.integers(), max_size=5), st.dictionaries(st.sampled_from("abkxyz"), st.integers(), max_size=4))
def test_binding_agrees_with_python(args: list[int], kwargs: dict[str, int]) -> None:
    signature = make_signature(rich)
    try:
        expected = inspect.signature(rich).bind(*args, **kwargs)
    except TypeError as error:
        with pytest.raises(TypeError) as caught:
            signature.bind(args, kwargs)
        assert f"`{error}`" in str(caught.value)
        return
    expected.apply_defaults()
    values, layout = signature.bind(args, kwargs)
    rest = expected.arguments
    flat = [rest["a"], rest["b"], *rest["args"], rest["k"], *(rest["kw"][key] for key in sorted(rest["kw"]))]
    assert values == flat and layout == ArgumentLayout(len(rest["args"]), tuple(sorted(rest["kw"])))


@given(
    st.lists(st.integers(), min_size=1, max_size=4), st.dictionaries(st.sampled_from("kxyz"), st.integers(), max_size=3)
)
def test_a_bound_call_reaches_python_unchanged(args: list[int], kwargs: dict[str, int]) -> None:
    def echo(a: Any, b: Any = 1, *rest: Any, k: Any = 3, **kw: Any) -> Any:
        return a, b, rest, k, kw

    signature = make_signature(echo)
    values, layout = signature.bind(args, kwargs)
    assert signature.call_python(echo, values, layout) == echo(*args, **kwargs)


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (simple, (), {}),
        (simple, (1, 2, 3), {}),
        (simple, (1,), {"q": 2}),
        (simple, (1,), {"x": 2}),
        (strict, (), {"a": 1, "b": 2, "c": 3}),
        (strict, (1, 2), {}),
        (strict, (1, 2), {"c": 3, "d": 4}),
    ],
)
def test_a_call_that_does_not_fit_gets_pythons_complaint(function: Any, args: Any, kwargs: Any) -> None:
    with pytest.raises(TypeError) as pythons:
        inspect.signature(function).bind(*args, **kwargs)
    reason = pythons.value
    with pytest.raises(TypeError) as caught:
        tf.function(function)(*args, **kwargs)
    received = f"Received args: {args} and kwargs: {kwargs} for signature: ("
    expected = f"Binding inputs to tf.function failed due to `{reason}`. {received}"
    assert str(caught.value).startswith(expected)


def test_the_signature_of_a_polymorphic_function_prints_without_default_values() -> None:
    assert (
        str(make_signature(rich).function_type)
        == "(a, b=<captured_default_value>, *args, k=<captured_default_value>, **kw)"
    )


def test_partials_lose_the_arguments_they_hold() -> None:
    assert str(make_signature(functools.partial(rich, 1, k=5)).function_type) == (
        "(b=<captured_default_value>, *args, k=<captured_default_value>, **kw)"
    )


# --- input_signature ------------------------------------------------------------------------------------------------


def test_constraints_become_annotations() -> None:
    signature = make_signature(simple, [TS([None])])
    assert str(signature.function_type) == (
        "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None), y: Literal[2] = <captured_default_value>)"
    )


def test_extra_constraints_go_to_var_positional() -> None:
    signature = make_signature(lambda *a: a, [TS([]), TS([], tf.int32)])
    assert str(signature.function_type) == (
        "(a_0: TensorSpec(shape=(), dtype=tf.float32, name=None), a_1: TensorSpec(shape=(), dtype=tf.int32, "
        "name=None), /)"
    )


@pytest.mark.parametrize(
    ("function", "specs", "message"),
    [
        (simple, TS([]), "input_signature must be either a tuple or a list, got <class .*TensorSpec'>."),
        (simple, 5, "input_signature must be either a tuple or a list, got <class 'int'>."),
        (
            simple,
            [5],
            r"possibly nested sequence of TensorSpec objects, got invalid args \[5\] with types \[<class 'int'>\].",
        ),
        (lambda x: x, [TS([]), TS([])], "input_signature contains 1 extra type constraints."),
        (lambda x: x, [TS([]), TS([]), TS([])], "input_signature contains 2 extra type constraints."),
        (lambda x, y: x, [TS([])], "input_signature missing type constraint for y"),
        (
            lambda x, *, k: x,
            [TS([])],
            "Since input_signature is defined, keyword-only parameter `k` must have a default value",
        ),
    ],
)
def test_a_bad_input_signature_is_refused(function: Any, specs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tf.function(function, input_signature=specs)


def test_the_first_parameter_of_a_method_must_be_called_self() -> None:
    with pytest.raises(TypeError, match="input_signature missing type constraint for x"):

        class Bad:
            @tf.function(input_signature=[TS([])])
            def method(this, x: Any) -> Any:
                return x

    class Good:
        @tf.function(input_signature=[TS([])])
        def method(self, x: Any) -> Any:
            return x

    assert float(Good().method(1)) == 1.0


def test_nested_specs_are_accepted() -> None:
    assert check_input_signature([{"a": TS([]), "b": [TS([])]}])[0]["b"] == [TS([])]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            tf.constant([1]),
            r"`Can not cast TensorSpec\(shape=\(1,\), dtype=tf.int32, name=None\) "
            r"to TensorSpec\(shape=\(None,\), dtype=tf.float32, name=None\)`",
        ),
        (
            tf.constant([[1.0]]),
            r"`Can not cast TensorSpec\(shape=\(1, 1\), dtype=tf.float32, name=None\) to TensorSpec",
        ),
        ("a", "`Cannot convert 'a' to EagerTensor of dtype float`"),
        (None, r"`Attempt to convert a value \(None\) with an unsupported type \(<class 'NoneType'>\) to a Tensor.`"),
    ],
)
def test_arguments_that_cannot_be_cast_are_refused(value: Any, reason: str) -> None:
    f = tf.function(lambda x: x, input_signature=[TS([None])])
    with pytest.raises(TypeError, match=f"Binding inputs to tf.function failed due to {reason}"):
        f(value)


@pytest.mark.parametrize("value", [[1, 2], (1, 2), range(1, 3), [tf.constant(1.0), 2.0]])
def test_python_values_are_cast(value: Any) -> None:
    f = tf.function(lambda x: x, input_signature=[TS([None])])
    assert f(value).numpy().tolist() == [1.0, 2.0]
    assert f(value).dtype is tf.float32


def test_a_default_value_that_is_a_literal_stays_fixed() -> None:
    f = tf.function(lambda x, y=3: x + y, input_signature=[TS([])])
    assert float(f(1.0)) == float(f(1.0, 3)) == float(f(1.0, y=3)) == 4.0
    with pytest.raises(TypeError, match=r"due to `Can not cast 4.0 to Literal\[3\]`"):
        f(1.0, 4.0)
