"""tf.compat.v1.train: optimizers, moving averages, the global step and learning rates that fall."""

from __future__ import annotations

from tests.oracle.programs._v1_helpers import eagerly, in_session, initialized, named, operations, repeated, said

_OPTIMIZERS = {
    "gradient_descent": lambda t: t.GradientDescentOptimizer(0.1),
    "momentum": lambda t: t.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda t: t.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda t: t.AdamOptimizer(0.1, epsilon=1e-3),
    "adagrad": lambda t: t.AdagradOptimizer(0.1),
    "adagrad_da": lambda t: t.AdagradDAOptimizer(0.1, t.get_or_create_global_step(), l1_regularization_strength=0.01),
    "adadelta": lambda t: t.AdadeltaOptimizer(1.0, epsilon=1e-3),
    "rmsprop": lambda t: t.RMSPropOptimizer(0.1),
    "centered_rmsprop": lambda t: t.RMSPropOptimizer(0.1, centered=True, momentum=0.5, epsilon=1e-2),
    "ftrl": lambda t: t.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01),
    "ftrl_with_shrinkage": lambda t: t.FtrlOptimizer(
        0.1, -0.3, 0.2, l2_shrinkage_regularization_strength=0.1, beta=0.5, accum_name="a", linear_name="b"
    ),
    "proximal_gradient_descent": lambda t: t.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
    "proximal_adagrad": lambda t: t.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
}


def _loss(tf, v, is_sparse):
    return tf.reduce_sum((tf.gather(v, [0, 0, 2]) if is_sparse else v) ** 2)


def _steps(make, is_sparse):
    def program(tf, v1, s, np):
        v = v1.get_variable("a/v", initializer=[[1.0, 2.0], [3.0, 4.0], [-5.0, 0.5]])
        count = v1.train.get_or_create_global_step()
        optimizer = make(v1.train)
        step = optimizer.minimize(_loss(tf, v, is_sparse), global_step=count)
        initialized(v1, s)
        slots = [optimizer.get_slot(v, name) for name in optimizer.get_slot_names()]
        return [
            step.name,
            optimizer.get_name(),
            optimizer.get_slot_names(),
            named(slots),
            named(optimizer.variables()),
            named(v1.global_variables()),
            repeated(s, step, 3, v, count, *slots),
        ]

    return program


def _operations(make):
    def program(tf, v1, s, np):
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        optimizer = make(v1.train)
        optimizer.apply_gradients([(tf.ones([2]), v)], name="step")
        return [op for op in operations(tf, "step") if "/Identity" not in op[1] and "ReadVariableOp" not in op[1]]

    return program


def _eager_steps(make):
    def program(tf, v1, np):
        v = tf.Variable([1.0, 2.0, -3.0], name="v")
        optimizer = make(v1.train)
        returned = [optimizer.minimize(lambda: _loss(tf, v, sparse), var_list=[v]) for sparse in (False, True, False)]
        slots = [optimizer.get_slot(v, name) for name in optimizer.get_slot_names()]
        return returned, v.numpy(), [slot.numpy() for slot in slots], named(slots), named(optimizer.variables())

    return program


def _refused(tf, v1, s, np):
    v, w = v1.get_variable("v", initializer=[1.0, 2.0]), v1.get_variable("w", initializer=1.0)
    t = v1.train
    optimizer, loss = t.GradientDescentOptimizer(0.1), tf.reduce_sum(v**2)
    return [
        said(call)
        for call in [
            lambda: t.GradientDescentOptimizer(0.1, name=""),
            lambda: optimizer.minimize(loss, var_list=[w]),
            lambda: optimizer.minimize(loss, var_list=[]),
            lambda: optimizer.compute_gradients(loss, gate_gradients=4),
            lambda: optimizer.minimize(tf.constant(1)),
            lambda: optimizer.apply_gradients([]),
            lambda: optimizer.apply_gradients([(None, v)]),
            lambda: optimizer.apply_gradients(3),
            lambda: t.AdagradOptimizer(0.1, -1),
            lambda: t.AdagradDAOptimizer(0.1, None, -1),
            lambda: t.ProximalAdagradOptimizer(0.1, -1),
            lambda: t.FtrlOptimizer(0.1, initial_accumulator_value=-1),
            lambda: t.FtrlOptimizer(0.1, learning_rate_power=1),
            lambda: t.FtrlOptimizer(0.1, l1_regularization_strength=-1),
            lambda: t.FtrlOptimizer(0.1, l2_regularization_strength=-1),
            lambda: t.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=-1),
        ]
    ]


def _names_of_adams(tf, v1, s, np):
    v = v1.get_variable("a/v", initializer=[1.0])
    found = []
    for arguments in ({}, {}, {"name": "my", "use_own_namescope_for_non_slot_vars": True}):
        optimizer = v1.train.AdamOptimizer(**arguments)
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
        found.append(named(optimizer.variables()))
    with v1.variable_scope("sc"), tf.name_scope("ns"):
        optimizer = v1.train.AdamOptimizer()
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
    return [
        *found,
        named(optimizer.variables()),
        [name for name in named(v1.get_collection("train_op")) if "my" not in name],
        named(v1.trainable_variables()),
    ]


def _two_variables(tf, v1, s, np):
    x, y, z = (v1.get_variable(name, initializer=value) for name, value in (("x", 1.0), ("y", [2.0, 3.0]), ("z", 5.0)))
    optimizer = v1.train.MomentumOptimizer(0.1, 0.5)
    pairs = optimizer.compute_gradients(tf.reduce_sum(x * y))
    step = optimizer.apply_gradients(pairs)
    initialized(v1, s)
    return [gradient is None for gradient, _ in pairs], named(optimizer.variables()), repeated(s, step, 2, x, y, z)


def _changed_gradients(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[3.0, -3.0, 0.1])
    optimizer = v1.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(v**2), grad_loss=tf.constant(2.0))
    clipped = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)[0]
    step = optimizer.apply_gradients(zip(clipped, [v]))
    initialized(v1, s)
    return repeated(s, step, 2, v)


def _gates(tf, v1, s, np):
    v, w = v1.get_variable("v", initializer=2.0), v1.get_variable("w", initializer=3.0)
    optimizer = v1.train.GradientDescentOptimizer(1.0)
    initialized(v1, s)
    return [s.run([g for g, _ in optimizer.compute_gradients(v * w, gate_gradients=gate)]) for gate in (0, 1, 2)]


def _constraints(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[1.0, 0.05], constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
    step = v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v))
    initialized(v1, s)
    return repeated(s, step, 2, v), said(lambda: v1.train.AdamOptimizer().minimize(tf.reduce_sum(tf.gather(v, [0]))))


def _dtypes(tf, v1, s, np):
    found = []
    for dtype in ("float16", "float64"):
        for name in ("adam", "momentum", "ftrl", "rmsprop", "adagrad"):
            v = v1.get_variable(f"{name}_{dtype}", initializer=np.array([1.0, 2.0], dtype))
            optimizer = _OPTIMIZERS[name](v1.train)
            step = optimizer.minimize(tf.reduce_sum(v**2), var_list=[v])
            initialized(v1, s)
            found.append((repeated(s, step, 2, v), [slot.dtype for slot in optimizer.variables()]))
    return found


def _fed_rate(tf, v1, s, np):
    v, rate = v1.get_variable("v", initializer=1.0), v1.placeholder(tf.float32, [])
    step = v1.train.AdamOptimizer(rate).minimize(v * v)
    initialized(v1, s)
    s.run(step, {rate: 0.5})
    first = s.run(v)
    s.run(step, {rate: 0.0})
    return first, s.run(v)


def _function_rate(tf, v1, s, np):
    v = v1.get_variable("v", initializer=1.0)
    step = v1.train.MomentumOptimizer(lambda: 0.1, lambda: 0.9).minimize(v * v)
    initialized(v1, s)
    return repeated(s, step, 2, v)


def _rate_of_the_step(tf, v1, s, np):
    v, count = v1.get_variable("v", initializer=1.0), v1.train.get_or_create_global_step()
    rate = v1.train.exponential_decay(0.5, count, 1, 0.5)
    step = v1.train.GradientDescentOptimizer(rate).minimize(v, global_step=count)
    initialized(v1, s)
    return repeated(s, step, 3, v, rate, count)


def _own_optimizer(tf, v1, s, np):
    class Signed(v1.train.Optimizer):
        def _create_slots(self, var_list):
            for variable in var_list:
                self._zeros_slot(variable, "count", self._name)

        def _prepare(self):
            self._rate = tf.convert_to_tensor(0.5, name="rate")

        def _resource_apply_dense(self, grad, handle):
            counted = self.get_slot(handle, "count").assign_add(tf.ones_like(grad))
            return tf.group(handle.assign_sub(self._rate * tf.sign(grad)), counted)

    v = v1.get_variable("v", initializer=[3.0, -3.0])
    optimizer = Signed(False, "Signed")
    step = optimizer.minimize(tf.reduce_sum(v**2))
    initialized(v1, s)
    return repeated(s, step, 2, v, optimizer.get_slot(v, "count")), named(optimizer.variables()), step.name


def _global_steps(tf, v1, s, np):
    t = v1.train
    before = t.get_global_step()
    step = t.create_global_step()
    initialized(v1, s)
    return [
        before,
        (step.name, step.dtype, step.trainable, t.global_step(s, step)),
        said(t.create_global_step),
        t.get_or_create_global_step() is step,
        named(v1.get_collection("global_step")),
        said(lambda: t.assert_global_step(tf.zeros([]))),
        said(lambda: t.assert_global_step(v1.get_variable("k", [2], tf.int64))),
        said(lambda: t.assert_global_step(v1.placeholder(tf.int64))),
        said(lambda: t.assert_global_step(3)),
    ]


def _averages(tf, v1, s, np):
    v, w = v1.get_variable("v", initializer=[1.0]), v1.get_variable("w", initializer=5.0, trainable=False)
    averages = v1.train.ExponentialMovingAverage(0.5, name="ema")
    moved = averages.apply([v, w])
    initialized(v1, s)
    found = [s.run([averages.average(v), averages.average(w)])]
    s.run(v.assign([3.0]).op)
    return [
        found,
        repeated(s, moved, 2, averages.average(v), averages.average(w)),
        averages.average_name(v),
        moved.name,
        averages.average(v).name,
        {name: variable.name for name, variable in averages.variables_to_restore().items()},
        named(v1.moving_average_variables()),
        named(v1.global_variables()),
    ]


def _counted_averages(tf, v1, s, np):
    v, count = v1.get_variable("v", initializer=1.0), v1.train.get_or_create_global_step()
    step = v1.train.GradientDescentOptimizer(1.0).minimize(v, global_step=count)
    averages = v1.train.ExponentialMovingAverage(0.99, num_updates=count)
    with tf.control_dependencies([step]):
        train = averages.apply()
    initialized(v1, s)
    return repeated(s, train, 3, v, averages.average(v)), operations(tf, "ExponentialMovingAverage")[:4]


def _average_of_a_tensor(tf, v1, s, np):
    x = v1.placeholder_with_default([2.0], [1], name="x")
    averages = v1.train.ExponentialMovingAverage(0.5, zero_debias=True)
    moved = averages.apply([x])
    initialized(v1, s)
    return repeated(s, moved, 3, averages.average(x)), averages.average(x).name


def _embedding(tf, v1, s, np):
    table = v1.get_variable("table", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
    ids = v1.placeholder(tf.int32, [None])
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
    optimizer = v1.train.AdagradOptimizer(0.5)
    step = optimizer.minimize(loss)
    initialized(v1, s)
    found = []
    for chosen in ([0, 1], [1, 1, 3], [2]):
        s.run(step, {ids: chosen})
        found.append(s.run([table, optimizer.get_slot(table, "accumulator")]))
    return found


def _function_in_eager_mode(tf, v1, np):
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = v1.train.AdamOptimizer(0.1)

    @tf.function
    def step():
        optimizer.minimize(lambda: tf.reduce_sum(v**2), var_list=[v])

    step(), step()
    return v.numpy(), said(lambda: optimizer.minimize(v * v))


_RATES = {
    "exponential": lambda t, s: t.exponential_decay(0.1, s, 10, 0.96),
    "staircase": lambda t, s: t.exponential_decay(0.1, s, 10, 0.96, staircase=True, name="foo"),
    "natural": lambda t, s: t.natural_exp_decay(0.1, s, 10, 0.5),
    "inverse": lambda t, s: t.inverse_time_decay(0.1, s, 10, 0.5),
    "inverse_staircase": lambda t, s: t.inverse_time_decay(0.1, s, 10, 0.5, True),
    "polynomial": lambda t, s: t.polynomial_decay(0.1, s, 10, 0.01, 2.0),
    "cycle": lambda t, s: t.polynomial_decay(0.1, s, 10, 0.01, 2.0, cycle=True),
    "cosine": lambda t, s: t.cosine_decay(0.1, s, 10, 0.1),
    "restarts": lambda t, s: t.cosine_decay_restarts(0.1, s, 3, 2.0, 0.5, 0.1),
    "equal_restarts": lambda t, s: t.cosine_decay_restarts(0.1, s, 3, 1.0, 0.5, 0.1),
    "linear_cosine": lambda t, s: t.linear_cosine_decay(0.1, s, 10),
    "noisy": lambda t, s: t.noisy_linear_cosine_decay(0.1, s, 10),
    "piecewise": lambda t, s: t.piecewise_constant(s, [3, 6], [1.0, 0.5, 0.1]),
}


def _rate(make):
    def program(tf, v1, s, np):
        v1.get_default_graph().seed = 1
        step = v1.placeholder(tf.int64, [], name="step")
        rate = make(v1.train, step)
        values = [s.run(rate, {step: value}) for value in (0, 1, 3, 4, 6, 9, 10, 11, 25)]
        nodes = [
            (op.type, op.name, named(op.inputs))
            for op in v1.get_default_graph().get_operations()
            if "case" not in op.name and "Const" not in op.name
        ]
        return values, rate.name, nodes, said(lambda: make(v1.train, None))

    return program


def _eager_rates(tf, v1, np):
    step = tf.Variable(3)
    rates = {name: make(v1.train, step) for name, make in _RATES.items() if name != "noisy"}
    step.assign(4)
    return {name: rate() for name, rate in rates.items()}


globals().update(
    {
        **{f"prog_{name}": in_session(_steps(make, False)) for name, make in _OPTIMIZERS.items()},
        **{f"prog_sparse_{name}": in_session(_steps(make, True)) for name, make in _OPTIMIZERS.items()},
        **{
            f"prog_operations_of_{name}": in_session(_operations(make))
            for name, make in _OPTIMIZERS.items()
            if name != "adagrad_da"
        },
        **{
            f"prog_eager_{name}": eagerly(_eager_steps(make))
            for name, make in _OPTIMIZERS.items()
            if name != "adagrad_da"
        },
        **{f"prog_rate_{name}": in_session(_rate(make)) for name, make in _RATES.items()},
        "prog_eager_rates": eagerly(_eager_rates),
        "prog_refused": in_session(_refused),
        "prog_names_of_adams": in_session(_names_of_adams),
        "prog_two_variables": in_session(_two_variables),
        "prog_changed_gradients": in_session(_changed_gradients),
        "prog_gates": in_session(_gates),
        "prog_constraints": in_session(_constraints),
        "prog_dtypes": in_session(_dtypes),
        "prog_fed_rate": in_session(_fed_rate),
        "prog_function_rate": in_session(_function_rate),
        "prog_rate_of_the_step": in_session(_rate_of_the_step),
        "prog_own_optimizer": in_session(_own_optimizer),
        "prog_global_steps": in_session(_global_steps),
        "prog_averages": in_session(_averages),
        "prog_counted_averages": in_session(_counted_averages),
        "prog_average_of_a_tensor": in_session(_average_of_a_tensor),
        "prog_embedding": in_session(_embedding),
        "prog_function_in_eager_mode": eagerly(_function_in_eager_mode),
    }
)
