"""Elementwise functions of one tensor: values, dtypes, special values, refused dtypes, graph names."""

from __future__ import annotations

from tests.oracle.support import attempt

SMALL = [-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 3.7]


def _over_floats(tf, function, values, dtypes=("float16", "bfloat16", "float32", "float64")):
    return [function(tf.constant(values, dtype)) for dtype in dtypes]


def prog_abs_of_every_dtype(tf, np):
    """abs keeps the dtype, complex gives the real one."""
    return [tf.abs(tf.constant([-2, 3], d)) for d in "int8 int16 int32 int64 float16 bfloat16 float32 float64".split()] + [tf.abs([3 + 4j]), attempt(lambda: tf.abs(tf.constant([1], tf.uint8)), words=0), attempt(lambda: tf.abs("a"), words=0)]


def prog_exp_family(tf, np):
    """exp, expm1, log, log1p, log_sigmoid."""
    return [_over_floats(tf, f, [0.1, 0.5, 1.0, 2.0]) for f in (tf.exp, tf.math.expm1, tf.math.log, tf.math.log1p, tf.math.log_sigmoid)]


def prog_exp_of_complex(tf, np):
    """exp, log, sqrt, square and friends of complex numbers."""
    z = tf.constant([1 + 1j, -1 + 0.5j, 0.3j], tf.complex64)
    return [f(z) for f in (tf.exp, tf.math.log, tf.sqrt, tf.square, tf.math.rsqrt, tf.math.reciprocal, tf.sin, tf.cos, tf.tanh, tf.sigmoid, tf.math.expm1, tf.math.log1p, tf.negative)]


def prog_exp_of_ints_is_refused(tf, np):
    """Integer tensors have no exp, log or sin."""
    x = tf.constant([1, 2])
    return [attempt(lambda f=f: f(x), words=6) for f in (tf.exp, tf.math.log, tf.sin, tf.sqrt, tf.tanh, tf.sigmoid)]


def prog_trigonometry(tf, np):
    """sin, cos, tan and inverses."""
    inside = [-0.9, -0.5, 0.0, 0.5, 0.9]
    return [[_over_floats(tf, f, SMALL) for f in (tf.sin, tf.cos, tf.tan, tf.atan)], [_over_floats(tf, f, inside) for f in (tf.asin, tf.acos)]]


def prog_hyperbolic(tf, np):
    """sinh, cosh, tanh and inverses."""
    return [[_over_floats(tf, f, SMALL) for f in (tf.sinh, tf.cosh, tf.tanh, tf.asinh)], _over_floats(tf, tf.acosh, [1.0, 2.0, 5.0]), _over_floats(tf, tf.atanh, [-0.9, 0.0, 0.5])]


def prog_outside_the_domain(tf, np):
    """Arguments outside the domain give nan or inf, silently."""
    x = tf.constant([-2.0, 0.0, 2.0, np.inf, -np.inf, np.nan])
    return [f(x) for f in (tf.math.log, tf.sqrt, tf.math.rsqrt, tf.asin, tf.acosh, tf.atanh, tf.math.reciprocal, tf.exp, tf.math.log1p, tf.tanh, tf.sigmoid)]


def prog_rounding(tf, np):
    """floor, ceil, round (half to even), rint."""
    x = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4, -2.6]
    return [_over_floats(tf, f, x) for f in (tf.floor, tf.math.ceil, tf.round)] + [tf.math.rint(tf.constant(x)), tf.math.rint(tf.constant(x, tf.float64))] + [tf.round([1, 2]), attempt(lambda: tf.floor([1, 2]), words=0), tf.round([1.25 + 2j]) if False else tf.math.ceil([-0.2])]


def prog_sign(tf, np):
    """sign of floats, ints, complex and nan."""
    return [tf.sign([-3.0, 0.0, 2.0, np.nan, -0.0]), tf.sign([-3, 0, 5]), tf.sign(tf.constant([3 + 4j, 0j])), tf.sign(tf.constant([-1, 1], tf.int8)), attempt(lambda: tf.sign(tf.constant([True])), words=0)]


def prog_square_and_roots(tf, np):
    """square, sqrt, rsqrt, reciprocal, cube by pow."""
    return [tf.square([-3, 4]), tf.square([1.5]), tf.sqrt([0.0, 2.0, 9.0]), tf.math.rsqrt([4.0, 0.25]), tf.math.reciprocal([2.0, -4.0]), tf.math.reciprocal_no_nan([0.0, 2.0]), tf.square(tf.constant([3], tf.int64)), tf.math.reciprocal(tf.constant([2.0], tf.float64))]


def prog_sigmoid_and_softsign(tf, np):
    """sigmoid is stable at large arguments."""
    x = [-100.0, -5.0, 0.0, 5.0, 100.0]
    return [_over_floats(tf, f, x) for f in (tf.sigmoid, tf.math.softplus, tf.nn.softsign, tf.math.log_sigmoid)]


def prog_error_functions(tf, np):
    """erf, erfc, erfinv, ndtri, erfcinv."""
    x = [-2.0, -0.5, 0.0, 0.5, 2.0]
    return [_over_floats(tf, tf.math.erf, x), _over_floats(tf, tf.math.erfc, x), [f(tf.constant([-0.9, 0.0, 0.3], d)) for f in (tf.math.erfinv,) for d in (tf.float32, tf.float64)], tf.math.ndtri([0.1, 0.5, 0.9]), tf.math.erfcinv([0.5, 1.0, 1.5])]


def prog_gamma_functions(tf, np):
    """lgamma, digamma, and two-argument relatives."""
    x = [0.5, 1.0, 2.5, 10.0]
    d = (tf.float32, tf.float64)
    return [
        [f(tf.constant(x, t)) for f in (tf.math.lgamma, tf.math.digamma) for t in d],
        [f(tf.constant([1.0, 2.5], t), tf.constant([0.5, 3.0], t)) for f in (tf.math.igamma, tf.math.igammac) for t in d],
        tf.math.zeta([2.0, 3.0], [1.0, 2.0]),
        tf.math.polygamma([1.0, 2.0], [1.5, 2.5]),
        tf.math.lbeta([[1.0, 2.0], [0.5, 0.5]]),
        tf.math.betainc([1.0, 2.0], [3.0, 0.5], [0.2, 0.7]),
        tf.math.lgamma([-0.5, 0.0]),
    ]


def prog_bessel_functions(tf, np):
    """The Bessel functions of tf.math."""
    x = tf.constant([0.1, 1.0, 3.5])
    return [tf.math.bessel_i0(x), tf.math.bessel_i1(x), tf.math.bessel_i0e(x), tf.math.bessel_i1e(x)]


def prog_special_functions(tf, np):
    """tf.math.special."""
    x = tf.constant([0.2, 1.0, 2.5])
    s = tf.math.special
    return [s.dawsn(x), s.expint(x), s.fresnel_cos(x), s.fresnel_sin(x), s.spence(x), s.bessel_j0(x), s.bessel_j1(x), s.bessel_y0(x), s.bessel_k0(x), s.bessel_k1e(x)]


def prog_sinc_like_safety(tf, np):
    """multiply_no_nan, divide_no_nan, xlogy, xdivy, xlog1py at zero."""
    z, v = tf.constant([0.0, 1.0, 0.0]), tf.constant([np.inf, 2.0, 0.0])
    return [tf.math.multiply_no_nan(v, z), tf.math.divide_no_nan(v, z), tf.math.xlogy(z, v), tf.math.xdivy(z, v), tf.math.xlog1py(z, [np.nan, 2.0, -1.0])]


def prog_is_finite_family(tf, np):
    """is_finite, is_inf, is_nan."""
    x = [1.0, np.inf, -np.inf, np.nan, 0.0]
    return [f(tf.constant(x, d)) for f in (tf.math.is_finite, tf.math.is_inf, tf.math.is_nan) for d in ("float16", "bfloat16", "float32", "float64")] + [attempt(lambda: tf.math.is_nan([1]), words=0)]


def prog_logical_not_and_friends(tf, np):
    """Logical functions, with broadcasting and lists."""
    a, b = [[True], [False]], [True, False]
    return [tf.logical_not(a), tf.logical_and(a, b), tf.logical_or(a, b), tf.math.logical_xor(a, b), attempt(lambda: tf.logical_and([1], [True]), words=4), attempt(lambda: tf.logical_not([1.0]), words=4)]


def prog_complex_parts(tf, np):
    """real, imag, conj, angle, abs of complex and of real tensors."""
    z, r = tf.constant([1 - 2j, -3 + 0j], tf.complex64), tf.constant([-1.5, 2.0])
    fs = (tf.math.real, tf.math.imag, tf.math.conj, tf.math.angle)
    return [[f(z) for f in fs], [attempt(lambda f=f: f(r)) for f in fs], [f(tf.constant([1 + 1j])) for f in fs], attempt(lambda: tf.math.conj("a"))]


def prog_python_and_numpy_inputs(tf, np):
    """Lists, scalars and arrays convert with their own dtype."""
    return [tf.exp(1.0), tf.exp([0.0]), tf.exp(np.array([0.0, 1.0])), tf.sqrt(np.float16(4)), tf.sin(()), tf.negative(5), tf.abs(-2), tf.square(np.array([[2]], np.int64))]


def prog_empty_and_zero_dim(tf, np):
    """Empty and 0-d tensors pass through."""
    return [f(tf.zeros(s)) for f in (tf.exp, tf.tanh, tf.negative, tf.math.erf) for s in ([0], [2, 0], [], [1, 1, 1])]


def prog_unary_names_in_graph(tf, np):
    """Default node names and explicit ones."""
    fs = (tf.exp, tf.math.log, tf.sin, tf.tanh, tf.negative, tf.abs, tf.square, tf.sqrt, tf.floor, tf.math.erf, tf.sigmoid, tf.sign, tf.round, tf.math.is_nan, tf.math.lgamma, tf.math.expm1, tf.math.ceil, tf.math.reciprocal, tf.math.rsqrt, tf.math.softplus)
    with tf.Graph().as_default() as g:
        x = tf.constant([1.0], name="x")
        return [[f(x).name for f in fs], [f(x, name="mine").name for f in fs], sorted({o.type for o in g.get_operations()})]


def prog_unary_shapes_unknown(tf, np):
    """Static shapes pass through elementwise functions."""
    out = []

    @tf.function(autograph=False)
    def f(x, y):
        out.extend(v.shape for v in (tf.exp(x), tf.exp(y), tf.nn.relu(x), tf.cast(y, tf.int32), tf.math.is_nan(x)))
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec(None))
    return out


def prog_unary_gradients(tf, np):
    """Derivatives of thirty functions at three points."""
    x = tf.constant([0.2, 0.5, 0.8], tf.float64)
    names = "exp log sin cos tan asin acos atan sinh cosh tanh asinh atanh sqrt rsqrt square abs negative sigmoid softplus erf erfc lgamma digamma expm1 log1p reciprocal sign floor erfinv ndtri".split()
    out = {}
    for name in names:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.math, name)(x)
        out[name] = tape.gradient(y, x)
    return out


def prog_unary_gradients_at_special_points(tf, np):
    """Gradients at kinks and poles."""
    x = tf.constant([0.0, -1.0])
    out = []
    for f in (tf.abs, tf.nn.relu, tf.sqrt, tf.math.log, tf.math.reciprocal, tf.sign, tf.math.reciprocal_no_nan, tf.nn.relu6, tf.nn.elu):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        out.append(tape.gradient(y, x))
    return out


def prog_nextafter_and_bits(tf, np):
    """nextafter moves by one unit."""
    return [tf.math.nextafter(tf.constant([1.0, 0.0]), tf.constant([2.0, -1.0])), tf.math.nextafter(tf.constant(1.0, tf.float64), 0.0), tf.bitwise.invert(tf.constant([0, 255], tf.uint8))]


def prog_math_aliases(tf, np):
    """Root aliases are the same functions as tf.math's."""
    names = "abs acos acosh add add_n argmax argmin asin asinh atan atan2 atanh cos cosh cumsum divide equal exp floor greater greater_equal less less_equal logical_and logical_not logical_or maximum minimum multiply negative not_equal pow reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum round scalar_mul sigmoid sign sin sinh sqrt square subtract tan tanh truediv".split()
    return [getattr(tf, n) is getattr(tf.math, n) for n in names]


def prog_polyval_and_scalar_mul(tf, np):
    """polyval, scalar_mul, accumulate_n, add_n."""
    x = tf.constant([1.0, 2.0])
    return [tf.math.polyval([2.0, 1.0, 3.0], 2.0), tf.math.polyval([x, x], x), tf.scalar_mul(3.0, x), tf.add_n([x, x, x]), tf.math.accumulate_n([x, x]), tf.add_n([tf.constant(1)]), attempt(lambda: tf.add_n([])), attempt(lambda: tf.add_n([x, tf.constant([1.0])])), attempt(lambda: tf.add_n(x), words=3), attempt(lambda: tf.scalar_mul(x, x))]


def prog_normalisations_of_vectors(tf, np):
    """l2_normalize and tf.linalg.normalize."""
    x = tf.constant([[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]])
    return [tf.math.l2_normalize(x), tf.math.l2_normalize(x, axis=1), tf.math.l2_normalize(x, axis=[0, 1]), tf.linalg.normalize(x[:1]), tf.nn.l2_normalize(tf.constant([1e-8]), epsilon=1e-4)]
