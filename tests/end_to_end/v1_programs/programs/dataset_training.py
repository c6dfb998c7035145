"""A training fed by tf.data: zip, shuffle with a seed, map with py_func, padded_batch, prefetch."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
sentences = [[1, 2], [3, 4, 5], [2], [5, 5, 5, 5], [1, 3], [4]]
labels = [0, 1, 0, 1, 0, 1]


def generate():
    for sentence, label in zip(sentences, labels):
        yield sentence, label


dataset = tf.data.Dataset.from_generator(generate, (tf.int32, tf.int32), (tf.TensorShape([None]), tf.TensorShape([])))
dataset = dataset.map(lambda s, l: (s, tf.shape(s)[0], tf.py_func(lambda v: np.float32(v), [l], tf.float32, stateful=False)))
dataset = dataset.map(lambda s, n, l: (s, n, tf.reshape(l, [])))
dataset = dataset.padded_batch(3, ([None], [], [])).cache().repeat(6).prefetch(1)
tokens, lengths, label = dataset.make_one_shot_iterator().get_next()
table = tf.get_variable("embedding", initializer=np.linspace(-1, 1, 6 * 4).reshape(6, 4).astype(np.float32))
mask = tf.expand_dims(tf.sequence_mask(lengths, tf.shape(tokens)[1], dtype=tf.float32), 2)
mean = tf.reduce_sum(tf.nn.embedding_lookup(table, tokens) * mask, 1) / tf.reduce_sum(mask, 1)
logits = tf.squeeze(tf.matmul(mean, tf.get_variable("w", [4, 1], initializer=tf.constant_initializer(0.2))), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=logits))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
losses = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    while True:
        try:
            losses.append(sess.run([loss, train])[0])
        except tf.errors.OutOfRangeError:
            break
print(len(losses), ["%.4f" % value for value in losses[::3]])
