"""REINFORCE with accumulated gradients: tf.gradients, placeholders for gradients, apply_gradients."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(1)
state = tf.placeholder(tf.float32, [None, 3])
W = tf.get_variable("W", [3, 2], initializer=tf.zeros_initializer())
output = tf.nn.softmax(tf.matmul(state, W))
reward_holder = tf.placeholder(tf.float32, [None])
action_holder = tf.placeholder(tf.int32, [None])
indexes = tf.range(0, tf.shape(output)[0]) * tf.shape(output)[1] + action_holder
responsible = tf.gather(tf.reshape(output, [-1]), indexes)
loss = -tf.reduce_mean(tf.log(responsible) * reward_holder)
tvars = tf.trainable_variables()
gradient_holders = [tf.placeholder(tf.float32, name=str(i) + "_holder") for i, _ in enumerate(tvars)]
gradients = tf.gradients(loss, tvars)
update_batch = tf.train.AdamOptimizer(learning_rate=0.1).apply_gradients(zip(gradient_holders, tvars))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    grad_buffer = [np.zeros_like(g) for g in sess.run(tvars)]
    rewards = []
    for episode in range(40):
        states = np.eye(3)[rng.randint(0, 3, 10)]
        probabilities = sess.run(output, {state: states})
        actions = (rng.rand(10) < probabilities[:, 1]).astype(int)
        reward = np.where(actions == (states.argmax(1) == 2), 1.0, -1.0)
        rewards.append(reward.mean())
        grads = sess.run(gradients, {state: states, action_holder: actions, reward_holder: reward})
        for idx, grad in enumerate(grads):
            grad_buffer[idx] += grad
        if episode % 4 == 3:
            sess.run(update_batch, feed_dict=dict(zip(gradient_holders, grad_buffer)))
            for idx in range(len(grad_buffer)):
                grad_buffer[idx] *= 0
    print("first rewards %.2f, last rewards %.2f" % (np.mean(rewards[:8]), np.mean(rewards[-8:])))
    print(sess.run(output, {state: np.eye(3)}).round(3))
