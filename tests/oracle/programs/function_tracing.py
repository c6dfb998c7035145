"""tf.function: when a call traces, which trace serves it, and what tracing costs in warnings."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

from tests.oracle.support import attempt, logged, printed

Pair = namedtuple("Pair", ["a", "b"])


def _counter(tf, calls, **options):
    """Traces of one function over a list of argument tuples; entries may be callables that make them."""
    count = [0]

    @tf.function(autograph=False, **options)
    def f(*args, **kwargs):
        count[0] += 1
        return tf.constant(count[0])

    out = []
    for call in calls:
        args, kwargs = call if isinstance(call, tuple) and len(call) == 2 and isinstance(call[1], dict) else (call, {})
        f(*args, **kwargs)
        out.append(count[0])
    return out + [f.experimental_get_tracing_count()]


def prog_tensors_by_dtype_and_shape(tf, np):
    """dtype and shape decide, values do not."""
    c = tf.constant
    return _counter(tf, [(c(1),), (c(2),), (c(1.0),), (c([1]),), (c([5]),), (c([1, 2]),), (c([[1]]),), (c(3),), (c(1, tf.int64),)])


def prog_python_numbers_by_value(tf, np):
    """Each int value is its own trace; seen ones are reused."""
    return _counter(tf, [(1,), (2,), (1,), (5,), (2,), (-1,)])


def prog_python_floats_by_value(tf, np):
    """Floats too."""
    return _counter(tf, [(0.1,), (0.2,), (0.1,), (0.3,)])


def prog_python_strings_and_none(tf, np):
    """Strings, None and bools are literals."""
    return _counter(tf, [("a",), ("b",), ("a",), (None,), (True,), (False,), (None,), (b"a",)])


def prog_numpy_arrays_are_tensors(tf, np):
    """Arrays and NumPy scalars share a tensor's trace."""
    return _counter(tf, [(np.array([1, 2], np.int32),), (tf.constant([3, 4]),), (np.float32(1),), (np.float32(2),), (tf.constant(5.0),), (np.ones(2),)])


def prog_lists_and_tuples(tf, np):
    """Containers are structural; a list is not a tuple."""
    c = tf.constant
    return _counter(tf, [([c(1), c(2)],), ([c(3), c(4)],), ((c(1), c(2)),), ([c(1)],), ([c(1), 2],), ([c(1), 3],), ([c(9), 2],)])


def prog_dicts(tf, np):
    """Key order does not matter; keys and types do."""
    c = tf.constant
    return _counter(tf, [({"a": c(1), "b": c(2)}, {}) if False else (({"a": c(1), "b": c(2)},), {}), (({"b": c(1), "a": c(2)},), {}), (({"a": c(1)},), {}), (({"a": c(1.0)},), {}), ((OrderedDict(a=c(1)),), {})])


def prog_namedtuples(tf, np):
    """Named tuples by type."""
    other = namedtuple("Other", ["a", "b"])
    return _counter(tf, [(Pair(tf.constant(1), 2),), (Pair(tf.constant(3), 2),), (other(tf.constant(1), 2),), (Pair(tf.constant(1), 3),)])


def prog_keywords_and_defaults(tf, np):
    """All spellings of the same call are one trace."""
    count = [0]

    @tf.function(autograph=False)
    def f(a, b=2, *, c=3):
        count[0] += 1
        return a

    x = tf.constant(1)
    f(x)
    f(a=x)
    f(x, 2)
    f(x, b=2)
    f(b=2, a=x, c=3)
    before = count[0]
    f(x, 3)
    f(x, c=4)
    return [before, count[0]]


def prog_variables_as_arguments(tf, np):
    """Variables by spec and aliasing pattern."""
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    return _counter(tf, [(v,), (w,), (tf.constant(1.0),), (v, w), (w, v), (v, v), (w, w)])


def prog_objects_by_identity(tf, np):
    """Other objects by identity."""

    class Thing:
        pass

    a, b = Thing(), Thing()
    return _counter(tf, [(a,), (a,), (b,), (a,), (b,)])


def prog_objects_by_equality(tf, np):
    """Objects with __eq__ and __hash__ compare by them."""

    class Keyed:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return isinstance(other, Keyed) and self.k == other.k

        def __hash__(self):
            return hash(self.k)

    a, b, c = Keyed(1), Keyed(1), Keyed(2)
    return _counter(tf, [(a,), (b,), (c,), (a,)])


def prog_functions_as_arguments(tf, np):
    """Python callables by identity."""

    def g(x):
        return x

    def h(x):
        return -x

    return _counter(tf, [(g,), (h,), (g,)])


def prog_unhashable_arguments(tf, np):
    """Sets and unhashable objects are refused."""

    class Unhashable:
        __hash__ = None

    f = tf.function(lambda x: 1, autograph=False)
    return [attempt(lambda: f({1, 2}), words=6), attempt(lambda: f(Unhashable()), words=6), attempt(lambda: f(frozenset([1])), words=6)]


def prog_shapes_and_dtypes_as_arguments(tf, np):
    """TensorShapes, dtypes, specs as Python values."""
    return _counter(tf, [(tf.TensorShape([1]),), (tf.TensorShape([1]),), (tf.TensorShape([2]),), (tf.int32,), (tf.float32,), (tf.int32,)])


def prog_reduce_retracing_shapes(tf, np):
    """Shapes are generalised on the second miss."""
    shapes = []

    @tf.function(autograph=False, reduce_retracing=True)
    def f(x):
        shapes.append(x.shape)
        return tf.reduce_sum(x)

    results = [f(tf.ones([n])) for n in (1, 2, 3, 4)] + [f(tf.ones([2, 2])), f(tf.ones([3, 3, 3]))]
    return [shapes, results, f.experimental_get_tracing_count()]


def prog_reduce_retracing_literals(tf, np):
    """Python values are never generalised."""
    return _counter(tf, [(1,), (2,), (3,), (4,)], reduce_retracing=True)


def prog_relaxed_shapes_alias(tf, np):
    """experimental_relax_shapes is the old name."""
    shapes = []

    @tf.function(autograph=False, experimental_relax_shapes=True)
    def f(x):
        shapes.append(x.shape)
        return x

    for s in ([1, 2], [3, 2], [4, 2], [5, 2]):
        f(tf.ones(s))
    return shapes


def prog_most_specific_trace_wins(tf, np):
    """Concrete traces of several specs are dispatched by subtyping."""
    used = []

    @tf.function(autograph=False)
    def f(x):
        used.append(x.shape)
        return tf.constant(len(used))

    spec = tf.TensorSpec
    f.get_concrete_function(spec([None, None]))
    f.get_concrete_function(spec([1, None]))
    f.get_concrete_function(spec([1, 2]))
    f.get_concrete_function(spec(None))
    return [f(tf.ones(s)) for s in ([1, 2], [1, 3], [2, 2], [5], [1, 2])] + [used]


def prog_trace_context_device(tf, np):
    """A device scope does not retrace; a v1 graph does."""
    count = [0]

    @tf.function(autograph=False)
    def f(x):
        count[0] += 1
        return x

    f(tf.constant(1))
    with tf.device("CPU:0"):
        f(tf.constant(1))
    a = count[0]

    @tf.function(autograph=False)
    def g(x):
        return f(x)

    g(tf.constant(1))
    b = count[0]
    with tf.Graph().as_default():
        f(tf.constant(1))
    return [a, b, count[0]]


def prog_python_side_effects_at_trace(tf, np):
    """print, append and counters run while tracing only."""
    log = []

    @tf.function(autograph=False)
    def f(x):
        log.append(len(log))
        print("Tracing with", x)
        return x + len(log)

    text = printed(lambda: [f(tf.constant(1)), f(tf.constant(2)), f(3), f(3), f(tf.constant([1]))])
    return [text, log]


def prog_retracing_warning(tf, np):
    """Five traces in ten calls warn."""

    @tf.function(autograph=False)
    def f(x):
        return x

    return logged(tf, lambda: [f(i) for i in range(8)], words=3)


def prog_retracing_warning_limit(tf, np):
    """How often the warning comes in thirty new traces."""

    @tf.function(autograph=False)
    def f(x):
        return x

    return [len(logged(tf, lambda: [f(i) for i in range(30)])) <= 2, len(logged(tf, lambda: [f(i) for i in range(30)]))]


def prog_no_retracing_warning_for_reuse(tf, np):
    """Repeated signatures do not warn."""

    @tf.function(autograph=False)
    def f(x):
        return x

    return logged(tf, lambda: [f(tf.constant(i)) for i in range(30)])


def prog_nested_functions_share_traces(tf, np):
    """An inner function traced from outside and inside."""
    count = [0]

    @tf.function(autograph=False)
    def inner(x):
        count[0] += 1
        return x + 1

    @tf.function(autograph=False)
    def outer(x):
        return inner(x) + inner(x * 2)

    return [outer(tf.constant(1)), count[0], inner(tf.constant(1)), count[0], outer(tf.constant(1.0)), count[0]]


def prog_methods_trace_per_instance(tf, np):
    """Bound methods have their own cache."""
    count = [0]

    class C:
        def __init__(self, k):
            self.k = k

        @tf.function(autograph=False)
        def f(self, x):
            count[0] += 1
            return x * self.k

    a, b = C(2), C(3)
    r = [a.f(tf.constant(1)), a.f(tf.constant(2)), b.f(tf.constant(1)), count[0]]
    a.k = 100
    return r + [a.f(tf.constant(1)), a.f(tf.constant(1.0)), count[0], a.f is a.f]


def prog_static_and_class_methods(tf, np):
    """staticmethod and classmethod around tf.function."""

    class C:
        k = 10

        @staticmethod
        @tf.function(autograph=False)
        def s(x):
            return x + 1

        @classmethod
        def c(cls, x):
            return tf.function(lambda v: v * cls.k, autograph=False)(x)

    return [C.s(tf.constant(1)), C().s(tf.constant(2)), C.c(tf.constant(3))]


def prog_inherited_methods(tf, np):
    """super() and overriding."""

    class A:
        @tf.function(autograph=False)
        def f(self, x):
            return x + self.one()

        def one(self):
            return 1

    class B(A):
        def one(self):
            return 2

        @tf.function(autograph=False)
        def g(self, x):
            return super().f(x) * 10

    a, b = A(), B()
    return [a.f(tf.constant(1)), b.f(tf.constant(1)), b.g(tf.constant(1))]


def prog_decorator_forms(tf, np):
    """With and without parentheses, on lambdas, partials, callables."""
    from functools import partial

    class Callable:
        def __call__(self, x):
            return x * 4

    @tf.function
    def plain(x):
        return x + 1

    @tf.function()
    def empty(x):
        return x + 2

    def add(x, y):
        return x + y

    fs = [plain, empty, tf.function(lambda x: x * 2, autograph=False), tf.function(partial(add, y=5), autograph=False), tf.function(Callable(), autograph=False), tf.function(func=add, autograph=False)]
    return [f(tf.constant(1)) for f in fs[:-1]] + [fs[-1](tf.constant(1), tf.constant(2))]


def prog_function_attributes(tf, np):
    """name, doc, python_function, input_signature."""

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([], tf.float32)])
    def documented(x):
        """A docstring."""
        return x

    return [documented.__name__, documented.__doc__, documented.python_function.__name__, documented.input_signature, type(documented).__name__, documented.experimental_get_tracing_count(), repr(documented).split(" object")[0].split(".")[-1], tf.function(lambda x: x).__name__, documented.__wrapped__.__name__]


def prog_function_type_text(tf, np):
    """function_type of functions with defaults and signatures."""

    @tf.function(autograph=False)
    def f(a, b=2, *args, c=None, **kw):
        return a

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([])])
    def g(x, y):
        return x

    return [str(f.function_type), str(g.function_type)]


def prog_wrong_arguments(tf, np):
    """Missing, extra and unknown arguments."""

    @tf.function(autograph=False)
    def f(x, y=1):
        return x

    return [attempt(lambda: f(), words=10), attempt(lambda: f(1, 2, 3), words=10), attempt(lambda: f(1, z=2), words=10), attempt(lambda: f(1, x=2), words=10)]


def prog_wrong_options(tf, np):
    """Arguments of tf.function itself."""
    return [attempt(lambda: tf.function(3), words=0), attempt(lambda: tf.function(lambda x: x, nonsense=1), words=0), attempt(lambda: tf.function(lambda x: x, input_signature=5), words=4), attempt(lambda: tf.function(lambda x: x, input_signature=[3], autograph=False)(1), words=4)]


def prog_pretty_printed_signatures(tf, np):
    """pretty_printed_concrete_signatures lists traces."""

    @tf.function(autograph=False)
    def f(x, y=1):
        return x

    f(tf.constant(1))
    f(tf.constant([1.0, 2.0]), y="s")
    f([1, -1])
    return f.pretty_printed_concrete_signatures()


def prog_generators_and_coroutines(tf, np):
    """Generator functions cannot be traced."""

    @tf.function(autograph=False)
    def g(x):
        yield x

    return attempt(lambda: g(tf.constant(1)), words=0)


def prog_threads_share_one_trace(tf, np):
    """Eight threads, one signature."""
    import threading

    count = [0]

    @tf.function(autograph=False)
    def f(x):
        count[0] += 1
        return x + 1

    results = [None] * 8

    def call(i):
        results[i] = int(f(tf.constant(i)))

    threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return [results, count[0]]


def prog_exception_while_tracing(tf, np):
    """A failed trace is not cached; the next call tries again."""
    fail = [True]

    @tf.function(autograph=False)
    def f(x):
        if fail[0]:
            raise KeyError("mine")
        return x

    first = attempt(lambda: f(tf.constant(1)), words=3)
    fail[0] = False
    return [first, f(tf.constant(1)), f.experimental_get_tracing_count()]


def prog_recursion_with_python_condition(tf, np):
    """A Python condition unrolls the recursion."""
    count = [0]

    @tf.function(autograph=False)
    def factorial(n, x):
        count[0] += 1
        return x if n == 0 else factorial(n - 1, x * n)

    return [factorial(4, tf.constant(1)), count[0], factorial(4, tf.constant(2)), count[0]]


def prog_extension_tracing_type(tf, np):
    """Objects with __tf_tracing_type__ choose their own key."""

    class Key(tf.types.experimental.TraceType):
        def __init__(self, k):
            self.k = k

        def is_subtype_of(self, other):
            return isinstance(other, Key) and self.k == other.k

        def most_specific_common_supertype(self, others):
            return self if all(self == o for o in others) else None

        def placeholder_value(self, placeholder_context=None):
            return Fruit(self.k)

        def __eq__(self, other):
            return isinstance(other, Key) and self.k == other.k

        def __hash__(self):
            return hash(self.k)

    class Fruit:
        def __init__(self, k):
            self.k = k

        def __tf_tracing_type__(self, context):
            return Key(self.k)

    return _counter(tf, [(Fruit("apple"),), (Fruit("apple"),), (Fruit("pear"),), (Fruit("apple"),)])
