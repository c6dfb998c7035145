"""Sorting, counting, what is unique, and what belongs to segments."""

from __future__ import annotations

from benchmarks.kernel_rows.kernel import Kernel

_ORDER = (
    Kernel("top_k", "x=normal(r, r)", "tf.math.top_k(x, 10)", "lax.top_k(x, 10)", "torch.topk(x, 10)"),
    Kernel("top_k_long", "x=normal(n)", "tf.math.top_k(x, 10)", "lax.top_k(x, 10)", "torch.topk(x, 10)"),
    Kernel("top_k_half", "x=normal(r, r)", "tf.math.top_k(x, r // 2)", "lax.top_k(x, r // 2)", "torch.topk(x, r // 2)"),
    Kernel("top_k_int32", "x=integers(r, r)", "tf.math.top_k(x, 5)", "lax.top_k(x, 5)", "torch.topk(x, 5)"),
    Kernel("top_1_of_few", "x=normal(n // 16, 16)", "tf.math.top_k(x, 2)", "lax.top_k(x, 2)", "torch.topk(x, 2)"),
    Kernel(
        "in_top_k",
        "x=normal(r, r); i=integers(r, limit=r)",
        "tf.math.in_top_k(i, x, 5)",
        "(x > jnp.take_along_axis(x, i[:, None], 1)).sum(1) < 5",
        "(x > x.gather(1, i.long()[:, None])).sum(1) < 5",
    ),
    Kernel("sort", "x=normal(r, r)", "tf.sort(x)", "jnp.sort(x)", "torch.sort(x)[0]"),
    Kernel("sort_long", "x=normal(n)", "tf.sort(x)", "jnp.sort(x)", "torch.sort(x)[0]"),
    Kernel("sort_axis0", "x=normal(r, r)", "tf.sort(x, 0)", "jnp.sort(x, 0)", "torch.sort(x, 0)[0]"),
    Kernel("sort_int32", "x=integers(r, r)", "tf.sort(x)", "jnp.sort(x)", "torch.sort(x)[0]"),
    Kernel(
        "sort_descending", "x=normal(r, r)", "tf.sort(x, direction='DESCENDING')", "-jnp.sort(-x)", "x.sort(1, True)[0]"
    ),
    Kernel("argsort", "x=normal(r, r)", "tf.argsort(x)", "jnp.argsort(x)", "torch.argsort(x)"),
    Kernel("argsort_long", "x=normal(n)", "tf.argsort(x)", "jnp.argsort(x)", "torch.argsort(x)"),
    Kernel("argsort_int32", "x=integers(r, r)", "tf.argsort(x)", "jnp.argsort(x)", "torch.argsort(x)"),
    Kernel(
        "searchsorted",
        "x=normal(n); s=rising(r)",
        "tf.searchsorted(s, x)",
        "jnp.searchsorted(s, x)",
        "torch.searchsorted(s, x)",
    ),
    Kernel("unique", "x=integers(n)", "tf.unique(x)", "", "torch.unique(x, return_inverse=True)"),
    Kernel("unique_many", "x=integers(n, limit=1 << 30)", "tf.unique(x)", "", "torch.unique(x, return_inverse=True)"),
    Kernel("unique_int64", "x=integers(n, dtype='int64')", "tf.unique(x)", "", "torch.unique(x, return_inverse=True)"),
    Kernel("unique_float", "x=normal(n)", "tf.unique(x)", "", "torch.unique(x, return_inverse=True)"),
    Kernel(
        "unique_with_counts", "x=integers(n)", "tf.unique_with_counts(x)", "", "torch.unique(x, return_counts=True)"
    ),
    Kernel("bincount", "i=integers(n)", "tf.math.bincount(i)", "", "torch.bincount(i)"),
    Kernel(
        "bincount_sized",
        "i=integers(n)",
        "tf.math.bincount(i, minlength=1000, maxlength=1000)",
        "jnp.bincount(i, length=1000)",
        "torch.bincount(i, minlength=1000)",
    ),
    Kernel(
        "bincount_weights",
        "i=integers(n); w=uniform(n)",
        "tf.math.bincount(i, weights=w)",
        "jnp.bincount(i, w, length=1000)",
        "torch.bincount(i, w)",
    ),
    Kernel("histogram", "x=normal(n)", "tf.histogram_fixed_width(x, [-3., 3.])", "", "torch.histc(x, 100, -3, 3)"),
    Kernel("nonzero", "x=normal(r, r) > 0", "tf.where(x)", "", "torch.nonzero(x)"),
    Kernel("boolean_mask", "x=normal(n); m=normal(n) > 0", "tf.boolean_mask(x, m)", "", "x[m]"),
    Kernel("setdiff1d", "x=integers(n); y=integers(n // 2)", "tf.sets.difference(x[None], y[None])"),
    Kernel("invert_permutation", "i=permutation(n)", "tf.math.invert_permutation(i)", "", ""),
)

_SEGMENTS = (
    Kernel(
        "segment_sum",
        "x=normal(n); i=rising_ids(n)",
        "tf.math.segment_sum(x, i)",
        "",
        "torch.zeros(int(i[-1]) + 1).index_add_(0, i, x)",
    ),
    Kernel(
        "segment_sum_rows",
        "x=normal(n // 16, 16); i=rising_ids(n // 16)",
        "tf.math.segment_sum(x, i)",
        "",
        "torch.zeros(int(i[-1]) + 1, 16).index_add_(0, i, x)",
    ),
    Kernel("segment_mean", "x=normal(n // 16, 16); i=rising_ids(n // 16)", "tf.math.segment_mean(x, i)"),
    Kernel("segment_max", "x=normal(n // 16, 16); i=rising_ids(n // 16)", "tf.math.segment_max(x, i)"),
    Kernel(
        "unsorted_segment_sum",
        "x=normal(n); i=integers(n)",
        "tf.math.unsorted_segment_sum(x, i, 1000)",
        "jax.ops.segment_sum(x, i, 1000)",
        "torch.zeros(1000).index_add_(0, i, x)",
    ),
    Kernel(
        "unsorted_segment_sum_rows",
        "x=normal(n // 16, 16); i=integers(n // 16)",
        "tf.math.unsorted_segment_sum(x, i, 1000)",
        "jax.ops.segment_sum(x, i, 1000)",
        "torch.zeros(1000, 16).index_add_(0, i, x)",
    ),
    Kernel(
        "unsorted_segment_mean",
        "x=normal(n // 16, 16); i=integers(n // 16)",
        "tf.math.unsorted_segment_mean(x, i, 1000)",
    ),
    Kernel(
        "unsorted_segment_max",
        "x=normal(n // 16, 16); i=integers(n // 16)",
        "tf.math.unsorted_segment_max(x, i, 1000)",
        "jax.ops.segment_max(x, i, 1000)",
        "torch.zeros(1000, 16).index_reduce_(0, i, x, 'amax')",
    ),
    Kernel(
        "sparse_segment_sum",
        "x=normal(1000, 16); j=integers(n // 16); i=rising_ids(n // 16)",
        "tf.sparse.segment_sum(x, j, i)",
    ),
)

ROWS = (*_ORDER, *_SEGMENTS)
