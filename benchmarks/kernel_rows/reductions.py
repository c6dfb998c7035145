"""Sums, extremes and their indices, means, softmax, running sums."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.kernel_rows.kernel import Kernel

_REDUCTIONS = {  # name: (tf, jax, torch)
    "reduce_sum": ("tf.reduce_sum", "jnp.sum", "torch.sum"),
    "reduce_mean": ("tf.reduce_mean", "jnp.mean", "torch.mean"),
    "reduce_max": ("tf.reduce_max", "jnp.max", "torch.amax"),
    "reduce_prod": ("tf.reduce_prod", "jnp.prod", "torch.prod"),
    "reduce_logsumexp": ("tf.reduce_logsumexp", "jax.scipy.special.logsumexp", "torch.logsumexp"),
    "reduce_variance": ("tf.math.reduce_variance", "jnp.var", "torch.var"),
}


def _reductions() -> Iterator[Kernel]:
    for name, (tf, jax, torch) in _REDUCTIONS.items():
        for axis in (0, 1):
            calls = (f"{tf}(x, {axis})", f"{jax}(x, {axis})", f"{torch}(x, {axis})")
            yield Kernel(f"{name}_axis{axis}", "x=normal(r, r)", *calls)
        if name not in ("reduce_logsumexp", "reduce_variance"):
            yield Kernel(name, "x=normal(r, r)", f"{tf}(x)", f"{jax}(x)", f"{torch}(x)")
    for dtype in ("float16", "bfloat16", "int32", "int64", "float64"):
        for name in ("reduce_sum", "reduce_max"):
            inputs, (tf, jax, torch) = f"x=typed({dtype!r}, r, r)", _REDUCTIONS[name]
            typed = f", dtype=torch.{dtype}" if name == "reduce_sum" else ""
            calls = (f"{tf}(x, 1)", f"{jax}(x, 1)", f"{torch}(x, 1{typed})")
            yield Kernel(f"{name}_{dtype}", inputs, *calls)
    yield Kernel("reduce_all", "x=normal(r, r) > -9", "tf.reduce_all(x, 1)", "jnp.all(x, 1)", "torch.all(x, 1)")
    yield Kernel("reduce_any", "x=normal(r, r) > 9", "tf.reduce_any(x)", "jnp.any(x)", "torch.any(x)")
    yield Kernel("argmax", "x=normal(r, r)", "tf.argmax(x, 1)", "jnp.argmax(x, 1)", "torch.argmax(x, 1)")
    yield Kernel("argmax_axis0", "x=normal(r, r)", "tf.argmax(x, 0)", "jnp.argmax(x, 0)", "torch.argmax(x, 0)")
    yield Kernel("argmin", "x=normal(r, r)", "tf.argmin(x, 1)", "jnp.argmin(x, 1)", "torch.argmin(x, 1)")
    yield Kernel("argmax_int32", "x=integers(r, r)", "tf.argmax(x, 1)", "jnp.argmax(x, 1)", "torch.argmax(x, 1)")
    yield Kernel("softmax", "x=normal(r, r)", "tf.nn.softmax(x)", "jax.nn.softmax(x)", "torch.softmax(x, -1)")
    yield Kernel(
        "log_softmax", "x=normal(r, r)", "tf.nn.log_softmax(x)", "jax.nn.log_softmax(x)", "torch.log_softmax(x, -1)"
    )
    yield Kernel(
        "softmax_float16", "x=typed('float16', r, r)", "tf.nn.softmax(x)", "jax.nn.softmax(x)", "torch.softmax(x, -1)"
    )
    yield Kernel(
        "cross_entropy",
        "x=normal(r, r); i=integers(r, limit=r)",
        "tf.nn.sparse_softmax_cross_entropy_with_logits(i, x)",
        "-jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], 1)",
        "F.cross_entropy(x, i.long(), reduction='none')",
    )
    yield Kernel("moments", "x=normal(r, r)", "tf.nn.moments(x, [0])", "(x.mean(0), x.var(0))", "torch.var_mean(x, 0)")
    yield Kernel("l2_normalize", "x=normal(r, r)", "tf.nn.l2_normalize(x, 1)", "", "F.normalize(x, dim=1)")
    for name, torch in (("cumsum", "cumsum"), ("cumprod", "cumprod")):
        for axis in (0, 1):
            calls = (f"tf.math.{name}(x, {axis})", f"jnp.{name}(x, {axis})", f"torch.{torch}(x, {axis})")
            yield Kernel(f"{name}_axis{axis}", "x=uniform(r, r)", *calls)
    yield Kernel("cumsum_exclusive", "x=uniform(r, r)", "tf.cumsum(x, 1, exclusive=True, reverse=True)")
    yield Kernel(
        "cumulative_logsumexp", "x=normal(r, r)", "tf.math.cumulative_logsumexp(x, 1)", "", "x.logcumsumexp(1)"
    )


ROWS = tuple(_reductions())
