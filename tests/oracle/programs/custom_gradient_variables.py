"""custom_gradient: keyword arguments, variables, methods and other callables."""

from __future__ import annotations

from tests.oracle.programs._gradient_helpers import modes, taped, value_and_gradient
from tests.oracle.support import attempt

# --- keyword arguments


def prog_keyword_arguments(tf, np):
    """Keyword arguments in eager mode have no gradient."""
    kinds = []

    @tf.custom_gradient
    def f(x, scale=2.0, other=None):
        kinds.append([tf.is_tensor(x), tf.is_tensor(scale)])
        return x * scale, lambda dy: dy * 5.0

    x, s = tf.constant(1.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, s])
        y, z = f(x, scale=3.0), f(x, scale=s, other="word")
    return [y, z, tape.gradient(y, x), tape.gradient(z, [x, s]), kinds]


def prog_keyword_arguments_in_a_graph(tf, np):
    """Keyword arguments while tracing."""

    @tf.custom_gradient
    def f(x, scale=2.0):
        return x * scale, lambda dy: dy * 5.0

    return [attempt(lambda: taped(tf, tf.function(lambda x: f(x, scale=3.0)), tf.constant(1.0)), words=14), taped(tf, tf.function(lambda x: f(x)), tf.constant(1.0))]


def prog_unwatched_arguments(tf, np):
    """A tape that watches no argument differentiates what ran, in eager mode: keywords, values closed over."""
    s = tf.constant(3.0)

    @tf.custom_gradient
    def f(x, scale=2.0):
        return x * scale, lambda dy: dy * 5.0

    @tf.custom_gradient
    def g(x):
        return x * s, lambda dy: dy * 5.0

    @tf.custom_gradient
    def h():
        return s * s, lambda dy: None

    def by_s(call):
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = call(tf.constant(2.0))
        return tape.gradient(y, s)

    calls = (lambda x: f(x, scale=s), g, lambda x: h(), lambda x: f(x, scale=s) * s, lambda x: g(s))
    return [attempt(lambda c=c: by_s(c), words=6) for c in calls]


def prog_unwatched_arguments_in_a_graph(tf, np):
    """In a graph such values have no gradient."""

    @tf.function(autograph=False)
    def run(s):
        @tf.custom_gradient
        def g(x):
            return x * s, lambda dy: dy * 5.0

        with tf.GradientTape() as tape:
            tape.watch(s)
            y = g(tf.constant(2.0))
        return tape.gradient(y, s), tf.gradients(y, s)

    return run(tf.constant(3.0))


def prog_unwatched_arguments_and_a_variable(tf, np):
    """A value closed over, beside a variable: the variable makes the given gradient count."""
    s, v = tf.constant(3.0), tf.Variable(5.0)

    @tf.custom_gradient
    def g(x):
        return x * s * v, lambda dy, variables=None: (dy * 5.0, [dy * 7.0])

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(s)
        y = g(tf.constant(2.0))
        z = y * s
    return tape.gradient(y, [s, v]), tape.gradient(z, [s, v])


def prog_two_tapes_one_watches(tf, np):
    """Of two tapes one watches the argument, the other a value closed over."""
    s, x = tf.constant(3.0), tf.constant(2.0)

    @tf.custom_gradient
    def g(x):
        return x * s, lambda dy: dy * 5.0

    with tf.GradientTape() as one, tf.GradientTape() as two:
        one.watch(x), two.watch(s)
        y = g(x)
    return one.gradient(y, [x, s]), two.gradient(y, [x, s])


def prog_all_keyword_arguments(tf, np):
    """No positional argument at all."""

    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: dy * 5.0

    x = tf.constant(1.0)

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x=x)
        return y, tape.gradient(y, x)

    return attempt(run, words=6)


# --- variables


def prog_variables(tf, np):
    """The variables protocol, eager and in a graph."""
    v = tf.Variable(2.0, name="v")
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            seen.append([u.name for u in variables])
            return dy * v, [dy * x * 7.0]

        return x * v, grad

    out = []
    for g in modes(tf, lambda x: f(x)):
        x = tf.constant(3.0)
        out.append(value_and_gradient(tf, g, x, [x, v]))
    return out, seen


def prog_several_variables(tf, np):
    """Their number and names, sorted, since their order is nobody's promise."""
    w = [tf.Variable(float(i), name=f"w{i}") for i in range(4)]
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables):
            seen.append(sorted(u.name for u in variables))
            return dy, [dy * (10.0 + u) for u in variables]

        return x * w[2] + w[0] * w[3] + w[2], grad

    out = []
    for g in modes(tf, lambda x: f(x)):
        x = tf.constant(3.0)
        out.append(value_and_gradient(tf, g, x, [x, *w]))
    return out, seen


def prog_variables_without_parameter(tf, np):
    """A gradient function that cannot take variables."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy: dy

    return [attempt(lambda g=g: taped(tf, g, tf.constant(1.0)), words=14) for g in modes(tf, lambda x: f(x))]


def prog_variables_as_keyword_rest(tf, np):
    """`**kwargs` of a gradient function takes variables."""
    v = tf.Variable(2.0)
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy, **rest):
            seen.append(sorted(rest))
            return dy, [dy * 6.0] * len(rest["variables"])

        return x * v, grad

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, v]), seen


def prog_variables_parameter_without_variables(tf, np):
    """A gradient function that takes variables where there are none."""
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables="nothing given"):
            seen.append(variables)
            return dy * 2.0

        return x * 1.0, grad

    return [taped(tf, g, tf.constant(3.0)) for g in modes(tf, lambda x: f(x))], seen


def prog_required_variables_without_variables(tf, np):
    """A required parameter `variables` and no variable."""

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables):
            return dy * 2.0, []

        return x * 1.0, grad

    return [attempt(lambda g=g: taped(tf, g, tf.constant(3.0)), words=0) for g in modes(tf, lambda x: f(x))]


def prog_wrong_number_of_variable_gradients(tf, np):
    """One gradient too few, and one too many, for the variables."""
    v = tf.Variable(2.0)
    out = []
    for count in (0, 2):

        @tf.custom_gradient
        def f(x, count=count):
            return x * v, lambda dy, variables=None: (dy, [dy] * count)

        out.append([attempt(lambda g=g: taped(tf, g, tf.constant(3.0)), words=10) for g in modes(tf, lambda x: f(x))])
    return out


def prog_variables_without_a_pair(tf, np):
    """With variables, the gradient function must return a pair."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: dy

    return [attempt(lambda g=g: taped(tf, g, tf.constant(3.0)), words=0) for g in modes(tf, lambda x: f(x))]


def prog_none_for_a_variable(tf, np):
    """None as the gradient of a variable."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy, [None])

    out = []
    for g in modes(tf, lambda x: f(x)):
        x = tf.constant(3.0)
        out.append(value_and_gradient(tf, g, x, [x, v])[1])
    return out


def prog_untrainable_variable(tf, np):
    """An untrainable variable is not among the variables."""
    v = tf.Variable(2.0, trainable=False)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy: dy * v * 5.0

    return [attempt(lambda g=g: taped(tf, g, tf.constant(3.0)), words=6) for g in modes(tf, lambda x: f(x))]


def prog_integer_variable(tf, np):
    """An integer variable counts as trainable unless told otherwise."""
    v = tf.Variable(2)

    @tf.custom_gradient
    def f(x):
        return x * tf.cast(v, tf.float32), lambda dy, variables=None: (dy * 5.0, [None] * len(variables))

    return [attempt(lambda g=g: taped(tf, g, tf.constant(3.0)), words=6) for g in modes(tf, lambda x: f(x))]


def prog_variable_as_an_argument(tf, np):
    """A variable given as an argument is an argument, not one of the variables."""
    v = tf.Variable(2.0)
    kinds = []

    @tf.custom_gradient
    def f(x, u):
        kinds.append(isinstance(u, tf.Variable))
        return x * u, lambda dy: (dy * 5.0, dy * 6.0)

    out = []
    for g in modes(tf, lambda x: f(x, v)):
        x = tf.constant(3.0)
        out.append(value_and_gradient(tf, g, x, [x, v]))
    return out, kinds


def prog_variable_as_argument_and_captured(tf, np):
    """A variable as an argument beside another one that is read."""
    v, w = tf.Variable(2.0, name="v"), tf.Variable(5.0, name="w")
    seen = []

    @tf.custom_gradient
    def f(u):
        def grad(dy, variables=None):
            seen.append([a.name for a in variables])
            return dy * 5.0, [dy * 7.0]

        return u * w, grad

    with tf.GradientTape() as tape:
        y = f(v)
    return tape.gradient(y, [v, w]), seen


def prog_variable_read_inside_and_out(tf, np):
    """A variable read in the function and outside of it."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy * 10.0, [dy * 100.0])

    out = []
    for g in modes(tf, lambda x: f(x) + v * 3.0):
        x = tf.constant(3.0)
        out.append(value_and_gradient(tf, g, x, [x, v])[1])
    return out


def prog_watch_accessed_variables_false(tf, np):
    """A tape that does not watch by itself."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy * 10.0, [dy * 100.0 for _ in variables])

    out = []
    for g in modes(tf, lambda x: f(x)):
        x = tf.constant(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = g(x)
        out.append(tape.gradient(y, [x, v]))
    return out


def prog_watched_variables_lists_them(tf, np):
    """`watched_variables` of a tape around a decorated function."""
    v = tf.Variable(2.0, name="v")

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy, [dy])

    out = []
    for g in modes(tf, lambda x: f(x)):
        with tf.GradientTape() as tape:
            g(tf.constant(3.0))
        out.append([u.name for u in tape.watched_variables()])
    return out


def prog_variable_changed_before_the_gradient(tf, np):
    """The gradient function reads the variable when it runs."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy * v, [dy])

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    v.assign(50.0)
    return tape.gradient(y, x)


def prog_variables_second_order(tf, np):
    """Second derivatives by a variable."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * v * v * 3.0, [dy * x * v]

        return x * v, grad

    out = []
    for g in modes(tf, lambda x: f(x)):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = g(x)
            first = inner.gradient(y, [x, v])
        out.append([first, [outer.gradient(t, [x, v]) for t in first]])
    return out


def prog_module_method(tf, np):
    """A decorated method of a module."""

    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([2.0, 3.0], name="w")

        @tf.custom_gradient
        def __call__(self, x):
            return x * self.w, lambda dy, variables=None: (dy, [dy])

    layer = Layer()

    def run(g):
        x = tf.constant([1.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        return y, tape.gradient(y, x)

    return [attempt(lambda g=g: run(g), words=3) for g in modes(tf, lambda x: layer(x))]


def prog_decorated_inside_a_method(tf, np):
    """The common way: the decorated function is made in the method."""

    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([2.0, 3.0], name="w")

        def __call__(self, x):
            @tf.custom_gradient
            def f(x):
                return x * self.w, lambda dy, variables=None: (dy * 5.0, [dy * 6.0])

            return f(x)

    layer = Layer()
    out = []
    for g in modes(tf, layer):
        x = tf.constant([1.0, 1.0])
        out.append(value_and_gradient(tf, g, x, [x, layer.w]))
    return out


# --- callables, names


def prog_names_and_docstrings(tf, np):
    """What the decorated function says of itself."""

    @tf.custom_gradient
    def named(x):
        """The doc."""
        return x, lambda dy: dy

    return [named.__name__, named.__doc__, named.__wrapped__.__name__, callable(named)]


def prog_signature(tf, np):
    """inspect.signature sees the function's own parameters."""
    import inspect

    @tf.custom_gradient
    def named(x, y, *, z=3):
        return x, lambda dy: dy

    return str(inspect.signature(named))


def prog_decorator_without_function(tf, np):
    """`tf.custom_gradient()` gives the decorator."""

    @tf.custom_gradient()
    def f(x):
        return x * 1.0, lambda dy: dy * 4.0

    return [taped(tf, g, tf.constant(1.0)) for g in modes(tf, f)]


def prog_callable_object(tf, np):
    """An object with `__call__`, and a partial."""
    import functools

    class Scale:
        __name__ = "scale"

        def __init__(self, by):
            self.by = by

        def __call__(self, x):
            return x * self.by, lambda dy: dy * self.by * 10.0

    def scale(by, x):
        return x * by, lambda dy: dy * by * 100.0

    partial = functools.partial(scale, 3.0)
    partial.__name__ = "partial"
    f, g = tf.custom_gradient(Scale(2.0)), tf.custom_gradient(partial)
    return [taped(tf, h, tf.constant(1.0)) for h in (f, g)]


def prog_bound_method(tf, np):
    """A bound method."""

    class Scale:
        by = 2.0

        def run(self, x):
            return x * self.by, lambda dy: dy * self.by * 10.0

    f = tf.custom_gradient(Scale().run)
    return [taped(tf, h, tf.constant(1.0)) for h in modes(tf, f)], f.__name__


def prog_decorated_tf_function(tf, np):
    """A decorated function decorated with tf.function."""

    @tf.function
    @tf.custom_gradient
    def g(x):
        return x * 2.0, lambda dy: dy * 3.0

    return taped(tf, g, tf.constant(1.0))


def prog_gradient_function_is_a_tf_function(tf, np):
    """A gradient function that is compiled."""

    @tf.custom_gradient
    def f(x):
        @tf.function
        def grad(dy):
            return dy * x * 3.0

        return x * x, grad

    return [taped(tf, h, tf.constant(2.0), order=2) for h in (f,)]
