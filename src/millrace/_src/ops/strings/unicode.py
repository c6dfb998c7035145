"""Text in any encoding: `unicode_decode` to code points, `unicode_encode` from code points, `unicode_transcode`.

The ops work on all strings at once, and speak of ragged rows as values and row splits. The public functions make
RaggedTensors of these, one dimension deeper than the strings; `code_points` has the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.code_points import ENCODERS, ERROR_MODES, REPLACEMENT, Decoder, encode_rows
from millrace._src.ops.strings.text_bytes import check_choice, map_strings
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export

_TEXT = "text has no gradient"


# --- ops -------------------------------------------------------------------------------------------------------------


@op("UnicodeTranscode", "input: string -> output: string", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def unicode_transcode_op(
    xp: Xp,
    input: Array,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
) -> Array:
    """Converts every string to another encoding."""
    check_choice("output_encoding", output_encoding, tuple(ENCODERS))
    decoder = Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    if decoder.keeps_all_text():
        try:
            return map_strings(lambda text: text.decode(decoder.codec).encode(ENCODERS[output_encoding]), input)
        except UnicodeDecodeError:  # some string is malformed
            pass
    decoded = decoder.decode(input.reshape(-1).tolist(), refuses_control=True)
    return encode_rows(decoded.codes, decoded.splits, output_encoding).reshape(input.shape)


def _decoded_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    errors = c.attr("errors")
    if errors not in ERROR_MODES:
        allowed_modes = ", ".join(f'"{mode}"' for mode in ERROR_MODES)
        raise ValueError(f"Attr 'errors' of '{c.op.name}' Op passed string '{errors}' not in: {allowed_modes}.")
    size = c.shape("input").num_elements()
    lists = [TensorShape([None])] * (len(c.op.signature.outputs) - 1)
    return TensorShape([None if size is None else size + 1]), *lists


@op(
    "UnicodeDecode",
    "input: string -> row_splits: Tsplits, char_values: int32",
    Tsplits=INDEX.with_default(int64),
    shape=_decoded_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def unicode_decode_op(
    xp: Xp,
    input: Array,
    *,
    Tsplits: DType,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
) -> tuple[Array, Array]:
    """Decodes all strings; returns the code points, and where the code points of each string begin."""
    decoder = Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    decoded = decoder.decode(input.reshape(-1).tolist())
    return decoded.splits.astype(Tsplits.np_dtype), decoded.codes


@op(
    "UnicodeDecodeWithOffsets",
    "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    Tsplits=INDEX.with_default(int64),
    shape=_decoded_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def unicode_decode_with_offsets_op(
    xp: Xp,
    input: Array,
    *,
    Tsplits: DType,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
) -> tuple[Array, Array, Array]:
    """Decodes all strings; returns the code points, where each string begins, and each code point's position."""
    decoder = Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    decoded = decoder.decode(input.reshape(-1).tolist())
    return decoded.splits.astype(Tsplits.np_dtype), decoded.codes, decoded.starts


def _encoded_shape(c: ShapeContext) -> TensorShape:
    count = c.shape("input_splits").num_elements()
    return TensorShape([None if count is None else count - 1])


@op(
    "UnicodeEncode",
    "input_values: int32, input_splits: Tsplits -> output: string",
    Tsplits=INDEX.with_default(int64),
    shape=_encoded_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def unicode_encode_op(
    xp: Xp,
    input_values: Array,
    input_splits: Array,
    *,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
) -> Array:
    """Encodes rows of code points as strings."""
    check_choice("output_encoding", output_encoding, tuple(ENCODERS))
    check_choice("errors", errors, ERROR_MODES)
    if not 0 <= replacement_char <= 0x10FFFF:
        raise invalid("replacement_char out of unicode codepoint range")
    _check_splits(input_splits, len(input_values))
    is_valid = ((input_values >= 0) & (input_values < 0xD800)) | ((input_values >= 0xE000) & (input_values <= 0x10FFFF))
    if is_valid.all():
        return encode_rows(input_values, input_splits, output_encoding)
    if errors == "strict":
        raise invalid("Code point is out of range for Unicode, or is a surrogate.")
    if errors == "ignore":
        kept_before = np.concatenate([[0], np.cumsum(is_valid)])
        return encode_rows(input_values[is_valid], kept_before[input_splits], output_encoding)
    return encode_rows(np.where(is_valid, input_values, replacement_char), input_splits, output_encoding)


def _check_splits(splits: Array, size: int) -> None:
    if not len(splits) or splits[0] != 0:
        raise invalid("First value in input_splits must be zero.")
    if splits[-1] != size:
        raise invalid("Last value in input_splits must be equal to length of input_tensor.")
    if (np.diff(splits) < 0).any():
        raise invalid("Values in input_splits must be equal or in ascending order.")


# --- public functions ------------------------------------------------------------------------------------------------


@export("strings.unicode_transcode", elementwise="unary")
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Converts every string to another encoding.

    >>> tf.strings.unicode_transcode(["é"], "UTF-8", "UTF-16-BE").numpy()
    array([b'\\x00\\xe9'], dtype=object)

    Args:
      input: a string Tensor.
      input_encoding: the encoding of the strings, by any name Python knows.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what to do with malformed input: "replace", "ignore" or "strict".
      replacement_char: the code point that replaces malformed input.
      replace_control_characters: whether code points up to 31 count as malformed.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if an encoding is unknown; if input is malformed and `errors` is "strict".
    """
    return unicode_transcode_op(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


def _decode(
    input: Any, decode_strings: Callable[[Any], tuple[Any, ...]], again: Callable[[Any], Any]
) -> tuple[Any, ...]:
    """Decodes strings of any shape, along a new last axis.

    Args:
      input: a string Tensor or RaggedTensor.
      decode_strings: the op on a vector, which returns row splits, and lists of values.
      again: the public function, for strings of another shape; it returns one value, or a tuple.
    """
    if isinstance(input, RaggedTensor):
        return tuple(input.with_flat_values(part) for part in _as_tuple(again(input.flat_values)))
    input = convert_to_tensor(input, name="input")
    rank = input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        return _as_tuple(again(RaggedTensor.from_tensor(input, ragged_rank=rank - 1)))
    splits, *lists = decode_strings(input)
    if rank == 0:
        return tuple(lists)
    return tuple(RaggedTensor.from_row_splits(values, splits, validate=False) for values in lists)


def _as_tuple(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@export("strings.unicode_decode")
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes strings to code points, along a new last axis.

    >>> tf.strings.unicode_decode("aé", "UTF-8").numpy()
    array([ 97, 233], dtype=int32)
    >>> tf.strings.unicode_decode(["aé", "b"], "UTF-8")
    <tf.RaggedTensor [[97, 233], [98]]>

    Args:
      input: a string Tensor or RaggedTensor of known rank n.
      input_encoding, errors, replacement_char: as in `tf.strings.unicode_transcode`.
      replace_control_characters: whether code points up to 31 are replaced, or dropped if `errors` is "ignore".
      name: name of the scope in a graph.

    Returns: An int32 RaggedTensor of rank n + 1; a vector if `input` is a scalar.
    Raises:
      ValueError: if the rank of `input` is unknown.
      tf.errors.InvalidArgumentError: as in `tf.strings.unicode_transcode`.
    """
    with name_scope(name, "UnicodeDecode"):
        options = (input_encoding, errors, replacement_char, replace_control_characters)
        return _decode(
            input,
            lambda strings: raw.UnicodeDecode(input=strings, **_attrs(*options)),
            lambda strings: unicode_decode(strings, *options),
        )[0]


def _attrs(input_encoding: str, errors: str, replacement_char: int, replace_control: bool = False) -> dict[str, Any]:
    """Returns the attributes of the ops that decode."""
    return {
        "input_encoding": input_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control,
    }


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes strings to code points, and says where in its string each code point begins.

    >>> [t.numpy().tolist() for t in tf.strings.unicode_decode_with_offsets("éa", "UTF-8")]
    [[233, 97], [0, 2]]

    Args: as in `tf.strings.unicode_decode`.
    Returns: The code points, int32, and their byte positions, int64: two RaggedTensors, or two vectors.
    Raises: as `tf.strings.unicode_decode`.
    """
    with name_scope(name, "UnicodeDecodeWithOffsets"):
        options = (input_encoding, errors, replacement_char, replace_control_characters)
        return _decode(
            input,
            lambda strings: raw.UnicodeDecodeWithOffsets(input=strings, **_attrs(*options)),
            lambda strings: unicode_decode_with_offsets(strings, *options),
        )


def _characters(codes: object, encoding: str, errors: str, replacement_char: int) -> Any:
    """Encodes each code point as a string of its own."""
    if isinstance(codes, RaggedTensor):
        return codes.with_flat_values(_characters(codes.flat_values, encoding, errors, replacement_char))
    splits = raw.Range(start=0, limit=raw.Size(input=codes, out_type=int32) + 1, delta=1)
    return raw.UnicodeEncode(
        input_values=codes,
        input_splits=splits,
        output_encoding=encoding,
        errors=errors,
        replacement_char=replacement_char,
    )


@export("strings.unicode_split")
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Splits strings into characters, each a string, along a new last axis.

    >>> [c.decode() for c in tf.strings.unicode_split("hé", "UTF-8").numpy()]
    ['h', 'é']
    >>> tf.strings.unicode_split(["ab", "c"], "UTF-8")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Args: as in `tf.strings.unicode_decode`; the encoding is "UTF-8", "UTF-16-BE" or "UTF-32-BE".
    Returns: A RaggedTensor of strings in the same encoding; a vector if `input` is a scalar.
    Raises: as `tf.strings.unicode_decode`.
    """
    with name_scope(name, "UnicodeSplit"):
        codes = _decode(
            input,
            lambda strings: raw.UnicodeDecode(input=strings, **_attrs(input_encoding, errors, replacement_char)),
            lambda strings: unicode_decode(strings, input_encoding, errors, replacement_char),
        )[0]
        return _characters(codes, input_encoding, errors, replacement_char)


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Splits strings into characters, each a string, and says where in its string each character begins.

    >>> tf.strings.unicode_split_with_offsets("éa", "UTF-8")[1].numpy()
    array([0, 2])

    Args: as in `tf.strings.unicode_split`.
    Returns: The characters, and their byte positions, int64: two RaggedTensors, or two vectors.
    Raises: as `tf.strings.unicode_decode`.
    """
    with name_scope(name, "UnicodeSplitWithOffsets"):
        codes, starts = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
        return _characters(codes, input_encoding, errors, replacement_char), starts


@export("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Encodes code points as strings, along the last axis.

    >>> tf.strings.unicode_encode([104, 105], "UTF-8").numpy()
    b'hi'
    >>> tf.strings.unicode_encode(tf.ragged.constant([[104, 105], [33]]), "UTF-8").numpy()
    array([b'hi', b'!'], dtype=object)

    Args:
      input: an int32 Tensor or RaggedTensor of rank one or more.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what to do with numbers that are not code points: "replace", "ignore" or "strict".
      replacement_char: the code point that replaces numbers that are not code points.
      name: name of the scope in a graph.

    Returns: A string Tensor with one dimension less; a RaggedTensor if other dimensions than the last are ragged.
    Raises:
      ValueError: if `input` is a scalar, or of unknown rank.
      tf.errors.InvalidArgumentError: if the encoding is unknown, or a number is not a code point and `errors` is
      "strict".
    """
    with name_scope(name, "UnicodeEncode"):
        options = {"output_encoding": output_encoding, "errors": errors, "replacement_char": replacement_char}
        if isinstance(input, RaggedTensor):
            return _encode_ragged(input, options)
        input = convert_to_tensor(input, name="input")
        if input.shape.rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if input.shape.rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        shape = shape_of(input)
        rows = raw.Prod(input=shape[:-1], reduction_indices=[0])
        splits = raw.Range(start=0, limit=rows + 1, delta=1) * shape[-1]
        values = raw.Reshape(tensor=input, shape=[-1])
        encoded_rows = raw.UnicodeEncode(input_values=values, input_splits=splits, **options)
        return raw.Reshape(tensor=encoded_rows, shape=shape[:-1])


def _encode_ragged(input: RaggedTensor, options: dict[str, Any]) -> Any:
    """Encodes the innermost rows of a ragged tensor."""
    if input.values.shape.rank != 1:  # the rows are further in
        return input.with_values(unicode_encode(input.values, **options))
    return raw.UnicodeEncode(input_values=input.values, input_splits=input.row_splits, **options)
