"""Functions that a generator wrote: ops and control flow composed as nobody would, differentiated twice.

They are programs of `tests/autodiff/random_functions.py`, kept as text so that TensorFlow's answers can be recorded.
"""

# ruff: noqa: F841, RET504  (what nobody uses is part of the programs)

from __future__ import annotations

from tests.oracle.modes import derivatives


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_01(tf, np):
    def f(x0, n):
        t0 = tf.reshape(
            tf.reshape(tf.reduce_sum(tf.einsum("...ij,...kj->...ik", x0, x0), axis=0) * 0.5, [-1])[:2], [1, 1, 2]
        )
        for i1 in tf.range(n):
            if tf.logical_not(tf.reduce_sum(t0) > -0.02457):
                break
            t0 = t0
        t2 = tf.expand_dims(t0, -3)

        def f3(a):
            return tf.reshape(tf.reshape(tf.math.unsorted_segment_sum(t0, [0], 3), [-1])[:2], [2])

        t4 = tf.function(f3)(tf.reshape(x0, [2, 3, 3]))

        def f5():
            t6 = tf.where(t4 > 0.2311, t4, 0.3)

            def f7(c0, e0):
                t8 = tf.math.softplus(e0) - tf.math.log_sigmoid(e0)
                t9 = tf.reshape(tf.reshape(tf.nn.softsign(c0 - 0.0417), [-1])[:1], [1, 1])
                return tf.reshape(
                    tf.reshape(
                        tf.einsum(
                            "...i,ij->...j",
                            e0,
                            tf.broadcast_to(
                                tf.linalg.inv(
                                    tf.matmul(t9, t9, transpose_b=True) + 2.0 * tf.eye(1, dtype=tf.float64)
                                ),
                                [2, 3],
                            ),
                        ),
                        [-1],
                    )[:2],
                    [2],
                )

            t10 = tf.foldl(f7, tf.broadcast_to(t6, [2, 2]), tf.reshape(tf.square(t2), [2]))
            return tf.reshape(tf.reshape(t4, [-1])[:1], [])

        def f11():
            return tf.reshape(tf.reshape(t2, [-1])[:1], [])

        t12 = tf.cond(tf.reduce_sum(t0) > 0.10223, f5, f11)
        return (t12, t0)

    return f, [
        tf.constant(
            [
                [[-0.07319, 0.96201], [0.10191, -0.96719], [-0.94769, 0.34231]],
                [[0.59411, -0.08479], [0.81581, 0.72771], [0.05401, -0.97589]],
                [[-0.07099, 0.72741], [0.03721, -0.10109], [-1.14479, -0.01989]],
            ],
            tf.float64,
        ),
        tf.constant(2),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_02(tf, np):
    def f(x0, x1, x2, n):
        t0 = tf.broadcast_to(x1, [2, 3, 3])
        for e1 in tf.broadcast_to(tf.math.asin(0.8 * tf.sin(x0 + 0.1)), [3, 3, 3]):
            if n > 2:
                break
            t2 = tf.reshape(tf.reshape(tf.reduce_sum(tf.tile(t0, [2, 1, 1]), axis=0) * 0.5, [-1])[:4], [2, 2])
            t3 = (
                tf.linalg.eigvalsh(
                    (tf.matmul(t2, t2, transpose_b=True) + 2.0 * tf.eye(2, dtype=tf.float64))
                    + tf.linalg.diag(tf.constant([0.0, 1.5], tf.float64))
                )[:, None]
                * t2
            )
            t0 = tf.broadcast_to(tf.split(e1, 3, axis=0)[2], [2, 3, 3])
        t4 = x2 - x2
        t5 = tf.math.squared_difference(x2, tf.reshape(tf.reshape(t0, [-1])[:6], [2, 3]))

        def f6(i, s0, r0):
            t7 = tf.reshape(tf.reshape(tf.reshape(t0, [18]), [-1])[:1], [1, 1])
            t8 = tf.math.real(
                tf.linalg.matmul(
                    tf.complex(t7, (tf.matmul(t7, t7, transpose_b=True) + 2.0 * tf.eye(1, dtype=tf.float64))),
                    tf.complex((tf.matmul(t7, t7, transpose_b=True) + 2.0 * tf.eye(1, dtype=tf.float64)), t7),
                    adjoint_a=True,
                )
            )
            return i + 1, x1, tf.reshape(tf.reshape(tf.pad(x2, [[0, 1], [1, 0]], "REFLECT"), [-1])[:2], [1, 1, 2])

        t9 = tf.while_loop(
            lambda i, s0, r0: tf.logical_and(i < 3, tf.reduce_sum(s0) < 1.3077),
            f6,
            (
                tf.constant(0),
                x1,
                tf.reshape(tf.reshape(tf.math.unsorted_segment_sum(t4, [0, 0], 3), [-1])[:2], [1, 1, 2]),
            ),
            maximum_iterations=3,
        )
        t10 = t9[1]
        t11 = t9[2]
        return (t11, t4, t10)

    return f, [
        tf.constant([[0.90631, 1.01731, 1.03281]], tf.float64),
        tf.constant(-1.19199, tf.float64),
        tf.constant([[0.07451, 0.69061, -0.96939], [-0.12359, 0.30451, 0.26911]], tf.float64),
        tf.constant(1),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_03(tf, np):
    def f(x0, n):
        t0 = tf.repeat(x0, 2, axis=0)
        t1 = tf.reshape(tf.reshape(tf.reduce_sum(tf.concat([x0, t0], axis=0), axis=0) * 0.5, [-1])[:1], [1])
        for i2 in tf.range(3):
            t1 = t1
        t3 = tf.matmul(
            t0, tf.fill([3, 6], tf.reduce_sum(tf.gather(t0, [3, 5], axis=0))), transpose_a=True, transpose_b=True
        )
        t4 = tf.einsum("...i,ij->...j", t1, tf.broadcast_to(t1, [1, 3]))
        t5 = t3[:, ::2]
        t6 = tf.floor(t5 + 0.0533) + t5
        t7 = tf.gather_nd(t6, [[2]])
        t8 = tf.fill([3, 2], tf.reduce_sum(tf.gather_nd(t7, [[0], [0]])))
        for i9 in tf.range(3):
            if tf.reduce_sum(tf.sin(t6)) < -0.34157:
                continue

            def f10(e1):
                return tf.fill([1, 3], tf.reduce_sum(t7))

            t11 = tf.map_fn(f10, tf.reshape(tf.reshape(t6, [-1])[:2], [1, 2]), fn_output_signature=tf.float64)
            t8 = tf.broadcast_to(t7, [3, 2])
        t12 = tf.reshape(t7, [2])
        return (t12, t1)

    return f, [
        tf.constant(
            [[-0.94299, -0.33819, -0.04209], [-0.24049, -0.19359, -0.63669], [-0.59539, -1.14679, 0.38711]], tf.float64
        ),
        tf.constant(2),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_04(tf, np):
    def f(x0, n):
        t0 = tf.split(x0, 1, axis=0)[0]

        def f1(c0, e0):
            t2 = tf.math.xlogy(e0, t0 * t0 + 0.6)
            return tf.fill(
                [2, 3], tf.reduce_sum(tf.einsum("...i,ij->...j", t0, tf.broadcast_to(t2 / (2.0 + t2 * t2), [1, 2])))
            )

        t3 = tf.foldl(f1, tf.broadcast_to(t0, [2]), tf.broadcast_to(t0, [2, 3]))
        t4 = tf.fill([3, 3], tf.reduce_sum(tf.math.reduce_euclidean_norm(t3 + 0.2, axis=1)))
        t5 = tf.einsum(
            "...i,ij->...j",
            t0,
            tf.reshape(
                tf.reshape(
                    tf.math.real(
                        tf.linalg.inv(
                            tf.complex((tf.matmul(t4, t4, transpose_b=True) + 2.0 * tf.eye(3, dtype=tf.float64)), t4)
                        )
                    ),
                    [-1],
                )[:1],
                [1, 1],
            ),
        )
        t6 = tf.squeeze(t0, [0])
        return t6

    return f, [tf.constant([0.51731], tf.float64), tf.constant(3)]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_05(tf, np):
    def f(x0, x1, n):
        t0 = tf.minimum(x1, x0 + 0.0137)
        t1 = tf.repeat(t0, 2, axis=0)
        t2 = tf.split(tf.concat([x0, t0], 1), [3, 3], 1)[1]

        def f3(a):
            def f4(a):
                t5 = tf.reshape(tf.reshape(tf.add_n([a, a, a]), [-1])[:1], [1])
                k6 = tf.constant(0)
                while k6 < 3:
                    k6 += 1
                    t7 = tf.math.squared_difference(t2, tf.reshape(tf.reshape(t1, [-1])[:12], [2, 3, 2]))
                    t5 = t5
                return tf.reshape(tf.reshape(t2, [-1])[:9], [3, 3])

            t8 = tf.function(f4)(tf.reshape(tf.reshape(t1 * 0.5, [-1])[:9], [3, 3, 1]))
            return tf.reshape(tf.reshape(tf.math.log1p(t2 * t2), [-1])[:2], [2])

        t9 = tf.function(f3)(
            tf.reshape(tf.reshape(tf.minimum(t1, tf.fill([4, 3, 2], tf.reduce_sum(t0)) + 0.0137), [-1])[:1], [1, 1])
        )
        return t9

    return f, [
        tf.constant(
            [
                [[0.95401, 0.04761], [1.05841, -0.32779], [-0.04529, 0.91521]],
                [[0.85241, -0.05539], [1.06141, -0.41279], [0.03211, 1.05751]],
            ],
            tf.float64,
        ),
        tf.constant([[0.20661]], tf.float64),
        tf.constant(1),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_06(tf, np):
    def f(x0, x1, x2, n):
        t0 = tf.fill([3, 2, 1], tf.reduce_sum(x1))
        for e1 in tf.reshape(tf.reshape(x2, [-1])[:3], [1, 3]):
            t0 = t0
            if tf.reduce_sum(x1) > -0.34157 or n > 3:
                break
            t0 = t0

        def f2():
            return tf.reshape(tf.reshape(x0, [-1])[:2], [2, 1])

        def f3():
            def f4(a):
                return tf.reshape(t0, [2, 3])

            t5 = tf.function(f4)(tf.reshape(tf.reshape(x2, [-1])[:2], [2]))
            return tf.reshape(tf.reshape(x2, [-1])[:2], [2, 1])

        def f6():
            t7 = tf.math.xlogy(t0 * t0, t0 * t0 + 0.5)
            t8 = tf.identity_n([x2, x2])[1]
            return tf.reshape(tf.reshape(t8, [-1])[:2], [2, 1])

        t9 = tf.switch_case(n % 3, [f2, f3, f6])
        return t9

    return f, [
        tf.constant([-0.60169, -0.82119, 0.21631], tf.float64),
        tf.constant([[-0.95069, -1.03979], [-1.12199, -0.48679]], tf.float64),
        tf.constant(
            [[0.23271, 0.08161, 0.74061], [-0.95619, 0.25111, 1.19011], [-1.05409, -0.50739, 0.79661]], tf.float64
        ),
        tf.constant(3),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_07(tf, np):
    @tf.function
    def helper0(a):
        def f1(e0):
            def f2():
                return tf.reshape(tf.reshape(tf.math.unsorted_segment_sum(e0, [0], 3), [-1])[:2], [2])

            def f3():
                return tf.reshape(tf.reshape(a, [-1])[:2], [2])

            t4 = tf.cond(tf.reduce_any(a > 0.38753), f2, f3)
            return tf.reshape(tf.reshape(tf.repeat(a, 2, axis=1), [-1])[:6], [3, 2])

        t5 = tf.map_fn(
            f1, tf.reshape(tf.reshape(tf.math.zeta(tf.cast(2.3, tf.float64), a * a + 0.7), [-1])[:2], [2, 1])
        )
        t6 = t5[..., tf.newaxis, 1:]
        if tf.reduce_sum(t5) > 0.70453:
            return tf.reshape(tf.reshape(tf.reduce_prod(t5 + 0.5, axis=-3), [-1])[:2], [1, 2])
        return tf.reshape(tf.reshape(a, [-1])[:2], [1, 2])

    def f(x0, x1, n):
        t7 = tf.expand_dims(x0, -2)

        def f8():
            return tf.fill([2, 3, 3], tf.reduce_sum(tf.math.real(tf.complex(x0 + 0.0 * x0, x0 + 0.0 * x0) ** 2)))

        def f9():
            t10 = tf.expand_dims(x1, -2)
            return tf.fill([2, 3, 3], tf.reduce_sum(tf.reduce_sum(t7 / (2.0 + x1 * x1), axis=0) * 0.5))

        t11 = tf.cond(tf.reduce_sum(t7) > 0.83133, f8, f9)
        return t11

    return f, [
        tf.constant([[[-0.31519], [0.97511]], [[-0.55629], [0.95061]], [[-0.94329], [-0.26689]]], tf.float64),
        tf.constant([[0.78261, 0.49961, -1.17129], [0.78891, -0.66669, 0.94821]], tf.float64),
        tf.constant(0),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_08(tf, np):
    def f(x0, x1, x2, n):
        t0 = x2[:, ::2]
        t1 = tf.nn.softmax(t0, axis=-2)
        t2 = tf.math.acosh(x2 * x2 + 1.3)
        t3 = tf.reshape(tf.reshape(x0, [-1])[:4], [2, 2])
        t4 = tf.linalg.pinv(
            (tf.matmul(t3, t3, transpose_b=True) + 2.0 * tf.eye(2, dtype=tf.float64))
            + tf.linalg.diag(tf.constant([0.0, 1.5], tf.float64))
        )
        t5 = tf.reshape(t2, [3])
        t6 = tf.cast(tf.cast(t3, tf.float32), tf.float64)

        def f7():
            t8 = tf.gather(t5, [1, 0, 1, 0], axis=0)
            t9 = tf.math.real(tf.cast(t5, tf.complex128) * 1j + tf.math.tanh(tf.complex(t5, 0.3 * t5)))
            return tf.reshape(
                tf.reshape(tf.math.multiply_no_nan(t4, tf.fill([2, 2], tf.reduce_sum(t9))), [-1])[:1], [1]
            )

        def f10():
            def f11(i, s0):
                return i + 1, t4

            t12 = tf.while_loop(lambda i, s0: i < n, f11, (tf.constant(0), t4), maximum_iterations=3)
            t13 = t12[1]
            return tf.reshape(tf.reshape(tf.math.real(tf.sqrt(tf.complex(t5 * t5 + 0.5, t5))), [-1])[:1], [1])

        t14 = tf.cond(tf.reduce_sum(t6) > -0.81707, f7, f10)
        return (t14, t0, t2)

    return f, [
        tf.constant([[0.16961, -0.85079, 0.43751], [-1.07249, -0.22299, 0.41011]], tf.float64),
        tf.constant([[[0.32871, -0.86489]], [[0.39851, 0.39661]], [[-0.28449, 0.67491]]], tf.float64),
        tf.constant([[0.39681, 0.84791, 0.32361]], tf.float64),
        tf.constant(2),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_09(tf, np):
    @tf.custom_gradient
    def helper0(a):
        def compute(a):
            t1 = a[..., tf.newaxis, 1:]
            return tf.reshape(tf.reshape(tf.math.l2_normalize(a + 0.3, axis=0), [-1])[:1], [])

        def grad(dy):
            with tf.GradientTape() as tape:
                tape.watch([a])
                y = compute(a)
            return tape.gradient(y, [a], dy, unconnected_gradients="zero")

        return compute(a), grad

    def f(x0, x1, x2, n):
        def f2(c0, e0):
            t3 = tf.cumsum(x0, axis=-1, reverse=True)

            def f4(i, s1):
                return i + 1, s1

            t5 = tf.while_loop(lambda i, s1: i < 3, f4, (tf.constant(0), x2))
            t6 = t5[1]
            return c0

        t7 = tf.scan(
            f2,
            tf.reshape(tf.reshape(x0, [-1])[:2], [2]),
            tf.reshape(tf.reshape(tf.math.multiply_no_nan(x2, x0), [-1])[:2], [1, 2]),
            reverse=True,
        )
        return t7

    return f, [
        tf.constant(
            [
                [[0.66201], [0.04481], [-0.17299]],
                [[0.15951], [-1.04759], [-0.36309]],
                [[-0.50709], [0.64181], [0.30781]],
            ],
            tf.float64,
        ),
        tf.constant([[-1.14299, 0.92851, 0.00371], [0.94821, -1.16779, -0.23549]], tf.float64),
        tf.constant([-0.32259], tf.float64),
        tf.constant(3),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_10(tf, np):
    def f(x0, x1, x2, n):
        t0 = tf.math.divide_no_nan(x1, x2 * x2 + 1.0)
        t1 = tf.stack([x2, x2], axis=-2)
        t2 = x2
        t3 = tf.linalg.trace(t2) * t2
        t4 = tf.reduce_sum(x2)
        t5 = tf.reshape(tf.reshape(tf.minimum(t2, 0.1213), [-1])[:2], [2])
        for e6 in tf.reshape(tf.reshape(t3, [-1])[:2], [2]):
            if tf.reduce_any(t5 > 0.41923):
                break
            t5 = tf.broadcast_to(tf.tanh(x0), [2])

        def f7(c0, e0):
            t8 = t5 - e0
            t9 = tf.reshape(tf.reshape(tf.gather(e0, tf.range(tf.shape(e0)[0])[::-1], axis=0), [-1])[:1], [1, 1])
            k10 = tf.constant(0)
            while k10 < 3:
                k10 += 1
                t11 = tf.reshape(tf.reshape(t2, [-1])[:6], [2, 3])
                if k10 > 2:
                    t12 = tf.clip_by_global_norm([t8, e0], 1.3)[0][0]
                    t11 = tf.reshape(tf.split(t1, 3, axis=0)[0], [2, 3])
                t9 = tf.reshape(tf.reshape(tf.stack([t8, t8], axis=-2), [-1])[:1], [1, 1])
            return tf.broadcast_to(tf.gather_nd(t8, [[0]]), [1, 2, 1])

        t13 = tf.foldr(
            f7,
            tf.reshape(
                tf.reshape(tf.math.real(tf.math.conj(tf.complex(t3, 1.0 - t3)) / tf.complex(t3 * t3 + 1.0, t3)), [-1])[
                    :4
                ],
                [2, 2],
            ),
            tf.reshape(tf.reshape(t3, [-1])[:2], [1, 2, 1]),
        )
        t14 = tf.math.unsorted_segment_sum(t13, [0], 3)
        return (t14, t0)

    return f, [
        tf.constant(0.50711, tf.float64),
        tf.constant([[[0.58581], [0.10081], [1.14921]], [[0.38251], [0.26481], [0.86911]]], tf.float64),
        tf.constant(
            [[-0.78089, -0.33079, -0.47279], [0.20801, -0.52959, -0.34079], [-0.70019, 0.86401, 0.69871]], tf.float64
        ),
        tf.constant(0),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_11(tf, np):
    def helper0(a, b):
        t1 = tf.fill([3, 1], tf.reduce_sum(tf.stack([a, tf.reshape(b, [])])))
        k2 = tf.constant(0)
        while k2 < 3 and tf.reduce_sum(t1) < 1.3077:
            k2 += 1
            if tf.reduce_any(a > -0.75367):
                break
            t1 = t1
        t3 = tf.fill([3, 2], a)
        return tf.reshape(tf.reshape(t1, [-1])[:2], [2, 1, 1])

    @tf.function
    def helper4(a, b):
        t5 = tf.math.unsorted_segment_sum(a, [1, 1, 0], 3)
        t6 = helper0(
            tf.reshape(tf.reshape(b[:, ::2], [-1])[:1], []),
            tf.reshape(tf.reshape(tf.concat([t5, a], axis=2), [-1])[:1], [1, 1]),
        )
        if tf.reduce_sum(tf.sin(t5)) < -0.62687:
            return tf.fill([3, 3, 2], tf.reduce_sum(tf.cumsum(b, axis=-1)))
        return tf.fill([3, 3, 2], tf.reduce_sum(tf.concat([t6, t6], axis=1)))

    def f(x0, x1, n):
        t7 = helper0(
            tf.reshape(tf.reshape(x0, [-1])[:1], []),
            tf.reshape(tf.reshape(tf.math.real(tf.complex(x0 + 0.0 * x1, x1 + 0.0 * x0) ** 2), [-1])[:1], [1, 1]),
        )
        return t7

    return f, [
        tf.constant([[[0.22361, -0.52399]], [[0.05751, 1.04301]], [[-0.99449, 1.17181]]], tf.float64),
        tf.constant([[[1.11941, 0.80301]]], tf.float64),
        tf.constant(1),
    ]


@derivatives(2, autograph=True, rtol=1e-5, atol=1e-7)
def program_12(tf, np):
    def f(x0, x1, x2, n):
        t0 = tf.repeat(x0, 2, axis=0)
        t1 = tf.repeat(t0, 2, axis=0)
        t2 = tf.floor(t1 + 0.0533) + t1

        def f3():
            return tf.reshape(tf.reshape(tf.repeat(t0, 2, axis=0), [-1])[:6], [3, 2])

        def f4():
            return tf.fill([3, 2], tf.reduce_sum(t0))

        def f5():
            return tf.reshape(tf.reshape(t2, [-1])[:6], [3, 2])

        t6 = tf.case([(n > 0, f3), (n > 1, f4)], default=f5)
        t7 = t6 * t6
        t8 = tf.reshape(x2, [4])

        def f9(a):
            def f10(c0, e0):
                return tf.stop_gradient(c0)

            t11 = tf.scan(
                f10,
                x0,
                tf.broadcast_to(
                    tf.tensordot(
                        t8,
                        tf.reshape(tf.reshape(tf.reduce_sum(tf.sort(a, axis=-3), axis=0) * 0.5, [-1])[:4], [4, 1]),
                        [[0], [0]],
                    ),
                    [3, 1],
                ),
            )
            return tf.broadcast_to(tf.reduce_sum(x0), [1, 2])

        t12 = tf.function(f9)(tf.fill([3, 3, 3], tf.reduce_sum(tf.identity(t7))))
        return (t12, t6, t7)

    return f, [
        tf.constant([0.18521, 0.91071], tf.float64),
        tf.constant([[0.87611]], tf.float64),
        tf.constant([[-0.37259, 0.09931], [0.20681, 0.47471]], tf.float64),
        tf.constant(0),
    ]
