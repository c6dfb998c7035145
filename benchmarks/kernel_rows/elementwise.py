"""Functions of single elements, and casts, in several dtypes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.kernel_rows.kernel import Kernel

_UNARY = {  # name: (tf, jax, torch), where the spellings differ
    "digamma": ("tf.math.digamma", "jax.scipy.special.digamma", "torch.digamma"),
    "erf": ("tf.math.erf", "lax.erf", "torch.erf"),
    "erfc": ("tf.math.erfc", "lax.erfc", "torch.erfc"),
    "erfinv": ("tf.math.erfinv", "lax.erf_inv", "torch.erfinv"),
    "gelu": ("tf.nn.gelu", "jax.nn.gelu", "F.gelu"),
    "elu": ("tf.nn.elu", "jax.nn.elu", "F.elu"),
    "leaky_relu": ("tf.nn.leaky_relu", "jax.nn.leaky_relu", "F.leaky_relu"),
    "lgamma": ("tf.math.lgamma", "lax.lgamma", "torch.lgamma"),
    "log_sigmoid": ("tf.math.log_sigmoid", "jax.nn.log_sigmoid", "F.logsigmoid"),
    "relu": ("tf.nn.relu", "jax.nn.relu", "F.relu"),
    "relu6": ("tf.nn.relu6", "jax.nn.relu6", "F.relu6"),
    "round": ("tf.math.round", "jnp.round", "torch.round"),
    "rsqrt": ("tf.math.rsqrt", "lax.rsqrt", "torch.rsqrt"),
    "selu": ("tf.nn.selu", "jax.nn.selu", "F.selu"),
    "sigmoid": ("tf.math.sigmoid", "jax.nn.sigmoid", "torch.sigmoid"),
    "silu": ("tf.nn.silu", "jax.nn.silu", "F.silu"),
    "softplus": ("tf.math.softplus", "jax.nn.softplus", "F.softplus"),
    "softsign": ("tf.nn.softsign", "jax.nn.soft_sign", "F.softsign"),
    "bessel_i0e": ("tf.math.bessel_i0e", "jax.scipy.special.i0e", "torch.special.i0e"),
    "is_nan": ("tf.math.is_nan", "jnp.isnan", "torch.isnan"),
    "is_finite": ("tf.math.is_finite", "jnp.isfinite", "torch.isfinite"),
    "negative": ("tf.math.negative", "jnp.negative", "torch.neg"),
}
_UNARY_NAMES = {
    "normal(n)": "abs ceil cos elu erf erfc exp expm1 floor gelu is_finite is_nan leaky_relu log_sigmoid negative relu "
    "relu6 round selu sigmoid sign silu sin sinh softplus softsign square tan tanh bessel_i0e",
    "uniform(n)": "asin atanh digamma erfinv lgamma log log1p rsqrt sqrt",
}
_BINARY = {  # name: (tf, jax, torch)
    "add": ("tf.add", "jnp.add", "torch.add"),
    "subtract": ("tf.subtract", "jnp.subtract", "torch.sub"),
    "multiply": ("tf.multiply", "jnp.multiply", "torch.mul"),
    "divide": ("tf.divide", "jnp.divide", "torch.div"),
    "maximum": ("tf.maximum", "jnp.maximum", "torch.maximum"),
    "pow": ("tf.pow", "jnp.power", "torch.pow"),
    "atan2": ("tf.atan2", "jnp.arctan2", "torch.atan2"),
    "floormod": ("tf.math.floormod", "jnp.mod", "torch.remainder"),
    "less": ("tf.less", "jnp.less", "torch.lt"),
    "equal": ("tf.equal", "jnp.equal", "torch.eq"),
    "squared_difference": ("tf.math.squared_difference", "", ""),
}
_DTYPES = ("float16", "bfloat16", "float64", "int8", "int32", "int64")


def _unary() -> Iterator[Kernel]:
    for inputs, names in _UNARY_NAMES.items():
        for name in names.split():
            functions = _UNARY.get(name, (f"tf.math.{name}", f"jnp.{name}", f"torch.{name}"))
            yield Kernel(name, f"x={inputs}", *(f"{function}(x)" for function in functions))


def _binary() -> Iterator[Kernel]:
    for name, functions in _BINARY.items():
        yield Kernel(name, "x=uniform(n); y=uniform(n)", *(f"{f}(x, y)" if f else "" for f in functions))
    for dtype in _DTYPES:
        inputs = f"x=typed({dtype!r}, n); y=typed({dtype!r}, n)"
        for name in ("add", "multiply", "maximum"):
            yield Kernel(f"{name}_{dtype}", inputs, *(f"{function}(x, y)" for function in _BINARY[name]))
    for dtype in ("float16", "bfloat16"):
        for name in ("divide", "less"):
            functions = _BINARY[name]
            inputs = f"x=typed({dtype!r}, n); y=typed({dtype!r}, n)"
            yield Kernel(f"{name}_{dtype}", inputs, *(f"{function}(x, y)" for function in functions))
        for name in ("exp", "tanh", "sqrt", "relu"):
            functions = _UNARY.get(name, (f"tf.math.{name}", f"jnp.{name}", f"torch.{name}"))
            yield Kernel(f"{name}_{dtype}", f"x=typed({dtype!r}, n)", *(f"{function}(x)" for function in functions))
    yield Kernel("add_rows", "x=normal(r, r); y=normal(r)", "x + y", "x + y", "x + y")
    yield Kernel("add_columns", "x=normal(r, r); y=normal(r, 1)", "x + y", "x + y", "x + y")


CASTS = tuple(
    Kernel(
        f"cast_{source}_{target}",
        f"x=typed({source!r}, n)",
        f"tf.cast(x, {target!r})",
        f"x.astype({target!r})",
        f"x.to(torch.{target})",
    )
    for source, target in (
        *(("float32", "float16"), ("float16", "float32"), ("float32", "bfloat16"), ("bfloat16", "float32")),
        *(("float32", "int32"), ("int32", "float32"), ("float32", "float64"), ("float64", "float32")),
        *(("int64", "float16"), ("float16", "bfloat16"), ("float32", "bool"), ("uint8", "float32")),
    )
)

ROWS = (*_unary(), *_binary(), *CASTS)
