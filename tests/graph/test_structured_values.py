"""Nests of specs on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.specs import BoundedTensorSpec
from millrace._src.core.type_spec_registry import register
from millrace._src.graph.structured_values import NotEncodableError, decode_structure, encode_structure
from millrace._src.proto import struct_pb2


class Point(NamedTuple):
    """A named tuple."""

    x: Any
    y: Any


@pytest.mark.parametrize(
    "value",
    [
        tf.TensorSpec([], tf.int64),
        tf.TensorSpec([None, 2], tf.bfloat16, "name"),
        tf.TensorSpec(None, tf.string),
        (),
        (tf.TensorSpec([], tf.int64), [1, 2.5, True, "a"]),
        {"b": {}, "a": (tf.TensorShape([1, None]), tf.float32)},
        None,
        np.array([1, 2]),
        -7,
    ],
)
def test_a_nest_comes_back(value: Any) -> None:
    again = decode_structure(encode_structure(value))
    assert np.array_equal(again, value) if isinstance(value, np.ndarray) else again == value
    assert type(again) is type(value)


def test_a_named_tuple_comes_back_by_name_and_fields() -> None:
    again = decode_structure(encode_structure(Point(tf.TensorSpec([], tf.int64), 2)))
    assert type(again).__name__ == "Point"
    assert again._fields == ("x", "y")
    assert tuple(again) == (tf.TensorSpec([], tf.int64), 2)


def test_bytes_are_those_of_tensorflow() -> None:
    assert encode_structure(tf.TensorSpec([], tf.int64)).SerializeToString().hex() == "8a020412001809"
    value = (tf.TensorSpec([], tf.int64), {"b": tf.TensorSpec([2, 3], tf.float32), "a": tf.TensorSpec([], tf.string)})
    written = "a203320a078a02041200180" + "90a27aa03240a140a0162120f8a020c120812020802120208031801"
    written += "0a0c0a016112078a020412001807"
    assert decode_structure(struct_pb2.StructuredValue.FromString(bytes.fromhex(written))) == value


class Point3(tf.experimental.ExtensionType):
    __name__ = "wire.Pt"
    x: tf.Tensor
    k: int
    f: float
    b: bool
    s: str
    sh: tf.TensorShape
    d: tf.DType
    t: tuple[tf.Tensor, ...]
    m: Mapping[str, tf.Tensor]
    n: tf.Tensor | None = None


POINT = Point3(1, 2, 0.5, True, "q", [1, None], tf.int32, [1.0, 2.0], {"b": 1, "a": 2})._type_spec


@register("wire.Foo")
class FooSpec(tf.TypeSpec):
    value_type = int
    _component_specs = tf.TensorSpec([])

    def __init__(self, a: int = 1) -> None:
        self.a = a

    def _serialize(self) -> Any:
        return self.a, [1, {"q": 2}]

    @classmethod
    def _deserialize(cls, serialization: Any) -> FooSpec:
        return cls(serialization[0])

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: Any) -> Any:
        return components


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (
            tf.RaggedTensorSpec([2, None, 3], tf.int32, 1, tf.int32),
            "9202430803122ba203280a18fa011512020802120b08ffffffffffffffffff01120208030a038002030a0260020a0380"
            "02031a1052616767656454656e736f72537065632002",
        ),
        (
            tf.RaggedTensorSpec([None, None], tf.int32, flat_values_spec=tf.TensorSpec([None, 3], tf.int32)),
            "9202620803124aa203470a1dfa011a120b08ffffffffffffffffff01120b08ffffffffffffffffff010a038002030a02"
            "60020a038002090a188a02151211120b08ffffffffffffffffff011202080318031a1052616767656454656e736f7253"
            "7065632002",
        ),
        (
            tf.SparseTensorSpec([1, None], tf.string),
            "9202360801121ea2031b0a14fa011112020801120b08ffffffffffffffffff010a038002071a1053706172736554656e"
            "736f72537065632003",
        ),
        (
            tf.IndexedSlicesSpec([2, 3], tf.float32, tf.int32, tf.int32, [4]),
            "92024108021228a203250a0bfa010812020802120208030a038002010a038002030a038002030a07fa0104120208041a"
            "11496e6465786564536c69636573537065632003",
        ),
        (
            tf.TensorArraySpec([None], tf.int32, True, False),
            "92023908041222a2031f0a10fa010d120b08ffffffffffffffffff010a038002030a0270010a0270001a0f54656e736f"
            "724172726179537065632001",
        ),
        (
            tf.data.DatasetSpec({"a": tf.RaggedTensorSpec([None, None], tf.int32), "b": (tf.TensorSpec([]),)}, [None]),
            "920292010805127fa2037c0a68aa03650a500a0161124b92024808031230a2032d0a1dfa011a120b08ffffffffffffff"
            "ffff01120b08ffffffffffffffffff010a038002030a0260020a038002091a1052616767656454656e736f7253706563"
            "20020a110a0162120ca203090a078a0204120018010a10fa010d120b08ffffffffffffffffff011a0b44617461736574"
            "537065632001",
        ),
        (
            tf.OptionalSpec(tf.TensorSpec([])),
            "9202200807120ca203090a078a0204120018011a0c4f7074696f6e616c537065632001",
        ),
        (
            tf.data.IteratorSpec(tf.TensorSpec([])),
            "9202200806120ca203090a078a0204120018011a0c4974657261746f72537065632001",
        ),
        (
            tf.experimental.RowPartition.from_row_lengths([1, 2])._type_spec,
            "92024d080a1235a203320a07fa0104120208020a10fa010d120b08ffffffffffffffffff010a10fa010d120b08ffffff"
            "ffffffffffff010a038002091a10526f77506172746974696f6e537065632001",
        ),
        (
            tf.type_spec_from_value(tf.Variable(1.0)),
            "92022908091215a203120a03fa01000a038002010a0270010a020a001a0c5661726961626c65537065632001",
        ),
        (
            BoundedTensorSpec([2], tf.int32, 0, [3, 4], "b"),
            "9a02280a016212041202080218032207080312003a01002a12080312041202080222080300000004000000",
        ),
        (
            np.array([1, 2]),
            "c2031a0809120412020802221001000000000000000200000000000000",
        ),
        (
            tf.constant([[3.0, 4.0]]),
            "ba031608011208120208011202080222080000404000008040",
        ),
        (
            POINT,
            "9202f601080d12e101a203dd010a11a2030e0a036a01780a078a0204120018030a0ca203090a036a016b0a0260040a13"
            "a203100a036a01660a0959000000000000e03f0a0ca203090a036a01620a0270010a0da2030a0a036a01730a036a0171"
            "0a1fa2031c0a046a0273680a14fa011112020801120b08ffffffffffffffffff010a0da2030a0a036a01640a03800203"
            "0a1fa2031c0a036a01740a15a203120a078a0204120018010a078a0204120018010a29a203260a036a016d0a1faa031c"
            "0a0c0a016112078a0204120018030a0c0a016212078a0204120018030a0ca203090a036a016e0a020a001a0c77697265"
            "2e50742e537065632005",
        ),
        (
            FooSpec(5),
            "92022e080c121ea2031b0a02600a0a159a03120a0260020a0caa03090a070a0171120260041a08776972652e466f6f2001",
        ),
    ],
    ids=repr,
)
def test_specs_have_the_bytes_of_tensorflow_both_ways(value: Any, written: str) -> None:
    assert encode_structure(value).SerializeToString(deterministic=True).hex() == written
    again = decode_structure(struct_pb2.StructuredValue.FromString(bytes.fromhex(written)))
    assert type(again) is type(value)
    assert np.array_equal(again, value) if isinstance(value, np.ndarray | tf.Tensor) else again == value


def test_a_spec_is_written_and_read_by_its_own_methods() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    message = spec.experimental_as_proto()
    assert type(message) is tf.TypeSpec.experimental_type_proto() and message.num_flat_components == 2
    assert tf.TypeSpec.experimental_from_proto(message) == spec


def test_what_has_no_form_is_refused() -> None:
    class Unregistered(tf.experimental.ExtensionType):
        x: int

    for value in (Unregistered(1)._type_spec, b"s", np.float32(1), 2 + 3j, object, frozenset([1])):
        with pytest.raises(NotEncodableError, match="No encoder for object"):
            encode_structure(value)
    message = struct_pb2.StructuredValue()
    message.type_spec_value.type_spec_class = struct_pb2.TypeSpecProto.PER_REPLICA_SPEC
    with pytest.raises(NotImplementedError, match="a spec of kind PER_REPLICA_SPEC"):
        decode_structure(message)
    message.type_spec_value.type_spec_class = struct_pb2.TypeSpecProto.REGISTERED_TYPE_SPEC
    message.type_spec_value.type_spec_class_name = "wire.Unknown"
    with pytest.raises(ValueError, match=r"No TypeSpec has been registered with name 'wire\.Unknown'"):
        decode_structure(message)


def test_fields_of_another_spec_are_refused() -> None:
    message = encode_structure(tf.RaggedTensorSpec([None, None]))
    message.type_spec_value.type_state.CopyFrom(encode_structure(3))
    with pytest.raises(ValueError, match="holds a RaggedTensorSpec of 3, which cannot be"):
        decode_structure(message)


def test_an_extension_type_that_nobody_knows_has_a_spec_with_its_fields() -> None:
    message = struct_pb2.StructuredValue()
    message.type_spec_value.type_spec_class = struct_pb2.TypeSpecProto.EXTENSION_TYPE_SPEC
    message.type_spec_value.type_spec_class_name = "wire.Unknown"
    fields = (("values", tf.TensorSpec([2])), ("mask", True))
    message.type_spec_value.type_state.CopyFrom(encode_structure(fields))
    spec = decode_structure(message)
    assert type(spec).__name__ == "AnonymousExtensionTypeSpec"
    assert (spec.values, spec.mask) == (tf.TensorSpec([2]), True)


def test_a_message_that_holds_nothing_is_none() -> None:
    assert decode_structure(struct_pb2.StructuredValue()) is None
