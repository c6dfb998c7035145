"""The arithmetic of sliding windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.core.errors import InvalidArgumentError
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn import sliding_windows as win

_SIZES = st.tuples(st.integers(1, 12), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))


@given(_SIZES, st.sampled_from(["SAME", "VALID"]))
def test_every_window_lies_in_the_padded_input(sizes: tuple[int, int, int, int], padding: str) -> None:
    size, kernel, stride, dilation = sizes
    reach = (kernel - 1) * dilation + 1
    if padding == "VALID" and reach > size + stride:
        return
    w = win.make_window(size, kernel, stride, dilation, padding)
    assert w.reach == reach
    if w.output_size:
        assert w.span + reach - 1 <= w.before + size + max(w.after, 0)
    assert padding == "SAME" or w.before == 0


def test_same_padding_puts_the_odd_element_after() -> None:
    w = win.make_window(5, 4, 1, 1, "SAME")
    assert (w.before, w.after, w.output_size) == (1, 2, 5)


def test_a_window_larger_than_the_input_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Computed output size would be negative: -1"):
        win.make_window(1, 3, 1, 1, "VALID")
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 3 from 2"):
        win.validate_count(2, 3, 1, 1, "VALID")


def test_unknown_sizes_stay_unknown() -> None:
    assert win.validate_count(None, 3, 1, 1, "SAME") is None
    assert win.validate_count(5, None, 1, 1, "VALID") is None
    assert win.validate_count(5, None, 2, 1, "SAME") == 3


@pytest.mark.parametrize(
    ("data_format", "expected"),
    [("NHWC", (0, (1, 2), 3)), ("NCHW", (0, (2, 3), 1)), ("NDHWC", (0, (1, 2, 3), 4)), ("NWC", (0, (1,), 2))],
)
def test_a_layout_says_where_dimensions_are(data_format: str, expected: tuple[object, ...]) -> None:
    assert tuple(win.layout_of(data_format)) == expected


@given(_SIZES, st.sampled_from(["SAME", "VALID"]))
def test_overlay_is_the_transpose_of_picking_elements(sizes: tuple[int, int, int, int], padding: str) -> None:
    size, kernel, stride, dilation = sizes
    if (kernel - 1) * dilation + 1 > size:
        return
    windows = win.make_windows((size,), (kernel,), (stride,), (dilation,), padding, ((0, 0),))
    rng = np.random.default_rng(size)
    x = rng.normal(size=(2, size, 3))
    parts = {o: rng.normal(size=(2, windows[0].output_size, 3)) for o in win.offsets(windows)}
    wide = win.pad(xp, x, windows)
    picked = sum((wide[win.elements(o, windows)] * p).sum() for o, p in parts.items())
    back = win.overlay(xp, parts.items(), windows, x.shape, x.dtype)
    np.testing.assert_allclose((back * x).sum(), picked)


def test_choices_name_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="Attr 'padding' of 'Conv2D' Op passed string 'same' not in"):
        win.check_choice("Conv2D", "padding", "same", win.PADDINGS)
    with pytest.raises(InvalidArgumentError, match='is not in the list of allowed values: "SAME", "VALID"'):
        win.require_choice("padding", "same", win.PADDINGS)
