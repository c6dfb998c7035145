"""Functions of texts that take or give ragged tensors: splitting, n-grams, Unicode, joins, numbers."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import numbers, plain, staged

_TEXTS = ["G\u00f6\u00f6dnight", "\U0001f60a", "", "a b  c"]
_DEEP = [["a b", "c"], [], ["d  e f"]]


def _encoded():
    return [text.encode() for text in _TEXTS]


globals().update(
    staged(
        split=lambda tf: (lambda x: tf.strings.split(x), tf.constant(["hello world", "a  b c", ""])),
        split_of_separator=lambda tf: (lambda x: [tf.strings.split(x, s) for s in (",", ", ", "a", "")], tf.constant(["a,b, c", ",,", "abc"])),
        split_of_maxsplit=lambda tf: (lambda x: [tf.strings.split(x, maxsplit=n) for n in (-1, 0, 1, 2)], tf.constant(["a b c d", "e"])),
        split_of_scalar=lambda tf: (lambda x: tf.strings.split(x), tf.constant("a b c")),
        split_of_matrix=lambda tf: (lambda x: tf.strings.split(x), tf.constant([["a b", "c"], ["d", "e f g"]])),
        split_of_ragged=lambda tf: (lambda x: [tf.strings.split(x), tf.strings.split(x, "")], tf.ragged.constant(_DEEP)),
        split_of_unknown_rank=lambda tf: (lambda x: tf.strings.split(tf.compat.v1.placeholder_with_default(x, None)), tf.constant(["a"])),
        split_of_numbers=lambda tf: (lambda x: tf.strings.split(x), tf.constant([1, 2])),
        split_of_list=lambda tf: (lambda x: tf.strings.split(["a b", "c"]), tf.constant(1)),
        split_of_blanks=lambda tf: (lambda x: tf.strings.split(x), tf.constant([" a\tb\nc ", "  ", "\u00a0x"])),
        split_v1=lambda tf: (lambda x: [tf.compat.v1.strings.split(x, result_type="RaggedTensor"), tf.compat.v1.strings.split(x)], tf.constant(["a b", "c"])),
        split_v1_of_separator=lambda tf: (lambda x: [tf.compat.v1.string_split(x, ","), tf.compat.v1.string_split(x, ",;", skip_empty=False)], tf.constant(["a,b;;c", ","])),
        split_v1_of_bad_result=lambda tf: (lambda x: tf.compat.v1.strings.split(x, result_type="Dense"), tf.constant(["a b", "c"])),
        bytes_split=lambda tf: (lambda x: tf.strings.bytes_split(x), tf.constant(_encoded())),
        bytes_split_of_scalar=lambda tf: (lambda x: tf.strings.bytes_split(x), tf.constant("abc")),
        bytes_split_of_matrix=lambda tf: (lambda x: tf.strings.bytes_split(x), tf.constant([["ab", ""], ["c", "d"]])),
        bytes_split_of_ragged=lambda tf: (lambda x: tf.strings.bytes_split(x), tf.ragged.constant(_DEEP)),
        unicode_split=lambda tf: (lambda x: tf.strings.unicode_split(x, "UTF-8"), tf.constant(_encoded())),
        unicode_split_of_scalar=lambda tf: (lambda x: tf.strings.unicode_split(x, "UTF-8"), tf.constant(_encoded()[0])),
        unicode_split_of_ragged=lambda tf: (lambda x: tf.strings.unicode_split(x, "UTF-8"), tf.ragged.constant(_DEEP)),
        unicode_split_with_offsets=lambda tf: (lambda x: list(tf.strings.unicode_split_with_offsets(x, "UTF-8")), tf.constant(_encoded())),
        unicode_decode=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8"), tf.constant(_encoded())),
        unicode_decode_of_scalar=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8"), tf.constant(_encoded()[0])),
        unicode_decode_of_matrix=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8"), tf.constant([["a", "bc"], ["", "d"]])),
        unicode_decode_of_ragged=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8"), tf.ragged.constant(_DEEP)),
        unicode_decode_of_encodings=lambda tf: (lambda x: [tf.strings.unicode_decode(x, e) for e in ("UTF-16-BE", "UTF-32-BE", "US-ASCII", "latin1", "UTF-8")], tf.constant([b"\x00a\x00b", b"\x00\x00\x00a"])),
        unicode_decode_with_offsets=lambda tf: (lambda x: list(tf.strings.unicode_decode_with_offsets(x, "UTF-8")), tf.constant(_encoded())),
        unicode_decode_of_scalar_with_offsets=lambda tf: (lambda x: list(tf.strings.unicode_decode_with_offsets(x, "UTF-8")), tf.constant(_encoded()[0])),
        unicode_decode_errors=lambda tf: (lambda x: [tf.strings.unicode_decode(x, "UTF-8", errors=e, replacement_char=63) for e in ("replace", "ignore")], tf.constant([b"a\xffb", b"\xe2\x82", b"\xf0\x9f\x98"])),
        unicode_decode_strict=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8", errors="strict"), tf.constant([b"a\xffb"])),
        unicode_decode_controls=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8", replace_control_characters=True), tf.constant([b"a\x00\x07b\n"])),
        unicode_decode_of_bad_encoding=lambda tf: (lambda x: tf.strings.unicode_decode(x, "nothing"), tf.constant(["a"])),
        unicode_decode_of_bad_errors=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8", errors="nothing"), tf.constant(["a"])),
        unicode_decode_of_bad_replacement=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8", replacement_char=0x110000), tf.constant(["a"])),
        unicode_decode_of_numbers=lambda tf: (lambda x: tf.strings.unicode_decode(x, "UTF-8"), tf.constant([1])),
        unicode_encode=lambda tf: (lambda x: [tf.strings.unicode_encode(x, e) for e in ("UTF-8", "UTF-16-BE", "UTF-32-BE")], tf.ragged.constant([[71, 246, 128522], [], [97]])),
        unicode_encode_of_vector=lambda tf: (lambda x: tf.strings.unicode_encode(x, "UTF-8"), tf.constant([71, 246])),
        unicode_encode_of_matrix=lambda tf: (lambda x: tf.strings.unicode_encode(x, "UTF-8"), tf.constant([[71, 246], [97, 98]])),
        unicode_encode_of_deep=lambda tf: (lambda x: tf.strings.unicode_encode(x, "UTF-8"), tf.ragged.constant([[[71], [97, 98]], [[]]], tf.int32)),
        unicode_encode_of_scalar=lambda tf: (lambda x: tf.strings.unicode_encode(x, "UTF-8"), tf.constant(71)),
        unicode_encode_errors=lambda tf: (lambda x: [tf.strings.unicode_encode(x, "UTF-8", errors=e) for e in ("replace", "ignore")], tf.ragged.constant([[71, 0xD800, 0x110000, -1]])),
        unicode_encode_strict=lambda tf: (lambda x: tf.strings.unicode_encode(x, "UTF-8", errors="strict"), tf.ragged.constant([[71, 0xD800]])),
        unicode_encode_of_text=lambda tf: (lambda x: tf.strings.unicode_encode(x, "UTF-8"), tf.ragged.constant([["a"]])),
        unicode_round_trip=lambda tf: (lambda x: tf.strings.unicode_encode(tf.strings.unicode_decode(x, "UTF-8"), "UTF-8"), tf.constant(_encoded())),
        unicode_script=lambda tf: (lambda x: tf.strings.unicode_script(x), tf.ragged.constant([[1041, 97], [], [128522]])),
        unicode_transcode=lambda tf: (lambda x: tf.strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"), tf.ragged.constant([["a"], []])),
        ngrams=lambda tf: (lambda x: [tf.strings.ngrams(x, n) for n in (1, 2, (1, 2))], tf.ragged.constant([["a", "b", "c"], [], ["d"]])),
        ngrams_of_dense=lambda tf: (lambda x: tf.strings.ngrams(x, 2), tf.constant([["a", "b", "c"], ["d", "e", "f"]])),
        ngrams_of_vector=lambda tf: (lambda x: tf.strings.ngrams(x, 2), tf.constant(["a", "b", "c"])),
        ngrams_of_separator=lambda tf: (lambda x: tf.strings.ngrams(x, 2, separator="|"), tf.ragged.constant([["a", "b", "c"], [], ["d"]])),
        ngrams_of_padding=lambda tf: (lambda x: [tf.strings.ngrams(x, 3, pad_values=p) for p in ("*", ("<", ">"))], tf.ragged.constant([["a", "b"], [], ["d"]])),
        ngrams_of_padding_width=lambda tf: (lambda x: [tf.strings.ngrams(x, 3, pad_values=("<", ">"), padding_width=w) for w in (0, 1, 5)], tf.ragged.constant([["a", "b"], [], ["d"]])),
        ngrams_of_short=lambda tf: (lambda x: tf.strings.ngrams(x, 3, preserve_short_sequences=True), tf.ragged.constant([["a", "b"], [], ["d"]])),
        ngrams_of_deep=lambda tf: (lambda x: tf.strings.ngrams(x, 2), tf.ragged.constant([[["a", "b"], ["c"]], [["d", "e", "f"]]])),
        ngrams_of_width_zero=lambda tf: (lambda x: tf.strings.ngrams(x, 0), tf.ragged.constant([["a"]])),
        ngrams_of_bad_width=lambda tf: (lambda x: tf.strings.ngrams(x, "a"), tf.ragged.constant([["a"]])),
        ngrams_of_bad_padding=lambda tf: (lambda x: tf.strings.ngrams(x, 2, pad_values=(1, 2)), tf.ragged.constant([["a"]])),
        ngrams_of_negative_padding_width=lambda tf: (lambda x: tf.strings.ngrams(x, 2, pad_values="a", padding_width=-1), tf.ragged.constant([["a"]])),
        ngrams_of_width_without_padding=lambda tf: (lambda x: tf.strings.ngrams(x, 2, padding_width=1), tf.ragged.constant([["a"]])),
        ngrams_of_numbers=lambda tf: (lambda x: tf.strings.ngrams(x, 2), numbers(tf)),
        ngrams_of_scalar=lambda tf: (lambda x: tf.strings.ngrams(x, 2), tf.constant("a")),
        join=lambda tf: (lambda x: [tf.strings.join([x, x]), tf.strings.join([x, "!"], separator=" "), tf.strings.join(["<", x, ">"])], tf.ragged.constant(_DEEP)),
        join_of_unlike=lambda tf: (lambda x: tf.strings.join([x, tf.ragged.constant([["a"]])]), tf.ragged.constant(_DEEP)),
        elementwise=lambda tf: (lambda x: [tf.strings.length(x), tf.strings.upper(x), tf.strings.lower(x), tf.strings.strip(x), tf.strings.substr(x, 0, 1), tf.strings.regex_replace(x, " +", "_"), tf.strings.regex_full_match(x, ".")], tf.ragged.constant(_DEEP)),
        hashes=lambda tf: (lambda x: [tf.strings.to_hash_bucket(x, 10), tf.strings.to_hash_bucket_fast(x, 10), tf.strings.to_hash_bucket_strong(x, 10, [1, 2])], tf.ragged.constant(_DEEP)),
        numbers_and_texts=lambda tf: (lambda x: [tf.strings.as_string(x), tf.strings.as_string(tf.cast(x, tf.float32), precision=2), tf.strings.to_number(tf.strings.as_string(x), tf.int64)], numbers(tf)),
        base64=lambda tf: (lambda x: [tf.io.encode_base64(x), tf.io.decode_base64(tf.io.encode_base64(x))], tf.ragged.constant(_DEEP)),
        decode_raw=lambda tf: (lambda x: tf.io.decode_raw(x, tf.uint8), tf.ragged.constant([["ab"], ["cd"]])),
        reduce_join_of_words=lambda tf: (lambda x: tf.strings.reduce_join(tf.strings.split(x), separator="-", axis=-1), tf.constant(["a b", "c", ""])),
        substr_of_ragged_positions=lambda tf: (lambda x: tf.strings.substr(x, 0, tf.strings.length(x) - 1), tf.ragged.constant([["ab", "c"], []])),
        lengths_of_words=lambda tf: (lambda x: tf.strings.length(tf.strings.split(x)), tf.constant(["a bb", "ccc"])),
        format_of_ragged=lambda tf: (lambda x: tf.strings.format("{}", [x]), tf.ragged.constant(_DEEP)),
        unsorted_segment_join=lambda tf: (lambda x: tf.strings.unsorted_segment_join(x.values, x.value_rowids(), x.nrows(), "-"), tf.ragged.constant(_DEEP)),
        edit_distance=lambda tf: (lambda x, y: tf.edit_distance(x.to_sparse(), y.to_sparse()), tf.ragged.constant([["a", "b"], ["c"]]), tf.ragged.constant([["a"], ["d"]])),
        vocabulary_ids=lambda tf: (lambda x: tf.ragged.map_flat_values(tf.strings.to_hash_bucket_fast, x, num_buckets=5), tf.ragged.constant(_DEEP)),
        parse_example_of_ragged=lambda tf: (lambda x: tf.io.parse_example(x, {"a": tf.io.RaggedFeature(tf.int64), "b": tf.io.RaggedFeature(tf.float32, partitions=[tf.io.RaggedFeature.RowLengths("n")])}), tf.constant([_example([1, 2], [0.5, 0.25, 0.125], [1, 2]), _example([], [1.0], [1])])),
        parse_single_example_of_ragged=lambda tf: (lambda x: tf.io.parse_single_example(x, {"a": tf.io.RaggedFeature(tf.int64), "b": tf.io.RaggedFeature(tf.float32, partitions=[tf.io.RaggedFeature.UniformRowLength(3)])}), tf.constant(_example([1, 2], [0.5, 0.25, 0.125], [1, 2]))),
        parse_example_of_partitions=lambda tf: (lambda x: tf.io.parse_example(x, {"b": tf.io.RaggedFeature(tf.float32, partitions=[tf.io.RaggedFeature.RowLengths("n")], row_splits_dtype=tf.int64)}), tf.constant([_example([1], [0.5, 0.25], [2, 0])])),
        parse_example_of_value_rowids=lambda tf: (lambda x: tf.io.parse_example(x, {"b": tf.io.RaggedFeature(tf.float32, value_key="b", partitions=[tf.io.RaggedFeature.ValueRowIds("n")])}), tf.constant([_example([1], [0.5, 0.25], [0, 2])])),
        parse_example_of_bad_partition=lambda tf: (lambda x: tf.io.parse_example(x, {"b": tf.io.RaggedFeature(tf.float32, partitions=[tf.io.RaggedFeature.RowSplits("n")])}), tf.constant([_example([1], [0.5, 0.25], [0, 1])])),
    )
)


def _example(a, b, n):
    from tests.oracle.programs._messages import example, floats, ints

    return example(a=ints(*a), b=floats(*b), n=ints(*n))


globals().update(
    plain(
        ragged_feature=lambda tf: [tf.io.RaggedFeature(tf.int64), tf.io.RaggedFeature(tf.int64, "k", [tf.io.RaggedFeature.RowSplits("s"), tf.io.RaggedFeature.UniformRowLength(2)])],
        ragged_feature_of_bad_partition=lambda tf: tf.io.RaggedFeature(tf.int64, partitions=["a"]),
        ragged_feature_of_bad_splits_dtype=lambda tf: tf.io.RaggedFeature(tf.int64, row_splits_dtype=tf.float32),
    )
)
