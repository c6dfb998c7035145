"""tf.debugging.enable_check_numerics: the op that first computes NaN or infinity, in eager mode and in functions."""

from __future__ import annotations

from tests.oracle.support import Raised, attempt

_WORDS = 17


def checked(tf, call, words=_WORDS, **limits):
    """What a call answers while numbers are checked."""
    tf.debugging.enable_check_numerics(**limits)
    try:
        return attempt(call, words=words)
    finally:
        tf.debugging.disable_check_numerics()


def message(tf, call, **limits):
    """The whole message of a call, or what it returns."""
    answer = checked(tf, call, **limits)
    return str(answer.error) if isinstance(answer, Raised) else answer


def body(text):
    """The lines of a message from the mark to the inputs."""
    lines = [line.strip() for line in str(text).splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("!!!"))
    return [line for line in lines[start:] if line][:9]


def prog_eager_results(tf, np):
    """Ops that make NaN and infinity of numbers."""
    x = tf.constant([1.0, 0.0, -1.0])
    calls = [lambda: tf.math.log(x), lambda: x / 0.0, lambda: tf.sqrt(x), lambda: 1.0 / x, lambda: tf.zeros([2]) / tf.zeros([2]), lambda: tf.exp(tf.constant(1000.0)), lambda: tf.math.log(tf.constant(-1.0)), lambda: tf.pow(0.0, -1.0)]
    return [checked(tf, call) for call in calls]


def prog_eager_messages(tf, np):
    """The message: dtype, shape, counts and inputs."""
    x = tf.constant([1.0, 0.0, -1.0])
    return [body(message(tf, call)) for call in (lambda: tf.math.log(x), lambda: x / 0.0, lambda: tf.math.log(tf.constant([[0.0]], tf.float64)))]


def prog_good_results(tf, np):
    """What is finite, or holds no numbers, is no matter."""
    x = tf.constant([1.0, 2.0])
    calls = [lambda: tf.math.log(x), lambda: tf.math.log(tf.zeros([0])), lambda: x > np.inf, lambda: tf.math.is_nan(tf.constant([np.nan])), lambda: tf.strings.as_string(tf.constant([np.nan])), lambda: tf.constant(np.inf), lambda: tf.math.divide_no_nan(1.0, 0.0), lambda: tf.argmax(tf.constant([np.nan, 1.0]))]
    return [checked(tf, call) for call in calls]


def prog_values_that_are_only_moved(tf, np):
    """Some ops that move values are not checked."""
    x, m = tf.constant([np.nan, 1.0]), tf.constant([[np.nan, 1.0]])
    calls = [lambda: tf.identity(x), lambda: tf.reshape(x, [1, 2]), lambda: tf.expand_dims(x, 0), lambda: tf.squeeze(m), lambda: tf.transpose(m), lambda: tf.concat([x, x], 0), lambda: tf.unstack(x), lambda: tf.slice(x, [0], [1]), lambda: x[:1], lambda: tf.fill([2], np.float32(np.inf))]
    return [checked(tf, call) for call in calls]


def prog_values_that_are_moved_and_checked(tf, np):
    """Others are."""
    x = tf.constant([np.nan, 1.0])
    calls = [lambda: tf.tile(x, [2]), lambda: tf.gather(x, [0]), lambda: tf.pad(x, [[1, 1]]), lambda: tf.reverse(x, [0]), lambda: tf.cast(x, tf.float64), lambda: tf.nn.relu(x), lambda: x + 1.0, lambda: tf.reduce_sum(x), lambda: tf.nn.softmax(x)]
    return [checked(tf, call, words=10) for call in calls]


def prog_half_floats(tf, np):
    """bfloat16 and float16."""
    return [checked(tf, lambda d=d: tf.math.log(tf.constant([0.0, 1.0], d))) for d in (tf.bfloat16, tf.float16, tf.float64)]


def prog_complex_numbers(tf, np):
    """Complex numbers are not looked at."""
    return [checked(tf, lambda: tf.complex(np.float32(np.nan), 1.0)), checked(tf, lambda: tf.math.log(tf.constant(0j, tf.complex64)))]


def prog_functions(tf, np):
    """Functions that are traced meanwhile."""

    @tf.function
    def f(x):
        return tf.math.log(x) + 1.0

    @tf.function
    def g(x):
        with tf.name_scope("outer"):
            return tf.sqrt(x)

    x = tf.constant([1.0, 0.0, -1.0])
    return [type(checked(tf, lambda: f(x)).error).__name__, body(message(tf, lambda: f(x)))[:5], body(message(tf, lambda: g(x)))[:5], checked(tf, lambda: f(tf.constant([1.0, 2.0, 3.0])))]


def prog_a_function_stays_checked(tf, np):
    """What was traced while numbers were checked is checked for good."""

    @tf.function
    def f(x):
        return tf.math.log(x)

    x = tf.constant([0.0])
    checked(tf, lambda: f(x))
    later = attempt(lambda: f(x))
    return [type(later.error).__name__, body(str(later.error))[:3]]


def prog_a_function_that_was_traced_before(tf, np):
    """Its results are looked at, as those of an op."""

    @tf.function
    def f(x):
        return tf.math.log(x)

    x = tf.constant([0.0])
    before = f(x).numpy()
    answer = checked(tf, lambda: f(x))
    return [before, type(answer.error).__name__, body(str(answer.error))[1:4], f(x).numpy()]


def prog_arguments_of_functions(tf, np):
    """An argument that is no number."""
    f = tf.function(lambda x: x + 1.0)
    return body(message(tf, lambda: f(tf.constant([np.nan]))))[:4]


def prog_gradients(tf, np):
    """Ops of a gradient, eagerly and in a function."""

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(x)
        return tape.gradient(y, x)

    x = tf.constant([4.0, 0.0])
    return [body(message(tf, lambda: gradient(x)))[:5], body(message(tf, lambda: tf.function(gradient)(x)))[:3]]


def prog_loops_and_branches(tf, np):
    """Ops inside of loops and branches of functions."""

    @tf.function
    def loop(x):
        for _ in tf.range(3):
            x = tf.math.log(x)
        return x

    @tf.function
    def branch(x):
        if tf.reduce_sum(x) > 0.0:
            return tf.math.log(x)
        return x

    return [body(message(tf, lambda: loop(tf.constant([5.0]))))[:3], body(message(tf, lambda: branch(tf.constant([0.0, 1.0]))))[:3], checked(tf, lambda: branch(tf.constant([0.0, -1.0])))]


def prog_datasets(tf, np):
    """Functions of pipelines."""
    x = tf.constant([0.0, 1.0])
    answer = checked(tf, lambda: list(tf.data.Dataset.from_tensors(x).map(tf.math.log)))
    return [type(answer.error).__name__, "Log" in str(answer.error), "Infinity or NaN" in str(answer.error)]


def prog_switching_twice(tf, np):
    """Switching on or off twice is as once."""
    x = tf.constant([0.0])
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    first = attempt(lambda: tf.math.log(x), words=_WORDS)
    tf.debugging.disable_check_numerics()
    second = attempt(lambda: tf.math.log(x), words=_WORDS)
    tf.debugging.disable_check_numerics()
    return [first, second]


def prog_other_threads(tf, np):
    """The mode is one of the thread."""
    import threading

    answers = []
    x = tf.constant([0.0])
    tf.debugging.enable_check_numerics()
    thread = threading.Thread(target=lambda: answers.append(attempt(lambda: tf.math.log(x), words=_WORDS)))
    thread.start()
    thread.join()
    tf.debugging.disable_check_numerics()
    return answers


def prog_limits_of_the_message(tf, np):
    """Fewer frames and shorter paths."""

    def made():
        return tf.function(lambda x: tf.math.log(x))

    x = tf.constant([0.0])
    texts = [message(tf, lambda: made()(x), stack_height_limit=h, path_length_limit=p) for h, p in ((1, 10), (2, 50))]
    return [["Omitted" in text, "Stack trace of op's creation" in text] for text in texts]


def prog_tensors_alone(tf, np):
    """check_numerics and assert_all_finite are as ever."""
    return [attempt(lambda: tf.debugging.check_numerics([np.nan, 1.0], "here"), words=6), attempt(lambda: tf.debugging.assert_all_finite([np.inf], "there"), words=6), tf.debugging.check_numerics([1.0], "fine")]


def prog_checks_added_to_a_graph(tf, np):
    """tf.compat.v1.add_check_numerics_ops: a chain of checks."""
    with tf.Graph().as_default() as graph:
        a = tf.constant([1.0], name="a")
        b = tf.math.log(a, name="b")
        tf.constant(3, name="c")
        made = tf.compat.v1.add_check_numerics_ops()
        checks = [o for o in graph.get_operations() if o.type == "CheckNumerics"]
        return [made.type, made.name, [(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs], o.get_attr("message")) for o in checks], [c.name for c in made.control_inputs], b.name]


def prog_checks_added_in_eager_mode(tf, np):
    """... which needs a graph."""
    return attempt(tf.compat.v1.add_check_numerics_ops, words=12)


def prog_checks_of_a_session(tf, np):
    """Running the checks."""
    with tf.Graph().as_default():
        a = tf.compat.v1.placeholder(tf.float32, [None])
        b = tf.math.log(a, name="b")
        checks = tf.compat.v1.add_check_numerics_ops()
        with tf.compat.v1.Session() as session:
            good = session.run([b, checks], {a: [1.0]})[0]
            bad = attempt(lambda: session.run(checks, {a: [0.0]}), words=0)
    return [good, bad, "b:0 : Tensor had Inf values" in str(bad.error)]
