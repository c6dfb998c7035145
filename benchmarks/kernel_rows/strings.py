"""Strings."""

from __future__ import annotations

from benchmarks.kernel_rows.kernel import Kernel

ROWS = tuple(
    Kernel(name, inputs, tf, large=1 << 17)
    for name, inputs, tf in (
        ("hash_bucket_fast", "s=words(n)", "tf.strings.to_hash_bucket_fast(s, 1000)"),
        ("hash_bucket_strong", "s=words(n)", "tf.strings.to_hash_bucket_strong(s, 1000, [1, 2])"),
        ("hash_bucket", "s=words(n)", "tf.raw_ops.StringToHashBucket(string_tensor=s, num_buckets=1000)"),
        ("hash_bucket_sentences", "s=sentences(n // 8)", "tf.strings.to_hash_bucket_fast(s, 1000)"),
        ("fingerprint", "s=words(n)", "tf.fingerprint(s)"),
        ("string_length", "s=words(n)", "tf.strings.length(s)"),
        ("string_length_utf8", "s=words(n)", "tf.strings.length(s, unit='UTF8_CHAR')"),
        ("string_lower_utf8", "s=words(n)", "tf.strings.lower(s, encoding='utf-8')"),
        ("encode_base64", "s=words(n)", "tf.io.encode_base64(s)"),
        ("string_lower", "s=words(n)", "tf.strings.lower(s)"),
        ("string_strip", "s=words(n)", "tf.strings.strip(s)"),
        ("string_join", "s=words(n); t=words(n)", "tf.strings.join([s, t], '-')"),
        ("string_split", "s=sentences(n // 8)", "tf.strings.split(s)"),
        ("regex_replace", "s=words(n)", "tf.strings.regex_replace(s, '[aeiou]+', '_')"),
        ("regex_full_match", "s=words(n)", "tf.strings.regex_full_match(s, '[a-m].*')"),
        ("substr", "s=words(n)", "tf.strings.substr(s, 0, 2)"),
        ("substr_utf8", "s=words(n)", "tf.strings.substr(s, 0, 2, unit='UTF8_CHAR')"),
        ("as_string", "x=integers(n)", "tf.strings.as_string(x)"),
        ("as_string_float", "x=normal(n)", "tf.strings.as_string(x)"),
        ("to_number", "s=numbers(n)", "tf.strings.to_number(s)"),
        ("to_number_int32", "s=numbers(n, whole=True)", "tf.strings.to_number(s, tf.int32)"),
        ("string_equal", "s=words(n); t=words(n)", "s == t"),
        ("string_unique", "s=words(n)", "tf.unique(s)"),
        ("string_gather", "s=words(n); i=integers(n)", "tf.gather(s, i)"),
        ("string_reduce_join", "s=words(n // 8, 8)", "tf.strings.reduce_join(s, 1)"),
        ("unicode_decode", "s=sentences(n // 8)", "tf.strings.unicode_decode(s, 'UTF-8').flat_values"),
        ("bytes_split", "s=words(n)", "tf.strings.bytes_split(s).flat_values"),
        ("ngrams", "s=words(n // 8, 8)", "tf.strings.ngrams(s, 2)"),
        ("decode_raw", "s=packed(n // 8)", "tf.io.decode_raw(s, tf.float32)"),
        (
            "parse_example",
            "s=examples(n // 64)",
            "tf.io.parse_example(s, {'x': tf.io.FixedLenFeature([8], tf.float32)})",
        ),
    )
)
