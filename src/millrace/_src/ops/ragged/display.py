"""The text of a ragged tensor as a string tensor, which `tf.print` and `tf.strings.format` show: "[[1, 2], [], [3]]".

The text is made by ops, so that a graph can make it as it runs. Elements become strings; then, from the innermost
dimension out, the strings of each row are joined and put into brackets. The middle of a long row is left out.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import string
from millrace._src.ops import raw
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor


def display_text(ragged: RaggedTensor, summarize: int = 3) -> Any:
    """Returns the text of a ragged tensor, a scalar string tensor.

    Args:
      ragged: the ragged tensor.
      summarize: how many elements to show at either end of each row; -1 shows all.

    Raises: ValueError: if `summarize` is zero, or less than -1.
    """
    if summarize != -1 and summarize <= 0:
        raise ValueError(f"Expected summarize to be -1 or a positive int, got {summarize}")
    with name_scope(None, "RaggedToString"):
        if ragged.flat_values.shape.rank > 1:
            values, dtype = ragged.flat_values, ragged.row_splits.dtype
            inner = RaggedTensor.from_tensor(values, ragged_rank=values.shape.rank - 1, row_splits_dtype=dtype)
            ragged = ragged.with_flat_values(inner)
        texts = _element_texts(ragged.flat_values)
        for splits in reversed(ragged.nested_row_splits):
            texts = _row_texts(RaggedTensor.from_row_splits(texts, splits, validate=False), summarize)
        all_rows = RaggedTensor.from_row_lengths(texts, [raw.Size(input=texts)], validate=False)
        return raw.Reshape(tensor=_row_texts(all_rows, summarize), shape=[])


def _element_texts(values: Any) -> Any:
    """Returns each element as text; strings in quotes."""
    if values.dtype is not string:
        return raw.AsString(input=values)
    escaped = raw.StaticRegexReplace(input=values, pattern="(['\\\\])", rewrite="\\\\\\1")
    return raw.StringJoin(inputs=["'", escaped, "'"])


def _row_texts(rows: RaggedTensor, summarize: int) -> Any:
    """Joins the texts of each row."""
    texts, row_numbers = rows.values, rows.value_rowids()
    if summarize != -1:
        texts, row_numbers = _without_middles(rows, texts, row_numbers, summarize)
    joined = raw.UnsortedSegmentJoin(inputs=texts, segment_ids=row_numbers, num_segments=rows.nrows(), separator=", ")
    return raw.StringJoin(inputs=["[", joined, "]"])


def _without_middles(rows: RaggedTensor, texts: object, row_numbers: Any, summarize: int) -> tuple[Any, Any]:
    """Puts three dots in place of the elements of each row that are not shown."""
    starts, limits = (
        raw.GatherV2(params=p, indices=row_numbers, axis=0) for p in (rows.row_starts(), rows.row_limits())
    )
    positions = raw.Range(start=0, limit=raw.Size(input=texts, out_type=starts.dtype), delta=1)
    from_start = raw.Cast(x=positions, DstT=starts.dtype) - starts
    to_end = limits - starts - from_start
    is_dots = raw.LogicalAnd(x=raw.Equal(x=from_start, y=summarize), y=raw.Greater(x=to_end, y=summarize))
    is_shown = raw.LogicalOr(x=raw.LessEqual(x=from_start, y=summarize), y=raw.LessEqual(x=to_end, y=summarize))
    shown_texts = raw.SelectV2(condition=is_dots, t="...", e=texts)
    return boolean_mask(shown_texts, is_shown), boolean_mask(row_numbers, is_shown)
