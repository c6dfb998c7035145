"""Kinds of statements without blocks of their own: arithmetic, shapes, indices, variables, random numbers, mistakes."""

# ruff: noqa: E501  (a form of a statement stands in one line)

from __future__ import annotations

from tests.soundness.programs import _COMPLEX, _FLOATS, _INTEGERS, Writer, statement

_SMOOTH = (
    "tf.tanh", "tf.sigmoid", "tf.exp", "tf.sin", "tf.cos", "tf.nn.softplus", "tf.nn.gelu", "tf.nn.silu", "tf.atan",
    "tf.math.erf", "tf.math.erfc", "tf.nn.elu", "tf.nn.selu", "tf.math.log1p", "tf.math.expm1", "tf.sinh", "tf.asinh",
)  # fmt: skip
_STEPS = ("tf.floor", "tf.math.ceil", "tf.round", "tf.sign", "tf.nn.relu", "tf.nn.relu6", "tf.abs", "tf.negative")
_BINARY = ("tf.add", "tf.subtract", "tf.multiply", "tf.maximum", "tf.minimum", "tf.math.squared_difference")
_COMPARISONS = ("tf.less", "tf.less_equal", "tf.greater", "tf.equal", "tf.not_equal", "tf.greater_equal")
_REDUCTIONS = ("tf.reduce_sum", "tf.reduce_mean", "tf.reduce_max", "tf.reduce_min", "tf.reduce_prod")
_SMOOTH_REDUCTIONS = ("tf.reduce_sum", "tf.reduce_mean")
_NUMBERS = (*_FLOATS, *_INTEGERS)


# --- element by element -----------------------------------------------------------------------------------------------


@statement(6)
def smooth(w: Writer) -> bool:
    x = w.pick(dtypes=(*_FLOATS, *_COMPLEX))
    return x is not None and w.add(f"{w.rng.choice(_SMOOTH)}({x.name})")


@statement(3)
def guarded(w: Writer) -> bool:
    x = w.pick(dtypes=_FLOATS)
    form = w.rng.choice(
        ["tf.sqrt(tf.abs({x}) + 0.5)", "tf.math.log(tf.abs({x}) + 1.0)", "1.0 / (tf.square({x}) + 1.0)",
         "tf.math.rsqrt(tf.square({x}) + 1.0)", "tf.math.lgamma(tf.abs({x}) + 1.5)", "tf.math.digamma(tf.abs({x}) + 1.5)",
         "tf.pow(tf.abs({x}) + 0.5, 1.5)", "tf.math.divide_no_nan({x}, tf.abs({x}) + 1.0)", "tf.clip_by_value({x}, -1.0, 1.0)",
         "tf.nn.leaky_relu({x}, 0.25)"]
    )  # fmt: skip
    return x is not None and w.add(form.format(x=x.name))


@statement(4)
def steps(w: Writer) -> bool:
    x = w.pick(dtypes=_NUMBERS, exact=True)
    return x is not None and w.add(f"{w.rng.choice(_STEPS)}({x.name})", exact=True)


@statement(10)
def binary(w: Writer) -> bool:
    x = w.pick(dtypes=(*_NUMBERS, *_COMPLEX))
    if x is None:
        return False
    y = w.like(x)
    second = w.rng.choice(["2", "1", "0", "-1"]) if w.chance(25) and not x.dtype.startswith("u") else y.name
    is_exact = x.is_exact and y.is_exact
    # The gradient of a maximum makes much of rounding where two numbers are nearly equal.
    function = w.rng.choice(_BINARY if is_exact else [f for f in _BINARY if f not in ("tf.maximum", "tf.minimum")])
    return w.add(f"{function}({x.name}, {second})", exact=is_exact)


@statement(3)
def integers(w: Writer) -> bool:
    x = w.pick(dtypes=("int32", "int64"))
    form = w.rng.choice(
        ["{x} // 3", "{x} % 5", "tf.bitwise.bitwise_and({x}, 5)", "tf.bitwise.bitwise_xor({x}, 3)", "{x} * {x} // 2",
         "tf.math.floormod({x}, -4)", "tf.truncatediv({x}, 2)", "tf.bitwise.left_shift({x}, 2)", "tf.abs({x}) ** 2",
         "tf.bitwise.invert({x})", "tf.cumsum(tf.reshape({x}, [-1]))", "tf.sign({x}) - {x}"]
    )  # fmt: skip
    return x is not None and w.add(form.format(x=x.name))


@statement(3)
def comparison(w: Writer) -> bool:
    x = w.pick(dtypes=_NUMBERS, exact=True)
    return x is not None and w.add(f"{w.rng.choice(_COMPARISONS)}({x.name}, {w.like(x, exact=True).name})")


@statement(2)
def logic(w: Writer) -> bool:
    x = w.pick(dtypes=("bool",))
    if x is None:
        return False
    y = w.like(x).name
    form = w.rng.choice(["tf.logical_not({x})", "tf.logical_and({x}, {y})", "tf.logical_or({x}, {y})",
                         "tf.reduce_any({x})", "tf.reduce_all({x})", "tf.cast({x}, tf.float32)"])  # fmt: skip
    return w.add(form.format(x=x.name, y=y), exact=True)


@statement(3)
def selection(w: Writer) -> bool:
    x = w.pick(dtypes=(*_NUMBERS, *_COMPLEX))
    if x is None:
        return False
    y, test = w.like(x), w.pick(dtypes=("bool",))
    condition = test.name if test is not None else "k > 0"
    return w.add(f"tf.where({condition}, {x.name}, {y.name})", exact=x.is_exact and y.is_exact)


@statement(3)
def cast(w: Writer) -> bool:
    x = w.pick(dtypes=(*_NUMBERS, "bool"))
    if x is None:
        return False
    targets = _NUMBERS if x.is_exact else _FLOATS
    target = w.rng.choice([*targets, "float32", "float32"])
    return w.add(f"tf.cast({x.name}, tf.{target})", exact=x.is_exact)


@statement(2)
def complex_numbers(w: Writer) -> bool:
    x = w.pick(dtypes=("float32",))
    z = w.pick(dtypes=_COMPLEX)
    if z is not None and w.chance(70):
        form = w.rng.choice(["tf.math.real({z})", "tf.math.imag({z})", "tf.math.conj({z})", "tf.abs({z})", "{z} * {z}"])
        return w.add(form.format(z=z.name))
    return x is not None and w.add(f"tf.complex({x.name}, {w.like(x).name})")


# --- whole arrays -----------------------------------------------------------------------------------------------------


@statement(5)
def reduction(w: Writer) -> bool:
    x = w.pick(dtypes=(*_NUMBERS, *_COMPLEX), ranks=(1, 2, 3))
    if x is None:
        return False
    function = w.rng.choice(_REDUCTIONS if x.is_exact else _SMOOTH_REDUCTIONS)
    if "mean" in function and x.dtype in _INTEGERS:
        function = "tf.reduce_sum"
    axis = w.rng.choice(["", f", axis={w.axis(x)}", f", axis={w.axis(x)}, keepdims=True", ", axis=[0]"])
    return w.add(f"{function}({x.name}{axis})", exact=x.is_exact and "prod" not in function)


@statement(3)
def statistics(w: Writer) -> bool:
    x = w.pick(dtypes=_FLOATS, ranks=(1, 2, 3))
    form = w.rng.choice(
        ["tf.nn.softmax({x})", "tf.nn.log_softmax({x})", "tf.reduce_logsumexp({x}, -1)", "tf.nn.moments({x}, [-1])",
         "tf.math.reduce_std({x}, 0)", "({x} - tf.reduce_mean({x}, -1, keepdims=True)) * 0.5", "tf.norm({x} + 3.0)",
         "tf.cumsum({x}, -1)", "tf.math.cumprod({x} * 0.5, -1)", "tf.nn.l2_normalize({x} + 2.0, -1)",
         "tf.math.reduce_variance({x}, axis=-1)"]
    )  # fmt: skip
    return x is not None and w.add(form.format(x=x.name))


@statement(4)
def product(w: Writer) -> bool:
    x = w.pick(dtypes=(*_FLOATS, *_COMPLEX, "int32"), ranks=(2, 3))
    if x is None:
        return False
    y = w.like(x)
    form = w.rng.choice(
        ["tf.matmul({x}, {y}, transpose_b=True)", "tf.matmul({x}, {y})", "tf.matmul({x}, {y}, transpose_a=True)",
         "tf.einsum('...ij,...kj->...ik', {x}, {y})", "tf.tensordot({x}, {y}, [[-1], [-1]])", "tf.linalg.matvec({x}, {y}[..., 0, :])"]
    )  # fmt: skip
    return w.add(form.format(x=x.name, y=y.name), exact=x.is_exact and y.is_exact)


@statement(2)
def matrices(w: Writer) -> bool:
    x = w.pick(dtypes=("float32", "float64"), ranks=(2,))
    if x is None:
        return False
    square = f"tf.matmul({x.name}, {x.name}, transpose_b=True) * 0.1 + 2.0 * tf.eye({x.shape[0]}, dtype=tf.{x.dtype})"
    form = w.rng.choice(["tf.linalg.inv({a})", "tf.linalg.cholesky({a})", "tf.linalg.det({a})", "tf.linalg.trace({a})",
                         "tf.linalg.solve({a}, {x})", "tf.linalg.band_part({a}, 1, 0)", "tf.linalg.diag_part({a})",
                         "tf.linalg.eigvalsh({a})", "tf.linalg.svd({a}, compute_uv=False)"])  # fmt: skip
    return w.add(form.format(a=f"({square})", x=x.name))


@statement(2)
def image(w: Writer) -> bool:
    x = w.pick(dtypes=("float32", "float64"), ranks=(2, 3))
    if x is None:
        return False
    flat = f"tf.reshape(tf.tile(tf.reshape({x.name}, [-1])[:1], [32]) + tf.cast(tf.range(32), tf.{x.dtype}) / 16, [1, 4, 4, 2])"
    form = w.rng.choice(
        ["tf.nn.conv2d({a}, tf.ones([3, 3, 2, 2], tf.{t}) * 0.1, 1, 'SAME')", "tf.nn.max_pool2d({a}, 2, 2, 'VALID')",
         "tf.nn.avg_pool2d({a}, 2, 1, 'SAME')", "tf.nn.depthwise_conv2d({a}, tf.ones([2, 2, 2, 1], tf.{t}), [1, 1, 1, 1], 'VALID')",
         "tf.nn.bias_add({a}, tf.ones([2], tf.{t}))"]
    )  # fmt: skip
    return w.add(form.format(a=flat, t=x.dtype))


# --- shapes and positions ---------------------------------------------------------------------------------------------


@statement(6)
def layout(w: Writer) -> bool:
    x = w.pick(ranks=(1, 2, 3))
    if x is None:
        return False
    form = w.rng.choice(
        ["tf.reshape({x}, [-1])", "tf.transpose({x})", "tf.expand_dims({x}, {a})", "tf.reverse({x}, [0])",
         "tf.concat([{x}, {y}], {a})", "tf.stack([{x}, {x}], 0)", "tf.unstack({x}, axis=0)", "tf.tile({x}, [2] + [1] * {r})",
         "tf.roll({x}, 1, {a})", "tf.pad({x}, [[1, 0]] * ({r} + 1))", "tf.reshape({x}, tf.shape({x})[::-1])",
         "tf.broadcast_to({x}, tf.concat([[2], tf.shape({x})], 0))", "tf.identity({x})", "tf.squeeze(tf.expand_dims({x}, 0), 0)",
         "tf.split({x}, [1, -1], 0)", "tf.repeat({x}, 2, axis={a})", "tf.zeros_like({x})", "tf.ones_like({x})",
         "tf.gather({x}, [0, 0], axis={a})", "{x}[0]", "{x}[..., 0]", "{x}[:1]", "{x}[::-1]", "{x}[..., tf.newaxis]",
         "tf.linalg.diag({x})", "tf.meshgrid({x}[..., 0], {x}[..., 0])[0]"]
    )  # fmt: skip
    y = w.like(x)
    text = form.format(x=x.name, y=y.name, a=w.axis(x), r=x.rank - 1)
    return w.add(text, exact=x.is_exact and y.is_exact)


@statement(2)
def sizes(w: Writer) -> bool:
    x = w.pick(ranks=(1, 2, 3))
    form = w.rng.choice(["tf.shape({x})", "tf.size({x})", "tf.range(tf.size({x}))", "tf.fill(tf.shape({x}), 2.0)",
                         "tf.zeros([tf.shape({x})[0], 2])", "tf.cast(tf.shape({x})[-1], tf.float32) / 2.0"])  # fmt: skip
    return x is not None and w.add(form.format(x=x.name), exact=True)


@statement(4)
def positions(w: Writer) -> bool:
    x = w.pick(dtypes=_NUMBERS, ranks=(1, 2, 3), exact=True)
    if x is None:
        return False
    form = w.rng.choice(
        ["tf.argmax({x}, {a})", "tf.argmin({x}, 0)", "tf.sort({x})", "tf.argsort({x}, stable=True)", "tf.math.top_k({x}, 1).values",
         "tf.one_hot(tf.cast({x}, tf.int32), 4)", "tf.searchsorted(tf.sort(tf.reshape({x}, [-1])), tf.reshape({x}, [-1]))",
         "tf.unique(tf.reshape({x}, [-1])).y", "tf.where({x} > {x}[:1])", "tf.boolean_mask({x}, {x} > 0)", "tf.math.in_top_k(tf.argmax({x}, -1), {x}, 1)",
         "tf.histogram_fixed_width({x}, [-2.0, 2.0], 4)"]
    )  # fmt: skip
    return w.add(form.format(x=x.name, a=w.axis(x)), exact=True)


@statement(4)
def gathering(w: Writer) -> bool:
    x = w.pick(dtypes=(*_NUMBERS, *_COMPLEX), ranks=(1, 2, 3))
    i = w.pick(dtypes=("int32", "int64"))
    if x is None or i is None:
        return False
    index = f"{i.name} % {x.shape[0] or 1}"
    form = w.rng.choice(
        ["tf.gather({x}, {i})", "tf.gather_nd({x}, tf.expand_dims({i}, -1))", "tf.math.unsorted_segment_sum({x}, tf.zeros_like({x}, tf.int32), 2)",
         "tf.scatter_nd(tf.reshape({i}, [-1, 1]), tf.ones_like(tf.reshape({i}, [-1])), [{n}])",
         "tf.tensor_scatter_nd_add({x}, [[0]], {x}[:1])", "tf.math.segment_sum({x}, tf.zeros([{n}], tf.int32))",
         "tf.dynamic_stitch([[0], [1]], [{x}[0], {x}[0]])", "tf.tensor_scatter_nd_update({x}, [[{n} - 1]], {x}[:1])"]
    )  # fmt: skip
    return w.add(form.format(x=x.name, i=f"({index})", n=x.shape[0]), exact=x.is_exact)


# --- the world --------------------------------------------------------------------------------------------------------


@statement(3)
def host(w: Writer) -> bool:
    x = w.pick(dtypes=("float32", "int32"))
    if x is None:
        return False
    form = w.rng.choice(
        ["tf.ensure_shape(tf.numpy_function(lambda a: a + a.dtype.type(1), [{x}], tf.{t}), {x}.shape)",
         "tf.ensure_shape(tf.py_function(lambda a: a * 2, [{x}], tf.{t}), {x}.shape)",
         "tf.strings.length(tf.strings.as_string({x}))", "tf.strings.to_number(tf.strings.as_string(tf.cast({x}, tf.int32)), tf.int32)"]
        if x.is_exact
        else ["tf.ensure_shape(tf.numpy_function(lambda a: a + a.dtype.type(1), [{x}], tf.{t}), {x}.shape)"]
    )  # fmt: skip
    return w.add(form.format(x=x.name, t=x.dtype), exact=x.is_exact)


@statement(3)
def note(w: Writer) -> bool:
    x = w.pick()
    if x is None or x.dtype == "string":
        return False
    w.lines.append(f"tf.numpy_function(lambda a: note('n{w.name()}', a), [{x.name}], [])")
    return True


@statement(5)
def variable(w: Writer) -> bool:
    x = w.pick(dtypes=("float32",))
    if x is None:
        return False
    amount = w.rng.choice([f"tf.tanh(tf.reduce_mean({x.name})) * 0.5", "0.25"])
    change = w.rng.choice(
        ["w.assign_add(tf.ones([3]) * {d})", "u.assign_sub(tf.ones([2, 3]) * {d})", "c.assign_add(1)", "u.assign(u * 0.5 + {d})",
         "w.scatter_nd_add([[1]], [{d}])", "w.assign(w * 0.5 - {d})", "u.scatter_update(tf.IndexedSlices(tf.ones([1, 3]) * {d}, [1]))"]
    ).format(d=amount)  # fmt: skip
    if w.chance(60):
        try:
            exec(change, w.environment)
        except Exception:
            return False
        w.lines.append(change)
    return w.add(
        w.rng.choice(["w + 0.0", "u.read_value()", "tf.cast(c, tf.float32) * 0.125", "tf.gather(u, [1, 0])", "w * 2.0"])
    )


@statement(2)
def stateless_draw(w: Writer) -> bool:
    shape = w.rng.choice(["[3]", "[2, 3]", "[]"])
    form = w.rng.choice(
        ["tf.random.stateless_uniform({s}, [k, {n}])", "tf.random.stateless_normal({s}, [1, {n}])",
         "tf.random.stateless_uniform({s}, [2, {n}], 0, 9, tf.int32)", "tf.random.stateless_truncated_normal({s}, [k, {n}])"]
    )  # fmt: skip
    return w.add(form.format(s=shape, n=w.rng.randint(0, 99)))


@statement(1)
def draw(w: Writer) -> bool:
    w.program.draws = True
    form = w.rng.choice(
        ["tf.random.uniform([3], seed={n})", "tf.random.normal([2, 3], seed={n})", "tf.nn.dropout({x}, 0.5, seed={n})"]
    )
    x = w.pick(dtypes=("float32",))
    return x is not None and w.add(form.format(n=w.rng.randint(1, 99), x=x.name))


# --- mistakes ---------------------------------------------------------------------------------------------------------


@statement(3)
def mistake(w: Writer) -> bool:
    """Something that goes wrong in the call with a certain `k`, and only there."""
    x, call = w.pick(dtypes=("float32",), ranks=(1, 2)), w.rng.choice([1, 2])
    if x is None or x.shape[0] == 0:
        return False
    wrong, size = f"tf.cast(k == {call}, tf.int32)", x.shape[0]
    form = w.rng.choice(
        ["tf.gather({x}, [0, {w} * {n}])", "{x}[{w} * {n}]", "tf.cast(6 // (1 - {w}), tf.float32)", "tf.cast(5 % (1 - {w}), tf.float32)",
         "tf.linalg.inv(tf.eye(2) * tf.cast(1 - {w}, tf.float32))", "tf.gather_nd({x}, [[{w} * {n}]])",
         "tf.debugging.check_numerics({x} / tf.cast(1 - {w}, tf.float32) - {x} / tf.cast(1 - {w}, tf.float32), 'bad')",
         "tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).read({w} * 2)", "tf.scatter_nd([[{w} * {n}]], [1.0], [{n}])",
         "tf.math.unsorted_segment_sum({x}, tf.zeros([{n}], tf.int32) + {w} * 3, 2)", "tf.slice({x}, [{w} * {n}] + [0] * ({r} - 1), [1] * {r})",
         "tf.nn.sparse_softmax_cross_entropy_with_logits([{w} * 3], [[0.5, 1.0, 0.25]])", "tf.reshape({x}, [{n} + {w} * 1000, -1])",
         "tf.cast(tf.pow(2, -{w}), tf.float32)", "w.sparse_read([{w} * 3])"]
    )  # fmt: skip
    return w.add(form.format(x=x.name, w=wrong, n=size, r=x.rank), kept=True)


@statement(1)
def assertion(w: Writer) -> bool:
    x = w.pick(dtypes=("float32",))
    if x is None:
        return False
    w.lines.append(f"tf.debugging.Assert(k != {w.rng.choice([1, 2])}, ['wrong', tf.size({x.name})])")
    return True
