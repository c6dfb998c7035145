"""A run in parts: an environment between the action of a network and the reward that trains it."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
state = tf.placeholder(tf.float32, [2], name="state")
reward = tf.placeholder(tf.float32, [], name="reward")
calls = []
w = tf.get_variable("w", initializer=[0.5, -0.25])
hidden = tf.py_func(lambda s: (calls.append(1), s * 2)[1], [state], tf.float32)
hidden.set_shape([2])
action = tf.reduce_sum(hidden * w)
loss = tf.square(action - reward)
gradient, = tf.gradients(loss, w)
update = w.assign_sub(0.1 * gradient)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        handle = sess.partial_run_setup([action, loss, update], [state, reward])
        chosen = sess.partial_run(handle, action, feed_dict={state: [1.0, step]})
        value = sess.partial_run(handle, loss, feed_dict={reward: chosen + 1.0})
        print(step, "%.4f %.4f" % (chosen, value), sess.partial_run(handle, update).round(4).tolist())
print(len(calls))
