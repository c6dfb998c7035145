"""`tf.io.decode_csv`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.io import comma_separated
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_e = tf.errors
_RECORDS = np.array([b"1,2.5,a", b",,", b"-3,1e3,"], dtype=object)
_DEFAULTS = [np.array([7], np.int32), np.array(1.5, np.float32), np.array([b"d"], dtype=object)]
_NONE = {name: np.zeros(0, name) for name in ("int32", "int64", "float32", "float64")}
_TEXT = np.zeros(0, object)

SAMPLES = [
    Sample("DecodeCSV", inputs=(_RECORDS, _DEFAULTS)),
    Sample("DecodeCSV", inputs=(_RECORDS[:1].reshape(1, 1), _DEFAULTS[1:]), attrs={"select_cols": [1, 2]}),
    Sample("DecodeCSV", inputs=(_RECORDS[:0], _DEFAULTS)),
    Sample(
        "DecodeCSV",
        inputs=(np.array(b'"1"|2|3|4|"x|y"', dtype=object), [*_NONE.values(), _TEXT]),
        attrs={"field_delim": "|"},
    ),
]


def _decode(records: Any, *defaults: Any, **options: Any) -> list[Any]:
    columns = tf.io.decode_csv(records, list(defaults), **options)
    return [np.asarray(column.numpy(), dtype=object).tolist() for column in columns]


def _refused(words: str, records: Any, *defaults: Any, **options: Any) -> None:
    check_refusal(lambda: _decode(records, *defaults, **options), _e.InvalidArgumentError, words)


def test_columns_have_the_shape_of_the_records_and_the_dtypes_of_the_defaults() -> None:
    columns = tf.io.decode_csv([["1,2,3,4,5"]], [*_NONE.values(), tf.constant([], tf.string)])
    assert [column.dtype.name for column in columns] == ["int32", "int64", "float32", "float64", "string"]
    assert all(column.shape == (1, 1) for column in columns)
    assert _decode(["1,2.5,a", "3,4,b"], [0], [0.0], [""]) == [[1, 3], [2.5, 4.0], [b"a", b"b"]]
    assert _decode("1,x", 0, "") == [1, b"x"]
    assert _decode(tf.zeros([0], tf.string), [0], [""]) == [[], []]


def test_empty_fields_have_the_default() -> None:
    assert _decode([",,", "1,,z"], [7], [1.5], ["d"]) == [[7, 1], [1.5, 1.5], [b"d", b"z"]]
    assert _decode("NA,1,NA", [5], [0], ["s"], na_value="NA") == [5, 1, b"s"]
    assert _decode(['"NA",""'], ["s"], ["t"], na_value="NA") == [[b"s"], [b"t"]]
    _refused("Field 0 is required but missing in record 0!", ",1", _NONE["int32"], [0])
    _refused("Field 1 is required but missing in record 1!", ["1,1", "2,"], [0], _NONE["int64"])


def test_numbers_are_read_as_c_does() -> None:
    assert _decode([" 1 ,+1, 2.5 "], [0], [0], [0.0]) == [[1], [1], [2.5]]
    assert _decode("007,-0", [0], [0]) == [7, 0]
    found = _decode("1e3,.5,5.,inf,-inf,0x10,1e400,1e-50", *[[0.0]] * 8)
    assert found == [1000.0, 0.5, 5.0, float("inf"), -float("inf"), 16.0, float("inf"), 0.0]
    assert np.isnan(_decode("nan", [0.0])[0])


@pytest.mark.parametrize(
    ("field", "dtype", "shown"),
    [
        ("x", "int32", "int32: x"),
        ("1.5", "int64", "int64: 1.5"),
        ("zz", "float64", "double: zz"),
        ("x", "float32", "float: x"),
        ("1_0", "int32", "int32: 1_0"),
        ("1_0.5", "float32", "float: 1_0.5"),
        ("0x10", "int32", "int32: 0x10"),
        ("3000000000", "int32", "int32: 3000000000"),
        ("9223372036854775808", "int64", "int64: 9223372036854775808"),
    ],
)
def test_what_is_no_number_is_refused(field: str, dtype: str, shown: str) -> None:
    _refused(f"Field 0 in record 1 is not a valid {shown}", ["1", field], _NONE[dtype])


def test_quoted_fields() -> None:
    assert _decode('"a,b","c""d","","x"', *[[""]] * 4) == [b"a,b", b'c"d', b"", b"x"]
    assert _decode('"",', ["d"], ["e"]) == [b"d", b"e"]
    assert _decode('"1","2.5"', [0], [0.0]) == [1, 2.5]
    assert _decode('"a\nb",c', [""], [""]) == [b"a\nb", b"c"]
    assert _decode('"a,b"', [""], [""], use_quote_delim=False) == [b'"a', b'b"']
    assert _decode(['"a,b",1', 'c,"2"', '"d""",3'], [""], [0]) == [[b"a,b", b"c", b'd"'], [1, 2, 3]]
    _refused("Field 1 in record 0 is not a valid int32: 1,2", ['a,"1,2"'], [""], [0])


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ('"a"b,c', "Quote inside a string has to be escaped by another quote"),
        ('"a" ,b', "Quote inside a string has to be escaped by another quote"),
        ('"a,b', "Quoted field has to end with quote followed by delim or end"),
        ('"', "Quoted field has to end with quote followed by delim or end"),
        ('"""', "Quoted field has to end with quote followed by delim or end"),
        ('a"b,c', "Unquoted fields cannot have quotes/CRLFs inside"),
        ('ab"c"d,e', "Unquoted fields cannot have quotes/CRLFs inside"),
        (' "a",b', "Unquoted fields cannot have quotes/CRLFs inside"),
        ("a\nb,c", "Unquoted fields cannot have quotes/CRLFs inside"),
        ("a,b\r\n", "Unquoted fields cannot have quotes/CRLFs inside"),
        ("a", "Expect 2 fields but have 1 in record 0"),
        ("a,b,c", "Expect 2 fields but have 3 in record 0"),
        ("", "Expect 2 fields but have 0 in record 0"),
    ],
)
def test_records_with_mistakes(record: str, words: str) -> None:
    _refused(words, record, [""], [""])
    _refused(words.replace("record 0", "record 1"), ["x,y", record, "z"], [""], [""])


def test_newlines_are_refused_without_quotes_too() -> None:
    words = "Unquoted fields cannot have quotes/CRLFs inside"
    for record in ("a\nb,c", "a,b\r"):
        _refused(words, record, [""], [""], use_quote_delim=False)


@pytest.mark.parametrize("delimiter", ["|", "\t", " ", "\n", "\r", ";"])
def test_delimiters(delimiter: str) -> None:
    records = [f"1{delimiter}2", f"3{delimiter}4"]
    assert _decode(records, [0], [0], field_delim=delimiter) == [[1, 3], [2, 4]]


@pytest.mark.parametrize("delimiter", ["", "||", "é"])
def test_a_delimiter_is_one_character(delimiter: str) -> None:
    _refused("field_delim should be only 1 char", "1", [0], field_delim=delimiter)


def test_columns_are_selected() -> None:
    assert _decode("1,2,3,4", [0], [0], select_cols=[1, 3]) == [2, 4]
    assert _decode(["1,2,3,4", "5,6,7,8"], [0], select_cols=[2]) == [[3, 7]]
    assert _decode('2,"x"y', [0], select_cols=[0]) == [2]
    _refused("Quote inside a string has to be escaped", '"x"y,2', [0], select_cols=[1])
    _refused("Expect 1 fields but have 0 in record 0", "1,2,3", [0], select_cols=[5])
    _refused("Expect 2 fields but have 1 in record 0", "1,2,3", [0], [0], select_cols=[0, 5])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([1, 1], "select_cols is not strictly increasing."),
        ([2, 1], "select_cols is not strictly increasing."),
        ([1], "Length of select_cols and record_defaults do not match."),
        ([], "Length of select_cols and record_defaults do not match."),
        ([-1, 0], "select_cols contains negative values."),
    ],
)
def test_selections_that_do_not_fit(columns: list[int], words: str) -> None:
    check_refusal(lambda: _decode("1,2,3", [0], [0], select_cols=columns), ValueError, words)


def test_defaults_that_do_not_fit() -> None:
    _refused("Each record default should be at most rank 1", "1", [[0]])
    _refused("There should only be 1 default per field but field 0 has 2", "1", [0, 1])
    check_refusal(
        lambda: _decode("1", True),
        _e.InvalidArgumentError,
        "Value for attr 'OUT_TYPE' of bool is not in the list of allowed values: float, double, int32, int64, string",
    )


def test_a_table_has_columns() -> None:
    _refused("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1", "1")


def test_shapes_in_graphs() -> None:
    def outputs(spec: Any, default: Any) -> Any:
        return tf.function(lambda x: tf.io.decode_csv(x, [default, [""]])).get_concrete_function(spec).outputs

    assert [t.shape.as_list() for t in outputs(tf.TensorSpec([None, 2], tf.string), [0])] == [[None, 2]] * 2
    assert [t.shape.rank for t in outputs(tf.TensorSpec(None, tf.string), [0])] == [None, None]
    for default, words in (
        ([[0]], "Shape must be at most rank 1 but is rank 2"),
        ([0, 1], "Shape of a default must be a length-0 or length-1 vector, or a scalar."),
    ):
        with pytest.raises(ValueError, match=words):
            outputs(tf.TensorSpec(None, tf.string), default)


def test_arguments_of_tensorflow_1() -> None:
    found = tf.compat.v1.decode_csv("NA,x,2", [[5], [0]], ",", True, "name", "NA", [0, 2])
    assert [column.numpy() for column in found] == [5, 2]


_FIELDS = st.one_of(
    st.text('0123456789.,"\r\n_ eax+-', max_size=6), st.integers().map(str), st.floats().map(str), st.just("")
)


@given(st.lists(_FIELDS), st.sampled_from(["", "1", "a"]), st.booleans(), st.sampled_from([1, 70]))
def test_the_rules_and_the_columns_agree(records: list[str], na_value: str, use_quotes: bool, repeats: int) -> None:
    def answer(decode: Any) -> Any:
        try:
            return [repr(column.numpy()) for column in decode()]
        except _e.InvalidArgumentError as error:
            return str(error)

    def by_rules() -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(comma_separated, "read_columns", lambda *arguments: None)
            return decode()

    def decode() -> Any:
        defaults = [tf.constant([], tf.string), [0.5], [3]]
        table = [f"{record},1.5,{index}" for index, record in enumerate(records * repeats)]
        return tf.io.decode_csv(table, defaults, ",", use_quotes, na_value)

    if records:
        assert answer(decode) == answer(by_rules)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@settings(max_examples=30)
@given(numbers=st.lists(st.one_of(st.integers(-(10**20), 10**20).map(str), st.floats().map(str), _FIELDS), min_size=1))
def test_the_rules_and_the_columns_agree_about_numbers(dtype: str, numbers: list[str]) -> None:
    def answer() -> Any:
        try:
            return (
                tf.io.decode_csv([f"{number},x" for number in numbers * 70], [_NONE[dtype], [""]])[0].numpy().tobytes()
            )
        except _e.InvalidArgumentError as error:
            return str(error)

    by_columns = answer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comma_separated, "read_columns", lambda *arguments: None)
        assert by_columns == answer()
