"""Derivatives through Python's own control flow over tensors: for, while, if, break, continue, early return."""

from __future__ import annotations

from tests.oracle.modes import ALL_MODES, UNCOMPILED, derivatives


def _x(tf):
    return tf.constant([0.5, -1.2, 2.0])


def _matrix(tf):
    return tf.constant([[0.5, -1.0], [1.5, 0.7], [-0.4, 2.0]])


@derivatives(3, modes=ALL_MODES, autograph=True)
def for_over_range(tf, np):
    def f(x):
        y = x
        for _ in tf.range(3):
            y = y * x
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_using_its_index(tf, np):
    def f(x):
        y = tf.zeros_like(x)
        for i in tf.range(1, 4):
            y += x ** tf.cast(i, tf.float32)
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_over_rows(tf, np):
    def f(x):
        s = tf.ones([2])
        for row in x:
            s = tf.tanh(s * row + row)
        return s

    return f, [_matrix(tf)]


@derivatives(2, autograph=True)
def for_over_python_range(tf, np):
    def f(x):
        y = x
        for i in range(3):
            y = tf.sin(y) * x * (i + 1.0)
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_with_break(tf, np):
    def f(x):
        y = x
        for i in tf.range(10):
            if tf.reduce_sum(tf.abs(y)) > 20.0:
                break
            y = y * x * 1.5
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_with_continue(tf, np):
    def f(x):
        y = x
        for i in tf.range(4):
            if i % 2 == 0:
                continue
            y = y * x
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_with_break_and_continue(tf, np):
    def f(x):
        y = x
        for i in tf.range(8):
            if i == 1:
                continue
            if i > 4:
                break
            y = tf.sin(y) + x * y
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_with_early_return(tf, np):
    def f(x):
        y = x
        for i in tf.range(6):
            y = y * x
            if tf.reduce_max(tf.abs(y)) > 10.0:
                return y * 2.0
        return y + 1.0

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_with_else(tf, np):
    def f(x):
        y = x
        for i in tf.range(2):
            y = y * x
        else:
            y = y + x
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def while_by_value(tf, np):
    def f(x):
        y = x
        while tf.reduce_sum(tf.abs(y)) < 30.0:
            y = y * 1.7 + x * tf.abs(y)
        return y

    return f, [_x(tf)]


@derivatives(2, modes=ALL_MODES, autograph=True)
def while_by_counter(tf, np):
    def f(x):
        i = tf.constant(0)
        y = x
        while i < 3:
            y = tf.tanh(y) * x
            i += 1
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def while_with_break(tf, np):
    def f(x):
        i = tf.constant(0)
        y = x
        while True:
            y = y * x
            i += 1
            if i >= 3:
                break
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def while_with_two_conditions(tf, np):
    def f(x):
        i = tf.constant(0)
        y = x
        while i < 5 and tf.reduce_max(y) < 7.0:
            y = y * x + y
            i += 1
        return y, i

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def nested_for(tf, np):
    def f(x):
        y = x
        for i in tf.range(2):
            for j in tf.range(3):
                y = y * x * 0.8 + tf.cast(i * j, tf.float32)
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def nested_for_with_inner_break(tf, np):
    def f(x):
        y = x
        for i in tf.range(3):
            for j in tf.range(3):
                if j > i:
                    break
                y = y * x * 0.8
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def for_in_while_in_if(tf, np):
    def f(x):
        y = x
        if x[0] > 0.0:
            k = tf.constant(0)
            while k < 2:
                for j in tf.range(2):
                    y = tf.sin(y * x) + y
                k += 1
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def nested_loops_with_return(tf, np):
    def f(x):
        y = x
        for i in tf.range(3):
            for j in tf.range(3):
                y = y * x * 0.9
                if i + j > 2:
                    return y * 3.0
        return y

    return f, [_x(tf)]


@derivatives(3, autograph=True)
def if_else(tf, np):
    def f(x):
        if tf.reduce_sum(x) > 0.0:
            return x**4
        return -x

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def if_without_else(tf, np):
    def f(x):
        y = x * x
        if x[0] > 0.0:
            y = y * x
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def elif_chain(tf, np):
    def f(x, i):
        if i == 0:
            y = x
        elif i == 1:
            y = x**3
        elif i == 2:
            y = tf.exp(x)
        else:
            y = -x
        return y

    return f, [_x(tf), tf.constant(2)]


@derivatives(2, autograph=True)
def conditional_expression(tf, np):
    def f(x):
        y = x * x if x[0] > 1.0 else tf.exp(x)
        return y if x[1] < 0.0 and x[2] > 0.0 else x

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def several_variables_in_a_loop(tf, np):
    def f(x, k):
        a, b, c = x, x * k, k
        for _ in tf.range(3):
            a, b = b, a * b * 0.5 + c
            c = c * 1.1
        return a, b, c

    return f, [_x(tf), tf.constant(0.7)]


@derivatives(2, autograph=True)
def variable_first_set_in_a_branch(tf, np):
    def f(x):
        if x[0] > 0.0:
            z = x * x
            y = z * x
        else:
            y = x
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def tensor_array_in_a_loop(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 4)
        s = x
        for i in tf.range(4):
            s = tf.tanh(s * x + 0.3)
            ta = ta.write(i, s)
        return ta.stack()

    return f, [_x(tf)]


@derivatives(2, modes=UNCOMPILED, autograph=True)
def growing_tensor_array(tf, np):
    def f(x):
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        s = x
        i = 0
        while tf.reduce_sum(tf.abs(s)) < 25.0:
            ta = ta.write(i, s)
            s = s * 2.0 * tf.abs(x)
            i += 1
        return ta.stack()

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def python_list_in_a_python_loop(tf, np):
    def f(x):
        found = []
        for i in range(3):
            if i != 1:
                found.append(x ** (i + 1))
        return tf.stack(found)

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def dictionary_in_a_loop(tf, np):
    def f(x):
        state = {"a": x, "b": x * x}
        for _ in tf.range(2):
            state = {"a": state["b"], "b": state["a"] * state["b"]}
        return state

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def called_function_with_a_loop(tf, np):
    def power(y, n):
        z = tf.ones_like(y)
        for _ in tf.range(n):
            z = z * y
        return z

    def f(x):
        return power(x, 3) + power(tf.sin(x), 2)

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def recursive_function(tf, np):
    def power(y, n):
        if n == 0:
            return tf.ones_like(y)
        return y * power(y, n - 1)

    return lambda x: power(x, 4), [_x(tf)]


@derivatives(2, autograph=True)
def closure_over_a_tensor(tf, np):
    k = tf.constant(0.7)

    def f(x):
        y = x
        for _ in tf.range(3):
            y = tf.sin(y * k)
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def gradient_descent(tf, np):
    """Steps of descent in a loop, differentiated by the start and the rate."""

    def f(w, rate):
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_sum(w**4 - w)
            w = w - rate * tape.gradient(loss, w)
        return w

    return f, [tf.constant([0.5, -0.3]), tf.constant(0.1)]


@derivatives(2, autograph=True)
def newton_until_converged(tf, np):
    def f(a):
        y = a
        for _ in tf.range(20):
            new = 0.5 * (y + a / y)
            if tf.reduce_max(tf.abs(new - y)) < 1e-6:
                break
            y = new
        return y

    return f, [tf.constant([2.0, 9.0])]


@derivatives(2, autograph=True)
def recurrent_cell(tf, np):
    def f(x, w, u):
        h = tf.zeros([2])
        outputs = tf.TensorArray(tf.float32, 3)
        for t in tf.range(3):
            h = tf.tanh(tf.linalg.matvec(w, x[t]) + tf.linalg.matvec(u, h))
            outputs = outputs.write(t, h)
        return outputs.stack()

    return f, [_matrix(tf), tf.constant([[0.5, -0.2], [0.1, 0.9]]), tf.constant([[0.3, 0.4], [-0.6, 0.2]])]


@derivatives(2, autograph=True)
def masked_recurrence(tf, np):
    """Only some steps change the state."""

    def f(x, mask):
        h = x[0]
        for t in tf.range(3):
            if mask[t]:
                h = tf.tanh(h * x[t]) + h
        return h

    return f, [_matrix(tf), tf.constant([True, False, True])]


@derivatives(2, autograph=True)
def bisection(tf, np):
    """The branch taken depends on the data; the result does not."""

    def f(a):
        low, high = tf.zeros_like(a), a + 1.0
        for _ in tf.range(8):
            middle = 0.5 * (low + high)
            if middle * middle > a:
                high = middle
            else:
                low = middle
        return low * high

    return f, [tf.constant(5.0)]


@derivatives(2, autograph=True)
def loop_with_an_assertion(tf, np):
    def f(x):
        y = x
        for i in tf.range(2):
            assert tf.reduce_all(tf.abs(y) < 100.0)
            y = y * x
        return y

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def slices_in_a_loop(tf, np):
    def f(x):
        total = tf.zeros([])
        for i in tf.range(2):
            total += tf.reduce_sum(x[i : i + 2] * x[i])
        return total

    return f, [_x(tf)]


@derivatives(2, autograph=True)
def function_called_in_a_loop(tf, np):
    step = tf.function(lambda y, x: tf.sin(y) * x)

    def f(x):
        y = x
        for _ in tf.range(3):
            y = step(y, x)
        return y

    return f, [_x(tf)]
