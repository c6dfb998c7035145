"""Tables as text: widths, sides, and how single cells and sizes are written."""

from __future__ import annotations

import pytest

from millrace._src.util.text_table import cell, size_text, table


def test_columns_are_as_wide_as_their_widest_cell_and_numbers_stand_flush_right() -> None:
    text = table(["op", "calls"], [["MatMul", 2], ["Tanh", 1000000]], right=["calls"])
    assert text.splitlines() == ["op        calls", "------  -------", "MatMul        2", "Tanh    1000000"]


def test_a_table_without_rows_has_its_head() -> None:
    assert table(["a", "bc"], []) == "a  bc\n-  --"


def test_no_line_ends_in_blanks() -> None:
    assert table(["a", "b"], [["xyz", ""]]).splitlines()[-1] == "xyz"


def test_a_row_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        table(["a", "b"], [["x"]])


def test_a_float_has_six_digits_and_nothing_is_a_dash() -> None:
    assert [cell(0.123456789), cell(1234567.0), cell(None), cell(0)] == ["0.123457", "1.23457e+06", "-", "0"]


def test_sizes_are_in_the_largest_unit_that_fits() -> None:
    sizes = (1, 512, 1023, 1024, 3565158, 5 << 40, 5 << 50)
    expected = ["1 byte", "512 bytes", "1023 bytes", "1.0 KiB", "3.4 MiB", "5.0 TiB", "5120.0 TiB"]
    assert [size_text(count) for count in sizes] == expected
