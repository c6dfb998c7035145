"""The curvature of the digits classifier's loss: Hessian-vector products by three methods that agree.

The loss of the network of `digits.py` has a Hessian of 9,610 x 9,610 numbers. Its product with a vector costs little
more than a gradient, and there are three methods: an accumulator around a tape (forward over reverse), a tape around
an accumulator (reverse over forward), and a tape around a tape (double reverse). With such products alone the power
method finds the largest eigenvalue of the Hessian, which bounds the step that gradient descent may take.

    $ python -m millrace run examples/hessian_vector_products.py
"""

import time

import tensorflow as tf
from digits import Classifier, load_data

ITERATIONS = 20


def loss_of(model, images, labels):
    scores = model(images)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))


def forward_over_reverse(model, images, labels, vectors):
    variables = list(model.trainable_variables)
    with tf.autodiff.ForwardAccumulator(variables, vectors) as accumulator:
        with tf.GradientTape() as tape:
            loss = loss_of(model, images, labels)
        gradients = tape.gradient(loss, variables)
    return accumulator.jvp(gradients)


def reverse_over_forward(model, images, labels, vectors):
    variables = list(model.trainable_variables)
    with tf.GradientTape() as tape:
        with tf.autodiff.ForwardAccumulator(variables, vectors) as accumulator:
            loss = loss_of(model, images, labels)
        slope = accumulator.jvp(loss)
    return tape.gradient(slope, variables)


def double_reverse(model, images, labels, vectors):
    variables = list(model.trainable_variables)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of(model, images, labels)
        gradients = inner.gradient(loss, variables)
        slope = tf.add_n([tf.reduce_sum(g * v) for g, v in zip(gradients, vectors)])
    return outer.gradient(slope, variables)


METHODS = (forward_over_reverse, reverse_over_forward, double_reverse)


def inner_product(a, b):
    return tf.add_n([tf.reduce_sum(x * y) for x, y in zip(a, b)])


def random_direction(variables):
    vectors = [tf.random.stateless_normal(v.shape, seed=[3, i]) for i, v in enumerate(variables)]
    length = tf.sqrt(inner_product(vectors, vectors))
    return [v / length for v in vectors]


def largest_eigenvalue(product, vectors):
    """The power method: the vector turns towards the direction of the strongest curvature."""
    eigenvalue = 0.0
    for _ in range(ITERATIONS):
        products = product(vectors)
        eigenvalue = inner_product(vectors, products)
        length = tf.sqrt(inner_product(products, products))
        vectors = [p / length for p in products]
    return float(eigenvalue)


def main():
    (images, labels), _ = load_data()
    model = Classifier()
    start = random_direction(model.trainable_variables)
    curvatures = {}
    for method in METHODS:
        for kind, function in (("eager", method), ("graph", tf.function(method))):

            def product(vectors, function=function):
                return function(model, images, labels, vectors)

            product(start)  # traces the graph
            began = time.perf_counter()
            curvature = float(inner_product(start, product(start)))
            milliseconds = 1e3 * (time.perf_counter() - began)
            curvatures[method.__name__, kind] = curvature
            print(f"{method.__name__:20} {kind}  v'Hv = {curvature:.6f}  {milliseconds:6.1f} ms")
    difference = max(curvatures.values()) - min(curvatures.values())
    print(f"\nlargest difference: {difference:.1e}")
    product = tf.function(forward_over_reverse)
    print(f"largest eigenvalue: {largest_eigenvalue(lambda v: product(model, images, labels, v), start):.3f}")


if __name__ == "__main__":
    main()
