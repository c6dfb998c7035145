"""Recurrent networks of `tf.compat.v1.nn`, over cells that programs bring."""

from __future__ import annotations

from tests.oracle.support import attempt


class _Cell:
    """A layer with a weight, whose output is its state."""

    def __init__(self, tf, units=2):
        self.tf, self.units = tf, units

    state_size = property(lambda self: self.units)
    output_size = property(lambda self: self.units)

    def zero_state(self, batch_size, dtype):
        return self.tf.zeros([batch_size, self.units], dtype)

    def __call__(self, x, state):
        v1 = self.tf.compat.v1
        shape = [x.shape[-1] + self.units, self.units]
        w = v1.get_variable("w", shape, initializer=v1.constant_initializer(0.1))
        output = self.tf.tanh(self.tf.matmul(self.tf.concat([x, state], 1), w))
        return output, output


class _Pair(_Cell):
    """A cell whose state is a pair."""

    state_size = property(lambda self: (self.units, self.units))

    def zero_state(self, batch_size, dtype):
        return (self.tf.zeros([batch_size, self.units], dtype), self.tf.ones([batch_size, self.units], dtype))

    def __call__(self, x, state):
        output, _ = super().__call__(x, state[1])
        return output, (state[0] + output, output)


class _Free(_Cell):
    """A cell without variables, whose outputs are wider than its state."""

    output_size = 3

    def __call__(self, x, state):
        return self.tf.pad(x + state, [[0, 0], [0, 1]]), state + 1


def _inputs(np):
    return np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 10


def _steps(tf, np):
    """The inputs, one for each time."""
    return [tf.constant(step) for step in _inputs(np).transpose(1, 0, 2)]


def _run(tf, make):
    """The values, names and shapes of what is made in a graph, and its variables."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        made = make(v1)
        flat = tf.nest.flatten(made)
        session.run(v1.global_variables_initializer())
        found = session.run(made)
        return [found, [t.shape for t in flat], [v.name for v in v1.global_variables()]]


def prog_dynamic_rnn(tf, np):
    """Lengths, initial states, the order of time and batch."""
    x = _inputs(np)
    return [
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Cell(tf), tf.constant(x), dtype=tf.float32)),
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Cell(tf), tf.constant(x), [1, 3], dtype=tf.float32)),
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Cell(tf), tf.constant(x), [0, 2], tf.ones([2, 2]))),
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Cell(tf), tf.constant(x.transpose(1, 0, 2)), [1, 3], tf.ones([2, 2]), time_major=True)),
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Cell(tf, 3), tf.constant(x), dtype=tf.float32, scope="encoder")),
    ]


def prog_dynamic_rnn_names(tf, np):
    """Names of results."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        outputs, state = v1.nn.dynamic_rnn(_Cell(tf), tf.constant(_inputs(np)), dtype=tf.float32)
        return [outputs.name, state.name, [v.name for v in v1.trainable_variables()]]


def prog_states_of_several_parts(tf, np):
    """Pairs as states."""
    x = _inputs(np)
    return [
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Pair(tf), tf.constant(x), [1, 3], dtype=tf.float32)),
        _run(tf, lambda v1: v1.nn.static_rnn(_Pair(tf), _steps(tf, np), dtype=tf.float32)),
    ]


def prog_outputs_of_another_size(tf, np):
    """Outputs are wider than states."""
    x = _inputs(np)
    return [
        _run(tf, lambda v1: v1.nn.dynamic_rnn(_Free(tf), tf.constant(x), [1, 3], dtype=tf.float32)),
        tf.compat.v1.nn.dynamic_rnn(_Free(tf), tf.constant(x), [1, 3], dtype=tf.float32),
    ]


def prog_unknown_batches(tf, np):
    """Batches and times are fed."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, lengths = v1.placeholder(tf.float32, [None, None, 2]), v1.placeholder(tf.int32, [None])
        made = v1.nn.dynamic_rnn(_Cell(tf), x, lengths, dtype=tf.float32)
        session.run(v1.global_variables_initializer())
        found = [session.run(made, {x: _inputs(np), lengths: [3, 2]})]
        found.append(session.run(made, {x: _inputs(np)[:1, :2], lengths: [2]}))
        return [found, [t.shape for t in made]]


def prog_bidirectional_dynamic_rnn(tf, np):
    """With and without lengths."""
    x = _inputs(np)
    f = lambda v1, *a: v1.nn.bidirectional_dynamic_rnn(_Cell(tf), _Cell(tf, 3), tf.constant(x), *a, dtype=tf.float32)
    return [_run(tf, f), _run(tf, lambda v1: f(v1, [1, 3]))]


def prog_static_rnn(tf, np):
    """Lengths, initial states, scopes."""
    x = lambda: _steps(tf, np)
    return [
        _run(tf, lambda v1: v1.nn.static_rnn(_Cell(tf), x(), dtype=tf.float32)),
        _run(tf, lambda v1: v1.nn.static_rnn(_Cell(tf), x(), dtype=tf.float32, sequence_length=[1, 3])),
        _run(tf, lambda v1: v1.nn.static_rnn(_Cell(tf), x(), tf.ones([2, 2]), sequence_length=[1, 2], scope="s")),
    ]


def prog_static_bidirectional_rnn(tf, np):
    """With and without lengths."""
    x = lambda: _steps(tf, np)
    f = lambda v1, **k: v1.nn.static_bidirectional_rnn(_Cell(tf), _Cell(tf, 3), x(), dtype=tf.float32, **k)
    return [_run(tf, f), _run(tf, lambda v1: f(v1, sequence_length=[1, 3]))]


def prog_static_state_saving_rnn(tf, np):
    """States that an object keeps."""
    x = lambda: _steps(tf, np)

    class Saver:
        def __init__(self):
            self.names = []

        def state(self, name):
            return tf.ones([2, 2])

        def save_state(self, name, value):
            self.names.append(name)
            return tf.identity(value)

    saver = Saver()
    return [
        _run(tf, lambda v1: v1.nn.static_state_saving_rnn(_Cell(tf), x(), saver, "state")),
        _run(tf, lambda v1: v1.nn.static_state_saving_rnn(_Pair(tf), x(), saver, ("sum", "last"))),
        saver.names,
    ]


def prog_raw_rnn(tf, np):
    """A loop whose inputs and end a function decides."""
    x = _inputs(np).transpose(1, 0, 2)

    def make(v1, emit=None, keep=None):
        cell, source = _Cell(tf), tf.TensorArray(tf.float32, 3).unstack(x)

        def step(time, output, state, kept):
            over = time >= tf.constant([2, 3])
            read = tf.cond(tf.reduce_all(over), lambda: tf.zeros([2, 2]), lambda: source.read(time))
            state = cell.zero_state(2, tf.float32) if output is None else state
            shown = output
            if emit is not None:
                shown = tf.zeros([3]) if output is None else tf.pad(output, [[0, 0], [0, 1]])
            kept = keep if kept is None else kept + 10
            return over, read, state, shown, kept

        emitted, state, kept = v1.nn.raw_rnn(cell, step)
        return emitted.stack(), state, *([] if kept is None else [kept])

    return [_run(tf, make), _run(tf, lambda v1: make(v1, emit=3)), _run(tf, lambda v1: make(v1, keep=tf.constant(1)))]


def prog_gradients(tf, np):
    """Gradients through the loop."""

    def make(v1, static=False):
        x = tf.constant(_inputs(np))
        if static:
            outputs, state = v1.nn.static_rnn(_Cell(tf), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=[1, 3])
        else:
            outputs, state = v1.nn.dynamic_rnn(_Cell(tf), x, [1, 3], dtype=tf.float32)
        total = tf.add_n([tf.reduce_sum(o) for o in tf.nest.flatten(outputs)]) + 2 * tf.reduce_sum(state)
        return v1.gradients(total, [x, *v1.trainable_variables()])

    return [_run(tf, make), _run(tf, lambda v1: make(v1, static=True))]


def prog_refused(tf, np):
    """Objects that are no cells, missing dtypes, inputs of unknown depth."""
    v1 = tf.compat.v1
    x = _inputs(np)
    with tf.Graph().as_default():
        cell = _Cell(tf)
        return [
            attempt(lambda: v1.nn.dynamic_rnn(cell, tf.constant(x))),
            attempt(lambda: v1.nn.dynamic_rnn(object(), tf.constant(x), dtype=tf.float32), words=2),
            attempt(lambda: v1.nn.dynamic_rnn(cell, tf.constant(x), [[1, 3]], dtype=tf.float32)),
            attempt(lambda: v1.nn.dynamic_rnn(cell, v1.placeholder(tf.float32, [2, 3, None]), dtype=tf.float32)),
            attempt(lambda: v1.nn.static_rnn(cell, tf.constant(x), dtype=tf.float32)),
            attempt(lambda: v1.nn.static_rnn(cell, [], dtype=tf.float32)),
            attempt(lambda: v1.nn.static_rnn(cell, _steps(tf, np))),
            attempt(lambda: v1.nn.static_rnn(1, _steps(tf, np), dtype=tf.float32), words=2),
            attempt(lambda: v1.nn.raw_rnn(cell, 3), words=0),
        ]
