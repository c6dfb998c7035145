"""What random functions are composed of: differentiable expressions as text, with the shapes that they give.

A pattern is a text with slots `{x}`, `{y}` for operands. All are smooth but for kinks and jumps at numbers that no
random value hits, and keep numbers of ordinary size at that size, so that differences of values are good derivatives.
"""

from __future__ import annotations

Shape = tuple[int, ...]

ELEMENTWISE = (
    "{x} * 0.5",
    "tf.sin({x})",
    "tf.cos({x} - 0.2)",
    "tf.tanh({x})",
    "tf.sigmoid({x})",
    "tf.square({x})",
    "-{x}",
    "stop({x})",
    "tf.cast(tf.cast({x}, LOW), tf.float64)",
    "{x} * {x}",
    "{x} ** 3.0",
    "2.0 ** {x}",
    "1.0 / (1.0 + {x} * {x})",
    "tf.identity({x})",
    "tf.exp(-{x} * {x})",
    "tf.math.expm1(tf.sin({x}))",
    "tf.math.log1p({x} * {x})",
    "tf.math.log({x} * {x} + 0.7)",
    "tf.sqrt({x} * {x} + 1.0)",
    "tf.math.rsqrt({x} * {x} + 0.5)",
    "tf.math.reciprocal({x} * {x} + 0.9)",
    "tf.math.reciprocal_no_nan({x} * {x} + 0.9)",
    "tf.abs({x} - 0.0871)",
    "tf.sign({x} - 0.0871) * {x}",
    "tf.floor({x} + 0.0533) + {x}",
    "passed({x})",
    "tf.math.erf({x})",
    "tf.math.erfc({x})",
    "tf.math.lgamma({x} * {x} + 1.0)",
    "tf.math.digamma({x} * {x} + 1.2)",
    "tf.math.polygamma(tf.cast(1.0, tf.float64), {x} * {x} + 1.2)",
    "tf.math.zeta(tf.cast(2.3, tf.float64), {x} * {x} + 0.7)",
    "tf.math.ndtri(0.2 + 0.6 * tf.sigmoid({x}))",
    "tf.math.erfinv(0.8 * tf.tanh({x}))",
    "tf.math.betainc(tf.cast(1.5, tf.float64), tf.cast(2.0, tf.float64), 0.1 + 0.8 * tf.sigmoid({x}))",
    "tf.math.xlogy({x} * {x}, {x} * {x} + 0.5)",
    "tf.math.xlog1py({x}, {x} * {x})",
    "tf.math.xdivy({x}, {x} * {x} + 0.5)",
    "tf.math.asinh({x})",
    "tf.math.sinh(tf.sin({x}))",
    "tf.math.cosh(tf.sin({x}))",
    "tf.math.atan({x})",
    "tf.math.tan(0.5 * tf.sin({x}))",
    "tf.math.asin(0.8 * tf.sin({x} + 0.1))",
    "tf.math.acos(0.8 * tf.sin({x} + 0.1))",
    "tf.math.acosh({x} * {x} + 1.3)",
    "tf.math.atanh(0.7 * tf.tanh({x}))",
    "tf.math.bessel_i0e({x} + 0.1)",
    "tf.math.bessel_i1e({x} + 0.1)",
    "tf.math.softplus({x})",
    "tf.math.softplus({x}) - tf.math.log_sigmoid({x})",
    "tf.nn.relu({x} + 0.0613)",
    "tf.nn.relu6(3.0 * {x} + 0.313)",
    "tf.nn.leaky_relu({x} - 0.1371)",
    "tf.nn.elu({x} + 0.0331)",
    "tf.nn.selu({x} + 0.0331)",
    "tf.nn.silu({x})",
    "tf.nn.gelu({x})",
    "tf.nn.gelu({x}, approximate=True)",
    "tf.nn.softsign({x} - 0.0417)",
    "tf.clip_by_value({x}, -0.7313, 0.9137)",
    "tf.where({x} > 0.2311, {x} * {x}, tf.cos({x}))",
    "tf.where({x} > 0.2311, {x}, 0.3)",
    "tf.maximum({x}, 0.1213)",
    "tf.minimum({x}, 0.1213)",
    "tf.math.floormod({x}, 1.3717)",
    "tf.math.multiply_no_nan({x}, {x} + 1.0)",
    "tf.debugging.check_numerics({x}, 'x')",
    "tf.math.real(tf.exp(tf.complex({x}, 0.5 * {x})))",
    "tf.abs(tf.complex({x}, {x} + 1.3))",
    "tf.math.imag(tf.complex({x}, 0.3 - {x}) ** 2)",
    "tf.math.real(tf.sqrt(tf.complex({x} * {x} + 0.5, {x})))",
    "tf.math.angle(tf.complex({x} * {x} + 0.5, {x}))",
    "tf.math.real(tf.math.conj(tf.complex({x}, 1.0 - {x})) / tf.complex({x} * {x} + 1.0, {x}))",
    "tf.math.real(tf.cast({x}, tf.complex128) * 1j + tf.math.tanh(tf.complex({x}, 0.3 * {x})))",
    "tf.clip_by_norm({x}, 0.9)",
    "tripled({x})",
)
"""Texts that give a tensor of the shape of `{x}`, for any shape."""

WHOLE = (
    "tf.nn.softmax({x}, axis={a})",
    "tf.nn.log_softmax({x}, axis={a})",
    "tf.cumsum({x}, axis={a})",
    "tf.cumsum({x}, axis={a}, exclusive=True)",
    "tf.cumsum({x}, axis={a}, reverse=True)",
    "tf.math.cumprod({x} + 1.0, axis={a}, reverse=True)",
    "tf.math.cumprod({x} * 0.5, axis={a}, exclusive=True)",
    "tf.math.cumulative_logsumexp({x}, axis={a})",
    "tf.math.l2_normalize({x} + 0.3, axis={a})",
    "tf.linalg.normalize({x} + 0.4, axis={a})[0]",
    "tf.reverse({x}, [{a}])",
    "tf.roll({x}, shift=1, axis={a})",
    "tf.sort({x}, axis={a})",
    "{x} - tf.reduce_mean({x}, axis={a}, keepdims=True)",
    "tf.math.top_k({x}, k=1).values * {x}",
    "tf.scan(lambda c, e: 0.5 * c + tf.sin(e), {x})",
    "tf.scan(lambda c, e: c * 0.7 + e, {x}, reverse=True)",
    "tf.map_fn(lambda e: tf.sin(e) * e, {x})",
    "tf.vectorized_map(lambda e: tf.sin(e) * e + 0.1, {x})",
    "tf.tensor_scatter_nd_add({x}, [[0], [0]], tf.stack([{x}[0] * 0.5, tf.sin({x}[0])]))",
    "tf.tensor_scatter_nd_update({x}, [[0]], [tf.reduce_sum({x}, axis=0)])",
    "tf.gather({x}, tf.range(tf.shape({x})[{a}])[::-1], axis={a})",
    "tf.concat(tf.unstack({x}[:, None], axis=0), axis=0)",
    "tf.reshape(tf.stack(tf.unstack({x}, axis={a}), axis={a}), tf.shape({x}))",
    "tf.where(tf.sequence_mask(1, tf.shape({x})[-1]), {x}, tf.zeros_like({x}))",
    "tf.dynamic_stitch([[0], tf.range(1, tf.shape({x})[0])], [{x}[:1] * 2.0, {x}[1:]])",
)
"""Texts that keep the shape of `{x}`, for ranks from 1 and axes that are not empty; `{a}` is an axis."""

BROADCASTING = (
    "{x} + {y}",
    "{x} - {y}",
    "{x} * {y}",
    "{x} / (2.0 + {y} * {y})",
    "tf.maximum({x}, {y} + 0.0137)",
    "tf.minimum({x}, {y} + 0.0137)",
    "tf.math.squared_difference({x}, {y})",
    "tf.math.atan2({x}, {y} * {y} + 0.5)",
    "tf.pow({x} * {x} + 0.4, {y})",
    "tf.math.divide_no_nan({x}, {y} * {y} + 1.0)",
    "tf.where({x} > {y} + 0.0173, {x}, {y} * {y})",
    "tf.math.xlogy({x}, {y} * {y} + 0.6)",
    "tf.math.real(tf.complex({x} + 0.0 * {y}, {y} + 0.0 * {x}) ** 2)",
    "tf.math.multiply_no_nan({x}, {y})",
)
"""Texts that give a tensor of the broadcast shape of `{x}` and `{y}`."""

REDUCTIONS = (
    "tf.reduce_sum({x}{k})",
    "tf.reduce_mean({x}{k})",
    "tf.reduce_max({x}{k})",
    "tf.reduce_min({x}{k})",
    "tf.reduce_prod({x} + 0.5{k})",
    "tf.reduce_logsumexp({x}{k})",
    "tf.math.reduce_variance({x}{k})",
    "tf.math.reduce_euclidean_norm({x} + 0.2{k})",
    "tf.reduce_sum(tf.square({x}){k})",
)
"""Texts with `{k}` for the keywords of a reduction; only the first takes empty axes."""

PAIRS = (
    "tf.add_n([{x}, {y}, {x}])",
    "tf.stack([{x}, {y}])[1]",
    "tf.unstack(tf.stack([{x}, {y}], axis=-1), axis=-1)[0]",
    "tf.math.accumulate_n([{x}, {y}])",
    "tf.math.real(tf.complex({x}, {y}) * tf.math.conj(tf.complex({y}, {x})))",
    "tf.abs(tf.complex({x}, {y}) + 1.7)",
    "tf.identity_n([{x}, {y}])[1]",
    "tf.where(tf.math.logical_and({x} > {y}, {y} > 0.0719), {x}, {y})",
    "tf.clip_by_global_norm([{x}, {y}], 1.3)[0][0]",
    "tf.nest.map_structure(tf.add, ({x}, {y}), ({y}, {x}))[0]",
)
"""Texts that take two tensors of one shape and give one of that shape."""

MATRICES = (
    "tf.linalg.inv({s})",
    "tf.linalg.cholesky({s})",
    "tf.linalg.solve({s}, {m})",
    "tf.linalg.triangular_solve(tf.linalg.cholesky({s}), {m})",
    "tf.linalg.cholesky_solve(tf.linalg.cholesky({s}), {m})",
    "tf.linalg.matrix_transpose({m})",
    "tf.linalg.band_part({m}, 0, -1)",
    "tf.linalg.diag(tf.linalg.diag_part({m}))",
    "tf.linalg.set_diag({m}, tf.reduce_sum({m}, axis=0))",
    "tf.linalg.det({s}) * {m}",
    "tf.linalg.logdet({s}) * {m}",
    "tf.linalg.trace({m}) * {m}",
    "tf.linalg.eigvalsh({s} + tf.linalg.diag({d}))[:, None] * {m}",
    "tf.linalg.svd({m} + tf.linalg.diag({d}), compute_uv=False)[:, None] * {m}",
    "tf.linalg.matmul({m}, {m}, adjoint_b=True)",
    "tf.math.real(tf.linalg.matmul(tf.complex({m}, {s}), tf.complex({s}, {m}), adjoint_a=True))",
    "tf.math.real(tf.linalg.inv(tf.complex({s}, {m})))",
    "tf.linalg.tridiagonal_matmul([{m}[0], {s}[0], {m}[-1]], {m}, diagonals_format='sequence')",
    "tf.linalg.expm(0.3 * {m})",
    "tf.linalg.pinv({s} + tf.linalg.diag({d}))",
    "tf.linalg.qr({s})[1]",
)
"""Texts that take a square matrix `{m}`, a positive definite one `{s}`, a vector of distinct numbers `{d}`."""

TESTS = (
    "tf.reduce_sum({x}) > {c}",
    "{n} > {i}",
    "tf.reduce_any({x} > {c})",
    "tf.reduce_sum(tf.sin({x})) < {c}",
    "tf.logical_not(tf.reduce_sum({x}) > {c})",
    "tf.reduce_sum({x}) > {c} and {n} < {i}",
    "tf.reduce_sum({x}) > {c} or {n} > {i}",
)
"""Conditions on a tensor `{x}`; those with operators of Python stand only where AutoGraph converts."""

OPERATORS_FROM = 5
"""Where among the conditions those with operators of Python start."""
