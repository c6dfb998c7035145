"""A sequence-to-sequence model by hand with attention: it learns to reverse short sequences."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
vocabulary, length, hidden, batch = 6, 3, 12, 16
source_value = rng.randint(1, vocabulary, (batch, length))
target_value = source_value[:, ::-1]


def get(name, *shape):
    return tf.get_variable(name, initializer=rng.normal(0, 0.3, shape).astype(np.float32))


def gru(x, h, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        size = x.shape[-1].value + hidden
        gates = tf.sigmoid(tf.matmul(tf.concat([x, h], 1), get("gates", size, 2 * hidden)))
        r, u = tf.split(gates, 2, 1)
        candidate = tf.tanh(tf.matmul(tf.concat([x, r * h], 1), get("candidate", size, hidden)))
        return u * h + (1 - u) * candidate


source = tf.placeholder(tf.int32, [batch, length])
target = tf.placeholder(tf.int32, [batch, length])
embedding = get("embedding", vocabulary, 8)
state, memory = tf.zeros([batch, hidden]), []
for x in tf.unstack(tf.nn.embedding_lookup(embedding, source), axis=1):
    state = gru(x, state, "encoder")
    memory.append(state)
memory = tf.stack(memory, 1)
w_out = get("out", 2 * hidden, vocabulary)
previous, losses, outputs = tf.zeros([batch], tf.int32), [], []
for t in range(length):
    state = gru(tf.nn.embedding_lookup(embedding, previous), state, "decoder")
    attention = tf.nn.softmax(tf.reduce_sum(memory * tf.expand_dims(state, 1), 2))
    context = tf.reduce_sum(memory * tf.expand_dims(attention, 2), 1)
    logits = tf.matmul(tf.concat([state, context], 1), w_out)
    losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target[:, t], logits=logits))
    outputs.append(tf.argmax(logits, 1, output_type=tf.int32))
    previous = target[:, t]
loss = tf.reduce_mean(tf.stack(losses))
optimizer = tf.train.AdamOptimizer(0.03)
gradients, variables = zip(*optimizer.compute_gradients(loss))
train = optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 1.0)[0], variables))
print(len(variables))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {source: source_value, target: target_value}
    for step in range(31):
        value, _ = sess.run([loss, train], feed)
        if step % 10 == 0:
            print("%d %.3f" % (step, value))
    print("better than chance:", np.mean(np.stack(sess.run(outputs, feed), 1) == target_value) > 0.4)
