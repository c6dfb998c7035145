"""tf.debugging: asserts that pass, fail, and what they say."""

# ruff: noqa: C416 (programs write what users write)
from __future__ import annotations

from tests.oracle.support import attempt


def prog_assert_equal_family(tf, np):
    """equal, none_equal, less, less_equal, greater, greater_equal."""
    d = tf.debugging
    fs = (d.assert_equal, d.assert_none_equal, d.assert_less, d.assert_less_equal, d.assert_greater, d.assert_greater_equal)
    return [attempt(lambda f=f, x=x, y=y: f(x, y), words=8) for f in fs for x, y in (([1, 2], [1, 2]), ([1, 2], [2, 1]), (1, 1.0) if False else (3, 1), ([], []))]


def prog_assert_sign_family(tf, np):
    """positive, negative, non_negative, non_positive."""
    d = tf.debugging
    fs = (d.assert_positive, d.assert_negative, d.assert_non_negative, d.assert_non_positive)
    return [attempt(lambda f=f, x=x: f(x), words=8) for f in fs for x in ([1, 2], [-1.0, -2.0], [0], [1, -1])]


def prog_assert_messages(tf, np):
    """message and summarize show up."""
    d = tf.debugging
    return [attempt(lambda: d.assert_equal([1, 2], [1, 3], message="custom words"), words=3), attempt(lambda: d.assert_less(5, 1, message="too big", summarize=1), words=3), attempt(lambda: d.assert_positive(-1, message="neg"), words=2)]


def prog_assert_equal_full_message(tf, np):
    """The whole text of an eager assert_equal."""
    return attempt(lambda: tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 3])), words=40)


def prog_assert_less_full_message(tf, np):
    """The whole text of an eager assert_less."""
    return attempt(lambda: tf.debugging.assert_less(tf.constant([1.0, 5.0]), 3.0), words=40)


def prog_assert_near(tf, np):
    """Tolerances."""
    n = tf.debugging.assert_near
    return [attempt(lambda: n([1.0], [1.0 + 1e-7])), attempt(lambda: n([1.0], [1.1])), attempt(lambda: n([1.0], [1.1], atol=0.2)), attempt(lambda: n([100.0], [101.0], rtol=0.02)), attempt(lambda: n([1], [1]), words=0)]


def prog_assert_rank_family(tf, np):
    """rank, rank_at_least, rank_in."""
    d = tf.debugging
    x = tf.zeros([2, 3])
    return [attempt(lambda: d.assert_rank(x, 2)), attempt(lambda: d.assert_rank(x, 1), words=6), attempt(lambda: d.assert_rank_at_least(x, 1)), attempt(lambda: d.assert_rank_at_least(x, 3), words=6), attempt(lambda: d.assert_rank_in(x, [1, 2])), attempt(lambda: d.assert_rank_in(x, [0, 3]), words=6), attempt(lambda: d.assert_rank(x, 1, message="my words"), words=2), attempt(lambda: d.assert_rank(x, [1, 2]), words=0), attempt(lambda: d.assert_scalar(x), words=4), attempt(lambda: d.assert_scalar(1))]


def prog_assert_type(tf, np):
    """assert_type and assert_same_float_dtype."""
    d = tf.debugging
    return [attempt(lambda: d.assert_type(tf.constant(1), tf.int32)), attempt(lambda: d.assert_type(tf.constant(1), tf.float32), words=5), attempt(lambda: d.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)])), attempt(lambda: d.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0, tf.float64)]), words=4), attempt(lambda: d.assert_same_float_dtype([tf.constant(1)]), words=3), attempt(lambda: d.assert_integer(tf.constant(1))), attempt(lambda: d.assert_integer(1.5), words=3)]


def prog_assert_shapes(tf, np):
    """Symbols bind dimensions across tensors."""
    s = tf.debugging.assert_shapes
    a, b = tf.zeros([2, 3]), tf.zeros([3, 4])
    return [attempt(lambda: s([(a, ("N", "D")), (b, ("D", "K"))])), attempt(lambda: s([(a, ("N", "D")), (b, ("N", "K"))]), words=4), attempt(lambda: s([(a, (2, "D"))])), attempt(lambda: s([(a, (5, "D"))]), words=4), attempt(lambda: s([(a, ("N",))]), words=4), attempt(lambda: s({"a": ("N",)} if False else [(a, (None, 3))])), attempt(lambda: s([(a, ("*", "D"))])), attempt(lambda: s([(tf.constant(1), ())]))]


def prog_assert_function(tf, np):
    """tf.debugging.Assert with data."""
    a = tf.debugging.Assert
    return [attempt(lambda: a(True, ["never"])), attempt(lambda: a(False, ["shown", 1, [1, 2, 3, 4, 5]], summarize=2), words=6), attempt(lambda: a([True, False], ["some"]), words=4), attempt(lambda: a(tf.constant(False), [tf.constant("t")]), words=4)]


def prog_check_numerics(tf, np):
    """nan and inf are found; assert_all_finite."""
    d = tf.debugging
    return [d.check_numerics([1.0, 2.0], "fine"), attempt(lambda: d.check_numerics([np.nan], "bad value"), words=6), attempt(lambda: d.check_numerics([np.inf], "bad"), words=6), attempt(lambda: d.check_numerics([-np.inf, np.nan], "both"), words=8), attempt(lambda: d.check_numerics([1], "int"), words=0), attempt(lambda: d.assert_all_finite([np.nan], "msg"), words=4), d.assert_all_finite([1.0], "msg")]


def prog_asserts_return_none(tf, np):
    """Eagerly they return None."""
    d = tf.debugging
    return [d.assert_equal(1, 1), d.assert_positive(1), d.assert_rank([1], 1), d.assert_type(tf.constant(1), tf.int32)]


def prog_asserts_in_function_run(tf, np):
    """In a function they run on every call without control dependencies."""

    @tf.function(autograph=False)
    def f(x):
        tf.debugging.assert_positive(x, message="must be positive")
        return x + 1

    return [f(tf.constant([1, 2])), attempt(lambda: f(tf.constant([1, -2])), words=6), f(tf.constant([5, 6]))]


def prog_asserts_in_function_messages(tf, np):
    """The words of failures in a graph."""
    d = tf.debugging
    checks = [lambda x: d.assert_equal(x, 5), lambda x: d.assert_less(x, 0), lambda x: d.assert_none_equal(x, x), lambda x: d.Assert(tf.reduce_all(x > 100), ["data", x])]
    out = []
    for check in checks:

        @tf.function(autograph=False)
        def f(x):
            check(x)
            return x

        out.append(attempt(lambda: f(tf.constant([1, 2])), words=8))
    return out


def prog_static_failures_in_function(tf, np):
    """Failures that are known while tracing raise there."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append(attempt(lambda: tf.debugging.assert_rank(x, 2), words=6))
        out.append(attempt(lambda: tf.debugging.assert_equal(tf.constant(1), tf.constant(2)), words=6))
        out.append(attempt(lambda: tf.debugging.assert_type(x, tf.float32), words=6))
        out.append(attempt(lambda: tf.debugging.assert_shapes([(x, (3,))]), words=6))
        return x

    f(tf.constant([1, 2]))
    return out


def prog_assert_in_control_dependencies(tf, np):
    """Explicit control dependencies on an assert."""

    @tf.function(autograph=False)
    def f(x):
        with tf.control_dependencies([tf.debugging.assert_less(x, 10)]):
            return tf.identity(x)

    return [f(tf.constant(3)), attempt(lambda: f(tf.constant(30)), words=4)]


def prog_assert_proper_iterable(tf, np):
    """assert_proper_iterable refuses tensors and strings."""
    p = tf.debugging.assert_proper_iterable
    return [attempt(lambda: p([1])), attempt(lambda: p(tf.constant([1]))), attempt(lambda: p("abc")), attempt(lambda: p(5)), attempt(lambda: p(np.ones(1)))]


def prog_is_numeric_tensor(tf, np):
    """is_numeric_tensor."""
    f = tf.debugging.is_numeric_tensor
    return [f(tf.constant(1)), f(tf.constant("a")), f(1), f(tf.constant(True)), f(tf.constant(1j))]


def prog_assert_names_in_graph(tf, np):
    """The nodes of asserts."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.int32, [None], name="x") if hasattr(tf, "compat") else tf.constant([1])
        tf.debugging.assert_positive(x)
        tf.debugging.assert_equal(x, 3, name="same")
        tf.debugging.Assert(x[0] > 0, [x])
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_op_error_attributes(tf, np):
    """message, error_code, op and node_def of a caught error."""
    try:
        tf.reshape([1, 2, 3], [2])
    except tf.errors.InvalidArgumentError as e:
        return [e.error_code, tf.errors.INVALID_ARGUMENT, e.op, e.node_def, isinstance(e, tf.errors.OpError), type(e).__name__]


def prog_error_classes(tf, np):
    """Codes and ancestors of every class of tf.errors."""
    names = "CancelledError UnknownError InvalidArgumentError DeadlineExceededError NotFoundError AlreadyExistsError PermissionDeniedError ResourceExhaustedError FailedPreconditionError AbortedError OutOfRangeError UnimplementedError InternalError UnavailableError DataLossError UnauthenticatedError".split()
    made = [getattr(tf.errors, n)(None, None, "text " + n) for n in names]
    return [[e.error_code, str(e), e.message, e, e.node_def] for e in made]


def prog_operator_not_allowed(tf, np):
    """Python control flow on symbolic tensors without AutoGraph."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        out.append(attempt(lambda: bool(x), words=12))
        out.append(attempt(lambda: 1 if x else 2, words=6))
        out.append(attempt(lambda: [v for v in x], words=6))
        out.append(attempt(lambda: int(x), words=3))
        out.append(attempt(lambda: float(x), words=3))
        out.append(attempt(lambda: list(range(x)), words=3))
        out.append(attempt(lambda: x.numpy(), words=4))
        out.append(attempt(lambda: np.array(x), words=6))
        out.append(attempt(lambda: np.sin(x), words=4))
        out.append(attempt(lambda: not x, words=4))
        out.append(attempt(lambda: x in [1], words=4))
        return x

    f(tf.constant(1))
    return out
