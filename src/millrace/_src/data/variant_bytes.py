"""Variants in files of elements: ragged and sparse tensors, byte for byte as TensorFlow writes them.

A variant is a `VariantTensorDataProto`: the name of its type, and the tensors of which it consists: of a ragged tensor
the splits, the outermost first, and the values; of a part of a sparse tensor that part.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.dtypes import as_dtype, int64
from millrace._src.graph.message_bytes import read_message
from millrace._src.graph.tensor_proto import decode_tensor, encode_listed
from millrace._src.ops.ragged.variant import RaggedVariant
from millrace._src.ops.sparse.serialized import HeldTensor
from millrace._src.proto import tensor_pb2

_RAGGED, _TENSOR = "RaggedTensorVariant", "tensorflow::Tensor"


def variant_to_bytes(variant: object) -> bytes:
    """Returns what a variant holds as the bytes of its message.

    Raises: tf.errors.UnimplementedError: for what has no form in files, such as a dataset.
    """
    if isinstance(variant, RaggedVariant):
        parts = [encode_listed(splits, as_dtype(splits.dtype)) for splits in variant.splits]
        parts.append(encode_listed(variant.values, variant.dtype))
        message = tensor_pb2.VariantTensorDataProto(type_name=_RAGGED, tensors=parts)
    elif isinstance(variant, HeldTensor):
        part = encode_listed(variant.array, variant.dtype)
        message = tensor_pb2.VariantTensorDataProto(type_name=_TENSOR, tensors=[part])
    else:
        raise errors.UnimplementedError(None, None, f"A variant that holds {variant!r} cannot be written to files.")
    return bytes(message.SerializeToString())


def variant_from_bytes(written: bytes) -> Any:
    """Returns what `variant_to_bytes`, or TensorFlow, wrote.

    Raises:
      tf.errors.UnimplementedError: for a variant of another type.
      tf.errors.DataLossError: if the bytes are not a variant.
    """
    message = read_message(tensor_pb2.VariantTensorDataProto, written, "A variant in a file")
    kind = message.type_name
    if kind not in (_RAGGED, _TENSOR):
        raise errors.UnimplementedError(None, None, f"The file holds a variant of type {kind!r}.")
    try:
        parts = [decode_tensor(part) for part in message.tensors]
    except (TypeError, ValueError) as error:
        raise errors.DataLossError(None, None, f"A variant in a file holds a tensor that cannot be: {error}") from None
    if not parts:
        raise errors.DataLossError(None, None, "A variant in a file holds no tensors.")
    values, dtype = parts[-1]
    if kind == _TENSOR:
        return HeldTensor(values, dtype)
    splits_dtype = parts[0][1] if len(parts) > 1 else int64
    return RaggedVariant([splits for splits, _ in parts[:-1]], values, splits_dtype, dtype)
