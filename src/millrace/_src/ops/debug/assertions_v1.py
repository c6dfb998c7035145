"""The assertions of `tf.compat.v1`: as in `tf.debugging`, with `data` to show instead of the usual message."""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.ops.debug import comparisons as c
from millrace._src.ops.debug import static_checks as s
from millrace._src.util.export import export


@export(v1=["assert_equal", "debugging.assert_equal"])
def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x == y`; `data` is a list of values to show."""
    with name_scope(name, "assert_equal"):
        pass  # see comparisons.assert_equal
    return c.assert_comparison(c.EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_none_equal", "debugging.assert_none_equal"])
def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x != y`; `data` is a list of values to show."""
    return c.assert_comparison(c.NONE_EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_less", "debugging.assert_less"])
def assert_less(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x < y`; `data` is a list of values to show."""
    return c.assert_comparison(c.LESS, x, y, data, summarize, message, name)


@export(v1=["assert_less_equal", "debugging.assert_less_equal"])
def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x <= y`; `data` is a list of values to show."""
    return c.assert_comparison(c.LESS_EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_greater", "debugging.assert_greater"])
def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x > y`; `data` is a list of values to show."""
    return c.assert_comparison(c.GREATER, x, y, data, summarize, message, name)


@export(v1=["assert_greater_equal", "debugging.assert_greater_equal"])
def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x >= y`; `data` is a list of values to show."""
    return c.assert_comparison(c.GREATER_EQUAL, x, y, data, summarize, message, name)


@export(v1=["assert_positive", "debugging.assert_positive"])
def assert_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x > 0`; `data` is a list of values to show."""
    return c.assert_sign(c.POSITIVE, x, data, summarize, message, name)


@export(v1=["assert_negative", "debugging.assert_negative"])
def assert_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x < 0`; `data` is a list of values to show."""
    return c.assert_sign(c.NEGATIVE, x, data, summarize, message, name)


@export(v1=["assert_non_negative", "debugging.assert_non_negative"])
def assert_non_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x >= 0`; `data` is a list of values to show."""
    return c.assert_sign(c.NON_NEGATIVE, x, data, summarize, message, name)


@export(v1=["assert_non_positive", "debugging.assert_non_positive"])
def assert_non_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts `x <= 0`; `data` is a list of values to show."""
    return c.assert_sign(c.NON_POSITIVE, x, data, summarize, message, name)


@export(v1=["assert_near", "debugging.assert_near"])
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts `|x - y| < atol + rtol * |y|`; `data` is a list of values to show."""
    return c.assert_closeness(x, y, rtol, atol, data, summarize, message, name)


@export(v1=["assert_rank", "debugging.assert_rank"])
def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts the rank of `x`; `data` is a list of values to show."""
    return s.assert_rank_check(s.RANK, x, [rank], data, summarize, message, name)


@export(v1=["assert_rank_at_least", "debugging.assert_rank_at_least"])
def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts a least rank of `x`; `data` is a list of values to show."""
    return s.assert_rank_check(s.AT_LEAST, x, [rank], data, summarize, message, name)


@export(v1=["assert_rank_in", "debugging.assert_rank_in"])
def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that the rank of `x` is one of `ranks`; `data` is a list of values to show."""
    return s.assert_rank_check(s.IN, x, list(ranks), data, summarize, message, name)
