"""`tf.compat.v1.distributions`: statistics, probabilities, samples by seeds, divergences, errors."""

from __future__ import annotations

from tests.oracle.support import attempt

STATISTICS = ("mean", "mode", "stddev", "variance", "entropy", "covariance", "batch_shape_tensor", "event_shape_tensor")
PROBABILITIES = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival_function")


def _all(tf, distribution, values, seed=3):
    """What a distribution says of itself, of values, and samples."""
    found = {name: attempt(getattr(distribution, name), words=3) for name in STATISTICS}
    for name in PROBABILITIES:
        found[name] = attempt(lambda name=name: getattr(distribution, name)(values), words=3)
    tf.random.set_seed(5)
    found["samples"] = [distribution.sample(seed=seed), distribution.sample([2, 3], seed=seed)]
    found["shapes"] = [distribution.batch_shape, distribution.event_shape, distribution.dtype]
    found["kind"] = str(distribution.reparameterization_type)
    return found


def prog_normal(tf, np):
    """Broadcasting parameters, float64, far tails."""
    d = tf.compat.v1.distributions
    far = d.Normal(np.float64(0.0), np.float64(1.0))
    return [
        _all(tf, d.Normal([0.0, 1.0], 2.0), [0.5, -1.5]),
        _all(tf, d.Normal(np.zeros([2, 1]), np.ones([3])), 0.25),
        far.log_cdf(np.array([-40.0, -21.0, -15.0, -1.0, 3.0, 9.0])),
        far.log_survival_function(np.array([-9.0, 0.0, 15.0, 40.0])),
        d.Normal(0.0, 1.0).log_cdf([-40.0, -11.0, -3.0, 0.5, 7.0]),
        d.Normal([0.0, 1.0], 2.0).quantile([0.1, 0.9]),
    ]


def prog_uniform(tf, np):
    """Inside, outside, at the bounds."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Uniform([0.0, 1.0], 3.0), [0.5, 0.5]),
        _all(tf, d.Uniform(), [[0.0], [1.0], [-1.0], [2.0]]),
        d.Uniform([0.0, 1.0], 3.0).range(),
        d.Uniform(1.0, 2.0).prob([1.0, 2.0, float("nan")]),
    ]


def prog_laplace(tf, np):
    """Both sides."""
    d = tf.compat.v1.distributions
    return [_all(tf, d.Laplace([0.0, 1.0], 2.0), [0.5, -1.5]), d.Laplace(0.0, 1.0).log_cdf([-90.0, 90.0])]


def prog_student_t(tf, np):
    """Few and many degrees of freedom."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.StudentT([3.0, 1.5, 0.5], [0.0, 1.0, 2.0], 2.0), [0.5, -1.5, 2.0]),
        _all(tf, d.StudentT(4.0, [0.0, 1.0], [1.0, 2.0]), [0.5, -1.5]),
        attempt(lambda: d.StudentT(0.5, 0.0, 1.0, allow_nan_stats=False).mean(), words=0),
    ]


def prog_gamma(tf, np):
    """Modes that are not defined."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Gamma([1.0, 2.0], 3.0), [0.5, 1.5]),
        _all(tf, d.Gamma(np.float64(2.5), np.array([1.0, 2.0])), 0.25),
        attempt(lambda: d.Gamma(0.5, 1.0, allow_nan_stats=False).mode(), words=0),
    ]


def prog_exponential(tf, np):
    """A gamma distribution with one parameter."""
    d = tf.compat.v1.distributions
    exponential = d.Exponential([1.0, 2.0])
    return [_all(tf, exponential, [0.5, 1.5]), exponential.concentration, isinstance(exponential, d.Gamma)]


def prog_beta(tf, np):
    """Means and modes."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Beta([1.0, 2.0], 3.0), [0.25, 0.5]),
        _all(tf, d.Beta(2.0, 5.0), 0.25),
        attempt(lambda: d.Beta(), words=3),
        d.Beta([1.0, 2.0], 3.0).total_concentration,
        attempt(lambda: d.Beta(0.5, 1.0, allow_nan_stats=False).mode(), words=0),
    ]


def prog_dirichlet(tf, np):
    """One distribution and a batch."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Dirichlet([1.0, 2.0, 3.0]), [0.2, 0.3, 0.5]),
        _all(tf, d.Dirichlet([[2.0, 3.0], [4.0, 1.5]]), [[0.25, 0.75], [0.5, 0.5]]),
        d.Dirichlet([[2.0, 3.0], [4.0, 1.5]]).total_concentration,
    ]


def prog_bernoulli(tf, np):
    """Logits or probabilities."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Bernoulli(logits=[0.0, 1.0]), [1, 0]),
        _all(tf, d.Bernoulli(probs=[0.2, 0.7], dtype=tf.float32), [1.0, 0.0]),
        [d.Bernoulli(logits=[0.0, 1.0]).probs, d.Bernoulli(probs=[0.2, 0.7]).logits],
        attempt(lambda: d.Bernoulli()),
        attempt(lambda: d.Bernoulli(logits=[0.0], probs=[0.5])),
    ]


def prog_categorical(tf, np):
    """One distribution and a batch."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Categorical(logits=[0.0, 1.0, 2.0]), [0, 1, 2]),
        _all(tf, d.Categorical(probs=[[0.2, 0.8], [0.5, 0.5]]), [0, 1]),
        _all(tf, d.Categorical(probs=[0.2, 0.8], dtype=tf.int64), 1),
        d.Categorical(logits=[0.0, 1.0, 2.0]).event_size,
    ]


def prog_multinomial(tf, np):
    """Counts of classes."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.Multinomial(4.0, probs=[0.2, 0.3, 0.5]), [1.0, 1.0, 2.0]),
        _all(tf, d.Multinomial(3.0, logits=[0.0, 1.0]), [1.0, 2.0]),
        d.Multinomial(4.0, probs=[[0.2, 0.8], [0.5, 0.5]]).mean(),
    ]


def prog_dirichlet_multinomial(tf, np):
    """Counts of classes with probabilities that are drawn."""
    d = tf.compat.v1.distributions
    return [
        _all(tf, d.DirichletMultinomial(4.0, [1.0, 2.0, 3.0]), [1.0, 1.0, 2.0]),
        d.DirichletMultinomial(4.0, [1.0, 2.0, 3.0]).total_concentration,
        d.DirichletMultinomial(3.0, [[1.0, 2.0], [3.0, 1.0]]).prob([1.0, 2.0]),
    ]


def prog_divergences(tf, np):
    """Registered pairs."""
    d = tf.compat.v1.distributions
    pairs = [
        (d.Normal(0.0, [1.0, 2.0]), d.Normal(1.0, 3.0)),
        (d.Bernoulli(probs=[0.2, 0.7]), d.Bernoulli(logits=[0.5, -0.5])),
        (d.Categorical(probs=[0.2, 0.8]), d.Categorical(logits=[0.5, -0.5])),
        (d.Beta(2.0, 3.0), d.Beta([1.0, 2.0], 1.5)),
        (d.Gamma(2.0, 3.0), d.Gamma([1.0, 2.0], 1.5)),
        (d.Exponential(2.0), d.Gamma([1.0, 2.0], 1.5)),
        (d.Dirichlet([2.0, 3.0]), d.Dirichlet([[1.0, 1.0], [0.5, 4.0]])),
    ]
    return [[d.kl_divergence(a, b), a.kl_divergence(b), attempt(lambda a=a, b=b: a.cross_entropy(b))] for a, b in pairs]


def prog_divergences_that_nobody_knows(tf, np):
    """Pairs that are not registered; registering."""
    d = tf.compat.v1.distributions

    class Mine(d.Normal):
        pass

    found = [
        attempt(lambda: d.kl_divergence(d.Normal(0.0, 1.0), d.Gamma(1.0, 1.0))),
        attempt(lambda: d.kl_divergence(d.Laplace(0.0, 1.0), d.Laplace(0.0, 1.0))),
        d.kl_divergence(Mine(0.0, 1.0), d.Normal(1.0, 1.0)),
        attempt(lambda: d.RegisterKL(Mine, Mine)(3)),
    ]
    d.RegisterKL(Mine, Mine)(lambda a, b, name=None: tf.constant(7.0))
    found.append(d.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0)))
    found.append(d.kl_divergence(Mine(0.0, 1.0), d.Normal(0.0, 1.0)))
    return [*found, attempt(lambda: d.RegisterKL(Mine, Mine)(lambda a, b, name=None: 0), words=6)]


def prog_validated_arguments(tf, np):
    """Parameters that no distribution has."""
    d = tf.compat.v1.distributions
    return [
        attempt(lambda: d.Normal(0.0, -1.0, validate_args=True), words=0),
        attempt(lambda: d.Gamma(-1.0, 1.0, validate_args=True), words=0),
        attempt(lambda: d.Uniform(2.0, 1.0, validate_args=True), words=0),
        attempt(lambda: d.Laplace(0.0, 0.0, validate_args=True), words=0),
        d.Normal(0.0, 1.0, validate_args=True).mean(),
        d.Uniform(0.0, 1.0, True).mean(),
    ]


def prog_parameters_and_copies(tf, np):
    """Arguments, copies, shapes of parameters, text."""
    d = tf.compat.v1.distributions
    normal = d.Normal([0.0, 1.0], 2.0)
    return [
        normal.parameters,
        normal.copy(loc=3.0).mean(),
        normal.copy(scale=[1.0, 2.0]).stddev(),
        [normal.allow_nan_stats, normal.validate_args, normal.name],
        [str(normal), repr(normal), str(d.Dirichlet([1.0, 2.0]))],
        d.Normal.param_static_shapes([2, 3]),
        d.Gamma.param_static_shapes([2]),
        [normal.is_scalar_event(), normal.is_scalar_batch(), d.Normal(0.0, 1.0).is_scalar_batch()],
        str(d.FULLY_REPARAMETERIZED),
        repr(d.NOT_REPARAMETERIZED),
    ]


def prog_in_a_graph(tf, np):
    """Names, static shapes, gradients."""
    v1 = tf.compat.v1
    d = v1.distributions
    with tf.Graph().as_default(), v1.Session() as session:
        loc = v1.placeholder(tf.float32, [None])
        normal, gamma = d.Normal(loc, 2.0, name="mine"), d.Gamma([1.0, 2.0], 3.0)
        sample = normal.sample([4], seed=3)
        slopes = v1.gradients(tf.reduce_sum(normal.log_prob(1.0)), loc)
        values = session.run([slopes, normal.entropy(), normal.batch_shape_tensor()], {loc: [0.0, 1.0]})
        return [values, sample.shape, normal.batch_shape, gamma.batch_shape, gamma.sample(2).shape]


def prog_unimplemented(tf, np):
    """The class itself, and what a class does not say."""
    d = tf.compat.v1.distributions
    base = d.Distribution(tf.float32, d.FULLY_REPARAMETERIZED, False, True)
    found = [attempt(getattr(base, name)) for name in ("mean", "mode", "entropy", "variance", "stddev")]
    found += [attempt(lambda name=name: getattr(base, name)(1.0)) for name in PROBABILITIES]
    return [*found, attempt(base.sample, words=0), attempt(lambda: d.Bernoulli(probs=0.5).quantile(0.5))]
