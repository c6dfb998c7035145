"""Names and dtypes of the columns of comma-separated files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from millrace._src.data.csv_columns import CsvFormat, column_defaults, column_names, column_positions

FORM = CsvFormat(",", True, "NA", True, "", "utf-8")


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: str, name: str = "a.csv") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return written


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["1", "-2"], np.int32),
        ([" 1"], np.int32),
        (["1", "3000000000"], np.int64),
        (["3000000000", "1.5"], np.float32),
        (["99999999999999999999"], np.float32),
        (["1e300", "1"], np.float64),
        (["inf"], object),
        (["nan"], object),
        (["1", "0x10"], object),
        (["NA", "", "7"], np.int32),
        (["NA", "NA"], object),
    ],
)
def test_the_first_dtype_that_holds_all_fields_is_that_of_the_column(
    write: Any, fields: list[str], expected: Any
) -> None:
    path = write("a,b\n" + "".join(f"{field},1\n" for field in fields))
    (default,) = column_defaults([path], FORM, 2, [0], None)
    assert default.dtype == expected
    assert default.tolist() == ([b""] if expected is object else [0])


def test_only_the_first_rows_are_looked_at(write: Any) -> None:
    path = write("a\n1\nx\n")
    assert column_defaults([path], FORM, 1, None, 1)[0].dtype == np.int32
    assert column_defaults([path], FORM, 1, None, 2)[0].dtype == object


def test_a_row_with_another_number_of_fields_is_refused(write: Any) -> None:
    with pytest.raises(ValueError, match=r"CSV row 3 has 1 number of fields\. Expected: 2\."):
        column_defaults([write("a,b\n1,2\n3\n")], FORM, 2, None, None)


def test_names_are_those_of_all_headers(write: Any) -> None:
    first, second = write('"a,1",b\n', "1.csv"), write('"a,1",b\n', "2.csv")
    assert column_names([first, second], FORM) == ["a,1", "b"]
    with pytest.raises(ValueError, match=r"should have the same column names in the header row\. File .*3\.csv"):
        column_names([first, write("a,c\n", "3.csv")], FORM)
    with pytest.raises(ValueError, match="Failed when reading the header line of"):
        column_names([write("", "4.csv")], FORM)


def test_columns_are_chosen_by_name_or_position() -> None:
    assert column_positions(["a", "b", "c"], ["c", 0]) == [0, 2]
    assert column_positions(["a"], None) is None
    for chosen, message in (
        (["z"], "Column z specified in `select_columns` must be of one of the columns"),
        ([5], "Column index 5 specified in `select_columns` should be > 0  and <= 3"),
        (["a", 0], "contains duplicate columns"),
    ):
        with pytest.raises(ValueError) as error:
            column_positions(["a", "b", "c"], chosen)
        assert message in str(error.value)
