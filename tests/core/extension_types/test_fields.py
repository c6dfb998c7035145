"""Which annotations and names a class may have."""
# ruff: noqa: UP006, UP007, UP035, UP045 -- users write the old names too

from __future__ import annotations

import collections.abc
import enum
import typing
from typing import Annotated, Any, Callable, Mapping, Optional, Tuple, Union

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.extension_types.fields import ExtensionTypeField

ExtensionType = tf.experimental.ExtensionType


class Inner(ExtensionType):
    x: tf.Tensor


def with_field(annotation: Any, **attributes: Any) -> Any:
    return type(ExtensionType)(
        "C", (ExtensionType,), {"__annotations__": {"f": annotation}, "__module__": __name__, **attributes}
    )


class Color(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    "annotation",
    [
        *(int, float, bool, str, bytes, None, tf.Tensor, tf.TensorShape, tf.DType, tf.IndexedSlices, tf.data.Dataset),
        *(Inner, ExtensionType, Tuple[int, str], Tuple[int, ...], Tuple[()], tuple[int, ...], Mapping[str, tf.Tensor]),
        *(collections.abc.Mapping[int, int], Union[int, tf.Tensor], Optional[tf.Tensor], Annotated[int, "unit"]),
        *(Mapping[str, Tuple[Inner, ...]], "int", "tf.Tensor", int | None),
    ],
    ids=repr,
)
def test_an_annotation_that_can_be_a_field(annotation: Any) -> None:
    (field,) = with_field(annotation)._tf_extension_type_fields()
    assert field.name == "f" and not field.has_default


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        *((tuple, "'tuple'"), (list, "'list'"), (dict, "'dict'"), (object, "'object'"), (complex, "'complex'")),
        *((np.ndarray, "'ndarray'"), (np.int32, "'int32'"), (tf.Variable, "'Variable'"), (tf.TypeSpec, "'TypeSpec'")),
        *((Color, "'Color'"), (Callable, "typing.Callable"), (typing.List[int], "typing.List[int]")),
        *(
            (list[int], "list[int]"),
            (Mapping, "typing.Mapping"),
            (5, "5"),
            (typing.Literal["a"], "typing.Literal['a']"),
        ),
        (tf.TensorSpec([1]), "TensorSpec(shape=(1,), dtype=tf.float32, name=None)"),
    ],
    ids=str,
)
def test_an_annotation_that_cannot_be_a_field(annotation: Any, text: str) -> None:
    with pytest.raises(TypeError) as error:
        with_field(annotation)
    assert str(error.value) == f"In field 'f': Unsupported type annotation {text}"


def test_keys_of_mappings_are_plain_values() -> None:
    with pytest.raises(TypeError, match="In field 'f': Mapping had a key 'Tensor' with type 'type'"):
        with_field(Mapping[tf.Tensor, int])


@pytest.mark.parametrize("name", ["self", "Spec", "_type_spec", "value_type", "_to_components", "_tf_extension_type_x"])
def test_reserved_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"The field annotations for A are invalid. Field '{name}' is reserved."):
        type(ExtensionType)("A", (ExtensionType,), {"__annotations__": {name: int}})
    assert ExtensionTypeField.is_reserved_name(name)


def test_a_method_may_not_take_a_reserved_name() -> None:
    with pytest.raises(ValueError, match="Field '_type_spec' is reserved"):

        class Bad(ExtensionType):
            def _type_spec(self) -> int:  # type: ignore[override]  # the point
                return 3


@pytest.mark.parametrize("value", [3, None, [1], "text"], ids=repr)
def test_a_value_without_an_annotation_is_refused(value: Any) -> None:
    with pytest.raises(
        ValueError, match=r"The field annotations for A are invalid. Field x is missing a type annotation."
    ):
        type(ExtensionType)("A", (ExtensionType,), {"x": value})


def test_methods_properties_and_classes_need_no_annotation() -> None:
    class Free(ExtensionType):
        @property
        def one(self) -> int:
            return 1

        @classmethod
        def two(cls) -> int:
            return 2

        three = staticmethod(lambda: 3)
        four = tf.function(lambda self: 4)

        class Helper:
            pass

    assert (Free().one, Free.two(), Free.three(), Free().four().numpy()) == (1, 2, 3, 4)


def test_a_default_must_be_of_the_type_of_its_field() -> None:
    with pytest.raises(TypeError, match="default value for f: expected 'int', got 'str'"):
        with_field(int, f="a")


def test_a_class_may_have_fields_of_its_own_type() -> None:
    class Node(ExtensionType):
        value: int
        children: Tuple[Node, ...] = ()

    assert Node(1, [Node(2)]).children[0].value == 2


def test_a_name_may_be_defined_after_the_class() -> None:
    early = with_field("Late")
    with pytest.raises(TypeError, match="f: Unsupported type annotation 'Late'"):
        early(1)
    globals()["Late"] = Inner
    try:
        assert early(Inner(1)).f.x.numpy() == 1
    finally:
        del globals()["Late"]


def test_subclasses_add_fields_after_those_of_their_bases() -> None:
    class A(ExtensionType):
        x: tf.Tensor
        y: int = 1

    class B(A):
        z: str = "z"
        x: int

    assert [field.name for field in B._tf_extension_type_fields()] == ["x", "y", "z"]
    assert B(5) == B(x=5, y=1, z="z")
    with pytest.raises(TypeError, match="x: expected 'int', got 'float'"):
        B(5.0)
