"""Predicts clicks from categories: sparse features, crosses of features, and bags of tags as sums of embeddings.

Whether a page is clicked depends on the *pair* of country and device, and on its tags. A linear model of single
categories cannot know pairs. `tf.sparse.cross_hashed` makes a category of each pair, and
`tf.nn.safe_embedding_lookup_sparse` sums the weights of the tags that a page has, which may be none.

    $ python -m millrace run examples/sparse_features.py
"""

import numpy as np
import tensorflow as tf

COUNTRIES, DEVICES, TAGS = ["at", "dk", "jp", "pe"], ["phone", "tablet", "desk"], 12
ROWS, BUCKETS, STEPS, RATE = 2000, 64, 60, 0.5


def pages(rows, seed=5):
    """Draws countries, devices, bags of tags as a sparse tensor, and clicks."""
    rng = np.random.RandomState(seed)
    country, device = rng.randint(len(COUNTRIES), size=rows), rng.randint(len(DEVICES), size=rows)
    tags = rng.rand(rows, TAGS) < 0.15
    pair_effect, tag_effect = rng.normal(size=[len(COUNTRIES), len(DEVICES)]) * 2.0, rng.normal(size=TAGS)
    logits = pair_effect[country, device] + tags @ tag_effect
    clicks = (rng.rand(rows) < 1 / (1 + np.exp(-logits))).astype(np.float32)
    coordinates = np.argwhere(tags)
    bags = tf.sparse.SparseTensor(coordinates, coordinates[:, 1], [rows, TAGS])
    columns = [
        tf.sparse.from_dense(np.array(names)[index][:, None])
        for names, index in ((COUNTRIES, country), (DEVICES, device))
    ]
    return columns, bags, tf.constant(clicks[:, None])


def train(columns, bags, clicks):
    """Trains a logistic model of some sparse columns of texts and of bags of numbers; returns its last loss."""
    ids = [
        tf.SparseTensor(c.indices, tf.strings.to_hash_bucket_fast(c.values, BUCKETS), c.dense_shape) for c in columns
    ]
    tables = [tf.Variable(tf.zeros([BUCKETS, 1])) for _ in ids]
    tag_table, bias = tf.Variable(tf.zeros([TAGS, 1])), tf.Variable(0.0)
    variables = [*tables, tag_table, bias]

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            sums = [tf.nn.embedding_lookup_sparse(t, i, None, combiner="sum") for t, i in zip(tables, ids, strict=True)]
            sums.append(tf.nn.safe_embedding_lookup_sparse(tag_table, bags, combiner="sum"))
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=clicks, logits=tf.add_n(sums) + bias)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * 8 * tf.convert_to_tensor(gradient))
        return loss

    for _ in range(STEPS):
        loss = step()
    return float(loss)


def main():
    columns, bags, clicks = pages(ROWS)
    crossed = tf.sparse.cross_hashed(columns, num_buckets=BUCKETS)
    crossed = tf.SparseTensor(crossed.indices, tf.strings.as_string(crossed.values), crossed.dense_shape)
    share = float(tf.reduce_mean(tf.cast(tf.sets.size(bags) > 0, tf.float32)))
    print(f"{ROWS} pages, {bags.values.shape[0]} tags, {100 * share:.1f} % of the pages have some")
    print(f"loss of single categories {train(columns, bags, clicks):.3f}")
    print(f"loss with pairs           {train([*columns, crossed], bags, clicks):.3f}")


if __name__ == "__main__":
    main()
