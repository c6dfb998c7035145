"""A statically unrolled LSTM whose batches come from a queue that queue runners fill."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(2)
steps, hidden = 4, 6
sequences = rng.uniform(-1, 1, (12, steps)).astype(np.float32)
answers = (sequences.sum(1) > 0).astype(np.int32)
sequence, answer = tf.train.slice_input_producer([tf.constant(sequences), tf.constant(answers)], shuffle=False)
batch_x, batch_y = tf.train.batch([sequence, answer], batch_size=12, capacity=24)

with tf.variable_scope("lstm", initializer=tf.constant_initializer(0.1)):
    state = tf.zeros([12, hidden])
    cell = tf.zeros([12, hidden])
    for t in range(steps):
        if t > 0:
            tf.get_variable_scope().reuse_variables()
        kernel = tf.get_variable("kernel", [1 + hidden, 4 * hidden])
        bias = tf.get_variable("bias", [4 * hidden])
        i, j, f, o = tf.split(tf.matmul(tf.concat([batch_x[:, t:t + 1], state], 1), kernel) + bias, 4, 1)
        cell = tf.sigmoid(f) * cell + tf.sigmoid(i) * tf.tanh(j)
        state = tf.sigmoid(o) * tf.tanh(cell)
with tf.variable_scope("out"):
    start = tf.constant_initializer(rng.normal(0, 1, (hidden, 2)))
    logits = tf.matmul(state, tf.get_variable("w", [hidden, 2], initializer=start))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch_y, logits=logits))
train_op = tf.train.RMSPropOptimizer(0.05).minimize(loss)
print([v.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        for step in range(20):
            if coord.should_stop():
                break
            _, value = sess.run([train_op, loss])
            if step % 5 == 0:
                print("step", step, "loss %.4f" % value)
    finally:
        coord.request_stop()
        coord.join(threads)
