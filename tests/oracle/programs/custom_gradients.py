"""custom_gradient: arguments, results, numbers of gradients."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import by_nested_tapes, make_cube, make_triple, modes, taped
from tests.oracle.support import attempt

# --- the plain protocol


def prog_plain(tf, np):
    """One argument, one result, eager and in a graph."""
    triple = make_triple(tf)
    return [taped(tf, f, tf.constant([1.0, 2.0])) for f in modes(tf, lambda x: triple(x * x))]


def prog_second_order(tf, np):
    """The gradient function itself is differentiated."""
    cube = make_cube(tf)
    return [taped(tf, f, tf.constant(2.0), order=4) for f in modes(tf, cube)]


def prog_second_order_is_of_the_gradient_function(tf, np):
    """The second derivative is that of the given gradient, not of the function."""

    @tf.custom_gradient
    def f(x):
        return tf.sin(x), lambda dy: dy * x**4.0

    return [taped(tf, g, tf.constant(2.0), order=3) for g in modes(tf, f)]


def prog_second_order_nested_tapes(tf, np):
    """Two tapes, one in the other, around a decorated function."""
    cube = make_cube(tf)

    return [g(tf.constant(2.0)) for g in modes(tf, lambda x: by_nested_tapes(tf, cube, x)[1:])]


def prog_second_order_tape_around_function(tf, np):
    """Tapes outside of the tf.function."""
    f = tf.function(make_cube(tf))
    x = tf.constant(2.0)
    with tf.GradientTape() as third, tf.GradientTape() as outer, tf.GradientTape() as inner:
        third.watch(x), outer.watch(x), inner.watch(x)
        y = f(x)
    first = inner.gradient(y, x)
    return first, *by_nested_tapes(tf, f, x)[1:]


def prog_several_arguments_and_results(tf, np):
    """Two in, two out; targets one by one and together."""

    @tf.custom_gradient
    def f(a, b):
        def grad(dsum, dproduct):
            return dsum * 10.0 + dproduct * b, dsum * 100.0 + dproduct * a

        return (a + b, a * b), grad

    out = []
    for g in modes(tf, f):
        a, b = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([a, b])
            total, product = g(a, b)
        out.append([total, product, tape.gradient(total, [a, b]), tape.gradient(product, [a, b]), tape.gradient([total, product], [a, b])])
    return out


def prog_missing_output_gradients_are_zeros(tf, np):
    """What the gradient function receives for an output that the target does not use."""
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(*dys):
            seen.append([d.numpy() if d is not None else None for d in dys])
            return dys[0] + 2.0 * dys[1]

        return (x + 1.0, tf.stack([x, x])[0]), grad

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = f(x)
    return [tape.gradient(a, x), tape.gradient(b, x), seen]


def prog_integer_output_gets(tf, np):
    """An integer result beside a float one: what is passed for it."""
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dx, dn):
            seen.append([dn is None, getattr(dn, "dtype", None), getattr(dn, "shape", None)])
            return dx * 5.0

        return (x * 2.0, tf.constant([1, 2])), grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, n = f(x)
    return [y, n, tape.gradient(y, x), seen]


def prog_list_result(tf, np):
    """A list result stays a list, a tuple a tuple."""

    @tf.custom_gradient
    def f(x):
        return [x * 2.0, x * 3.0], lambda da, db: da * 20.0 + db * 30.0

    @tf.custom_gradient
    def g(x):
        return (x * 2.0,), lambda da: da * 20.0

    out = []
    for wrap in (lambda h: h, tf.function):
        x = tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, z = wrap(f)(x), wrap(g)(x)
        out.append([y, z, tape.gradient(y, x), tape.gradient(z, x)])
    return out


def prog_dict_result(tf, np):
    """A dictionary of results: flattened by key for the gradient function."""

    @tf.custom_gradient
    def f(x):
        return {"b": x * 2.0, "a": x * 3.0}, lambda da, db: da * 100.0 + db * 1.0

    out = []
    for g in modes(tf, f):
        x = tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = g(x)
        out.append([y, tape.gradient(y["a"], x), tape.gradient(y["b"], x), tape.gradient(y, x)])
    return out


def prog_nested_arguments(tf, np):
    """Arguments that are structures; gradients come flat."""

    @tf.custom_gradient
    def f(pair, c):
        a, b = pair["a"], pair["b"]
        return a * b * c, lambda dy: (dy * 1.0, dy * 2.0, dy * 3.0)

    def g(a, b, c):
        return f({"b": b, "a": a}, c)

    return [taped(tf, h, tf.constant(2.0), tf.constant(3.0), tf.constant(4.0)) for h in modes(tf, g)]


def prog_nested_arguments_nested_gradients(tf, np):
    """The gradients in the structure of the arguments."""

    @tf.custom_gradient
    def f(pair, c):
        a, b = pair
        return a * b * c, lambda dy: ([dy * 1.0, dy * 2.0], dy * 3.0)

    def g(a, b, c):
        return f([a, b], c)

    return [attempt(lambda h=h: taped(tf, h, tf.constant(2.0), tf.constant(3.0), tf.constant(4.0))) for h in modes(tf, g)]


def prog_list_argument_alone(tf, np):
    """One argument that is a list: a list of gradients is right."""

    @tf.custom_gradient
    def f(xs):
        return tf.add_n(xs), lambda dy: [dy * float(i + 1) for i in range(len(xs))]

    def g(a, b, c):
        return f([a, b, c])

    return [taped(tf, h, tf.constant(2.0), tf.constant(3.0), tf.constant(4.0)) for h in modes(tf, g)]


def prog_python_numbers_as_arguments(tf, np):
    """Python numbers and arrays become tensors; they too need a gradient."""
    kinds = []

    @tf.custom_gradient
    def f(x, n, array):
        kinds.append([tf.is_tensor(x), tf.is_tensor(n), tf.is_tensor(array)])
        return x * n, lambda dy: (dy * 7.0, None, None)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, 3.0, np.ones(2))
    return [y, tape.gradient(y, x), kinds]


def prog_python_numbers_in_a_graph(tf, np):
    """The same while tracing."""
    kinds = []

    @tf.custom_gradient
    def f(x, n):
        kinds.append([tf.is_tensor(x), tf.is_tensor(n)])
        return x * n, lambda dy: (dy * 7.0, None)

    return [taped(tf, tf.function(lambda x: f(x, 3.0)), tf.constant(2.0)), kinds]


def prog_none_argument(tf, np):
    """None as an argument."""

    @tf.custom_gradient
    def f(x, scale=None):
        return x * 2.0, lambda dy: (dy * 7.0, None)

    def run(g):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        return y, tape.gradient(y, x)

    return [attempt(lambda g=g: run(g), words=4) for g in modes(tf, lambda x: f(x, None))]


def prog_string_and_bool_arguments(tf, np):
    """Arguments that are not numbers at all."""

    @tf.custom_gradient
    def f(x, word, flag):
        return x * 2.0, lambda dy: (dy * 7.0, None, None)

    return [taped(tf, g, tf.constant(2.0)) for g in modes(tf, lambda x: f(x, "word", True))]


def prog_integer_tensor_argument(tf, np):
    """An integer tensor among the arguments."""

    @tf.custom_gradient
    def f(x, n):
        return x * tf.cast(n, tf.float32), lambda dy: (dy * 7.0, None)

    return [taped(tf, g, tf.constant(2.0)) for g in modes(tf, lambda x: f(x, tf.constant(3)))]


def prog_complex(tf, np):
    """Complex arguments and gradients."""

    @tf.custom_gradient
    def f(z):
        return z * z, lambda dy: dy * tf.constant(1.0 + 2.0j, tf.complex64)

    return [taped(tf, g, tf.constant(1.0 - 1.0j, tf.complex64)) for g in modes(tf, f)]


def prog_no_arguments(tf, np):
    """A function without arguments."""

    @tf.custom_gradient
    def f():
        return tf.constant(1.0), lambda dy: None

    return [attempt(f, words=4), attempt(tf.function(lambda: f()), words=4)]


def prog_same_tensor_twice(tf, np):
    """One tensor in two places: both gradients are added."""

    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: (dy * 10.0, dy * 1.0)

    return [taped(tf, g, tf.constant(3.0)) for g in modes(tf, lambda x: f(x, x))]


def prog_result_is_an_argument(tf, np):
    """The function returns what it got: the result is another tensor."""

    @tf.custom_gradient
    def f(x):
        return x, lambda dy: dy * 4.0

    out = []
    for g in modes(tf, f):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = g(x)
            z = y * x
        out.append([y is x, tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y)])
    return out


def prog_result_is_not_a_tensor(tf, np):
    """Python and NumPy results become tensors."""

    @tf.custom_gradient
    def f(x):
        return 5.0, lambda dy: dy * 4.0

    @tf.custom_gradient
    def g(x):
        return np.float32([1.0, 2.0]), lambda dy: tf.reduce_sum(dy) * 4.0

    return [taped(tf, h, tf.constant(3.0)) for k in (f, g) for h in modes(tf, k)]


def prog_result_is_none(tf, np):
    """A function that returns None as its result."""

    @tf.custom_gradient
    def f(x):
        return None, lambda dy: dy

    @tf.custom_gradient
    def g(x):
        return (x, None), lambda dy, dn: dy * 5.0

    x = tf.constant(3.0)
    return [attempt(lambda h=h: h(x), words=3) for k in (f, g) for h in modes(tf, k)]


def prog_function_without_gradient_function(tf, np):
    """A function that forgets the gradient function."""
    x = tf.constant([3.0, 4.0, 5.0])
    out = []
    for body in (lambda x: x * 2.0, lambda x: (x, x, x), lambda x: (x, None), lambda x: (x, 5.0), lambda x: None):
        f = tf.custom_gradient(body)
        out.append([attempt(lambda h=h: h(x), words=0) for h in modes(tf, f)])
    return out


def prog_gradient_function_not_callable_is_found_when_used(tf, np):
    """A gradient function that cannot be called is an error of the backward pass."""
    f = tf.custom_gradient(lambda x: (x, 5.0))
    x = tf.constant(3.0)

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return attempt(run, words=0)


# --- numbers of gradients


def prog_too_few_gradients(tf, np):
    """One gradient for two arguments."""

    @tf.custom_gradient
    def f(a, b):
        return a + b, lambda dy: dy

    return [attempt(lambda g=g: taped(tf, g, tf.constant(1.0), tf.constant(2.0)), words=12) for g in modes(tf, f)]


def prog_too_many_gradients(tf, np):
    """Three gradients for two arguments."""

    @tf.custom_gradient
    def f(a, b):
        return a + b, lambda dy: (dy, dy, dy)

    return [attempt(lambda g=g: taped(tf, g, tf.constant(1.0), tf.constant(2.0)), words=12) for g in modes(tf, f)]


def prog_two_gradients_for_one_argument(tf, np):
    """A pair for one argument."""

    @tf.custom_gradient
    def f(a):
        return a * 2.0, lambda dy: (dy, dy)

    return [attempt(lambda g=g: taped(tf, g, tf.constant(1.0)), words=12) for g in modes(tf, f)]


def prog_empty_gradients(tf, np):
    """An empty tuple, and an empty list."""
    out = []
    for nothing in ((), []):
        f = tf.custom_gradient(lambda a, nothing=nothing: (a * 2.0, lambda dy: nothing))
        out.append([attempt(lambda g=g: taped(tf, g, tf.constant(1.0)), words=12) for g in modes(tf, f)])
    return out


def prog_none_gradient(tf, np):
    """None alone, and among others."""

    @tf.custom_gradient
    def f(a):
        return a * 2.0, lambda dy: None

    @tf.custom_gradient
    def g(a, b):
        return a * b, lambda dy: (None, dy * 9.0)

    one, two = tf.constant(1.0), tf.constant(2.0)
    return [[taped(tf, h, one) for h in modes(tf, f)], [taped(tf, h, one, two) for h in modes(tf, g)]]


def prog_none_for_all_arguments(tf, np):
    """None alone for two arguments."""

    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: None

    return [attempt(lambda g=g: taped(tf, g, tf.constant(1.0), tf.constant(2.0)), words=12) for g in modes(tf, f)]


def prog_none_gradient_and_other_paths(tf, np):
    """None cuts only the path through the function."""

    @tf.custom_gradient
    def f(a):
        return a * 2.0, lambda dy: None

    return [taped(tf, g, tf.constant(3.0)) for g in modes(tf, lambda x: f(x) + x * x)]


def prog_unconnected_with_none(tf, np):
    """unconnected_gradients replaces a None of a gradient function."""

    @tf.custom_gradient
    def f(a):
        return a * 2.0, lambda dy: None

    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, unconnected_gradients="zero")


def prog_gradient_of_another_shape(tf, np):
    """A gradient of the wrong shape is passed on."""

    @tf.custom_gradient
    def f(a):
        return a * 2.0, lambda dy: tf.ones([3, 2])

    return [taped(tf, g, tf.constant([1.0, 2.0])) for g in modes(tf, f)]


def prog_gradient_of_another_dtype(tf, np):
    """A gradient of another dtype is passed on."""

    @tf.custom_gradient
    def f(a):
        return a * 2.0, lambda dy: tf.cast(dy, tf.float64)

    return [attempt(lambda g=g: taped(tf, g, tf.constant([1.0, 2.0])), words=3) for g in modes(tf, f)]


def prog_gradient_function_with_too_few_parameters(tf, np):
    """Two results and a gradient function of one parameter."""

    @tf.custom_gradient
    def f(a):
        return (a, a * 2.0), lambda dy: dy

    def run(g):
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, _ = g(x)
        return tape.gradient(y, x)

    return [attempt(lambda g=g: run(g), words=0) for g in modes(tf, f)]


def prog_error_in_the_gradient_function(tf, np):
    """An exception of the user's reaches the caller."""

    @tf.custom_gradient
    def f(a):
        def grad(dy):
            raise KeyError("mine")

        return a * 2.0, grad

    return [attempt(lambda g=g: taped(tf, g, tf.constant(1.0)), words=1) for g in modes(tf, f)]


def prog_error_in_the_function(tf, np):
    """An exception of the function leaves the tape as it was."""

    @tf.custom_gradient
    def f(a):
        raise KeyError("mine")

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        seen = attempt(lambda: f(x), words=1)
        y = x * x
    return seen, tape.gradient(y, x)
